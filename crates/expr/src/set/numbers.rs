//! Sets of numbers with up to 64 bits: the table while the set grows, and the form that is probed.

use entasis_base::scope;
use entasis_column::{Bitmap, Buffer, Column, Mask, Native, match_number, match_number_physical};
use entasis_simd::bits::words_for;
use entasis_simd::compare::map_words;
use entasis_simd::hash::hash_one_u64;

use super::FEW;

/// The bits that identify a number among those of its type.
pub(super) trait Bits: Native {
    fn to_bits64(self) -> u64;
    /// From bits made by `to_bits64`.
    fn from_bits64(bits: u64) -> Self;
    /// Whether the number equals itself, which NaN does not.
    fn is_ordinary(self) -> bool {
        true
    }
}

macro_rules! integer_bits {
    ($($t:ty as $u:ty),*) => {$(
        impl Bits for $t {
            #[inline(always)]
            fn to_bits64(self) -> u64 {
                self as $u as u64
            }
            fn from_bits64(bits: u64) -> Self {
                bits as Self
            }
        }
    )*};
}
integer_bits!(
    u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64
);

macro_rules! float_bits {
    ($($t:ty),*) => {$(
        impl Bits for $t {
            #[inline(always)]
            fn to_bits64(self) -> u64 {
                // Adding zero turns -0.0 into 0.0.
                u64::from((self + 0.0).to_bits())
            }
            fn from_bits64(bits: u64) -> Self {
                Self::from_bits(bits as _)
            }
            #[inline(always)]
            fn is_ordinary(self) -> bool {
                !self.is_nan()
            }
        }
    )*};
}
float_bits!(f32, f64);

/// Calls `f` with the row and the bits of every number that can be a member.
pub(super) fn for_each_bits(column: &Column, mut f: impl FnMut(usize, u64)) {
    match_number!(column, values => {
        for (i, v) in values.iter().enumerate() {
            if v.is_ordinary() {
                f(i, v.to_bits64());
            }
        }
    }, _ => {});
}

/// An open-addressing table with linear probing. 0 marks an empty slot; a flag says whether 0 is a
/// member.
#[derive(Debug, Default)]
pub(super) struct NumberTable {
    slots: Vec<u64>,
    filled: usize,
    zero: bool,
}

impl NumberTable {
    pub fn len(&self) -> usize {
        self.filled + usize::from(self.zero)
    }

    pub fn byte_size(&self) -> usize {
        self.slots.len() * 8
    }

    pub fn insert(&mut self, key: u64) {
        if key == 0 {
            self.zero = true;
            return;
        }
        if (self.filled + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash_one_u64(key, 0) as usize & mask;
        loop {
            match self.slots[at] {
                0 => {
                    self.slots[at] = key;
                    self.filled += 1;
                    return;
                }
                found if found == key => return,
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        let old = std::mem::replace(&mut self.slots, scope::zeroed(size));
        self.filled = 0;
        scope::parts(&old).flatten().filter(|k| **k != 0).for_each(|k| self.insert(*k));
    }

    #[inline(always)]
    fn contains(&self, key: u64) -> bool {
        if key == 0 {
            return self.zero;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash_one_u64(key, 0) as usize & mask;
        loop {
            let found = self.slots[at];
            if found == key {
                return true;
            }
            if found == 0 {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    pub fn for_each(&self, mut f: impl FnMut(u64)) {
        if self.zero {
            f(0);
        }
        scope::parts(&self.slots).flatten().filter(|k| **k != 0).for_each(|k| f(*k));
    }

    /// Turns the table into the form that is probed.
    pub fn finish(mut self) -> Numbers {
        let mut keys = Vec::new();
        if self.len() <= FEW {
            self.for_each(|k| keys.push(k));
            keys.sort_unstable();
            return Numbers::Few(keys);
        }
        let (mut low, mut high) = (u64::MAX, 0);
        self.for_each(|k| (low, high) = (low.min(k), high.max(k)));
        let span = high - low;
        if span < (64 * self.len() as u64).clamp(1 << 12, 1 << 26) {
            let mut words = vec![0u64; span as usize / 64 + 1];
            self.for_each(|k| words[((k - low) / 64) as usize] |= 1 << ((k - low) % 64));
            return Numbers::Dense { low, span, words };
        }
        if self.slots.is_empty() {
            self.grow();
        }
        Numbers::Table(self)
    }
}

/// Numbers in the form that is probed.
#[derive(Debug)]
pub(super) enum Numbers {
    /// A few sorted numbers, which are compared one by one.
    Few(Vec<u64>),
    /// A bitmap with a bit for each number of a range.
    Dense { low: u64, span: u64, words: Vec<u64> },
    /// A hash table for all other sets.
    Table(NumberTable),
}

impl Numbers {
    /// The mask of the rows of a full numeric column that are members.
    pub fn probe(&self, column: &Column) -> Mask {
        let mut out = vec![0; words_for(column.len())];
        match_number!(column, values => self.probe_values(values, &mut out), _ => {});
        Bitmap::from_words(out, column.len())
    }

    fn probe_values<T: Bits>(&self, values: &Buffer<T>, out: &mut [u64]) {
        match self {
            Self::Few(keys) => {
                let mut one = vec![0; out.len()];
                for key in keys {
                    let member = T::from_bits64(*key);
                    map_words(values, &mut one, |v| v == member);
                    entasis_simd::bits::or_into(out, &one);
                }
            }
            Self::Dense { low, span, words } => map_words(values, out, |v| {
                let at = v.to_bits64().wrapping_sub(*low);
                at <= *span && words[(at / 64) as usize] >> (at % 64) & 1 == 1
            }),
            Self::Table(table) => {
                map_words(values, out, |v| table.contains(v.to_bits64()) && v.is_ordinary());
            }
        }
    }

    fn for_each(&self, mut f: impl FnMut(u64)) {
        match self {
            Self::Few(keys) => keys.iter().for_each(|k| f(*k)),
            Self::Dense { low, words, .. } => {
                let len = words.len() * 64;
                entasis_simd::bits::iter_set(words, len).for_each(|i| f(low + i as u64));
            }
            Self::Table(table) => table.for_each(f),
        }
    }

    /// All members as an ascending column with the layout.
    pub fn column(&self, physical: entasis_types::Physical) -> Column {
        match_number_physical!(physical, T => {
            let mut values: Vec<T> = Vec::new();
            self.for_each(|k| values.push(<T as Bits>::from_bits64(k)));
            values.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            Column::from(values)
        }, _ => Column::Nothing(0))
    }
}
