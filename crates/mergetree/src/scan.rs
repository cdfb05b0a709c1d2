//! A scan: a source of the rows of one version of a table.
//!
//! 1. When the pipeline starts, granules that cannot match are skipped ([`crate::prune`]). The
//!    others are grouped into morsels, which workers take one by one.
//! 2. For each granule, the runtime bounds are tested again. The predicate then fetches the columns
//!    of one conjunct after the other and stops when no row is left; other columns are read only
//!    for rows that passed.
//! 3. Rows that passed are compacted; small results of one morsel are combined.
//!
//! [`merged`] produces rows in key order, or merged by key (FINAL).
//!
//! Invariants: chunks are dense and never span parts; a column is read at most once per granule.

mod after_final;
mod explained;
pub(crate) mod fetched;
mod merged;
pub(crate) mod ranges;
mod reader;
mod runtime_bounds;
mod selected;
mod values;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_expr::ColumnId;
use entasis_pipeline::{QueryContext, Reader, Report, Source};
use entasis_table_api::{IndexReport, ReadEstimate, ScanColumn, ScanSpec};
use entasis_types::Value;

use self::reader::ScanReader;
use self::selected::{PartScan, Selected};
use crate::prune;
use crate::table::TableSnapshot;

/// Most granules of a morsel: enough to read ahead, and few enough to share among workers.
const MORSEL_GRANULES: usize = 8;
/// The number of morsels per worker to aim for, so that workers end at about the same time.
const MORSELS_PER_WORKER: usize = 8;

/// A scan of so few parts, granules and stored bytes is short.
pub(crate) const SHORT_PARTS: usize = 32;
const SHORT_GRANULES: usize = 4;
const SHORT_BYTES: u64 = 1 << 20;

/// A morsel: some of the picked granules of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    part: usize,
    picked: std::ops::Range<usize>,
}

/// The plan of the scan, which is made when the pipeline starts.
struct Prepared {
    selected: Selected,
    tasks: Vec<Task>,
}

/// The state of a scan that its readers share.
pub(crate) struct Scan {
    pinned: TableSnapshot,
    spec: ScanSpec,
    context: QueryContext,
    /// Positions of the output columns in `spec.columns`.
    outputs: Vec<usize>,
    prepared: OnceLock<Result<Prepared>>,
    next: AtomicUsize,
    emitted: AtomicU64,
}

impl Scan {
    pub(crate) fn source(
        pinned: TableSnapshot,
        spec: &ScanSpec,
        context: &QueryContext,
    ) -> Result<Arc<dyn Source>> {
        let place = |id: &ColumnId| {
            spec.columns
                .iter()
                .position(|column| column.id == *id)
                .ok_or_else(|| Error::logical("A scan outputs a column that it does not read"))
        };
        let outputs: Vec<usize> = spec.outputs.iter().map(place).collect::<Result<_>>()?;
        if spec.sorted_prefix > 0 || (spec.final_ && pinned.schema.folds()) {
            return Ok(merged::source(pinned, spec, outputs, context));
        }
        let shared = Arc::new(Self {
            pinned,
            spec: spec.clone(),
            context: context.clone(),
            outputs,
            prepared: OnceLock::new(),
            next: AtomicUsize::new(0),
            emitted: AtomicU64::new(0),
        });
        Ok(Arc::new(ScanSource(shared)))
    }

    /// How much a scan reads, as far as indexes can tell.
    pub(crate) fn estimate(pinned: &TableSnapshot, spec: &ScanSpec) -> Result<ReadEstimate> {
        selected::estimate(pinned, spec)
    }

    /// What each index does for a scan.
    pub(crate) fn index_report(pinned: &TableSnapshot, spec: &ScanSpec) -> Result<IndexReport> {
        explained::report(pinned, spec)
    }

    fn prepared(&self) -> Result<&Prepared> {
        let prepared = self.prepared.get_or_init(|| self.prepare());
        prepared.as_ref().map_err(Error::duplicate)
    }

    fn prepare(&self) -> Result<Prepared> {
        let selected = Selected::new(&self.pinned, &self.spec, &self.context)?;
        let tasks = match self.by_order(&selected.parts)? {
            Some(tasks) => tasks,
            None => in_sequence(&selected.parts, self.context.max_threads),
        };
        events::add(Event::ScanTasks, tasks.len() as u64);
        Ok(Prepared { selected, tasks })
    }

    /// If there is a runtime bound on the first column of the wanted order, orders the granules by
    /// their bounds, so that the runtime bound is tight early and excludes most other granules.
    fn by_order(&self, parts: &[PartScan]) -> Result<Option<Vec<Task>>> {
        let Some((id, order)) = self.spec.order.first() else { return Ok(None) };
        if !self.spec.runtime.iter().any(|f| f.column == *id) {
            return Ok(None);
        }
        // Bounds exist only for whole columns.
        let is_it = |c: &ScanColumn| c.id == *id && c.path.is_whole();
        let Some(place) = self.spec.columns.iter().position(is_it) else { return Ok(None) };
        let mut tasks: Vec<(Value, Task)> = Vec::new();
        for (part, scan) in parts.iter().enumerate() {
            let Some(meta) = scan.columns.meta(place)? else { return Ok(None) };
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

    /// The next morsel and its number; `None` at the end.
    fn next_task(&self, prepared: &Prepared) -> Option<(u64, Task)> {
        if self.has_enough() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Some((number as u64, prepared.tasks.get(number)?.clone()))
    }

    fn has_enough(&self) -> bool {
        let is_full = |limit| self.emitted.load(Ordering::Relaxed) >= limit;
        self.spec.limit.is_some_and(is_full) || self.context.progress.is_over()
    }
}

/// All morsels, in the order of parts and rows.
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
        self.0.prepared().map_or_else(|_| Report::new(), |p| p.selected.report())
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        self.0.prepared()?;
        Ok(Box::new(ScanReader::new(Arc::clone(&self.0))?))
    }

    fn morsels(&self) -> Option<usize> {
        // An error is reported when a reader is created.
        Some(self.0.prepared().map_or(1, |p| p.tasks.len()))
    }

    fn is_short(&self) -> bool {
        let scan = &self.0;
        scan.pinned.version.parts.len() <= SHORT_PARTS
            && scan.spec.runtime.is_empty()
            && scan.prepared().is_ok_and(|prepared| {
                let (granules, bytes) = prepared.selected.size();
                granules <= SHORT_GRANULES && bytes <= SHORT_BYTES
            })
    }
}
