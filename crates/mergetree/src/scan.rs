//! A scan: a source of one version's rows.
//!
//! 1. When the pipeline starts: granules that cannot match are left out ([`crate::prune`]), the
//!    others are grouped into morsels that workers take one by one.
//! 2. Per granule: runtime bounds are asked again; the predicate fetches the columns of a conjunct
//!    one after the other and stops when no row is left; other columns are read only then.
//! 3. Rows that passed are compacted; small results of one morsel are put together.
//!
//! Rows in key order, or merged by key (FINAL), come from [`merged`].
//!
//! Invariants: chunks are dense and never span parts; a column is read at most once per granule.

mod merged;
mod ranges;
mod reader;
mod values;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_expr::{ColumnId, Predicate};
use entasis_pipeline::{QueryContext, Reader, Report, Source};
use entasis_table::ScanSpec;
use entasis_types::Value;

use self::reader::ScanReader;
use self::values::PartColumns;
use crate::prune::{self, Picked, Pruner, Skipped};
use crate::store::Version;
use crate::table::TableCore;

/// Most granules of a morsel: long enough to read ahead, short enough to share among workers.
const MORSEL_GRANULES: usize = 8;
/// Morsels per worker that are wanted.
const MORSELS_PER_WORKER: usize = 8;

/// A part as this scan sees it.
struct PartScan {
    columns: PartColumns,
    granules: Vec<Picked>,
}

/// A piece of work: some of the picked granules of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    part: usize,
    picked: std::ops::Range<usize>,
}

/// What is known once the pipeline starts.
struct Prepared {
    parts: Vec<PartScan>,
    tasks: Vec<Task>,
    predicate: Predicate,
    skipped: Skipped,
}

/// The scan, shared by its readers.
pub(crate) struct Scan {
    table: Arc<TableCore>,
    version: Arc<Version>,
    spec: ScanSpec,
    context: QueryContext,
    /// Positions of the outputs in `spec.columns`.
    outputs: Vec<usize>,
    prepared: OnceLock<Result<Prepared>>,
    next: AtomicUsize,
    emitted: AtomicU64,
}

impl Scan {
    pub(crate) fn source(
        table: Arc<TableCore>,
        version: Arc<Version>,
        spec: &ScanSpec,
        context: &QueryContext,
    ) -> Result<Arc<dyn Source>> {
        let place = |id: &ColumnId| {
            spec.columns
                .iter()
                .position(|(c, _)| c == id)
                .ok_or_else(|| Error::logical("A scan outputs a column that it does not read"))
        };
        let outputs: Vec<usize> = spec.outputs.iter().map(place).collect::<Result<_>>()?;
        if spec.in_order > 0 || (spec.merged && table.folds()) {
            return Ok(merged::source(table, version, spec, outputs, context));
        }
        let shared = Arc::new(Self {
            table,
            version,
            spec: spec.clone(),
            context: context.clone(),
            outputs,
            prepared: OnceLock::new(),
            next: AtomicUsize::new(0),
            emitted: AtomicU64::new(0),
        });
        Ok(Arc::new(ScanSource(shared)))
    }

    fn prepared(&self) -> Result<&Prepared> {
        let prepared = self.prepared.get_or_init(|| self.prepare());
        prepared.as_ref().map_err(Error::duplicate)
    }

    fn prepare(&self) -> Result<Prepared> {
        let (parts, predicate, skipped) =
            pick(&self.table, &self.version, &self.spec, &self.context)?;
        let tasks = match self.by_order(&parts)? {
            Some(tasks) => tasks,
            None => in_sequence(&parts, self.context.max_threads),
        };
        events::add(Event::ScanTasks, tasks.len() as u64);
        Ok(Prepared { parts, tasks, predicate, skipped })
    }

    /// With a runtime bound on the first column of the wanted order: granules whose bounds come
    /// first, so that the bound is tight early and leaves out most of the others.
    fn by_order(&self, parts: &[PartScan]) -> Result<Option<Vec<Task>>> {
        let Some((id, order)) = self.spec.order.first() else { return Ok(None) };
        if !self.spec.runtime.iter().any(|f| f.column == *id) {
            return Ok(None);
        }
        let Some(place) = self.spec.columns.iter().position(|(c, _)| c == id) else {
            return Ok(None);
        };
        let mut tasks: Vec<(Value, Task)> = Vec::new();
        for (part, scan) in parts.iter().enumerate() {
            let Some(column) = scan.columns.places[place] else { return Ok(None) };
            let meta = scan.columns.segment.meta(column)?;
            for (i, picked) in scan.granules.iter().enumerate() {
                let bounds = prune::granule_bounds(meta, picked.granule as usize);
                let Some((min, max, false)) = bounds else { return Ok(None) };
                let first = if order.descending { max } else { min };
                tasks.push((first, Task { part, picked: i..i + 1 }));
            }
        }
        tasks.sort_by(|(a, _), (b, _)| {
            let natural = match (a, b) {
                (Value::String(a), Value::String(b)) => a.cmp(b),
                _ => a.compare_numbers(b).unwrap_or(std::cmp::Ordering::Equal),
            };
            if order.descending { natural.reverse() } else { natural }
        });
        Ok(Some(tasks.into_iter().map(|(_, task)| task).collect()))
    }

    /// The next piece of work and its number.
    fn next_task(&self, prepared: &Prepared) -> Option<(u64, Task)> {
        if self.has_enough() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Some((number as u64, prepared.tasks.get(number)?.clone()))
    }

    fn has_enough(&self) -> bool {
        self.spec.limit.is_some_and(|limit| self.emitted.load(Ordering::Relaxed) >= limit)
    }
}

/// The parts with the granules that may hold rows of the scan, and its filter.
fn pick(
    table: &TableCore,
    version: &Version,
    spec: &ScanSpec,
    context: &QueryContext,
) -> Result<(Vec<PartScan>, Predicate, Skipped)> {
    let ids: Vec<ColumnId> = spec.columns.iter().map(|(id, _)| *id).collect();
    let predicate = Predicate::new(&spec.filter, &ids)?;
    let pruner = Pruner::new(spec, &table.config);
    let mut parts = Vec::with_capacity(version.parts.len());
    let mut skipped = Skipped::default();
    let began = Instant::now();
    events::add(Event::SelectedPartsTotal, version.parts.len() as u64);
    for part in &version.parts {
        let segment = part.segment()?;
        let columns = PartColumns::new(Arc::clone(part), spec, &table.config)?;
        let granules = match &pruner {
            Some(pruner) => pruner.granules(segment, &columns.places, &mut skipped)?,
            None => (0..segment.granules.len())
                .map(|g| Picked { granule: g as u32, passes: spec.filter.is_empty() })
                .collect(),
        };
        let rows = granules.iter().map(|p| u64::from(segment.granules[p.granule as usize]));
        context.progress.add_total(rows.sum());
        count_picked(segment.granules.len(), &granules);
        parts.push(PartScan { columns, granules });
    }
    events::one(Event::IndexAnalysisRounds);
    events::add(Event::MarksSkippedByPartBounds, skipped.by_part);
    events::add(Event::MarksSkippedByPrimaryKey, skipped.by_key);
    events::add(Event::MarksSkippedByBounds, skipped.by_bounds);
    events::elapsed(Event::IndexAnalysisMicroseconds, began);
    Ok((parts, predicate, skipped))
}

/// Counts what is to be read of a part, in the reference's words: marks are granules.
fn count_picked(total: usize, picked: &[Picked]) {
    events::add(Event::SelectedMarksTotal, total as u64);
    events::add(Event::SelectedMarks, picked.len() as u64);
    if picked.is_empty() {
        return;
    }
    let ranges = picked.chunk_by(|a, b| a.granule + 1 == b.granule).count();
    events::one(Event::SelectedParts);
    events::add(Event::SelectedRanges, ranges as u64);
    let sure = picked.iter().filter(|p| p.passes).count();
    events::add(Event::GranulesPassingWhole, sure as u64);
}

/// Morsels in the order of parts and rows.
fn in_sequence(parts: &[PartScan], workers: usize) -> Vec<Task> {
    let total: usize = parts.iter().map(|p| p.granules.len()).sum();
    let size = (total / (workers.max(1) * MORSELS_PER_WORKER)).clamp(1, MORSEL_GRANULES);
    let mut tasks = Vec::with_capacity(total / size + parts.len());
    for (part, scan) in parts.iter().enumerate() {
        let count = scan.granules.len();
        let starts = (0..count).step_by(size);
        tasks.extend(starts.map(|at| Task { part, picked: at..(at + size).min(count) }));
    }
    tasks
}

struct ScanSource(Arc<Scan>);

impl Source for ScanSource {
    fn name(&self) -> String {
        "MergeTree".into()
    }

    fn report(&self) -> Report {
        let Ok(prepared) = self.0.prepared() else { return Report::new() };
        let read = prepared.parts.iter().filter(|p| !p.granules.is_empty()).count();
        let picked: u64 = prepared.parts.iter().map(|p| p.granules.len() as u64).sum();
        let Skipped { by_part, by_key, by_bounds } = prepared.skipped;
        vec![
            ("parts", read as u64),
            ("parts_total", prepared.parts.len() as u64),
            ("granules", picked),
            ("granules_total", picked + by_part + by_key + by_bounds),
            ("skipped_by_part_bounds", by_part),
            ("skipped_by_primary_key", by_key),
            ("skipped_by_granule_bounds", by_bounds),
        ]
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        self.0.prepared()?;
        Ok(Box::new(ScanReader::new(Arc::clone(&self.0))?))
    }

    fn morsels(&self) -> Option<usize> {
        // An error shows when a reader is asked for.
        Some(self.0.prepared().map_or(1, |p| p.tasks.len()))
    }
}
