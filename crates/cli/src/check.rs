//! `entasis check` and `entasis repair`: is a folder of tables as it was written, and if not, what
//! can be saved.

use std::process::ExitCode;

use entasis_base::Result;
use entasis_engine::storage::{self, Finding, RepairOptions};

use crate::args::{self, Args, Known};
use crate::report::bad_arguments;
use crate::terminal;

const CHECK: &[Known] = &[
    Known::value("path", &[], "folder that holds the tables, or a backup"),
    Known::flag("help", &['h'], "print this help"),
];

const REPAIR: &[Known] = &[
    Known::value("path", &[], "folder that holds the tables; no process may use it meanwhile"),
    Known::flag(
        "detach-damaged-parts",
        &[],
        "move damaged parts to lost/; their rows are then missing in the tables",
    ),
    Known::flag("help", &['h'], "print this help"),
];

/// Runs `entasis check`: lists what is damaged on stdout; exit code 1 if anything is.
pub fn check(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, CHECK)?;
    if args.has("help") {
        let head =
            "entasis check: read all tables in a folder, or a backup, and verify every checksum";
        terminal::say(&args::help(head, CHECK));
        return Ok(ExitCode::SUCCESS);
    }
    let path = path_of(&args, "check")?;
    if storage::is_backup(path) {
        return check_backup(path);
    }
    let report = storage::check(path, &mut |finding| terminal::say(&shown(finding)))?;
    let (tables, parts, bytes) = (report.tables, report.parts, report.bytes);
    terminal::complain(&format!("{tables} tables, {parts} parts, {bytes} bytes were read"));
    if report.unnamed > 0 {
        terminal::complain(&format!(
            "{} files are not named by the log, or go on behind what is: of work that goes on, or \
             left over from a crash",
            report.unnamed
        ));
    }
    if report.damaged == 0 {
        terminal::complain("Nothing is damaged");
        return Ok(ExitCode::SUCCESS);
    }
    terminal::complain(&format!(
        "{} things are damaged. `entasis repair --path {path}` saves what can be saved",
        report.damaged
    ));
    Ok(ExitCode::from(1))
}

/// Checks a backup.
fn check_backup(path: &str) -> Result<ExitCode> {
    let mut damaged = 0;
    let totals = storage::check_backup(path, &mut |file, what| {
        damaged += 1;
        terminal::say(&format!("{file}: {what}"));
    })?;
    terminal::complain(&format!("{} files, {} bytes were read", totals.files, totals.bytes));
    if damaged == 0 {
        terminal::complain("Nothing is damaged");
        return Ok(ExitCode::SUCCESS);
    }
    terminal::complain(&format!("{damaged} files of the backup are damaged"));
    Ok(ExitCode::from(1))
}

/// Runs `entasis repair`: says what was done on stdout; exit code 1 if something stays damaged.
pub fn repair(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, REPAIR)?;
    if args.has("help") {
        let head =
            "entasis repair: repair a folder of tables that cannot be opened; removes no files";
        terminal::say(&args::help(head, REPAIR));
        return Ok(ExitCode::SUCCESS);
    }
    let path = path_of(&args, "repair")?;
    let options = RepairOptions { detach_damaged: args.has("detach-damaged-parts") };
    let mut said = 0;
    let left = storage::repair(path, options, &mut |what| {
        said += 1;
        terminal::say(what);
    })?;
    if left.is_empty() {
        terminal::complain(match said {
            0 => "Nothing is damaged, and nothing was changed",
            _ => "The folder can be used again",
        });
        return Ok(ExitCode::SUCCESS);
    }
    left.iter().for_each(|finding| terminal::say(&shown(finding)));
    terminal::complain(
        "Queries of the tables with these files fail; all other tables work. Restore the files \
         from a copy, or give up their rows with --detach-damaged-parts",
    );
    Ok(ExitCode::from(1))
}

fn path_of<'a>(args: &'a Args, command: &str) -> Result<&'a str> {
    if let Some((name, _)) = args.settings.first() {
        return Err(bad_arguments(format!("Unknown option `--{name}`; see --help")));
    }
    args.value("path").ok_or_else(|| {
        bad_arguments(format!("The folder is missing: entasis {command} --path FOLDER"))
    })
}

fn shown(finding: &Finding) -> String {
    format!("{}: {}", finding.path, finding.what)
}
