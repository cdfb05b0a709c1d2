//! Runs one statement, from the request to the last byte of its answer. It runs on a blocking
//! thread, unless it is certainly short, because waking a thread takes longer than `SELECT count()
//! FROM t`.

use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_base::{CancelToken, Error, Result, codes};
use entasis_engine::{
    Begun, Client, Parsed, Progress, QueryOptions, QueryResult, Session, Settings, StatementClass,
    settings, statement_kind,
};
use entasis_format::Compression;

use crate::blocks;
use crate::body::BodyReader;
use crate::encoding::{self, Wrapping};
use crate::form::{self, External};
use crate::login::Presence;
use crate::output::Output;
use crate::request::Parameters;
use crate::server::State;
use crate::sessions::Wanted;

/// Bytes of a request's body that may contain the text of the statement. Bytes after them must be
/// data of an INSERT.
const TEXT: u64 = 1 << 20;

/// Longest request that may be handled without a thread.
const SHORT_TEXT: usize = 1 << 10;

/// The facts about the request that the thread needs.
pub(crate) struct Job {
    pub state: Arc<State>,
    pub parameters: Parameters,
    pub user: String,
    /// The settings that the user starts with.
    pub settings: Settings,
    /// Whether the logs hide other users' statements from the user.
    pub restricted: bool,
    /// Whether the request may only read, as GET and HEAD do.
    pub reads_only: bool,
    pub query_id: String,
    pub address: String,
    /// The client that the logs record, if they are kept.
    pub client: Option<Arc<Client>>,
    /// Reports the logout of the client when the statement has been answered.
    pub _presence: Option<Presence>,
    pub content: Compression,
    pub accepted: Compression,
    pub database: Option<String>,
    pub format: Option<String>,
    pub body: BodyReader,
    /// The boundary between the parts of a form.
    pub boundary: Option<String>,
    /// Tables that the form brings.
    pub external: Vec<External>,
    pub cancel: CancelToken,
    /// Set if the statement ends when its client goes away.
    pub ends_with_client: Arc<AtomicBool>,
}

impl Job {
    /// The options that the engine gets for the statement.
    fn options(&self, progress: &Arc<Progress>) -> QueryOptions {
        QueryOptions {
            query_id: self.query_id.clone(),
            address: self.address.clone(),
            client: self.client.clone(),
            cancel: self.cancel.clone(),
            progress: Arc::clone(progress),
            ..QueryOptions::default()
        }
    }
}

/// Parameters of the URL that are not settings.
const NO_SETTINGS: &[&str] = &[
    "query",
    "database",
    "default_format",
    "query_id",
    "session_id",
    "session_timeout",
    "session_check",
    "close_session",
    "user",
    "password",
    "compress",
    "decompress",
    "buffer_size",
    "quota_key",
    "role",
    "stacktrace",
    "client_protocol_version",
];

/// Whether a parameter is not a setting: a known parameter, or an empty name (as in `&=1`).
fn is_no_setting(name: &str) -> bool {
    name.is_empty() || NO_SETTINGS.contains(&name)
}

/// A statement that is passed to a thread.
pub(crate) struct Work {
    job: Job,
    output: Output,
    /// The session and the parsed statement, if they are already known and the session ends with
    /// the request.
    understood: Option<(Session, Ready)>,
}

/// How far a statement has come.
enum Ready {
    Understood(Understood),
    /// It runs, and its rows can be read.
    Started(Box<QueryResult>),
}

/// A statement that is ready to run. Its text is in the output.
struct Understood {
    parsed: Parsed,
    rest: Rest,
}

/// Answers a statement that is certainly short, or a request that has no statement. Otherwise
/// returns the work for a thread.
pub(crate) fn begin(mut job: Job, mut output: Output) -> Option<Work> {
    if !can_begin(&job) {
        return Some(Work { job, output, understood: None });
    }
    let mut session = fresh_session(&job);
    let begin = || -> Result<Option<Ready>> {
        let understood = understand(&mut session, &mut job, &mut output)?;
        let options = || job.options(&output.progress);
        let result = match session.begin(&output.text, &understood.parsed, options)? {
            Some(Begun::Short(result)) => result,
            Some(Begun::Long(result)) => return Ok(Some(Ready::Started(Box::new(result)))),
            None => return Ok(Some(Ready::Understood(understood))),
        };
        // Pieces would have to wait for free places in the channel.
        output.hold_back(None);
        write(&session, &job, result, &mut output)?;
        Ok(None)
    };
    match caught(begin) {
        Ok(Some(ready)) => {
            return Some(Work { job, output, understood: Some((session, ready)) });
        }
        Ok(None) => close(Ok(()), &job, output),
        Err(error) => close(Err(error), &job, output),
    }
    None
}

/// Whether the statement can begin without waiting: it arrived completely and uncompressed, and
/// uses no session that another statement may hold.
fn can_begin(job: &Job) -> bool {
    let url = job.parameters.last("query").unwrap_or_default();
    job.content == Compression::None
        && job.body.pieces.is_none()
        && !job.parameters.flag("decompress")
        && job.parameters.last("session_id").is_none_or(str::is_empty)
        && url.len() + job.body.current.len() <= SHORT_TEXT
}

/// Runs the statement and answers it in any case.
pub(crate) fn run(work: Work) {
    let Work { mut job, mut output, understood } = work;
    let execute = || match understood {
        Some((mut session, Ready::Understood(understood))) => {
            perform(&mut session, &job, understood, &mut output)
        }
        Some((session, Ready::Started(result))) => write(&session, &job, *result, &mut output),
        None => execute(&mut job, &mut output),
    };
    let outcome = caught(execute);
    close(outcome, &job, output);
}

/// Catches panics: a panic is a bug in Entasis and must end only this statement.
fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::logical("Internal error in the server, please report it")))
}

/// Ends the answer with the result of the statement.
fn close(outcome: Result<()>, job: &Job, output: Output) {
    match outcome {
        Ok(()) => output.finish(),
        Err(error) if error.code() == codes::READONLY && job.reads_only => {
            output.fail(&error.append(
                ". For queries over HTTP, method GET implies readonly. \
                 You should use method POST for modifying queries",
            ));
        }
        Err(error) => output.fail(&error),
    }
}

fn fresh_session(job: &Job) -> Session {
    let mut session = job.state.engine.session();
    session.set_user(&job.user);
    session.restore(job.settings.clone());
    if job.restricted {
        session.restrict();
    }
    session
}

fn execute(job: &mut Job, output: &mut Output) -> Result<()> {
    let state = Arc::clone(&job.state);
    let Some(id) = job.parameters.last("session_id").filter(|id| !id.is_empty()) else {
        let mut session = fresh_session(job);
        return execute_in(&mut session, job, output);
    };
    let wanted = Wanted {
        user: &job.user,
        id,
        timeout: job.parameters.last("session_timeout"),
        must_exist: job.parameters.flag("session_check"),
        closes: job.parameters.flag("close_session"),
    };
    let mut loan = state.sessions.take(&wanted, || fresh_session(job))?;
    let Some(session) = loan.session() else {
        return Err(Error::logical("a session without a session"));
    };
    // Settings of the request apply to the request only. The effects of SET and USE stay in the
    // session.
    let (settings, database) = (session.settings().clone(), session.database().to_string());
    let values = session.parameters.clone();
    let outcome = execute_in(session, job, output);
    let changes = outcome.is_ok() && statement_kind(&output.text) == StatementClass::Session;
    session.restore(settings);
    session.parameters = values;
    session.forget_inputs();
    let asked = session.database().to_string();
    if asked != database && !changes {
        // If the database was dropped in the meantime, the next statement reports it.
        let _ = session.use_database(&database);
    }
    if changes {
        session.execute(&output.text)?;
    }
    outcome
}

/// Applies what the request says about the session and the answer.
fn prepare(session: &mut Session, job: &Job, output: &mut Output) -> Result<()> {
    // The compression is set first, so that it applies to errors, too: drivers that ask for blocks
    // read nothing else.
    let parameters = &job.parameters;
    let in_blocks = parameters.flag("compress");
    if in_blocks {
        let name = parameters.last("network_compression_method").unwrap_or("LZ4");
        output.wrap(Wrapping::Blocks(blocks::method(name)?), 0)?;
    }
    apply(session, job)?;
    let settings = session.settings();
    if !in_blocks && settings.flag(settings::ENABLE_HTTP_COMPRESSION) {
        output.wrap(Wrapping::Content(job.accepted), settings.u64(settings::HTTP_ZLIB_LEVEL))?;
    }
    let waits = settings.flag(settings::WAIT_END_OF_QUERY)
        || settings.flag(settings::HTTP_WAIT_END_OF_QUERY);
    let buffer = job.parameters.last("buffer_size").and_then(|v| v.parse().ok());
    let buffer = buffer.unwrap_or(settings.u64(settings::HTTP_BUFFER_SIZE)) as usize;
    output.hold_back((!waits).then_some(buffer));
    let zone = settings.text(settings::SESSION_TIMEZONE);
    if !zone.is_empty() {
        output.set_time_zone(&zone);
    }
    Ok(())
}

/// Applies what the request says about the session, then runs its statement.
fn execute_in(session: &mut Session, job: &mut Job, output: &mut Output) -> Result<()> {
    let understood = understand(session, job, output)?;
    perform(session, job, understood, output)
}

/// Applies what the request says, and reads and parses its statement.
fn understand(session: &mut Session, job: &mut Job, output: &mut Output) -> Result<Understood> {
    if let Some(boundary) = job.boundary.take() {
        let mut body = unwrapped_body(job)?;
        job.external = form::read(&mut body, &boundary, &mut job.parameters)?;
    }
    prepare(session, job, output)?;
    for table in std::mem::take(&mut job.external) {
        table.add(session, &job.parameters)?;
    }
    let (text, rest) = read_text(session, job)?;
    output.text = text;
    let class = statement_kind(&output.text);
    let reads =
        matches!(class, StatementClass::Query | StatementClass::Explain | StatementClass::Describe);
    let ends = reads && session.settings().flag(settings::CANCEL_ON_CLOSE);
    job.ends_with_client.store(ends, Ordering::Relaxed);
    let parsed = parse(session, &output.text, rest.is_some())?;
    Ok(Understood { parsed, rest })
}

fn perform(
    session: &mut Session,
    job: &Job,
    understood: Understood,
    output: &mut Output,
) -> Result<()> {
    let Understood { parsed, rest } = understood;
    let options = QueryOptions {
        input: rest.filter(|_| parsed.data.is_some()),
        input_continues: true,
        ..job.options(&output.progress)
    };
    let result = session.run(&output.text, &parsed, options)?;
    write(session, job, result, output)
}

fn apply(session: &mut Session, job: &Job) -> Result<()> {
    if job.reads_only && session.settings().u64(settings::READONLY) == 0 {
        session.set_text("readonly", "2")?;
    }
    let database = job.parameters.last("database").or(job.database.as_deref());
    if let Some(database) = database.filter(|d| !d.is_empty()) {
        session.use_database(database)?;
    }
    for (name, value) in job.parameters.iter() {
        if let Some(parameter) = name.strip_prefix("param_") {
            session.parameters.retain(|(known, _)| known != parameter);
            session.parameters.push((parameter.to_string(), value.to_string()));
        } else if !is_no_setting(name) && !job.external.iter().any(|t| t.is_about(name)) {
            session.set_text(name, value)?;
        }
    }
    Ok(())
}

type Rest = Option<Box<dyn Read + Send>>;

/// The rest of the body, uncompressed.
fn unwrapped_body(job: &mut Job) -> Result<Box<dyn Read + Send>> {
    let runtime = job.body.runtime.clone();
    let body = BodyReader {
        current: std::mem::take(&mut job.body.current),
        pieces: job.body.pieces.take(),
        runtime,
        cancel: job.cancel.clone(),
    };
    let in_blocks = job.parameters.flag("decompress");
    let most = job.state.max_decompressed;
    encoding::unwrapped(Box::new(body), job.content, in_blocks, most)
}

/// The text of the statement: the part in the URL, a line break, and the beginning of the body. The
/// rest of the body is returned separately.
fn read_text(session: &Session, job: &mut Job) -> Result<(String, Rest)> {
    let mut body = unwrapped_body(job)?;
    let query = job.parameters.last("query").filter(|q| !q.is_empty());
    let query = query.map_or(String::new(), |q| format!("{q}\n"));
    if takes_data(session, &query) {
        return Ok((query, Some(body)));
    }
    let mut bytes = query.into_bytes();
    let limit = bytes.len() as u64 + TEXT;
    let read = body.by_ref().take(TEXT).read_to_end(&mut bytes).map_err(of_body)?;
    let ended = read as u64 != TEXT && (bytes.len() as u64) < limit;
    match String::from_utf8(bytes) {
        Ok(text) if ended => Ok((text, None)),
        Ok(text) => Ok((text, Some(body))),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            let tail = Cursor::new(bytes.split_off(valid));
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Ok((text, Some(if ended { Box::new(tail) } else { Box::new(tail.chain(body)) })))
        }
    }
}

/// Whether a text is a complete INSERT, so that everything after it is data.
fn takes_data(session: &Session, text: &str) -> bool {
    statement_kind(text) == StatementClass::Insert
        && session.parse(text, 0).is_ok_and(|p| p.is_some_and(|parsed| parsed.data.is_some()))
}

/// Converts an error of reading the body. Errors of the server's own readers are passed on.
fn of_body(error: std::io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => own,
        Err(error) => Error::from(error).context("Cannot read the request's body"),
    }
}

fn parse(session: &Session, text: &str, goes_on: bool) -> Result<Parsed> {
    let mut parsed = session.parse(text, 0)?.ok_or_else(|| {
        Error::new(codes::SYNTAX_ERROR, "Empty query: write a statement such as SELECT 1")
    })?;
    if let Some(data) = &mut parsed.data {
        // Unlike in a script, everything after the statement is data.
        data.end = text.len();
        parsed.range.end = text.len();
        return Ok(parsed);
    }
    if goes_on {
        let message = "The query is too long, or is not UTF-8: a query that is no INSERT must be \
                       text of at most max_query_size bytes";
        return Err(Error::new(codes::SYNTAX_ERROR, message));
    }
    if session.parse(text, parsed.next)?.is_some() {
        let message = "Multi-statements are not allowed: send one statement per request";
        return Err(Error::new(codes::SYNTAX_ERROR, message));
    }
    Ok(parsed)
}

fn write(session: &Session, job: &Job, mut result: QueryResult, output: &mut Output) -> Result<()> {
    output.process = result.running.as_ref().map(|running| Arc::clone(running.process()));
    let default = session.settings().text(settings::DEFAULT_FORMAT);
    let name = result
        .format
        .as_deref()
        .or(job.parameters.last("default_format"))
        .or(job.format.as_deref())
        .or((!default.is_empty()).then_some(&*default))
        .filter(|name| !name.is_empty())
        .unwrap_or("TabSeparated");
    if result.header.is_empty() {
        return Ok(());
    }
    let format = entasis_format::find(name)?;
    let mut options = session.output_options(&result);
    let protocol = job.parameters.last("client_protocol_version");
    options.protocol_version = protocol.and_then(|v| v.parse().ok()).unwrap_or(0);
    let mut writer = entasis_format::output(format.name, &result.header, &options)?;
    output.begin(format.name);
    result.write(|| writer.start(&mut output.raw))?;
    while let Some(chunk) = result.next_chunk()? {
        output.result.0 += chunk.rows as u64;
        output.result.1 += chunk.byte_size() as u64;
        result.write(|| writer.write(&chunk, &mut output.raw))?;
        output.pass()?;
    }
    for (what, chunk) in result.totals_and_extremes()? {
        result.write(|| writer.totals_and_extremes(what, &chunk, &mut output.raw))?;
    }
    if let Some(rows) = result.rows_before_limit() {
        writer.rows_before_limit(rows);
    }
    result.finish(|| writer.finish(&mut output.raw))?;
    output.pass()
}
