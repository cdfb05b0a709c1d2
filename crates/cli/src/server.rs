//! `entasis server`: tables over HTTP, for programs and for a browser.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use entasis_base::{Result, message};
use entasis_server::{Config, Printer, Server, open_engine};

use crate::args::{self, Args, Known};
use crate::terminal;

const KNOWN: &[Known] = &[
    Known {
        long: "config",
        short: &[],
        takes_value: true,
        help: "configuration file (TOML); docs/http.md lists its keys, which all have defaults",
    },
    Known {
        long: "path",
        short: &[],
        takes_value: true,
        help: "folder that holds the tables (default: entasis-data)",
    },
    Known { long: "http-port", short: &[], takes_value: true, help: "HTTP port (default: 8123)" },
    Known {
        long: "listen",
        short: &[],
        takes_value: true,
        help: "address to listen on (default: 127.0.0.1); the option may be repeated",
    },
    Known { long: "help", short: &['h'], takes_value: false, help: "print this help" },
];

/// Runs the command: serves until SIGTERM or SIGINT.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, KNOWN)?;
    if args.has("help") {
        terminal::say(&args::help("entasis server: serve tables over HTTP (docs/http.md)", KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    let config = configure(&args)?;
    // The addresses are checked before the tables are opened, so that a refused address is reported
    // at once.
    config.addresses()?;
    if let Some(warning) = args.value("config").and_then(|path| config.exposed_passwords(path)) {
        terminal::complain(&warning);
    }
    let mut printer = Printer::open(&config)?;
    let engine = open_engine(&config, entasis_lab::cost_injection::of_environment())?;
    engine.storage_warnings().iter().for_each(|warning| terminal::complain(warning));
    let server = Server::bind(&config, engine)?;
    server.stop_on_signals()?;
    for address in server.addresses() {
        terminal::complain(&format!("Listening on http://{address}"));
    }
    if let Some(address) = server.addresses().first() {
        terminal::complain(&format!(
            "Tables in {}. Ask in a browser: http://{address}/play, or: \
             curl http://{address}/ -d 'SELECT 1'. Ctrl+C ends the server.",
            config.path.display()
        ));
    }
    // The address is printed first, because programs wait for this line.
    printer.listen();
    let (version, process) = (env!("CARGO_PKG_VERSION"), std::process::id());
    message!(Information, "Application", "Entasis {} is ready, process {}", version, process);
    server.run()?;
    message!(Information, "Application", "Stopped");
    terminal::complain("The server has ended");
    Ok(ExitCode::SUCCESS)
}

/// Runs `entasis hash-password`: reads a line with a password, and prints its hash for the
/// configuration.
pub fn hash_password(line: &[String]) -> Result<ExitCode> {
    if !line.is_empty() {
        let usage = "entasis hash-password: reads a password from standard input and prints its hash, \
                     the value of password_hash in the server's configuration";
        terminal::say(usage);
        return Ok(ExitCode::SUCCESS);
    }
    if std::io::stdin().is_terminal() {
        terminal::complain("Password (it is shown while you type), then Enter:");
    }
    let mut password = String::new();
    std::io::stdin().read_line(&mut password)?;
    terminal::say(&entasis_server::hash_password(password.trim_end_matches(['\r', '\n']))?);
    Ok(ExitCode::SUCCESS)
}

/// The values of the file, overridden by those of the command line.
fn configure(args: &Args) -> Result<Config> {
    let mut config = match args.value("config") {
        Some(path) => Config::read(path)?,
        None => Config::default(),
    };
    if let Some(path) = args.value("path") {
        config.path = path.into();
    }
    if args.has("http-port") {
        let port = args.number("http-port", 0)?;
        config.http_port = u16::try_from(port).map_err(|_| {
            let message = format!("--http-port {port}: ports go up to 65535");
            entasis_base::Error::new(entasis_base::codes::BAD_ARGUMENTS, message)
        })?;
    }
    if args.has("listen") {
        config.listen = args.values("listen").map(str::to_string).collect();
    }
    for (name, value) in &args.settings {
        config.settings.insert(name.clone(), value.clone().into());
    }
    Ok(config)
}
