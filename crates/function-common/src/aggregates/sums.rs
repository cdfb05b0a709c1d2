//! What numbers are summed in.

use entasis_column::Native;
use entasis_simd::sum::Summable;
use entasis_types::DataType;

use entasis_function::aggregate::args::Bytes;

/// A number type with its 64-bit sum: `u64`, `i64` or `f64`.
pub trait Number: Native + Summable<Sum: SumOf> {}

impl<T: Native + Summable<Sum: SumOf>> Number for T {}

/// What sums are kept in.
pub trait SumOf: Native + Bytes {
    /// As a float, for means.
    fn float(self) -> f64;
    /// The difference; integers wrap.
    #[must_use]
    fn less(self, other: Self) -> Self;
    /// The data type of the sum.
    const TYPE: DataType;
}

impl SumOf for u64 {
    #[inline]
    fn less(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    const TYPE: DataType = DataType::UInt64;
    #[inline]
    fn float(self) -> f64 {
        self as f64
    }
}

impl SumOf for i64 {
    #[inline]
    fn less(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    const TYPE: DataType = DataType::Int64;
    #[inline]
    fn float(self) -> f64 {
        self as f64
    }
}

impl SumOf for i128 {
    #[inline]
    fn less(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    const TYPE: DataType = DataType::Decimal(38, 0);
    #[inline]
    fn float(self) -> f64 {
        self as f64
    }
}

impl SumOf for f64 {
    #[inline]
    fn less(self, other: Self) -> Self {
        self - other
    }
    const TYPE: DataType = DataType::Float64;
    #[inline]
    fn float(self) -> f64 {
        self
    }
}
