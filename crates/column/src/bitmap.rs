//! Bits in words of 64: bit `i` of the column is bit `i % 64` of word `i / 64`.
//!
//! As validity, 1 means "not NULL". As the result of a predicate, 1 means "the row passes". Bits
//! after `len` are always 0, so counting and combining need no special handling of the end.

use crate::Buffer;

/// An immutable run of bits.
#[derive(Clone, Debug, Default)]
pub struct Bitmap {
    words: Buffer<u64>,
    len: usize,
}

/// A [`Bitmap`] that says which rows pass a predicate.
pub type Mask = Bitmap;

impl Bitmap {
    /// Makes a bitmap of the words; bits after `len` are cleared. Panics if there are too few
    /// words.
    pub fn from_words(mut words: Vec<u64>, len: usize) -> Self {
        words.truncate(len.div_ceil(64));
        assert_eq!(words.len(), len.div_ceil(64));
        if len % 64 != 0 {
            let last = words.len() - 1;
            words[last] &= (1 << (len % 64)) - 1;
        }
        Self { words: words.into(), len }
    }

    /// `len` bits, all equal.
    pub fn constant(bit: bool, len: usize) -> Self {
        Self::from_words(vec![if bit { u64::MAX } else { 0 }; len.div_ceil(64)], len)
    }

    /// Bit `i` is bit `codes[i]` of `values`, which has a bit for every code.
    pub fn from_codes(values: &Self, codes: &[u32]) -> Self {
        let mut words = vec![0; codes.len().div_ceil(64)];
        entasis_simd::bits::mask_from_codes(&values.words, codes, &mut words);
        Self { words: words.into(), len: codes.len() }
    }

    /// Bit `i` is `bit(i)`.
    #[inline]
    pub fn from_fn(len: usize, mut bit: impl FnMut(usize) -> bool) -> Self {
        let mut words = Vec::with_capacity(len.div_ceil(64));
        let mut start = 0;
        while start < len {
            let mut word = 0u64;
            for i in 0..64.min(len - start) {
                word |= u64::from(bit(start + i)) << i;
            }
            words.push(word);
            start += 64;
        }
        Self { words: words.into(), len }
    }

    /// Bit `i` is `bytes[i] != 0`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_values(bytes, |b| b != 0)
    }

    /// Bit `i` is `bit(values[i])`. The loop is made of vector instructions if `bit` has no branch.
    #[inline(always)]
    pub fn from_values<T: Copy>(values: &[T], bit: impl Fn(T) -> bool) -> Self {
        let mut words = vec![0; values.len().div_ceil(64)];
        entasis_simd::compare::map_words(values, &mut words, bit);
        Self { words: words.into(), len: values.len() }
    }

    /// The bits at some positions: bit `i` is bit `positions[i]` of `self`. Panics if one is out of
    /// bounds.
    #[must_use]
    pub fn take(&self, positions: &[u32]) -> Self {
        let words = entasis_simd::gather::gather_bits(&self.words, self.len, positions);
        Self { words: words.into(), len: positions.len() }
    }

    /// One byte, 0 or 1, per bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![0; self.len];
        entasis_simd::bits::mask_to_bytes(&self.words, &mut out);
        out
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words; bits past `len` are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bit `i`. Panics if out of bounds.
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 != 0
    }

    /// Number of ones.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether every bit is 1.
    pub fn all(&self) -> bool {
        self.count_ones() == self.len
    }

    /// Whether no bit is 1.
    pub fn none(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Bits `start .. start + len`. This is O(1) if `start` is a multiple of 64 and the end is one
    /// too, or is the end of the bitmap; otherwise it copies `len / 8` bytes.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        assert!(start + len <= self.len);
        let (first, shift) = (start / 64, start % 64);
        if shift == 0 && (len % 64 == 0 || start + len == self.len) {
            return Self { words: self.words.slice(first..first + len.div_ceil(64)), len };
        }
        let word = |i: usize| self.words.get(i).copied().unwrap_or(0);
        let words = (first..first + len.div_ceil(64))
            .map(|i| {
                let high = if shift == 0 { 0 } else { word(i + 1) << (64 - shift) };
                word(i) >> shift | high
            })
            .collect();
        Self::from_words(words, len)
    }

    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        assert_eq!(self.len, other.len);
        let words = self.words.iter().zip(other.words.iter()).map(|(&a, &b)| f(a, b)).collect();
        Self::from_words(words, self.len)
    }

    /// Bits set in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// Bits set in either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Bits set in exactly one of both.
    #[must_use]
    pub fn xor(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    /// Bits set in `self` and not in `other`.
    #[must_use]
    pub fn and_not(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// The bits of `self` at the places of the ones of `selection`, in order, and zeros elsewhere:
    /// what holds for selected rows as a mask of all rows.
    #[must_use]
    pub fn spread(&self, selection: &Self) -> Self {
        Self::from_words(entasis_simd::bits::deposit(&self.words, &selection.words), selection.len)
    }

    /// The complement.
    #[must_use]
    pub fn not(&self) -> Self {
        Self::from_words(self.words.iter().map(|w| !w).collect(), self.len)
    }

    /// Positions of the ones, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }

    /// Positions of the ones as indices for `take`.
    pub fn indices(&self) -> Vec<u32> {
        let mut out = Vec::with_capacity(self.count_ones());
        out.extend(self.ones().map(|i| i as u32));
        out
    }

    /// One bitmap after the other.
    pub fn concat(parts: &[&Self]) -> Self {
        let mut builder = BitmapBuilder::default();
        for part in parts {
            builder.extend(part);
        }
        builder.finish()
    }
}

impl PartialEq for Bitmap {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.words[..] == other.words[..]
    }
}

/// Bits growing at the end.
#[derive(Clone, Debug, Default)]
pub struct BitmapBuilder {
    words: Vec<u64>,
    len: usize,
}

impl BitmapBuilder {
    /// Number of bits so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends one bit.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        if self.len % 64 == 0 {
            self.words.push(0);
        }
        if bit {
            self.words[self.len / 64] |= 1 << (self.len % 64);
        }
        self.len += 1;
    }

    /// Appends `count` equal bits.
    pub fn push_n(&mut self, bit: bool, count: usize) {
        let mut left = count;
        while left > 0 && self.len % 64 != 0 {
            self.push(bit);
            left -= 1;
        }
        self.words.extend(std::iter::repeat_n(if bit { u64::MAX } else { 0 }, left.div_ceil(64)));
        self.len += left;
        if self.len % 64 != 0 && left > 0 {
            let last = self.words.len() - 1;
            self.words[last] &= (1 << (self.len % 64)) - 1;
        }
    }

    /// Appends all bits of `other`.
    pub fn extend(&mut self, other: &Bitmap) {
        let shift = self.len % 64;
        if shift == 0 {
            self.words.extend_from_slice(other.words());
        } else {
            for &word in other.words() {
                let last = self.words.len() - 1;
                self.words[last] |= word << shift;
                self.words.push(word >> (64 - shift));
            }
        }
        self.len += other.len();
        self.words.truncate(self.len.div_ceil(64));
    }

    /// The bits.
    pub fn finish(self) -> Bitmap {
        Bitmap::from_words(self.words, self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn against_vectors_of_bool() {
        let mut rng = Rng::new(1);
        for len in [0, 1, 63, 64, 65, 200, 1000] {
            let bits: Vec<bool> = (0..len).map(|_| rng.below(3) == 0).collect();
            let map = Bitmap::from_fn(len, |i| bits[i]);
            assert_eq!(map.count_ones(), bits.iter().filter(|b| **b).count());
            assert_eq!(map.not().count_ones(), len - map.count_ones());
            let bytes = map.to_bytes();
            assert_eq!(Bitmap::from_bytes(&bytes), map);
            for count in [0, 3, 1500].into_iter().filter(|count| len > 0 || *count == 0) {
                let at: Vec<u32> = (0..count).map(|_| rng.below(len as u64) as u32).collect();
                assert_eq!(map.take(&at), Bitmap::from_fn(at.len(), |i| bits[at[i] as usize]));
            }
            for _ in 0..20 {
                let start = rng.below(len as u64 + 1) as usize;
                let part = rng.below((len - start) as u64 + 1) as usize;
                let slice = map.slice(start, part);
                assert_eq!(slice, Bitmap::from_fn(part, |i| bits[start + i]));
                let mut builder = BitmapBuilder::default();
                builder.push_n(true, start);
                builder.extend(&slice);
                builder.push_n(false, 7);
                builder.push_n(true, part);
                let want = Bitmap::from_fn(start + 2 * part + 7, |i| {
                    i < start || i < start + part && bits[i] || i >= start + part + 7
                });
                assert_eq!(builder.finish(), want, "{start} {part}");
            }
        }
    }
}
