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
    let next = |rest: &[u8]| match plus {
        true => memchr::memchr2(b'%', b'+', rest),
        false => memchr::memchr(b'%', rest),
    };
    while let Some(at) = next(rest) {
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

/// Whether a byte stands for itself.
static IS_PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        plain[i] = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
        i += 1;
    }
    plain
};

/// The digits of each byte's code, with one more byte.
static CODES: [[u8; 4]; 256] = {
    let digits = b"0123456789ABCDEF";
    let mut codes = [[0; 4]; 256];
    let mut i = 0;
    while i < 256 {
        codes[i] = [b'%', digits[i >> 4], digits[i & 15], 0];
        i += 1;
    }
    codes
};

fn encode(s: &[u8], plus: bool, out: &mut Vec<u8>) {
    // Every byte is written as four, of which the next one overwrites what was too much.
    let start = out.len();
    out.resize(start + 3 * s.len() + 1, 0);
    let room = &mut out[start..];
    let mut end = 0;
    for &byte in s {
        let plain = IS_PLAIN[usize::from(byte)] || (plus && byte == b' ');
        let mut code = CODES[usize::from(byte)];
        if plain {
            code[0] = if byte == b' ' { b'+' } else { byte };
        }
        room[end..end + 4].copy_from_slice(&code);
        end += if plain { 1 } else { 3 };
    }
    out.truncate(start + end);
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
