//! Gorilla's encoding of floats by their bits: what changed since the value before.
//!
//! The stream of bits fills each byte from its lowest bit on. A value that repeats is a 0. Else
//! there is a 1, and the bits in which the value differs from the one before: behind a 0 those of
//! the window that was described last, behind a 1 those of a new window, which is described before
//! them by its leading zeros (6 bits) and its length less one (6 bits).
//!
//! T. Pelkonen et al., "Gorilla: A Fast, Scalable, In-Memory Time Series Database", VLDB 2015.

use super::Int;
use crate::input::{Input, corrupted};
use entasis_base::Result;

/// Bits that describe each of a window's two numbers.
const FIELD: u32 = 6;

/// Appends the stream for `values` behind `first`; false if it would be no shorter than they are.
pub(super) fn encode<T: Int>(first: T, values: &[T], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let most = size_of_val(values);
    let mut bits = Writer { out, word: 0, used: 0 };
    let mut before = first.to_bits();
    let mut window: Option<(u32, u32)> = None;
    for value in values {
        let change = value.to_bits() ^ before;
        before = value.to_bits();
        if change == 0 {
            bits.put(0, 1);
            continue;
        }
        let lead = change.leading_zeros() - (64 - T::BITS);
        let trail = change.trailing_zeros();
        let (old_lead, old_len) = window.unwrap_or((T::BITS, 0));
        let fits = old_lead <= lead && T::BITS - old_lead - old_len.min(T::BITS) <= trail;
        let (lead, len) = if window.is_some() && fits {
            bits.put(0b01, 2);
            (old_lead, old_len)
        } else {
            let len = T::BITS - lead - trail;
            bits.put(0b11, 2);
            bits.put(u64::from(lead), FIELD);
            bits.put(u64::from(len - 1), FIELD);
            window = Some((lead, len));
            (lead, len)
        };
        bits.put(change >> (T::BITS - lead - len), len);
        if bits.out.len() - start >= most {
            break;
        }
    }
    bits.finish();
    if out.len() - start < most {
        return true;
    }
    out.truncate(start);
    false
}

/// Decodes the values behind `first`.
pub(super) fn decode<T: Int>(first: T, input: &mut Input<'_>, out: &mut [T]) -> Result<()> {
    let mut bits = Reader { bytes: input.0, word: 0, left: 0 };
    let mut before = first.to_bits();
    let (mut lead, mut len) = (0, 0);
    for value in out {
        if bits.take(1)? != 0 {
            if bits.take(1)? != 0 {
                lead = bits.take(FIELD)? as u32;
                len = bits.take(FIELD)? as u32 + 1;
                if lead + len > T::BITS {
                    return Err(corrupted("window of changed bits"));
                }
            } else if len == 0 {
                return Err(corrupted("changed bits without a window"));
            }
            before ^= bits.take(len)? << (T::BITS - lead - len);
        }
        *value = T::from_bits(before);
    }
    input.0 = bits.bytes;
    Ok(())
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Bits that are not written yet: `used` of them, fewer than 8 between calls.
    word: u64,
    used: u32,
}

impl Writer<'_> {
    /// Appends the lowest `count` bits of `value`, whose others are 0.
    fn put(&mut self, value: u64, count: u32) {
        let mut wide = u128::from(self.word) | u128::from(value) << self.used;
        self.used += count;
        while self.used >= 8 {
            self.out.push(wide as u8);
            wide >>= 8;
            self.used -= 8;
        }
        self.word = wide as u64;
    }

    fn finish(&mut self) {
        if self.used > 0 {
            self.out.push(self.word as u8);
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    word: u128,
    left: u32,
}

impl Reader<'_> {
    /// The next `count` bits, at most 64.
    fn take(&mut self, count: u32) -> Result<u64> {
        while self.left < count {
            let (&byte, rest) =
                self.bytes.split_first().ok_or_else(|| corrupted("it ends early"))?;
            self.word |= u128::from(byte) << self.left;
            self.left += 8;
            self.bytes = rest;
        }
        let value = self.word as u64 & (u64::MAX >> (64 - count));
        self.word >>= count;
        self.left -= count;
        Ok(value)
    }
}
