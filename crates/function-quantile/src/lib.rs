//! Quantiles of all kinds, and histograms.
#![forbid(unsafe_code)]

use entasis_function::AggregateDef;

pub mod deterministic;
pub mod histogram;
pub mod kept;
pub mod levels;
pub mod quantile;
pub mod quantile_exact;
pub mod quantile_weighted;
pub mod radix;
pub mod sample;
pub mod select;
pub mod tdigest;
pub mod timing;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[AggregateDef]] = &[
    quantile::AGGREGATES,
    quantile_exact::AGGREGATES,
    quantile_weighted::AGGREGATES,
    histogram::AGGREGATES,
];
