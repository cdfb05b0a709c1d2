//! Finds the commit that made a query slower or faster. Each decision of the search is wrong in
//! less than one of a hundred cases.

mod search;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_stats::distribution::t_quantile;
use entasis_stats::location::hodges_lehmann;
use entasis_stats::paired::differences;
use entasis_stats::sample::{check, variance};
use entasis_stats::variance::HODGES_LEHMANN_FACTOR;

pub use search::{Look, Posterior};

use crate::measure::{
    Amount, Deadline, Limits, Pair, Plan, Prepared, RunSpec, Samples, Trouble, Watch, judged_by,
    prepare,
};
use crate::target::{Builder, Options, Setting, Source, Target};

/// Most pairs of processes that one look takes.
const MOST_PAIRS: u16 = 30;

/// Pairs of both ends without which too little is known of the noise: three would have to show a
/// step of 32 standard errors, four of 13.
const LEAST_ENDS: u16 = 4;

/// The step between both ends must be significant at this level, two-sided.
const LEVEL: f64 = 0.001;

/// What is searched, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The revision without the step.
    pub good: String,
    /// A later one with it.
    pub bad: String,
    /// One query; it is judged by its own metric.
    pub plan: Plan,
    /// What makes binaries.
    pub builder: Builder,
    /// How servers are started.
    pub options: Options,
    /// Settings of all statements, over the test's own.
    pub settings: Vec<Setting>,
    /// A folder of tables that both sides read, and that stays as it is.
    pub data: Option<PathBuf>,
    /// Limits of runs.
    pub limits: Limits,
    /// Pairs of processes by which both ends are compared; four or more.
    pub pairs: u16,
    /// Runs in each.
    pub each: Amount,
    /// Of all order.
    pub seed: u64,
    /// Time for all of it, builds included. No pair of processes begins after it; what has begun,
    /// a build as well, comes to its end.
    pub budget: Option<Duration>,
    /// Where data folders are made.
    pub work: PathBuf,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The step between both ends, a log ratio.
    pub step: f64,
    /// The commits, oldest first, with the probability that they brought the step.
    pub commits: Vec<(String, f64)>,
    /// Whether the search came to its end: not if it was stopped or its budget is spent.
    pub finished: bool,
    /// Pairs of processes that it took.
    pub pairs: usize,
}

/// Searches. Builds each commit that it looks at.
///
/// Errors: no commits from good to bad, or good is no ancestor of bad; fewer than four pairs; a
/// build or the query fails; both ends do not differ beyond their noise; too little time to compare
/// both ends. Whoever stops it later, or lets it run out of its budget, gets what is known by then.
pub fn bisect(request: &Request, watch: &mut dyn Watch) -> Result<Found> {
    let deadline = Deadline::after(request.budget);
    if request.pairs < LEAST_ENDS {
        let message = format!(
            "{} pairs cannot tell a step from noise: give --pairs {LEAST_ENDS} or more",
            request.pairs
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let commits = commits(&request.good, &request.bad)?;
    let mut search = Search { request, good: build(request, &request.good)?, pairs: 0, deadline };
    let bad = build(request, &request.bad)?;
    watch.say(&format!("{} commits from {} to {}", commits.len(), request.good, request.bad));
    let ends = search.ends(&bad, watch)?;
    let step = step_of(&ends)?;
    watch.say(&format!("the step is {:+.1} %", step.exp_m1() * 100.0));
    let mut posterior = Posterior::new(commits.len());
    let mut finished = true;
    while let Some(at) = posterior.next() {
        finished = !search.ended(watch);
        if !finished {
            break;
        }
        let target = build(request, &commits[at])?;
        // A build takes minutes.
        finished = !search.ended(watch);
        if !finished {
            break;
        }
        let look = search.look(&target, &ends, watch)?;
        let has = look.probability();
        watch.say(&format!("{}: has the step with probability {has:.3}", &commits[at]));
        posterior.update(at, has);
    }
    let commits = commits.into_iter().zip(posterior.all().iter().copied()).collect();
    Ok(Found { step, commits, finished, pairs: search.pairs })
}

/// The commits after `good` up to `bad`, oldest first, along first parents.
fn commits(good: &str, bad: &str) -> Result<Vec<String>> {
    let (first, last) = (Builder::commit(good)?, Builder::commit(bad)?);
    // Where they have no commit in common git fails without a word.
    let base = Builder::base(&first, &last).unwrap_or_default();
    if base != first && base != last {
        let remedy = if base.is_empty() {
            "give a --left that --right is built on".to_owned()
        } else {
            format!("give --left git:{base}, where they parted")
        };
        let message = format!(
            "{good} is no ancestor of {bad}, so either's own commits may have brought the step: \
             {remedy}"
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let range = format!("{good}..{bad}");
    let words = ["rev-list", "--first-parent", "--reverse", &range];
    let done = Command::new("git").args(words).output()?;
    let all: Vec<String> =
        String::from_utf8_lossy(&done.stdout).lines().map(str::to_owned).collect();
    if all.is_empty() {
        let message = format!("no commit from {good} to {bad}: the good revision comes first");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(all)
}

fn build(request: &Request, revision: &str) -> Result<Target> {
    let built = request.builder.build(revision)?;
    Ok(Target::new(format!("git:{revision}"), Source::Binary(built.binary)))
}

/// The step between both ends, if it is there.
fn step_of(differences: &[f64]) -> Result<f64> {
    check("both ends", differences, LEAST_ENDS.into())?;
    let step = hodges_lehmann(differences)?;
    let variance = variance(differences).unwrap_or(0.0);
    let df = (differences.len() - 1) as f64;
    let error = (variance * HODGES_LEHMANN_FACTOR / differences.len() as f64).sqrt();
    let noise = t_quantile(1.0 - LEVEL / 2.0, df) * error;
    if step.abs() <= noise {
        let message = format!(
            "both ends differ by {:+.2} %, which is not beyond the noise of {} pairs of processes \
             ({:.2} % at p {LEVEL}): no step to search for; give more --pairs",
            step.exp_m1() * 100.0,
            differences.len(),
            noise.exp_m1() * 100.0
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(step)
}

struct Search<'a> {
    request: &'a Request,
    good: Target,
    pairs: usize,
    deadline: Deadline,
}

impl<'a> Search<'a> {
    /// Whether no pair of processes may begin any more.
    fn ended(&self, watch: &dyn Watch) -> bool {
        watch.stopped() || self.deadline.left().is_some_and(|left| left.is_zero())
    }

    /// Differences between both ends.
    fn ends(&mut self, bad: &Target, watch: &mut dyn Watch) -> Result<Vec<f64>> {
        let mut session = self.prepare(bad, watch)?;
        for process in 0..self.request.pairs {
            if self.ended(watch) {
                if process < LEAST_ENDS {
                    let message = format!(
                        "ended after {process} pairs of processes of both ends, too few to tell \
                         whether there is a step ({LEAST_ENDS} are needed)"
                    );
                    let (code, remedy) = match watch.stopped() {
                        true => (codes::QUERY_WAS_CANCELLED, "it was stopped"),
                        false => (codes::TIMEOUT_EXCEEDED, "give it more --budget"),
                    };
                    return Err(Error::new(code, format!("{message}: {remedy}")));
                }
                break;
            }
            watch.progress("both ends", process.into(), self.request.pairs.into());
            session.one(process)?;
            self.pairs += 1;
        }
        session.differences()
    }

    /// Pairs of processes of the good end and a commit until the answer is sure.
    fn look(&mut self, target: &Target, ends: &[f64], watch: &mut dyn Watch) -> Result<Look> {
        let mut session = self.prepare(target, watch)?;
        let mut look = Look::at(&[], ends);
        for process in 0..MOST_PAIRS {
            watch.progress(&target.label, process.into(), MOST_PAIRS.into());
            session.one(process)?;
            self.pairs += 1;
            look = Look::at(&session.differences()?, ends);
            if look.answer().is_some() || self.ended(watch) {
                break;
            }
        }
        Ok(look)
    }

    fn prepare(&self, new: &Target, watch: &mut dyn Watch) -> Result<Session<'a>> {
        let Request { plan, options, work, data, .. } = self.request;
        let sides = [self.good.clone(), new.clone()];
        let never = Deadline::after(None);
        let prepared = prepare(plan, data.as_deref(), &sides, options, work, never, watch)?;
        if let Some(skipped) = prepared.skipped.first() {
            return Err(Error::new(codes::BAD_ARGUMENTS, skipped.reason.clone()));
        }
        let samples = Samples::default();
        let request = self.request;
        Ok(Session { request, sides, prepared, samples })
    }
}

/// Two builds on filled tables.
struct Session<'a> {
    request: &'a Request,
    sides: [Target; 2],
    prepared: Prepared,
    samples: Samples,
}

impl Session<'_> {
    /// One more pair of processes.
    fn one(&mut self, process: u16) -> Result<()> {
        let Request { plan, options, settings, limits, seed, each, .. } = self.request;
        let start = |side: usize| self.sides[side].start(&self.prepared.data[side], options);
        let sessions = [start(0)?, start(1)?];
        let settings = [settings.clone(), settings.clone()];
        let id = format!("bisect-{seed}.");
        let place = (*seed, 2, process);
        let spec = RunSpec::new(plan, settings, place, &id, *limits);
        let mut pair = Pair::new(spec, &self.prepared, sessions);
        pair.measure(0, each, &mut self.samples).map(drop).map_err(|trouble| {
            let text = match trouble {
                Trouble::Partial(_, text) | Trouble::Broken(text) => text,
            };
            Error::new(codes::BAD_ARGUMENTS, format!("the query fails: {text}"))
        })?;
        pair.count(&mut self.samples)
    }

    fn differences(&self) -> Result<Vec<f64>> {
        let metric = judged_by(self.request.plan.query(0).metric);
        let all = self.samples.by_unit(metric, 2).remove(&0).unwrap_or_default();
        differences(&all.0, &all.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_must_be_beyond_the_noise() {
        let step = step_of(&[0.10, 0.11, 0.09, 0.10]).unwrap();
        assert!((step - 0.1).abs() < 1e-9, "{step}");
        let error = step_of(&[0.10, -0.11, 0.09, -0.10]).unwrap_err().to_string();
        assert!(error.contains("no step"), "{error}");
        assert!(step_of(&[0.0; 4]).is_err());
        // Without noise any step is one.
        assert!((step_of(&[0.1; 4]).unwrap() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn few_pairs_need_a_clearer_step() {
        let around = |step: f64, count: usize| -> Vec<f64> {
            (0..count).map(|at| if at % 2 == 0 { step + 0.01 } else { step - 0.01 }).collect()
        };
        // Student's t of 0.9995: 12.9 errors of 0.006 with three degrees of freedom, 4.1 of 0.003
        // with fifteen.
        assert!(step_of(&around(0.07, 4)).is_err() && step_of(&around(0.08, 4)).is_ok());
        assert!(step_of(&around(0.01, 16)).is_err() && step_of(&around(0.012, 16)).is_ok());
        assert!(step_of(&[0.1; 3]).is_err());
    }
}
