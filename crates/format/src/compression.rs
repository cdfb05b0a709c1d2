//! Whole-file compression: gzip, zstd and LZ4 frames, chosen by name or by file extension.

use std::io::{self, Read, Write};

use entasis_base::{Error, Result, codes};

/// A method of compressing a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// The bytes as they are.
    None,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard frames.
    Zstd,
    /// LZ4 frames.
    Lz4,
}

impl Compression {
    /// By the name that SQL gives (`gzip`, `gz`, `zstd`, `lz4`, `none`); `auto` looks at `path`.
    pub fn find(name: &str, path: &str) -> Result<Self> {
        match name.to_ascii_lowercase().as_str() {
            "auto" => Ok(compression_by_extension(path)),
            "" | "none" => Ok(Self::None),
            "gzip" | "gz" => Ok(Self::Gzip),
            "zstd" | "zst" => Ok(Self::Zstd),
            "lz4" => Ok(Self::Lz4),
            other @ ("br" | "brotli" | "deflate" | "xz" | "lzma" | "bz2" | "snappy") => {
                Err(Error::not_implemented(format!("Compression method {other}")))
            }
            _ => Err(Error::new(
                codes::NOT_IMPLEMENTED,
                format!("Unknown compression method {name}: use none, gzip, zstd or lz4"),
            )),
        }
    }
}

/// The compression that a file's name suggests.
pub fn compression_by_extension(path: &str) -> Compression {
    split_extension(path).1
}

pub(crate) fn split_extension(path: &str) -> (&str, Compression) {
    for (extension, method) in [
        (".gz", Compression::Gzip),
        (".gzip", Compression::Gzip),
        (".zst", Compression::Zstd),
        (".zstd", Compression::Zstd),
        (".lz4", Compression::Lz4),
    ] {
        if let Some(stem) = path.strip_suffix(extension) {
            return (stem, method);
        }
    }
    (path, Compression::None)
}

/// Decompresses a stream; reading fails once more than `max_bytes` came out.
pub fn decompress(
    method: Compression,
    reader: Box<dyn Read + Send>,
    max_bytes: u64,
) -> Result<Box<dyn Read + Send>> {
    let inner: Box<dyn Read + Send> = match method {
        Compression::None => return Ok(reader),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(reader)),
        Compression::Zstd => {
            let cannot = |e| Error::new(codes::CANNOT_DECOMPRESS, "Cannot open ZSTD").with_cause(e);
            let mut decoder =
                zstd::stream::read::Decoder::new(reader).map_err::<Error, _>(cannot)?;
            // 128 MiB: frames with a larger window are refused, as zstd's own tool does.
            decoder.window_log_max(27).map_err::<Error, _>(cannot)?;
            Box::new(decoder)
        }
        Compression::Lz4 => Box::new(Lz4Frames(lz4_flex::frame::FrameDecoder::new(reader))),
    };
    Ok(Box::new(Capped { inner, left: max_bytes, max_bytes }))
}

/// Compresses a block into a frame of its own; frames that follow each other read as one stream.
pub fn compress(method: Compression, block: &[u8]) -> Result<Vec<u8>> {
    let failed = |e: Box<dyn std::error::Error + Send + Sync>| {
        Error::new(codes::CANNOT_COMPRESS, format!("Cannot compress: {e}"))
    };
    match method {
        Compression::None => Ok(block.to_vec()),
        Compression::Gzip => {
            let level = flate2::Compression::default();
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            let done = encoder.write_all(block).and_then(|()| encoder.finish());
            done.map_err(|e| failed(e.into()))
        }
        Compression::Zstd => zstd::stream::encode_all(block, 3).map_err(|e| failed(e.into())),
        Compression::Lz4 => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(block).map_err(|e| failed(e.into()))?;
            encoder.finish().map_err(|e| failed(e.into()))
        }
    }
}

/// LZ4 frames one after the other: the decoder says "end" behind each, and goes on when asked
/// again.
struct Lz4Frames(lz4_flex::frame::FrameDecoder<Box<dyn Read + Send>>);

impl Read for Lz4Frames {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => self.0.read(out),
            got => Ok(got),
        }
    }
}

/// A reader that fails after too many bytes.
struct Capped {
    inner: Box<dyn Read + Send>,
    left: u64,
    max_bytes: u64,
}

impl Read for Capped {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(out)?;
        if got as u64 > self.left {
            let message = format!("Decompressed data is larger than {} bytes", self.max_bytes);
            return Err(io::Error::other(message));
        }
        self.left -= got as u64;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_reads_back_and_is_capped() {
        let raw = b"hello, world\n".repeat(10_000);
        for method in [Compression::None, Compression::Gzip, Compression::Zstd, Compression::Lz4] {
            let open = |cap| {
                // Two frames, one after the other.
                let (one, two) = raw.split_at(raw.len() / 3);
                let mut stored = compress(method, one).unwrap();
                stored.extend(compress(method, two).unwrap());
                let stored = io::Cursor::new(stored);
                decompress(method, Box::new(stored), cap).unwrap()
            };
            let mut back = Vec::new();
            open(raw.len() as u64).read_to_end(&mut back).unwrap();
            assert!(back == raw);
            let result = open(raw.len() as u64 - 1).read_to_end(&mut back);
            assert_eq!(result.is_err(), method != Compression::None);
        }
    }

    #[test]
    fn methods_by_name_and_extension() {
        assert_eq!(Compression::find("auto", "a.tsv.gz").unwrap(), Compression::Gzip);
        assert_eq!(Compression::find("zstd", "a.tsv").unwrap(), Compression::Zstd);
        assert!(Compression::find("rot13", "").is_err());
        assert_eq!(crate::format_by_extension("/d.x/a.tsv.zst"), Some("TabSeparated"));
        assert_eq!(crate::format_by_extension("a.parquet"), Some("Parquet"));
        assert_eq!(crate::format_by_extension("/d.tsv/a"), None);
    }
}
