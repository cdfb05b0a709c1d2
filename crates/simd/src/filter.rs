//! Compaction: keeps the values whose mask bit is set.
//!
//! Words of zeros are skipped, and words of ones are copied completely. A mixed word is compacted
//! with a compressing move (AVX-512), with a permutation that is looked up for a few bits of the
//! mask, or with bit extraction (AVX2, 1- and 2-byte values). Values of other types are processed
//! bit by bit.

#[cfg(target_feature = "avx2")]
mod avx2;
#[cfg(target_feature = "neon")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(any(target_arch = "x86_64", target_feature = "neon"))]
use std::any::TypeId;

use crate::bits::{count_ones, tail_mask, words_for};

/// Appends `values[i]` to `out` for each set bit `i` of `mask`.
pub fn filter<T: Copy + 'static>(values: &[T], mask: &[u64], out: &mut Vec<T>) {
    let n = values.len();
    assert!(mask.len() >= words_for(n), "mask length");
    let count = count_ones(mask, n);
    if count == n {
        out.extend_from_slice(values);
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if crate::wide() && wide::KERNELS.filter(values, mask, count, out) {
        return;
    }
    #[cfg(target_feature = "avx2")]
    if !crate::portable() && avx2::KERNELS.filter(values, mask, count, out) {
        return;
    }
    #[cfg(target_feature = "neon")]
    if !crate::portable() && neon::KERNELS.filter(values, mask, count, out) {
        return;
    }
    out.reserve(count);
    filter_words(values, mask, out);
}

/// The compaction of whole words of a mask, in one form.
#[cfg(any(target_arch = "x86_64", target_feature = "neon"))]
struct Kernels {
    /// The most bytes that are stored at once.
    store: usize,
    /// For values of 1, 2, 4 and 8 bytes: compacts 64 values per word of the mask, and answers how
    /// many it kept.
    ///
    /// It reads 64 values per word from the first address on, and writes to the second. A store
    /// begins at a kept value's place and spans at most `store` bytes or, for a full word, 64
    /// values that are all kept. The processor must have the instructions of the form.
    words: [unsafe fn(*const u8, *mut u8, &[u64]) -> usize; 4],
}

#[cfg(any(target_arch = "x86_64", target_feature = "neon"))]
impl Kernels {
    /// Filters if the type has a kernel; `count` is the number of set bits.
    #[allow(unsafe_code)]
    fn filter<T: Copy + 'static>(
        &self,
        values: &[T],
        mask: &[u64],
        count: usize,
        out: &mut Vec<T>,
    ) -> bool {
        let width = width::<T>();
        if width == 0 {
            return false;
        }
        out.reserve(count + self.store / width);
        let full = values.len() / 64;
        let words = self.words[width.trailing_zeros() as usize];
        // SAFETY: a caller takes the kernels of a form that the processor has. The kernel reads the
        // `full * 64` first values, and its stores lie in the reserved room, as each begins below
        // `count`. `width` says that `T` is a primitive of that size.
        unsafe {
            let to = out.as_mut_ptr().add(out.len());
            let kept = words(values.as_ptr().cast(), to.cast(), &mask[..full]);
            out.set_len(out.len() + kept);
        }
        filter_words(&values[full * 64..], &mask[full..], out);
        true
    }
}

fn filter_words<T: Copy>(values: &[T], mask: &[u64], out: &mut Vec<T>) {
    let n = values.len();
    for (i, chunk) in values.chunks(64).enumerate() {
        let valid = if i + 1 == words_for(n) { tail_mask(n) } else { !0 };
        let mut word = mask[i] & valid;
        if word == valid {
            out.extend_from_slice(chunk);
            continue;
        }
        while word != 0 {
            out.push(chunk[word.trailing_zeros() as usize]);
            word &= word - 1;
        }
    }
}

/// Copies the values of the ones of `word`, one by one: faster than vectors where they are few.
///
/// # Safety
/// `src` has 64 values, and `dst` has room for the ones of `word`.
#[cfg(any(target_arch = "x86_64", target_feature = "neon"))]
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn few<T: Copy>(src: *const T, mut dst: *mut T, mut word: u64) {
    while word != 0 {
        // SAFETY: as the caller says.
        unsafe {
            dst.write(src.add(word.trailing_zeros() as usize).read());
            dst = dst.add(1);
        }
        word &= word - 1;
    }
}

/// Width of the types without padding for which there is a kernel; 0 for others.
#[cfg(any(target_arch = "x86_64", target_feature = "neon"))]
fn width<T: 'static>() -> usize {
    let id = TypeId::of::<T>();
    macro_rules! any { ($($t:ty),*) => { $(id == TypeId::of::<$t>())||* } }
    if any!(u8, i8, u16, i16, u32, i32, f32, u64, i64, f64) { size_of::<T>() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::iter_set;
    use crate::testing::{Rng, every_form};

    fn check<T: Copy + PartialEq + std::fmt::Debug + 'static>(make: impl Fn(u64) -> T) {
        let mut rng = Rng(6);
        for len in [0, 1, 63, 64, 65, 128, 300, 1024, 5000] {
            for _ in 0..6 {
                let values: Vec<T> = (0..len).map(|_| make(rng.next())).collect();
                let mask = rng.mask(len);
                let mut out = vec![make(1); rng.below(3)];
                let mut want = out.clone();
                want.extend(iter_set(&mask, len).map(|i| values[i]));
                filter(&values, &mask, &mut out);
                assert_eq!(out, want);
            }
        }
    }

    #[test]
    fn every_width_against_naive() {
        every_form(|| {
            check(|v| v as u8);
            check(|v| v as i16);
            check(|v| v as u32);
            check(|v| (v as i32) as f32);
            check(|v| v);
            check(|v| u128::from(v) << 3);
            check(|v| [v, 1, 2, v]);
            check(|v| v & 1 == 0);
        });
    }
}
