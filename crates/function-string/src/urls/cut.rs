//! URLs without one of their parts.

use std::ops::Range;

use entasis_base::Result;
use entasis_types::DataType;
use memchr::memchr;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::{expect_string, map_text};

/// Where the part to be cut lies.
type Part = fn(&[u8]) -> Range<usize>;

fn bind(name: &'static str, args: &[Arg], part: Part) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |url, out| {
            let cut = part(url);
            out.extend_from_slice(&url[..cut.start]);
            out.extend_from_slice(&url[cut.end..]);
        })
    }))
}

fn query_string(url: &[u8]) -> Range<usize> {
    match memchr(b'?', url) {
        Some(at) => at..at + memchr(b'#', &url[at..]).unwrap_or(url.len() - at),
        None => url.len()..url.len(),
    }
}

fn fragment(url: &[u8]) -> Range<usize> {
    memchr(b'#', url).unwrap_or(url.len())..url.len()
}

fn query_string_and_fragment(url: &[u8]) -> Range<usize> {
    memchr(b'?', url).or_else(|| memchr(b'#', url)).unwrap_or(url.len())..url.len()
}

fn www(url: &[u8]) -> Range<usize> {
    let start = match memchr(b'/', url) {
        Some(at) if url.get(at + 1) == Some(&b'/') && at > 0 && url[at - 1] == b':' => at + 2,
        _ => return 0..0,
    };
    let rest = &url[start..];
    if rest.len() > 4 && rest.starts_with(b"www.") { start..start + 4 } else { 0..0 }
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "cutQueryString",
        description: "A URL without `?` and what follows it up to `#`.",
        examples: &[("cutQueryString('http://a.com/x?y=1#z')", "http://a.com/x#z")],
        arity: (1, 1),
        bind: |args, _| bind("cutQueryString", args, query_string),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "cutFragment",
        description: "A URL without `#` and what follows it.",
        examples: &[("cutFragment('http://a.com/x?y=1#z')", "http://a.com/x?y=1")],
        arity: (1, 1),
        bind: |args, _| bind("cutFragment", args, fragment),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "cutQueryStringAndFragment",
        description: "A URL up to the first `?`, or up to `#`.",
        examples: &[("cutQueryStringAndFragment('http://a.com/x?y=1#z')", "http://a.com/x")],
        arity: (1, 1),
        bind: |args, _| bind("cutQueryStringAndFragment", args, query_string_and_fragment),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "cutWWW",
        description: "A URL without `www.` at the start of its host.",
        examples: &[("cutWWW('http://www.a.com/x')", "http://a.com/x")],
        arity: (1, 1),
        bind: |args, _| bind("cutWWW", args, www),
        ..FunctionDef::DEFAULT
    },
];
