//! The keys of a join's build side in short, to drop rows of the probe side early.
//!
//! A [`KeySet`] knows the least and the greatest key, and of not too many keys also a bitmap over
//! that range or a Bloom filter. It may let rows pass that have no match, but it never drops a row
//! that has one.

use entasis_simd::compare::map_words;
use entasis_simd::hash::hash_bytes;
use entasis_types::{Physical, Value};

use super::FixedKey;
use crate::{Bitmap, Column, Strings};

/// The most keys of which more than the range is kept, so that the set stays in the caches.
const MOST_KEYS: usize = 1 << 20;
/// A bitmap may have this many bits for each key.
const BITS_PER_KEY: u64 = 64;
/// Bits of a Bloom filter for each key. Four bits of one word are set for each.
const BLOOM_BITS: usize = 16;

/// Integers with their order as unsigned numbers of 64 bits.
pub trait Ordered: Copy {
    /// The number whose order among all such numbers is that of the integer.
    fn ordered(self) -> u64;
    /// Turns [`Self::ordered`] back into the integer.
    fn of_ordered(ordered: u64) -> Self;
}

macro_rules! ordered {
    ($flip:expr => $($t:ty as $wide:ty),*) => {$(impl Ordered for $t {
        #[inline(always)]
        fn ordered(self) -> u64 {
            (self as $wide as u64) ^ $flip
        }
        #[inline(always)]
        fn of_ordered(ordered: u64) -> Self {
            (ordered ^ $flip) as Self
        }
    })*};
}

ordered!(0 => u8 as u64, u16 as u64, u32 as u64, u64 as u64);
ordered!(1 << 63 => i8 as i64, i16 as i64, i32 as i64, i64 as i64);

/// Runs `$body` with the values of a column of integers of at most 64 bits.
macro_rules! match_integers {
    ($column:expr, $values:ident => $body:expr, $other:pat => $rest:expr) => {
        match $column {
            Column::UInt8($values) => $body,
            Column::UInt16($values) => $body,
            Column::UInt32($values) => $body,
            Column::UInt64($values) => $body,
            Column::Int8($values) => $body,
            Column::Int16($values) => $body,
            Column::Int32($values) => $body,
            Column::Int64($values) => $body,
            $other => $rest,
        }
    };
}

/// Collects the keys for a set.
#[derive(Clone, Debug, Default)]
pub struct KeySetBuilder {
    /// The layout of the keys; `None` as long as there are none.
    physical: Option<Physical>,
    /// Whether there were keys of which no set can be made.
    is_unfit: bool,
    rows: usize,
    /// The range of integers, ordered.
    range: Option<(u64, u64)>,
    /// The range of strings.
    strings: Option<(Vec<u8>, Vec<u8>)>,
    /// Ordered integers, or hashes of strings; empty once there are too many.
    keys: Vec<u64>,
}

/// A set of keys; see the module.
#[derive(Debug)]
pub struct KeySet {
    physical: Physical,
    bounds: (Value, Value),
    /// The least key, ordered, and the distance of the greatest one; of integers.
    least: u64,
    span: u64,
    members: Members,
}

#[derive(Debug)]
enum Members {
    /// Every key in the range may be one.
    Any,
    /// A bit for each number of the range.
    Dense(Vec<u64>),
    /// A power of two of words.
    Bloom(Vec<u64>),
}

impl KeySetBuilder {
    /// Adds keys; none of them is NULL.
    pub fn push(&mut self, column: &Column) {
        let full = column.full();
        let physical = full.physical();
        self.is_unfit |= self.physical.is_some_and(|known| known != physical);
        if self.is_unfit || full.is_empty() {
            return;
        }
        self.physical = Some(physical);
        self.rows += full.len();
        let keeps = self.rows <= MOST_KEYS;
        if !keeps {
            self.keys = Vec::new();
        }
        match_integers!(&full, values => {
            let ordered = values.iter().map(|v| v.ordered());
            let least = ordered.clone().min().unwrap_or(0);
            let greatest = ordered.clone().max().unwrap_or(0);
            self.widen((least, greatest));
            if keeps {
                self.keys.extend(ordered);
            }
        }, other => match other {
            Column::String(strings) if keeps => {
                self.keys.extend(strings.iter().map(hash_bytes));
                self.widen_strings(strings.iter().min(), strings.iter().max());
            }
            _ => self.is_unfit = true,
        });
    }

    fn widen(&mut self, (least, greatest): (u64, u64)) {
        let (a, b) = self.range.unwrap_or((least, greatest));
        self.range = Some((a.min(least), b.max(greatest)));
    }

    fn widen_strings(&mut self, least: Option<&[u8]>, greatest: Option<&[u8]>) {
        let (Some(least), Some(greatest)) = (least, greatest) else { return };
        let (a, b) = self.strings.get_or_insert_with(|| (least.to_vec(), greatest.to_vec()));
        if least < &a[..] {
            *a = least.to_vec();
        }
        if greatest > &b[..] {
            *b = greatest.to_vec();
        }
    }

    /// Adds the keys of another builder.
    pub fn merge(&mut self, other: Self) {
        let Some(physical) = other.physical else {
            self.is_unfit |= other.is_unfit;
            return;
        };
        let differ = self.physical.is_some_and(|known| known != physical);
        self.is_unfit |= other.is_unfit || differ;
        self.physical = Some(physical);
        self.rows += other.rows;
        if let Some(range) = other.range {
            self.widen(range);
        }
        if let Some((least, greatest)) = &other.strings {
            self.widen_strings(Some(least), Some(greatest));
        }
        match self.rows <= MOST_KEYS {
            true => self.keys.extend(other.keys),
            false => self.keys = Vec::new(),
        }
    }

    /// Forgets the keys but for their range, now and later.
    pub fn keep_range(&mut self) {
        self.rows = self.rows.max(MOST_KEYS + 1);
        self.keys = Vec::new();
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
    }

    /// The set; `None` if there are no keys, or none can be made of them.
    pub fn finish(self) -> Option<KeySet> {
        let physical = self.physical.filter(|_| !self.is_unfit)?;
        let few = self.rows <= MOST_KEYS;
        if let Some((least, greatest)) = self.strings {
            let bounds = (Value::String(least.into()), Value::String(greatest.into()));
            let members = Members::Bloom(bloom(&self.keys));
            return few.then_some(KeySet { physical, bounds, least: 0, span: 0, members });
        }
        let (least, greatest) = self.range?;
        let span = greatest - least;
        let members = match few {
            false => Members::Any,
            true if span / BITS_PER_KEY <= self.rows as u64 => {
                let mut bits = vec![0u64; (span / 64) as usize + 1];
                for key in &self.keys {
                    let at = key - least;
                    bits[(at / 64) as usize] |= 1 << (at % 64);
                }
                let holes = bits.iter().map(|word| u64::from(word.count_zeros())).sum::<u64>();
                // The bits behind the greatest key are holes, too.
                if holes == 63 - span % 64 { Members::Any } else { Members::Dense(bits) }
            }
            true => Members::Bloom(bloom_of(self.keys.iter().map(|key| key.hash()), self.rows)),
        };
        let value = |key: u64| one_value(physical, key);
        let bounds = (value(least)?, value(greatest)?);
        Some(KeySet { physical, bounds, least, span, members })
    }
}

/// The value of an ordered integer.
fn one_value(physical: Physical, ordered: u64) -> Option<Value> {
    let column = match physical {
        Physical::UInt8 => Column::from(vec![u8::of_ordered(ordered)]),
        Physical::UInt16 => Column::from(vec![u16::of_ordered(ordered)]),
        Physical::UInt32 => Column::from(vec![u32::of_ordered(ordered)]),
        Physical::UInt64 => Column::from(vec![u64::of_ordered(ordered)]),
        Physical::Int8 => Column::from(vec![i8::of_ordered(ordered)]),
        Physical::Int16 => Column::from(vec![i16::of_ordered(ordered)]),
        Physical::Int32 => Column::from(vec![i32::of_ordered(ordered)]),
        Physical::Int64 => Column::from(vec![i64::of_ordered(ordered)]),
        _ => return None,
    };
    Some(column.value(0))
}

fn bloom(hashes: &[u64]) -> Vec<u64> {
    bloom_of(hashes.iter().copied(), hashes.len())
}

fn bloom_of(hashes: impl Iterator<Item = u64>, count: usize) -> Vec<u64> {
    let mut words = vec![0; (count * BLOOM_BITS / 64).next_power_of_two()];
    let mask = words.len() as u64 - 1;
    for hash in hashes {
        words[((hash >> 32) & mask) as usize] |= bits_of(hash);
    }
    words
}

/// The four bits of a hash within its word.
#[inline(always)]
fn bits_of(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63) | 1 << (hash >> 18 & 63)
}

#[inline(always)]
fn may_hold(words: &[u64], hash: u64) -> bool {
    let bits = bits_of(hash);
    words[(hash >> 32) as usize & (words.len() - 1)] & bits == bits
}

impl KeySet {
    /// The least and the greatest key.
    pub fn bounds(&self) -> &(Value, Value) {
        &self.bounds
    }

    /// The rows whose value may be a key; `None` if the column has another layout than the keys.
    pub fn mask(&self, column: &Column) -> Option<Bitmap> {
        match column {
            Column::Const(value) => {
                Some(Bitmap::constant(self.mask(&value.value)?.get(0), column.len()))
            }
            Column::Dict(dict) if dict.dictionary.values.len() <= dict.codes.len() => {
                let of_values = self.mask(&dict.dictionary.values)?;
                Some(masked(&dict.codes, |code| of_values.get(code as usize)))
            }
            Column::Dict(_) => self.mask(&column.full()),
            Column::Nullable(nullable) => {
                Some(self.mask(&nullable.values)?.and(&nullable.validity))
            }
            _ if column.physical() != self.physical => None,
            Column::String(strings) => self.of_strings(strings),
            other => match_integers!(other, values => Some(self.of_integers(values)), _ => None),
        }
    }

    fn of_strings(&self, strings: &Strings) -> Option<Bitmap> {
        let Members::Bloom(words) = &self.members else { return None };
        Some(Bitmap::from_fn(strings.len(), |i| may_hold(words, hash_bytes(strings.get(i)))))
    }

    fn of_integers<T: Ordered>(&self, values: &[T]) -> Bitmap {
        let (least, span) = (self.least, self.span);
        let place = |v: T| v.ordered().wrapping_sub(least);
        match &self.members {
            Members::Any => masked(values, |v| place(v) <= span),
            Members::Dense(bits) => masked(values, |v| {
                let at = place(v);
                at <= span && bits[(at / 64) as usize] >> (at % 64) & 1 != 0
            }),
            Members::Bloom(words) => {
                masked(values, |v| place(v) <= span && may_hold(words, v.ordered().hash()))
            }
        }
    }
}

fn masked<T: Copy>(values: &[T], is_in: impl Fn(T) -> bool) -> Bitmap {
    let mut words = vec![0; values.len().div_ceil(64)];
    map_words(values, &mut words, is_in);
    Bitmap::from_words(words, values.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dictionary;

    fn set(columns: &[Column]) -> Option<KeySet> {
        let (mut builder, mut other) = (KeySetBuilder::default(), KeySetBuilder::default());
        for (i, column) in columns.iter().enumerate() {
            if i % 2 == 0 { builder.push(column) } else { other.push(column) }
        }
        builder.merge(other);
        builder.finish()
    }

    fn count(set: &KeySet, column: &Column) -> usize {
        set.mask(column).unwrap().count_ones()
    }

    #[test]
    fn no_key_is_lost_and_most_others_are_dropped() {
        for step in [1, 5, 1 << 30] {
            let keys: Vec<i64> = (-500..500).map(|i| i * step).collect();
            let of = set(&[Column::from(keys[..300].to_vec()), Column::from(keys[300..].to_vec())]);
            let of = of.unwrap();
            assert_eq!(count(&of, &Column::from(keys.clone())), 1000);
            let others: Vec<i64> = (0..10_000).map(|i| i * step + 500 * step + 1).collect();
            assert_eq!(count(&of, &Column::from(others)), 0);
            let between: Vec<i64> = keys.iter().map(|k| k + step / 2).collect();
            assert!(step == 1 || count(&of, &Column::from(between)) < 60);
            let (least, greatest) = of.bounds();
            assert_eq!(least.as_i64(), Some(-500 * step));
            assert_eq!(greatest.as_i64(), Some(499 * step));
        }
    }

    #[test]
    fn representations_and_strings() {
        let words: Strings = (0..100).map(|i| format!("key {i}")).collect();
        let of = set(&[Column::String(words.clone())]).unwrap();
        let dictionary = Dictionary::new(Column::String(["key 7", "x"].into_iter().collect()));
        let dict = Column::dict(vec![0, 1, 0].into(), dictionary);
        assert_eq!(of.mask(&dict).unwrap().indices(), [0, 2]);
        let valid = Bitmap::from_fn(100, |i| i % 2 == 0);
        assert_eq!(count(&of, &Column::nullable(Column::String(words), valid)), 50);
        assert_eq!(count(&of, &Column::constant(dict.slice(0, 1).full(), 9)), 9);
        assert!(of.mask(&Column::from(vec![1u8])).is_none());
        assert!(set(&[Column::from(vec![1.0f64])]).is_none());
        assert!(set(&[Column::from(vec![1u8]), Column::from(vec![1u16])]).is_none());
        assert!(set(&[]).is_none());
    }
}
