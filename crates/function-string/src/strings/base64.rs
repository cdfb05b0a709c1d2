//! Base64 (RFC 4648), with the standard alphabet and the one for URLs.

use entasis_base::{Error, Result, codes};
use entasis_column::StringsBuilder;
use entasis_simd::base64::{self, Alphabet};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::text::{Text, expect_string, finish};

/// Number of digits of so many bytes, with their padding if the alphabet has any.
fn encoded_len(bytes: usize, alphabet: Alphabet) -> usize {
    match alphabet {
        Alphabet::Standard => bytes.div_ceil(3) * 4,
        Alphabet::Url => (bytes * 4).div_ceil(3),
    }
}

/// Writes the digits of `s` into a place of their length.
fn encode(s: &[u8], alphabet: Alphabet, out: &mut [u8]) {
    let (groups, rest) = s.split_at(s.len() - s.len() % 3);
    let (whole, end) = out.split_at_mut(groups.len() / 3 * 4);
    base64::encode(groups, alphabet, whole);
    if let Some(&first) = rest.first() {
        let second = rest.get(1).copied().unwrap_or(0);
        let mut last = [b'='; 4];
        base64::encode(&[first, second, 0], alphabet, &mut last);
        last[rest.len() + 1..].fill(b'=');
        let len = end.len();
        end.copy_from_slice(&last[..len]);
    }
}

/// Appends what `s` stands for; `None` if it is no Base64, with some of it perhaps appended. White
/// space is passed over. Padding may be left out in the alphabet for URLs only.
fn decode(s: &[u8], alphabet: Alphabet, out: &mut Vec<u8>) -> Option<()> {
    let done = base64::decode(s, alphabet, out);
    decode_rest(&s[done..], base64::values(alphabet), alphabet == Alphabet::Url, out)
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
        if value == base64::NO_DIGIT || padding > 0 {
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

fn bind_encode(name: &str, alphabet: Alphabet, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let len = |i: usize| encoded_len(text.get(i).len(), alphabet);
        let total = (0..rows).map(len).sum();
        let mut out = StringsBuilder::with_capacity(rows, total);
        out.check_room(total)?;
        out.data.resize(total, 0);
        let mut start = 0;
        for i in 0..rows {
            let end = start + len(i);
            encode(text.get(i), alphabet, &mut out.data[start..end]);
            out.offsets.push(end as u32);
            start = end;
        }
        finish(out)
    }))
}

fn bind_decode(
    name: &'static str,
    alphabet: Alphabet,
    lenient: bool,
    args: &[Arg],
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows) / 4 * 3);
        for i in 0..rows {
            let (s, start) = (text.get(i), out.data.len());
            if decode(s, alphabet, &mut out.data).is_none() {
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
        bind: |args, _: &dyn FunctionContext| bind_encode("base64Encode", Alphabet::Standard, args),
        ..BASE64
    },
    FunctionDef {
        name: "base64Decode",
        aliases: &["FROM_BASE64"],
        case_insensitive: true,
        description: "Decodes a Base64 string; fails if it is not one.",
        examples: &[("base64Decode('aGVsbG8=')", "hello")],
        nulls: Nulls::PropagateStrict,
        bind: |args, _| bind_decode("base64Decode", Alphabet::Standard, false, args),
        ..BASE64
    },
    FunctionDef {
        name: "tryBase64Decode",
        case_insensitive: true,
        description: "Like `base64Decode`, but returns an empty string if the argument is not \
                      Base64.",
        examples: &[("tryBase64Decode('YQ==')", "a"), ("tryBase64Decode('*')", "")],
        bind: |args, _| bind_decode("tryBase64Decode", Alphabet::Standard, true, args),
        ..BASE64
    },
    FunctionDef {
        name: "base64URLEncode",
        case_insensitive: true,
        description: "Encodes a string in Base64 with the alphabet for URLs, without padding.",
        examples: &[("base64URLEncode('a??>>~~')", "YT8_Pj5-fg")],
        bind: |args, _| bind_encode("base64URLEncode", Alphabet::Url, args),
        ..BASE64
    },
    FunctionDef {
        name: "base64URLDecode",
        case_insensitive: true,
        description: "Decodes a Base64 string that uses the alphabet for URLs.",
        examples: &[("base64URLDecode('YT8_Pj5-fg')", "a??>>~~")],
        nulls: Nulls::PropagateStrict,
        bind: |args, _| bind_decode("base64URLDecode", Alphabet::Url, false, args),
        ..BASE64
    },
    FunctionDef {
        name: "tryBase64URLDecode",
        case_insensitive: true,
        description: "Like `base64URLDecode`, but returns an empty string if the argument is not \
                      Base64.",
        examples: &[("tryBase64URLDecode('YQ')", "a"), ("tryBase64URLDecode('*')", "")],
        bind: |args, _| bind_decode("tryBase64URLDecode", Alphabet::Url, true, args),
        ..BASE64
    },
];
