//! Joins pairs greedily: always the two that give the fewest rows (GOO: Fegaras, A New Heuristic
//! for Optimizing Large Queries, DEXA 1998). Sets without a condition between them are joined last.

use super::graph::{Graph, Joined, Tree};

/// Joins these trees until one is left.
pub(super) fn join(graph: &Graph, mut trees: Vec<Tree>) -> Tree {
    while trees.len() > 1 {
        let mut best: Option<(usize, usize, Joined)> = None;
        for at in 0..trees.len() {
            for other in at + 1..trees.len() {
                let Some(joined) = joined(graph, &trees[at], &trees[other]) else { continue };
                let is_better = best.as_ref().is_none_or(|(_, _, known)| {
                    let key = |j: &Joined| (!j.connected, j.rows + j.cost * 0.1);
                    let ((a, x), (b, y)) = (key(&joined), key(known));
                    a < b || (a == b && x < y)
                });
                if is_better {
                    best = Some((at, other, joined));
                }
            }
        }
        let Some((at, other, joined)) = best else { break };
        unite(&mut trees, at, other, joined);
    }
    trees.swap_remove(0)
}

/// A random order, which joins sets without a condition only if nothing else is left.
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
        if pairs.iter().any(|(_, _, joined)| joined.connected) {
            pairs.retain(|(_, _, joined)| joined.connected);
        }
        if pairs.is_empty() {
            break;
        }
        let (at, other, mut joined) = pairs[next(&mut state) as usize % pairs.len()];
        // The numbers of rows decide which side is built.
        joined.rows = (next(&mut state) % 1000 + 1) as f64;
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
