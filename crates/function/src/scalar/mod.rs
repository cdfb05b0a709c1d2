//! Scalar functions: one file or folder per family, each ending in one const table `FUNCTIONS`.

use crate::FunctionDef;

/// Every family's table: one line each.
pub static FAMILIES: &[&[FunctionDef]] = &[
];
