//! Dynamic programming over the connected subgraphs of a hypergraph (DPhyp: Moerkotte and Neumann,
//! Dynamic Programming Strikes Back, SIGMOD 2008). Every pair of connected subgraphs that do not
//! overlap and are connected with each other is looked at once.

use std::collections::HashMap;

use super::graph::{Graph, Joined, Tree};
use super::{Nodes, is_one};

/// The best known order of a set of nodes.
#[derive(Clone, Copy)]
struct Best {
    rows: f64,
    cost: f64,
    /// The sides of the last join; empty for a node.
    sides: (Nodes, Nodes),
}

struct Search<'g> {
    graph: &'g Graph,
    /// The neighbours of each node by edges between two nodes.
    simple: Vec<Nodes>,
    /// The other edges, in both directions.
    complex: Vec<(Nodes, Nodes)>,
    best: HashMap<Nodes, Best>,
    /// The number of pairs that may still be looked at.
    budget: u64,
}

/// The best order of each connected component; `None` if there are more than `most_pairs` pairs to
/// look at. Nodes that no order reaches are components of their own.
pub(super) fn components(graph: &Graph, most_pairs: u64) -> Option<Vec<Tree>> {
    let mut search = Search::of(graph, most_pairs);
    for at in (0..graph.nodes.len()).rev() {
        let node = 1 << at;
        search.with_neighbours(node)?;
        search.grow(node, below(at) | node)?;
    }
    Some(search.cover())
}

/// The nodes before a node.
fn below(at: usize) -> Nodes {
    (1 << at) - 1
}

fn nodes_of(mut set: Nodes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let at = set.trailing_zeros() as usize;
            set &= set - 1;
            at
        })
    })
}

/// The non-empty subsets of a set, smaller ones before those that contain them.
fn subsets(set: Nodes) -> impl Iterator<Item = Nodes> {
    let mut subset: Nodes = 0;
    std::iter::from_fn(move || {
        subset = subset.wrapping_sub(set) & set;
        (subset != 0).then_some(subset)
    })
}

impl<'g> Search<'g> {
    fn of(graph: &'g Graph, budget: u64) -> Self {
        let mut simple = vec![0; graph.nodes.len()];
        let mut complex = Vec::new();
        for (l, r) in &graph.edges {
            if is_one(*l) && is_one(*r) {
                simple[l.trailing_zeros() as usize] |= r;
                simple[r.trailing_zeros() as usize] |= l;
            } else {
                complex.extend([(*l, *r), (*r, *l)]);
            }
        }
        let leaves = graph.leaves();
        let leaf = |leaf: &Tree| (leaf.nodes, Best { rows: leaf.rows, cost: 0.0, sides: (0, 0) });
        let best = leaves.iter().map(leaf).collect();
        Self { graph, simple, complex, best, budget }
    }

    /// The nodes next to a set, outside of `excluded`; of a larger set behind an edge, its first
    /// node stands for all.
    fn neighbours(&self, set: Nodes, excluded: Nodes) -> Nodes {
        let excluded = excluded | set;
        let near = nodes_of(set).fold(0, |near, at| near | self.simple[at]) & !excluded;
        let behind = self
            .complex
            .iter()
            .filter(|(from, to)| from & !set == 0 && to & excluded == 0 && to & near == 0);
        behind.fold(near, |near, (_, to)| near | (to & to.wrapping_neg()))
    }

    fn are_connected(&self, left: Nodes, right: Nodes) -> bool {
        nodes_of(left).any(|at| self.simple[at] & right != 0)
            || self.complex.iter().any(|(from, to)| from & !left == 0 && to & !right == 0)
    }

    /// Extends a connected set by subsets of its neighbours.
    fn grow(&mut self, set: Nodes, excluded: Nodes) -> Option<()> {
        let near = self.neighbours(set, excluded);
        for more in subsets(near) {
            if self.best.contains_key(&(set | more)) {
                self.with_neighbours(set | more)?;
            }
        }
        for more in subsets(near) {
            self.spend()?;
            self.grow(set | more, excluded | near)?;
        }
        Some(())
    }

    /// Looks for sets that a connected set can be joined with.
    fn with_neighbours(&mut self, set: Nodes) -> Option<()> {
        let excluded = set | below(set.trailing_zeros() as usize);
        let near = self.neighbours(set, excluded);
        let mut descending: Vec<usize> = nodes_of(near).collect();
        descending.reverse();
        for at in descending {
            let other = 1 << at;
            if self.are_connected(set, other) {
                self.pair(set, other)?;
            }
            self.grow_other(set, other, excluded | (near & below(at)))?;
        }
        Some(())
    }

    /// Extends the second set of a pair.
    fn grow_other(&mut self, set: Nodes, other: Nodes, excluded: Nodes) -> Option<()> {
        let near = self.neighbours(other, excluded | set);
        for more in subsets(near) {
            if self.best.contains_key(&(other | more)) && self.are_connected(set, other | more) {
                self.pair(set, other | more)?;
            }
        }
        for more in subsets(near) {
            self.spend()?;
            self.grow_other(set, other | more, excluded | near)?;
        }
        Some(())
    }

    fn spend(&mut self) -> Option<()> {
        self.budget = self.budget.checked_sub(1)?;
        Some(())
    }

    /// Joins two sets, and remembers the order if it is the best one of all their nodes.
    fn pair(&mut self, left: Nodes, right: Nodes) -> Option<()> {
        self.spend()?;
        let (Some(l), Some(r)) = (self.best.get(&left), self.best.get(&right)) else {
            return Some(());
        };
        let Some(Joined { rows, cost, .. }) = self.graph.join((left, l.rows), (right, r.rows))
        else {
            return Some(());
        };
        let cost = l.cost + r.cost + cost;
        let new = Best { rows, cost, sides: (left, right) };
        let known = self.best.entry(left | right).or_insert(new);
        if cost < known.cost {
            // All orders of a set have the same rows, whatever was estimated for each.
            *known = Best { rows: known.rows, ..new };
        }
        Some(())
    }

    /// The largest sets with an order, which together are all nodes.
    fn cover(&self) -> Vec<Tree> {
        let mut sets: Vec<Nodes> = self.best.keys().copied().collect();
        sets.sort_unstable_by_key(|set| (std::cmp::Reverse(set.count_ones()), *set));
        let mut covered = 0;
        let mut out = Vec::new();
        for set in sets {
            if set & covered == 0 {
                covered |= set;
                out.push(self.tree(set));
            }
        }
        out
    }

    fn tree(&self, set: Nodes) -> Tree {
        match self.best.get(&set) {
            Some(Best { rows, cost, sides: (left, right) }) if *left != 0 => Tree {
                nodes: set,
                rows: *rows,
                cost: *cost,
                sides: Some(Box::new((self.tree(*left), self.tree(*right)))),
            },
            _ => self.graph.leaf(set.trailing_zeros() as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_come_before_what_contains_them() {
        let all: Vec<Nodes> = subsets(0b1101).collect();
        assert_eq!(all, [0b1, 0b100, 0b101, 0b1000, 0b1001, 0b1100, 0b1101]);
        assert_eq!(subsets(0).count(), 0);
    }
}
