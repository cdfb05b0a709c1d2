//! `entasis generate`: rows of the demo's events as Parquet files.

use std::process::ExitCode;
use std::time::Instant;

use entasis_base::{Error, Result, codes};
use entasis_engine::{Engine, EngineConfig};

use crate::args::{self, Known};
use crate::{report, terminal};

/// Rows per file.
const FILE_ROWS: u64 = 1_000_000;

const KNOWN: [Known; 4] = [
    Known::value("rows", &[], "number of rows (default: 1000000)"),
    Known::value(
        "seed",
        &[],
        "seed of the random numbers; another seed gives other rows (default: 1)",
    ),
    Known::value("out", &['o'], "folder for the files"),
    Known::flag("help", &['h'], "print this help"),
];

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, &KNOWN)?;
    if args.has("help") {
        let head = "entasis generate: write web-analytics events to Parquet files; equal rows and seeds give equal files";
        terminal::say(&args::help(head, &KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    let (rows, seed) = (args.number("rows", 1_000_000)?, args.number("seed", 1)?);
    let out = args
        .value("out")
        .ok_or_else(|| report::bad_arguments("entasis generate needs --out FOLDER"))?;
    std::fs::create_dir_all(out).map_err(|e| {
        Error::new(codes::CANNOT_CREATE_DIRECTORY, format!("Cannot create {out}")).with_cause(e)
    })?;
    let mut session = Engine::open(EngineConfig::local(None)?)?.session();
    let started = Instant::now();
    let files = rows.div_ceil(FILE_ROWS).max(1);
    for file in 0..files {
        let (from, until) = (file * FILE_ROWS, rows.min((file + 1) * FILE_ROWS));
        let path = format!("{out}/hits_{file:03}.parquet").replace('\'', "\\'");
        session.execute(&format!(
            "INSERT INTO FUNCTION file('{path}', 'Parquet') \
             SELECT * FROM hits({rows}, {seed}, {from}, {until})"
        ))?;
        terminal::complain(&format!(
            "{path}: {} of {rows} rows, {:.1} s",
            until,
            started.elapsed().as_secs_f64()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
