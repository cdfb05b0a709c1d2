//! CAST, the functions of conversion, and the kernels under both ([`cast`]), which other families
//! reach through `entasis_function::cast`.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod cast;
pub mod conversion;

/// Every family's table.
pub static FAMILIES: &[&[FunctionDef]] = &[
    conversion::BY_NAME,
    conversion::CASTS,
    conversion::DECIMALS,
    conversion::TIMES,
    conversion::TIMES64,
    conversion::WIDE,
    conversion::REINTERPRET,
    conversion::MISSING,
];
