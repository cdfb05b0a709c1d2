//! Orders conjuncts, and the arms of ANDs and ORs in them, by the benefit of evaluating them: cheap
//! and selective ones first.

use crate::physical::{Filter, Scan};
use entasis_expr::program::can_fail;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, Snapshot};

use super::map_inputs;
use crate::{Plan, cost};

/// Orders the conjuncts of scans and filters.
pub(crate) fn conjuncts(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut conjuncts);
    match plan {
        Plan::Scan(Scan { table, name, types, mut spec }) => {
            let mut filter = std::mem::take(&mut spec.filter);
            sort(&mut filter, &|id| stored_bytes(&*table, &spec, id));
            spec.filter = filter;
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

/// Sorts by cost per dropped row, which minimises the expected cost. Conditions inside of the
/// conjuncts are ordered first.
fn sort(predicates: &mut [Expr], bytes: &dyn Fn(ColumnId) -> Option<f64>) {
    for predicate in predicates.iter_mut().filter(|p| matches!(p, Expr::And(..) | Expr::Or(..))) {
        *predicate = inner(predicate, bytes);
    }
    predicates.sort_by_cached_key(|p| {
        let rank = cost::work(p, bytes) / (1.0 - cost::passing(p)).max(0.05);
        (rank * 1000.0) as u64
    });
}

/// The cost per row below which arms are not worth ordering.
const CHEAP: f64 = 8.0;

/// Orders the arms of ANDs and ORs inside of an expression by their cost, if some cost much. Arms
/// that can fail stay where they are, because the arms before them may exclude the rows on which
/// they fail.
fn inner(expr: &Expr, bytes: &dyn Fn(ColumnId) -> Option<f64>) -> Expr {
    let (arms, ty, is_and) = match expr {
        Expr::And(arms, ty) => (arms, ty, true),
        Expr::Or(arms, ty) => (arms, ty, false),
        other => return other.clone(),
    };
    let mut arms: Vec<Expr> = arms.iter().map(|arm| inner(arm, bytes)).collect();
    if !arms.iter().any(can_fail) {
        arms.sort_by_cached_key(|arm| (cost::work(arm, bytes) / CHEAP) as u64);
    }
    if is_and { Expr::And(arms.into(), ty.clone()) } else { Expr::Or(arms.into(), ty.clone()) }
}
