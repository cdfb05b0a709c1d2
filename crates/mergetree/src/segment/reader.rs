//! Reads a segment: the footer when it is opened, a column's metadata when the column is first
//! used, and blocks on demand.
//!
//! Invariants: footer and blocks are verified by checksum before they are used; every error names
//! the file and the offset.

use std::sync::{Arc, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_codec::checksum;
use entasis_column::{Column, Dictionary};
use entasis_disk::{Disk, ReadFile};
use entasis_table_api::statistics::Summary;
use entasis_types::{DataType, SubcolumnPath};

use super::manifest::{self, ColumnMeta, Mode, Span, tag};
use super::subcolumn::{PartReader, count};
use super::{END_MAGIC, MAGIC, TRAILER_LEN, streams};
use crate::bytes::{Input, corrupted};
use crate::faults::Faults;
use crate::log::record::Content;

/// A column's entry in the footer.
#[derive(Debug)]
struct Slot {
    ty: DataType,
    /// The range of the section's payload within the footer.
    section: std::ops::Range<usize>,
    meta: OnceLock<Arc<ColumnMeta>>,
}

/// An open segment.
#[derive(Debug)]
pub(crate) struct Segment {
    path: String,
    pub(super) file: Arc<dyn ReadFile>,
    pub(super) footer: Vec<u8>,
    pub(super) footer_offset: u64,
    /// Rows of each granule.
    pub(crate) granules: Vec<u32>,
    pub(crate) rows: u64,
    columns: Vec<Slot>,
    /// The schema version that the segment was written with.
    pub(crate) schema_version: u32,
    /// The columns' ids.
    pub(super) ids: Vec<u32>,
    /// The codecs of columns without a CODEC; empty for the usual ones.
    pub(crate) codec: String,
    index: std::ops::Range<usize>,
    index_columns: OnceLock<Vec<Column>>,
    faults: Arc<Faults>,
}

/// What the log records of the segment, to compare it with the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
    pub(crate) checksum: u64,
}

impl ReadFile for Content {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = start.checked_add(buffer.len()).and_then(|end| self.0.get(start..end));
        let Some(bytes) = bytes else {
            let message = "A segment in memory ends too early";
            return Err(Error::new(codes::CANNOT_READ_ALL_DATA, message));
        };
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

impl Segment {
    pub(crate) fn open(
        disk: &dyn Disk,
        path: &str,
        expected: Expected,
        faults: &Arc<Faults>,
    ) -> Result<Self> {
        let read = |file| Self::read(file, path, expected, faults);
        let opened = disk.open(path).and_then(read);
        opened.map_err(|e| in_file(e, path, None)).inspect_err(|e| faults.note(path, e))
    }

    /// Opens a segment whose bytes are in memory. `path` is for messages.
    pub(crate) fn in_memory(
        content: &Content,
        path: &str,
        expected: Expected,
        faults: &Arc<Faults>,
    ) -> Result<Self> {
        let opened = Self::read(Arc::new(content.clone()), path, expected, faults);
        opened.map_err(|e| in_file(e, path, None)).inspect_err(|e| faults.note(path, e))
    }

    /// Names the file in an error, and reports the file as damaged.
    #[cold]
    fn fault(&self, e: Error, offset: Option<u64>) -> Error {
        let e = in_file(e, &self.path, offset);
        self.faults.note(&self.path, &e);
        e
    }

    fn read(
        file: Arc<dyn ReadFile>,
        path: &str,
        expected: Expected,
        faults: &Arc<Faults>,
    ) -> Result<Self> {
        let len = file.len();
        if len != expected.bytes || len < (MAGIC.len() + TRAILER_LEN) as u64 {
            return Err(corrupted(format!("it has {len} bytes instead of {}", expected.bytes)));
        }
        let mut magic = [0; MAGIC.len()];
        file.read_exact_at(0, &mut magic)?;
        let mut trailer = [0; TRAILER_LEN];
        file.read_exact_at(len - TRAILER_LEN as u64, &mut trailer)?;
        let mut input = Input(&trailer);
        let (offset, footer_len, sum) = (input.u64()?, input.u64()?, input.u64()?);
        if magic != MAGIC || input.0 != END_MAGIC {
            return Err(corrupted("it is not a segment of a version that this build reads"));
        }
        let end = offset.checked_add(footer_len).and_then(|e| e.checked_add(TRAILER_LEN as u64));
        if end != Some(len) || sum != expected.checksum {
            return Err(corrupted("its trailer is not the one in the commit log"));
        }
        let mut footer = Vec::new();
        file.read_range_into(offset, footer_len as usize, &mut footer)?;
        if checksum(&footer) != sum {
            return Err(Error::new(
                codes::CHECKSUM_DOESNT_MATCH,
                format!("Checksum of the footer at offset {offset} does not match"),
            ));
        }
        let mut this = Self {
            path: path.to_owned(),
            file,
            footer: Vec::new(),
            footer_offset: offset,
            granules: Vec::new(),
            rows: 0,
            columns: Vec::new(),
            schema_version: 1,
            ids: Vec::new(),
            codec: String::new(),
            index: 0..0,
            index_columns: OnceLock::new(),
            faults: Arc::clone(faults),
        };
        this.read_directory(&footer)?;
        this.footer = footer;
        if this.rows != expected.rows {
            return Err(corrupted(format!(
                "it has {} rows instead of {}",
                this.rows, expected.rows
            )));
        }
        Ok(this)
    }

    fn read_directory(&mut self, footer: &[u8]) -> Result<()> {
        let place = |part: &[u8]| {
            let start = part.as_ptr().addr() - footer.as_ptr().addr();
            start..start + part.len()
        };
        let (mut sections, mut ids) = (Input(footer), None);
        while let Some((tag, payload)) = sections.section()? {
            let mut input = Input(payload);
            match tag {
                tag::SCHEMA => {
                    for _ in 0..input.count()? {
                        input.text()?; // the name is for people
                        let ty = DataType::parse(input.text()?)?;
                        self.columns.push(Slot { ty, section: 0..0, meta: OnceLock::new() });
                    }
                }
                tag::ROWS => {
                    self.granules = manifest::decode_rows(payload)?;
                    self.rows = self.granules.iter().map(|&r| u64::from(r)).sum();
                }
                tag::COLUMN => {
                    let i = input.varint()? as usize;
                    let slot = self.columns.get_mut(i);
                    slot.ok_or_else(|| corrupted("a column without a name"))?.section =
                        place(input.0);
                }
                tag::INDEX => self.index = place(payload),
                tag::COLUMN_IDS => ids = Some(payload),
                tag::CODEC => input.text()?.clone_into(&mut self.codec),
                _ => {}
            }
        }
        (self.schema_version, self.ids) = manifest::decode_ids(ids, self.columns.len())?;
        Ok(())
    }

    /// Position of the column with an id of the table.
    pub(crate) fn position(&self, id: u32) -> Option<usize> {
        // As long as no column was dropped, an id is the position plus 1.
        let likely = (id as usize).checked_sub(1)?;
        match self.ids.get(likely) {
            Some(found) if *found == id => Some(likely),
            _ => self.ids.iter().position(|known| *known == id),
        }
    }

    /// Whether all columns have one of these ids.
    pub(crate) fn has_only(&self, ids: &[u32]) -> bool {
        self.ids.iter().all(|id| ids.contains(id))
    }

    /// How many columns there are.
    pub(crate) fn column_count(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn column_type(&self, column: usize) -> &DataType {
        &self.columns[column].ty
    }

    /// A column's metadata, which is decoded on first use.
    pub(crate) fn meta(&self, column: usize) -> Result<&Arc<ColumnMeta>> {
        let slot = &self.columns[column];
        if let Some(meta) = slot.meta.get() {
            return Ok(meta);
        }
        events::one(Event::ColumnMetadataLoaded);
        let section = &self.footer[slot.section.clone()];
        let meta =
            manifest::decode_column(section, &slot.ty, self.granules.len(), self.footer_offset)
                .map_err(|e| self.fault(e, Some(self.footer_offset)))?;
        Ok(slot.meta.get_or_init(|| Arc::new(meta)))
    }

    /// What a sample says of a column; `None` for short segments and those of older versions. It is
    /// decoded each time.
    pub(crate) fn summary(&self, column: usize) -> Result<Option<Summary>> {
        let section = &self.footer[self.columns[column].section.clone()];
        manifest::decode_summary(section).map_err(|e| self.fault(e, Some(self.footer_offset)))
    }

    /// A reader of a subcolumn.
    pub(crate) fn part_reader(&self, column: usize, path: &SubcolumnPath) -> Result<PartReader> {
        let slot = &self.columns[column];
        let section = &self.footer[slot.section.clone()];
        let lens = match slot.ty.has_variant() {
            true => Vec::new(),
            false => manifest::decode_streams(section, count(&slot.ty), self.granules.len())
                .map_err(|e| self.fault(e, Some(self.footer_offset)))?,
        };
        Ok(PartReader::new(&slot.ty, path, lens))
    }

    /// A checksum of the footer without the time of writing.
    pub(crate) fn digest(&self) -> Result<u64> {
        let (mut sections, mut kept) = (Input(&self.footer), Vec::with_capacity(self.footer.len()));
        while let Some((tag, payload)) = sections.section()? {
            if tag != tag::CREATED {
                kept.extend_from_slice(payload);
            }
        }
        Ok(checksum(&kept))
    }

    /// The size of the sparse index in the footer.
    pub(crate) fn index_bytes(&self) -> u64 {
        self.index.len() as u64
    }

    /// The sparse index: key columns of granules + 1 rows; empty for an unsorted table.
    pub(crate) fn index(&self) -> Result<&[Column]> {
        if let Some(columns) = self.index_columns.get() {
            return Ok(columns);
        }
        events::one(Event::LoadedPrimaryIndexFiles);
        events::add(Event::LoadedPrimaryIndexRows, self.granules.len() as u64 + 1);
        events::add(Event::LoadedPrimaryIndexBytes, self.index.len() as u64);
        let columns = self.read_index().map_err(|e| self.fault(e, Some(self.footer_offset)))?;
        Ok(self.index_columns.get_or_init(|| columns))
    }

    fn read_index(&self) -> Result<Vec<Column>> {
        let mut input = Input(&self.footer[self.index.clone()]);
        if input.0.is_empty() {
            return Ok(Vec::new());
        }
        let (count, rows) = (input.varint()?, input.varint()? as usize);
        if count > 0 && rows != self.granules.len() + 1 {
            return Err(corrupted("the sparse index has another number of granules"));
        }
        (0..count)
            .map(|_| {
                let ty = DataType::parse(input.text()?)?;
                let mut blocks = input.bytes()?;
                streams::decode(&ty, &mut blocks, rows)
            })
            .collect()
    }

    /// Reads a span of the file into the first `span.len` bytes of `buffer`, which grows as needed.
    pub(crate) fn read_span(&self, span: Span, buffer: &mut Vec<u8>) -> Result<()> {
        let len = span.len as usize;
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        let read = self.file.read_exact_at(span.offset, &mut buffer[..len]);
        read.map_err(|e| self.fault(e, Some(span.offset)))
    }

    /// The dictionary of a column, or its constant as a column of one row.
    pub(crate) fn read_values(&self, column: usize) -> Result<Column> {
        let meta = self.meta(column)?;
        let mut bytes = Vec::new();
        self.read_span(meta.values, &mut bytes)?;
        let mut input = &bytes[..];
        streams::decode(&self.columns[column].ty, &mut input, meta.values_rows)
            .map_err(|e| self.fault(e, Some(meta.values.offset)))
    }

    /// The dictionary of a column, with a new identity.
    pub(crate) fn read_dictionary(&self, column: usize) -> Result<Arc<Dictionary>> {
        Ok(Dictionary::new(self.read_values(column)?))
    }

    /// Decodes the blocks of a granule.
    pub(crate) fn decode(
        &self,
        column: usize,
        granule: usize,
        bytes: &[u8],
        dictionary: Option<&Arc<Dictionary>>,
    ) -> Result<Column> {
        let slot = &self.columns[column];
        let rows = self.granules[granule] as usize;
        let is_text = *slot.ty.without_nullable() == DataType::String;
        let decoded = match is_text.then(|| streams::holds_codes(bytes)) {
            Some(Ok(true)) => streams::decode_dict(&slot.ty, bytes, rows, dictionary),
            _ => streams::decode_compact(&slot.ty, bytes, rows),
        };
        decoded.map_err(|e| self.granule_fault(e, column, granule))
    }

    /// Adds the file, the column and the granule to an error about a granule's blocks.
    #[cold]
    pub(crate) fn granule_fault(&self, e: Error, column: usize, granule: usize) -> Error {
        let offset = self.meta(column).ok().map(|m| m.granules[granule].offset);
        self.fault(e, offset)
    }

    /// Reads and decodes a whole granule of a column. Used by merges and tests.
    pub(crate) fn read_granule(
        &self,
        column: usize,
        granule: usize,
        values: Option<&Arc<Dictionary>>,
        buffer: &mut Vec<u8>,
    ) -> Result<Column> {
        let meta = self.meta(column)?;
        let rows = self.granules[granule] as usize;
        if meta.mode == Mode::Constant {
            let one = match values {
                Some(dictionary) => dictionary.values.clone(),
                None => self.read_values(column)?,
            };
            return Ok(Column::constant(one, rows));
        }
        let Some(span) = meta.granules.get(granule).copied() else {
            return self.decode(column, granule, &[], values);
        };
        self.read_span(span, buffer)?;
        self.decode(column, granule, &buffer[..span.len as usize], values)
    }
}

/// Adds the file and the offset to an error.
#[cold]
pub(crate) fn in_file(e: Error, path: &str, offset: Option<u64>) -> Error {
    match offset {
        Some(offset) => e.context(format!("Part file `{path}`, at offset {offset}")),
        None => e.context(format!("Part file `{path}`")),
    }
}
