//! Bit-packing of integers with a width of 0 to 64 bits, plus a base added while unpacking.
//!
//! Layout, for `n` values of `w` bits: full blocks of 256 values, each `32 * w` bytes, then the
//! rest (fewer than 256) as a plain little-endian bit stream of `ceil(rest * w / 8)` bytes.
//! A block is "vertical", so that it unpacks with whole-vector shifts and no shuffle: for
//! `w <= 32` it has 8 lanes of u32, value `i` in lane `i % 8` at bit `(i / 8) * w` of that lane's
//! stream, and word `k` of lane `l` at byte `(k * 8 + l) * 4`. For `w > 32`: 4 lanes of u64 alike.
//!
//! Invariant: nothing is read past the `packed_len` bytes; bad input gives wrong numbers, no panic.

/// Values in a vertical block.
pub const BLOCK: usize = 256;

/// An integer that can be packed. It is converted to and from 64 unsigned bits by its bit pattern.
pub trait Packable: Copy + 'static {
    /// Bits of the type.
    const BITS: u32;
    /// `self - base`, wrapping in this width, zero-extended.
    fn offset_from(self, base: Self) -> u64;
    /// `base + offset` with a 32-bit offset, wrapping in this width.
    fn plus(self, offset: u64) -> Self;
    /// `base + offset` with a 32-bit offset, wrapping in this width.
    fn plus32(self, offset: u32) -> Self;
}

macro_rules! packable {
    ($($t:ty as $u:ty),*) => { $(impl Packable for $t {
        const BITS: u32 = <$t>::BITS;
        #[inline(always)]
        fn offset_from(self, base: Self) -> u64 { self.wrapping_sub(base) as $u as u64 }
        #[inline(always)]
        fn plus(self, offset: u64) -> Self { self.wrapping_add(offset as $t) }
        #[inline(always)]
        fn plus32(self, offset: u32) -> Self { self.wrapping_add(offset as $t) }
    })* };
}
packable!(
    u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64
);

/// Bits needed for `max` (0 for 0).
#[inline]
pub fn width_for(max: u64) -> u32 {
    64 - max.leading_zeros()
}

/// Number of bytes for `n` values of `width` bits; saturates.
#[inline]
pub fn packed_len(n: usize, width: u32) -> usize {
    let tail_bits = (n % BLOCK) * width as usize;
    (n / BLOCK).saturating_mul(32 * width as usize).saturating_add(tail_bits.div_ceil(8))
}

/// Appends `values[i] - base` in `width` bits each; higher bits are cut off.
pub fn pack<T: Packable>(values: &[T], base: T, width: u32, out: &mut Vec<u8>) {
    assert!(width <= 64, "pack width");
    if width == 0 {
        return;
    }
    out.reserve(packed_len(values.len(), width));
    let mask = !0 >> (64 - width);
    let (blocks, tail) = values.as_chunks::<BLOCK>();
    for block in blocks {
        if width <= 32 {
            pack_block32(block, base, width, mask as u32, out);
        } else {
            pack_block64(block, base, width, mask, out);
        }
    }
    let (mut bits, mut used) = (0u128, 0);
    for v in tail {
        bits |= u128::from(v.offset_from(base) & mask) << used;
        used += width;
        while used >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            used -= 8;
        }
    }
    if used > 0 {
        out.push(bits as u8);
    }
}

fn pack_block32<T: Packable>(v: &[T; BLOCK], base: T, width: u32, mask: u32, out: &mut Vec<u8>) {
    let mut words = [[0u32; 8]; 32];
    for p in 0..32 {
        let bit = p as u32 * width;
        let (word, shift) = ((bit / 32) as usize, bit % 32);
        let straddles = shift + width > 32;
        for l in 0..8 {
            let x = v[p * 8 + l].offset_from(base) as u32 & mask;
            words[word][l] |= x << shift;
            if straddles {
                words[word + 1][l] |= x >> (32 - shift);
            }
        }
    }
    for word in &words[..width as usize] {
        for lane in word {
            out.extend_from_slice(&lane.to_le_bytes());
        }
    }
}

fn pack_block64<T: Packable>(v: &[T; BLOCK], base: T, width: u32, mask: u64, out: &mut Vec<u8>) {
    let mut words = [[0u64; 4]; 64];
    for p in 0..64 {
        let bit = p as u32 * width;
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        let straddles = shift + width > 64;
        for l in 0..4 {
            let x = v[p * 4 + l].offset_from(base) & mask;
            words[word][l] |= x << shift;
            if straddles {
                words[word + 1][l] |= x >> (64 - shift);
            }
        }
    }
    for word in &words[..width as usize] {
        for lane in word {
            out.extend_from_slice(&lane.to_le_bytes());
        }
    }
}

/// Unpacks `out.len()` values of `width` bits and adds `base` to each. Returns `false` and leaves
/// `out` unchanged if `bytes` is shorter than `packed_len`, or the width is above 64.
#[must_use]
pub fn unpack_add<T: Packable>(bytes: &[u8], width: u32, base: T, out: &mut [T]) -> bool {
    if width > 64 || bytes.len() < packed_len(out.len(), width) {
        return false;
    }
    if width == 0 {
        out.fill(base);
        return true;
    }
    let (blocks, tail) = out.as_chunks_mut::<BLOCK>();
    let size = 32 * width as usize;
    let (full, rest) = bytes.split_at(blocks.len() * size);
    if width <= 32 {
        let mut offsets = [0u32; BLOCK];
        for (block, src) in blocks.iter_mut().zip(full.chunks_exact(size)) {
            unpack_block32(src, width, &mut offsets);
            for (o, &x) in block.iter_mut().zip(&offsets) {
                *o = base.plus32(x);
            }
        }
    } else {
        let mut offsets = [0u64; BLOCK];
        for (block, src) in blocks.iter_mut().zip(full.chunks_exact(size)) {
            unpack_block64(src, width, &mut offsets);
            for (o, &x) in block.iter_mut().zip(&offsets) {
                *o = base.plus(x);
            }
        }
    }
    for (i, o) in tail.iter_mut().enumerate() {
        *o = base.plus(stream_value(rest, width, i));
    }
    true
}

/// Unpacks without a base: see [`unpack_add`].
#[must_use]
pub fn unpack<T: Packable + Default>(bytes: &[u8], width: u32, out: &mut [T]) -> bool {
    unpack_add(bytes, width, T::default(), out)
}

/// Value `i` of `n` packed values, without unpacking the others; `None` if it is out of bounds.
pub fn unpack_one(bytes: &[u8], n: usize, width: u32, i: usize) -> Option<u64> {
    if i >= n || width > 64 || bytes.len() < packed_len(n, width) {
        return None;
    }
    if width == 0 {
        return Some(0);
    }
    let (block, at) = (i / BLOCK, i % BLOCK);
    let rest = &bytes[block * 32 * width as usize..];
    if block == n / BLOCK {
        return Some(stream_value(rest, width, at));
    }
    let (lanes, bits) = if width <= 32 { (8, 32) } else { (4, 64) };
    let bit = (at / lanes) as u32 * width;
    let word =
        |k: u32| read_le(&rest[(k as usize * lanes + at % lanes) * bits as usize / 8..], bits / 8);
    let (k, shift) = (bit / bits, bit % bits);
    let mut value = word(k) >> shift;
    if shift + width > bits {
        value |= word(k + 1) << (bits - shift);
    }
    Some(value & (!0 >> (64 - width)))
}

/// Up to 8 bytes, little-endian; bytes past the end count as 0.
#[inline(always)]
fn read_le(bytes: &[u8], n: u32) -> u64 {
    if let (8, Some(eight)) = (n, bytes.first_chunk()) {
        return u64::from_le_bytes(*eight);
    }
    bytes.iter().take(n as usize).rev().fold(0, |v, &b| v << 8 | u64::from(b))
}

/// Value `i` of a plain bit stream.
#[inline]
fn stream_value(bytes: &[u8], width: u32, i: usize) -> u64 {
    let bit = i * width as usize;
    let (at, shift) = (bit / 8, (bit % 8) as u32);
    let rest = bytes.get(at..).unwrap_or(&[]);
    let mut value = read_le(rest, 8) >> shift;
    if shift + width > 64 {
        value |= u64::from(rest.get(8).copied().unwrap_or(0)) << (64 - shift);
    }
    value & (!0 >> (64 - width))
}

/// Unpacks a block with `w > 32`. Shifts are computed, because these widths are rare.
#[inline(never)]
fn unpack_block64(src: &[u8], width: u32, out: &mut [u64; BLOCK]) {
    #[cfg(target_feature = "avx2")]
    if !crate::portable() {
        return avx2::unpack_block64(src, width, out);
    }
    #[cfg(target_feature = "neon")]
    if !crate::portable() {
        return neon::unpack_block64(src, width, out);
    }
    let mask = !0 >> (64 - width);
    let words = src.as_chunks::<8>().0;
    for (p, four) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let bit = p as u32 * width;
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        for (l, o) in four.iter_mut().enumerate() {
            let mut value = u64::from_le_bytes(words[word * 4 + l]) >> shift;
            if shift + width > 64 {
                value |= u64::from_le_bytes(words[word * 4 + 4 + l]) << (64 - shift);
            }
            *o = value & mask;
        }
    }
}

/// Unpacks a block with `w <= 32`. Each width has its own code with constant shifts.
#[inline(never)]
fn unpack_block32(src: &[u8], width: u32, out: &mut [u32; BLOCK]) {
    macro_rules! widths {
        ($($w:literal)*) => { match width { $($w => fixed32::<$w>(src, out),)* _ => {} } };
    }
    widths!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

#[inline(always)]
fn fixed32<const W: u32>(src: &[u8], out: &mut [u32; BLOCK]) {
    #[cfg(target_feature = "avx2")]
    if !crate::portable() {
        return avx2::fixed32::<W>(src, out);
    }
    #[cfg(target_feature = "neon")]
    if !crate::portable() {
        return neon::fixed32::<W>(src, out);
    }
    let mask = !0 >> (32 - W);
    let words = src.as_chunks::<4>().0;
    for (p, eight) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let bit = p as u32 * W;
        let (word, shift) = ((bit / 32) as usize, bit % 32);
        for (l, o) in eight.iter_mut().enumerate() {
            let mut value = u32::from_le_bytes(words[word * 8 + l]) >> shift;
            if shift + W > 32 {
                value |= u32::from_le_bytes(words[word * 8 + 8 + l]) << (32 - shift);
            }
            *o = value & mask;
        }
    }
}

#[cfg(target_feature = "avx2")]
#[allow(unsafe_code)]
mod avx2 {
    use super::BLOCK;
    use std::arch::x86_64::*;

    #[inline(always)]
    pub(super) fn unpack_block64(src: &[u8], width: u32, out: &mut [u64; BLOCK]) {
        assert!((33..=64).contains(&width) && src.len() == 32 * width as usize, "block size");
        let mask = (!0u64 >> (64 - width)) as i64;
        // SAFETY: AVX2 is enabled for the whole build (cfg above). A block has `width` vectors of
        // input: position p reads vectors p * width / 64 and, clamped to the last, the next one.
        // `out` has 64 vectors.
        unsafe {
            let mask = _mm256_set1_epi64x(mask);
            let (src, out) = (src.as_ptr().cast::<__m256i>(), out.as_mut_ptr().cast::<__m256i>());
            for p in 0..64 {
                let (word, shift) = (p * width / 64, (p * width % 64) as i32);
                let low = _mm256_loadu_si256(src.add(word as usize));
                let high = _mm256_loadu_si256(src.add((word + 1).min(width - 1) as usize));
                // A shift by 64 gives 0, and the mask removes bits of the next value.
                let low = _mm256_srl_epi64(low, _mm_cvtsi32_si128(shift));
                let high = _mm256_sll_epi64(high, _mm_cvtsi32_si128(64 - shift));
                let value = _mm256_and_si256(_mm256_or_si256(low, high), mask);
                _mm256_storeu_si256(out.add(p as usize), value);
            }
        }
    }

    #[inline(always)]
    pub(super) fn fixed32<const W: u32>(src: &[u8], out: &mut [u32; BLOCK]) {
        assert!(src.len() == 32 * W as usize, "block size");
        let mask = (!0u32 >> (32 - W)) as i32;
        // SAFETY: AVX2 is enabled for the whole build (cfg above). A block has W vectors of input:
        // position p reads vector p * W / 32 <= W - 1 and, when it straddles, the next one, which
        // exists since (p + 1) * W <= 32 * W. `out` has 32 vectors.
        unsafe {
            let mask = _mm256_set1_epi32(mask);
            let (src, out) = (src.as_ptr().cast::<__m256i>(), out.as_mut_ptr().cast::<__m256i>());
            macro_rules! step {
                ($($p:literal)*) => { $({
                    let (word, shift) = ($p * W / 32, $p * W % 32);
                    let load = |k: u32| _mm256_loadu_si256(src.add(k as usize));
                    let mut v = load(word);
                    if shift > 0 {
                        v = _mm256_srl_epi32(v, _mm_cvtsi32_si128(shift as i32));
                    }
                    if shift + W > 32 {
                        let high = _mm_cvtsi32_si128(32 - shift as i32);
                        v = _mm256_or_si256(v, _mm256_sll_epi32(load(word + 1), high));
                    }
                    if W < 32 {
                        v = _mm256_and_si256(v, mask);
                    }
                    _mm256_storeu_si256(out.add($p), v);
                })* };
            }
            step!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            step!(16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
        }
    }
}

#[cfg(target_feature = "neon")]
#[allow(unsafe_code)]
mod neon {
    use super::BLOCK;
    use std::arch::aarch64::*;

    #[inline(always)]
    pub(super) fn unpack_block64(src: &[u8], width: u32, out: &mut [u64; BLOCK]) {
        assert!((33..=64).contains(&width) && src.len() == 32 * width as usize, "block size");
        // SAFETY: NEON is enabled for the whole build (cfg above). A block has `width` times four
        // numbers of input: position p reads the four at p * width / 64 and, clamped to the last,
        // the next ones. `out` has 64 times four.
        unsafe {
            let mask = vdupq_n_u64(!0 >> (64 - width));
            let (src, out) = (src.as_ptr(), out.as_mut_ptr());
            for p in 0..64 {
                let (word, shift) = (p * width / 64, i64::from(p * width % 64));
                let low = src.add(word as usize * 32);
                let high = src.add((word + 1).min(width - 1) as usize * 32);
                // A shift to the left by a negative number is one to the right. One by 64 gives 0,
                // and the mask removes bits of the next value.
                let (right, left) = (vdupq_n_s64(-shift), vdupq_n_s64(64 - shift));
                let load = |from: *const u8, at| vreinterpretq_u64_u8(vld1q_u8(from.add(at)));
                for half in 0..2 {
                    let low = vshlq_u64(load(low, half * 16), right);
                    let high = vshlq_u64(load(high, half * 16), left);
                    let value = vandq_u64(vorrq_u64(low, high), mask);
                    vst1q_u64(out.add(p as usize * 4 + half * 2), value);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn fixed32<const W: u32>(src: &[u8], out: &mut [u32; BLOCK]) {
        assert!(src.len() == 32 * W as usize, "block size");
        // SAFETY: NEON is enabled for the whole build (cfg above). A block has W times eight
        // numbers of input: position p reads the eight at p * W / 32 <= W - 1 and, when it
        // straddles, the next ones, which exist since (p + 1) * W <= 32 * W. `out` has 32 times
        // eight.
        unsafe {
            let mask = vdupq_n_u32(!0 >> (32 - W));
            let (src, out) = (src.as_ptr(), out.as_mut_ptr());
            let load = |k: u32, half: usize| {
                vreinterpretq_u32_u8(vld1q_u8(src.add(k as usize * 32 + half * 16)))
            };
            macro_rules! step {
                ($($p:literal)*) => { $(for half in 0..2 {
                    let (word, shift) = ($p * W / 32, $p * W % 32);
                    let mut v = load(word, half);
                    if shift > 0 {
                        // A shift to the left by a negative number is one to the right.
                        v = vshlq_u32(v, vdupq_n_s32(-(shift as i32)));
                    }
                    if shift + W > 32 {
                        let high = vdupq_n_s32(32 - shift as i32);
                        v = vorrq_u32(v, vshlq_u32(load(word + 1, half), high));
                    }
                    if shift + W != 32 {
                        v = vandq_u32(v, mask);
                    }
                    vst1q_u32(out.add($p * 8 + half * 4), v);
                })* };
            }
            step!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            step!(16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, every_form};

    fn check<T: Packable + PartialEq + Default + std::fmt::Debug>(make: impl Fn(u64) -> T) {
        let mut rng = Rng(9);
        for width in 0..=T::BITS {
            for n in [0, 1, 3, 255, 256, 257, 700] {
                let mask = if width == 0 { 0 } else { !0 >> (64 - width) };
                let base = make(rng.next());
                let offsets: Vec<u64> =
                    (0..n).map(|i| if i % 7 == 0 { mask } else { rng.next() & mask }).collect();
                let values: Vec<T> = offsets.iter().map(|&o| base.plus(o)).collect();
                let mut bytes = vec![];
                pack(&values, base, width, &mut bytes);
                assert_eq!(bytes.len(), packed_len(n, width));
                let mut out = vec![T::default(); n];
                assert!(unpack_add(&bytes, width, base, &mut out));
                assert_eq!(out, values, "width {width}, n {n}");
                for _ in 0..n.min(5) {
                    let i = rng.below(n);
                    assert_eq!(unpack_one(&bytes, n, width, i), Some(offsets[i]), "{width} {i}");
                }
                if !bytes.is_empty() {
                    assert!(!unpack_add(&bytes[1..], width, base, &mut out));
                }
            }
        }
    }

    #[test]
    fn every_width_of_every_type() {
        every_form(|| {
            check(|v| v as u8);
            check(|v| v as u16);
            check(|v| v as u32);
            check(|v| v);
            check(|v| v as i8);
            check(|v| v as i16);
            check(|v| v as i32);
            check(|v| v as i64);
        });
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 255, 256, u64::MAX].map(width_for), [0, 1, 2, 8, 9, 64]);
        assert_eq!(packed_len(usize::MAX, 64), usize::MAX);
    }
}
