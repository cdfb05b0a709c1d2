//! The `entasis` binary: one subcommand per module, thin over `engine`.
//!
//! Data goes to stdout, everything else to stderr.
#![forbid(unsafe_code)]

mod args;
mod bench_driver;
mod demo;
mod generate;
mod hints;
mod local;
mod render;
mod server;
mod terminal;

use std::process::ExitCode;

use entasis_base::Result;

/// jemalloc: less fragmentation than the system's under many threads, and it keeps statistics.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const USAGE: &str = "\
entasis: a columnar database for analytics that speaks ClickHouse's dialect

  entasis local -q 'SELECT 1'             run queries here, over files or tables of --path
  entasis server --path DIR               tables over HTTP, with a page to ask them
  entasis generate --rows N --out DIR     write rows of web-analytics events as Parquet
  entasis demo                            ten million events, a dozen queries
  entasis version                         version of this build

`entasis COMMAND --help` lists a command's options.
";

fn main() -> ExitCode {
    if let Err(missing) = cpu_is_enough() {
        terminal::complain(&format!(
            "This build of entasis needs a CPU with {missing}: build one with `make portable`"
        ));
        return ExitCode::from(1);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            terminal::complain(&error.to_string());
            ExitCode::from(error.code().0 as u8)
        }
    }
}

fn run(args: &[String]) -> Result<ExitCode> {
    let rest = args.get(1..).unwrap_or_default();
    match args.first().map_or("help", String::as_str) {
        "local" => local::run(rest),
        "server" => server::run(rest),
        "generate" => generate::run(rest),
        "demo" => demo::run(rest),
        "version" | "--version" | "-V" => {
            terminal::say(&format!("entasis {}", env!("CARGO_PKG_VERSION")));
            Ok(ExitCode::SUCCESS)
        }
        "help" | "--help" | "-h" => {
            terminal::say(USAGE.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        other => {
            terminal::complain(&format!("Unknown command `{other}`\n\n{}", USAGE.trim_end()));
            Ok(ExitCode::from(36))
        }
    }
}

/// The instruction sets that the build was compiled for, checked before any of them is used.
fn cpu_is_enough() -> std::result::Result<(), &'static str> {
    entasis_engine::cpu_is_enough()
}
