//! Chooses how each GROUP BY finds its groups.
//!
//! Without keys there is one group. If GROUP BY names the first columns of a table's sorting key
//! and a setting asks for it, the scan returns rows in that order, and groups are finished one
//! after the other. Otherwise there is a hash table.

use crate::physical::{Aggregate, AggregateAlgorithm, Filter, Limit, Project, Scan, Sort};
use entasis_base::Result;
use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, Snapshot};
use entasis_types::DataType;

use super::map_inputs;
use crate::{Plan, SortKey};

/// Chooses for all aggregations. `in_order`: whether tables are read in the order of keys, which a
/// setting decides, because merging the parts by key costs more than a hash table that fits into
/// memory.
pub(crate) fn choose(plan: Plan, in_order: bool) -> Result<Plan> {
    let mut failed = Ok(());
    let plan = map_inputs(plan, &mut |input| {
        choose(input, in_order).unwrap_or_else(|error| {
            failed = Err(error);
            crate::join_order::nothing()
        })
    });
    failed?;
    let plan = if in_order { without_sort(plan) } else { plan };
    let Plan::Aggregate(mut node) = plan else { return Ok(plan) };
    node.algorithm = match node.keys.is_empty() {
        true => AggregateAlgorithm::Single,
        false if in_order => by_order(&mut node)?,
        false => AggregateAlgorithm::Hash,
    };
    Ok(Plan::Aggregate(node))
}

/// Makes the scan below return rows in the order of the keys, if it can.
fn by_order(node: &mut Aggregate) -> Result<AggregateAlgorithm> {
    let Aggregate { input, keys, .. } = node;
    let header = input.header()?;
    let mut by = Vec::new();
    let mut origins: Vec<Option<ColumnId>> = keys.iter().map(|id| Some(*id)).collect();
    if let Some((table, spec)) = scan_below(input, &mut origins) {
        let position = |origin: &Option<ColumnId>| spec.whole_position((*origin)?);
        let positions: Vec<Option<usize>> = origins.iter().map(position).collect();
        for sorted in table.sorted_by() {
            let Some(at) = positions.iter().position(|p| *p == Some(sorted)) else { break };
            by.push(keys[at]);
        }
        spec.sorted_prefix = by.len();
    }
    if by.is_empty() {
        return Ok(AggregateAlgorithm::Hash);
    }
    let is_run = |key: &ColumnId| {
        header.iter().find(|(id, _)| id == key).is_some_and(|(_, ty)| is_plain(ty))
    };
    let runs = by.len() == keys.len() && keys.iter().all(is_run);
    Ok(AggregateAlgorithm::InOrder { by, runs })
}

/// Whether equal values always form one group: not for floats, where 0 and -0 are two groups.
fn is_plain(ty: &DataType) -> bool {
    let ty = ty.without_low_cardinality();
    let ty = ty.without_nullable();
    ty.is_string() || (ty.fixed_width().is_some() && !ty.is_float())
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
    let Plan::Aggregate(Aggregate { algorithm, .. }) = below else { return false };
    let by = algorithm.sorted();
    columns.len() <= by.len() && columns.iter().zip(by).all(|(a, b)| *a == Some(*b))
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
