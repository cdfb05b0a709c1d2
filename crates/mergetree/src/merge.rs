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
mod expired;
pub(crate) mod fold;
pub(crate) mod folded;
pub(crate) mod graphite;
mod grouped;
pub(crate) mod keys;
pub(crate) mod order;
mod recompress;
mod rehearse;
mod select;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use entasis_base::events::gauge::{self, Gauge};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes, message};
use entasis_column::Column;
use entasis_table_api::{MergeRequest, WorkLock};

use self::at_work::MergeReason;
use self::columns::MergedColumn;
use self::fold::Purpose;
use self::folded::{Folding, RowRules};
use self::keys::merge_keys;
use crate::in_memory::placed;
use crate::index::build::IndexWriter;
use crate::layers::Layers;
use crate::log::Origin;
use crate::log::record::{Op, PartSummary};
use crate::log::state::TableState;
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::projection::{self, Projection};
use crate::schema::SchemaVersion;
use crate::segment::SegmentInfo;
use crate::table::TableCore;

/// Most rows of a merged part. The limit exists because the runs are kept in memory.
const MAX_ROWS: u64 = 1 << 31;

/// Where the result of a merge is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File,
    Memory,
}

/// Called between granules; `false` stops the merge.
type GoOn<'a> = &'a dyn Fn() -> bool;

impl TableCore {
    /// Merges the parts that are most worth merging; `false` if none are. Fails with ABORTED if
    /// `go_on` says stop.
    pub(crate) fn merge_once(
        self: &Arc<Self>,
        request: &MergeRequest,
        eager: bool,
        go_on: GoOn,
    ) -> Result<bool> {
        let held = match eager {
            true => Ok(self.hold_parts(&mut || go_on_or_stop(go_on))?),
            // Whoever works on the table now wakes the merger at the end.
            false => match WorkLock::try_hold(&self.merging) {
                None => return Ok(false),
                Some(held) => Err(held),
            },
        };
        if !go_on() {
            return Err(stopped());
        }
        let (schema, version) = self.pin();
        if let Ok(held) = &held {
            held.only(&version.parts);
        }
        let most = schema.config.settings.max_bytes_to_merge;
        let Some(chosen) =
            select::choose(of_request(&version.parts, request), most, MAX_ROWS, eager)
        else {
            let rules = self.rules(&schema, request);
            let Some(expired) = self.expired_part(&schema, &rules, &version.parts, go_on)? else {
                return Ok(false);
            };
            let part = Arc::clone(&version.parts[expired]);
            let rules = RowRules { reason: MergeReason::Expired, ..rules };
            drop(version);
            self.merge(&schema, &rules, &[part], Place::File, go_on)?;
            return Ok(true);
        };
        let parts: Vec<Arc<Part>> =
            of_request(&version.parts, request)[chosen].iter().map(Arc::clone).collect();
        drop(version);
        let rules = RowRules { purpose: Purpose::Write, ..self.rules(&schema, request) };
        self.merge(&schema, &rules, &parts, Place::File, go_on)?;
        Ok(true)
    }

    /// Merges every partition of the request into one part. A single part is written again if it
    /// lacks a column or has overlays, or if rows could disappear. Fails with ABORTED if `go_on`
    /// says stop.
    pub(crate) fn merge_all(self: &Arc<Self>, request: &MergeRequest, go_on: GoOn) -> Result<()> {
        let held = self.hold_parts(&mut || go_on_or_stop(go_on))?;
        let (schema, version) = self.pin();
        held.only(&version.parts);
        let rules = self.rules(&schema, request);
        let drops = rules.may_change_all();
        let parts = of_request(&version.parts, request);
        for parts in parts.chunk_by(|a, b| a.summary.partition == b.summary.partition) {
            if !go_on() {
                return Err(stopped());
            }
            if parts.len() > 1
                || drops
                || !parts[0].summary.overlays.is_empty()
                || rules.merging.is_some() && parts[0].summary.level == 0
                || schema.may_be_lacking() && is_lacking(&schema, &parts[0])
            {
                self.merge(&schema, &rules, parts, Place::File, go_on)?;
            }
        }
        Ok(())
    }

    /// What merges of this table do with rows, when a request asks for them.
    pub(crate) fn rules(&self, schema: &SchemaVersion, request: &MergeRequest) -> RowRules {
        let expiry = schema.config.expiry.clone();
        let expiry = expiry.filter(|_| !self.parts.ttl_stopped.load(Ordering::Relaxed));
        let (now, merging) = (self.core.now(), schema.config.merging.as_ref());
        let merging = merging.filter(|_| schema.folds());
        RowRules {
            expiry: expiry.map(|expiry| (expiry, now)),
            merging: merging.map(|merging| merging.at(now)),
            purpose: if request.cleanup { Purpose::Cleanup } else { Purpose::Write },
            distinct: request.distinct.as_deref().map(Arc::from),
            reason: MergeReason::Regular,
        }
    }

    /// Rewrites single parts. The caller holds the table's work lock.
    pub(crate) fn rewrite_parts(
        self: &Arc<Self>,
        is_meant: &dyn Fn(&PartSummary) -> bool,
        go_on: GoOn,
    ) -> Result<()> {
        let (schema, version) = self.pin();
        for part in version.parts.iter().filter(|part| is_meant(&part.summary)) {
            let rules = self.rules(&schema, &MergeRequest::default());
            self.merge(&schema, &rules, std::slice::from_ref(part), Place::File, go_on)?;
        }
        Ok(())
    }

    /// Merges the given parts of one partition, which are in insert order.
    pub(crate) fn merge(
        self: &Arc<Self>,
        schema: &SchemaVersion,
        rules: &RowRules,
        parts: &[Arc<Part>],
        place: Place,
        go_on: GoOn,
    ) -> Result<()> {
        let began = Instant::now();
        let _running = gauge::hold(Gauge::Merge);
        events::one(Event::Merge);
        events::add(Event::MergeSourceParts, parts.len() as u64);
        let listed = self.core.merges.enter(self.id(), parts, schema.stored.len(), rules.reason);
        let mut unfinished = Unfinished::new(self);
        let (file, path) = placed(self.new_segment(), place, &mut unfinished);
        let count = &|| listed.merge.column();
        let with = (self, schema, rules);
        let merged = write_merged(with, parts, path.as_deref(), count, go_on)?;
        let mut summary = merged.map(|part| PartSummary { file, ..part });
        if let Some(part) = &mut summary {
            count_merged(part.rows, schema.stored.len(), part.bytes);
        }
        if let Some(part) = &mut summary {
            let to = (place, &mut unfinished);
            self.add_companions((schema, rules), parts, part, to, go_on)?;
        }
        if place == Place::File {
            self.core.disk.sync_dir(&self.parts.dir.path)?;
        }
        let table = self.id();
        events::add(Event::MergeExecuteMilliseconds, began.elapsed().as_millis() as u64);
        let origin = Origin { reason: rules.reason, ..Origin::since(began) };
        let committed = self.core.commit_of(origin, |state| {
            self.check_writer(schema)?;
            check_unmoved(state.table(table)?, parts)?;
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
                // Or an ALTER has changed a type, and the parts are merged later.
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

impl TableCore {
    /// Writes the indices and projections of a merged part.
    fn add_companions(
        self: &Arc<Self>,
        (schema, rules): (&SchemaVersion, &RowRules),
        parts: &[Arc<Part>],
        merged: &mut PartSummary,
        (place, unfinished): (Place, &mut Unfinished),
        go_on: GoOn,
    ) -> Result<()> {
        let with = (self, schema, rules);
        let to = (place, &mut *unfinished);
        merged.companions = projection::build::of_merge(with, parts, merged, to, go_on)?;
        if schema.config.settings.index_on_merge {
            IndexWriter { table: self, schema, unfinished, place }.add_to(merged, &|_| true)?;
        }
        Ok(())
    }
}

/// The parts that a request is about, in the version's order.
fn of_request<'a>(parts: &'a [Arc<Part>], request: &MergeRequest) -> &'a [Arc<Part>] {
    let Some(partition) = &request.partition else { return parts };
    let mut groups = parts.chunk_by(|a, b| a.summary.partition == b.summary.partition);
    groups.find(|group| group[0].summary.partition == *partition).unwrap_or_default()
}

/// Whether a part lacks a column or has one with an older type; `false` if it cannot be read.
fn is_lacking(schema: &SchemaVersion, part: &Part) -> bool {
    part.layers()
        .is_ok_and(|layers| schema.lacking(layers).next().is_some() || schema.converts(layers))
}

/// Fails if one of the parts is not where it was: a part that was detached and attached again has
/// come after others, and rows of equal keys are folded in that order.
fn check_unmoved(known: &TableState, parts: &[Arc<Part>]) -> Result<()> {
    let is_there = |part: &Arc<Part>| {
        let now = known.parts.get(&part.summary.file);
        now.is_some_and(|now| now.min_block == part.summary.min_block)
    };
    if parts.iter().all(is_there) {
        return Ok(());
    }
    Err(Error::new(codes::ABORTED, "A part was removed or attached anew while it was merged"))
}

fn go_on_or_stop(go_on: GoOn) -> Result<()> {
    if go_on() { Ok(()) } else { Err(stopped()) }
}

#[cold]
fn stopped() -> Error {
    events::one(Event::MergesStopped);
    Error::new(codes::ABORTED, "A merge was stopped: SYSTEM START MERGES lets them run again")
}

fn count_merged(rows: u64, columns: usize, bytes: u64) {
    events::add(Event::MergedRows, rows);
    events::add(Event::MergedColumns, columns as u64);
    events::add(Event::MergeWrittenRows, rows);
    events::add(Event::MergeWrittenBytes, bytes);
}

fn layers_of(parts: &[Arc<Part>]) -> Result<Vec<Arc<Layers>>> {
    parts.iter().map(|p| p.layers().cloned()).collect()
}

/// Merges the files of a projection, which are parts of the projection's table, into a companion.
pub(crate) fn merge_projection(
    table: &Arc<TableCore>,
    projection: &Projection,
    parts: &[Arc<Part>],
    (place, unfinished): (Place, &mut Unfinished),
    go_on: GoOn,
) -> Result<Option<PartSummary>> {
    let (file, path) = placed(table.new_companion(), place, unfinished);
    let rules = table.rules(&projection.schema, &MergeRequest::default());
    let with = (table, &*projection.schema, &rules);
    let merged = write_merged(with, parts, path.as_deref(), &|| (), go_on)?;
    Ok(merged.map(|part| PartSummary { file, ..part }))
}

/// Writes the merged part to a file, which the summary does not name; `None` if no row is left.
fn write_merged(
    (table, schema, rules): (&Arc<TableCore>, &SchemaVersion, &RowRules),
    parts: &[Arc<Part>],
    path: Option<&str>,
    count: &dyn Fn(),
    go_on: GoOn,
) -> Result<Option<PartSummary>> {
    if rules.drop_all(schema, parts)? {
        return Ok(None);
    }
    let segments = layers_of(parts)?;
    let codec = recompress::codec(schema, rules, parts)?;
    let granule_rows = granule_rows(schema, &segments);
    let unique: Vec<bool> = parts.iter().map(|part| schema.holds_no_key_twice(part)).collect();
    let unique = (!rules.keep_all()).then_some(&unique[..]);
    let merged = merge_keys(schema, &segments, granule_rows, unique, go_on)?;
    let folding = Folding::plan(schema, rules, &segments, &merged, granule_rows, go_on)?;
    let (granules, index) = match &folding {
        Some(folding) => (&folding.granules, &folding.index),
        None => (&merged.granules, &merged.index),
    };
    let rows: u64 = granules.iter().map(|&g| u64::from(g)).sum();
    if rows == 0 {
        return Ok(None);
    }
    let specs = &*recompress::specs(schema, codec.as_deref());
    let mut writer = table.segment_writer(path, specs, (rows as usize, true))?;
    for i in 0..specs.len() {
        let push = &mut |values: &Column| writer.push(i, values);
        match &folding {
            Some(folding) => folding.write((schema, &segments, &merged), i, go_on, push)?,
            None => MergedColumn::open(schema, &segments, i, &merged.runs)?
                .write(granules, go_on, push)?,
        }
        writer.close(i)?;
        count();
    }
    let created = table.core.now();
    let level = parts.iter().map(|p| p.summary.level).max().unwrap_or(0) + 1;
    let info = SegmentInfo {
        index: schema.primary_types().into_iter().zip(index.clone()).collect(),
        index_ciphers: schema.key_ciphers(specs),
        sorting_key: schema.config.sorting_key.clone(),
        partition_key: schema.config.partition_key.clone(),
        schema_version: schema.columns.version(),
        created,
        level,
        codec,
        granules: granules.clone(),
    };
    let finished = writer.finish(info)?;
    let first = &parts[0].summary;
    Ok(Some(PartSummary {
        file: String::new(),
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
        mutation: parts.iter().map(|p| p.summary.mutation).max().unwrap_or(0),
        overlays: Vec::new(),
        companions: Vec::new(),
        content: finished.content,
    }))
}

/// Rows per granule of the result: as many as the settings say, unless a source part had to use
/// smaller granules because its rows are wide.
fn granule_rows(schema: &SchemaVersion, segments: &[Arc<Layers>]) -> usize {
    let most = schema.config.settings.index_granularity.max(1);
    let inner = segments.iter().flat_map(|s| s.base.granules.iter().rev().skip(1));
    inner.map(|&rows| rows as usize).min().unwrap_or(most).clamp(1, most)
}
