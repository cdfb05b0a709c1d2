//! INSERT: each worker collects rows, splits them by partition, sorts them and writes segments.
//!
//! 1. `push`: rows go to the buffer of their partition; a full buffer becomes a segment.
//! 2. `combine`: the remaining rows become segments; the worker hands over all its segments.
//! 3. `finalize`: the directory is synced, and the INSERT is prepared.
//! 4. [`crate::prepared`] commits it, perhaps with others, in one record.
//!
//! Invariants: a segment is synced before its record is written; segments that are not committed
//! are deleted, unless the log may have recorded them all the same.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, MemoryAccount, Reservation, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared, Repeats};
use entasis_types::DataType;

use crate::granules;
use crate::log::record::PartSummary;
use crate::merge::fold::{Groups, MergeAlgorithm};
use crate::partition::{self, Partition};
use crate::prepared::{PreparedInsert, Unfinished};
use crate::repeats::Repeated;
use crate::schema::SchemaVersion;
use crate::segment::{SegmentInfo, SegmentWriter, stats};
use crate::sort;
use crate::table::TableCore;

/// A buffer is written before one of its string columns could exceed 4 GiB.
const HARD_LIMIT: usize = 2 << 30;

struct Shared {
    table: Arc<TableCore>,
    /// The schema of the statement: an ALTER meanwhile does not change what it writes.
    schema: Arc<SchemaVersion>,
    context: QueryContext,
    /// The memory account that all workers share.
    memory: Arc<MemoryAccount>,
    written: Mutex<Unfinished>,
    repeats: Option<Repeated>,
    began: Instant,
}

/// The sink of one INSERT.
pub(crate) struct MergeTreeInsert {
    shared: Arc<Shared>,
    prepared: Mutex<Option<PreparedInsert>>,
}

impl MergeTreeInsert {
    pub(crate) fn sink(
        table: Arc<TableCore>,
        schema: Arc<SchemaVersion>,
        context: &QueryContext,
        repeats: Repeats,
    ) -> Arc<dyn InsertSink> {
        let repeats = Repeated::new(repeats, schema.config.settings.deduplication_window);
        let written = Mutex::new(Unfinished::new(&table));
        let memory = context.memory.child("MergeTreeInsert", 0);
        let context = context.clone();
        let began = Instant::now();
        let shared = Shared { table, schema, context, memory, written, repeats, began };
        Arc::new(Self { shared: Arc::new(shared), prepared: Mutex::default() })
    }
}

impl Sink for MergeTreeInsert {
    fn name(&self) -> String {
        "MergeTreeInsert".into()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Worker {
            shared: Arc::clone(&self.shared),
            buffers: Vec::new(),
            written: Unfinished::new(&self.shared.table),
            memory: Reservation::new(&self.shared.memory),
        }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        let Shared { table, written, repeats, began, .. } = &*self.shared;
        let mut unfinished = Unfinished::new(table);
        unfinished.take_all_of(&mut lock(written));
        if !unfinished.is_empty() {
            table.core.disk.sync_dir(&table.parts.dir.path)?;
        }
        let token = repeats.as_ref().map(|repeats| repeats.remember(table.id()));
        let prepared = PreparedInsert::new(Arc::clone(table), unfinished, token, *began);
        *lock(&self.prepared) = Some(prepared);
        Ok(())
    }
}

impl InsertSink for MergeTreeInsert {
    fn keeps_order(&self) -> bool {
        self.shared.schema.folds()
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        let prepared = lock(&self.prepared).take().ok_or_else(nothing_prepared)?;
        Ok(vec![Prepared::Stored(Box::new(prepared))])
    }
}

/// Rows of one partition.
struct Buffer {
    partition: Partition,
    chunks: Vec<Chunk>,
    rows: usize,
    bytes: usize,
}

struct Worker {
    shared: Arc<Shared>,
    buffers: Vec<Buffer>,
    written: Unfinished,
    memory: Reservation,
}

impl SinkState for Worker {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.shared.context.cancel.check()?;
        let chunk = morsel.chunk;
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        let stored = self.shared.schema.stored.len();
        if chunk.columns.len() != stored {
            return Err(Error::logical(format!(
                "INSERT has {} columns, but the table stores {stored}",
                chunk.columns.len()
            )));
        }
        if let Some(repeats) = &self.shared.repeats {
            repeats.add(morsel.sequence, &chunk);
        }
        self.split(chunk)?;
        let settings = &self.shared.schema.config.settings;
        let (most_rows, most_bytes) = (settings.insert_block_rows, settings.insert_block_bytes);
        loop {
            let total: usize = self.buffers.iter().map(|b| b.bytes).sum();
            self.memory.cover(total)?;
            let full = self
                .buffers
                .iter()
                .position(|b| b.rows >= most_rows || b.bytes >= most_bytes.min(HARD_LIMIT));
            let next = full.or_else(|| {
                // The partitions share the memory limit: the largest buffer is written first.
                let largest = (0..self.buffers.len()).max_by_key(|&i| self.buffers[i].bytes);
                largest.filter(|_| total >= most_bytes)
            });
            let Some(i) = next else { return Ok(Flow::More) };
            let buffer = self.buffers.swap_remove(i);
            self.write(buffer)?;
            let left = self.buffers.iter().map(|b| b.bytes).sum();
            self.memory.set(left)?;
        }
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        for buffer in std::mem::take(&mut self.buffers) {
            self.shared.context.cancel.check()?;
            self.write(buffer)?;
        }
        lock(&self.shared.written).take_all_of(&mut self.written);
        Ok(())
    }
}

impl Worker {
    /// Puts the rows into the buffers of their partitions.
    fn split(&mut self, chunk: Chunk) -> Result<()> {
        let schema = Arc::clone(&self.shared.schema);
        let Some(expr) = &schema.config.partition_by else {
            self.add(Partition::all(), chunk);
            return Ok(());
        };
        let (types, is_tuple) = partition::key_types(expr.ty());
        let key = schema.evaluate(std::slice::from_ref(expr), &chunk)?;
        let keys = partition::key_columns(&key[0]);
        let of = |row: usize| Partition::of(&types, &keys, row, is_tuple);
        let Some(groups) = partition::split(&keys, chunk.rows) else {
            self.add(of(0), chunk);
            return self.check_partitions();
        };
        events::one(Event::InsertBlocksSplitByPartition);
        for rows in groups {
            self.add(of(rows[0] as usize), chunk.take(&rows));
        }
        self.check_partitions()
    }

    /// Fails if the block at hand has rows of more partitions than the statement allows.
    fn check_partitions(&self) -> Result<()> {
        let most = self.shared.context.max_insert_partitions;
        if most > 0 && self.buffers.len() > most {
            return Err(Error::new(
                codes::TOO_MANY_PARTS,
                format!(
                    "Too many partitions for single INSERT block (more than {most}). The limit is \
                     controlled by 'max_partitions_per_insert_block' setting: insert fewer \
                     partitions at a time, or raise it"
                ),
            ));
        }
        Ok(())
    }

    fn add(&mut self, partition: Partition, chunk: Chunk) {
        let (rows, bytes) = (chunk.rows, chunk_bytes(&chunk));
        match self.buffers.iter_mut().find(|b| b.partition == partition) {
            Some(buffer) => {
                buffer.chunks.push(chunk);
                buffer.rows += rows;
                buffer.bytes += bytes;
            }
            None => self.buffers.push(Buffer { partition, chunks: vec![chunk], rows, bytes }),
        }
    }

    fn write(&mut self, buffer: Buffer) -> Result<()> {
        if let Some(part) = write_segment(&self.shared.table, &self.shared.schema, buffer)? {
            self.written.add(part);
        }
        Ok(())
    }
}

/// Bytes of a chunk's values.
pub(crate) fn chunk_bytes(chunk: &Chunk) -> usize {
    chunk.columns.iter().map(|c| stats::raw_bytes(c) as usize).sum()
}

/// Sorts the rows of a buffer and writes them to a synced file. `None` if folding leaves no row.
fn write_segment(
    table: &Arc<TableCore>,
    schema: &SchemaVersion,
    mut buffer: Buffer,
) -> Result<Option<PartSummary>> {
    let config = &schema.config;
    let mut keys = sort_keys(schema, &buffer.chunks)?;
    let mut order = order_of(&keys);
    if let Some(merging) = config.merging.as_ref().filter(|_| schema.folds())
        && let Some(rows) = fold(merging, &mut buffer, &keys, order.as_deref())?
    {
        if rows.is_empty() {
            return Ok(None);
        }
        keys = keys.iter().map(|key| key.take(&rows)).collect();
        order = None;
    }
    let order = order.as_deref();
    let size = (buffer.rows, buffer.bytes);
    let granules = granules::of_rows(&config.settings, &buffer.chunks, size, order);
    let (file, path) = table.new_segment();
    let disk = &*table.core.disk;
    let mut guard = Unfinished::new(table);
    guard.add(PartSummary { file: file.clone(), ..empty_summary() });
    let mut writer = SegmentWriter::create(disk, &path, &schema.stored, buffer.rows, false)?;
    write_columns(&mut writer, &mut buffer.chunks, order, &granules)?;
    let created = table.core.now();
    let info = SegmentInfo {
        index: index_of(&keys, &schema.primary_types(), order, &granules),
        sorting_key: config.sorting_key.clone(),
        partition_key: config.partition_key.clone(),
        schema_version: schema.columns.version(),
        created,
        level: 0,
        granules: granules.clone(),
    };
    let finished = writer.finish(info)?;
    events::one(Event::MergeTreeDataWriterBlocks);
    events::add(Event::MergeTreeDataWriterRows, buffer.rows as u64);
    events::add(Event::MergeTreeDataWriterUncompressedBytes, buffer.bytes as u64);
    events::add(Event::MergeTreeDataWriterCompressedBytes, finished.bytes);
    guard.take();
    Ok(Some(PartSummary {
        file,
        rows: buffer.rows as u64,
        bytes: finished.bytes,
        checksum: finished.checksum,
        partition: buffer.partition.id,
        partition_value: buffer.partition.value,
        created,
        granules: granules.len() as u64,
        level: u32::from(schema.folds()),
        ..empty_summary()
    }))
}

/// The order that sorts the rows of a buffer; `None` if they are sorted already.
fn order_of(keys: &[Column]) -> Option<Vec<u32>> {
    let began = Instant::now();
    let order = if keys.is_empty() { None } else { sort::permutation(keys) };
    events::elapsed(Event::MergeTreeDataWriterSortingBlocksMicroseconds, began);
    if order.is_none() {
        events::one(Event::MergeTreeDataWriterBlocksAlreadySorted);
    }
    order
}

/// Writes the columns one after the other, so that only one of them is in memory twice.
fn write_columns(
    writer: &mut SegmentWriter,
    chunks: &mut [Chunk],
    order: Option<&[u32]>,
    granules: &[u32],
) -> Result<()> {
    for column in 0..chunks.first().map_or(0, |c| c.columns.len()) {
        let parts: Vec<Column> = chunks
            .iter_mut()
            .map(|c| std::mem::replace(&mut c.columns[column], Column::Nothing(0)))
            .collect();
        let whole = Column::concat(&parts.iter().collect::<Vec<_>>());
        drop(parts);
        let mut start = 0;
        for &rows in granules {
            let rows = rows as usize;
            let values = match order {
                Some(order) => whole.take(&order[start..start + rows]),
                None => whole.slice(start, rows),
            };
            writer.push(column, &values)?;
            start += rows;
        }
        writer.close(column)?;
    }
    Ok(())
}

/// Folds rows with equal keys into one row, in the buffer. Returns which rows' keys remain, in
/// order; `None` if all keys differ and the rows stay as they are.
fn fold(
    merging: &MergeAlgorithm,
    buffer: &mut Buffer,
    keys: &[Column],
    order: Option<&[u32]>,
) -> Result<Option<Vec<u32>>> {
    let rows = buffer.rows;
    let starts = sort::group_starts(keys, order, rows);
    if starts.len() == rows && !merging.changes_single_rows() {
        return Ok(None);
    }
    let groups = Groups { rows, starts };
    let sorted = |column: usize, chunks: &[Chunk]| {
        let parts: Vec<&Column> = chunks.iter().map(|c| &c.columns[column]).collect();
        let whole = Column::concat(&parts);
        order.map_or_else(|| whole.clone(), |order| whole.take(order))
    };
    let picked = merging.pick(&groups, &|at| Ok(sorted(at, &buffer.chunks)), false)?;
    let count = buffer.chunks.first().map_or(0, |c| c.columns.len());
    let mut columns = Vec::with_capacity(count);
    for at in 0..count {
        let values = sorted(at, &buffer.chunks);
        // Goes column by column, so that only one of them is in memory twice.
        buffer.chunks.iter_mut().for_each(|c| c.columns[at] = Column::Nothing(c.rows));
        columns.push(merging.fold(at, &values, &groups, &picked)?);
    }
    let chunk = Chunk::new(columns, picked.len());
    (buffer.rows, buffer.bytes) = (chunk.rows, chunk_bytes(&chunk));
    buffer.chunks = vec![chunk];
    Ok(Some(match order {
        Some(order) => picked.iter().map(|&row| order[row as usize]).collect(),
        None => picked,
    }))
}

pub(crate) fn empty_summary() -> PartSummary {
    PartSummary {
        file: String::new(),
        rows: 0,
        bytes: 0,
        checksum: 0,
        partition: String::new(),
        partition_value: String::new(),
        min_block: 0,
        max_block: 0,
        level: 0,
        created: 0,
        granules: 0,
    }
}

/// The sort key's columns over all chunks, as full columns.
fn sort_keys(schema: &SchemaVersion, chunks: &[Chunk]) -> Result<Vec<Column>> {
    let exprs = &schema.config.order_by;
    if exprs.is_empty() {
        return Ok(Vec::new());
    }
    let per_chunk: Vec<Vec<Column>> =
        chunks.iter().map(|c| schema.evaluate(exprs, c)).collect::<Result<_>>()?;
    Ok((0..exprs.len())
        .map(|i| Column::concat(&per_chunk.iter().map(|keys| &keys[i]).collect::<Vec<_>>()).full())
        .collect())
}

/// The sparse index: the primary key at the first row of each granule and at the last row.
fn index_of(
    keys: &[Column],
    types: &[DataType],
    order: Option<&[u32]>,
    granules: &[u32],
) -> Vec<(DataType, Column)> {
    let mut rows: Vec<u32> = Vec::with_capacity(granules.len() + 1);
    let mut start = 0;
    for &count in granules {
        rows.push(start);
        start += count;
    }
    rows.push(start.saturating_sub(1));
    if let Some(order) = order {
        for row in &mut rows {
            *row = order[*row as usize];
        }
    }
    types.iter().cloned().zip(keys.iter().map(|key| key.take(&rows))).collect()
}
