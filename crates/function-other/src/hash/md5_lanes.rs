//! MD5 of many short texts at once (RFC 1321).
//!
//! The steps of MD5 depend on each other, so a processor is mostly idle while it hashes one text.
//! A text of up to 55 bytes is one block: sixteen of them go through the steps side by side, in
//! loops over lanes that the compiler turns into vector instructions.

use sha1::Digest;

/// Texts that are hashed side by side.
const LANES: usize = 16;

/// Longest text that is one block with its length.
const MOST: usize = 55;

type Word = [u32; LANES];

#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

const START: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

/// One step: `f` is the round's function of the other three words.
#[inline(always)]
fn step<const TURN: u32>(
    a: &mut Word,
    [b, c, d]: [&Word; 3],
    message: &Word,
    sine: u32,
    f: impl Fn(u32, u32, u32) -> u32,
) {
    for i in 0..LANES {
        let sum =
            a[i].wrapping_add(f(b[i], c[i], d[i])).wrapping_add(message[i]).wrapping_add(sine);
        a[i] = sum.rotate_left(TURN).wrapping_add(b[i]);
    }
}

/// Sixteen steps with one function; step `k` takes the word `(first + stride * k) % 16`.
#[inline(always)]
fn round<const A: u32, const B: u32, const C: u32, const D: u32>(
    state: &mut [Word; 4],
    message: &[Word; 16],
    sines: &[u32],
    (first, stride): (usize, usize),
    f: impl Fn(u32, u32, u32) -> u32 + Copy,
) {
    let [a, b, c, d] = state;
    for k in (0..16).step_by(4) {
        let word = |j: usize| &message[(first + stride * (k + j)) % 16];
        step::<A>(a, [b, c, d], word(0), sines[k], f);
        step::<B>(d, [a, b, c], word(1), sines[k + 1], f);
        step::<C>(c, [d, a, b], word(2), sines[k + 2], f);
        step::<D>(b, [c, d, a], word(3), sines[k + 3], f);
    }
}

/// The states after one block each.
fn compress(message: &[Word; 16]) -> [Word; 4] {
    let mut state = START.map(|word| [word; LANES]);
    round::<7, 12, 17, 22>(&mut state, message, &SINES[..16], (0, 1), |b, c, d| d ^ (b & (c ^ d)));
    round::<5, 9, 14, 20>(&mut state, message, &SINES[16..32], (1, 5), |b, c, d| c ^ (d & (b ^ c)));
    round::<4, 11, 16, 23>(&mut state, message, &SINES[32..48], (5, 3), |b, c, d| b ^ c ^ d);
    round::<6, 10, 15, 21>(&mut state, message, &SINES[48..], (0, 7), |b, c, d| c ^ (b | !d));
    for (word, start) in state.iter_mut().zip(START) {
        word.iter_mut().for_each(|lane| *lane = lane.wrapping_add(start));
    }
    state
}

/// Puts the block of a short text into a lane.
fn place(text: &[u8], message: &mut [Word; 16], lane: usize) {
    let mut block = [0u8; 64];
    block[..text.len()].copy_from_slice(text);
    block[text.len()] = 0x80;
    block[56..].copy_from_slice(&(text.len() as u64 * 8).to_le_bytes());
    for (word, bytes) in message.iter_mut().zip(block.as_chunks::<4>().0) {
        word[lane] = u32::from_le_bytes(*bytes);
    }
}

/// The digests of all texts, in order.
pub fn digests<'a>(texts: impl Iterator<Item = &'a [u8]>, mut take: impl FnMut([u8; 16])) {
    let mut message = [[0; LANES]; 16];
    let mut count = 0;
    let mut long = [None; LANES];
    let mut flush = |count: usize, message: &[Word; 16], long: &mut [Option<&'a [u8]>; LANES]| {
        let state = compress(message);
        for lane in 0..count {
            match long[lane].take() {
                Some(text) => take(md5::Md5::digest(text).into()),
                None => {
                    let words = [0, 1, 2, 3].map(|word: usize| state[word][lane].to_le_bytes());
                    let mut digest = [0; 16];
                    digest.copy_from_slice(words.as_flattened());
                    take(digest);
                }
            }
        }
    };
    for text in texts {
        if text.len() <= MOST {
            place(text, &mut message, count);
        } else {
            long[count] = Some(text);
        }
        count += 1;
        if count == LANES {
            flush(count, &message, &mut long);
            count = 0;
        }
    }
    flush(count, &message, &mut long);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_agree_with_the_library() {
        let bytes: Vec<u8> = (0..200).collect();
        for count in [0, 1, 15, 16, 17, 100] {
            let texts: Vec<&[u8]> = (0..count).map(|i| &bytes[..i * 7 % 80]).collect();
            let mut digests = Vec::new();
            super::digests(texts.iter().copied(), |digest| digests.push(digest));
            let expected: Vec<[u8; 16]> =
                texts.iter().map(|text| md5::Md5::digest(text).into()).collect();
            assert_eq!(digests, expected, "{count} texts");
        }
    }
}
