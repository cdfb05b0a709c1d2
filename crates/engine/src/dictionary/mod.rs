//! Dictionaries of the catalog: what CREATE DICTIONARY defines, where the rows come from, and when
//! they are loaded.
//!
//! [`definition`] turns a statement into names, types and defaults. [`source`] writes the query
//! that reads the rows. [`handle`] is the dictionary itself: it loads the rows when they are first
//! used, and again when their lifetime is over. [`table`] shows it as a table.

pub(crate) mod definition;
pub(crate) mod handle;
pub(crate) mod source;
pub(crate) mod table;
mod yaml;
