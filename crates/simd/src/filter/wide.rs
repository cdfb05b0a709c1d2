//! Compaction with the compressing moves of AVX-512. They go to a register and are stored from it,
//! because compressing into memory is slow on Zen 4.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// The kernels for values of 1, 2, 4 and 8 bytes, which store at most 64 bytes at once.
/// The form is chosen only if the processor has these instructions.
pub(super) const KERNELS: super::Kernels =
    super::Kernels { store: 64, words: [words::<1>, words::<2>, words::<4>, words::<8>] };

/// Compacts 64 values per word of `mask`; how many were kept.
///
/// # Safety
/// See [`super::Kernels`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn words<const WIDTH: usize>(mut src: *const u8, start: *mut u8, mask: &[u64]) -> usize {
    let mut dst = start;
    let lanes = 64 / WIDTH;
    for &word in mask {
        // SAFETY: see `Kernels`; a mixed word is compacted from `WIDTH` vectors.
        unsafe {
            if word == !0 {
                std::ptr::copy_nonoverlapping(src, dst, 64 * WIDTH);
                dst = dst.add(64 * WIDTH);
            } else if word.count_ones() < WIDTH as u32 / 2 + 1 {
                super::few::<[u8; WIDTH]>(src.cast(), dst.cast(), word);
                dst = dst.add(word.count_ones() as usize * WIDTH);
            } else {
                for k in 0..WIDTH {
                    let bits = if WIDTH == 1 { word } else { word >> (k * lanes) & low(lanes) };
                    let value = _mm512_loadu_si512(src.add(k * 64).cast());
                    let kept = match WIDTH {
                        1 => _mm512_maskz_compress_epi8(bits, value),
                        2 => _mm512_maskz_compress_epi16(bits as u32, value),
                        4 => _mm512_maskz_compress_epi32(bits as u16, value),
                        _ => _mm512_maskz_compress_epi64(bits as u8, value),
                    };
                    _mm512_storeu_si512(dst.cast(), kept);
                    dst = dst.add(bits.count_ones() as usize * WIDTH);
                }
            }
            src = src.add(64 * WIDTH);
        }
    }
    // SAFETY: both are places in one allocation.
    unsafe { dst.offset_from(start) as usize / WIDTH }
}

/// The lowest `n < 64` bits.
const fn low(n: usize) -> u64 {
    (1 << n) - 1
}
