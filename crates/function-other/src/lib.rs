//! Hashes, encryption, bitmaps, the session and the query itself, introspection.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod bitmaps;
pub mod hash;
pub mod introspection;
pub mod other;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    introspection::FUNCTIONS,
    other::JOIN_GET,
    other::SESSION,
    other::READABLE,
    other::STATES,
    other::UUIDS,
    hash::FUNCTIONS,
    hash::DIGESTS,
    hash::encrypt::FUNCTIONS,
    hash::MORE,
    hash::CONSISTENT,
    bitmaps::COMBINE,
    bitmaps::INSPECT,
    bitmaps::CHANGE,
];
