//! Takes a tree of joins apart into inputs and conditions.

use std::collections::{HashMap, HashSet};

use entasis_analyze::join::common_key;
use entasis_analyze::tree;
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_types::DataType;

use super::{MOST_NODES, Nodes, is_one};
use crate::estimate::Estimator;
use crate::physical::{Filter, Project};
use crate::{Join, JoinKind, Plan, Planner, Strictness};

/// Most nodes of an expression that is moved across joins.
const MOST_SIZE: usize = 500;

/// An input of a region.
pub(super) struct Node {
    /// The rows.
    pub plan: Plan,
    /// How the node is joined, if it is the right side of a LEFT, SEMI or ANTI join.
    pub follows: Option<Follows>,
}

/// A LEFT, SEMI or ANTI join whose right side is one node.
pub(super) struct Follows {
    /// Which rows and matches the join returns.
    pub strictness: Strictness,
    /// Expressions over other nodes, and the columns of the node that equal them.
    pub keys: Vec<(Expr, ColumnId)>,
    /// A further condition of the join.
    pub residual: Option<Expr>,
    /// As in [`Join`].
    pub takes_last: bool,
    /// As in [`Join`].
    pub use_nulls: bool,
    /// The nodes that must be joined before.
    pub required: Nodes,
}

/// A condition of a region.
#[derive(Clone)]
pub(super) enum Condition {
    /// An equality of two expressions of the same type over different nodes. NULL is not equal to
    /// anything.
    Equal(Expr, Expr),
    /// Any other condition.
    Holds(Expr),
}

impl Condition {
    /// The condition, unless it is an equality.
    pub fn holds(&self) -> Option<&Expr> {
        match self {
            Self::Equal(..) => None,
            Self::Holds(expr) => Some(expr),
        }
    }
}

/// Inputs and conditions of a tree of joins.
#[derive(Default)]
pub(super) struct Region {
    /// The inputs.
    pub nodes: Vec<Node>,
    /// The conditions, over columns of the inputs.
    pub conditions: Vec<Condition>,
    /// The node and the type of each column of the inputs, as it is above the node's join.
    columns: HashMap<ColumnId, (usize, DataType)>,
    /// Columns that projections inside of the region compute, over columns of the inputs.
    computed: HashMap<ColumnId, Expr>,
}

/// Whether the plan is a join that can be reordered, perhaps below a filter.
pub(super) fn is_region(plan: &Plan) -> bool {
    let starts = match plan {
        Plan::Filter(Filter { input, predicates }) => {
            matches!(**input, Plan::Join(_)) && predicates.iter().all(tree::is_deterministic)
        }
        other => matches!(other, Plan::Join(_)),
    };
    starts && leads_to_join(plan) && Check::default().plan(plan)
}

/// Whether a region continues in this plan; otherwise it is one of its inputs.
fn leads_to_join(plan: &Plan) -> bool {
    match plan {
        Plan::Join(join) => is_movable(join),
        Plan::Filter(Filter { input, predicates }) => {
            predicates.iter().all(tree::is_deterministic) && leads_to_join(input)
        }
        Plan::Project(Project { input, exprs }) => {
            exprs.iter().all(|(_, expr)| tree::is_deterministic(expr)) && leads_to_join(input)
        }
        _ => false,
    }
}

fn is_movable(join: &Join) -> bool {
    let plain = join.closest.is_none() && join.residual.as_ref().is_none_or(tree::is_deterministic);
    plain
        && match (join.kind, join.strictness) {
            (JoinKind::Inner | JoinKind::Cross, Strictness::All) => !join.use_nulls,
            (JoinKind::Left | JoinKind::Right, Strictness::All) => true,
            // The other side's columns are those of one match, and which one it is may change.
            (JoinKind::Left, Strictness::Semi | Strictness::Anti) => join.right_outputs.is_empty(),
            (JoinKind::Right, Strictness::Semi | Strictness::Anti) => join.left_outputs.is_empty(),
            _ => false,
        }
}

/// Checks that every column of a region has one meaning, and that nothing becomes too large.
#[derive(Default)]
struct Check {
    nodes: usize,
    sizes: HashMap<ColumnId, usize>,
}

impl Check {
    fn plan(&mut self, plan: &Plan) -> bool {
        match plan {
            Plan::Join(join) if is_movable(join) => {
                let (left, right) = match (join.kind, join.strictness) {
                    (JoinKind::Inner | JoinKind::Cross, _) => (true, true),
                    (JoinKind::Left, _) => (true, false),
                    _ => (false, true),
                };
                self.side(&join.left, left) && self.side(&join.right, right)
            }
            Plan::Filter(Filter { input, .. }) => self.plan(input),
            Plan::Project(Project { input, exprs }) => {
                self.plan(input) && exprs.iter().all(|(id, expr)| self.expr(*id, expr))
            }
            _ => false,
        }
    }

    fn side(&mut self, plan: &Plan, continues: bool) -> bool {
        if continues && leads_to_join(plan) {
            return self.plan(plan);
        }
        self.nodes += 1;
        let mut new = plan.outputs().into_iter().all(|id| self.sizes.insert(id, 1).is_none());
        new &= self.nodes <= MOST_NODES;
        new
    }

    fn expr(&mut self, id: ColumnId, expr: &Expr) -> bool {
        if is_column(expr, id) {
            return true;
        }
        let size = tree::substituted_size(expr, &|id| self.sizes.get(&id).copied().unwrap_or(1));
        let mut read = Vec::new();
        expr.columns(&mut read);
        // A column that is only converted keeps its id.
        let is_new = self.sizes.insert(id, size).is_none() || read == [id];
        size <= MOST_SIZE && is_new
    }
}

impl Region {
    /// Takes the plan apart, and orders the joins inside of its inputs.
    pub fn of(planner: &mut Planner<'_>, estimator: &Estimator, plan: Plan) -> Result<Self> {
        let mut region = Self::default();
        region.add(planner, estimator, plan)?;
        let mut conditions = Vec::with_capacity(region.conditions.len());
        for condition in std::mem::take(&mut region.conditions) {
            region.sort_out(planner, condition, &mut conditions)?;
        }
        region.conditions = conditions;
        Ok(region)
    }

    fn add(&mut self, planner: &mut Planner<'_>, estimator: &Estimator, plan: Plan) -> Result<()> {
        if !leads_to_join(&plan) {
            let plan = super::ordered(planner, estimator, plan)?;
            return self.node(plan, None);
        }
        match plan {
            Plan::Filter(Filter { input, predicates }) => {
                self.add(planner, estimator, *input)?;
                predicates.into_iter().for_each(|predicate| self.holds(predicate));
            }
            Plan::Project(Project { input, exprs }) => {
                self.add(planner, estimator, *input)?;
                let others = exprs.iter().filter(|(id, expr)| !is_column(expr, *id));
                let new: Vec<_> = others.map(|(id, expr)| (*id, self.resolved(expr))).collect();
                self.computed.extend(new);
            }
            Plan::Join(join) => self.join(planner, estimator, *join)?,
            other => self.node(other, None)?,
        }
        Ok(())
    }

    fn join(&mut self, planner: &mut Planner<'_>, estimator: &Estimator, join: Join) -> Result<()> {
        let mut join = join;
        if join.kind == JoinKind::Right {
            super::exchange(&mut join);
        }
        let before = self.nodes.len();
        let Join { left, right, keys, residual, .. } = join;
        self.add(planner, estimator, left)?;
        if join.kind != JoinKind::Left {
            self.add(planner, estimator, right)?;
            for (l, r) in keys {
                let equal = Condition::Equal(self.column(l)?, self.column(r)?);
                self.conditions.push(equal);
            }
            residual.into_iter().for_each(|residual| self.holds(residual));
            return Ok(());
        }
        let left: Nodes = (before..self.nodes.len()).fold(0, |all, at| all | 1 << at);
        let mut follows = Follows {
            strictness: join.strictness,
            keys: Vec::with_capacity(keys.len()),
            residual: residual.map(|residual| self.resolved(&residual)),
            takes_last: join.takes_last,
            use_nulls: join.use_nulls,
            required: 0,
        };
        for (l, r) in keys {
            follows.keys.push((self.column(l)?, r));
        }
        // The right side's columns are not known yet, so that these are the left side's.
        let exprs = follows.keys.iter().map(|(l, _)| l).chain(&follows.residual);
        let required = exprs.fold(0, |all, expr| all | self.nodes_of(expr));
        follows.required = if required == 0 { left } else { required };
        let right = super::ordered(planner, estimator, right)?;
        self.node(right, Some(follows))
    }

    fn node(&mut self, plan: Plan, follows: Option<Follows>) -> Result<()> {
        let missing = follows.as_ref().is_some_and(|follows| follows.use_nulls);
        for (id, ty) in plan.header()? {
            let ty = if missing { ty.when_missing() } else { ty };
            self.columns.insert(id, (self.nodes.len(), ty));
        }
        self.nodes.push(Node { plan, follows });
        Ok(())
    }

    fn holds(&mut self, condition: Expr) {
        let mut all = Vec::new();
        tree::conjuncts(condition, &mut all);
        let all = all.into_iter().map(|condition| Condition::Holds(self.resolved(&condition)));
        let all: Vec<Condition> = all.collect();
        self.conditions.extend(all);
    }

    /// A column of the region, as an expression over the columns of its inputs.
    pub fn column(&self, id: ColumnId) -> Result<Expr> {
        if let Some(expr) = self.computed.get(&id) {
            return Ok(expr.clone());
        }
        match self.columns.get(&id) {
            Some((_, ty)) => Ok(Expr::column(id, ty.clone())),
            None => Err(entasis_base::Error::logical("a join reads a column that is not there")),
        }
    }

    fn resolved(&self, expr: &Expr) -> Expr {
        tree::substitute(expr, &|id| self.computed.get(&id).cloned())
    }

    /// The nodes whose columns the expression reads, and those that must be joined before them.
    pub fn nodes_of(&self, expr: &Expr) -> Nodes {
        let mut ids = Vec::new();
        expr.columns(&mut ids);
        let nodes: HashSet<usize> =
            ids.iter().filter_map(|id| self.columns.get(id)).map(|(node, _)| *node).collect();
        nodes.into_iter().fold(0, |all, node| {
            let follows = self.nodes[node].follows.as_ref();
            all | 1 << node | follows.map_or(0, |follows| follows.required)
        })
    }

    /// The node of a column.
    pub fn node_of(&self, id: ColumnId) -> Option<usize> {
        self.columns.get(&id).map(|(node, _)| *node)
    }

    /// Makes equalities of conditions, and moves conditions on one input into it.
    fn sort_out(
        &mut self,
        planner: &mut Planner<'_>,
        condition: Condition,
        out: &mut Vec<Condition>,
    ) -> Result<()> {
        let disjoint = |region: &Self, l: &Expr, r: &Expr| {
            let (l, r) = (region.nodes_of(l), region.nodes_of(r));
            l != 0 && r != 0 && l & r == 0
        };
        let condition = match condition {
            Condition::Equal(l, r) if disjoint(self, &l, &r) => Condition::Equal(l, r),
            Condition::Equal(l, r) => Condition::Holds(planner.call("equals", vec![l, r])?),
            Condition::Holds(expr) => match equality(&expr) {
                Some((l, r)) if disjoint(self, l, r) => {
                    match common_key(l.clone(), r.clone(), planner.context) {
                        Ok((l, r)) => Condition::Equal(l, r),
                        Err(_) => Condition::Holds(expr),
                    }
                }
                _ => Condition::Holds(expr),
            },
        };
        if let Condition::Holds(expr) = &condition {
            let nodes = self.nodes_of(expr);
            if is_one(nodes) {
                return self.restrict(planner, nodes.trailing_zeros() as usize, expr.clone());
            }
        }
        out.push(condition);
        Ok(())
    }

    /// Adds a condition to an input.
    pub fn restrict(
        &mut self,
        planner: &mut Planner<'_>,
        node: usize,
        condition: Expr,
    ) -> Result<()> {
        let plan = std::mem::replace(&mut self.nodes[node].plan, super::build::nothing());
        self.nodes[node].plan = crate::pass::filter::restrict(planner, plan, condition)?;
        Ok(())
    }
}

fn is_column(expr: &Expr, id: ColumnId) -> bool {
    matches!(expr, Expr::Column { id: from, .. } if *from == id)
}

/// Both sides of an equality.
fn equality(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr {
        Expr::Call { function, args, lambda: None } if function.is_equals() => match &args[..] {
            [l, r] => Some((l, r)),
            _ => None,
        },
        _ => None,
    }
}
