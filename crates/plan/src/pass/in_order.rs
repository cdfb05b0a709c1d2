//! Aggregation in the order of a table: if GROUP BY names the first columns of the sorting key, the
//! scan returns rows in that order, and groups are finished one after the other.

use crate::physical::{Aggregate, Filter, Limit, Project, Scan, Sort};
use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, Snapshot};

use super::map_inputs;
use crate::{Plan, SortKey};

/// Marks aggregations and the scans below them. Used only if a setting asks for it, because merging
/// the parts by key costs more than a hash table that fits into memory.
pub(crate) fn attach(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut attach);
    let plan = without_sort(plan);
    let Plan::Aggregate(Aggregate { mut input, keys, calls, limit, .. }) = plan else {
        return plan;
    };
    let mut in_order = Vec::new();
    let mut origins: Vec<Option<ColumnId>> = keys.iter().map(|id| Some(*id)).collect();
    if let Some((table, spec)) = scan_below(&mut input, &mut origins) {
        let position = |origin: &Option<ColumnId>| spec.whole_position((*origin)?);
        let positions: Vec<Option<usize>> = origins.iter().map(position).collect();
        for sorted in table.sorted_by() {
            let Some(at) = positions.iter().position(|p| *p == Some(sorted)) else { break };
            in_order.push(keys[at]);
        }
        spec.sorted_prefix = in_order.len();
    }
    Plan::Aggregate(Aggregate { input, keys, calls, limit, in_order })
}

/// Removes a sort below a limit if the groups come in that order already. Reading then ends with
/// the last row that is wanted.
fn without_sort(plan: Plan) -> Plan {
    let Plan::Limit(Limit { input, offset, limit }) = plan else { return plan };
    let input = match *input {
        Plan::Sort(Sort { input, keys, .. }) if limit.is_some() && comes_sorted(&input, &keys) => {
            input
        }
        other => Box::new(other),
    };
    Plan::Limit(Limit { input, offset, limit })
}

fn comes_sorted(plan: &Plan, keys: &[SortKey]) -> bool {
    if keys.iter().any(|key| key.order != SortOrder::ASCENDING) {
        return false;
    }
    let mut columns: Vec<Option<ColumnId>> = keys.iter().map(|key| Some(key.column)).collect();
    let mut below = plan;
    while let Plan::Project(Project { input, exprs }) = below {
        through(exprs, &mut columns);
        below = input;
    }
    let Plan::Aggregate(Aggregate { in_order, .. }) = below else { return false };
    columns.len() <= in_order.len() && columns.iter().zip(in_order).all(|(a, b)| *a == Some(*b))
}

/// Replaces columns by those below a projection; `None` for columns that it computes.
fn through(exprs: &[(ColumnId, Expr)], columns: &mut [Option<ColumnId>]) {
    for column in columns {
        let expr = exprs.iter().find(|(id, _)| Some(*id) == *column);
        *column = match expr {
            Some((_, Expr::Column { id, .. })) => Some(*id),
            _ => None,
        };
    }
}

/// The scan below filters and projections. `columns` are replaced by the scan's own columns; `None`
/// for computed ones.
fn scan_below<'a>(
    plan: &'a mut Plan,
    columns: &mut [Option<ColumnId>],
) -> Option<(&'a dyn Snapshot, &'a mut ScanSpec)> {
    match plan {
        Plan::Scan(Scan { table, spec, .. }) => Some((&**table, spec)),
        Plan::Filter(Filter { input, .. }) => scan_below(input, columns),
        Plan::Project(Project { input, exprs }) => {
            through(exprs, columns);
            scan_below(input, columns)
        }
        _ => None,
    }
}
