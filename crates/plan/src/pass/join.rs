//! The smaller side of an inner join is built, the larger one probes.

use super::map_inputs;
use crate::{JoinKind, Plan, Strictness};

/// Exchanges sides where the right one is estimated to be larger.
pub(crate) fn choose_sides(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut choose_sides);
    let Plan::Join(mut join) = plan else { return plan };
    let symmetric = matches!(join.kind, JoinKind::Inner | JoinKind::Cross)
        && join.strictness == Strictness::All;
    if symmetric && estimate(&join.left) < estimate(&join.right) {
        std::mem::swap(&mut join.left, &mut join.right);
        std::mem::swap(&mut join.left_outputs, &mut join.right_outputs);
        for (l, r, _) in &mut join.keys {
            std::mem::swap(l, r);
        }
    }
    Plan::Join(join)
}

/// Rows, roughly. Unknown tables count as large.
fn estimate(plan: &Plan) -> f64 {
    match plan {
        Plan::Values { chunk, .. } => chunk.rows as f64,
        Plan::Scan { table, spec, .. } => {
            let rows = table.row_count().map_or(1e6, |n| n as f64);
            rows * 0.3f64.powi(spec.filter.len().min(4) as i32)
        }
        Plan::Filter { input, predicates } => {
            estimate(input) * 0.3f64.powi(predicates.len().min(4) as i32)
        }
        Plan::Project { input, .. } | Plan::ArrayJoin { input, .. } => estimate(input),
        Plan::Aggregate { keys, .. } if keys.is_empty() => 1.0,
        Plan::Aggregate { input, .. } => estimate(input) * 0.1,
        Plan::Distinct { input, .. } => estimate(input) * 0.3,
        Plan::Rows { .. } | Plan::Recursive(_) => 1000.0,
        Plan::LimitTies { limit, .. } => *limit as f64,
        Plan::Bound { input, .. } | Plan::Totals { input, .. } => estimate(input),
        Plan::Sort { input, limit, .. } | Plan::Limit { input, limit, .. } => {
            estimate(input).min(limit.map_or(f64::MAX, |l| l as f64))
        }
        Plan::LimitBy { input, .. } => estimate(input) * 0.5,
        Plan::Union { inputs, .. } => inputs.iter().map(estimate).sum(),
        Plan::Join(join) => estimate(&join.left).max(estimate(&join.right)),
    }
}
