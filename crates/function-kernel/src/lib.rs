//! What several families of functions share. Nothing here can be called from SQL.
//!
//! A change here recompiles all families, one of a family only that: what a single crate needs
//! belongs there.
#![forbid(unsafe_code)]

pub mod aggregates;
pub mod arguments;
pub mod hashing;
pub mod kernel;
pub mod layout;
pub mod text;
pub mod ticks;
