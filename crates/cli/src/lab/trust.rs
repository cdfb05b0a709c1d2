//! `entasis lab aa` and `entasis lab power`: rounds of runs whose truth is known, and what all
//! rounds in the store say together.

use std::process::ExitCode;

use entasis_base::{Error, Result, codes};
use entasis_lab::compare::{self, Request};
use entasis_lab::measure::{Deadline, Servers, Watch, prepare};
use entasis_lab::store::{RunRow, Store};
use entasis_lab::target::end_all;
use entasis_lab::trust::{Equal, Level, Planted, assign};

use super::watch::Screen;
use super::{options, request};
use crate::args::{Args, Known};
use crate::report::bad_arguments;
use crate::{interrupt, terminal};

const MORE: &[Known] = &[
    Known::value("rounds", &[], "number of runs (default: as many as the budget allows, or 1)"),
    Known::flag("summary", &[], "do not measure, but summarise the stored rounds"),
    Known::value("since", &[], "use rounds from this time on (seconds since 1970)"),
    Known::flag(
        "confirm",
        &[],
        "send all queries through all of stage 2: slower, but also measures the noise of quiet queries",
    ),
    Known::value(
        "plant",
        &[],
        "what is made worse: time, allocation or peak memory (default: time)",
    ),
    Known::value(
        "levels",
        &[],
        "slowdowns in percent; each query gets one of them (default: 2,5,10)",
    ),
    Known::value(
        "step",
        &[],
        "slow down only steps whose name starts with this text, or `Output` (default: all)",
    ),
];

const EQUAL: &str = "\
entasis lab aa --left TARGET [FILE...]: compares a target with itself, round after round. Every
difference that it reports is a false alarm. Rounds of several runs add up in the store; a query
with too many false alarms is quarantined.";

const PLANTED: &str = "\
entasis lab power --left TARGET [FILE...]: compares a target with itself while every query of
the new version is slowed down (or given more memory) by a known share, and counts how often this is
found.";

/// Options that have no meaning for rounds, because every round has its own report in the store.
const WITHOUT: [&str; 4] = ["resume", "report", "json", "runner-tsv"];

/// Equal sides.
pub fn equal(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse(line, EQUAL, MORE, &WITHOUT)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut store = request::store(&args);
    if !args.has("summary") {
        rounds(&args, "aa", line, &mut store, &mut |_, _| Ok(()))?;
    }
    let all = Equal::count(&mut store, since(&args)?, "")?;
    terminal::say(all.to_string().trim_end());
    Ok(ExitCode::SUCCESS)
}

/// Sides that differ by what is planted.
pub fn planted(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse(line, PLANTED, MORE, &WITHOUT)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let what = Planted::parse(args.value("plant").unwrap_or("time"))?;
    let list = args.value("levels").unwrap_or("2,5,10");
    let levels: Vec<f64> = list
        .split(',')
        .map(|level| level.trim().parse().ok().filter(|l: &f64| l.is_finite() && *l >= 0.0))
        .collect::<Option<_>>()
        .ok_or_else(|| bad_arguments(format!("--levels {list}: expected percents, as 2,5,10")))?;
    let step = args.value("step").unwrap_or_default();
    let least = levels.iter().copied().filter(|level| *level > 0.0).fold(f64::INFINITY, f64::min);
    let mut store = request::store(&args);
    if !args.has("summary") {
        rounds(&args, "power", line, &mut store, &mut |request, seed| {
            if !args.has("min-effect") {
                // What is as small as the smallest effect of interest is found half of the time.
                let interest = &mut request.rules.least_effect;
                *interest = interest.min(compare::effect(least / 200.0));
            }
            request.planted = assign(what, &levels, step, request.plan.units.len(), seed);
            what.metric().clone_into(&mut request.planted_what);
            Ok(())
        })?;
    }
    for (level, found) in Level::count(&mut store, what, since(&args)?)? {
        terminal::say(&found.line(level as f64 / 1e3)?);
    }
    Ok(ExitCode::SUCCESS)
}

fn since(args: &Args) -> Result<f64> {
    let Some(text) = args.value("since") else { return Ok(0.0) };
    text.parse().map_err(|_| bad_arguments(format!("--since {text}: expected seconds since 1970")))
}

/// Runs rounds within the budget; tables are filled once for all of them.
fn rounds(
    args: &Args,
    kind: &str,
    line: &[String],
    store: &mut Store,
    plant: &mut dyn FnMut(&mut Request, u64) -> Result<()>,
) -> Result<()> {
    let mut request = request::request(args, kind, line)?;
    request.answers = false;
    request.rules.confirm = args.has("confirm");
    // What is flagged in equal sides has no cause; a planted one is looked for on demand.
    if kind == "aa" || !args.has("profile-seconds") {
        request.profile = 0.0;
    }
    let budget = request.budget.take();
    let usual = if budget.is_some() { u64::MAX } else { 1 };
    let rounds = args.number("rounds", usual)?;
    interrupt::install_with_processes(end_all)?;
    let mut screen = Screen::start(budget);
    let deadline = Deadline::after(budget);
    let Request { plan, data, sides, options, work, .. } = &request;
    let mut servers = Servers::of(plan, sides);
    let prepared = prepare(plan, data.as_deref(), sides, options, work, deadline, &mut screen)?;
    servers.made();
    let _work = request::Work(work.clone());
    request.prepared = Some(prepared);
    let first = request.run.seed;
    for round in 0..rounds {
        if screen.stopped() || !deadline.fits(1.0) {
            break;
        }
        let seed = first.wrapping_add(round);
        let old = &request.run;
        request.run = RunRow::new(kind, seed, &request.sides, old.commits.clone(), line);
        request.budget = deadline.left();
        plant(&mut request, seed)?;
        let outcome = compare::compare(&request, None, store, &mut screen)?;
        screen.say(&format!("round {}: {} ({})", round + 1, outcome.status(), outcome.run.state));
        if kind == "aa" {
            store.save_aa(&outcome)?;
        }
        store.rest();
        // A side that does not start any more has ended the round, and would end all that follow.
        let unread = &request.plan.unread;
        if let Some(problem) =
            outcome.run.problems().find(|problem| unread.iter().all(|known| known != problem))
        {
            return Err(Error::new(codes::ABORTED, format!("round {}: {problem}", round + 1)));
        }
    }
    servers.leave(&mut screen);
    Ok(())
}
