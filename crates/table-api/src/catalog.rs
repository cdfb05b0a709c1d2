//! Tables, and the catalog that finds them.

use std::any::Any;
use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_pipeline::QueryContext;
use entasis_types::Value;

use crate::{InsertSink, PinnedStores, Schema, Snapshot};

/// A table's full name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableName {
    /// The database.
    pub database: Arc<str>,
    /// The table's name within the database.
    pub table: Arc<str>,
}

/// Anything that can be read or written by name.
pub trait Table: Any + Send + Sync {
    /// The engine's name, such as `MergeTree`, `Memory` or `SystemNumbers`.
    fn engine(&self) -> &str;

    /// The columns of the current version. Cheap, as it returns a shared pointer.
    fn schema(&self) -> Arc<Schema>;

    /// Pins the current version of the table.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// As [`Self::snapshot`], but in the state of the table's store that the query has pinned. A
    /// table that was created after that state is returned in its current state.
    fn snapshot_in(&self, _pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        self.snapshot()
    }

    /// A sink for an INSERT. Its chunks hold all stored columns in schema order. The rows become
    /// visible and durable together when [`crate::commit`] commits what the sink has prepared; if
    /// that is dropped before, nothing is kept.
    fn insert(&self, _context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        Err(Error::not_implemented(format!("INSERT into a {} table", self.engine())))
    }

    /// As [`Self::insert`], for rows that the client may send again: a table that remembers its
    /// INSERTs stores them only once. Other tables store them every time.
    fn insert_once(&self, context: &QueryContext, _by: Repeats) -> Result<Arc<dyn InsertSink>> {
        self.insert(context)
    }

    /// Removes all rows.
    fn truncate(&self) -> Result<()> {
        Err(Error::not_implemented(format!("TRUNCATE of a {} table", self.engine())))
    }

    /// Merges some parts that are worth merging, or with `all` every partition into one part.
    fn optimize(&self, _all: bool, _context: &QueryContext) -> Result<()> {
        Err(Error::not_implemented(format!("OPTIMIZE of a {} table", self.engine())))
    }

    /// Whether rows with equal keys can be merged while reading (FINAL). Other tables refuse FINAL.
    fn supports_final(&self) -> bool {
        false
    }

    /// Stored bytes, for system tables; `None` if unknown.
    fn total_bytes(&self) -> Option<u64> {
        None
    }
}

/// How an INSERT that is sent again is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// It is not: every INSERT is stored.
    #[default]
    Stored,
    /// By its rows, if the table is set to compare them.
    ByContent,
    /// By the token that the client gives it.
    ByToken(String),
}

impl Repeats {
    /// How a dependent table recognises the same INSERT: only by its token. Equal rows in a
    /// dependent table may have been computed from different rows.
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
    /// The table `database.table`; without a database, in the current one. Fails with UNKNOWN_TABLE
    /// or UNKNOWN_DATABASE, with similar names as a hint.
    fn table(&self, database: Option<&str>, table: &str) -> Result<Arc<dyn Table>>;

    /// The names of a database's tables, sorted. Fails with UNKNOWN_DATABASE.
    fn table_names(&self, database: &str) -> Result<Vec<String>> {
        Err(Error::not_implemented(format!("A list of the tables of {database}")))
    }

    /// Reports which columns of a table a query reads. The name includes the database.
    fn reads(&self, _table: &str, _columns: &mut dyn Iterator<Item = &str>) {}

    /// The output lines of an EXPLAIN statement, given as text, as a table.
    fn explain(&self, _statement: &str) -> Result<Arc<dyn Table>> {
        Err(Error::not_implemented("EXPLAIN in FROM"))
    }

    /// The table that a table function with constant arguments stands for.
    fn table_function(&self, name: &str, args: &[Value]) -> Result<Arc<dyn Table>>;
}
