//! ALTER TABLE ... UPDATE and DELETE of a keyed table: all rows are written anew.
//!
//! A mutation changes the rows that were there when it began. It fails if they have changed when it
//! ends.

use std::sync::Arc;

use entasis_base::{Error, Reservation, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_pipeline::QueryContext;
use entasis_table_api::{ADDRESS, ColumnDef, Mutation, Rewrite, Schema, Table};
use entasis_types::DataType;

use super::{Block, Shared};
use crate::changed::{addresses, by_block, new_values, with_values, without};
use crate::memory::Fixed;

/// A mutation that has begun.
pub(super) struct KeyedMutation {
    shared: Arc<Shared>,
    /// The version of the rows when this began.
    version: u64,
    /// The rows with all changes so far.
    chunks: Vec<Chunk>,
    /// Covers the changed rows.
    held: Reservation,
}

impl KeyedMutation {
    pub(super) fn begin(shared: &Arc<Shared>, context: &QueryContext) -> Self {
        let (blocks, version) = {
            let rows = shared.read();
            (Arc::clone(&rows.blocks), rows.version)
        };
        let chunks = blocks.iter().map(Block::live).collect();
        let held = Reservation::new(&context.memory);
        Self { shared: Arc::clone(shared), version, chunks, held }
    }

    fn replace(&mut self, at: usize, change: impl FnOnce(Vec<Column>) -> Chunk) -> Result<()> {
        let missing = || Error::logical("A mutation changes rows of an unknown block");
        let chunk = self.chunks.get_mut(at).ok_or_else(missing)?;
        *chunk = change(std::mem::take(&mut chunk.columns));
        let bytes = chunk.byte_size();
        self.held.set(self.held.bytes() + bytes)
    }
}

impl Mutation for KeyedMutation {
    fn rows(&mut self, _partition: Option<&str>) -> Arc<dyn Table> {
        let schema = &self.shared.schema;
        let mut columns = schema.columns.clone();
        columns.push(ColumnDef::virtual_column(ADDRESS, DataType::UInt64));
        // Columns that are not stored stand behind those that are, and are computed by queries.
        let computed = &schema.columns[schema.stored().len()..];
        let offered = |(block, chunk): (usize, &Chunk)| {
            let mut columns = chunk.columns.clone();
            columns.extend(computed.iter().map(|c| Column::default_of(&c.ty, chunk.rows)));
            columns.push(addresses(block, 0, chunk.rows));
            Chunk::new(columns, chunk.rows)
        };
        let chunks = self.chunks.iter().enumerate().map(offered);
        let chunks = chunks.filter(|chunk| chunk.rows > 0).collect();
        Fixed::table(self.shared.options.engine, Schema::new(columns), chunks)
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
        let message = format!("MATERIALIZE COLUMN of a table {}", self.shared.options.engine);
        Err(Error::not_implemented(message))
    }

    fn rewrite(&mut self, _which: Rewrite, _partition: Option<&str>) {}

    fn commit(self: Box<Self>) -> Result<()> {
        let Self { shared, version, chunks, .. } = *self;
        shared.change(|this| {
            if this.read().version != version {
                let message = "The table was changed meanwhile: run the statement again";
                return Err(Error::new(codes::ABORTED, message));
            }
            this.replace(chunks.into_iter().filter(|chunk| chunk.rows > 0).collect())
        })
    }
}
