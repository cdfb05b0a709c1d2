//! The answer of a statement.

use std::collections::VecDeque;

use entasis_base::events::{self, Event};
use entasis_base::scope::{self, Scope};
use entasis_base::{Error, Result};
use entasis_column::{Chunk, Header};
use entasis_exec::ResultStream;
use entasis_format::TotalsAndExtremes;
use std::sync::Arc;

use entasis_pipeline::{AnswerHook, Progress};

use crate::Settings;
use crate::process::Running;
use crate::statement::extremes::Extremes;

/// The answer to one statement.
pub struct QueryResult {
    /// Names and types of the columns; empty for statements without a result.
    pub header: Header,
    /// The rows of the result.
    pub rows: RowStream,
    /// The format that the statement names; `None` if it names none.
    pub format: Option<String>,
    /// The settings that the statement ran with; `None` if they are those of the session.
    pub settings: Option<Settings>,
    /// What has been read so far; complete when all rows have been taken.
    pub progress: Arc<Progress>,
    /// The statement's entry in the list of running statements. It is removed when this is dropped.
    pub running: Option<Running>,
    /// Collects the least and greatest values of all columns, if the setting asks for them.
    pub(crate) extremes: Option<Extremes>,
    /// Observes the writing of the answer, if the statement has a hook.
    pub(crate) hook: Option<AnswerHook>,
    /// The scope in which the reading thread works for the statement, so that memory is counted
    /// there.
    pub scope: Option<Scope>,
}

/// The rows of a result.
pub enum RowStream {
    /// The rows are complete.
    Ready(VecDeque<Chunk>),
    /// The rows are computed while they are read. Dropping the stream cancels the query.
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

    /// The rows of a complete answer; none if they are still being computed.
    pub(crate) fn ready_chunks(self) -> Vec<Chunk> {
        match self.rows {
            RowStream::Ready(chunks) => chunks.into(),
            RowStream::Running(_) => Vec::new(),
        }
    }

    /// A complete answer.
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

    /// Whether all rows are computed within microseconds.
    pub(crate) fn is_short(&mut self) -> bool {
        let RowStream::Running(stream) = &self.rows else { return true };
        within(&mut self.scope, || Ok(stream.is_short())).unwrap_or(false)
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

    /// Totals and extremes, for `OutputFormat::beside`. All rows must have been read before.
    pub fn totals_and_extremes(&mut self) -> Result<Vec<(TotalsAndExtremes, Chunk)>> {
        let mut out = Vec::new();
        if let RowStream::Running(stream) = &mut self.rows {
            let totals = stream.totals().inspect_err(|e| failed(self.running.as_ref(), e))?;
            out.extend(totals.map(|row| (TotalsAndExtremes::Totals, row)));
        }
        let extremes = self.extremes.take().and_then(Extremes::rows);
        out.extend(extremes.map(|rows| (TotalsAndExtremes::Extremes, rows)));
        Ok(out)
    }

    /// How many rows there would at least be without LIMIT, once the result has been read to its
    /// end; `None` without LIMIT.
    pub fn rows_before_limit(&self) -> Option<u64> {
        self.progress.rows_before_limit()
    }

    /// Writes rows of the answer, or does other work with them, as part of the statement: it can be
    /// cancelled, and the memory that it allocates is counted.
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

    /// As [`Self::write`], for the end of the answer.
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

    /// The first row's first column as a whole number, for counts.
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
