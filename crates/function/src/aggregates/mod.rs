//! Aggregate functions: one file per family, each ending in one const table listed here.
//!
//! Most are a [`fold::Fold`]: a plain struct per group and loops over typed slices. Those whose
//! states hold values of any type stand on [`store::Store`]; those with sets, lists and sketches
//! bring their own `States`. NULLs and combinators are handled outside (`combinators`).

use crate::AggregateDef;

pub mod aliases;
pub mod any;
pub mod args;
pub mod avg;
pub mod binary;
pub mod bits;
pub mod comparisons;
pub mod count;
pub mod decimal;
pub mod deterministic;
pub mod entropy;
pub mod events;
pub mod fold;
pub mod group_array;
pub mod group_concat;
pub mod group_sorted;
pub mod hashing;
pub mod heavy;
pub mod histogram;
pub mod hyperloglog;
pub mod insert_at;
pub mod kept;
pub mod levels;
pub mod lists;
pub mod maps;
pub mod min_max;
pub mod moving;
pub mod quantile;
pub mod quantile_exact;
pub mod sample;
pub mod sequence;
pub mod sets;
pub mod shapes;
pub mod sliding;
pub mod store;
pub mod sum;
pub mod tdigest;
pub mod timing;
pub mod top;
pub mod uniq;
pub mod uniq_exact;
pub mod uniq_sketch;
pub mod variance;

/// All families.
pub static FAMILIES: &[&[AggregateDef]] = &[
    count::AGGREGATES,
    sum::AGGREGATES,
    avg::AGGREGATES,
    min_max::AGGREGATES,
    any::AGGREGATES,
    bits::AGGREGATES,
    uniq::AGGREGATES,
    uniq_exact::AGGREGATES,
    group_array::AGGREGATES,
    variance::AGGREGATES,
    quantile::AGGREGATES,
    quantile_exact::AGGREGATES,
    uniq_sketch::AGGREGATES,
    top::AGGREGATES,
    comparisons::AGGREGATES,
    entropy::AGGREGATES,
    shapes::AGGREGATES,
    events::AGGREGATES,
    sequence::AGGREGATES,
    maps::AGGREGATES,
    moving::AGGREGATES,
    insert_at::AGGREGATES,
    group_sorted::AGGREGATES,
    group_concat::AGGREGATES,
    heavy::AGGREGATES,
    histogram::AGGREGATES,
];

#[cfg(test)]
pub(crate) mod tests;
