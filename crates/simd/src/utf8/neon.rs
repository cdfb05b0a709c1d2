//! Validation of UTF-8, 16 bytes at once.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

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
    // SAFETY: NEON is enabled for the whole build (cfg of this module).
    #[allow(unused_unsafe)]
    unsafe {
        vmaxvq_u8(state.error) == 0
    }
}

struct State {
    error: uint8x16_t,
    /// The last vector.
    before: uint8x16_t,
    /// Not zero if the last vector ends inside a character.
    unfinished: uint8x16_t,
}

impl State {
    #[inline(always)]
    fn new() -> Self {
        // SAFETY: NEON is enabled for the whole build.
        #[allow(unused_unsafe)]
        let zero = unsafe { vdupq_n_u8(0) };
        Self { error: zero, before: zero, unfinished: zero }
    }

    #[inline(always)]
    fn block(&mut self, block: &[u8; 64]) {
        // SAFETY: NEON is enabled for the whole build; the loads are inside the block, and the
        // limits have 16 bytes.
        unsafe {
            let at = |i: usize| vld1q_u8(block.as_ptr().add(i * 16));
            let [a, b, c, d] = [at(0), at(1), at(2), at(3)];
            if vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d))) < 0x80 {
                self.error = vorrq_u8(self.error, self.unfinished);
                self.unfinished = vdupq_n_u8(0);
            } else {
                self.check(a);
                self.check(b);
                self.check(c);
                self.check(d);
                self.unfinished = vqsubq_u8(d, vld1q_u8(LIMITS.as_ptr()));
            }
            self.before = d;
        }
    }

    #[inline(always)]
    fn check(&mut self, value: uint8x16_t) {
        // SAFETY: NEON is enabled for the whole build; the tables have 16 bytes.
        unsafe {
            let table = |t: &[u8; 16]| vld1q_u8(t.as_ptr());
            // The vectors that begin one, two and three bytes earlier.
            let one = vextq_u8::<15>(self.before, value);
            let two = vextq_u8::<14>(self.before, value);
            let three = vextq_u8::<13>(self.before, value);
            let a = vqtbl1q_u8(table(&FIRST_HIGH), vshrq_n_u8::<4>(one));
            let b = vqtbl1q_u8(table(&FIRST_LOW), vandq_u8(one, vdupq_n_u8(15)));
            let c = vqtbl1q_u8(table(&SECOND_HIGH), vshrq_n_u8::<4>(value));
            let special = vandq_u8(vandq_u8(a, b), c);
            // The highest bit is set where a third or fourth byte has to be a continuation.
            let third = vqsubq_u8(two, vdupq_n_u8(0xE0 - 0x80));
            let fourth = vqsubq_u8(three, vdupq_n_u8(0xF0 - 0x80));
            let must = vandq_u8(vorrq_u8(third, fourth), vdupq_n_u8(0x80));
            self.error = vorrq_u8(self.error, veorq_u8(must, special));
            self.before = value;
        }
    }
}

/// The highest bytes with which a vector may end.
const LIMITS: [u8; 16] = {
    let mut limits = [255; 16];
    limits[13] = 0xF0 - 1;
    limits[14] = 0xE0 - 1;
    limits[15] = 0xC0 - 1;
    limits
};
