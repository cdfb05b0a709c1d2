//! The first byte of a set, 16 bytes at once.
//!
//! NEON cannot move one bit per lane to a general register. Shifting pairs of lanes to the right by
//! four and narrowing them leaves four bits per lane in one word (Danila Kutenin, 2022): its
//! trailing zeros are four times the place of the first hit.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{ByteSet, padded};

#[inline(always)]
pub(super) fn find(set: &ByteSet, bytes: &[u8]) -> usize {
    let n = bytes.len();
    // SAFETY: NEON is enabled for the whole build (cfg of this module). A set has two tables of 16
    // bytes, and all loads of `bytes` are inside of it.
    unsafe {
        let tables = (vld1q_u8(set.below.as_ptr()), vld1q_u8(set.above.as_ptr()));
        if n < 16 {
            let words = padded(bytes);
            let hits = nibbles(hits(tables, vreinterpretq_u8_u64(vld1q_u64(words.as_ptr()))));
            // Zeros behind the bytes may be hits.
            return (hits.trailing_zeros() as usize / 4).min(n);
        }
        let mut at = 0;
        // Two vectors a step, and one test whether either has a hit.
        while at + 32 <= n {
            let first = hits(tables, vld1q_u8(bytes.as_ptr().add(at)));
            let second = hits(tables, vld1q_u8(bytes.as_ptr().add(at + 16)));
            if nibbles(vorrq_u8(first, second)) != 0 {
                let (first, second) = (nibbles(first), nibbles(second));
                let place = if first != 0 { first } else { second }.trailing_zeros() as usize / 4;
                return at + place + if first != 0 { 0 } else { 16 };
            }
            at += 32;
        }
        while at < n {
            // The last vector may overlap the one before, in which there was no hit.
            let from = at.min(n - 16);
            let hits = nibbles(hits(tables, vld1q_u8(bytes.as_ptr().add(from))));
            if hits != 0 {
                return from + hits.trailing_zeros() as usize / 4;
            }
            at += 16;
        }
    }
    n
}

/// All ones in each byte that belongs to the set.
#[inline(always)]
fn hits((below, above): (uint8x16_t, uint8x16_t), value: uint8x16_t) -> uint8x16_t {
    // SAFETY: NEON is enabled for the whole build.
    #[allow(unused_unsafe)]
    unsafe {
        // A look-up answers 0 if its index is above 15.
        let low = vandq_u8(value, vdupq_n_u8(0x8F));
        let other = veorq_u8(low, vdupq_n_u8(0x80));
        let row = vorrq_u8(vqtbl1q_u8(below, low), vqtbl1q_u8(above, other));
        // Upper halves 8 to 15 mean the bits 0 to 7, too.
        let bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        vtstq_u8(row, vqtbl1q_u8(bits, vshrq_n_u8::<4>(value)))
    }
}

/// Four bits per lane.
#[inline(always)]
fn nibbles(lanes: uint8x16_t) -> u64 {
    // SAFETY: NEON is enabled for the whole build.
    #[allow(unused_unsafe)]
    unsafe {
        let narrow = vshrn_n_u16::<4>(vreinterpretq_u16_u8(lanes));
        vget_lane_u64::<0>(vreinterpret_u64_u8(narrow))
    }
}
