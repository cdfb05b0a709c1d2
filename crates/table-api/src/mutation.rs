//! Mutations: changes of rows that a table already has.
//!
//! The engine asks a table for a [`Mutation`], runs queries over [`Mutation::rows`] that answer the
//! addresses of the rows to change with their new values, and hands these over. Nothing is visible
//! before [`Mutation::commit`], which makes all changes visible and durable at once. A mutation
//! that is dropped changes nothing.
//!
//! A mutation applies to the rows that were visible when it began. Each of its changes applies to
//! what the changes before it have left.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::Chunk;
use entasis_pipeline::QueryContext;

use crate::Table;

/// The name of the column of [`Mutation::rows`] that holds the addresses of rows. It stands behind
/// all columns of the table and has the type UInt64.
pub const ADDRESS: &str = "\u{1}address";

/// Which parts are rewritten without any change of what they show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Those with deleted rows.
    Deleted,
    /// Those with values of single rows that an UPDATE has written beside them.
    Patched,
    /// All.
    All,
}

/// What a statement says about a mutation before it begins.
#[derive(Clone, Debug, Default)]
pub struct MutationSpec {
    /// Whether the change should cost little, even if rows are then read more slowly until the next
    /// merge: DELETE FROM and UPDATE, as opposed to ALTER TABLE.
    pub light: bool,
    /// The ids of the partitions whose rows are changed; `None` for all.
    pub partitions: Option<Vec<String>>,
    /// The formatted commands, for lists of mutations.
    pub commands: Vec<String>,
}

/// A mutation that has begun.
pub trait Mutation {
    /// The rows that the next change may concern, all or those of a partition: the table's columns
    /// and [`ADDRESS`]. Addresses are valid until the next change.
    fn rows(&mut self, partition: Option<&str>) -> Arc<dyn Table>;

    /// Removes rows: the chunks hold their addresses.
    fn delete(&mut self, rows: Vec<Chunk>, context: &QueryContext) -> Result<()>;

    /// Gives rows new values: the chunks hold their addresses, followed by the values of the stored
    /// columns at these positions of the schema.
    fn update(&mut self, columns: &[usize], rows: Vec<Chunk>, context: &QueryContext)
    -> Result<()>;

    /// Stores the values of a column where older rows, all or those of a partition, have only its
    /// default.
    fn materialize(
        &mut self,
        column: usize,
        partition: Option<&str>,
        context: &QueryContext,
    ) -> Result<()>;

    /// Builds a skipping index of what is stored, all or in a partition, where it is missing.
    fn build_index(
        &mut self,
        _name: &str,
        _partition: Option<&str>,
        _context: &QueryContext,
    ) -> Result<()> {
        Ok(())
    }

    /// Drops what was built of a skipping index, all or in a partition.
    fn clear_index(&mut self, _name: &str, _partition: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// Computes a projection for the rows, all or those of a partition, that have none yet. A name
    /// that is not known has no effect.
    fn materialize_projection(&mut self, _name: &str, _partition: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// Removes what is kept of a projection, of all rows or of those of a partition.
    fn clear_projection(&mut self, _name: &str, _partition: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// Rewrites parts, of all partitions or of one, once the mutation is committed, so that what
    /// was deleted or replaced in them takes no space any more.
    fn rewrite(&mut self, which: Rewrite, partition: Option<&str>);

    /// Applies the rules of the table's TTL to all rows, or to those of a partition, once the
    /// mutation is committed.
    fn materialize_ttl(&mut self, _partition: Option<&str>) {}

    /// Makes all changes visible and durable.
    fn commit(self: Box<Self>) -> Result<()>;
}
