//! All tables except MergeTree tables: one file per kind of table, and the list of table functions.
//!
//! A table only has to return its rows in chunks ([`raw::RawRows`]). Filters, column order, limits
//! and progress are the same for all tables and are implemented in [`raw`].
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

pub use functions::{TABLE_FUNCTIONS, TableFunctionContext, TableFunctionDef, table_function};
