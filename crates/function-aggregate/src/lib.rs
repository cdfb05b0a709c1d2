//! Aggregate functions that count, add, compare and test, and window functions.
//!
//! Most of them are a `Fold`: a plain struct per group, and loops over typed slices. NULLs and
//! combinators are handled outside (`function-combinator`).
#![forbid(unsafe_code)]

use entasis_function::AggregateDef;

pub mod any;
pub mod avg;
pub mod bits;
pub mod comparisons;
pub mod count;
pub mod decimal;
pub mod events;
pub mod means;
pub mod min_max;
pub mod moving;
pub mod samples;
pub mod sequence;
pub mod shapes;
pub mod single;
pub mod smoothed;
pub mod spans;
pub mod sum;
pub mod variance;
pub mod window;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[AggregateDef]] = &[
    count::AGGREGATES,
    sum::AGGREGATES,
    avg::AGGREGATES,
    min_max::AGGREGATES,
    any::AGGREGATES,
    single::AGGREGATES,
    bits::AGGREGATES,
    variance::AGGREGATES,
    comparisons::AGGREGATES,
    shapes::AGGREGATES,
    events::AGGREGATES,
    sequence::AGGREGATES,
    moving::AGGREGATES,
    means::AGGREGATES,
    samples::AGGREGATES,
    spans::AGGREGATES,
    smoothed::AGGREGATES,
];
