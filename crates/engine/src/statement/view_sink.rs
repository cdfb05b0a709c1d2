//! A sink that runs a query over the rows that are pushed into it, and pushes the result into
//! another sink.
//!
//! Workers collect rows in one place. Whoever brings enough of them takes the whole block, and runs
//! the query over it; what is left runs when all rows have come. A small INSERT is therefore one
//! block however many workers bring it, and a large one needs the memory of a few blocks. The query
//! is bound anew for each block, because plans hold the results of their subqueries.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::sync::lock;
use entasis_base::{Error, Reservation, Result, codes, message, scope};
use entasis_column::Chunk;
use entasis_exec::{Runtime, execute};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_plan::QueryPlan;
use entasis_table_api::{InsertSink, Prepared};
use entasis_tables::pushed::PushedRows;

use crate::logs::log_entry::QueryLogEntry;
use crate::logs::query_views_log::ViewWork;

/// A plan over rows that come later.
pub(super) struct Bound {
    pub plan: QueryPlan,
    pub rows: Arc<PushedRows>,
}

/// Binds the query for one block.
pub(super) type Bind = Box<dyn Fn() -> Result<Bound> + Send + Sync>;

/// The log that is told what a view did.
pub(super) struct Journal {
    pub log_entry: Arc<QueryLogEntry>,
    pub work: ViewWork,
}

/// A block is complete when it has so many rows or bytes; 0 means no such threshold.
#[derive(Clone, Copy)]
pub(super) struct BlockSize {
    pub rows: u64,
    pub bytes: u64,
}

/// See the module.
pub(super) struct ViewSink(Arc<Shared>);

struct Shared {
    view: String,
    inner: Arc<dyn InsertSink>,
    /// Binds and runs the query; `None` once all blocks have run, so that a worker that drops the
    /// sink late keeps nothing of the engine.
    work: Mutex<Option<Arc<(Bind, Runtime)>>>,
    /// What was bound before the INSERT began, for the first block.
    first: Mutex<Option<Bound>>,
    waiting: Mutex<Waiting>,
    context: QueryContext,
    size: BlockSize,
    /// Number of blocks so far.
    blocks: AtomicU64,
    /// Whether an error of the query leaves the view as it was, and does not fail the INSERT.
    ignores_errors: bool,
    has_failed: AtomicBool,
    /// What will be logged; `None` if nothing, or once it is.
    journal: Mutex<Option<Journal>>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // An INSERT that failed elsewhere has no row for the view.
        let failed = lock(&self.journal).as_ref().is_some_and(|j| j.work.failure.is_some());
        if failed {
            self.close_journal();
        }
    }
}

/// Rows that wait for their block to be complete.
struct Waiting {
    chunks: Vec<(u64, Chunk)>,
    rows: u64,
    bytes: u64,
    held: Reservation,
}

/// The morsels of a block have sequence numbers from a multiple of this on.
const STRIDE: u64 = 1 << 40;

impl ViewSink {
    /// A sink of the view `view`; errors of binding are found here.
    pub fn create(
        view: String,
        inner: Arc<dyn InsertSink>,
        bind: Bind,
        (context, runtime): (QueryContext, Runtime),
        size: BlockSize,
        (ignores_errors, journal): (bool, Option<Journal>),
    ) -> Result<Arc<dyn InsertSink>> {
        let held = Reservation::new(&context.memory.child("MaterializedView", 0));
        let waiting = Mutex::new(Waiting { chunks: Vec::new(), rows: 0, bytes: 0, held });
        let (blocks, has_failed) = (AtomicU64::new(0), AtomicBool::new(false));
        let shared = Shared {
            view,
            inner,
            first: Mutex::new(None),
            work: Mutex::new(Some(Arc::new((bind, runtime)))),
            waiting,
            context,
            size,
            blocks,
            ignores_errors,
            has_failed,
            journal: Mutex::new(journal),
        };
        let bound = shared.work()?.0();
        *lock(&shared.first) = shared.allow(bound)?;
        Ok(Arc::new(Self(Arc::new(shared))))
    }
}

impl Shared {
    /// Adds to what will be logged.
    fn note(&self, add: impl FnOnce(&mut ViewWork)) {
        if let Some(journal) = &mut *lock(&self.journal) {
            add(&mut journal.work);
        }
    }

    /// Logs what the view did.
    fn close_journal(&self) {
        if let Some(journal) = lock(&self.journal).take() {
            journal.log_entry.view(journal.work);
        }
    }

    /// Passes an error on, unless errors of the view are ignored; then it answers `None`.
    fn allow<T>(&self, done: Result<T>) -> Result<Option<T>> {
        if let Err(error) = &done {
            let text = || entasis_sql::mask_secrets(&error.to_string()).into_owned();
            self.note(|work| {
                work.failure.get_or_insert_with(|| (error.code().0, text()));
            });
        }
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if self.ignores_errors && error.code() != codes::QUERY_WAS_CANCELLED => {
                self.has_failed.store(true, Ordering::Relaxed);
                message!(Error, "PushingToViews", "View {}: {}", self.view, error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn work(&self) -> Result<Arc<(Bind, Runtime)>> {
        let work = lock(&self.work).clone();
        work.ok_or_else(|| Error::logical("a view takes rows after its last block"))
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Adds rows; answers a block if it is complete.
    fn add(&self, morsel: Morsel) -> Result<Option<Vec<Chunk>>> {
        let mut waiting = lock(&self.waiting);
        waiting.rows += morsel.chunk.rows as u64;
        waiting.bytes += morsel.chunk.byte_size() as u64;
        let bytes = waiting.bytes;
        waiting.held.cover(bytes as usize)?;
        waiting.chunks.push((morsel.sequence, morsel.chunk));
        let reaches = |most: u64, has: u64| most > 0 && has >= most;
        let full = reaches(self.size.rows, waiting.rows) || reaches(self.size.bytes, bytes);
        Ok(if full { Some(waiting.take()?) } else { None })
    }

    /// Runs the query over a block.
    fn run(self: &Arc<Self>, block: Vec<Chunk>) -> Result<()> {
        scope::check()?;
        let began = Instant::now();
        let rows: u64 = block.iter().map(|chunk| chunk.rows as u64).sum();
        let bytes: u64 = block.iter().map(|chunk| chunk.byte_size() as u64).sum();
        let work = self.work()?;
        let first = lock(&self.first).take();
        let bound = match first {
            Some(bound) => bound,
            None => work.0()?,
        };
        bound.rows.fill(block);
        let base = self.blocks.fetch_add(1, Ordering::Relaxed) * STRIDE;
        let sink = Arc::new(OneBlock { shared: Arc::clone(self), base });
        let done = execute(&bound.plan, &self.context, &work.1, sink);
        self.note(|work| {
            work.took += began.elapsed();
            work.read = (work.read.0 + rows, work.read.1 + bytes);
        });
        done
    }
}

impl Waiting {
    /// All rows, in the order of their source.
    fn take(&mut self) -> Result<Vec<Chunk>> {
        (self.rows, self.bytes) = (0, 0);
        self.held.cover(0)?;
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.sort_by_key(|(sequence, _)| *sequence);
        Ok(chunks.into_iter().map(|(_, chunk)| chunk).collect())
    }
}

impl Sink for ViewSink {
    fn name(&self) -> String {
        self.0.inner.name()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Collector(Arc::clone(&self.0))))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        let shared = &self.0;
        let rest = lock(&shared.waiting).take()?;
        if !rest.is_empty() && !shared.has_failed() {
            shared.allow(shared.run(rest))?;
        }
        if !shared.has_failed() {
            shared.allow(shared.inner.finalize(context))?;
        }
        *lock(&shared.work) = None;
        *lock(&shared.first) = None;
        shared.close_journal();
        Ok(())
    }
}

impl InsertSink for ViewSink {
    fn keeps_order(&self) -> bool {
        self.0.inner.keeps_order()
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        if self.0.has_failed() {
            return Ok(Vec::new());
        }
        self.0.inner.prepared()
    }
}

/// A worker of the INSERT, as the view sees it.
struct Collector(Arc<Shared>);

impl SinkState for Collector {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let shared = &self.0;
        if shared.has_failed() {
            return Ok(Flow::Enough);
        }
        if let Some(block) = shared.add(morsel)? {
            shared.allow(shared.run(block))?;
        }
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

/// The sink of the query over one block: the inner sink, which more blocks follow into.
struct OneBlock {
    shared: Arc<Shared>,
    base: u64,
}

impl Sink for OneBlock {
    fn name(&self) -> String {
        self.shared.inner.name()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let (inner, shared) = (self.shared.inner.open()?, Arc::clone(&self.shared));
        Ok(Box::new(Numbered { inner, base: self.base, shared, written: (0, 0) }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.shared.inner.is_full()
    }
}

struct Numbered {
    inner: Box<dyn SinkState>,
    base: u64,
    shared: Arc<Shared>,
    /// Rows and bytes so far.
    written: (u64, u64),
}

impl SinkState for Numbered {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.written.0 += morsel.chunk.rows as u64;
        self.written.1 += morsel.chunk.byte_size() as u64;
        let sequence = self.base + morsel.sequence;
        self.inner.push(Morsel { sequence, chunk: morsel.chunk })
    }

    fn combine(self: Box<Self>) -> Result<()> {
        let (rows, bytes) = self.written;
        self.shared.note(|work| {
            work.written = (work.written.0 + rows, work.written.1 + bytes);
        });
        self.inner.combine()
    }
}
