//! All tables except MergeTree tables: one file per kind of table, and the list of table functions.
//!
//! A table only has to return its rows in chunks ([`raw::RawRows`]). Filters, column order, limits
//! and progress are the same for all tables and are implemented in [`raw`].
#![forbid(unsafe_code)]

pub mod buffer;
pub mod cast;
mod changed;
pub mod collect;
mod elsewhere;
pub mod file;
pub mod format;
pub mod functions;
pub mod hits;
pub mod input;
pub mod keyed;
pub mod log;
pub mod looped;
pub mod mapped;
pub mod memory;
pub mod null;
pub mod numbers;
pub mod one;
pub mod over;
pub mod own_file;
pub mod primes;
pub mod pushed;
pub mod random;
pub mod raw;
pub mod states;
pub mod values;
pub mod web;

use entasis_base::{Error, codes};

/// The error for something that the tables of an engine cannot do.
#[cold]
pub(crate) fn unsupported(method: &str, engine: &str) -> Error {
    let message = format!("Method {method} is not supported by storage {engine}");
    Error::new(codes::NOT_IMPLEMENTED, message)
}

pub use functions::{TABLE_FUNCTIONS, TableFunctionContext, TableFunctionDef, table_function};
