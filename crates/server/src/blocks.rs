//! ClickHouse's own compressed blocks, as `compress=1` and `decompress=1` mean them.
//!
//! ```text
//! 16 bytes  CityHash128 (version 1.0.2) of all that follows, high half first
//!  1 byte   method: 0x82 LZ4, 0x90 ZSTD, 0x02 none
//!  4 bytes  size of what follows the hash, these nine bytes included, little-endian
//!  4 bytes  size when decompressed
//! ```
//!
//! A block's sizes are checked before memory is taken, its hash before it is decompressed.

use std::io::{self, Read};

use cityhash_rs::cityhash_102_128;
use entasis_base::{Error, Result, codes};
use entasis_codec::compress::{Method, compress, decompress_append};

const HASH: usize = 16;
const HEADER: usize = 9;
/// Most bytes of a block, stored and decompressed. Clients send 1 MiB; the reference takes 1 GiB.
const MAX_BLOCK: usize = 128 << 20;
/// Bytes of an answer that make a block.
pub(crate) const BLOCK: usize = 1 << 20;

/// The compression method that a value of the setting names.
pub(crate) fn method(name: &str) -> Result<Method> {
    match name.to_ascii_uppercase().as_str() {
        "LZ4" | "LZ4HC" => Ok(Method::Lz4),
        "ZSTD" => Ok(Method::Zstd(1)),
        "NONE" => Ok(Method::None),
        _ => Err(Error::new(
            codes::UNKNOWN_COMPRESSION_METHOD,
            format!("network_compression_method: `{name}` is not one of LZ4, ZSTD, NONE"),
        )),
    }
}

fn tag(method: Method) -> u8 {
    match method {
        Method::Lz4 => 0x82,
        Method::Zstd(_) => 0x90,
        Method::None => 0x02,
    }
}

fn hash_bytes(bytes: &[u8]) -> [u8; HASH] {
    let hash = cityhash_102_128(bytes);
    let mut out = [0; HASH];
    out[..8].copy_from_slice(&((hash >> 64) as u64).to_le_bytes());
    out[8..].copy_from_slice(&(hash as u64).to_le_bytes());
    out
}

/// Appends `raw` to `out` as blocks.
pub(crate) fn write(method: Method, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    for part in raw.chunks(BLOCK) {
        let start = out.len();
        out.extend_from_slice(&[0; HASH + HEADER]);
        compress(method, part, out)?;
        let size = (out.len() - start - HASH) as u32;
        let header = &mut out[start + HASH..];
        header[0] = tag(method);
        header[1..5].copy_from_slice(&size.to_le_bytes());
        header[5..9].copy_from_slice(&(part.len() as u32).to_le_bytes());
        let hash = hash_bytes(&out[start + HASH..]);
        out[start..start + HASH].copy_from_slice(&hash);
    }
    Ok(())
}

/// A reader of the bytes that are compressed in blocks.
pub(crate) struct BlockReader<R> {
    inner: R,
    block: Vec<u8>,
    at: usize,
    left: u64,
}

impl<R: Read> BlockReader<R> {
    /// Reads blocks from `inner`. Fails once more than `max_bytes` were decompressed.
    pub fn new(inner: R, max_bytes: u64) -> Self {
        Self { inner, block: Vec::new(), at: 0, left: max_bytes }
    }

    /// Reads the next block; returns false at the end.
    fn refill(&mut self) -> Result<bool> {
        let mut head = [0; HASH + HEADER];
        let first = read_some(&mut self.inner, &mut head)?;
        if first == 0 {
            return Ok(false);
        }
        if first < head.len() {
            return Err(bad("a block ends within its header"));
        }
        let word = |at: usize| {
            u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize
        };
        let method = match head[HASH] {
            0x82 => Method::Lz4,
            0x90 => Method::Zstd(1),
            0x02 => Method::None,
            other => {
                let message = format!(
                    "Unknown compression method 0x{other:02x} of a block: send LZ4 (0x82), \
                     ZSTD (0x90) or none (0x02), or leave decompress=1 out"
                );
                return Err(Error::new(codes::UNKNOWN_COMPRESSION_METHOD, message));
            }
        };
        let (size, raw) = (word(HASH + 1), word(HASH + 5));
        if !(HEADER..=MAX_BLOCK).contains(&size) || raw > MAX_BLOCK {
            return Err(bad(&format!("a block of {size} bytes for {raw}: at most {MAX_BLOCK}")));
        }
        if raw as u64 > self.left {
            let message = "The decompressed body is larger than max_decompressed of the server";
            return Err(Error::new(codes::TOO_MANY_BYTES, message));
        }
        self.left -= raw as u64;
        // The buffer grows with the bytes that really arrive, whatever the header says.
        let mut stored = head[HASH..].to_vec();
        let wanted = (size - HEADER) as u64;
        let got = self.inner.by_ref().take(wanted).read_to_end(&mut stored)?;
        if got as u64 != wanted {
            return Err(bad("a block ends before its end"));
        }
        if hash_bytes(&stored) != head[..HASH] {
            let message = "Checksum of a compressed block doesn't match: the data is damaged";
            return Err(Error::new(codes::CHECKSUM_DOESNT_MATCH, message));
        }
        self.block.clear();
        self.at = 0;
        decompress_append(method, &stored[HEADER..], raw, &mut self.block)?;
        Ok(true)
    }
}

fn read_some(inner: &mut impl Read, into: &mut [u8]) -> Result<usize> {
    let mut got = 0;
    while got < into.len() {
        match inner.read(&mut into[got..])? {
            0 => break,
            n => got += n,
        }
    }
    Ok(got)
}

#[cold]
fn bad(what: &str) -> Error {
    Error::new(codes::CANNOT_DECOMPRESS, format!("Bad compressed data under decompress=1: {what}"))
}

impl<R: Read> Read for BlockReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.block.len() {
            if !self.refill().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let n = into.len().min(self.block.len() - self.at);
        into[..n].copy_from_slice(&self.block[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(stored: &[u8], max: u64) -> io::Result<Vec<u8>> {
        let mut back = Vec::new();
        BlockReader::new(stored, max).read_to_end(&mut back).map(|_| back)
    }

    #[test]
    fn blocks_read_back_whatever_the_method() {
        let raw: Vec<u8> = (0..3_000_000u32).flat_map(|i| (i % 1000).to_le_bytes()).collect();
        for method in [Method::Lz4, Method::Zstd(1), Method::None] {
            let mut stored = Vec::new();
            write(method, &raw, &mut stored).unwrap();
            assert!(read_all(&stored, u64::MAX).unwrap() == raw);
            assert!(read_all(&stored, raw.len() as u64 - 1).is_err());
            stored.truncate(stored.len() - 1);
            assert!(read_all(&stored, u64::MAX).is_err());
        }
    }

    #[test]
    fn the_form_of_a_block() {
        let mut stored = Vec::new();
        write(Method::Lz4, b"1\n", &mut stored).unwrap();
        assert_eq!(stored[HASH..], [0x82, 12, 0, 0, 0, 2, 0, 0, 0, 0x20, b'1', b'\n']);
    }

    #[test]
    fn damage_is_an_error_before_memory_is_taken() {
        let mut stored = Vec::new();
        write(Method::Lz4, b"hello, hello, hello", &mut stored).unwrap();
        for at in 0..stored.len() {
            let mut bad = stored.clone();
            bad[at] ^= 0x41;
            assert!(read_all(&bad, u64::MAX).is_err(), "byte {at}");
        }
        // Promises of gigabytes.
        for (size, raw) in [(u32::MAX, 1), (20, u32::MAX), (127 << 20, 127 << 20)] {
            let mut bad = vec![0; HASH];
            bad.push(0x82);
            bad.extend(size.to_le_bytes());
            bad.extend(raw.to_le_bytes());
            assert!(read_all(&bad, u64::MAX).is_err());
        }
    }
}
