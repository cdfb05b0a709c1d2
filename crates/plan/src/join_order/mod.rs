//! Chooses the order of joins.
//!
//! A *region* is a tree of joins that can be reordered, with the projections and filters between
//! them ([`region`]). Its inputs become the nodes of a hypergraph ([`graph`]), and its conditions
//! the edges. Equalities that follow from others are added, and conditions on one side of an
//! equality are copied to the other side ([`implied`]). Dynamic programming over connected
//! subgraphs ([`dphyp`]) finds the cheapest order; if there are too many of them, pairs are joined
//! greedily ([`greedy`]). The plan is then built anew ([`build`]), and a projection restores the
//! columns that the region had.
//!
//! Inner and cross joins are reordered freely. LEFT, SEMI and ANTI joins keep their right side as
//! one node, which is joined once the columns of its condition are there; that is all that is
//! allowed as long as no condition is known to reject a row without a match, which has default
//! values here. RIGHT joins are LEFT joins with exchanged sides. FULL, ANY, ASOF and PASTE joins
//! are inputs of regions.

mod build;
mod dphyp;
mod graph;
mod greedy;
mod implied;
mod region;

use entasis_base::{Result, scope};

pub(crate) use build::nothing;

use crate::estimate::Estimator;
use crate::join_algorithm::direct;
use crate::pass::map_inputs;
use crate::{Join, JoinKind, Plan, Planner, Strictness};

/// Which side of a join is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildSide {
    /// The side that is estimated to be smaller.
    #[default]
    Smaller,
    /// The right side, as the query says.
    Right,
    /// The left side of the query.
    Left,
}

/// How joins are ordered.
#[derive(Clone, Copy, Debug)]
pub struct JoinOrder {
    /// Most tables for which all orders are compared; larger regions are ordered greedily. Joins
    /// stay in the order of the query if this is 0 or 1.
    pub most_tables: u64,
    /// Most pairs of subgraphs that are compared.
    pub most_pairs: u64,
    /// Not 0: the seed of a random order, for tests; 1 stands for the query's own seed.
    pub random: u64,
    /// The side that is built.
    pub build: BuildSide,
    /// Outer joins become inner joins if a condition above drops the rows without a match.
    pub simplifies_outer: bool,
}

impl Default for JoinOrder {
    fn default() -> Self {
        Self {
            most_tables: 10,
            most_pairs: 10_000,
            random: 0,
            build: BuildSide::Smaller,
            simplifies_outer: true,
        }
    }
}

/// A set of a region's nodes, by index.
type Nodes = u64;

/// Whether a set is one node.
fn is_one(nodes: Nodes) -> bool {
    nodes.is_power_of_two()
}

/// Most nodes of a region.
const MOST_NODES: usize = Nodes::BITS as usize;

/// Orders all joins of the plan. The result's columns are those of the plan, in the same order.
pub(crate) fn order(planner: &mut Planner<'_>, plan: Plan) -> Result<Plan> {
    if !has_join(&plan) {
        return Ok(plan);
    }
    let estimator = Estimator::default();
    let plan = ordered(planner, &estimator, plan)?;
    Ok(crate::pass::project::merge(plan))
}

fn has_join(plan: &Plan) -> bool {
    matches!(plan, Plan::Join(_)) || crate::explain_tree::inputs(plan).into_iter().any(has_join)
}

fn ordered(planner: &mut Planner<'_>, estimator: &Estimator, plan: Plan) -> Result<Plan> {
    scope::check()?;
    if planner.settings.join_order.most_tables > 1 && region::is_region(&plan) {
        return whole_region(planner, estimator, plan);
    }
    let plan = in_inputs(planner, estimator, plan)?;
    Ok(match plan {
        Plan::Join(join) => Plan::Join(with_sides(planner, estimator, join)),
        other => other,
    })
}

fn in_inputs(planner: &mut Planner<'_>, estimator: &Estimator, plan: Plan) -> Result<Plan> {
    let mut failed = None;
    let plan = map_inputs(plan, &mut |input| match ordered(planner, estimator, input) {
        Ok(plan) => plan,
        Err(error) => {
            failed = Some(error);
            nothing()
        }
    });
    failed.map_or(Ok(plan), Err)
}

fn whole_region(planner: &mut Planner<'_>, estimator: &Estimator, plan: Plan) -> Result<Plan> {
    let header = plan.header()?;
    let mut region = region::Region::of(planner, estimator, plan)?;
    let classes = implied::add(planner, &mut region)?;
    let graph = graph::Graph::of(estimator, &region, &classes);
    let tree = match planner.settings.join_order.random {
        0 => best(&graph, planner.settings.join_order),
        1 => greedy::random(&graph, planner.context.seed()),
        seed => greedy::random(&graph, seed),
    };
    build::build(planner, region, &graph, &tree, &header)
}

/// The best order that is found within the bounds.
fn best(graph: &graph::Graph, bounds: JoinOrder) -> graph::Tree {
    let small = graph.nodes.len() as u64 <= bounds.most_tables;
    let parts = match small.then(|| dphyp::components(graph, bounds.most_pairs)).flatten() {
        Some(parts) => parts,
        None => graph.leaves(),
    };
    greedy::join(graph, parts)
}

/// Chooses the build side of a join that is in no region.
fn with_sides(planner: &Planner<'_>, estimator: &Estimator, mut join: Box<Join>) -> Box<Join> {
    if join.strictness != Strictness::All {
        return join;
    }
    // A join that keeps build rows must mark the matched ones, so the gain must be larger.
    let gain = match join.kind {
        JoinKind::Inner | JoinKind::Cross | JoinKind::Full => 1.0,
        JoinKind::Left => 2.0,
        JoinKind::Right => 0.5,
        JoinKind::Paste => return join,
    };
    let swaps = match planner.settings.join_order.build {
        BuildSide::Right => false,
        BuildSide::Left => true,
        BuildSide::Smaller => {
            let left = estimator.relation(&join.left, &[]).rows;
            !direct::is_keyed(&join.right)
                && left * gain < estimator.relation(&join.right, &[]).rows
        }
    };
    if swaps {
        exchange(&mut join);
    }
    join
}

/// Exchanges the sides of a join.
fn exchange(join: &mut Join) {
    join.kind = match join.kind {
        JoinKind::Left => JoinKind::Right,
        JoinKind::Right => JoinKind::Left,
        other => other,
    };
    std::mem::swap(&mut join.left, &mut join.right);
    std::mem::swap(&mut join.left_outputs, &mut join.right_outputs);
    for (l, r) in &mut join.keys {
        std::mem::swap(l, r);
    }
}
