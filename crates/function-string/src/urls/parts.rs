//! Parts of a URL: protocol, path, query string, fragment.

use memchr::{memchr, memchr2};

use super::domain::bind_part;
use entasis_function::FunctionDef;

fn protocol(url: &[u8]) -> &[u8] {
    if !url.first().is_some_and(u8::is_ascii_alphabetic) {
        return b"";
    }
    let in_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let len = url.iter().take_while(|b| in_scheme(b)).count();
    if url.len() - len >= 4 && url[len] == b':' { &url[..len] } else { b"" }
}

/// From the first slash on, or the first after `//`.
fn path_full(url: &[u8]) -> &[u8] {
    let Some(slash) = memchr(b'/', url) else { return b"" };
    if url.get(slash + 1) != Some(&b'/') {
        return &url[slash..];
    }
    match memchr(b'/', &url[slash + 2..]) {
        Some(at) => &url[slash + 2 + at..],
        None => b"",
    }
}

fn path(url: &[u8]) -> &[u8] {
    let full = path_full(url);
    &full[..memchr2(b'?', b'#', full).unwrap_or(full.len())]
}

fn query_string(url: &[u8]) -> &[u8] {
    let Some(mark) = memchr(b'?', url) else { return b"" };
    let rest = &url[mark + 1..];
    &rest[..memchr(b'#', rest).unwrap_or(rest.len())]
}

fn fragment(url: &[u8]) -> &[u8] {
    memchr(b'#', url).map_or(b"", |at| &url[at + 1..])
}

/// A fragment without a query string keeps its `#`.
fn query_string_and_fragment(url: &[u8]) -> &[u8] {
    match (memchr(b'?', url), memchr(b'#', url)) {
        (Some(mark), _) => &url[mark + 1..],
        (None, Some(mark)) => &url[mark..],
        (None, None) => b"",
    }
}

/// The name of a file at the end of a path.
fn basename(path: &[u8]) -> &[u8] {
    match memchr::memrchr2(b'/', b'\\', path) {
        Some(at) => &path[at + 1..],
        None => path,
    }
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "protocol",
        description: "The scheme of a URL.",
        examples: &[("protocol('https://a.com/')", "https")],
        arity: (1, 1),
        bind: |args, _| bind_part("protocol", args, protocol),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "path",
        description: "The path of a URL, without query string and fragment.",
        examples: &[("path('http://a.com/x/y?z#w')", "/x/y")],
        arity: (1, 1),
        bind: |args, _| bind_part("path", args, path),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "pathFull",
        description: "The path of a URL with query string and fragment.",
        examples: &[("pathFull('http://a.com/x/y?z#w')", "/x/y?z#w")],
        arity: (1, 1),
        bind: |args, _| bind_part("pathFull", args, path_full),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "queryString",
        description: "The query string of a URL: the part after `?` and before `#`.",
        examples: &[("queryString('http://a.com/x?y=1#z')", "y=1")],
        arity: (1, 1),
        bind: |args, _| bind_part("queryString", args, query_string),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "fragment",
        description: "The fragment of a URL: the part after `#`.",
        examples: &[("fragment('http://a.com/x?y=1#z')", "z")],
        arity: (1, 1),
        bind: |args, _| bind_part("fragment", args, fragment),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "queryStringAndFragment",
        description: "The query string and the fragment of a URL: the part after `?`, or from `#` \
                      on if there is no `?`.",
        examples: &[("queryStringAndFragment('http://a.com/x?y=1#z')", "y=1#z")],
        arity: (1, 1),
        bind: |args, _| bind_part("queryStringAndFragment", args, query_string_and_fragment),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "basename",
        description: "The part of a path after the last slash or backslash.",
        examples: &[("basename('/a/b.txt')", "b.txt")],
        arity: (1, 1),
        bind: |args, _| bind_part("basename", args, basename),
        ..FunctionDef::DEFAULT
    },
];
