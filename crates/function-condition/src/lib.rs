//! Comparison, logic, conditions, and functions that return a value unchanged or fail.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod comparison;
pub mod conditional;
pub mod logical;
pub mod values;
pub mod variants;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    comparison::FUNCTIONS,
    conditional::BRANCHES,
    conditional::EXTREMES,
    conditional::NULLS,
    conditional::TRANSFORM,
    logical::FUNCTIONS,
    values::FUNCTIONS,
    variants::FUNCTIONS,
];
