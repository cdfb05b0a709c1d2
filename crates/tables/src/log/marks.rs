//! The marks file of a Log table, which lists the blocks in the files of its columns.
//! `docs/format/log_engine.md` describes the bytes.
//!
//! The rows of an INSERT exist once its frame does. A crash can leave an incomplete frame of an
//! INSERT that was not acknowledged; it is ignored, and the next INSERT cuts it off.

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_codec::checksum;
use entasis_disk::ByteRange;

/// The first bytes of the file. The last of them is the format's version.
const MAGIC: &[u8; 8] = b"ENTLOGM\x01";

/// Length of the header: the magic, the generation, a checksum.
const HEADER: usize = 24;

/// Length of a frame before its payload: the payload's length, its complement, a checksum.
const FRAME: usize = 16;

/// Some rows of an INSERT: one block of each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Number of rows.
    pub rows: usize,
    /// The byte range of the block in the file of each column.
    pub columns: Box<[ByteRange]>,
}

/// The content of a marks file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The number of the generation, which is part of the names of the columns' files.
    pub generation: u64,
    /// All blocks, in the order of insertion.
    pub blocks: Vec<Block>,
    /// The length of the header and the complete frames.
    pub len: u64,
}

/// The header of the marks file of a new generation, which has no rows yet.
pub(super) fn header(generation: u64) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&generation.to_le_bytes());
    out.extend_from_slice(&checksum(&out).to_le_bytes());
    out
}

/// Encodes the frame of an INSERT.
pub(super) fn frame(blocks: &[Block]) -> Vec<u8> {
    let mut payload = Vec::new();
    write_varint(&mut payload, blocks.len() as u64);
    write_varint(&mut payload, blocks.first().map_or(0, |block| block.columns.len()) as u64);
    for block in blocks {
        write_varint(&mut payload, block.rows as u64);
        block.columns.iter().for_each(|range| write_varint(&mut payload, range.len as u64));
    }
    let len = payload.len() as u32;
    let mut out = Vec::with_capacity(FRAME + payload.len());
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&(!len).to_le_bytes());
    out.extend_from_slice(&checksum(&payload).to_le_bytes());
    out.extend_from_slice(&payload);
    out
}

/// Parses the marks file of a table with this many columns.
pub(super) fn parse(bytes: &[u8], columns: usize) -> Result<Marks> {
    let mut marks = Marks { generation: generation(bytes)?, blocks: Vec::new(), len: 0 };
    let mut ends = vec![0; columns];
    let mut at = HEADER;
    while let Some(payload) = whole_frame(&bytes[at..]) {
        add_blocks(payload, &mut ends, &mut marks.blocks)?;
        at += FRAME + payload.len();
    }
    // Only the last INSERT can be incomplete: if a complete frame follows, the file is damaged.
    if (at + 1..bytes.len()).any(|later| whole_frame(&bytes[later..]).is_some()) {
        return Err(corrupted(&format!("the frame at offset {at} is not as it was written")));
    }
    marks.len = at as u64;
    Ok(marks)
}

/// Whether the header is one of a version that this build does not know.
pub(super) fn is_newer(bytes: &[u8]) -> bool {
    bytes.first_chunk::<HEADER>().is_some_and(|header| {
        header[..7] == MAGIC[..7]
            && header[7] > MAGIC[7]
            && checksum(&header[..16]) == number(&header[16..])
    })
}

fn generation(bytes: &[u8]) -> Result<u64> {
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return Err(corrupted("it ends within its header"));
    };
    if header[..7] != MAGIC[..7] {
        return Err(corrupted("it does not begin as such a file does"));
    }
    if header[7] != MAGIC[7] {
        let message = format!(
            "The file has format version {}, but this build reads only version {}: use a newer build",
            header[7], MAGIC[7]
        );
        return Err(Error::new(codes::CORRUPTED_DATA, message));
    }
    if checksum(&header[..16]) != number(&header[16..]) {
        return Err(corrupted("the checksum of its header does not match"));
    }
    Ok(number(&header[8..]))
}

/// The payload of the frame at the beginning of `bytes`; `None` if there is no complete frame.
fn whole_frame(bytes: &[u8]) -> Option<&[u8]> {
    let head = bytes.first_chunk::<FRAME>()?;
    let lengths = number(head);
    let (len, complement) = (lengths as u32, (lengths >> 32) as u32);
    if len != !complement {
        return None;
    }
    let payload = bytes[FRAME..].get(..len as usize)?;
    (checksum(payload) == number(&head[8..])).then_some(payload)
}

fn add_blocks(mut payload: &[u8], ends: &mut [u64], blocks: &mut Vec<Block>) -> Result<()> {
    let count = read_varint(&mut payload)?;
    if read_varint(&mut payload)? != ends.len() as u64 {
        return Err(corrupted("it was written for another number of columns"));
    }
    for _ in 0..count {
        let rows = read_varint(&mut payload)? as usize;
        let mut next = |end: &mut u64| {
            let range = ByteRange::new(*end, read_varint(&mut payload)? as usize);
            *end = range.end();
            Ok(range)
        };
        blocks
            .push(Block { rows, columns: ends.iter_mut().map(&mut next).collect::<Result<_>>()? });
    }
    match payload {
        [] => Ok(()),
        _ => Err(corrupted("a frame has more than its blocks")),
    }
}

/// The first eight bytes as a number; 0 if there are fewer.
fn number(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cold]
fn corrupted(what: &str) -> Error {
    Error::new(codes::CORRUPTED_DATA, format!("The file of marks is damaged: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(rows: usize, columns: &[(u64, usize)]) -> Block {
        let columns = columns.iter().map(|&(offset, len)| ByteRange::new(offset, len)).collect();
        Block { rows, columns }
    }

    fn file() -> (Vec<u8>, usize, Vec<Block>) {
        let first = vec![block(5, &[(0, 100), (0, 7)]), block(3, &[(100, 9), (7, 300)])];
        let second = vec![block(1, &[(109, 1), (307, 2)])];
        let mut bytes = header(4);
        bytes.extend(frame(&first));
        let end = bytes.len();
        bytes.extend(frame(&second));
        (bytes, end, [first, second].concat())
    }

    #[test]
    fn marks_come_back() {
        let (bytes, _, blocks) = file();
        let marks = parse(&bytes, 2).unwrap();
        assert_eq!(marks, Marks { generation: 4, blocks, len: bytes.len() as u64 });
        assert_eq!(parse(&header(9), 3).unwrap().generation, 9);
        assert!(parse(&bytes, 3).is_err());
    }

    #[test]
    fn a_torn_last_frame_is_ignored() {
        let (bytes, end, blocks) = file();
        for len in end..bytes.len() {
            let mut torn = bytes[..len].to_vec();
            for _ in 0..2 {
                let marks = parse(&torn, 2).unwrap();
                assert_eq!((marks.len, &marks.blocks[..]), (end as u64, &blocks[..2]), "{len}");
                // The file looks as if it was extended before its bytes were written.
                torn.resize(bytes.len() + 5, 0);
            }
        }
    }

    #[test]
    fn damage_before_the_last_frame_is_an_error() {
        let (bytes, end, _) = file();
        for at in 0..end {
            let mut bad = bytes.clone();
            bad[at] ^= 0x40;
            assert!(parse(&bad, 2).is_err(), "{at}");
        }
        for len in 0..HEADER {
            assert!(parse(&bytes[..len], 2).is_err());
        }
    }
}
