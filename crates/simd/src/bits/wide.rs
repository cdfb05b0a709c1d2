//! Positions of set bits with AVX-512: the numbers 0 to 63 are compacted as bytes, then widened.
//! Conditions on codes, where the bits of the dictionary fit into one register.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::tail_mask;

/// The numbers 0 to 63.
static NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut i = 0;
    while i < 64 {
        numbers[i] = i as u8;
        i += 1;
    }
    numbers
};

macro_rules! indices {
    ($name:ident, $t:ty, $words:ident, $lanes:literal, $set:ident, $widen:ident, $add:ident,
     $load:ident, $part:ty) => {
        /// Appends the positions of the `count` set bits.
        pub(super) fn $name(words: &[u64], len: usize, count: usize, out: &mut Vec<$t>) {
            // A step writes a quarter or half of the numbers of a word, kept or not.
            out.reserve(count + 64);
            // SAFETY: the form is chosen only if the processor has these instructions. Each write
            // begins at most `count` behind the end and there is room for 64 more.
            unsafe {
                $words(words, tail_mask(len), out.as_mut_ptr().add(out.len()));
                out.set_len(out.len() + count);
            }
        }

        /// # Safety
        /// There is room for all positions and 64 more.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
        unsafe fn $words(words: &[u64], tail: u64, mut dst: *mut $t) {
            // SAFETY: as the caller says; the numbers and the compacted ones have 64 bytes.
            unsafe {
                let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
                let last = words.len().wrapping_sub(1);
                for (i, &word) in words.iter().enumerate() {
                    let word = if i == last { word & tail } else { word };
                    let mut kept = [0u8; 64];
                    let compact = _mm512_maskz_compress_epi8(word, numbers);
                    _mm512_storeu_si512(kept.as_mut_ptr().cast(), compact);
                    let base = $set((i * 64) as _);
                    let count = word.count_ones() as usize;
                    let mut at = 0;
                    while at < count {
                        let part = $load(kept.as_ptr().add(at).cast::<$part>());
                        _mm512_storeu_si512(dst.add(at).cast(), $add($widen(part), base));
                        at += $lanes;
                    }
                    dst = dst.add(count);
                }
            }
        }
    };
}

indices! {
    indices_from_mask, u32, words_u32, 16, _mm512_set1_epi32, _mm512_cvtepu8_epi32,
    _mm512_add_epi32, _mm_loadu_si128, __m128i
}
indices! {
    indices_from_mask_u16, u16, words_u16, 32, _mm512_set1_epi16, _mm512_cvtepu8_epi16,
    _mm512_add_epi16, _mm256_loadu_si256, __m256i
}

/// Words of a mask that fit into one register.
pub(super) const MOST_VALUES: usize = 8;

/// See [`super::mask_from_codes`]; how many words were written. A code without a bit counts as the
/// one that has the same low nine bits.
pub(super) fn mask_from_codes(values: &[u64], codes: &[[u32; 64]], out: &mut [u64]) -> usize {
    // SAFETY: the form is chosen only if the processor has these instructions.
    unsafe { words_from_codes(values, codes, out) }
    codes.len()
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn words_from_codes(values: &[u64], codes: &[[u32; 64]], out: &mut [u64]) {
    let mut table = [0u64; MOST_VALUES];
    table[..values.len()].copy_from_slice(values);
    // SAFETY: the table and each part of the codes have 64 bytes.
    unsafe {
        let table = _mm512_loadu_si512(table.as_ptr().cast());
        let (low, one) = (_mm512_set1_epi32(31), _mm512_set1_epi32(1));
        for (word, codes) in out.iter_mut().zip(codes) {
            let part = |at: usize| {
                let codes = _mm512_loadu_si512(codes.as_ptr().add(16 * at).cast());
                let bits = _mm512_permutexvar_epi32(_mm512_srli_epi32::<5>(codes), table);
                let bit = _mm512_srlv_epi32(bits, _mm512_and_si512(codes, low));
                u64::from(_mm512_test_epi32_mask(bit, one)) << (16 * at)
            };
            *word = part(0) | part(1) | part(2) | part(3);
        }
    }
}
