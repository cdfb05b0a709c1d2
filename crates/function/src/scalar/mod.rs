//! Scalar functions: one file or folder per family, each ending in one const table `FUNCTIONS`.

pub mod arithmetic;
pub mod arrays;
pub mod cast;
pub mod comparison;
pub mod conditional;
pub mod conversion;
pub mod kernel;
pub mod logical;
pub mod other;
pub mod regexp;
pub mod strings;

use crate::FunctionDef;

/// Every family's table: one line each.
#[rustfmt::skip]
pub static FAMILIES: &[&[FunctionDef]] = &[
    comparison::FUNCTIONS,
    arithmetic::FUNCTIONS,
    conditional::BRANCHES,
    conditional::EXTREMES,
    conditional::NULLS,
    conditional::TRANSFORM,
    logical::FUNCTIONS,
    conversion::BY_NAME,
    conversion::CASTS,
    conversion::TIMES,
    conversion::REINTERPRET,
    conversion::MISSING,
    other::SESSION,
    other::VALUES,
    other::READABLE,
    strings::length::FUNCTIONS,
    strings::case::FUNCTIONS,
    strings::substring::FUNCTIONS,
    strings::concat::FUNCTIONS,
    strings::position::FUNCTIONS,
    strings::like::FUNCTIONS,
    strings::needles::FUNCTIONS,
    strings::split::FUNCTIONS,
    regexp::functions::FUNCTIONS,
];
