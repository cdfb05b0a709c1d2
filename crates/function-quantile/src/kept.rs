//! A vector of numbers per group, and how much memory all of them take. Long vectors are cut into
//! parts, so that they are neither copied when they grow nor when those of two threads are joined.

use std::collections::HashMap;

use entasis_base::scope;

/// One list a group.
#[derive(Default)]
pub struct Kept<T> {
    /// The end of each list.
    ends: Vec<Vec<T>>,
    /// What comes before the ends of long lists.
    parts: HashMap<u32, Vec<Vec<T>>>,
    /// Elements that all vectors have room for.
    room: usize,
}

/// Elements of a part.
const PART: usize = 1 << 16;

impl<T: Copy> Kept<T> {
    /// Grows to so many lists, new ones empty.
    pub fn resize(&mut self, groups: usize) {
        self.ends.resize_with(groups.max(self.ends.len()), Vec::new);
    }

    /// Appends a value.
    #[inline(always)]
    pub fn push(&mut self, group: u32, value: T) {
        let end = &self.ends[group as usize];
        if end.len() == end.capacity() {
            self.make_room(group, 1);
        }
        self.ends[group as usize].push(value);
    }

    /// Appends several values.
    pub fn extend(&mut self, group: u32, values: &[T]) {
        self.make_room(group, values.len());
        self.ends[group as usize].extend_from_slice(values);
    }

    /// Makes room for so many values in the end of a list.
    fn make_room(&mut self, group: u32, count: usize) {
        let end = &mut self.ends[group as usize];
        if end.capacity() - end.len() >= count {
            return;
        }
        let before = end.capacity();
        if end.len() < PART {
            end.reserve(count);
            self.room += end.capacity() - before;
            return;
        }
        let next = Vec::with_capacity(count.max(PART));
        self.room += next.capacity();
        let full = std::mem::replace(end, next);
        self.parts.entry(group).or_default().push(full);
    }

    /// Moves all values of list `from` of `other` to list `group`.
    pub fn merge(&mut self, group: u32, other: &mut Self, from: u32) {
        if let Some(parts) = other.parts.remove(&from) {
            let room: usize = parts.iter().map(Vec::capacity).sum();
            other.room -= room;
            self.room += room;
            self.parts.entry(group).or_default().extend(parts);
        }
        let mut theirs = std::mem::take(&mut other.ends[from as usize]);
        other.room -= theirs.capacity();
        let end = &mut self.ends[group as usize];
        if end.len() < theirs.len() {
            self.room = self.room + theirs.capacity() - end.capacity();
            std::mem::swap(end, &mut theirs);
        }
        if theirs.len() > PART / 2 {
            self.room += theirs.capacity();
            self.parts.entry(group).or_default().push(theirs);
        } else {
            self.extend(group, &theirs);
        }
    }

    /// The number of values.
    pub fn len(&self, group: usize) -> usize {
        self.slices(group).map(<[T]>::len).sum()
    }

    /// The values, in pieces.
    pub fn slices(&self, group: usize) -> impl Iterator<Item = &[T]> {
        let parts = match self.parts.is_empty() {
            true => None,
            false => self.parts.get(&(group as u32)),
        };
        let parts = parts.into_iter().flatten().map(Vec::as_slice);
        parts.chain(std::iter::once(&self.ends[group][..]))
    }

    /// The values in one piece, in any order.
    pub fn list(&mut self, group: usize) -> &mut Vec<T> {
        if let Some(parts) = self.parts.remove(&(group as u32)) {
            let before: usize = parts.iter().map(Vec::capacity).sum();
            let all: usize = parts.iter().map(Vec::len).sum();
            let end = &mut self.ends[group];
            let had = end.capacity();
            scope::check_or_unwind(all * size_of::<T>());
            end.reserve(all);
            parts.iter().for_each(|part| end.extend_from_slice(part));
            self.room = self.room + end.capacity() - had - before;
        }
        &mut self.ends[group]
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.ends.capacity() * size_of::<Vec<T>>() + self.room * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_joined() {
        let (mut a, mut b) = (Kept::<u32>::default(), Kept::<u32>::default());
        a.resize(2);
        b.resize(2);
        (0..300_000).for_each(|i| a.push(1, i));
        (300_000..400_000).for_each(|i| b.push(0, i));
        b.extend(0, &(400_000..700_000).collect::<Vec<u32>>());
        a.merge(1, &mut b, 0);
        assert_eq!((a.len(1), b.len(0), a.len(0)), (700_000, 0, 0));
        assert!(a.byte_size() >= 700_000 * 4 && b.byte_size() < 1000);
        let mut all: Vec<u32> = a.slices(1).flatten().copied().collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..700_000));
        let list = a.list(1);
        list.sort_unstable();
        assert!(list.iter().copied().eq(0..700_000));
    }
}
