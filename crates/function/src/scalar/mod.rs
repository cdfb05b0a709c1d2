//! Scalar functions: one file or folder per family, each ending in one const table `FUNCTIONS`.

pub mod arithmetic;
pub mod cast;
pub mod comparison;
pub mod conditional;
pub mod conversion;
pub mod kernel;
pub mod logical;

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
];
