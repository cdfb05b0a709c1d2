//! Validation of UTF-8.
//!
//! The vector forms look up three halves of each byte and of the one before it in tables of the
//! errors that they can be part of, and intersect the three answers (John Keiser and Daniel Lemire,
//! "Validating UTF-8 in less than one instruction per byte", 2021).
//!
//! Absent on purpose: where the first error is. Callers that repair text look at it again.

use crate::bits::words_for;

#[cfg(target_feature = "avx2")]
mod avx2;
#[cfg(target_feature = "neon")]
mod neon;

#[cfg(target_feature = "avx2")]
use avx2 as vector;
#[cfg(target_feature = "neon")]
use neon as vector;

/// Whether the bytes are UTF-8.
#[inline]
pub fn is_valid(bytes: &[u8]) -> bool {
    // Below the first length, setting up the vectors costs more than they save; up to the second,
    // more than it costs to look whether they are needed.
    #[cfg(any(target_feature = "avx2", target_feature = "neon"))]
    if bytes.len() >= 32 && !crate::portable() {
        return bytes.len() < 256 && bytes.is_ascii() || vector::is_valid(bytes);
    }
    std::str::from_utf8(bytes).is_ok()
}

/// Sets bit `i` if string `i` of (`offsets` of n + 1 entries, `data`) is UTF-8.
///
/// 64 strings are validated as one text: all of them are valid if it is, and if none begins inside
/// a character. Only if that fails, each string is validated alone.
pub fn valid_mask(data: &[u8], offsets: &[u32], out: &mut [u64]) {
    let n = offsets.len().saturating_sub(1);
    assert!(out.len() == words_for(n), "mask length");
    for (w, word) in out.iter_mut().enumerate() {
        let rows = &offsets[w * 64..=n.min(w * 64 + 64)];
        let count = rows.len() - 1;
        let all = &data[rows[0] as usize..rows[count] as usize];
        *word = !0 >> (64 - count);
        // An empty string behind the last character begins nowhere.
        let begins = |at: &u32| data.get(*at as usize).is_none_or(|b| *b as i8 >= -0x40);
        if all.is_ascii() || is_valid(all) && rows[1..count].iter().all(begins) {
            continue;
        }
        for (i, row) in rows.windows(2).enumerate() {
            if !is_valid(&data[row[0] as usize..row[1] as usize]) {
                *word &= !(1 << i);
            }
        }
    }
}

#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
mod tables {
    //! Errors by halves of two neighbouring bytes, a bit each.

    /// A lead byte without enough continuations.
    const SHORT: u8 = 1;
    /// A continuation behind ASCII.
    const LONG: u8 = 1 << 1;
    /// Three bytes for what fits two.
    const OVERLONG_3: u8 = 1 << 2;
    /// Above U+10FFFF.
    const LARGE: u8 = 1 << 3;
    /// A surrogate.
    const SURROGATE: u8 = 1 << 4;
    /// Two bytes for what fits one.
    const OVERLONG_2: u8 = 1 << 5;
    /// Above U+10FFFF with second byte 8, and four bytes for what fits three.
    const LARGE_1000: u8 = 1 << 6;
    /// Two continuations, which is right only behind a lead byte of three or four.
    const TWO: u8 = 1 << 7;
    const CARRY: u8 = SHORT | LONG | TWO;

    /// By the upper half of the first byte.
    pub(super) const FIRST_HIGH: [u8; 16] = {
        let mut table = [LONG; 16];
        table[8] = TWO;
        table[9] = TWO;
        table[10] = TWO;
        table[11] = TWO;
        table[12] = SHORT | OVERLONG_2;
        table[13] = SHORT;
        table[14] = SHORT | OVERLONG_3 | SURROGATE;
        table[15] = SHORT | LARGE | LARGE_1000;
        table
    };

    /// By the lower half of the first byte.
    pub(super) const FIRST_LOW: [u8; 16] = {
        let mut table = [CARRY | LARGE | LARGE_1000; 16];
        table[0] = CARRY | OVERLONG_3 | OVERLONG_2 | LARGE_1000;
        table[1] = CARRY | OVERLONG_2;
        table[2] = CARRY;
        table[3] = CARRY;
        table[4] = CARRY | LARGE;
        table[13] |= SURROGATE;
        table
    };

    /// By the upper half of the second byte.
    pub(super) const SECOND_HIGH: [u8; 16] = {
        let mut table = [SHORT; 16];
        table[8] = LONG | OVERLONG_2 | TWO | OVERLONG_3 | LARGE_1000;
        table[9] = LONG | OVERLONG_2 | TWO | OVERLONG_3 | LARGE;
        table[10] = LONG | OVERLONG_2 | TWO | SURROGATE | LARGE;
        table[11] = table[10];
        table
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::get;
    use crate::testing::{Rng, every_form};

    /// Text of all lengths of characters, at times with a broken byte.
    fn text(rng: &mut Rng, len: usize, broken: bool) -> Vec<u8> {
        let mut text = String::new();
        while text.len() < len {
            let limit = [0x80, 0x800, 0x1_0000, 0x11_0000][rng.below(4)];
            text.extend(char::from_u32(rng.below(limit) as u32));
        }
        let mut bytes = text.into_bytes();
        if broken && !bytes.is_empty() {
            let at = rng.below(bytes.len());
            let wrong = [0x80, 0xBF, 0xC0, 0xC1, 0xE0, 0xED, 0xF0, 0xF4, 0xF5, 0xFF, 0x9F, b'a'];
            bytes[at] = wrong[rng.below(wrong.len())];
        }
        if rng.below(4) == 0 {
            bytes.truncate(rng.below(bytes.len() + 1));
        }
        bytes
    }

    #[test]
    fn texts_against_the_standard_library() {
        every_form(|| {
            let mut rng = Rng(32);
            for round in 0..20_000 {
                let len = if round % 50 == 0 { 700 } else { rng.below(160) };
                let bytes = text(&mut rng, len, round % 2 == 0);
                assert_eq!(is_valid(&bytes), std::str::from_utf8(&bytes).is_ok(), "{bytes:x?}");
            }
        });
    }

    #[test]
    fn every_pair_and_triple_of_odd_bytes() {
        every_form(|| {
            let odd: Vec<u8> = (0..=255u8).filter(|b| *b >= 0x7E && *b % 4 != 1).collect();
            for before in [0, 29, 30, 31, 61, 62, 63] {
                let mut bytes = vec![b'x'; 70];
                for &a in &odd {
                    for &b in &odd {
                        for c in [b'x', 0x80, 0xBF, 0xE1] {
                            bytes[before..before + 4].copy_from_slice(&[a, b, c, 0x80]);
                            let want = std::str::from_utf8(&bytes).is_ok();
                            assert_eq!(is_valid(&bytes), want, "{before} {a:x} {b:x} {c:x}");
                        }
                    }
                }
            }
        });
    }

    #[test]
    fn masks_of_strings() {
        every_form(|| {
            let mut rng = Rng(33);
            for n in [0, 1, 63, 64, 65, 300] {
                for kind in 0..3 {
                    let mut data = text(&mut rng, 5, true);
                    let mut offsets = vec![data.len() as u32];
                    for _ in 0..n {
                        let (len, broken) = (rng.below(12), kind > 0 && rng.below(40) == 0);
                        data.extend(text(&mut rng, len, broken));
                        offsets.push(data.len() as u32);
                    }
                    if kind == 2 {
                        // Whole text is valid, but its rows begin anywhere.
                        let middle = offsets.len() / 2;
                        offsets[middle] = offsets[middle].max(offsets[0] + 1) - 1;
                        offsets.sort_unstable();
                    }
                    let mut out = vec![0; words_for(n)];
                    valid_mask(&data, &offsets, &mut out);
                    for (i, row) in offsets.windows(2).enumerate() {
                        let row = &data[row[0] as usize..row[1] as usize];
                        assert_eq!(get(&out, i), std::str::from_utf8(row).is_ok(), "{i} of {n}");
                    }
                }
            }
        });
    }
}
