//! Merges: several sorted parts of a partition become one.
//!
//! 1. The key columns of all parts are merged first, granule by granule: which part the next rows
//!    come from, as runs.
//! 2. Every column is then put together by these runs, one column after the other, so that memory
//!    holds one granule per part, the runs, and the encoded bytes of one column.
//! 3. One record adds the new part and removes the old ones.
//!
//! Which parts: neighbours in insert order of similar size, as the reference's simple selector.

mod keys;
mod select;

use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::gauge::{self, Gauge};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Dictionary};
use entasis_types::DataType;

use self::keys::{MergedKeys, merge_keys};
use crate::insert::{Unfinished, config_types, empty_summary};
use crate::interleave::{Run, interleave};
use crate::log::record::{Op, PartSummary};
use crate::part::Part;
use crate::segment::writer::ColumnSpec;
use crate::segment::{Mode, Segment, SegmentInfo, SegmentWriter, stats};
use crate::table::TableCore;

/// Most rows of a merged part: the runs are kept in memory.
const MAX_ROWS: u64 = 1 << 31;

/// Asked between granules whether to go on.
type GoOn<'a> = &'a dyn Fn() -> bool;

impl TableCore {
    /// Merges the most worthwhile parts, if any are worth it.
    pub(crate) fn merge_once(self: &Arc<Self>, eager: bool, go_on: GoOn) -> Result<bool> {
        let _one = self.lock_merges();
        let version = self.parts.version();
        let most = self.config.settings.max_bytes_to_merge;
        let Some(chosen) = select::choose(&version.parts, most, MAX_ROWS, eager) else {
            return Ok(false);
        };
        let parts: Vec<Arc<Part>> = version.parts[chosen].iter().map(Arc::clone).collect();
        drop(version);
        self.merge(&parts, go_on)?;
        Ok(true)
    }

    /// Merges every partition into one part.
    pub(crate) fn merge_all(self: &Arc<Self>, go_on: GoOn) -> Result<()> {
        let _one = self.lock_merges();
        let version = self.parts.version();
        let partitions = version.parts.chunk_by(|a, b| a.summary.partition == b.summary.partition);
        for parts in partitions {
            if !go_on() {
                break;
            }
            if parts.len() > 1 {
                self.merge(parts, go_on)?;
            }
        }
        Ok(())
    }

    /// Merges these parts of one partition, in insert order.
    fn merge(self: &Arc<Self>, parts: &[Arc<Part>], go_on: GoOn) -> Result<()> {
        let began = Instant::now();
        let _running = gauge::hold(Gauge::Merge);
        events::one(Event::Merge);
        events::add(Event::MergeSourceParts, parts.len() as u64);
        let mut unfinished = Unfinished::new(self);
        let summary = write_merged(self, parts, &mut unfinished, go_on)?;
        self.core.disk.sync_dir(&self.parts.dir.path)?;
        let table = self.id();
        events::add(Event::MergeExecuteMilliseconds, began.elapsed().as_millis() as u64);
        let committed = self.core.commit(|_| {
            let mut ops: Vec<Op> = parts
                .iter()
                .map(|p| Op::RemovePart { table, file: p.summary.file.clone() })
                .collect();
            ops.push(Op::AddPart { table, part: summary });
            Ok(ops)
        });
        match committed {
            Err(e) if !e.unknown => {
                // Truncated or dropped meanwhile: nothing to merge any more.
                if [codes::ABORTED, codes::TABLE_IS_DROPPED].contains(&e.error.code()) {
                    return Ok(());
                }
                Err(e.error)
            }
            other => {
                unfinished.take();
                events::add(Event::MergeTotalMilliseconds, began.elapsed().as_millis() as u64);
                other.map_err(Error::from)
            }
        }
    }
}

#[cold]
fn stopped() -> Error {
    events::one(Event::MergesStopped);
    Error::new(codes::ABORTED, "A merge was stopped")
}

fn write_merged(
    table: &Arc<TableCore>,
    parts: &[Arc<Part>],
    unfinished: &mut Unfinished,
    go_on: GoOn,
) -> Result<PartSummary> {
    let segments: Vec<Arc<Segment>> =
        parts.iter().map(|p| p.segment().cloned()).collect::<Result<_>>()?;
    let merged = merge_keys(table, &segments, granule_rows(table, &segments), go_on)?;
    let specs: Vec<ColumnSpec> = table.stored.iter().map(|s| s.spec.clone()).collect();
    let rows: u64 = segments.iter().map(|s| s.rows).sum();
    let (file, path) = table.new_segment();
    unfinished.add(PartSummary { file: file.clone(), ..empty_summary() });
    let mut writer = SegmentWriter::create(&*table.core.disk, &path, &specs, rows as usize, true)?;
    for (i, spec) in specs.iter().enumerate() {
        merge_column(&segments, spec, &merged, go_on, &mut |values| writer.push(i, values))?;
        writer.close(i)?;
    }
    let created = table.core.now();
    let level = parts.iter().map(|p| p.summary.level).max().unwrap_or(0) + 1;
    let index = config_types(table).into_iter().zip(merged.index).collect();
    let granules = merged.granules.len() as u64;
    let info = SegmentInfo {
        granules: merged.granules,
        index,
        sorting_key: table.config.sorting_key.clone(),
        partition_key: table.config.partition_key.clone(),
        created,
        level,
    };
    let finished = writer.finish(info)?;
    events::add(Event::MergedRows, rows);
    events::add(Event::MergedColumns, specs.len() as u64);
    events::add(Event::MergeWrittenRows, rows);
    events::add(Event::MergeWrittenBytes, finished.bytes);
    let first = &parts[0].summary;
    Ok(PartSummary {
        file,
        rows,
        bytes: finished.bytes,
        checksum: finished.checksum,
        partition: first.partition.clone(),
        partition_value: first.partition_value.clone(),
        min_block: parts.iter().map(|p| p.summary.min_block).min().unwrap_or(0),
        max_block: parts.iter().map(|p| p.summary.max_block).max().unwrap_or(0),
        level,
        created,
        granules,
    })
}

/// Rows per granule of the result: full ones, unless some source had to make smaller ones for their
/// width.
fn granule_rows(table: &TableCore, segments: &[Arc<Segment>]) -> usize {
    let most = table.config.settings.index_granularity.max(1);
    let inner = segments.iter().flat_map(|s| s.granules.iter().rev().skip(1));
    inner.map(|&rows| rows as usize).min().unwrap_or(most).clamp(1, most)
}

/// One part's column, granule by granule.
struct Cursor {
    segment: Arc<Segment>,
    column: Option<usize>,
    ty: DataType,
    /// Dictionary of the segment; with `combined` its codes are shifted.
    values: Option<Arc<Dictionary>>,
    combined: Option<(Arc<Dictionary>, u32)>,
    granule: usize,
    buffer: Vec<u8>,
    /// The granule that rows are taken from, and how many of its rows are taken.
    current: Column,
    taken: usize,
}

impl Cursor {
    fn open(segment: &Arc<Segment>, spec: &ColumnSpec) -> Result<Self> {
        let column = segment.position(&spec.name);
        let values = match column {
            Some(c) if segment.meta(c)?.mode != Mode::Plain => Some(segment.read_dictionary(c)?),
            _ => None,
        };
        Ok(Self {
            segment: Arc::clone(segment),
            column,
            ty: spec.ty.clone(),
            values,
            combined: None,
            granule: 0,
            buffer: Vec::new(),
            current: Column::Nothing(0),
            taken: 0,
        })
    }

    fn is_dictionary(&self) -> Result<bool> {
        let Some(column) = self.column else { return Ok(false) };
        Ok(self.segment.meta(column)?.mode == Mode::Dictionary)
    }

    fn load(&mut self) -> Result<()> {
        let granule = self.granule;
        let Some(&rows) = self.segment.granules.get(granule) else {
            return Err(Error::logical("A merge reads past the end of a part"));
        };
        self.granule += 1;
        self.taken = 0;
        let column = match self.column {
            Some(column) => self.segment.read_granule(
                column,
                granule,
                self.values.as_ref(),
                &mut self.buffer,
            )?,
            None => Column::constant(Column::default_of(&self.ty, 1), rows as usize),
        };
        let segment_id = self.values.as_ref().map(|v| v.id);
        self.current = match (&self.combined, column) {
            // A block of plain strings may bring a dictionary of its own.
            (Some((combined, shift)), Column::Dict(d)) if Some(d.dictionary.id) == segment_id => {
                let codes: Vec<u32> = d.codes.iter().map(|c| c + shift).collect();
                Column::dict(codes.into(), Arc::clone(combined))
            }
            (_, column) => column,
        };
        Ok(())
    }
}

/// One dictionary for all parts, so that rows are put together by code.
fn combine_dictionaries(cursors: &mut [Cursor]) -> Result<()> {
    for cursor in &*cursors {
        if !cursor.is_dictionary()? {
            return Ok(());
        }
    }
    let dictionaries: Vec<Arc<Dictionary>> =
        cursors.iter().filter_map(|c| c.values.clone()).collect();
    let values = Column::concat(&dictionaries.iter().map(|d| &d.values).collect::<Vec<_>>());
    let combined = Dictionary::new(values);
    let mut shift = 0;
    for (cursor, dictionary) in cursors.iter_mut().zip(&dictionaries) {
        cursor.combined = Some((Arc::clone(&combined), shift));
        shift += dictionary.values.len() as u32;
    }
    Ok(())
}

/// Puts a column together by the runs, granule by granule.
fn merge_column(
    segments: &[Arc<Segment>],
    spec: &ColumnSpec,
    merged: &MergedKeys,
    go_on: GoOn,
    push: &mut dyn FnMut(&Column) -> Result<()>,
) -> Result<()> {
    let mut cursors: Vec<Cursor> =
        segments.iter().map(|s| Cursor::open(s, spec)).collect::<Result<_>>()?;
    combine_dictionaries(&mut cursors)?;
    let mut runs = merged.runs.iter().copied();
    let mut run = runs.next();
    for &rows in &merged.granules {
        if !go_on() {
            return Err(stopped());
        }
        let (mut columns, mut places): (Vec<Column>, Vec<Run>) = (Vec::new(), Vec::new());
        // Which of `columns` a part's current granule is.
        let mut slots: Vec<Option<usize>> = vec![None; cursors.len()];
        let mut missing = rows as usize;
        while missing > 0 {
            let Some((part, len)) = &mut run else {
                return Err(Error::logical("A merge ran out of rows"));
            };
            let source = usize::from(*part);
            let cursor = &mut cursors[source];
            if cursor.taken == cursor.current.len() {
                cursor.load()?;
                slots[source] = None;
            }
            let slot = *slots[source].get_or_insert_with(|| {
                columns.push(cursor.current.clone());
                columns.len() - 1
            });
            let take = missing.min(*len as usize).min(cursor.current.len() - cursor.taken);
            places.push(Run { column: slot, start: cursor.taken, len: take });
            cursor.taken += take;
            missing -= take;
            *len -= take as u32;
            if *len == 0 {
                run = runs.next();
            }
        }
        let column = interleave(&columns, &places);
        events::add(Event::MergedUncompressedBytes, stats::raw_bytes(&column));
        push(&column)?;
    }
    Ok(())
}
