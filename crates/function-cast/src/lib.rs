//! CAST, the conversion functions, and their kernels ([`cast`]), which other families call through
//! `entasis_function::cast`.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod cast;
pub mod conversion;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    conversion::BY_NAME,
    conversion::CASTS,
    conversion::DECIMALS,
    conversion::TIMES,
    conversion::TIMES64,
    conversion::WIDE,
    conversion::ADDRESSES,
    conversion::REINTERPRET,
    conversion::MISSING,
];
