//! The types in which numbers are summed.

use entasis_column::Native;
use entasis_simd::sum::Summable;
use entasis_types::{CastTo, DataType, i256, u256};

use entasis_function::aggregate::args::Bytes;

/// A number type with its sum: `u64`, `i64`, `f64`, or the type itself beyond 64 bits.
pub trait Number: Native + Summable<Sum: SumOf> {}

impl<T: Native + Summable<Sum: SumOf>> Number for T {}

/// What sums are kept in.
pub trait SumOf: Native + Bytes {
    /// As a float, for means.
    fn float(self) -> f64;
    /// The difference; integers wrap.
    #[must_use]
    fn less(self, other: Self) -> Self;
    /// The sum of so many times this value; integers wrap.
    #[must_use]
    fn times(self, count: u64) -> Self;
    /// The data type of the sum.
    const TYPE: DataType;
}

macro_rules! integer_sums {
    ($($ty:ty => $name:ident),*) => {$(
        impl SumOf for $ty {
            const TYPE: DataType = DataType::$name;
            #[inline]
            fn less(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn times(self, count: u64) -> Self {
                self.wrapping_mul(count.cast_to())
            }
            #[inline]
            fn float(self) -> f64 {
                self.cast_to()
            }
        }
    )*};
}

integer_sums!(u64 => UInt64, i64 => Int64, u128 => UInt128, i128 => Int128, u256 => UInt256,
    i256 => Int256);

impl SumOf for f64 {
    #[inline]
    fn less(self, other: Self) -> Self {
        self - other
    }
    #[inline]
    fn times(self, count: u64) -> Self {
        self * count as f64
    }
    const TYPE: DataType = DataType::Float64;
    #[inline]
    fn float(self) -> f64 {
        self
    }
}
