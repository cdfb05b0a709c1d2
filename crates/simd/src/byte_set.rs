//! Finds the first byte that belongs to a set, for writers and readers of escapes.
//!
//! A set is 256 bits: for each lower half of a byte, one bit per upper half. A vector form looks up
//! the row of the lower half and the bit of the upper half, sixteen or more bytes at once (Wojciech
//! Mula, "SIMDized check which bytes are in a set", 2018). The cost does not depend on the set.

#[cfg(target_feature = "avx2")]
mod avx2;
#[cfg(target_feature = "neon")]
mod neon;

#[cfg(target_feature = "avx2")]
use avx2 as vector;
#[cfg(target_feature = "neon")]
use neon as vector;

/// A set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSet {
    /// For each lower half, bit `h` for the byte with the upper half `h` (below 8).
    below: [u8; 16],
    /// The same for the upper halves 8 to 15.
    above: [u8; 16],
}

impl ByteSet {
    /// The set of these bytes.
    pub const fn of(bytes: &[u8]) -> Self {
        let mut set = Self { below: [0; 16], above: [0; 16] };
        let mut i = 0;
        while i < bytes.len() {
            set = set.with(bytes[i], bytes[i]);
            i += 1;
        }
        set
    }

    /// The set with the bytes from `first` to `last` as well.
    #[must_use]
    pub const fn with(mut self, first: u8, last: u8) -> Self {
        let mut byte = first as usize;
        while byte <= last as usize {
            let (low, high) = (byte & 15, byte >> 4);
            if high < 8 {
                self.below[low] |= 1 << high;
            } else {
                self.above[low] |= 1 << (high - 8);
            }
            byte += 1;
        }
        self
    }

    /// Whether the byte belongs to the set.
    #[inline(always)]
    pub const fn has(&self, byte: u8) -> bool {
        let rows = if byte < 128 { &self.below } else { &self.above };
        rows[(byte & 15) as usize] >> (byte >> 4 & 7) & 1 != 0
    }

    /// The place of the first byte that belongs to the set; the length if there is none.
    #[inline]
    pub fn find(&self, bytes: &[u8]) -> usize {
        #[cfg(any(target_feature = "avx2", target_feature = "neon"))]
        if !crate::portable() {
            return vector::find(self, bytes);
        }
        self.find_portable(bytes)
    }

    fn find_portable(&self, bytes: &[u8]) -> usize {
        bytes.iter().position(|b| self.has(*b)).unwrap_or(bytes.len())
    }
}

/// Fewer than 16 bytes as a vector, with zeros behind them. It reads overlapping words, because a
/// copy of a variable length would be a call and a stall.
#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
#[inline(always)]
fn padded(bytes: &[u8]) -> [u64; 2] {
    let n = bytes.len();
    if let (Some(head), Some(tail)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        // Shifted by 8 to 64 bits, in two steps, as a shift by 64 bits is none.
        let rest = u64::from_le_bytes(*tail) >> 8 >> (8 * (15 - n as u32));
        return [u64::from_le_bytes(*head), rest];
    }
    if let (Some(head), Some(tail)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (head, tail) = (u32::from_le_bytes(*head), u32::from_le_bytes(*tail));
        return [u64::from(head) | u64::from(tail) << (8 * (n as u32 - 4)), 0];
    }
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    [if n == 0 { 0 } else { byte(0) | byte(n / 2) | byte(n - 1) }, 0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, every_form};

    #[test]
    fn every_byte_at_every_place() {
        every_form(|| {
            let mut rng = Rng(31);
            let sets = [
                ByteSet::of(b""),
                ByteSet::of(b"\\'").with(0, 13),
                ByteSet::of(b"\"\\/\xE2").with(0, 0x1F),
                ByteSet::of(b"").with(0x80, 0xFF),
                ByteSet::of(b"a\xFFz"),
            ];
            for set in sets {
                let others: Vec<u8> = (0..=255).filter(|b| !set.has(*b)).collect();
                for len in (0..70).chain([127, 128, 129, 300]) {
                    let plain: Vec<u8> =
                        (0..len).map(|_| others[rng.below(others.len())]).collect();
                    assert_eq!(set.find(&plain), len);
                    for at in 0..len {
                        let mut bytes = plain.clone();
                        bytes[at] = rng.next() as u8;
                        assert_eq!(set.find(&bytes), set.find_portable(&bytes), "{at} of {len}");
                    }
                }
            }
        });
    }

    #[test]
    fn members() {
        let set = ByteSet::of(b"x").with(b'0', b'9').with(0xFE, 0xFF);
        let members: Vec<u8> = (0..=255).filter(|b| set.has(*b)).collect();
        assert_eq!(members, b"0123456789x\xFE\xFF");
    }
}
