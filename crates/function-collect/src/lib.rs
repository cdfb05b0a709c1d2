//! Aggregates whose states keep values or sketches of them: distinct counts, lists, the most
//! frequent values.
#![forbid(unsafe_code)]

use entasis_function::AggregateDef;

pub mod bitmap;
pub mod entropy;
pub mod group_array;
pub mod group_concat;
pub mod group_sorted;
pub mod group_uniq;
mod group_uniq_bytes;
pub mod heavy;
pub mod hyperloglog;
pub mod insert_at;
pub mod sets;
pub mod top;
pub mod uniq;
pub mod uniq_exact;
pub mod uniq_sketch;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[AggregateDef]] = &[
    uniq::AGGREGATES,
    uniq_exact::AGGREGATES,
    uniq_sketch::AGGREGATES,
    group_array::AGGREGATES,
    group_sorted::AGGREGATES,
    group_concat::AGGREGATES,
    insert_at::AGGREGATES,
    top::AGGREGATES,
    heavy::AGGREGATES,
    entropy::AGGREGATES,
    bitmap::AGGREGATES,
];
