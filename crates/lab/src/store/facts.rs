//! The facts about queries and tests in the row of a run, besides the noise checklist, by name.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64;

use super::RunRow;
use crate::compare::Request;
use crate::measure::Prepared;

/// The fact that says how many builds of a side's source took turns.
const LAYOUTS: &str = "layouts";
/// The fact that numbers the queries that their tests call short. Not a column of `lab.query`, as
/// tables of before cannot be given one: there is no ALTER TABLE ADD COLUMN yet.
const SHORT: &str = "short_queries";
/// With a test's name behind it: the fact that says how long its set-up took.
const SET_UP: &str = "set_up.";
/// The fact that has the hash of what the sides are given beside the queries.
const SET_UPS: &str = "set_ups";
/// With a number behind it: the facts that say what went wrong with the run as a whole.
const PROBLEM: &str = "problem.";

impl RunRow {
    /// Notes which queries are known to take little time, by their numbers in the run.
    pub fn set_short(&mut self, units: impl Iterator<Item = u32>) {
        let units: Vec<String> = units.map(|unit| unit.to_string()).collect();
        if !units.is_empty() {
            self.facts.push((SHORT.to_owned(), units.join(" ")));
        }
    }

    /// Which ones they are; none of a run of before they were noted.
    pub fn short(&self) -> BTreeSet<u32> {
        let fact = self.facts.iter().find(|(name, _)| name == SHORT);
        let units = fact.map_or("", |(_, units)| units.as_str());
        units.split(' ').filter_map(|unit| unit.parse().ok()).collect()
    }

    /// Notes what filling the tables came to. Of a set-up that failed on a side nothing is noted.
    pub fn note_filled(&mut self, prepared: &Prepared) {
        self.facts.extend(prepared.fact());
        let failed = |test: &str| prepared.skipped.iter().any(|skipped| skipped.test == test);
        for (test, seconds) in prepared.set_up.iter().filter(|(test, _)| !failed(test)) {
            self.note_set_up(test, *seconds);
        }
    }

    /// Notes the seconds of a test's set-up.
    pub fn note_set_up(&mut self, test: &str, seconds: f64) {
        self.facts.push((format!("{SET_UP}{test}"), format!("{seconds:.4}")));
    }

    /// The seconds of a test's set-up: on the side that filled its tables, or on both. None if
    /// they were not noted. Looks through all facts.
    pub fn set_up(&self, test: &str) -> Option<f64> {
        let of_test = |name: &str| name.strip_prefix(SET_UP) == Some(test);
        let fact = self.facts.iter().find(|(name, _)| of_test(name));
        fact.and_then(|(_, seconds)| seconds.parse().ok())
    }

    /// The facts that bear on noise: all but those of queries and tests.
    pub fn checklist(&self) -> impl Iterator<Item = &(String, String)> {
        let other = |name: &str| name.starts_with(SET_UP) || name.starts_with(PROBLEM);
        let numbers = [SHORT, SET_UPS];
        self.facts.iter().filter(move |(name, _)| !numbers.contains(&&**name) && !other(name))
    }

    /// Notes the settings, tables and data that all queries of a run are given.
    pub fn note_set_ups(&mut self, request: &Request) {
        let Request { plan, settings, data, .. } = request;
        let tests = plan.tests.iter().enumerate().filter(|(test, _)| plan.uses(*test));
        let tests: Vec<_> = tests.map(|(_, t)| (&t.name, &t.settings, &t.setup)).collect();
        let tables = (plan.tables, &plan.shared_database);
        // Who goes on with a run may say again what it was given.
        let settings: BTreeMap<_, _> = settings.iter().cloned().collect();
        let data = data.as_ref().and_then(|data| std::fs::canonicalize(data).ok());
        let text = format!("{tests:?} {settings:?} {data:?} {tables:?}");
        self.facts.push((SET_UPS.to_owned(), format!("{:016x}", xxh3_64(text.as_bytes()))));
    }

    /// Whether another run is given others, as far as both noted them.
    pub fn has_other_set_ups(&self, other: &Self) -> bool {
        let of = |run: &Self| run.facts.iter().find(|(name, _)| name == SET_UPS).cloned();
        of(self).zip(of(other)).is_some_and(|(own, other)| own != other)
    }

    /// Notes what went wrong with the run as a whole: test files that cannot be read, a side that
    /// starts no more.
    pub fn note_problems(&mut self, problems: &[String]) {
        let known = self.problems().count();
        let facts = problems.iter().zip(known..);
        self.facts.extend(facts.map(|(text, at)| (format!("{PROBLEM}{at}"), text.clone())));
    }

    /// What that was, each an error of the run.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        let problems = self.facts.iter().filter(|(name, _)| name.starts_with(PROBLEM));
        problems.map(|(_, text)| text.as_str())
    }

    /// Notes how many builds of each side's source take turns.
    pub fn set_layouts(&mut self, count: usize) {
        if count > 1 {
            self.facts.push((LAYOUTS.to_owned(), count.to_string()));
        }
    }

    /// How many they are.
    pub fn layouts(&self) -> u16 {
        let fact = self.facts.iter().find(|(name, _)| name == LAYOUTS);
        fact.and_then(|(_, count)| count.parse().ok()).unwrap_or(1).max(1)
    }
}
