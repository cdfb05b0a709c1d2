//! Open addressing over keys of fixed width.
//!
//! A slot contains the key and its id; empty slots have the id [`NONE`]. At most half of the slots
//! are used, and collisions are resolved by linear probing.

use entasis_base::events::{self, Event};
use entasis_base::scope;
use entasis_simd::hash::{combine, hash_one_u64, hash_one_u128};
use entasis_simd::prefetch::prefetch_read;

use super::NONE;

/// A key that is stored in the slot itself.
pub trait FixedKey: Copy + Eq + Default + Send + Sync + std::fmt::Debug + 'static {
    /// The hash of the key. Both its high and its low bits are well distributed.
    fn hash(self) -> u64;
}

impl FixedKey for u64 {
    #[inline(always)]
    fn hash(self) -> u64 {
        hash_one_u64(self, 0)
    }
}

impl FixedKey for u128 {
    #[inline(always)]
    fn hash(self) -> u64 {
        hash_one_u128(self, 0)
    }
}

impl FixedKey for [u64; 4] {
    #[inline(always)]
    fn hash(self) -> u64 {
        let low = hash_one_u128(u128::from(self[0]) | u128::from(self[1]) << 64, 0);
        let high = hash_one_u128(u128::from(self[2]) | u128::from(self[3]) << 64, 1);
        combine(low, high)
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot<K> {
    key: K,
    id: u32,
}

/// A hash table from keys of fixed width to dense ids.
#[derive(Clone, Debug)]
pub struct FixedTable<K> {
    /// A power of two of slots.
    slots: Vec<Slot<K>>,
    keys: Vec<K>,
}

const LEAST_SLOTS: usize = 256;
/// Size of the slots from which on a probe probably misses the second-level cache.
const PREFETCH_BYTES: usize = 256 << 10;
const AHEAD: usize = 16;

impl<K: FixedKey> Default for FixedTable<K> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl<K: FixedKey> FixedTable<K> {
    /// Room for `keys` keys without growing.
    pub fn with_capacity(keys: usize) -> Self {
        let slots = (keys * 2).next_power_of_two().max(LEAST_SLOTS);
        let empty = Slot { key: K::default(), id: NONE };
        Self { slots: scope::filled(empty, slots), keys: Vec::new() }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys in order of their ids.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<K>>() + self.keys.capacity() * size_of::<K>()
    }

    /// Hash of every key into `out`, which is cleared first.
    pub fn hash_all(keys: &[K], out: &mut Vec<u64>) {
        out.clear();
        for keys in scope::parts(keys) {
            out.extend(keys.iter().map(|k| k.hash()));
        }
    }

    #[inline(always)]
    fn mask(&self) -> usize {
        self.slots.len() - 1
    }

    /// The slot that holds `key`, or the empty one into which it belongs.
    #[inline(always)]
    fn probe(&self, key: K, hash: u64) -> (usize, u32) {
        let mask = self.mask();
        let mut at = hash as usize & mask;
        loop {
            // SAFETY: `at` is masked by the power-of-two length minus one.
            let slot = unsafe { self.slots.get_unchecked(at) };
            if slot.id == NONE || slot.key == key {
                return (at, slot.id);
            }
            at = (at + 1) & mask;
        }
    }

    /// The id of `key`, added if it is new. `hash` must be the key's.
    #[inline(always)]
    pub fn find_or_add(&mut self, key: K, hash: u64) -> u32 {
        let (at, id) = self.probe(key, hash);
        if id != NONE { id } else { self.add(at, key) }
    }

    #[inline]
    fn add(&mut self, at: usize, key: K) -> u32 {
        let id = self.keys.len() as u32;
        self.slots[at] = Slot { key, id };
        self.keys.push(key);
        if self.keys.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        events::one(Event::HashTableGrowths);
        events::add(Event::HashTableGrowthKeys, self.keys.len() as u64);
        let factor = if self.slots.len() <= 1 << 12 { 4 } else { 2 };
        let empty = Slot { key: K::default(), id: NONE };
        let slots = scope::filled(empty, self.slots.len() * factor);
        let old = std::mem::replace(&mut self.slots, slots);
        let mask = self.mask();
        for slot in scope::parts(&old).flatten().filter(|s| s.id != NONE) {
            let mut at = slot.key.hash() as usize & mask;
            while self.slots[at].id != NONE {
                at = (at + 1) & mask;
            }
            self.slots[at] = *slot;
        }
    }

    /// Appends the id of every key to `ids`, and adds new keys. `hashes` are the hashes of the
    /// keys.
    pub fn find_or_add_all(&mut self, keys: &[K], hashes: &[u64], ids: &mut Vec<u32>) {
        assert_eq!(keys.len(), hashes.len());
        ids.reserve(keys.len());
        let large = self.slots.len() * size_of::<Slot<K>>() > PREFETCH_BYTES;
        if !large {
            ids.extend(keys.iter().zip(hashes).map(|(&k, &h)| self.find_or_add(k, h)));
            return;
        }
        let ahead = hashes[AHEAD.min(hashes.len())..].iter().chain(std::iter::repeat(&0));
        for ((&key, &hash), &next) in keys.iter().zip(hashes).zip(ahead) {
            prefetch_read(&self.slots, next as usize & self.mask());
            ids.push(self.find_or_add(key, hash));
        }
    }

    /// Appends the id of every key to `ids`; unknown keys have [`NONE`].
    pub fn find_all(&self, keys: &[K], hashes: &[u64], ids: &mut Vec<u32>) {
        assert_eq!(keys.len(), hashes.len());
        let ahead = hashes[AHEAD.min(hashes.len())..].iter().chain(std::iter::repeat(&0));
        ids.extend(keys.iter().zip(hashes).zip(ahead).map(|((&key, &hash), &next)| {
            prefetch_read(&self.slots, next as usize & self.mask());
            self.probe(key, hash).1
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;
    use std::collections::HashMap;

    fn check<K: FixedKey + std::hash::Hash>(make: impl Fn(u64) -> K) {
        for (rows, distinct) in [(10, 3), (5000, 100), (50_000, 40_000), (200_000, 150_000)] {
            let mut rng = Rng::new(rows);
            let keys: Vec<K> = (0..rows).map(|_| make(rng.below(distinct))).collect();
            let (mut table, mut naive) = (FixedTable::<K>::default(), HashMap::new());
            let (mut hashes, mut ids) = (vec![], vec![]);
            for batch in keys.chunks(777) {
                FixedTable::hash_all(batch, &mut hashes);
                table.find_or_add_all(batch, &hashes, &mut ids);
            }
            for (key, &id) in keys.iter().zip(&ids) {
                let next = naive.len() as u32;
                assert_eq!(*naive.entry(*key).or_insert(next), id);
                assert_eq!(table.keys()[id as usize], *key);
            }
            assert_eq!(table.len(), naive.len());
            let absent = vec![make(distinct + 1), keys[0]];
            FixedTable::hash_all(&absent, &mut hashes);
            let mut found = vec![];
            table.find_all(&absent, &hashes, &mut found);
            assert_eq!(found, [NONE, 0]);
        }
    }

    #[test]
    fn against_a_hash_map() {
        check(|i| i);
        check(|i| i << 40);
        check(|i| u128::from(i) << 64);
        check(|i| [i, 0, i * 7, 1]);
    }
}
