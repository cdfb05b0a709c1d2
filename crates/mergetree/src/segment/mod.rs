//! Segment files: the format of a part on disk. The bytes are described in
//! `docs/format/segment.md`.
//!
//! A segment is a header, the columns' blocks (adjacent for each column and granule), the footer of
//! tagged sections, and the trailer that holds the footer's place. It is written once, synced, and
//! never changed.

pub(crate) mod dictionary;
pub(crate) mod manifest;
pub(crate) mod reader;
mod relabel;
pub(crate) mod salvage;
pub(crate) mod sketch;
pub(crate) mod stats;
pub(crate) mod streams;
pub(crate) mod subcolumn;
pub(crate) mod summary;
pub(crate) mod writer;

pub(crate) use manifest::{ColumnMeta, Mode};
pub(crate) use reader::Segment;
pub(crate) use writer::{SegmentInfo, SegmentWriter};

/// First bytes of a segment file; the last is the format's version.
pub(crate) const MAGIC: [u8; 8] = *b"ENTSEG\0\x01";
/// Last bytes of a segment file.
pub(crate) const END_MAGIC: [u8; 8] = *b"\x01\0GESTNE";
/// Footer offset, footer length, footer checksum, end magic.
pub(crate) const TRAILER_LEN: usize = 32;

#[cfg(test)]
mod tests;
