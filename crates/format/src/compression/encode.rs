//! Compresses in one stream if files of the method cannot be joined. Otherwise it writes frames
//! that readers accept one after the other, so that data appended to a file can be read.

use std::io::Write;

use entasis_base::{Error, Result, codes};

use super::{BUFFER, Compression, snappy};

/// Brotli's quality and window where no level is given: the reference's.
const BROTLI_QUALITY: u32 = 3;
const BROTLI_WINDOW: u32 = 22;

/// Compresses what is written to it.
pub struct Encoder {
    method: Compression,
    level: Option<u32>,
    stream: Option<Stream>,
}

/// A method whose files are one stream.
enum Stream {
    Brotli(Box<brotli::CompressorWriter<Vec<u8>>>),
    Deflate(flate2::write::ZlibEncoder<Vec<u8>>),
}

#[cold]
fn failed(e: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(codes::CANNOT_COMPRESS, format!("Cannot compress: {e}"))
}

impl Encoder {
    /// An encoder of the method. `level` is the method's own; without one it is its usual level.
    pub fn new(method: Compression, level: Option<u64>) -> Result<Self> {
        let most = match method {
            Compression::Gzip | Compression::Deflate | Compression::Xz | Compression::Bzip2 => 9,
            Compression::Brotli => 11,
            Compression::Zstd => 22,
            Compression::None | Compression::Lz4 | Compression::Snappy => u64::from(u32::MAX),
        };
        if let Some(level) = level.filter(|level| *level > most) {
            let message = format!("Compression level {level} of {method:?}: it goes up to {most}");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let level = level.map(|level| level as u32);
        let stream = match method {
            Compression::Brotli => {
                let quality = level.unwrap_or(BROTLI_QUALITY);
                let writer =
                    brotli::CompressorWriter::new(Vec::new(), BUFFER, quality, BROTLI_WINDOW);
                Some(Stream::Brotli(Box::new(writer)))
            }
            Compression::Deflate => {
                let level =
                    level.map_or_else(flate2::Compression::default, flate2::Compression::new);
                Some(Stream::Deflate(flate2::write::ZlibEncoder::new(Vec::new(), level)))
            }
            _ => None,
        };
        Ok(Self { method, level, stream })
    }

    /// Takes a block and appends what comes of it, which may be nothing yet.
    pub fn write(&mut self, block: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match &mut self.stream {
            Some(Stream::Brotli(writer)) => {
                writer.write_all(block).map_err(failed)?;
                out.append(writer.get_mut());
            }
            Some(Stream::Deflate(writer)) => {
                writer.write_all(block).map_err(failed)?;
                out.append(writer.get_mut());
            }
            None => self.frame(block, out)?,
        }
        Ok(())
    }

    /// Appends what was held back.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<()> {
        match self.stream {
            Some(Stream::Brotli(writer)) => out.append(&mut writer.into_inner()),
            Some(Stream::Deflate(writer)) => out.append(&mut writer.finish().map_err(failed)?),
            None => {}
        }
        Ok(())
    }

    /// Appends the block as a frame of its own.
    fn frame(&self, block: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match self.method {
            Compression::Gzip => {
                let usual = flate2::Compression::default();
                let level = self.level.map_or(usual, flate2::Compression::new);
                let mut encoder = flate2::write::GzEncoder::new(out, level);
                encoder.write_all(block).and_then(|()| encoder.finish()).map_err(failed)?;
            }
            Compression::Zstd => {
                let level = self.level.unwrap_or(3) as i32;
                zstd::stream::copy_encode(block, out, level).map_err(failed)?;
            }
            Compression::Lz4 => {
                let mut encoder = lz4_flex::frame::FrameEncoder::new(out);
                encoder.write_all(block).map_err(failed)?;
                encoder.finish().map_err(failed)?;
            }
            Compression::Xz => {
                let options = lzma_rust2::XzOptions::with_preset(self.level.unwrap_or(6));
                let mut encoder = lzma_rust2::XzWriter::new(out, options).map_err(failed)?;
                encoder.write_all(block).map_err(failed)?;
                encoder.finish().map_err(failed)?;
            }
            Compression::Bzip2 => {
                let level = bzip2::Compression::new(self.level.unwrap_or(6).max(1));
                let mut encoder = bzip2::write::BzEncoder::new(out, level);
                encoder.write_all(block).and_then(|()| encoder.finish()).map_err(failed)?;
            }
            Compression::Snappy => snappy::write(block, out).map_err(failed)?,
            Compression::None | Compression::Brotli | Compression::Deflate => {
                out.extend_from_slice(block);
            }
        }
        Ok(())
    }
}
