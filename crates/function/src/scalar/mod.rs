//! Scalar functions: one file or folder per family, each ending in one const table `FUNCTIONS`.

pub mod arithmetic;
pub mod cast;
pub mod comparison;
pub mod conversion;
pub mod kernel;

use crate::FunctionDef;

/// Every family's table: one line each.
#[rustfmt::skip]
pub static FAMILIES: &[&[FunctionDef]] = &[
    comparison::FUNCTIONS,
    arithmetic::FUNCTIONS,
    conversion::BY_NAME,
    conversion::CASTS,
    conversion::TIMES,
    conversion::REINTERPRET,
    conversion::MISSING,
];
