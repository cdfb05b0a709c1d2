//! Compaction: keeps the values whose mask bit is set.
//!
//! Words of zeros are skipped, and words of ones are copied completely. A mixed word is compacted
//! with a permutation that is looked up for each byte of the mask (4- and 8-byte values), or with
//! bit extraction (1- and 2-byte values). Values of other types are processed bit by bit.

use crate::bits::{count_ones, for_each_run, tail_mask, words_for};

/// Appends `values[i]` to `out` for each set bit `i` of `mask`.
pub fn filter<T: Copy + 'static>(values: &[T], mask: &[u64], out: &mut Vec<T>) {
    let n = values.len();
    assert!(mask.len() >= words_for(n), "mask length");
    let count = count_ones(mask, n);
    if count == n {
        out.extend_from_slice(values);
        return;
    }
    #[cfg(target_feature = "avx2")]
    if !crate::portable() && avx2::filter(values, mask, count, out) {
        return;
    }
    out.reserve(count);
    filter_words(values, mask, out);
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

/// Filters strings (`offsets` of n + 1 entries into `data`; the first may be above 0). Appends
/// the kept bytes to `out_data` and their ends to `out_offsets`, which gets a first entry (the
/// present length of `out_data`) when it is empty.
pub fn filter_bytes(
    offsets: &[u32],
    data: &[u8],
    mask: &[u64],
    out_offsets: &mut Vec<u32>,
    out_data: &mut Vec<u8>,
) {
    let n = offsets.len().saturating_sub(1);
    if out_offsets.is_empty() {
        out_offsets.push(out_data.len() as u32);
    }
    out_offsets.reserve(count_ones(mask, n));
    let mut total = 0;
    for_each_run(mask, n, |start, end| total += (offsets[end] - offsets[start]) as usize);
    assert!(u32::try_from(out_data.len() + total).is_ok(), "strings beyond 4 GiB");
    out_data.reserve(total);
    for_each_run(mask, n, |start, end| {
        let (from, to) = (offsets[start], offsets[end]);
        let shift = (out_data.len() as u32).wrapping_sub(from);
        out_offsets.extend(offsets[start + 1..=end].iter().map(|&o| o.wrapping_add(shift)));
        out_data.extend_from_slice(&data[from as usize..to as usize]);
    });
}

#[cfg(target_feature = "avx2")]
#[allow(unsafe_code)]
mod avx2 {
    use std::any::TypeId;
    use std::arch::x86_64::*;

    /// Lane numbers of the set bits of each byte, first to last; the rest is 0.
    static LANES8: [[u8; 8]; 256] = {
        let mut table = [[0; 8]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut bit, mut at) = (0, 0);
            while bit < 8 {
                if mask >> bit & 1 == 1 {
                    table[mask][at] = bit;
                    at += 1;
                }
                bit += 1;
            }
            mask += 1;
        }
        table
    };

    /// As `LANES8` for four 64-bit lanes, in 32-bit halves.
    static LANES4: [[u8; 8]; 16] = {
        let mut table = [[0; 8]; 16];
        let mut mask = 0;
        while mask < 16 {
            let (mut bit, mut at) = (0, 0);
            while bit < 4 {
                if mask >> bit & 1 == 1 {
                    table[mask][at] = bit * 2;
                    table[mask][at + 1] = bit * 2 + 1;
                    at += 2;
                }
                bit += 1;
            }
            mask += 1;
        }
        table
    };

    /// Width of the types without padding for which there is a kernel; 0 for others.
    fn width<T: 'static>() -> usize {
        let id = TypeId::of::<T>();
        macro_rules! any { ($($t:ty),*) => { $(id == TypeId::of::<$t>())||* } }
        if any!(u8, i8, u16, i16, u32, i32, f32, u64, i64, f64) { size_of::<T>() } else { 0 }
    }

    /// Filters if the type has a kernel; `count` is the number of set bits.
    pub(super) fn filter<T: Copy + 'static>(
        values: &[T],
        mask: &[u64],
        count: usize,
        out: &mut Vec<T>,
    ) -> bool {
        let width = width::<T>();
        if width == 0 {
            return false;
        }
        // A store writes a whole vector, up to 32 bytes after the last kept value.
        out.reserve(count + 32 / width);
        let full = values.len() / 64;
        // SAFETY: AVX2 and BMI2 are enabled for the whole build (x86-64-v3). Reads stay in the
        // `full * 64` first values. Each store begins at a kept value's place (below `count`) and
        // spans at most 32 bytes or, for a full word, 64 values that are all counted: inside the
        // reserved room. `width` says that `T` is a primitive of that size.
        unsafe {
            let start = out.as_mut_ptr().add(out.len());
            let mut dst = start;
            for i in 0..full {
                let (src, word) = (values.as_ptr().add(i * 64), mask[i]);
                if word == 0 {
                    continue;
                }
                if word == !0 {
                    std::ptr::copy_nonoverlapping(src, dst, 64);
                } else {
                    match width {
                        1 => mixed1(src.cast(), dst.cast(), word),
                        2 => mixed2(src.cast(), dst.cast(), word),
                        4 => mixed4(src.cast(), dst.cast(), word),
                        _ => mixed8(src.cast(), dst.cast(), word),
                    }
                }
                dst = dst.add(word.count_ones() as usize);
            }
            let kept = dst.offset_from(start) as usize;
            out.set_len(out.len() + kept);
        }
        super::filter_words(&values[full * 64..], &mask[full..], out);
        true
    }

    // SAFETY of all four: see `filter`.
    #[inline(always)]
    unsafe fn mixed1(src: *const u8, mut dst: *mut u8, word: u64) {
        for k in 0..8 {
            let bits = word >> (k * 8) & 0xFF;
            // SAFETY: see `filter`.
            unsafe {
                let lanes = _pdep_u64(bits, 0x0101_0101_0101_0101) * 0xFF;
                let value = src.add(k * 8).cast::<u64>().read_unaligned();
                dst.cast::<u64>().write_unaligned(_pext_u64(value, lanes));
                dst = dst.add(bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn mixed2(src: *const u16, mut dst: *mut u16, word: u64) {
        for k in 0..16 {
            let bits = word >> (k * 4) & 0xF;
            // SAFETY: see `filter`.
            unsafe {
                let lanes = _pdep_u64(bits, 0x0001_0001_0001_0001) * 0xFFFF;
                let value = src.add(k * 4).cast::<u64>().read_unaligned();
                dst.cast::<u64>().write_unaligned(_pext_u64(value, lanes));
                dst = dst.add(bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn mixed4(src: *const u32, mut dst: *mut u32, word: u64) {
        for k in 0..8 {
            let bits = (word >> (k * 8) & 0xFF) as usize;
            // SAFETY: see `filter`; `bits` is below 256.
            unsafe {
                let order = _mm_loadl_epi64(LANES8.get_unchecked(bits).as_ptr().cast());
                let value = _mm256_loadu_si256(src.add(k * 8).cast());
                let kept = _mm256_permutevar8x32_epi32(value, _mm256_cvtepu8_epi32(order));
                _mm256_storeu_si256(dst.cast(), kept);
                dst = dst.add(bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn mixed8(src: *const u64, mut dst: *mut u64, word: u64) {
        for k in 0..16 {
            let bits = (word >> (k * 4) & 0xF) as usize;
            // SAFETY: see `filter`; `bits` is below 16.
            unsafe {
                let order = _mm_loadl_epi64(LANES4.get_unchecked(bits).as_ptr().cast());
                let value = _mm256_loadu_si256(src.add(k * 4).cast());
                let kept = _mm256_permutevar8x32_epi32(value, _mm256_cvtepu8_epi32(order));
                _mm256_storeu_si256(dst.cast(), kept);
                dst = dst.add(bits.count_ones() as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::iter_set;
    use crate::testing::{Rng, both_paths};

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
        both_paths(|| {
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

    #[test]
    fn strings_against_naive() {
        let mut rng = Rng(7);
        for len in [0, 1, 64, 65, 200] {
            for _ in 0..6 {
                let base = rng.below(4) as u32;
                let mut offsets = vec![base];
                for _ in 0..len {
                    offsets.push(offsets[offsets.len() - 1] + rng.below(20) as u32);
                }
                let data: Vec<u8> = (0..offsets[len] + 3).map(|_| rng.next() as u8).collect();
                let mask = rng.mask(len);
                let (mut o, mut d) = (vec![], b"ab".to_vec());
                filter_bytes(&offsets, &data, &mask, &mut o, &mut d);
                let (mut wo, mut wd) = (vec![2], b"ab".to_vec());
                for i in iter_set(&mask, len) {
                    wd.extend(&data[offsets[i] as usize..offsets[i + 1] as usize]);
                    wo.push(wd.len() as u32);
                }
                assert_eq!((o, d), (wo, wd));
            }
        }
    }
}
