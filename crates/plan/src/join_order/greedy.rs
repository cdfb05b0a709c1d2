//! Joins pairs greedily: always the two that give the fewest rows (GOO: Fegaras, A New Heuristic
//! for Optimizing Large Queries, DEXA 1998). Sets without a condition between them are joined last.

use super::graph::{Graph, Joined, Tree};

/// Joins these trees until one is left.
pub(super) fn join(graph: &Graph, mut trees: Vec<Tree>) -> Tree {
    // What joining each tree with each tree before it gives.
    let row = |trees: &[Tree], at: usize| -> Vec<Option<Joined>> {
        trees[..at].iter().map(|other| joined(graph, other, &trees[at])).collect()
    };
    let mut pairs: Vec<Vec<Option<Joined>>> = (0..trees.len()).map(|at| row(&trees, at)).collect();
    while trees.len() > 1 {
        let mut best: Option<(usize, usize, Joined)> = None;
        for (other, row) in pairs.iter().enumerate() {
            for (at, joined) in row.iter().enumerate() {
                let Some(joined) = joined else { continue };
                if best.as_ref().is_none_or(|(_, _, known)| is_better(joined, known)) {
                    best = Some((at, other, *joined));
                }
            }
        }
        let Some((at, other, joined_pair)) = best else { break };
        unite(&mut trees, at, other, joined_pair);
        pairs.remove(other);
        for row in &mut pairs[other..] {
            row.remove(other);
        }
        pairs[at] = row(&trees, at);
        for later in at + 1..trees.len() {
            pairs[later][at] = joined(graph, &trees[at], &trees[later]);
        }
    }
    trees.swap_remove(0)
}

/// Whether a pair is joined before another one.
fn is_better(new: &Joined, known: &Joined) -> bool {
    let weight = |joined: &Joined| joined.rows + joined.cost * 0.1;
    match (new.connected, known.connected) {
        (true, false) => true,
        (false, true) => false,
        _ => weight(new) < weight(known),
    }
}

/// A random order, which joins sets without an equality only if nothing else is left.
pub(super) fn random(graph: &Graph, seed: u64) -> Tree {
    let mut state = seed;
    let mut trees = graph.leaves();
    while trees.len() > 1 {
        let mut pairs = Vec::new();
        for at in 0..trees.len() {
            for other in at + 1..trees.len() {
                let joined = joined(graph, &trees[at], &trees[other]);
                pairs.extend(joined.map(|joined| (at, other, joined)));
            }
        }
        if pairs.iter().any(|(_, _, joined)| joined.by_key) {
            pairs.retain(|(_, _, joined)| joined.by_key);
        }
        if pairs.is_empty() {
            break;
        }
        let (at, other, joined) = pairs[next(&mut state) as usize % pairs.len()];
        unite(&mut trees, at, other, joined);
    }
    trees.swap_remove(0)
}

fn joined(graph: &Graph, left: &Tree, right: &Tree) -> Option<Joined> {
    graph.join((left.nodes, left.rows), (right.nodes, right.rows))
}

fn unite(trees: &mut Vec<Tree>, at: usize, other: usize, joined: Joined) {
    let right = trees.remove(other);
    let left = &mut trees[at];
    let cost = left.cost + right.cost + joined.cost;
    let all = Tree { nodes: left.nodes | right.nodes, rows: joined.rows, cost, sides: None };
    let left = std::mem::replace(left, all);
    trees[at].sides = Some(Box::new((left, right)));
}

/// The next number of a sequence (SplitMix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 1
}
