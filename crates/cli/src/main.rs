//! The `entasis` binary: one subcommand per module, thin over `engine`.
//!
//! Data goes to stdout, everything else to stderr.
#![forbid(unsafe_code)]

mod args;
mod backend;
mod bench_driver;
mod check;
mod client;
mod demo;
mod generate;
mod hints;
mod human;
mod interrupt;
mod lab;
mod local;
mod meter;
mod outfile;
mod picture;
mod progress;
mod render;
mod report;
mod script;
mod server;
mod shell;
mod statement;
mod terminal;

use std::process::ExitCode;

use entasis_base::alloc::Watched;
use entasis_base::{Error, Result};
use tikv_jemallocator::Jemalloc;

/// jemalloc: less fragmentation than the system's under many threads, and it keeps statistics.
#[global_allocator]
static ALLOCATOR: Watched<Jemalloc> = Watched(Jemalloc);

const USAGE: &str = "\
entasis: a columnar database for analytics that speaks ClickHouse's dialect

  entasis local                           a shell over files and tables in this process
  entasis local -q 'SELECT 1'             the same for scripts; --path DIR keeps tables
  entasis server --path DIR               serve the tables of DIR over HTTP
  entasis hash-password                   a password's hash for a server's configuration
  entasis client                          a shell on a server; -q for scripts
  entasis demo                            ten million events, a dozen queries, a web page
  entasis generate --rows N --out DIR     write rows of web-analytics events as Parquet
  entasis check --path DIR                read all of a folder of tables, name what is damaged
  entasis repair --path DIR               make a damaged folder open again; removes nothing
  entasis lab queries FILE...             the queries of performance tests
  entasis version                         version of this build

`entasis COMMAND --help` lists a command's options.";

const COMMANDS: [&str; 11] = [
    "local",
    "server",
    "client",
    "demo",
    "generate",
    "check",
    "repair",
    "hash-password",
    "lab",
    "version",
    "help",
];

fn main() -> ExitCode {
    if let Err(missing) = cpu_is_enough() {
        terminal::complain(&format!(
            "This build of entasis needs a CPU with {missing}: build one with `make portable`"
        ));
        return ExitCode::from(1);
    }
    meter::install();
    entasis_functions::register();
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args).unwrap_or_else(|error| {
        report::error("", &error);
        report::exit_code(&error)
    })
}

fn run(args: &[String]) -> Result<ExitCode> {
    let rest = args.get(1..).unwrap_or_default();
    if let [option] = rest
        && matches!(option.as_str(), "--version" | "-V")
    {
        return run(std::slice::from_ref(option));
    }
    match args.first().map_or("help", String::as_str) {
        "local" => local::run(rest),
        "server" => server::run(rest),
        "hash-password" => server::hash_password(rest),
        "client" => client::run(rest),
        "generate" => generate::run(rest),
        "check" => check::check(rest),
        "repair" => check::repair(rest),
        "demo" => demo::run(rest),
        "lab" => lab::run(rest),
        "version" | "--version" | "-V" => {
            terminal::say(&format!("entasis {}", env!("CARGO_PKG_VERSION")));
            Ok(ExitCode::SUCCESS)
        }
        "help" | "--help" | "-h" => {
            let of = rest.first().filter(|c| *c != "help" && COMMANDS.contains(&c.as_str()));
            match of {
                Some(command) => run(&[command.clone(), "--help".into()]),
                None => {
                    terminal::say(USAGE);
                    Ok(ExitCode::SUCCESS)
                }
            }
        }
        // `entasis -q 'SELECT 1'`: options without a command are those of `local`.
        option if option.starts_with('-') => local::run(args),
        other => Err(unknown_command(other)),
    }
}

fn unknown_command(word: &str) -> Error {
    let near = entasis_engine::near(word, COMMANDS.into_iter());
    let message = report::with_hint(format!("Unknown command `{word}`"), &near);
    report::bad_arguments(format!("{message}. See entasis --help"))
}

/// The instruction sets that the build was compiled for, checked before any of them is used.
fn cpu_is_enough() -> std::result::Result<(), &'static str> {
    entasis_engine::cpu_is_enough()
}
