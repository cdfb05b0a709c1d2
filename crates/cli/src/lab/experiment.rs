//! `entasis lab scan`, `profile`, `experiment`: from an idea to a decision.

use std::process::ExitCode;

use entasis_base::Result;
use entasis_lab::compare::Request;
use entasis_lab::experiment::{
    self, Candidate, Change, Done, Files, Idea, Replay, quoted, results,
};
use entasis_lab::store::{Host, Store};
use entasis_lab::target::{Builder, end_all, masked};

use super::compare::conclude;
use super::options;
use super::request::{self, folder};
use super::watch::Screen;
use crate::args::{Args, Known};
use crate::report::bad_arguments;
use crate::{interrupt, terminal};

const IDEA: &[Known] = &[
    Known::value("name", &[], "name of the idea"),
    Known::value("function", &[], "function that shall become cheaper, as a profile shows it"),
    Known::value("place", &[], "FILE:LINE"),
    Known::value("metric", &[], "what the change shall save: time or memory (default: time)"),
    Known::value("workload", &[], "query that shows the effect: TEST NUMBER, or SQL"),
    Known::value("reason", &[], "why the change should help"),
];

const SCAN: &str = "\
entasis lab scan [LIST] [--name N --function F --workload W ...]: records ideas for
optimisations and lists all ideas. LIST is a file with one idea per line: name, function, place,
metric, workload and reason, separated by tabs.";

const PROFILED: &[Known] = &[
    Known::flag(
        "queries",
        &[],
        "profile the queries of test files in place of the workloads of ideas",
    ),
    Known::value("metric", &[], "what is profiled: time or memory (default: time)"),
    Known::value("functions", &[], "number of functions to print for each query (default: 12)"),
];

const PROFILE: &str = "\
entasis lab profile [NAME...] --left TARGET: profiles the workloads of ideas (by default of
all). Ideas whose function takes at least 5 % of the time or memory become candidates.
entasis lab profile --queries [FILE...] --left TARGET: prints for each query the functions with
the most samples: test, query, milliseconds of a run under the profiler, percent, function, percent,
function and so on, separated by tabs. Time in the standard library, the allocator and C functions
counts for their callers.";

const EXPERIMENT: &str = "\
entasis lab experiment NAME --left git:BASE --right git:CHANGE: measures a candidate on its
workload, first the base against itself and then the change against the base, and decides: keep,
discard or undecided. The results are in DIR/experiments/NAME.";

fn parse(line: &[String], more: &[Known], head: &str) -> Result<Option<Args>> {
    options::parse(line, head, more, &["resume"])
}

/// Ideas in, all ideas out.
pub fn scan(line: &[String]) -> Result<ExitCode> {
    let Some(args) = parse(line, IDEA, SCAN)? else { return Ok(ExitCode::SUCCESS) };
    let mut ideas = Vec::new();
    for list in &args.words[1..] {
        let text = std::fs::read_to_string(list)
            .map_err(|e| bad_arguments(format!("Cannot read {list}: {e}")))?;
        ideas.extend(Idea::list(&text).map_err(|e| e.context(list))?);
    }
    if args.has("name") {
        let of = |name| args.value(name).unwrap_or_default();
        let metric = args.value("metric").unwrap_or("time");
        let fields =
            [of("name"), of("function"), of("place"), metric, of("workload"), of("reason")];
        ideas.push(Idea::new(fields)?);
    }
    let mut store = open(&args)?;
    Idea::save(&mut store, &ideas, Host::clock_seed() as f64 / 1e3)?;
    let all = Idea::all(&mut store)?;
    let candidates = Candidate::all(&mut store)?;
    for idea in &all {
        let state = match candidates.iter().find(|candidate| candidate.is_of(idea)) {
            Some(candidate) => format!("candidate, {:.1} %", candidate.share * 100.0),
            None => "no profile bears it out".to_owned(),
        };
        terminal::say(&format!("{:24} {:24} {}: {}", idea.name, state, idea.function, idea.reason));
    }
    if all.is_empty() {
        terminal::say("There are no ideas yet: `entasis lab scan --help` explains how to add one");
    }
    Ok(ExitCode::SUCCESS)
}

/// Profiles the workloads of ideas.
pub fn profile(line: &[String]) -> Result<ExitCode> {
    let Some(args) = parse(line, PROFILED, PROFILE)? else { return Ok(ExitCode::SUCCESS) };
    let most = usize::try_from(args.number("functions", 12)?).unwrap_or(usize::MAX);
    if args.has("queries") {
        return queries(&args, line, most);
    }
    let mut store = open(&args)?;
    let mut ideas = Idea::all(&mut store)?;
    let named = &args.words[1..];
    if let Some(unknown) = named.iter().find(|name| ideas.iter().all(|i| i.name != **name)) {
        return Err(bad_arguments(format!(
            "There is no idea `{unknown}`: `entasis lab scan` lists all ideas"
        )));
    }
    // Ideas about one workload share its profile: the newest one says of all of them whether they
    // are candidates.
    let same = |a: &Idea, b: &Idea| (&a.workload, a.metric) == (&b.workload, b.metric);
    let chosen = ideas.iter().filter(|idea| named.is_empty() || named.contains(&idea.name));
    let chosen: Vec<Idea> = chosen.cloned().collect();
    ideas.retain(|idea| chosen.iter().any(|chosen| same(chosen, idea)));
    ideas.sort_by(|a, b| (&a.workload, a.metric as u8).cmp(&(&b.workload, b.metric as u8)));
    for ideas in ideas.chunk_by(same) {
        one_profile(&args, line, ideas, &mut store, most)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The profile of every query of test files.
fn queries(args: &Args, line: &[String], most: usize) -> Result<ExitCode> {
    interrupt::install_with_processes(end_all)?;
    let metric = args.value("metric").unwrap_or("time");
    let kind = experiment::metric_of(metric)
        .ok_or_else(|| bad_arguments(format!("--metric {metric}: expected time or memory")))?;
    let seconds = request::profile_seconds(args, 0.3)?;
    let request = request::request(args, "profile", line)?;
    let _work = request::Work(request.work.clone());
    let mut screen = Screen::start(request.budget);
    let mut none = 0;
    experiment::profiles(&request, kind, seconds, &mut screen, &mut |unit, profile| {
        let (test, query) = (&request.plan.test(unit).name, request.plan.query(unit).index);
        match profile {
            Ok(profile) => {
                let functions = profile.owners().into_iter().take(most);
                let shares = functions.map(|(name, share)| format!("\t{share:.1}\t{name}"));
                let (ms, shares) = (profile.seconds * 1e3, shares.collect::<String>());
                terminal::say(&format!("{test}\t{query}\t{ms:.1}{shares}"));
            }
            Err(e) => {
                none += 1;
                terminal::complain(&format!("{test} #{query}: {e}"));
            }
        }
        Ok(())
    })?;
    Ok(if none == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn one_profile(
    args: &Args,
    line: &[String],
    ideas: &[Idea],
    store: &mut Store,
    most: usize,
) -> Result<()> {
    let idea = &ideas[0];
    let seconds = request::profile_seconds(args, 3.0)?;
    let request = asked(args, "profile", line, &idea.workload)?;
    store.rest();
    let profile = {
        let _work = request::Work(request.work.clone());
        let mut screen = Screen::start(request.budget);
        experiment::profile(&request, idea.metric, seconds, &mut screen)?
    };
    let run = &request.run;
    profile.save(store, &idea.workload, &run.host.cpu, run.time)?;
    let what = experiment::metric_name(idea.metric);
    terminal::say(&format!("{}\nprofile {} of its {what}:", idea.workload, profile.id));
    terminal::say(profile.text(most).trim_end());
    for idea in ideas {
        let share = profile.share_of(&idea.function);
        let filed = Candidate::file(store, idea, &profile, run.time)?;
        let filed = filed.map_or_else(|c| format!("no candidate: {c}"), |()| "candidate".into());
        let percent = share.part() * 100.0;
        terminal::say(&format!(
            "{}: `{}` {percent:.1} % ({} of {} samples): {filed}",
            idea.name, idea.function, share.samples, share.all
        ));
    }
    Ok(())
}

/// A candidate's change against its base.
pub fn experiment(line: &[String]) -> Result<ExitCode> {
    let Some(args) = parse(line, &[], EXPERIMENT)? else { return Ok(ExitCode::SUCCESS) };
    let [_, name] = args.words.as_slice() else {
        return Err(bad_arguments(
            "The name of one candidate is missing: `entasis lab scan` lists them",
        ));
    };
    // What is kept is a change of code: its diff is stored, settings and texts are none.
    for option in ["left-settings", "right-settings", "versus"] {
        if args.has(option) {
            let message = format!("--{option}: the sides of an experiment differ in code alone");
            return Err(bad_arguments(message));
        }
    }
    let mut store = open(&args)?;
    let candidate = Candidate::find(&mut store, name)?;
    let ideas = Idea::all(&mut store)?;
    let idea = ideas.iter().find(|idea| idea.name == *name);
    let idea = idea.ok_or_else(|| bad_arguments(format!("`{name}` is no idea any more")))?;
    if !candidate.is_of(idea) {
        return Err(bad_arguments(format!(
            "The idea `{name}` is another one since its profile was taken: `entasis lab profile \
             {name}` says whether it is a candidate"
        )));
    }
    let mut request = asked(&args, "experiment", line, &candidate.workload)?;
    request.answers = !args.has("no-answers");
    let change = change(&request)?;
    store.rest();
    let done = {
        let _work = request::Work(request.work.clone());
        let mut screen = Screen::start(request.budget);
        experiment::experiment(&candidate, &change, request, &mut store, &mut screen)?
    };
    conclude(&args, &done.outcome, &mut store)?;
    leave(&args, line, (idea, &candidate, &change), &done, &mut store)?;
    terminal::say(&format!("{name}: {}: {}", done.status, done.reason));
    Ok(ExitCode::SUCCESS)
}

/// Report, diff, script, and the table of all experiments.
fn leave(
    args: &Args,
    line: &[String],
    (idea, candidate, change): (&Idea, &Candidate, &Change),
    done: &Done,
    store: &mut Store,
) -> Result<()> {
    let all = folder(args).join("experiments");
    let own = all.join(&idea.name);
    let replay = replay(args, line);
    for (name, text) in Files::new(idea, candidate, change, done, &replay).0 {
        request::write(&own.join(name), &text)?;
    }
    request::write(&all.join("results.tsv"), &results(store)?)?;
    terminal::say(&format!("experiment: {}", own.display()));
    Ok(())
}

/// Options that say where the laboratory is, how a revision is built and started, and what tables
/// its workload reads.
const PLACE: [&str; 7] = ["dir", "store", "build", "build-output", "data", "database", "start"];

/// The experiment's command again. Branches move, commits stay.
fn replay(args: &Args, line: &[String]) -> Replay {
    let left = args.value("left");
    let experiment = line.iter().map(|word| {
        let revision = word.strip_prefix("--left=").or_else(|| word.strip_prefix("--right="));
        let revision = revision.unwrap_or(word);
        let option = &word[..word.len() - revision.len()];
        match revision.strip_prefix("git:") {
            Some(_) if left == Some(revision) => format!("{option}git:$old"),
            Some(_) => format!("{option}git:$new"),
            None => quoted(&masked(word)),
        }
    });
    let given = PLACE.iter().filter_map(|name| Some((name, args.value(name)?)));
    let options = given.map(|(name, value)| format!(" --{name} {}", quoted(&masked(value))));
    Replay { experiment: experiment.collect::<Vec<_>>().join(" "), options: options.collect() }
}

/// What the sides' commits say. Binaries have none: then nothing can be kept.
fn change(request: &Request) -> Result<Change> {
    let [old, new] = &request.run.commits;
    if old.is_empty() || new.is_empty() {
        let bases = [String::new(), String::new()];
        return Ok(Change { bases, diff: String::new() });
    }
    let bases = [old.clone(), Builder::base(old, new)?];
    Ok(Change { bases, diff: Builder::diff(old, new)? })
}

fn asked(args: &Args, kind: &str, line: &[String], workload: &str) -> Result<Request> {
    interrupt::install_with_processes(end_all)?;
    let plan = request::workload(args, workload)?;
    request::request_of(args, kind, line, request::seed(args)?, plan)
}

fn open(args: &Args) -> Result<Store> {
    let mut store = request::store(args);
    experiment::tables_of(&mut store)?;
    Ok(store)
}
