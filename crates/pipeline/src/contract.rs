//! The three roles of a pipeline and what connects them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::events::{self, Counters, Event};
use entasis_base::{CancelToken, Error, MemoryAccount, Result, codes};
use entasis_column::Chunk;

use crate::WorkHook;
use crate::profile::{Profile, Report};

/// Wakes a parked task; may be called from any thread, more than once.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// Something to wait for: called with the task's waker, it arranges that the waker is called once
/// waiting is over (at once, if it is over already).
pub type Blocked = Box<dyn FnOnce(Waker) + Send>;

/// What a reader answers.
pub enum Read {
    /// Rows; never an empty chunk.
    Chunk(Morsel),
    /// Nothing yet.
    Pending(Blocked),
    /// No more, for this reader.
    Done,
}

/// A chunk with its place in source order.
#[derive(Clone, Debug)]
pub struct Morsel {
    /// Order of the piece of work that the chunk belongs to; chunks of one morsel come from one
    /// reader, in order. An unordered result is emitted by ascending sequence.
    pub sequence: u64,
    /// The rows.
    pub chunk: Chunk,
}

/// Where rows come from. One per pipeline, shared by its workers.
pub trait Source: Send + Sync {
    /// For plans and profiles.
    fn name(&self) -> String;

    /// What else there is to say of a run, for EXPLAIN ANALYZE: names and values.
    fn report(&self) -> Report {
        Report::new()
    }

    /// A reader for one worker. Readers of one source share its morsels. Called when the pipeline
    /// starts, after every pipeline it depends on has been finalised.
    fn reader(&self) -> Result<Box<dyn Reader>>;

    /// How many morsels there are, if known when the pipeline starts: with fewer than two the
    /// pipeline runs inline on the calling thread.
    fn morsels(&self) -> Option<usize> {
        None
    }
}

/// One worker's end of a source.
pub trait Reader: Send {
    /// The next chunk.
    fn next(&mut self) -> Result<Read>;
}

/// Whether the producer should go on.
pub enum Flow {
    /// Give me more.
    More,
    /// I have enough: finish early.
    Enough,
    /// Not now; ask again once woken. What was pushed has been taken; an operator that has more to
    /// push for the same input pushes it all the same and then answers this.
    Blocked(Blocked),
}

/// Where an operator state puts its output.
pub trait Output {
    /// Takes a chunk. After [`Flow::Enough`] or [`Flow::Blocked`] the operator should return soon.
    fn push(&mut self, chunk: Chunk) -> Result<Flow>;
}

/// A step that turns chunks into chunks without needing all of them: filter, project, join probe.
pub trait Operator: Send + Sync {
    /// For plans and profiles.
    fn name(&self) -> String;

    /// As [`Source::report`].
    fn report(&self) -> Report {
        Report::new()
    }

    /// State for one worker.
    fn open(&self) -> Result<Box<dyn OperatorState>>;
}

/// One worker's state of an operator.
pub trait OperatorState: Send {
    /// Takes a chunk, and pushes what comes of it.
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow>;

    /// The next chunk will be of another morsel: pushes what must not move into that one's place
    /// in source order.
    fn flush(&mut self, _out: &mut dyn Output) -> Result<Flow> {
        Ok(Flow::More)
    }

    /// No more input for this worker: pushes what was held back.
    fn finish(&mut self, _out: &mut dyn Output) -> Result<Flow> {
        Ok(Flow::More)
    }
}

/// Where a pipeline ends: aggregation, sort, join build, result, a table's insert.
pub trait Sink: Send + Sync {
    /// For plans and profiles.
    fn name(&self) -> String;

    /// As [`Source::report`].
    fn report(&self) -> Report {
        Report::new()
    }

    /// State for one worker.
    fn open(&self) -> Result<Box<dyn SinkState>>;

    /// Called once, after every worker's state was combined: completes the result. The insert of a
    /// table prepares its rows, which the statement commits later.
    fn finalize(&self, context: &QueryContext) -> Result<()>;

    /// Whether no worker needs to go on: asked between chunks, so it must be cheap.
    fn is_full(&self) -> bool {
        false
    }
}

/// One worker's state of a sink.
pub trait SinkState: Send {
    /// Takes a chunk.
    fn push(&mut self, morsel: Morsel) -> Result<Flow>;

    /// No more input for this worker: hands the state over to the sink. Concurrent with others'.
    fn combine(self: Box<Self>) -> Result<()>;
}

/// A source, steps, and a sink.
pub struct Pipeline {
    /// Where rows come from.
    pub source: Arc<dyn Source>,
    /// What happens to each chunk, in order.
    pub operators: Vec<Arc<dyn Operator>>,
    /// Where they end.
    pub sink: Arc<dyn Sink>,
    /// Indices (within the graph) of pipelines that must be finalised before this one starts.
    pub after: Vec<usize>,
    /// Rows that were expected of the source and of each operator, where that is known.
    pub estimates: Vec<Option<u64>>,
}

/// All pipelines of a query; a pipeline depends only on earlier ones.
#[derive(Default)]
pub struct Graph {
    /// The pipelines.
    pub pipelines: Vec<Pipeline>,
    /// What it is for, where it is not the statement's own: `Set 1`.
    pub title: String,
}

impl Graph {
    /// Adds a pipeline and answers its index.
    pub fn add(&mut self, pipeline: Pipeline) -> usize {
        self.pipelines.push(pipeline);
        self.pipelines.len() - 1
    }
}

/// What all parts of a running query share. Cheap to clone.
#[derive(Clone)]
pub struct QueryContext {
    /// Read at every chunk.
    pub cancel: CancelToken,
    /// The query's account; operators open children of it.
    pub memory: Arc<MemoryAccount>,
    /// Where threads count what they do for the query.
    pub events: Arc<Counters>,
    /// Most workers that may work on the query at once, at least 1.
    pub max_threads: usize,
    /// Most rows per chunk that a source makes.
    pub max_block_size: usize,
    /// Rows and bytes read so far, and rows expected.
    pub progress: Arc<Progress>,
    /// Where to keep what each step does, if somebody wants to know.
    pub profile: Option<Arc<Profile>>,
    /// What is told of its work, if somebody listens.
    pub hook: Option<Arc<dyn WorkHook>>,
}

/// Counters for the progress bar, written by sources.
#[derive(Debug, Default)]
pub struct Progress {
    read_rows: AtomicU64,
    read_bytes: AtomicU64,
    total_rows: AtomicU64,
    /// Most rows and bytes that may be read; 0 is no bound.
    max_rows: AtomicU64,
    max_bytes: AtomicU64,
}

impl Progress {
    /// Bounds what may be read (`max_rows_to_read`, `max_bytes_to_read`); 0 is no bound.
    pub fn limit(&self, rows: u64, bytes: u64) {
        self.max_rows.store(rows, Ordering::Relaxed);
        self.max_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Counts rows and (uncompressed) bytes that a source has read; once per chunk. Fails once they
    /// are more than may be read.
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
            return Err(self.too_much(rows, bytes));
        }
        Ok(())
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

    /// Adds to the rows that will be read as far as known.
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
