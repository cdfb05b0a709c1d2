//! The performance laboratory: it answers whether a change made a query faster or slower, by how
//! much, how sure that is, and why.
//!
//! Rooms: [`spec`] reads the files that say what is measured; [`why`] finds what a change was
//! caused by. The crate reaches an engine only from outside, as a server or as a child process, so
//! that two builds can be compared.
#![forbid(unsafe_code)]

pub mod spec;
pub mod why;
