//! What a table is besides a list of rows: the right side of a JOIN, a set for IN, or a name for
//! the rows of other tables. The analyser asks for it where it meets the table.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_pipeline::{QueryContext, Source};

use crate::{ScanSpec, Snapshot};

/// What a table is for.
pub enum Role<'a> {
    /// It is read and written like any table.
    Rows,
    /// A set for the right side of IN. FROM refuses it.
    Set,
    /// The right side of joins of one kind.
    Join(&'a JoinShape),
    /// Its rows are those of other tables.
    Over(&'a Over),
}

/// The joins for which a table is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinShape {
    /// `ANY`, `ALL`, `SEMI` or `ANTI`.
    pub strictness: &'static str,
    /// `LEFT`, `INNER`, `RIGHT` or `FULL`.
    pub kind: &'static str,
    /// Names of the key columns.
    pub keys: Vec<Arc<str>>,
    /// Whether values without a partner are NULL (`join_use_nulls`).
    pub use_nulls: bool,
}

/// The tables whose rows a table answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Over {
    /// Their databases.
    pub databases: Names,
    /// Their names.
    pub tables: Names,
    /// Whether the table holds rows of its own besides them.
    pub has_own_rows: bool,
    /// Whether a table that does not exist is an error. If not, it has no rows.
    pub must_exist: bool,
    /// Whether rows have the virtual columns `_database` and `_table`.
    pub names_rows: bool,
    /// Whether rows have the virtual column `_shard_num`, which is 1 on this one machine.
    pub numbers_shards: bool,
}

/// One name, or all that match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// This name; empty for the current database.
    Exactly(String),
    /// Names in which this regular expression is found.
    Matching(String),
}

/// The snapshot of a set in FROM: its rows can be counted, but not read.
pub struct Unreadable {
    inner: Arc<dyn Snapshot>,
    engine: String,
}

impl Unreadable {
    /// The snapshot of a table of this engine.
    pub fn wrap(inner: &Arc<dyn Snapshot>, engine: &str) -> Arc<dyn Snapshot> {
        Arc::new(Self { inner: Arc::clone(inner), engine: engine.to_owned() })
    }
}

impl Snapshot for Unreadable {
    fn row_count(&self) -> Option<u64> {
        self.inner.row_count()
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        if spec.columns.is_empty() {
            // Only the number of rows is wanted.
            return self.inner.scan(spec, context);
        }
        let message = format!(
            "Method read is not supported by storage {}: use it on the right side of IN",
            self.engine
        );
        Err(Error::new(codes::NOT_IMPLEMENTED, message))
    }
}
