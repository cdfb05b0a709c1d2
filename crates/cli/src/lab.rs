//! `entasis lab`: the performance laboratory. So far it reads test files and lists their queries.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use entasis_base::{Error, Result, codes};
use entasis_lab::spec::{self, Listing, Options};

use crate::args::{self, Known};
use crate::{report, terminal};

const KNOWN: [Known; 3] = [
    Known::flag("strict", &[], "warnings (unknown elements and attributes) are errors"),
    Known::flag("names", &[], "names as reports show them, in place of the queries' text"),
    Known::flag("help", &['h'], "this text"),
];

const HEAD: &str = "\
entasis lab queries FILE...: the queries of performance tests (docs/performance-tests.md), one a
line: test, number, query. A folder stands for the *.xml in it.
entasis lab asm FUNCTION --left BINARY --right BINARY: a hot loop in two builds; see its --help.";

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    if line.first().is_some_and(|word| word == "asm") {
        return crate::lab_asm::run(&line[1..]);
    }
    let args = args::parse(line, &KNOWN)?;
    let command = args.words.first().map(String::as_str);
    if args.has("help") || command.is_none() {
        terminal::say(&args::help(HEAD, &KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((name, _)) = args.settings.first() {
        return Err(report::bad_arguments(format!("`entasis lab` has no option --{name}")));
    }
    let paths: Vec<PathBuf> = args.words[1..].iter().map(PathBuf::from).collect();
    match command {
        Some("queries") if paths.is_empty() => {
            Err(report::bad_arguments("entasis lab queries needs a FILE or a folder of them"))
        }
        Some("queries") => {
            let listing = if args.has("names") { Listing::Name } else { Listing::Text };
            queries(&paths, &Options { strict: args.has("strict") }, listing)
        }
        other => {
            let other = other.unwrap_or_default();
            Err(report::bad_arguments(format!(
                "Unknown command `lab {other}`: there are `queries` and `asm`"
            )))
        }
    }
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
