//! Filters that a join gives to the scans of its left side: rows whose key the right side does not
//! have are dropped where they are read.
//!
//! A key column of the left side is followed down to the scan that reads it. That is possible where
//! a row without a match above has no other effect: through filters, projections that only pass the
//! column on, aggregations by the column, and the left sides of joins that treat every left row by
//! itself.

use std::sync::Arc;

use entasis_expr::{ColumnId, Expr, is_deterministic};
use entasis_plan::{Join, JoinKind, Plan, Strictness, physical};
use entasis_table_api::{KeyFilter, ScanSpec};

/// The filter of one key, and the scan that it is for.
pub struct Target<'a> {
    /// The number of the key.
    pub key: usize,
    pub spec: &'a ScanSpec,
    pub filter: Arc<KeyFilter>,
}

/// The filters of a join, one for each key that comes from a scan.
pub fn targets(join: &Join) -> Vec<Target<'_>> {
    if !join.filters_left || !drops_left(join) {
        return Vec::new();
    }
    let of_key = |(key, (left, _)): (usize, &(ColumnId, ColumnId))| {
        let (spec, column) = scan_below(&join.left, *left)?;
        Some(Target { key, spec, filter: Arc::new(KeyFilter::new(column)) })
    };
    join.keys.iter().enumerate().filter_map(of_key).collect()
}

/// Whether left rows without a match have no effect.
fn drops_left(join: &Join) -> bool {
    match join.kind {
        JoinKind::Inner | JoinKind::Right => true,
        JoinKind::Left => join.strictness == Strictness::Semi,
        _ => false,
    }
}

/// Whether every left row of the join is treated by itself, so that fewer left rows only mean fewer
/// rows of the result.
fn is_by_row(join: &Join) -> bool {
    match join.kind {
        JoinKind::Left => true,
        JoinKind::Inner => join.strictness != Strictness::Any,
        _ => false,
    }
}

/// The scan from which a column comes unchanged, and the column's id there.
fn scan_below(plan: &Plan, column: ColumnId) -> Option<(&ScanSpec, ColumnId)> {
    match plan {
        Plan::Scan(physical::Scan { table, spec, .. }) => {
            let whole = spec.limit.is_none() && !spec.final_ && !table.is_endless();
            (whole && spec.outputs.contains(&column)).then_some((spec, column))
        }
        // Some functions see which rows come before a row (rowNumberInAllBlocks).
        Plan::Filter(physical::Filter { predicates, .. })
            if !predicates.iter().all(is_deterministic) =>
        {
            None
        }
        Plan::Project(physical::Project { exprs, .. })
            if !exprs.iter().all(|(_, expr)| is_deterministic(expr)) =>
        {
            None
        }
        Plan::Filter(physical::Filter { input, .. }) => scan_below(input, column),
        Plan::Project(physical::Project { input, exprs }) => {
            match exprs.iter().find(|(id, _)| *id == column) {
                Some((_, Expr::Column { id: from, .. })) => scan_below(input, *from),
                _ => None,
            }
        }
        Plan::Aggregate(physical::Aggregate { input, keys, limit: None, .. }) => {
            if keys.contains(&column) { scan_below(input, column) } else { None }
        }
        Plan::Join(join) => {
            let passes = is_by_row(join) && join.left_outputs.contains(&column);
            if passes { scan_below(&join.left, column) } else { None }
        }
        _ => None,
    }
}
