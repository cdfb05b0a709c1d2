//! Base64 (RFC 4648), whole groups only: three bytes are four digits. Padding, white space and
//! what is left over are the caller's.
//!
//! The vector loops are those of Muła and Lemire, "Faster Base64 Encoding and Decoding Using AVX2
//! Instructions" (2018): 24 bytes for 32 digits a step. With AVX-512
//! and NEON a step takes twice as many.

#[cfg(target_feature = "neon")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod wide;

/// Which characters stand for 62 and 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// `+` and `/`.
    Standard,
    /// `-` and `_`, for URLs.
    Url,
}

/// The digits of an alphabet.
pub const fn digits(alphabet: Alphabet) -> &'static [u8; 64] {
    match alphabet {
        Alphabet::Standard => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        Alphabet::Url => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    }
}

/// What [`values`] has for a byte that is no digit.
pub const NO_DIGIT: u8 = 0xFF;

/// The value of each byte as a digit.
pub fn values(alphabet: Alphabet) -> &'static [u8; 256] {
    const fn table(digits: &[u8; 64]) -> [u8; 256] {
        let mut values = [NO_DIGIT; 256];
        let mut i = 0;
        while i < 64 {
            values[digits[i] as usize] = i as u8;
            i += 1;
        }
        values
    }
    static STANDARD: [u8; 256] = table(digits(Alphabet::Standard));
    static URL: [u8; 256] = table(digits(Alphabet::Url));
    match alphabet {
        Alphabet::Standard => &STANDARD,
        Alphabet::Url => &URL,
    }
}

/// Shortest input for which the wide form pays.
#[cfg(target_arch = "x86_64")]
const LEAST_WIDE: usize = 12;

/// Writes the digits of `bytes` into `out`. Panics unless the bytes are groups of three, and `out`
/// has room for four digits for each group.
#[inline]
pub fn encode(bytes: &[u8], alphabet: Alphabet, out: &mut [u8]) {
    assert!(bytes.len().is_multiple_of(3) && out.len() == bytes.len() / 3 * 4, "whole groups");
    #[cfg(target_arch = "x86_64")]
    if bytes.len() >= LEAST_WIDE && crate::wide() {
        // SAFETY: the form has the instructions, and the lengths were checked above.
        #[allow(unsafe_code)]
        unsafe {
            return wide::encode(bytes, alphabet, out);
        }
    }
    #[allow(unused_mut)]
    let mut done = 0;
    #[cfg(target_feature = "avx2")]
    if bytes.len() >= avx2::LEAST && !crate::portable() {
        done = avx2::encode(bytes, alphabet, out);
    }
    #[cfg(target_feature = "neon")]
    if !crate::portable() {
        done = neon::encode(bytes, alphabet, out);
    }
    let digits = digits(alphabet);
    let groups = bytes[done..].as_chunks::<3>().0;
    for (four, &[a, b, c]) in out[done / 3 * 4..].as_chunks_mut::<4>().0.iter_mut().zip(groups) {
        let word = u32::from(a) << 16 | u32::from(b) << 8 | u32::from(c);
        *four = [18, 12, 6, 0].map(|shift: u32| digits[(word >> shift & 63) as usize]);
    }
}

/// Appends what the digits at the front of `text` stand for, and answers how many they are: whole
/// groups of four, up to the first one that contains something else.
#[inline]
pub fn decode(text: &[u8], alphabet: Alphabet, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.resize(start + text.len() / 4 * 3, 0);
    let room = &mut out[start..];
    #[allow(unused_mut)]
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if text.len() >= LEAST_WIDE && crate::wide() {
        // SAFETY: the form has the instructions, and `room` has the bytes of all groups.
        #[allow(unsafe_code)]
        unsafe {
            done = wide::decode(text, alphabet, room);
        }
    }
    #[cfg(target_feature = "avx2")]
    if done == 0 && text.len() >= avx2::LEAST && !crate::portable() {
        done = avx2::decode(text, alphabet, room);
    }
    #[cfg(target_feature = "neon")]
    if !crate::portable() {
        done = neon::decode(text, alphabet, room);
    }
    let values = values(alphabet);
    let groups = text[done..].as_chunks::<4>().0;
    for (three, four) in room[done / 4 * 3..].as_chunks_mut::<3>().0.iter_mut().zip(groups) {
        let [a, b, c, d] = four.map(|digit| values[usize::from(digit)]);
        if a | b | c | d == NO_DIGIT {
            break;
        }
        let word = u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
        let [_, bytes @ ..] = word.to_be_bytes();
        *three = bytes;
        done += 4;
    }
    out.truncate(start + done / 4 * 3);
    done
}

#[cfg(target_feature = "avx2")]
#[allow(unsafe_code)]
mod avx2 {
    use super::Alphabet;
    use std::arch::x86_64::*;

    /// Shortest input for which vectors pay.
    pub(super) const LEAST: usize = 32;

    /// The same sixteen bytes in both lanes.
    fn twice(bytes: [i8; 16]) -> __m256i {
        let all: [[i8; 16]; 2] = [bytes; 2];
        // SAFETY: an array of 32 bytes has the size of the vector, which has no invalid values.
        unsafe { std::mem::transmute(all) }
    }

    /// Encodes as many bytes as it can, and answers how many.
    pub(super) fn encode(bytes: &[u8], alphabet: Alphabet, out: &mut [u8]) -> usize {
        let (plus, slash) = match alphabet {
            Alphabet::Standard => (-19, -16),
            Alphabet::Url => (-17, 32),
        };
        let spread = twice([1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10]);
        let shifts = twice([65, 71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, plus, slash, 0, 0]);
        let encoded = |low, high, spread| {
            // SAFETY: the features are enabled for the build.
            unsafe {
                let wide = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), spread);
                let odd = _mm256_and_si256(wide, _mm256_set1_epi32(0x0fc0_fc00));
                let odd = _mm256_mulhi_epu16(odd, _mm256_set1_epi32(0x0400_0040));
                let even = _mm256_and_si256(wide, _mm256_set1_epi32(0x003f_03f0));
                let even = _mm256_mullo_epi16(even, _mm256_set1_epi32(0x0100_0010));
                let values = _mm256_or_si256(odd, even);
                let class = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
                let lower = _mm256_cmpgt_epi8(values, _mm256_set1_epi8(25));
                let class = _mm256_sub_epi8(class, lower);
                _mm256_add_epi8(values, _mm256_shuffle_epi8(shifts, class))
            }
        };
        let mut done = 0;
        while bytes.len() - done >= 28 {
            // SAFETY: the features are enabled for the build. 12 + 16 bytes of the source are read
            // at `done`, which the condition of the loop allows; 32 bytes are written at
            // `done / 3 * 4`, and the caller has checked that there are four thirds of the source,
            // so that 37 are left.
            unsafe {
                let from = bytes.as_ptr().add(done);
                let low = _mm_loadu_si128(from.cast());
                let high = _mm_loadu_si128(from.add(12).cast());
                let digits = encoded(low, high, spread);
                _mm256_storeu_si256(out.as_mut_ptr().add(done / 3 * 4).cast(), digits);
            }
            done += 24;
        }
        if (1..=24).contains(&(bytes.len() - done)) && bytes.len() >= 28 {
            // The last 24 bytes, some of them once more: each half is read four bytes too early.
            let spread = twice([5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14]);
            // SAFETY: the features are enabled for the build. The last 28 bytes of the source are
            // read, of which there are as many, and the last 32 bytes of the result written, which
            // is four thirds as long.
            unsafe {
                let from = bytes.as_ptr().add(bytes.len() - 28);
                let low = _mm_loadu_si128(from.cast());
                let high = _mm_loadu_si128(from.add(12).cast());
                let digits = encoded(low, high, spread);
                _mm256_storeu_si256(out.as_mut_ptr().add(out.len() - 32).cast(), digits);
            }
            done = bytes.len();
        }
        done
    }

    /// Decodes as many digits as it can, and answers how many.
    pub(super) fn decode(text: &[u8], alphabet: Alphabet, out: &mut [u8]) -> usize {
        #[rustfmt::skip]
        let (low_bits, high_bits) = (
            twice([0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A]),
            twice([0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08,
                0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10]),
        );
        let shifts = twice([0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0]);
        let pack = twice([2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1]);
        let mut done = 0;
        // The last vector would be stored past the end.
        while text.len() - done >= 32 && out.len() - done / 4 * 3 >= 32 {
            // SAFETY: the features are enabled for the build. 32 bytes of the source are read at
            // `done`, and 32 written at `done / 4 * 3`, which the condition of the loop allows.
            unsafe {
                let mut digits = _mm256_loadu_si256(text.as_ptr().add(done).cast());
                let mut is_bad = false;
                if alphabet == Alphabet::Url {
                    let is = |byte: u8| _mm256_cmpeq_epi8(digits, _mm256_set1_epi8(byte as i8));
                    let standard = _mm256_or_si256(is(b'+'), is(b'/'));
                    is_bad = _mm256_testz_si256(standard, standard) == 0;
                    let plus = _mm256_set1_epi8((b'+' as i8) - (b'-' as i8));
                    let slash = _mm256_set1_epi8((b'/' as i8) - (b'_' as i8));
                    let moved = _mm256_or_si256(
                        _mm256_and_si256(is(b'-'), plus),
                        _mm256_and_si256(is(b'_'), slash),
                    );
                    digits = _mm256_add_epi8(digits, moved);
                }
                let slash = _mm256_set1_epi8(0x2f);
                let high = _mm256_and_si256(_mm256_srli_epi32(digits, 4), slash);
                let low = _mm256_and_si256(digits, slash);
                let wrong = _mm256_and_si256(
                    _mm256_shuffle_epi8(low_bits, low),
                    _mm256_shuffle_epi8(high_bits, high),
                );
                if is_bad || _mm256_testz_si256(wrong, wrong) == 0 {
                    break;
                }
                let class = _mm256_add_epi8(_mm256_cmpeq_epi8(digits, slash), high);
                let values = _mm256_add_epi8(digits, _mm256_shuffle_epi8(shifts, class));
                let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x0140_0140));
                let groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
                let bytes = _mm256_shuffle_epi8(groups, pack);
                let order = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
                let bytes = _mm256_permutevar8x32_epi32(bytes, order);
                _mm256_storeu_si256(out.as_mut_ptr().add(done / 4 * 3).cast(), bytes);
            }
            done += 32;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, every_form};

    #[test]
    fn bytes_come_back_from_their_digits() {
        every_form(|| {
            let mut rng = Rng(1);
            for alphabet in [Alphabet::Standard, Alphabet::Url] {
                for groups in 0..100 {
                    let bytes: Vec<u8> = (0..groups * 3).map(|_| rng.next() as u8).collect();
                    let mut text = vec![0; groups * 4];
                    encode(&bytes, alphabet, &mut text);
                    for (group, four) in bytes.as_chunks::<3>().0.iter().zip(text.chunks(4)) {
                        let word = group.iter().fold(0, |w, b| w << 8 | usize::from(*b));
                        let expected = [18, 12, 6, 0].map(|s| digits(alphabet)[word >> s & 63]);
                        assert_eq!(four, expected);
                    }
                    let mut back = vec![9];
                    assert_eq!(decode(&text, alphabet, &mut back), text.len());
                    assert_eq!(back[1..], bytes);
                }
            }
        });
    }

    #[test]
    fn decoding_stops_at_every_byte_that_is_no_digit() {
        every_form(|| {
            for alphabet in [Alphabet::Standard, Alphabet::Url] {
                for byte in 0..=255u8 {
                    let is_digit = values(alphabet)[usize::from(byte)] != NO_DIGIT;
                    for at in [0, 3, 31, 32, 70, 98] {
                        let mut text = vec![b'x'; 100];
                        text[at] = byte;
                        let mut out = Vec::new();
                        let expected = if is_digit { 100 } else { at / 4 * 4 };
                        assert_eq!(decode(&text, alphabet, &mut out), expected, "{byte} at {at}");
                        assert_eq!(out.len(), expected / 4 * 3);
                    }
                }
            }
        });
    }
}
