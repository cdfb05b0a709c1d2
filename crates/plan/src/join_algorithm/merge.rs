//! Merge joins: which sides come in the order of the keys already, and when such a join is cheaper
//! than a hash table.
//!
//! A hash join of a large right side writes its hash table to memory and looks most rows up in
//! memory that no cache holds; if the table is larger than the memory it may use, rows of both
//! sides are written to disk and read again. A merge join of sides that come in order moves no byte
//! twice. Merging is slower than looking rows up in a small table, though, and reading parts in
//! order is slower than reading them one after the other, so the right side must be large.

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_types::{DataType, Value};

use super::row_order::{self, RowOrder};
use crate::cost::width;
use crate::estimate::Estimator;
use crate::physical::Scan;
use crate::{Join, JoinAlgorithm, JoinKind, KeyRange, Merging, Most, Plan, Planner, Strictness};

/// Rows of a right side that is merged if memory is not limited.
const MANY_ROWS: f64 = 20e6;
/// Rows of the larger side in a range of keys: enough that the granules that two ranges share do
/// not matter.
const ROWS_OF_RANGE: f64 = 262_144.0;
/// Most ranges: each of them opens a scan of both sides.
const MOST_RANGES: usize = 64;

/// Makes a join a merge join, if the settings want that, or if they leave the choice and it pays.
/// Answers whether it is one.
pub(super) fn choose(
    planner: &Planner<'_>,
    estimator: &Estimator,
    join: &mut Join,
) -> Result<bool> {
    let is_inner = (join.kind, join.strictness) == (JoinKind::Inner, Strictness::All);
    if join.keys.is_empty() || join.residual.is_some() && !is_inner {
        return Ok(false);
    }
    let allowed = &planner.settings.join_algorithms;
    let is_wanted = allowed.prefers_merge();
    // Limits of what a join holds are meant for hash tables.
    let may_choose = allowed.leaves_choice() && planner.settings.limits.join == Most::default();
    let rows = || estimator.relation(&join.right, &[]).rows;
    // Whether the right side has more than half of what makes a hash join write to disk.
    let spills =
        |rows: f64| rows * bytes_of_row(&join.right) > planner.settings.join_memory as f64 / 2.0;
    let is_large = |rows: f64| rows >= MANY_ROWS || spills(rows);
    if !(is_wanted || may_choose && is_large(rows())) {
        return Ok(false);
    }
    let Prepared { keys, merging } = prepare(planner, join)?;
    // One thread merges what is not divided into ranges, so that memory must be the reason.
    let in_order = merging.left_in_order && merging.right_in_order;
    let pays = in_order && (!merging.ranges.is_empty() || spills(rows()));
    if !is_wanted && !pays {
        return Ok(false);
    }
    let columns = keys.len() + usize::from(join.closest.is_some());
    if merging.left_in_order {
        row_order::read_in_order(&mut join.left, columns);
    }
    if merging.right_in_order {
        row_order::read_in_order(&mut join.right, columns);
    }
    join.keys = keys;
    join.algorithm = JoinAlgorithm::Merge(merging);
    Ok(true)
}

/// How a join can be merged.
struct Prepared {
    keys: Vec<(ColumnId, ColumnId)>,
    merging: Merging,
}

/// Finds the sides that have an order into which the keys can be put.
fn prepare(planner: &Planner<'_>, join: &Join) -> Result<Prepared> {
    let [left, right] = [row_order::of(&join.left), row_order::of(&join.right)];
    let choices = [(Some(&left), Some(&right)), (Some(&left), None), (None, Some(&right))];
    let found = choices.into_iter().find_map(|(l, r)| Some((l, r, arranged(join, l, r)?)));
    let Some((left, right, keys)) = found else {
        return Ok(Prepared { keys: join.keys.clone(), merging: Merging::default() });
    };
    let (left_in_order, right_in_order) = (left.is_some(), right.is_some());
    let ranges = match (left_in_order && right_in_order, keys.first()) {
        (true, Some((left, right))) => key_ranges(planner, join, *left, *right)?,
        _ => Vec::new(),
    };
    Ok(Prepared { keys, merging: Merging { left_in_order, right_in_order, ranges } })
}

/// The keys of a join in the order of the given sides, if they can be put into it.
fn arranged(
    join: &Join,
    left: Option<&RowOrder>,
    right: Option<&RowOrder>,
) -> Option<Vec<(ColumnId, ColumnId)>> {
    let fits = |order: Option<&RowOrder>, at: usize, id: ColumnId| {
        order.is_none_or(|order| order.get(at).is_some_and(|columns| columns.contains(&id)))
    };
    let mut rest = join.keys.clone();
    let mut keys = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let at = keys.len();
        let next = rest.iter().position(|(l, r)| fits(left, at, *l) && fits(right, at, *r))?;
        keys.push(rest.swap_remove(next));
    }
    let closest = join.closest.as_ref();
    let is_next =
        |of: &crate::AsofKey| fits(left, keys.len(), of.left) && fits(right, keys.len(), of.right);
    closest.is_none_or(is_next).then_some(keys)
}

/// About how many bytes a row of a plan takes in memory.
fn bytes_of_row(plan: &Plan) -> f64 {
    let header = plan.header().unwrap_or_default();
    header.iter().map(|(_, ty)| width(ty)).sum::<f64>().max(1.0)
}

/// Ranges of the first key of two sides that are read from tables in its order. The larger table
/// says where they end.
fn key_ranges(
    planner: &Planner<'_>,
    join: &Join,
    left: ColumnId,
    right: ColumnId,
) -> Result<Vec<KeyRange>> {
    let sides = [(&join.left, left), (&join.right, right)];
    let [Some((a, left)), Some((b, right))] = sides.map(|(plan, id)| divisible(plan, id)) else {
        return Ok(Vec::new());
    };
    let integers = left.ty().is_any_integer() && right.ty().is_any_integer();
    if !integers && left.ty() != right.ty() {
        return Ok(Vec::new());
    }
    let rows = |scan: &Scan| scan.table.row_count().unwrap_or(0) as f64;
    let (larger, ty) = if rows(a) < rows(b) { (b, right.ty()) } else { (a, left.ty()) };
    let pieces = (rows(larger) / ROWS_OF_RANGE).ceil().clamp(1.0, MOST_RANGES as f64) as usize;
    let cuts = if pieces > 1 { larger.table.cuts(pieces) } else { Vec::new() };
    if cuts.is_empty() {
        return Ok(Vec::new());
    }
    let mut ranges = Vec::with_capacity(cuts.len() + 1);
    for at in 0..=cuts.len() {
        let from = at.checked_sub(1).map(|before| &cuts[before]);
        let [left, right] = [&left, &right].map(|column| {
            let compare = |name: &str, value: &Value| {
                planner.call(name, vec![column.clone(), Expr::literal(value.clone(), ty.clone())])
            };
            let from = from.map(|value| compare("greaterOrEquals", value));
            let to = cuts.get(at).map(|value| compare("less", value));
            from.into_iter().chain(to).collect::<Result<Vec<Expr>>>()
        });
        ranges.push(KeyRange { left: left?, right: right? });
    }
    Ok(ranges)
}

/// The scan from which a key comes, and its column there, if ranges of the column can be read one
/// by one and without losing rows.
fn divisible(plan: &Plan, key: ColumnId) -> Option<(&Scan, Expr)> {
    let scan = row_order::scan_below(plan)?;
    let column = row_order::scanned(plan, key)?;
    let Expr::Column { id, ty } = &column else { return None };
    let position = scan.spec.whole_position(*id)?;
    let is_plain = matches!(ty, DataType::String | DataType::Date | DataType::Date32)
        || matches!(ty, DataType::DateTime(_))
        || ty.is_native_integer();
    let folds_alike = !scan.spec.final_ || scan.table.final_key().contains(&position);
    // Conditions of the query must use an index themselves.
    let is_free = !scan.spec.needs_primary_key && scan.spec.limit.is_none();
    (is_plain && folds_alike && is_free).then_some((scan, column))
}
