//! Base64 with the byte permutations of AVX-512: 48 bytes for 64 digits a step, and what is left
//! over in one masked step. The method is that of Muła and Lemire, "Base64 Encoding and Decoding at
//! Almost the Speed of a Memory Copy" (2019).

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Alphabet, digits, values};

/// Bytes and digits of a step.
const BYTES: usize = 48;
const DIGITS: usize = 64;

/// The lowest `n` bits, for `n` up to 64.
fn low(n: usize) -> u64 {
    if n == 64 { !0 } else { (1 << n) - 1 }
}

/// 64 bytes as a vector.
fn vector(bytes: [u8; 64]) -> __m512i {
    // SAFETY: the array has the size of the vector, which has no invalid values.
    unsafe { std::mem::transmute(bytes) }
}

/// For each group of three bytes the four bytes that the shifts of its digits start from.
const SPREAD: [u8; 64] = {
    let mut spread = [0; 64];
    let mut i = 0;
    while i < 64 {
        spread[i] = (i / 4 * 3) as u8 + [1, 0, 2, 1][i % 4];
        i += 1;
    }
    spread
};

/// For each byte of a word of 64 bits the place of its digit's first bit.
const SHIFTS: [u8; 64] = {
    let mut shifts = [0; 64];
    let mut i = 0;
    while i < 64 {
        shifts[i] = [10, 4, 22, 16, 42, 36, 54, 48][i % 8];
        i += 1;
    }
    shifts
};

/// Where the bytes of the groups lie after their digits were joined: three in each four bytes, the
/// last one first.
const PACK: [u8; 64] = {
    let mut pack = [0; 64];
    let mut i = 0;
    while i < BYTES {
        pack[i] = (i / 3 * 4) as u8 + [2, 1, 0][i % 3];
        i += 1;
    }
    pack
};

/// Encodes all bytes, which are whole groups.
///
/// # Safety
/// The processor has the instructions, and `out` has four bytes for each three of `bytes`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(super) unsafe fn encode(bytes: &[u8], alphabet: Alphabet, out: &mut [u8]) {
    let (spread, shifts) = (vector(SPREAD), vector(SHIFTS));
    let table = vector(*digits(alphabet));
    let encoded = |bytes: __m512i| {
        let spread = _mm512_permutexvar_epi8(spread, bytes);
        // The look-up takes the low six bits of what is shifted to the front.
        _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(shifts, spread), table)
    };
    let (mut from, mut to) = (bytes.as_ptr(), out.as_mut_ptr());
    let mut left = bytes.len();
    // SAFETY: at least 64 bytes are left to read, and so more than 64 to write.
    while left >= DIGITS {
        unsafe {
            _mm512_storeu_si512(to.cast(), encoded(_mm512_loadu_si512(from.cast())));
            (from, to) = (from.add(BYTES), to.add(DIGITS));
        }
        left -= BYTES;
    }
    // SAFETY: the masks have the bytes that are left, and the digits that they become.
    while left > 0 {
        let step = left.min(BYTES);
        unsafe {
            let bytes = _mm512_maskz_loadu_epi8(low(step), from.cast());
            _mm512_mask_storeu_epi8(to.cast(), low(step / 3 * 4), encoded(bytes));
            (from, to) = (from.add(step), to.add(step / 3 * 4));
        }
        left -= step;
    }
}

/// Decodes whole groups of digits, and answers how many digits these are; it stops before 64 digits
/// that contain something else.
///
/// # Safety
/// The processor has the instructions, and `out` has three bytes for each four of `text`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(super) unsafe fn decode(text: &[u8], alphabet: Alphabet, out: &mut [u8]) -> usize {
    let values = values(alphabet).as_chunks::<64>().0;
    // What is no digit has the highest bit, and so have the bytes that the look-up does not tell
    // apart from ASCII.
    let (first, second) = (vector(values[0]), vector(values[1]));
    let pack = vector(PACK);
    let mut done = 0;
    while done + 4 <= text.len() {
        let step = (text.len() - done).min(DIGITS) / 4 * 4;
        // SAFETY: the masks have the digits of this step, and the bytes that they become.
        unsafe {
            let digits = _mm512_maskz_loadu_epi8(low(step), text.as_ptr().add(done).cast());
            let values = _mm512_permutex2var_epi8(first, digits, second);
            let bad = _mm512_movepi8_mask(_mm512_or_si512(values, digits));
            if bad & low(step) != 0 {
                break;
            }
            let pairs = _mm512_maddubs_epi16(values, _mm512_set1_epi32(0x0140_0140));
            let groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_1000));
            let bytes = _mm512_permutexvar_epi8(pack, groups);
            let to = out.as_mut_ptr().add(done / 4 * 3);
            _mm512_mask_storeu_epi8(to.cast(), low(step / 4 * 3), bytes);
        }
        done += step;
    }
    done
}
