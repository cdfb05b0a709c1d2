//! Reads subcolumns (`arr.size0`) from the streams that they need.
//!
//! A granule has one block per stream of its type, in the order that [`streams`] describes. A
//! subcolumn needs some of these. If the footer has the length of every stream, only the needed
//! blocks are read from the file; otherwise the whole granule is read, and the other blocks are
//! skipped by their headers. In both cases these are neither decompressed nor verified.

use entasis_base::Result;
use entasis_codec::{block, strings};
use entasis_column::{Column, subcolumn};
use entasis_types::{DataType, Step, SubcolumnPath};

use super::manifest::Span;
use super::streams::{self, Blocks};
use crate::bytes::corrupted;

/// The number of streams of a type.
pub(crate) fn count(ty: &DataType) -> usize {
    match ty.storage() {
        DataType::Nothing => 0,
        DataType::Nullable(inner) | DataType::Array(inner) => 1 + count(inner),
        DataType::Tuple(tuple) => tuple.types.iter().map(count).sum(),
        _ => 1,
    }
}

/// The number of streams of a type whose lengths are in the footer: all but the last, whose length
/// follows from the others; none if the number of blocks differs from granule to granule.
pub(crate) fn known_lens(ty: &DataType) -> usize {
    if ty.has_variant() { 0 } else { count(ty).saturating_sub(1) }
}

/// Adds the numbers of the streams that a subcolumn of `ty` needs, ascending. `first` is the number
/// of the first stream of `ty`, and `depth` the number of arrays around it.
fn needed(ty: &DataType, steps: &[Step], depth: usize, first: usize, out: &mut Vec<usize>) {
    let Some((step, rest)) = steps.split_first() else {
        out.extend(first..first + count(ty));
        return;
    };
    match (ty.storage(), step) {
        (DataType::Array(inner), _) if steps.last() != Some(&Step::Size(depth)) => {
            out.push(first);
            needed(inner, steps, depth + 1, first + 1, out);
        }
        (DataType::Nullable(inner), Step::StringSize | Step::Element(_)) => {
            out.push(first);
            needed(inner, steps, depth, first + 1, out);
        }
        (DataType::Tuple(tuple), Step::Element(i)) if *i < tuple.types.len() => {
            let before: usize = tuple.types[..*i].iter().map(count).sum();
            needed(&tuple.types[*i], rest, depth, first + before, out);
        }
        _ => out.push(first),
    }
}

/// Decodes a subcolumn with `depth` arrays around it from the blocks of the streams that it needs.
fn decode<'a>(
    ty: &DataType,
    steps: &[Step],
    depth: usize,
    input: &mut impl Blocks<'a>,
    rows: usize,
) -> Result<Column> {
    let Some((step, rest)) = steps.split_first() else { return streams::decode(ty, input, rows) };
    Ok(match (ty.storage(), step) {
        (DataType::Nullable(inner), _) => {
            let validity = streams::validity(input, rows)?;
            match step {
                Step::Null => Column::from_mask(&validity.not()),
                _ => Column::nullable(decode(inner, steps, depth, input, rows)?, validity),
            }
        }
        (DataType::Array(inner), _) => {
            let offsets = streams::offsets(input, rows)?;
            if steps.last() == Some(&Step::Size(depth)) {
                return Ok(subcolumn::lengths(&offsets));
            }
            let values = decode(inner, steps, depth + 1, input, offsets[rows] as usize)?;
            Column::array(offsets.into(), values)
        }
        (DataType::Tuple(tuple), Step::Element(i)) if *i < tuple.types.len() => {
            decode(&tuple.types[*i], rest, depth, input, rows)?
        }
        (DataType::String, Step::StringSize) => {
            strings::decode_lengths(streams::next_block(input, rows)?, rows)?.into()
        }
        _ => return Err(entasis_base::Error::logical(format!("{ty} does not have such a part"))),
    })
}

/// The lengths of a granule's blocks, one per stream of `ty`. `None` if the granule holds codes
/// into a dictionary, whose blocks are not those of the type, or if the number of blocks differs
/// from granule to granule, as with a Variant.
pub(crate) fn block_lens(ty: &DataType, bytes: &[u8]) -> Result<Option<Vec<u32>>> {
    if ty.has_variant() {
        return Ok(None);
    }
    if is_text(ty) && streams::holds_codes(bytes)? {
        return Ok(None);
    }
    let (mut rest, mut lens) = (bytes, Vec::with_capacity(count(ty)));
    while !rest.is_empty() {
        let (head, behind) = block::split(rest)?;
        lens.push(head.len() as u32);
        rest = behind;
    }
    if lens.len() != count(ty) {
        return Err(corrupted("a granule has another number of blocks than its type has streams"));
    }
    Ok(Some(lens))
}

/// The lengths of a granule's streams for the footer. As [`block_lens`], except for granules of
/// codes: if their own dictionary contains NULL, the codes count as part of the stream of bits; a
/// granule of codes alone gets zeros.
pub(crate) fn stream_lens(ty: &DataType, bytes: &[u8]) -> Result<Vec<u32>> {
    if let Some(lens) = block_lens(ty, bytes)? {
        return Ok(lens);
    }
    let (codes, rest) = block::split(bytes)?;
    if rest.is_empty() || !ty.is_nullable() {
        return Ok(vec![0; count(ty)]);
    }
    let (bits, strings) = block::split(rest)?;
    Ok(vec![(codes.len() + bits.len()) as u32, strings.len() as u32])
}

/// Which rows of a granule of codes are NULL, from the codes and the bits of its own dictionary.
fn null_of_codes(mut blocks: &[u8], rows: usize) -> Result<Column> {
    let codes = streams::codes(&mut blocks, rows)?;
    let values = codes.iter().max().map_or(0, |&most| most as usize + 1);
    let is_null = streams::validity(&mut blocks, values)?.not();
    let null = |&code: &u32| u8::from(is_null.get(code as usize));
    Ok(Column::from(codes.iter().map(null).collect::<Vec<u8>>()))
}

/// The lengths of the strings of a granule of codes; `None` without a dictionary of its own.
fn sizes_of_codes(mut blocks: &[u8], rows: usize) -> Result<Option<Column>> {
    let codes = streams::codes(&mut blocks, rows)?;
    if blocks.is_empty() {
        return Ok(None);
    }
    let values = codes.iter().max().map_or(0, |&most| most as usize + 1);
    let sizes = strings::decode_lengths(streams::next_block(&mut blocks, values)?, values)?;
    Ok(Some(Column::from(codes.iter().map(|&code| sizes[code as usize]).collect::<Vec<u64>>())))
}

/// Whether granules of the type may be codes into a dictionary.
fn is_text(ty: &DataType) -> bool {
    *ty.without_nullable() == DataType::String
}

/// A reader of a subcolumn of a segment's column.
#[derive(Debug)]
pub(crate) struct PartReader {
    ty: DataType,
    path: SubcolumnPath,
    /// The numbers of the streams that the subcolumn needs.
    streams: Vec<usize>,
    /// For every stream but the last: its length in each granule, as [`stream_lens`] returns it.
    /// Empty if the segment does not have the lengths.
    lens: Vec<Vec<u32>>,
}

/// Which bytes of a granule are read.
pub(crate) enum Wanted {
    /// All blocks of the granule.
    Whole,
    /// The blocks of the needed streams.
    Streams(Vec<Span>),
}

impl PartReader {
    pub(crate) fn new(ty: &DataType, path: &SubcolumnPath, lens: Vec<Vec<u32>>) -> Self {
        let mut streams = Vec::new();
        needed(ty, path.steps(), 0, 0, &mut streams);
        Self { ty: ty.clone(), path: path.clone(), streams, lens }
    }

    /// Whether the subcolumn is `null` of the column itself.
    fn is_null(&self) -> bool {
        self.path.steps() == [Step::Null]
    }

    /// Takes the subcolumn from a whole column.
    pub(crate) fn of_whole(&self, column: &Column) -> Result<Column> {
        subcolumn::subcolumn(column, self.path.steps())
    }

    /// Which bytes of a granule must be read.
    pub(crate) fn wanted(&self, granule: usize, whole: Span) -> Wanted {
        if is_text(&self.ty) && !self.is_null() {
            // The dictionary's values are needed, and their place is known only from the blocks.
            return Wanted::Whole;
        }
        let lens: Option<Vec<u64>> =
            self.lens.iter().map(|lens| lens.get(granule).map(|&len| u64::from(len))).collect();
        let Some(mut lens) = lens.filter(|lens| lens.first().is_some_and(|&len| len > 0)) else {
            return Wanted::Whole;
        };
        let known: u64 = lens.iter().sum();
        let Some(last) = whole.len.checked_sub(known) else { return Wanted::Whole };
        lens.push(last);
        let span = |&stream: &usize| {
            let before: u64 = lens[..stream].iter().sum();
            Span { offset: whole.offset + before, len: lens[stream] }
        };
        Wanted::Streams(self.streams.iter().map(span).collect())
    }

    /// Decodes the subcolumn from the blocks of the needed streams.
    pub(crate) fn of_streams(&self, blocks: &[&[u8]], rows: usize) -> Result<Column> {
        if let [first] = blocks
            && is_text(&self.ty)
            && self.is_null()
            && streams::holds_codes(first)?
        {
            return null_of_codes(first, rows);
        }
        decode(&self.ty, self.path.steps(), 0, &mut blocks.iter(), rows)
    }

    /// Decodes the subcolumn from the blocks of a whole granule; `None` if these are codes into a
    /// dictionary and the subcolumn needs its values.
    pub(crate) fn of_blocks(&self, bytes: &[u8], rows: usize) -> Result<Option<Column>> {
        if self.ty == DataType::String
            && self.path.steps() == [Step::StringSize]
            && streams::holds_codes(bytes)?
        {
            return sizes_of_codes(bytes, rows);
        }
        let Some(lens) = block_lens(&self.ty, bytes)? else { return Ok(None) };
        let block = |&stream: &usize| {
            let before: usize = lens[..stream].iter().map(|&len| len as usize).sum();
            &bytes[before..before + lens[stream] as usize]
        };
        let blocks: Vec<&[u8]> = self.streams.iter().map(block).collect();
        self.of_streams(&blocks, rows).map(Some)
    }
}
