//! MergeTree tables: immutable sorted parts as segment files, one commit log per store, inserts,
//! scans that skip what cannot match, merges.
//!
//! Roles, from the disk up: [`segment`] is the file of a part; [`log`] says which parts exist;
//! [`store`] is a directory of both; [`table`] is what the engine sees (the contract of
//! `entasis-table`). An INSERT ([`insert`]) sorts blocks of rows into segments and commits them by
//! one record; a scan ([`scan`]) pins a version, leaves out granules by key, bounds and runtime
//! filters ([`prune`]), and reads column by column what the conjuncts leave; merges ([`merge`])
//! make few large parts of many small ones. A table's [`schema`] has versions, and [`fill`] says
//! where the columns come from that an older part lacks.
//!
//! The formats are described byte by byte in `docs/format/`. Absent on purpose: SQL, definitions'
//! meaning (kept as text), other table engines.
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
pub use log::record::{Op, PartSummary, TableId, TableRecord};
pub use merge::at_work::MergeAtWork;
pub use merge::fold::{Folded, Merging, Pick};
pub use repair::{RepairOptions, repair};
pub use store::{Committed, Store, StoreOptions};
pub use table::{ColumnSize, MergeTreeTable};

#[cfg(test)]
mod tests;
