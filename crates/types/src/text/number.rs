//! Integers and floats.

/// `00` to `99`.
pub(super) const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// The eight decimal digits of a number below 10^8, one per byte, the first digit in the lowest
/// byte. All are computed at once within one word, by multiplications with reciprocals (Paul
/// Khuong, "How to print integers really fast", 2017).
#[inline]
fn eight_digits(value: u32) -> u64 {
    let fours = u64::from(value / 10_000) | (u64::from(value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

/// The character `0` in each byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Bytes that [`put_u64`] and [`put_i64`] may touch.
pub const NUMBER_ROOM: usize = 32;

/// Writes the decimal digits to `out` from `at` on, and answers where they end. [`NUMBER_ROOM`]
/// bytes may be overwritten, because copies of a constant length are faster.
#[inline]
pub fn put_u64(out: &mut [u8], at: usize, value: u64) -> usize {
    const EIGHT: u64 = 100_000_000;
    if value < EIGHT {
        return put_up_to_eight(out, at, value as u32);
    }
    let (high, low) = (value / EIGHT, (value % EIGHT) as u32);
    let at = match high {
        ..EIGHT => put_up_to_eight(out, at, high as u32),
        _ => {
            let at = put_up_to_eight(out, at, (high / EIGHT) as u32);
            put_eight(out, at, (high % EIGHT) as u32)
        }
    };
    put_eight(out, at, low)
}

/// [`put_u64`], after `-` where negative.
#[inline]
pub fn put_i64(out: &mut [u8], at: usize, value: i64) -> usize {
    out[at] = b'-';
    put_u64(out, at + usize::from(value < 0), value.unsigned_abs())
}

#[inline]
fn put_eight(out: &mut [u8], at: usize, value: u32) -> usize {
    out[at..at + 8].copy_from_slice(&(eight_digits(value) | ZEROS).to_le_bytes());
    at + 8
}

/// Writes a number below 10^8.
#[inline]
fn put_up_to_eight(out: &mut [u8], at: usize, value: u32) -> usize {
    let digits = eight_digits(value);
    // The last digit stays, even if it is 0.
    let zeros = (digits | (1 << 56)).trailing_zeros() / 8;
    let text = (digits | ZEROS) >> (8 * zeros);
    out[at..at + 8].copy_from_slice(&text.to_le_bytes());
    at + 8 - zeros as usize
}

/// Appends the decimal digits.
#[inline]
pub fn write_u64(out: &mut Vec<u8>, value: u64) {
    let mut text = [0; NUMBER_ROOM];
    let len = put_u64(&mut text, 0, value);
    let end = out.len() + len;
    if len <= 8 {
        out.extend_from_slice(&text[..8]);
    } else {
        out.extend_from_slice(&text[..24]);
    }
    out.truncate(end);
}

/// Appends the decimal digits, after `-` where negative.
#[inline]
pub fn write_i64(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    write_u64(out, value.unsigned_abs());
}

/// Appends the shortest digits that are read back as the same double: plain from 1e-6 up to 1e21,
/// scientific outside of this range, `inf`, `-inf`, `nan`; whole numbers without a point.
pub fn write_f64(out: &mut Vec<u8>, value: f64) {
    if value.fract() == 0.0 && value.abs() < 9.0e15 {
        if value.is_sign_negative() {
            out.push(b'-');
        }
        return write_u64(out, value.abs() as u64);
    }
    if write_special(out, value) {
        return;
    }
    layout(out, zmij::Buffer::new().format_finite(value));
}

/// [`write_f64`] for singles, with the shortest digits of a single.
pub fn write_f32(out: &mut Vec<u8>, value: f32) {
    if value.fract() == 0.0 && value.abs() < 1.6e7 {
        return write_f64(out, value.into());
    }
    if write_special(out, value.into()) {
        return;
    }
    layout(out, zmij::Buffer::new().format_finite(value));
}

fn write_special(out: &mut Vec<u8>, value: f64) -> bool {
    if value.is_nan() {
        out.extend_from_slice(b"nan");
    } else if value.is_infinite() {
        out.extend_from_slice(if value > 0.0 { b"inf" } else { b"-inf" });
    } else {
        return false;
    }
    true
}

/// Writes shortest digits (`12.5`, `1e20`, `-1.5e-7`) in the form of the dialect.
fn layout(out: &mut Vec<u8>, shortest: &str) {
    if !shortest.as_bytes().contains(&b'e') {
        let plain = shortest.strip_suffix(".0").unwrap_or(shortest);
        return out.extend_from_slice(plain.as_bytes());
    }
    let text = shortest.strip_prefix('-').unwrap_or(shortest);
    if text.len() < shortest.len() {
        out.push(b'-');
    }
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = if fraction == "0" { "" } else { fraction };
    let mut point = whole.len() as i32 + exponent.parse::<i32>().unwrap_or(0);
    let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let zeros = all.iter().take_while(|d| **d == b'0').count();
    point -= zeros as i32;
    let last = all.iter().rposition(|d| *d != b'0').map_or(zeros, |i| i + 1);
    let digits = &all[zeros..last];
    let count = digits.len() as i32;
    match point {
        _ if count == 0 => out.push(b'0'),
        point if !(-5..=21).contains(&point) => {
            out.push(digits[0]);
            if count > 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[1..]);
            }
            out.push(b'e');
            write_i64(out, i64::from(point - 1));
        }
        point if point <= 0 => {
            out.extend_from_slice(b"0.");
            out.extend(std::iter::repeat_n(b'0', (-point) as usize));
            out.extend_from_slice(digits);
        }
        point if point >= count => {
            out.extend_from_slice(digits);
            out.extend(std::iter::repeat_n(b'0', (point - count) as usize));
        }
        point => {
            out.extend_from_slice(&digits[..point as usize]);
            out.push(b'.');
            out.extend_from_slice(&digits[point as usize..]);
        }
    }
}

/// Reads digits, wrapping on overflow. `None` without at least one digit.
#[inline]
pub fn read_u64(input: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    let mut taken = 0;
    for &byte in *input {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        taken += 1;
    }
    *input = &input[taken..];
    (taken > 0).then_some(value)
}

/// Reads an optional sign and digits, wrapping on overflow. `None` without at least one digit.
#[inline]
pub fn read_i64(input: &mut &[u8]) -> Option<i64> {
    let mut rest = *input;
    let negative = rest.first() == Some(&b'-');
    if negative || rest.first() == Some(&b'+') {
        rest = &rest[1..];
    }
    let value = read_u64(&mut rest)? as i64;
    *input = rest;
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Reads a float: digits with or without a point and exponent, `inf`, `infinity`, `nan` in any
/// case, with an optional sign.
#[inline]
pub fn read_f64(input: &mut &[u8]) -> Option<f64> {
    let start = usize::from(input.first() == Some(&b'+'));
    if start > 0 && matches!(input.get(1), Some(b'+' | b'-')) {
        return None;
    }
    let (value, taken) = fast_float2::parse_partial::<f64, _>(&input[start..]).ok()?;
    *input = &input[start + taken..];
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(v: f64) -> String {
        let mut out = Vec::new();
        write_f64(&mut out, v);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_as_the_oracle_prints_them() {
        for (value, text) in [
            (1e20, "100000000000000000000"),
            (1e21, "1e21"),
            (0.1, "0.1"),
            (1e-5, "0.00001"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-7, "1.5e-7"),
            (1e300, "1e300"),
            (123_456_789_012_345_678.0, "123456789012345680"),
            (1_234_567_890_123_456_789_012.0, "1.2345678901234568e21"),
            (-0.0, "-0"),
            (5e-324, "5e-324"),
            (1e15, "1000000000000000"),
            (123_456.789, "123456.789"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(float(value), text);
        }
        let mut out = Vec::new();
        write_f32(&mut out, 1.175_494_4e-38);
        assert_eq!(out, b"1.1754944e-38");
    }

    #[test]
    fn digits_at_every_power_of_ten() {
        let powers = (0..20).map(|e| 10u64.pow(e));
        let near = powers.flat_map(|p| [p - 1, p, p.saturating_add(1)]);
        let mut state = 1u64;
        let mixed = (0..200_000).map(move |i| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i);
            state >> (i % 64)
        });
        for value in near.chain([u64::MAX - 1, u64::MAX, 1 << 63]).chain(mixed) {
            let mut out = b"x".to_vec();
            write_u64(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), format!("x{value}"));
        }
    }

    #[test]
    fn integers_round_trip_and_wrap() {
        for v in [0, 7, 10, 99, 100, 12_345, u64::MAX] {
            let mut out = Vec::new();
            write_u64(&mut out, v);
            assert_eq!(out, v.to_string().as_bytes());
            assert_eq!(read_u64(&mut out.as_slice()), Some(v));
        }
        assert_eq!(read_u64(&mut &b"18446744073709551616"[..]), Some(0));
        assert_eq!(read_i64(&mut &b"-128x"[..]), Some(-128));
        assert_eq!(read_i64(&mut &b"-"[..]), None);
        let mut rest = &b"1e3x"[..];
        assert_eq!((read_f64(&mut rest), rest), (Some(1000.0), &b"x"[..]));
    }
}
