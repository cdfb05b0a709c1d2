//! Positions of set bits with a table: the places of the ones of each byte of the mask are looked
//! up, widened, and added to the position of the byte. Eight positions are stored for each byte,
//! and the next byte's overwrite those that are too much.

#![allow(unsafe_code)]

#[cfg(target_feature = "neon")]
use std::arch::aarch64::*;
#[cfg(target_feature = "avx2")]
use std::arch::x86_64::*;

use super::{PLACES, tail_mask};
use write::{every_u16, every_u32, write_u16, write_u32};

/// Words with fewer ones are looked through bit by bit.
const LEAST: u32 = if cfg!(target_feature = "neon") { 8 } else { 5 };

macro_rules! indices {
    ($name:ident, $t:ty, $every:ident, $write:ident) => {
        /// Appends the positions of the `count` set bits.
        pub(super) fn $name(words: &[u64], len: usize, count: usize, out: &mut Vec<$t>) {
            out.reserve(count + 8);
            let last = words.len().wrapping_sub(1);
            // SAFETY: each store begins at most `count` behind the end, and there is room for eight
            // more; a byte is an index of the table.
            unsafe {
                let mut dst = out.as_mut_ptr().add(out.len());
                for (i, &word) in words.iter().enumerate() {
                    let mut word = if i == last { word & tail_mask(len) } else { word };
                    let base = (i * 64) as $t;
                    if word.count_ones() < LEAST {
                        while word != 0 {
                            dst.write(base + word.trailing_zeros() as $t);
                            dst = dst.add(1);
                            word &= word - 1;
                        }
                        continue;
                    }
                    let mut base = $every(base);
                    #[cfg(target_feature = "neon")]
                    let counts = super::counts(word, 8);
                    for byte in 0..8 {
                        let bits = (word >> (byte * 8)) as u8;
                        base = $write(PLACES.get_unchecked(usize::from(bits)), base, dst);
                        #[cfg(target_feature = "avx2")]
                        let count = bits.count_ones() as usize;
                        #[cfg(target_feature = "neon")]
                        let count = usize::from((counts >> (byte * 8)) as u8);
                        dst = dst.add(count);
                    }
                }
                out.set_len(out.len() + count);
            }
        }
    };
}

indices!(indices_from_mask, u32, every_u32, write_u32);
indices!(indices_from_mask_u16, u16, every_u16, write_u16);

#[cfg(target_feature = "avx2")]
mod write {
    use super::*;

    #[inline(always)]
    pub(super) fn every_u32(base: u32) -> __m256i {
        // SAFETY: AVX2 is enabled for the whole build (cfg of this module).
        unsafe { _mm256_set1_epi32(base as i32) }
    }

    #[inline(always)]
    pub(super) fn every_u16(base: u16) -> __m128i {
        // SAFETY: AVX2 is enabled for the whole build (cfg of this module).
        unsafe { _mm_set1_epi16(base as i16) }
    }

    /// Writes eight places, each plus `base`, and answers the base of the next eight.
    ///
    /// # Safety
    /// `dst` has room for eight numbers.
    #[inline(always)]
    pub(super) unsafe fn write_u32(places: &[u8; 8], base: __m256i, dst: *mut u32) -> __m256i {
        // SAFETY: AVX2 is enabled for the whole build (cfg of this module).
        // Eight bytes are read, and eight numbers have room at `dst`.
        unsafe {
            let places = _mm256_cvtepu8_epi32(_mm_loadl_epi64(places.as_ptr().cast()));
            _mm256_storeu_si256(dst.cast(), _mm256_add_epi32(places, base));
            _mm256_add_epi32(base, _mm256_set1_epi32(8))
        }
    }

    /// As `write_u32`.
    #[inline(always)]
    pub(super) unsafe fn write_u16(places: &[u8; 8], base: __m128i, dst: *mut u16) -> __m128i {
        // SAFETY: AVX2 is enabled for the whole build (cfg of this module).
        // Eight bytes are read, and eight numbers have room at `dst`.
        unsafe {
            let places = _mm_cvtepu8_epi16(_mm_loadl_epi64(places.as_ptr().cast()));
            _mm_storeu_si128(dst.cast(), _mm_add_epi16(places, base));
            _mm_add_epi16(base, _mm_set1_epi16(8))
        }
    }
}

#[cfg(target_feature = "neon")]
mod write {
    use super::*;

    #[inline(always)]
    pub(super) fn every_u32(base: u32) -> uint32x4_t {
        // SAFETY: NEON is enabled for the whole build (cfg of this module).
        unsafe { vdupq_n_u32(base) }
    }

    #[inline(always)]
    pub(super) fn every_u16(base: u16) -> uint16x8_t {
        // SAFETY: NEON is enabled for the whole build (cfg of this module).
        unsafe { vdupq_n_u16(base) }
    }

    /// Writes eight places, each plus `base`, and answers the base of the next eight.
    ///
    /// # Safety
    /// `dst` has room for eight numbers.
    #[inline(always)]
    pub(super) unsafe fn write_u32(
        places: &[u8; 8],
        base: uint32x4_t,
        dst: *mut u32,
    ) -> uint32x4_t {
        // SAFETY: NEON is enabled for the whole build (cfg of this module).
        // Eight bytes are read, and eight numbers have room at `dst`.
        unsafe {
            let places = vmovl_u8(vld1_u8(places.as_ptr()));
            vst1q_u32(dst, vaddw_u16(base, vget_low_u16(places)));
            vst1q_u32(dst.add(4), vaddw_high_u16(base, places));
            vaddq_u32(base, vdupq_n_u32(8))
        }
    }

    /// As `write_u32`.
    #[inline(always)]
    pub(super) unsafe fn write_u16(
        places: &[u8; 8],
        base: uint16x8_t,
        dst: *mut u16,
    ) -> uint16x8_t {
        // SAFETY: NEON is enabled for the whole build (cfg of this module).
        // Eight bytes are read, and eight numbers have room at `dst`.
        unsafe {
            vst1q_u16(dst, vaddw_u8(base, vld1_u8(places.as_ptr())));
            vaddq_u16(base, vdupq_n_u16(8))
        }
    }
}
