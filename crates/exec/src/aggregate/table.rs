//! Groups: a table that maps encoded keys to dense ids, and the states of every aggregate by id.

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::hash::{BytesTable, DenseTable, FixedTable, NONE};
use entasis_column::{Bitmap, Buffer, Column, Strings, StringsBuilder};
use entasis_function::States;

use super::Spec;
use super::keys::{KeyLayout, Keys, spread_direct};

/// Maps encoded keys to ids, which are assigned in order of appearance.
#[derive(Clone)]
pub enum GroupTable {
    /// An array with an id for each possible key.
    U16 {
        /// The id of each possible key; [`NONE`] for keys that did not occur.
        ids: Vec<u32>,
        /// The keys in order of their ids.
        keys: Vec<u16>,
    },
    /// Keys of 8 bytes that are small numbers.
    Dense(DenseTable),
    /// Keys of 8 bytes.
    U64(FixedTable<u64>),
    /// Keys of 16 bytes.
    U128(FixedTable<u128>),
    /// Keys of 32 bytes.
    U256(FixedTable<[u64; 4]>),
    /// Keys of any length.
    Bytes(BytesTable),
}

#[cold]
fn other_layout() -> Error {
    Error::logical("keys of another layout")
}

impl GroupTable {
    /// An empty table with room for `capacity` keys.
    pub fn new(layout: &KeyLayout, capacity: usize) -> Self {
        match layout {
            KeyLayout::U16(_) => Self::U16 { ids: vec![NONE; 1 << 16], keys: Vec::new() },
            KeyLayout::U64(_) => Self::U64(FixedTable::with_capacity(capacity)),
            KeyLayout::U128(_) => Self::U128(FixedTable::with_capacity(capacity)),
            KeyLayout::U256(_) => Self::U256(FixedTable::with_capacity(capacity)),
            KeyLayout::String | KeyLayout::Rows(_) => {
                Self::Bytes(BytesTable::with_capacity(capacity))
            }
        }
    }

    /// An empty table for all keys of a worker, of which those of a partition are only some.
    pub fn whole(layout: &KeyLayout) -> Self {
        match layout {
            KeyLayout::U64(_) => Self::Dense(DenseTable::default()),
            other => Self::new(other, 0),
        }
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        match self {
            Self::U16 { keys, .. } => keys.len(),
            Self::Dense(table) => table.len(),
            Self::U64(table) => table.len(),
            Self::U128(table) => table.len(),
            Self::U256(table) => table.len(),
            Self::Bytes(table) => table.len(),
        }
    }

    /// Whether this is an array over all possible keys.
    pub fn is_direct(&self) -> bool {
        matches!(self, Self::U16 { .. })
    }

    /// Whether keys are looked up in an array, without their hashes.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::U16 { .. } | Self::Dense(_))
    }

    /// How many numbers an array has room for; 0 of other tables.
    pub fn array_room(&self) -> usize {
        if let Self::Dense(table) = self { table.room() } else { 0 }
    }

    /// Bytes that the table holds.
    pub fn byte_size(&self) -> usize {
        match self {
            Self::U16 { ids, keys } => ids.len() * 4 + keys.capacity() * 2,
            Self::Dense(table) => table.byte_size(),
            Self::U64(table) => table.byte_size(),
            Self::U128(table) => table.byte_size(),
            Self::U256(table) => table.byte_size(),
            Self::Bytes(table) => table.byte_size(),
        }
    }

    /// Appends the id of every key to `ids`, and adds new keys. Arrays need no `hashes`.
    pub fn find_or_add(&mut self, keys: &Keys, hashes: &[u64], ids: &mut Vec<u32>) -> Result<()> {
        if let (Self::Dense(table), Keys::U64(keys)) = (&mut *self, keys) {
            if table.find_or_add_all(keys, ids) {
                return Ok(());
            }
            let (mut table, mut hashes) = (table.to_fixed(), Vec::new());
            FixedTable::hash_all(keys, &mut hashes);
            table.find_or_add_all(keys, &hashes, ids);
            *self = Self::U64(table);
            return Ok(());
        }
        match (self, keys) {
            (Self::U16 { ids: table, keys: known }, Keys::U16(keys)) => {
                direct_ids(table, known, keys, ids);
            }
            (Self::U64(table), Keys::U64(keys)) => table.find_or_add_all(keys, hashes, ids),
            (Self::U128(table), Keys::U128(keys)) => table.find_or_add_all(keys, hashes, ids),
            (Self::U256(table), Keys::U256(keys)) => table.find_or_add_all(keys, hashes, ids),
            (Self::Bytes(table), Keys::Bytes(keys)) => {
                table.find_or_add_all(keys.offsets(), keys.data(), hashes, ids);
            }
            _ => return Err(other_layout()),
        }
        Ok(())
    }

    /// Appends the id of every key to `ids`; [`NONE`] for unknown keys.
    pub fn find(&self, keys: &Keys, hashes: &[u64], ids: &mut Vec<u32>) -> Result<()> {
        match (self, keys) {
            (Self::U16 { ids: table, .. }, Keys::U16(keys)) => {
                ids.extend(keys.iter().map(|&k| table[k as usize]));
            }
            (Self::Dense(table), Keys::U64(keys)) => table.find_all(keys, ids),
            (Self::U64(table), Keys::U64(keys)) => table.find_all(keys, hashes, ids),
            (Self::U128(table), Keys::U128(keys)) => table.find_all(keys, hashes, ids),
            (Self::U256(table), Keys::U256(keys)) => table.find_all(keys, hashes, ids),
            (Self::Bytes(table), Keys::Bytes(keys)) => {
                ids.extend(keys.iter().zip(hashes).map(|(key, &hash)| table.find(key, hash)));
            }
            _ => return Err(other_layout()),
        }
        Ok(())
    }

    /// The hash of every group's key, in order of ids.
    pub fn hashes(&self) -> Vec<u64> {
        let mut out = Vec::new();
        match self {
            Self::U16 { keys, .. } => spread_direct(keys, &mut out),
            Self::Dense(table) => FixedTable::hash_all(table.keys(), &mut out),
            Self::U64(table) => FixedTable::hash_all(table.keys(), &mut out),
            Self::U128(table) => FixedTable::hash_all(table.keys(), &mut out),
            Self::U256(table) => FixedTable::hash_all(table.keys(), &mut out),
            Self::Bytes(table) => out.extend_from_slice(table.hashes()),
        }
        out
    }

    /// The keys of `groups`. Fails if they do not fit into one column.
    pub fn keys(&self, groups: impl ExactSizeIterator<Item = usize>) -> Result<Keys> {
        Ok(match self {
            Self::U16 { keys, .. } => Keys::U16(groups.map(|g| keys[g]).collect()),
            Self::Dense(table) => Keys::U64(groups.map(|g| table.keys()[g]).collect()),
            Self::U64(table) => Keys::U64(groups.map(|g| table.keys()[g]).collect()),
            Self::U128(table) => Keys::U128(groups.map(|g| table.keys()[g]).collect()),
            Self::U256(table) => Keys::U256(groups.map(|g| table.keys()[g]).collect()),
            Self::Bytes(table) => {
                let mut out = StringsBuilder::with_capacity(groups.len(), 0);
                for group in groups {
                    let key = table.key(group as u32);
                    out.check_room(key.len())?;
                    out.push(key);
                }
                Keys::Bytes(out.finish())
            }
        })
    }

    /// The keys of groups `start .. end`.
    pub fn key_range(&self, start: usize, end: usize) -> Result<Keys> {
        if let Self::Bytes(table) = self {
            let (offsets, data) = table.keys();
            let (first, last) = (offsets[start], offsets[end]);
            StringsBuilder::default().check_room((last - first) as usize)?;
            let ends = offsets[start..=end].iter().map(|o| (o - first) as u32).collect();
            let bytes = data[first as usize..last as usize].to_vec();
            return Ok(Keys::Bytes(Strings::new(ends, Buffer::from_vec(bytes))));
        }
        self.keys(start..end)
    }
}

fn direct_ids(table: &mut [u32], known: &mut Vec<u16>, keys: &[u16], ids: &mut Vec<u32>) {
    ids.extend(keys.iter().map(|&key| {
        let id = &mut table[key as usize];
        if *id == NONE {
            *id = known.len() as u32;
            known.push(key);
        }
        *id
    }));
}

/// A table with the states of every aggregate.
pub struct Groups {
    /// Maps keys to group ids.
    pub table: GroupTable,
    /// The states of each call, by group id.
    pub states: Vec<Box<dyn States>>,
}

impl Groups {
    /// No groups, with room for `capacity` of them.
    pub fn new(spec: &Spec, capacity: usize) -> Self {
        Self::with_table(spec, GroupTable::new(&spec.layout, capacity))
    }

    /// No groups, for all keys of a worker. Arrays are made only where there is room for them.
    pub fn whole(spec: &Spec) -> Self {
        match spec.spiller.as_ref().is_none_or(|spiller| spiller.has_room(ROOM_FOR_ARRAYS)) {
            true => Self::with_table(spec, GroupTable::whole(&spec.layout)),
            false => Self::new(spec, 0),
        }
    }

    /// No groups but the keys of a table.
    pub fn with_table(spec: &Spec, table: GroupTable) -> Self {
        let states = spec.calls.iter().map(|(function, _)| function.states()).collect();
        Self { table, states }
    }

    /// Aggregates rows. `args(i)` are the arguments of call `i`; `ids` is a reusable buffer.
    pub fn add(
        &mut self,
        keys: &Keys,
        hashes: &[u64],
        args: &dyn Fn(usize) -> Vec<Column>,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        ids.clear();
        let before = self.table.len();
        self.table.find_or_add(keys, hashes, ids)?;
        events::add(Event::AggregationRowsHashed, ids.len() as u64);
        events::add(Event::AggregationGroupsAdded, (self.table.len() - before) as u64);
        self.update(args, ids)
    }

    /// Aggregates rows whose group ids are known.
    pub fn update(&mut self, args: &dyn Fn(usize) -> Vec<Column>, ids: &[u32]) -> Result<()> {
        let groups = self.table.len();
        for (i, states) in self.states.iter_mut().enumerate() {
            states.resize(groups);
            states.update(&args(i), ids)?;
        }
        Ok(())
    }

    /// Aggregates the rows whose ids are those of groups, and leaves out the others.
    pub fn update_known(&mut self, args: &[Column], ids: &[u32], spec: &Spec) -> Result<()> {
        let groups = self.table.len() as u32;
        let mask = Bitmap::from_fn(ids.len(), |i| ids[i] < groups);
        if mask.none() {
            return Ok(());
        }
        let args: Vec<Column> = args.iter().map(|arg| arg.filter(&mask)).collect();
        let ids: Vec<u32> = mask.ones().map(|i| ids[i]).collect();
        self.update(&|call| spec.args_of(call, &args), &ids)
    }

    /// Merges the groups `from` of another table; `keys` and `hashes` are theirs.
    pub fn absorb(
        &mut self,
        other: &mut [Box<dyn States>],
        from: &[u32],
        keys: &Keys,
        hashes: &[u64],
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        self.merge_into(keys, hashes, ids)?;
        for (mine, theirs) in self.states.iter_mut().zip(other) {
            mine.merge(&mut **theirs, from, ids)?;
        }
        Ok(())
    }

    /// Looks up or adds the groups of another table's keys and writes their ids to `ids`. Every
    /// group has a state of each call afterwards.
    pub fn merge_into(&mut self, keys: &Keys, hashes: &[u64], ids: &mut Vec<u32>) -> Result<()> {
        ids.clear();
        self.table.find_or_add(keys, hashes, ids)?;
        events::add(Event::AggregationGroupsMerged, ids.len() as u64);
        let groups = self.table.len();
        self.states.iter_mut().for_each(|states| states.resize(groups));
        Ok(())
    }

    /// Merges all groups of another table.
    pub fn absorb_all(&mut self, mut other: Self, ids: &mut Vec<u32>) -> Result<()> {
        let all = other.table.hashes();
        let groups = other.table.len();
        for start in (0..groups).step_by(BATCH) {
            let end = groups.min(start + BATCH);
            let keys = other.table.key_range(start, end)?;
            let from: Vec<u32> = (start as u32..end as u32).collect();
            self.absorb(&mut other.states, &from, &keys, &all[start..end], ids)?;
        }
        Ok(())
    }

    /// Whether this is an array with so many groups that several readers should share them.
    pub fn is_large_array(&self) -> bool {
        matches!(&self.table, GroupTable::Dense(table) if table.len() >= LARGE_ARRAY)
    }

    /// Whether merging with another such table takes little time for each group.
    pub fn merges_fast(&self) -> bool {
        match &self.table {
            GroupTable::U16 { .. } => true,
            GroupTable::Dense(table) => {
                let bytes: usize = self.states.iter().map(|s| s.byte_size()).sum();
                bytes <= table.len() * FAST_STATE
            }
            _ => false,
        }
    }

    /// Bytes that table and states hold. Visits all states, so it must not be called for every
    /// chunk.
    pub fn byte_size(&self) -> usize {
        self.table.byte_size() + self.states.iter().map(|s| s.byte_size()).sum::<usize>()
    }
}

/// The bytes that a statement must be able to hold before its workers make arrays.
const ROOM_FOR_ARRAYS: u64 = 256 << 20;
/// The groups from which on an array is large.
const LARGE_ARRAY: usize = 1 << 14;
/// The most bytes of a group's states that are merged fast.
const FAST_STATE: usize = 128;
/// Number of groups that are merged at a time.
pub const BATCH: usize = 8192;
