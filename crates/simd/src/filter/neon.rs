//! Compaction with table look-ups of NEON: the order of the kept lanes is looked up for two, four
//! or eight bits of the mask.
//!
//! The number of kept values is counted for a whole word at once: AArch64 counts bits only in
//! vector registers, and the way there and back is long.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

/// For each mask of `LANES` lanes, the bytes of the kept ones, first to last; the rest is 0.
const fn orders<const LANES: usize, const BYTES: usize, const N: usize>() -> [[u8; BYTES]; N] {
    let width = BYTES / LANES;
    let mut table = [[0; BYTES]; N];
    let mut mask = 0;
    while mask < N {
        let (mut lane, mut at) = (0, 0);
        while lane < LANES {
            let mut byte = 0;
            while byte < width && mask >> lane & 1 == 1 {
                table[mask][at] = (lane * width + byte) as u8;
                at += 1;
                byte += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

static EIGHT_U8: [[u8; 8]; 256] = orders::<8, 8, 256>();
static FOUR_U16: [[u8; 8]; 16] = orders::<4, 8, 16>();
static FOUR_U32: [[u8; 16]; 16] = orders::<4, 16, 16>();
static TWO_U64: [[u8; 16]; 4] = orders::<2, 16, 4>();

/// The kernels for values of 1, 2, 4 and 8 bytes, which store at most 16 bytes at once.
/// NEON is enabled for the whole build (cfg of this module).
pub(super) const KERNELS: super::Kernels =
    super::Kernels { store: 16, words: [words::<1>, words::<2>, words::<4>, words::<8>] };

/// The number of ones in each group of 2, 4 or 8 bits, in the place of the group.
#[inline(always)]
const fn counts(word: u64, bits: usize) -> u64 {
    let mut sums = word - (word >> 1 & 0x5555_5555_5555_5555);
    if bits > 2 {
        sums = (sums & 0x3333_3333_3333_3333) + (sums >> 2 & 0x3333_3333_3333_3333);
    }
    if bits > 4 {
        sums = (sums + (sums >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    }
    sums
}

/// Compacts 64 values per word of `mask`; how many were kept.
///
/// # Safety
/// See [`super::Kernels`].
unsafe fn words<const WIDTH: usize>(mut src: *const u8, start: *mut u8, mask: &[u64]) -> usize {
    let mut dst = start;
    // Lanes of a step, which are as many bits of the mask.
    let lanes = [8, 8, 4, 4, 4, 2, 2, 2, 2][WIDTH];
    let group = (1 << lanes) - 1;
    for &word in mask {
        // SAFETY: see `Kernels`; the steps read 64 values, and `bits` is an index of each table.
        unsafe {
            if word == !0 {
                std::ptr::copy_nonoverlapping(src, dst, 64 * WIDTH);
                dst = dst.add(64 * WIDTH);
            } else if word.count_ones() < 4 {
                super::few::<[u8; WIDTH]>(src.cast(), dst.cast(), word);
                dst = dst.add(word.count_ones() as usize * WIDTH);
            } else {
                let counts = counts(word, lanes);
                for k in 0..64 / lanes {
                    let bits = (word >> (k * lanes) & group) as usize;
                    let from = src.add(k * lanes * WIDTH);
                    match WIDTH {
                        1 => half(from, dst, EIGHT_U8.get_unchecked(bits)),
                        2 => half(from, dst, FOUR_U16.get_unchecked(bits)),
                        4 => whole(from, dst, FOUR_U32.get_unchecked(bits)),
                        _ => whole(from, dst, TWO_U64.get_unchecked(bits)),
                    }
                    dst = dst.add((counts >> (k * lanes) & group) as usize * WIDTH);
                }
            }
            src = src.add(64 * WIDTH);
        }
    }
    // SAFETY: both are places in one allocation.
    unsafe { dst.offset_from(start) as usize / WIDTH }
}

/// # Safety
/// `src` and `dst` have 8 bytes.
#[inline(always)]
unsafe fn half(src: *const u8, dst: *mut u8, order: &[u8; 8]) {
    // SAFETY: see above.
    unsafe { vst1_u8(dst, vtbl1_u8(vld1_u8(src), vld1_u8(order.as_ptr()))) }
}

/// # Safety
/// `src` and `dst` have 16 bytes.
#[inline(always)]
unsafe fn whole(src: *const u8, dst: *mut u8, order: &[u8; 16]) {
    // SAFETY: see above.
    unsafe { vst1q_u8(dst, vqtbl1q_u8(vld1q_u8(src), vld1q_u8(order.as_ptr()))) }
}
