//! Writes the rows of a buffer as the segment of a part: sorted, folded, with what is derived from
//! them.

use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Native};
use entasis_pipeline::DerivedOnInsert;
use entasis_types::DataType;

use super::buffers::Buffer;
use crate::granules;
use crate::in_memory::placed;
use crate::index::build::IndexWriter;
use crate::log::record::PartSummary;
use crate::merge::Place;
use crate::merge::fold::{Groups, MergeAlgorithm, Purpose};
use crate::prepared::Unfinished;
use crate::projection;
use crate::schema::SchemaVersion;
use crate::segment::{SegmentInfo, SegmentWriter, stats};
use crate::sort;
use crate::table::TableCore;

/// Fails if the table collapses rows by sign, and a sign is neither 1 nor -1.
fn check_signs(schema: &SchemaVersion, chunks: &[Chunk]) -> Result<()> {
    let merging = schema.config.merging.as_ref();
    let Some(position) = merging.and_then(|merging| merging.sign()) else { return Ok(()) };
    for chunk in chunks {
        let signs = chunk.columns[position].full();
        let bad = i8::values(&signs).and_then(|signs| signs.iter().find(|s| s.unsigned_abs() != 1));
        if let Some(sign) = bad {
            let message = format!(
                "Incorrect data: Sign = {sign} (must be 1 or -1): insert 1 for a new state of a \
                 row, and -1 to cancel a former state"
            );
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
    }
    Ok(())
}

/// Bytes of a chunk's values.
pub(crate) fn chunk_bytes(chunk: &Chunk) -> usize {
    chunk.columns.iter().map(|c| stats::raw_bytes(c) as usize).sum()
}

/// Sorts the rows of a buffer and writes them to a synced file. `None` if folding leaves no row.
/// Without `folds_now`, the part keeps rows with equal keys; its level then says so.
pub(crate) fn write_segment(
    table: &Arc<TableCore>,
    schema: &SchemaVersion,
    mut buffer: Buffer,
    folds_now: bool,
    (place, derived): (Place, &DerivedOnInsert),
) -> Result<Option<PartSummary>> {
    let config = &schema.config;
    let mut keys = sort_keys(schema, &buffer.chunks)?;
    let mut order = order_of(&keys, &config.descending);
    check_signs(schema, &buffer.chunks)?;
    let folds = folds_now && schema.folds();
    let merging = config.merging.as_ref().filter(|_| folds);
    if let Some(merging) = merging.map(|merging| merging.at(table.core.now()))
        && let Some(rows) = fold(&merging, &mut buffer, &keys, order.as_deref())?
    {
        if rows.is_empty() {
            return Ok(None);
        }
        keys = match merging.changes_with_time() {
            true => sort_keys(schema, &buffer.chunks)?,
            false => keys.iter().map(|key| key.take(&rows)).collect(),
        };
        order = None;
    }
    let mut guard = Unfinished::new(table);
    let (file, path) = placed(table.new_segment(), place, &mut guard);
    let to = (place, &mut guard);
    let companions = projection::build::of_chunks(table, schema, &buffer.chunks, to)?;
    let level = u32::from(folds);
    let Buffer { partition, chunks, rows, bytes } = buffer;
    let statistics = derived.statistics;
    let sorted = Sorted { chunks, keys, order, rows, bytes, statistics };
    let written = write_sorted((table, schema), path.as_deref(), sorted, level)?;
    let (id, partition_value) = (partition.id, partition.value);
    let mut part = PartSummary { file, partition: id, partition_value, companions, ..written };
    let mut indices = IndexWriter { table, schema, unfinished: &mut guard, place };
    indices.add_to(&mut part, &|index| derived.indices.writes(&index.def.name))?;
    events::one(Event::MergeTreeDataWriterBlocks);
    events::add(Event::MergeTreeDataWriterRows, rows as u64);
    events::add(Event::MergeTreeDataWriterUncompressedBytes, bytes as u64);
    events::add(Event::MergeTreeDataWriterCompressedBytes, part.bytes);
    guard.take();
    Ok(Some(part))
}

/// Rows in memory, their sorting keys, and the order that sorts them.
struct Sorted {
    chunks: Vec<Chunk>,
    keys: Vec<Column>,
    order: Option<Vec<u32>>,
    rows: usize,
    bytes: usize,
    /// Whether the numbers of distinct values and samples are written, too.
    statistics: bool,
}

/// Sorts rows and writes them to a synced file, which the summary does not name, or without a path
/// to memory.
pub(crate) fn write_rows(
    to: (&Arc<TableCore>, &SchemaVersion),
    path: Option<&str>,
    chunk: Chunk,
) -> Result<PartSummary> {
    let (rows, bytes, chunks) = (chunk.rows, chunk_bytes(&chunk), vec![chunk]);
    let keys = sort_keys(to.1, &chunks)?;
    let order = order_of(&keys, &to.1.config.descending);
    write_sorted(to, path, Sorted { chunks, keys, order, rows, bytes, statistics: true }, 0)
}

/// Writes rows to a synced file, which the summary does not name, or without a path to memory.
fn write_sorted(
    (table, schema): (&Arc<TableCore>, &SchemaVersion),
    path: Option<&str>,
    mut sorted: Sorted,
    level: u32,
) -> Result<PartSummary> {
    let (config, order) = (&schema.config, sorted.order.as_deref());
    let size = (sorted.rows, sorted.bytes);
    let granules = granules::of_rows(&config.settings, &sorted.chunks, size, order);
    let mut writer = table.segment_writer(path, &schema.stored, (sorted.rows, false))?;
    if !sorted.statistics {
        writer.leave_out_statistics();
    }
    write_columns(&mut writer, &mut sorted.chunks, order, &granules)?;
    let created = table.core.now();
    let info = SegmentInfo {
        index: index_of(&sorted.keys, &schema.primary_types(), order, &granules),
        index_ciphers: schema.key_ciphers(&schema.stored),
        sorting_key: config.sorting_key.clone(),
        partition_key: config.partition_key.clone(),
        schema_version: schema.columns.version(),
        created,
        level: 0,
        codec: None,
        granules: granules.clone(),
    };
    let finished = writer.finish(info)?;
    Ok(PartSummary {
        rows: sorted.rows as u64,
        bytes: finished.bytes,
        checksum: finished.checksum,
        created,
        granules: granules.len() as u64,
        level,
        content: finished.content,
        ..empty_summary()
    })
}

/// The order that sorts the rows of a buffer; `None` if they are sorted already.
fn order_of(keys: &[Column], descending: &[bool]) -> Option<Vec<u32>> {
    let began = Instant::now();
    let order = if keys.is_empty() { None } else { sort::permutation(keys, descending) };
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
    let group_key = merging.group_key().unwrap_or(keys.len());
    let starts = sort::group_starts(&keys[..group_key], order, rows);
    if starts.len() == rows && !merging.changes_single_rows() {
        return Ok(None);
    }
    let groups = Groups { rows, starts };
    let sorted = |column: usize, chunks: &[Chunk]| {
        let parts: Vec<&Column> = chunks.iter().map(|c| &c.columns[column]).collect();
        let whole = Column::concat(&parts);
        order.map_or_else(|| whole.clone(), |order| whole.take(order))
    };
    let picked = merging.pick(&groups, &|at| Ok(sorted(at, &buffer.chunks)), Purpose::Write)?;
    let count = buffer.chunks.first().map_or(0, |c| c.columns.len());
    // A column may be needed to fold a later one, so it is released only after its last use.
    let mut last_use: Vec<usize> = (0..count).collect();
    for of in 0..count {
        merging.read_for(of).into_iter().for_each(|at| last_use[at] = last_use[at].max(of));
    }
    let mut columns = Vec::with_capacity(count);
    for at in 0..count {
        let column = |at: usize| Ok(sorted(at, &buffer.chunks));
        columns.push(merging.fold(at, &column, &groups, &picked)?);
        // Goes column by column, so that only one of them is in memory twice.
        for done in (0..=at).filter(|&done| last_use[done] == at) {
            buffer.chunks.iter_mut().for_each(|c| c.columns[done] = Column::Nothing(c.rows));
        }
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
        mutation: 0,
        overlays: Vec::new(),
        content: None,
        companions: Vec::new(),
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
