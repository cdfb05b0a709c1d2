//! The right side of a join: chunks while they arrive, one table once all have arrived.
//!
//! The keys of a chunk are encoded when it arrives. Once all chunks are there, the workers of the
//! query join the chunks column by column and fill the table, see [`super::table`]. Columns have a
//! default row at the end, for left rows without a match.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, MemoryAccount, Reservation, Result, codes};
use entasis_column::hash::join::Found;
use entasis_column::hash::{KeySetBuilder, NONE};
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Scheduler, Sink, SinkState};
use entasis_table_api::KeyFilter;
use entasis_types::{DataType, Physical};

use super::alternatives::Alternatives;
use super::band::Band;
use super::stored::StoredColumn;
use super::table::{Filled, KeyPiece, KeyRange, Table, Workers, make_all};
use super::{FindBy, JoinStrictness, Spec};
use crate::aggregate::keys::{KeyLayout, Keys};
use crate::kept::Place;

/// The right side of a join, before and after it is built.
pub struct Build {
    pub(super) spec: Arc<Spec>,
    /// Weak, so that a query which ends late does not keep the threads of a closed engine.
    scheduler: Weak<Scheduler>,
    /// Filters for scans of the left side, with the numbers of their keys.
    filters: Vec<(usize, Arc<KeyFilter>)>,
    arrived: Mutex<Arrived>,
    account: Arc<MemoryAccount>,
    built: OnceLock<Arc<Built>>,
    /// Where the complete right side is kept for other queries.
    place: Option<Place>,
}

/// What all workers have collected.
#[derive(Default)]
struct Arrived {
    pieces: Vec<Piece>,
    range: Option<KeyRange>,
    /// The keys for each filter.
    sets: Vec<KeySetBuilder>,
    held: Vec<Reservation>,
}

/// A chunk of the right side.
struct Piece {
    sequence: u64,
    /// The number among the worker's chunks.
    number: usize,
    /// The columns that are kept.
    chunk: Chunk,
    /// The keys of the rows that have one.
    keys: Option<Keys>,
    /// The rows that have a key; `None` if all have.
    picked: Option<Vec<u32>>,
}

/// The complete right side.
pub struct Built {
    layout: Option<KeyLayout>,
    /// The number of keys.
    keys: usize,
    pub(super) table: Table,
    /// The rows by key; empty if every key has one row.
    pub(super) order: Vec<u32>,
    /// Ranges of the rows of a key.
    pub(super) band: Option<Band>,
    /// Number of rows, which is also the position of the default row.
    pub rows: usize,
    /// Output columns.
    pub outputs: Vec<StoredColumn>,
    /// The column by which the closest row is chosen. Each key's rows are sorted by it.
    pub(super) closest: Option<StoredColumn>,
    /// The columns that the residual condition reads.
    pub residual: Vec<StoredColumn>,
    /// Bits of the rows that have had a match (for [`JoinStrictness::FirstOfKey`]: of the places
    /// where the rows of a key start).
    used: Vec<AtomicU64>,
}

impl Build {
    pub fn create(
        spec: Arc<Spec>,
        filters: Vec<(usize, Arc<KeyFilter>)>,
        place: Option<Place>,
        context: &QueryContext,
        scheduler: &Arc<Scheduler>,
    ) -> Arc<Self> {
        let account = context.memory.child("Joining", 0);
        let (arrived, scheduler) = (Mutex::default(), Arc::downgrade(scheduler));
        Arc::new(Self { spec, scheduler, filters, arrived, account, built: OnceLock::new(), place })
    }

    /// A right side that another query has built.
    pub fn of(spec: Arc<Spec>, built: Arc<Built>, context: &QueryContext) -> Arc<Self> {
        let account = context.memory.child("Joining", 0);
        let (filters, arrived, scheduler) = Default::default();
        Arc::new(Self {
            spec,
            scheduler,
            filters,
            arrived,
            account,
            built: built.into(),
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
        let Arrived { mut pieces, range, sets, held: earlier } = arrived;
        for ((_, filter), set) in self.filters.iter().zip(sets) {
            set.finish().into_iter().for_each(|keys| filter.set(keys));
        }
        pieces.sort_by_key(|piece| (piece.sequence, piece.number));
        let mut held = Reservation::new(&self.account);
        let rows = pieces.iter().map(|piece| piece.chunk.rows).sum::<usize>();
        // The columns are joined while the chunks still exist; the table takes about 32 bytes for
        // each row.
        let bytes: usize = pieces.iter().map(|piece| piece.chunk.byte_size()).sum();
        let of_table = if self.spec.needs_rows() { 32 * rows } else { 0 };
        held.cover(bytes + of_table)?;
        if rows >= NONE as usize {
            let message = "More than 2^32 rows on the right side of a JOIN";
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        events::add(Event::JoinBuildTableRowCount, rows as u64);
        events::add(Event::JoinBuildBytes, bytes as u64);
        let began = Instant::now();
        let scheduler = self.scheduler.upgrade();
        let workers = Workers { scheduler: scheduler.as_deref(), context };
        let range = range.unwrap_or_else(|| no_range(&self.spec.key_types));
        let built = Built::new(&self.spec, pieces, rows, range, workers)?;
        events::elapsed(Event::JoinBuildPostProcessingMicroseconds, began);
        drop(earlier);
        held.set(built.byte_size())?;
        lock(&self.arrived).held = vec![held];
        Ok(built)
    }
}

/// The sink that collects the right side.
pub struct BuildSink(pub Arc<Build>);

impl Sink for BuildSink {
    fn name(&self) -> String {
        "JoinBuild".into()
    }

    fn report(&self) -> Report {
        vec![("memory_bytes", self.0.account.peak())]
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let spec = &self.0.spec;
        Ok(Box::new(BuildState {
            build: Arc::clone(&self.0),
            layout: (!spec.key_types.is_empty()).then(|| KeyLayout::choose(&spec.key_types)),
            pieces: Vec::new(),
            range: no_range(&spec.key_types),
            sets: vec![KeySetBuilder::default(); self.0.filters.len()],
            bytes: 0,
            held: Reservation::new(&self.0.account),
        }))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        let built = Arc::new(self.0.finish(context)?);
        if let Some(place) = &self.0.place {
            place.put(&built);
        }
        let _ = self.0.built.set(built);
        Ok(())
    }
}

struct BuildState {
    build: Arc<Build>,
    layout: Option<KeyLayout>,
    pieces: Vec<Piece>,
    range: KeyRange,
    sets: Vec<KeySetBuilder>,
    bytes: usize,
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
            self.bytes += encoded.byte_size() + 4 * picked.as_ref().map_or(0, Vec::len);
            keys = Some(encoded);
        }
        let columns = spec.stored.iter().map(|p| chunk.columns[*p].clone()).collect();
        let chunk = Chunk::new(columns, chunk.rows);
        self.bytes += chunk.byte_size();
        let of_sets = self.sets.iter().map(KeySetBuilder::byte_size).sum::<usize>();
        self.held.cover(self.bytes + of_sets)?;
        let number = self.pieces.len();
        self.pieces.push(Piece { sequence, number, chunk, keys, picked });
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        let mut arrived = lock(&self.build.arrived);
        arrived.pieces.extend(self.pieces);
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

/// What finds the rows of the complete right side.
fn fill(
    spec: &Spec,
    (keys, range): (Vec<KeyPiece>, KeyRange),
    chunks: &[Chunk],
    stored: &[StoredColumn],
    rows: usize,
    workers: Workers<'_>,
) -> Result<(Filled, Option<Band>)> {
    let filled = match &spec.find {
        FindBy::Band(of) if spec.key_types.is_empty() => {
            let (band, order) = Band::build(of, stored, rows)?;
            return Ok((Filled { table: Table::Cross, order }, Some(band)));
        }
        FindBy::Alternatives(branches) => {
            let all = Alternatives::build(branches, chunks, workers)?;
            Filled { table: Table::Alternatives(all), order: Vec::new() }
        }
        FindBy::Keys if spec.key_types.is_empty() && rows > 0 => {
            let order = if spec.needs_rows() { (0..rows as u32).collect() } else { Vec::new() };
            Filled { table: Table::Cross, order }
        }
        FindBy::Keys | FindBy::Band(_) => Table::fill(keys, range, workers)?,
    };
    Ok((filled, None))
}

impl Built {
    fn new(
        spec: &Arc<Spec>,
        pieces: Vec<Piece>,
        rows: usize,
        range: KeyRange,
        workers: Workers<'_>,
    ) -> Result<Self> {
        let mut keys = Vec::new();
        let mut columns: Vec<Vec<Column>> = spec.stored.iter().map(|_| Vec::new()).collect();
        let (mut chunks, mut first) = (Vec::new(), 0);
        for Piece { chunk, keys: of_piece, picked, .. } in pieces {
            keys.extend(of_piece.map(|keys| KeyPiece { keys, first, picked }));
            first += chunk.rows as u32;
            if let FindBy::Alternatives(_) = &spec.find {
                chunks.push(chunk.clone());
            }
            for (all, column) in columns.iter_mut().zip(chunk.columns) {
                all.push(column);
            }
        }
        let columns: Vec<Mutex<Vec<Column>>> = columns.into_iter().map(Mutex::new).collect();
        let types = Arc::clone(spec);
        let stored = make_all(workers, columns.len(), move |at| {
            let pieces = std::mem::take(&mut *lock(&columns[at]));
            Ok(StoredColumn::new(&pieces, &types.stored_types[at]))
        })?;
        let output = |(at, ty): &(usize, DataType)| match ty.is_nullable() {
            true => stored[*at].clone().into_nullable(),
            false => stored[*at].clone(),
        };
        let (filled, band) = fill(spec, (keys, range), &chunks, &stored, rows, workers)?;
        let residual = spec.residual.as_ref().map_or(&[][..], |residual| &residual.right);
        let marks = match spec.strictness {
            JoinStrictness::FirstOfKey | JoinStrictness::OncePerRight => rows,
            _ if spec.keep_right => rows,
            _ => 0,
        };
        let mut built = Self {
            layout: (!spec.key_types.is_empty()).then(|| KeyLayout::choose(&spec.key_types)),
            keys: spec.key_types.len(),
            table: filled.table,
            order: filled.order,
            band,
            rows,
            outputs: spec.right_outputs.iter().map(output).collect(),
            closest: spec.closest.as_ref().map(|c| stored[c.stored].clone().full()),
            residual: residual.iter().map(|at| stored[*at].clone()).collect(),
            used: (0..marks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        };
        built.sort_by_closest();
        if let FindBy::Band(of) = &spec.find
            && !spec.key_types.is_empty()
        {
            built.sort_for_band(of, &stored);
        }
        if spec.takes_last {
            built.each_list(|rows| rows.reverse());
        }
        Ok(built)
    }

    fn byte_size(&self) -> usize {
        let columns = self.outputs.iter().chain(&self.residual).map(StoredColumn::byte_size);
        let of_band = self.band.as_ref().map_or(0, Band::byte_size);
        columns.sum::<usize>() + self.table.byte_size() + 4 * self.order.len() + of_band
    }

    /// Whether no key has several rows, so that the starts that [`Self::find`] yields are rows.
    pub fn is_unique(&self) -> bool {
        self.order.is_empty() && !matches!(self.table, Table::Cross | Table::Alternatives(_))
    }

    /// The tables of the branches, if the keys are an OR of equalities.
    pub fn alternatives(&self) -> Option<&Alternatives> {
        match &self.table {
            Table::Alternatives(all) => Some(all),
            _ => None,
        }
    }

    /// Looks up rows by the columns that the left side has for that: the keys, then those of a
    /// band. Rows that match nothing have the start [`NONE`].
    pub fn find(
        &self,
        columns: &[Column],
        rows: usize,
        hashes: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<()> {
        let (keys, others) = columns.split_at(self.keys);
        self.find_keys(keys, rows, hashes, found)?;
        self.band.as_ref().map_or(Ok(()), |band| band.narrow(others, found))
    }

    fn find_keys(
        &self,
        columns: &[Column],
        rows: usize,
        hashes: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<()> {
        let layout = match (&self.table, &self.layout) {
            (Table::Cross, _) => {
                let all = if self.band.is_some() { self.order.len() } else { self.rows };
                found.fill(rows, (0, all as u32));
                return Ok(());
            }
            (Table::Empty, _) | (_, None) => {
                found.fill(rows, (NONE, 0));
                return Ok(());
            }
            (_, Some(layout)) => layout,
        };
        let (plain, valid) = split_keys(columns, None);
        let counts = !self.is_unique();
        let is_found = matches!(&plain[..], [one] if self.table.find_direct(one, counts, found));
        if !is_found {
            let keys = widened(layout.encode(&plain, rows)?);
            self.table.find(&keys, counts, hashes, found)?;
        }
        if let Some(valid) = valid {
            found.clear_where(|i| !valid.get(i));
        }
        Ok(())
    }

    /// The rows of a key, from what [`Self::find`] yields.
    #[inline]
    pub fn matches<'a>(&'a self, start: &'a u32, count: u32) -> &'a [u32] {
        if self.order.is_empty() {
            return std::slice::from_ref(start);
        }
        &self.order[*start as usize..(*start + count) as usize]
    }

    /// Marks a row (or key) as matched. Returns whether it was not marked before.
    #[inline]
    pub fn claim(&self, at: u32) -> bool {
        let (word, bit) = (&self.used[at as usize / 64], 1u64 << (at % 64));
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }

    /// The rows among `from .. to` that are not marked.
    pub fn unused(&self, from: usize, to: usize) -> Vec<u32> {
        let used = |i: usize| self.used[i / 64].load(Relaxed) >> (i % 64) & 1 != 0;
        (from..to).filter(|i| !used(*i)).map(|i| i as u32).collect()
    }
}
