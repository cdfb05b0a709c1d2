//! One worker's part of an aggregation. While its table is small, it aggregates into that table.
//! Afterwards it sets rows aside by partition, and adds them to the shared tables once there are
//! many.

use std::ops::Range;
use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Reservation, Result, scope};
use entasis_column::hash::partition_of;
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Flow, Morsel, SinkState};

use super::Spec;
use super::dictionaries::DictionaryIds;
use super::keys::Keys;
use super::result::Shared;
use super::scatter::{PARTITION_BITS, PARTITIONS, Part, Scatter};
use super::spilled::Writer;
use super::table::{BATCH, GroupTable, Groups};
use crate::spill::Spiller;

/// Number of groups from which on a table is watched: about what the second-level cache holds.
const WATCH_GROUPS: usize = 1 << 14;
/// Number of groups from which on a table is always split.
const MOST_GROUPS: usize = 1 << 17;
/// A watched table is split unless at least this many rows came for each new group.
const LEAST_REDUCTION: usize = 4;
/// The default of [`Spec::most_set_aside`].
pub const MOST_SET_ASIDE: usize = 32 << 20;
/// Number of partitions that are aggregated first, to see whether that saves memory.
const TRIED: usize = 8;
/// Number of groups from which on a worker splits its table at its end, so that merging is shared.
const SPLIT_AT_END: usize = 1 << 14;

/// What a worker holds when its input ends.
pub enum Collected {
    /// A table of all its groups.
    Whole(Groups),
    /// Rows set aside, by partition; the worker's other groups are in the shared tables.
    Split(Vec<Part>),
}

enum Mode {
    Whole(Groups),
    Split(Scatter),
}

/// The sink state of one worker.
pub struct Worker {
    shared: Arc<Shared>,
    mode: Mode,
    hashes: Vec<u64>,
    ids: Vec<u32>,
    dictionaries: DictionaryIds,
    reservation: Reservation,
    rows: usize,
    /// Rows and groups when the table was last checked; `watch_at` is when to check again, in
    /// groups.
    watched: (usize, usize),
    watch_at: usize,
    /// The room of the array when it was last checked. Numbers that grow all the time will not come
    /// again.
    array_room: usize,
    /// Bytes of tables and states when last counted, and the number of rows at which to count
    /// again.
    counted: usize,
    count_at: usize,
    /// Bytes of rows set aside from which on they are aggregated.
    drain_at: usize,
    /// Writes to disk; `None` if the aggregation never spills.
    writer: Option<Writer>,
    /// Finds the chosen groups, which are then the only ones: ids that are smaller than their
    /// number are theirs. It may contain other keys as well.
    chosen: Option<GroupTable>,
}

impl Worker {
    /// The state of a worker that has seen no rows.
    pub fn new(shared: Arc<Shared>) -> Self {
        let groups = Groups::whole(&shared.spec);
        let reservation = Reservation::new(&shared.spec.account);
        let drain_at = shared.spec.most_set_aside;
        let writer = shared.spec.spiller.as_ref().map(Writer::new);
        Self {
            writer,
            chosen: None,
            shared,
            mode: Mode::Whole(groups),
            hashes: Vec::new(),
            ids: Vec::new(),
            dictionaries: DictionaryIds::default(),
            reservation,
            rows: 0,
            watched: (0, 0),
            watch_at: WATCH_GROUPS,
            array_room: 0,
            counted: 0,
            count_at: 0,
            drain_at,
        }
    }

    fn add(&mut self, chunk: &Chunk) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let spec = &shared.spec;
        let args: Vec<Column> =
            spec.arg_columns.iter().map(|&c| chunk.columns[c].clone()).collect();
        let of_call = |i: usize| spec.args_of(i, &args);
        if let (Some(chosen), Mode::Whole(_)) = (&mut self.chosen, &self.mode) {
            let keys: Vec<Column> = spec.keys.iter().map(|&c| chunk.columns[c].clone()).collect();
            let refs: Vec<&Column> = keys.iter().collect();
            let table = (&spec.layout, &mut *chosen);
            if let Some(rows) = shared.chosen.few_rows(&keys, chunk.rows) {
                let keys: Vec<Column> = keys.iter().map(|key| key.take(&rows)).collect();
                let args: Vec<Column> = args.iter().map(|arg| arg.take(&rows)).collect();
                self.find_chosen(&keys, rows.len())?;
                let Mode::Whole(groups) = &mut self.mode else { return Ok(()) };
                return groups.update_known(&args, &self.ids, spec);
            }
            if !self.dictionaries.find_or_add(table, &refs, &mut self.ids)? {
                self.find_chosen(&keys, chunk.rows)?;
            }
            let Mode::Whole(groups) = &mut self.mode else { return Ok(()) };
            return groups.update_known(&args, &self.ids, spec);
        }
        if let Mode::Whole(groups) = &mut self.mode {
            let keys: Vec<&Column> = spec.keys.iter().map(|&c| &chunk.columns[c]).collect();
            let table = (&spec.layout, &mut groups.table);
            if self.dictionaries.find_or_add(table, &keys, &mut self.ids)? {
                events::add(Event::AggregationRowsByDictionary, chunk.rows as u64);
                return groups.update(&of_call, &self.ids);
            }
        }
        let keys: Vec<Column> = spec.keys.iter().map(|&c| chunk.columns[c].clone()).collect();
        let keys = spec.layout.encode(&keys, chunk.rows)?;
        match &self.mode {
            Mode::Whole(groups) if groups.table.is_array() => self.hashes.clear(),
            _ => keys.hash_all(&mut self.hashes),
        }
        match &mut self.mode {
            Mode::Whole(groups) => groups.add(&keys, &self.hashes, &of_call, &mut self.ids),
            Mode::Split(scatter) => {
                events::add(Event::AggregationRowsSetAside, chunk.rows as u64);
                scatter.push(&keys, &self.hashes, &args)
            }
        }
    }

    /// Sets the ids to the chosen groups of the rows.
    fn find_chosen(&mut self, keys: &[Column], rows: usize) -> Result<()> {
        let keys = self.shared.spec.layout.encode(keys, rows)?;
        keys.hash_all(&mut self.hashes);
        self.ids.clear();
        self.chosen.as_ref().map_or(Ok(()), |c| c.find(&keys, &self.hashes, &mut self.ids))
    }

    /// Keeps only the chosen groups, if there are any.
    fn choose(&mut self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let Mode::Whole(groups) = &mut self.mode else { return Ok(()) };
        if self.chosen.is_some() {
            return Ok(());
        }
        if let Some(chosen) = shared.chosen.offer(&shared.spec, groups)? {
            let all = std::mem::replace(groups, Groups::whole(&shared.spec));
            *groups = all.pruned(&shared.spec, chosen)?;
            self.chosen = Some(chosen.clone());
            self.dictionaries.clear();
        }
        Ok(())
    }

    /// Splits the table if it has outgrown the cache, or aggregates rows set aside if there are
    /// many.
    fn watch(&mut self) -> Result<()> {
        let Mode::Whole(groups) = &self.mode else { return self.set_aside() };
        let count = groups.table.len();
        if count < self.watch_at || groups.table.is_direct() {
            return Ok(());
        }
        let (rows, known) = self.watched;
        let reduces = self.rows - rows >= LEAST_REDUCTION * (count - known);
        let room = groups.table.array_room();
        let grows = self.array_room > 0 && room > self.array_room;
        let stays = match room {
            0 => count < MOST_GROUPS && reduces,
            _ => self.shared.spec.few_numbers || !grows || reduces,
        };
        if stays {
            self.watched = (self.rows, count);
            self.watch_at = count * 2;
            self.array_room = room;
            return Ok(());
        }
        self.split()
    }

    /// Moves the groups so far into the shared tables. From here on rows are set aside.
    fn split(&mut self) -> Result<()> {
        events::one(Event::AggregationConvertedToTwoLevel);
        let shared = Arc::clone(&self.shared);
        let scatter = Scatter::new(shared.spec.arg_columns.len());
        let Mode::Whole(groups) = std::mem::replace(&mut self.mode, Mode::Split(scatter)) else {
            return Ok(());
        };
        match groups.states.is_empty() {
            true => self.set_keys_aside(&groups)?,
            false => shared.add_groups(groups, &mut self.ids)?,
        }
        self.dictionaries.clear();
        self.counted = 0;
        self.reservation.set(0)
    }

    /// Sets the keys of groups aside as if they were rows: without aggregates, they are nothing
    /// else.
    fn set_keys_aside(&mut self, groups: &Groups) -> Result<()> {
        let Mode::Split(scatter) = &mut self.mode else { return Ok(()) };
        let count = groups.table.len();
        for start in (0..count).step_by(BATCH) {
            let keys = groups.table.key_range(start, count.min(start + BATCH))?;
            keys.hash_all(&mut self.hashes);
            scatter.push(&keys, &self.hashes, &[])?;
        }
        Ok(())
    }

    /// Aggregates the rows that were set aside once there are too many.
    fn set_aside(&mut self) -> Result<()> {
        let Mode::Split(scatter) = &self.mode else { return Ok(()) };
        if scatter.byte_size() >= self.drain_at {
            self.drain_at = match self.drain()? {
                true => self.shared.spec.most_set_aside,
                false => self.drain_at * 2,
            };
        }
        Ok(())
    }

    /// Aggregates the rows that were set aside into the shared tables. If the first partitions show
    /// that this takes more memory than it frees, because most groups have only one row, the rest
    /// stays set aside for longer. Returns whether all rows were aggregated.
    fn drain(&mut self) -> Result<bool> {
        let Mode::Split(scatter) = &mut self.mode else { return Ok(true) };
        let aside = scatter.byte_size();
        let spec = &self.shared.spec;
        let (hashes, ids) = (&mut self.hashes, &mut self.ids);
        let mut add = |scatter: &mut Scatter, range: Range<usize>| {
            let parts = scatter.drain(range.clone())?;
            self.shared.partitions().add(range, parts, |groups, part| {
                let groups = groups.get_or_insert_with(|| Groups::new(spec, 0));
                groups.add_part(spec, part, hashes, ids)
            })
        };
        let grown = add(scatter, 0..TRIED)?;
        let freed = aside - scatter.byte_size();
        if !self.shared.partitions().pays(freed, grown) {
            return Ok(false);
        }
        events::one(Event::AggregationSetAsideFlushes);
        add(scatter, TRIED..PARTITIONS)?;
        self.reservation.set(0)?;
        Ok(true)
    }

    fn account(&mut self) -> Result<()> {
        self.relieve()?;
        let bytes = self.bytes();
        self.reservation.cover(bytes)
    }

    /// Writes groups and rows to disk if they take too much memory.
    fn relieve(&mut self) -> Result<()> {
        let Some(spiller) = self.shared.spec.spiller.clone() else { return Ok(()) };
        let (own, shared) = (self.bytes(), Arc::clone(&self.shared));
        let more = own.saturating_sub(self.reservation.bytes());
        if matches!(self.mode, Mode::Whole(_)) && spiller.excess(own, more) > 0 {
            shared.chosen.give_up();
            self.choose()?;
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        match &mut self.mode {
            Mode::Whole(groups) if spiller.excess(own, more) > 0 && groups.table.len() > 0 => {
                let none = match shared.chosen.table() {
                    Some(chosen) => Groups::of_chosen(&shared.spec, chosen),
                    None => Groups::whole(&shared.spec),
                };
                let groups = std::mem::replace(groups, none);
                writer.write_table(&shared.spec, &shared.on_disk, groups)?;
                self.dictionaries.clear();
                (self.counted, self.count_at) = (0, self.rows);
                (self.watched, self.watch_at) = ((self.rows, 0), WATCH_GROUPS);
                self.reservation.set(0)
            }
            Mode::Split(_) if spiller.excess(shared.spec.account.used() as usize, more) > 0 => {
                self.drain()?;
                self.write_partitions(&spiller)
            }
            _ => Ok(()),
        }
    }

    /// Writes partitions to disk, the largest first, until enough memory is free: the shared
    /// groups, and the rows that this worker has set aside.
    fn write_partitions(&mut self, spiller: &Spiller) -> Result<()> {
        let (Mode::Split(scatter), Some(writer)) = (&mut self.mode, &mut self.writer) else {
            return Ok(());
        };
        let (shared, account) = (&self.shared, &self.shared.spec.account);
        self.reservation.cover(scatter.byte_size())?;
        let used = account.used() as usize;
        let excess = spiller.excess(used, 0);
        if excess == 0 {
            return Ok(());
        }
        let tables = shared.partitions();
        let bytes = |at: usize| tables.bytes(at) + scatter.bytes_of(at);
        let mut order: Vec<(usize, usize)> = (0..PARTITIONS).map(|at| (bytes(at), at)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        for (_, at) in order.into_iter().take_while(|(bytes, _)| *bytes > 0) {
            if account.used() as usize <= used.saturating_sub(excess) {
                break;
            }
            let partition = tables.take(at);
            let part = scatter.drain(at..at + 1)?.pop();
            writer.write(&shared.on_disk, at, partition.groups, part)?;
            drop(partition.held);
            self.reservation.set(scatter.byte_size())?;
        }
        self.drain_at = shared.spec.most_set_aside;
        writer.end_part()
    }

    /// Bytes that only this worker holds.
    fn bytes(&mut self) -> usize {
        match &self.mode {
            Mode::Split(scatter) => scatter.byte_size(),
            Mode::Whole(groups) => {
                if self.rows >= self.count_at {
                    let chosen = self.chosen.as_ref().map_or(0, GroupTable::byte_size);
                    self.counted = groups.byte_size() + chosen;
                    self.count_at = self.rows + groups.table.len().max(1 << 16);
                }
                self.counted
            }
        }
    }
}

/// Splits a table by the hashes of its keys, and calls `take` for every partition that has groups.
pub fn split_groups(
    spec: &Spec,
    mut groups: Groups,
    mut take: impl FnMut(usize, Groups) -> Result<()>,
) -> Result<()> {
    let hashes = groups.table.hashes();
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); PARTITIONS];
    for (id, &hash) in hashes.iter().enumerate() {
        lists[partition_of(hash, PARTITION_BITS)].push(id as u32);
    }
    let mut ids = Vec::new();
    for (at, from) in lists.into_iter().enumerate().filter(|(_, from)| !from.is_empty()) {
        let keys = groups.table.keys(from.iter().map(|&g| g as usize))?;
        let hashes: Vec<u64> = from.iter().map(|&g| hashes[g as usize]).collect();
        let mut part = Groups::new(spec, from.len() * 2);
        part.absorb(&mut groups.states, &from, &keys, &hashes, &mut ids)?;
        take(at, part)?;
    }
    Ok(())
}

impl Groups {
    /// Aggregates rows that were set aside.
    pub fn add_part(
        &mut self,
        spec: &Spec,
        part: Part,
        hashes: &mut Vec<u64>,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        for segment in part.segments {
            let of_call = |i: usize| spec.args_of(i, &segment.args);
            let keys: &Keys = &segment.keys;
            if segment.hashes.is_empty() {
                keys.hash_all(hashes);
                self.add(keys, hashes, &of_call, ids)?;
            } else {
                self.add(keys, &segment.hashes, &of_call, ids)?;
            }
            scope::check()?;
        }
        Ok(())
    }
}

impl SinkState for Worker {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.add(&morsel.chunk)?;
        self.rows += morsel.chunk.rows;
        self.choose()?;
        self.watch()?;
        self.account()?;
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        if let Mode::Whole(groups) = &self.mode {
            let merges_fast = groups.merges_fast();
            let large = groups.table.len() >= SPLIT_AT_END;
            if self.shared.spec.workers > 1 && large && !merges_fast {
                self.split()?;
            }
        }
        let collected = match self.mode {
            Mode::Whole(groups) => Collected::Whole(groups),
            Mode::Split(scatter) => Collected::Split(scatter.finish()?),
        };
        self.shared.collect(collected, self.reservation);
        Ok(())
    }
}
