//! A partition whose keys have a fixed width: open addressing, with the key in the slot.

use entasis_base::{Result, scope};
use entasis_simd::prefetch::prefetch_read;

use super::{
    AHEAD, Found, JoinRun, STEP, first_slots, join_partition, least_slots, more_slots, slot_of,
};
use crate::hash::{FixedKey, NONE};

#[derive(Clone, Copy, Debug, Default)]
struct Slot<K> {
    key: K,
    start: u32,
    /// Number of rows; 0 in an empty slot.
    count: u32,
}

/// A partition of a table from keys of fixed width to rows.
#[derive(Clone, Debug, Default)]
pub struct FixedPart<K> {
    slots: Vec<Slot<K>>,
    keys: usize,
    rows: usize,
}

impl<K: FixedKey> FixedPart<K> {
    /// Fills a partition with its pieces of all runs. Slots contain the first row of their key.
    pub fn fill(runs: &[JoinRun<K>], part: usize) -> Result<Self> {
        let rows = runs.iter().map(|run| run.rows_of(part)).sum();
        let mut this = Self { slots: vec![Slot::default(); first_slots(rows)], keys: 0, rows };
        let mut seen = 0;
        for run in runs {
            let (keys, ids) = run.part(part);
            for (keys, ids) in keys.chunks(STEP).zip(ids.chunks(STEP)) {
                scope::check()?;
                for (i, (&key, &row)) in keys.iter().zip(ids).enumerate() {
                    this.prefetch(keys.get(i + AHEAD));
                    let at = this.probe(key, key.hash());
                    let slot = &mut this.slots[at];
                    slot.count += 1;
                    if slot.count > 1 {
                        continue;
                    }
                    (slot.key, slot.start) = (key, row);
                    this.keys += 1;
                    if least_slots(this.keys) > this.slots.len() {
                        this.grow(seen + i + 1);
                    }
                }
                seen += keys.len();
            }
        }
        Ok(this)
    }

    /// Whether every key has one row.
    pub fn is_unique(&self) -> bool {
        self.keys == self.rows
    }

    /// Brings the rows of each key together. From then on slots contain where the rows of their key
    /// start, counted from `base`.
    pub fn group(&mut self, runs: &[JoinRun<K>], part: usize, base: u32) -> Result<Vec<u32>> {
        let mut next = base;
        for slot in &mut self.slots {
            (slot.start, next) = (next, next + slot.count);
        }
        let mut order = scope::zeroed(self.rows);
        for run in runs {
            let (keys, ids) = run.part(part);
            for (keys, ids) in keys.chunks(STEP).zip(ids.chunks(STEP)) {
                scope::check()?;
                for (i, (&key, &row)) in keys.iter().zip(ids).enumerate() {
                    self.prefetch(keys.get(i + AHEAD));
                    let at = self.probe(key, key.hash());
                    let slot = &mut self.slots[at];
                    order[(slot.start - base) as usize] = row;
                    slot.start += 1;
                }
            }
        }
        for slot in &mut self.slots {
            slot.start -= slot.count;
        }
        Ok(order)
    }

    #[inline(always)]
    fn prefetch(&self, key: Option<&K>) {
        if let Some(key) = key {
            prefetch_read(&self.slots, slot_of(key.hash() as u32, self.slots.len()));
        }
    }

    /// The slot that holds `key`, or the empty one into which it belongs.
    #[inline(always)]
    fn probe(&self, key: K, hash: u64) -> usize {
        let mut at = slot_of(hash as u32, self.slots.len());
        loop {
            // SAFETY: `slot_of` is below the number of slots, and so is `at` after every step.
            let slot = unsafe { self.slots.get_unchecked(at) };
            if slot.count == 0 || slot.key == key {
                return at;
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, seen: usize) {
        let slots = more_slots(self.slots.len(), self.keys, seen, self.rows);
        let old = std::mem::replace(&mut self.slots, scope::zeroed(slots));
        for slot in scope::parts(&old).flatten().filter(|slot| slot.count > 0) {
            let at = self.probe(slot.key, slot.key.hash());
            self.slots[at] = *slot;
        }
    }

    /// Calls `act` for the start and the count of every key.
    pub fn each_key(&self, mut act: impl FnMut(u32, u32)) {
        self.slots.iter().filter(|s| s.count > 0).for_each(|s| act(s.start, s.count));
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<K>>()
    }

    /// Looks up all keys in the partitions of a table. Counts are only filled in if `counts`.
    pub fn find_all(parts: &[Self], keys: &[K], hashes: &[u64], counts: bool, found: &mut Found) {
        assert!(parts.len().is_power_of_two() && keys.len() == hashes.len());
        found.begin(keys.len());
        let bits = parts.len().trailing_zeros();
        for (i, (&key, &hash)) in keys.iter().zip(hashes).enumerate() {
            if let Some(&next) = hashes.get(i + AHEAD) {
                // SAFETY: the partition of a hash is below two to the power of `bits`.
                let part = unsafe { parts.get_unchecked(join_partition(next, bits)) };
                prefetch_read(&part.slots, slot_of(next as u32, part.slots.len()));
            }
            // SAFETY: as above.
            let part = unsafe { parts.get_unchecked(join_partition(hash, bits)) };
            let slot = &part.slots[part.probe(key, hash)];
            found.starts.push(if slot.count == 0 { NONE } else { slot.start });
            if counts {
                found.counts.push(slot.count);
            }
        }
    }
}
