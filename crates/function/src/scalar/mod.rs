//! Scalar functions: one file or folder per family, each ending in one const table `FUNCTIONS`.

pub mod cast;
pub mod comparison;
pub mod kernel;

use crate::FunctionDef;

/// Every family's table: one line each.
pub static FAMILIES: &[&[FunctionDef]] = &[comparison::FUNCTIONS];
