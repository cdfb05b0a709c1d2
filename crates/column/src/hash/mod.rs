//! Hash tables from keys to dense `u32` ids, in the order of first appearance.
//!
//! A table finds or adds whole batches of keys. The caller has computed their 64-bit hashes and
//! also uses them for partitions: tables use the low bits, partitions the high ones. Keys are kept
//! beside the slots in a dense array in the order of their ids, so reading a table is a copy.
//!
//! There are two kinds: [`FixedTable`] for keys of 8, 16 or 32 bytes, which are stored in the slots
//! themselves, and [`BytesTable`] for byte strings of any length, where a slot contains a tag and
//! the id. [`DenseTable`] is an array for small numbers. The tables of joins are in [`join`], and
//! [`KeySet`] is a filter by keys.

mod bytes;
mod dense;
mod fixed;
pub mod join;
mod key_set;

pub use bytes::{BytesTable, bytes_equal};
pub use dense::DenseTable;
pub use fixed::{FixedKey, FixedTable};
pub use key_set::{KeySet, KeySetBuilder};

/// The id that no key has.
pub const NONE: u32 = u32::MAX;

/// The partition of a hash: its highest bits.
#[inline(always)]
pub fn partition_of(hash: u64, bits: u32) -> usize {
    (hash >> (64 - bits)) as usize
}
