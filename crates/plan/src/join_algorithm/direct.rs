//! Direct joins: the right side is a table that is meant to be looked up by its key.
//!
//! Either queries share a hash table that is kept with the table, or the table is asked for the
//! keys of the left side. The latter costs more per row, but nothing before the first one.

use entasis_expr::ColumnId;
use entasis_types::DataType;

use crate::estimate::Estimator;
use crate::physical::Scan;
use crate::{Join, JoinKind, Plan, Strictness};

/// A table that keeps hash tables is asked instead if it has so many times the left side's rows.
const FEW: f64 = 8.0;

/// Whether rows of the right side need no marks, so that queries can share its hash table.
pub(super) fn computes(kind: JoinKind, strictness: Strictness) -> bool {
    match strictness {
        Strictness::All => matches!(kind, JoinKind::Inner | JoinKind::Left),
        Strictness::Asof => false,
        _ => kind == JoinKind::Left,
    }
}

/// Whether a plan reads a table that keeps hash tables.
pub(super) fn keeps(plan: &Plan) -> bool {
    matches!(plan, Plan::Scan(Scan { table, .. }) if table.kept().is_some())
}

/// Whether a plan reads a table that is looked up by its key, and nothing else.
pub(crate) fn is_keyed(plan: &Plan) -> bool {
    matches!(plan, Plan::Scan(Scan { table, spec, .. })
        if !table.lookup_key().is_empty() && spec.filter.is_empty())
}

/// Whether a plan reads a table whose whole key are these columns.
pub(super) fn has_key(plan: &Plan, columns: &[ColumnId]) -> bool {
    let Plan::Scan(Scan { table, spec, .. }) = plan else { return false };
    let key = table.lookup_key();
    let position = |id: &ColumnId| spec.whole_position(*id);
    is_keyed(plan)
        && spec.limit.is_none()
        && columns.iter().all(|id| position(id).is_some_and(|at| key.contains(&at)))
        && key.iter().all(|at| columns.iter().any(|id| position(id) == Some(*at)))
}

/// Whether the table is asked for the keys of a direct join's left side: it keeps no hash table, or
/// the left side has few rows.
pub(super) fn asks(estimator: &Estimator, join: &Join) -> bool {
    let Plan::Scan(Scan { table, .. }) = &join.right else { return false };
    if !table.looks_up() || join.residual.is_some() || join.keys.len() != table.lookup_key().len() {
        return false;
    }
    if table.kept().is_none() {
        return true;
    }
    // A table finds 0 for -0, which a hash table distinguishes.
    if join.key_types().is_ok_and(|types| types.iter().any(DataType::is_float)) {
        return false;
    }
    let left = estimator.relation(&join.left, &[]).rows;
    table.row_count().is_some_and(|rows| left * FEW < rows as f64)
}

/// Whether the reference looks a join's rows up in a table that has no key of its own: by one
/// column.
pub(super) fn is_by_any_column(
    join: (JoinKind, Strictness),
    right: &Plan,
    keys: &[ColumnId],
) -> bool {
    let Plan::Scan(Scan { table, spec, .. }) = right else { return false };
    let rows = match join {
        (JoinKind::Inner, strictness) => strictness == Strictness::All,
        (JoinKind::Left, strictness) => {
            matches!(strictness, Strictness::All | Strictness::Semi | Strictness::Anti)
        }
        _ => false,
    };
    let is_column = |id: &ColumnId| spec.whole_position(*id).is_some();
    rows && table.is_direct_by_any() && matches!(keys, [key] if is_column(key))
}
