//! One value of any type per group, for `min`, `max`, `any` and `argMin`.
//!
//! Strings are kept in an arena and are overwritten in place if they fit, numbers in vectors, and
//! other types as columns of one row. Choosing winners is generic over the store, and copying them
//! is a separate call: `argMin` chooses in one store and copies in another.

use std::cmp::Ordering;

use entasis_base::Result;
use entasis_column::compare::{compare_nested, compare_values};
use entasis_column::{Column, FixedStrings, Native, Strings, StringsBuilder, match_physical};
use entasis_types::DataType;

use crate::kernel::bytes_at;
use entasis_function::aggregate::args::mismatch;

/// Which of a group's values is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueChoice {
    /// The first seen.
    First,
    /// The last seen.
    Last,
    /// The least; NaN only if there is nothing else.
    Least,
    /// The greatest; NaN only if there is nothing else.
    Greatest,
}

/// A row that won a group: (group, row).
pub type Win = (u32, u32);

/// One optional value per group. Columns passed in are full and not Nullable.
pub trait Store: Send {
    /// Grows to `groups` entries, new ones without a value.
    fn resize(&mut self, groups: usize);
    /// Whether a group has a value.
    fn has(&self, group: usize) -> bool;
    /// Applies the rows in order; rows that replaced a group's value are appended to `wins`.
    fn pick(
        &mut self,
        column: &Column,
        groups: &[u32],
        pick: ValueChoice,
        wins: &mut Vec<Win>,
    ) -> Result<()>;
    /// Sets each group to its row's value.
    fn set(&mut self, column: &Column, wins: &[Win]) -> Result<()>;
    /// Values of groups; defaults where there is none.
    fn column(&self, groups: &mut dyn Iterator<Item = usize>) -> Column;
    /// Bytes held.
    fn byte_size(&self) -> usize;
}

/// A store for values of `ty`.
pub fn store_for(ty: &DataType) -> Box<dyn Store> {
    match_physical!(ty.physical(), T => Box::new(NativeStore::<T>::default()),
    physical => match physical {
        Physical::String => Box::new(StringStore::default()),
        Physical::Fixed(width) => {
            Box::new(StringStore { width: Some(width as usize), ..StringStore::default() })
        }
        _ => Box::new(AnyStore { ty: ty.clone(), values: Vec::new() }),
    })
}

#[derive(Default)]
struct NativeStore<T> {
    values: Vec<T>,
    has: Vec<bool>,
}

#[inline(always)]
fn replaces<T: PartialOrd>(has: bool, new: &T, old: &T, pick: ValueChoice) -> bool {
    #[allow(clippy::eq_op)] // NaN is the only value that differs from itself
    match pick {
        ValueChoice::First => !has,
        ValueChoice::Last => true,
        ValueChoice::Least => !has | (new < old) | ((old != old) & (new == new)),
        ValueChoice::Greatest => !has | (new > old) | ((old != old) & (new == new)),
    }
}

impl<T: Native> Store for NativeStore<T> {
    fn resize(&mut self, groups: usize) {
        if groups > self.values.len() {
            self.values.resize(groups, T::default());
            self.has.resize(groups, false);
        }
    }

    fn has(&self, group: usize) -> bool {
        self.has[group]
    }

    fn pick(
        &mut self,
        column: &Column,
        groups: &[u32],
        pick: ValueChoice,
        wins: &mut Vec<Win>,
    ) -> Result<()> {
        let values = T::values(column).ok_or_else(mismatch)?;
        for (i, (v, &g)) in values.iter().zip(groups).enumerate() {
            let at = g as usize;
            if replaces(self.has[at], v, &self.values[at], pick) {
                self.values[at] = *v;
                self.has[at] = true;
                wins.push((g, i as u32));
            }
        }
        Ok(())
    }

    fn set(&mut self, column: &Column, wins: &[Win]) -> Result<()> {
        let values = T::values(column).ok_or_else(mismatch)?;
        for &(g, i) in wins {
            self.values[g as usize] = values[i as usize];
            self.has[g as usize] = true;
        }
        Ok(())
    }

    fn column(&self, groups: &mut dyn Iterator<Item = usize>) -> Column {
        T::column(groups.map(|g| self.values[g]).collect())
    }

    fn byte_size(&self) -> usize {
        self.values.capacity() * (size_of::<T>() + 1)
    }
}

/// Where a group's string lies. `room` bytes belong to the group from `start` on.
#[derive(Clone, Copy)]
struct StringSlot {
    /// The first eight bytes as a big-endian number: decides most comparisons.
    prefix: u64,
    start: u64,
    len: u32,
    room: u32,
}

const NOWHERE: StringSlot = StringSlot { prefix: 0, start: u64::MAX, len: 0, room: 0 };

fn prefix_of(s: &[u8]) -> u64 {
    match s.first_chunk::<8>() {
        Some(head) => u64::from_be_bytes(*head),
        None => {
            let mut head = [0; 8];
            head[..s.len()].copy_from_slice(s);
            u64::from_be_bytes(head)
        }
    }
}

/// Strings, or fixed strings if there is a width.
#[derive(Default)]
struct StringStore {
    width: Option<usize>,
    places: Vec<StringSlot>,
    arena: Vec<u8>,
    /// Bytes of the arena that no group uses any more.
    dead: usize,
    /// A reusable buffer.
    last: Vec<u32>,
}

/// The last row of each group that has one. `rows` is a reusable buffer with a place per group.
fn last_rows(rows: &mut Vec<u32>, count: usize, groups: &[u32]) -> Vec<Win> {
    rows.resize(count, 0);
    groups.iter().zip(0..).for_each(|(&g, i)| rows[g as usize] = i);
    let all = groups.iter().zip(0u32..);
    all.filter(|(g, i)| rows[**g as usize] == *i).map(|(&g, i)| (g, i)).collect()
}

impl StringStore {
    #[inline]
    fn get(&self, group: usize) -> &[u8] {
        let place = self.places[group];
        if place.start == u64::MAX {
            return b"";
        }
        &self.arena[place.start as usize..place.start as usize + place.len as usize]
    }

    fn put(&mut self, group: usize, s: &[u8]) {
        let place = &mut self.places[group];
        place.prefix = prefix_of(s);
        if place.start != u64::MAX && s.len() <= place.room as usize {
            place.len = s.len() as u32;
            let start = place.start as usize;
            self.arena[start..start + s.len()].copy_from_slice(s);
            return;
        }
        self.dead += place.room as usize;
        let len = s.len() as u32;
        *place = StringSlot { start: self.arena.len() as u64, len, room: len, ..*place };
        self.arena.extend_from_slice(s);
        if self.dead > (1 << 16) && self.dead > self.arena.len() / 2 {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let mut arena = Vec::with_capacity(self.arena.len() - self.dead);
        for place in self.places.iter_mut().filter(|p| p.start != u64::MAX) {
            let start = place.start as usize;
            *place = StringSlot { start: arena.len() as u64, room: place.len, ..*place };
            arena.extend_from_slice(&self.arena[start..start + place.len as usize]);
        }
        (self.arena, self.dead) = (arena, 0);
    }

    /// Applies the rows in order, see [`Store::pick`].
    #[inline(always)]
    fn pick_rows<'a>(
        &mut self,
        text: impl Fn(usize) -> &'a [u8],
        groups: &[u32],
        pick: ValueChoice,
        wins: &mut Vec<Win>,
    ) {
        for (i, &g) in groups.iter().enumerate() {
            let s = text(i);
            if self.beats(s, g as usize, pick) {
                self.put(g as usize, s);
                wins.push((g, i as u32));
            }
        }
    }

    fn beats(&self, s: &[u8], group: usize, pick: ValueChoice) -> bool {
        let place = &self.places[group];
        if place.start == u64::MAX {
            return true;
        }
        let order = match pick {
            ValueChoice::First => return false,
            ValueChoice::Last => return true,
            _ => prefix_of(s).cmp(&place.prefix).then_with(|| s.cmp(self.get(group))),
        };
        order == if pick == ValueChoice::Least { Ordering::Less } else { Ordering::Greater }
    }
}

impl Store for StringStore {
    fn resize(&mut self, groups: usize) {
        if groups > self.places.len() {
            self.places.resize(groups, NOWHERE);
        }
    }

    fn has(&self, group: usize) -> bool {
        self.places[group].start != u64::MAX
    }

    fn pick(
        &mut self,
        column: &Column,
        groups: &[u32],
        pick: ValueChoice,
        wins: &mut Vec<Win>,
    ) -> Result<()> {
        if pick == ValueChoice::Last {
            let last = last_rows(&mut self.last, self.places.len(), groups);
            self.set(column, &last)?;
            wins.extend(last);
            return Ok(());
        }
        match column {
            Column::String(strings) => self.pick_rows(|i| strings.get(i), groups, pick, wins),
            Column::Fixed(fixed) => self.pick_rows(|i| fixed.get(i), groups, pick, wins),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    fn set(&mut self, column: &Column, wins: &[Win]) -> Result<()> {
        for &(g, i) in wins {
            self.put(g as usize, bytes_at(column, i as usize));
        }
        Ok(())
    }

    fn column(&self, groups: &mut dyn Iterator<Item = usize>) -> Column {
        if let Some(width) = self.width {
            let mut data = Vec::new();
            groups.for_each(|g| {
                let end = data.len() + width;
                data.extend_from_slice(self.get(g));
                data.resize(end, 0);
            });
            return Column::Fixed(FixedStrings { width, data: data.into() });
        }
        let mut out = StringsBuilder::default();
        groups.for_each(|g| out.push(self.get(g)));
        let strings: Strings = out.finish();
        strings.into()
    }

    fn byte_size(&self) -> usize {
        self.places.capacity() * size_of::<StringSlot>() + self.arena.capacity()
    }
}

/// Everything else, slowly.
struct AnyStore {
    ty: DataType,
    values: Vec<Option<Column>>,
}

impl Store for AnyStore {
    fn resize(&mut self, groups: usize) {
        if groups > self.values.len() {
            self.values.resize(groups, None);
        }
    }

    fn has(&self, group: usize) -> bool {
        self.values[group].is_some()
    }

    fn pick(
        &mut self,
        column: &Column,
        groups: &[u32],
        pick: ValueChoice,
        wins: &mut Vec<Win>,
    ) -> Result<()> {
        for (i, &g) in groups.iter().enumerate() {
            let better = match (&self.values[g as usize], pick) {
                (None, _) | (_, ValueChoice::Last) => true,
                (_, ValueChoice::First) => false,
                (Some(old), ValueChoice::Least) => compare_values(column, i, old, 0).is_lt(),
                (Some(old), ValueChoice::Greatest) => {
                    compare_nested(column, i, old, 0, true).is_gt()
                }
            };
            if better {
                self.set(column, &[(g, i as u32)])?;
                wins.push((g, i as u32));
            }
        }
        Ok(())
    }

    fn set(&mut self, column: &Column, wins: &[Win]) -> Result<()> {
        for &(g, i) in wins {
            // `take` copies: a slice would keep the whole chunk alive.
            self.values[g as usize] = Some(column.take(&[i]));
        }
        Ok(())
    }

    fn column(&self, groups: &mut dyn Iterator<Item = usize>) -> Column {
        let default = Column::default_of(&self.ty, 1);
        let parts: Vec<&Column> =
            groups.map(|g| self.values[g].as_ref().unwrap_or(&default)).collect();
        match parts.is_empty() {
            true => Column::default_of(&self.ty, 0),
            false => Column::concat(&parts),
        }
    }

    fn byte_size(&self) -> usize {
        let of = |v: &Option<Column>| v.as_ref().map_or(0, Column::byte_size);
        self.values.iter().map(of).sum::<usize>() + self.values.capacity() * size_of::<Column>()
    }
}
