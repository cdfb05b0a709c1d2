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
    ("compare", "what became faster or slower between two sides", compare::compare),
    ("aa", "equal sides again and again: how often they are told apart", trust::equal),
    ("power", "planted slowdowns: how often they are found", trust::planted),
    ("asm", "a hot loop of both builds, with modelled cycles", |line| asm::run(&line[1..])),
    ("bisect", "the commit that made a query slower or faster", bisect::run),
    ("scan", "ideas for changes: keeps and lists them", experiment::scan),
    ("profile", "which ideas the profile of their workload bears out", experiment::profile),
    ("experiment", "a candidate's change against its base: keep, discard", experiment::experiment),
    ("history", "steps of stored series over many runs", history::run),
    ("replay", "what a stored run says changed, measured again", replay::run),
    ("recompute", "a stored run's verdicts again, from its samples", compare::recompute),
    ("report", "the page of a stored run", compare::report),
    ("runs", "the stored runs", compare::runs),
    ("queries", "the queries of performance tests", queries::run),
];

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let command = line.first().map_or("--help", String::as_str);
    if matches!(command, "--help" | "-h" | "help") {
        let mut text = "entasis lab: the performance laboratory (docs/laboratory.md)\n".to_owned();
        for (name, what, _) in COMMANDS {
            text.push_str(&format!("\n  entasis lab {name:10} {what}"));
        }
        text.push_str("\n\n`entasis lab COMMAND --help` lists a command's options.");
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
