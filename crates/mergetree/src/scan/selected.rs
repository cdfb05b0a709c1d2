//! Selects what a scan reads: the parts, and their granules that may hold passing rows.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_expr::{ColumnId, Predicate};
use entasis_pipeline::{QueryContext, Report};
use entasis_table_api::{ReadEstimate, ScanSpec};

use super::after_final;
use super::values::PartColumns;
use crate::fill::Filler;
use crate::index::{IndexScan, RowSelection, check_forced};
use crate::layers::Layers;
use crate::part::Part;
use crate::part_columns::PartFacts;
use crate::prune::{PartitionPruner, Picked, Pruner, Skipped, check_keys_used};
use crate::table::TableSnapshot;

/// A part with its picked granules.
pub(super) struct PartScan {
    pub(super) part: Arc<Part>,
    pub(super) columns: PartColumns,
    pub(super) granules: Vec<Picked>,
    /// The rows that may pass, if an index knows them.
    pub(super) rows: Option<RowSelection>,
}

impl PartScan {
    /// Counts what is read of the part, also as the statement's progress.
    fn count(&self, context: &QueryContext) {
        let all = &self.columns.layers.base.granules;
        let rows = self.granules.iter().map(|picked| u64::from(all[picked.granule as usize]));
        context.progress.add_total(rows.sum());
        count_picked(all.len(), &self.granules);
    }

    /// The rows of a granule that pass: `granule` is its number, and how many rows it has.
    pub(super) fn mask(
        &self,
        predicate: &mut Predicate,
        (granule, rows): (usize, usize),
        fetch: &mut dyn FnMut(usize) -> Result<Column>,
    ) -> Result<Mask> {
        match &self.rows {
            Some(known) => predicate.mask_among(known.mask(granule, rows), &known.decided, fetch),
            None => predicate.mask_with(rows, fetch),
        }
    }
}

/// The selected parts of a version, and the filter for their rows.
pub(super) struct Selected {
    /// The parts of all partitions that may have passing rows, in the version's order.
    pub(super) parts: Vec<PartScan>,
    /// The number of parts of the version.
    total: usize,
    pub(super) predicate: Predicate,
    /// The number of columns in the parts' lists: those of the scan, followed by those that
    /// defaults read.
    pub(super) width: usize,
    skipped: Skipped,
    indices: Option<IndexScan>,
    /// How many granules were skipped for such conditions.
    skipped_in_final: u64,
}

impl Selected {
    /// Tests every part against the indexes, and adds the rows to be read to the statement's
    /// progress.
    pub(super) fn new(
        pinned: &TableSnapshot,
        spec: &ScanSpec,
        context: &QueryContext,
    ) -> Result<Self> {
        let ids: Vec<ColumnId> = spec.columns.iter().map(|column| column.id).collect();
        let predicate = Predicate::new(&spec.filter, &ids)?;
        let version = &pinned.version;
        let pruner = Pruner::new(spec, &pinned.schema.config);
        if !version.parts.is_empty() {
            check_keys_used(spec, &pinned.schema.config)?;
        }
        let mut filler = Filler::of_scan(&pinned.schema, &spec.columns)?;
        let mut indices = IndexScan::new(&pinned.schema, spec)?;
        let (mut parts, mut skipped) = (Vec::new(), Skipped::default());
        let began = Instant::now();
        events::add(Event::SelectedPartsTotal, version.parts.len() as u64);
        let mut partitions = PartitionPruner::new(spec, &pinned.schema.config);
        let passing = partitions.as_mut().map(|pruner| pruner.passing(&version.parts));
        let mut starting_offset = 0;
        for (number, part) in version.parts.iter().enumerate() {
            let summary = Arc::clone(&part.summary);
            starting_offset += summary.rows;
            let before = starting_offset - summary.rows;
            if passing.as_ref().is_some_and(|passing| !passing[number]) {
                skipped.by_part += summary.granules;
                events::add(Event::SelectedMarksTotal, summary.granules);
                continue;
            }
            let layers = part.layers()?;
            let segment = &layers.base;
            filler.enter(PartFacts { summary, index: number as u64, starting_offset: before });
            let origins = filler.origins(layers, number)?;
            let columns = PartColumns::new(Arc::clone(part), &spec.columns, origins)?;
            let mut granules: Vec<Picked> = match &pruner {
                Some(pruner) => pruner.granules(segment, &columns.origins, &mut skipped)?,
                None => (0..segment.granules.len())
                    .map(|g| Picked { granule: g as u32, passes: spec.filter.is_empty() })
                    .collect(),
            };
            let rows = match &mut indices {
                Some(indices) => indices.narrow(&pinned.schema, part, layers, &mut granules)?,
                None => None,
            };
            if layers.has_mask() {
                drop_empty(layers, &mut granules)?;
            }
            parts.push(PartScan { part: Arc::clone(part), columns, granules, rows });
        }
        let before = granules_of(&parts);
        let indices_in_final = after_final::narrow(pinned, spec, &mut parts)?;
        let skipped_in_final = before - granules_of(&parts);
        parts.iter().for_each(|part| part.count(context));
        check_partitions(&parts, pinned, spec)?;
        skipped.count();
        check_forced(indices.iter().chain(&indices_in_final), &pinned.schema, spec)?;
        indices.iter().for_each(IndexScan::count);
        events::add(Event::MarksSkippedBySkipIndexes, skipped_in_final);
        events::elapsed(Event::IndexAnalysisMicroseconds, began);
        let (total, width) = (version.parts.len(), filler.width());
        Ok(Self { parts, total, predicate, width, skipped, indices, skipped_in_final })
    }

    /// The number of granules to be read, and about how many bytes they and all their columns have.
    pub(super) fn size(&self) -> (usize, u64) {
        let of_part = |scan: &PartScan| {
            let (picked, all) = (scan.granules.len() as u64, scan.part.summary.granules.max(1));
            scan.part.summary.total_bytes().saturating_mul(picked) / all
        };
        (granules_of(&self.parts) as usize, self.parts.iter().map(of_part).sum())
    }

    /// Parts and granules before and after each index, for EXPLAIN ANALYZE.
    pub(super) fn report(&self) -> Report {
        let read = self.parts.iter().filter(|p| !p.granules.is_empty()).count();
        let picked: u64 = self.parts.iter().map(|p| p.granules.len() as u64).sum();
        let Skipped { by_part, by_key, by_bounds } = self.skipped;
        let reports = self.indices.iter().flat_map(IndexScan::reports);
        let by_indices: u64 = reports.map(|r| r.granules.0 - r.granules.1).sum();
        let by_indices = by_indices + self.skipped_in_final;
        vec![
            ("parts", read as u64),
            ("parts_total", self.total as u64),
            ("granules", picked),
            ("granules_total", picked + by_part + by_key + by_bounds + by_indices),
            ("skipped_by_part_bounds", by_part),
            ("skipped_by_primary_key", by_key),
            ("skipped_by_granule_bounds", by_bounds),
            ("skipped_by_skip_indexes", by_indices),
        ]
    }
}

/// The number of granules that are to be read.
fn granules_of(parts: &[PartScan]) -> u64 {
    parts.iter().map(|part| part.granules.len() as u64).sum()
}

/// How much a scan reads, as far as indexes can tell.
pub(super) fn estimate(pinned: &TableSnapshot, spec: &ScanSpec) -> Result<ReadEstimate> {
    let pruner = Pruner::new(spec, &pinned.schema.config);
    let mut filler = Filler::of_scan(&pinned.schema, &spec.columns)?;
    let mut estimate = ReadEstimate::default();
    let mut starting_offset = 0;
    let mut partitions = PartitionPruner::new(spec, &pinned.schema.config);
    let passing = partitions.as_mut().map(|pruner| pruner.passing(&pinned.version.parts));
    for (number, part) in pinned.version.parts.iter().enumerate() {
        if passing.as_ref().is_some_and(|passing| !passing[number]) {
            starting_offset += part.summary.rows;
            continue;
        }
        let Some(pruner) = &pruner else {
            estimate.granules += part.layers()?.base.granules.len() as u64;
            estimate.rows += part.summary.rows;
            continue;
        };
        let (layers, summary) = (part.layers()?, Arc::clone(&part.summary));
        let (index, rows) = (number as u64, summary.rows);
        filler.enter(PartFacts { summary, index, starting_offset });
        starting_offset += rows;
        let origins = filler.origins(layers, number)?;
        let picked = pruner.granules(&layers.base, &origins, &mut Skipped::default())?;
        estimate.granules += picked.len() as u64;
        let rows = picked.iter().map(|p| u64::from(layers.base.granules[p.granule as usize]));
        estimate.rows += rows.sum::<u64>();
    }
    Ok(estimate)
}

/// Drops the granules without rows that exist.
pub(super) fn drop_empty(layers: &Layers, granules: &mut Vec<Picked>) -> Result<()> {
    let mut kept = Vec::with_capacity(granules.len());
    for picked in granules.iter() {
        if layers.rows(picked.granule as usize)? > 0 {
            kept.push(*picked);
        }
    }
    *granules = kept;
    Ok(())
}

/// Fails if rows of more partitions are to be read than the query or the table allows.
fn check_partitions(parts: &[PartScan], pinned: &TableSnapshot, spec: &ScanSpec) -> Result<()> {
    let of_table = pinned.schema.config.settings.max_partitions_to_read;
    let most = spec.max_partitions.unwrap_or(of_table);
    if most == 0 {
        return Ok(());
    }
    let read = parts.iter().filter(|scan| !scan.granules.is_empty());
    let read: HashSet<&str> = read.map(|scan| &*scan.part.summary.partition).collect();
    if read.len() <= most {
        return Ok(());
    }
    let message = format!(
        "Too many partitions to read. Current {}, max {most}: narrow the query down, or raise \
         max_partitions_to_read",
        read.len()
    );
    Err(Error::new(codes::TOO_MANY_PARTITIONS, message))
}

/// Counts the selected ranges and granules of a part under the reference's names, which call
/// granules marks.
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
