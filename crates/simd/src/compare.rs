//! Comparison kernels: compare values with a constant or another column; the result is a mask.
//!
//! 64 values at a time are compared into 64 bytes (a loop that vectorises for every width), and one
//! move-mask instruction turns them into a word. Floats follow IEEE: every comparison with NaN is
//! false, except that `Ne` is true.

use crate::bits::{pack64, words_for};

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl CompareOp {
    /// The operator after the sides are swapped: `a op b` = `b op.swapped() a`.
    pub fn swapped(self) -> Self {
        match self {
            Self::Eq => Self::Eq,
            Self::Ne => Self::Ne,
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
        }
    }

    /// Applies the operator to one pair.
    #[inline]
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// 64 answers as bytes, with all bits set or none: what a comparison of vectors gives. For values
/// of two bytes they are made as wide as the values first, because the compiler does not vectorise
/// comparing and narrowing by a half in one step.
#[inline(always)]
fn bytes_of<T>(f: impl Fn(usize) -> bool) -> [u8; 64] {
    let mut bytes = [0; 64];
    if size_of::<T>() == 2 {
        let mut pairs = [0u16; 64];
        for (i, p) in pairs.iter_mut().enumerate() {
            *p = 0u16.wrapping_sub(u16::from(f(i)));
        }
        for (b, p) in bytes.iter_mut().zip(pairs) {
            *b = p as u8;
        }
    } else {
        for (i, b) in bytes.iter_mut().enumerate() {
            *b = 0u8.wrapping_sub(u8::from(f(i)));
        }
    }
    bytes
}

/// Sets bit `i` of `out` (`words_for(values.len())` words) if `f(values[i])` is true.
#[inline(always)]
pub fn map_words<T: Copy>(values: &[T], out: &mut [u64], f: impl Fn(T) -> bool) {
    assert!(out.len() == words_for(values.len()), "mask length");
    let (chunks, tail) = values.as_chunks::<64>();
    for (chunk, word) in chunks.iter().zip(out.iter_mut()) {
        *word = pack64(&bytes_of::<T>(|i| f(chunk[i])));
    }
    if let (false, Some(word)) = (tail.is_empty(), out.last_mut()) {
        *word = tail.iter().enumerate().fold(0, |w, (i, &v)| w | u64::from(f(v)) << i);
    }
}

/// As [`map_words`] over two slices of one length.
#[inline(always)]
pub fn map_words2<T: Copy, U: Copy>(a: &[T], b: &[U], out: &mut [u64], f: impl Fn(T, U) -> bool) {
    assert!(a.len() == b.len() && out.len() == words_for(a.len()), "mask length");
    let ((a, a_tail), (b, b_tail)) = (a.as_chunks::<64>(), b.as_chunks::<64>());
    for ((a, b), word) in a.iter().zip(b).zip(out.iter_mut()) {
        *word = pack64(&bytes_of::<T>(|i| f(a[i], b[i])));
    }
    if let (false, Some(word)) = (a_tail.is_empty(), out.last_mut()) {
        *word = a_tail
            .iter()
            .zip(b_tail)
            .enumerate()
            .fold(0, |w, (i, (&a, &b))| w | u64::from(f(a, b)) << i);
    }
}

/// `values[i] op constant` as a mask.
pub fn mask_compare<T: Copy + PartialOrd>(
    op: CompareOp,
    values: &[T],
    constant: T,
    out: &mut [u64],
) {
    match op {
        CompareOp::Eq => map_words(values, out, |v| v == constant),
        CompareOp::Ne => map_words(values, out, |v| v != constant),
        CompareOp::Lt => map_words(values, out, |v| v < constant),
        CompareOp::Le => map_words(values, out, |v| v <= constant),
        CompareOp::Gt => map_words(values, out, |v| v > constant),
        CompareOp::Ge => map_words(values, out, |v| v >= constant),
    }
}

/// `a[i] op b[i]` as a mask.
pub fn mask_compare_columns<T: Copy + PartialOrd>(
    op: CompareOp,
    a: &[T],
    b: &[T],
    out: &mut [u64],
) {
    match op {
        CompareOp::Eq => map_words2(a, b, out, |a, b| a == b),
        CompareOp::Ne => map_words2(a, b, out, |a, b| a != b),
        CompareOp::Lt => map_words2(a, b, out, |a, b| a < b),
        CompareOp::Le => map_words2(a, b, out, |a, b| a <= b),
        CompareOp::Gt => map_words2(a, b, out, |a, b| a > b),
        CompareOp::Ge => map_words2(a, b, out, |a, b| a >= b),
    }
}

/// `low <= values[i] <= high` as a mask.
#[allow(clippy::needless_bitwise_bool)] // one vectorised expression, no branch
pub fn mask_in_range<T: Copy + PartialOrd>(values: &[T], low: T, high: T, out: &mut [u64]) {
    map_words(values, out, |v| (v >= low) & (v <= high));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::get;
    use crate::testing::{Rng, every_form};

    const OPS: [CompareOp; 6] =
        [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

    fn check<T: Copy + PartialOrd + std::fmt::Debug>(rng: &mut Rng, make: impl Fn(u64) -> T) {
        for len in [0, 1, 63, 64, 65, 130, 500] {
            let a: Vec<T> = (0..len).map(|_| make(rng.next() % 5)).collect();
            let b: Vec<T> = (0..len).map(|_| make(rng.next() % 5)).collect();
            let c = make(2);
            let mut out = vec![!0; words_for(len)];
            for op in OPS {
                mask_compare(op, &a, c, &mut out);
                assert!((0..len).all(|i| get(&out, i) == op.holds(a[i], c)), "{op:?}");
                mask_compare_columns(op, &a, &b, &mut out);
                assert!((0..len).all(|i| get(&out, i) == op.holds(a[i], b[i])), "{op:?}");
                assert!((0..len).all(|i| get(&out, i) == op.swapped().holds(b[i], a[i])));
                assert_eq!(crate::bits::count_ones(&out, out.len() * 64), {
                    crate::bits::count_ones(&out, len)
                });
            }
            mask_in_range(&a, make(1), make(3), &mut out);
            assert!((0..len).all(|i| get(&out, i) == (a[i] >= make(1) && a[i] <= make(3))));
        }
    }

    #[test]
    fn every_width_against_naive() {
        every_form(|| {
            let mut rng = Rng(5);
            check(&mut rng, |v| v as u8 + 126);
            check(&mut rng, |v| (v as i8) - 2);
            check(&mut rng, |v| v as i16 - 2);
            check(&mut rng, |v| v as u32 + (1 << 31) - 2);
            check(&mut rng, |v| v as i64 - 2);
            check(&mut rng, |v| v + (1 << 63) - 2);
            check(&mut rng, |v| i128::from(v) << 70);
            check(&mut rng, |v| if v == 4 { f32::NAN } else { v as f32 - 2.0 });
            check(&mut rng, |v| if v == 4 { f64::NAN } else { v as f64 - 2.0 });
            check(&mut rng, |v| [v, 1, v, 0]);
        });
    }
}
