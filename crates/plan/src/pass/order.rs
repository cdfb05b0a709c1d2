//! Orders conjuncts by the benefit of evaluating them: cheap and selective ones first.

use crate::physical::{Filter, Scan};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, Snapshot};

use super::map_inputs;
use crate::{Plan, cost};

/// Orders the conjuncts of scans and filters.
pub(crate) fn conjuncts(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut conjuncts);
    match plan {
        Plan::Scan(Scan { table, name, types, mut spec }) => {
            if spec.filter.len() > 1 {
                let mut filter = std::mem::take(&mut spec.filter);
                sort(&mut filter, &|id| stored_bytes(&*table, &spec, id));
                spec.filter = filter;
            }
            Plan::Scan(Scan { table, name, types, spec })
        }
        Plan::Filter(Filter { input, mut predicates }) => {
            sort(&mut predicates, &|_| None);
            Plan::Filter(Filter { input, predicates })
        }
        other => other,
    }
}

fn stored_bytes(table: &dyn Snapshot, spec: &ScanSpec, id: ColumnId) -> Option<f64> {
    table.column_bytes(spec.whole_position(id)?).map(|b| b as f64)
}

/// Sorts by cost per dropped row, which minimises the expected cost.
fn sort(predicates: &mut [Expr], bytes: &dyn Fn(ColumnId) -> Option<f64>) {
    predicates.sort_by_cached_key(|p| {
        let rank = cost::work(p, bytes) / (1.0 - cost::passing(p)).max(0.05);
        (rank * 1000.0) as u64
    });
}
