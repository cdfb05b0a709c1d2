//! `entasis local`: runs queries on files and tables in this process.

use std::io::{BufReader, Read};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::{CancelToken, Result};
use entasis_engine::{Engine, EngineConfig, LogsConfig, Parsed, QueryOptions, Session};

use crate::args::{self, Args, Known};
use crate::backend::{Ask, Backend, Outcome, Screen};
use crate::outfile::Target;
use crate::picture::{self, Picture};
use crate::progress::Reading;
use crate::script::{self, Script};
use crate::{bench_driver, interrupt, render, report, shell, terminal};

const OWN: [Known; 16] = [
    Known::value("path", &[], "folder that holds the tables (default: tables are kept in memory)"),
    Known::flag("read-only", &[], "open --path for reading only, even while a server uses it"),
    Known::value("database", &['d'], "current database"),
    Known::value("structure", &['S'], "columns of the input data: 'a UInt8, b String'"),
    Known::value("table", &['N'], "name of the table with the input data (default: table)"),
    Known::value("file", &[], "file with the input data; - means standard input"),
    Known::value("input-format", &[], "format of the input data"),
    Known::value("history-file", &[], "file in which the shell keeps its history"),
    Known::flag(
        "interactive",
        &[],
        "has no effect: without a query, a terminal always gets the shell",
    ),
    Known::flag("multiquery", &['n', 'm'], "has no effect: several queries are always allowed"),
    Known::flag("no-system-tables", &[], "accepted; tables of system are made when they are read"),
    Known::flag(
        "logs",
        &[],
        "write system.query_log and other logs, as a server does (implied by --flamegraph)",
    ),
    Known::flag(
        "test-hints",
        &[],
        "obey test comments such as -- { serverError NAME } and -- { echoOn }",
    ),
    Known::flag(
        "reopen-between-statements",
        &[],
        "close and reopen --path between queries, for tests",
    ),
    Known::flag(
        "bench-driver",
        &[],
        "speak the protocol of the benchmark harness on stdin and stdout",
    ),
    Known::flag("help", &['h'], "print this help"),
];

const HEAD: &str = "\
entasis local: run queries in this process, on files or on the tables in --path

  entasis local                                              a shell, tables in memory
  entasis local -q \"SELECT count() FROM file('events.parquet')\"
  cat rows.tsv | entasis local -S 'a UInt32, b String' -q 'SELECT sum(a) FROM table'
  entasis local --path data -q 'INSERT INTO t FORMAT CSV' < rows.csv";

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let known: Vec<Known> =
        script::OPTIONS.into_iter().chain(picture::OPTIONS).chain(OWN).collect();
    let args = args::parse(line, &known)?;
    if args.has("help") {
        terminal::say(&args::help_with_settings(HEAD, &known));
        return Ok(ExitCode::SUCCESS);
    }
    let scripts = if args.has("bench-driver") { None } else { Some(script::texts_of(&args)?) };
    let picture = Picture::of(&args)?;
    let mut local = Local::open(args)?;
    if let Some((name, value)) = picture.as_ref().and_then(|p| p.setting(&local.args.settings)) {
        local.session.set_text(&name, &value)?;
    }
    match scripts {
        None => {
            bench_driver::run(&mut local.session)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(None) if picture.is_some() => Err(picture::needs_query()),
        Some(None) => {
            let place = local.args.value("path").map_or_else(
                || "Tables are in memory: with --path DIR they would stay.".to_string(),
                |path| format!("Tables are in {path}."),
            );
            let history = local.args.value("history-file").map(str::to_string);
            shell::run(Box::new(local), &place, history.as_deref())
        }
        Some(Some(scripts)) => {
            local.add_input(&scripts)?;
            let done = Script::of(&local.args).run_all(&mut local, &scripts)?;
            if let Some(picture) = picture.filter(|_| done == ExitCode::SUCCESS) {
                let last = std::mem::take(&mut local.last);
                picture.write(&last, |id, kind| {
                    local.session.flamegraph(id, None, kind).map(String::into_bytes)
                })?;
            }
            Ok(done)
        }
    }
}

/// The configuration of the engine, from the options.
fn config_of(args: &Args) -> Result<EngineConfig> {
    let logs = (args.has("logs") || args.has("flamegraph")).then(LogsConfig::default);
    let base = match (args.has("read-only"), args.value("path")) {
        (false, path) => EngineConfig::local(path)?,
        (true, Some(path)) => EngineConfig::local_read_only(path)?,
        (true, None) => return Err(report::bad_arguments("--read-only needs --path")),
    };
    Ok(EngineConfig { logs, hook: entasis_lab::cost_injection::of_environment(), ..base })
}

struct Local {
    args: Args,
    engine: Arc<Engine>,
    session: Session,
    format: String,
    shows_progress: bool,
    /// The id of the last statement, for its flame graph.
    last: String,
}

impl Local {
    fn open(args: Args) -> Result<Self> {
        let engine = Engine::open(config_of(&args)?)?;
        engine.storage_warnings().iter().for_each(|warning| terminal::complain(warning));
        let session = session_of(&engine, &args)?;
        let format = script::format_of(&args);
        let shows_progress = args.value("progress") != Some("off");
        Ok(Self { args, engine, session, format, shows_progress, last: String::new() })
    }

    /// Makes a table of standard input or --file, if the options or the scripts ask for it.
    fn add_input(&mut self, scripts: &[String]) -> Result<()> {
        let name = self.args.value("table").unwrap_or("table");
        let asked = ["structure", "input-format", "file", "table"].iter().any(|o| self.args.has(o));
        let inserts = scripts.iter().any(|s| s.to_ascii_lowercase().contains("insert"));
        let path = self.args.value("file").filter(|f| *f != "-" && *f != "stdin");
        if !asked || (inserts && path.is_none()) {
            return Ok(());
        }
        let format = self.args.value("input-format");
        let structure = self.args.value("structure");
        if let Some(path) = path {
            return self.session.add_file(name, path, format, structure);
        }
        let stdin: Box<dyn Read + Send> = Box::new(BufReader::new(std::io::stdin()));
        let format = format.unwrap_or("TSV");
        let reader = match entasis_format::takes_any_bytes(format) {
            true => stdin,
            false => entasis_format::decompress_by_content(stdin, u64::MAX)?.0,
        };
        self.session.add_input(name, format, structure, reader)
    }
}

impl Backend for Local {
    fn parse(&self, script: &str, offset: usize) -> Result<Option<Parsed>> {
        self.session.parse(script, offset)
    }

    fn run(&mut self, ask: Ask<'_>) -> Result<Outcome> {
        let started = Instant::now();
        let query_id = entasis_engine::new_query_id();
        self.last.clone_from(&query_id);
        let options = QueryOptions {
            input: if ask.reads_stdin() { Some(ask.rows_from(std::io::stdin())?) } else { None },
            query_id: query_id.clone(),
            allows_outfile: true,
            ..QueryOptions::default()
        };
        let (progress, cancel) = (Arc::clone(&options.progress), options.cancel.clone());
        let _guard = interrupt::during(move || CancelToken::cancel(&cancel));
        let (watched, engine) = (Arc::clone(&progress), Arc::clone(&self.engine));
        let screen = Screen::start(self.shows_progress, move || {
            let (rows, bytes, total) = watched.get();
            let memory = engine.processes().find(&query_id).map_or(0, |p| p.memory().0);
            Reading { rows, bytes, total, memory, sent: 0 }
        });
        let mut target = Target::open(ask, screen)?;
        let result = self.session.run(ask.script, ask.parsed, options)?;
        let process = result.running.as_ref().map(|r| Arc::clone(r.process()));
        let usual = ask.format.unwrap_or(&self.format);
        let format = target.format(usual).to_string();
        let colours = target.is_screen() && terminal::colours();
        let rows = render::write(result, &self.session, &format, colours, &mut target)?;
        target.finish()?;
        let (read_rows, read_bytes, _) = progress.get();
        let peak_memory = process.map_or(0, |p| p.memory().1);
        let elapsed = started.elapsed();
        Ok(Outcome { rows: Some(rows), read_rows, read_bytes, peak_memory, elapsed })
    }

    fn list(&mut self, query: &str) -> Result<String> {
        let result = self.session.execute(query)?;
        let mut text = Vec::new();
        render::write(result, &self.session, "TSV", false, &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn database(&self) -> &str {
        self.session.database()
    }

    fn between(&mut self) -> Result<()> {
        if !self.args.has("reopen-between-statements") {
            return Ok(());
        }
        let database = self.session.database().to_string();
        let settings = self.session.settings().clone();
        let parameters = self.session.parameters.clone();
        self.engine.hand_rows_on();
        // The old engine must be dropped before its folder can be locked again.
        self.engine = Engine::open(EngineConfig::local(None)?)?;
        self.session = self.engine.session();
        self.engine = Engine::open(config_of(&self.args)?)?;
        self.session = session_of(&self.engine, &self.args)?;
        self.session.restore(settings);
        self.session.parameters = parameters;
        self.session.use_database(&database)
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.engine.hand_rows_on();
    }
}

/// A session with the database, settings and parameters of the options.
fn session_of(engine: &Arc<Engine>, args: &Args) -> Result<Session> {
    let mut session = engine.session();
    for (name, value) in &args.settings {
        if let Some(parameter) = name.strip_prefix("param_") {
            session.parameters.push((parameter.to_string(), value.clone()));
        } else {
            session.set_text(name, value)?;
        }
    }
    if let Some(database) = args.value("database") {
        session.use_database(database)?;
    }
    Ok(session)
}
