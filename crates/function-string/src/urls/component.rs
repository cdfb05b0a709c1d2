//! Percent-encoding.

use entasis_base::Result;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::{expect_string, map_text};

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|d| d as u8)
}

fn decode(s: &[u8], plus: bool, out: &mut Vec<u8>) {
    let mut rest = s;
    while let Some(at) = rest.iter().position(|&b| b == b'%' || (plus && b == b'+')) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        if rest[0] == b'+' {
            out.push(b' ');
            rest = &rest[1..];
            continue;
        }
        match (rest.get(1).copied().and_then(digit), rest.get(2).copied().and_then(digit)) {
            (Some(high), Some(low)) => {
                out.push(high * 16 + low);
                rest = &rest[3..];
            }
            _ => {
                out.push(b'%');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest);
}

fn encode(s: &[u8], plus: bool, out: &mut Vec<u8>) {
    for &byte in s {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(byte);
        } else if plus && byte == b' ' {
            out.push(b'+');
        } else {
            out.push(b'%');
            out.push(b"0123456789ABCDEF"[usize::from(byte >> 4)]);
            out.push(b"0123456789ABCDEF"[usize::from(byte & 15)]);
        }
    }
}

fn bind(
    name: &'static str,
    args: &[Arg],
    change: fn(&[u8], bool, &mut Vec<u8>),
    plus: bool,
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |s, out| change(s, plus, out))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "decodeURLComponent",
        description: "Decodes a part of a URL: replaces `%xx` by the byte with this code.",
        examples: &[("decodeURLComponent('a%20b+c')", "a b+c")],
        arity: (1, 1),
        bind: |args, _| bind("decodeURLComponent", args, decode, false),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "decodeURLFormComponent",
        description: "Like `decodeURLComponent`, but `+` is a space.",
        examples: &[("decodeURLFormComponent('a%20b+c')", "a b c")],
        arity: (1, 1),
        bind: |args, _| bind("decodeURLFormComponent", args, decode, true),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "encodeURLComponent",
        description: "Encodes a part of a URL: writes all bytes but letters, digits and `-_.~` as \
                      `%xx`.",
        examples: &[("encodeURLComponent('a b/c')", "a%20b%2Fc")],
        arity: (1, 1),
        bind: |args, _| bind("encodeURLComponent", args, encode, false),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "encodeURLFormComponent",
        description: "Like `encodeURLComponent`, but a space becomes `+`.",
        examples: &[("encodeURLFormComponent('a b/c')", "a+b%2Fc")],
        arity: (1, 1),
        bind: |args, _| bind("encodeURLFormComponent", args, encode, true),
        ..FunctionDef::DEFAULT
    },
];
