//! Writes and reads strings of text formats: which bytes are escaped, and how escapes are resolved.
//!
//! Most strings contain nothing to escape. Therefore every writer searches for the first special
//! byte with a vector kernel, and copies the bytes before it at once.

use entasis_simd::byte_set::ByteSet;
use entasis_simd::utf8;

/// What follows the backslash for a byte that TSV and quoted strings escape; 0 for all others.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    table[0] = b'0';
    table[8] = b'b';
    table[9] = b't';
    table[10] = b'n';
    table[12] = b'f';
    table[13] = b'r';
    table[b'\\' as usize] = b'\\';
    table[b'\'' as usize] = b'\'';
    table
};

/// The bytes that have an escape in TSV and quoted strings.
static ESCAPED: ByteSet = ByteSet::of(b"\0\x08\t\n\x0C\r\\'");

/// Appends a string as TSV and quoted strings write it, without quotes.
#[inline]
pub(crate) fn write_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(ESCAPED.find(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else { return };
        out.extend_from_slice(&[b'\\', ESCAPES[byte as usize]]);
        rest = after;
    }
}

/// Appends a string in single quotes: the form inside arrays and tuples, and of Values.
pub(crate) fn write_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'\'');
    write_escaped(out, text);
    out.push(b'\'');
}

/// Appends a string in double quotes, quotes doubled: CSV.
pub(crate) fn write_csv(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'"', rest) {
        out.extend_from_slice(&rest[..=at]);
        out.push(b'"');
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// The text with U+FFFD in the place of each run of bytes that are not UTF-8.
pub(crate) fn valid_utf8(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    let mut is_replaced = false;
    for chunk in text.utf8_chunks() {
        is_replaced &= chunk.valid().is_empty();
        out.extend_from_slice(chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() && !is_replaced {
            out.extend_from_slice("\u{fffd}".as_bytes());
            is_replaced = true;
        }
    }
    out
}

/// How JSON strings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonStrings {
    /// U+FFFD takes the place of bytes that are not UTF-8, which pass as they are otherwise.
    pub(crate) validate: bool,
    /// `/` gets a backslash.
    pub(crate) escape_slashes: bool,
}

/// The bytes to look at in a JSON string; 0xE2 begins U+2028 and U+2029.
static JSON: ByteSet = ByteSet::of(b"\"\\\xE2").with(0, 0x1F);
static JSON_SLASHES: ByteSet = JSON.with(b'/', b'/');

/// Appends a JSON string with its quotes.
pub(crate) fn write_json(out: &mut Vec<u8>, text: &[u8], how: JsonStrings) {
    if how.validate && !utf8::is_valid(text) {
        let how = JsonStrings { validate: false, ..how };
        return write_json(out, &valid_utf8(text), how);
    }
    let special = if how.escape_slashes { &JSON_SLASHES } else { &JSON };
    out.push(b'"');
    let mut rest = text;
    loop {
        let run = special.find(rest);
        out.extend_from_slice(&rest[..run]);
        rest = &rest[run..];
        rest = match rest {
            [] => break,
            // U+2028 and U+2029 are line ends in JavaScript.
            [0xE2, 0x80, 0xA8, after @ ..] => {
                out.extend_from_slice(b"\\u2028");
                after
            }
            [0xE2, 0x80, 0xA9, after @ ..] => {
                out.extend_from_slice(b"\\u2029");
                after
            }
            [byte, after @ ..] => {
                escape_json(out, *byte);
                after
            }
        };
    }
    out.push(b'"');
}

fn escape_json(out: &mut Vec<u8>, byte: u8) {
    match byte {
        0xE2 => out.push(byte),
        b'"' | b'\\' | b'/' => out.extend_from_slice(&[b'\\', byte]),
        8 => out.extend_from_slice(b"\\b"),
        9 => out.extend_from_slice(b"\\t"),
        10 => out.extend_from_slice(b"\\n"),
        12 => out.extend_from_slice(b"\\f"),
        13 => out.extend_from_slice(b"\\r"),
        _ => {
            const HEX: &[u8; 16] = b"0123456789ABCDEF";
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[byte as usize >> 4], HEX[byte as usize & 15]]);
        }
    }
}

/// Reads one escape, `input` standing behind the backslash, and appends what it means. `None` at
/// the end of the input. An unknown escape keeps its backslash; `\N` is nothing.
pub(crate) fn unescape(input: &mut &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (&letter, rest) = input.split_first()?;
    *input = rest;
    let byte = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'0' => 0,
        b'N' => return Some(()),
        b'x' => {
            let (digits, after) = (rest.get(..2)?, rest.get(2..)?);
            *input = after;
            hex(digits[0]) << 4 | hex(digits[1]) & 15
        }
        b'\\' | b'\'' | b'"' | b'`' | b'/' | b'=' | b'\n' | b'\t' => letter,
        _ => {
            out.push(b'\\');
            letter
        }
    };
    out.push(byte);
    Some(())
}

fn hex(digit: u8) -> u8 {
    (digit as char).to_digit(16).map_or(0xFF, |d| d as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn escaping_round_trips_any_bytes() {
        let mut rng = Rng::new(1);
        for len in 0..200 {
            let alphabet: &[u8] =
                if len % 2 == 0 { b"ab\t\n\\'\0\r\x08\x0c\xff" } else { b"abcdefgh'" };
            let text: Vec<u8> =
                (0..len).map(|_| alphabet[rng.below(alphabet.len() as u64) as usize]).collect();
            let mut out = Vec::new();
            write_escaped(&mut out, &text);
            assert!(!out.contains(&b'\n') && !out.contains(&b'\t'));
            let (mut back, mut rest) = (Vec::new(), out.as_slice());
            while let Some((&b, tail)) = rest.split_first() {
                rest = tail;
                if b == b'\\' {
                    unescape(&mut rest, &mut back).unwrap();
                } else {
                    back.push(b);
                }
            }
            assert_eq!(back, text);
        }
    }

    #[test]
    fn json_and_csv_as_the_oracle_writes_them() {
        let plain = JsonStrings { validate: false, escape_slashes: true };
        let mut out = Vec::new();
        write_json(&mut out, "\x01\x1f\x7f\u{2028}\u{2029}\"/\\\n".as_bytes(), plain);
        assert_eq!(out, "\"\\u0001\\u001F\x7f\\u2028\\u2029\\\"\\/\\\\\\n\"".as_bytes());
        out.clear();
        write_json(&mut out, b"a\xffb", JsonStrings { validate: true, escape_slashes: true });
        assert_eq!(out, "\"a\u{fffd}b\"".as_bytes());
        out.clear();
        write_csv(&mut out, b"a\"b\"");
        assert_eq!(out, b"\"a\"\"b\"\"\"");
    }
}
