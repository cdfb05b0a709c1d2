//! Base64 with the table look-ups and interleaving loads of NEON: 48 bytes for 64 digits a step.
//! Each of the four digits of a group has a vector of its own, so that nothing is shuffled.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{Alphabet, digits, values};

/// Bytes and digits of a step.
const BYTES: usize = 48;
const DIGITS: usize = 64;

/// 64 bytes as a table.
fn table(bytes: &[u8; 64]) -> uint8x16x4_t {
    // SAFETY: 64 bytes are read.
    unsafe { vld1q_u8_x4(bytes.as_ptr()) }
}

/// Encodes as many bytes as it can, and answers how many. Needs four thirds of the bytes in `out`.
pub(super) fn encode(bytes: &[u8], alphabet: Alphabet, out: &mut [u8]) -> usize {
    let table = table(digits(alphabet));
    let mut done = 0;
    while bytes.len() - done >= BYTES {
        // SAFETY: 48 bytes are read at `done`, which the condition of the loop allows, and 64
        // written at `done / 3 * 4`, where four thirds of these 48 bytes have room.
        unsafe {
            let group = vld3q_u8(bytes.as_ptr().add(done));
            let low = vdupq_n_u8(63);
            let first = vshrq_n_u8::<2>(group.0);
            let second = vorrq_u8(vshlq_n_u8::<4>(group.0), vshrq_n_u8::<4>(group.1));
            let third = vorrq_u8(vshlq_n_u8::<2>(group.1), vshrq_n_u8::<6>(group.2));
            let digits = uint8x16x4_t(
                vqtbl4q_u8(table, first),
                vqtbl4q_u8(table, vandq_u8(second, low)),
                vqtbl4q_u8(table, vandq_u8(third, low)),
                vqtbl4q_u8(table, vandq_u8(group.2, low)),
            );
            vst4q_u8(out.as_mut_ptr().add(done / 3 * 4), digits);
        }
        done += BYTES;
    }
    done
}

/// Decodes as many digits as it can, and answers how many; it stops before 64 that contain
/// something else. Needs three quarters of the digits in `out`.
pub(super) fn decode(text: &[u8], alphabet: Alphabet, out: &mut [u8]) -> usize {
    let values = values(alphabet).as_chunks::<64>().0;
    let (first, second) = (table(&values[0]), table(&values[1]));
    let value = |digit: uint8x16_t| {
        // SAFETY: the look-ups read no memory. A digit from 64 on is 0 in the first table, and one
        // that the second table lacks keeps what the first one had.
        unsafe {
            let low = vqtbl4q_u8(first, digit);
            vqtbx4q_u8(low, second, veorq_u8(digit, vdupq_n_u8(64)))
        }
    };
    let mut done = 0;
    while text.len() - done >= DIGITS {
        // SAFETY: 64 digits are read at `done`, which the condition of the loop allows, and 48
        // bytes written at `done / 4 * 3`, where three quarters of these digits have room.
        unsafe {
            let digits = vld4q_u8(text.as_ptr().add(done));
            let (a, b) = (value(digits.0), value(digits.1));
            let (c, d) = (value(digits.2), value(digits.3));
            // What is no digit, or not ASCII, has the highest bit.
            let values = vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d));
            let text = vorrq_u8(vorrq_u8(digits.0, digits.1), vorrq_u8(digits.2, digits.3));
            if vmaxvq_u8(vorrq_u8(values, text)) >= 0x80 {
                break;
            }
            let bytes = uint8x16x3_t(
                vorrq_u8(vshlq_n_u8::<2>(a), vshrq_n_u8::<4>(b)),
                vorrq_u8(vshlq_n_u8::<4>(b), vshrq_n_u8::<2>(c)),
                vorrq_u8(vshlq_n_u8::<6>(c), d),
            );
            vst3q_u8(out.as_mut_ptr().add(done / 4 * 3), bytes);
        }
        done += DIGITS;
    }
    done
}
