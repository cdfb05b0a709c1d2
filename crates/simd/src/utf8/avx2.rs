//! Validation of UTF-8, 32 bytes at once.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::tables::{FIRST_HIGH, FIRST_LOW, SECOND_HIGH};

/// Whether the bytes are UTF-8.
pub(super) fn is_valid(bytes: &[u8]) -> bool {
    let mut state = State::new();
    let (blocks, tail) = bytes.as_chunks::<64>();
    for block in blocks {
        state.block(block);
    }
    // Zeros behind the text make an unfinished character an error.
    let mut last = [0; 64];
    last[..tail.len()].copy_from_slice(tail);
    state.block(&last);
    // SAFETY: AVX2 is enabled for the whole build (cfg of this module).
    unsafe { _mm256_testz_si256(state.error, state.error) != 0 }
}

struct State {
    error: __m256i,
    /// The last vector.
    before: __m256i,
    /// Not zero if the last vector ends inside a character.
    unfinished: __m256i,
}

impl State {
    #[inline(always)]
    fn new() -> Self {
        // SAFETY: AVX2 is enabled for the whole build.
        let zero = unsafe { _mm256_setzero_si256() };
        Self { error: zero, before: zero, unfinished: zero }
    }

    #[inline(always)]
    fn block(&mut self, block: &[u8; 64]) {
        // SAFETY: AVX2 is enabled for the whole build; both loads are inside the block, and the
        // limits have 32 bytes.
        unsafe {
            let low = _mm256_loadu_si256(block.as_ptr().cast());
            let high = _mm256_loadu_si256(block.as_ptr().add(32).cast());
            if _mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0 {
                self.error = _mm256_or_si256(self.error, self.unfinished);
                self.unfinished = _mm256_setzero_si256();
            } else {
                self.check(low);
                self.check(high);
                let limits = _mm256_loadu_si256(LIMITS.as_ptr().cast());
                self.unfinished = _mm256_subs_epu8(high, limits);
            }
            self.before = high;
        }
    }

    #[inline(always)]
    fn check(&mut self, value: __m256i) {
        // SAFETY: AVX2 is enabled for the whole build; the tables have 16 bytes.
        unsafe {
            let table =
                |t: &[u8; 16]| _mm256_broadcastsi128_si256(_mm_loadu_si128(t.as_ptr().cast()));
            let half = _mm256_set1_epi8(15);
            // The vectors that begin one, two and three bytes earlier.
            let joined = _mm256_permute2x128_si256(self.before, value, 0x21);
            let one = _mm256_alignr_epi8(value, joined, 15);
            let two = _mm256_alignr_epi8(value, joined, 14);
            let three = _mm256_alignr_epi8(value, joined, 13);
            let high = |v| _mm256_and_si256(_mm256_srli_epi16(v, 4), half);
            let a = _mm256_shuffle_epi8(table(&FIRST_HIGH), high(one));
            let b = _mm256_shuffle_epi8(table(&FIRST_LOW), _mm256_and_si256(one, half));
            let c = _mm256_shuffle_epi8(table(&SECOND_HIGH), high(value));
            let special = _mm256_and_si256(_mm256_and_si256(a, b), c);
            // The highest bit is set where a third or fourth byte has to be a continuation.
            let third = _mm256_subs_epu8(two, _mm256_set1_epi8(0xE0_u8.wrapping_sub(0x80) as i8));
            let fourth =
                _mm256_subs_epu8(three, _mm256_set1_epi8(0xF0_u8.wrapping_sub(0x80) as i8));
            let must = _mm256_or_si256(third, fourth);
            let must = _mm256_and_si256(must, _mm256_set1_epi8(-128));
            self.error = _mm256_or_si256(self.error, _mm256_xor_si256(must, special));
            self.before = value;
        }
    }
}

/// The highest bytes with which a vector may end.
const LIMITS: [u8; 32] = {
    let mut limits = [255; 32];
    limits[29] = 0xF0 - 1;
    limits[30] = 0xE0 - 1;
    limits[31] = 0xC0 - 1;
    limits
};
