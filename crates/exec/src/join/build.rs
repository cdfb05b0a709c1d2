//! The right side of a join: chunks while they arrive, one table once all have arrived.
//!
//! The keys of a chunk are encoded when it arrives. Once all chunks are there, the workers of the
//! query join the chunks column by column and fill the table, see [`super::table`]. Columns have a
//! default row at the end, for left rows without a match.

use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, MemoryAccount, Reservation, Result};
use entasis_column::hash::KeySetBuilder;
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Scheduler, Sink, SinkState};
use entasis_table_api::KeyFilter;
use entasis_types::{DataType, Physical};

use super::Spec;
use super::built::Built;
use super::left_first::Emptiness;
use super::spilled::overflow::Overflow;
use super::spilled::{Partitions, memory_of};
use super::table::{KeyRange, Workers};
use crate::aggregate::keys::{KeyLayout, Keys};
use crate::kept::Place;
use crate::spill::Spill;

/// The right side of a join, before and after it is built.
pub struct Build {
    pub(super) spec: Arc<Spec>,
    /// Weak, so that a query which ends late does not keep the threads of a closed engine.
    scheduler: Weak<Scheduler>,
    /// Filters for scans of the left side, with the numbers of their keys.
    filters: Vec<(usize, Arc<KeyFilter>)>,
    arrived: Mutex<Arrived>,
    pub(super) account: Arc<MemoryAccount>,
    /// What of both sides is on disk.
    pub(super) partitions: Arc<Partitions>,
    built: OnceLock<Arc<Built>>,
    /// Where the complete right side is kept for other queries.
    place: Option<Place>,
}

/// What all workers have collected.
#[derive(Default)]
struct Arrived {
    /// With the boundary up to which partitions were written.
    pieces: Vec<(usize, Piece)>,
    range: Option<KeyRange>,
    /// The keys for each filter.
    sets: Vec<KeySetBuilder>,
    held: Vec<Reservation>,
}

/// A chunk of the right side.
pub struct Piece {
    pub sequence: u64,
    /// The number among the worker's chunks.
    pub number: usize,
    /// The columns that are kept.
    pub chunk: Chunk,
    /// The keys of the rows that have one.
    pub keys: Option<Keys>,
    /// The rows that have a key; `None` if all have.
    pub picked: Option<Vec<u32>>,
}

impl Piece {
    /// Memory for the rows until the table is filled.
    pub fn memory(&self, spec: &Spec) -> usize {
        let of_keys = self.keys.as_ref().map_or(0, Keys::byte_size);
        let of_picked = 4 * self.picked.as_ref().map_or(0, Vec::len);
        let rows = if spec.needs_rows() { self.chunk.rows } else { 0 };
        memory_of(self.chunk.byte_size() + of_keys + of_picked, rows)
    }
}

impl Build {
    pub fn create(
        spec: Arc<Spec>,
        filters: Vec<(usize, Arc<KeyFilter>)>,
        place: Option<Place>,
        context: &QueryContext,
        (scheduler, spill): (&Arc<Scheduler>, &Arc<Spill>),
    ) -> Arc<Self> {
        let account = context.memory.child("Joining", 0);
        let partitions = Arc::new(Partitions::new(spill, &account, context));
        let (arrived, scheduler) = (Mutex::default(), Arc::downgrade(scheduler));
        let built = OnceLock::new();
        Arc::new(Self { spec, scheduler, filters, arrived, account, partitions, built, place })
    }

    /// A right side that another query has built.
    pub fn of(spec: Arc<Spec>, built: Arc<Built>, context: &QueryContext) -> Arc<Self> {
        let account = context.memory.child("Joining", 0);
        let partitions = Arc::new(Partitions::new(&Spill::never(), &account, context));
        let (filters, arrived, scheduler) = Default::default();
        let built = built.into();
        Arc::new(Self {
            spec,
            scheduler,
            filters,
            arrived,
            account,
            partitions,
            built,
            place: None,
        })
    }

    /// The complete right side. Pipelines that call this depend on the one that builds it.
    pub fn built(&self) -> Result<&Built> {
        self.built
            .get()
            .map(|built| &**built)
            .ok_or_else(|| Error::logical("join is probed before it is built"))
    }

    fn finish(&self, context: &QueryContext) -> Result<Built> {
        let arrived = std::mem::take(&mut *lock(&self.arrived));
        let Arrived { pieces, range, sets, held: earlier } = arrived;
        for ((_, filter), set) in self.filters.iter().zip(sets) {
            set.finish().into_iter().for_each(|keys| filter.set(keys));
        }
        let pieces = self.in_memory(pieces)?;
        let rows = pieces.iter().map(|piece| piece.chunk.rows).sum::<usize>();
        let bytes: usize = pieces.iter().map(|piece| piece.chunk.byte_size()).sum();
        events::add(Event::JoinBuildTableRowCount, rows as u64);
        events::add(Event::JoinBuildBytes, bytes as u64);
        let began = Instant::now();
        let scheduler = self.scheduler.upgrade();
        let workers = Workers { scheduler: scheduler.as_deref(), context };
        let range = range.unwrap_or_else(|| no_range(&self.spec.key_types));
        // What the workers hold covers the table, too.
        let built = Built::of_pieces(&self.spec, pieces, Some(range), workers)?;
        events::elapsed(Event::JoinBuildPostProcessingMicroseconds, began);
        drop(earlier);
        let mut held = Reservation::new(&self.account);
        held.set(built.byte_size())?;
        lock(&self.arrived).held = vec![held];
        // From here on the join frees no memory, so no other operator waits for it to do so.
        self.partitions.spiller.close();
        Ok(built)
    }

    /// The pieces without the rows of partitions that other workers have written in the meantime.
    fn in_memory(&self, mut pieces: Vec<(usize, Piece)>) -> Result<Vec<Piece>> {
        // Lists on disk are in source order.
        pieces.sort_by_key(|(_, piece)| (piece.sequence, piece.number));
        let boundary = self.partitions.boundary();
        if boundary == 0 {
            return Ok(pieces.into_iter().map(|(_, piece)| piece).collect());
        }
        let mut overflow = Overflow::new(&self.spec, &self.partitions);
        overflow.catch_up();
        let mut kept = Vec::new();
        for (before, piece) in pieces {
            match before == boundary {
                true => kept.push(piece),
                false => kept.extend(overflow.divide(piece)?),
            }
        }
        overflow.finish()?;
        Ok(kept)
    }
}

/// The sink that collects the right side.
pub struct BuildSink {
    pub build: Arc<Build>,
    /// Without left rows, no right row is needed.
    pub no_left: Option<Emptiness>,
}

impl Sink for BuildSink {
    fn name(&self) -> String {
        "JoinBuild".into()
    }

    fn report(&self) -> Report {
        vec![("memory_bytes", self.build.account.peak())]
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let spec = &self.build.spec;
        Ok(Box::new(BuildState {
            build: Arc::clone(&self.build),
            layout: (!spec.key_types.is_empty()).then(|| KeyLayout::choose(&spec.key_types)),
            pieces: Vec::new(),
            made: 0,
            range: no_range(&spec.key_types),
            sets: vec![KeySetBuilder::default(); self.build.filters.len()],
            bytes: 0,
            overflow: Overflow::new(spec, &self.build.partitions),
            held: Reservation::new(&self.build.account),
        }))
    }

    fn is_full(&self) -> bool {
        self.no_left.as_ref().is_some_and(Emptiness::holds)
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        let built = Arc::new(self.build.finish(context)?);
        // A part of the rows is no use to other queries.
        if let Some(place) = &self.build.place
            && self.build.partitions.boundary() == 0
        {
            place.put(&built, built.byte_size(), context);
        }
        let _ = self.build.built.set(built);
        Ok(())
    }
}

struct BuildState {
    build: Arc<Build>,
    layout: Option<KeyLayout>,
    pieces: Vec<Piece>,
    /// Number of chunks that have arrived.
    made: usize,
    range: KeyRange,
    sets: Vec<KeySetBuilder>,
    /// Memory for the pieces, see [`Piece::memory`].
    bytes: usize,
    overflow: Overflow,
    held: Reservation,
}

impl SinkState for BuildState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let Morsel { sequence, chunk } = morsel;
        let spec = &self.build.spec;
        let (mut keys, mut picked) = (None, None);
        if let Some(layout) = &self.layout {
            let columns: Vec<Column> =
                spec.right_keys.iter().map(|at| chunk.columns[*at].clone()).collect();
            // A row without a value to compare is never the closest.
            let closest = spec.closest.as_ref().map(|c| chunk.columns[c.right].clone());
            let (mut plain, valid) = split_keys(&columns, closest.as_ref());
            picked = valid.map(|valid| valid.indices());
            if let Some(picked) = &picked {
                plain = plain.iter().map(|column| column.take(picked)).collect();
            }
            let rows = picked.as_ref().map_or(chunk.rows, Vec::len);
            let encoded = widened(layout.encode(&plain, rows)?);
            if let Keys::U64(keys) = &encoded {
                self.range.add(keys);
            }
            for ((key, _), set) in self.build.filters.iter().zip(&mut self.sets) {
                set.push(&plain[*key]);
            }
            keys = Some(encoded);
        }
        let columns = spec.stored.iter().map(|p| chunk.columns[*p].clone()).collect();
        let chunk = Chunk::new(columns, chunk.rows);
        let number = self.made;
        self.made += 1;
        if self.overflow.is_behind() {
            self.catch_up()?;
        }
        let piece = Piece { sequence, number, chunk, keys, picked };
        if let Some(piece) = self.overflow.divide(piece)? {
            self.keep(piece);
        }
        self.held.cover(self.held_bytes())?;
        self.relieve()?;
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        let boundary = self.catch_up()?;
        self.overflow.finish()?;
        let mut arrived = lock(&self.build.arrived);
        arrived.pieces.extend(self.pieces.into_iter().map(|piece| (boundary, piece)));
        arrived.held.push(self.held);
        arrived.sets.resize_with(self.sets.len(), KeySetBuilder::default);
        for (all, set) in arrived.sets.iter_mut().zip(self.sets) {
            all.merge(set);
        }
        match &mut arrived.range {
            Some(range) => range.merge(&self.range),
            none => *none = Some(self.range),
        }
        Ok(())
    }
}

impl BuildState {
    fn keep(&mut self, piece: Piece) {
        self.bytes += piece.memory(&self.build.spec);
        self.build.partitions.count(piece.chunk.rows as isize);
        self.pieces.push(piece);
    }

    fn held_bytes(&self) -> usize {
        self.bytes + self.sets.iter().map(KeySetBuilder::byte_size).sum::<usize>()
    }

    /// Writes partitions if the join takes too much memory, or has too many rows for one table.
    fn relieve(&mut self) -> Result<()> {
        let partitions = &self.build.partitions;
        let over = match partitions.has_too_many_rows() {
            true => self.bytes / 2,
            false => partitions.spiller.excess(self.bytes, 0),
        };
        if self.pieces.is_empty() || (over == 0 && !partitions.has_too_many_rows()) {
            return Ok(());
        }
        self.overflow.raise(over, self.bytes);
        self.catch_up()?;
        Ok(())
    }

    /// Writes the rows of partitions that are no longer kept. Returns the boundary.
    fn catch_up(&mut self) -> Result<usize> {
        if self.overflow.is_behind() {
            let boundary = self.overflow.catch_up();
            // Many keys are no longer worth their memory: their range remains.
            self.sets.iter_mut().for_each(KeySetBuilder::keep_range);
            self.bytes = 0;
            for piece in std::mem::take(&mut self.pieces) {
                self.build.partitions.count(-(piece.chunk.rows as isize));
                if let Some(piece) = self.overflow.divide(piece)? {
                    self.keep(piece);
                }
            }
            self.held.set(self.held_bytes())?;
            return Ok(boundary);
        }
        Ok(self.overflow.boundary())
    }
}

/// The key columns without NULL flags, and which rows have no NULL in any of them nor in `other`;
/// `None` if no row has one.
pub fn split_keys(columns: &[Column], other: Option<&Column>) -> (Vec<Column>, Option<Bitmap>) {
    let mut valid: Option<Bitmap> = None;
    let mut plain = |column: &Column| {
        if column.physical() != Physical::Nullable {
            return column.clone();
        }
        let full = column.full();
        let (bits, values) = full.split_nullable();
        if let Some(bits) = bits
            && !bits.all()
        {
            valid = Some(valid.take().map_or_else(|| bits.clone(), |v| v.and(bits)));
        }
        values.clone()
    };
    let keys = columns.iter().map(&mut plain).collect();
    other.map(plain);
    (keys, valid)
}

/// Keys of up to two bytes as words.
pub fn widened(keys: Keys) -> Keys {
    match keys {
        Keys::U16(keys) => Keys::U64(keys.iter().map(|k| u64::from(*k)).collect()),
        other => other,
    }
}

/// The range of keys of these types before there are any.
pub fn no_range(types: &[DataType]) -> KeyRange {
    let signed = match types {
        [one] => match one.without_nullable().physical() {
            Physical::Int8 => Some(8),
            Physical::Int16 => Some(16),
            Physical::Int32 => Some(32),
            Physical::Int64 => Some(64),
            _ => None,
        },
        _ => None,
    };
    KeyRange::new(signed.map_or(0, |bits| 1 << (bits - 1)))
}
