//! Aggregation in the order of a table: where GROUP BY names the first columns of the sorting key,
//! the scan is asked for rows in that order, and groups are finished one after the other.

use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr};
use entasis_table::{ScanSpec, Snapshot};

use super::map_inputs;
use crate::{Plan, SortKey};

/// Marks aggregations and the scans below them. Only for queries that ask for it: merging the
/// parts by key costs more than a hash table that fits the memory.
pub(crate) fn attach(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut attach);
    let plan = without_sort(plan);
    let Plan::Aggregate { mut input, keys, calls, limit, .. } = plan else { return plan };
    let mut in_order = Vec::new();
    let mut origins: Vec<Option<ColumnId>> = keys.iter().map(|id| Some(*id)).collect();
    if let Some((table, spec)) = scan_below(&mut input, &mut origins) {
        let position = |origin: &Option<ColumnId>| spec.whole_position((*origin)?);
        let positions: Vec<Option<usize>> = origins.iter().map(position).collect();
        for sorted in table.sorted_by() {
            let Some(at) = positions.iter().position(|p| *p == Some(sorted)) else { break };
            in_order.push(keys[at]);
        }
        spec.in_order = in_order.len();
    }
    Plan::Aggregate { input, keys, calls, limit, in_order }
}

/// The first rows by the keys in whose order groups come: they need not be sorted, and the reading
/// ends with the last of them.
fn without_sort(plan: Plan) -> Plan {
    let Plan::Limit { input, offset, limit } = plan else { return plan };
    let input = match *input {
        Plan::Sort { input, keys, .. } if limit.is_some() && comes_sorted(&input, &keys) => input,
        other => Box::new(other),
    };
    Plan::Limit { input, offset, limit }
}

fn comes_sorted(plan: &Plan, keys: &[SortKey]) -> bool {
    if keys.iter().any(|key| key.order != SortOrder::ASCENDING) {
        return false;
    }
    let mut columns: Vec<Option<ColumnId>> = keys.iter().map(|key| Some(key.column)).collect();
    let mut below = plan;
    while let Plan::Project { input, exprs } = below {
        through(exprs, &mut columns);
        below = input;
    }
    let Plan::Aggregate { in_order, .. } = below else { return false };
    columns.len() <= in_order.len() && columns.iter().zip(in_order).all(|(a, b)| *a == Some(*b))
}

/// Columns by their names below a projection; `None` for those that it computes.
fn through(exprs: &[(ColumnId, Expr)], columns: &mut [Option<ColumnId>]) {
    for column in columns {
        let expr = exprs.iter().find(|(id, _)| Some(*id) == *column);
        *column = match expr {
            Some((_, Expr::Column { id, .. })) => Some(*id),
            _ => None,
        };
    }
}

/// The scan whose rows come out here, with nothing but filters and projections between. `columns`
/// become the scan's own; `None` for those that are computed.
fn scan_below<'a>(
    plan: &'a mut Plan,
    columns: &mut [Option<ColumnId>],
) -> Option<(&'a dyn Snapshot, &'a mut ScanSpec)> {
    match plan {
        Plan::Scan { table, spec, .. } => Some((&**table, spec)),
        Plan::Filter { input, .. } => scan_below(input, columns),
        Plan::Project { input, exprs } => {
            through(exprs, columns);
            scan_below(input, columns)
        }
        _ => None,
    }
}
