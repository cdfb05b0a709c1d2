//! Joins whose left side is read first, up to a bound, because its number of rows is uncertain.

use crate::estimate::Estimator;
use crate::physical::{Filter, Project};
use crate::{Join, JoinKind, Plan};

/// Estimated rows of a build side from which on a wrong choice of the side is expensive.
const LARGE_BUILD: f64 = 262_144.0;

/// The most rows of a left side that is read first: where the right side is large, and nobody
/// knows for sure that the left side is larger, as conditions may leave less than is estimated.
pub(super) fn most_rows(estimator: &Estimator, join: &Join) -> Option<u64> {
    if !matches!(join.kind, JoinKind::Inner | JoinKind::Left) || !has_conditions(&join.left) {
        return None;
    }
    let right = estimator.relation(&join.right, &[]).rows;
    (right >= LARGE_BUILD).then_some((right / 4.0).min(LARGE_BUILD) as u64)
}

/// Whether a plan is a table, or part of one, of which conditions drop rows.
fn has_conditions(plan: &Plan) -> bool {
    match plan {
        Plan::Filter(Filter { input, .. }) => is_table(input),
        Plan::Project(Project { input, .. }) => has_conditions(input),
        Plan::Scan(scan) => !scan.spec.filter.is_empty(),
        _ => false,
    }
}

fn is_table(plan: &Plan) -> bool {
    match plan {
        Plan::Filter(Filter { input, .. }) | Plan::Project(Project { input, .. }) => {
            is_table(input)
        }
        Plan::Scan(_) => true,
        _ => false,
    }
}
