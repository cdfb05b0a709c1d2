//! `entasis lab bisect`.

use std::path::PathBuf;
use std::process::ExitCode;

use entasis_base::Result;
use entasis_lab::bisect::{self, Request};
use entasis_lab::target::end_all;

use super::watch::Screen;
use super::{options, request};
use crate::args::Args;
use crate::report::bad_arguments;
use crate::{interrupt, terminal};

const HEAD: &str = "\
entasis lab bisect --left git:GOOD --right git:BAD --only TEST --queries-to-run N [FILE...]:
finds the commit between GOOD and BAD that made one query slower or faster. It builds about
log2(commits) revisions, and each of its decisions is wrong in less than one of a hundred cases.
If the budget ends earlier, it reports which commits are left.";

/// Options of a comparison that a search has no use for: it compares revisions alone, by its own
/// rules, and stores nothing.
const WITHOUT: &[&str] = &[
    "left-settings",
    "right-settings",
    "versus",
    "keep-created-tables",
    "pr",
    "first-runs",
    "first-seconds",
    "min-effect",
    "wanted-effect",
    "profile-seconds",
    "no-answers",
    "layouts",
    "store",
    "report",
    "json",
    "runner-tsv",
    "resume",
];

/// Commits less likely than this are not shown.
const SHOWN: f64 = 0.005;

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse(line, HEAD, &[], WITHOUT)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let seed = request::seed(&args)?;
    let plan = request::plan(&args, seed)?;
    if plan.units.len() != 1 {
        return Err(bad_arguments(format!(
            "bisect wants one query, not {}: choose it by --only TEST --queries-to-run N",
            plan.units.len()
        )));
    }
    let rules = request::rules(&args)?;
    let wanted = Request {
        good: revision(&args, "left")?,
        bad: revision(&args, "right")?,
        plan,
        builder: request::builder(&args),
        options: request::options(&args),
        settings: args.settings.clone(),
        data: args.value("data").map(PathBuf::from),
        limits: request::limits(&args)?,
        pairs: u16::try_from(rules.pairs).unwrap_or(u16::MAX),
        each: rules.each,
        seed,
        budget: request::budget(&args)?,
        work: request::folder(&args).join("work").join(format!("bisect-{seed}")),
    };
    interrupt::install_with_processes(end_all)?;
    let _work = request::Work(wanted.work.clone());
    let found = {
        let mut screen = Screen::start(wanted.budget);
        bisect::bisect(&wanted, &mut screen)?
    };
    for (commit, probability) in &found.commits {
        if *probability >= SHOWN {
            terminal::say(&format!("{:6.2} %  {commit}", probability * 100.0));
        }
    }
    let (step, pairs) = (found.step.exp_m1() * 100.0, found.pairs);
    terminal::say(&format!("a step of {step:+.1} %, found with {pairs} pairs of processes"));
    if !found.finished {
        terminal::complain(
            "Ended before one commit was sure: search on between the likeliest ones with --left and --right",
        );
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

fn revision(args: &Args, side: &'static str) -> Result<String> {
    let text = args.value(side).unwrap_or_default();
    match text.strip_prefix("git:") {
        Some(revision) if !revision.is_empty() => Ok(revision.to_owned()),
        _ => Err(bad_arguments(format!("--{side} {text}: expected git:REV"))),
    }
}
