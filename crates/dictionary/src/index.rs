//! From keys to numbers: the n-th distinct key of a dictionary has the number n.
//!
//! Numeric keys that lie close together are found in an array, and keys that count up one by one
//! need not even that. All other keys are in a hash table.

use entasis_base::{Result, scope};
use entasis_column::hash::{BytesTable, FixedTable, NONE};
use entasis_simd::hash::{hash_strings, hash_u128};

use crate::key::{KeyForm, Keys};

/// An array of rows may be this many times as long as there are keys.
const SPARSE: u64 = 4;

/// Finds the number of a key.
pub(crate) enum Index {
    /// The keys `first..first + count`, in this order.
    Run {
        first: u64,
        count: u64,
    },
    /// `numbers[key - first]` is one more than the number of the key, or 0.
    Array {
        first: u64,
        numbers: Vec<u32>,
    },
    Word(FixedTable<u64>),
    Double(FixedTable<u128>),
    Bytes(BytesTable),
}

impl Index {
    /// Collects keys. Answers the index, and the number of each given key.
    pub(crate) fn build(keys: &Keys) -> Result<(Self, Vec<u32>)> {
        let mut numbers = Vec::new();
        match keys {
            Keys::Word(keys) => Ok(Self::of_words(keys)),
            Keys::Double(keys) => {
                let mut table = FixedTable::<u128>::default();
                for part in scope::parts(keys) {
                    let mut hashes = vec![0; part.len()];
                    hash_u128(part, 0, &mut hashes);
                    table.find_or_add_all(part, &hashes, &mut numbers);
                }
                Ok((Self::Double(table), numbers))
            }
            Keys::Bytes(keys) => {
                let mut hashes = vec![0; keys.len()];
                hash_strings(keys.offsets(), keys.data(), 0, &mut hashes);
                let mut table = BytesTable::default();
                table.find_or_add_all(keys.offsets(), keys.data(), &hashes, &mut numbers);
                Ok((Self::Bytes(table), numbers))
            }
        }
    }

    fn of_words(keys: &[u64]) -> (Self, Vec<u32>) {
        let (first, last) = keys.iter().fold((u64::MAX, 0), |(a, b), &k| (a.min(k), b.max(k)));
        let count = keys.len() as u64;
        let counts_up = |(at, &key): (usize, &u64)| key.wrapping_sub(first) == at as u64;
        if count > 0 && keys.iter().enumerate().all(counts_up) {
            return (Self::Run { first, count }, (0..keys.len() as u32).collect());
        }
        if count > 0 && (last - first) / SPARSE < count.max(256) {
            let mut places = scope::zeroed::<u32>((last - first) as usize + 1);
            let mut next = 0;
            let number = |&key: &u64| {
                let place = &mut places[(key - first) as usize];
                if *place == 0 {
                    next += 1;
                    *place = next;
                }
                *place - 1
            };
            let numbers = keys.iter().map(number).collect();
            return (Self::Array { first, numbers: places }, numbers);
        }
        let mut table = FixedTable::<u64>::default();
        let (mut numbers, mut hashes) = (Vec::new(), Vec::new());
        for part in scope::parts(keys) {
            FixedTable::hash_all(part, &mut hashes);
            table.find_or_add_all(part, &hashes, &mut numbers);
        }
        (Self::Word(table), numbers)
    }

    /// One more than the number of each key; 0 if it is not there.
    pub(crate) fn find(&self, keys: &Keys) -> Vec<u32> {
        let mut numbers = Vec::new();
        match (self, keys) {
            (Self::Run { first, count }, Keys::Word(keys)) => {
                let (first, count) = (*first, *count);
                let number = move |&key: &u64| {
                    let at = key.wrapping_sub(first);
                    if at < count { at as u32 + 1 } else { 0 }
                };
                return keys.iter().map(number).collect();
            }
            (Self::Array { first, numbers }, Keys::Word(keys)) => {
                let (first, numbers) = (*first, &numbers[..]);
                let number = |&key: &u64| match usize::try_from(key.wrapping_sub(first)) {
                    Ok(at) if at < numbers.len() => numbers[at],
                    _ => 0,
                };
                return keys.iter().map(number).collect();
            }
            (Self::Word(table), Keys::Word(keys)) => {
                let mut hashes = Vec::with_capacity(keys.len());
                FixedTable::hash_all(keys, &mut hashes);
                table.find_all(keys, &hashes, &mut numbers);
            }
            (Self::Double(table), Keys::Double(keys)) => {
                let mut hashes = Vec::with_capacity(keys.len());
                FixedTable::hash_all(keys, &mut hashes);
                table.find_all(keys, &hashes, &mut numbers);
            }
            (Self::Bytes(table), Keys::Bytes(keys)) => {
                let mut hashes = vec![0; keys.len()];
                hash_strings(keys.offsets(), keys.data(), 0, &mut hashes);
                numbers.extend(keys.iter().zip(&hashes).map(|(key, &hash)| table.find(key, hash)));
            }
            // A key of another form is a key that is not there.
            (_, Keys::Word(keys)) => return vec![0; keys.len()],
            (_, Keys::Double(keys)) => return vec![0; keys.len()],
            (_, Keys::Bytes(keys)) => return vec![0; keys.len()],
        }
        // [`NONE`] is the greatest number, so that it wraps around to 0.
        debug_assert_eq!(NONE.wrapping_add(1), 0);
        numbers.iter_mut().for_each(|number| *number = number.wrapping_add(1));
        numbers
    }

    /// Bytes held.
    pub(crate) fn byte_size(&self) -> usize {
        match self {
            Self::Run { .. } => 0,
            Self::Array { numbers, .. } => numbers.capacity() * 4,
            Self::Word(table) => table.byte_size(),
            Self::Double(table) => table.byte_size(),
            Self::Bytes(table) => table.byte_size(),
        }
    }

    /// The share of places that are used.
    pub(crate) fn load_factor(&self, keys: usize) -> f64 {
        let places = match self {
            Self::Run { count, .. } => *count as usize,
            Self::Array { numbers, .. } => numbers.len(),
            _ => (keys * 2).next_power_of_two().max(256),
        };
        if places == 0 { 0.0 } else { keys as f64 / places as f64 }
    }

    /// An index without keys.
    pub(crate) fn empty(form: KeyForm) -> Self {
        match form {
            KeyForm::Word => Self::Run { first: 0, count: 0 },
            KeyForm::Double => Self::Double(FixedTable::default()),
            KeyForm::Text | KeyForm::Bytes => Self::Bytes(BytesTable::default()),
        }
    }
}
