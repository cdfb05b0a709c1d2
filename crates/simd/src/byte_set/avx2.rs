//! The first byte of a set, 32 bytes at once.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{ByteSet, padded};

#[inline(always)]
pub(super) fn find(set: &ByteSet, bytes: &[u8]) -> usize {
    let n = bytes.len();
    if n < 16 {
        let [low, high] = padded(bytes);
        // SAFETY: AVX2 is enabled for the whole build (cfg of this module).
        let hits = unsafe { hits16(set, _mm_set_epi64x(high as i64, low as i64)) };
        // Zeros behind the bytes may be hits.
        return (hits.trailing_zeros() as usize).min(n);
    }
    if n < 32 {
        // SAFETY: as above; both loads are inside the 16 to 31 bytes. The second one overlaps the
        // first, in which no hit was found.
        return unsafe {
            let first = hits16(set, _mm_loadu_si128(bytes.as_ptr().cast()));
            if first != 0 {
                return first.trailing_zeros() as usize;
            }
            let last = hits16(set, _mm_loadu_si128(bytes.as_ptr().add(n - 16).cast()));
            if last == 0 { n } else { n - 16 + last.trailing_zeros() as usize }
        };
    }
    long(set, bytes)
}

#[inline(never)]
fn long(set: &ByteSet, bytes: &[u8]) -> usize {
    let n = bytes.len();
    // SAFETY: as in `find`; each load is inside the bytes, which are at least 32.
    unsafe {
        let tables = (
            _mm256_broadcastsi128_si256(_mm_loadu_si128(set.below.as_ptr().cast())),
            _mm256_broadcastsi128_si256(_mm_loadu_si128(set.above.as_ptr().cast())),
        );
        let mut at = 0;
        while at + 32 <= n {
            let hits = hits32(tables, _mm256_loadu_si256(bytes.as_ptr().add(at).cast()));
            if hits != 0 {
                return at + hits.trailing_zeros() as usize;
            }
            at += 32;
        }
        if at < n {
            let hits = hits32(tables, _mm256_loadu_si256(bytes.as_ptr().add(n - 32).cast()));
            if hits != 0 {
                return n - 32 + hits.trailing_zeros() as usize;
            }
        }
    }
    n
}

/// A bit for each byte that belongs to the set.
#[inline(always)]
fn hits16(set: &ByteSet, value: __m128i) -> u32 {
    // SAFETY: AVX2 is enabled for the whole build; a set has two tables of 16 bytes.
    unsafe {
        let below = _mm_loadu_si128(set.below.as_ptr().cast());
        let above = _mm_loadu_si128(set.above.as_ptr().cast());
        // A look-up answers 0 if the highest bit of its index is set.
        let other = _mm_xor_si128(value, _mm_set1_epi8(-128));
        let row = _mm_or_si128(_mm_shuffle_epi8(below, value), _mm_shuffle_epi8(above, other));
        let high = _mm_and_si128(_mm_srli_epi16(value, 4), _mm_set1_epi8(7));
        let bit = _mm_shuffle_epi8(_mm_set1_epi64x(BITS), high);
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(row, bit), bit)) as u32
    }
}

/// As `hits16`.
#[inline(always)]
fn hits32((below, above): (__m256i, __m256i), value: __m256i) -> u32 {
    // SAFETY: AVX2 is enabled for the whole build.
    unsafe {
        let other = _mm256_xor_si256(value, _mm256_set1_epi8(-128));
        let rows = (_mm256_shuffle_epi8(below, value), _mm256_shuffle_epi8(above, other));
        let row = _mm256_or_si256(rows.0, rows.1);
        let high = _mm256_and_si256(_mm256_srli_epi16(value, 4), _mm256_set1_epi8(7));
        let bit = _mm256_shuffle_epi8(_mm256_set1_epi64x(BITS), high);
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit)) as u32
    }
}

/// Byte `k` is `1 << k`.
const BITS: i64 = 0x8040_2010_0804_0201_u64 as i64;
