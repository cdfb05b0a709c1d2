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
                    let at = probe(&this.slots, key, key.hash());
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
                    let at = probe(&self.slots, key, key.hash());
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

    #[cold]
    #[inline(never)]
    fn grow(&mut self, seen: usize) {
        let slots = more_slots(self.slots.len(), self.keys, seen, self.rows);
        let old = std::mem::replace(&mut self.slots, scope::zeroed(slots));
        for slot in scope::parts(&old).flatten().filter(|slot| slot.count > 0) {
            let at = probe(&self.slots, slot.key, slot.key.hash());
            self.slots[at] = *slot;
        }
    }
}

/// A complete table from keys of fixed width to rows: the slots of all partitions side by side in
/// one allocation, which large pages can hold.
#[derive(Clone, Debug, Default)]
pub struct FixedJoin<K> {
    slots: Vec<Slot<K>>,
    /// The first slot of each partition, and its number of slots.
    parts: Vec<(usize, usize)>,
}

impl<K: FixedKey> FixedJoin<K> {
    /// The table of these partitions, whose number is a power of two.
    pub fn of(parts: Vec<FixedPart<K>>) -> Self {
        let count: usize = parts.iter().map(|part| part.slots.len()).sum();
        scope::check_or_unwind(count * size_of::<Slot<K>>());
        let (mut slots, mut places) = (Vec::with_capacity(count), Vec::with_capacity(parts.len()));
        for part in parts {
            places.push((slots.len(), part.slots.len()));
            slots.extend_from_slice(&part.slots);
        }
        Self { slots, parts: places }
    }

    /// Calls `act` for the start and the count of every key.
    pub fn each_key(&self, mut act: impl FnMut(u32, u32)) {
        self.slots.iter().filter(|s| s.count > 0).for_each(|s| act(s.start, s.count));
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<K>>()
    }

    /// Looks up all keys. Counts are only filled in if `counts`.
    pub fn find_all(&self, keys: &[K], hashes: &[u64], counts: bool, found: &mut Found) {
        let Self { slots, parts } = self;
        assert!(parts.len().is_power_of_two() && keys.len() == hashes.len());
        found.begin(keys.len());
        let bits = parts.len().trailing_zeros();
        // SAFETY: the partition of a hash is below two to the power of `bits`.
        let part_of = |hash| unsafe { *parts.get_unchecked(join_partition(hash, bits)) };
        for (i, (&key, &hash)) in keys.iter().zip(hashes).enumerate() {
            if let Some(&next) = hashes.get(i + AHEAD) {
                let (first, count) = part_of(next);
                prefetch_read(slots, first + slot_of(next as u32, count));
            }
            let (first, count) = part_of(hash);
            let slot = &slots[first + probe(&slots[first..first + count], key, hash)];
            found.starts.push(if slot.count == 0 { NONE } else { slot.start });
            if counts {
                found.counts.push(slot.count);
            }
        }
    }
}

/// The slot of a partition that holds `key`, or the empty one into which it belongs.
#[inline(always)]
fn probe<K: FixedKey>(slots: &[Slot<K>], key: K, hash: u64) -> usize {
    let mut at = slot_of(hash as u32, slots.len());
    loop {
        // SAFETY: `slot_of` is below the number of slots, and so is `at` after every step.
        let slot = unsafe { slots.get_unchecked(at) };
        if slot.count == 0 || slot.key == key {
            return at;
        }
        at += 1;
        if at == slots.len() {
            at = 0;
        }
    }
}
