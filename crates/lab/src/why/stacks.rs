//! Two sets of profiles compared function by function: where the time went, how sure that is, and
//! which functions explain the difference.
//!
//! A profile says shares; times are share times query time, so a function that did not change keeps
//! its seconds when another one grows. Weights may also be bytes allocated, with the query's bytes
//! in place of seconds. Profiles belong into runs of their own, as taking them costs time.

use std::collections::BTreeMap;

use entasis_base::{Error, Result, codes};
pub use entasis_profile::difference::Presence;
use entasis_profile::folded::Folded;

pub use super::noise::{Basis, Change};
use super::noise::{LEAST_SHARE, Noise};
use super::rename::renames;
use super::shift::shifts;
use super::tally::Tally;

/// Functions are listed until no more than this share of the difference is left.
const LEFT: f64 = 0.2;
/// So many are listed at most.
const MOST_LISTED: usize = 20;
/// Deviations that a listed function's change has at least: what differs as much between the
/// processes of a side explains nothing. Not of z, which asks two processes for far more.
const DEVIATIONS: f64 = 2.0;

/// The profile of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// Names of frames, root first, as a symboliser gives them, and samples.
    pub stacks: Vec<(Vec<String>, u64)>,
    /// Time of one query in seconds, measured without the profiler.
    pub seconds: f64,
}

impl Process {
    /// From folded stacks; weights of zero or less are left out.
    pub fn new(folded: &Folded, seconds: f64) -> Self {
        let stacks = folded.stacks().filter_map(|(stack, weight)| {
            let weight = u64::try_from(weight).ok().filter(|&weight| weight > 0)?;
            Some((stack.split(';').map(str::to_owned).collect(), weight))
        });
        Self { stacks: stacks.collect(), seconds }
    }
}

/// What a change may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Too small (below 1 % of the query's time) or too unsure (|z| of 3 or less).
    None,
    /// It passes both bounds against the error of sampling, the only one there is: see [`Basis`].
    Suggestive,
    /// It passes both bounds.
    Significant,
}

/// A function on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its normalised name; of a renamed function the new one.
    pub name: String,
    /// The old name of a renamed function.
    pub old_name: Option<String>,
    /// Whether both sides have it.
    pub presence: Presence,
    /// Seconds in the function itself.
    pub own: Change,
    /// Seconds in the function and in what it calls.
    pub total: Change,
    /// What `own` may be called; [`Mark::None`] if its cost moved.
    pub own_mark: Mark,
    /// What `total` may be called.
    pub total_mark: Mark,
    /// The cost shift that it is part of, a place in [`Report::shifts`].
    pub shift: Option<usize>,
}

/// Functions between which a cost moved: no change.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// Their names, the one that changed most first.
    pub names: Vec<String>,
    /// Seconds of all of them together.
    pub net: Change,
}

/// What two sets of profiles say.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What standard deviations rest on.
    pub basis: Basis,
    /// The query's time.
    pub time: Change,
    /// All functions, the largest change of self time first.
    pub frames: Vec<Frame>,
    /// The functions that explain the difference, places in `frames`: the largest changes of self
    /// time, both ways, until what is left of the query's difference is a fifth of it or less. 20
    /// at most; none if the query's time changed by less than 1 %. Cost shifts are left out, and
    /// changes of less than two deviations.
    pub explained: Vec<usize>,
    /// How much of the difference the listed functions make up: 1 is all of it. 0 without a list.
    pub explained_share: f64,
    /// Costs that moved.
    pub shifts: Vec<Shift>,
    /// Processes without samples, which were left out.
    pub left_out: usize,
}

/// [`compare`] of the stacks of both sides' processes, each side with one time for all of them.
/// None where there are no stacks.
pub fn of_sides(
    stacks: &[Vec<Vec<(Vec<String>, u64)>>; 2],
    seconds: [f64; 2],
) -> Result<Option<Report>> {
    let side = |at: usize| -> Vec<Process> {
        let of = |stacks: &Vec<_>| Process { stacks: stacks.clone(), seconds: seconds[at] };
        stacks[at].iter().map(of).collect()
    };
    let (old, new) = (side(0), side(1));
    let empty = old.iter().chain(&new).all(|process| process.stacks.is_empty());
    if empty { Ok(None) } else { compare(&old, &new).map(Some) }
}

/// Compares the processes of two sides.
///
/// Errors: a side without samples; a time that is not positive. O(frames) of all stacks and
/// O(functions * processes); memory likewise.
pub fn compare(old: &[Process], new: &[Process]) -> Result<Report> {
    let bad = |message: String| Error::new(codes::BAD_ARGUMENTS, message);
    for (side, processes) in [("old", old), ("new", new)] {
        let wrong = |p: &Process| !(p.seconds > 0.0 && p.seconds.is_finite());
        if let Some(at) = processes.iter().position(wrong) {
            return Err(bad(format!(
                "comparison of stacks, {side} side: process {at} (from 0) has a query time of {} s, \
                 expected a positive number: leave the process out",
                processes[at].seconds
            )));
        }
        if processes.iter().all(|p| p.stacks.iter().all(|(_, weight)| *weight == 0)) {
            return Err(bad(format!(
                "comparison of stacks: no samples on the {side} side: profile for longer, or more often"
            )));
        }
    }
    let mut tally = Tally::new([old, new]);
    let mut old_names = BTreeMap::new();
    for (before, after) in renames(&tally) {
        tally.merge(before, after);
        let name = std::mem::take(&mut tally.names[after]);
        old_names.insert(before, std::mem::replace(&mut tally.names[before], name));
    }
    let noise = Noise::new(&tally)?;
    let (frames, shifts) = frames(&tally, &noise, &old_names);
    let time = noise.time(&tally.processes);
    let (explained, explained_share) = explain(&frames, &time);
    Ok(Report {
        basis: noise.basis,
        time,
        frames,
        explained,
        explained_share,
        shifts,
        left_out: tally.left_out,
    })
}

/// Every function, the largest change of self time first, and the costs that moved.
fn frames(
    tally: &Tally,
    noise: &Noise,
    old_names: &BTreeMap<usize, String>,
) -> (Vec<Frame>, Vec<Shift>) {
    let mark = |change: &Change| match noise.basis {
        _ if !noise.stands_out(change) => Mark::None,
        Basis::Processes => Mark::Significant,
        Basis::Sampling => Mark::Suggestive,
    };
    let numbers = 0..tally.names.len();
    let own: Vec<Change> = numbers.clone().map(|frame| noise.own(tally, &[frame])).collect();
    let marked: Vec<usize> = numbers.clone().filter(|&f| noise.stands_out(&own[f])).collect();
    let groups = shifts(tally, noise, &own, &marked);
    let mut frames: Vec<Frame> = numbers
        .filter_map(|number| {
            let presence = match [0, 1].map(|side| tally.has(side, number)) {
                [false, false] => return None,
                [false, true] => Presence::Added,
                [true, false] => Presence::Removed,
                [true, true] => Presence::Both,
            };
            let shift = groups.iter().position(|group| group.frames.contains(&number));
            let total = noise.total(tally, number);
            Some(Frame {
                name: tally.names[number].clone(),
                old_name: old_names.get(&number).cloned(),
                presence,
                own: own[number],
                total,
                own_mark: if shift.is_some() { Mark::None } else { mark(&own[number]) },
                total_mark: mark(&total),
                shift,
            })
        })
        .collect();
    frames.sort_by(|a, b| {
        let size = |frame: &Frame| (frame.own.delta().abs(), frame.total.delta().abs());
        let ((a_own, a_total), (b_own, b_total)) = (size(a), size(b));
        b_own.total_cmp(&a_own).then(b_total.total_cmp(&a_total)).then(a.name.cmp(&b.name))
    });
    let name = |&frame: &usize| tally.names[frame].clone();
    let shift = |group: super::shift::Group| Shift {
        names: group.frames.iter().map(name).collect(),
        net: group.net,
    };
    (frames, groups.into_iter().map(shift).collect())
}

/// The list of [`Report::explained`] and its share.
fn explain(frames: &[Frame], time: &Change) -> (Vec<usize>, f64) {
    let whole = time.delta();
    let (mut listed, mut sum) = (Vec::new(), 0.0);
    if whole.abs() < LEAST_SHARE * time.old {
        return (listed, 0.0);
    }
    let steady = |frame: &Frame| {
        frame.shift.is_none() && frame.own.delta().abs() >= DEVIATIONS * frame.own.sd
    };
    let candidates = frames.iter().enumerate().filter(|(_, frame)| steady(frame));
    for (at, frame) in candidates.take(MOST_LISTED) {
        if frame.own.delta() == 0.0 || (whole - sum).abs() <= LEFT * whole.abs() {
            break;
        }
        listed.push(at);
        sum += frame.own.delta();
    }
    (listed, sum / whole)
}

#[cfg(test)]
mod tests;
