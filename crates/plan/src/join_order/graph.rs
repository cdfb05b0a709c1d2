//! The hypergraph of a region: nodes with their numbers of rows, conditions with the share of pairs
//! that they let through, and what joining two sets of nodes costs.

use entasis_analyze::tree;
use entasis_expr::{ColumnId, Expr};

use super::implied::{self, Classes};
use super::region::{Condition, Follows, Region};
use super::{Nodes, is_one};
use crate::Strictness;
use crate::estimate::{Estimator, Numbers, Relation, band, join, share};

/// The cost of a row that is looked up in a hash table, added to one, and returned.
const PROBE: f64 = 1.0;
const BUILD: f64 = 2.0;
const OUTPUT: f64 = 1.0;

/// Rows that a join may give although few or none are estimated.
const UNCERTAIN_ROWS: f64 = 1000.0;

/// A region, as far as the order of its joins matters.
pub(super) struct Graph {
    /// The nodes.
    pub nodes: Vec<NodeInfo>,
    /// The conditions, in the order of the region's.
    pub links: Vec<Link>,
    /// Sets of nodes that may be joined with each other.
    pub edges: Vec<(Nodes, Nodes)>,
}

/// A node.
pub(super) struct NodeInfo {
    rows: f64,
    follows: Option<FollowInfo>,
}

impl NodeInfo {
    /// The numbers of a node once it is joined: a LEFT join leaves rows without a match.
    fn joined(&self, relation: &Relation) -> Relation {
        match &self.follows {
            Some(follows) if matches!(follows.strictness, Strictness::All | Strictness::Any) => {
                relation.clone().outer(follows.matched, follows.use_nulls)
            }
            _ => relation.clone(),
        }
    }
}

/// How the right side of a LEFT, SEMI or ANTI join is joined.
struct FollowInfo {
    strictness: Strictness,
    required: Nodes,
    /// The share of pairs that match.
    pairs: f64,
    /// The share of left rows that have a match.
    matched: f64,
    use_nulls: bool,
}

/// A condition.
pub(super) struct Link {
    /// The nodes that it reads, and those that must be joined before these.
    pub nodes: Nodes,
    /// The nodes of both sides of an equality that can be a key.
    pub sides: Option<(Nodes, Nodes)>,
    /// Equalities that follow from each other have the same class.
    pub class: Option<usize>,
    /// The share of pairs of rows that it lets through.
    share: f64,
}

impl Link {
    /// Whether the condition can be tested as soon as the two sets are joined.
    pub fn spans(&self, left: Nodes, right: Nodes) -> bool {
        let both = left | right;
        self.nodes & !both == 0 && self.nodes & !left != 0 && self.nodes & !right != 0
    }

    /// Whether the condition is a key of the join of the two sets.
    pub fn is_key(&self, left: Nodes, right: Nodes) -> bool {
        self.sides.is_some_and(|(l, r)| {
            (l & !left == 0 && r & !right == 0) || (l & !right == 0 && r & !left == 0)
        })
    }
}

/// An order of joins.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The nodes that are joined.
    pub nodes: Nodes,
    /// The estimated number of rows.
    pub rows: f64,
    /// The cost of all joins in it.
    pub cost: f64,
    /// The two sides of the join; none for a node.
    pub sides: Option<Box<(Tree, Tree)>>,
}

/// What joining two sets of nodes gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    /// The estimated number of rows.
    pub rows: f64,
    /// The cost of the join itself.
    pub cost: f64,
    /// Whether a condition connects both sides.
    pub connected: bool,
    /// Whether rows are found by an equality.
    pub by_key: bool,
}

impl Graph {
    /// The graph of a region.
    pub fn of(estimator: &Estimator, region: &Region, classes: &Classes) -> Self {
        let relations = relations(estimator, region);
        let mut graph = Self { nodes: Vec::new(), links: Vec::new(), edges: Vec::new() };
        for (at, node) in region.nodes.iter().enumerate() {
            let rows = relations[at].rows.max(1.0);
            let follows = node.follows.as_ref().map(|f| follow(region, &relations, at, f));
            if let Some(follows) = &follows {
                graph.edges.push((follows.required, 1 << at));
            }
            graph.nodes.push(NodeInfo { rows, follows });
        }
        let numbers = Lookup { region, relations: &relations };
        let joined =
            relations.iter().zip(&graph.nodes).map(|(relation, node)| node.joined(relation));
        let all = Relation::beside(joined.collect::<Vec<_>>().iter());
        let others: Vec<&Expr> = region.conditions.iter().filter_map(Condition::holds).collect();
        let mut shares = band::shares(&all, &others).into_iter();
        for condition in &region.conditions {
            let link = match condition {
                Condition::Equal(l, r) => numbers.equal(condition, (l, r), classes),
                Condition::Holds(expr) => numbers.holds(expr, shares.next().unwrap_or(1.0)),
            };
            graph.edges.extend(graph.edge(&link, condition));
            graph.links.push(link);
        }
        graph
    }

    /// The sets of nodes that a condition connects.
    fn edge(&self, link: &Link, condition: &Condition) -> Option<(Nodes, Nodes)> {
        match condition {
            Condition::Equal(..) => link.sides,
            // A comparison of two tables connects them, too.
            Condition::Holds(_) if link.nodes.count_ones() == 2 => {
                let free = |at: usize| self.nodes[at].follows.is_none();
                let first = link.nodes & link.nodes.wrapping_neg();
                let second = link.nodes & !first;
                let are_free =
                    free(first.trailing_zeros() as usize) && free(second.trailing_zeros() as usize);
                are_free.then_some((first, second))
            }
            Condition::Holds(_) => None,
        }
    }

    /// Every node for itself.
    pub fn leaves(&self) -> Vec<Tree> {
        (0..self.nodes.len()).map(|at| self.leaf(at)).collect()
    }

    /// One node.
    pub fn leaf(&self, at: usize) -> Tree {
        Tree { nodes: 1 << at, rows: self.nodes[at].rows, cost: 0.0, sides: None }
    }

    /// The node that is the whole set and is the right side of a LEFT, SEMI or ANTI join.
    pub fn follower(&self, nodes: Nodes) -> Option<usize> {
        let at = nodes.trailing_zeros() as usize;
        (is_one(nodes) && self.nodes[at].follows.is_some()).then_some(at)
    }

    /// The join of two sets; `None` if they cannot be joined yet.
    pub fn join(&self, left: (Nodes, f64), right: (Nodes, f64)) -> Option<Joined> {
        if self.follower(left.0).is_some() {
            return self.join_follower(right, left);
        }
        if self.follower(right.0).is_some() {
            return self.join_follower(left, right);
        }
        let mut keys: Vec<f64> = Vec::new();
        let mut classes: Vec<(usize, usize)> = Vec::new();
        let (mut rest, mut connected) = (1.0, false);
        for link in self.links.iter().filter(|link| link.spans(left.0, right.0)) {
            if !link.is_key(left.0, right.0) {
                rest *= link.share;
                connected |= link.nodes.count_ones() == 2;
                continue;
            }
            let known = link.class.and_then(|class| classes.iter().find(|(c, _)| *c == class));
            match known {
                Some((_, at)) => keys[*at] = keys[*at].min(link.share),
                None => {
                    classes.extend(link.class.map(|class| (class, keys.len())));
                    keys.push(link.share);
                }
            }
        }
        let is_hash = !keys.is_empty();
        let pairs = left.1 * right.1 * join::all_equal(keys);
        let rows = (pairs * rest).max(1.0);
        let (build, probe) = (left.1.min(right.1), left.1.max(right.1));
        let output = if is_hash { pairs } else { left.1 * right.1 };
        let cost = build * BUILD + probe * PROBE + output.max(rows) * OUTPUT;
        Some(Joined { rows, cost, connected: connected || is_hash, by_key: is_hash })
    }

    /// The rows of a tree from which a build side is chosen, see [`Self::filtered_rows`].
    pub fn build_rows(&self, tree: &Tree, by: &[(Nodes, f64)]) -> f64 {
        let joins = f64::from(tree.nodes.count_ones() - 1);
        self.filtered_rows(tree, by) + joins * UNCERTAIN_ROWS
    }

    /// The rows of a tree whose keys are in all of these sets of nodes, of which the numbers of
    /// rows are given, too.
    pub fn filtered_rows(&self, tree: &Tree, by: &[(Nodes, f64)]) -> f64 {
        let share = |(nodes, rows): &(Nodes, f64)| {
            let links = self
                .links
                .iter()
                .filter(|link| link.spans(*nodes, tree.nodes) && link.is_key(*nodes, tree.nodes));
            links.map(|link| (link.share * rows).min(1.0)).fold(1.0, f64::min)
        };
        tree.rows * by.iter().map(share).product::<f64>()
    }

    fn join_follower(&self, left: (Nodes, f64), right: (Nodes, f64)) -> Option<Joined> {
        let at = self.follower(right.0)?;
        let follows = self.nodes[at].follows.as_ref()?;
        if follows.required & !left.0 != 0 {
            return None;
        }
        let pairs = left.1 * right.1 * follows.pairs;
        let matched = (left.1 * follows.matched).min(left.1);
        let joined = match follows.strictness {
            Strictness::Semi => matched,
            Strictness::Anti => (left.1 - matched).max(left.1 * 0.05),
            _ => pairs.max(left.1),
        };
        let later = self.links.iter().filter(|link| link.spans(left.0, right.0));
        let rest: f64 = later.map(|link| link.share).product();
        let (build, probe) = match left.1 * 2.0 < right.1 {
            true => (left.1, right.1),
            false => (right.1, left.1),
        };
        let cost = build * BUILD + probe * PROBE + joined * OUTPUT;
        Some(Joined { rows: (joined * rest).max(1.0), cost, connected: true, by_key: true })
    }
}

/// The numbers of each node, with those of the columns that conditions read.
fn relations(estimator: &Estimator, region: &Region) -> Vec<Relation> {
    let mut asked: Vec<Vec<ColumnId>> = vec![Vec::new(); region.nodes.len()];
    let mut ids = Vec::new();
    for condition in &region.conditions {
        match condition {
            Condition::Equal(l, r) => {
                l.columns(&mut ids);
                r.columns(&mut ids);
            }
            Condition::Holds(expr) => expr.columns(&mut ids),
        }
    }
    for follows in region.nodes.iter().filter_map(|node| node.follows.as_ref()) {
        for (l, r) in &follows.keys {
            l.columns(&mut ids);
            ids.push(*r);
        }
        follows.residual.iter().for_each(|residual| residual.columns(&mut ids));
    }
    for id in ids {
        let Some(node) = region.node_of(id) else { continue };
        if !asked[node].contains(&id) {
            asked[node].push(id);
        }
    }
    let of = |(node, asked): (&super::region::Node, &Vec<ColumnId>)| {
        estimator.relation(&node.plan, asked)
    };
    region.nodes.iter().zip(&asked).map(of).collect()
}

fn follow(region: &Region, relations: &[Relation], at: usize, follows: &Follows) -> FollowInfo {
    let numbers = Lookup { region, relations };
    let right = &relations[at];
    let (mut pairs, mut matched) = (Vec::new(), Vec::new());
    for (l, r) in &follows.keys {
        let (rows, left) = numbers.of(l);
        let own = right.numbers(*r).cloned().unwrap_or_else(|| Numbers::unknown(right.rows));
        pairs.push(join::equal_share((rows, &left), (right.rows, &own)));
        matched.push(join::matched_share((rows, &left), (right.rows, &own)));
    }
    let all = Relation::beside(relations.iter());
    let rest = follows.residual.as_ref().map_or(1.0, |residual| share::of(&all, residual));
    let (pairs, matched) = (join::all_equal(pairs), join::all_equal(matched));
    let each = pairs * right.rows / matched.max(1e-9);
    FollowInfo {
        strictness: follows.strictness,
        required: follows.required,
        use_nulls: follows.use_nulls,
        pairs: pairs * rest,
        matched: matched * join::with_any(rest, each),
    }
}

/// Looks up numbers of expressions.
struct Lookup<'r> {
    region: &'r Region,
    relations: &'r [Relation],
}

impl Lookup<'_> {
    /// The rows of the node that an expression reads, and the numbers of its values.
    fn of(&self, expr: &Expr) -> (f64, Numbers) {
        let mut ids = Vec::new();
        expr.columns(&mut ids);
        let node = ids.first().and_then(|id| self.region.node_of(*id));
        match node {
            Some(node) => (self.relations[node].rows, self.relations[node].numbers_of(expr)),
            None => (1.0, Numbers::constant()),
        }
    }

    fn equal(&self, condition: &Condition, (l, r): (&Expr, &Expr), classes: &Classes) -> Link {
        let sides = (self.region.nodes_of(l), self.region.nodes_of(r));
        let ((rows, left), (other_rows, right)) = (self.of(l), self.of(r));
        Link {
            nodes: sides.0 | sides.1,
            sides: Some(sides),
            class: implied::column_pair(self.region, condition)
                .and_then(|(l, _, _)| classes.get(&l).copied()),
            share: join::equal_share((rows, &left), (other_rows, &right)).min(1.0),
        }
    }

    fn holds(&self, expr: &Expr, share: f64) -> Link {
        let nodes = self.region.nodes_of(expr);
        let all = || (0..self.relations.len()).fold(0, |all, at| all | 1 << at);
        let nodes = if nodes == 0 { all() } else { nodes };
        debug_assert!(tree::is_deterministic(expr));
        Link { nodes, sides: None, class: None, share }
    }
}
