//! What each index of a table does for a scan, one after the other, for EXPLAIN.
//!
//! A scan asks what it can at once. The reference asks the bounds of the columns of the partition
//! key first, then the partition key, the primary key and the skipping indices. People look for
//! these, so the answer is found again in this order. Bounds of other columns are the last entry
//! before the skipping indices, if they leave anything out.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr, KeyCondition, replaced};
use entasis_table_api::{IndexReport, IndexStep, ScanSpec};

use super::after_final;
use super::selected::{PartScan, drop_empty};
use super::values::PartColumns;
use crate::fill::Filler;
use crate::index::IndexScan;
use crate::part_columns::PartFacts;
use crate::partition::key_types;
use crate::prune::{PartitionPruner, Picked, Pruner, Skipped};
use crate::schema::SchemaVersion;
use crate::table::TableSnapshot;

/// The conditions of a scan in the terms of a table's keys.
struct Keys<'a> {
    spec: &'a ScanSpec,
    schema: &'a SchemaVersion,
}

impl Keys<'_> {
    /// An expression over positions of the schema as one over the columns of the scan.
    fn of_scan(&self, expr: &Expr) -> Expr {
        let by_position = |id: ColumnId| {
            let position = Some(id.0 as usize);
            let column = self.spec.columns.iter().find(|c| c.whole_position() == position);
            // An id that no conjunct reads.
            column.map_or(ColumnId(u32::MAX / 2 + id.0), |column| column.id)
        };
        replaced(expr, &mut |expr| match expr {
            Expr::Column { id, ty } => Some(Expr::column(by_position(*id), ty.clone())),
            _ => None,
        })
    }

    fn name(&self, id: ColumnId) -> String {
        let position = match self.spec.column(id) {
            Some(column) => column.position,
            None => id.0.wrapping_sub(u32::MAX / 2) as usize,
        };
        let column = self.schema.config.schema.columns.get(position);
        column.map_or_else(String::new, |column| column.name.to_string())
    }

    fn condition(&self, key: &[Expr]) -> KeyCondition {
        let key: Vec<Expr> = key.iter().map(|expr| self.of_scan(expr)).collect();
        KeyCondition::new(&self.spec.filter, &key, &|id| self.name(id))
    }

    /// An entry with the condition on this key.
    fn step(&self, kind: &'static str, key: &[Expr]) -> IndexStep {
        let condition = self.condition(key);
        let search = match (kind, &condition.text) {
            ("PrimaryKey", Some(_)) if condition.is_range => Some("binary search"),
            ("PrimaryKey", Some(_)) => Some("generic exclusion search"),
            _ => None,
        };
        let text = condition.text.unwrap_or_else(|| "true".to_string());
        let (keys, condition) = (condition.keys, Some(text));
        IndexStep { kind, keys, condition, search, ..IndexStep::default() }
    }

    /// The columns that the partition key reads, in the order of the table, as expressions.
    fn partition_columns(&self) -> Vec<Expr> {
        let positions = SchemaVersion::read_by(self.schema.config.partition_by.as_slice());
        let column = |at: usize| {
            let ty = self.schema.config.schema.columns[at].ty.clone();
            Expr::column(ColumnId(at as u32), ty)
        };
        positions.into_iter().map(column).collect()
    }

    fn partition_elements(&self) -> Vec<Expr> {
        match &self.schema.config.partition_by {
            Some(key @ Expr::Call { args, .. }) if key_types(key).1 => args.to_vec(),
            other => other.iter().cloned().collect(),
        }
    }
}

/// Counts the granules that an index leaves of a part.
fn count(step: &mut IndexStep, before: usize, after: usize) {
    let is_some = |granules: usize| u64::from(granules > 0);
    step.parts = (step.parts.0 + is_some(before), step.parts.1 + is_some(after));
    step.granules = (step.granules.0 + before as u64, step.granules.1 + after as u64);
}

/// What each index does for a scan.
pub(super) fn report(pinned: &TableSnapshot, spec: &ScanSpec) -> Result<IndexReport> {
    let config = &pinned.schema.config;
    let keys = Keys { spec, schema: &pinned.schema };
    let columns = keys.partition_columns();
    let (mut minmax, mut partition) =
        (keys.step("Min-Max", &columns), keys.step("Partition", &keys.partition_elements()));
    let mut primary = keys.step("PrimaryKey", &config.order_by[..config.primary_key_len]);
    let mut bounds = IndexStep { kind: "Bounds", ..IndexStep::default() };
    let of_partition: Vec<ColumnId> =
        columns.iter().map(|column| keys.of_scan(column)).filter_map(column_id).collect();
    let pruner = Pruner::new(spec, config);
    let parts = &pinned.version.parts;
    let passing = PartitionPruner::new(spec, config).map(|mut pruner| pruner.passing(parts));
    let mut indices = IndexScan::new(&pinned.schema, spec)?;
    let mut filler = Filler::of_scan(&pinned.schema, &spec.columns)?;
    let mut report = IndexReport::default();
    let (mut scans, mut starting_offset) = (Vec::with_capacity(parts.len()), 0);
    for (number, part) in parts.iter().enumerate() {
        let (layers, summary) = (part.layers()?, Arc::clone(&part.summary));
        let (segment, rows) = (&layers.base, summary.rows);
        filler.enter(PartFacts { summary, index: number as u64, starting_offset });
        starting_offset += rows;
        let origins = filler.origins(layers, number)?;
        let all = segment.granules.len();
        let mut left = all;
        let by_bounds = pruner.as_ref();
        let by_bounds = by_bounds.map(|p| p.may_match_part(segment.rows, &origins, &of_partition));
        let before = left;
        left = if by_bounds.transpose()? == Some(false) { 0 } else { left };
        count(&mut minmax, before, left);
        let before = left;
        left = if passing.as_ref().is_some_and(|passing| !passing[number]) { 0 } else { left };
        count(&mut partition, before, left);
        let before = left;
        let mut granules: Vec<Picked> = match &pruner {
            _ if left == 0 => Vec::new(),
            Some(pruner) => pruner.by_index(segment)?,
            None => (0..all).map(|g| Picked { granule: g as u32, passes: false }).collect(),
        };
        count(&mut primary, before, granules.len());
        let before = granules.len();
        if let (Some(pruner), true) = (&pruner, before > 0) {
            granules = pruner.granules(segment, &origins, &mut Skipped::default())?;
        }
        count(&mut bounds, before, granules.len());
        if let Some(indices) = &mut indices {
            indices.narrow(&pinned.schema, part, layers, &mut granules)?;
        }
        if layers.has_mask() {
            drop_empty(layers, &mut granules)?;
        }
        let columns = PartColumns::new(Arc::clone(part), &spec.columns, origins)?;
        scans.push(PartScan { part: Arc::clone(part), columns, granules, rows: None });
    }
    let in_final = after_final::narrow(pinned, spec, &mut scans)?;
    count_read(&scans, &mut report);
    if config.partition_by.is_some() {
        report.steps.extend([minmax, partition]);
    }
    if config.primary_key_len > 0 {
        primary.search = primary.search.filter(|_| primary.parts.0 > 0);
        report.steps.push(primary);
    }
    report.steps.extend(Some(bounds).filter(|step| step.granules.0 > step.granules.1));
    let condition = |exprs: &[Expr]| keys.condition(exprs).text;
    let asked = indices.iter().chain(&in_final);
    let skips = asked.flat_map(|all| all.described(&pinned.schema, &condition));
    report.steps.extend(skips);
    Ok(report)
}

/// Counts what is left to be read.
fn count_read(scans: &[PartScan], report: &mut IndexReport) {
    for PartScan { granules, .. } in scans {
        report.parts += u64::from(!granules.is_empty());
        report.granules += granules.len() as u64;
        report.ranges += granules.chunk_by(|a, b| a.granule + 1 == b.granule).count() as u64;
    }
}

fn column_id(expr: Expr) -> Option<ColumnId> {
    match expr {
        Expr::Column { id, .. } => Some(id),
        _ => None,
    }
}
