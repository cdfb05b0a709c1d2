//! A table of small numbers: an array with an id for every number up to the greatest one.
//!
//! It needs no hashes, and neighbouring numbers are neighbours in memory. The caller replaces it by
//! a [`FixedTable`] when the numbers become too large for their count.

use entasis_base::events::{self, Event};
use entasis_base::scope;

use super::{FixedTable, NONE};

/// Ids by number.
#[derive(Clone, Debug, Default)]
pub struct DenseTable {
    ids: Vec<u32>,
    keys: Vec<u64>,
}

/// The most numbers; their ids stay in the caches.
const MOST_NUMBERS: u64 = 1 << 22;
/// Numbers that may always occur.
const FREE_NUMBERS: usize = 1 << 12;
/// Numbers for each row that was offered or is known.
const NUMBERS_PER_ROW: usize = 32;

impl DenseTable {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys in order of their ids.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The numbers for which there is room: about as many as the greatest key.
    pub fn room(&self) -> usize {
        self.ids.len()
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.ids.capacity() * size_of::<u32>() + self.keys.capacity() * size_of::<u64>()
    }

    /// Appends the id of every key to `ids`, and adds new keys. Returns false, and does nothing, if
    /// the keys are not dense enough.
    #[must_use]
    pub fn find_or_add_all(&mut self, keys: &[u64], ids: &mut Vec<u32>) -> bool {
        let greatest = keys.iter().copied().max().unwrap_or(0);
        if greatest >= self.ids.len() as u64 {
            let rows = self.keys.len() + keys.len();
            let most = FREE_NUMBERS.max(rows.saturating_mul(NUMBERS_PER_ROW)) as u64;
            if greatest >= most.min(MOST_NUMBERS) {
                return false;
            }
            events::one(Event::HashTableGrowths);
            events::add(Event::HashTableGrowthKeys, self.keys.len() as u64);
            let len = (greatest as usize + 1).next_power_of_two();
            let more = scope::filled(NONE, len - self.ids.len());
            match self.ids.is_empty() {
                true => self.ids = more,
                false => self.ids.extend_from_slice(&more),
            }
        }
        let (table, known) = (&mut self.ids[..], &mut self.keys);
        ids.extend(keys.iter().map(|&key| {
            let id = &mut table[key as usize];
            if *id == NONE {
                *id = known.len() as u32;
                known.push(key);
            }
            *id
        }));
        true
    }

    /// Appends the id of every key to `ids`; unknown keys have [`NONE`].
    pub fn find_all(&self, keys: &[u64], ids: &mut Vec<u32>) {
        let table = &self.ids[..];
        ids.extend(keys.iter().map(|key| {
            let at = usize::try_from(*key).unwrap_or(usize::MAX);
            table.get(at).copied().unwrap_or(NONE)
        }));
    }

    /// The same keys with the same ids in a hash table.
    pub fn to_fixed(&self) -> FixedTable<u64> {
        let mut table = FixedTable::with_capacity(self.keys.len());
        let (mut hashes, mut ids) = (Vec::new(), Vec::new());
        FixedTable::hash_all(&self.keys, &mut hashes);
        table.find_or_add_all(&self.keys, &hashes, &mut ids);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn as_a_hash_table() {
        let mut rng = Rng::new(7);
        let (mut dense, mut hash) = (DenseTable::default(), FixedTable::<u64>::default());
        for most in [1, 100, 4000, 30_000, 20_000] {
            let keys: Vec<u64> = (0..1000).map(|_| rng.below(most)).collect();
            let (mut hashes, mut a, mut b) = (vec![], vec![], vec![]);
            FixedTable::hash_all(&keys, &mut hashes);
            assert!(dense.find_or_add_all(&keys, &mut a));
            hash.find_or_add_all(&keys, &hashes, &mut b);
            assert_eq!(a, b);
        }
        assert_eq!(dense.keys(), hash.keys());
        assert_eq!(dense.to_fixed().keys(), hash.keys());
        let mut found = vec![];
        dense.find_all(&[dense.keys()[3], 1 << 40, u64::MAX], &mut found);
        assert_eq!(found, [3, NONE, NONE]);
    }

    #[test]
    fn too_sparse() {
        let mut dense = DenseTable::default();
        assert!(dense.find_or_add_all(&[5, 4000], &mut vec![]));
        assert!(!dense.find_or_add_all(&[1 << 20], &mut vec![]));
        assert!(!dense.find_or_add_all(&[u64::MAX], &mut vec![]));
        assert_eq!(dense.keys(), [5, 4000]);
    }
}
