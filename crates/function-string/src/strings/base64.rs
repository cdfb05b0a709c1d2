//! Base64 (RFC 4648), with the standard alphabet and the one for URLs.

use entasis_base::{Error, Result, codes};
use entasis_column::StringsBuilder;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::text::{Text, expect_string, finish, map_text};

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// No digit.
const BAD: u8 = 0xFF;

const fn values(alphabet: &[u8; 64]) -> [u8; 256] {
    let mut values = [BAD; 256];
    let mut i = 0;
    while i < 64 {
        values[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    values
}

static STANDARD_VALUES: [u8; 256] = values(STANDARD);
static URL_VALUES: [u8; 256] = values(URL);

fn encode(s: &[u8], url: bool, out: &mut Vec<u8>) {
    let alphabet = if url { URL } else { STANDARD };
    out.reserve(s.len().div_ceil(3) * 4);
    let digits = |word: u32| {
        std::array::from_fn::<u8, 4, _>(|k| alphabet[(word >> (18 - 6 * k) & 63) as usize])
    };
    let groups = s.chunks_exact(3);
    let rest = groups.remainder();
    for group in groups {
        let word = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        out.extend_from_slice(&digits(word));
    }
    if let Some(&first) = rest.first() {
        let second = rest.get(1).copied().unwrap_or(0);
        let last = digits(u32::from(first) << 16 | u32::from(second) << 8);
        out.extend_from_slice(&last[..=rest.len()]);
        if !url {
            out.extend_from_slice(&b"=="[..3 - rest.len()]);
        }
    }
}

/// Appends what `s` stands for; `None` if it is no Base64, with some of it perhaps appended. White
/// space is passed over. Padding may be left out in the alphabet for URLs only.
fn decode(s: &[u8], url: bool, out: &mut Vec<u8>) -> Option<()> {
    let values = if url { &URL_VALUES } else { &STANDARD_VALUES };
    out.reserve(s.len() / 4 * 3 + 3);
    let mut at = 0;
    while let Some(&[a, b, c, d]) = s.get(at..at + 4) {
        let [a, b, c, d] = [a, b, c, d].map(|digit| values[usize::from(digit)]);
        if a | b | c | d == BAD {
            break;
        }
        let word = u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
        out.extend_from_slice(&word.to_be_bytes()[1..]);
        at += 4;
    }
    decode_rest(&s[at..], values, url, out)
}

fn decode_rest(s: &[u8], values: &[u8; 256], url: bool, out: &mut Vec<u8>) -> Option<()> {
    let (mut word, mut count, mut padding) = (0u32, 0, 0);
    for &byte in s {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C) {
            continue;
        }
        if byte == b'=' {
            padding += 1;
            continue;
        }
        let value = values[usize::from(byte)];
        if value == BAD || padding > 0 {
            return None;
        }
        word = word << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            out.extend_from_slice(&word.to_be_bytes()[1..]);
            (word, count) = (0, 0);
        }
    }
    let complete = padding == (4 - count) % 4 || (url && padding == 0);
    match count {
        _ if !complete => return None,
        0 => {}
        2 => out.push((word >> 4) as u8),
        3 => out.extend_from_slice(&((word >> 2) as u16).to_be_bytes()),
        _ => return None,
    }
    Some(())
}

fn bind_encode(name: &str, url: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |s, out| encode(s, url, out))
    }))
}

fn bind_decode(name: &'static str, url: bool, lenient: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows) / 4 * 3);
        for i in 0..rows {
            let (s, start) = (text.get(i), out.data.len());
            if decode(s, url, &mut out.data).is_none() {
                if !lenient {
                    return Err(broken(name, s));
                }
                out.data.truncate(start);
            }
            out.close();
        }
        finish(out)
    }))
}

#[cold]
fn broken(name: &str, s: &[u8]) -> Error {
    let value = String::from_utf8_lossy(s);
    let message = format!(
        "Invalid {name} value ({value}), cannot be decoded; try{} answers ''",
        name.replacen('b', "B", 1)
    );
    Error::new(codes::INCORRECT_DATA, message)
}

const BASE64: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "base64Encode",
        aliases: &["TO_BASE64"],
        case_insensitive: true,
        description: "Encodes a string in Base64.",
        examples: &[("base64Encode('hello')", "aGVsbG8=")],
        bind: |args, _: &dyn FunctionContext| bind_encode("base64Encode", false, args),
        ..BASE64
    },
    FunctionDef {
        name: "base64Decode",
        aliases: &["FROM_BASE64"],
        case_insensitive: true,
        description: "Decodes a Base64 string; fails if it is not one.",
        examples: &[("base64Decode('aGVsbG8=')", "hello")],
        nulls: Nulls::PropagateStrict,
        bind: |args, _| bind_decode("base64Decode", false, false, args),
        ..BASE64
    },
    FunctionDef {
        name: "tryBase64Decode",
        case_insensitive: true,
        description: "Like `base64Decode`, but returns an empty string if the argument is not \
                      Base64.",
        examples: &[("tryBase64Decode('YQ==')", "a"), ("tryBase64Decode('*')", "")],
        bind: |args, _| bind_decode("tryBase64Decode", false, true, args),
        ..BASE64
    },
    FunctionDef {
        name: "base64URLEncode",
        case_insensitive: true,
        description: "Encodes a string in Base64 with the alphabet for URLs, without padding.",
        examples: &[("base64URLEncode('a??>>~~')", "YT8_Pj5-fg")],
        bind: |args, _| bind_encode("base64URLEncode", true, args),
        ..BASE64
    },
    FunctionDef {
        name: "base64URLDecode",
        case_insensitive: true,
        description: "Decodes a Base64 string that uses the alphabet for URLs.",
        examples: &[("base64URLDecode('YT8_Pj5-fg')", "a??>>~~")],
        nulls: Nulls::PropagateStrict,
        bind: |args, _| bind_decode("base64URLDecode", true, false, args),
        ..BASE64
    },
    FunctionDef {
        name: "tryBase64URLDecode",
        case_insensitive: true,
        description: "Like `base64URLDecode`, but returns an empty string if the argument is not \
                      Base64.",
        examples: &[("tryBase64URLDecode('YQ')", "a"), ("tryBase64URLDecode('*')", "")],
        bind: |args, _| bind_decode("tryBase64URLDecode", true, true, args),
        ..BASE64
    },
];
