//! Tables, and the catalog that finds them.

use std::any::Any;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_pipeline::QueryContext;
use entasis_types::Value;

use crate::{InsertSink, Mutation, MutationSpec, PinnedStores, Role, Schema, Snapshot};

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

    /// Begins a change of rows that the table has. Fails with NOT_IMPLEMENTED for tables whose rows
    /// cannot be changed.
    fn mutate(&self, _spec: MutationSpec, _context: &QueryContext) -> Result<Box<dyn Mutation>> {
        let engine = self.engine();
        Err(Error::new(
            codes::NOT_IMPLEMENTED,
            format!("Mutations are not supported by storage {engine}"),
        ))
    }

    /// Merges some parts that are worth merging, or with `all` every partition into one part.
    fn optimize(&self, all: bool, context: &QueryContext) -> Result<()> {
        self.merge(&MergeRequest { all, ..MergeRequest::default() }, context)
    }

    /// Merges parts as a request says.
    fn merge(&self, _request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        Err(Error::not_implemented(format!("OPTIMIZE of a {} table", self.engine())))
    }

    /// The id of the partition whose key has these values, one per element of the key.
    fn partition_id(&self, _values: &[Value]) -> Result<String> {
        Err(Error::not_implemented(format!("Partitions of a {} table", self.engine())))
    }

    /// Whether a scan is planned and begins within microseconds, without waiting for a file, for
    /// another server or for a query. Then its source knows whether it is short.
    fn opens_at_once(&self) -> bool {
        false
    }

    /// Whether rows with equal keys can be merged while reading (FINAL). Other tables refuse FINAL.
    fn supports_final(&self) -> bool {
        false
    }

    /// The key by which a share of the rows can be chosen (SAMPLE): an unsigned number over columns
    /// of the schema, whose ids are their positions. Tables without one refuse SAMPLE.
    fn sampling_key(&self) -> Option<&Expr> {
        None
    }

    /// What the table is for, besides holding rows.
    fn role(&self) -> Role<'_> {
        Role::Rows
    }

    /// Called when the table is dropped or the program ends: the last chance to pass on rows that
    /// are only in memory.
    fn close(&self) -> Result<()> {
        Ok(())
    }

    /// Stored bytes, for system tables; `None` if unknown.
    fn total_bytes(&self) -> Option<u64> {
        None
    }
}

/// What OPTIMIZE TABLE merges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeRequest {
    /// Whether every partition becomes one part, and not only parts that are worth merging.
    pub all: bool,
    /// The id of the only partition that is merged; `None` for all of them.
    pub partition: Option<String>,
    /// Positions of the columns in which no two rows are to be alike afterwards; `None` keeps all
    /// rows.
    pub distinct: Option<Vec<usize>>,
    /// Whether rows that are marked as deleted disappear for good.
    pub cleanup: bool,
    /// The names of the parts that are merged without effect, to see whether that works; `None`
    /// for a request that is carried out.
    pub rehearsed: Option<Vec<String>>,
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

/// Finds tables by their full names, for tables that pass rows on to others.
pub trait FindTable: Send + Sync {
    /// The table `database.table` as it is now.
    fn find_table(&self, database: &str, table: &str) -> Result<Arc<dyn Table>>;
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

    /// The names of all databases, sorted.
    fn database_names(&self) -> Result<Vec<String>> {
        Err(Error::not_implemented("A list of the databases"))
    }

    /// A table that answers the rows of `table` again and again, without an end.
    fn looped(&self, _table: Arc<dyn Table>) -> Result<Arc<dyn Table>> {
        Err(Error::not_implemented("Table function loop"))
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
