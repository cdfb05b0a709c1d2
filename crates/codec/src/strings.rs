//! Blocks of strings: lengths bit-packed, bytes contiguous and compressed, or a dictionary.
//!
//! Payload: length of the front part (u32), front part, then the bytes part, which alone is
//! compressed. By encoding tag:
//!
//! | tag | encoding | front | bytes |
//! |---|---|---|---|
//! | 0 | plain | nested lengths of the rows | the rows' bytes |
//! | 1 | constant | empty | one row's bytes |
//! | 2 | dictionary | size (u32), nested lengths of the entries, width (u8), packed codes | the
//! entries' bytes |
//!
//! "Nested" and "packed" are those of [`crate::ints`]. Invariant: lengths add up to the bytes
//! exactly; codes are checked against the size before use.

use crate::block::{BlockKind, Header, Writer, open};
use crate::compress::{MAX_RAW, decompress_append};
use crate::input::{Input, corrupted, put_int};
use crate::ints::{put_nested, take_nested};
use crate::options::{EncodeOptions, Light};
use entasis_base::{Error, Result, codes};
use entasis_simd::bitpack::{pack, packed_len, unpack_add, width_for};
use entasis_simd::gather::gather_bytes;
use entasis_simd::hash::hash_bytes;

const PLAIN: u8 = 0;
const CONSTANT: u8 = 1;
const DICTIONARY: u8 = 2;

/// The largest dictionary of one block.
const MAX_DICTIONARY: usize = 1 << 16;

/// Appends a block of the strings (`offsets` of n + 1 entries into `data`) to `out`. Offsets may
/// begin above 0.
pub fn encode_strings(
    offsets: &[u32],
    data: &[u8],
    options: EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    let rows = offsets.len().saturating_sub(1);
    let (from, to) = match offsets {
        [first, .., last] => (*first as usize, *last as usize),
        _ => (0, 0),
    };
    let bytes = &data[from..to];
    let writer = Writer::new(BlockKind::Strings, 0, rows, bytes.len(), out)?;
    let mut writer = writer.encrypted(options.ciphers);
    if options.light == Light::Auto {
        if is_constant(offsets, data) {
            return finish(writer, CONSTANT, &[], row(offsets, data, 0), options);
        }
        if let Some(dictionary) = Dictionary::build(offsets, data) {
            let mut front = Vec::new();
            put_int(dictionary.lengths.len() as u32, &mut front);
            put_nested(&dictionary.lengths, &mut front);
            let width = width_for(dictionary.lengths.len() as u64 - 1);
            front.push(width as u8);
            pack(&dictionary.codes, 0, width, &mut front);
            return finish(writer, DICTIONARY, &front, &dictionary.data, options);
        }
    }
    let lengths: Vec<u32> = offsets.windows(2).map(|p| p[1] - p[0]).collect();
    // Written in place: most blocks come this way.
    let at = writer.out.len();
    writer.out.extend_from_slice(&[0; 4]);
    put_nested(&lengths, writer.out);
    let front = (writer.out.len() - at - 4) as u32;
    writer.out[at..at + 4].copy_from_slice(&front.to_le_bytes());
    let method = writer.squeeze(bytes, options.compression)?;
    writer.seal(PLAIN, method, bytes.len())
}

fn finish(
    mut writer: Writer<'_>,
    encoding: u8,
    front: &[u8],
    bytes: &[u8],
    options: EncodeOptions,
) -> Result<()> {
    put_int(front.len() as u32, writer.out);
    writer.out.extend_from_slice(front);
    let method = writer.squeeze(bytes, options.compression)?;
    writer.seal(encoding, method, bytes.len())
}

#[inline]
fn row<'a>(offsets: &[u32], data: &'a [u8], i: usize) -> &'a [u8] {
    &data[offsets[i] as usize..offsets[i + 1] as usize]
}

fn is_constant(offsets: &[u32], data: &[u8]) -> bool {
    let rows = offsets.len().saturating_sub(1);
    rows > 0 && {
        let first = row(offsets, data, 0);
        (1..rows).all(|i| row(offsets, data, i) == first)
    }
}

/// Distinct strings in order of first appearance, and the code of every row.
struct Dictionary {
    lengths: Vec<u32>,
    data: Vec<u8>,
    codes: Vec<u32>,
}

impl Dictionary {
    /// `None` where a dictionary would not pay: judged on a sample of rows first.
    fn build(offsets: &[u32], data: &[u8]) -> Option<Self> {
        let rows = offsets.len().saturating_sub(1);
        let bytes = (offsets.last()? - offsets.first()?) as usize;
        // Short strings gain nothing that LZ4 or bit-packed lengths would not.
        if rows < 64 || bytes < rows {
            return None;
        }
        let step = (rows / 256).max(1);
        let mut sample: Vec<&[u8]> =
            (0..rows).step_by(step).take(256).map(|i| row(offsets, data, i)).collect();
        let seen = sample.len();
        sample.sort_unstable();
        sample.dedup();
        if sample.len() > seen / 2 {
            return None;
        }
        let limit = (rows / 8).min(MAX_DICTIONARY);
        let mut slots = vec![0u32; (limit * 2).next_power_of_two().max(2)];
        let mut this = Self { lengths: vec![], data: vec![], codes: Vec::with_capacity(rows) };
        // Where each entry first appeared, to compare against.
        let mut firsts: Vec<&[u8]> = Vec::new();
        for i in 0..rows {
            let text = row(offsets, data, i);
            let mut at = hash_bytes(text) as usize & (slots.len() - 1);
            let code = loop {
                match slots[at] {
                    0 => {
                        if firsts.len() >= limit {
                            return None;
                        }
                        firsts.push(text);
                        this.lengths.push(text.len() as u32);
                        this.data.extend_from_slice(text);
                        slots[at] = firsts.len() as u32;
                        break firsts.len() as u32 - 1;
                    }
                    code if firsts[code as usize - 1] == text => break code - 1,
                    _ => at = (at + 1) & (slots.len() - 1),
                }
            };
            this.codes.push(code);
        }
        let size = this.data.len() + packed_len(rows, width_for(firsts.len() as u64));
        (size < bytes / 2).then_some(this)
    }
}

/// Strings as codes into a dictionary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DictStrings {
    /// Offsets of the entries, one more than there are.
    pub offsets: Vec<u32>,
    /// Bytes of the entries.
    pub data: Vec<u8>,
    /// The entry of each row.
    pub codes: Vec<u32>,
}

/// Decodes a block of `rows` strings to the end of (`out_offsets`, `out_data`); the former gets a
/// first entry (the present length of the latter) when it is empty.
pub fn decode_strings(
    block: &[u8],
    rows: usize,
    out_offsets: &mut Vec<u32>,
    out_data: &mut Vec<u8>,
) -> Result<()> {
    let (header, payload) = open(block, BlockKind::Strings, 0, rows)?;
    let payload = &*payload;
    let (had_offsets, had_data) = (out_offsets.len(), out_data.len());
    let result = if header.encoding == PLAIN {
        decode_plain(header, payload, out_offsets, out_data)
    } else {
        decode_parts(header, payload).and_then(|parts| expand(&parts, out_offsets, out_data))
    };
    if result.is_err() {
        out_offsets.truncate(had_offsets);
        out_data.truncate(had_data);
    }
    result
}

/// The lengths of the strings of a block of `rows` strings, whose bytes are not decompressed.
pub fn decode_lengths(block: &[u8], rows: usize) -> Result<Vec<u64>> {
    let (header, payload) = open(block, BlockKind::Strings, 0, rows)?;
    let payload = &*payload;
    if header.encoding == PLAIN {
        let (mut front, _) = fronts(payload)?;
        let lengths = take_nested::<u32>(&mut front, rows)?;
        front.finish()?;
        return Ok(lengths.into_iter().map(u64::from).collect());
    }
    let (ends, codes, _) = decode_codes(header, payload)?;
    let length = |&code: &u32| u64::from(ends[code as usize + 1] - ends[code as usize]);
    Ok(codes.iter().map(length).collect())
}

/// Decodes a block of `rows` strings as a dictionary if it was written as one (or as a constant);
/// `None` if it holds plain strings.
pub fn decode_strings_dict(block: &[u8], rows: usize) -> Result<Option<DictStrings>> {
    let (header, payload) = open(block, BlockKind::Strings, 0, rows)?;
    let payload = &*payload;
    if header.encoding == PLAIN {
        return Ok(None);
    }
    decode_parts(header, payload).map(Some)
}

fn fronts(payload: &[u8]) -> Result<(Input<'_>, &[u8])> {
    let mut input = Input(payload);
    let len = input.u32()? as usize;
    let front = input.take(len)?;
    Ok((Input(front), input.0))
}

fn decode_plain(
    header: Header,
    payload: &[u8],
    out_offsets: &mut Vec<u32>,
    out_data: &mut Vec<u8>,
) -> Result<()> {
    let (mut front, bytes) = fronts(payload)?;
    let lengths = take_nested::<u32>(&mut front, header.rows as usize)?;
    front.finish()?;
    append_offsets(&lengths, header.raw, out_data.len(), out_offsets)?;
    decompress_append(header.method, bytes, header.raw as usize, out_data)
}

/// Ends of strings of these lengths, which must sum up to `total`, from `start` on.
fn append_offsets(lengths: &[u32], total: u32, start: usize, out: &mut Vec<u32>) -> Result<()> {
    if entasis_simd::sum::sum(lengths) != u64::from(total) {
        return Err(corrupted("lengths of strings do not add up"));
    }
    if start + total as usize > u32::MAX as usize {
        return Err(too_large());
    }
    let mut end = start as u32;
    if out.is_empty() {
        out.push(end);
    }
    out.extend(lengths.iter().map(|&len| {
        end += len;
        end
    }));
    Ok(())
}

#[cold]
fn too_large() -> Error {
    Error::new(codes::TOO_LARGE_STRING_SIZE, "Strings of one column chunk exceed 4 GiB")
}

fn decode_parts(header: Header, payload: &[u8]) -> Result<DictStrings> {
    let (offsets, codes, bytes) = decode_codes(header, payload)?;
    let mut data = Vec::new();
    decompress_append(header.method, bytes, header.raw as usize, &mut data)?;
    Ok(DictStrings { offsets, data, codes })
}

/// Offsets of the entries of a dictionary, the entry of each row, and the compressed bytes of the
/// entries.
fn decode_codes(header: Header, payload: &[u8]) -> Result<(Vec<u32>, Vec<u32>, &[u8])> {
    let rows = header.rows as usize;
    let (mut front, bytes) = fronts(payload)?;
    let mut offsets = Vec::new();
    let codes = match header.encoding {
        CONSTANT => {
            offsets = vec![0, header.raw];
            vec![0; rows]
        }
        DICTIONARY => {
            let size = front.u32()? as usize;
            if size == 0 || size > MAX_DICTIONARY {
                return Err(corrupted("dictionary size"));
            }
            append_offsets(&take_nested::<u32>(&mut front, size)?, header.raw, 0, &mut offsets)?;
            let width = u32::from(front.byte()?);
            if width > 32 {
                return Err(corrupted("width of dictionary codes"));
            }
            let packed = front.take(packed_len(rows, width))?;
            let mut codes = vec![0u32; rows];
            if !unpack_add(packed, width, 0, &mut codes) {
                return Err(corrupted("dictionary codes"));
            }
            if codes.iter().fold(0, |m, &c| m.max(c)) as usize >= size {
                return Err(corrupted("dictionary code out of bounds"));
            }
            codes
        }
        _ => return Err(corrupted("unknown string encoding")),
    };
    front.finish()?;
    Ok((offsets, codes, bytes))
}

fn expand(parts: &DictStrings, out_offsets: &mut Vec<u32>, out_data: &mut Vec<u8>) -> Result<()> {
    let codes = &parts.codes;
    let length = |&c: &u32| u64::from(parts.offsets[c as usize + 1] - parts.offsets[c as usize]);
    let total: u64 = codes.iter().map(length).sum();
    // Every encoder stays below this; it bounds what a crafted block can make us take.
    if total > MAX_RAW as u64 || total + out_data.len() as u64 > u64::from(u32::MAX) {
        return Err(too_large());
    }
    gather_bytes(&parts.offsets, &parts.data, codes, out_offsets, out_data);
    Ok(())
}

#[cfg(test)]
mod tests;
