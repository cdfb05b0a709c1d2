//! Functions of dates and times. Calendar fields come from one table of all days; times are first
//! shifted to the zone's local clock, by one offset per chunk where it holds only one.

#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod calendar;
pub mod diff;
pub mod format;
pub mod format_joda;
pub mod fractions;
pub mod interval;
pub mod make;
pub mod parts;
pub mod starts;
pub mod weeks;

/// Every family's table.
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
];
