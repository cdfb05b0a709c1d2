//! Conversion of floats to 256-bit integers and back.
//!
//! The reference divides a float of more than 63 bits by 2^64 - 1 in the 80-bit arithmetic of x86,
//! and combines quotient and remainder. Its rounding errors appear in the last digits of large
//! integers and decimals, so this module repeats them in whole numbers. Integers become the nearest
//! float.

use std::cmp::Ordering;

use ethnum::{AsI256, AsU256, i256, u256};

const MAX: u256 = u256::new(u64::MAX as u128);

/// A float without its fraction. NaN is 0, and numbers of more than 256 bits saturate.
pub fn to_wide(value: f64) -> i256 {
    let magnitude = value.abs();
    if magnitude < 9_223_372_036_854_775_808.0 || value.is_nan() {
        return i256::from(value as i64);
    }
    if magnitude >= 2f64.powi(256) {
        return value.as_i256();
    }
    let whole = magnitude.as_u256();
    let high = quotient(whole);
    let leading = if high < MAX { high } else { in_parts(high.as_f64().as_u256()) };
    let rest = to_word(whole.wrapping_sub(to_64_bits(high * MAX)).as_i256());
    let result = leading.wrapping_mul(MAX).wrapping_add(u256::from(rest)).as_i256();
    if value < 0.0 { result.wrapping_neg() } else { result }
}

/// `value / MAX` without its fraction, after rounding to 64 significant bits. Rounding may give the
/// next whole number.
fn quotient(value: u256) -> u256 {
    let (high, rest) = (value / MAX, value % MAX);
    let significant = 256 - high.leading_zeros();
    if significant > 64 {
        // Of the fraction, only whether it is zero matters.
        return to_64_bits_of(high, rest != u256::ZERO);
    }
    let missing = (MAX - rest) << (64 - significant + 1);
    high + u256::from(u8::from(missing <= MAX))
}

/// The result of the reference for a double beyond 64 bits: it multiplies the high words by 2^64 -
/// 1 instead of 2^64 when it adds the low word.
fn in_parts(value: u256) -> u256 {
    let (high, low) = (value >> 64u32, value & MAX);
    let high = if high <= MAX { high } else { in_parts(high) };
    high.wrapping_mul(MAX).wrapping_add(low)
}

/// Rounded to 64 significant bits, ties to even.
fn to_64_bits(value: u256) -> u256 {
    to_64_bits_of(value, false)
}

/// [`to_64_bits`] of a number that has a further fraction if `sticky`.
fn to_64_bits_of(value: u256, sticky: bool) -> u256 {
    let extra = 192u32.saturating_sub(value.leading_zeros());
    if extra == 0 {
        return value;
    }
    let (half, rest) = (u256::ONE << (extra - 1), value & ((u256::ONE << extra) - u256::ONE));
    let low = value - rest;
    let is_odd = (low >> extra) & u256::ONE == u256::ONE;
    let up = rest > half || (rest == half && (sticky || is_odd));
    low + if up { u256::ONE << extra } else { u256::ZERO }
}

/// Converts an 80-bit float to an unsigned word as x86 does: values below 2^63 as a signed word,
/// which for values out of range is the least signed word.
fn to_word(value: i256) -> u64 {
    let signed = |v: i256| i64::try_from(v).unwrap_or(i64::MIN) as u64;
    let half = i256::new(1 << 63);
    if value < half { signed(value) } else { signed(value - half) ^ (1 << 63) }
}

/// A float without a fraction between -2^255 and 2^256 as an integer; negative numbers are `Err`.
pub fn exact(value: f64) -> Result<u256, i256> {
    if value < 0.0 { Err(value.as_i256()) } else { Ok(value.as_u256()) }
}

/// Exact comparison; `None` for NaN.
pub fn compare_signed(a: i256, b: f64) -> Option<Ordering> {
    match b {
        _ if b.is_nan() => None,
        _ if b >= 2f64.powi(255) => Some(Ordering::Less),
        _ if b < -(2f64.powi(255)) => Some(Ordering::Greater),
        _ => Some(a.cmp(&b.floor().as_i256()).then(behind(b))),
    }
}

/// Exact comparison; `None` for NaN.
pub fn compare_unsigned(a: u256, b: f64) -> Option<Ordering> {
    match b {
        _ if b.is_nan() => None,
        _ if b >= 2f64.powi(256) => Some(Ordering::Less),
        _ if b < 0.0 => Some(Ordering::Greater),
        _ => Some(a.cmp(&b.floor().as_u256()).then(behind(b))),
    }
}

/// The order of a float's whole part relative to the float.
fn behind(b: f64) -> Ordering {
    if b > b.floor() { Ordering::Less } else { Ordering::Equal }
}

/// The nearest float.
pub fn of_signed(value: i256) -> f64 {
    let float = of_unsigned(value.unsigned_abs());
    if value < 0 { -float } else { float }
}

/// The nearest float. The leading 128 bits decide; the last of them says whether any lower bit is
/// set.
pub fn of_unsigned(value: u256) -> f64 {
    let shift = 128 - value.leading_zeros().min(128);
    let leading = *(value >> shift).low();
    let rest = value & ((u256::ONE << shift) - u256::ONE);
    let sticky = u128::from(rest != u256::ZERO);
    (leading | sticky) as f64 * 2f64.powi(shift as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_floats_have_the_digits_of_the_reference() {
        for (float, digits) in [
            (1.1 * 1e20, "110000000000000016387"),
            (-1.1 * 1e20, "-110000000000000016387"),
            (0.1 * 1e38, "10000000000000000719388638585593116928"),
            (1e30, "1000000000000000019899134206768"),
            (1e60, "999999999999999949224610183485039213368485755499985485430625"),
            (-1e70, "-10000000000000000723688060556564248433919877464519265479186675653579300"),
            (-7.9, "-7"),
            (1e18, "1000000000000000000"),
            (f64::NAN, "0"),
        ] {
            assert_eq!(to_wide(float).to_string(), digits);
        }
    }

    #[test]
    fn comparisons_with_floats_are_exact() {
        let big = i256::ONE << 200u32;
        let float = 2f64.powi(200);
        assert_eq!(compare_signed(big, float), Some(Ordering::Equal));
        assert_eq!(compare_signed(big + i256::ONE, float), Some(Ordering::Greater));
        assert_eq!(compare_signed(-big - i256::ONE, -float), Some(Ordering::Less));
        assert_eq!(compare_signed(i256::new(-2), -1.5), Some(Ordering::Less));
        assert_eq!(compare_signed(i256::new(1), 1.5), Some(Ordering::Less));
        assert_eq!(compare_signed(i256::MIN, -f64::MAX), Some(Ordering::Greater));
        assert_eq!(compare_unsigned(u256::MAX, 2f64.powi(256)), Some(Ordering::Less));
        assert_eq!(compare_unsigned(u256::ZERO, -0.5), Some(Ordering::Greater));
        assert_eq!(compare_unsigned(u256::ZERO, f64::NAN), None);
    }

    #[test]
    fn integers_become_the_nearest_float() {
        assert_eq!(of_unsigned(u256::MAX), 2f64.powi(256));
        assert_eq!(of_signed(i256::MIN), -(2f64.powi(255)));
        // Half way between two floats is rounded to the even one, one more than that up.
        let half = (u256::ONE << 200) + (u256::ONE << 147);
        assert_eq!(of_unsigned(half), 2f64.powi(200));
        assert!(of_unsigned(half + u256::ONE) > 2f64.powi(200));
        assert_eq!(of_signed(i256::new(-9_007_199_254_740_993)), -9_007_199_254_740_992.0);
    }
}
