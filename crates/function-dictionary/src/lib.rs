//! Functions that look values up in dictionaries.
//!
//! A call is bound to a dictionary by its name, and asks it for its contents when the first chunk
//! arrives. All chunks of a statement therefore see the same contents, and a statement that is only
//! planned loads nothing. Keys are looked up a column at a time, and attributes are gathered by the
//! rows that were found.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

mod arguments;
pub mod get;
pub mod hierarchy;
pub mod keys;
pub mod tree;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] =
    &[get::FUNCTIONS, get::TYPED, hierarchy::FUNCTIONS, keys::FUNCTIONS, tree::FUNCTIONS];
