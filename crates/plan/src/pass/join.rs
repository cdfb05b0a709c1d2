//! Chooses the build side of a join: the side that is estimated to be smaller.

use super::map_inputs;
use crate::estimate::estimate;
use crate::{JoinKind, Plan, Strictness};

/// Swaps the sides if the right one is estimated to be larger.
pub(crate) fn choose_sides(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut choose_sides);
    let Plan::Join(mut join) = plan else { return plan };
    // An outer join that keeps build rows must mark the matched ones, so the gain must be larger.
    let (exchanged, gain) = match join.kind {
        JoinKind::Inner | JoinKind::Cross | JoinKind::Full => (join.kind, 1.0),
        JoinKind::Left => (JoinKind::Right, 2.0),
        JoinKind::Right => (JoinKind::Left, 0.5),
        JoinKind::Paste => return Plan::Join(join),
    };
    if join.strictness == Strictness::All && estimate(&join.left) * gain < estimate(&join.right) {
        join.kind = exchanged;
        std::mem::swap(&mut join.left, &mut join.right);
        std::mem::swap(&mut join.left_outputs, &mut join.right_outputs);
        for (l, r) in &mut join.keys {
            std::mem::swap(l, r);
        }
    }
    Plan::Join(join)
}
