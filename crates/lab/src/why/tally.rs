//! Samples of two sides counted by function and process: what the comparison of stacks works on.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::stacks::Process;
use super::symbol;

/// Old and new.
pub(super) const SIDES: [usize; 2] = [0, 1];

/// Counts of one function in one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Samples that it is the leaf of.
    pub own: u64,
    /// Samples that it is in, once each.
    pub total: u64,
}

/// What one process of a side took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Taken {
    /// All samples, above zero.
    pub samples: u64,
    /// The query's time in seconds.
    pub seconds: f64,
}

/// The counts of both sides; a function is its number.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Normalised names.
    pub names: Vec<String>,
    /// Processes that have samples, of each side.
    pub processes: [Vec<Taken>; 2],
    /// `[side][function][process]`.
    pub counts: [Vec<Vec<Count>>; 2],
    /// Who calls whom, of each side. Recursion is left out.
    pub calls: [BTreeSet<(usize, usize)>; 2],
    /// Processes without samples, which are left out.
    pub left_out: usize,
    numbers: HashMap<String, usize>,
}

impl Tally {
    /// Counts all stacks. O(frames) of all stacks, and one name looked up for each.
    pub fn new(sides: [&[Process]; 2]) -> Self {
        let mut tally = Self::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for side in SIDES {
            for process in sides[side] {
                let samples: u64 = process.stacks.iter().map(|(_, weight)| weight).sum();
                if samples == 0 {
                    tally.left_out += 1;
                    continue;
                }
                tally.processes[side].push(Taken { samples, seconds: process.seconds });
                for (frames, weight) in &process.stacks {
                    let numbers: Vec<usize> = frames
                        .iter()
                        .map(|frame| match known.get(frame.as_str()) {
                            Some(&number) => number,
                            None => {
                                let number = tally.number(symbol::normal(frame));
                                known.insert(frame, number);
                                number
                            }
                        })
                        .collect();
                    tally.add(side, &numbers, *weight);
                }
            }
        }
        for side in SIDES {
            let processes = tally.processes[side].len();
            tally.counts[side].resize_with(tally.names.len(), Vec::new);
            tally.counts[side].iter_mut().for_each(|row| row.resize(processes, Count::default()));
        }
        tally
    }

    fn number(&mut self, name: String) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }

    fn add(&mut self, side: usize, frames: &[usize], weight: u64) {
        if weight == 0 {
            return;
        }
        let mut seen = HashSet::new();
        for &frame in frames.iter().filter(|frame| seen.insert(**frame)) {
            self.count(side, frame).total += weight;
        }
        if let Some(&leaf) = frames.last() {
            self.count(side, leaf).own += weight;
        }
        let calls = frames.windows(2).filter(|pair| pair[0] != pair[1]);
        self.calls[side].extend(calls.map(|pair| (pair[0], pair[1])));
    }

    /// The count of a function in the side's last process.
    fn count(&mut self, side: usize, frame: usize) -> &mut Count {
        let (counts, processes) = (&mut self.counts[side], self.processes[side].len());
        if counts.len() <= frame {
            counts.resize_with(frame + 1, Vec::new);
        }
        let row = &mut counts[frame];
        row.resize(processes, Count::default());
        &mut row[processes - 1]
    }

    /// Whether a side has the function.
    pub fn has(&self, side: usize, frame: usize) -> bool {
        self.counts[side][frame].iter().any(|count| count.total > 0)
    }

    /// Seconds of a function, the mean over the processes of a side.
    pub fn seconds(&self, side: usize, frame: usize, of: fn(&Count) -> u64) -> f64 {
        let row = self.counts[side][frame].iter().zip(&self.processes[side]);
        let share = |(count, taken): (&Count, &Taken)| {
            taken.seconds * of(count) as f64 / taken.samples as f64
        };
        row.map(share).sum::<f64>() / self.processes[side].len().max(1) as f64
    }

    /// Functions that call `frame`, and those that it calls, on one side.
    pub fn neighbours(&self, side: usize, frame: usize) -> [BTreeSet<usize>; 2] {
        let calls = &self.calls[side];
        let callers = calls.iter().filter(|(_, callee)| *callee == frame).map(|call| call.0);
        let callees = calls.range((frame, 0)..=(frame, usize::MAX)).map(|call| call.1);
        [callers.collect(), callees.collect()]
    }

    /// Counts the new side's function `new`, which the old side has not, as `old`.
    pub fn merge(&mut self, old: usize, new: usize) {
        let moved = std::mem::take(&mut self.counts[1][new]);
        let empty = vec![Count::default(); moved.len()];
        for (into, from) in self.counts[1][old].iter_mut().zip(&moved) {
            into.own += from.own;
            into.total += from.total;
        }
        self.counts[1][new] = empty;
        let rename = |frame: usize| if frame == new { old } else { frame };
        let calls = std::mem::take(&mut self.calls[1]);
        self.calls[1] = calls.into_iter().map(|(a, b)| (rename(a), rename(b))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(stacks: &[(&str, u64)]) -> Process {
        let stacks = stacks
            .iter()
            .map(|(stack, weight)| (stack.split(';').map(str::to_owned).collect(), *weight));
        Process { stacks: stacks.collect(), seconds: 1.0 }
    }

    #[test]
    fn counts_by_hand() {
        let old =
            [process(&[("main;f;f", 3), ("main;g", 1)]), process(&[]), process(&[("main", 2)])];
        let new = [process(&[("main;f.llvm.9;h", 5)])];
        let tally = Tally::new([&old, &new]);
        assert_eq!(tally.names, ["main", "f", "g", "h"]);
        assert_eq!((tally.processes[0].len(), tally.left_out), (2, 1));
        let count = |own, total| Count { own, total };
        assert_eq!(tally.counts[0][0], [count(0, 4), count(2, 2)]);
        assert_eq!(tally.counts[0][1], [count(3, 3), count(0, 0)], "recursion counts once");
        assert_eq!(tally.counts[1][1], [count(0, 5)]);
        assert!(tally.has(0, 2) && !tally.has(1, 2) && tally.has(1, 3));
        assert_eq!(tally.neighbours(1, 1), [[0].into(), [3].into()]);
        assert_eq!(tally.neighbours(0, 1), [[0].into(), BTreeSet::new()]);
        assert!((tally.seconds(0, 1, |c| c.own) - 0.375).abs() < 1e-12);
    }

    #[test]
    fn a_merged_function_has_one_row() {
        let (old, new) =
            ([process(&[("main;f;x", 4)])], [process(&[("main;g;x", 6), ("main", 1)])]);
        let mut tally = Tally::new([&old, &new]);
        assert_eq!(tally.names, ["main", "f", "x", "g"]);
        tally.merge(1, 3);
        assert_eq!(tally.counts[1][1], [Count { own: 0, total: 6 }]);
        assert!(!tally.has(1, 3));
        assert_eq!(tally.neighbours(1, 1), [[0].into(), [2].into()]);
        assert_eq!(tally.neighbours(1, 3), [BTreeSet::new(), BTreeSet::new()]);
    }
}
