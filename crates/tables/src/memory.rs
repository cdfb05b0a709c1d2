//! The Memory engine, and tables with fixed rows in memory.

mod fetch;
mod insert;
mod low_cardinality;
mod mutation;
mod statistics;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Event, Result, codes, scope};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{
    Addresses, ColumnStatistics, Fetched, InsertSink, Mutation, MutationSpec, ScanColumn, ScanSpec,
    Schema, Snapshot, Table, WorkLock,
};
use entasis_types::DataType;

use self::insert::Insert;
use self::statistics::KnownStatistics;
use crate::raw::{self, RawReader, RawRows};

/// The columns of one version of a table. Stored columns have numbers that are never used twice,
/// so that a column that is dropped and added again does not get its old values back.
#[derive(Debug)]
struct Columns {
    schema: Arc<Schema>,
    /// The number of each stored column.
    ids: Vec<u32>,
    next: u32,
}

impl Columns {
    fn first(schema: Arc<Schema>) -> Arc<Self> {
        let next = schema.stored().len() as u32;
        Arc::new(Self { ids: (0..next).collect(), schema, next })
    }

    /// The type of the stored column with a number.
    fn type_of(&self, id: u32) -> Option<&DataType> {
        let place = self.ids.iter().position(|known| *known == id)?;
        self.schema.stored().get(place).map(|column| &column.ty)
    }

    /// Whether every column that both versions have is of the same type in both.
    fn agrees_with(&self, other: &Self) -> bool {
        self.ids.iter().all(|id| match (self.type_of(*id), other.type_of(*id)) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        })
    }
}

/// Rows, with the columns that the table had when they were inserted.
#[derive(Clone, Debug)]
struct Block {
    columns: Arc<Columns>,
    chunk: Chunk,
}

impl Block {
    /// Some rows of a column of `wanted`. As in the reference, rows that were inserted before the
    /// column was added have the default value of its type, even if the column has a DEFAULT.
    fn column(&self, wanted: &Arc<Columns>, position: usize, start: usize, rows: usize) -> Column {
        let columns = &self.chunk.columns;
        if Arc::ptr_eq(wanted, &self.columns) {
            return columns[position].slice(start, rows);
        }
        let id = wanted.ids.get(position);
        let place = self.columns.ids.iter().position(|known| Some(known) == id);
        match place.and_then(|place| columns.get(place)) {
            Some(column) => column.slice(start, rows),
            None => {
                let ty = &wanted.schema.columns[position].ty;
                Column::from_value(ty, &ty.column_default(), rows).full()
            }
        }
    }
}

type Blocks = Arc<Vec<Block>>;

/// What all handles of a table share. The values of all blocks have the types of `newest`.
#[derive(Debug)]
struct Contents {
    newest: Arc<Columns>,
    blocks: Blocks,
    /// How often all rows were removed.
    truncated: u64,
    /// How many of the oldest blocks were removed because there were too many rows.
    trimmed: usize,
}

/// How many of the oldest rows are removed after an INSERT; 0 means that there is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Rows are never removed down to fewer.
    pub min_rows: u64,
    /// Rows are removed while there are more.
    pub max_rows: u64,
    /// Rows are never removed down to fewer bytes.
    pub min_bytes: u64,
    /// Rows are removed while they take more bytes.
    pub max_bytes: u64,
}

impl Bounds {
    /// Removes the oldest blocks while there are too many rows or bytes, as long as enough stay.
    /// Answers how many.
    fn trim(&self, blocks: &mut Vec<Block>) -> usize {
        if self.max_rows == 0 && self.max_bytes == 0 {
            return 0;
        }
        let size = |block: &Block| (block.chunk.rows as u64, block.chunk.byte_size() as u64);
        let mut rows: u64 = blocks.iter().map(|block| size(block).0).sum();
        let mut bytes: u64 = blocks.iter().map(|block| size(block).1).sum();
        let over = |most: u64, value: u64| most > 0 && value > most;
        let mut removed = 0;
        for block in &*blocks {
            let (of_block, its_bytes) = size(block);
            let is_over = over(self.max_rows, rows) || over(self.max_bytes, bytes);
            if !is_over || rows - of_block < self.min_rows || bytes - its_bytes < self.min_bytes {
                break;
            }
            (rows, bytes, removed) = (rows - of_block, bytes - its_bytes, removed + 1);
        }
        blocks.drain(..removed);
        removed
    }
}

/// A table in memory: a list of chunks. An INSERT leaves the list alone that a reader holds, so
/// that readers keep the list they started with.
#[derive(Debug)]
pub struct Memory {
    columns: Arc<Columns>,
    bounds: Bounds,
    contents: Arc<Mutex<Contents>>,
    /// Held by mutations, so that one of them runs at a time.
    work: Arc<WorkLock>,
    statistics: KnownStatistics,
}

/// A column of an altered table: the position of the column whose values it continues, and the
/// conversion of these values if the type is another one.
#[derive(Default)]
pub struct Continued<'a> {
    /// Position among the stored columns before; `None` for a new column.
    pub from: Option<usize>,
    /// Converts values to the new type. If a value cannot be converted, the table stays as it was.
    pub convert: Option<&'a dyn Fn(Column) -> Result<Column>>,
}

impl Memory {
    /// An empty table.
    pub fn new(schema: Arc<Schema>) -> Arc<Self> {
        Self::bounded(schema, Bounds::default())
    }

    /// An empty table that keeps so many rows.
    pub fn bounded(schema: Arc<Schema>, bounds: Bounds) -> Arc<Self> {
        let columns = Columns::first(schema);
        let (newest, blocks) = (Arc::clone(&columns), Arc::default());
        let contents = Arc::new(Mutex::new(Contents { newest, blocks, truncated: 0, trimmed: 0 }));
        let (work, statistics) = (Arc::default(), Arc::default());
        Arc::new(Self { columns, bounds, contents, work, statistics })
    }

    /// A table with the same rows and other columns; `stored` says whose values the stored columns
    /// of `schema` have. `record` is called when all values are converted, and decides. INSERTs
    /// that began before write the columns of the old schema, or fail if types have changed.
    pub fn altered(
        &self,
        schema: Arc<Schema>,
        stored: &[Continued<'_>],
        record: impl FnOnce() -> Result<()>,
    ) -> Result<Arc<Self>> {
        let mut contents = lock(&self.contents);
        let (mut ids, mut next) = (Vec::new(), contents.newest.next);
        for column in stored {
            let known = column.from.and_then(|from| self.columns.ids.get(from).copied());
            ids.push(known.unwrap_or(next));
            next += u32::from(known.is_none());
        }
        let columns = Arc::new(Columns { schema, ids, next });
        let mut blocks = Arc::clone(&contents.blocks);
        if stored.iter().any(|column| column.convert.is_some()) {
            let converted = blocks.iter().map(|block| convert(block, &columns, stored));
            blocks = Arc::new(converted.collect::<Result<_>>()?);
        }
        record()?;
        (contents.newest, contents.blocks) = (Arc::clone(&columns), blocks);
        let (contents, work) = (Arc::clone(&self.contents), Arc::clone(&self.work));
        let (bounds, statistics) = (self.bounds, Arc::default());
        Ok(Arc::new(Self { columns, bounds, contents, work, statistics }))
    }

    /// The rows, for a reader of this handle's columns.
    fn current(&self) -> Result<Blocks> {
        let contents = lock(&self.contents);
        if !Arc::ptr_eq(&contents.newest, &self.columns)
            && !contents.newest.agrees_with(&self.columns)
        {
            return Err(altered());
        }
        Ok(Arc::clone(&contents.blocks))
    }
}

/// A block whose values have the types of `columns`. Columns that are not there any more are left
/// out, and so are new ones.
fn convert(block: &Block, columns: &Columns, stored: &[Continued<'_>]) -> Result<Block> {
    scope::check()?;
    let (mut ids, mut kept) = (Vec::new(), Vec::new());
    let (mut fields, rows) = (Vec::new(), block.chunk.rows);
    for ((id, column), def) in columns.ids.iter().zip(stored).zip(columns.schema.stored()) {
        let Some(place) = block.columns.ids.iter().position(|known| known == id) else { continue };
        let values = block.chunk.columns[place].clone();
        kept.push(match column.convert {
            Some(convert) => convert(values)?.full(),
            None => values,
        });
        ids.push(*id);
        fields.push(def.clone());
    }
    let columns = Columns { schema: Schema::new(fields), ids, next: columns.next };
    Ok(Block { columns: Arc::new(columns), chunk: Chunk::new(kept, rows) })
}

#[cold]
fn altered() -> Error {
    let message = "The table was altered by another statement: run this one again";
    Error::new(codes::ABORTED, message)
}

impl Table for Memory {
    fn engine(&self) -> &'static str {
        "Memory"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.columns.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (columns, blocks) = (Arc::clone(&self.columns), self.current()?);
        let statistics = Arc::clone(&self.statistics);
        Ok(Arc::new(Rows { engine: "Memory", columns, blocks, statistics }))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        let account = context.memory.child("MemoryInsert", 0);
        let (columns, target) = (Arc::clone(&self.columns), Arc::clone(&self.contents));
        let (new, prepared) = (Arc::default(), Mutex::default());
        let bounds = self.bounds;
        Ok(Arc::new(Insert { columns, bounds, target, new, prepared, account }))
    }

    fn truncate(&self) -> Result<()> {
        let mut contents = lock(&self.contents);
        contents.blocks = Arc::default();
        contents.truncated += 1;
        Ok(())
    }

    fn mutate(&self, _spec: MutationSpec, context: &QueryContext) -> Result<Box<dyn Mutation>> {
        Ok(Box::new(mutation::MemoryMutation::begin(self, context)?))
    }

    fn total_bytes(&self) -> Option<u64> {
        let blocks = Arc::clone(&lock(&self.contents).blocks);
        Some(blocks.iter().map(|b| b.chunk.byte_size() as u64).sum())
    }
}

/// A table with rows that never change.
#[derive(Debug)]
pub struct Fixed {
    engine: &'static str,
    columns: Arc<Columns>,
    blocks: Blocks,
    statistics: KnownStatistics,
}

impl Fixed {
    /// A table with these chunks. Plans show it under the name `engine`.
    pub fn table(engine: &'static str, schema: Arc<Schema>, chunks: Vec<Chunk>) -> Arc<dyn Table> {
        let columns = Columns::first(schema);
        let block = |chunk| Block { columns: Arc::clone(&columns), chunk };
        let blocks = Arc::new(chunks.into_iter().map(block).collect());
        Arc::new(Self { engine, columns, blocks, statistics: Arc::default() })
    }
}

impl Table for Fixed {
    fn engine(&self) -> &str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.columns.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (columns, blocks) = (Arc::clone(&self.columns), Arc::clone(&self.blocks));
        let statistics = Arc::clone(&self.statistics);
        Ok(Arc::new(Rows { engine: self.engine, columns, blocks, statistics }))
    }
}

struct Rows {
    engine: &'static str,
    columns: Arc<Columns>,
    blocks: Blocks,
    statistics: KnownStatistics,
}

impl Snapshot for Rows {
    fn row_count(&self) -> Option<u64> {
        Some(self.blocks.iter().map(|b| b.chunk.rows as u64).sum())
    }

    fn column_statistics(&self, position: usize) -> Option<Arc<ColumnStatistics>> {
        statistics::statistics_of(&self.statistics, &self.columns, &self.blocks, position)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        context.progress.add_total(self.row_count().unwrap_or(0));
        let rows = RawChunks {
            engine: self.engine,
            columns: Arc::clone(&self.columns),
            blocks: Arc::clone(&self.blocks),
            next: Arc::default(),
        };
        raw::scan(Arc::new(rows), spec, context)
    }

    fn addresses(&self, _spec: &ScanSpec) -> Option<Addresses> {
        Some(fetch::addresses(&self.columns))
    }

    fn fetch(
        &self,
        columns: &[ScanColumn],
        addresses: &[u64],
        _context: &QueryContext,
    ) -> Result<Fetched> {
        fetch::rows(&self.columns, &self.blocks, columns, addresses)
    }
}

struct RawChunks {
    engine: &'static str,
    columns: Arc<Columns>,
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
            table: Arc::clone(&self.columns),
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
    table: Arc<Columns>,
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
        let column = |&at: &usize| match at == self.table.schema.columns.len() {
            true => crate::changed::addresses(index, start, rows),
            false => block.column(&self.table, at, start, rows),
        };
        let columns = self.columns.iter().map(column).collect();
        Ok(Some(Morsel { sequence: index as u64, chunk: Chunk::new(columns, rows) }))
    }
}

#[cfg(test)]
mod tests {
    use entasis_base::events::Counters;
    use entasis_base::{CancelToken, MemoryAccount};
    use entasis_table_api::ColumnDef;

    use super::*;

    fn context() -> QueryContext {
        QueryContext {
            events: Counters::start("test", ""),
            cancel: CancelToken::new(),
            memory: MemoryAccount::root("test", 0),
            max_threads: 1,
            max_block_size: 8192,
            fold_inserts: true,
            derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
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
