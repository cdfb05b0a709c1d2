//! Text of literals to values: escapes, numbers.

use entasis_base::{Error, Result, codes};

use crate::ast::Literal;

/// The bytes of a quoted token. Backslash escapes and doubled quotes are resolved. An unknown
/// escape keeps its backslash, as in the dialect.
pub(crate) fn unquote(token: &[u8]) -> Vec<u8> {
    let (Some(&quote), true) = (token.first(), token.len() >= 2) else { return Vec::new() };
    let body = &token[1..token.len() - 1];
    let mut out = Vec::with_capacity(body.len());
    let mut i = 0;
    while i < body.len() {
        let b = body[i];
        i += 1;
        if b == quote {
            i += 1; // doubled
            out.push(b);
        } else if b != b'\\' {
            out.push(b);
        } else if let Some(&escaped) = body.get(i) {
            i += 1;
            i += unescape(escaped, &body[i..], &mut out);
        }
    }
    out
}

/// Resolves backslash escapes of a text without quotes, which is the form of query parameters'
/// values.
pub fn unescape_text(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut out = Vec::with_capacity(rest.len());
    while let Some((&b, after)) = rest.split_first() {
        rest = after;
        match rest.split_first() {
            Some((&escaped, after)) if b == b'\\' => {
                let taken = unescape(escaped, after, &mut out);
                rest = &after[taken..];
            }
            _ => out.push(b),
        }
    }
    out
}

/// Appends the meaning of a backslash and `escaped`; returns how many bytes of `rest` belong to it.
fn unescape(escaped: u8, rest: &[u8], out: &mut Vec<u8>) -> usize {
    let byte = match escaped {
        b'a' => 7,
        b'b' => 8,
        b'e' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'0' => 0,
        b'N' => return 0,
        b'x' => {
            if let [hi, lo, ..] = rest
                && let (Some(hi), Some(lo)) = (hex(*hi), hex(*lo))
            {
                out.push(hi << 4 | lo);
                return 2;
            }
            out.extend_from_slice(b"\\x");
            return 0;
        }
        b'\\' | b'\'' | b'"' | b'`' | b'/' | b'=' => escaped,
        control if control.is_ascii_control() => control,
        _ => {
            out.push(b'\\');
            escaped
        }
    };
    out.push(byte);
    0
}

fn hex(b: u8) -> Option<u8> {
    (b as char).to_digit(16).map(|d| d as u8)
}

/// Rewrites a LIKE pattern with the escape character `escape` as one with a backslash.
pub(crate) fn with_backslashes(pattern: &[u8], escape: u8) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(pattern.len() + 2);
    let mut rest = pattern.iter();
    while let Some(&b) = rest.next() {
        if b == escape {
            match rest.next() {
                Some(&next) if next == escape || matches!(next, b'%' | b'_') => {
                    out.extend(matches!(next, b'%' | b'_' | b'\\').then_some(b'\\'));
                    out.push(next);
                }
                other => {
                    let shown = other.map_or(String::new(), |&next| char::from(next).to_string());
                    let message = format!(
                        "Invalid escape sequence '{}{shown}' in LIKE pattern '{}': the escape \
                         character must be followed by '%', '_', or the escape character itself",
                        char::from(escape),
                        String::from_utf8_lossy(pattern)
                    );
                    return Err(Error::new(codes::CANNOT_PARSE_ESCAPE_SEQUENCE, message));
                }
            }
        } else if b == b'\\' {
            out.extend_from_slice(b"\\\\");
        } else {
            out.push(b);
        }
    }
    Ok(out)
}

/// `x'4142'` to bytes.
pub(crate) fn hex_string(token: &[u8]) -> Option<Vec<u8>> {
    let digits = token.get(2..token.len().checked_sub(1)?)?;
    let odd = digits.len() % 2;
    let mut out = Vec::with_capacity(digits.len() / 2 + odd);
    if odd == 1 {
        out.push(hex(digits[0])?);
    }
    for pair in digits[odd..].chunks_exact(2) {
        out.push(hex(pair[0])? << 4 | hex(pair[1])?);
    }
    Some(out)
}

/// `b'0100'` to bytes, filled with zero bits on the left.
pub(crate) fn bin_string(token: &[u8]) -> Option<Vec<u8>> {
    let digits = token.get(2..token.len().checked_sub(1)?)?;
    let mut out = Vec::with_capacity(digits.len() / 8 + 1);
    for group in digits.rchunks(8) {
        let mut byte = 0;
        for &b in group {
            byte = byte << 1
                | match b {
                    b'0' => 0,
                    b'1' => 1,
                    _ => return None,
                };
        }
        out.push(byte);
    }
    out.reverse();
    Some(out)
}

/// The text between the tags of a heredoc.
pub(crate) fn heredoc(token: &[u8]) -> Vec<u8> {
    let tag = token.iter().skip(1).position(|&b| b == b'$').map_or(0, |p| p + 2);
    token.get(tag..token.len().saturating_sub(tag)).unwrap_or(&[]).to_vec()
}

/// A number token, negated if asked. Integers beyond 64 bits become floats.
pub(crate) fn number(token: &[u8], negative: bool) -> Option<Literal> {
    if token.len() < 20 && token.iter().all(u8::is_ascii_digit) {
        let mut value = 0u64;
        for &b in token {
            value = value.wrapping_mul(10).wrapping_add(u64::from(b - b'0'));
        }
        return Some(integer(value, negative)); // up to 19 digits: cannot overflow
    }
    let text: String = token.iter().filter(|&&b| b != b'_').map(|&b| b as char).collect();
    let lower = text.to_ascii_lowercase();
    let float = |value: f64| Literal::Float(if negative { -value } else { value });
    if let Some(digits) = lower.strip_prefix("0x") {
        return match u64::from_str_radix(digits, 16) {
            Ok(value) => Some(integer(value, negative)),
            Err(_) => hex_float(digits).map(float),
        };
    }
    if let Some(digits) = lower.strip_prefix("0b") {
        return match u64::from_str_radix(digits, 2) {
            Ok(value) => Some(integer(value, negative)),
            Err(_) => {
                Some(float(digits.bytes().fold(0.0, |acc, b| acc * 2.0 + f64::from(b - b'0'))))
            }
        };
    }
    if let Ok(value) = lower.parse::<u64>() {
        return Some(integer(value, negative));
    }
    lower.parse::<f64>().ok().map(float)
}

fn integer(value: u64, negative: bool) -> Literal {
    match (negative, value) {
        (false, _) | (true, 0) => Literal::UInt(value),
        (true, 1..=0x8000_0000_0000_0000) => Literal::Int((value as i64).wrapping_neg()),
        (true, _) => Literal::Float(-(value as f64)),
    }
}

/// `1.8p3` after `0x`.
fn hex_float(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once('p').unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0;
    for b in whole.bytes().chain(fraction.bytes()) {
        value = value * 16.0 + f64::from(hex(b)?);
    }
    let exponent = exponent.parse::<i32>().ok()? - 4 * fraction.len() as i32;
    Some(value * f64::from(exponent.clamp(-4000, 4000)).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let of = |text: &str| number(text.as_bytes(), false).unwrap();
        assert_eq!(of("1_000"), Literal::UInt(1000));
        assert_eq!(of("012"), Literal::UInt(12));
        assert_eq!(of("0x10"), Literal::UInt(16));
        assert_eq!(of("0x1p3"), Literal::Float(8.0));
        assert_eq!(of("18446744073709551615"), Literal::UInt(u64::MAX));
        assert_eq!(of("18446744073709551616"), Literal::Float(18446744073709551616.0));
        assert_eq!(of("1."), Literal::Float(1.0));
        assert_eq!(of(".5"), Literal::Float(0.5));
        let minus = |text: &str| number(text.as_bytes(), true).unwrap();
        assert_eq!(minus("9223372036854775808"), Literal::Int(i64::MIN));
        assert_eq!(minus("9223372036854775809"), Literal::Float(-9223372036854775809.0));
        assert_eq!(minus("0"), Literal::UInt(0));
    }

    #[test]
    fn escapes() {
        assert_eq!(unquote(br"'a\nb\'c''d\x41\q\%'"), b"a\nb'c'dA\\q\\%".to_vec());
        assert_eq!(hex_string(b"x'4142'"), Some(b"AB".to_vec()));
        assert_eq!(bin_string(b"b'0100'"), Some(vec![4]));
        assert_eq!(heredoc(b"$t$ab$t$"), b"ab".to_vec());
    }
}
