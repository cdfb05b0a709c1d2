//! The contract between a query and everything that can be read or written: tables, snapshots, scan
//! specifications, and the catalog.
//!
//! Memory, MergeTree, files and system tables implement the same traits.
#![forbid(unsafe_code)]

pub mod by_address;
pub mod catalog;
pub mod fan_out;
pub mod index_report;
pub mod insert;
pub mod kept;
pub mod key_filter;
pub mod mutation;
pub mod pinned;
pub mod projection;
pub mod role;
pub mod scan;
pub mod schema;
pub mod search;
pub mod statistics;
mod work_lock;

pub use by_address::{Addresses, Fetched};
pub use catalog::{Catalog, FindTable, MergeRequest, Repeats, Table, TableName};
pub use fan_out::{Dependent, FanOut};
pub use index_report::{IndexReport, IndexStep};
pub use insert::{InsertSink, Outcome, Prepared, StoredRows, commit, insert_chunks};
pub use kept::{Kept, kept_now, limit_kept};
pub use key_filter::KeyFilter;
pub use mutation::{ADDRESS, Mutation, MutationSpec, Rewrite};
pub use pinned::PinnedStores;
pub use projection::{
    Projected, ProjectedState, ProjectionQuery, ProjectionSnapshot, ReadEstimate,
};
pub use role::{JoinShape, Names, Over, Role};
pub use scan::{Looked, RuntimeFilter, ScanColumn, ScanSpec, SkipIndices, Snapshot};
pub use schema::{ColumnDef, DefaultKind, Schema};
pub use search::{PrepareText, SearchedText};
pub use statistics::{ColumnStatistics, CommonValue, DistinctSketch, Histogram};
pub use work_lock::{HeldWork, WorkLock};
