//! Options of the commands.

use entasis_base::Result;

use crate::args::{self, Args, Known};
use crate::report::bad_arguments;
use crate::terminal;

/// Options of all commands that measure.
pub const KNOWN: &[Known] = &[
    Known::value(
        "left",
        &[],
        "old side: BINARY, git:REV, http://HOST:PORT, in-process, chdb, duckdb, driver:CMD",
    ),
    Known::value("right", &[], "new side"),
    Known::value("left-settings", &[], "settings of the old side: a=1,b=2"),
    Known::value("right-settings", &[], "settings of the new side"),
    Known::value("query", &['q'], "one query in place of test files"),
    Known::value("versus", &[], "the new side's text of --query"),
    Known::value("data", &[], "folder of tables that both sides read; it stays as it is"),
    Known::value("database", &['d'], "database that all tests use (default: one for each test)"),
    Known::flag("keep-created-tables", &[], "leave the tests' tables on running servers"),
    Known::flag("use-existing-tables", &[], "make and drop no tables: they are there already"),
    Known::value("only", &[], "tests whose names hold this text, or =NAME; may be repeated"),
    Known::value("queries-to-run", &[], "numbers of queries: 0,2,5"),
    Known::value("queries-from", &[], "file with lines `test number`: only these queries"),
    Known::value("max-queries", &[], "so many queries, chosen by the seed, beside the yardsticks"),
    Known::flag("long", &[], "tests labelled long, too"),
    Known::value(
        "pr",
        &[],
        "number of the pull request: statements with do_not_check_in_pr=\"N\" may fail on the old side",
    ),
    Known::flag("strict", &[], "warnings about test files are errors"),
    Known::value("budget", &[], "all of it, builds too, within this time: 90s, 18m, 2h"),
    Known::value(
        "pairs",
        &[],
        "pairs of processes of stage 2 as planned: half to three times as many are made (default: 8)",
    ),
    Known::value("runs", &[], "pairs of runs in each of them at least (default: 3)"),
    Known::value("seconds", &[], "seconds of runs in each of them at least (default: 1.5)"),
    Known::value("first-runs", &[], "pairs of runs of stage 1 at least (default: 5)"),
    Known::value("first-seconds", &[], "seconds of runs of stage 1 at least (default: 2.5)"),
    Known::value("min-effect", &[], "smallest change of interest (default: 0.01)"),
    Known::value(
        "wanted-effect",
        &[],
        "change to be found nine times of ten: noisy queries get up to four times the seconds \
         (default: 0.05; 0: all get as many)",
    ),
    Known::value("max-query-seconds", &[], "longest measured run (default: 15)"),
    Known::value("prewarm-max-query-seconds", &[], "longest warm-up (default: 180)"),
    Known::value("least-run", &[], "seconds that a run repeats a quick query for (default: 0.01)"),
    Known::value("seed", &[], "of all order and chance (default: from the clock)"),
    Known::value("cpus", &[], "processors of the servers, as taskset takes them"),
    Known::value(
        "start",
        &[],
        "how binaries are started: '{binary} server --path {path} --http-port {port}'",
    ),
    Known::value(
        "profile-seconds",
        &[],
        "profile of a changed query, per side and process (default: 1; 0: none)",
    ),
    Known::flag("no-answers", &[], "do not compare the sides' answers"),
    Known::value("build", &[], "command that builds a git:REV"),
    Known::value(
        "layouts",
        &[],
        "builds of each git:REV, each with functions in another order; pairs of processes take \
         turns, so that where code lies is noise, not a verdict: as many as --pairs, or half",
    ),
    Known::value(
        "build-output",
        &[],
        "its binary within the target folder (default: release/entasis)",
    ),
    Known::value("dir", &[], "folder of the laboratory (default: entasis-lab)"),
    Known::value("store", &[], "its tables: a folder or http://HOST:PORT (default: DIR/store)"),
    Known::value("report", &[], "file of the page (default: DIR/reports/RUN.html)"),
    Known::value("json", &[], "file of the report as JSON"),
    Known::value(
        "runner-tsv",
        &[],
        "folder for TEST-raw.tsv: the lines of ClickHouse's own runner",
    ),
    Known::value("resume", &[], "go on with a run that was stopped: its id, or last"),
    Known::flag("help", &['h'], "this text"),
];

/// What a command is asked for; nothing if that is its help, which is shown then. It knows `more`
/// options than those of all that measure, and has no use for some of these.
pub fn parse(
    line: &[String],
    head: &str,
    more: &[Known],
    without: &[&str],
) -> Result<Option<Args>> {
    let all: Vec<Known> = more.iter().chain(KNOWN).copied().collect();
    let args = args::parse(line, &all)?;
    if args.has("help") {
        let used = all.into_iter().filter(|option| !without.contains(&option.long));
        terminal::say(&args::help(head, &used.collect::<Vec<_>>()));
        return Ok(None);
    }
    match without.iter().find(|name| args.has(name)) {
        Some(name) => Err(unknown(line, name)),
        None => Ok(Some(args)),
    }
}

/// The same for a command that measures nothing, and knows these options alone.
pub fn parse_few(line: &[String], head: &str, names: &[&str]) -> Result<Option<Args>> {
    let few = KNOWN.iter().filter(|option| names.contains(&option.long) || option.long == "help");
    let few: Vec<Known> = few.copied().collect();
    let args = args::parse(line, &few)?;
    if args.has("help") {
        terminal::say(&args::help(head, &few));
        return Ok(None);
    }
    match args.settings.first() {
        Some((name, _)) => Err(unknown(line, name)),
        None => Ok(Some(args)),
    }
}

fn unknown(line: &[String], option: &str) -> entasis_base::Error {
    let command = line.first().map_or("", String::as_str);
    bad_arguments(format!("lab {command} does not know --{option}"))
}
