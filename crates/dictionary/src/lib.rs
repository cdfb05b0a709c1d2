//! Layouts of dictionaries: rows in memory that are found by keys, a column of keys at a time.
//!
//! A [`Loaded`] dictionary has its attributes in columns whose row 0 has the default values, and an
//! index from keys to rows. Looking up is then two loops: keys to rows, and rows to values. The
//! layouts differ only in the index, and in which row wins if a key comes twice. [`Cached`] and
//! direct dictionaries ask a [`Source`] for the keys of each chunk.
//!
//! Not here, on purpose: reading sources, lifetimes and names, which are the engine's.
#![forbid(unsafe_code)]

mod address;
mod cached;
mod index;
mod key;
pub mod layout;
mod loaded;
mod polygon;
mod range;
pub mod tree;

pub use cached::{Cached, Source};
pub use key::encoded;
pub use layout::{Duplicates, Layout};
pub use loaded::{Loaded, Options};
