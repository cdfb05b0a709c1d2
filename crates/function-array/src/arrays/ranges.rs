//! Bits of the elements of all lists, one list after the other: how many of a list are set, and
//! which. Most lists have at most 64 elements, whose bits are one number.

use std::ops::Range;

use entasis_column::Bitmap;

use super::lists::Flat;

/// Bits of elements.
pub struct Bits<'a>(pub &'a [u64]);

impl Bits<'_> {
    /// The bits of a range of at most 64 elements, those after it cleared.
    #[inline(always)]
    fn window(&self, range: &Range<usize>) -> u64 {
        let (word, shift) = (range.start / 64, range.start % 64);
        let word_at = |at: usize| self.0.get(at).copied().unwrap_or(0);
        let bits = word_at(word) >> shift | word_at(word + 1) << 1 << (63 - shift);
        let len = range.len();
        if len < 64 { bits & ((1 << len) - 1) } else { bits }
    }

    /// How many bits of a range are set.
    #[inline(always)]
    pub fn count(&self, range: Range<usize>) -> usize {
        if range.len() <= 64 {
            return self.window(&range).count_ones() as usize;
        }
        self.windows(range).map(|window| self.window(&window).count_ones() as usize).sum()
    }

    /// Whether one is set.
    #[inline(always)]
    pub fn any(&self, range: Range<usize>) -> bool {
        if range.len() <= 64 {
            return self.window(&range) != 0;
        }
        self.windows(range).any(|window| self.window(&window) != 0)
    }

    /// The position of the first one in a range.
    #[inline(always)]
    pub fn first(&self, range: Range<usize>) -> Option<usize> {
        let first = |window: Range<usize>| {
            let bits = self.window(&window);
            (bits != 0).then(|| window.start + bits.trailing_zeros() as usize)
        };
        if range.len() <= 64 { first(range) } else { self.windows(range).find_map(first) }
    }

    /// The position of the last one in a range.
    #[inline(always)]
    pub fn last(&self, range: Range<usize>) -> Option<usize> {
        let last = |window: Range<usize>| {
            let bits = self.window(&window);
            (bits != 0).then(|| window.start + 63 - bits.leading_zeros() as usize)
        };
        if range.len() <= 64 { last(range) } else { self.windows(range).rev().find_map(last) }
    }

    /// A range in pieces of at most 64 elements.
    fn windows(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = Range<usize>> {
        let pieces = range.len().div_ceil(64);
        (0..pieces).map(move |piece| {
            let start = range.start + piece * 64;
            start..range.end.min(start + 64)
        })
    }
}

/// Sets the bit of the first element of every list that has one.
pub fn set_firsts(flat: &Flat, words: &mut [u64]) {
    for range in flat.ranges() {
        if let Some(word) = words.get_mut(range.start / 64) {
            *word |= u64::from(!range.is_empty()) << (range.start % 64);
        }
    }
}

/// Each element's bit moved to the element behind it. The first bit is 0.
pub fn moved(words: &[u64]) -> Vec<u64> {
    let mut carry = 0;
    let next = |&word: &u64| {
        let moved = word << 1 | carry;
        carry = word >> 63;
        moved
    };
    words.iter().map(next).collect()
}

/// How many ones the lists up to each list have, after a leading 0.
pub fn sums(flat: &Flat, bits: &Bitmap) -> Vec<u32> {
    let bits = Bits(bits.words());
    let mut ends = Vec::with_capacity(flat.rows() + 1);
    let mut end = 0;
    ends.push(end);
    for range in flat.ranges() {
        end += bits.count(range) as u32;
        ends.push(end);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn against_single_bits() {
        let mut rng = Rng::new(7);
        let bits: Vec<bool> = (0..500).map(|_| rng.below(9) == 0).collect();
        let map = Bitmap::from_fn(bits.len(), |i| bits[i]);
        let own = Bits(map.words());
        for start in 0..bits.len() {
            for len in [0, 1, 5, 63, 64, 65, 130] {
                let range = start..(start + len).min(bits.len());
                let ones: Vec<usize> = range.clone().filter(|&k| bits[k]).collect();
                assert_eq!(own.count(range.clone()), ones.len());
                assert_eq!(own.any(range.clone()), !ones.is_empty());
                assert_eq!(own.first(range.clone()), ones.first().copied());
                assert_eq!(own.last(range), ones.last().copied());
            }
        }
        let moved = Bitmap::from_words(moved(map.words()), bits.len());
        assert!(!moved.get(0) && (1..bits.len()).all(|k| moved.get(k) == bits[k - 1]));
    }
}
