//! `netloc`: what stands between the scheme and the path of a URL, with user and port.

use entasis_function::FunctionDef;

use super::domain::bind_part;

/// Everything up to the path where there is no scheme, as in the reference.
fn netloc(url: &[u8]) -> &[u8] {
    let scheme = url.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
    let rest = match url[scheme..].strip_prefix(b"://") {
        Some(rest) => rest,
        None => url.strip_prefix(b"//").unwrap_or(url),
    };
    let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#'));
    &rest[..end.unwrap_or(rest.len())]
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "netloc",
    description: "User, host and port of a URL.",
    examples: &[("netloc('http://paul@www.example.com:80/a')", "paul@www.example.com:80")],
    arity: (1, 1),
    bind: |args, _| bind_part("netloc", args, netloc),
    ..FunctionDef::DEFAULT
}];
