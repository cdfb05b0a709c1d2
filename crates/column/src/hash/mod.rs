//! Hash tables from keys to dense `u32` ids, in order of first appearance.
//!
//! A table finds or adds whole batches of keys, whose 64-bit hashes the caller has computed (and
//! uses again for partitions: tables take the low bits, partitions the high ones). Keys are kept
//! beside the slots as a dense array in id order, so that reading a table out is a copy.
//!
//! Two kinds: [`FixedTable`] for keys of 8, 16 or 32 bytes, which lie in the slots themselves, and
//! [`BytesTable`] for byte strings of any length, of which the slot holds a tag and the id.

mod bytes;
mod fixed;

pub use bytes::{BytesTable, bytes_equal};
pub use fixed::{FixedKey, FixedTable};

/// The id of no key.
pub const NONE: u32 = u32::MAX;

/// Partitions are the top bits of the hash.
#[inline(always)]
pub fn partition_of(hash: u64, bits: u32) -> usize {
    (hash >> (64 - bits)) as usize
}
