//! Functions of dates and times. Calendar fields come from one table of all days. Times are first
//! shifted to the local time of the zone, with one offset per chunk if the chunk has only one.

#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod calendar;
pub mod diff;
pub mod format;
mod format_fixed;
pub mod format_joda;
pub mod fractions;
pub mod interval;
pub mod julian;
pub mod make;
pub mod parts;
pub mod starts;
pub mod weeks;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    parts::FUNCTIONS,
    weeks::FUNCTIONS,
    starts::FUNCTIONS,
    interval::FUNCTIONS,
    fractions::FUNCTIONS,
    diff::FUNCTIONS,
    format::FUNCTIONS,
    format_joda::FUNCTIONS,
    make::FUNCTIONS,
    julian::FUNCTIONS,
];
