//! Selects what a scan reads: the parts, and their granules that may hold passing rows.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Predicate};
use entasis_pipeline::{QueryContext, Report};
use entasis_table_api::ScanSpec;

use super::values::PartColumns;
use crate::fill::Filler;
use crate::prune::{Picked, Pruner, Skipped, check_keys_used};
use crate::table::TableSnapshot;

/// A part with its picked granules.
pub(super) struct PartScan {
    pub(super) columns: PartColumns,
    pub(super) granules: Vec<Picked>,
}

/// The selected parts of a version, and the filter for their rows.
pub(super) struct Selected {
    pub(super) parts: Vec<PartScan>,
    pub(super) predicate: Predicate,
    /// The number of columns in the parts' lists: those of the scan, followed by those that
    /// defaults read.
    pub(super) width: usize,
    skipped: Skipped,
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
        let mut parts = Vec::with_capacity(version.parts.len());
        let mut skipped = Skipped::default();
        let began = Instant::now();
        events::add(Event::SelectedPartsTotal, version.parts.len() as u64);
        for part in &version.parts {
            let segment = part.segment()?;
            let columns =
                PartColumns::new(Arc::clone(part), &spec.columns, filler.origins(segment)?)?;
            let granules = match &pruner {
                Some(pruner) => pruner.granules(segment, &columns.origins, &mut skipped)?,
                None => (0..segment.granules.len())
                    .map(|g| Picked { granule: g as u32, passes: spec.filter.is_empty() })
                    .collect(),
            };
            let rows = granules.iter().map(|p| u64::from(segment.granules[p.granule as usize]));
            context.progress.add_total(rows.sum());
            count_picked(segment.granules.len(), &granules);
            parts.push(PartScan { columns, granules });
        }
        check_partitions(&parts, pinned, spec)?;
        events::one(Event::IndexAnalysisRounds);
        events::add(Event::MarksSkippedByPartBounds, skipped.by_part);
        events::add(Event::MarksSkippedByPrimaryKey, skipped.by_key);
        events::add(Event::MarksSkippedByBounds, skipped.by_bounds);
        events::elapsed(Event::IndexAnalysisMicroseconds, began);
        Ok(Self { parts, predicate, width: filler.width(), skipped })
    }

    /// Parts and granules before and after each index, for EXPLAIN ANALYZE.
    pub(super) fn report(&self) -> Report {
        let read = self.parts.iter().filter(|p| !p.granules.is_empty()).count();
        let picked: u64 = self.parts.iter().map(|p| p.granules.len() as u64).sum();
        let Skipped { by_part, by_key, by_bounds } = self.skipped;
        vec![
            ("parts", read as u64),
            ("parts_total", self.parts.len() as u64),
            ("granules", picked),
            ("granules_total", picked + by_part + by_key + by_bounds),
            ("skipped_by_part_bounds", by_part),
            ("skipped_by_primary_key", by_key),
            ("skipped_by_granule_bounds", by_bounds),
        ]
    }
}

/// Fails if rows of more partitions are to be read than the query or the table allows.
fn check_partitions(parts: &[PartScan], pinned: &TableSnapshot, spec: &ScanSpec) -> Result<()> {
    let of_table = pinned.schema.config.settings.max_partitions_to_read;
    let most = spec.max_partitions.unwrap_or(of_table);
    if most == 0 {
        return Ok(());
    }
    let read =
        parts.iter().zip(&pinned.version.parts).filter(|(scan, _)| !scan.granules.is_empty());
    let read: HashSet<&str> = read.map(|(_, part)| &*part.summary.partition).collect();
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
