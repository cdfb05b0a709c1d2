//! The contract between a query and anything that can be read or written: tables, snapshots, scan
//! specifications, the catalog.
//!
//! Memory, MergeTree, files and system tables are equal citizens of these traits.
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
