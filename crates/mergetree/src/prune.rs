//! Decides which granules a scan must read, from the bounds of the part, the sparse index, and the
//! bounds of each granule.

mod partitions;

use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_expr::{Bounds, ColumnId, Expr, RangeAnalysis};
use entasis_table_api::{ScanColumn, ScanSpec};
use entasis_types::{Step, Value};

pub(crate) use self::partitions::PartitionPruner;
use crate::config::{TableConfig, plain_column};
use crate::fill::Origin;
use crate::segment::stats::Extent;
use crate::segment::{ColumnMeta, Segment, manifest};

/// The conjuncts of a scan, compiled so that they can be tested against ranges.
pub(crate) struct Pruner {
    analysis: RangeAnalysis,
    uses_key: bool,
    /// The columns whose bounds are used, with their place in `spec.columns`, and which bounds.
    columns: Vec<(ColumnId, usize, Of)>,
    key_len: usize,
}

/// Which bounds of a column a conjunct uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The bounds of the values.
    Values,
    /// Whether the values are NULL (`n.null`).
    Nulls,
}

impl Of {
    /// `None` for subcolumns without known bounds.
    fn column(column: &ScanColumn) -> Option<Self> {
        match column.path.steps() {
            [] => Some(Self::Values),
            [Step::Null] => Some(Self::Nulls),
            _ => None,
        }
    }

    fn in_part(self, meta: &ColumnMeta, rows: u64) -> Option<Bounds> {
        match self {
            Self::Values => part_bounds(meta),
            Self::Nulls => {
                let nulls = meta.stats.nulls;
                Some((Value::UInt((nulls == rows).into()), Value::UInt((nulls > 0).into()), false))
            }
        }
    }

    fn in_granule(self, meta: &ColumnMeta, granule: usize, rows: u64) -> Option<Bounds> {
        match self {
            Self::Values => granule_bounds(meta, granule),
            Self::Nulls => self.in_part(meta, rows),
        }
    }
}

/// The number of granules that a scan skips, by the index that excluded them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skipped {
    /// Excluded by the bounds of their part.
    pub(crate) by_part: u64,
    /// Excluded by the sparse index.
    pub(crate) by_key: u64,
    /// Excluded by the bounds of the granule.
    pub(crate) by_bounds: u64,
}

impl Skipped {
    /// Counts one round of index analysis.
    pub(crate) fn count(&self) {
        events::one(Event::IndexAnalysisRounds);
        events::add(Event::MarksSkippedByPartBounds, self.by_part);
        events::add(Event::MarksSkippedByPrimaryKey, self.by_key);
        events::add(Event::MarksSkippedByBounds, self.by_bounds);
    }
}

/// A granule to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picked {
    pub(crate) granule: u32,
    /// Whether every row certainly passes, so that the filter need not be evaluated.
    pub(crate) passes: bool,
}

/// Fails if the query insists on the primary key or the partition key and has no condition on it: a
/// conjunct that reads no other columns.
pub(crate) fn check_keys_used(spec: &ScanSpec, config: &TableConfig) -> Result<()> {
    let is_on = |conjunct: &Expr, key: &[ColumnId]| {
        let mut ids = Vec::new();
        conjunct.columns(&mut ids);
        let position = |id: &ColumnId| {
            spec.columns.iter().find(|column| column.id == *id).map(|column| column.position)
        };
        let is_of_key = |id| position(id).is_some_and(|at| key.contains(&ColumnId(at as u32)));
        !ids.is_empty() && ids.iter().all(is_of_key)
    };
    let has_condition = |exprs: &[Expr]| {
        let mut key = Vec::new();
        exprs.iter().for_each(|expr| expr.columns(&mut key));
        spec.filter.iter().any(|conjunct| is_on(conjunct, &key))
    };
    let unused = |key: String, setting: &str| {
        let message = format!(
            "{key} is not used and setting '{setting}' is set: add a condition on the key, or set \
             {setting} = 0"
        );
        Err(Error::new(codes::INDEX_NOT_USED, message))
    };
    if spec.needs_primary_key && !has_condition(&config.order_by[..config.primary_key_len]) {
        return unused(format!("Primary key ({})", config.sorting_key), "force_primary_key");
    }
    let partition = config.partition_by.as_slice();
    if spec.needs_partition_key && !partition.is_empty() && !has_condition(partition) {
        return unused(format!("Partition key {}", config.partition_key), "force_index_by_date");
    }
    Ok(())
}

impl Pruner {
    /// `None` if no granule can be skipped.
    pub(crate) fn new(spec: &ScanSpec, config: &TableConfig) -> Option<Self> {
        if spec.filter.is_empty() {
            return None;
        }
        let key: Vec<ColumnId> = config.order_by[..config.ascending_primary_key()]
            .iter()
            .enumerate()
            .map(|(i, expr)| {
                let position = plain_column(expr);
                let is_it = |c: &&ScanColumn| position.is_some() && c.whole_position() == position;
                // An id that no conjunct reads.
                let unread = ColumnId(u32::MAX - i as u32);
                spec.columns.iter().find(is_it).map_or(unread, |column| column.id)
            })
            .collect();
        let analysis = RangeAnalysis::new(&spec.filter, &key);
        if analysis.is_useless() {
            return None;
        }
        let known = |id: ColumnId| {
            let place = spec.columns.iter().position(|c| c.id == id)?;
            Some((id, place, Of::column(&spec.columns[place])?))
        };
        let columns: Vec<_> = analysis.columns().into_iter().filter_map(known).collect();
        let uses_key = !key.is_empty() && analysis.uses_key();
        Some(Self { analysis, uses_key, columns, key_len: key.len() })
    }

    /// The granules of a part that may hold passing rows. `origins` are those of `spec.columns`.
    pub(crate) fn granules(
        &self,
        segment: &Segment,
        origins: &[Origin],
        skipped: &mut Skipped,
    ) -> Result<Vec<Picked>> {
        let metas = self.metas(origins)?;
        let rows = segment.rows;
        let find = |id: ColumnId| metas.iter().find(|(m, _, _)| *m == id);
        let of_part = |id: ColumnId| find(id).and_then(|(_, of, meta)| of.in_part(meta, rows));
        let total = segment.granules.len();
        if !self.analysis.may_match(&of_part) {
            events::one(Event::PartsSkippedByBounds);
            skipped.by_part += total as u64;
            return Ok(Vec::new());
        }
        let passes = self.analysis.must_match(&of_part);
        let mut out = Vec::new();
        if passes || !self.uses_key {
            out.extend((0..total).map(|g| Picked { granule: g as u32, passes }));
        } else {
            let began = Instant::now();
            out = self.by_index(segment)?;
            events::elapsed(Event::FilteringMarksWithPrimaryKeyMicroseconds, began);
            events::add(Event::FilteringMarksWithPrimaryKeyProcessedMarks, total as u64);
            skipped.by_key += (total - out.len()) as u64;
        }
        if !passes && metas.iter().any(|(_, _, meta)| meta.extents.is_some()) {
            let (began, before) = (Instant::now(), out.len());
            out.retain_mut(|picked| {
                let granule = picked.granule as usize;
                let bounds = |id: ColumnId| {
                    find(id).and_then(|(_, of, meta)| of.in_granule(meta, granule, rows))
                };
                picked.passes = self.analysis.must_match(&bounds);
                picked.passes || self.analysis.may_match(&bounds)
            });
            events::elapsed(Event::FilteringMarksWithSecondaryKeysMicroseconds, began);
            skipped.by_bounds += (before - out.len()) as u64;
        }
        Ok(out)
    }

    /// What is known of the columns whose bounds are used.
    fn metas(&self, origins: &[Origin]) -> Result<Vec<(ColumnId, Of, Arc<ColumnMeta>)>> {
        let mut metas = Vec::with_capacity(self.columns.len());
        for &(id, place, of) in &self.columns {
            if let Some(meta) = origins[place].meta()? {
                metas.push((id, of, Arc::clone(meta)));
            }
        }
        Ok(metas)
    }

    /// Whether rows of a part may pass, as far as the bounds of the columns say that `only` names.
    pub(crate) fn may_match_part(
        &self,
        rows: u64,
        origins: &[Origin],
        only: &[ColumnId],
    ) -> Result<bool> {
        let metas = self.metas(origins)?;
        let of_part = |id: ColumnId| {
            let found = metas.iter().find(|(m, _, _)| *m == id && only.contains(m));
            found.and_then(|(_, of, meta)| of.in_part(meta, rows))
        };
        Ok(self.analysis.may_match(&of_part))
    }

    /// The granules that the sparse index leaves.
    pub(crate) fn by_index(&self, segment: &Segment) -> Result<Vec<Picked>> {
        let total = segment.granules.len();
        if !self.uses_key {
            let all = (0..total).map(|g| Picked { granule: g as u32, passes: false });
            return Ok(all.collect());
        }
        let index = segment.index()?;
        let key = |row: usize| -> Vec<Value> {
            index.iter().take(self.key_len).map(|c| c.value(row)).collect()
        };
        let mut out = Vec::new();
        self.by_key(&key, 0, total, &mut out);
        Ok(out)
    }

    /// Finds the granules in `from .. to` whose key ranges may match, by halving ranges that are
    /// undecided.
    fn by_key(
        &self,
        key: &dyn Fn(usize) -> Vec<Value>,
        from: usize,
        to: usize,
        out: &mut Vec<Picked>,
    ) {
        if from >= to || !self.analysis.may_match_key(&key(from), &key(to)) {
            return;
        }
        if to - from == 1 {
            out.push(Picked { granule: from as u32, passes: false });
            return;
        }
        let middle = from + (to - from) / 2;
        self.by_key(key, from, middle, out);
        self.by_key(key, middle, to, out);
    }
}

/// Bounds of a column over a whole part.
pub(crate) fn part_bounds(meta: &ColumnMeta) -> Option<Bounds> {
    let has_null = meta.stats.nulls > 0;
    match &meta.stats.extent {
        Extent::Range { min, max, .. } => Some((min.clone(), max.clone(), has_null)),
        Extent::Empty | Extent::Unknown => None,
    }
}

/// Bounds of a column over a granule; those of the part if granules have none.
pub(crate) fn granule_bounds(meta: &ColumnMeta, granule: usize) -> Option<Bounds> {
    match &meta.extents {
        Some(extents) => {
            let (min, max) = manifest::granule_bounds(extents, granule)?;
            // The granule holds only NULLs: it gets no bounds, instead of bounds that hold nothing.
            let empty = max.compare_numbers(&min) == Some(std::cmp::Ordering::Less);
            (!empty).then_some((min, max, meta.stats.nulls > 0))
        }
        None => part_bounds(meta),
    }
}

/// Least and greatest value of a column over all parts; `None` unless every part has exact bounds.
pub(crate) fn exact_range(parts: &[Arc<ColumnMeta>]) -> Option<(Value, Value)> {
    let mut range: Option<(Value, Value)> = None;
    for meta in parts {
        let (min, max) = match &meta.stats.extent {
            Extent::Empty => continue,
            Extent::Range { min, max, exact: true } => (min.clone(), max.clone()),
            _ => return None,
        };
        range = Some(match range {
            None => (min, max),
            Some((a, b)) => (lesser(a, min, true), lesser(b, max, false)),
        });
    }
    range
}

fn lesser(a: Value, b: Value, least: bool) -> Value {
    let a_is_less = match (&a, &b) {
        (Value::String(x), Value::String(y)) => x < y,
        _ => a.compare_numbers(&b) == Some(std::cmp::Ordering::Less),
    };
    if a_is_less == least { a } else { b }
}
