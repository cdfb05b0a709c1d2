//! The contract between a query and everything that can be read or written: tables, snapshots, scan
//! specifications, and the catalog.
//!
//! Memory, MergeTree, files and system tables implement the same traits.
#![forbid(unsafe_code)]

pub mod catalog;
pub mod fan_out;
pub mod insert;
pub mod pinned;
pub mod scan;
pub mod schema;

pub use catalog::{Catalog, Repeats, Table, TableName};
pub use fan_out::{Dependent, FanOut};
pub use insert::{InsertSink, Outcome, Prepared, StoredRows, commit, insert_chunks};
pub use pinned::PinnedStores;
pub use scan::{RuntimeFilter, ScanColumn, ScanSpec, Snapshot};
pub use schema::{ColumnDef, DefaultKind, Schema};
