//! Direct joins: the right side is a table that is meant to be looked up by its key.

use entasis_expr::ColumnId;

use crate::physical::Scan;
use crate::{JoinKind, Plan, Strictness};

/// Whether rows of the right side need no marks, so that queries can share its hash table.
pub(super) fn computes(kind: JoinKind, strictness: Strictness) -> bool {
    match strictness {
        Strictness::All => matches!(kind, JoinKind::Inner | JoinKind::Left),
        Strictness::Asof => false,
        _ => kind == JoinKind::Left,
    }
}

/// Whether a plan reads a table that is looked up by its key, and nothing else.
pub(crate) fn is_keyed(plan: &Plan) -> bool {
    matches!(plan, Plan::Scan(Scan { table, spec, .. })
        if table.kept().is_some() && !table.lookup_key().is_empty() && spec.filter.is_empty())
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
