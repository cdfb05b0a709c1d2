//! Ids of statements, and random numbers.

use std::hash::{BuildHasher, Hasher, RandomState};

/// An id for a statement whose caller gives none: a random UUID of version 4.
pub fn new_query_id() -> String {
    let (a, b) = (random(), random());
    let b = b & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        a >> 32,
        a >> 16 & 0xFFFF,
        a & 0xFFF,
        b >> 48,
        b & 0xFFFF_FFFF_FFFF
    )
}

/// A random number that cannot be predicted from earlier ones.
pub(crate) fn random() -> u64 {
    // Every RandomState has random keys of its own.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u8(0);
    hasher.finish()
}
