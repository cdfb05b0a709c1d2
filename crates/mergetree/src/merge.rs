//! Merges: several sorted parts of a partition become one.
//!
//! 1. The key columns of all parts are merged first, granule by granule. The result is a list of
//!    runs: which part the next rows come from.
//! 2. Every column is then assembled by these runs, one column after the other, so that memory
//!    holds one granule per part, the runs, and the encoded bytes of one column.
//! 3. One record adds the new part and removes the old ones.
//!
//! If rows with equal keys become one ([`fold`]), columns are folded while they are assembled
//! ([`folded`]). The new part then has fewer rows; if no row is left, no part is written.
//!
//! The parts are chosen as by the reference's simple selector: neighbours in insert order that have
//! a similar size.

pub(crate) mod at_work;
mod columns;
pub(crate) mod fold;
mod folded;
pub(crate) mod keys;
pub(crate) mod order;
mod select;

use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::gauge::{self, Gauge};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes, message};
use entasis_column::Column;

use self::at_work::MergeAtWork;
use self::columns::MergedColumn;
use self::keys::merge_keys;
use crate::insert::empty_summary;
use crate::log::record::{Op, PartSummary};
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::schema::SchemaVersion;
use crate::segment::{Segment, SegmentInfo, SegmentWriter};
use crate::table::TableCore;

/// Most rows of a merged part. The limit exists because the runs are kept in memory.
const MAX_ROWS: u64 = 1 << 31;

/// Called between granules; `false` stops the merge.
type GoOn<'a> = &'a dyn Fn() -> bool;

impl TableCore {
    /// Merges the parts that are most worth merging; `false` if none are. Fails with ABORTED if
    /// `go_on` says stop.
    pub(crate) fn merge_once(self: &Arc<Self>, eager: bool, go_on: GoOn) -> Result<bool> {
        let _one = self.lock_merges();
        if !go_on() {
            return Err(stopped());
        }
        let (schema, version) = self.pin();
        let most = schema.config.settings.max_bytes_to_merge;
        let Some(chosen) = select::choose(&version.parts, most, MAX_ROWS, eager) else {
            return Ok(false);
        };
        let parts: Vec<Arc<Part>> = version.parts[chosen].iter().map(Arc::clone).collect();
        drop(version);
        self.merge(&schema, &parts, go_on)?;
        Ok(true)
    }

    /// Merges every partition into one part, and rewrites single parts that lack a column. Fails
    /// with ABORTED if `go_on` says stop.
    pub(crate) fn merge_all(self: &Arc<Self>, go_on: GoOn) -> Result<()> {
        let _one = self.lock_merges();
        let (schema, version) = self.pin();
        let partitions = version.parts.chunk_by(|a, b| a.summary.partition == b.summary.partition);
        for parts in partitions {
            if !go_on() {
                return Err(stopped());
            }
            if parts.len() > 1 || schema.may_be_lacking() && is_lacking(&schema, &parts[0]) {
                self.merge(&schema, parts, go_on)?;
            }
        }
        Ok(())
    }

    /// Merges the given parts of one partition, which are in insert order.
    fn merge(
        self: &Arc<Self>,
        schema: &SchemaVersion,
        parts: &[Arc<Part>],
        go_on: GoOn,
    ) -> Result<()> {
        let began = Instant::now();
        let _running = gauge::hold(Gauge::Merge);
        events::one(Event::Merge);
        events::add(Event::MergeSourceParts, parts.len() as u64);
        let listed = self.core.merges.enter(self.id(), parts, schema.stored.len());
        let mut unfinished = Unfinished::new(self);
        let summary = write_merged((self, schema), parts, &mut unfinished, &listed.merge, go_on)?;
        self.core.disk.sync_dir(&self.parts.dir.path)?;
        let table = self.id();
        events::add(Event::MergeExecuteMilliseconds, began.elapsed().as_millis() as u64);
        let committed = self.core.commit(began, |_| {
            let mut ops: Vec<Op> = parts
                .iter()
                .map(|p| Op::RemovePart { table, file: p.summary.file.clone() })
                .collect();
            ops.extend(summary.map(|part| Op::AddPart { table, part }));
            Ok(ops)
        });
        match committed {
            Err(e) if !e.unknown => {
                // A source part was truncated or dropped meanwhile, so there is nothing to merge.
                if [codes::ABORTED, codes::TABLE_IS_DROPPED].contains(&e.error.code()) {
                    return Ok(());
                }
                Err(e.error)
            }
            other => {
                unfinished.take();
                let millis = began.elapsed().as_millis() as u64;
                events::add(Event::MergeTotalMilliseconds, millis);
                let (of, into) = (parts.len(), &listed.merge.result);
                message!(Debug, "MergeTree", "Merged {} parts into {} in {} ms", of, into, millis);
                other.map_err(Error::from)
            }
        }
    }
}

/// Whether a part lacks a column; `false` if it cannot be read.
fn is_lacking(schema: &SchemaVersion, part: &Part) -> bool {
    part.segment().is_ok_and(|segment| schema.lacking(segment).next().is_some())
}

#[cold]
fn stopped() -> Error {
    events::one(Event::MergesStopped);
    Error::new(codes::ABORTED, "A merge was stopped: SYSTEM START MERGES lets them run again")
}

/// Writes the merged part; `None` if no row is left.
fn write_merged(
    (table, schema): (&Arc<TableCore>, &SchemaVersion),
    parts: &[Arc<Part>],
    unfinished: &mut Unfinished,
    at_work: &MergeAtWork,
    go_on: GoOn,
) -> Result<Option<PartSummary>> {
    let segments: Vec<Arc<Segment>> =
        parts.iter().map(|p| p.segment().cloned()).collect::<Result<_>>()?;
    let granule_rows = granule_rows(schema, &segments);
    let merged = merge_keys(schema, &segments, granule_rows, go_on)?;
    let folding = match &schema.config.merging {
        Some(merging) if !merged.starts.is_empty() => {
            Some(folded::Folding::plan(schema, merging, &segments, &merged, granule_rows, go_on)?)
        }
        _ => None,
    };
    let (granules, index) = match &folding {
        Some(folding) => (&folding.granules, &folding.index),
        None => (&merged.granules, &merged.index),
    };
    let rows: u64 = granules.iter().map(|&g| u64::from(g)).sum();
    if rows == 0 {
        return Ok(None);
    }
    let specs = &schema.stored;
    let (file, path) = table.new_segment();
    unfinished.add(PartSummary { file: file.clone(), ..empty_summary() });
    let mut writer = SegmentWriter::create(&*table.core.disk, &path, specs, rows as usize, true)?;
    for i in 0..specs.len() {
        let mut column = MergedColumn::open(schema, &segments, i, &merged.runs)?;
        let push = &mut |values: &Column| writer.push(i, values);
        match &folding {
            Some(folding) => folding.write(i, &mut column, go_on, push)?,
            None => column.write(granules, go_on, push)?,
        }
        writer.close(i)?;
        at_work.column();
    }
    let created = table.core.now();
    let level = parts.iter().map(|p| p.summary.level).max().unwrap_or(0) + 1;
    let info = SegmentInfo {
        index: schema.primary_types().into_iter().zip(index.clone()).collect(),
        sorting_key: schema.config.sorting_key.clone(),
        partition_key: schema.config.partition_key.clone(),
        schema_version: schema.columns.version(),
        created,
        level,
        granules: granules.clone(),
    };
    let finished = writer.finish(info)?;
    events::add(Event::MergedRows, rows);
    events::add(Event::MergedColumns, specs.len() as u64);
    events::add(Event::MergeWrittenRows, rows);
    events::add(Event::MergeWrittenBytes, finished.bytes);
    let first = &parts[0].summary;
    Ok(Some(PartSummary {
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
        granules: granules.len() as u64,
    }))
}

/// Rows per granule of the result: as many as the settings say, unless a source part had to use
/// smaller granules because its rows are wide.
fn granule_rows(schema: &SchemaVersion, segments: &[Arc<Segment>]) -> usize {
    let most = schema.config.settings.index_granularity.max(1);
    let inner = segments.iter().flat_map(|s| s.granules.iter().rev().skip(1));
    inner.map(|&rows| rows as usize).min().unwrap_or(most).clamp(1, most)
}
