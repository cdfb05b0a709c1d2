//! Compaction with table look-ups of NEON: the order of the kept lanes is looked up for eight bits
//! of the mask, or for four where values have eight bytes.
//!
//! The number of kept values is counted for a whole word at once: AArch64 counts bits only in
//! vector registers, and the way there and back is long.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use crate::bits::{PLACES, counts};

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

static EIGHT_U16: [[u8; 16]; 256] = orders::<8, 16, 256>();
static EIGHT_U32: [[u8; 32]; 256] = orders::<8, 32, 256>();
static FOUR_U64: [[u8; 32]; 16] = orders::<4, 32, 16>();

/// The kernels for values of 1, 2, 4 and 8 bytes, which store at most 32 bytes at once.
/// NEON is enabled for the whole build (cfg of this module).
pub(super) const KERNELS: super::Kernels =
    super::Kernels { store: 32, words: [words::<1>, words::<2>, words::<4>, words::<8>] };

/// Compacts 64 values per word of `mask`; how many were kept.
///
/// # Safety
/// See [`super::Kernels`].
unsafe fn words<const WIDTH: usize>(mut src: *const u8, start: *mut u8, mask: &[u64]) -> usize {
    let mut dst = start;
    // Lanes of a step, which are as many bits of the mask.
    let lanes = if WIDTH == 8 { 4 } else { 8 };
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
                        1 => half(from, dst, PLACES.get_unchecked(bits)),
                        2 => whole(from, dst, EIGHT_U16.get_unchecked(bits)),
                        4 => double(from, dst, EIGHT_U32.get_unchecked(bits)),
                        _ => double(from, dst, FOUR_U64.get_unchecked(bits)),
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

/// # Safety
/// `src` and `dst` have 32 bytes.
#[inline(always)]
unsafe fn double(src: *const u8, dst: *mut u8, order: &[u8; 32]) {
    // SAFETY: see above.
    unsafe {
        let value = uint8x16x2_t(vld1q_u8(src), vld1q_u8(src.add(16)));
        let order = (vld1q_u8(order.as_ptr()), vld1q_u8(order.as_ptr().add(16)));
        vst1q_u8(dst, vqtbl2q_u8(value, order.0));
        vst1q_u8(dst.add(16), vqtbl2q_u8(value, order.1));
    }
}
