//! The changes that a run reported, compared with another run of the same sides.

use std::collections::HashMap;

use entasis_base::Result;
use entasis_stats::distribution::wilson;
use entasis_stats::sample::{Interval, percent};

use crate::compare::Outcome;

/// A query that a run called slower or faster, and what the other one says.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// `test #number`.
    pub name: String,
    /// The effect, a log ratio, with its interval: before and again.
    pub effects: [(f64, Interval); 2],
    /// Whether both point the same way and the intervals overlap.
    pub agrees: bool,
}

/// Keys of the queries that a run called slower or faster by what they are judged by.
pub fn flagged(outcome: &Outcome) -> Vec<u64> {
    outcome.own().filter(|(_, shown)| shown.flagged()).map(|(query, _)| query.key).collect()
}

/// Those queries of `before` that `again` has measured, too.
pub fn replayed(before: &Outcome, again: &Outcome) -> Vec<Replayed> {
    let wanted = flagged(before);
    let second: HashMap<u64, (f64, Interval)> = again
        .own()
        .filter(|(query, _)| query.trouble.is_empty())
        .map(|(query, shown)| (query.key, (shown.judged.theta, shown.judged.interval)))
        .collect();
    let pair = |key: &u64, name: String, first: (f64, Interval)| {
        let second = *second.get(key)?;
        let (a, b) = (first.1, second.1);
        let same_way = first.0.signum() == second.0.signum();
        let agrees = same_way && a.low <= b.high && b.low <= a.high;
        Some(Replayed { name, effects: [first, second], agrees })
    };
    let own = before.own().filter(|(query, _)| wanted.contains(&query.key));
    own.filter_map(|(query, shown)| {
        let name = format!("{} #{}", query.test, query.index);
        pair(&query.key, name, (shown.judged.theta, shown.judged.interval))
    })
    .collect()
}

/// How many of them agree, with the interval of that share.
pub fn agreement(all: &[Replayed]) -> Result<String> {
    let (agree, count) = (all.iter().filter(|r| r.agrees).count() as u64, all.len() as u64);
    if count == 0 {
        return Ok("nothing was measured again".to_owned());
    }
    let within = wilson(agree, count, 0.95)?;
    let share = agree as f64 / count as f64 * 100.0;
    let (low, high) = (within.low * 100.0, within.high * 100.0);
    Ok(format!("{agree} of {count} agree: {share:.1} % ({low:.1} to {high:.1})"))
}

impl std::fmt::Display for Replayed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let said = |(theta, within): (f64, Interval)| {
            let (low, high) = (percent(within.low), percent(within.high));
            format!("{:+.1} % ({low:+.1} to {high:+.1})", percent(theta))
        };
        let [before, again] = self.effects.map(said);
        let word = if self.agrees { "agrees" } else { "differs" };
        write!(f, "{}: {before}, again {again}: {word}", self.name)
    }
}
