//! The block: what storage writes and reads, one run of rows of one column stream.
//!
//! Layout, little-endian, 24 bytes of header and then the payload:
//!
//! | at | size | what |
//! |---|---|---|
//! | 0 | 1 | kind: 0x11 integers, 0x12 floats, 0x13 strings, 0x14 bytes, 0x15 bits, 0x16 wide
//! (high four bits: format version 1) |
//! | 1 | 1 | light encoding; its meaning depends on the kind |
//! | 2 | 1 | low four bits: compression (0 none, 1 LZ4, 2 ZSTD); others: [`crate::encryption`] |
//! | 3 | 1 | bytes per value (integers, floats, wide), else 0 |
//! | 4 | 4 | rows (bytes for kind 0x14) |
//! | 8 | 4 | raw: length of the compressed part once it is decompressed |
//! | 12 | 4 | stored: length of the payload |
//! | 16 | 8 | checksum: XXH3(payload) xor XXH3(bytes 0 to 15) rotated left by 32 |
//! | 24 | stored | payload |
//!
//! Payloads: *integers* and *floats* (by their bits): the payload of [`crate::ints`], compressed.
//! *Bits*: [`crate::bitmap`]. *Wide* (128 bits and more): [`crate::wide`]. *Bytes*: as they are,
//! compressed. *Strings*: see [`crate::strings`]; only their second part is compressed.
//!
//! Invariants: the checksum is verified before anything is decoded; the caller says how many rows
//! it expects, and a block of another number is refused, so no memory is taken on a block's word.

use crate::compress::{MAX_RAW, Method, checksum, compress, decompress, decompress_append};
use crate::encryption::Ciphers;
use crate::input::corrupted;
use crate::ints::{self, Encoding, Int};
use crate::options::{Compression, EncodeOptions, Light};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_simd::cast;
use std::borrow::Cow;

/// Bytes of a block's header.
pub const HEADER_LEN: usize = 24;

/// The first bytes of a header, which are authenticated with an encrypted payload.
const AUTHENTIC: usize = 12;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BlockKind {
    /// Integers of 1 to 8 bytes.
    Ints = 0x11,
    /// Floats of 4 or 8 bytes.
    Floats = 0x12,
    /// Strings.
    Strings = 0x13,
    /// Opaque bytes.
    Bytes = 0x14,
    /// A bit mask.
    Bits = 0x15,
    /// Values of a fixed number of bytes, such as 128-bit integers or FixedString.
    Wide = 0x16,
}

impl BlockKind {
    fn from_tag(tag: u8) -> Result<Self> {
        Ok(match tag {
            0x11 => Self::Ints,
            0x12 => Self::Floats,
            0x13 => Self::Strings,
            0x14 => Self::Bytes,
            0x15 => Self::Bits,
            0x16 => Self::Wide,
            _ => return Err(corrupted("unknown kind or version of block")),
        })
    }
}

/// A block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it holds.
    pub kind: BlockKind,
    /// Tag of the light encoding.
    pub encoding: u8,
    /// Compression; the level of ZSTD is not stored.
    pub method: Method,
    /// How the payload is encrypted.
    pub ciphers: Ciphers,
    /// Bytes per value, or 0.
    pub width: u8,
    /// Rows.
    pub rows: u32,
    /// Length of the compressed part once it is decompressed.
    pub raw: u32,
    /// Length of the payload.
    pub stored: u32,
    /// The stored checksum.
    pub checksum: u64,
}

impl Header {
    /// Reads the header at the beginning of `bytes`; the payload need not be there.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let Some(h) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(corrupted("it is shorter than its header"));
        };
        let word = |at: usize| u32::from_le_bytes([h[at], h[at + 1], h[at + 2], h[at + 3]]);
        Ok(Self {
            kind: BlockKind::from_tag(h[0])?,
            encoding: h[1],
            method: Method::from_tag(h[2] & 0xf)?,
            ciphers: Ciphers::from_tag(h[2])?,
            width: h[3],
            rows: word(4),
            raw: word(8),
            stored: word(12),
            checksum: u64::from(word(20)) << 32 | u64::from(word(16)),
        })
    }

    /// Bytes of the whole block.
    pub fn block_len(&self) -> usize {
        HEADER_LEN + self.stored as usize
    }

    /// The light encoding in words.
    pub fn encoding_name(&self) -> &'static str {
        const INTS: [&str; 9] = [
            "plain",
            "constant",
            "frame of reference",
            "delta",
            "run length",
            "sparse",
            "dictionary",
            "double delta",
            "xor",
        ];
        let names: &[&str] = match self.kind {
            BlockKind::Ints | BlockKind::Floats => &INTS,
            BlockKind::Strings => &["plain", "constant", "dictionary"],
            BlockKind::Bytes => &["plain"],
            BlockKind::Bits => &["plain", "constant", "set positions", "clear positions"],
            BlockKind::Wide => &["plain", "constant", "lanes"],
        };
        names.get(self.encoding as usize).copied().unwrap_or("unknown")
    }
}

/// Cuts the first block off `bytes`: block, rest. Lengths only; nothing is verified.
pub fn split(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let len = Header::read(bytes)?.block_len();
    bytes.split_at_checked(len).ok_or_else(|| corrupted("it is shorter than its header says"))
}

/// Header and payload of exactly one block, checksum verified and decrypted.
pub fn verify(block: &[u8]) -> Result<(Header, Cow<'_, [u8]>)> {
    let header = Header::read(block)?;
    if block.len() != header.block_len() {
        return Err(corrupted("its length is not what its header says"));
    }
    let (head, payload) = block.split_at(HEADER_LEN);
    let computed = block_checksum(&head[..16], payload);
    if computed != header.checksum {
        events::one(Event::CompressedReadBufferChecksumDoesntMatch);
        return Err(Error::new(
            codes::CHECKSUM_DOESNT_MATCH,
            format!("Checksum of a block is {computed:016x}, stored {:016x}", header.checksum),
        ));
    }
    count_read(&header);
    if header.ciphers.is_empty() {
        return Ok((header, Cow::Borrowed(payload)));
    }
    Ok((header, Cow::Owned(header.ciphers.decrypt(&head[..AUTHENTIC], payload)?)))
}

/// A block to be decoded. Bytes of numbers count as they are in memory, of strings without lengths.
fn count_read(header: &Header) {
    let values = u64::from(header.rows) * u64::from(header.width);
    events::one(Event::CompressedReadBufferBlocks);
    events::add(Event::ReadCompressedBytes, header.block_len() as u64);
    events::add(Event::CompressedReadBufferBytes, values.max(u64::from(header.raw)));
    match header.method {
        Method::None => {}
        Method::Lz4 => events::one(Event::Lz4BlocksDecompressed),
        Method::Zstd(_) => events::one(Event::ZstdBlocksDecompressed),
    }
}

/// A block that was written, by its kind and encoding.
fn count_written(kind: BlockKind, encoding: u8, method: Method) {
    use Event::*;
    const INTS: [Event; 9] = [
        PlainBlocksWritten,
        ConstantBlocksWritten,
        FrameOfReferenceBlocksWritten,
        DeltaBlocksWritten,
        RunLengthBlocksWritten,
        SparseBlocksWritten,
        DictionaryBlocksWritten,
        DoubleDeltaBlocksWritten,
        XorBlocksWritten,
    ];
    let events: &[Event] = match kind {
        BlockKind::Ints | BlockKind::Floats => &INTS,
        BlockKind::Strings => &[PlainBlocksWritten, ConstantBlocksWritten, DictionaryBlocksWritten],
        BlockKind::Bytes => &[PlainBlocksWritten],
        BlockKind::Bits => {
            &[PlainBlocksWritten, ConstantBlocksWritten, SparseBlocksWritten, SparseBlocksWritten]
        }
        BlockKind::Wide => &[PlainBlocksWritten, ConstantBlocksWritten, LaneBlocksWritten],
    };
    if let Some(event) = events.get(encoding as usize) {
        events::one(*event);
    }
    match method {
        Method::None => {}
        Method::Lz4 => events::one(Lz4BlocksWritten),
        Method::Zstd(_) => events::one(ZstdBlocksWritten),
    }
}

fn block_checksum(head: &[u8], payload: &[u8]) -> u64 {
    checksum(payload) ^ checksum(head).rotate_left(32)
}

/// As [`verify`], and of this kind, width and number of rows.
pub(crate) fn open(
    block: &[u8],
    kind: BlockKind,
    width: usize,
    rows: usize,
) -> Result<(Header, Cow<'_, [u8]>)> {
    let (header, payload) = verify(block)?;
    if header.kind != kind || header.width as usize != width {
        return Err(corrupted("it is not of the expected type"));
    }
    if header.rows as usize != rows {
        let what = format!("it has {} rows instead of {rows}", header.rows);
        return Err(corrupted(&what));
    }
    Ok((header, payload))
}

/// A block being written at the end of a buffer.
pub(crate) struct Writer<'a> {
    pub(crate) out: &'a mut Vec<u8>,
    start: usize,
    kind: BlockKind,
    width: u8,
    rows: u32,
    ciphers: Ciphers,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        kind: BlockKind,
        width: usize,
        rows: usize,
        raw: usize,
        out: &'a mut Vec<u8>,
    ) -> Result<Self> {
        if rows > u32::MAX as usize || raw > MAX_RAW || width > u8::MAX as usize {
            return Err(Error::new(
                codes::LIMIT_EXCEEDED,
                format!("A block of {rows} rows and {raw} bytes is too large; write smaller ones"),
            ));
        }
        let start = out.len();
        out.extend_from_slice(&[0; HEADER_LEN]);
        let ciphers = Ciphers::NONE;
        Ok(Self { out, start, kind, width: width as u8, rows: rows as u32, ciphers })
    }

    /// The same block, encrypted.
    pub(crate) fn encrypted(self, ciphers: Ciphers) -> Self {
        Self { ciphers, ..self }
    }

    /// Appends `raw`, compressed where the options say so and it helps.
    pub(crate) fn squeeze(&mut self, raw: &[u8], compression: Compression) -> Result<Method> {
        squeeze(raw, compression, self.out)
    }

    /// Encrypts the payload, and fills the header in.
    pub(crate) fn seal(self, encoding: u8, method: Method, raw: usize) -> Result<()> {
        let head = &mut self.out[self.start..self.start + HEADER_LEN];
        head[0] = self.kind as u8;
        head[1] = encoding;
        head[2] = method.tag() | self.ciphers.tag();
        head[3] = self.width;
        head[4..8].copy_from_slice(&self.rows.to_le_bytes());
        head[8..12].copy_from_slice(&(raw as u32).to_le_bytes());
        if !self.ciphers.is_empty() {
            let mut authentic = [0; AUTHENTIC];
            authentic.copy_from_slice(&head[..AUTHENTIC]);
            self.ciphers.encrypt(&authentic, self.out, self.start + HEADER_LEN)?;
        }
        let (head, payload) = self.out[self.start..].split_at_mut(HEADER_LEN);
        let stored = u32::try_from(payload.len())
            .map_err(|_| Error::new(codes::LIMIT_EXCEEDED, "A block is too large"))?;
        head[12..16].copy_from_slice(&stored.to_le_bytes());
        let sum = block_checksum(&head[..16], payload);
        head[16..24].copy_from_slice(&sum.to_le_bytes());
        events::one(Event::BlocksWritten);
        events::add(Event::BlocksWrittenRows, u64::from(self.rows));
        events::add(Event::BlocksWrittenBytes, (HEADER_LEN + payload.len()) as u64);
        count_written(self.kind, encoding, method);
        Ok(())
    }
}

/// Below this, compression is not tried unless asked for.
const WORTH_TRYING: usize = 256;

fn squeeze(raw: &[u8], compression: Compression, out: &mut Vec<u8>) -> Result<Method> {
    let (method, most) = match compression {
        Compression::None => (Method::None, 0),
        Compression::Auto if raw.len() < WORTH_TRYING => (Method::None, 0),
        Compression::Auto => (Method::Lz4, raw.len() / 10 * 9),
        Compression::Lz4 => (Method::Lz4, raw.len()),
        Compression::Zstd(level) => (Method::Zstd(level), raw.len()),
    };
    if method != Method::None {
        let start = out.len();
        compress(method, raw, out)?;
        if out.len() - start < most {
            return Ok(method);
        }
        out.truncate(start);
    }
    out.extend_from_slice(raw);
    Ok(Method::None)
}

/// Appends a block of integers to `out`.
pub fn encode_ints<T: Int>(values: &[T], options: EncodeOptions, out: &mut Vec<u8>) -> Result<()> {
    encode_numbers(values, BlockKind::Ints, options, out)
}

fn encode_numbers<T: Int>(
    values: &[T],
    kind: BlockKind,
    options: EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    let plain = cast::as_bytes(values);
    let writer = Writer::new(kind, size_of::<T>(), values.len(), plain.len(), out)?;
    let mut writer = writer.encrypted(options.ciphers);
    let wanted = match options.light {
        Light::Auto => ints::choose(values),
        Light::None => Encoding::Plain,
        Light::Delta => Encoding::Delta,
        Light::DoubleDelta => Encoding::DoubleDelta,
        Light::BitPacked => Encoding::FrameOfReference,
        Light::Xor => Encoding::Xor,
    };
    if wanted == Encoding::Plain {
        let method = writer.squeeze(plain, options.compression)?;
        return writer.seal(Encoding::Plain as u8, method, plain.len());
    }
    let mut light = Vec::new();
    let mut used = ints::encode(values, wanted, &mut light);
    let start = writer.out.len();
    let mut method = writer.squeeze(&light, options.compression)?;
    let mut raw = light.len();
    let size = writer.out.len() - start;
    if options.light == Light::Auto && plain_may_win(plain, size, options.compression)? {
        let mut other = Vec::new();
        let other_method = squeeze(plain, options.compression, &mut other)?;
        // LZ4 and ZSTD decode several times slower than any light encoding.
        if other.len() < size / 10 * 8 {
            writer.out.truncate(start);
            writer.out.extend_from_slice(&other);
            (used, method, raw) = (Encoding::Plain, other_method, plain.len());
        }
    }
    writer.seal(used as u8, method, raw)
}

/// Whether compressing the plain values might beat `size` bytes; judged on a sample.
fn plain_may_win(plain: &[u8], size: usize, compression: Compression) -> Result<bool> {
    const SAMPLE: usize = 8 << 10;
    // Light encodings that save this much are not worth a second look.
    if compression == Compression::None || size < plain.len() / 8 || size < 512 {
        return Ok(false);
    }
    let middle = (plain.len() / 2).saturating_sub(SAMPLE / 2) / 8 * 8;
    let sample = &plain[middle..plain.len().min(middle + SAMPLE)];
    let mut packed = Vec::new();
    compress(Method::Lz4, sample, &mut packed)?;
    Ok((packed.len() as f64 / sample.len() as f64) < size as f64 / plain.len() as f64)
}

/// Decodes a block of `out.len()` integers.
pub fn decode_ints_into<T: Int>(block: &[u8], out: &mut [T]) -> Result<()> {
    decode_numbers(block, BlockKind::Ints, out)
}

/// Decodes a block of `rows` integers to the end of `out`.
pub fn decode_ints<T: Int>(block: &[u8], rows: usize, out: &mut Vec<T>) -> Result<()> {
    let start = out.len();
    out.resize(start + rows, T::default());
    decode_ints_into(block, &mut out[start..]).inspect_err(|_| out.truncate(start))
}

fn decode_numbers<T: Int>(block: &[u8], kind: BlockKind, out: &mut [T]) -> Result<()> {
    let (header, payload) = open(block, kind, size_of::<T>(), out.len())?;
    let payload = &*payload;
    let encoding = Encoding::from_tag(header.encoding)?;
    if header.method == Method::None {
        return ints::decode_into(encoding, payload, out);
    }
    if encoding == Encoding::Plain {
        return decompress(header.method, payload, cast::as_bytes_mut(out));
    }
    let mut light = Vec::new();
    decompress_append(header.method, payload, header.raw as usize, &mut light)?;
    ints::decode_into(encoding, &light, out)
}

/// A float, stored by its bits.
pub trait Float: Copy + Default {
    /// The unsigned integer of the same size.
    type Bits: Int;
    /// The bits of a slice.
    fn bits(values: &[Self]) -> &[Self::Bits];
    /// The bits of a slice, to be written.
    fn bits_mut(values: &mut [Self]) -> &mut [Self::Bits];
}

impl Float for f32 {
    type Bits = u32;
    fn bits(values: &[Self]) -> &[u32] {
        cast::f32_bits(values)
    }
    fn bits_mut(values: &mut [Self]) -> &mut [u32] {
        cast::f32_bits_mut(values)
    }
}

impl Float for f64 {
    type Bits = u64;
    fn bits(values: &[Self]) -> &[u64] {
        cast::f64_bits(values)
    }
    fn bits_mut(values: &mut [Self]) -> &mut [u64] {
        cast::f64_bits_mut(values)
    }
}

/// Appends a block of floats to `out`.
pub fn encode_floats<T: Float>(
    values: &[T],
    options: EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    encode_numbers(T::bits(values), BlockKind::Floats, options, out)
}

/// Decodes a block of `out.len()` floats.
pub fn decode_floats_into<T: Float>(block: &[u8], out: &mut [T]) -> Result<()> {
    decode_numbers(block, BlockKind::Floats, T::bits_mut(out))
}

/// Decodes a block of `rows` floats to the end of `out`.
pub fn decode_floats<T: Float>(block: &[u8], rows: usize, out: &mut Vec<T>) -> Result<()> {
    let start = out.len();
    out.resize(start + rows, T::default());
    decode_floats_into(block, &mut out[start..]).inspect_err(|_| out.truncate(start))
}

/// Appends a block of opaque bytes to `out`.
pub fn encode_bytes(bytes: &[u8], compression: Compression, out: &mut Vec<u8>) -> Result<()> {
    let mut writer = Writer::new(BlockKind::Bytes, 0, bytes.len(), bytes.len(), out)?;
    let method = writer.squeeze(bytes, compression)?;
    writer.seal(0, method, bytes.len())
}

/// Decodes a block of opaque bytes to the end of `out`, at most `limit` of them.
pub fn decode_bytes(block: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<()> {
    let (header, payload) = verify(block)?;
    if header.kind != BlockKind::Bytes || header.encoding != 0 || header.rows != header.raw {
        return Err(corrupted("it is not a block of bytes"));
    }
    if header.raw as usize > limit {
        return Err(corrupted("it holds more bytes than expected"));
    }
    decompress_append(header.method, &payload, header.raw as usize, out)
}

/// Calls `test` with damaged copies of `block` whose checksums are right, so that the decoders
/// behind the checksum are reached.
#[cfg(test)]
pub(crate) fn forge(block: &[u8], rng: &mut entasis_base::clock::Rng, mut test: impl FnMut(&[u8])) {
    for round in 0..40 {
        let mut bad = block.to_vec();
        for _ in 0..=rng.below(3) {
            // Mostly the first bytes of the payload, where lengths are, and of the header.
            let span = if round % 4 == 0 { bad.len() } else { bad.len().min(HEADER_LEN + 20) };
            let at = rng.below(span as u64) as usize;
            bad[at] = if round % 2 == 0 { rng.next_u64() as u8 } else { bad[at] ^ 1 };
        }
        if round % 5 == 0 {
            bad.truncate(HEADER_LEN + rng.below((bad.len() - HEADER_LEN + 1) as u64) as usize);
        }
        let stored = (bad.len() - HEADER_LEN) as u32;
        bad[12..16].copy_from_slice(&stored.to_le_bytes());
        let sum = block_checksum(&bad[..16], &bad[HEADER_LEN..]);
        bad[16..24].copy_from_slice(&sum.to_le_bytes());
        test(&bad);
    }
}

#[cfg(test)]
mod tests;
