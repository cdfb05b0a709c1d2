//! MergeTree tables: immutable sorted parts stored as segment files, one commit log per store,
//! inserts, scans that skip granules which cannot match, and merges.
//!
//! Roles, from the disk up: [`segment`] is the file of a part; [`log`] records which parts exist;
//! [`store`] is a directory of both; [`table`] implements the contract of `entasis-table-api` for
//! the engine. An INSERT ([`insert`]) sorts blocks of rows into segments and commits them with one
//! record. A scan ([`scan`]) pins a version, skips granules by key, bounds and runtime filters
//! ([`prune`]), and reads column by column the rows that the conjuncts leave. Merges ([`merge`])
//! turn many small parts into few large ones. Skipping indices ([`index`]) are files beside a part.
//! A table's [`schema`] has versions, and [`fill`] supplies the columns that an older part lacks.
//!
//! The formats are described byte by byte in `docs/format/`. This crate knows no SQL: it keeps
//! definitions as text and does not interpret them. It also knows no other table engines.
#![forbid(unsafe_code)]

mod alter;
mod background;
mod backup;
mod bytes;
mod check;
mod codecs;
mod column_ids;
mod config;
mod expiry;
mod faults;
mod fill;
mod granules;
mod in_memory;
pub mod index;
mod insert;
mod interleave;
mod layers;
mod log;
mod lookup;
mod lost;
mod marks;
mod merge;
mod mutate;
mod orphans;
mod own_data;
mod part;
mod part_columns;
mod partition;
mod partition_commands;
mod place;
mod prepared;
mod projection;
mod prune;
mod repair;
mod repeats;
mod scan;
mod schema;
mod segment;
mod small_rows;
mod sort;
mod statistics;
mod store;
mod table;
pub mod text;
mod version;

pub use backup::{PinnedParts, RestoredParts, columns_of_backup};
pub use check::{CheckReport, Finding, check};
pub use codecs::{
    AllowedCodecs, CODECS, CodecDef, CodecEffect, check_codec, parse_codec, parse_default_codec,
};
pub use column_ids::ColumnIds;
pub use config::{AfterChange, BindDefaults, TableConfig, TableSettings};
pub use expiry::spans::{Span, Spans};
pub use expiry::{
    Expiry, GroupAggregate, GroupExpiry, GroupValue, MoveRule, Recompression, RowExpiry,
};
pub use fill::MAX_DEFAULT_DEPTH;
pub use log::record::{
    Companion, CompanionKind, Content, DefinitionText, MutationRecord, Op, Overlay, OverlayKind,
    PartSummary, TableId, TableRecord,
};
pub use lookup::IndexSize;
pub use marks::PartMarks;
pub use merge::at_work::{MergeAtWork, MergeReason};
pub use merge::fold::{AggregatedColumn, ColumnGroup, KeptRow, MergeAlgorithm, TakenRow};
pub use merge::graphite::{Graphite, GraphiteRule, RollupFunction};
pub use mutate::at_work::MutationAtWork;
pub use own_data::{OwnData, OwnRepair, OwnReport};
pub use part_columns::{PARTITION_VALUE, virtual_columns};
pub use partition_commands::{PartitionCommand, PartsOf, SHADOW};
pub use projection::{ProjectionConfig, ProjectionPart};
pub use repair::{RepairOptions, repair};
pub use statistics::ColumnSize;
pub use store::figures::PartFigures;
pub use store::{Committed, Store, StoreOptions};
pub use table::MergeTreeTable;

#[cfg(test)]
mod tests;
