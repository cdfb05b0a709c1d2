//! `entasis lab compare`, `recompute`, `report`, `runs`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use entasis_base::Result;
use entasis_lab::compare::{self, Outcome};
use entasis_lab::report::{self, Extras};
use entasis_lab::store::Store;
use entasis_lab::target::end_all;

use super::request::{self, folder};
use super::watch::{Screen, clock};
use super::{options, show};
use crate::args::{self, Args};
use crate::{interrupt, terminal};

const HEAD: &str = "\
entasis lab compare --left OLD --right NEW [FILE...]: finds queries that became faster or slower.
Exit codes: 0, no query is slower; 1, some query is slower; 2, something failed or nothing could be
judged. Other options are settings for both versions.";

const RECOMPUTE: &str = "\
entasis lab recompute [RUN]: computes the verdicts of a stored run (by default the last one) again
from its samples. Exit codes are those of `entasis lab compare`.";

const REPORT: &str = "\
entasis lab report [RUN]: writes the report of a stored run, by default the last one.";

const RUNS: &str = "\
entasis lab runs: lists the last fifty stored runs.";

/// Options of commands that read a stored run.
const STORED: [&str; 5] = ["dir", "store", "report", "json", "runner-tsv"];

/// Measures and judges.
pub fn compare(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse(line, HEAD, &[], &[])? else { return Ok(ExitCode::SUCCESS) };
    let mut store = request::store(&args);
    let before = match args.value("resume") {
        Some(id) => Some(store.load(id)?),
        None => None,
    };
    let (args, line) = match &before {
        Some(before) => {
            // What is said now goes over what was said then: another budget, above all.
            let line = request::resumed(&before.run.going_on()?, line);
            (args::parse(&line, options::KNOWN)?, line)
        }
        None => (args, line.to_vec()),
    };
    let mut request = request::request(&args, "compare", &line)?;
    if let Some(before) = &before {
        request.run.id.clone_from(&before.run.id);
    }
    interrupt::install_with_processes(end_all)?;
    let _work = request::Work(request.work.clone());
    let outcome = {
        let mut screen = Screen::start(request.budget);
        compare::compare(&request, before, &mut store, &mut screen)?
    };
    conclude(&args, &outcome, &mut store)
}

/// Shows what came out, and writes the page and what else was asked for.
pub fn conclude(args: &Args, outcome: &Outcome, store: &mut Store) -> Result<ExitCode> {
    terminal::say(&show::text(outcome));
    write(args, outcome, store)?;
    let status = outcome.status();
    let spent = clock(Duration::from_secs_f64(outcome.run.spent));
    terminal::say(&format!("{status} (run {}, {spent})", outcome.run.id));
    Ok(ExitCode::from(status.exit_code()))
}

/// A stored run's verdicts, from its samples.
pub fn recompute(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse_few(line, RECOMPUTE, &STORED)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut store = request::store(&args);
    let outcome = stored(&args, &mut store)?;
    conclude(&args, &outcome, &mut store)
}

/// The reports of a stored run.
pub fn report(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse_few(line, REPORT, &STORED)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut store = request::store(&args);
    let outcome = stored(&args, &mut store)?;
    write(&args, &outcome, &mut store)?;
    Ok(ExitCode::SUCCESS)
}

/// The run that the command line names, the last one without a name.
fn stored(args: &Args, store: &mut Store) -> Result<Outcome> {
    let id = args.words.get(1).map_or("last", String::as_str);
    let mut outcome = compare::recompute(store.load(id)?)?;
    report::causes(store, &mut outcome)?;
    Ok(outcome)
}

/// Writes the page, and the report for programs where it is asked for.
fn write(args: &Args, outcome: &Outcome, store: &mut Store) -> Result<()> {
    // A report without its history is better than none.
    let extras = Extras::stored(store, outcome).unwrap_or_else(|e| {
        terminal::complain(&format!("warning: the report lacks history and health: {e}"));
        Extras::of(outcome)
    });
    if let Some(file) = args.value("json") {
        request::write(file.as_ref(), &report::json(outcome, &extras))?;
    }
    if let Some(folder) = args.value("runner-tsv") {
        for (test, lines) in report::runner(outcome) {
            // Names of tests are those of files, unless somebody else filled the store.
            let file = format!("{}-raw.tsv", test.replace('/', "_"));
            request::write(&Path::new(folder).join(file), &lines)?;
        }
    }
    let path = request::page(args, &outcome.run.id);
    request::write(&path, &report::page(outcome, &extras))?;
    terminal::say(&format!("report: {}", path.display()));
    Ok(())
}

/// What the store has.
pub fn runs(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse_few(line, RUNS, &["dir", "store"])? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut store = request::store(&args);
    let runs = store.runs(50)?;
    if runs.is_empty() {
        terminal::say(&format!("No run in {} yet", folder(&args).display()));
    }
    for run in runs {
        let [old, new] = &run.sides;
        terminal::say(&format!("{}  {:8} {:9} {old} -> {new}", run.id, run.kind, run.state));
    }
    Ok(ExitCode::SUCCESS)
}
