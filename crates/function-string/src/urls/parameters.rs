//! Parameters of a URL's query string and fragment.

use entasis_base::Result;
use entasis_column::StringsBuilder;
use entasis_types::{DataType, Value};

use crate::strings::split::Pieces;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::{Text, constant_string, expect_string, finish, parts_of};

fn find(s: &[u8], from: usize, set: &[u8]) -> usize {
    let rest = &s[from..];
    let at = match *set {
        [a, b] => memchr::memchr2(a, b, rest),
        [a, b, c] => memchr::memchr3(a, b, c, rest),
        _ => rest.iter().position(|b| set.contains(b)),
    };
    at.map_or(s.len(), |at| from + at)
}

/// Visits every parameter: its name, and all of it. A name at the very end counts with `=` only.
fn each<'a>(url: &'a [u8], mut visit: impl FnMut(&'a [u8], &'a [u8])) {
    let mut at = find(url, 0, b"?#");
    while at + 1 < url.len() {
        let mut begin = at + 1;
        let mut end = find(url, begin, b"=&#?");
        while end < url.len() && url[end] == b'?' {
            begin = end + 1;
            end = find(url, begin, b"=&#?");
        }
        if end == url.len() {
            return;
        }
        at = find(url, end, b"&#");
        visit(&url[begin..end], &url[begin..at]);
    }
}

/// Where `name=value` lies: its begin, the value's, the end.
fn locate(url: &[u8], name: &[u8]) -> Option<(usize, usize, usize)> {
    let mut at = find(url, 0, b"?#") + 1;
    while at < url.len() {
        if url[at..].strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b'=')) {
            let value = at + name.len() + 1;
            return Some((at, value, find(url, value, b"&#")));
        }
        at = find(url, at, b"?#&") + 1;
    }
    None
}

fn value_of<'a>(url: &'a [u8], name: &[u8]) -> &'a [u8] {
    locate(url, name).map_or(b"", |(_, value, end)| &url[value..end])
}

fn parameter(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| expect_string("extractURLParameter", a))?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let (text, name) = (Text::of(&args[0])?, Text::of(&args[1])?);
        parts_of(text, rows, |i, url| value_of(url, name.get(i)))
    }))
}

fn list(name: &'static str, names: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::array(DataType::String), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows) / 2);
        for i in 0..rows {
            each(text.get(i), |name, pair| out.push(if names { name } else { pair }));
            out.close();
        }
        out.finish()
    }))
}

/// Appends the URL without the parameter. One `&` goes with it: the one behind, else the one in
/// front.
fn cut(url: &[u8], name: &[u8], out: &mut Vec<u8>) {
    let Some((mut from, _, mut to)) = locate(url, name) else {
        out.extend_from_slice(url);
        return;
    };
    if url.get(to) == Some(&b'&') {
        to += 1;
    } else if url[from - 1] == b'&' {
        from -= 1;
    }
    out.extend_from_slice(&url[..from]);
    out.extend_from_slice(&url[to..]);
}

fn cut_parameter(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let function = "cutURLParameter";
    expect_string(function, &args[0])?;
    let names: Vec<Vec<u8>> = match (&args[1].ty, &args[1].constant) {
        (DataType::Array(element), Some(Value::Array(items))) if element.is_string() => {
            items.iter().filter_map(|v| v.as_bytes().map(<[u8]>::to_vec)).collect()
        }
        (ty, _) if !ty.is_string() => return Err(illegal_type(function, ty)),
        _ => vec![constant_string(function, &args[1], "Second argument")?.to_vec()],
    };
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
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
        description: "All parameters of a URL, as an array of `name=value`.",
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
