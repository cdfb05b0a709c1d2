//! Posting lists: in which rows of which granules of a part a token stands.
//!
//! A list is a sequence of groups, one for each granule that has the token. A group is the distance
//! from the granule before, and the rows in the smallest of three forms: differences packed to as
//! few bits as the greatest of them needs, a bitmap, or a run of consecutive rows.
//! `docs/format/text_index.md` describes the bytes.

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result};

use crate::bytes::corrupted;

/// The rows are packed differences.
const PACKED: u64 = 0;
/// The rows are a bitmap.
const BITMAP: u64 = 1;
/// The rows are consecutive.
const RUN: u64 = 2;

/// A granule has at most this many rows, so that a damaged list cannot ask for too much memory.
const MOST_ROWS: u64 = 1 << 24;

/// The rows of one granule, as words of a bitmap. It ends with its last row.
pub(crate) type Rows = Vec<u64>;

/// A posting list that grows.
#[derive(Default)]
pub(crate) struct PostingsBuilder {
    bytes: Vec<u8>,
    /// The first granule that the next group can be of.
    next: u32,
    /// The granule of the group that is not encoded yet, and its rows.
    granule: u32,
    rows: Vec<u32>,
}

impl PostingsBuilder {
    /// Adds a row, which must not be before those that were added. The same row may be added again.
    pub(crate) fn push(&mut self, granule: u32, row: u32) {
        if granule != self.granule && !self.rows.is_empty() {
            self.close();
        }
        self.granule = granule;
        if self.rows.last() != Some(&row) {
            self.rows.push(row);
        }
    }

    fn close(&mut self) {
        write_varint(&mut self.bytes, u64::from(self.granule - self.next));
        put_rows(&self.rows, &mut self.bytes);
        self.next = self.granule + 1;
        self.rows.clear();
    }

    /// The bytes of the list.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if !self.rows.is_empty() {
            self.close();
        }
        self.bytes
    }
}

/// Writes the rows of a granule, of which there is at least one.
fn put_rows(rows: &[u32], out: &mut Vec<u8>) {
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let head = |kind: u64| ((rows.len() as u64 - 1) << 2) | kind;
    if (last - first) as usize + 1 == rows.len() {
        write_varint(out, head(RUN));
        write_varint(out, first.into());
        return;
    }
    let most = rows.windows(2).map(|pair| pair[1] - pair[0] - 1).max().unwrap_or(0);
    let bits = 32 - most.leading_zeros();
    let packed = ((rows.len() - 1) * bits as usize).div_ceil(8);
    let bitmap = last as usize / 8 + 1;
    if bitmap <= packed {
        write_varint(out, head(BITMAP));
        write_varint(out, bitmap as u64);
        let start = out.len();
        out.resize(start + bitmap, 0);
        rows.iter().for_each(|row| out[start + *row as usize / 8] |= 1 << (row % 8));
        return;
    }
    write_varint(out, head(PACKED));
    write_varint(out, first.into());
    out.push(bits as u8);
    let (mut word, mut filled) = (0u64, 0);
    for pair in rows.windows(2) {
        word |= u64::from(pair[1] - pair[0] - 1) << filled;
        filled += bits;
        while filled >= 8 {
            out.push(word as u8);
            word >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        out.push(word as u8);
    }
}

/// Calls `f` for each granule of a list for which `wanted` answers true, with the rows.
pub(crate) fn read(
    list: &[u8],
    wanted: &dyn Fn(u32) -> bool,
    f: &mut dyn FnMut(u32, Rows),
) -> Result<()> {
    let mut input = list;
    let mut next = 0u64;
    while !input.is_empty() {
        let granule = next.checked_add(number(&mut input)?).and_then(|g| u32::try_from(g).ok());
        let granule = granule.ok_or_else(damaged)?;
        next = u64::from(granule) + 1;
        let wanted = wanted(granule);
        let rows = take_rows(&mut input, wanted)?;
        if wanted {
            f(granule, rows);
        }
    }
    Ok(())
}

#[cold]
fn damaged() -> Error {
    corrupted("a posting list of a text index is damaged")
}

fn number(input: &mut &[u8]) -> Result<u64> {
    read_varint(input).map_err(|_| damaged())
}

fn bytes<'a>(input: &mut &'a [u8], count: usize) -> Result<&'a [u8]> {
    let (bytes, rest) = input.split_at_checked(count).ok_or_else(damaged)?;
    *input = rest;
    Ok(bytes)
}

/// Reads the rows of a granule. Unless they are wanted, they are only passed over.
fn take_rows(input: &mut &[u8], wanted: bool) -> Result<Rows> {
    let head = number(input)?;
    let count = (head >> 2) + 1;
    if count > MOST_ROWS {
        return Err(damaged());
    }
    match head & 3 {
        BITMAP => {
            let len = usize::try_from(number(input)?).map_err(|_| damaged())?;
            let bitmap = bytes(input, len)?;
            if !wanted {
                return Ok(Vec::new());
            }
            let word = |chunk: &[u8]| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            };
            Ok(bitmap.chunks(8).map(word).collect())
        }
        RUN => {
            let first = number(input)?;
            let end = first.checked_add(count).filter(|end| *end <= MOST_ROWS);
            let end = end.ok_or_else(damaged)?;
            let mut rows = Rows::new();
            if wanted {
                (first..end).for_each(|row| set(&mut rows, row));
            }
            Ok(rows)
        }
        PACKED => packed(input, count, wanted),
        _ => Err(damaged()),
    }
}

fn packed(input: &mut &[u8], count: u64, wanted: bool) -> Result<Rows> {
    let mut row = number(input)?;
    let bits = u32::from(bytes(input, 1)?[0]);
    if bits > 32 || row >= MOST_ROWS {
        return Err(damaged());
    }
    let len = ((count - 1) * u64::from(bits)).div_ceil(8);
    let packed = bytes(input, usize::try_from(len).map_err(|_| damaged())?)?;
    let mut rows = Rows::new();
    if !wanted {
        return Ok(rows);
    }
    set(&mut rows, row);
    let (mut word, mut filled, mut packed) = (0u64, 0, packed.iter());
    for _ in 1..count {
        while filled < bits {
            word |= u64::from(*packed.next().ok_or_else(damaged)?) << filled;
            filled += 8;
        }
        row += (word & ((1u64 << bits) - 1)) + 1;
        word >>= bits;
        filled -= bits;
        if row >= MOST_ROWS {
            return Err(damaged());
        }
        set(&mut rows, row);
    }
    Ok(rows)
}

fn set(rows: &mut Rows, row: u64) {
    let word = row as usize / 64;
    if rows.len() <= word {
        rows.resize(word + 1, 0);
    }
    rows[word] |= 1 << (row % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(groups: &[(u32, Vec<u32>)]) -> Vec<u8> {
        let mut builder = PostingsBuilder::default();
        for (granule, rows) in groups {
            rows.iter().for_each(|row| builder.push(*granule, *row));
            builder.push(*granule, rows[rows.len() - 1]);
        }
        builder.finish()
    }

    fn ones(rows: &Rows) -> Vec<u32> {
        (0..rows.len() as u32 * 64)
            .filter(|i| rows[*i as usize / 64] >> (i % 64) & 1 == 1)
            .collect()
    }

    fn groups() -> Vec<(u32, Vec<u32>)> {
        vec![
            (0, vec![0]),
            (1, vec![8191]),
            (2, (0..8192).collect()),
            (3, (5..70).collect()),
            (7, vec![1, 3, 1000, 8000]),
            (8, (0..8192).filter(|i| i % 3 != 0).collect()),
            (900, (0..8192).step_by(17).collect()),
            (901, vec![0, 65535]),
        ]
    }

    #[test]
    fn lists_round_trip() {
        let groups = groups();
        let bytes = list(&groups);
        let mut back = Vec::new();
        read(&bytes, &|_| true, &mut |granule, rows| back.push((granule, ones(&rows)))).unwrap();
        assert_eq!(back, groups);
        let mut some = Vec::new();
        read(&bytes, &|g| g % 2 == 1, &mut |granule, rows| some.push((granule, ones(&rows))))
            .unwrap();
        let odd: Vec<_> = groups.into_iter().filter(|(granule, _)| granule % 2 == 1).collect();
        assert_eq!(some, odd);
        assert!(list(&[(3, vec![7])]).len() <= 3);
    }

    #[test]
    fn damaged_lists_are_errors_or_other_lists() {
        let bytes = list(&groups());
        for at in 0..bytes.len() {
            let _ = read(&bytes[..at], &|_| true, &mut |_, _| {});
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                let _ = read(&other, &|_| true, &mut |_, _| {});
            }
        }
        assert!(read(&[0, 0xFF], &|_| true, &mut |_, _| {}).is_err());
    }
}
