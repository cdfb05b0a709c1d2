//! The three roles of a pipeline (source, operator, sink) and what connects them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use entasis_base::events::{self, Counters, Event};
use entasis_base::{CancelToken, Error, MemoryAccount, Result, codes};
use entasis_column::Chunk;

use crate::profile::{Profile, Report};
use crate::{SpeedLimits, WorkHook};

/// Wakes a parked task; may be called from any thread, more than once.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// Something to wait for. It is called with the task's waker and arranges that the waker is called
/// once the wait is over (immediately, if it is over already).
pub type Blocked = Box<dyn FnOnce(Waker) + Send>;

/// What a reader returns.
pub enum Read {
    /// Rows; the chunk is never empty.
    Chunk(Morsel),
    /// No rows yet.
    Pending(Blocked),
    /// This reader has no more rows.
    Done,
}

/// A chunk with its place in source order.
#[derive(Clone, Debug)]
pub struct Morsel {
    /// The position of the morsel in source order. All chunks of one morsel come from one reader,
    /// in order. The result of a query without ORDER BY is emitted by ascending sequence.
    pub sequence: u64,
    /// The rows.
    pub chunk: Chunk,
}

/// Where rows come from. Each pipeline has one source, which its workers share.
pub trait Source: Send + Sync {
    /// The name in plans and profiles.
    fn name(&self) -> String;

    /// Further figures of a run for EXPLAIN ANALYZE: names and values.
    fn report(&self) -> Report {
        Report::new()
    }

    /// Makes a reader for one worker. The readers of one source share its morsels. Called once the
    /// pipeline starts, after every pipeline that it depends on has been finalised.
    fn reader(&self) -> Result<Box<dyn Reader>>;

    /// The number of morsels, if known when the pipeline starts. A pipeline with fewer than two
    /// runs on one thread.
    fn morsels(&self) -> Option<usize> {
        None
    }

    /// Whether all rows are read within microseconds, so that a thread with other duties may do it.
    /// Only asked of sources that depend on no other pipeline.
    fn is_short(&self) -> bool {
        false
    }
}

/// One worker's access to a source.
pub trait Reader: Send {
    /// The next chunk of this reader.
    fn next(&mut self) -> Result<Read>;
}

/// Whether the caller of a push should go on.
pub enum Flow {
    /// Push more.
    More,
    /// No more input is needed: finish early.
    Enough,
    /// Wait, and go on once woken. The pushed chunk has been taken. An operator that has more to
    /// push for the same input pushes the rest first and then returns this.
    Blocked(Blocked),
}

/// Where an operator state pushes its output.
pub trait Output {
    /// Takes a chunk. After [`Flow::Enough`] or [`Flow::Blocked`] the operator should return soon.
    fn push(&mut self, chunk: Chunk) -> Result<Flow>;
}

/// A step that turns chunks into chunks without needing all of them: filter, project, join probe.
pub trait Operator: Send + Sync {
    /// The name in plans and profiles.
    fn name(&self) -> String;

    /// Further figures for EXPLAIN ANALYZE, see [`Source::report`].
    fn report(&self) -> Report {
        Report::new()
    }

    /// Makes the state of one worker.
    fn open(&self) -> Result<Box<dyn OperatorState>>;
}

/// One worker's state of an operator.
pub trait OperatorState: Send {
    /// Takes a chunk and pushes what results from it.
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow>;

    /// Called before the first chunk of another morsel: pushes rows that were held back and belong
    /// to the earlier morsel in source order.
    fn flush(&mut self, _out: &mut dyn Output) -> Result<Flow> {
        Ok(Flow::More)
    }

    /// This worker has no more input: pushes all rows that were held back.
    fn finish(&mut self, _out: &mut dyn Output) -> Result<Flow> {
        Ok(Flow::More)
    }
}

/// Where a pipeline ends: aggregation, sort, join build, result, a table's insert.
pub trait Sink: Send + Sync {
    /// The name in plans and profiles.
    fn name(&self) -> String;

    /// Further figures for EXPLAIN ANALYZE, see [`Source::report`].
    fn report(&self) -> Report {
        Report::new()
    }

    /// Makes the state of one worker.
    fn open(&self) -> Result<Box<dyn SinkState>>;

    /// Completes the result. Called once, after every worker's state was combined. The sink of an
    /// INSERT only prepares its rows here; the statement commits them later.
    fn finalize(&self, context: &QueryContext) -> Result<()>;

    /// Whether the sink needs no more rows from any worker. Called between chunks, so it must be
    /// cheap.
    fn is_full(&self) -> bool {
        false
    }
}

/// One worker's state of a sink.
pub trait SinkState: Send {
    /// Takes a chunk of the morsel.
    fn push(&mut self, morsel: Morsel) -> Result<Flow>;

    /// This worker has no more input: hands its state over to the sink. Workers may do so
    /// concurrently.
    fn combine(self: Box<Self>) -> Result<()>;
}

/// A source, any number of operators, and a sink.
pub struct Pipeline {
    /// Where rows come from.
    pub source: Arc<dyn Source>,
    /// What each chunk passes through, in order.
    pub operators: Vec<Arc<dyn Operator>>,
    /// Where the rows end.
    pub sink: Arc<dyn Sink>,
    /// Indices (within the graph) of pipelines that must be finalised before this one starts.
    pub after: Vec<usize>,
    /// Rows that the optimiser expected from the source and from each operator, if known.
    pub estimates: Vec<Option<u64>>,
}

/// All pipelines of a query; a pipeline depends only on earlier ones.
#[derive(Default)]
pub struct Graph {
    /// The pipelines.
    pub pipelines: Vec<Pipeline>,
    /// What the graph is for, such as `Set 1`; empty for the statement's own result.
    pub title: String,
}

impl Graph {
    /// Adds a pipeline and returns its index.
    pub fn add(&mut self, pipeline: Pipeline) -> usize {
        self.pipelines.push(pipeline);
        self.pipelines.len() - 1
    }
}

/// Which skipping indices an INSERT builds; merges build the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IndicesOnInsert {
    /// All of them.
    #[default]
    All,
    /// None.
    None,
    /// All but those with these names.
    Except(Arc<[String]>),
}

impl IndicesOnInsert {
    /// Whether the index with this name is built.
    pub fn writes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Except(names) => !names.iter().any(|known| known == name),
        }
    }
}

/// What an INSERT derives from the rows that it writes; merges derive the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedOnInsert {
    /// Skipping indices.
    pub indices: IndicesOnInsert,
    /// Numbers of distinct values, and samples.
    pub statistics: bool,
}

impl Default for DerivedOnInsert {
    fn default() -> Self {
        Self { indices: IndicesOnInsert::All, statistics: true }
    }
}

/// The default of [`QueryContext::max_block_size`]: the rows of a granule.
pub const DEFAULT_BLOCK: usize = 8192;

/// What all parts of a running query share. Cheap to clone.
#[derive(Clone)]
pub struct QueryContext {
    /// Tells the query to stop; checked at every chunk.
    pub cancel: CancelToken,
    /// The query's account; operators open children of it.
    pub memory: Arc<MemoryAccount>,
    /// Where threads count what they do for the query.
    pub events: Arc<Counters>,
    /// The number of threads that may work on the query at once, at least 1.
    pub max_threads: usize,
    /// The largest number of rows in a chunk that a source makes; [`DEFAULT_BLOCK`] if the query
    /// does not say.
    pub max_block_size: usize,
    /// The most partitions that one block of an INSERT may touch; 0 means no limit.
    pub max_insert_partitions: usize,
    /// Whether an INSERT folds rows with equal keys at once, as merges of the table do.
    pub fold_inserts: bool,
    /// What an INSERT derives from its rows.
    pub derived_on_insert: DerivedOnInsert,
    /// Rows and bytes read so far, and rows expected.
    pub progress: Arc<Progress>,
    /// Where to record what each step does; `None` if it is not recorded.
    pub profile: Option<Arc<Profile>>,
    /// The hook that is told of the work; `None` without one.
    pub hook: Option<Arc<dyn WorkHook>>,
}

/// Counters for the progress bar, written by sources.
#[derive(Debug, Default)]
pub struct Progress {
    read_rows: AtomicU64,
    read_bytes: AtomicU64,
    total_rows: AtomicU64,
    /// The most rows and bytes that may be read; 0 means no bound.
    max_rows: AtomicU64,
    max_bytes: AtomicU64,
    /// Whether the reading of tables ends when the query's time is over, instead of failing.
    time_breaks: AtomicBool,
    /// Whether it does where more was read than allowed.
    read_breaks: AtomicBool,
    /// Whether reading has ended so.
    is_over: AtomicBool,
    /// Whether a source has ended before its last row.
    is_cut_short: AtomicBool,
    /// Rows that have arrived at the limits of the result, and one more; 0 without a limit.
    before_limit: AtomicU64,
    /// Whether all of them are to be counted.
    counts_all: AtomicBool,
    /// Limits of the speed of reading, and when the query began.
    speed: OnceLock<(SpeedLimits, Instant)>,
}

impl Progress {
    /// Sets the most that may be read (`max_rows_to_read`, `max_bytes_to_read`); 0 means no bound.
    pub fn limit(&self, rows: u64, bytes: u64) {
        self.max_rows.store(rows, Ordering::Relaxed);
        self.max_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Counts rows and (uncompressed) bytes that a source has read; called once per chunk. Fails
    /// once more was read than [`Self::limit`] allows.
    pub fn add_read(&self, rows: u64, bytes: u64) -> Result<()> {
        events::add(Event::SelectedRows, rows);
        events::add(Event::SelectedBytes, bytes);
        let rows = self.read_rows.fetch_add(rows, Ordering::Relaxed) + rows;
        let bytes = self.read_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let most = |limit: &AtomicU64| match limit.load(Ordering::Relaxed) {
            0 => u64::MAX,
            most => most,
        };
        if rows > most(&self.max_rows) || bytes > most(&self.max_bytes) {
            if !self.read_breaks.load(Ordering::Relaxed) {
                return Err(self.too_much(rows, bytes));
            }
            self.is_over.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Says which limits end the reading of tables instead of failing: that of time, and those of
    /// [`Self::limit`].
    pub fn may_break(&self, in_time: bool, of_reads: bool) {
        self.time_breaks.store(in_time, Ordering::Relaxed);
        self.read_breaks.store(of_reads, Ordering::Relaxed);
    }

    /// Whether any limit does.
    pub fn breaks(&self) -> bool {
        self.time_breaks.load(Ordering::Relaxed) || self.read_breaks.load(Ordering::Relaxed)
    }

    /// Ends the reading of tables if the limit of time is one that does, and answers whether it is:
    /// the query then answers with what was read so far.
    pub fn time_out(&self) -> bool {
        let breaks = self.time_breaks.load(Ordering::Relaxed);
        self.is_over.fetch_or(breaks, Ordering::Relaxed);
        breaks
    }

    /// Whether nothing more is to be read of tables.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// A source has ended before its last row, because of a limit.
    pub fn cut_short(&self) {
        self.is_cut_short.store(true, Ordering::Relaxed);
    }

    /// Whether a source has ended before its last row.
    pub fn was_cut_short(&self) -> bool {
        self.is_cut_short.load(Ordering::Relaxed)
    }

    #[cold]
    fn too_much(&self, rows: u64, bytes: u64) -> Error {
        let (code, unit, setting, most, read) = match self.max_rows.load(Ordering::Relaxed) {
            most if most > 0 && rows > most => {
                (codes::TOO_MANY_ROWS, "rows", "max_rows_to_read", most, rows)
            }
            _ => {
                let most = self.max_bytes.load(Ordering::Relaxed);
                (codes::TOO_MANY_BYTES, "bytes", "max_bytes_to_read", most, bytes)
            }
        };
        let message = format!(
            "Limit for {unit} (controlled by '{setting}' setting) exceeded, max {unit}: {most}, \
             current {unit}: {read}. Narrow the query down, or raise the setting"
        );
        Error::new(code, message)
    }

    /// Sets the limits of the speed of reading, which is measured from now on.
    pub fn limit_speed(&self, limits: SpeedLimits) {
        if !limits.is_none() {
            let _ = self.speed.set((limits, Instant::now()));
        }
    }

    /// Whether there are limits of the speed of reading.
    pub fn has_speed_limits(&self) -> bool {
        self.speed.get().is_some()
    }

    /// Fails if the query reads more slowly than it must, and answers how long it has to wait if it
    /// reads faster than it may.
    pub fn check_speed(&self) -> Result<Duration> {
        let Some((limits, began)) = self.speed.get() else { return Ok(Duration::ZERO) };
        let (rows, bytes, total) = self.get();
        limits.check(began.elapsed(), rows, bytes, total)
    }

    /// Says whether all rows before the result's limit are to be counted, also those that are not
    /// needed (`exact_rows_before_limit`).
    pub fn count_all(&self, all: bool) {
        self.counts_all.store(all, Ordering::Relaxed);
    }

    /// Whether they are.
    pub fn counts_all(&self) -> bool {
        self.counts_all.load(Ordering::Relaxed)
    }

    /// Says that the result has a limit.
    pub fn expect_limit(&self) {
        self.before_limit.fetch_max(1, Ordering::Relaxed);
    }

    /// Counts rows that have arrived at a limit of the result.
    pub fn add_before_limit(&self, rows: u64) {
        self.before_limit.fetch_add(rows, Ordering::Relaxed);
    }

    /// How many rows the result would at least have without its limits; `None` if it has none.
    pub fn rows_before_limit(&self) -> Option<u64> {
        self.before_limit.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Adds to the number of rows that will be read, as far as it is known.
    pub fn add_total(&self, rows: u64) {
        self.total_rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Rows read, bytes read, rows expected.
    pub fn get(&self) -> (u64, u64, u64) {
        (
            self.read_rows.load(Ordering::Relaxed),
            self.read_bytes.load(Ordering::Relaxed),
            self.total_rows.load(Ordering::Relaxed),
        )
    }
}
