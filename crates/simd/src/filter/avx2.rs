//! Compaction with permutations of 256 bits and bit extraction.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::bits::PLACES;

/// For each mask of four 64-bit lanes, the 32-bit halves of the kept ones; the rest is 0.
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

/// The kernels for values of 1, 2, 4 and 8 bytes, which store at most 32 bytes at once.
/// AVX2 and BMI2 are enabled for the whole build (x86-64-v3).
pub(super) const KERNELS: super::Kernels =
    super::Kernels { store: 32, words: [words::<1>, words::<2>, words::<4>, words::<8>] };

/// Compacts 64 values per word of `mask`; how many were kept.
///
/// # Safety
/// See [`super::Kernels`].
unsafe fn words<const WIDTH: usize>(mut src: *const u8, start: *mut u8, mask: &[u64]) -> usize {
    let mut dst = start;
    for &word in mask {
        // SAFETY: see `Kernels`; a mixed word is compacted from 64 values.
        unsafe {
            if word == !0 {
                std::ptr::copy_nonoverlapping(src, dst, 64 * WIDTH);
            } else if word.count_ones() < 4 {
                super::few::<[u8; WIDTH]>(src.cast(), dst.cast(), word);
            } else {
                match WIDTH {
                    1 => mixed1(src.cast(), dst.cast(), word),
                    2 => mixed2(src.cast(), dst.cast(), word),
                    4 => mixed4(src.cast(), dst.cast(), word),
                    _ => mixed8(src.cast(), dst.cast(), word),
                }
            }
            dst = dst.add(word.count_ones() as usize * WIDTH);
            src = src.add(64 * WIDTH);
        }
    }
    // SAFETY: both are places in one allocation.
    unsafe { dst.offset_from(start) as usize / WIDTH }
}

// SAFETY of all four: see `Kernels`.
#[inline(always)]
unsafe fn mixed1(src: *const u8, mut dst: *mut u8, word: u64) {
    for k in 0..8 {
        let bits = word >> (k * 8) & 0xFF;
        // SAFETY: see `Kernels`.
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
        // SAFETY: see `Kernels`.
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
        // SAFETY: see `Kernels`; `bits` is below 256.
        unsafe {
            let order = _mm_loadl_epi64(PLACES.get_unchecked(bits).as_ptr().cast());
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
        // SAFETY: see `Kernels`; `bits` is below 16.
        unsafe {
            let order = _mm_loadl_epi64(LANES4.get_unchecked(bits).as_ptr().cast());
            let value = _mm256_loadu_si256(src.add(k * 4).cast());
            let kept = _mm256_permutevar8x32_epi32(value, _mm256_cvtepu8_epi32(order));
            _mm256_storeu_si256(dst.cast(), kept);
            dst = dst.add(bits.count_ones() as usize);
        }
    }
}
