//! The binary `entasis`: one subcommand per module, with little code above `engine`.
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

/// jemalloc, because it fragments less than the system's allocator when many threads allocate, and
/// because it keeps statistics. `.cargo/config.toml` says how it keeps freed pages.
#[global_allocator]
static ALLOCATOR: Watched<Jemalloc> = Watched(Jemalloc);

const USAGE: &str = "\
entasis: a columnar database for analytics that speaks ClickHouse's dialect

  entasis local                           start a shell on files and tables, without a server
  entasis local -q 'SELECT 1'             run queries and exit; --path DIR keeps the tables
  entasis server --path DIR               serve the tables in DIR over HTTP
  entasis hash-password                   hash a password for the server's configuration
  entasis client                          start a shell on a server; -q runs queries and exits
  entasis demo                            make ten million events, query them, serve a web page
  entasis generate --rows N --out DIR     write web-analytics events to Parquet files
  entasis check --path DIR                verify all tables in DIR and list what is damaged
  entasis repair --path DIR               repair a damaged folder; removes no files
  entasis lab                             compare the speed of builds: the laboratory
  entasis version                         print the version

`entasis COMMAND --help` lists the options of a command.";

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
            "This build of Entasis needs a CPU with {missing}: `make portable` makes one for all CPUs"
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

/// Checks that this CPU has the instruction sets for which the build was compiled, before any of
/// them is used.
fn cpu_is_enough() -> std::result::Result<(), &'static str> {
    entasis_engine::cpu_is_enough()
}
