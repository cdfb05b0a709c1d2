//! Hashes, encryption, the session and the query itself, introspection.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod hash;
pub mod introspection;
pub mod other;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    introspection::FUNCTIONS,
    other::SESSION,
    other::READABLE,
    other::STATES,
    other::UUIDS,
    hash::FUNCTIONS,
    hash::DIGESTS,
    hash::encrypt::FUNCTIONS,
];
