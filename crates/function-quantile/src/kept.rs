//! A vector of numbers per group, and how much memory all of them take.

/// One vector a group.
#[derive(Default)]
pub struct Kept<T> {
    /// The vectors.
    pub groups: Vec<Vec<T>>,
    /// Elements that the vectors have room for.
    room: usize,
}

impl<T: Copy> Kept<T> {
    /// Grows to so many vectors, new ones empty.
    pub fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups.max(self.groups.len()), Vec::new);
    }

    /// Appends a value.
    #[inline(always)]
    pub fn push(&mut self, group: u32, value: T) {
        let list = &mut self.groups[group as usize];
        if list.len() == list.capacity() {
            let before = list.capacity();
            list.reserve(1);
            self.room += list.capacity() - before;
        }
        list.push(value);
    }

    /// Appends several values.
    pub fn extend(&mut self, group: u32, values: &[T]) {
        let list = &mut self.groups[group as usize];
        let before = list.capacity();
        list.extend_from_slice(values);
        self.room += list.capacity() - before;
    }

    /// Moves all values of `from` into `group`.
    pub fn merge(&mut self, group: u32, from: &mut Vec<T>) {
        let list = &mut self.groups[group as usize];
        let before = list.capacity();
        if list.len() < from.len() {
            std::mem::swap(list, from);
        }
        list.append(from);
        self.room = self.room + list.capacity() - before;
    }

    /// The group's values, in any order.
    pub fn list(&mut self, group: usize) -> &mut Vec<T> {
        &mut self.groups[group]
    }

    /// The group's values, which leave.
    pub fn take(&mut self, group: usize) -> Vec<T> {
        let list = std::mem::take(&mut self.groups[group]);
        self.room -= list.capacity().min(self.room);
        list
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.groups.capacity() * size_of::<Vec<T>>() + self.room * size_of::<T>()
    }
}
