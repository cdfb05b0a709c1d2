//! SHA-1 of many short texts at once (RFC 3174), see [`super::lanes`].

use sha1::Digest;

use super::lanes::{Hash, LANES, Word};

/// SHA-1 in lanes.
pub struct Sha1;

impl Hash<5> for Sha1 {
    const START: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    const BIG_ENDIAN: bool = true;

    fn compress(state: &mut [Word; 5], message: &mut [Word; 16]) {
        compress(state, message);
    }

    fn long(text: &[u8], take: &mut impl FnMut(&[u8])) {
        take(&sha1::Sha1::digest(text));
    }
}

/// One step: `f` is the round's function of three words.
#[inline(always)]
fn step(
    [a, c, d]: [&Word; 3],
    b: &mut Word,
    e: &mut Word,
    message: &Word,
    f: impl Fn(u32, u32, u32) -> u32,
) {
    for i in 0..LANES {
        let sum = a[i].rotate_left(5).wrapping_add(f(b[i], c[i], d[i]));
        e[i] = e[i].wrapping_add(sum).wrapping_add(message[i]);
        b[i] = b[i].rotate_left(30);
    }
}

/// The word of step `at` with the round's constant; from the sixteenth step on it comes out of four
/// earlier ones and takes the place of the oldest.
#[inline(always)]
fn word(message: &mut [Word; 16], at: usize, constant: u32) -> Word {
    if at >= 16 {
        for i in 0..LANES {
            let of = |back: usize| message[(at - back) % 16][i];
            message[at % 16][i] = (of(3) ^ of(8) ^ of(14) ^ of(16)).rotate_left(1);
        }
    }
    message[at % 16].map(|word| word.wrapping_add(constant))
}

/// Twenty steps with one function.
#[inline(always)]
fn round(
    state: &mut [Word; 5],
    message: &mut [Word; 16],
    (first, constant): (usize, u32),
    f: impl Fn(u32, u32, u32) -> u32 + Copy,
) {
    let [a, b, c, d, e] = state;
    for at in (first..first + 20).step_by(5) {
        step([a, c, d], b, e, &word(message, at, constant), f);
        step([e, b, c], a, d, &word(message, at + 1, constant), f);
        step([d, a, b], e, c, &word(message, at + 2, constant), f);
        step([c, e, a], d, b, &word(message, at + 3, constant), f);
        step([b, d, e], c, a, &word(message, at + 4, constant), f);
    }
}

/// The states after one more block each.
fn compress(state: &mut [Word; 5], message: &mut [Word; 16]) {
    let before = *state;
    round(state, message, (0, 0x5a827999), |b, c, d| d ^ (b & (c ^ d)));
    round(state, message, (20, 0x6ed9eba1), |b, c, d| b ^ c ^ d);
    round(state, message, (40, 0x8f1bbcdc), |b, c, d| (b & c) | (d & (b | c)));
    round(state, message, (60, 0xca62c1d6), |b, c, d| b ^ c ^ d);
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
        agree::<5, Sha1>(|text| sha1::Sha1::digest(text).to_vec());
    }
}
