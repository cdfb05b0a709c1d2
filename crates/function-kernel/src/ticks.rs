//! Scales of decimals and of times.

use entasis_types::DataType;
use entasis_types::text_type::power_of_ten;

/// Bits of one scale as bits of another; digits past the scale are cut off.
#[inline]
pub fn rescale(bits: i128, from: u8, to: u8) -> Option<i128> {
    if to >= from {
        return bits.checked_mul(power_of_ten(to - from));
    }
    Some(bits / power_of_ten(from - to))
}

/// Ticks per second of a time's type.
pub fn ticks_per_second(ty: &DataType) -> i64 {
    match ty {
        DataType::DateTime64(scale, _) => power_of_ten(*scale) as i64,
        _ => 1,
    }
}
