//! A top-N over a table's column tells the scan, while it runs, which rows can still qualify.

use crate::physical::{Filter, Project, Scan, Sort};
use std::sync::Arc;

use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{RuntimeFilter, ScanSpec};
use entasis_types::DataType;

use super::map_inputs;
use crate::Plan;
use crate::header::type_in;

/// Shares thresholds between sorts with a limit and the scans below them, and tells scans the order
/// in which their rows are wanted.
pub(crate) fn attach(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut attach);
    let Plan::Sort(Sort { mut input, keys, limit: Some(limit), threshold: _ }) = plan else {
        return plan;
    };
    let order = keys.iter().map(|k| (k.column, k.order)).collect::<Vec<_>>();
    let mut threshold = None;
    if let Some((types, spec)) = scan_below(&mut input, keys[0].column)
        && let Ok(ty) = type_in(types, keys[0].column)
    {
        // NULL and NaN would come first then, whatever the bound is.
        let special = ty.is_nullable() || ty.is_float();
        let comparable = ty.fixed_width().is_some() || ty.is_string();
        if comparable && !(special && keys[0].order.nulls_first) && !ty.is_nullable() {
            let filter = RuntimeFilter::new(keys[0].column, keys[0].order);
            spec.runtime.push(Arc::clone(&filter));
            threshold = Some(filter);
        }
        let read = |(id, _): &(ColumnId, _)| spec.column(*id).is_some();
        spec.order = order.into_iter().take_while(read).collect();
    }
    Plan::Sort(Sort { input, keys, limit: Some(limit), threshold })
}

/// The scan from which `column` comes unchanged, through filters and projections only.
fn scan_below(
    plan: &mut Plan,
    column: ColumnId,
) -> Option<(&[(ColumnId, DataType)], &mut ScanSpec)> {
    match plan {
        Plan::Scan(Scan { types, spec, .. }) => {
            let read = spec.column(column).is_some();
            read.then_some((&types[..], spec))
        }
        Plan::Filter(Filter { input, .. }) => scan_below(input, column),
        Plan::Project(Project { input, exprs }) => {
            let unchanged = exprs.iter().any(|(id, e)| {
                *id == column && matches!(e, Expr::Column { id: from, .. } if *from == column)
            });
            if unchanged { scan_below(input, column) } else { None }
        }
        _ => None,
    }
}
