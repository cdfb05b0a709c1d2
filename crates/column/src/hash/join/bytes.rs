//! A partition whose keys are byte strings: open addressing with the low half of the hash and the
//! length in the slot, and one copy of the bytes of each key.

use entasis_base::{Error, Result, codes, scope};
use entasis_simd::prefetch::prefetch_read;

use super::slot_of;
use super::{AHEAD, Found, JoinRun, STEP, first_slots, join_partition, least_slots, more_slots};
use crate::Strings;
use crate::hash::{NONE, bytes_equal};

/// Where a key is among the strings of its run, and its hash.
#[derive(Clone, Copy, Debug, Default)]
pub struct BytesRef {
    /// The hash.
    pub hash: u64,
    /// The number of the list of strings.
    pub list: u32,
    /// The number of the string in its list.
    pub at: u32,
}

/// A run with the strings that its keys refer to.
pub type BytesRun = (JoinRun<BytesRef>, Vec<Strings>);

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    len: u32,
    /// Where the bytes of the key are.
    at: u32,
    start: u32,
    /// Number of rows; 0 in an empty slot.
    count: u32,
}

/// A partition of a table from byte strings to rows.
#[derive(Clone, Debug, Default)]
pub struct BytesPart {
    slots: Vec<Slot>,
    data: Vec<u8>,
    keys: usize,
    rows: usize,
}

impl BytesPart {
    /// Fills a partition with its pieces of all runs. Slots contain the first row of their key.
    pub fn fill(runs: &[BytesRun], part: usize) -> Result<Self> {
        let rows = runs.iter().map(|(run, _)| run.rows_of(part)).sum();
        let slots = vec![Slot::default(); first_slots(rows)];
        let mut this = Self { slots, data: Vec::new(), keys: 0, rows };
        let mut seen = 0;
        for (run, lists) in runs {
            let (keys, ids) = run.part(part);
            for (keys, ids) in keys.chunks(STEP).zip(ids.chunks(STEP)) {
                scope::check()?;
                for (i, (key, &row)) in keys.iter().zip(ids).enumerate() {
                    let bytes = lists[key.list as usize].get(key.at as usize);
                    let at = this.probe(bytes, key.hash as u32);
                    let slot = &mut this.slots[at];
                    slot.count += 1;
                    if slot.count > 1 {
                        continue;
                    }
                    let place = this.data.len();
                    if place + bytes.len() > u32::MAX as usize {
                        let message = "More than 4 GiB of keys in a partition of a JOIN";
                        return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
                    }
                    (slot.hash, slot.len) = (key.hash as u32, bytes.len() as u32);
                    (slot.at, slot.start) = (place as u32, row);
                    this.data.extend_from_slice(bytes);
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

    /// Brings the rows of each key together, see [`super::FixedPart::group`].
    pub fn group(&mut self, runs: &[BytesRun], part: usize, base: u32) -> Result<Vec<u32>> {
        let mut next = base;
        for slot in &mut self.slots {
            (slot.start, next) = (next, next + slot.count);
        }
        let mut order = scope::zeroed(self.rows);
        for (run, lists) in runs {
            let (keys, ids) = run.part(part);
            for (keys, ids) in keys.chunks(STEP).zip(ids.chunks(STEP)) {
                scope::check()?;
                for (key, &row) in keys.iter().zip(ids) {
                    let bytes = lists[key.list as usize].get(key.at as usize);
                    let at = self.probe(bytes, key.hash as u32);
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
    fn key(&self, slot: &Slot) -> &[u8] {
        &self.data[slot.at as usize..slot.at as usize + slot.len as usize]
    }

    /// The slot that holds `key`, or the empty one into which it belongs.
    #[inline(always)]
    fn probe(&self, key: &[u8], hash: u32) -> usize {
        let mut at = slot_of(hash, self.slots.len());
        loop {
            let slot = &self.slots[at];
            let same = slot.hash == hash && slot.len as usize == key.len();
            if slot.count == 0 || (same && bytes_equal(self.key(slot), key)) {
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
            let mut at = slot_of(slot.hash, slots);
            while self.slots[at].count > 0 {
                at = if at + 1 == slots { 0 } else { at + 1 };
            }
            self.slots[at] = *slot;
        }
    }

    /// Calls `act` for the start and the count of every key.
    pub fn each_key(&self, mut act: impl FnMut(u32, u32)) {
        self.slots.iter().filter(|s| s.count > 0).for_each(|s| act(s.start, s.count));
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>() + self.data.capacity()
    }

    /// Looks up all keys in the partitions of a table. Counts are only filled in if `counts`.
    pub fn find_all(
        parts: &[Self],
        keys: &Strings,
        hashes: &[u64],
        counts: bool,
        found: &mut Found,
    ) {
        assert!(parts.len().is_power_of_two() && keys.len() == hashes.len());
        found.begin(keys.len());
        let bits = parts.len().trailing_zeros();
        let part_of = |hash: u64| &parts[join_partition(hash, bits)];
        for (i, (key, &hash)) in keys.iter().zip(hashes).enumerate() {
            if let Some(&far) = hashes.get(i + 2 * AHEAD) {
                let part = part_of(far);
                prefetch_read(&part.slots, slot_of(far as u32, part.slots.len()));
            }
            if let Some(&near) = hashes.get(i + AHEAD) {
                let part = part_of(near);
                let slot = &part.slots[slot_of(near as u32, part.slots.len())];
                prefetch_read(&part.data, slot.at as usize);
            }
            let part = part_of(hash);
            let slot = &part.slots[part.probe(key, hash as u32)];
            found.starts.push(if slot.count == 0 { NONE } else { slot.start });
            if counts {
                found.counts.push(slot.count);
            }
        }
    }
}
