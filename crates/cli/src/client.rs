//! `entasis client`: queries on a server.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use entasis_client::{Client, Config, Request, Stopper};
use entasis_engine::{InFile, Parsed, ProfileKind};

use crate::args::{self, Args, Known};
use crate::backend::{Ask, Backend, Outcome, Screen};
use crate::outfile::{self, Target};
use crate::picture::{self, Picture};
use crate::progress::Reading;
use crate::script::{self, Script};
use crate::statement::{self, Change};
use crate::{interrupt, report, shell, terminal};

const OWN: [Known; 12] = [
    Known::value("host", &['h'], "name or address of the server (default: localhost)"),
    Known::value("port", &[], "HTTP port of the server (default: 8123)"),
    Known::value("user", &['u'], "name of the user (default: $CLICKHOUSE_USER, or else default)"),
    Known::value(
        "password",
        &[],
        "password (default: $CLICKHOUSE_PASSWORD, which other users of the machine cannot see)",
    ),
    Known::flag("ask-password", &[], "ask for the password on the terminal"),
    Known::value("database", &['d'], "current database"),
    Known::value("connect-timeout", &[], "seconds to wait for the connection (default: 10)"),
    Known::value("history-file", &[], "file in which the shell keeps its history"),
    Known::flag(
        "interactive",
        &[],
        "has no effect: without a query, a terminal always gets the shell",
    ),
    Known::flag("multiquery", &['n', 'm'], "has no effect: several queries are always allowed"),
    Known::flag("secure", &['s'], "use TLS; not supported yet"),
    Known::flag("help", &[], "print this help"),
];

const HEAD: &str = "\
entasis client: run queries on a server (entasis server, or one that speaks ClickHouse's HTTP)

  entasis client                                   a shell on localhost:8123
  entasis client -q 'SELECT 1' -f JSON
  entasis client -q 'INSERT INTO t FORMAT CSV' < rows.csv
  entasis client --host db --user me --queries-file report.sql > report.tsv";

/// How long a statement may go on after Ctrl-C before its connection is closed.
const GRACE: Duration = Duration::from_secs(1);
/// How long a session may still be held by a statement that was cancelled.
const RELEASE: Duration = Duration::from_secs(5);
/// Steps of waiting.
const STEP: Duration = Duration::from_millis(20);

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let known: Vec<Known> =
        script::OPTIONS.into_iter().chain(picture::OPTIONS).chain(OWN).collect();
    let args = args::parse(line, &known)?;
    if args.has("help") {
        terminal::say(&args::help_with_settings(HEAD, &known));
        return Ok(ExitCode::SUCCESS);
    }
    if args.has("secure") {
        return Err(
            Error::not_implemented("TLS").append(": use an SSH tunnel to the server's port")
        );
    }
    let picture = Picture::of(&args)?;
    let mut remote = Remote::new(&args)?;
    if let Some(picture) = &picture {
        remote.session.settings.extend(picture.setting(&args.settings));
    }
    match script::texts_of(&args)? {
        Some(scripts) => {
            interrupt::install(false)?;
            let done = Script::of(&args).run_all(&mut remote, &scripts)?;
            if let Some(picture) = picture.filter(|_| done == ExitCode::SUCCESS) {
                let last = std::mem::take(&mut remote.last);
                picture.write(&last, |id, kind| remote.flamegraph(id, kind))?;
            }
            Ok(done)
        }
        None if picture.is_some() => Err(picture::needs_query()),
        None => {
            let greeting = remote.greet()?;
            shell::run(Box::new(remote), &greeting, args.value("history-file"))
        }
    }
}

struct Remote {
    client: Client,
    /// For names that completion asks for.
    aside: Client,
    session: Session,
    format: String,
    shows_progress: bool,
    /// When a statement was last cancelled: its session may be held a little longer.
    cancelled: Option<Instant>,
    /// The id of the last statement.
    last: String,
}

/// What every statement of the session brings along.
struct Session {
    id: String,
    database: Option<String>,
    /// Settings and parameters of the command line, until a SET changes them.
    settings: Vec<(String, String)>,
}

impl Session {
    fn parameters(&self) -> Vec<(&str, &str)> {
        let mut list = vec![("session_id", self.id.as_str()), ("session_timeout", "3600")];
        list.extend(self.database.as_deref().map(|database| ("database", database)));
        list.extend(self.settings.iter().map(|(n, v)| (n.as_str(), v.as_str())));
        list
    }

    /// The URL's parameters go over the session's state on the server, so they follow it.
    fn follow(&mut self, statement: &str) {
        match statement::change(statement) {
            Change::Database(name) => self.database = Some(name),
            Change::Settings(names) => self.settings.retain(|(n, _)| !names.contains(n)),
            Change::Nothing => {}
        }
    }
}

/// What the threads of a statement share: the one that asks, the bar's, the one of Ctrl-C.
#[derive(Default)]
struct Shared {
    sent: AtomicU64,
    is_over: AtomicBool,
    is_cancelled: AtomicBool,
}

/// Asks the server how far a statement is. The head of an answer would say, too, but only once.
struct Watcher {
    client: Client,
    query: String,
    shared: Arc<Shared>,
}

impl Watcher {
    fn new(config: &Config, query_id: &str, shared: &Arc<Shared>) -> Self {
        let columns = "read_rows, read_bytes, total_rows_approx, memory_usage";
        Self {
            client: Client::new(impatient(config)),
            query: format!(
                "SELECT {columns} FROM system.processes WHERE query_id = '{query_id}' FORMAT TSV"
            ),
            shared: Arc::clone(shared),
        }
    }

    fn read(&mut self) -> Reading {
        // A server without this table is a reason to show less, not to complain.
        let text = self.client.ask(&self.query, &[]).unwrap_or_default();
        let numbers: Vec<u64> = text.split_whitespace().flat_map(str::parse).collect();
        let sent = self.shared.sent.load(Ordering::Relaxed);
        match numbers[..] {
            [rows, bytes, total, memory] => Reading { rows, bytes, total, memory, sent },
            _ => Reading { sent, ..Reading::default() },
        }
    }
}

/// For questions besides the statement: an answer that is late is of no use.
fn impatient(config: &Config) -> Config {
    Config { connect_timeout: GRACE, answer_timeout: Some(GRACE), ..config.clone() }
}

impl Remote {
    fn new(args: &Args) -> Result<Self> {
        let given = |option: &str, variable: &str, default: &str| {
            let of_environment = || std::env::var(variable).ok().filter(|v| !v.is_empty());
            let given = args.value(option).map(str::to_string).or_else(of_environment);
            given.unwrap_or_else(|| default.to_string())
        };
        let port = u16::try_from(args.number("port", 8123)?)
            .map_err(|_| report::bad_arguments("Option --port takes a number up to 65535"))?;
        let config = Config {
            host: given("host", "CLICKHOUSE_HOST", "localhost"),
            port,
            user: given("user", "CLICKHOUSE_USER", "default"),
            password: match args.has("ask-password") {
                true => terminal::ask_hidden("Password: ")?,
                false => given("password", "CLICKHOUSE_PASSWORD", ""),
            },
            connect_timeout: Duration::from_secs(args.number("connect-timeout", 10)?.max(1)),
            answer_timeout: None,
        };
        let session = Session {
            id: entasis_engine::new_query_id(),
            database: args.value("database").map(str::to_string),
            settings: args.settings.clone(),
        };
        Ok(Self {
            aside: Client::new(impatient(&config)),
            client: Client::new(config),
            session,
            format: script::format_of(args),
            shows_progress: args.value("progress") != Some("off") && terminal::stderr_is_terminal(),
            cancelled: None,
            last: String::new(),
        })
    }

    /// Asks the server who it is; fails if it cannot be reached or lets nobody in.
    fn greet(&mut self) -> Result<String> {
        let version = self.client.ask("SELECT version()", &self.session.parameters());
        let version = match version {
            Ok(version) => format!("server version {}", version.trim()),
            Err(error) if is_refusal(&error) => return Err(error),
            Err(_) => "a server".to_string(),
        };
        let Config { host, port, user, .. } = self.client.config();
        Ok(format!("Connected to {version} at {host}:{port} as user {user}."))
    }

    /// The page that draws a statement's stacks.
    fn flamegraph(&mut self, query_id: &str, kind: ProfileKind) -> Result<Vec<u8>> {
        let parameters = [("query_id", query_id), ("type", kind.name())];
        self.client.page("/flamegraph", &parameters)
    }

    /// Sends a statement and hands its answer to `screen`.
    fn send(
        &mut self,
        ask: Ask<'_>,
        query_id: &str,
        shared: &Shared,
        screen: Screen,
    ) -> Result<Outcome> {
        let files = InFile::of(ask.parsed)?;
        let mut target = Target::open(ask, screen)?;
        let text = match &files {
            None => Cow::Borrowed(ask.text()),
            Some(files) => {
                let format = files.first().map_or("", |file| &file.format);
                Cow::Owned(outfile::with_data_of(ask.text(), format))
            }
        };
        let query = if target.is_screen() { text } else { outfile::without_clause(&text).into() };
        let format = target.format(ask.format.unwrap_or(&self.format)).to_string();
        // The head of an answer counts what is done by then: a shell waits for the end.
        let waits = ask.in_shell && !statement::names_format(ask.text());
        let mut parameters = self.session.parameters();
        parameters.push(("query_id", query_id));
        parameters.push(("default_format", &format));
        if waits {
            parameters.push(("wait_end_of_query", "1"));
        }
        let mut rows = match &files {
            Some(files) => Some(rows_of(files)?),
            None if ask.reads_stdin() => Some(ask.rows_from(std::io::stdin())?),
            None => None,
        };
        let mut rows = rows.as_mut().map(|inner| Counted { inner, sent: &shared.sent });
        let data = rows.as_mut().map(|rows| rows as &mut dyn Read);
        let request = Request { query: &query, parameters: &parameters, data };
        let mut response = self.client.execute(request)?;
        let summary = response.summary().clone();
        let (mut piece, mut more) = (Vec::new(), Ok(true));
        while matches!(more, Ok(true)) {
            more = response.read_piece(&mut piece);
            target.write_all(&piece)?;
            piece.clear();
        }
        target.flush()?;
        more?;
        target.finish()?;
        Ok(Outcome {
            rows: waits.then_some(summary.result_rows),
            read_rows: summary.read_rows,
            read_bytes: summary.read_bytes,
            peak_memory: summary.peak_memory.max(summary.memory),
            elapsed: Duration::ZERO,
        })
    }
}

impl Backend for Remote {
    fn parse(&self, script: &str, offset: usize) -> Result<Option<Parsed>> {
        entasis_engine::next_statement(script, offset)
    }

    fn run(&mut self, ask: Ask<'_>) -> Result<Outcome> {
        let started = Instant::now();
        loop {
            let query_id = entasis_engine::new_query_id();
            self.last.clone_from(&query_id);
            let shared: Arc<Shared> = Arc::default();
            let mut watcher = Watcher::new(self.client.config(), &query_id, &shared);
            let screen = Screen::start(self.shows_progress, move || watcher.read());
            let killer = Killer {
                config: self.client.config().clone(),
                query_id: query_id.clone(),
                stopper: self.client.stopper(),
                shared: Arc::clone(&shared),
                ends_program: !ask.in_shell,
            };
            let guard = interrupt::during(move || killer.run());
            let outcome = self.send(ask, &query_id, &shared, screen);
            shared.is_over.store(true, Ordering::Relaxed);
            drop(guard);
            match outcome {
                Err(_) if shared.is_cancelled.load(Ordering::Relaxed) => {
                    self.cancelled = Some(Instant::now());
                    return Err(Error::new(codes::QUERY_WAS_CANCELLED, "Query was cancelled"));
                }
                Err(error) if self.is_held(&error) => std::thread::sleep(STEP),
                Err(error) => {
                    return Err(statement::placed(error, ask.script, ask.parsed.range.start));
                }
                Ok(outcome) => {
                    self.session.follow(ask.text());
                    return Ok(Outcome { elapsed: started.elapsed(), ..outcome });
                }
            }
        }
    }

    fn list(&mut self, query: &str) -> Result<String> {
        // Besides the session: it may be held, and whoever types does not wait long.
        let mut parameters = vec![("default_format", "TSV")];
        parameters.extend(self.session.database.as_deref().map(|d| ("database", d)));
        self.aside.ask(query, &parameters)
    }

    fn database(&self) -> &str {
        self.session.database.as_deref().unwrap_or("default")
    }
}

impl Remote {
    /// Whether the session is still held by a statement that was cancelled a moment ago.
    fn is_held(&self, error: &Error) -> bool {
        error.code() == codes::SESSION_IS_LOCKED
            && self.cancelled.is_some_and(|at| at.elapsed() < RELEASE)
    }
}

/// Whether nothing can be asked at all.
fn is_refusal(error: &Error) -> bool {
    [
        codes::NETWORK_ERROR,
        codes::UNKNOWN_PACKET_FROM_SERVER,
        codes::AUTHENTICATION_FAILED,
        codes::REQUIRED_PASSWORD,
        codes::WRONG_PASSWORD,
        codes::UNKNOWN_USER,
        codes::UNKNOWN_DATABASE,
        codes::UNKNOWN_SETTING,
    ]
    .contains(&error.code())
}

/// What Ctrl-C does to a statement.
struct Killer {
    config: Config,
    query_id: String,
    stopper: Stopper,
    shared: Arc<Shared>,
    ends_program: bool,
}

impl Killer {
    /// Asks the server to end the statement; where that does not help, goes away.
    fn run(self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let query = format!("KILL QUERY WHERE query_id = '{}'", self.query_id);
        // A failure changes nothing: the connection is closed then.
        let _ = Client::new(impatient(&self.config)).ask(&query, &[]);
        while !self.shared.is_over.load(Ordering::Relaxed) && began.elapsed() < GRACE {
            std::thread::sleep(STEP);
        }
        if self.shared.is_over.load(Ordering::Relaxed) {
            return;
        }
        self.stopper.stop();
        if self.ends_program {
            // It may be waiting for its input.
            let code = codes::QUERY_WAS_CANCELLED.0 & 0xFF;
            terminal::complain("Query was cancelled");
            std::process::exit(i32::from(code));
        }
    }
}

/// The rows of FROM INFILE: those of all files in one INSERT.
fn rows_of(files: &[InFile]) -> Result<Box<dyn Read + Send>> {
    let mut all: Box<dyn Read + Send> = Box::new(std::io::empty());
    for (i, file) in files.iter().enumerate() {
        if i > 0 && !statement::can_be_joined(&file.format) {
            let message = format!(
                "FROM INFILE with several files of the format {}: give them one by one, or insert \
                 from file()",
                file.format
            );
            return Err(report::bad_arguments(message));
        }
        all = Box::new(all.chain(file.open()?));
    }
    Ok(all)
}

/// Rows that are sent, counted.
struct Counted<'a> {
    inner: &'a mut Box<dyn Read + Send>,
    sent: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(into)?;
        self.sent.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
