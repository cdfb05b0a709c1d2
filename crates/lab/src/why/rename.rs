//! Which functions were renamed: one that only the old side has and one that only the new side has,
//! which are in the same place and cost about the same, or end in the same name.

use std::collections::{BTreeMap, BTreeSet};

use super::symbol::last_segment;
use super::tally::{Count, SIDES, Tally};

/// Functions of each side that are looked at, by time: the rest is too small to be told apart.
const MOST: usize = 200;
/// Self time of a renamed function differs by less than this share.
const ALIKE: f64 = 0.25;
/// Self time is also alike if it differs by less than this share of the query's time.
const NOISE: f64 = 0.002;
/// Neighbours are the same if they share this much: samples do not catch every call.
const SHARED: f64 = 0.5;

/// Pairs of functions, old and new, that are one function under two names. Each is in one pair at
/// most; the strongest evidence is taken first. O(added * removed) comparisons of at most 200 each.
pub(super) fn renames(tally: &Tally) -> Vec<(usize, usize)> {
    let only = |side: usize| -> Vec<usize> {
        let all = 0..tally.names.len();
        let mut found: Vec<usize> =
            all.filter(|&f| tally.has(side, f) && !tally.has(1 - side, f)).collect();
        let time = |&f: &usize| tally.seconds(side, f, |c| c.total);
        found.sort_by(|a, b| time(b).total_cmp(&time(a)));
        found.truncate(MOST);
        found
    };
    let (removed, added) = (only(0), only(1));
    let segments = [&removed, &added].map(|frames| segments(tally, frames));
    let places = SIDES.map(|side| {
        let frames = [&removed, &added][side].iter();
        frames.map(|&f| Place::new(tally, side, f)).collect::<Vec<_>>()
    });
    let mut candidates = Vec::new();
    for (i, &old) in removed.iter().enumerate() {
        for (j, &new) in added.iter().enumerate() {
            let name = last_segment(&tally.names[old]);
            let same_name = name == last_segment(&tally.names[new]);
            // `new` and `next` are everybody's names: they say something where there is one each.
            let alone = same_name && segments.iter().all(|counts| counts.get(name) == Some(&1));
            let place = places[0][i].likeness(&places[1][j]);
            let evidence = match (same_name, place) {
                (true, Some(place)) => 2.0 + place,
                (true, None) if alone => 1.5,
                (false, Some(place)) if same_cost(tally, old, new) => place,
                _ => continue,
            };
            candidates.push((evidence, old, new));
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut taken = BTreeSet::new();
    candidates.retain(|(_, old, new)| {
        let free = !taken.contains(old) && !taken.contains(new);
        if free {
            taken.extend([*old, *new]);
        }
        free
    });
    candidates.into_iter().map(|(_, old, new)| (old, new)).collect()
}

fn segments<'a>(tally: &'a Tally, frames: &[usize]) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for &frame in frames {
        *counts.entry(last_segment(&tally.names[frame])).or_default() += 1;
    }
    counts
}

fn same_cost(tally: &Tally, old: usize, new: usize) -> bool {
    let own = |c: &Count| c.own;
    let (before, after) = (tally.seconds(0, old, own), tally.seconds(1, new, own));
    let processes = &tally.processes[0];
    let time: f64 = processes.iter().map(|taken| taken.seconds).sum::<f64>();
    let noise = NOISE * time / processes.len().max(1) as f64;
    (after - before).abs() <= (ALIKE * before.max(after)).max(noise)
}

/// Who calls a function and whom it calls, by the last parts of their names: a module that moved
/// renames all of them at once.
struct Place<'a>([BTreeSet<&'a str>; 2]);

impl<'a> Place<'a> {
    fn new(tally: &'a Tally, side: usize, frame: usize) -> Self {
        let named = |frames: &BTreeSet<usize>| {
            frames.iter().map(|&frame| last_segment(&tally.names[frame])).collect()
        };
        let [callers, callees] = tally.neighbours(side, frame);
        Self([named(&callers), named(&callees)])
    }

    /// From 0 to 1, where both callers and callees are the same; a function without either is in no
    /// place at all.
    fn likeness(&self, other: &Self) -> Option<f64> {
        let parts = SIDES.map(|at| {
            let (a, b) = (&self.0[at], &other.0[at]);
            let all = a.union(b).count();
            if all == 0 { 1.0 } else { a.intersection(b).count() as f64 / all as f64 }
        });
        let somewhere = self.0.iter().any(|set| !set.is_empty());
        let same = somewhere && parts.iter().all(|&part| part >= SHARED);
        same.then(|| f64::midpoint(parts[0], parts[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::stacks::Process;
    use super::*;

    fn found(old: &[(&str, u64)], new: &[(&str, u64)]) -> Vec<(String, String)> {
        let process = |stacks: &[(&str, u64)]| {
            let stacks = stacks
                .iter()
                .map(|(stack, weight)| (stack.split(';').map(str::to_owned).collect(), *weight));
            // A sample stands for 10 ms.
            let seconds = stacks.clone().map(|(_, weight)| weight as f64).sum::<f64>() / 100.0;
            [Process { stacks: stacks.collect(), seconds }]
        };
        let (old, new) = (process(old), process(new));
        let tally = Tally::new([&old, &new]);
        let name = |f: usize| tally.names[f].clone();
        renames(&tally).into_iter().map(|(old, new)| (name(old), name(new))).collect()
    }

    #[test]
    fn same_place_and_cost() {
        let old = [("main;run;scan", 50), ("main;run;scan;read", 30), ("main;run;other", 20)];
        let renamed = [("main;run;walk", 52), ("main;run;walk;read", 28), ("main;run;other", 20)];
        let pairs = found(&old, &renamed);
        assert_eq!(pairs, [("scan".to_owned(), "walk".to_owned())]);
        let dearer = [("main;run;walk", 90), ("main;run;walk;read", 28), ("main;run;other", 20)];
        assert_eq!(found(&old, &dearer), [], "another cost is another function");
        let elsewhere = [("main;walk", 52), ("main;run;read", 28), ("main;run;other", 20)];
        assert_eq!(found(&old, &elsewhere), []);
    }

    #[test]
    fn same_last_name() {
        // A module moved: all of its functions have new paths.
        let old = [("main;a::run;a::scan", 50), ("main;a::run;a::hash", 10)];
        let new = [("main;b::c::run;b::c::scan", 80), ("main;b::c::run;b::c::hash", 10)];
        let pairs: BTreeSet<_> = found(&old, &new).into_iter().collect();
        let expected = ["run", "scan", "hash"].map(|f| (format!("a::{f}"), format!("b::c::{f}")));
        assert_eq!(pairs, expected.into_iter().collect());
        // Two functions of that name, and in other places: nobody knows.
        let old = [("main;x;<A as I>::next", 50), ("main;x;<B as I>::next", 10)];
        let new = [("main;y;<C as I>::next", 20), ("main;y;<D as I>::next", 40)];
        assert!(!found(&old, &new).iter().any(|(old, _)| old.contains("next")));
    }

    #[test]
    fn what_both_sides_have_is_not_renamed() {
        let old = [("main;scan", 50), ("main;sort", 50)];
        assert_eq!(found(&old, &[("main;scan", 50), ("main;sort", 500)]), []);
    }
}
