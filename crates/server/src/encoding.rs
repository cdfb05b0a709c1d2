//! Content-Encoding both ways, and the blocks of `compress=1`.

use std::io::{Read, Write};

use entasis_base::{Error, Result, codes};
use entasis_codec::compress::Method;
use entasis_format::Compression;

use crate::blocks;

/// How the bytes of an answer are compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wrapping {
    /// No compression.
    Plain,
    /// Compressed according to `Content-Encoding`.
    Content(Compression),
    /// ClickHouse's own blocks.
    Blocks(Method),
}

/// The name of a method in headers.
pub(crate) fn header_name(method: Compression) -> Option<&'static str> {
    match method {
        Compression::None => None,
        Compression::Gzip => Some("gzip"),
        Compression::Zstd => Some("zstd"),
        Compression::Lz4 => Some("lz4"),
        Compression::Deflate => Some("deflate"),
        Compression::Brotli => Some("br"),
        Compression::Xz => Some("xz"),
        Compression::Bzip2 => Some("bz2"),
        Compression::Snappy => Some("snappy"),
    }
}

/// The compression that `Accept-Encoding` weighs highest; the first one among equals.
pub(crate) fn accepted(header: &str) -> Compression {
    let mut best = (0.0, Compression::None);
    for item in header.split(',') {
        let mut parts = item.split(';');
        let method = match parts.next().unwrap_or("").trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Compression::Gzip,
            "zstd" => Compression::Zstd,
            "lz4" => Compression::Lz4,
            "br" => Compression::Brotli,
            "deflate" => Compression::Deflate,
            _ => continue,
        };
        let quality = parts.find_map(|p| p.trim().strip_prefix("q=")?.parse::<f64>().ok());
        let quality = quality.unwrap_or(1.0);
        if quality > best.0 {
            best = (quality, method);
        }
    }
    best.1
}

/// The method of a request's `Content-Encoding`.
pub(crate) fn of_request(header: &str) -> Result<Compression> {
    match header.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(Compression::None),
        "gzip" | "x-gzip" => Ok(Compression::Gzip),
        "zstd" => Ok(Compression::Zstd),
        "lz4" => Ok(Compression::Lz4),
        "deflate" => Ok(Compression::Deflate),
        "br" => Ok(Compression::Brotli),
        "xz" => Ok(Compression::Xz),
        "bz2" => Ok(Compression::Bzip2),
        "snappy" => Ok(Compression::Snappy),
        other => Err(Error::new(
            codes::UNKNOWN_COMPRESSION_METHOD,
            format!(
                "Content-Encoding {other} is not known here: send gzip, deflate, br, xz, zstd, \
                 lz4, bz2, snappy or none"
            ),
        )),
    }
}

/// Removes the encodings of a request's body, the outermost first.
pub(crate) fn unwrapped(
    body: Box<dyn Read + Send>,
    content: Compression,
    in_blocks: bool,
    max_bytes: u64,
) -> Result<Box<dyn Read + Send>> {
    let plain = entasis_format::decompress(content, body, max_bytes)?;
    Ok(if in_blocks { Box::new(blocks::BlockReader::new(plain, max_bytes)) } else { plain })
}

/// Compresses the bytes of an answer as they are written.
pub(crate) enum Encoder {
    Plain,
    Gzip(flate2::write::GzEncoder<Vec<u8>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Lz4(Box<lz4_flex::frame::FrameEncoder<Vec<u8>>>),
    Blocks(Method),
    /// Methods that need nothing but what files need.
    File(entasis_format::compression::Encoder),
    /// The end has been written.
    Finished,
}

fn failed(e: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(codes::CANNOT_COMPRESS, "Cannot compress the answer").with_cause(e)
}

impl Encoder {
    /// An encoder; `level` is not for LZ4.
    pub fn new(wrapping: Wrapping, level: u64) -> Result<Self> {
        let level = level.clamp(1, 9);
        Ok(match wrapping {
            Wrapping::Plain | Wrapping::Content(Compression::None) => Self::Plain,
            Wrapping::Blocks(method) => Self::Blocks(method),
            Wrapping::Content(Compression::Gzip) => {
                let level = flate2::Compression::new(level as u32);
                Self::Gzip(flate2::write::GzEncoder::new(Vec::new(), level))
            }
            Wrapping::Content(Compression::Zstd) => Self::Zstd(
                zstd::stream::write::Encoder::new(Vec::new(), level as i32).map_err(failed)?,
            ),
            Wrapping::Content(Compression::Lz4) => {
                Self::Lz4(Box::new(lz4_flex::frame::FrameEncoder::new(Vec::new())))
            }
            Wrapping::Content(other) => {
                Self::File(entasis_format::compression::Encoder::new(other, Some(level))?)
            }
        })
    }

    /// Takes bytes and appends the compressed bytes to `out`, which may be none yet.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Plain => out.extend_from_slice(bytes),
            Self::Blocks(method) => blocks::write(*method, bytes, out)?,
            Self::Gzip(encoder) => {
                encoder.write_all(bytes).map_err(failed)?;
                out.append(encoder.get_mut());
            }
            Self::Zstd(encoder) => {
                encoder.write_all(bytes).map_err(failed)?;
                out.append(encoder.get_mut());
            }
            Self::Lz4(encoder) => {
                encoder.write_all(bytes).map_err(failed)?;
                out.append(encoder.get_mut());
            }
            Self::File(encoder) => encoder.write(bytes, out)?,
            Self::Finished => return Err(Error::logical("an answer that goes on after its end")),
        }
        Ok(())
    }

    /// Appends the bytes that are still buffered.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match std::mem::replace(self, Self::Finished) {
            Self::Plain | Self::Blocks(_) | Self::Finished => {}
            Self::File(encoder) => encoder.finish(out)?,
            Self::Gzip(encoder) => out.append(&mut encoder.finish().map_err(failed)?),
            Self::Zstd(encoder) => out.append(&mut encoder.finish().map_err(failed)?),
            Self::Lz4(encoder) => out.append(&mut encoder.finish().map_err(failed)?),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_encoding_with_weights() {
        assert_eq!(accepted("gzip, deflate, br"), Compression::Gzip);
        assert_eq!(accepted("lz4,zstd,gzip,deflate"), Compression::Lz4);
        assert_eq!(accepted("gzip;q=0.5, zstd;q=0.9"), Compression::Zstd);
        assert_eq!(accepted("gzip;q=0.5, br"), Compression::Brotli);
        assert_eq!(accepted("gzip;q=0, deflate;q=0.1"), Compression::Deflate);
        assert_eq!(accepted("gzip;q=0, compress"), Compression::None);
        assert_eq!(accepted(""), Compression::None);
    }

    #[test]
    fn what_is_encoded_in_pieces_reads_back() {
        for method in [
            Compression::Gzip,
            Compression::Zstd,
            Compression::Lz4,
            Compression::Brotli,
            Compression::Deflate,
        ] {
            let mut encoder = Encoder::new(Wrapping::Content(method), 3).unwrap();
            let (mut stored, mut raw) = (Vec::new(), Vec::new());
            for i in 0..1000u32 {
                let piece = format!("{i},").repeat(i as usize % 50);
                raw.extend_from_slice(piece.as_bytes());
                encoder.push(piece.as_bytes(), &mut stored).unwrap();
            }
            encoder.finish(&mut stored).unwrap();
            let stored = Box::new(std::io::Cursor::new(stored));
            let mut back = Vec::new();
            unwrapped(stored, method, false, 1 << 30).unwrap().read_to_end(&mut back).unwrap();
            assert!(back == raw);
            assert!(encoder.push(b"x", &mut Vec::new()).is_err());
        }
    }
}
