//! Bit masks as `&[u64]`: bit `i` is bit `i % 64` of word `i / 64`, and 1 means set.
//!
//! Invariant: a mask of `len` bits has `words_for(len)` words, and the bits after `len` in the last
//! word are zero ("clean tail"). Functions that write a mask ensure this; functions that take a
//! `len` do not rely on it.

#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
mod baseline;
#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
mod places;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
pub(crate) use places::PLACES;
#[cfg(target_feature = "neon")]
pub(crate) use places::counts;

/// Words that hold `len` bits.
#[inline]
pub const fn words_for(len: usize) -> usize {
    len.div_ceil(64)
}

/// The valid bits of the last word of a mask of `len` bits (all bits if `len` is a multiple of 64).
#[inline]
pub const fn tail_mask(len: usize) -> u64 {
    if len.is_multiple_of(64) { !0 } else { (1 << (len % 64)) - 1 }
}

/// A mask of `len` bits, all equal to `bit`.
pub fn filled(len: usize, bit: bool) -> Vec<u64> {
    let mut words = vec![if bit { !0 } else { 0 }; words_for(len)];
    clear_tail(&mut words, len);
    words
}

/// Zeroes the bits past `len` in the last word.
#[inline]
pub fn clear_tail(words: &mut [u64], len: usize) {
    assert!(words.len() == words_for(len), "mask length");
    if let Some(last) = words.last_mut() {
        *last &= tail_mask(len);
    }
}

/// Bit `i`.
#[inline]
pub fn get(words: &[u64], i: usize) -> bool {
    words[i / 64] >> (i % 64) & 1 != 0
}

/// Sets bit `i` to `bit`.
#[inline]
pub fn set(words: &mut [u64], i: usize, bit: bool) {
    let word = &mut words[i / 64];
    *word = *word & !(1 << (i % 64)) | u64::from(bit) << (i % 64);
}

/// Number of set bits among the first `len`.
pub fn count_ones(words: &[u64], len: usize) -> usize {
    let Some((last, full)) = words[..words_for(len)].split_last() else { return 0 };
    let full: u64 = full.iter().map(|w| u64::from(w.count_ones())).sum();
    full as usize + (last & tail_mask(len)).count_ones() as usize
}

/// Whether all of the first `len` bits are set.
pub fn all_set(words: &[u64], len: usize) -> bool {
    let Some((last, full)) = words[..words_for(len)].split_last() else { return true };
    full.iter().all(|&w| w == !0) && last & tail_mask(len) == tail_mask(len)
}

/// Whether none of the first `len` bits is set.
pub fn none_set(words: &[u64], len: usize) -> bool {
    let Some((last, full)) = words[..words_for(len)].split_last() else { return true };
    full.iter().all(|&w| w == 0) && last & tail_mask(len) == 0
}

#[inline(always)]
fn zip_into(dst: &mut [u64], src: &[u64], f: impl Fn(u64, u64) -> u64) {
    assert!(dst.len() == src.len(), "mask lengths");
    for (d, &s) in dst.iter_mut().zip(src) {
        *d = f(*d, s);
    }
}

/// `dst &= src`.
pub fn and_into(dst: &mut [u64], src: &[u64]) {
    zip_into(dst, src, |d, s| d & s);
}

/// `dst |= src`.
pub fn or_into(dst: &mut [u64], src: &[u64]) {
    zip_into(dst, src, |d, s| d | s);
}

/// `dst ^= src`.
pub fn xor_into(dst: &mut [u64], src: &[u64]) {
    zip_into(dst, src, |d, s| d ^ s);
}

/// `dst &= !src`.
pub fn and_not_into(dst: &mut [u64], src: &[u64]) {
    zip_into(dst, src, |d, s| d & !s);
}

/// `dst = !dst` for the first `len` bits; the tail stays clean.
pub fn not_into(dst: &mut [u64], len: usize) {
    for d in dst.iter_mut() {
        *d = !*d;
    }
    clear_tail(dst, len);
}

/// The `len` bits from `offset` on, as a mask of its own.
pub fn slice(words: &[u64], offset: usize, len: usize) -> Vec<u64> {
    let mut out = Vec::with_capacity(words_for(len));
    append_slice(&mut out, 0, words, offset, len);
    out
}

/// Appends the `len` bits from `offset` on to a clean mask of `dst_len` bits.
pub fn append_slice(dst: &mut Vec<u64>, dst_len: usize, src: &[u64], offset: usize, len: usize) {
    assert!(dst.len() == words_for(dst_len), "mask length");
    assert!(offset + len <= src.len() * 64, "mask slice");
    let total = dst_len + len;
    dst.reserve(words_for(total) - dst.len());
    let shift = dst_len % 64;
    for i in 0..words_for(len) {
        let word = word_at(src, offset + i * 64);
        let word = if (i + 1) * 64 > len { word & tail_mask(len) } else { word };
        if shift == 0 {
            dst.push(word);
        } else {
            if let Some(last) = dst.last_mut() {
                *last |= word << shift;
            }
            if dst.len() < words_for(total) {
                dst.push(word >> (64 - shift));
            }
        }
    }
}

/// 64 bits from bit `at` on; zeroes past the end.
#[inline]
fn word_at(words: &[u64], at: usize) -> u64 {
    let (i, shift) = (at / 64, at % 64);
    let low = words.get(i).copied().unwrap_or(0) >> shift;
    if shift == 0 { low } else { low | words.get(i + 1).copied().unwrap_or(0) << (64 - shift) }
}

/// 64 bytes, each 0 or 255, to 64 bits.
#[inline(always)]
pub(crate) fn pack64(bytes: &[u8; 64]) -> u64 {
    #[cfg(target_feature = "avx2")]
    if !crate::portable() {
        return avx2::pack64(bytes);
    }
    #[cfg(target_feature = "neon")]
    if !crate::portable() {
        return neon::pack64(bytes);
    }
    pack64_portable(bytes)
}

#[inline]
fn pack64_portable(bytes: &[u8; 64]) -> u64 {
    let mut word = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // The multiplication moves the lowest bit of byte k to bit 56 + k without carries.
        let lowest = u64::from_le_bytes(*eight) & 0x0101_0101_0101_0101;
        let bits = lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word |= bits << (i * 8);
    }
    word
}

/// Sets bit `i` where `bytes[i] != 0`.
pub fn mask_from_bytes(bytes: &[u8], out: &mut [u64]) {
    crate::compare::map_words(bytes, out, |b| b != 0);
}

/// Sets bit `i` where bit `codes[i]` of `values` is set: a condition on rows from that on the
/// values of their dictionary. Panics if a code has no bit in `values`, or `out` has not one word
/// for each 64 codes.
pub fn mask_from_codes(values: &[u64], codes: &[u32], out: &mut [u64]) {
    assert!(out.len() == words_for(codes.len()), "mask length");
    let (words, rest) = codes.as_chunks::<64>();
    #[allow(unused_mut)]
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if values.len() <= wide::MOST_VALUES && crate::wide() {
        done = wide::mask_from_codes(values, words, out);
    }
    let of = |codes: &[u32]| {
        let bit = |code: u32| values[code as usize / 64] >> (code % 64) & 1;
        (0..).zip(codes).fold(0, |word, (i, code)| word | bit(*code) << i)
    };
    for (word, codes) in out.iter_mut().zip(words).skip(done) {
        *word = of(codes);
    }
    if let Some(last) = out.get_mut(words.len()) {
        *last = of(rest);
    }
}

/// Writes 1 where bit `i` is set, else 0.
pub fn mask_to_bytes(words: &[u64], out: &mut [u8]) {
    assert!(words.len() >= words_for(out.len()), "mask length");
    let (chunks, tail) = out.as_chunks_mut::<64>();
    let full = chunks.len();
    for (chunk, &word) in chunks.iter_mut().zip(words) {
        unpack64(word, chunk);
    }
    for (i, b) in tail.iter_mut().enumerate() {
        *b = (words[full] >> i & 1) as u8;
    }
}

/// 64 bits to 64 bytes, each 0 or 1.
#[inline(always)]
pub(crate) fn unpack64(word: u64, out: &mut [u8; 64]) {
    #[cfg(target_feature = "avx2")]
    if !crate::portable() {
        return avx2::unpack64(word, out);
    }
    #[cfg(target_feature = "neon")]
    if !crate::portable() {
        return neon::unpack64(word, out);
    }
    for (i, eight) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        *eight = spread8((word >> (i * 8)) as u8).to_le_bytes();
    }
}

/// Bit `k` of `bits` to byte `k` (0 or 1) of the result.
#[inline(always)]
fn spread8(bits: u8) -> u64 {
    // Copies the byte to all positions, keeps bit k in byte k, then turns non-zero bytes into 1.
    let kept = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((kept + 0x7F7F_7F7F_7F7F_7F7F) | kept) >> 7 & 0x0101_0101_0101_0101
}

/// Positions of the set bits among the first `len`, ascending.
pub fn iter_set(words: &[u64], len: usize) -> impl Iterator<Item = usize> + '_ {
    let n = words_for(len);
    words[..n].iter().enumerate().flat_map(move |(i, &w)| {
        let mut word = if i + 1 == n { w & tail_mask(len) } else { w };
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                i * 64 + bit
            })
        })
    })
}

/// Calls `f(start, end)` for each maximal run of set bits among the first `len`.
#[inline]
pub fn for_each_run(words: &[u64], len: usize, mut f: impl FnMut(usize, usize)) {
    let n = words_for(len);
    let mut open = None;
    let mut before = 0;
    for (i, &w) in words[..n].iter().enumerate() {
        let word = if i + 1 == n { w & tail_mask(len) } else { w };
        // Bits at which the value changes; each one begins or ends a run.
        let mut edges = word ^ (word << 1 | before);
        before = word >> 63;
        while edges != 0 {
            let at = i * 64 + edges.trailing_zeros() as usize;
            edges &= edges - 1;
            open = match open {
                None => Some(at),
                Some(start) => {
                    f(start, at);
                    None
                }
            };
        }
    }
    if let Some(start) = open {
        f(start, len);
    }
}

macro_rules! indices {
    ($(#[$doc:meta])* $name:ident, $t:ty) => {
        $(#[$doc])*
        pub fn $name(words: &[u64], len: usize, out: &mut Vec<$t>) {
            let n = words_for(len);
            let count = count_ones(words, len);
            #[cfg(target_arch = "x86_64")]
            if crate::wide() {
                return wide::$name(&words[..n], len, count, out);
            }
            #[cfg(any(target_feature = "avx2", target_feature = "neon"))]
            if !crate::portable() {
                return baseline::$name(&words[..n], len, count, out);
            }
            out.reserve(count);
            for (i, &w) in words[..n].iter().enumerate() {
                let mut word = if i + 1 == n { w & tail_mask(len) } else { w };
                let base = (i * 64) as $t;
                if word == !0 {
                    out.extend((0..64).map(|k| base + k));
                    continue;
                }
                // A fixed buffer per word needs one length check per word, not per bit.
                let mut buffer = [0; 64];
                let count = word.count_ones() as usize;
                for slot in &mut buffer[..count] {
                    *slot = base + word.trailing_zeros() as $t;
                    word &= word - 1;
                }
                out.extend_from_slice(&buffer[..count]);
            }
        }
    };
}

indices! {
    /// Appends the positions of the set bits among the first `len`.
    indices_from_mask, u32
}
indices! {
    /// As [`indices_from_mask`], for chunks of at most 65,536 rows.
    indices_from_mask_u16, u16
}

/// The bits of `some` at the places of the ones of `selection`, in order; zeros elsewhere. Bits
/// that `some` lacks are zeros.
pub fn deposit(some: &[u64], selection: &[u64]) -> Vec<u64> {
    let mut from = 0;
    let word_at = |at: usize| some.get(at).copied().unwrap_or(0);
    let next = |selected: &u64| {
        let (at, shift) = (from / 64, from % 64);
        // Two shifts, since a shift by 64 bits is none.
        let bits = word_at(at) >> shift | word_at(at + 1) << 1 << (63 - shift);
        from += selected.count_ones() as usize;
        deposit_word(bits, *selected)
    };
    selection.iter().map(next).collect()
}

#[inline(always)]
fn deposit_word(mut bits: u64, mut selected: u64) -> u64 {
    #[cfg(target_feature = "bmi2")]
    if !crate::portable() {
        return bmi2::deposit(bits, selected);
    }
    let mut out = 0;
    while selected != 0 {
        out |= (bits & 1) << selected.trailing_zeros();
        selected &= selected - 1;
        bits >>= 1;
    }
    out
}

#[cfg(target_feature = "bmi2")]
#[allow(unsafe_code)]
mod bmi2 {
    #[inline(always)]
    pub(super) fn deposit(bits: u64, selected: u64) -> u64 {
        // SAFETY: BMI2 is enabled for the whole build (cfg above).
        unsafe { std::arch::x86_64::_pdep_u64(bits, selected) }
    }
}

/// Sets the bits at `indices` in a zeroed mask of `len` bits.
pub fn mask_from_indices(indices: &[u32], len: usize) -> Vec<u64> {
    let mut words = vec![0; words_for(len)];
    for &i in indices {
        assert!((i as usize) < len, "index beyond the mask");
        words[i as usize / 64] |= 1 << (i % 64);
    }
    words
}

#[cfg(target_feature = "avx2")]
#[allow(unsafe_code)]
mod avx2 {
    use std::arch::x86_64::*;

    #[inline(always)]
    pub(super) fn pack64(bytes: &[u8; 64]) -> u64 {
        // SAFETY: AVX2 is enabled for the whole build (cfg above); both loads are inside `bytes`.
        unsafe {
            let low = _mm256_loadu_si256(bytes.as_ptr().cast());
            let high = _mm256_loadu_si256(bytes.as_ptr().add(32).cast());
            let (low, high) = (_mm256_movemask_epi8(low) as u32, _mm256_movemask_epi8(high) as u32);
            u64::from(high) << 32 | u64::from(low)
        }
    }

    #[inline(always)]
    pub(super) fn unpack64(word: u64, out: &mut [u8; 64]) {
        // SAFETY: AVX2 is enabled for the whole build (cfg above); both stores are inside `out`.
        unsafe {
            // Byte `k` of a half gets a copy of byte `k / 8` of its 32 bits, and keeps bit `k % 8`.
            let copies = _mm256_setr_epi64x(
                0,
                0x0101_0101_0101_0101,
                0x0202_0202_0202_0202,
                0x0303_0303_0303_0303,
            );
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            for (i, half) in [word as u32, (word >> 32) as u32].into_iter().enumerate() {
                let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(half as i32), copies);
                let set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
                let ones = _mm256_and_si256(set, _mm256_set1_epi8(1));
                _mm256_storeu_si256(out.as_mut_ptr().add(32 * i).cast(), ones);
            }
        }
    }
}

#[cfg(target_feature = "neon")]
#[allow(unsafe_code)]
mod neon {
    use std::arch::aarch64::*;

    /// Bit `k` in byte `k` of each half.
    ///
    /// The value is hidden from the compiler. Where it knows that neighbours have no common bits,
    /// it makes three instructions of the one that adds them.
    #[inline(always)]
    fn places() -> uint8x16_t {
        // SAFETY: NEON is enabled for the whole build (cfg above); the assembly is a comment.
        unsafe {
            let mut places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
            std::arch::asm!(
                "// {places:v}",
                places = inout(vreg) places,
                options(pure, nomem, nostack, preserves_flags)
            );
            places
        }
    }

    #[inline(always)]
    pub(super) fn pack64(bytes: &[u8; 64]) -> u64 {
        // SAFETY: NEON is enabled for the whole build (cfg above); all loads are inside `bytes`.
        unsafe {
            let places = places();
            let part = |i: usize| vandq_u8(vld1q_u8(bytes.as_ptr().add(i * 16)), places);
            // Each sum of neighbours halves the number of lanes: eight lanes become a byte.
            let (low, high) = (vpaddq_u8(part(0), part(1)), vpaddq_u8(part(2), part(3)));
            let quarters = vpaddq_u8(low, high);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)))
        }
    }

    #[inline(always)]
    pub(super) fn unpack64(word: u64, out: &mut [u8; 64]) {
        const COPIES: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
        const SHIFTS: [i8; 16] = [0, -1, -2, -3, -4, -5, -6, -7, 0, -1, -2, -3, -4, -5, -6, -7];
        // SAFETY: NEON is enabled for the whole build (cfg above); all stores are inside `out`, and
        // the loads are of 16 bytes.
        unsafe {
            // Byte `k` gets a copy of byte `k / 8` of the word, and of that bit `k % 8`.
            let (copies, shifts) = (vld1q_u8(COPIES.as_ptr()), vld1q_s8(SHIFTS.as_ptr()));
            let word = vreinterpretq_u8_u64(vdupq_n_u64(word));
            for i in 0..4 {
                let bytes = vqtbl1q_u8(word, vaddq_u8(copies, vdupq_n_u8(i * 2)));
                let ones = vandq_u8(vshlq_u8(bytes, shifts), vdupq_n_u8(1));
                vst1q_u8(out.as_mut_ptr().add(16 * usize::from(i)), ones);
            }
        }
    }
}

#[cfg(test)]
mod tests;
