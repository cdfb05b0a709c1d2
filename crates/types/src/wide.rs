//! 256-bit integers, numbers of 128 and 256 bits as text, and conversion between any two kinds of
//! numbers. Only this module knows which library provides the 256-bit integers.
//!
//! Values lie in memory as 32 little-endian bytes, like the built-in integers.

mod float;

pub use ethnum::{i256, u256};
pub use float::{compare_signed, compare_unsigned, exact};

use ethnum::{AsI256, AsU256};

/// Converts a number into another type like `as`: integers wrap around, floats lose their fraction,
/// and NaN becomes 0. Floats that are too large for an integer saturate, except for integers of 256
/// bits.
pub trait CastTo<T> {
    /// The number in the other type.
    fn cast_to(self) -> T;
}

/// A number that [`CastTo`] converts from and to every other.
pub trait AnyNumber:
    Copy
    + CastTo<u8>
    + CastTo<u16>
    + CastTo<u32>
    + CastTo<u64>
    + CastTo<u128>
    + CastTo<u256>
    + CastTo<i8>
    + CastTo<i16>
    + CastTo<i32>
    + CastTo<i64>
    + CastTo<i128>
    + CastTo<i256>
    + CastTo<f32>
    + CastTo<f64>
{
}

macro_rules! casts {
    ($from:ty, |$v:ident| $signed:expr, $unsigned:expr; $($to:ty),*) => {
        $(impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                self as $to
            }
        })*
        impl CastTo<i256> for $from {
            #[inline]
            fn cast_to(self) -> i256 {
                let $v = self;
                $signed
            }
        }
        impl CastTo<u256> for $from {
            #[inline]
            fn cast_to(self) -> u256 {
                let $v = self;
                $unsigned
            }
        }
        impl AnyNumber for $from {}
    };
}

macro_rules! casts_of_primitives {
    ($($from:ty),*) => {
        $(casts!($from, |v| v.as_i256(), v.as_u256();
            u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);)*
    };
}

casts_of_primitives!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128);

casts!(f32, |v| float::to_wide(v.into()), float::to_wide(v.into()).as_u256();
    u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);
casts!(f64, |v| float::to_wide(v), float::to_wide(v).as_u256();
    u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);

macro_rules! casts_of_wide {
    ($from:ty, $float:ident) => {
        casts_of_wide!($from; u8, u16, u32, u64, u128, i8, i16, i32, i64, i128);
        impl CastTo<f64> for $from {
            fn cast_to(self) -> f64 {
                float::$float(self)
            }
        }
        impl CastTo<f32> for $from {
            fn cast_to(self) -> f32 {
                float::$float(self) as f32
            }
        }
        impl CastTo<i256> for $from {
            #[inline]
            fn cast_to(self) -> i256 {
                self.as_i256()
            }
        }
        impl CastTo<u256> for $from {
            #[inline]
            fn cast_to(self) -> u256 {
                self.as_u256()
            }
        }
        impl AnyNumber for $from {}
    };
    ($from:ty; $($to:ty),*) => {
        $(impl CastTo<$to> for $from {
            #[inline]
            fn cast_to(self) -> $to {
                *self.low() as $to
            }
        })*
    };
}

casts_of_wide!(i256, of_signed);
casts_of_wide!(u256, of_unsigned);

/// Appends the decimal digits.
pub fn write_u256(out: &mut Vec<u8>, value: u256) {
    const CHUNK: u128 = 10u128.pow(38);
    let Ok(low) = u128::try_from(value) else {
        let chunk = u256::new(CHUNK);
        write_u256(out, value / chunk);
        let rest = value % chunk;
        return write_padded(out, *rest.low(), 38);
    };
    write_u128(out, low);
}

/// Appends the decimal digits, after `-` where negative.
pub fn write_i256(out: &mut Vec<u8>, value: i256) {
    if value < 0 {
        out.push(b'-');
    }
    write_u256(out, value.unsigned_abs());
}

/// Appends the decimal digits.
pub fn write_u128(out: &mut Vec<u8>, value: u128) {
    const CHUNK: u128 = 10u128.pow(19);
    match u64::try_from(value) {
        Ok(value) => crate::text::write_u64(out, value),
        Err(_) => {
            write_u128(out, value / CHUNK);
            write_padded(out, value % CHUNK, 19);
        }
    }
}

/// Appends the decimal digits, after `-` where negative.
pub fn write_i128(out: &mut Vec<u8>, value: i128) {
    if value < 0 {
        out.push(b'-');
    }
    write_u128(out, value.unsigned_abs());
}

/// Digits with zeros in front, to a width.
fn write_padded(out: &mut Vec<u8>, value: u128, width: usize) {
    let at = out.len();
    write_u128(out, value);
    let missing = width - (out.len() - at);
    out.splice(at..at, std::iter::repeat_n(b'0', missing));
}

/// Reads digits, wrapping on overflow. `None` without at least one digit.
pub fn read_u256(input: &mut &[u8]) -> Option<u256> {
    let count = input.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = input.split_at(count);
    let mut value = u256::ZERO;
    for part in digits.chunks(38) {
        let number = part.iter().fold(0u128, |v, d| v * 10 + u128::from(d - b'0'));
        let scale = u256::new(10u128.pow(part.len() as u32));
        value = value.wrapping_mul(scale).wrapping_add(u256::new(number));
    }
    *input = rest;
    (count > 0).then_some(value)
}

/// Reads an optional sign and digits, wrapping on overflow. `None` without at least one digit.
pub fn read_i256(input: &mut &[u8]) -> Option<i256> {
    let mut rest = *input;
    let negative = rest.first() == Some(&b'-');
    if negative || rest.first() == Some(&b'+') {
        rest = &rest[1..];
    }
    let value = read_u256(&mut rest)?.as_i256();
    *input = rest;
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: i256) -> String {
        let mut out = Vec::new();
        write_i256(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_reads_back_and_wraps() {
        let ten = i256::new(10);
        for value in [i256::MIN, i256::MAX, i256::ZERO, i256::MINUS_ONE, ten.pow(38), -ten.pow(76)]
        {
            assert_eq!(text(value), value.to_string());
            assert_eq!(read_i256(&mut text(value).as_bytes()), Some(value));
        }
        let past = "115792089237316195423570985008687907853269984665640564039457584007913129639937";
        assert_eq!(read_u256(&mut past.as_bytes()), Some(u256::ONE));
        assert_eq!(read_i256(&mut &b"-x"[..]), None);
        let mut rest = &b"-12x"[..];
        assert_eq!((read_i256(&mut rest), rest), (Some(i256::new(-12)), &b"x"[..]));
    }

    #[test]
    fn conversions_are_those_of_as() {
        assert_eq!(CastTo::<u64>::cast_to(i256::new(-1)), u64::MAX);
        assert_eq!(CastTo::<u256>::cast_to(-1i8), u256::MAX);
        assert_eq!(CastTo::<i256>::cast_to(f64::NAN), i256::ZERO);
        assert_eq!(CastTo::<f32>::cast_to(i256::new(-3)), -3.0);
        assert_eq!(CastTo::<i128>::cast_to(u256::MAX), -1);
    }
}
