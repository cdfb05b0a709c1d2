//! Compression of whole files. The method is chosen by name, by the file extension or by the first
//! bytes.
//!
//! This file reads, `encode` writes, and `snappy` has the two framings of snappy. Sizes in a file
//! are not trusted: decoders with a window limit its size.

mod encode;
mod snappy;

pub use encode::Encoder;

use std::io::{self, Read};

use entasis_base::{Error, Result, codes};

/// A method of compressing a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// The bytes as they are.
    None,
    /// gzip, one member or several.
    Gzip,
    /// zlib's format, which HTTP calls deflate.
    Deflate,
    /// Brotli.
    Brotli,
    /// xz, one stream or several.
    Xz,
    /// Zstandard frames.
    Zstd,
    /// LZ4 frames.
    Lz4,
    /// bzip2, one stream or several.
    Bzip2,
    /// Snappy: blocks with their lengths as Hadoop writes them, or snappy's own framing.
    Snappy,
}

/// Largest window that a ZSTD frame may ask for: 128 MiB, as zstd's own tool has it.
const ZSTD_WINDOW_LOG: u32 = 27;
/// Most memory for decoding xz, in KiB.
const XZ_MEMORY: u32 = 256 << 10;
/// Bytes read at a time where a decoder asks for a buffer.
const BUFFER: usize = 64 << 10;

impl Compression {
    /// By the name that SQL gives (`gzip`, `gz`, `zstd`, `lz4`, `none`); `auto` looks at `path`.
    pub fn find(name: &str, path: &str) -> Result<Self> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "auto" => compression_by_extension(path),
            "" | "none" => Self::None,
            "gzip" | "gz" => Self::Gzip,
            "deflate" => Self::Deflate,
            "br" | "brotli" => Self::Brotli,
            "xz" | "lzma" => Self::Xz,
            "zstd" | "zst" => Self::Zstd,
            "lz4" => Self::Lz4,
            "bz2" => Self::Bzip2,
            "snappy" => Self::Snappy,
            _ => {
                let message = format!(
                    "Unknown compression method '{name}'. Only 'auto', 'none', 'gzip', \
                     'deflate', 'br', 'xz', 'zstd', 'lz4', 'bz2', 'snappy' are supported as \
                     compression methods"
                );
                return Err(Error::new(codes::NOT_IMPLEMENTED, message));
            }
        })
    }

    /// The method whose files begin like this; `None` if no method's do. Brotli, deflate and
    /// Hadoop's snappy cannot be told from other bytes.
    pub fn by_content(first: &[u8]) -> Self {
        match first {
            [0x1F, 0x8B, 8, ..] => Self::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Self::Zstd,
            [4, 0x22, 0x4D, 0x18, ..] => Self::Lz4,
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..] => Self::Bzip2,
            bytes if bytes.starts_with(snappy::FRAMES) => Self::Snappy,
            _ => Self::None,
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
        (".br", Compression::Brotli),
        (".xz", Compression::Xz),
        (".lzma", Compression::Xz),
        (".zst", Compression::Zstd),
        (".zstd", Compression::Zstd),
        (".lz4", Compression::Lz4),
        (".bz2", Compression::Bzip2),
        (".snappy", Compression::Snappy),
        (".deflate", Compression::Deflate),
    ] {
        if let Some(stem) = path.strip_suffix(extension) {
            return (stem, method);
        }
    }
    (path, Compression::None)
}

/// Decompresses a stream; reading fails once more than `max_bytes` came out.
pub fn decompress<'a>(
    method: Compression,
    reader: Box<dyn Read + Send + 'a>,
    max_bytes: u64,
) -> Result<Box<dyn Read + Send + 'a>> {
    let inner: Box<dyn Read + Send + 'a> = match method {
        Compression::None => return Ok(reader),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(reader)),
        Compression::Deflate => Box::new(flate2::read::ZlibDecoder::new(reader)),
        Compression::Brotli => Box::new(brotli::Decompressor::new(reader, BUFFER)),
        Compression::Xz => {
            let buffered = io::BufReader::with_capacity(BUFFER, reader);
            Box::new(lzma_rust2::XzReader::new_mem_limit(buffered, true, XZ_MEMORY))
        }
        Compression::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(reader)),
        Compression::Snappy => Box::new(snappy::Reader::new(reader)),
        Compression::Zstd => {
            let cannot = |e| Error::new(codes::CANNOT_DECOMPRESS, "Cannot open ZSTD").with_cause(e);
            let mut decoder =
                zstd::stream::read::Decoder::new(reader).map_err::<Error, _>(cannot)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG).map_err::<Error, _>(cannot)?;
            Box::new(decoder)
        }
        Compression::Lz4 => Box::new(Lz4Frames(lz4_flex::frame::FrameDecoder::new(reader))),
    };
    Ok(Box::new(Capped { inner, method, left: max_bytes, max_bytes }))
}

/// A stream that is unpacked if its first bytes say that it is compressed: a pipe has no name.
pub fn decompress_by_content<'a>(
    mut reader: Box<dyn Read + Send + 'a>,
    max_bytes: u64,
) -> Result<(Box<dyn Read + Send + 'a>, Compression)> {
    let mut first = Vec::new();
    reader.by_ref().take(16).read_to_end(&mut first)?;
    let method = Compression::by_content(&first);
    let whole: Box<dyn Read + Send + 'a> = Box::new(io::Cursor::new(first).chain(reader));
    Ok((decompress(method, whole, max_bytes)?, method))
}

/// LZ4 frames one after the other: the decoder says "end" behind each, and goes on when asked
/// again.
struct Lz4Frames<'a>(lz4_flex::frame::FrameDecoder<Box<dyn Read + Send + 'a>>);

impl Read for Lz4Frames<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => self.0.read(out),
            got => Ok(got),
        }
    }
}

/// A reader that fails after too many bytes, and says of what kind the damaged bytes were.
struct Capped<'a> {
    inner: Box<dyn Read + Send + 'a>,
    method: Compression,
    left: u64,
    max_bytes: u64,
}

impl Capped<'_> {
    #[cold]
    fn damaged(&self, error: io::Error) -> io::Error {
        if error.kind() == io::ErrorKind::Interrupted || error.get_ref().is_some_and(is_ours) {
            return error;
        }
        let message = format!("Cannot decompress {:?} data: {error}", self.method);
        io::Error::other(Error::new(codes::CANNOT_DECOMPRESS, message))
    }
}

/// Whether an error comes from what is read, not from the decoder.
fn is_ours(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    error.is::<Error>()
}

impl Read for Capped<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(out).map_err(|error| self.damaged(error))?;
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

    const ALL: [Compression; 9] = [
        Compression::None,
        Compression::Gzip,
        Compression::Deflate,
        Compression::Brotli,
        Compression::Xz,
        Compression::Zstd,
        Compression::Lz4,
        Compression::Bzip2,
        Compression::Snappy,
    ];

    fn stored(method: Compression, blocks: &[&[u8]]) -> Vec<u8> {
        let (mut encoder, mut out) = (Encoder::new(method, None).unwrap(), Vec::new());
        blocks.iter().for_each(|block| encoder.write(block, &mut out).unwrap());
        encoder.finish(&mut out).unwrap();
        out
    }

    fn unpacked(method: Compression, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut back = Vec::new();
        let bytes = Box::new(io::Cursor::new(bytes.to_vec()));
        decompress(method, bytes, 1 << 24).unwrap().read_to_end(&mut back)?;
        Ok(back)
    }

    #[test]
    fn every_method_reads_back_and_is_capped() {
        let raw = b"hello, world\n".repeat(10_000);
        for method in ALL {
            let open = |cap| {
                let (one, two) = raw.split_at(raw.len() / 3);
                let stored = io::Cursor::new(stored(method, &[one, two]));
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
    fn what_is_cut_is_an_error_and_the_first_bytes_tell_the_method() {
        let raw = b"hello, world\n".repeat(1000);
        for method in ALL {
            let whole = stored(method, &[&raw]);
            let known = matches!(
                method,
                Compression::Gzip
                    | Compression::Zstd
                    | Compression::Lz4
                    | Compression::Xz
                    | Compression::Bzip2
            );
            let told = if known { method } else { Compression::None };
            assert_eq!(Compression::by_content(&whole), told, "{method:?}");
            assert!(
                method == Compression::None || unpacked(method, &whole[..whole.len() / 2]).is_err()
            );
            for at in 0..whole.len().min(200) {
                let mut damaged = whole.clone();
                damaged[at] ^= 0x55;
                let _ = unpacked(method, &damaged);
            }
        }
        assert_eq!(Compression::by_content(b"a,b\n"), Compression::None);
    }

    #[test]
    fn snappy_is_read_in_both_framings() {
        let raw = b"abcabcabc".repeat(20_000);
        let mut encoder = snap::write::FrameEncoder::new(Vec::new());
        io::Write::write_all(&mut encoder, &raw).unwrap();
        let frames = encoder.into_inner().unwrap();
        assert_eq!(Compression::by_content(&frames), Compression::Snappy);
        assert!(unpacked(Compression::Snappy, &frames).unwrap() == raw);
        // A block as the reference writes it.
        let block = b"\0\0\0\x05\0\0\0\x07\x05\x10hello";
        assert_eq!(unpacked(Compression::Snappy, block).unwrap(), b"hello");
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
