//! Estimates the number of rows of a plan node. The estimate decides which side of a join is built,
//! and EXPLAIN ANALYZE shows it beside the actual number.

use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, LimitTies, OrElse, Project,
    Scan, Sort, Totals, Union, Values,
};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, Snapshot};

use crate::pass::metadata;
use crate::{Plan, cost};

/// The share of rows that remain after DISTINCT.
const DISTINCT: f64 = 0.3;
/// The least share of rows that is assumed to pass, however many conditions there are.
const LEAST: f64 = 0.001;

/// The estimated number of rows. Tables of unknown size count as large.
pub fn estimate(plan: &Plan) -> f64 {
    match plan {
        Plan::Values(Values { chunk, .. }) => chunk.rows as f64,
        Plan::Scan(Scan { table, spec, .. }) => {
            let rows = table.row_count().map_or(1e6, |n| n as f64);
            spec.filter.iter().fold(rows, |left, one| left * passing(&**table, spec, one))
        }
        Plan::Filter(Filter { input, predicates }) => {
            let part: f64 = predicates.iter().map(cost::passing).product();
            estimate(input) * part.max(LEAST)
        }
        Plan::Project(Project { input, .. }) | Plan::ArrayJoin(ArrayJoin { input, .. }) => {
            estimate(input)
        }
        Plan::Aggregate(Aggregate { keys, .. }) if keys.is_empty() => 1.0,
        Plan::Aggregate(Aggregate { input, keys, .. }) => groups(input, keys),
        Plan::Distinct(Distinct { input, .. }) => estimate(input) * DISTINCT,
        Plan::Rows(_) | Plan::Recursive(_) => 1000.0,
        Plan::LimitTies(LimitTies { limit, .. }) => *limit as f64,
        Plan::Bound(Bound { input, .. })
        | Plan::Totals(Totals { input, .. })
        | Plan::OrElse(OrElse { input, .. }) => estimate(input),
        Plan::Slice(slice) => estimate(&slice.input) * 0.5,
        Plan::Fill(fill) => estimate(&fill.input) * 2.0,
        Plan::Window(window) => estimate(&window.input),
        Plan::Sort(Sort { input, limit, .. }) | Plan::Limit(Limit { input, limit, .. }) => {
            estimate(input).min(limit.map_or(f64::MAX, |l| l as f64))
        }
        Plan::LimitBy(LimitBy { input, .. }) => estimate(input) * 0.5,
        Plan::Union(Union { inputs, .. }) => inputs.iter().map(estimate).sum(),
        Plan::Join(join) => estimate(&join.left).max(estimate(&join.right)),
    }
}

/// The share of a table's rows that pass a condition.
fn passing(table: &dyn Snapshot, spec: &ScanSpec, condition: &Expr) -> f64 {
    let rows = table.row_count().filter(|&rows| rows > 0);
    let known = rows.zip(metadata::rows_that_pass(table, spec, condition));
    known.map_or_else(|| cost::passing(condition), |(rows, passing)| passing as f64 / rows as f64)
}

/// The number of groups of an aggregation: the product of the keys' distinct values, if they are
/// known.
fn groups(input: &Plan, keys: &[ColumnId]) -> f64 {
    let rows = estimate(input);
    let distinct = |key: &ColumnId| {
        let (table, position) = metadata::source(input, *key)?;
        table.distinct_count(position).map(|n| n as f64)
    };
    let known: Option<f64> = keys.iter().map(distinct).product();
    known.map_or(rows * 0.1, |groups| groups.min(rows))
}
