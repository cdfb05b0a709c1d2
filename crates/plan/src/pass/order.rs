//! Conjuncts in the order in which they are worth evaluating: cheap and selective ones first.

use entasis_expr::{ColumnId, Expr};
use entasis_table::Snapshot;

use super::map_inputs;
use crate::{Plan, cost};

/// Orders the conjuncts of scans and filters.
pub(crate) fn conjuncts(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut conjuncts);
    match plan {
        Plan::Scan { table, name, types, mut spec } => {
            if spec.filter.len() > 1 {
                let columns = std::mem::take(&mut spec.columns);
                let bytes = |id: ColumnId| stored_bytes(&*table, &columns, id);
                sort(&mut spec.filter, &bytes);
                spec.columns = columns;
            }
            Plan::Scan { table, name, types, spec }
        }
        Plan::Filter { input, mut predicates } => {
            sort(&mut predicates, &|_| None);
            Plan::Filter { input, predicates }
        }
        other => other,
    }
}

fn stored_bytes(table: &dyn Snapshot, columns: &[(ColumnId, usize)], id: ColumnId) -> Option<f64> {
    let (_, position) = columns.iter().find(|(i, _)| *i == id)?;
    table.column_bytes(*position).map(|b| b as f64)
}

/// The order that minimises expected work: by cost per row dropped.
fn sort(predicates: &mut [Expr], bytes: &dyn Fn(ColumnId) -> Option<f64>) {
    predicates.sort_by_cached_key(|p| {
        let rank = cost::work(p, bytes) / (1.0 - cost::passing(p)).max(0.05);
        (rank * 1000.0) as u64
    });
}
