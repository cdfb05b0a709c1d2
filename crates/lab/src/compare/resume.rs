//! A run that continues where it was stopped.

use entasis_base::{Error, Result, codes};

use super::campaign::Campaign;
use super::outcome::DIFFER;
use crate::measure::{CLIENT_TIME, Cost, Tables};
use crate::store::{Fate, QueryRow, RunRow, Stored};

impl Campaign<'_> {
    /// Takes over what a stopped run has measured. An error if that was something else: samples are
    /// filed by a query's number in the run.
    pub(super) fn go_on(&mut self, before: Stored) -> Result<()> {
        if let Some(why) = self.differs(&before) {
            let message = format!(
                "Run {} cannot go on: {why}. Give what it was given, or begin a new one",
                before.run.id
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let last = before.samples.rows().iter().map(|s| s.process).max();
        self.next_process = last.map_or(0, |last| last + 1);
        self.run.time = before.run.time;
        self.run.sides.clone_from(&before.run.sides);
        self.run.spent = before.run.spent;
        self.profiled = before.profiled;
        self.saved = before.samples.rows().len();
        self.samples = before.samples;
        self.alone = self.alone_before();
        let measured = self.samples.by_unit(CLIENT_TIME, 1);
        for (unit, (old, new)) in measured.into_iter().filter(|(_, (old, _))| !old.is_empty()) {
            let seconds: f64 = old.iter().chain(&new).flatten().sum();
            let pair = seconds / old.iter().flatten().count().max(1) as f64;
            // A quick query is repeated within a run, whose value is one of them.
            let runs = pair.max(2.0 * self.request.limits.least);
            self.cost.insert(unit as usize, Cost { warm_up: pair, pair: runs });
        }
        // Tables are filled anew: a set-up that failed may work now. What was measured had one.
        let existing = self.request.plan.tables == Tables::Existing;
        let set_up = |query: &QueryRow| {
            let measured = self.cost.contains_key(&(query.unit as usize));
            existing || measured || before.run.set_up(&query.test).is_some()
        };
        for query in before.queries {
            let unit = query.unit as usize;
            if query.trouble == DIFFER {
                self.differing.push(query.unit);
            } else if matches!(query.fate(), Fate::Failed | Fate::Incompatible) && set_up(&query) {
                self.queries[unit].trouble = query.trouble;
            }
        }
        Ok(())
    }

    /// What the run of before was that this one is not.
    fn differs(&self, before: &Stored) -> Option<String> {
        if before.samples.layouts() != self.samples.layouts() {
            return Some("it has another number of --layouts".into());
        }
        if before.run.seed != self.run.seed {
            return Some("it has another --seed".into());
        }
        if let Some(side) = other_build(&before.run, &self.run) {
            return Some(format!("the {side} side is another build"));
        }
        // A side's name is followed by its settings.
        let settings = |run: &RunRow| {
            run.sides.clone().map(|side| side.split_once(' ').map(|(_, list)| list.to_owned()))
        };
        if settings(&before.run) != settings(&self.run) {
            return Some("its sides have other settings".into());
        }
        if before.run.has_other_set_ups(&self.run) {
            return Some("its settings, tables or --data are others".into());
        }
        let other = |(old, new): (&QueryRow, &QueryRow)| old.key != new.key;
        if before.queries.len() != self.queries.len()
            || before.queries.iter().zip(&self.queries).any(other)
        {
            let (old, new) = (before.queries.len(), self.queries.len());
            return Some(format!("its {old} queries are not these {new}"));
        }
        None
    }
}

/// The side whose program is another one: by its commit, as one commit's builds are one, else by
/// the hash of its file.
fn other_build(before: &RunRow, now: &RunRow) -> Option<&'static str> {
    let other = |at: usize| match before.commits[at].is_empty() {
        true => before.builds[at] != now.builds[at],
        false => before.commits[at] != now.commits[at],
    };
    [(0, "old"), (1, "new")].into_iter().find(|(at, _)| other(*at)).map(|(_, name)| name)
}
