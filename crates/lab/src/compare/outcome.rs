//! The result of a comparison, and its exit status.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entasis_base::Result;
use entasis_stats::geomean::{MeanEffect, Weight, geometric_mean};
use entasis_stats::rng::Resampling;
use entasis_stats::verdict::Verdict;

use super::Evidence;
use crate::measure::{CLIENT_TIME, LONE_MEMORY, OF_MEMORY, Samples, Skipped, are_positive};
use crate::store::{Fate, QueryRow, RunRow, Shown};
use crate::verdict::{Known, Rules, Subject, Trial, judge};

/// All of a comparison.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run.
    pub run: RunRow,
    /// What was to be measured, by unit.
    pub queries: Vec<QueryRow>,
    /// All samples.
    pub samples: Samples,
    /// Verdicts, by unit and metric.
    pub shown: Vec<Shown>,
    /// Queries whose answers differ between the sides.
    pub differing: Vec<u32>,
    /// Queries whose answers were compared and are the same; none of a run that is judged again.
    pub agreeing: BTreeSet<u32>,
    /// Tests that could not be measured.
    pub skipped: Vec<Skipped>,
    /// Profiles and plans of queries that changed, by unit.
    pub evidence: HashMap<u32, Evidence>,
}

/// Counts of words, for the line that says how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Queries slower, faster, equivalent, undecided, bimodal, quarantined.
    pub words: BTreeMap<String, usize>,
    /// Queries that failed on one side or both, or whose answers differ, test files that
    /// cannot be read, and what else went wrong with the run.
    pub errors: usize,
    /// Queries that were left out.
    pub untested: usize,
    /// Queries of tests that want what is not there.
    pub skipped: usize,
    /// Queries that the old side cannot have, as their tests allow.
    pub incompatible: usize,
    /// Queries that take more memory: a peak or allocated bytes.
    pub more_memory: usize,
    /// Queries that take less.
    pub less_memory: usize,
}

/// The metrics a query is judged by: its own first.
pub fn metrics_of(query: &QueryRow) -> Vec<&str> {
    let own = query.metric.as_str();
    let others = [CLIENT_TIME].into_iter().chain(OF_MEMORY).filter(|name| *name != own);
    std::iter::once(own).chain(others).collect()
}

/// The trouble of a query that both sides answer otherwise: it is neither slower nor faster.
pub const DIFFER: &str = "the answers differ";
/// The word for all its verdicts.
pub const DIFFERS: &str = "differs";

/// Verdicts on all metrics of all queries that have samples.
pub fn shown(
    queries: &[QueryRow],
    samples: &Samples,
    rules: &Rules,
    seed: u64,
    known: &dyn Fn(u32, &str) -> Known,
) -> Result<Vec<Shown>> {
    // Pairs of processes that have the same builds are one.
    let builds = usize::from(samples.layouts());
    let planned = if builds > 1 { rules.pairs.min(builds) } else { rules.pairs };
    let rules = &Rules { pairs: planned, ..*rules };
    let mut all = Vec::new();
    let mut metrics: Vec<&str> = queries.iter().flat_map(metrics_of).collect();
    metrics.sort_unstable();
    metrics.dedup();
    for metric in metrics {
        let (mut first, mut second) = (samples.by_unit(metric, 1), samples.by_unit(metric, 2));
        let mut trials = Vec::new();
        // Queries that the budget left out count as without effect. One thread runs some only.
        let mut untested = 0;
        for query in queries.iter().filter(|q| metrics_of(q).contains(&metric)) {
            let unit = query.unit;
            let Some(first) = first.remove(&unit) else {
                let left_out = query.fate() == Fate::Untested && metric != LONE_MEMORY;
                untested += usize::from(left_out);
                continue;
            };
            let second = second.remove(&unit).unwrap_or_default();
            let known = known(unit, metric);
            let subject = Subject { unit, least_effect: query.least_effect };
            let trial = Trial { subject, first, second, known };
            let usable = !trial.first.0.is_empty();
            let positive = are_positive(&trial.first) && are_positive(&trial.second);
            trials.extend((usable && positive).then_some(trial));
        }
        for judged in judge(&trials, untested, rules, seed)? {
            let changed = matches!(judged.verdict, Verdict::Slower | Verdict::Faster);
            let quarantine = judged.known.quarantine.filter(|_| changed);
            let wrong = queries[judged.subject.unit as usize].trouble == DIFFER;
            let word = match quarantine {
                _ if wrong => DIFFERS,
                Some(_) => "quarantined",
                None => judged.verdict.name(),
            };
            let (metric, word) = (metric.to_owned(), word.to_owned());
            let cause = quarantine.map(|reason| ("quarantine".to_owned(), format!("{reason}.")));
            let cause = cause.unwrap_or_default();
            all.push(Shown { judged, metric, word, cause, functions: Vec::new() });
        }
    }
    all.sort_by_key(|shown| shown.judged.subject.unit);
    Ok(all)
}

impl Outcome {
    /// The verdict on what a query is judged by.
    pub fn own(&self) -> impl Iterator<Item = (&QueryRow, &Shown)> {
        self.shown.iter().filter_map(|shown| {
            let query = &self.queries[shown.judged.subject.unit as usize];
            (query.metric == shown.metric).then_some((query, shown))
        })
    }

    /// Queries called slower or faster, quarantined ones too: false flags where sides are equal.
    pub fn flags(&self) -> usize {
        self.own().filter(|(_, shown)| shown.flagged()).count()
    }

    /// Counts of words.
    pub fn status(&self) -> Status {
        let mut status = Status::default();
        for (query, shown) in self.own() {
            if query.trouble.is_empty() {
                *status.words.entry(shown.word.clone()).or_default() += 1;
            }
        }
        for query in &self.queries {
            match query.fate() {
                Fate::Measured => {}
                Fate::Untested => status.untested += 1,
                Fate::Skipped => status.skipped += 1,
                Fate::Incompatible => status.incompatible += 1,
                Fate::Failed => status.errors += 1,
            }
        }
        status.errors += self.run.problems().count();
        status.more_memory = self.of_memory("slower");
        status.less_memory = self.of_memory("faster");
        status
    }

    /// Queries of which something of memory has this word.
    fn of_memory(&self, word: &str) -> usize {
        let of = |s: &&Shown| OF_MEMORY.contains(&&*s.metric) && s.word == word;
        let units = self.shown.iter().filter(of).map(|shown| shown.judged.subject.unit);
        units.collect::<BTreeSet<u32>>().len()
    }

    /// The geometric mean of time ratios over all queries; none without any.
    pub fn mean(&self) -> Option<MeanEffect> {
        self.mean_of(Weight::Query)
    }

    /// The same where tests weigh alike, whatever their number of queries.
    pub fn mean_of_tests(&self) -> Option<MeanEffect> {
        self.mean_of(Weight::Test)
    }

    /// Log ratios of the times that means are of, by test.
    pub fn effects_by_test(&self) -> BTreeMap<&str, Vec<f64>> {
        let mut tests: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        // What computes something else, or fails later, is neither slower nor faster.
        let wrong = [Fate::Failed, Fate::Incompatible];
        let alike =
            |query: &QueryRow| query.metric == CLIENT_TIME && !wrong.contains(&query.fate());
        for (query, shown) in self.own().filter(|(query, _)| alike(query)) {
            tests.entry(&query.test).or_default().push(shown.judged.theta);
        }
        tests
    }

    fn mean_of(&self, weight: Weight) -> Option<MeanEffect> {
        let tests: Vec<Vec<f64>> = self.effects_by_test().into_values().collect();
        geometric_mean(&tests, weight, 0.95, Resampling::new(self.run.seed)).ok()
    }

    /// Queries of which a large change would not have been seen (`Judged::unstable`).
    pub fn unstable(&self) -> usize {
        self.own().filter(|(_, shown)| shown.judged.unstable()).count()
    }
}

impl Status {
    /// How many have a word.
    pub fn count(&self, word: &str) -> usize {
        self.words.get(word).copied().unwrap_or(0)
    }

    /// 0: nothing is worse; 1: something is slower; 2: something failed, or nothing was judged:
    /// who lets a change pass by this must not be told that all is well where nobody looked.
    pub fn exit_code(&self) -> u8 {
        let judged = self.words.values().sum::<usize>() + self.incompatible;
        match (self.errors, self.count("slower")) {
            (1.., _) => 2,
            _ if judged == 0 => 2,
            (0, 0) => 0,
            (0, _) => 1,
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        let always = ["faster", "slower", "undecided", "equivalent"];
        let rarely = ["bimodal", "quarantined"];
        if self.errors > 0 {
            parts.push(format!("{} errors", self.errors));
        }
        parts.extend(always.iter().map(|word| format!("{} {word}", self.count(word))));
        let rare = rarely.iter().filter(|word| self.count(word) > 0);
        parts.extend(rare.map(|word| format!("{} {word}", self.count(word))));
        for (count, what) in [
            (self.more_memory, "with more memory"),
            (self.less_memory, "with less memory"),
            (self.untested, "not tested"),
            (self.skipped, "skipped"),
            (self.incompatible, "backward-incompatible"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        f.write_str(&parts.join(", "))
    }
}
