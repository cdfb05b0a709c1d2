//! Groups one side of a join before it is joined (eager aggregation: Yan and Larson, VLDB 1995).
//!
//! `SELECT name, sum(price) FROM sales JOIN customers ON customer = id GROUP BY name` first sums
//! the prices of each customer, joins these few rows, and merges their states by name. This pays
//! where the side has few combinations of the columns that the join and the keys read, and where
//! the join would not drop most of its rows anyway.

use entasis_analyze::tree;
use entasis_base::Result;
use entasis_expr::program::can_fail;
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry;

use super::grouping_sets::two_steps;
use super::map_inputs;
use crate::explain_tree::inputs;
use crate::header::type_in;
use crate::physical::{Aggregate, AggregateAlgorithm, Filter, Project};
use crate::{AggregateCall, Columns, Join, JoinKind, Plan, Planner, Strictness, estimate};

/// Most groups per row of the side. What is assumed where nothing is known of the columns is more.
const MOST_GROUPS: f64 = 0.08;
/// Least rows of the join per row of the side.
const LEAST_JOINED: f64 = 0.3;
/// Bytes of keys, and of any String, from which on they are costly to group by.
const WIDE_KEYS: usize = 16;
/// Below this many rows of the side, nothing is to be gained.
const LEAST_ROWS: f64 = 10_000.0;

/// Groups sides of joins first where this pays.
pub(crate) fn group_below_joins(planner: &mut Planner<'_>, plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut |input| group_below_joins(planner, input));
    let Plan::Aggregate(node) = plan else { return plan };
    let simple =
        node.limit.is_none() && node.algorithm.sorted().is_empty() && !node.calls.is_empty();
    if simple && node.calls.iter().all(has_small_state) {
        for is_left in [true, false] {
            let new = over_join(&node).map(|over| rewritten(planner, &node, &over, is_left));
            if let Some(Ok(Some(new))) = new {
                return new;
            }
        }
    }
    Plan::Aggregate(node)
}

/// Whether a state of the function takes a few bytes and is merged about as fast as a row is added.
pub(super) fn has_small_state(call: &AggregateCall) -> bool {
    let name = call.name.strip_suffix("OrNull").unwrap_or(&call.name);
    registry::find_aggregate(name).is_some_and(|def| def.small_state)
}

/// The join below a grouping, and the keys and arguments that are computed from its rows.
struct OverJoin<'p> {
    join: &'p Join,
    exprs: Vec<(ColumnId, Expr)>,
}

fn over_join(node: &Aggregate) -> Option<OverJoin<'_>> {
    let (join, exprs) = match &*node.input {
        Plan::Project(Project { input, exprs }) => match &**input {
            Plan::Join(join) => (join, exprs.clone()),
            _ => return None,
        },
        Plan::Join(join) => {
            let header = node.input.header().ok()?;
            (join, header.into_iter().map(|(id, ty)| (id, Expr::column(id, ty))).collect())
        }
        _ => return None,
    };
    // A join whose rows are only counted makes no rows.
    let counts = exprs.is_empty();
    let is_plain = join.strictness == Strictness::All && join.closest.is_none() && !counts;
    let deterministic = exprs.iter().all(|(_, expr)| tree::is_deterministic(expr));
    (is_plain && deterministic && !join.keys.is_empty()).then_some(OverJoin { join, exprs })
}

/// The grouping over a join of which one side is grouped before; `None` if that does not pay.
fn rewritten(
    planner: &mut Planner<'_>,
    node: &Aggregate,
    over: &OverJoin<'_>,
    is_left: bool,
) -> Result<Option<Plan>> {
    let join = over.join;
    let kept = join.kind == JoinKind::Inner || (is_left && join.kind == JoinKind::Left);
    let (side, other) = if is_left { (&join.left, &join.right) } else { (&join.right, &join.left) };
    let rows = estimate(side);
    // Where the other side has conditions, its keys drop rows of this side while they are read.
    if !kept || rows < LEAST_ROWS || has_grouping(side) || has_condition(other) {
        return Ok(None);
    }
    let of_side = side.header()?;
    let Some(parts) = Parts::of(node, over, &of_side, is_left) else { return Ok(None) };
    let joined = estimate_of(join);
    // The join may have several rows for each row of the side.
    let gains = are_costly(&parts.keys) || joined > 2.0 * rows;
    if !gains || joined < LEAST_JOINED * rows {
        return Ok(None);
    }
    let input = Box::new(Plan::Project(Project {
        input: Box::new(side.clone()),
        exprs: parts.below.clone(),
    }));
    let typed = input.header()?;
    let Some((states, merges)) = two_steps(planner, &node.calls, &typed)? else { return Ok(None) };
    let made: Vec<ColumnId> = states.iter().map(|call| call.id).collect();
    let keys = parts.columns;
    let first = Aggregate {
        input,
        keys,
        calls: states,
        limit: None,
        algorithm: AggregateAlgorithm::default(),
    };
    let first = Plan::Aggregate(first);
    if estimate(&first) > MOST_GROUPS * rows {
        return Ok(None);
    }
    let mut new = Box::new(join.clone());
    let outputs = if is_left { &mut new.left_outputs } else { &mut new.right_outputs };
    *outputs = parts.above.iter().chain(&made).copied().collect();
    *(if is_left { &mut new.left } else { &mut new.right }) = first;
    let joined = Plan::Join(new);
    let header = joined.header()?;
    let mut exprs = parts.keys;
    for id in made {
        exprs.push((id, Expr::column(id, type_in(&header, id)?.clone())));
    }
    let input = Box::new(Plan::Project(Project { input: Box::new(joined), exprs }));
    let keys = node.keys.clone();
    let second = Aggregate {
        input,
        keys,
        calls: merges,
        limit: None,
        algorithm: AggregateAlgorithm::default(),
    };
    Ok(Some(Plan::Aggregate(second)))
}

/// Whether grouping by these keys takes longer than grouping by the columns of the join.
fn are_costly(keys: &[(ColumnId, Expr)]) -> bool {
    let widths = keys.iter().map(|(_, expr)| expr.ty().without_nullable().fixed_width());
    widths.map(|width| width.unwrap_or(WIDE_KEYS)).sum::<usize>() >= WIDE_KEYS
}

/// Whether the rows of a plan come from a grouping, which left few of them already.
fn has_grouping(plan: &Plan) -> bool {
    match plan {
        Plan::Aggregate(_) => true,
        Plan::Filter(Filter { input, .. }) | Plan::Project(Project { input, .. }) => {
            has_grouping(input)
        }
        _ => false,
    }
}

/// Whether conditions drop rows of a plan.
fn has_condition(plan: &Plan) -> bool {
    match plan {
        Plan::Filter(_) => true,
        Plan::Scan(scan) => !scan.spec.filter.is_empty(),
        other => inputs(other).into_iter().any(has_condition),
    }
}

fn estimate_of(join: &Join) -> f64 {
    estimate(&Plan::Join(Box::new(join.clone())))
}

/// What the two groupings compute.
struct Parts {
    /// The keys of the first grouping.
    columns: Vec<ColumnId>,
    /// The columns below the first grouping: its keys and the arguments.
    below: Vec<(ColumnId, Expr)>,
    /// Columns of the side that the keys of the second grouping read.
    above: Vec<ColumnId>,
    /// The keys of the second grouping.
    keys: Vec<(ColumnId, Expr)>,
}

impl Parts {
    /// `None` if an argument reads the other side, or columns that the join changes.
    fn of(node: &Aggregate, over: &OverJoin<'_>, side: &Columns, is_left: bool) -> Option<Self> {
        let join = over.join;
        let is_of_side = |id: &ColumnId| side.iter().any(|(known, _)| known == id);
        let is_key = |id: &ColumnId| node.keys.contains(id);
        let is_argument = |id: &ColumnId| node.calls.iter().any(|call| call.args.contains(id));
        let keys: Vec<_> = over.exprs.iter().filter(|(id, _)| is_key(id)).cloned().collect();
        let args: Vec<_> = over.exprs.iter().filter(|(id, _)| is_argument(id)).cloned().collect();
        let mut read = Vec::new();
        args.iter().for_each(|(_, expr)| expr.columns(&mut read));
        // A column that is both would have two meanings below the join, and an argument may fail
        // for rows that the join drops.
        let stays = |(id, expr): &(ColumnId, Expr)| is_key(id) || can_fail(expr);
        if !read.iter().all(is_of_side) || args.iter().any(stays) {
            return None;
        }
        let mut above = Vec::new();
        keys.iter().for_each(|(_, expr)| expr.columns(&mut above));
        above.retain(is_of_side);
        dedup(&mut above);
        let mut columns = above.clone();
        columns.extend(join.keys.iter().map(|(left, right)| if is_left { *left } else { *right }));
        if let Some(residual) = &join.residual {
            residual.columns(&mut columns);
            columns.retain(is_of_side);
        }
        dedup(&mut columns);
        let column = |id: &ColumnId| {
            let (_, ty) = side.iter().find(|(known, _)| known == id)?;
            Some((*id, Expr::column(*id, ty.clone())))
        };
        let mut below = columns.iter().map(column).collect::<Option<Vec<_>>>()?;
        let same =
            |id: &ColumnId, expr: &Expr| matches!(expr, Expr::Column { id: own, .. } if own == id);
        for (id, expr) in args {
            match columns.contains(&id) {
                true if same(&id, &expr) => {}
                true => return None,
                false => below.push((id, expr)),
            }
        }
        Some(Self { columns, below, above, keys })
    }
}

fn dedup(ids: &mut Vec<ColumnId>) {
    let mut known = std::collections::HashSet::new();
    ids.retain(|id| known.insert(*id));
}
