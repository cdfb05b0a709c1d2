//! The sections of the footer: the writer encodes them once, the reader decodes them column by
//! column when they are needed.
//!
//! Unknown tags are skipped, so later versions may add sections.

use std::collections::BTreeSet;

use entasis_base::Result;
use entasis_base::varint::write_varint;
use entasis_codec::{EncodeOptions, block};
use entasis_column::Column;
use entasis_table_api::DistinctSketch;
use entasis_table_api::statistics::Summary;
use entasis_types::{DataType, Value};

use super::stats::{ColumnStats, Extent, GranuleExtents};
use super::{streams, summary};
use crate::bytes::{Input, corrupted, put_bytes, put_section, put_value};
use crate::column_ids;

/// Tags of the footer's sections.
pub(crate) mod tag {
    pub(crate) const SCHEMA: u64 = 1;
    pub(crate) const ROWS: u64 = 2;
    pub(crate) const COLUMN: u64 = 3;
    pub(crate) const INDEX: u64 = 4;
    pub(crate) const KEYS: u64 = 5;
    pub(crate) const CREATED: u64 = 6;
    pub(crate) const COLUMN_IDS: u64 = 7;
    pub(crate) const CODEC: u64 = 8;
}

/// Tags within a column's section.
mod column_tag {
    pub(super) const LAYOUT: u64 = 1;
    pub(super) const BLOCKS: u64 = 2;
    pub(super) const BYTES: u64 = 3;
    pub(super) const COUNTS: u64 = 4;
    pub(super) const EXTENT: u64 = 5;
    pub(super) const SKETCH: u64 = 6;
    pub(super) const GRANULE_EXTENTS: u64 = 7;
    pub(super) const STREAMS: u64 = 8;
    pub(super) const REGISTERS: u64 = 9;
    pub(super) const SUMMARY: u64 = 10;
}

/// How the values of a column are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Blocks of values.
    Plain = 0,
    /// One value for all rows, no blocks.
    Constant = 1,
    /// Blocks of codes into the segment's dictionary, or of strings after it was given up.
    Dictionary = 2,
}

/// A run of bytes in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

impl Span {
    /// Whether this span contains `other`.
    pub(crate) fn holds(self, other: Self) -> bool {
        other.offset >= self.offset && other.offset + other.len <= self.offset + self.len
    }
}

/// The metadata that a segment has of one column.
#[derive(Debug)]
pub(crate) struct ColumnMeta {
    pub(crate) mode: Mode,
    /// The span of the constant or of the dictionary's values.
    pub(crate) values: Span,
    pub(crate) values_rows: usize,
    /// The blocks of each granule; empty for a constant column.
    pub(crate) granules: Vec<Span>,
    pub(crate) stored_bytes: u64,
    pub(crate) stats: ColumnStats,
    /// The least and the greatest value of each granule, as columns of the plain type.
    pub(crate) extents: Option<(Column, Column)>,
}

impl ColumnMeta {
    /// The metadata that a segment would have of a column with one value in all rows. Its spans are
    /// empty.
    pub(crate) fn of_constant(value: &Column, rows: u64) -> Self {
        let mut meta = Self::empty();
        meta.mode = Mode::Constant;
        let column = Column::constant(value.clone(), rows as usize);
        meta.stats.add(&column);
        meta.stats.add_distinct(&column);
        meta
    }

    fn empty() -> Self {
        Self {
            mode: Mode::Plain,
            values: Span::default(),
            values_rows: 0,
            granules: Vec::new(),
            stored_bytes: 0,
            stats: ColumnStats::default(),
            extents: None,
        }
    }
}

/// A complete column, as the writer passes it to [`encode_column`].
pub(crate) struct ColumnRecord<'a> {
    pub(crate) mode: Mode,
    pub(crate) values: Span,
    pub(crate) values_rows: usize,
    /// Offset and number of granules of each run of adjacent granules.
    pub(crate) runs: &'a [(u64, usize)],
    pub(crate) lens: &'a [u32],
    /// For every stream but the last: its length in each granule.
    pub(crate) streams: &'a [Vec<u32>],
    pub(crate) stats: &'a ColumnStats,
    pub(crate) summary: Option<&'a Summary>,
    pub(crate) extents: Option<GranuleExtents>,
}

/// Encodes the payload of a column's section.
pub(crate) fn encode_column(index: usize, ty: &DataType, record: ColumnRecord) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    write_varint(&mut out, index as u64);
    let mut part = vec![record.mode as u8];
    write_varint(&mut part, record.values.offset);
    write_varint(&mut part, record.values.len);
    write_varint(&mut part, record.values_rows as u64);
    put_section(&mut out, column_tag::LAYOUT, &part);

    part.clear();
    write_varint(&mut part, record.runs.len() as u64);
    for (offset, granules) in record.runs {
        write_varint(&mut part, *offset);
        write_varint(&mut part, *granules as u64);
    }
    block::encode_ints(record.lens, EncodeOptions::default(), &mut part)?;
    put_section(&mut out, column_tag::BLOCKS, &part);
    if !record.lens.is_empty() && record.streams.iter().any(|lens| lens.iter().any(|&l| l > 0)) {
        part.clear();
        for lens in record.streams {
            block::encode_ints(lens, EncodeOptions::default(), &mut part)?;
        }
        put_section(&mut out, column_tag::STREAMS, &part);
    }

    let stored = record.lens.iter().map(|&l| u64::from(l)).sum::<u64>() + record.values.len;
    part.clear();
    write_varint(&mut part, stored);
    write_varint(&mut part, record.stats.raw_bytes);
    put_section(&mut out, column_tag::BYTES, &part);

    part.clear();
    write_varint(&mut part, record.stats.nulls);
    write_varint(&mut part, record.stats.defaults);
    put_section(&mut out, column_tag::COUNTS, &part);

    part.clear();
    put_extent(&mut part, &record.stats.extent);
    put_section(&mut out, column_tag::EXTENT, &part);
    let registers = summary::encode_sketch(&record.stats.sketch);
    put_section(&mut out, column_tag::REGISTERS, &registers);
    if let Some(summary) = record.summary {
        put_section(&mut out, column_tag::SUMMARY, &summary::encode_summary(summary));
    }
    if let Some(extents) = record.extents.filter(|e| e.varies) {
        let plain = ty.without_nullable();
        part.clear();
        let options = EncodeOptions::default();
        streams::encode(plain, &extents.min.finish(), options, &mut part)?;
        streams::encode(plain, &extents.max.finish(), options, &mut part)?;
        put_section(&mut out, column_tag::GRANULE_EXTENTS, &part);
    }
    Ok(out)
}

fn put_extent(out: &mut Vec<u8>, extent: &Extent) {
    match extent {
        Extent::Empty => out.push(0),
        Extent::Unknown => out.push(1),
        Extent::Range { min, max, exact } => {
            out.push(2 + u8::from(*exact));
            put_value(out, min);
            put_value(out, max);
        }
    }
}

fn take_extent(input: &mut Input) -> Result<Extent> {
    Ok(match input.byte()? {
        0 => Extent::Empty,
        1 => Extent::Unknown,
        kind @ (2 | 3) => {
            Extent::Range { min: input.value()?, max: input.value()?, exact: kind == 3 }
        }
        _ => return Err(corrupted("unknown kind of extent")),
    })
}

/// Decodes a column's section (after its index). `data_end` is the offset of the footer.
pub(crate) fn decode_column(
    payload: &[u8],
    ty: &DataType,
    granules: usize,
    data_end: u64,
) -> Result<ColumnMeta> {
    let mut meta = ColumnMeta::empty();
    let mut sections = Input(payload);
    while let Some((tag, payload)) = sections.section()? {
        let mut input = Input(payload);
        match tag {
            column_tag::LAYOUT => {
                meta.mode = match input.byte()? {
                    0 => Mode::Plain,
                    1 => Mode::Constant,
                    2 => Mode::Dictionary,
                    _ => return Err(corrupted("unknown layout of a column")),
                };
                meta.values = Span { offset: input.varint()?, len: input.varint()? };
                meta.values_rows = input.varint()? as usize;
                check_span(meta.values, data_end)?;
            }
            column_tag::BLOCKS => meta.granules = take_blocks(&mut input, granules, data_end)?,
            column_tag::BYTES => {
                meta.stored_bytes = input.varint()?;
                meta.stats.raw_bytes = input.varint()?;
            }
            column_tag::COUNTS => {
                meta.stats.nulls = input.varint()?;
                meta.stats.defaults = input.varint()?;
            }
            column_tag::EXTENT => meta.stats.extent = take_extent(&mut input)?,
            column_tag::SKETCH => {
                meta.stats.sketch = DistinctSketch::of_registers(payload).unwrap_or_default();
            }
            column_tag::REGISTERS => {
                meta.stats.sketch = summary::decode_sketch(payload).unwrap_or_default();
            }
            column_tag::GRANULE_EXTENTS => {
                let mut rest = payload;
                let plain = ty.without_nullable();
                let min = streams::decode(plain, &mut rest, granules)?;
                meta.extents = Some((min, streams::decode(plain, &mut rest, granules)?));
            }
            _ => {}
        }
    }
    let has_blocks = !ty_has_no_blocks(ty);
    if meta.mode != Mode::Constant && has_blocks && meta.granules.len() != granules {
        return Err(corrupted("a column lacks blocks"));
    }
    Ok(meta)
}

/// For every stream of a column but the last: its length in each granule, from the column's section
/// (after its index). Empty if the section does not have the lengths.
pub(crate) fn decode_streams(
    payload: &[u8],
    streams: usize,
    granules: usize,
) -> Result<Vec<Vec<u32>>> {
    let mut sections = Input(payload);
    while let Some((tag, mut blocks)) = sections.section()? {
        if tag != column_tag::STREAMS {
            continue;
        }
        let mut out = Vec::with_capacity(streams.saturating_sub(1));
        for _ in 1..streams {
            let mut lens = Vec::new();
            block::decode_ints::<u32>(
                streams::next_block(&mut blocks, granules)?,
                granules,
                &mut lens,
            )?;
            out.push(lens);
        }
        return Ok(out);
    }
    Ok(Vec::new())
}

/// The summary of a column's sample, from the column's section (after its index); `None` if it has
/// none.
pub(crate) fn decode_summary(payload: &[u8]) -> Result<Option<Summary>> {
    let mut sections = Input(payload);
    while let Some((tag, payload)) = sections.section()? {
        if tag == column_tag::SUMMARY {
            return summary::decode_summary(payload).map(Some);
        }
    }
    Ok(None)
}

/// Whether a type's values take no block at all.
fn ty_has_no_blocks(ty: &DataType) -> bool {
    match ty {
        DataType::Nothing => true,
        DataType::Tuple(t) => t.types.iter().all(ty_has_no_blocks),
        _ => false,
    }
}

fn check_span(span: Span, end: u64) -> Result<()> {
    match span.offset.checked_add(span.len) {
        Some(last) if last <= end => Ok(()),
        _ => Err(corrupted("a block lies outside of the file")),
    }
}

fn take_blocks(input: &mut Input, granules: usize, data_end: u64) -> Result<Vec<Span>> {
    let runs = input.count()?;
    let mut starts = Vec::with_capacity(runs);
    for _ in 0..runs {
        starts.push((input.varint()?, input.varint()?));
    }
    let (head, _) = block::split(input.0)?;
    let rows = block::Header::read(head)?.rows as usize;
    if rows != granules && rows != 0 {
        return Err(corrupted("a column has blocks for another number of granules"));
    }
    let mut lens = Vec::new();
    block::decode_ints::<u32>(head, rows, &mut lens)?;
    let mut out = Vec::with_capacity(rows);
    let mut lens = lens.into_iter();
    for (mut offset, count) in starts {
        for len in lens.by_ref().take(count as usize) {
            let span = Span { offset, len: u64::from(len) };
            check_span(span, data_end)?;
            offset += span.len;
            out.push(span);
        }
    }
    if out.len() != rows {
        return Err(corrupted("runs of blocks do not add up"));
    }
    Ok(out)
}

/// Encodes the section of names and types.
pub(crate) fn encode_schema<'a>(
    columns: impl ExactSizeIterator<Item = (&'a str, String)>,
) -> Vec<u8> {
    let mut out = Vec::new();
    write_varint(&mut out, columns.len() as u64);
    for (name, ty) in columns {
        put_bytes(&mut out, name.as_bytes());
        put_bytes(&mut out, ty.as_bytes());
    }
    out
}

/// Encodes the section of the schema's version and the columns' ids.
pub(crate) fn encode_ids(version: u32, ids: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut out = Vec::new();
    write_varint(&mut out, u64::from(version));
    ids.for_each(|id| write_varint(&mut out, u64::from(id)));
    out
}

/// Decodes the schema version of a segment and the ids of its columns. A segment without the
/// section has the first version, whose columns have the ids 1, 2, 3 and so on.
pub(crate) fn decode_ids(payload: Option<&[u8]>, columns: usize) -> Result<(u32, Vec<u32>)> {
    let Some(payload) = payload else { return Ok((1, (1..=columns as u32).collect())) };
    let mut input = Input(payload);
    let version = column_ids::id(&mut input)?;
    let ids: Vec<u32> = (0..columns).map(|_| column_ids::id(&mut input)).collect::<Result<_>>()?;
    let distinct: BTreeSet<&u32> = ids.iter().collect();
    if distinct.len() < ids.len() || !input.0.is_empty() {
        return Err(corrupted("ids of columns"));
    }
    Ok((version, ids))
}

/// Encodes the section of granules' rows, as runs of (granules, rows).
pub(crate) fn encode_rows(granules: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    let runs: Vec<&[u32]> = granules.chunk_by(|a, b| a == b).collect();
    write_varint(&mut out, runs.len() as u64);
    for run in runs {
        write_varint(&mut out, run.len() as u64);
        write_varint(&mut out, u64::from(run[0]));
    }
    out
}

pub(crate) fn decode_rows(payload: &[u8]) -> Result<Vec<u32>> {
    /// No segment has more granules than this. The check keeps a forged count from allocating
    /// memory.
    const MOST: u64 = 1 << 28;
    let mut input = Input(payload);
    let mut out = Vec::new();
    for _ in 0..input.count()? {
        let (count, rows) = (input.varint()?, input.varint()?);
        if count + out.len() as u64 > MOST || rows == 0 || rows > u64::from(u32::MAX) {
            return Err(corrupted("granule counts"));
        }
        out.resize(out.len() + count as usize, rows as u32);
    }
    Ok(out)
}

/// The least and greatest value of a granule; `None` if they are not known.
pub(crate) fn granule_bounds(extents: &(Column, Column), granule: usize) -> Option<(Value, Value)> {
    let (min, max) = (extents.0.value(granule), extents.1.value(granule));
    match (&min, &max) {
        (Value::Float(a), Value::Float(b)) if a.is_nan() || b.is_nan() => None,
        _ => Some((min, max)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The section of a column of 5000 numbers in one granule, without blocks.
    fn section(with_summary: bool) -> Vec<u8> {
        let column = Column::from((0..5000_u32).map(|n| n % 700).collect::<Vec<_>>());
        let mut stats = ColumnStats::default();
        stats.add(&column);
        stats.add_distinct(&column);
        let summary = with_summary.then(|| summary::of_column(&column, 700)).flatten();
        let record = ColumnRecord {
            mode: Mode::Constant,
            values: Span::default(),
            values_rows: 1,
            runs: &[],
            lens: &[],
            streams: &[],
            stats: &stats,
            summary: summary.as_ref(),
            extents: None,
        };
        encode_column(0, &DataType::UInt32, record).unwrap()[1..].to_vec()
    }

    #[test]
    fn statistics_of_a_column_come_back() {
        let bytes = section(true);
        let meta = decode_column(&bytes, &DataType::UInt32, 1, 1000).unwrap();
        let distinct = meta.stats.sketch.estimate();
        assert!((600..800).contains(&distinct), "{distinct}");
        let summary = decode_summary(&bytes).unwrap().unwrap();
        assert_eq!(summary.sampled, 5000);
        assert!(summary.histogram.unwrap().bounds.len() > 30);
        assert_eq!(decode_summary(&section(false)).unwrap(), None);
    }

    #[test]
    fn columns_of_older_files_have_64_registers_and_no_summary() {
        let (bytes, mut old) = (section(true), Vec::new());
        let mut sections = Input(&bytes);
        while let Some((tag, payload)) = sections.section().unwrap() {
            if !matches!(tag, column_tag::REGISTERS | column_tag::SUMMARY) {
                put_section(&mut old, tag, payload);
            }
        }
        put_section(&mut old, column_tag::SKETCH, &[3; 64]);
        let meta = decode_column(&old, &DataType::UInt32, 1, 1000).unwrap();
        assert_eq!(meta.stats.sketch.registers(), &[3; 64]);
        assert_eq!(
            meta.stats.extent,
            Extent::Range { min: Value::UInt(0), max: Value::UInt(699), exact: true }
        );
        assert_eq!(decode_summary(&old).unwrap(), None);
        // A later version may have sections that this build does not know.
        put_section(&mut old, 99, b"something");
        assert!(decode_column(&old, &DataType::UInt32, 1, 1000).is_ok());
    }
}
