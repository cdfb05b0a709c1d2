//! `entasis lab queries`: what test files expand to.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use entasis_base::{Error, Result, codes};
use entasis_lab::spec::{self, Listing, Options};

use crate::args::{self, Known};
use crate::{report, terminal};

const KNOWN: [Known; 4] = [
    Known::flag("strict", &[], "treat warnings (unknown elements and attributes) as errors"),
    Known::flag("names", &[], "print the names that reports show in place of the text of queries"),
    Known::flag(
        "settings",
        &[],
        "print the settings of the tests in place of queries: test, name, value",
    ),
    Known::flag("help", &['h'], "print this help"),
];

const HEAD: &str = "\
entasis lab queries FILE...: lists the queries of performance tests (docs/performance-tests.md), one
per line: test, number, query. A folder stands for the *.xml files in it.";

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, &KNOWN)?;
    if args.has("help") {
        terminal::say(&args::help(HEAD, &KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((name, _)) = args.settings.first() {
        return Err(report::bad_arguments(format!("`entasis lab` has no option --{name}")));
    }
    let paths: Vec<PathBuf> = args.words[1..].iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        return Err(report::bad_arguments("entasis lab queries needs a FILE or a folder of them"));
    }
    let listing = match (args.has("settings"), args.has("names")) {
        (true, _) => Listing::Settings,
        (false, true) => Listing::Name,
        (false, false) => Listing::Text,
    };
    queries(&paths, &Options { strict: args.has("strict") }, listing)
}

fn queries(paths: &[PathBuf], options: &Options, listing: Listing) -> Result<ExitCode> {
    let loaded = spec::load(paths, options);
    let warnings = loaded.warnings.iter().map(|problem| ("warning", problem));
    for (kind, problem) in warnings.chain(loaded.errors.iter().map(|error| ("error", error))) {
        terminal::complain(&format!("{kind}: {problem}"));
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let written = spec::list(&loaded.files, listing, &mut out).and_then(|()| out.flush());
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let message = "Cannot write to standard output";
            Err(Error::new(codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR, message).with_cause(e))
        }
        _ => Ok(ExitCode::from(u8::from(!loaded.errors.is_empty()))),
    }
}
