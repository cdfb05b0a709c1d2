//! One pool of workers per process, and the queries that run on it.
//!
//! 1. [`Scheduler::run`] starts a query: pipelines without dependencies begin.
//! 2. A pipeline opens as many tasks as it has morsels, at most `max_threads`. The calling thread
//!    works on one of them and pool threads on the others. A pipeline with fewer than two morsels
//!    has only one task.
//! 3. A task that must wait is parked; its waker puts it back into the query's queue.
//! 4. The last task of a pipeline finalises the sink, and the pipelines that depend on it begin.
//! 5. After the first error (or panic, or cancellation) every task stops at its next chunk.
//!
//! Fairness: a pool thread works on a query for at most a quantum while other queries wait.

use std::sync::{Arc, Weak};

use entasis_base::Result;

use crate::pool::Pool;
use crate::query::Query;
use crate::{Graph, QueryContext, Waker};

/// Runs the pipelines of queries.
pub struct Scheduler {
    pool: Arc<Pool>,
}

impl Scheduler {
    /// A scheduler with at most `threads` workers besides the threads that call it.
    pub fn new(threads: usize) -> Arc<Self> {
        Arc::new(Self { pool: Pool::new(threads) })
    }

    /// Runs all pipelines to their end; the calling thread takes part. Returns the first error.
    pub fn run(&self, graph: Graph, context: QueryContext) -> Result<()> {
        let query = Query::start(graph, context, &self.pool);
        let done = query.work(&|| false).map(|_| ());
        if done.is_err() {
            query.deferred_drop();
        }
        done
    }

    /// Starts a query that the caller drives with [`Running::work`]; workers join as soon as there
    /// is work for more than one.
    pub fn start(&self, graph: Graph, context: QueryContext) -> Running {
        Running { query: Some(Query::start(graph, context, &self.pool)) }
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.pool.close();
    }
}

/// A query that was started. Dropping it ends the query.
pub struct Running {
    /// `None` once the query is over.
    query: Option<Arc<Query>>,
}

impl Running {
    /// Works on the query until it is over (returns true) or `stop` holds (returns false). Waits
    /// while there is nothing to do for this thread.
    pub fn work(&mut self, stop: &dyn Fn() -> bool) -> Result<bool> {
        let Some(query) = self.query.take() else { return Ok(true) };
        let result = query.work(stop);
        match result {
            Ok(false) => self.query = Some(query),
            Ok(true) => {}
            Err(_) => query.deferred_drop(),
        }
        result
    }

    /// Whether the query reads so little that the caller may well be a thread with other duties.
    pub fn is_short(&self) -> bool {
        self.query.as_ref().is_none_or(|query| query.is_short())
    }

    /// A waker that makes [`Self::work`] check its `stop` again.
    pub fn waker(&self) -> Waker {
        // Weak, as the owner of the waker may itself be owned by the query.
        let query = self.query.as_ref().map(Arc::downgrade);
        Arc::new(move || {
            if let Some(query) = query.as_ref().and_then(Weak::upgrade) {
                query.nudge();
            }
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(query) = self.query.take() {
            query.abandon();
            query.deferred_drop();
        }
    }
}

#[cfg(test)]
mod tests;
