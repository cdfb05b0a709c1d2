//! Many sets of fixed-width elements, one per group.
//!
//! In a large GROUP BY, most sets have one or two elements, and some have millions. The first
//! element is stored in the slot of the group. Small sets are short arrays in one pool for all
//! groups (4, 8 or 16 elements, which are searched linearly). Larger ones are hash tables of powers
//! of two in the same pool, and the largest have memory of their own. Freed blocks of the pool are
//! used again. Zero marks an empty place in a hash table, so a flag says whether zero is an
//! element.

mod merge;

use entasis_base::events::{self, Event};
use entasis_base::scope;
use entasis_simd::hash::{hash_one_u64, hash_one_u128};
use entasis_simd::prefetch::prefetch_read;

/// An element of a set.
pub trait Element: Copy + Eq + Default + Send + 'static {
    /// A hash, of which the low bits are used.
    fn hash(self) -> u64;
}

impl Element for u16 {
    #[inline(always)]
    fn hash(self) -> u64 {
        hash_one_u64(self.into(), 0)
    }
}

impl Element for u32 {
    #[inline(always)]
    fn hash(self) -> u64 {
        hash_one_u64(self.into(), 0)
    }
}

impl Element for u64 {
    #[inline(always)]
    fn hash(self) -> u64 {
        hash_one_u64(self, 0)
    }
}

impl Element for u128 {
    #[inline(always)]
    fn hash(self) -> u64 {
        hash_one_u128(self, 0)
    }
}

/// The place of a group's elements.
#[derive(Clone, Copy, Debug, Default)]
struct Slot<E> {
    /// The only element, with class 0.
    first: E,
    /// Start in the pool, or index of the large table.
    place: u32,
    len: u32,
    /// 0: in the slot; 1 to 3: array of `2 << class`; more: hash table of `4 << class`.
    class: u8,
    /// Whether zero is in the set (hash tables only).
    zero: bool,
}

impl<E: Element> Slot<E> {
    /// Whether an element is in the array of this slot. All places are compared at once, and those
    /// past the end are ignored.
    #[inline(always)]
    fn is_in_array(&self, pool: &[E], element: E) -> bool {
        #[inline(always)]
        fn equal<E: Element, const N: usize>(places: &[E], element: E) -> u32 {
            let Some(places) = places.first_chunk::<N>() else { return 0 };
            (0..N).fold(0, |bits, i| bits | u32::from(places[i] == element) << i)
        }
        let places = &pool[self.place as usize..];
        let bits = match self.class {
            1 => equal::<E, 4>(places, element),
            2 => equal::<E, 8>(places, element),
            _ => equal::<E, 16>(places, element),
        };
        bits & ((1 << self.len) - 1) != 0
    }
}

/// The sets.
#[derive(Debug)]
pub struct Sets<E> {
    slots: Vec<Slot<E>>,
    pool: Vec<E>,
    free: Vec<Vec<u32>>,
    large: Vec<Vec<E>>,
    large_bytes: usize,
}

const LAST_ARRAY: u8 = 3;
/// Hash tables of a higher class have memory of their own.
const LAST_POOLED: u8 = 8;
/// From this class on, hash tables grow by a factor of two instead of four.
const SLOWER: u8 = 10;
/// Number of elements added between two checks of the query.
const PART: usize = 1 << 18;
const PREFETCH_BYTES: usize = 256 << 10;
const AHEAD: usize = 16;

fn capacity(class: u8) -> usize {
    if class <= LAST_ARRAY { 2 << class } else { 4 << class }
}

impl<E> Default for Sets<E> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            pool: Vec::new(),
            free: (0..=LAST_POOLED).map(|_| Vec::new()).collect(),
            large: Vec::new(),
            large_bytes: 0,
        }
    }
}

/// Calls `f` with the elements of a hash table, a block at a time. Whether a place is empty cannot
/// be predicted, so elements are moved to the front of the block without a branch.
fn each_block<E: Element>(table: &[E], mut f: impl FnMut(&[E])) {
    const BLOCK: usize = 1024;
    let mut block = [E::default(); BLOCK];
    for places in scope::parts(table).flat_map(|part| part.chunks(BLOCK)) {
        let mut len = 0;
        for &element in places {
            block[len % BLOCK] = element;
            len += usize::from(element != E::default());
        }
        f(&block[..len]);
    }
}

/// Puts an element, which is not zero, into a hash table with room; returns whether it is new.
#[inline(always)]
fn put<E: Element>(table: &mut [E], element: E) -> bool {
    let mask = table.len() - 1;
    let mut at = element.hash() as usize & mask;
    loop {
        let found = table[at];
        if found == element {
            return false;
        }
        if found == E::default() {
            table[at] = element;
            return true;
        }
        at = (at + 1) & mask;
    }
}

impl<E: Element> Sets<E> {
    /// Grows to so many sets, new ones empty.
    pub fn resize(&mut self, groups: usize) {
        if groups > self.slots.len() {
            self.slots.resize(groups, Slot::default());
        }
    }

    /// Elements of a set.
    #[inline]
    pub fn len(&self, group: usize) -> usize {
        self.slots[group].len as usize
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<E>>()
            + self.pool.capacity() * size_of::<E>()
            + self.large_bytes
    }

    /// Adds an element; returns whether it is new.
    #[inline]
    pub fn insert(&mut self, group: usize, element: E) -> bool {
        let slot = &mut self.slots[group];
        match slot.class {
            0 if slot.len == 0 => {
                (slot.first, slot.len) = (element, 1);
                true
            }
            0 => slot.first != element && self.push_to_array(group, element),
            1..=LAST_ARRAY => {
                !slot.is_in_array(&self.pool, element) && self.push_to_array(group, element)
            }
            _ => self.insert_hashed(group, element),
        }
    }

    /// Adds element `i` to set `groups[i]`. Memory is prefetched: first the slot of the group, then
    /// the place in its set.
    pub fn insert_each(&mut self, groups: &[u32], elements: &[E]) {
        self.for_each_ahead(groups, elements, |sets, group, element| {
            sets.insert(group, element);
        });
    }

    /// Calls `f` for every pair in order, after prefetching the memory of both.
    pub fn for_each_ahead(
        &mut self,
        groups: &[u32],
        elements: &[E],
        mut f: impl FnMut(&mut Self, usize, E),
    ) {
        assert_eq!(groups.len(), elements.len());
        if self.byte_size() < PREFETCH_BYTES {
            groups.iter().zip(elements).for_each(|(&g, &e)| f(self, g as usize, e));
            return;
        }
        for (i, (&group, &element)) in groups.iter().zip(elements).enumerate() {
            if let Some(&next) = groups.get(i + 2 * AHEAD) {
                prefetch_read(&self.slots, next as usize);
            }
            if let (Some(&next), Some(&e)) = (groups.get(i + AHEAD), elements.get(i + AHEAD)) {
                self.prefetch(next as usize, e);
            }
            f(self, group as usize, element);
        }
    }

    /// Prefetches the place where an element of a set would be.
    #[inline(always)]
    fn prefetch(&self, group: usize, element: E) {
        let slot = &self.slots[group];
        let start = slot.place as usize;
        match slot.class {
            0 => {}
            1..=LAST_ARRAY => prefetch_read(&self.pool, start),
            class => {
                let at = element.hash() as usize & (capacity(class) - 1);
                if class <= LAST_POOLED {
                    prefetch_read(&self.pool, start + at);
                } else {
                    prefetch_read(&self.large[start], at);
                }
            }
        }
    }

    /// Appends an element to an array (or the slot) if it is not in it.
    fn push_to_array(&mut self, group: usize, element: E) -> bool {
        let slot = self.slots[group];
        let len = slot.len as usize;
        let full = if slot.class == 0 { len == 1 } else { len == capacity(slot.class) };
        if full && slot.class == LAST_ARRAY {
            self.rebuild(group, LAST_ARRAY + 1);
            return self.insert_hashed(group, element);
        }
        if full {
            let place = self.allocate(slot.class + 1);
            let start = place as usize;
            if slot.class == 0 {
                self.pool[start] = slot.first;
            } else {
                self.pool.copy_within(slot.place as usize..slot.place as usize + len, start);
                self.release(slot);
            }
            let new = &mut self.slots[group];
            (new.place, new.class) = (place, slot.class + 1);
        }
        let slot = &mut self.slots[group];
        self.pool[slot.place as usize + len] = element;
        slot.len += 1;
        true
    }

    fn insert_hashed(&mut self, group: usize, element: E) -> bool {
        let slot = &mut self.slots[group];
        if element == E::default() {
            let new = !slot.zero;
            slot.len += u32::from(new);
            slot.zero = true;
            return new;
        }
        let (place, class) = (slot.place as usize, slot.class);
        let table = match class {
            0..=LAST_POOLED => &mut self.pool[place..place + capacity(class)],
            _ => &mut self.large[place][..],
        };
        if !put(table, element) {
            return false;
        }
        slot.len += 1;
        if slot.len as usize * 2 > capacity(class) {
            self.rebuild(group, class + if class < SLOWER { 2 } else { 1 });
        }
        true
    }

    /// Adds all elements to one set: fast for large sets.
    pub fn insert_all(&mut self, group: usize, elements: &[E]) {
        let mut rest = elements;
        while !rest.is_empty() {
            let slot = self.slots[group];
            let room = (capacity(slot.class) / 2).saturating_sub(slot.len as usize);
            if slot.class <= LAST_POOLED || room == 0 {
                self.insert(group, rest[0]);
                rest = &rest[1..];
                continue;
            }
            // The elements are added in parts, with a check of the query after each.
            let (now, later) = rest.split_at(room.min(rest.len()).min(PART));
            if later.len() > PART {
                scope::check_or_unwind(0);
            }
            let table = &mut self.large[slot.place as usize][..];
            let (added, zero) = put_all(table, now);
            let slot = &mut self.slots[group];
            slot.len += added + u32::from(zero && !slot.zero);
            slot.zero |= zero;
            rest = later;
        }
    }

    /// Moves a set into a hash table of another class.
    #[cold]
    fn rebuild(&mut self, group: usize, class: u8) {
        let old = self.slots[group];
        let mut table = scope::zeroed(capacity(class));
        let mut zero = false;
        self.each(group, |element| {
            if element == E::default() {
                zero = true;
            } else {
                put(&mut table, element);
            }
        });
        self.release(old);
        let place = if class <= LAST_POOLED {
            let place = self.allocate(class);
            let start = place as usize;
            self.pool[start..start + table.len()].copy_from_slice(&table);
            place
        } else {
            self.large_bytes += table.capacity() * size_of::<E>();
            self.large.push(table);
            self.large.len() as u32 - 1
        };
        self.slots[group] = Slot { place, class, zero, ..old };
    }

    /// A block of the pool for a class.
    fn allocate(&mut self, class: u8) -> u32 {
        if let Some(place) = self.free[class as usize].pop() {
            events::one(Event::AggregateBlocksReused);
            return place;
        }
        events::one(Event::AggregateBlocksAllocated);
        let place = self.pool.len() as u32;
        self.pool.resize(self.pool.len() + capacity(class), E::default());
        place
    }

    fn release(&mut self, slot: Slot<E>) {
        match slot.class {
            0 => {}
            1..=LAST_POOLED => self.free[slot.class as usize].push(slot.place),
            _ => {
                let table = std::mem::take(&mut self.large[slot.place as usize]);
                self.large_bytes -= table.capacity() * size_of::<E>();
            }
        }
    }

    /// Calls `f` with every element of a set.
    pub fn each(&self, group: usize, mut f: impl FnMut(E)) {
        let slot = &self.slots[group];
        let start = slot.place as usize;
        match slot.class {
            0 if slot.len == 0 => {}
            0 => f(slot.first),
            1..=LAST_ARRAY => {
                self.pool[start..start + slot.len as usize].iter().for_each(|&e| f(e))
            }
            class => {
                let table = match class {
                    0..=LAST_POOLED => &self.pool[start..start + capacity(class)],
                    _ => &self.large[start][..],
                };
                if slot.zero {
                    f(E::default());
                }
                each_block(table, |block| block.iter().for_each(|e| f(*e)));
            }
        }
    }

    /// Empties a set and returns its elements.
    pub fn take(&mut self, group: usize) -> Vec<E> {
        let mut out = Vec::with_capacity(self.len(group));
        self.each(group, |e| out.push(e));
        let slot = std::mem::take(&mut self.slots[group]);
        if (1..=LAST_POOLED).contains(&slot.class) {
            let start = slot.place as usize;
            self.pool[start..start + capacity(slot.class)].fill(E::default());
        }
        self.release(slot);
        out
    }
}

/// [`put`] for many elements; returns how many are new, and whether zero was among them.
fn put_all<E: Element>(table: &mut [E], elements: &[E]) -> (u32, bool) {
    let mask = table.len() - 1;
    let far = size_of_val(table) > PREFETCH_BYTES;
    let (mut added, mut zero) = (0, false);
    for (i, &element) in elements.iter().enumerate() {
        if far {
            let next = elements[(i + AHEAD).min(elements.len() - 1)];
            prefetch_read(table, next.hash() as usize & mask);
        }
        if element == E::default() {
            zero = true;
        } else {
            added += u32::from(put(table, element));
        }
    }
    (added, zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;
    use std::collections::HashSet;

    fn sorted<E: Element + Ord>(sets: &Sets<E>, group: usize) -> Vec<E> {
        let mut out = vec![];
        sets.each(group, |e| out.push(e));
        out.sort_unstable();
        out
    }

    fn check<E: Element + Ord + std::hash::Hash + std::fmt::Debug>(make: impl Fn(u64) -> E) {
        let mut rng = Rng::new(5);
        let sizes = [1, 3, 9, 17, 40, 300, 3000, 60_000];
        let (mut a, mut b) = (Sets::default(), Sets::default());
        a.resize(sizes.len());
        b.resize(sizes.len());
        let mut naive = vec![HashSet::new(); sizes.len()];
        for _ in 0..200_000 {
            let group = rng.below(sizes.len() as u64) as usize;
            let element = make(rng.below(sizes[group]));
            if rng.below(2) == 0 {
                b.insert(group, element);
                naive[group].insert(element);
            } else {
                let new = a.insert(group, element);
                assert!(naive[group].insert(element) <= new);
            }
        }
        let many: Vec<E> = (0..100_000).map(|_| make(rng.below(90_000))).collect();
        a.insert_all(7, &many);
        naive[7].extend(&many);
        for group in 0..sizes.len() {
            a.merge(&[group as u32], &mut b, &[group as u32]);
            let mut wanted: Vec<E> = naive[group].iter().copied().collect();
            wanted.sort_unstable();
            assert_eq!(a.len(group), wanted.len(), "{group}");
            assert_eq!(sorted(&a, group), wanted);
            assert!(b.len(group) == 0);
        }
        let taken = a.take(5).len();
        assert_eq!((taken, a.len(5)), (naive[5].len(), 0));
        a.insert(5, make(1));
        assert_eq!(a.len(5), 1);
    }

    #[test]
    fn against_hash_sets() {
        check(|i| i);
        check(|i| i as u32);
        check(|i| u128::from(i) << 70);
    }
}
