//! Sums, minimum and maximum over slices, completely or under a mask.
//!
//! Integer sums wrap in 64 bits (like the dialect's `sum`); `sum_wide` is exact in 128 bits. Float
//! sums use 16 accumulators. Their rounding differs from a sum from left to right, but depends only
//! on the values and their positions in the slice, not on the path.

use ethnum::{I256, U256};

use crate::bits::{tail_mask, words_for};

/// A number that can be summed in 64 bits (numbers of 128 and 256 bits in their own width).
pub trait Summable: Copy + PartialOrd + Default + 'static {
    /// `i64`, `u64` or `f64`; for integers of more than 64 bits the same type.
    type Sum: Copy + Default;
    /// This value as a sum.
    fn widen(self) -> Self::Sum;
    /// `a + b`, wrapping for integers.
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// This value, or zero.
    fn keep(self, bit: bool) -> Self;
    /// Whether the order of additions does not matter.
    const EXACT: bool;
}

macro_rules! summable {
    ($($t:ty => $s:ident, $add:expr, $zero:expr, $exact:literal);* $(;)?) => { $(
    impl Summable for $t {
        type Sum = $s;
        const EXACT: bool = $exact;
        #[inline(always)]
        fn widen(self) -> $s { $s::from(self) }
        #[inline(always)]
        fn add(a: $s, b: $s) -> $s { $add(a, b) }
        #[inline(always)]
        fn keep(self, bit: bool) -> Self { if bit { self } else { $zero } }
    })* };
}
summable! {
    u8 => u64, u64::wrapping_add, 0, true;
    u16 => u64, u64::wrapping_add, 0, true;
    u32 => u64, u64::wrapping_add, 0, true;
    u64 => u64, u64::wrapping_add, 0, true;
    i8 => i64, i64::wrapping_add, 0, true;
    i16 => i64, i64::wrapping_add, 0, true;
    i32 => i64, i64::wrapping_add, 0, true;
    i64 => i64, i64::wrapping_add, 0, true;
    u128 => u128, u128::wrapping_add, 0, true;
    i128 => i128, i128::wrapping_add, 0, true;
    U256 => U256, U256::wrapping_add, U256::ZERO, true;
    I256 => I256, I256::wrapping_add, I256::ZERO, true;
    f32 => f64, |a: f64, b: f64| a + b, 0.0, false;
    f64 => f64, |a: f64, b: f64| a + b, 0.0, false;
}

const LANES: usize = 16;

#[inline(always)]
fn fold_lanes<T: Summable>(lanes: [T::Sum; LANES]) -> T::Sum {
    lanes.into_iter().fold(T::Sum::default(), T::add)
}

/// Sum of all values.
pub fn sum<T: Summable>(values: &[T]) -> T::Sum {
    if T::EXACT {
        // The compiler vectorises an integer reduction better than explicit lanes.
        return values.iter().fold(T::Sum::default(), |s, v| T::add(s, v.widen()));
    }
    let mut lanes = [T::Sum::default(); LANES];
    let (chunks, tail) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &v) in lanes.iter_mut().zip(chunk) {
            *lane = T::add(*lane, v.widen());
        }
    }
    for (lane, &v) in lanes.iter_mut().zip(tail) {
        *lane = T::add(*lane, v.widen());
    }
    fold_lanes::<T>(lanes)
}

/// Sum of the values whose mask bit is set.
pub fn sum_masked<T: Summable>(values: &[T], mask: &[u64]) -> T::Sum {
    let n = values.len();
    assert!(mask.len() >= words_for(n), "mask length");
    let mut lanes = [T::Sum::default(); LANES];
    for (i, chunk) in values.chunks(64).enumerate() {
        let word = if i + 1 == words_for(n) { mask[i] & tail_mask(n) } else { mask[i] };
        if word == 0 {
            continue;
        }
        if let (true, Some(chunk)) = (word.count_ones() > 8, chunk.first_chunk::<64>()) {
            for (k, sixteen) in chunk.as_chunks::<LANES>().0.iter().enumerate() {
                let bits = (word >> (k * LANES)) as u32;
                for (j, (lane, &v)) in lanes.iter_mut().zip(sixteen).enumerate() {
                    *lane = T::add(*lane, v.keep(bits >> j & 1 != 0).widen());
                }
            }
            continue;
        }
        let mut left = word;
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            lanes[k % LANES] = T::add(lanes[k % LANES], chunk[k].widen());
            left &= left - 1;
        }
    }
    fold_lanes::<T>(lanes)
}

/// Exact sum of integers.
pub fn sum_wide<T: Copy + Into<i128>>(values: &[T]) -> i128 {
    values.iter().map(|&v| v.into()).sum()
}

/// A number with a minimum and a maximum that vectorise.
pub trait Bounded: Copy + PartialOrd + 'static {
    /// Above or equal to all values.
    const HIGHEST: Self;
    /// Below or equal to all values.
    const LOWEST: Self;
    /// Whether the type has values without order.
    const FLOAT: bool = false;
    /// Whether the value takes part (all but NaN).
    #[inline(always)]
    fn counts(self) -> bool {
        true
    }
}

macro_rules! bounded {
    ($($t:ty),*) => { $(impl Bounded for $t {
        const HIGHEST: Self = <$t>::MAX;
        const LOWEST: Self = <$t>::MIN;
    })* };
}
bounded!(u8, u16, u32, u64, u128, U256, i8, i16, i32, i64, i128, I256);

macro_rules! bounded_float {
    ($($t:ty),*) => { $(impl Bounded for $t {
        const HIGHEST: Self = <$t>::INFINITY;
        const LOWEST: Self = <$t>::NEG_INFINITY;
        const FLOAT: bool = true;
        #[inline(always)]
        fn counts(self) -> bool { !self.is_nan() }
    })* };
}
bounded_float!(f32, f64);

/// Smallest and largest value; NaN is skipped; `None` when nothing is left.
pub fn min_max<T: Bounded>(values: &[T]) -> Option<(T, T)> {
    if !T::FLOAT {
        values.first()?;
        return Some(values.iter().fold((T::HIGHEST, T::LOWEST), |(low, high), &v| {
            (if v < low { v } else { low }, if v > high { v } else { high })
        }));
    }
    let mut low = [T::HIGHEST; LANES];
    let mut high = [T::LOWEST; LANES];
    let (chunks, tail) = values.as_chunks::<LANES>();
    // `if v < l { v } else { l }` keeps `l` for a NaN and is one min instruction.
    let step = |l: &mut T, h: &mut T, v: T| {
        *l = if v < *l { v } else { *l };
        *h = if v > *h { v } else { *h };
    };
    for chunk in chunks {
        for i in 0..LANES {
            step(&mut low[i], &mut high[i], chunk[i]);
        }
    }
    for (i, &v) in tail.iter().enumerate() {
        step(&mut low[i], &mut high[i], v);
    }
    let min = low.into_iter().reduce(|a, b| if b < a { b } else { a })?;
    let max = high.into_iter().reduce(|a, b| if b > a { b } else { a })?;
    // Nothing seen, or only the extremes themselves: look at the values to tell.
    (min <= max || values.iter().any(|v| v.counts())).then_some((min, max))
}

/// Smallest value; NaN is skipped.
pub fn min<T: Bounded>(values: &[T]) -> Option<T> {
    min_max(values).map(|(min, _)| min)
}

/// Largest value; NaN is skipped.
pub fn max<T: Bounded>(values: &[T]) -> Option<T> {
    min_max(values).map(|(_, max)| max)
}

/// As [`min_max`] over the values whose mask bit is set.
pub fn min_max_masked<T: Bounded>(values: &[T], mask: &[u64]) -> Option<(T, T)> {
    let mut found: Option<(T, T)> = None;
    crate::bits::for_each_run(mask, values.len(), |start, end| {
        if let Some((a, b)) = min_max(&values[start..end]) {
            let (x, y) = found.unwrap_or((a, b));
            found = Some((if a < x { a } else { x }, if b > y { b } else { y }));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, every_form};

    #[test]
    fn integers_against_naive() {
        every_form(|| {
            let mut rng = Rng(12);
            for n in [0, 1, 15, 16, 64, 65, 1000] {
                let mask = rng.mask(n);
                macro_rules! check {
                    ($($t:ty => $s:ty),*) => { $({
                        let v: Vec<$t> = (0..n).map(|_| rng.next() as $t).collect();
                        let add = |s: $s, x: &$t| s.wrapping_add(*x as $s);
                        assert_eq!(sum(&v), v.iter().fold(0, add));
                        let kept: Vec<$t> =
                            crate::bits::iter_set(&mask, n).map(|i| v[i]).collect();
                        assert_eq!(sum_masked(&v, &mask), kept.iter().fold(0, add));
                        let naive = |v: &[$t]| v.iter().min().copied().zip(v.iter().max().copied());
                        assert_eq!(min_max(&v), naive(&v));
                        assert_eq!(min_max_masked(&v, &mask), naive(&kept));
                    })* };
                }
                check!(u8 => u64, u16 => u64, u32 => u64, u64 => u64);
                check!(i8 => i64, i16 => i64, i32 => i64, i64 => i64);
            }
        });
        assert_eq!(sum_wide(&[u64::MAX, u64::MAX]), 2 * i128::from(u64::MAX));
    }

    #[test]
    fn floats() {
        let mut rng = Rng(13);
        let v: Vec<f64> = (0..1000).map(|_| (rng.below(1 << 20)) as f64).collect();
        assert_eq!(sum(&v), v.iter().sum());
        let mask = rng.mask(1000);
        let kept = crate::bits::iter_set(&mask, 1000).map(|i| v[i]);
        assert_eq!(sum_masked(&v, &mask), kept.sum());
        assert_eq!(min_max(&[f64::NAN, 2.0, -1.0, f64::NAN]), Some((-1.0, 2.0)));
        assert_eq!(min_max(&[f64::NAN]), None);
        assert_eq!(min_max::<f32>(&[]), None);
        assert_eq!(min_max(&[f64::INFINITY]), Some((f64::INFINITY, f64::INFINITY)));
        let hidden = [f64::NAN, 1.0];
        assert_eq!(sum_masked(&hidden, &[2]), 1.0);
    }
}
