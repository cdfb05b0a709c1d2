//! MD5 of many short texts at once (RFC 1321), see [`super::lanes`].

use sha1::Digest;

use super::lanes::{Hash, LANES, Word};

/// MD5 in lanes.
pub struct Md5;

impl Hash<4> for Md5 {
    const START: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
    const BIG_ENDIAN: bool = false;

    fn compress(state: &mut [Word; 4], message: &mut [Word; 16]) {
        compress(state, message);
    }

    fn long(text: &[u8], take: &mut impl FnMut(&[u8])) {
        take(&md5::Md5::digest(text));
    }
}

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
fn compress(state: &mut [Word; 4], message: &mut [Word; 16]) {
    let before = *state;
    round::<7, 12, 17, 22>(state, message, &SINES[..16], (0, 1), |b, c, d| d ^ (b & (c ^ d)));
    round::<5, 9, 14, 20>(state, message, &SINES[16..32], (1, 5), |b, c, d| c ^ (d & (b ^ c)));
    round::<4, 11, 16, 23>(state, message, &SINES[32..48], (5, 3), |b, c, d| b ^ c ^ d);
    round::<6, 10, 15, 21>(state, message, &SINES[48..], (0, 7), |b, c, d| c ^ (b | !d));
    for (word, before) in state.iter_mut().zip(&before) {
        word.iter_mut().zip(before).for_each(|(lane, before)| *lane = lane.wrapping_add(*before));
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::tests::agree;
    use super::*;

    #[test]
    fn lanes_agree_with_the_library() {
        agree::<4, Md5>(|text| md5::Md5::digest(text).to_vec());
    }
}
