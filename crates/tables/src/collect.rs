//! A sink that collects the rows of an INSERT in memory until the commit, and then hands them to
//! the table. For tables that decide about rows one after the other.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared};

/// Chunks are joined until they have so many rows.
const BLOCK_ROWS: usize = 65_536;

/// What a table does with the rows of an INSERT when it is committed. It gets full columns, in the
/// order of insertion.
type Take = Box<dyn FnOnce(Vec<Chunk>) -> Result<()> + Send>;

/// A sink that gives all rows to `take` at the commit.
pub fn sink(
    name: &'static str,
    context: &QueryContext,
    take: impl FnOnce(Vec<Chunk>) -> Result<()> + Send + 'static,
) -> Arc<dyn InsertSink> {
    let account = context.memory.child("CollectedInsert", 0);
    let take: Mutex<Option<Take>> = Mutex::new(Some(Box::new(take)));
    Arc::new(Insert { name, take, done: Arc::default(), prepared: Mutex::default(), account })
}

struct Insert {
    name: &'static str,
    take: Mutex<Option<Take>>,
    done: Arc<Mutex<Done>>,
    prepared: Mutex<Option<Done>>,
    account: Arc<MemoryAccount>,
}

/// The rows of the worker. Their memory counts as the query's until the table takes them.
#[derive(Default)]
struct Done {
    chunks: Vec<Chunk>,
    held: Vec<Reservation>,
}

impl Sink for Insert {
    fn name(&self) -> String {
        format!("{}Insert", self.name)
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let (done, held) = (Arc::clone(&self.done), Reservation::new(&self.account));
        Ok(Box::new(InsertState { done, chunks: Vec::new(), small: 0, bytes: 0, held }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        *lock(&self.prepared) = Some(std::mem::take(&mut *lock(&self.done)));
        Ok(())
    }
}

impl InsertSink for Insert {
    fn keeps_order(&self) -> bool {
        true
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        let done = lock(&self.prepared).take().ok_or_else(nothing_prepared)?;
        let take = lock(&self.take).take().ok_or_else(nothing_prepared)?;
        Ok(vec![Prepared::Alone(Box::new(move || {
            let Done { chunks, held } = done;
            take(chunks)?;
            drop(held);
            Ok(())
        }))])
    }
}

struct InsertState {
    done: Arc<Mutex<Done>>,
    chunks: Vec<Chunk>,
    /// How many chunks at the end are not joined yet.
    small: usize,
    bytes: usize,
    held: Reservation,
}

impl InsertState {
    fn join(&mut self) {
        let small = self.chunks.split_off(self.chunks.len() - self.small);
        if !small.is_empty() {
            self.chunks.push(Chunk::concat(&small));
        }
        self.small = 0;
    }
}

impl SinkState for InsertState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let chunk = morsel.chunk;
        let columns = chunk.columns.iter().map(Column::full).collect();
        let chunk = Chunk::new(columns, chunk.rows);
        self.bytes += chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.chunks.push(chunk);
        self.small += 1;
        let waiting = &self.chunks[self.chunks.len() - self.small..];
        if waiting.iter().map(|chunk| chunk.rows).sum::<usize>() >= BLOCK_ROWS {
            self.join();
        }
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        self.join();
        let mut done = lock(&self.done);
        done.chunks.append(&mut self.chunks);
        done.held.push(self.held);
        Ok(())
    }
}
