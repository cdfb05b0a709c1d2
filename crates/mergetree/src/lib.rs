//! MergeTree tables: immutable sorted parts stored as segment files, one commit log per store,
//! inserts, scans that skip granules which cannot match, and merges.
//!
//! Roles, from the disk up: [`segment`] is the file of a part; [`log`] records which parts exist;
//! [`store`] is a directory of both; [`table`] implements the contract of `entasis-table-api` for
//! the engine. An INSERT ([`insert`]) sorts blocks of rows into segments and commits them with one
//! record. A scan ([`scan`]) pins a version, skips granules by key, bounds and runtime filters
//! ([`prune`]), and reads column by column the rows that the conjuncts leave. Merges ([`merge`])
//! turn many small parts into few large ones. A table's [`schema`] has versions, and [`fill`]
//! supplies the columns that an older part lacks.
//!
//! The formats are described byte by byte in `docs/format/`. This crate knows no SQL: it keeps
//! definitions as text and does not interpret them. It also knows no other table engines.
#![forbid(unsafe_code)]

mod background;
mod bytes;
mod check;
mod codecs;
mod column_ids;
mod config;
mod faults;
mod fill;
mod granules;
mod insert;
mod interleave;
mod log;
mod lost;
mod merge;
mod orphans;
mod own_data;
mod part;
mod partition;
mod place;
mod prepared;
mod prune;
mod repair;
mod repeats;
mod scan;
mod schema;
mod segment;
mod sort;
mod store;
mod table;
mod version;

pub use check::{CheckReport, Finding, check};
pub use codecs::parse_codec;
pub use column_ids::ColumnIds;
pub use config::{BindDefaults, TableConfig, TableSettings};
pub use fill::MAX_DEFAULT_DEPTH;
pub use log::record::{DefinitionText, Op, PartSummary, TableId, TableRecord};
pub use merge::at_work::MergeAtWork;
pub use merge::fold::{AggregatedColumn, KeptRow, MergeAlgorithm};
pub use own_data::{OwnData, OwnRepair, OwnReport};
pub use repair::{RepairOptions, repair};
pub use store::{Committed, Store, StoreOptions};
pub use table::{ColumnSize, MergeTreeTable};

#[cfg(test)]
mod tests;
