//! Filters that a join gives to the scans of its left side: rows whose key the right side does not
//! have are dropped where they are read.
//!
//! A key column of the left side is followed down to the scans that read it, or a column that is
//! equal to it. That is possible where a row without a match above has no other effect: through
//! filters, projections that only pass the column on, groupings by the column, UNION ALL, and the
//! sides of joins that treat every row by itself. A filter that reaches the right side of a join
//! below makes that side smaller, and the keys which are left there filter the left side in turn
//! (Robust Predicate Transfer: Zhao et al., SIGMOD 2025).

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr, is_deterministic};
use entasis_plan::{Join, JoinAlgorithm, JoinKind, Plan, Strictness, converted_column, physical};
use entasis_table_api::{KeyFilter, ScanSpec};
use entasis_types::DataType;

use crate::build::{Builder, Stream};

/// The filter of one key, and the scan that it is for.
pub struct Target<'a> {
    /// The number of the key.
    pub key: usize,
    pub spec: &'a ScanSpec,
    pub filter: Arc<KeyFilter>,
}

/// The filters of a join, one for each scan that reads a key.
pub fn targets(join: &Join) -> Vec<Target<'_>> {
    if !has_filters(join) {
        return Vec::new();
    }
    join.keys
        .iter()
        .enumerate()
        .flat_map(|(key, (left, _))| of_scans(key, &join.left, *left))
        .collect()
}

/// The filters by the keys of a left side that is read first, one for each scan of the right side
/// that reads a key.
pub fn right_targets(join: &Join) -> Vec<Target<'_>> {
    let drops_right = matches!(join.kind, JoinKind::Inner | JoinKind::Left);
    if !join.filters_left || !drops_right || !join.algorithm.builds() {
        return Vec::new();
    }
    join.keys
        .iter()
        .enumerate()
        .flat_map(|(key, (_, right))| of_scans(key, &join.right, *right))
        .collect()
}

/// A filter for each scan of a plan that reads a key.
fn of_scans(key: usize, plan: &Plan, column: ColumnId) -> impl Iterator<Item = Target<'_>> {
    let mut scans = Scans::default();
    scans.below(plan, column);
    let target =
        move |(spec, column)| Target { key, spec, filter: Arc::new(KeyFilter::new(column)) };
    scans.0.into_iter().map(target)
}

/// The streams of a side whose scans get the filters. Every pipeline of it waits for those that
/// know the keys.
pub fn filtered(
    builder: &mut Builder<'_>,
    targets: &[Target<'_>],
    after: &[usize],
    streams: impl FnOnce(&mut Builder<'_>) -> Result<Vec<Stream>>,
) -> Result<Vec<Stream>> {
    let outer = builder.key_filters.len();
    let filters = targets.iter().map(|of| (std::ptr::from_ref(of.spec), Arc::clone(&of.filter)));
    builder.key_filters.extend(filters);
    let first = builder.graph.pipelines.len();
    let streams = streams(builder);
    builder.key_filters.truncate(outer);
    if !targets.is_empty() {
        for pipeline in &mut builder.graph.pipelines[first..] {
            pipeline.after.extend(after);
        }
    }
    let mut streams = streams?;
    for stream in &mut streams {
        stream.after.extend(after);
    }
    Ok(streams)
}

/// Whether the join filters scans of its left side: rows without a match have no effect there.
fn has_filters(join: &Join) -> bool {
    let drops_left = match join.kind {
        JoinKind::Inner | JoinKind::Right => true,
        JoinKind::Left => join.strictness == Strictness::Semi,
        _ => false,
    };
    join.filters_left && drops_left && join.algorithm.builds()
}

/// Whether every left row of the join is treated by itself, so that fewer left rows only mean fewer
/// rows of the result.
fn is_by_left_row(join: &Join) -> bool {
    match join.kind {
        JoinKind::Left => true,
        JoinKind::Inner | JoinKind::Cross => join.strictness != Strictness::Any,
        _ => false,
    }
}

/// [`is_by_left_row`], of the right side.
fn is_by_right_row(join: &Join) -> bool {
    match join.kind {
        JoinKind::Right => join.strictness != Strictness::Asof,
        JoinKind::Inner | JoinKind::Cross => join.strictness == Strictness::All,
        _ => false,
    }
}

/// The scans from which a column comes unchanged, or one that is equal to it, and the column's id
/// there.
#[derive(Default)]
struct Scans<'p>(Vec<(&'p ScanSpec, ColumnId)>);

impl<'p> Scans<'p> {
    /// Adds the scans of a plan. Returns whether there are any.
    fn below(&mut self, plan: &'p Plan, column: ColumnId) -> bool {
        match plan {
            Plan::Scan(physical::Scan { table, spec, .. }) => {
                let whole = spec.limit.is_none() && !spec.final_ && !table.is_endless();
                let reads = whole && spec.outputs.contains(&column);
                self.0.extend(reads.then_some((spec, column)));
                reads
            }
            // Some functions see which rows come before a row (rowNumberInAllBlocks).
            Plan::Filter(physical::Filter { input, predicates }) => {
                predicates.iter().all(is_deterministic) && self.below(input, column)
            }
            Plan::Project(physical::Project { input, exprs }) => {
                let is_pure = exprs.iter().all(|(_, expr)| is_deterministic(expr));
                let expr = exprs.iter().find(|(id, _)| *id == column);
                let from = expr.and_then(|(_, expr)| passed_on(expr)).filter(|_| is_pure);
                from.is_some_and(|from| self.below(input, from))
            }
            Plan::Aggregate(physical::Aggregate { input, keys, limit: None, .. }) => {
                keys.contains(&column) && self.below(input, column)
            }
            Plan::Distinct(physical::Distinct { input, limit: None }) => self.below(input, column),
            Plan::Union(physical::Union { inputs, columns }) => {
                let Some(at) = columns.iter().position(|(id, _)| *id == column) else {
                    return false;
                };
                inputs.iter().fold(false, |any, input| {
                    let from = input.outputs().get(at).copied();
                    from.is_some_and(|from| self.below(input, from)) || any
                })
            }
            Plan::Join(join) => self.below_join(join, column),
            _ => false,
        }
    }

    fn below_join(&mut self, join: &'p Join, column: ColumnId) -> bool {
        let has = |columns: &[ColumnId]| columns.contains(&column);
        // The table of a direct join is kept for other queries, and must be whole.
        let has_right =
            join.algorithm.builds() || matches!(join.algorithm, JoinAlgorithm::Merge(_));
        if has(&join.left_outputs) && is_by_left_row(join) {
            let equal = join.keys.iter().filter(|(left, _)| *left == column);
            let on_right = has_right
                && equal.fold(false, |any, (_, right)| self.below(&join.right, *right) || any);
            // The keys that are left on the right side are a better filter of the left side.
            if on_right && has_filters(join) {
                return true;
            }
            return self.below(&join.left, column) || on_right;
        }
        if has(&join.right_outputs) && is_by_right_row(join) && has_right {
            let on_right = self.below(&join.right, column);
            if on_right && has_filters(join) {
                return true;
            }
            let equal = join.keys.iter().filter(|(_, right)| *right == column);
            return equal.fold(on_right, |any, (left, _)| self.below(&join.left, *left) || any);
        }
        false
    }
}

/// The column whose values an expression passes on, perhaps as Nullable.
fn passed_on(expr: &Expr) -> Option<ColumnId> {
    match expr {
        Expr::Column { id, .. } => Some(*id),
        _ => {
            let (id, from, to) = converted_column(expr)?;
            let plain = |ty: &DataType| ty.without_low_cardinality().without_nullable().clone();
            (plain(from) == plain(to)).then_some(id)
        }
    }
}
