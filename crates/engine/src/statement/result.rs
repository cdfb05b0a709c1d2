//! What a statement answers.

use std::collections::VecDeque;

use entasis_base::events::{self, Event};
use entasis_base::scope::{self, Scope};
use entasis_base::{Error, Result};
use entasis_column::{Chunk, Header};
use entasis_exec::ResultStream;
use entasis_format::Beside;
use std::sync::Arc;

use entasis_pipeline::{AnswerHook, Progress};

use crate::Settings;
use crate::process::Running;
use crate::statement::extremes::Extremes;

/// The answer to one statement.
pub struct QueryResult {
    /// Names and types; without columns for statements that answer nothing.
    pub header: Header,
    /// The rows.
    pub rows: RowStream,
    /// The format that the statement named.
    pub format: Option<String>,
    /// The settings that the statement ran with, where it may have brought its own.
    pub settings: Option<Settings>,
    /// What has been read so far; complete once the rows are exhausted.
    pub progress: Arc<Progress>,
    /// The statement's entry in the list of those that run, where it stays with this value.
    pub running: Option<Running>,
    /// The least and greatest values of all columns, if asked for.
    pub(crate) extremes: Option<Extremes>,
    /// What is told of the writing of the answer.
    pub(crate) hook: Option<AnswerHook>,
    /// The way of the thread that reads into the statement, so that its memory is counted there.
    pub scope: Option<Scope>,
}

/// Rows of a result, as they come.
pub enum RowStream {
    /// All there already.
    Ready(VecDeque<Chunk>),
    /// Made while they are read. Dropping the stream cancels the query.
    Running(ResultStream),
}

fn within<T>(scope: &mut Option<Scope>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(scope) = scope else { return work() };
    let checked = || {
        let done = work()?;
        scope::check().map(|()| done)
    };
    entasis_pipeline::run(scope, || scope::guard(checked))
}

fn failed(running: Option<&Running>, error: &Error) {
    if let Some(running) = running {
        running.process().fail(error);
    }
}

impl QueryResult {
    /// An answer without columns and rows.
    pub fn nothing() -> Self {
        Self::ready(Header::new(Vec::new()), Vec::new())
    }

    /// The rows of an answer that is complete; none of one that is still made.
    pub(crate) fn ready_chunks(self) -> Vec<Chunk> {
        match self.rows {
            RowStream::Ready(chunks) => chunks.into(),
            RowStream::Running(_) => Vec::new(),
        }
    }

    /// An answer that is complete.
    pub fn ready(header: Header, chunks: Vec<Chunk>) -> Self {
        Self {
            header,
            rows: RowStream::Ready(chunks.into()),
            format: None,
            settings: None,
            progress: Arc::default(),
            running: None,
            extremes: None,
            hook: None,
            scope: None,
        }
    }

    /// The next chunk that has rows.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let rows = &mut self.rows;
        let next = || {
            let chunk = match rows {
                RowStream::Ready(chunks) => chunks.pop_front(),
                RowStream::Running(stream) => stream.next().transpose()?,
            };
            if let Some(chunk) = &chunk {
                events::one(Event::ResultChunks);
                events::add(Event::ResultRows, chunk.rows as u64);
                events::add(Event::ResultBytes, chunk.byte_size() as u64);
            }
            Ok(chunk)
        };
        let chunk =
            within(&mut self.scope, next).inspect_err(|e| failed(self.running.as_ref(), e))?;
        if let (Some(extremes), Some(chunk)) = (&mut self.extremes, &chunk) {
            extremes.add(chunk);
        }
        Ok(chunk)
    }

    /// Rows beside the result, once it has been read to its end: for `OutputFormat::beside`.
    pub fn beside(&mut self) -> Result<Vec<(Beside, Chunk)>> {
        let mut out = Vec::new();
        if let RowStream::Running(stream) = &mut self.rows {
            let totals = stream.totals().inspect_err(|e| failed(self.running.as_ref(), e))?;
            out.extend(totals.map(|row| (Beside::Totals, row)));
        }
        let extremes = self.extremes.take().and_then(Extremes::rows);
        out.extend(extremes.map(|rows| (Beside::Extremes, rows)));
        Ok(out)
    }

    /// How many rows there would at least be without LIMIT, once the result has been read to its
    /// end; `None` without LIMIT.
    pub fn rows_before_limit(&self) -> Option<u64> {
        self.progress.rows_before_limit()
    }

    /// Does something with rows that came out as part of the statement: it can be ended, and what
    /// it allocates counts.
    pub fn write<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let hook = self.hook.as_ref();
        let hooked = || match hook {
            Some(hook) => hook.write(work),
            None => work(),
        };
        within(&mut self.scope, hooked)
            .map_err(|e| e.during("the format"))
            .inspect_err(|e| failed(self.running.as_ref(), e))
    }

    /// The last [`Self::write`].
    pub fn finish<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let done = self.write(work)?;
        if let Some(hook) = self.hook.take() {
            within(&mut self.scope, || {
                hook.end();
                Ok(())
            })?;
        }
        Ok(done)
    }

    /// The value of the first row's first column as a whole number: for counts.
    pub fn first_number(self) -> Result<Option<u64>> {
        let rows = self.collect()?;
        let first = rows.columns.first().filter(|c| !c.is_empty());
        Ok(first.and_then(|c| c.value(0).as_u64()))
    }

    /// All rows at once, for tests and small results.
    pub fn collect(mut self) -> Result<Chunk> {
        let mut chunks = Vec::new();
        while let Some(chunk) = self.next_chunk()? {
            chunks.push(chunk);
        }
        Ok(Chunk::concat(&chunks))
    }
}
