//! LZ4, ZSTD and the checksum.
//!
//! Decompression gets the exact length from the caller and writes into memory of that length only;
//! any other length is an error. Contexts of ZSTD are kept per thread.

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use std::cell::RefCell;

/// A general-purpose compression method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The bytes as they are.
    None,
    /// LZ4 blocks; LZ4HC is written as LZ4, which reads the same.
    Lz4,
    /// ZSTD with a level (1 to 22; used for compressing only).
    Zstd(i32),
}

/// The most bytes that one block may decompress to.
pub const MAX_RAW: usize = 1 << 30;

impl Method {
    /// The number stored in block headers.
    pub fn tag(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Lz4 => 1,
            Self::Zstd(_) => 2,
        }
    }

    /// The method of a stored number.
    pub fn from_tag(tag: u8) -> Result<Self> {
        match tag {
            0 => Ok(Self::None),
            1 => Ok(Self::Lz4),
            2 => Ok(Self::Zstd(1)),
            _ => Err(Error::new(
                codes::UNKNOWN_COMPRESSION_METHOD,
                format!("Unknown compression method {tag} in a block"),
            )),
        }
    }
}

thread_local! {
    static ZSTD_WRITE: RefCell<Option<zstd_safe::CCtx<'static>>> = const { RefCell::new(None) };
    static ZSTD_READ: RefCell<Option<zstd_safe::DCtx<'static>>> = const { RefCell::new(None) };
}

/// Appends the compressed form of `raw` to `out`.
pub fn compress(method: Method, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let bound = match method {
        Method::None => {
            out.extend_from_slice(raw);
            return Ok(());
        }
        Method::Lz4 => lz4_flex::block::get_maximum_output_size(raw.len()),
        Method::Zstd(_) => zstd_safe::compress_bound(raw.len()),
    };
    out.resize(start + bound, 0);
    events::add(Event::CompressionInputBytes, raw.len() as u64);
    let written = match method {
        Method::Zstd(level) => ZSTD_WRITE.with_borrow_mut(|context| {
            context
                .get_or_insert_with(zstd_safe::CCtx::create)
                .compress(&mut out[start..], raw, level)
                .map_err(|code| cannot(codes::CANNOT_COMPRESS, "ZSTD", zstd_name(code)))
        }),
        _ => lz4_flex::block::compress_into(raw, &mut out[start..])
            .map_err(|e| cannot(codes::CANNOT_COMPRESS, "LZ4", e)),
    };
    out.truncate(start + written.as_ref().map_or(0, |&n| n));
    events::add(Event::CompressionOutputBytes, (out.len() - start) as u64);
    written.map(|_| ())
}

/// Decompresses into `out`, whose length must be exactly the raw length.
pub fn decompress(method: Method, stored: &[u8], out: &mut [u8]) -> Result<()> {
    let written = match method {
        Method::None => {
            if stored.len() == out.len() {
                out.copy_from_slice(stored);
            }
            stored.len()
        }
        Method::Lz4 => lz4_flex::block::decompress_into(stored, out)
            .map_err(|e| cannot(codes::CANNOT_DECOMPRESS, "LZ4", e))?,
        Method::Zstd(_) => ZSTD_READ.with_borrow_mut(|context| {
            context
                .get_or_insert_with(zstd_safe::DCtx::create)
                .decompress(out, stored)
                .map_err(|code| cannot(codes::CANNOT_DECOMPRESS, "ZSTD", zstd_name(code)))
        })?,
    };
    if written != out.len() {
        let what = format!("{written} bytes instead of {}", out.len());
        return Err(cannot(codes::CANNOT_DECOMPRESS, "block", what));
    }
    Ok(())
}

/// Decompresses `raw_len` bytes to the end of `out`; the length is checked against what the method
/// could produce from `stored` before memory is taken.
pub fn decompress_append(
    method: Method,
    stored: &[u8],
    raw_len: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    check_raw_len(method, stored.len(), raw_len)?;
    if method == Method::None {
        out.extend_from_slice(stored);
        return Ok(());
    }
    let start = out.len();
    out.resize(start + raw_len, 0);
    let result = decompress(method, stored, &mut out[start..]);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

fn check_raw_len(method: Method, stored: usize, raw_len: usize) -> Result<()> {
    let most = match method {
        Method::None => stored,
        // A byte of LZ4 stands for at most 255 bytes.
        Method::Lz4 => stored.saturating_mul(255).min(MAX_RAW),
        Method::Zstd(_) => MAX_RAW,
    };
    if raw_len > most || (method == Method::None && raw_len != stored) {
        let what = format!("{stored} bytes cannot hold {raw_len}");
        return Err(cannot(codes::CANNOT_DECOMPRESS, "block", what));
    }
    Ok(())
}

#[cold]
fn cannot(code: entasis_base::ErrorCode, what: &str, why: impl std::fmt::Display) -> Error {
    let verb = if code == codes::CANNOT_COMPRESS { "compress" } else { "decompress" };
    Error::new(code, format!("Cannot {verb} {what}: {why}"))
}

fn zstd_name(code: zstd_safe::ErrorCode) -> &'static str {
    zstd_safe::get_error_name(code)
}

/// XXH3 of `bytes`, 64 bits.
#[inline]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    const METHODS: [Method; 4] = [Method::None, Method::Lz4, Method::Zstd(1), Method::Zstd(9)];

    fn samples() -> Vec<Vec<u8>> {
        let mut rng = Rng::new(1);
        let random: Vec<u8> = (0..5000).map(|_| rng.next_u64() as u8).collect();
        vec![vec![], vec![7], vec![0; 10_000], b"abcabcabc".repeat(500), random]
    }

    #[test]
    fn round_trip_with_exact_lengths() {
        for raw in samples() {
            for method in METHODS {
                let mut stored = b"x".to_vec();
                compress(method, &raw, &mut stored).unwrap();
                let mut back = vec![];
                decompress_append(method, &stored[1..], raw.len(), &mut back).unwrap();
                assert_eq!(back, raw);
                let longer = decompress(method, &stored[1..], &mut vec![0; raw.len() + 1]);
                assert_eq!(longer.unwrap_err().code(), codes::CANNOT_DECOMPRESS);
                if !raw.is_empty() {
                    assert!(decompress(method, &stored[1..], &mut vec![0; raw.len() - 1]).is_err());
                }
                assert_eq!(Method::from_tag(method.tag()).unwrap().tag(), method.tag());
            }
        }
        assert!(Method::from_tag(9).is_err());
    }

    #[test]
    fn damage_is_an_error_or_other_bytes_but_no_panic() {
        let mut rng = Rng::new(2);
        for raw in samples() {
            for method in METHODS {
                let mut stored = vec![];
                compress(method, &raw, &mut stored).unwrap();
                for _ in 0..200 {
                    let mut bad = stored.clone();
                    for _ in 0..=rng.below(3) {
                        if !bad.is_empty() {
                            let at = rng.below(bad.len() as u64) as usize;
                            bad[at] ^= 1 << rng.below(8);
                        }
                    }
                    bad.truncate(rng.below(bad.len() as u64 + 2) as usize);
                    let _ = decompress_append(method, &bad, raw.len(), &mut vec![]);
                }
            }
        }
    }

    #[test]
    fn a_bomb_is_refused_before_memory_is_taken() {
        let e = decompress_append(Method::Lz4, &[1, 2, 3], MAX_RAW, &mut vec![]).unwrap_err();
        assert_eq!(e.code(), codes::CANNOT_DECOMPRESS);
        assert!(decompress_append(Method::Zstd(1), &[1], MAX_RAW + 1, &mut vec![]).is_err());
    }

    #[test]
    fn checksum_is_xxh3() {
        // The published value for the empty input.
        assert_eq!(checksum(b""), 0x2D06_8005_38D3_94C2);
    }
}
