//! MD5 of many short texts at once (RFC 1321).
//!
//! The steps of MD5 depend on each other, so a processor is mostly idle while it hashes one text.
//! Sixteen texts go through the steps side by side, block by block, in loops over lanes that the
//! compiler turns into vector instructions. Texts of many blocks are hashed alone.

use sha1::Digest;

/// Texts that are hashed side by side.
const LANES: usize = 16;

/// Bytes that are hashed in one step.
const BLOCK: usize = 64;

/// Longest text for a lane: with a longer one, the other lanes would mostly be idle.
const MOST: usize = 8 * BLOCK - 9;

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

/// The states after one more block each.
fn compress(state: &mut [Word; 4], message: &[Word; 16]) {
    let before = *state;
    round::<7, 12, 17, 22>(state, message, &SINES[..16], (0, 1), |b, c, d| d ^ (b & (c ^ d)));
    round::<5, 9, 14, 20>(state, message, &SINES[16..32], (1, 5), |b, c, d| c ^ (d & (b ^ c)));
    round::<4, 11, 16, 23>(state, message, &SINES[32..48], (5, 3), |b, c, d| b ^ c ^ d);
    round::<6, 10, 15, 21>(state, message, &SINES[48..], (0, 7), |b, c, d| c ^ (b | !d));
    for (word, before) in state.iter_mut().zip(&before) {
        word.iter_mut().zip(before).for_each(|(lane, before)| *lane = lane.wrapping_add(*before));
    }
}

/// Blocks of a text with its end mark and its length; 0 if it is too long for lanes.
fn blocks_of(text: &[u8]) -> usize {
    if text.len() > MOST { 0 } else { (text.len() + 9).div_ceil(BLOCK) }
}

/// Puts a block of a text into a lane.
fn place(text: &[u8], number: usize, message: &mut [Word; 16], lane: usize) {
    let rest = text.get(number * BLOCK..).unwrap_or_default();
    let bytes = &rest[..rest.len().min(BLOCK)];
    let mut block = [0u8; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    if text.len() / BLOCK == number {
        block[bytes.len()] = 0x80;
    }
    if blocks_of(text) == number + 1 {
        block[BLOCK - 8..].copy_from_slice(&(text.len() as u64 * 8).to_le_bytes());
    }
    for (word, bytes) in message.iter_mut().zip(block.as_chunks::<4>().0) {
        word[lane] = u32::from_le_bytes(*bytes);
    }
}

/// The digests of at most as many texts as there are lanes.
fn side_by_side(texts: &[&[u8]], take: &mut impl FnMut([u8; 16])) {
    let mut state = START.map(|word| [word; LANES]);
    let mut message = [[0; LANES]; 16];
    let mut digests = [[0u8; 16]; LANES];
    let most = texts.iter().map(|text| blocks_of(text)).max().unwrap_or(0);
    for number in 0..most {
        for (lane, text) in texts.iter().enumerate() {
            if number < blocks_of(text) {
                place(text, number, &mut message, lane);
            }
        }
        compress(&mut state, &message);
        for (lane, text) in texts.iter().enumerate() {
            if blocks_of(text) == number + 1 {
                let words = [0, 1, 2, 3].map(|word: usize| state[word][lane].to_le_bytes());
                digests[lane].copy_from_slice(words.as_flattened());
            }
        }
    }
    for (text, digest) in texts.iter().zip(digests) {
        take(if text.len() > MOST { md5::Md5::digest(text).into() } else { digest });
    }
}

/// The digests of all texts, in order.
pub fn digests<'a>(texts: impl Iterator<Item = &'a [u8]>, mut take: impl FnMut([u8; 16])) {
    let mut batch: [&[u8]; LANES] = [&[]; LANES];
    let mut count = 0;
    for text in texts {
        batch[count] = text;
        count += 1;
        if count == LANES {
            side_by_side(&batch, &mut take);
            count = 0;
        }
    }
    side_by_side(&batch[..count], &mut take);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_agree_with_the_library() {
        let bytes: Vec<u8> = (0..700u32).map(|i| (i * 7) as u8).collect();
        for count in [0, 1, 15, 16, 17, 701] {
            let texts: Vec<&[u8]> = (0..count).map(|i| &bytes[..i * 11 % 700]).collect();
            let mut digests = Vec::new();
            super::digests(texts.iter().copied(), |digest| digests.push(digest));
            let expected: Vec<[u8; 16]> =
                texts.iter().map(|text| md5::Md5::digest(text).into()).collect();
            assert_eq!(digests, expected, "{count} texts");
        }
    }
}
