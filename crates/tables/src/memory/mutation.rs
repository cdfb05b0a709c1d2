//! ALTER TABLE ... UPDATE and DELETE of a Memory table: blocks with changed rows are replaced.
//!
//! Invariant: a mutation replaces the blocks that were there when it began. Blocks that INSERTs
//! have added meanwhile stay as they are.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Reservation, Result};
use entasis_column::{Chunk, Column};
use entasis_pipeline::QueryContext;
use entasis_table_api::{
    ADDRESS, ColumnDef, HeldWork, Mutation, Rewrite, Schema, Snapshot, Table, WorkLock,
};
use entasis_types::DataType;

use super::{Block, Blocks, Columns, Contents, Memory, Rows, altered};
use crate::changed::{by_block, new_values, with_values, without};

/// A mutation that has begun.
pub(super) struct MemoryMutation {
    columns: Arc<Columns>,
    contents: Arc<Mutex<Contents>>,
    /// How many blocks the table had, how often it had been truncated, and how many blocks had been
    /// trimmed, when this began.
    before: (usize, u64, usize),
    /// These blocks with all changes so far. A block without rows keeps its place.
    blocks: Blocks,
    /// Covers the changed blocks.
    held: Reservation,
    _lock: HeldWork,
}

impl MemoryMutation {
    pub(super) fn begin(table: &Memory, context: &QueryContext) -> Result<Self> {
        let lock_of_table = WorkLock::hold(&table.work, &mut || context.cancel.check())?;
        let blocks = table.current()?;
        let (truncated, trimmed) = {
            let contents = lock(&table.contents);
            (contents.truncated, contents.trimmed)
        };
        let before = (blocks.len(), truncated, trimmed);
        let held = Reservation::new(&context.memory);
        let (columns, contents) = (Arc::clone(&table.columns), Arc::clone(&table.contents));
        Ok(Self { columns, contents, before, blocks, held, _lock: lock_of_table })
    }

    /// Replaces a block by what `change` makes of its columns.
    fn replace(&mut self, at: usize, change: impl FnOnce(Vec<Column>) -> Chunk) -> Result<()> {
        let old = self.blocks.get(at).ok_or_else(unknown)?;
        let rows = old.chunk.rows;
        let columns = 0..self.columns.schema.stored().len();
        let columns = columns.map(|position| old.column(&self.columns, position, 0, rows));
        let chunk = change(columns.collect());
        self.held.set(self.held.bytes() + chunk.byte_size())?;
        let columns = Arc::clone(&self.columns);
        Arc::make_mut(&mut self.blocks)[at] = Block { columns, chunk };
        Ok(())
    }
}

#[cold]
fn unknown() -> Error {
    Error::logical("A mutation changes rows of an unknown block")
}

impl Mutation for MemoryMutation {
    fn rows(&mut self, _partition: Option<&str>) -> Arc<dyn Table> {
        let mut columns = self.columns.schema.columns.clone();
        columns.push(ColumnDef::virtual_column(ADDRESS, DataType::UInt64));
        Arc::new(Offered {
            schema: Schema::new(columns),
            of_table: Arc::clone(&self.columns),
            blocks: Arc::clone(&self.blocks),
        })
    }

    fn delete(&mut self, rows: Vec<Chunk>, context: &QueryContext) -> Result<()> {
        for (block, rows) in by_block(&rows)? {
            context.cancel.check()?;
            self.replace(block, |columns| without(&columns, &rows))?;
        }
        Ok(())
    }

    fn update(
        &mut self,
        columns: &[usize],
        rows: Vec<Chunk>,
        context: &QueryContext,
    ) -> Result<()> {
        let values = new_values(&rows, columns.len());
        for (block, rows) in by_block(&rows)? {
            context.cancel.check()?;
            self.replace(block, |all| with_values(all, columns, &values, &rows))?;
        }
        Ok(())
    }

    fn materialize(
        &mut self,
        _column: usize,
        _partition: Option<&str>,
        _context: &QueryContext,
    ) -> Result<()> {
        Err(Error::not_implemented("MATERIALIZE COLUMN of a Memory table"))
    }

    fn rewrite(&mut self, _which: Rewrite, _partition: Option<&str>) {}

    fn commit(self: Box<Self>) -> Result<()> {
        let (count, truncated, trimmed) = self.before;
        let mut current = lock(&self.contents);
        if !current.newest.agrees_with(&self.columns) {
            return Err(altered());
        }
        // Rows that were removed meanwhile need no change any more.
        if current.truncated == truncated {
            let gone = current.trimmed - trimmed;
            let inserted = current.blocks.get(count.saturating_sub(gone)..).unwrap_or_default();
            let kept = self.blocks.iter().skip(gone).filter(|block| block.chunk.rows > 0);
            let new = kept.chain(inserted).cloned().collect();
            current.blocks = Arc::new(new);
        }
        Ok(())
    }
}

/// The rows that a mutation may change, with their addresses.
struct Offered {
    schema: Arc<Schema>,
    of_table: Arc<Columns>,
    blocks: Blocks,
}

impl Table for Offered {
    fn engine(&self) -> &'static str {
        "Memory"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (columns, blocks) = (Arc::clone(&self.of_table), Arc::clone(&self.blocks));
        Ok(Arc::new(Rows { engine: "Memory", columns, blocks, statistics: Arc::default() }))
    }
}
