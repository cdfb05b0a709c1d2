//! Tables and how they are found.

use std::any::Any;
use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_pipeline::QueryContext;
use entasis_types::Value;

use crate::{InsertSink, PinnedStores, Schema, Snapshot};

/// A table's full name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableName {
    /// Database.
    pub database: Arc<str>,
    /// Table.
    pub table: Arc<str>,
}

/// Anything that can be read or written by name.
pub trait Table: Any + Send + Sync {
    /// The engine's name: `MergeTree`, `Memory`, `SystemNumbers`.
    fn engine(&self) -> &str;

    /// The columns of the current version. Cheap: a shared pointer.
    fn schema(&self) -> Arc<Schema>;

    /// Pins the current version.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// As [`Self::snapshot`], of the state of its store that a query has pinned. A table that came
    /// later is answered as it is now.
    fn snapshot_in(&self, _pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        self.snapshot()
    }

    /// A sink for an INSERT: chunks hold all stored columns in schema order. The rows become
    /// visible and durable together when what the sink has prepared is committed
    /// ([`crate::commit`]); nothing is kept if it is dropped before.
    fn insert(&self, _context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        Err(Error::not_implemented(format!("INSERT into a {} table", self.engine())))
    }

    /// As [`Self::insert`], for rows that may be sent again: a table that remembers its INSERTs
    /// stores them once. Others store them.
    fn insert_once(&self, context: &QueryContext, _by: Repeats) -> Result<Arc<dyn InsertSink>> {
        self.insert(context)
    }

    /// Removes all rows.
    fn truncate(&self) -> Result<()> {
        Err(Error::not_implemented(format!("TRUNCATE of a {} table", self.engine())))
    }

    /// Merges parts: as far as useful, or into one per partition with `all`.
    fn optimize(&self, _all: bool, _context: &QueryContext) -> Result<()> {
        Err(Error::not_implemented(format!("OPTIMIZE of a {} table", self.engine())))
    }

    /// Whether rows of equal keys can be merged while reading: FINAL. Others refuse it.
    fn supports_final(&self) -> bool {
        false
    }

    /// Bytes stored, if known: for system tables.
    fn total_bytes(&self) -> Option<u64> {
        None
    }
}

/// By what an INSERT that is sent again is known to be the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// Every INSERT is another one.
    #[default]
    Stored,
    /// By its rows, where the table is set to look at them.
    ByContent,
    /// By what the client calls it.
    ByToken(String),
}

impl Repeats {
    /// How a table that depends on the one of the INSERT knows it: by its token only. Equal rows
    /// in a dependent table may have been computed from different rows.
    #[must_use]
    pub fn of_dependent(&self) -> Self {
        match self {
            Self::ByToken(token) => Self::ByToken(token.clone()),
            Self::Stored | Self::ByContent => Self::Stored,
        }
    }
}

/// Finds tables and table functions. Implemented by `engine`.
pub trait Catalog: Send + Sync {
    /// The table `database.table`, or in the current database. Fails with UNKNOWN_TABLE or
    /// UNKNOWN_DATABASE, with near names as a hint.
    fn table(&self, database: Option<&str>, table: &str) -> Result<Arc<dyn Table>>;

    /// Names of a database's tables, sorted. Fails with UNKNOWN_DATABASE.
    fn table_names(&self, database: &str) -> Result<Vec<String>> {
        Err(Error::not_implemented(format!("A list of the tables of {database}")))
    }

    /// Told of the columns that a query reads of a table, which is named with its database.
    fn reads(&self, _table: &str, _columns: &mut dyn Iterator<Item = &str>) {}

    /// The lines of an EXPLAIN, which is given as text, as a table.
    fn explain(&self, _statement: &str) -> Result<Arc<dyn Table>> {
        Err(Error::not_implemented("EXPLAIN in FROM"))
    }

    /// The table that a table function with constant arguments stands for.
    fn table_function(&self, name: &str, args: &[Value]) -> Result<Arc<dyn Table>>;
}
