//! A URL, or its path, cut after every `/`, `?` and `#`: for sums over subtrees of a site.

use entasis_base::Result;
use entasis_types::DataType;

use crate::scalar::strings::split::Pieces;
use crate::scalar::strings::text::{Text, expect_string};
use crate::{Arg, Bound, FunctionDef};

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#')
}

/// Where the path begins: after `scheme://host`, on its slash. 0 without a scheme.
fn path_start(url: &[u8]) -> usize {
    let scheme = url.iter().take_while(|&&b| b > b' ' && !matches!(b, b':' | b'/' | b'?' | b'#'));
    let len = scheme.count();
    if !url[len..].starts_with(b"://") {
        return 0;
    }
    let host = url[len + 3..].iter().take_while(|&&b| !is_separator(b)).count();
    len + 3 + host
}

/// Ends of the prefixes from `from` on.
fn prefixes(url: &[u8], from: usize, mut push: impl FnMut(usize)) {
    let mut at = from;
    while at < url.len() {
        while at < url.len() && !is_separator(url[at]) {
            at += 1;
        }
        while at < url.len() && is_separator(url[at]) {
            at += 1;
        }
        push(at);
    }
}

fn bind(name: &'static str, path_only: bool, args: &[Arg]) -> Result<Bound> {
    expect_string(name, &args[0])?;
    Ok(Bound::new(DataType::array(DataType::String), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows) * 2);
        for i in 0..rows {
            let url = text.get(i);
            let start = path_start(url);
            if path_only {
                // The root is no step of its own.
                let skip = url[start..].iter().take_while(|&&b| is_separator(b)).count();
                prefixes(url, start + skip, |end| out.push(&url[start..end]));
            } else {
                let skip = url[start..].iter().take_while(|&&b| is_separator(b)).count();
                if start > 0 {
                    out.push(&url[..start + skip]);
                    prefixes(url, start + skip, |end| out.push(&url[..end]));
                } else {
                    prefixes(url, 0, |end| out.push(&url[..end]));
                }
            }
            out.close();
        }
        out.finish()
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "URLHierarchy",
        description: "The prefixes of a URL that end in `/`, `?`, `#`, and the URL.",
        examples: &[("URLHierarchy('http://a.com/x/y')", "['http://a.com/','http://a.com/x/','http://a.com/x/y']")],
        arity: (1, 1),
        bind: |args, _| bind("URLHierarchy", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "URLPathHierarchy",
        description: "As `URLHierarchy`, without scheme and host, and without the root.",
        examples: &[("URLPathHierarchy('http://a.com/x/y')", "['/x/','/x/y']")],
        arity: (1, 1),
        bind: |args, _| bind("URLPathHierarchy", true, args),
        ..FunctionDef::DEFAULT
    },
];
