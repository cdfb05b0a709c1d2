//! Parameters of a URL's query string and fragment.

use entasis_base::Result;
use entasis_column::StringsBuilder;
use entasis_types::{DataType, Value};

use crate::scalar::kernel::illegal_type;
use crate::scalar::strings::split::Pieces;
use crate::scalar::strings::text::{Text, constant_string, expect_string, finish};
use crate::{Arg, Bound, Facts, FunctionDef};

/// Where parameters begin: after the first `?` or `#`.
fn start(url: &[u8]) -> usize {
    memchr::memchr2(b'?', b'#', url).map_or(url.len(), |at| at + 1)
}

/// Visits every `name=value`: ranges of name and of the whole.
fn each<'a>(url: &'a [u8], mut visit: impl FnMut(&'a [u8], &'a [u8])) {
    let mut rest = &url[start(url)..];
    while !rest.is_empty() {
        let end = rest.iter().position(|b| b"&#?".contains(b)).unwrap_or(rest.len());
        let pair = &rest[..end];
        if let Some(equals) = memchr::memchr(b'=', pair) {
            visit(&pair[..equals], pair);
        }
        rest = &rest[(end + 1).min(rest.len())..];
    }
}

fn value_of<'a>(url: &'a [u8], name: &[u8]) -> &'a [u8] {
    let mut found: Option<&[u8]> = None;
    each(url, |n, pair| {
        if found.is_none() && n == name {
            found = Some(&pair[n.len() + 1..]);
        }
    });
    found.unwrap_or_default()
}

fn parameter(args: &[Arg], _: &dyn Facts) -> Result<Bound> {
    args.iter().try_for_each(|a| expect_string("extractURLParameter", a))?;
    Ok(Bound::new(DataType::String, |args, rows| {
        let (text, name) = (Text::of(&args[0])?, Text::of(&args[1])?);
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows) / 4);
        (0..rows).for_each(|i| out.push(value_of(text.get(i), name.get(i))));
        finish(out)
    }))
}

fn list(name: &'static str, names: bool, args: &[Arg]) -> Result<Bound> {
    expect_string(name, &args[0])?;
    Ok(Bound::new(DataType::array(DataType::String), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows) / 2);
        for i in 0..rows {
            each(text.get(i), |name, pair| out.push(if names { name } else { pair }));
            out.close();
        }
        out.finish()
    }))
}

/// Appends the URL without the parameter.
fn cut(url: &[u8], name: &[u8], out: &mut Vec<u8>) {
    let begin = start(url);
    let mut at = begin;
    while at < url.len() {
        let rest = &url[at..];
        let end = rest.iter().position(|b| b"&#?".contains(b)).unwrap_or(rest.len());
        if rest[..end].strip_prefix(name).is_some_and(|r| r.first() == Some(&b'=')) {
            let (mut from, mut to) = (at, at + end);
            // One separator goes with it: the one behind where that is `&`, else an `&` in front.
            if url.get(to) == Some(&b'&') {
                to += 1;
            } else if url[from - 1] == b'&' || to == url.len() {
                from -= 1;
            }
            out.extend_from_slice(&url[..from]);
            out.extend_from_slice(&url[to..]);
            return;
        }
        at += end + 1;
    }
    out.extend_from_slice(url);
}

fn cut_parameter(args: &[Arg], _: &dyn Facts) -> Result<Bound> {
    let function = "cutURLParameter";
    expect_string(function, &args[0])?;
    let names: Vec<Vec<u8>> = match (&args[1].ty, &args[1].constant) {
        (DataType::Array(element), Some(Value::Array(items))) if element.is_string() => {
            items.iter().filter_map(|v| v.as_bytes().map(<[u8]>::to_vec)).collect()
        }
        (ty, _) if !ty.is_string() => return Err(illegal_type(function, ty)),
        _ => vec![constant_string(function, &args[1], "Second argument")?.to_vec()],
    };
    Ok(Bound::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
        let mut url = Vec::new();
        for i in 0..rows {
            url.clear();
            url.extend_from_slice(text.get(i));
            for name in &names {
                let mut next = Vec::with_capacity(url.len());
                cut(&url, name, &mut next);
                url = next;
            }
            out.push(&url);
        }
        finish(out)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "extractURLParameter",
        description: "The value of a parameter of a URL.",
        examples: &[("extractURLParameter('http://a.com/?x=1&y=2', 'y')", "2")],
        arity: (2, 2),
        bind: parameter,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "extractURLParameters",
        description: "All `name=value` of a URL.",
        examples: &[("extractURLParameters('http://a.com/?x=1&y=2')", "['x=1','y=2']")],
        arity: (1, 1),
        bind: |args, _| list("extractURLParameters", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "extractURLParameterNames",
        description: "The names of all parameters of a URL.",
        examples: &[("extractURLParameterNames('http://a.com/?x=1&y=2')", "['x','y']")],
        arity: (1, 1),
        bind: |args, _| list("extractURLParameterNames", true, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "cutURLParameter",
        description: "A URL without a parameter, or without several.",
        examples: &[("cutURLParameter('http://a.com/?x=1&y=2', 'x')", "http://a.com/?y=2")],
        arity: (2, 2),
        bind: cut_parameter,
        ..FunctionDef::DEFAULT
    },
];
