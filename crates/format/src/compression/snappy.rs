//! Snappy in its two framings: that of Hadoop, which the reference writes (the length of a block,
//! then chunks, each after its length), and snappy's own, which is recognised by the first bytes.

use std::io::{self, Read};

/// How files in snappy's own framing begin.
pub(super) const FRAMES: &[u8] = b"\xFF\x06\0\0sNaPpY";

/// Bytes of a block that is written.
const BLOCK: usize = 256 << 10;
/// Largest chunk that is read, packed or not.
const MAX_CHUNK: usize = 64 << 20;

/// Appends a run of bytes as blocks.
pub(super) fn write(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), snap::Error> {
    let mut encoder = snap::raw::Encoder::new();
    for block in bytes.chunks(BLOCK) {
        let packed = encoder.compress_vec(block)?;
        out.extend_from_slice(&(block.len() as u32).to_be_bytes());
        out.extend_from_slice(&(packed.len() as u32).to_be_bytes());
        out.extend_from_slice(&packed);
    }
    Ok(())
}

/// Reads either framing.
pub(super) struct Reader<'a> {
    state: State<'a>,
}

enum State<'a> {
    /// Nothing was read yet.
    Start(Box<dyn Read + Send + 'a>),
    Frames(Box<snap::read::FrameDecoder<Box<dyn Read + Send + 'a>>>),
    Blocks(Blocks<'a>),
    /// Reading failed.
    Broken,
}

impl<'a> Reader<'a> {
    pub(super) fn new(reader: Box<dyn Read + Send + 'a>) -> Self {
        Self { state: State::Start(reader) }
    }
}

impl<'a> Read for Reader<'a> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let State::Start(_) = self.state {
            let State::Start(mut reader) = std::mem::replace(&mut self.state, State::Broken) else {
                return Ok(0);
            };
            let mut first = Vec::new();
            reader.by_ref().take(FRAMES.len() as u64).read_to_end(&mut first)?;
            let is_framed = first == FRAMES;
            let whole: Box<dyn Read + Send + 'a> = Box::new(io::Cursor::new(first).chain(reader));
            self.state = if is_framed {
                State::Frames(Box::new(snap::read::FrameDecoder::new(whole)))
            } else {
                State::Blocks(Blocks { reader: whole, left: 0, chunk: Vec::new(), at: 0 })
            };
        }
        match &mut self.state {
            State::Frames(reader) => reader.read(out),
            State::Blocks(blocks) => blocks.read(out),
            State::Start(_) | State::Broken => Err(damaged("reading failed before")),
        }
    }
}

struct Blocks<'a> {
    reader: Box<dyn Read + Send + 'a>,
    /// Unpacked bytes of the block that were not read yet.
    left: usize,
    chunk: Vec<u8>,
    at: usize,
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("snappy: {why}"))
}

impl Blocks<'_> {
    /// A length, or `None` at the end of the stream.
    fn length(&mut self) -> io::Result<Option<usize>> {
        let mut bytes = Vec::new();
        self.reader.by_ref().take(4).read_to_end(&mut bytes)?;
        match <[u8; 4]>::try_from(&bytes[..]) {
            Ok(bytes) => Ok(Some(u32::from_be_bytes(bytes) as usize)),
            Err(_) if bytes.is_empty() => Ok(None),
            Err(_) => Err(damaged("a length is cut off")),
        }
    }

    /// Unpacks the next chunk; false at the end.
    fn next(&mut self) -> io::Result<bool> {
        while self.left == 0 {
            match self.length()? {
                Some(length) => self.left = length,
                None => return Ok(false),
            }
        }
        let length = self.length()?.ok_or_else(|| damaged("a block is cut off"))?;
        if length > MAX_CHUNK {
            return Err(damaged("a chunk is larger than 64 MiB: is it snappy at all?"));
        }
        let mut packed = Vec::new();
        self.reader.by_ref().take(length as u64).read_to_end(&mut packed)?;
        if packed.len() < length {
            return Err(damaged("a chunk is cut off"));
        }
        let unpacked = snap::raw::decompress_len(&packed).map_err(io::Error::other)?;
        if unpacked > MAX_CHUNK.min(self.left) {
            return Err(damaged("a chunk is larger than its block"));
        }
        self.chunk = snap::raw::Decoder::new().decompress_vec(&packed).map_err(io::Error::other)?;
        (self.at, self.left) = (0, self.left - self.chunk.len());
        Ok(true)
    }
}

impl Read for Blocks<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            if !self.next()? {
                return Ok(0);
            }
        }
        let len = out.len().min(self.chunk.len() - self.at);
        out[..len].copy_from_slice(&self.chunk[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}
