//! Writes a segment: the columns one after the other, each granule by granule.
//!
//! Memory: the encoded bytes of one column up to [`FLUSH_BYTES`], and a dictionary. Invariants: all
//! columns have the same granules; the file is synced before `finish` returns, but its directory
//! entry is not.

use std::sync::Arc;

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, scope};
use entasis_codec::{Ciphers, Compression, EncodeOptions, Light, checksum};
use entasis_column::Column;
use entasis_disk::{Disk, WriteFile};
use entasis_table_api::statistics::{Sampler, Summary, summarize};
use entasis_types::DataType;

use super::dictionary::{self, DictionaryBuilder};
use super::manifest::{self, ColumnRecord, Mode, Span, tag};
use super::stats::{ColumnStats, GranuleExtents};
use super::{END_MAGIC, MAGIC, streams, subcolumn, summary};
use crate::bytes::{put_bytes, put_section, put_u64};
use crate::log::record::Content;

/// Encoded bytes are written to the file when they reach this size.
const FLUSH_BYTES: usize = 4 << 20;
/// A segment with fewer rows gets no dictionary.
const MIN_DICTIONARY_ROWS: usize = 64;
/// Merged segments with this many rows are compressed for size rather than for speed.
const DENSE_ROWS: usize = 1 << 20;
/// The compression of strings in such segments, if it makes them smaller than LZ4 does by the
/// percentage below. It decompresses two to three times slower.
const DENSE: Compression = Compression::Zstd(3);
const DENSE_SAVES: usize = 15;
/// The two compressions are compared again after this many granules.
const COMPARE_EVERY: usize = 64;

/// A column to be written.
#[derive(Clone, Debug)]
pub(crate) struct ColumnSpec {
    /// The column's id within its table.
    pub(crate) id: u32,
    pub(crate) name: Arc<str>,
    pub(crate) ty: DataType,
    pub(crate) options: EncodeOptions,
}

/// The metadata of a segment besides its columns.
#[derive(Debug, Default)]
pub(crate) struct SegmentInfo {
    /// Rows of each granule.
    pub(crate) granules: Vec<u32>,
    /// Key columns: one row for each granule's first row, and one for the last row of the segment.
    pub(crate) index: Vec<(DataType, Column)>,
    /// The ciphers of that index.
    pub(crate) index_ciphers: Ciphers,
    /// Texts of the sort key and of the partition key, for people.
    pub(crate) sorting_key: String,
    pub(crate) partition_key: String,
    /// The version of the table's schema.
    pub(crate) schema_version: u32,
    /// Creation time, in seconds since 1970.
    pub(crate) created: u64,
    pub(crate) level: u32,
    /// The codecs of columns without a CODEC; `None` for the usual ones.
    pub(crate) codec: Option<Arc<str>>,
}

/// A complete file.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) bytes: u64,
    /// Checksum of the footer, which the log records.
    pub(crate) checksum: u64,
    /// All bytes, if they were written to memory.
    pub(crate) content: Option<Content>,
}

/// Where a segment is written.
#[derive(Debug)]
enum Output {
    File(Box<dyn WriteFile>),
    Memory(Vec<u8>),
}

impl Output {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(file) => file.write_all(bytes),
            Self::Memory(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Makes a file durable, or answers the bytes.
    fn finish(self) -> Result<Option<Content>> {
        match self {
            Self::File(mut file) => file.sync().map(|()| None),
            Self::Memory(bytes) => Ok(Some(Content(bytes.into()))),
        }
    }
}

#[derive(Debug)]
struct ColumnWriter {
    spec: ColumnSpec,
    buffer: Vec<u8>,
    runs: Vec<(u64, usize)>,
    lens: Vec<u32>,
    /// For every stream of the type but the last: its length in each granule, 0 in granules of
    /// codes.
    streams: Vec<Vec<u32>>,
    /// The number of granules in `buffer`.
    pending: usize,
    /// The offset at which the last written granule ends.
    end: u64,
    /// The value that all granules so far share, and their numbers of rows; they are not written
    /// yet.
    constant: Option<(Column, Vec<u32>)>,
    dictionary: Option<DictionaryBuilder>,
    dictionary_closed: bool,
    values: Span,
    stats: ColumnStats,
    /// Takes the rows for the summary, until the column is closed.
    sampler: Option<Sampler>,
    summary: Option<Summary>,
    extents: Option<GranuleExtents>,
    started: bool,
    /// Whether strings may get the denser compression.
    may_be_dense: bool,
    /// The number of granules of strings written so far.
    plain: usize,
}

impl ColumnWriter {
    fn new(spec: ColumnSpec, rows: usize, merged: bool) -> Self {
        let is_text = *spec.ty.without_nullable() == DataType::String;
        let may_be_dense = is_text
            && merged
            && rows >= DENSE_ROWS
            && spec.options.compression == Compression::Auto;
        let wants = is_text && rows >= MIN_DICTIONARY_ROWS && spec.options.light == Light::Auto;
        Self {
            buffer: Vec::new(),
            runs: Vec::new(),
            lens: Vec::new(),
            streams: vec![Vec::new(); subcolumn::known_lens(&spec.ty)],
            pending: 0,
            end: 0,
            constant: None,
            dictionary: wants.then(DictionaryBuilder::new),
            dictionary_closed: false,
            values: Span::default(),
            stats: ColumnStats::default(),
            sampler: summary::sampler(&spec.ty, rows).filter(|_| spec.options.ciphers.is_empty()),
            summary: None,
            extents: GranuleExtents::new(&spec.ty).filter(|_| spec.options.ciphers.is_empty()),
            started: false,
            may_be_dense,
            plain: 0,
            spec,
        }
    }

    fn push(&mut self, column: &Column) -> Result<()> {
        let extent = self.stats.add(column);
        if let Some(sampler) = &mut self.sampler {
            sampler.push(column);
        }
        if let Some(extents) = &mut self.extents {
            extents.push(&extent);
        }
        if (!self.started || self.constant.is_some())
            && let Some(value) = streams::uniform(column)
        {
            let rows = column.len() as u32;
            match &mut self.constant {
                None => {
                    self.constant = Some((value, vec![rows]));
                    self.started = true;
                    return Ok(());
                }
                Some((old, granules)) if same_value(old, &value) => {
                    granules.push(rows);
                    return Ok(());
                }
                Some(_) => {}
            }
        }
        self.started = true;
        if let Some((value, granules)) = self.constant.take() {
            for rows in granules {
                self.write(&Column::constant(value.clone(), rows as usize))?;
            }
        }
        self.write(column)
    }

    fn write(&mut self, column: &Column) -> Result<()> {
        let start = self.buffer.len();
        let codes = match &mut self.dictionary {
            Some(dictionary) if !self.dictionary_closed => dictionary.codes(column),
            _ => None,
        };
        match codes {
            Some(codes) => {
                streams::encode_codes(&codes, self.spec.options.ciphers, &mut self.buffer)?
            }
            None => {
                if self.dictionary.is_some() && !self.dictionary_closed {
                    self.dictionary_closed = true;
                    if self.lens.is_empty() {
                        self.dictionary = None;
                    }
                }
                self.stats.add_distinct(column);
                self.write_plain(column)?;
            }
        }
        let len = self.buffer.len() - start;
        self.lens.push(u32::try_from(len).map_err(|_| too_large(&self.spec.name))?);
        if !self.streams.is_empty() {
            let lens = subcolumn::stream_lens(&self.spec.ty, &self.buffer[start..])?;
            self.streams.iter_mut().zip(lens).for_each(|(all, len)| all.push(len));
        }
        self.pending += 1;
        Ok(())
    }
}

impl ColumnWriter {
    /// Writes a granule as blocks of values, or of codes and values if its strings repeat.
    fn write_plain(&mut self, column: &Column) -> Result<()> {
        let light = self.spec.options.light;
        let is_text = *self.spec.ty.without_nullable() == DataType::String && light == Light::Auto;
        match is_text.then(|| dictionary::of_granule(column)).flatten() {
            Some((codes, values)) => {
                streams::encode_codes(&codes, self.spec.options.ciphers, &mut self.buffer)?;
                self.write_values(&values)
            }
            None => self.write_values(column),
        }
    }

    fn write_values(&mut self, column: &Column) -> Result<()> {
        if self.may_be_dense {
            if self.plain.is_multiple_of(COMPARE_EVERY) {
                self.spec.options.compression = self.compare(column)?;
            }
            self.plain += 1;
        }
        streams::encode(&self.spec.ty, column, self.spec.options, &mut self.buffer)
    }

    /// Chooses the compression for strings like these.
    fn compare(&self, column: &Column) -> Result<Compression> {
        let size = |compression| {
            let options = EncodeOptions { compression, ..self.spec.options };
            let mut bytes = Vec::new();
            streams::encode(&self.spec.ty, column, options, &mut bytes).map(|()| bytes.len())
        };
        let (quick, dense) = (size(Compression::Auto)?, size(DENSE)?);
        let pays = dense < quick / 100 * (100 - DENSE_SAVES);
        Ok(if pays { DENSE } else { Compression::Auto })
    }
}

fn same_value(a: &Column, b: &Column) -> bool {
    match (a, b) {
        (Column::Float32(x), Column::Float32(y)) => x[0].to_bits() == y[0].to_bits(),
        (Column::Float64(x), Column::Float64(y)) => x[0].to_bits() == y[0].to_bits(),
        _ => entasis_column::compare::compare_values(a, 0, b, 0).is_eq(),
    }
}

#[cold]
fn too_large(name: &str) -> Error {
    let message = format!("A granule of column {name} takes more than 4 GiB");
    Error::new(entasis_base::codes::LIMIT_EXCEEDED, message)
}

/// A segment being written.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    file: Output,
    offset: u64,
    columns: Vec<ColumnWriter>,
}

impl SegmentWriter {
    /// Creates the file. `rows` is the expected number, and `merged` tells whether segments are
    /// merged rather than rows inserted. Both influence the encoding.
    pub(crate) fn create(
        disk: &dyn Disk,
        path: &str,
        columns: &[ColumnSpec],
        rows: usize,
        merged: bool,
    ) -> Result<Self> {
        Self::to(Output::File(disk.create(path)?), columns, rows, merged)
    }

    /// Like [`Self::create`], but the bytes stay in memory.
    pub(crate) fn in_memory(columns: &[ColumnSpec], rows: usize, merged: bool) -> Result<Self> {
        Self::to(Output::Memory(Vec::new()), columns, rows, merged)
    }

    fn to(mut file: Output, columns: &[ColumnSpec], rows: usize, merged: bool) -> Result<Self> {
        file.write_all(&MAGIC)?;
        let columns = columns.iter().map(|c| ColumnWriter::new(c.clone(), rows, merged)).collect();
        Ok(Self { file, offset: MAGIC.len() as u64, columns })
    }

    /// Leaves out what only helps to choose plans: sketches and samples.
    pub(crate) fn leave_out_statistics(&mut self) {
        for column in &mut self.columns {
            column.sampler = None;
            column.stats.has_sketch = false;
        }
    }

    /// Appends the next granule of a column. Fails if the writing statement was cancelled.
    pub(crate) fn push(&mut self, column: usize, values: &Column) -> Result<()> {
        scope::check()?;
        self.columns[column].push(values)?;
        if self.columns[column].buffer.len() >= FLUSH_BYTES {
            self.flush(column)?;
        }
        Ok(())
    }

    /// Writes the buffered granules of a column, and its dictionary or constant. No granule may
    /// follow.
    pub(crate) fn close(&mut self, column: usize) -> Result<()> {
        self.flush(column)?;
        let limits = summary::limits(self.columns.len());
        let this = &mut self.columns[column];
        let nullable = this.spec.ty.is_nullable();
        let values = match (&this.constant, &this.dictionary) {
            (Some((value, _)), _) => Some(value.clone()),
            (None, Some(dictionary)) if dictionary.len() > 0 => Some(dictionary.values(nullable)),
            _ => None,
        };
        values.iter().for_each(|values| this.stats.add_distinct(values));
        if !this.spec.options.ciphers.is_empty() {
            this.stats.forget_values();
        }
        let sample = this.sampler.take().and_then(|sampler| sampler.finish());
        this.summary =
            sample.and_then(|sample| summarize(&sample, this.stats.sketch.estimate(), limits));
        let Some(values) = values else { return Ok(()) };
        let mut bytes = Vec::new();
        streams::encode(&this.spec.ty, &values, this.spec.options, &mut bytes)?;
        this.values = Span { offset: self.offset, len: bytes.len() as u64 };
        self.file.write_all(&bytes)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self, column: usize) -> Result<()> {
        let this = &mut self.columns[column];
        if this.pending == 0 {
            return Ok(());
        }
        match this.runs.last_mut() {
            Some((_, granules)) if this.end == self.offset => *granules += this.pending,
            _ => this.runs.push((self.offset, this.pending)),
        }
        this.pending = 0;
        self.file.write_all(&this.buffer)?;
        self.offset += this.buffer.len() as u64;
        this.end = self.offset;
        this.buffer.clear();
        Ok(())
    }

    /// Writes footer and trailer and syncs the file. Every column must be closed.
    pub(crate) fn finish(mut self, info: SegmentInfo) -> Result<Finished> {
        let mut footer = Vec::new();
        let schema = self.columns.iter().map(|c| (&*c.spec.name, c.spec.ty.to_string()));
        put_section(&mut footer, tag::SCHEMA, &manifest::encode_schema(schema));
        let ids = self.columns.iter().map(|c| c.spec.id);
        let ids = manifest::encode_ids(info.schema_version, ids);
        put_section(&mut footer, tag::COLUMN_IDS, &ids);
        put_section(&mut footer, tag::ROWS, &manifest::encode_rows(&info.granules));
        for (i, column) in self.columns.iter_mut().enumerate() {
            let (mode, values_rows) = match (&column.constant, &column.dictionary) {
                (Some(_), _) => (Mode::Constant, 1),
                (None, Some(d)) if d.len() > 0 => (Mode::Dictionary, d.len()),
                _ => (Mode::Plain, 0),
            };
            let record = ColumnRecord {
                mode,
                values: column.values,
                values_rows,
                runs: &column.runs,
                lens: &column.lens,
                streams: &column.streams,
                stats: &column.stats,
                summary: column.summary.as_ref(),
                extents: column.extents.take(),
            };
            let payload = manifest::encode_column(i, &column.spec.ty, record)?;
            put_section(&mut footer, tag::COLUMN, &payload);
        }
        put_section(&mut footer, tag::INDEX, &encode_index(&info.index, info.index_ciphers)?);
        let mut keys = Vec::new();
        put_bytes(&mut keys, info.sorting_key.as_bytes());
        put_bytes(&mut keys, info.partition_key.as_bytes());
        put_section(&mut footer, tag::KEYS, &keys);
        let mut created = Vec::new();
        write_varint(&mut created, info.created);
        write_varint(&mut created, u64::from(info.level));
        put_section(&mut footer, tag::CREATED, &created);
        if let Some(codec) = &info.codec {
            let mut text = Vec::new();
            put_bytes(&mut text, codec.as_bytes());
            put_section(&mut footer, tag::CODEC, &text);
        }
        let sum = checksum(&footer);
        let len = footer.len() as u64;
        put_u64(&mut footer, self.offset);
        put_u64(&mut footer, len);
        put_u64(&mut footer, sum);
        footer.extend_from_slice(&END_MAGIC);
        self.file.write_all(&footer)?;
        let content = self.file.finish()?;
        Ok(Finished { bytes: self.offset + footer.len() as u64, checksum: sum, content })
    }
}

/// Encodes the sparse index: number of columns and rows, then type and blocks of each column.
fn encode_index(index: &[(DataType, Column)], ciphers: Ciphers) -> Result<Vec<u8>> {
    let options = EncodeOptions { ciphers, ..EncodeOptions::default() };
    let mut out = Vec::new();
    write_varint(&mut out, index.len() as u64);
    write_varint(&mut out, index.first().map_or(0, |(_, c)| c.len() as u64));
    for (ty, column) in index {
        put_bytes(&mut out, ty.to_string().as_bytes());
        let mut blocks = Vec::new();
        streams::encode(ty, column, options, &mut blocks)?;
        put_bytes(&mut out, &blocks);
    }
    Ok(out)
}
