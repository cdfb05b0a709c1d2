//! A URL, or its path, cut after every `/`, `?` and `#`, to aggregate over subtrees of a site.

use entasis_base::Result;
use entasis_types::DataType;

use crate::strings::split::Pieces;
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::{Text, expect_string};

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#')
}

/// Where the path begins: after `scheme://host`, on its slash. `None` without a scheme.
fn path_start(url: &[u8]) -> Option<usize> {
    let len = url.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    if len == 0 || !url[len..].starts_with(b"://") || url.len() == len + 3 {
        return None;
    }
    let host = url[len + 3..].iter().take_while(|&&b| !is_separator(b)).count();
    Some(len + 3 + host)
}

/// Ends of the prefixes behind `from`: each goes over separators, then up to the next one.
fn prefixes(url: &[u8], from: usize, mut push: impl FnMut(usize)) {
    let mut at = from;
    loop {
        at += url[at..].iter().take_while(|&&b| is_separator(b)).count();
        if at == url.len() {
            return;
        }
        at += url[at..].iter().take_while(|&&b| !is_separator(b)).count();
        at = (at + 1).min(url.len());
        push(at);
    }
}

fn bind(name: &'static str, path_only: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::array(DataType::String), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows) * 2);
        for i in 0..rows {
            let url = text.get(i);
            match path_start(url) {
                Some(start) => {
                    let root = (start + 1).min(url.len());
                    if path_only {
                        prefixes(url, root, |end| out.push(&url[start..end]));
                    } else {
                        out.push(&url[..root]);
                        prefixes(url, root, |end| out.push(&url[..end]));
                    }
                }
                None if path_only || url.is_empty() => {}
                None => out.push(url),
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
        description: "All prefixes of a URL that end with `/`, `?` or `#`, and the URL itself.",
        examples: &[(
            "URLHierarchy('http://a.com/x/y')",
            "['http://a.com/','http://a.com/x/','http://a.com/x/y']",
        )],
        arity: (1, 1),
        bind: |args, _| bind("URLHierarchy", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "URLPathHierarchy",
        description: "Like `URLHierarchy`, but without scheme, host and root.",
        examples: &[("URLPathHierarchy('http://a.com/x/y')", "['/x/','/x/y']")],
        arity: (1, 1),
        bind: |args, _| bind("URLPathHierarchy", true, args),
        ..FunctionDef::DEFAULT
    },
];
