//! Open addressing over byte strings.
//!
//! A slot has 8 bytes: the id, and 32 bits of the hash as a tag above it. The bytes of the keys are
//! stored one after the other in the order of their ids. A batch is probed in blocks and in three
//! passes (slots, places, bytes), so that the cache misses of a block overlap.

use entasis_base::events::{self, Event};
use entasis_base::scope;

use super::NONE;

/// A hash table from byte strings to dense ids.
#[derive(Clone, Debug)]
pub struct BytesTable {
    /// A power of two of slots: tag << 32 | id, all ones where empty.
    slots: Vec<u64>,
    /// The ends of the strings, after a leading 0.
    offsets: Vec<u64>,
    data: Vec<u8>,
    hashes: Vec<u64>,
}

const EMPTY: u64 = u64::MAX;
const LEAST_SLOTS: usize = 256;
const BLOCK: usize = 32;

impl Default for BytesTable {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// Makes the tag. The low bits of the hash choose the slot and the highest ones the partition, so
/// the tag consists of the middle bits. Together with [`NONE`], which is not an id, it cannot be
/// all ones.
#[inline(always)]
fn tag_of(hash: u64) -> u64 {
    hash << 8 & 0xFFFF_FFFF_0000_0000
}

impl BytesTable {
    /// Makes a table with room for `keys` keys without growing.
    pub fn with_capacity(keys: usize) -> Self {
        let slots = (keys * 2).next_power_of_two().max(LEAST_SLOTS);
        Self { slots: vec![EMPTY; slots], offsets: vec![0], data: Vec::new(), hashes: Vec::new() }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The key with this id.
    #[inline(always)]
    pub fn key(&self, id: u32) -> &[u8] {
        let (start, end) = (self.offsets[id as usize], self.offsets[id as usize + 1]);
        &self.data[start as usize..end as usize]
    }

    /// Hashes of the keys in order of their ids.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// All keys in order of their ids: `n + 1` offsets into the bytes.
    pub fn keys(&self) -> (&[u64], &[u8]) {
        (&self.offsets, &self.data)
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        (self.slots.capacity() + self.offsets.capacity() + self.hashes.capacity()) * 8
            + self.data.capacity()
    }

    /// The id of `key`, or the empty slot into which it belongs.
    #[inline(always)]
    fn probe(&self, key: &[u8], hash: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let tag = tag_of(hash);
        let mut at = hash as usize & mask;
        loop {
            // SAFETY: `at` is masked by the power-of-two length minus one.
            let slot = unsafe { *self.slots.get_unchecked(at) };
            if slot == EMPTY {
                return Err(at);
            }
            if slot & 0xFFFF_FFFF_0000_0000 == tag && bytes_equal(self.key(slot as u32), key) {
                return Ok(slot as u32);
            }
            at = (at + 1) & mask;
        }
    }

    /// The id of `key`, if it is known.
    #[inline]
    pub fn find(&self, key: &[u8], hash: u64) -> u32 {
        self.probe(key, hash).unwrap_or(NONE)
    }

    /// The id of `key`, which is added if it is new. `hash` must be the hash of the key.
    #[inline]
    pub fn find_or_add(&mut self, key: &[u8], hash: u64) -> u32 {
        match self.probe(key, hash) {
            Ok(id) => id,
            Err(at) => self.add(at, key, hash),
        }
    }

    fn add(&mut self, at: usize, key: &[u8], hash: u64) -> u32 {
        let id = self.hashes.len() as u32;
        self.slots[at] = tag_of(hash) | u64::from(id);
        self.hashes.push(hash);
        self.data.extend_from_slice(key);
        self.offsets.push(self.data.len() as u64);
        if self.hashes.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        events::one(Event::HashTableGrowths);
        events::add(Event::HashTableGrowthKeys, self.hashes.len() as u64);
        let factor = if self.slots.len() <= 1 << 12 { 4 } else { 2 };
        self.slots = scope::filled(EMPTY, self.slots.len() * factor);
        let mask = self.slots.len() - 1;
        for (id, &hash) in scope::parts(&self.hashes).flatten().enumerate() {
            let mut at = hash as usize & mask;
            while self.slots[at] != EMPTY {
                at = (at + 1) & mask;
            }
            self.slots[at] = tag_of(hash) | id as u64;
        }
    }

    /// Appends the id of every key to `ids`, and adds new keys. Key `i` is `data[offsets[i] ..
    /// offsets[i + 1]]`, and `hashes` are the hashes of the keys.
    pub fn find_or_add_all(
        &mut self,
        offsets: &[u32],
        data: &[u8],
        hashes: &[u64],
        ids: &mut Vec<u32>,
    ) {
        assert_eq!(offsets.len(), hashes.len() + 1);
        ids.reserve(hashes.len());
        let mut found = [NONE; BLOCK];
        for (block, hashes) in hashes.chunks(BLOCK).enumerate() {
            let first = block * BLOCK;
            self.candidates(hashes, &mut found);
            let mut places = [(0u64, 0u64); BLOCK];
            for (place, &id) in places.iter_mut().zip(&found[..hashes.len()]) {
                if id != NONE {
                    *place = (self.offsets[id as usize], self.offsets[id as usize + 1]);
                }
            }
            for (i, &hash) in hashes.iter().enumerate() {
                let (from, to) = (offsets[first + i], offsets[first + i + 1]);
                let key = &data[from as usize..to as usize];
                let (start, end) = places[i];
                let same =
                    found[i] != NONE && bytes_equal(&self.data[start as usize..end as usize], key);
                ids.push(if same { found[i] } else { self.find_or_add(key, hash) });
            }
        }
    }

    /// The id in the first slot of each hash, if the tag is equal. The bytes are not compared.
    #[inline(always)]
    fn candidates(&self, hashes: &[u64], found: &mut [u32; BLOCK]) {
        let mask = self.slots.len() - 1;
        for (out, &hash) in found.iter_mut().zip(hashes) {
            // SAFETY: masked by the power-of-two length minus one.
            let slot = unsafe { *self.slots.get_unchecked(hash as usize & mask) };
            let same = slot & 0xFFFF_FFFF_0000_0000 == tag_of(hash);
            *out = if same { slot as u32 } else { NONE };
        }
    }
}

/// Equality of byte strings, without a function call for short ones.
#[inline(always)]
pub fn bytes_equal(a: &[u8], b: &[u8]) -> bool {
    let n = a.len();
    if n != b.len() {
        return false;
    }
    let word =
        |s: &[u8], at: usize| s[at..].first_chunk::<8>().map_or(0, |c| u64::from_le_bytes(*c));
    match n {
        0 => true,
        1..8 => short_equal(a, b),
        8..=16 => word(a, 0) == word(b, 0) && word(a, n - 8) == word(b, n - 8),
        17..=32 => {
            word(a, 0) == word(b, 0)
                && word(a, 8) == word(b, 8)
                && word(a, n - 16) == word(b, n - 16)
                && word(a, n - 8) == word(b, n - 8)
        }
        _ => a == b,
    }
}

#[inline(always)]
fn short_equal(a: &[u8], b: &[u8]) -> bool {
    if let (Some(x), Some(y), Some(v), Some(w)) =
        (a.first_chunk::<4>(), b.first_chunk::<4>(), a.last_chunk::<4>(), b.last_chunk::<4>())
    {
        return x == y && v == w;
    }
    let n = a.len();
    a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StringsBuilder;
    use entasis_base::clock::Rng;
    use entasis_simd::hash::{hash_bytes, hash_strings};
    use std::collections::HashMap;

    #[test]
    fn against_a_hash_map() {
        for (rows, distinct) in [(10, 3), (5000, 100), (100_000, 70_000)] {
            let mut rng = Rng::new(rows);
            let mut strings = StringsBuilder::default();
            for _ in 0..rows {
                let i = rng.below(distinct);
                let len = (i % 70) as usize;
                let mut s = format!("{i}").into_bytes();
                s.resize(len.max(s.len()), b'x');
                strings.push(if i == 0 { b"" } else { &s });
            }
            let strings = strings.finish();
            let (mut table, mut naive) = (BytesTable::default(), HashMap::new());
            let mut hashes = vec![0; rows as usize];
            hash_strings(strings.offsets(), strings.data(), 0, &mut hashes);
            let mut ids = vec![];
            for start in (0..strings.len()).step_by(777) {
                let part = strings.slice(start, 777.min(strings.len() - start));
                let hashes = &hashes[start..start + part.len()];
                table.find_or_add_all(part.offsets(), part.data(), hashes, &mut ids);
            }
            for (key, &id) in strings.iter().zip(&ids) {
                let next = naive.len() as u32;
                assert_eq!(*naive.entry(key.to_vec()).or_insert(next), id);
                assert_eq!(table.key(id), key);
                assert_eq!(table.find(key, hash_bytes(key)), id);
            }
            assert_eq!(
                (table.len(), table.find(b"absent", hash_bytes(b"absent"))),
                (naive.len(), NONE)
            );
        }
    }

    #[test]
    fn tags_that_collide_are_told_apart_by_bytes() {
        let mut table = BytesTable::default();
        let ids: Vec<u32> = (0..1000u32).map(|i| table.find_or_add(&i.to_le_bytes(), 42)).collect();
        assert_eq!(ids, (0..1000).collect::<Vec<_>>());
        assert_eq!(table.find(&7u32.to_le_bytes(), 42), 7);
    }

    #[test]
    fn equality_of_every_length() {
        for n in 0..80usize {
            let a: Vec<u8> = (0..n).map(|i| i as u8).collect();
            assert!(bytes_equal(&a, &a.clone()));
            for at in 0..n {
                let mut b = a.clone();
                b[at] ^= 1;
                assert!(!bytes_equal(&a, &b), "{n} {at}");
            }
        }
    }
}
