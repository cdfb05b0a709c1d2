//! Asynchronous INSERTs (`async_insert = 1`): the data of many small INSERTs becomes one block.
//!
//! 1. A statement puts its data into the queue ([`crate::process::async_inserts`]), and waits until
//!    it is inserted, unless `wait_for_async_insert` is 0.
//! 2. A thread takes what belongs together. It parses the data of each INSERT for itself, so that
//!    an error is answered to the statement that it belongs to, and inserts the rows of all others
//!    as one block. If that fails, for example because of a constraint, it inserts the rows of each
//!    statement alone.
//!
//! The rows of a statement are inserted completely or not at all. With `wait_for_async_insert` they
//! are durable when the statement is answered.

use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes, message};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_sql::ast::{self, InsertSource, InsertTarget, StatementKind};
use entasis_table_api::Repeats;

use crate::logs::async_insert_log::Flushed;
use crate::process::async_inserts::{Batch, Entry, Key, Limits, Outcome};
use crate::session::Input;
use crate::statement::insertion::{Target, for_table};
use crate::{Engine, QueryOptions, QueryResult, Session, Settings, settings};

/// A thread that has had nothing to insert for so long ends.
const IDLE: Duration = Duration::from_secs(10);
/// How many threads insert.
const THREADS: usize = 2;

/// The data of an INSERT, and where it goes.
pub(super) struct AsyncData<'a> {
    pub insert: &'a ast::Insert,
    pub format: &'a str,
    pub data: Vec<u8>,
}

/// Data that was read of an INSERT.
pub(super) enum Collected {
    /// All of it, which is little enough to wait in the queue.
    Small(Vec<u8>),
    /// The same data, to be inserted at once.
    Large(Input),
}

impl Session {
    /// Whether the data of an INSERT is collected with that of others.
    pub(super) fn is_async(&self, insert: &ast::Insert, settings: &Settings) -> bool {
        let InsertTarget::Table(name) = &insert.target else { return false };
        // The reference's default is 1. It has no effect on what is stored, and rows of a single
        // INSERT are stored sooner without waiting for others.
        settings.is_changed(settings::ASYNC_INSERT)
            && settings.flag(settings::ASYNC_INSERT)
            && matches!(insert.source, InsertSource::Data { .. })
            && self.temporary_table(name).is_none()
            // A token is one of a single INSERT.
            && settings.text(settings::INSERT_TOKEN).is_empty()
            && !settings.flag(settings::ASYNC_INSERT_DEDUPLICATE)
    }

    /// Puts the data of an INSERT into the queue and waits for its outcome.
    pub(super) fn insert_async(
        &self,
        work: AsyncData<'_>,
        settings: &Settings,
        options: &QueryOptions,
    ) -> Result<()> {
        let AsyncData { insert, format, data } = work;
        let InsertTarget::Table(name) = &insert.target else {
            return Err(Error::logical("An asynchronous INSERT into a function"));
        };
        let Some(process) = &options.process else {
            return Err(Error::logical("An asynchronous INSERT outside of a statement"));
        };
        let key = Key {
            query: process.query.trim().to_owned(),
            session_database: self.database.clone(),
            user: self.user.clone(),
            settings: self.settings.clone(),
            table: self.full_name(name),
            format: format.to_owned(),
        };
        let outcome = Arc::new(Outcome::default());
        let query_id = process.query_id.clone();
        let came = SystemClock.now();
        let entry = Entry { query_id, data, came, outcome: Arc::clone(&outcome) };
        let queue = &self.engine.processes.async_inserts;
        queue.add(&key, entry, limits(settings), || serve(&self.engine))?;
        if !settings.flag(settings::WAIT_FOR_ASYNC_INSERT) {
            return Ok(());
        }
        let longest = Duration::from_secs(settings.u64(settings::WAIT_FOR_ASYNC_INSERT_TIMEOUT));
        outcome.wait(longest, &options.cancel)
    }

    /// Inserts the data of several INSERTs.
    fn insert_batch(
        &mut self,
        insert: &ast::Insert,
        batch: &Batch,
        options: &QueryOptions,
    ) -> Result<()> {
        let settings = self.settings_with(&insert.settings)?;
        self.limit(&settings, options)?;
        let mut target = self.insert_target(&insert.target, None, &settings)?;
        target.repeats = Repeats::Stored;
        let positions = self.positions_of(insert, &target, &settings)?;
        let mut whole: Vec<(&Entry, Vec<Chunk>)> = Vec::new();
        for entry in &batch.entries {
            let input: Input = Box::new(Cursor::new(entry.data.clone()));
            match self.parsed((&batch.key.format, input), &target, &positions, &settings, options) {
                Ok(chunks) => whole.push((entry, chunks)),
                Err(error) => self.tell(batch, entry, 0, Err((error, true))),
            }
        }
        let all: Vec<Chunk> = whole.iter().flat_map(|(_, chunks)| chunks.clone()).collect();
        if all.is_empty() {
            whole.iter().for_each(|(entry, _)| self.tell(batch, entry, 0, Ok(())));
            return Ok(());
        }
        let store = |chunks: &[Chunk]| {
            let insertion = self.insertion(&target, &positions, &settings, options)?;
            insertion.store(vec![Chunk::concat(chunks)])
        };
        let done = store(&all);
        let is_together = done.is_ok() || whole.len() == 1;
        for (entry, chunks) in &whole {
            let outcome = match (&done, is_together) {
                (Ok(()), _) => Ok(()),
                (Err(error), true) => Err(error.duplicate()),
                _ if chunks.is_empty() => Ok(()),
                (Err(_), false) => store(chunks),
            };
            let rows = chunks.iter().map(|chunk| chunk.rows as u64).sum();
            self.tell(batch, entry, rows, outcome.map_err(|error| (error, false)));
        }
        Ok(())
    }

    /// The rows in the data of one INSERT, as the table takes them.
    fn parsed(
        &self,
        (format, input): (&str, Input),
        target: &Target,
        positions: &[usize],
        settings: &Settings,
        options: &QueryOptions,
    ) -> Result<Vec<Chunk>> {
        let schema = target.table.schema();
        let plan = self.plan_of_data(format, &schema, positions, (input, None), settings)?;
        let null_as_default = settings.flag(settings::INSERT_NULL_AS_DEFAULT);
        let function_context = self.function_context(settings);
        let plan = for_table(plan, &schema, positions, null_as_default, &function_context)?;
        let context = QueryContext { max_threads: 1, ..self.context(settings, options) };
        let runtime = self.runtime(settings, &context)?;
        let kept = Kept::default();
        entasis_exec::execute(&plan, &context, &runtime, Arc::new(Kept(Arc::clone(&kept.0))))?;
        Ok(std::mem::take(&mut *lock(&kept.0)))
    }

    /// Tells a statement, and the log, what became of its data. An error comes with whether it was
    /// found when the data was parsed.
    fn tell(
        &self,
        batch: &Batch,
        entry: &Entry,
        rows: u64,
        outcome: std::result::Result<(), (Error, bool)>,
    ) {
        if let Some(logs) = self.engine.logs() {
            let failure =
                outcome.as_ref().err().map(|(error, parsing)| (error.to_string(), *parsing));
            let flush_query_id = entasis_base::scope::query_id();
            logs.async_insert(|| Flushed::new(batch, entry, rows, failure, flush_query_id));
        }
        entry.outcome.tell(outcome.map_err(|(error, _)| error));
    }
}

/// Reads the data of an INSERT up to the size at which it no longer waits for others.
pub(super) fn collect(mut reader: Input, settings: &Settings) -> Result<Collected> {
    let most = settings.u64(settings::ASYNC_INSERT_MAX_DATA_SIZE);
    let mut data = Vec::new();
    let read = reader.by_ref().take(most.saturating_add(1)).read_to_end(&mut data);
    read.map_err(|error| match error.downcast::<Error>() {
        Ok(own) => own,
        Err(error) => Error::from(error),
    })?;
    Ok(match data.len() as u64 > most {
        true => Collected::Large(Box::new(Cursor::new(data).chain(reader))),
        false => Collected::Small(data),
    })
}

fn limits(settings: &Settings) -> Limits {
    let millis = |setting| Duration::from_millis(settings.u64(setting));
    let longest = millis(settings::ASYNC_INSERT_BUSY_TIMEOUT_MAX);
    let adapts = settings.flag(settings::ASYNC_INSERT_ADAPTIVE);
    let shortest = millis(settings::ASYNC_INSERT_BUSY_TIMEOUT_MIN);
    Limits {
        bytes: settings.u64(settings::ASYNC_INSERT_MAX_DATA_SIZE) as usize,
        entries: settings.u64(settings::ASYNC_INSERT_MAX_QUERIES).max(1) as usize,
        shortest: if adapts { shortest } else { longest },
        longest,
        increase: settings.f64(settings::ASYNC_INSERT_INCREASE),
        decrease: settings.f64(settings::ASYNC_INSERT_DECREASE),
    }
}

/// Starts the threads that insert.
fn serve(engine: &Arc<Engine>) -> Result<()> {
    for number in 0..THREADS {
        let engine = Arc::downgrade(engine);
        let queue = match engine.upgrade() {
            Some(engine) => Arc::clone(&engine.processes.async_inserts),
            None => continue,
        };
        let run = move || {
            while let Some(batch) = queue.next(IDLE) {
                if let Some(engine) = engine.upgrade() {
                    run(&engine, &batch);
                }
                queue.finished(batch);
            }
        };
        let thread = std::thread::Builder::new().name(format!("async-insert-{number}"));
        thread.spawn(run).map_err(|e| {
            let message = "Cannot start a thread for asynchronous inserts";
            Error::new(codes::CANNOT_SCHEDULE_TASK, message).with_cause(e)
        })?;
    }
    Ok(())
}

/// Inserts a batch, as a statement of its own.
fn run(engine: &Arc<Engine>, batch: &Batch) {
    let mut session = engine.session();
    session.database.clone_from(&batch.key.session_database);
    session.user.clone_from(&batch.key.user);
    session.settings = batch.key.settings.clone();
    let text = &batch.key.query;
    let work = |session: &mut Session| -> Result<()> {
        let parsed = session.parse(text, 0)?;
        let Some(parsed) = parsed else { return Err(Error::logical("an empty INSERT")) };
        let StatementKind::Insert(insert) = &parsed.statement.kind else {
            return Err(Error::logical("An asynchronous INSERT that is none"));
        };
        let options = QueryOptions::default();
        session
            .tracked(text, &parsed, options, |session, options| {
                if let Some(process) = &options.process {
                    process.begin();
                }
                session.insert_batch(insert, batch, &options).map(|()| QueryResult::nothing())
            })
            .map(drop)
    };
    if let Err(error) = work(&mut session) {
        message!(Warning, "AsynchronousInsertQueue", "Asynchronous inserts have failed: {}", error);
        for entry in &batch.entries {
            session.tell(batch, entry, 0, Err((error.duplicate(), false)));
        }
    }
}

impl Engine {
    /// Inserts what asynchronous INSERTs have left in the queue.
    pub(crate) fn finish_async_inserts(&self) {
        let cancel = entasis_base::CancelToken::new();
        // Nothing cancels it.
        let _ = self.processes.async_inserts.flush(&|_| true, &cancel);
    }
}

/// A sink that keeps all chunks.
#[derive(Default)]
struct Kept(Arc<Mutex<Vec<Chunk>>>);

impl Sink for Kept {
    fn name(&self) -> String {
        "AsyncInsert".into()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(KeptState(Arc::clone(&self.0))))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        Ok(())
    }
}

struct KeptState(Arc<Mutex<Vec<Chunk>>>);

impl SinkState for KeptState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        if !morsel.chunk.is_empty() {
            lock(&self.0).push(morsel.chunk);
        }
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
