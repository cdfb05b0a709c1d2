//! Builds the plan of a region in the chosen order.

use std::collections::HashSet;

use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_expr::{ColumnId, Expr};
use entasis_types::DataType;

use super::graph::{Graph, Tree};
use super::region::{Condition, Follows, Region};
use super::{BuildSide, Nodes, exchange};
use crate::join_algorithm::direct;
use crate::lower::{conjunction, extend};
use crate::physical::{Filter, Project, Values};
use crate::{Join, JoinKind, Plan, Planner, Strictness};

type Ids = HashSet<ColumnId>;

/// Sets of nodes whose joins are complete, with their numbers of rows.
type Known<'k> = &'k [(Nodes, f64)];

/// A plan without rows and columns, which stands in for one that is taken away.
pub(crate) fn nothing() -> Plan {
    Plan::Values(Values { columns: Vec::new(), chunk: Chunk::default() })
}

/// The plan of a region, with these columns.
pub(super) fn build(
    planner: &mut Planner<'_>,
    region: Region,
    graph: &Graph,
    tree: &Tree,
    header: &[(ColumnId, DataType)],
) -> Result<Plan> {
    let mut exprs = Vec::with_capacity(header.len());
    let mut needed = Ids::new();
    for (id, _) in header {
        let expr = region.column(*id)?;
        add_columns(&mut needed, &expr);
        exprs.push((*id, expr));
    }
    let mut used = vec![false; region.conditions.len()];
    // Conditions that read nothing are left over in a region of one node only.
    let mut builder = Builder { planner, region, graph, used: &mut used };
    let plan = builder.tree(tree, &needed, &[])?;
    let unused = (0..builder.used.len()).find(|at| !builder.used[*at]);
    if unused.is_some() {
        return Err(Error::logical("an order of joins leaves out a condition"));
    }
    let as_is = plan.outputs().into_iter().eq(header.iter().map(|(id, _)| *id))
        && exprs.iter().all(|(id, e)| matches!(e, Expr::Column { id: from, .. } if from == id));
    match as_is {
        true => Ok(plan),
        false => Ok(Plan::Project(Project { input: Box::new(plan), exprs })),
    }
}

struct Builder<'b, 'f> {
    planner: &'b mut Planner<'f>,
    region: Region,
    graph: &'b Graph,
    /// Whether each condition is tested, or follows from those that are.
    used: &'b mut [bool],
}

/// The conditions of a join.
#[derive(Default)]
struct Parts {
    /// Expressions over the left side and over the right side.
    keys: Vec<(Expr, Expr)>,
    /// Conditions over both sides.
    rest: Vec<Expr>,
}

impl Builder<'_, '_> {
    /// The plan of a tree, with at least the columns `needed`. `known` are the sets of nodes whose
    /// joins are complete before, with their numbers of rows: their keys filter the tree's scans.
    fn tree(&mut self, tree: &Tree, needed: &Ids, known: Known<'_>) -> Result<Plan> {
        let Some(sides) = &tree.sides else {
            let at = tree.nodes.trailing_zeros() as usize;
            return Ok(std::mem::replace(&mut self.region.nodes[at].plan, nothing()));
        };
        let (mut left, mut right) = (&sides.0, &sides.1);
        if self.graph.follower(left.nodes).is_some() {
            std::mem::swap(&mut left, &mut right);
        }
        if let Some(at) = self.graph.follower(right.nodes) {
            return self.follow(left, right, at, (needed, known));
        }
        if self.exchanges(left, right, (1.0, known)) {
            std::mem::swap(&mut left, &mut right);
        }
        let mut parts = self.parts(left.nodes, right.nodes)?;
        let is_cross = parts.keys.is_empty();
        // A cross join has no condition, so that one behind it reads its output.
        let mut above = needed.clone();
        let mut below = needed.clone();
        let target = if is_cross { &mut above } else { &mut below };
        parts.rest.iter().for_each(|expr| add_columns(target, expr));
        below.extend(above.iter().copied());
        for (l, r) in &parts.keys {
            add_columns(&mut below, l);
            add_columns(&mut below, r);
        }
        let complete = [known, &self.complete(right, known)].concat();
        let (left, right) = (self.tree(left, &below, &complete)?, self.tree(right, &below, known)?);
        let rest = std::mem::take(&mut parts.rest);
        let mut join = plain(left, right, &above);
        self.set_keys(&mut join, parts.keys)?;
        if is_cross {
            return Ok(filter(Plan::Join(join), rest));
        }
        join.kind = JoinKind::Inner;
        join.residual = conjunction(rest);
        Ok(Plan::Join(join))
    }

    /// A LEFT, SEMI or ANTI join.
    fn follow(
        &mut self,
        left: &Tree,
        right: &Tree,
        at: usize,
        (needed, known): (&Ids, Known<'_>),
    ) -> Result<Plan> {
        let Some(follows) = self.region.nodes[at].follows.take() else {
            return Err(Error::logical("a node is joined twice"));
        };
        let Follows { strictness, keys, residual, takes_last, use_nulls, .. } = follows;
        let exchanges = self.exchanges(left, right, (2.0, known));
        let Parts { keys: equal, rest } = self.parts(left.nodes, right.nodes)?;
        let mut rest = rest;
        for (l, r) in equal {
            rest.push(self.planner.call("equals", vec![l, r])?);
        }
        let mut above = needed.clone();
        rest.iter().for_each(|expr| add_columns(&mut above, expr));
        let mut below = above.clone();
        residual.iter().for_each(|expr| add_columns(&mut below, expr));
        keys.iter().for_each(|(l, _)| add_columns(&mut below, l));
        let left = self.tree(left, &below, known)?;
        let plan = std::mem::replace(&mut self.region.nodes[at].plan, nothing());
        let mut join = plain(left, plan, &above);
        if matches!(strictness, Strictness::Semi | Strictness::Anti) {
            join.right_outputs.clear();
        }
        let mut new = Vec::new();
        for (l, r) in &keys {
            join.keys.push((self.planner.key_of(l, &mut new), *r));
        }
        join.left = extend(std::mem::replace(&mut join.left, nothing()), new)?;
        join.kind = JoinKind::Left;
        join.strictness = strictness;
        join.residual = residual;
        join.takes_last = takes_last;
        join.use_nulls = use_nulls;
        if exchanges {
            exchange(&mut join);
        }
        Ok(filter(Plan::Join(join), rest))
    }

    /// What filters the other side of a join once this side is complete.
    fn complete(&self, tree: &Tree, known: Known<'_>) -> Vec<(Nodes, f64)> {
        match self.planner.settings.join_filters {
            true => vec![(tree.nodes, self.graph.filtered_rows(tree, known))],
            false => Vec::new(),
        }
    }

    /// Whether the first tree is built instead of the second. `gain`: how many times smaller it
    /// must be.
    fn exchanges(&self, first: &Tree, second: &Tree, (gain, known): (f64, Known<'_>)) -> bool {
        let rows = |tree| self.graph.build_rows(tree, known);
        match self.planner.settings.join_order.build {
            // Such a table has its hash table already.
            BuildSide::Smaller if self.is_keyed(second) => false,
            BuildSide::Smaller if self.is_keyed(first) && gain == 1.0 => true,
            BuildSide::Smaller => rows(first) * gain < rows(second),
            // The table that the query names later.
            BuildSide::Right => first.nodes.trailing_zeros() > second.nodes.trailing_zeros(),
            BuildSide::Left => first.nodes.trailing_zeros() < second.nodes.trailing_zeros(),
        }
    }

    /// Whether a tree is a table that is looked up by its key.
    fn is_keyed(&self, tree: &Tree) -> bool {
        let at = tree.nodes.trailing_zeros() as usize;
        tree.sides.is_none() && direct::is_keyed(&self.region.nodes[at].plan)
    }

    /// The conditions that are tested where two sets are joined.
    fn parts(&mut self, left: Nodes, right: Nodes) -> Result<Parts> {
        let mut parts = Parts::default();
        let mut classes = HashSet::new();
        for (at, link) in self.graph.links.iter().enumerate() {
            if !link.spans(left, right) {
                continue;
            }
            self.used[at] = true;
            match &self.region.conditions[at] {
                Condition::Equal(l, r) if link.is_key(left, right) => {
                    // One equality of a class is enough: the columns of each side are equal.
                    if link.class.is_some_and(|class| !classes.insert(class)) {
                        continue;
                    }
                    let is_left = link.sides.is_some_and(|(first, _)| first & !left == 0);
                    let pair = if is_left { (l, r) } else { (r, l) };
                    parts.keys.push((pair.0.clone(), pair.1.clone()));
                }
                Condition::Equal(l, r) => {
                    let args = vec![l.clone(), r.clone()];
                    parts.rest.push(self.planner.call("equals", args)?);
                }
                Condition::Holds(expr) => parts.rest.push(expr.clone()),
            }
        }
        Ok(parts)
    }

    /// Computes the keys in the sides of a join.
    fn set_keys(&mut self, join: &mut Join, keys: Vec<(Expr, Expr)>) -> Result<()> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (l, r) in keys {
            let pair = (self.planner.key_of(&l, &mut left), self.planner.key_of(&r, &mut right));
            if !join.keys.contains(&pair) {
                join.keys.push(pair);
            }
        }
        join.left = extend(std::mem::replace(&mut join.left, nothing()), left)?;
        join.right = extend(std::mem::replace(&mut join.right, nothing()), right)?;
        Ok(())
    }
}

/// A cross join that returns those columns of its sides that are needed.
fn plain(left: Plan, right: Plan, needed: &Ids) -> Box<Join> {
    let mut join = Join::cross(left, right);
    join.left_outputs.retain(|id| needed.contains(id));
    join.right_outputs.retain(|id| needed.contains(id));
    Box::new(join)
}

fn filter(input: Plan, predicates: Vec<Expr>) -> Plan {
    if predicates.is_empty() {
        return input;
    }
    Plan::Filter(Filter { input: Box::new(input), predicates })
}

fn add_columns(ids: &mut Ids, expr: &Expr) {
    let mut read = Vec::new();
    expr.columns(&mut read);
    ids.extend(read);
}
