//! `entasis lab replay`: what a stored run says has changed, measured again.

use std::process::ExitCode;

use entasis_base::Result;
use entasis_lab::compare;
use entasis_lab::store::RunRow;
use entasis_lab::target::end_all;
use entasis_lab::trust::{agreement, flagged, replayed};

use super::watch::Screen;
use super::{options, request};
use crate::args;
use crate::report::bad_arguments;
use crate::{interrupt, terminal};

const HEAD: &str = "\
entasis lab replay [RUN] [OPTION...]: measures again what a stored run (by default the last one)
reported as slower or faster, with the same versions and settings, another seed, and all of stage 2.
Options replace those of the run. Exit codes: 0, all findings are confirmed; 1, some are not.";

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let Some(args) = options::parse(line, HEAD, &[], &["resume"])? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut store = request::store(&args);
    let id = args.words.get(1).map_or("last", String::as_str);
    let before = compare::recompute(store.load(id)?)?;
    let keys = flagged(&before);
    if keys.is_empty() {
        terminal::say(&format!("{} calls nothing slower or faster", before.run.id));
        return Ok(ExitCode::SUCCESS);
    }
    let line = over(&before.run, line);
    let args = args::parse(&line, options::KNOWN)?;
    let seed = request::seed(&args)?;
    let mut plan = request::plan(&args, seed)?;
    plan.units.retain(|unit| keys.contains(&unit.key));
    if plan.units.is_empty() {
        return Err(bad_arguments(format!("no query of {} is left in the files", before.run.id)));
    }
    let mut request = request::request_of(&args, "replay", &line, seed, plan)?;
    request.run.facts.push(("replay_of".to_owned(), before.run.id.clone()));
    request.rules.confirm = true;
    interrupt::install_with_processes(end_all)?;
    let _work = request::Work(request.work.clone());
    let again = {
        let mut screen = Screen::start(request.budget);
        compare::compare(&request, None, &mut store, &mut screen)?
    };
    let all = replayed(&before, &again);
    for one in &all {
        terminal::say(&one.to_string());
    }
    terminal::say(&format!("{} (run {}, again {})", agreement(&all)?, before.run.id, again.run.id));
    let holds = all.len() == keys.len() && all.iter().all(|one| one.agrees);
    Ok(ExitCode::from(u8::from(!holds)))
}

/// The run's command line with what is said now after it.
fn over(run: &RunRow, now: &[String]) -> Vec<String> {
    let mut line = run.again();
    let options = now.iter().skip(1);
    let named = now.get(1).is_some_and(|word| !word.starts_with('-'));
    line.extend(options.skip(usize::from(named)).cloned());
    if !line.iter().any(|word| word.starts_with("--profile-seconds")) {
        line.push("--profile-seconds=0".to_owned());
    }
    line
}
