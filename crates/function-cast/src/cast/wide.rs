//! Floats as whole numbers of 128 bits, digit for digit as the reference has them.
//!
//! The reference divides a float of more than 63 bits by 2^64 - 1 in the 80-bit arithmetic of x86
//! and puts quotient and rest together. Its roundings show in the last digits of large decimals,
//! so they are repeated here in whole numbers.

const MAX: u128 = u64::MAX as u128;

/// A float without its fraction, as a whole number. Anything past 127 bits saturates.
pub fn from_float(value: f64) -> i128 {
    let magnitude = value.abs();
    if !(9_223_372_036_854_775_808.0..1.7e38).contains(&magnitude) {
        return value as i128;
    }
    let whole = magnitude as u128;
    let high = quotient(whole);
    let product = to_64_bits(high * MAX);
    let rest = whole.wrapping_sub(product) as i128 as u64;
    let result = (high * MAX).wrapping_add(u128::from(rest)) as i128;
    if value < 0.0 { result.wrapping_neg() } else { result }
}

/// The whole part of `value / MAX`, which is rounded to 64 bits first and may so become the next
/// whole number.
fn quotient(value: u128) -> u128 {
    let (high, rest) = (value / MAX, value % MAX);
    let fraction_bits = high.leading_zeros().saturating_sub(64).min(64);
    let missing = (MAX - rest).checked_mul(1 << (fraction_bits + 1));
    high + u128::from(missing.is_some_and(|missing| missing <= MAX))
}

/// Rounded to 64 significant bits, ties to even.
fn to_64_bits(value: u128) -> u128 {
    let extra = 64u32.saturating_sub(value.leading_zeros());
    if extra == 0 {
        return value;
    }
    let (half, rest) = (1u128 << (extra - 1), value & ((1 << extra) - 1));
    let low = value - rest;
    let up = rest > half || (rest == half && (low >> extra) & 1 == 1);
    low + if up { 1 << extra } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_floats_have_the_digits_of_the_reference() {
        assert_eq!(from_float(1.1 * 1e20), 110_000_000_000_000_016_387);
        let digits = 10_000_000_000_000_000_719_388_638_585_593_116_928;
        assert_eq!(from_float(0.1 * 1e38), digits);
        assert_eq!(from_float(-1.1 * 1e20), -110_000_000_000_000_016_387);
        assert_eq!(from_float(-7.9), -7);
        assert_eq!(from_float(1e18), 1_000_000_000_000_000_000);
    }
}
