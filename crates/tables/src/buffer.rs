//! The Buffer engine: rows stay in memory for a while and are then written to another table, so
//! that many small INSERTs make few parts.
//!
//! Rows are written when a limit is passed: in the INSERT that passes a number of rows or bytes, or
//! by a thread that sleeps until the oldest row is old enough. DROP, OPTIMIZE and the end of the
//! program write them, too. **Rows that were not written are lost in a crash**: that is what this
//! engine trades for speed, although the INSERT was acknowledged.
//!
//! As in the reference, rows are discarded with a message in the log if the other table does not
//! exist, and columns that it does not have are left out. The engine inserts the rows
//! ([`InsertRows`]), so that columns have their DEFAULTs, and materialised views of the other table
//! are fed. Only when the engine is gone, rows go right into the table. The other table is written
//! to before the rows leave the memory, so a reader can see rows twice for a moment, but never
//! misses any.

use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use entasis_base::events::Counters;
use entasis_base::sync::lock;
use entasis_base::{CancelToken, Error, MemoryAccount, Result, codes, message};
use entasis_column::Chunk;
use entasis_pipeline::QueryContext;
use entasis_table_api::{
    FindTable, InsertSink, MergeRequest, Names, Over, Role, Schema, Snapshot, Table, insert_chunks,
};
use entasis_types::TimeZone;

use crate::mapped::Mapping;
use crate::memory::Fixed;
use crate::{collect, unsupported};

/// Bounds of time, rows and bytes; 0 means that there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Age of the oldest row.
    pub time: Duration,
    /// Number of rows.
    pub rows: u64,
    /// Bytes of memory.
    pub bytes: u64,
}

/// How a table is made.
#[derive(Clone, Debug)]
pub struct BufferOptions {
    /// Database and name of the table that gets the rows; `None` to discard them.
    pub destination: Option<(String, String)>,
    /// All of these must be passed before rows are written.
    pub least: Limits,
    /// Rows are written when one of these is passed.
    pub most: Limits,
    /// The same, but only the thread in the background looks at them.
    pub flush: Limits,
    /// The time zone in which values are converted for the other table.
    pub time_zone: TimeZone,
}

/// Inserts rows as a statement does, with DEFAULTs, constraints and views.
pub trait InsertRows: Send + Sync {
    /// Inserts the rows of `rows` into a table; `None` if that is not possible any more.
    fn insert_rows(&self, database: &str, table: &str, rows: Arc<dyn Table>) -> Option<Result<()>>;
}

/// A table that collects rows for another.
pub struct Buffer {
    over: Option<Over>,
    shared: Arc<Shared>,
}

struct Shared {
    schema: Arc<Schema>,
    options: BufferOptions,
    tables: Arc<dyn FindTable>,
    inserts: Arc<dyn InsertRows>,
    rows: Mutex<Rows>,
    /// Rings when rows come, and when the table goes away.
    bell: Condvar,
    /// Held while rows are written, so that they are written once.
    writing: Mutex<()>,
}

/// The rows that are not written yet.
#[derive(Default)]
struct Rows {
    chunks: Vec<Chunk>,
    rows: u64,
    bytes: u64,
    /// When the oldest row came.
    since: Option<Instant>,
    closed: bool,
}

impl Limits {
    fn passed(&self, age: Duration, rows: u64, bytes: u64) -> bool {
        let over = |limit: u64, value: u64| limit > 0 && value > limit;
        self.time > Duration::ZERO && age > self.time
            || over(self.rows, rows)
            || over(self.bytes, bytes)
    }
}

impl Shared {
    /// Takes the rows of an INSERT.
    fn add(&self, chunks: Vec<Chunk>) -> Result<()> {
        let rows: u64 = chunks.iter().map(|chunk| chunk.rows as u64).sum();
        let bytes: u64 = chunks.iter().map(|chunk| chunk.byte_size() as u64).sum();
        if rows == 0 {
            return Ok(());
        }
        // As in the reference, an INSERT that is too large for the buffer goes past it.
        if self.options.most.passed(Duration::ZERO, rows, bytes) {
            return self.write(&chunks);
        }
        let must_flush = {
            let held = lock(&self.rows);
            let age = held.since.map_or(Duration::ZERO, |since| since.elapsed());
            self.must_flush(age, held.rows + rows, held.bytes + bytes, false)
        };
        if must_flush {
            self.flush()?;
        }
        let mut held = lock(&self.rows);
        held.chunks.extend(chunks);
        held.rows += rows;
        held.bytes += bytes;
        held.since.get_or_insert_with(Instant::now);
        self.bell.notify_all();
        Ok(())
    }

    fn must_flush(&self, age: Duration, rows: u64, bytes: u64, in_background: bool) -> bool {
        let BufferOptions { least, most, flush, .. } = &self.options;
        age > least.time && rows > least.rows && bytes > least.bytes
            || most.passed(age, rows, bytes)
            || in_background && flush.passed(age, rows, bytes)
    }

    /// Writes all rows to the other table.
    fn flush(&self) -> Result<()> {
        let _held = lock(&self.writing);
        let (chunks, rows, bytes) = {
            let held = lock(&self.rows);
            (held.chunks.clone(), held.rows, held.bytes)
        };
        if chunks.is_empty() {
            return Ok(());
        }
        self.write(&chunks)?;
        let mut held = lock(&self.rows);
        held.chunks.drain(..chunks.len());
        held.rows -= rows;
        held.bytes -= bytes;
        held.since = (held.rows > 0).then(Instant::now);
        Ok(())
    }

    fn write(&self, chunks: &[Chunk]) -> Result<()> {
        let Some((database, table)) = &self.options.destination else { return Ok(()) };
        let found = match self.tables.find_table(database, table) {
            Err(error) if is_missing(&error) => {
                message!(
                    Error,
                    "StorageBuffer",
                    "Destination table {}.{} doesn't exist. Block of data is discarded.",
                    database,
                    table
                );
                return Ok(());
            }
            found => found?,
        };
        let mapping = Mapping::new(&self.schema, &found.schema(), self.options.time_zone);
        if mapping.is_empty() {
            message!(
                Error,
                "StorageBuffer",
                "Destination table {}.{} has no common columns with the buffer. Block of data is \
                 discarded.",
                database,
                table
            );
            return Ok(());
        }
        let rows = Fixed::table("Buffer", Arc::clone(&self.schema), chunks.to_vec());
        if let Some(done) = self.inserts.insert_rows(database, table, rows) {
            return done;
        }
        let chunks = chunks.iter().map(|chunk| mapping.chunk(chunk)).collect::<Result<_>>()?;
        let context = background();
        insert_chunks(&found.insert(&context)?, chunks, &context)
    }

    /// Writes rows that are old enough, until the table goes away.
    fn run(weak: &Weak<Self>) {
        loop {
            let Some(shared) = weak.upgrade() else { return };
            let must_flush = {
                let held = lock(&shared.rows);
                if held.closed {
                    return;
                }
                // A bounded wait, so that a table that is gone is noticed in any case.
                let most = match held.since {
                    None => Duration::from_hours(1),
                    Some(since) => shared.wait_for(since.elapsed()),
                };
                let (held, _) =
                    shared.bell.wait_timeout(held, most).unwrap_or_else(PoisonError::into_inner);
                let age = held.since.map_or(Duration::ZERO, |since| since.elapsed());
                held.rows > 0 && shared.must_flush(age, held.rows, held.bytes, true)
            };
            if must_flush && let Err(error) = shared.flush() {
                message!(Error, "StorageBuffer", "{}", error);
                std::thread::sleep(Duration::from_secs(1));
            }
        }
    }

    /// How long to wait until the rows, which are this old now, are too old.
    fn wait_for(&self, age: Duration) -> Duration {
        let BufferOptions { least, most, flush, .. } = &self.options;
        let limits = [least.time, most.time, flush.time].into_iter();
        let next = limits.filter_map(|limit| limit.checked_sub(age)).min();
        next.unwrap_or(Duration::from_secs(1)) + Duration::from_millis(1)
    }
}

/// Whether the error says that there is no such table.
fn is_missing(error: &Error) -> bool {
    [codes::UNKNOWN_TABLE, codes::UNKNOWN_DATABASE].contains(&error.code())
}

/// The context of an INSERT that no statement runs.
fn background() -> QueryContext {
    QueryContext {
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        events: Counters::start("buffer", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("BufferFlush", 0),
        max_threads: 1,
        max_block_size: 65_536,
        max_insert_partitions: 0,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

impl Buffer {
    /// An empty table, with a thread that watches the age of its rows.
    pub fn new(
        schema: Arc<Schema>,
        options: BufferOptions,
        tables: Arc<dyn FindTable>,
        inserts: Arc<dyn InsertRows>,
    ) -> Result<Arc<Self>> {
        let over = options.destination.as_ref().map(|(database, table)| Over {
            databases: Names::Exactly(database.clone()),
            tables: Names::Exactly(table.clone()),
            has_own_rows: true,
            must_exist: false,
            names_rows: false,
            numbers_shards: false,
        });
        let (rows, bell, writing) = (Mutex::default(), Condvar::new(), Mutex::default());
        let shared = Arc::new(Shared { schema, options, tables, inserts, rows, bell, writing });
        let weak = Arc::downgrade(&shared);
        std::thread::Builder::new().name("Buffer".to_string()).spawn(move || Shared::run(&weak))?;
        Ok(Arc::new(Self { over, shared }))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        lock(&self.shared.rows).closed = true;
        self.shared.bell.notify_all();
    }
}

impl Table for Buffer {
    fn engine(&self) -> &'static str {
        "Buffer"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.shared.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let chunks = lock(&self.shared.rows).chunks.clone();
        Fixed::table("Buffer", Arc::clone(&self.shared.schema), chunks).snapshot()
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        let shared = Arc::clone(&self.shared);
        Ok(collect::sink("Buffer", context, move |chunks| shared.add(chunks)))
    }

    fn truncate(&self) -> Result<()> {
        let message = "Truncate is not supported by storage Buffer";
        Err(Error::new(codes::NOT_IMPLEMENTED, message))
    }

    fn merge(&self, request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        if request.all {
            return Err(unsupported("OPTIMIZE FINAL", "Buffer"));
        }
        self.shared.flush()
    }

    fn role(&self) -> Role<'_> {
        self.over.as_ref().map_or(Role::Rows, Role::Over)
    }

    fn close(&self) -> Result<()> {
        self.shared.flush()
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(lock(&self.shared.rows).bytes)
    }
}
