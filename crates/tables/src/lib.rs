//! Everything that can be read or written, except MergeTree: one file per table, one const list.
//!
//! A table here only has to say how its rows come in chunks ([`raw::RawRows`]); filters, column
//! order, limits and progress are the same for all and live in [`raw`].
#![forbid(unsafe_code)]

pub mod cast;
pub mod file;
pub mod format;
pub mod functions;
pub mod hits;
pub mod input;
pub mod log;
pub mod memory;
pub mod null;
pub mod numbers;
pub mod one;
pub mod raw;
pub mod states;
pub mod values;

pub use functions::{TABLE_FUNCTIONS, TableFacts, TableFunctionDef, table_function};
