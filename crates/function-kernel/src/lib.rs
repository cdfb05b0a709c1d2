//! Code that several families of functions share. SQL cannot call any of it.
//!
//! A change of this crate recompiles all families, and a change of a family only that family. Code
//! that only one crate needs therefore belongs into that crate.
#![forbid(unsafe_code)]

pub mod aggregates;
pub mod arguments;
pub mod bitmap;
pub mod hashing;
pub mod kernel;
pub mod layout;
pub mod text;
pub mod ticks;
