//! Functions of numbers: arithmetic (of dates and intervals too), rounding, mathematics, bits,
//! random numbers, geography.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod arithmetic;
pub mod geo;
pub mod math;
pub mod random;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    arithmetic::FUNCTIONS,
    arithmetic::TUPLES,
    arithmetic::add::BY_UNIT,
    arithmetic::add::BY_INTERVAL,
    math::ROUNDING,
    math::STEPS,
    math::FLOATS,
    math::BITS,
    math::BIT_LISTS,
    math::CURVES,
    random::FUNCTIONS,
    geo::DISTANCES,
    geo::POINTS,
    geo::GEOHASHES,
];
