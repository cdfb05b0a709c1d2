//! Joins the sets of two threads.

use super::{AHEAD, Element, LAST_POOLED, PREFETCH_BYTES, Sets, Slot, capacity, each_block};
use entasis_simd::prefetch::prefetch_read;

impl<E: Element> Sets<E> {
    /// Moves the elements of the sets `from` of `other` into the sets `groups`. The sets of `other`
    /// are empty afterwards.
    pub fn merge(&mut self, groups: &[u32], other: &mut Self, from: &[u32]) {
        let far = self.byte_size() + other.byte_size() > PREFETCH_BYTES;
        for (i, (&group, &set)) in groups.iter().zip(from).enumerate() {
            if let (true, Some(&next), Some(&theirs)) =
                (far, groups.get(i + 2 * AHEAD), from.get(i + 2 * AHEAD))
            {
                prefetch_read(&self.slots, next as usize);
                prefetch_read(&other.slots, theirs as usize);
            }
            if let (true, Some(&next), Some(&theirs)) =
                (far, groups.get(i + AHEAD), from.get(i + AHEAD))
            {
                self.prefetch_array(next as usize);
                other.prefetch_array(theirs as usize);
            }
            self.merge_one(group as usize, other, set as usize);
        }
    }

    /// Prefetches the array of a set.
    #[inline(always)]
    fn prefetch_array(&self, group: usize) {
        let slot = &self.slots[group];
        if (1..=LAST_POOLED).contains(&slot.class) {
            prefetch_read(&self.pool, slot.place as usize);
        }
    }

    fn merge_one(&mut self, group: usize, other: &mut Self, from: usize) {
        let theirs = other.slots[from];
        if theirs.class > LAST_POOLED {
            return self.merge_large(group, other, from);
        }
        if self.slots[group].len == 0 && theirs.class > 0 {
            self.copy(group, other, theirs);
        } else {
            other.each(from, |e| {
                self.insert(group, e);
            });
        }
        other.slots[from] = Slot::default();
    }

    /// Copies a set of the pool of `other` into an empty set.
    fn copy(&mut self, group: usize, other: &Self, theirs: Slot<E>) {
        self.release(self.slots[group]);
        let place = self.allocate(theirs.class);
        let (start, from, len) = (place as usize, theirs.place as usize, capacity(theirs.class));
        self.pool[start..start + len].copy_from_slice(&other.pool[from..from + len]);
        self.slots[group] = Slot { place, ..theirs };
    }

    fn merge_large(&mut self, group: usize, other: &mut Self, from: usize) {
        let theirs = std::mem::take(&mut other.slots[from]);
        let table = std::mem::take(&mut other.large[theirs.place as usize]);
        let bytes = table.capacity() * size_of::<E>();
        other.large_bytes -= bytes;
        let mine = self.slots[group];
        let (mut rest, mut zero) = (table, theirs.zero);
        if mine.len < theirs.len {
            // The set of the other side becomes this one, and the elements of this one are added to
            // it.
            zero = mine.zero;
            let had = match mine.class {
                0..=LAST_POOLED => {
                    zero = false;
                    self.take(group)
                }
                _ => {
                    let table = std::mem::take(&mut self.large[mine.place as usize]);
                    self.large_bytes -= table.capacity() * size_of::<E>();
                    table
                }
            };
            self.large_bytes += bytes;
            self.large.push(std::mem::replace(&mut rest, had));
            self.slots[group] = Slot { place: self.large.len() as u32 - 1, ..theirs };
            if mine.class <= LAST_POOLED {
                return self.insert_all(group, &rest);
            }
        }
        if zero {
            self.insert(group, E::default());
        }
        each_block(&rest, |block| self.insert_all(group, block));
    }
}
