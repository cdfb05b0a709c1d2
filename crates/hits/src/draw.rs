//! Deterministic random draws: bits from keys, ranks from bits.

use entasis_base::clock::mix64;

/// 64 bits that are a function of `key` and `salt`.
#[inline]
pub fn bits(key: u64, salt: u64) -> u64 {
    mix64(key.wrapping_add(salt.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// A number in `[0, 1)`.
#[inline]
pub fn unit(key: u64, salt: u64) -> f64 {
    to_unit(bits(key, salt))
}

/// Bits as a number in `[0, 1)`.
#[inline]
pub fn to_unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number in `0..n`.
#[inline]
pub fn pick(key: u64, salt: u64, n: u64) -> u64 {
    ((u128::from(bits(key, salt)) * u128::from(n)) >> 64) as u64
}

/// A rank in `0..n` with probability about `1 / (rank + q)`, from a uniform `r`.
#[inline]
pub fn zipf(r: f64, n: u64, q: f64) -> u64 {
    if n <= 1 {
        return 0;
    }
    let rank = (q * (r * ((n as f64 + q) / q).ln()).exp() - q) as u64;
    rank.min(n - 1)
}

/// A bijection on `0..2^width` (odd multiplications and shifts), to make ids look random.
#[inline]
pub fn scramble(value: u64, width: u32, salt: u64) -> u64 {
    let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    let mut x = value & mask;
    for round in 0..3 {
        let factor = bits(salt, round) | 1;
        x = x.wrapping_mul(factor) & mask;
        x ^= x >> (width / 2);
    }
    x
}
