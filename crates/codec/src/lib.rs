//! Bytes to bytes: light encodings of columns, LZ4 and ZSTD, checksums, and [`block`], the framed
//! unit that storage writes.
//!
//! Why here: the one place that knows how values look on disk; it knows no types, columns or files.
//! Invariants: decoding never trusts its input (lengths are checked before memory is taken, every
//! block's checksum is verified, corruption is an [`entasis_base::Error`], never a panic); encoding
//! is deterministic.

#![forbid(unsafe_code)]

pub mod bitmap;
pub mod block;
pub mod compress;
pub mod encryption;
mod input;
pub mod ints;
pub mod options;
pub mod strings;
pub mod wide;

pub use compress::{Method, checksum};
pub use encryption::{Cipher, Ciphers};
pub use ints::{Encoding, Int};
pub use options::{Compression, EncodeOptions, Light};
