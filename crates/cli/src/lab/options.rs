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
        "old version: BINARY, git:REV, http://HOST:PORT, in-process, chdb, duckdb, driver:CMD",
    ),
    Known::value("right", &[], "new version, in the same forms as --left"),
    Known::value("left-settings", &[], "settings for the old version only: a=1,b=2"),
    Known::value("right-settings", &[], "settings for the new version only"),
    Known::value("query", &['q'], "a query to measure in place of test files"),
    Known::value("versus", &[], "text of --query for the new version, if it differs"),
    Known::value("data", &[], "folder of tables that both versions read; it is not changed"),
    Known::value("database", &['d'], "database that all tests use (default: one for each test)"),
    Known::flag(
        "keep-created-tables",
        &[],
        "do not drop the tables of the tests on running servers",
    ),
    Known::flag("use-existing-tables", &[], "do not create or drop tables; they exist already"),
    Known::value(
        "only",
        &[],
        "run tests whose name contains this text, or is NAME for =NAME; may be repeated",
    ),
    Known::value("queries-to-run", &[], "run only the queries with these numbers: 0,2,5"),
    Known::value("queries-from", &[], "file with lines `test number`: run only these queries"),
    Known::value(
        "max-queries",
        &[],
        "run at most so many queries, chosen at random by the seed; calibration queries are added",
    ),
    Known::flag("long", &[], "also run tests that are labelled long"),
    Known::value(
        "pr",
        &[],
        "number of the pull request: statements with do_not_check_in_pr=\"N\" may fail on the old version",
    ),
    Known::flag("strict", &[], "treat warnings about test files as errors"),
    Known::value("budget", &[], "time for the whole run, builds included: 90s, 18m, 2h"),
    Known::value(
        "pairs",
        &[],
        "planned pairs of processes in stage 2; a query gets half to three times as many (default: 8)",
    ),
    Known::value(
        "runs",
        &[],
        "least number of pairs of runs in each pair of processes (default: 3)",
    ),
    Known::value("seconds", &[], "least seconds of runs in each pair of processes (default: 1.5)"),
    Known::value("first-runs", &[], "least number of pairs of runs in stage 1 (default: 5)"),
    Known::value("first-seconds", &[], "least seconds of runs in stage 1 (default: 2.5)"),
    Known::flag("first-only", &[], "run stage 1 only, which decides nothing"),
    Known::value(
        "min-effect",
        &[],
        "smallest change that is reported (default: 0.01, which is 1 %)",
    ),
    Known::value(
        "wanted-effect",
        &[],
        "change that shall be found in nine of ten cases; noisy queries get up to four times the \
         seconds (default: 0.05; 0: all get the same)",
    ),
    Known::value(
        "max-query-seconds",
        &[],
        "longest run of a query that is measured, in seconds (default: 15)",
    ),
    Known::value(
        "prewarm-max-query-seconds",
        &[],
        "longest warm-up run of a query, in seconds (default: 180)",
    ),
    Known::value("least-run", &[], "seconds for which a run repeats a quick query (default: 0.01)"),
    Known::value(
        "seed",
        &[],
        "seed of all random choices, such as the order of runs (default: from the clock)",
    ),
    Known::value("cpus", &[], "processors for the servers, as taskset reads them"),
    Known::value(
        "start",
        &[],
        "command that starts a server: '{binary} server --path {path} --http-port {port}'",
    ),
    Known::value(
        "profile-seconds",
        &[],
        "seconds for which a changed query is profiled, per version and process (default: 1; 0: no profile)",
    ),
    Known::flag("no-answers", &[], "do not check that both versions give the same results"),
    Known::value("build", &[], "command that builds a git:REV"),
    Known::value(
        "layouts",
        &[],
        "number of builds of each git:REV with functions in different orders, so that the place of \
         code in memory does not decide: the value of --pairs, or half of it",
    ),
    Known::value(
        "build-output",
        &[],
        "path of the built binary within the target folder (default: release/entasis)",
    ),
    Known::value("dir", &[], "folder of the laboratory (default: entasis-lab)"),
    Known::value(
        "store",
        &[],
        "where results are stored: a folder or http://HOST:PORT (default: DIR/store)",
    ),
    Known::value("report", &[], "file for the report (default: DIR/reports/RUN.html)"),
    Known::value("json", &[], "file for the report as JSON"),
    Known::value(
        "runner-tsv",
        &[],
        "folder for TEST-raw.tsv in the form of ClickHouse's own test runner",
    ),
    Known::value("resume", &[], "continue a run that was stopped: its id, or last"),
    Known::flag("help", &['h'], "print this help"),
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
