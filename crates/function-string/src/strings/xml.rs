//! Encodes and decodes text between XML tags.

use entasis_base::Result;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::{expect_string, map_text};

const NAMES: [(&[u8], u8); 5] =
    [(b"&lt;", b'<'), (b"&gt;", b'>'), (b"&amp;", b'&'), (b"&quot;", b'"'), (b"&apos;", b'\'')];

fn encode(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match NAMES.iter().find(|(_, plain)| *plain == byte) {
            Some((name, _)) => out.extend_from_slice(name),
            None => out.push(byte),
        }
    }
}

/// The character of `&#65;` or `&#x41;` at the front, and the length of its name.
fn numbered(text: &[u8]) -> Option<(char, usize)> {
    let body = text.strip_prefix(b"&#")?;
    let end = body.iter().take(10).position(|b| *b == b';')?;
    let digits = std::str::from_utf8(&body[..end]).ok()?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((char::from_u32(code)?, end + 3))
}

fn decode(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, plain)) = NAMES.iter().find(|(name, _)| rest.starts_with(name)) {
            out.push(*plain);
            rest = &rest[name.len()..];
        } else if let Some((c, len)) = numbered(rest) {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[len..];
        } else {
            out.push(b'&');
            rest = &rest[1..];
        }
    }
    out.extend_from_slice(rest);
}

fn bind(name: &str, args: &[Arg], f: fn(&[u8], &mut Vec<u8>)) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| map_text(&args[0], rows, f)))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "encodeXMLComponent",
        description: "Encodes text for XML: replaces `<`, `>`, `&` and quotes by `&lt;` and the \
                      like.",
        examples: &[("encodeXMLComponent('<a>')", "&lt;a&gt;")],
        arity: (1, 1),
        bind: |a, _| bind("encodeXMLComponent", a, encode),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "decodeXMLComponent",
        description: "Decodes XML text: replaces `&lt;`, `&#60;` and the like by the character \
                      that they stand for.",
        examples: &[("decodeXMLComponent('&lt;&#65;&gt;')", "<A>")],
        arity: (1, 1),
        bind: |a, _| bind("decodeXMLComponent", a, decode),
        ..FunctionDef::DEFAULT
    },
];
