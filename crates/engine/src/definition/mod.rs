//! What CREATE TABLE says of a table: its columns, and what its rows must satisfy.

pub mod columns;
pub(crate) mod constraints;
