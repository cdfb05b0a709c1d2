//! A comparison from its beginning to its verdicts: two stages of measuring within a budget.
//!
//! Stage 1 runs every query in one pair of processes, and stage 2 runs the candidates in fresh
//! ones. Samples are stored as they are measured, so a run that was stopped can continue, and one
//! that broke off is not lost.

mod alone;
mod answers;
mod breaks;
mod campaign;
mod candidates;
mod causes;
mod code;
mod drift;
mod outcome;
mod processor;
mod profiles;
mod resume;
mod second;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_stats::sample::log_ratio;
use entasis_stats::schedule::Side;
use entasis_stats::sequential::{Bounds, Looks};
use serde_json::{Value, json};

use crate::measure::{
    Amount, CLIENT_TIME, Limits, Plan, Prepared, Samples, Skipped, Watch, are_positive, at,
};
use crate::store::{Fate, QueryRow, RunRow, Store, Stored};
use crate::target::{Options, Setting, Source, Target};
use crate::verdict::Rules;

pub use causes::Evidence;
pub(crate) use causes::timed;
pub use outcome::{DIFFER, DIFFERS, Outcome, Status, metrics_of, shown};
pub(crate) use processor::Processor;

/// What is to be compared, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The run: id, kind, seed, arguments; its other fields are filled in.
    pub run: RunRow,
    /// Old and new. Revisions must have been built.
    pub sides: [Target; 2],
    /// What is measured.
    pub plan: Plan,
    /// What is decided by.
    pub rules: Rules,
    /// Limits of single runs.
    pub limits: Limits,
    /// How servers are started.
    pub options: Options,
    /// Settings of both sides' statements.
    pub settings: Vec<Setting>,
    /// Settings of both sides' statements, by unit, and the percent that is planted on the new one.
    pub planted: HashMap<u32, ([Vec<Setting>; 2], f64)>,
    /// The metric that is to show what is planted; empty without a plant.
    pub planted_what: String,
    /// Tables that are filled already; without them the run fills its own.
    pub prepared: Option<Prepared>,
    /// A text in place of the new side's queries.
    pub versus: Option<String>,
    /// All of it within this; no limit if `None`.
    pub budget: Option<Duration>,
    /// Where data folders are made.
    pub work: PathBuf,
    /// A data folder whose tables both sides have, too.
    pub data: Option<PathBuf>,
    /// Whether both sides' answers are compared.
    pub answers: bool,
    /// Seconds of profiles of a changed query, on each side of each of two processes; 0: none.
    pub profile: f64,
}

impl Request {
    /// Settings of a side's statements: those of both, then its own.
    pub(crate) fn settings_of(&self, side: Side) -> Vec<Setting> {
        let own = &self.sides[at(side)].settings;
        self.settings.iter().chain(own).cloned().collect()
    }

    /// What the run itself does against noise, for the checklist.
    pub(crate) fn quiet(&self) -> Vec<(String, String)> {
        let Self { sides, options, .. } = self;
        let shared = sides.iter().all(Target::shares_data);
        let running = sides.iter().any(|side| matches!(side.source, Source::Server(_)));
        let parts = if shared { "the same files on both sides" } else { "each side fills its own" };
        let cpus = if options.cpus.is_empty() { "all" } else { options.cpus.as_str() };
        let processes = if running {
            "running servers do not restart: pairs differ by time only"
        } else {
            "fresh ones in each pair, each with a size of environment of its own"
        };
        let drivers = sides.iter().any(|side| matches!(side.source, Source::Driver(_)));
        let fill = if drivers { "one thread, but drivers as they like" } else { "one thread" };
        let merges =
            if self.plan.merges() { "as a statement or a test wants them" } else { "stopped" };
        let machine = if running {
            "this laboratory's; a running server's own may be another one"
        } else {
            "this one"
        };
        let all = [
            ("parts", parts),
            ("fill", fill),
            ("merges", merges),
            ("machine", machine),
            ("sync", "after the tables were filled"),
            ("logs", "of servers started here: written when asked for, not by the clock"),
            ("allocator", "purged before each query, where the side can"),
            ("cpus", cpus),
            ("processes", processes),
        ];
        all.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }
}

/// Compares. A run that is given goes on where it ended.
pub fn compare(
    request: &Request,
    before: Option<Stored>,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Outcome> {
    campaign::Campaign::new(request, before, store)?.run(store, watch)
}

/// Judges a stored run again, from its samples.
pub fn recompute(stored: Stored) -> Result<Outcome> {
    let rules = rules_of(&stored.run.rules)?;
    let Stored { run, mut queries, samples, known, .. } = stored;
    note_untested(&mut queries, &samples);
    let known = move |unit: u32, metric: &str| {
        known.get(&(unit, metric.to_owned())).copied().unwrap_or_default()
    };
    let shown = shown(&queries, &samples, &rules, run.seed, &known)?;
    let differs = |query: &&QueryRow| query.trouble == DIFFER;
    let differing = queries.iter().filter(differs).map(|query| query.unit).collect();
    let (skipped, evidence) = (skipped(&queries), HashMap::new());
    let agreeing = BTreeSet::new();
    Ok(Outcome { run, queries, samples, shown, differing, agreeing, skipped, evidence })
}

/// Queries that are judged by what a server counts, where none did (or it is gone), have no
/// verdict; nor have those of which it counted nothing in a run, which has no ratio.
fn note_uncounted(queries: &mut [QueryRow], samples: &Samples) {
    let metrics: BTreeSet<String> = queries.iter().map(|query| query.metric.clone()).collect();
    for metric in metrics {
        let stages = [samples.by_unit(&metric, 1), samples.by_unit(&metric, 2)];
        for query in queries.iter_mut().filter(|q| q.metric == metric && q.trouble.is_empty()) {
            let of = stages.each_ref().map(|stage| stage.get(&query.unit));
            let why = match of[0] {
                None => "was not counted",
                Some(_) if of.into_iter().flatten().all(are_positive) => continue,
                Some(_) => "was 0 in a run, so that it has no ratio",
            };
            query.trouble = format!("{}: {metric} {why}", Fate::Untested.name());
        }
    }
}

/// A run that broke off has not said what it did not come to.
fn note_untested(queries: &mut [QueryRow], samples: &Samples) {
    let measured = samples.by_unit(CLIENT_TIME, 1);
    let open =
        |query: &&mut QueryRow| query.trouble.is_empty() && !measured.contains_key(&query.unit);
    for query in queries.iter_mut().filter(open) {
        query.trouble = format!("{}: the run broke off", Fate::Untested.name());
    }
}

/// Tests that were skipped, by their queries.
fn skipped(queries: &[QueryRow]) -> Vec<Skipped> {
    let mut all: Vec<Skipped> = Vec::new();
    for query in queries.iter().filter(|query| query.fate() == Fate::Skipped) {
        if all.last().is_none_or(|last| last.test != query.test) {
            let (test, reason) = (query.test.clone(), query.trouble.clone());
            all.push(Skipped { test, query: None, reason });
        }
    }
    all
}

/// Rules as they are stored.
pub fn rules_text(rules: &Rules) -> String {
    let Rules { first, pairs, each, wanted, screen, looks, q, least_effect, .. } = rules;
    let bounds = looks.bounds();
    json!({
        "first_pairs": first.pairs, "first_seconds": first.seconds, "pairs": pairs,
        "runs": each.pairs, "seconds": each.seconds, "wanted": wanted, "screen": screen, "z": bounds.z,
        "first_look": bounds.first, "futile": bounds.futile, "promising": bounds.promising,
        "most": bounds.most, "q": q, "least_effect": least_effect,
        "confidence": rules.confidence, "confirm": rules.confirm, "first_only": rules.first_only,
    })
    .to_string()
}

/// Rules of their text.
pub(crate) fn rules_of(text: &str) -> Result<Rules> {
    let wrong = || {
        let message = format!("the run's rules are not readable: `{text}`");
        Error::new(codes::CANNOT_PARSE_TEXT, message)
    };
    let value: Value = serde_json::from_str(text).map_err(|_| wrong())?;
    let number = |name: &str| value[name].as_f64().ok_or_else(wrong);
    let whole = |name: &str| value[name].as_u64().map(|n| n as usize).ok_or_else(wrong);
    let bounds = Bounds {
        z: number("z")?,
        first: number("first_look")?,
        futile: number("futile")?,
        // Runs of before ended with the planned pairs.
        promising: value["promising"].as_f64().unwrap_or(f64::MAX),
        most: value["most"].as_u64().unwrap_or(1) as u32,
    };
    Ok(Rules {
        first: Amount { pairs: whole("first_pairs")?, seconds: number("first_seconds")? },
        pairs: whole("pairs")?,
        each: Amount { pairs: whole("runs")?, seconds: number("seconds")? },
        // Runs of before gave all queries as many.
        wanted: value["wanted"].as_f64().unwrap_or(0.0),
        screen: number("screen")?,
        looks: Looks::new(bounds),
        q: number("q")?,
        least_effect: number("least_effect")?,
        confidence: number("confidence")?,
        confirm: value["confirm"].as_bool().unwrap_or(false),
        first_only: value["first_only"].as_bool().unwrap_or(false),
    })
}

/// A part of one (0.01) as the log ratio that rules have.
pub fn effect(part: f64) -> f64 {
    log_ratio(part * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_stored_exactly() {
        let rules = Rules { least_effect: 0.1 + 0.2, pairs: 6, ..Rules::default() };
        assert_eq!(rules_of(&rules_text(&rules)).unwrap(), rules);
        assert!(rules_of("{}").is_err());
    }
}
