//! Costs that moved between a function and those that it calls or that call it: inlining, outlining
//! and refactoring change where time is counted, not how much of it there is.
//!
//! FBDetect (SOSP 2024) filters such shifts by looking at the cost of a larger domain, which did
//! not change; here the domain is a function with its callers or callees.

use std::collections::BTreeSet;

use super::noise::{Change, Noise};
use super::tally::{SIDES, Tally};

/// What is left of the change of the whole group, as a share of what moved.
const LEFT: f64 = 0.25;
/// A neighbour that takes part has at least this share of the change.
const PART: f64 = 0.1;

/// Functions between which a cost moved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// The functions, the one that changed most first.
    pub frames: Vec<usize>,
    /// Self time of all of them together.
    pub net: Change,
}

/// Finds the groups. `own` is each function's change of self time, `marked` those worth a look.
/// A function is in one group at most. O(marked * (calls + neighbours)).
pub(super) fn shifts(tally: &Tally, noise: &Noise, own: &[Change], marked: &[usize]) -> Vec<Group> {
    let mut order = marked.to_vec();
    order.sort_by(|&a, &b| own[b].delta().abs().total_cmp(&own[a].delta().abs()));
    let mut taken = BTreeSet::new();
    let mut found = Vec::new();
    for frame in order {
        if taken.contains(&frame) {
            continue;
        }
        let moved = own[frame].delta();
        let takes_part = |other: &usize| {
            let delta = own[*other].delta();
            !taken.contains(other) && delta * moved < 0.0 && delta.abs() >= PART * moved.abs()
        };
        let group = domains(tally, frame, takes_part, |other| own[other].delta() + moved)
            .into_iter()
            .filter(|group| !group.is_empty())
            .find_map(|others| {
                let frames: Vec<usize> = std::iter::once(frame).chain(others).collect();
                let net = noise.own(tally, &frames);
                let small = net.delta().abs() <= LEFT * moved.abs();
                (small && !noise.stands_out(&net)).then_some(Group { frames, net })
            });
        if let Some(group) = group {
            taken.extend(group.frames.iter().copied());
            found.push(group);
        }
    }
    found
}

/// Neighbours that a cost may have moved to: the one that fits best, all callers, all callees.
fn domains(
    tally: &Tally,
    frame: usize,
    takes_part: impl Fn(&usize) -> bool,
    left: impl Fn(usize) -> f64,
) -> [Vec<usize>; 3] {
    let mut sets = [BTreeSet::new(), BTreeSet::new()];
    for side in SIDES {
        let neighbours = tally.neighbours(side, frame);
        for (set, found) in sets.iter_mut().zip(neighbours) {
            set.extend(found.into_iter().filter(&takes_part));
        }
    }
    let best = sets[0].union(&sets[1]).copied();
    let best = best.min_by(|&a, &b| left(a).abs().total_cmp(&left(b).abs()));
    let [callers, callees] = sets.map(|set| set.into_iter().collect());
    [best.into_iter().collect(), callers, callees]
}
