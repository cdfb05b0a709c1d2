//! Sets of byte strings, in one arena with a table of their hashes.

use entasis_base::scope;
use entasis_column::{Bitmap, Column, FixedStrings, Mask, Strings, StringsBuilder};
use entasis_simd::bits::words_for;
use entasis_simd::hash::hash_bytes;
use entasis_types::Physical;

/// A slot: the high half of the hash, and the number of the entry plus one; 0 is empty.
type Slot = u64;

/// Distinct strings. Entries are numbered in the order of insertion.
#[derive(Debug)]
pub(super) struct StringTable {
    slots: Vec<Slot>,
    ends: Vec<usize>,
    arena: Vec<u8>,
    /// Bit `l` is set if a member has the length `l`. Bit 63 stands for all greater lengths.
    lengths: u64,
}

impl Default for StringTable {
    fn default() -> Self {
        Self { slots: vec![0; 16], ends: vec![0], arena: Vec::new(), lengths: 0 }
    }
}

impl StringTable {
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub fn byte_size(&self) -> usize {
        self.slots.len() * 8 + self.ends.len() * 8 + self.arena.len()
    }

    /// Entry `i`.
    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        &self.arena[self.ends[i]..self.ends[i + 1]]
    }

    pub fn insert(&mut self, s: &[u8]) {
        let hash = hash_bytes(s);
        if self.find(s, hash) {
            return;
        }
        if (self.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.arena.extend_from_slice(s);
        self.ends.push(self.arena.len());
        self.lengths |= length_bit(s.len());
        let number = self.len() as u64;
        place(&mut self.slots, hash, number);
    }

    /// Calls `f` with every entry and its number, counted from 0.
    pub fn each(&self, mut f: impl FnMut(usize, &[u8])) {
        for (i, _) in scope::parts(&self.ends[1..]).flatten().enumerate() {
            f(i, self.get(i));
        }
    }

    fn grow(&mut self) {
        let mut slots = scope::zeroed(self.slots.len() * 2);
        self.each(|i, s| place(&mut slots, hash_bytes(s), i as u64 + 1));
        self.slots = slots;
    }

    #[inline]
    fn find(&self, s: &[u8], hash: u64) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return false;
            }
            if slot >> 32 == hash >> 32 && self.get((slot as u32 - 1) as usize) == s {
                return true;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    pub fn contains(&self, s: &[u8]) -> bool {
        self.lengths & length_bit(s.len()) != 0 && self.find(s, hash_bytes(s))
    }

    /// The mask of the strings that are members.
    pub fn probe(&self, strings: &Strings) -> Mask {
        let mut words = vec![0u64; words_for(strings.len())];
        for (i, s) in strings.iter().enumerate() {
            words[i / 64] |= u64::from(self.contains(s)) << (i % 64);
        }
        Bitmap::from_words(words, strings.len())
    }

    /// All members as a column.
    pub fn column(&self, physical: Physical) -> Column {
        if let Physical::Fixed(width) = physical {
            let width = width as usize;
            return Column::Fixed(FixedStrings { width, data: self.arena.clone().into() });
        }
        let mut out = StringsBuilder::with_capacity(self.len(), self.arena.len());
        (0..self.len()).for_each(|i| out.push(self.get(i)));
        out.finish().into()
    }
}

fn place(slots: &mut [Slot], hash: u64, number: u64) {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != 0 {
        at = (at + 1) & mask;
    }
    slots[at] = hash >> 32 << 32 | number;
}

#[inline]
fn length_bit(len: usize) -> u64 {
    1 << len.min(63)
}

/// Calls `f` with the row and the bytes of every string of a full column.
pub(super) fn for_each_string(column: &Column, mut f: impl FnMut(usize, &[u8])) {
    match column {
        Column::String(strings) => strings.iter().enumerate().for_each(|(i, s)| f(i, s)),
        Column::Fixed(fixed) => (0..fixed.len()).for_each(|i| f(i, fixed.get(i))),
        _ => {}
    }
}
