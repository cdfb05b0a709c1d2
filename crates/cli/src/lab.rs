//! `entasis lab`: the performance laboratory.

mod asm;
mod bisect;
mod choice;
mod compare;
mod experiment;
mod history;
mod options;
mod queries;
mod replay;
mod request;
mod show;
mod trust;
mod watch;

use std::process::ExitCode;

use entasis_base::Result;

use crate::{report, terminal};

type Command = fn(&[String]) -> Result<ExitCode>;

/// The commands: name, what `--help` says, what runs.
const COMMANDS: &[(&str, &str, Command)] = &[
    ("compare", "find queries that became faster or slower", compare::compare),
    (
        "aa",
        "compare a binary with itself: how often are differences reported wrongly?",
        trust::equal,
    ),
    ("power", "slow queries down on purpose: how often is it found?", trust::planted),
    ("asm", "show the machine code of a hot loop in two builds, with modelled cycles", |line| {
        asm::run(&line[1..])
    }),
    ("bisect", "find the commit that made a query slower or faster", bisect::run),
    ("scan", "record ideas for optimisations and list them", experiment::scan),
    (
        "profile",
        "profile the workloads of ideas and keep those that are worth trying",
        experiment::profile,
    ),
    (
        "experiment",
        "measure an optimisation against its base: keep or discard it",
        experiment::experiment,
    ),
    ("history", "find changes over many stored runs", history::run),
    ("replay", "measure again what a stored run reported as changed", replay::run),
    (
        "recompute",
        "compute the verdicts of a stored run again from its samples",
        compare::recompute,
    ),
    ("report", "write the report (HTML) of a stored run", compare::report),
    ("runs", "list stored runs", compare::runs),
    ("queries", "list the queries of performance tests", queries::run),
];

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let command = line.first().map_or("--help", String::as_str);
    if matches!(command, "--help" | "-h" | "help") {
        let mut text = "entasis lab: the performance laboratory (docs/laboratory.md)\n".to_owned();
        for (name, what, _) in COMMANDS {
            text.push_str(&format!("\n  entasis lab {name:10} {what}"));
        }
        text.push_str("\n\n`entasis lab COMMAND --help` lists the options of a command.");
        terminal::say(&text);
        return Ok(ExitCode::SUCCESS);
    }
    match COMMANDS.iter().find(|(name, _, _)| *name == command) {
        Some((_, _, run)) => run(line),
        None => {
            let names: Vec<&str> = COMMANDS.iter().map(|(name, _, _)| *name).collect();
            let message = format!("Unknown command `lab {command}`: there is {}", names.join(", "));
            Err(report::bad_arguments(message))
        }
    }
}
