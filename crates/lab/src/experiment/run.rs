//! An experiment: measures equal sides, then the change, then makes a decision that the tables
//! accept.

use std::time::Instant;

use entasis_base::{Error, Result, codes};
use entasis_stats::sample::Interval;
use entasis_stats::verdict::Verdict;
use serde_json::json;

use super::idea::{Candidate, refused};
use super::metric_name;
use crate::compare::{self, DIFFER, Outcome, Request};
use crate::measure::{CLIENT_TIME, Kind, LONE_MEMORY, MEMORY, Watch};
use crate::store::{RunRow, Shown, Store, now};

/// What was changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The commit that both sides come from: the old side's own, and where the new one's branch
    /// left it.
    pub bases: [String; 2],
    /// The difference as text.
    pub diff: String,
}

/// What came of an experiment.
#[derive(Clone, Debug)]
pub struct Done {
    /// `keep`, `discard`, `undecided`.
    pub status: &'static str,
    /// Why.
    pub reason: String,
    /// The comparison.
    pub outcome: Outcome,
    /// The verdict on the metric that was to be saved.
    pub shown: Shown,
    /// `equal`, `different`, `not compared`.
    pub answers: &'static str,
    /// The comparison of equal sides before it.
    pub equal: Outcome,
    /// Its verdicts on that metric, and how many of them are false flags.
    pub comparisons: usize,
    /// See `comparisons`.
    pub flags: usize,
}

/// Runs an experiment on the request's only query and stores it. Takes about twice what the
/// comparison takes. An error if the old side or the query is not what the candidate's profile is
/// of.
pub fn experiment(
    candidate: &Candidate,
    change: &Change,
    mut request: Request,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Done> {
    candidate.check(&request.run.builds[0], request.plan.units[0].key)?;
    // One question was asked, so its query is measured to the end whatever stage 1 says.
    request.rules.confirm = true;
    // Equal sides have half of the budget, the change what they leave.
    let began = Instant::now();
    let equal = equal_sides(&request, store, watch)?;
    request.budget = request.budget.map(|budget| budget.saturating_sub(began.elapsed()));
    let outcome = compare::compare(&request, None, store, watch)?;
    let metric = judged_by(candidate.metric, &equal, &outcome);
    let of_metric = equal.shown.iter().filter(|shown| shown.metric == metric);
    let flags = of_metric.clone().filter(|shown| shown.flagged()).count();
    let comparisons = of_metric.count();
    let shown = outcome.shown.iter().find(|shown| shown.metric == metric).cloned();
    let Some(shown) = shown.filter(|_| ["", DIFFER].contains(&outcome.queries[0].trouble.as_str()))
    else {
        let trouble = &outcome.queries[0].trouble;
        let message = format!("the workload was not measured: {trouble}");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    let answers = match (outcome.agreeing.is_empty(), outcome.differing.is_empty()) {
        (_, false) => "different",
        (false, true) => "equal",
        // What writes, and what a side does not say twice.
        (true, true) => "not compared",
    };
    let j = &shown.judged;
    let effect = (j.theta, j.interval, j.subject.least_effect);
    let (status, reason) = match distrust(j.known.quarantine, j.modes) {
        Some(why) => ("undecided", why),
        None => decide(effect, j.verdict),
    };
    let mut done = Done { status, reason, outcome, shown, answers, equal, comparisons, flags };
    if let Err(constraint) = file(candidate, change, &done, store)? {
        done.status = "undecided";
        done.reason = format!("would be kept, but not met: {constraint}");
        if let Err(constraint) = file(candidate, change, &done, store)? {
            let message = format!("the experiment cannot be stored: {constraint}");
            return Err(Error::new(codes::VIOLATED_CONSTRAINT, message));
        }
    }
    Ok(done)
}

/// The metric that decides. Of memory the peak, or that of one thread where both comparisons have
/// it, whichever the equal sides (not the change) show to tell more.
fn judged_by(kind: Kind, equal: &Outcome, change: &Outcome) -> &'static str {
    if kind == Kind::Time {
        return CLIENT_TIME;
    }
    let of = |outcome: &Outcome, metric: &str| {
        outcome.shown.iter().find(|shown| shown.metric == metric).map(|shown| shown.judged.mde)
    };
    let both =
        |metric: &'static str| Some((of(equal, metric)?, of(change, metric).map(|_| metric)?));
    let known = [MEMORY, LONE_MEMORY].into_iter().filter_map(both);
    known.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(MEMORY, |(_, metric)| metric)
}

/// Why nothing is decided of a query: it is not to be trusted on this kind of machine, or no one
/// number describes what was saved, even where all pairs agree that something was.
fn distrust(quarantine: Option<&str>, modes: bool) -> Option<String> {
    let groups = || modes.then(|| "its processes fall into two groups".to_owned());
    quarantine.map(|why| format!("the query is quarantined: {why}")).or_else(groups)
}

/// What the figures alone say: the effect, its interval and the smallest effect of interest, as log
/// ratios; and the verdict.
fn decide(
    (theta, interval, least_effect): (f64, Interval, f64),
    verdict: Verdict,
) -> (&'static str, String) {
    let percent = |log: f64| format!("{:+.1} %", log.exp_m1() * 100.0);
    let within = format!("{} to {}", percent(interval.low), percent(interval.high));
    let little = format!("{:.1} %", least_effect.exp_m1() * 100.0);
    // What never varies, as a peak of memory may not, shows a saving of one byte.
    if interval.high < 0.0 && interval.low > -least_effect {
        ("discard", format!("it saves less than {little}: {within}"))
    } else if interval.high < 0.0 && theta > -least_effect {
        ("undecided", format!("it may save less than {little}: {within}"))
    } else if interval.high < 0.0 {
        ("keep", format!("the interval is below zero: {within}"))
    } else if interval.low > 0.0 {
        ("discard", format!("it costs more: {within}"))
    } else if verdict == Verdict::Equivalent {
        ("discard", format!("no difference of interest: {within}"))
    } else {
        ("undecided", format!("the interval holds zero: {within}"))
    }
}

/// The old side against itself, today, on this machine.
fn equal_sides(request: &Request, store: &mut Store, watch: &mut dyn Watch) -> Result<Outcome> {
    let old = request.sides[0].clone();
    let sides = [old.clone(), old];
    let commit = request.run.commits[0].clone();
    let commits = [commit.clone(), commit];
    let seed = request.run.seed ^ 1;
    let run = RunRow::new("aa", seed, &sides, commits, &request.run.arguments);
    let budget = request.budget.map(|budget| budget / 2);
    let equal = Request { run, sides, versus: None, answers: false, budget, ..request.clone() };
    let outcome = compare::compare(&equal, None, store, watch)?;
    if outcome.run.state == "finished" {
        store.save_aa(&outcome)?;
    }
    Ok(outcome)
}

fn file(
    candidate: &Candidate,
    change: &Change,
    done: &Done,
    store: &mut Store,
) -> Result<std::result::Result<(), String>> {
    let Done { outcome, equal, shown, .. } = done;
    let (run, j) = (&outcome.run, &shown.judged);
    let finished = equal.run.state == "finished";
    let row = json!({
        "name": candidate.name, "time": now(),
        "profile_id": candidate.profile, "share": candidate.share, "run_id": run.id,
        "cpu": run.host.cpu, "old_commit": run.commits[0], "new_commit": run.commits[1],
        "old_base": change.bases[0], "new_base": change.bases[1], "diff": change.diff,
        "workload": candidate.workload, "metric": metric_name(candidate.metric), "old": j.old,
        "new": j.new, "processes": if j.p.is_some() { j.pairs } else { 0 }, "theta": j.theta,
        "low": j.interval.low, "high": j.interval.high, "p": j.p, "mde": j.mde,
        "aa_run": if finished { equal.run.id.as_str() } else { "" }, "aa_time": equal.run.time,
        "aa_comparisons": done.comparisons, "aa_flags": done.flags, "answers": done.answers,
        "status": done.status, "reason": done.reason,
        "word": if j.known.quarantine.is_some() { "quarantined" } else { &shown.word },
    });
    refused(store.insert("experiment", "JSONEachRow", &[row.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_kept_from_the_smallest_effect_of_interest_on() {
        let decided = |theta: f64, (low, high): (f64, f64), verdict: Verdict| {
            decide((theta, Interval { low, high }, 0.01), verdict).0
        };
        assert_eq!(decided(-0.05, (-0.06, -0.04), Verdict::Faster), "keep");
        assert_eq!(decided(-0.012, (-0.02, -0.004), Verdict::Undecided), "keep");
        assert_eq!(decided(-0.009, (-0.03, -0.001), Verdict::Undecided), "undecided");
        assert_eq!(decided(-1e-5, (-1e-5, -1e-5), Verdict::Equivalent), "discard");
        assert_eq!(decided(0.05, (0.04, 0.06), Verdict::Slower), "discard");
        assert_eq!(decided(0.0, (-0.005, 0.005), Verdict::Equivalent), "discard");
        assert_eq!(decided(-0.02, (-0.05, 0.01), Verdict::Undecided), "undecided");
    }

    #[test]
    fn nothing_is_decided_of_what_is_not_trusted() {
        assert_eq!(distrust(None, false), None);
        assert!(distrust(Some("equal sides differed"), true).unwrap().ends_with("sides differed"));
        // Whatever the verdict is: with two groups it may be "faster".
        assert!(distrust(None, true).unwrap().contains("two groups"));
    }
}
