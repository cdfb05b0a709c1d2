//! The Memory engine, and tables with fixed rows in memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::Event;
use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState, Source};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared, ScanSpec, Schema, Snapshot, Table};

use crate::raw::{self, RawReader, RawRows};

/// Rows, with the columns that the table had when they were inserted.
#[derive(Clone, Debug)]
struct Block {
    schema: Arc<Schema>,
    chunk: Chunk,
}

impl Block {
    /// Some rows of a column of `schema`. As in the reference, rows that were inserted before the
    /// column was added have the default value of its type, even if the column has a DEFAULT.
    fn column(&self, schema: &Arc<Schema>, position: usize, start: usize, rows: usize) -> Column {
        let columns = &self.chunk.columns;
        if Arc::ptr_eq(schema, &self.schema) {
            return columns[position].slice(start, rows);
        }
        let wanted = &schema.columns[position];
        match self.schema.position(&wanted.name).and_then(|place| columns.get(place)) {
            Some(column) => column.slice(start, rows),
            None => Column::from_value(&wanted.ty, &wanted.ty.column_default(), rows).full(),
        }
    }
}

type Blocks = Arc<Vec<Block>>;

/// A table in memory: a list of chunks. An INSERT leaves the list alone that a reader holds, so
/// that readers keep the list they started with.
#[derive(Debug)]
pub struct Memory {
    schema: Arc<Schema>,
    blocks: Arc<Mutex<Blocks>>,
}

impl Memory {
    /// An empty table.
    pub fn new(schema: Arc<Schema>) -> Arc<Self> {
        Arc::new(Self { schema, blocks: Arc::default() })
    }

    /// A table with the same rows and other columns, which are matched by name. INSERTs that began
    /// before write the columns of the old schema.
    pub fn with_columns(&self, schema: Arc<Schema>) -> Arc<Self> {
        Arc::new(Self { schema, blocks: Arc::clone(&self.blocks) })
    }

    fn current(&self) -> Blocks {
        Arc::clone(&lock(&self.blocks))
    }
}

impl Table for Memory {
    fn engine(&self) -> &'static str {
        "Memory"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let schema = Arc::clone(&self.schema);
        Ok(Arc::new(Rows { engine: "Memory", schema, blocks: self.current() }))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        let account = context.memory.child("MemoryInsert", 0);
        let (schema, target) = (Arc::clone(&self.schema), Arc::clone(&self.blocks));
        let (new, prepared) = (Arc::default(), Mutex::default());
        Ok(Arc::new(Insert { schema, target, new, prepared, account }))
    }

    fn truncate(&self) -> Result<()> {
        *lock(&self.blocks) = Arc::default();
        Ok(())
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.current().iter().map(|b| b.chunk.byte_size() as u64).sum())
    }
}

/// A table with rows that never change.
#[derive(Debug)]
pub struct Fixed {
    engine: &'static str,
    schema: Arc<Schema>,
    blocks: Blocks,
}

impl Fixed {
    /// A table with these chunks. Plans show it under the name `engine`.
    pub fn table(engine: &'static str, schema: Arc<Schema>, chunks: Vec<Chunk>) -> Arc<dyn Table> {
        let block = |chunk| Block { schema: Arc::clone(&schema), chunk };
        let blocks = Arc::new(chunks.into_iter().map(block).collect());
        Arc::new(Self { engine, schema, blocks })
    }
}

impl Table for Fixed {
    fn engine(&self) -> &str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (schema, blocks) = (Arc::clone(&self.schema), Arc::clone(&self.blocks));
        Ok(Arc::new(Rows { engine: self.engine, schema, blocks }))
    }
}

struct Rows {
    engine: &'static str,
    schema: Arc<Schema>,
    blocks: Blocks,
}

impl Snapshot for Rows {
    fn row_count(&self) -> Option<u64> {
        Some(self.blocks.iter().map(|b| b.chunk.rows as u64).sum())
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        context.progress.add_total(self.row_count().unwrap_or(0));
        let rows = RawChunks {
            engine: self.engine,
            schema: Arc::clone(&self.schema),
            blocks: Arc::clone(&self.blocks),
            next: Arc::default(),
        };
        raw::scan(Arc::new(rows), spec, context)
    }
}

struct RawChunks {
    engine: &'static str,
    schema: Arc<Schema>,
    blocks: Blocks,
    next: Arc<AtomicUsize>,
}

impl RawRows for RawChunks {
    fn event(&self) -> Event {
        Event::MemoryRowsRead
    }

    fn name(&self) -> String {
        self.engine.to_string()
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        Ok(Box::new(ChunksReader {
            schema: Arc::clone(&self.schema),
            blocks: Arc::clone(&self.blocks),
            next: Arc::clone(&self.next),
            columns: columns.to_vec(),
            max_rows: max_rows.max(1),
            current: None,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.blocks.len())
    }
}

struct ChunksReader {
    schema: Arc<Schema>,
    blocks: Blocks,
    next: Arc<AtomicUsize>,
    columns: Vec<usize>,
    max_rows: usize,
    /// The index of the current chunk, and the first row that was not returned yet.
    current: Option<(usize, usize)>,
}

impl RawReader for ChunksReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        let (index, start) = match self.current.take() {
            Some(current) => current,
            None => (self.next.fetch_add(1, Ordering::Relaxed), 0),
        };
        let Some(block) = self.blocks.get(index) else { return Ok(None) };
        let rows = self.max_rows.min(block.chunk.rows - start);
        if start + rows < block.chunk.rows {
            self.current = Some((index, start + rows));
        }
        let column = |&at: &usize| block.column(&self.schema, at, start, rows);
        let columns = self.columns.iter().map(column).collect();
        Ok(Some(Morsel { sequence: index as u64, chunk: Chunk::new(columns, rows) }))
    }
}

/// The rows of an INSERT: collected until the commit, then appended in source order.
struct Insert {
    schema: Arc<Schema>,
    target: Arc<Mutex<Blocks>>,
    new: Arc<Mutex<New>>,
    prepared: Mutex<Option<New>>,
    account: Arc<MemoryAccount>,
}

/// The rows of all workers. Their memory counts as the query's until the table takes them.
#[derive(Default)]
struct New {
    rows: Vec<Morsel>,
    held: Vec<Reservation>,
}

struct InsertState {
    new: Arc<Mutex<New>>,
    mine: Vec<Morsel>,
    bytes: usize,
    held: Reservation,
}

impl Sink for Insert {
    fn name(&self) -> String {
        "MemoryInsert".to_string()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let (new, held) = (Arc::clone(&self.new), Reservation::new(&self.account));
        Ok(Box::new(InsertState { new, mine: Vec::new(), bytes: 0, held }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        let mut new = std::mem::take(&mut *lock(&self.new));
        new.rows.sort_by_key(|m| m.sequence);
        *lock(&self.prepared) = Some(new);
        Ok(())
    }
}

impl InsertSink for Insert {
    fn prepared(&self) -> Result<Vec<Prepared>> {
        let new = lock(&self.prepared).take().ok_or_else(nothing_prepared)?;
        let (schema, target) = (Arc::clone(&self.schema), Arc::clone(&self.target));
        Ok(vec![Prepared::Alone(Box::new(move || {
            let block = |m: Morsel| Block { schema: Arc::clone(&schema), chunk: m.chunk };
            let rows = new.rows.into_iter().map(block);
            // The list is copied only if a reader holds it.
            Arc::make_mut(&mut lock(&target)).extend(rows);
            drop(new.held);
            Ok(())
        }))])
    }
}

impl SinkState for InsertState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let Morsel { sequence, chunk } = morsel;
        let columns = chunk.columns.iter().map(Column::full).collect();
        let chunk = Chunk::new(columns, chunk.rows);
        self.bytes += chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.mine.push(Morsel { sequence, chunk });
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        let mut new = lock(&self.new);
        new.rows.extend(self.mine);
        new.held.push(self.held);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use entasis_base::CancelToken;
    use entasis_base::events::Counters;
    use entasis_table_api::ColumnDef;
    use entasis_types::DataType;

    use super::*;

    fn context() -> QueryContext {
        QueryContext {
            events: Counters::start("test", ""),
            cancel: CancelToken::new(),
            memory: MemoryAccount::root("test", 0),
            max_threads: 1,
            max_block_size: 8192,
            max_insert_partitions: 100,
            progress: Arc::default(),
            profile: None,
            hook: None,
        }
    }

    #[test]
    fn rows_are_seen_when_they_are_committed() {
        let table = Memory::new(Schema::new(vec![ColumnDef::new("n", DataType::UInt64)]));
        let rows = || table.snapshot().unwrap().row_count();
        let context = context();
        let prepare = || {
            let sink = table.insert(&context).unwrap();
            let mut state = sink.open().unwrap();
            let chunk = Chunk::new(vec![vec![1u64, 2].into()], 2);
            state.push(Morsel { sequence: 0, chunk }).unwrap();
            state.combine().unwrap();
            sink.finalize(&context).unwrap();
            sink
        };
        let sink = prepare();
        assert!(context.memory.used() > 0);
        entasis_table_api::commit(sink.prepared().unwrap()).unwrap();
        assert_eq!((rows(), context.memory.used()), (Some(2), 0));
        // Prepared rows that are dropped leave nothing.
        drop(prepare());
        drop(prepare().prepared().unwrap());
        assert_eq!((rows(), context.memory.used()), (Some(2), 0));
    }
}
