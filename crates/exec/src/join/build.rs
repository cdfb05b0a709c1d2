//! The right side of a join: chunks while they arrive, one table once all have arrived.
//!
//! The table maps a key to a dense id; the rows of an id are adjacent in `order`. The chunks are
//! concatenated column by column. Output columns have a default row at the end, for left rows
//! without a match.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, MemoryAccount, Reservation, Result, codes, scope};
use entasis_column::compare::compare_values;
use entasis_column::hash::{BytesTable, FixedKey, FixedTable, NONE};
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Sink, SinkState};
use entasis_plan::Inequality;
use entasis_types::{DataType, Physical};

use super::{JoinStrictness, Spec};
use crate::aggregate::keys::{KeyLayout, Keys};
use entasis_base::sync::lock;

/// Number of keys that are added first to estimate how many keys differ.
const SAMPLE: usize = 1 << 12;
/// Number of keys that are added between two checks of the query.
const BATCH: usize = 1 << 16;

/// The right side of a join, before and after it is built.
pub struct Build {
    pub(super) spec: Arc<Spec>,
    parts: Mutex<Vec<(u64, usize, Chunk)>>,
    held: Mutex<Vec<Reservation>>,
    account: Arc<MemoryAccount>,
    built: OnceLock<Built>,
}

/// Maps keys to dense ids.
enum Table {
    /// Without keys every row has the id 0.
    Cross,
    U64(FixedTable<u64>),
    U128(FixedTable<u128>),
    U256(FixedTable<[u64; 4]>),
    Bytes(BytesTable),
}

/// The complete right side.
pub struct Built {
    layout: Option<KeyLayout>,
    table: Table,
    /// The rows of id `k` are `order[starts[k] .. starts[k + 1]]`. Empty if every key has one row,
    /// which then is `order[k]`.
    starts: Vec<u32>,
    order: Vec<u32>,
    keys: usize,
    /// Number of rows, which is also the position of the default row.
    pub rows: usize,
    /// Output columns, with `rows + 1` rows.
    pub outputs: Vec<Column>,
    /// The column by which the closest row is chosen, with `rows` rows. Each key's rows are sorted
    /// by it.
    pub closest: Option<Column>,
    /// The columns that the residual condition reads, with `rows` rows.
    pub residual: Vec<Column>,
    /// Bits of the rows (for [`JoinStrictness::FirstOfKey`]: of the keys) that have had a match.
    used: Vec<AtomicU64>,
}

impl Build {
    pub fn create(spec: Arc<Spec>, context: &QueryContext) -> Arc<Self> {
        let account = context.memory.child("Joining", 0);
        let (parts, held, built) = (Mutex::default(), Mutex::default(), OnceLock::new());
        Arc::new(Self { spec, parts, held, account, built })
    }

    /// The complete right side. Pipelines that call this depend on the one that builds it.
    pub fn built(&self) -> Result<&Built> {
        self.built.get().ok_or_else(|| Error::logical("join is probed before it is built"))
    }

    fn finish(&self) -> Result<Built> {
        let mut parts = std::mem::take(&mut *lock(&self.parts));
        parts.sort_by_key(|(sequence, index, _)| (*sequence, *index));
        let chunks: Vec<Chunk> = parts.into_iter().map(|(_, _, chunk)| chunk).collect();
        let mut held = Reservation::new(&self.account);
        let rows = chunks.iter().map(|c| c.rows).sum::<usize>();
        // The columns are concatenated while the chunks still exist; the table takes about 32 bytes
        // a row.
        let bytes: usize = chunks.iter().map(Chunk::byte_size).sum();
        let of_table = if self.spec.needs_rows() { 32 * rows } else { 0 };
        held.cover(bytes + of_table)?;
        if rows >= NONE as usize {
            let message = "More than 2^32 rows on the right side of a JOIN";
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        events::add(Event::JoinBuildTableRowCount, rows as u64);
        events::add(Event::JoinBuildBytes, bytes as u64);
        let began = Instant::now();
        let built = Built::new(&self.spec, &chunks, rows)?;
        events::elapsed(Event::JoinBuildPostProcessingMicroseconds, began);
        drop(chunks);
        held.set(built.byte_size())?;
        *lock(&self.held) = vec![held];
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
        let held = Reservation::new(&self.0.account);
        Ok(Box::new(BuildState { build: Arc::clone(&self.0), parts: Vec::new(), bytes: 0, held }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let _ = self.0.built.set(self.0.finish()?);
        Ok(())
    }
}

struct BuildState {
    build: Arc<Build>,
    parts: Vec<(u64, usize, Chunk)>,
    bytes: usize,
    held: Reservation,
}

impl SinkState for BuildState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let Morsel { sequence, chunk } = morsel;
        let columns = self.build.spec.stored.iter().map(|p| chunk.columns[*p].clone()).collect();
        let chunk = Chunk::new(columns, chunk.rows);
        self.bytes += chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.parts.push((sequence, self.parts.len(), chunk));
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        lock(&self.build.parts).extend(self.parts);
        lock(&self.build.held).push(self.held);
        Ok(())
    }
}

/// The key columns without NULL flags, and which rows have no NULL; `None` if no row has one.
pub fn split_keys(columns: &[Column]) -> (Vec<Column>, Option<Bitmap>) {
    let mut valid: Option<Bitmap> = None;
    let plain = columns.iter().map(|column| {
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
    });
    (plain.collect(), valid)
}

fn add_all<K: FixedKey>(keys: &[K]) -> Result<(FixedTable<K>, Vec<u32>)> {
    let (mut hashes, mut ids) = (Vec::new(), Vec::with_capacity(keys.len()));
    let (first, rest) = keys.split_at(keys.len().min(SAMPLE));
    FixedTable::hash_all(first, &mut hashes);
    let mut table = FixedTable::default();
    table.find_or_add_all(first, &hashes, &mut ids);
    if !rest.is_empty() && table.len() * 10 >= first.len() * 9 {
        // Nearly all keys differ, as after a GROUP BY, so the table gets its final size at once.
        ids.clear();
        table = FixedTable::with_capacity(keys.len());
        table.find_or_add_all(first, &hashes, &mut ids);
    }
    for keys in rest.chunks(BATCH) {
        scope::check()?;
        FixedTable::hash_all(keys, &mut hashes);
        table.find_or_add_all(keys, &hashes, &mut ids);
    }
    Ok((table, ids))
}

fn widen(keys: &[u16]) -> Vec<u64> {
    keys.iter().map(|k| u64::from(*k)).collect()
}

impl Table {
    fn of(keys: &Keys) -> Result<(Self, Vec<u32>)> {
        Ok(match keys {
            Keys::U16(keys) => {
                let (table, ids) = add_all(&widen(keys))?;
                (Self::U64(table), ids)
            }
            Keys::U64(keys) => {
                let (table, ids) = add_all(keys)?;
                (Self::U64(table), ids)
            }
            Keys::U128(keys) => {
                let (table, ids) = add_all(keys)?;
                (Self::U128(table), ids)
            }
            Keys::U256(keys) => {
                let (table, ids) = add_all(keys)?;
                (Self::U256(table), ids)
            }
            Keys::Bytes(strings) => {
                let (mut hashes, mut ids) = (Vec::new(), Vec::new());
                keys.hash_all(&mut hashes);
                let mut table = BytesTable::default();
                for (i, hashes) in hashes.chunks(BATCH).enumerate() {
                    scope::check()?;
                    let (from, to) = (i * BATCH, i * BATCH + hashes.len());
                    let offsets = &strings.offsets()[from..=to];
                    table.find_or_add_all(offsets, strings.data(), hashes, &mut ids);
                }
                (Self::Bytes(table), ids)
            }
        })
    }

    fn find(&self, keys: &Keys, hashes: &mut Vec<u64>, ids: &mut Vec<u32>) -> Result<()> {
        fn all<K: FixedKey>(
            table: &FixedTable<K>,
            keys: &[K],
            hashes: &mut Vec<u64>,
            ids: &mut Vec<u32>,
        ) {
            FixedTable::hash_all(keys, hashes);
            table.find_all(keys, hashes, ids);
        }
        match (self, keys) {
            (Self::U64(table), Keys::U16(keys)) => all(table, &widen(keys), hashes, ids),
            (Self::U64(table), Keys::U64(keys)) => all(table, keys, hashes, ids),
            (Self::U128(table), Keys::U128(keys)) => all(table, keys, hashes, ids),
            (Self::U256(table), Keys::U256(keys)) => all(table, keys, hashes, ids),
            (Self::Bytes(table), Keys::Bytes(strings)) => {
                keys.hash_all(hashes);
                ids.extend(strings.iter().zip(&*hashes).map(|(s, h)| table.find(s, *h)));
            }
            _ => return Err(Error::logical("join keys of another layout")),
        }
        Ok(())
    }

    fn byte_size(&self) -> usize {
        match self {
            Self::Cross => 0,
            Self::U64(table) => table.byte_size(),
            Self::U128(table) => table.byte_size(),
            Self::U256(table) => table.byte_size(),
            Self::Bytes(table) => table.byte_size(),
        }
    }
}

/// One column of all chunks with a default row at the end, in the output type.
fn output(chunks: &[Chunk], at: usize, ty: &DataType, rows: usize) -> Column {
    let nullable = chunks.first().is_some_and(|c| c.columns[at].physical() == Physical::Nullable);
    let plain = if nullable { ty } else { ty.without_nullable() };
    let default = Column::default_of(plain, 1);
    let parts: Vec<&Column> = chunks.iter().map(|c| &c.columns[at]).chain([&default]).collect();
    let column = Column::concat(&parts);
    if ty.is_nullable() && !nullable {
        let mut valid = entasis_column::bitmap::BitmapBuilder::default();
        valid.push_n(true, rows);
        valid.push(false);
        return Column::nullable(column, valid.finish());
    }
    column
}

fn check_strings(chunks: &[Chunk]) -> Result<()> {
    let width = chunks.first().map_or(0, |c| c.columns.len());
    for at in 0..width {
        let bytes: usize = chunks.iter().map(|c| c.columns[at].byte_size()).sum();
        if bytes > u32::MAX as usize && chunks[0].columns[at].physical() == Physical::String {
            let message = "More than 4 GiB of strings in a column of a JOIN's right side";
            return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
        }
    }
    Ok(())
}

impl Built {
    fn new(spec: &Spec, chunks: &[Chunk], rows: usize) -> Result<Self> {
        check_strings(chunks)?;
        let stored = |at: usize| -> Column {
            Column::concat(&chunks.iter().map(|c| &c.columns[at]).collect::<Vec<_>>())
        };
        let mut outputs = Vec::with_capacity(spec.right_outputs.len());
        for (at, ty) in &spec.right_outputs {
            scope::check()?;
            outputs.push(output(chunks, *at, ty, rows));
        }
        let residual = match &spec.residual {
            Some(residual) if rows > 0 => residual.right.iter().map(|at| stored(*at)).collect(),
            _ => Vec::new(),
        };
        let mut built = Self {
            layout: None,
            table: Table::Cross,
            starts: vec![0, rows as u32],
            order: if spec.needs_rows() { (0..rows as u32).collect() } else { Vec::new() },
            keys: 1,
            rows,
            outputs,
            closest: None,
            residual,
            used: Vec::new(),
        };
        if !spec.key_types.is_empty() && rows > 0 {
            let keys: Vec<Column> = spec.right_keys.iter().map(|at| stored(*at)).collect();
            built.closest = spec.closest.as_ref().map(|c| stored(c.right).full());
            scope::check()?;
            built.index(KeyLayout::choose(&spec.key_types), &keys)?;
            built.sort_by_closest();
            if spec.takes_last {
                built.reverse();
            }
        }
        let marks = match spec.strictness {
            JoinStrictness::FirstOfKey => built.keys,
            JoinStrictness::OncePerRight => rows,
            _ if spec.keep_right => rows,
            _ => 0,
        };
        built.used = (0..marks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(built)
    }

    /// Puts the last row of each key in front of its others.
    fn reverse(&mut self) {
        for ends in self.starts.windows(2) {
            self.order[ends[0] as usize..ends[1] as usize].reverse();
        }
    }

    /// Fills the table and brings the rows of each key together (counting sort by id).
    fn index(&mut self, layout: KeyLayout, columns: &[Column]) -> Result<()> {
        let (mut plain, valid) = match &self.closest {
            // A row without a value to compare is never the closest.
            Some(closest) => split_keys(&[columns, std::slice::from_ref(closest)].concat()),
            None => split_keys(columns),
        };
        plain.truncate(columns.len());
        let rows: Option<Vec<u32>> = valid.map(|v| v.indices());
        let plain: Vec<Column> = match &rows {
            Some(rows) => plain.iter().map(|c| c.take(rows)).collect(),
            None => plain,
        };
        let count = rows.as_ref().map_or(self.rows, Vec::len);
        scope::check()?;
        let (table, ids) = Table::of(&layout.encode(&plain, count)?)?;
        let keys = ids.iter().max().map_or(0, |id| *id as usize + 1);
        scope::check()?;
        self.keys = keys;
        if keys == count {
            // Ids are assigned in order of appearance, so the order of rows is the order of ids.
            self.order = rows.unwrap_or_else(|| (0..count as u32).collect());
            (self.layout, self.table, self.starts) = (Some(layout), table, Vec::new());
            return Ok(());
        }
        let mut starts = vec![0u32; keys + 1];
        for id in scope::parts(&ids).flatten() {
            starts[*id as usize + 1] += 1;
        }
        for k in 0..keys {
            starts[k + 1] += starts[k];
        }
        scope::check()?;
        let mut next = starts.clone();
        let mut order = vec![0; count];
        for (i, id) in scope::parts(&ids).flatten().enumerate() {
            let place = &mut next[*id as usize];
            order[*place as usize] = rows.as_ref().map_or(i as u32, |rows| rows[i]);
            *place += 1;
        }
        (self.layout, self.table) = (Some(layout), table);
        (self.starts, self.order) = (starts, order);
        Ok(())
    }

    /// Sorts the rows of each key by the column by which the closest row is chosen.
    fn sort_by_closest(&mut self) {
        let Some(closest) = &self.closest else { return };
        for ends in self.starts.windows(2) {
            self.order[ends[0] as usize..ends[1] as usize].sort_by(scope::checked(
                |a: &u32, b: &u32| compare_values(closest, *a as usize, closest, *b as usize),
            ));
        }
    }

    /// The row of key `id` that is closest to the value at `row` of `column`.
    pub fn closest_to(
        &self,
        id: u32,
        column: &Column,
        row: usize,
        inequality: Inequality,
    ) -> Option<u32> {
        let closest = self.closest.as_ref()?;
        if column.is_null(row) {
            return None;
        }
        let rows = self.matches(id);
        let before = |r: &u32, ordering| {
            let found = compare_values(closest, *r as usize, column, row);
            found == Ordering::Less || found == ordering
        };
        let up_to = |ordering| rows.partition_point(|r| before(r, ordering));
        match inequality {
            Inequality::GreaterOrEquals => up_to(Ordering::Equal).checked_sub(1).map(|i| rows[i]),
            Inequality::Greater => up_to(Ordering::Less).checked_sub(1).map(|i| rows[i]),
            Inequality::LessOrEquals => rows.get(up_to(Ordering::Less)).copied(),
            Inequality::Less => rows.get(up_to(Ordering::Equal)).copied(),
        }
    }

    fn byte_size(&self) -> usize {
        let columns: usize = self.outputs.iter().chain(&self.residual).map(Column::byte_size).sum();
        columns + self.table.byte_size() + 4 * (self.starts.len() + self.order.len())
    }

    /// Looks up the ids of the rows' keys; [`NONE`] for rows that match nothing.
    pub fn find(
        &self,
        columns: &[Column],
        rows: usize,
        hashes: &mut Vec<u64>,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        ids.clear();
        if self.rows == 0 {
            ids.resize(rows, NONE);
            return Ok(());
        }
        let Some(layout) = &self.layout else {
            ids.resize(rows, 0);
            return Ok(());
        };
        let (plain, valid) = split_keys(columns);
        self.table.find(&layout.encode(&plain, rows)?, hashes, ids)?;
        if let Some(valid) = valid {
            for (i, id) in ids.iter_mut().enumerate() {
                if !valid.get(i) {
                    *id = NONE;
                }
            }
        }
        Ok(())
    }

    /// Number of rows of the key `id`.
    #[inline]
    pub fn match_count(&self, id: u32) -> usize {
        let id = id as usize;
        if self.starts.is_empty() { 1 } else { (self.starts[id + 1] - self.starts[id]) as usize }
    }

    /// Rows of the key `id`.
    #[inline]
    pub fn matches(&self, id: u32) -> &[u32] {
        let id = id as usize;
        if self.starts.is_empty() {
            return &self.order[id..=id];
        }
        &self.order[self.starts[id] as usize..self.starts[id + 1] as usize]
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
