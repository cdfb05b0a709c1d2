//! Parquet: footer, schema, and row groups as morsels.
//!
//! The crate parquet decodes; this module does the rest. Only the bytes of the wanted columns are
//! read, each column chunk with one read. Strings are read as bytes, so text that is not UTF-8 is
//! accepted. Columns have the types of the FILE ([`ParquetFile::file_header`]); the caller converts
//! them. NULL becomes the default if the wanted type cannot hold it.

pub(crate) mod convert;
mod fetch;
mod statistics;
pub(crate) mod write;

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType as ArrowType, TimeUnit};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Field, Header};
use entasis_types::{DataType, TimeZone};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::basic::LogicalType;
use parquet::file::metadata::ParquetMetaData;

use crate::counted::read_more;
use crate::fit::Found;
use crate::registry::FormatDef;
use crate::rows::Pieces;
use crate::stored::StoredColumn;
use crate::{FormatOptions, InputFormat, Omitted, ReadAt};
use fetch::{Fetched, Source};

pub use statistics::GroupStatistics;

pub(crate) const FORMATS: &[FormatDef] = &[FormatDef {
    extensions: &["parquet", "pq"],
    write: Some(write::writer),
    read: Some(read_stream),
    infer: Some(infer),
    ..FormatDef::new("Parquet")
}];

/// Rows per chunk.
const BATCH: usize = 8192;
/// Largest file that is read from a stream, which must be kept in memory.
const MAX_STREAM: u64 = 8 << 30;

/// An open Parquet file: its footer, parsed. Cheap to share; row groups are read independently.
pub struct ParquetFile {
    source: Source,
    metadata: ArrowReaderMetadata,
    /// Columns with a type that we have.
    header: Header,
    /// Position among the file's columns, for each of `header`.
    positions: Vec<usize>,
    /// Name and type of the others.
    unsupported: Vec<(String, String)>,
}

#[cold]
fn failed(e: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(codes::INCORRECT_DATA, "Cannot read Parquet file").with_cause(e)
}

/// Does what calls the parquet crate, which panics over some damaged files: that is an error of
/// the file. What is thrown to end a query goes on.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if panic.is::<Error>() {
            resume_unwind(panic);
        }
        let message = "Cannot read Parquet file: it is damaged. Write it anew, or check it with \
                       the tool that wrote it";
        Err(Error::new(codes::INCORRECT_DATA, message))
    })
}

impl ParquetFile {
    /// Reads the footer.
    pub fn open(file: Arc<dyn ReadAt>) -> Result<Self> {
        guarded(|| Self::load(file))
    }

    fn load(file: Arc<dyn ReadAt>) -> Result<Self> {
        let source = Source::new(file);
        let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let first = ArrowReaderMetadata::load(&source, options()).map_err(failed)?;
        let schema = fetch::without_text(first.parquet_schema()).map_err(failed)?;
        let metadata =
            ArrowReaderMetadata::load(&source, options().with_parquet_schema(Arc::new(schema)))
                .map_err(failed)?;
        let (mut fields, mut positions, mut unsupported) = (vec![], vec![], vec![]);
        for (i, field) in metadata.schema().fields().iter().enumerate() {
            match convert::data_type(field) {
                Some(ty) => {
                    let ty = if is_uuid(&metadata, i) { with_uuid(&ty) } else { ty };
                    fields.push(Field::new(field.name().as_str(), ty));
                    positions.push(i);
                }
                None => unsupported.push((field.name().clone(), field.data_type().to_string())),
            }
        }
        Ok(Self { source, metadata, header: Header::new(fields), positions, unsupported })
    }

    /// All columns with the types that the file gives; those of types that
    /// cannot be read are left out.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The columns as a query sees them: one of a type that cannot be read is shown as NULL alone,
    /// and fails when it is read; with `skip_unsupported` it is left out.
    pub fn schema(&self, skip_unsupported: bool) -> Header {
        if skip_unsupported || self.unsupported.is_empty() {
            return self.header.clone();
        }
        let fields = self.metadata.schema().fields().iter().map(|field| {
            let found = self.header.position(field.name()).map(|i| self.header[i].clone());
            found.unwrap_or_else(|| Field::new(field.name().as_str(), convert::unsupported()))
        });
        Header::new(fields.collect())
    }

    fn footer(&self) -> &ParquetMetaData {
        self.metadata.metadata()
    }

    /// Number of row groups.
    pub fn row_groups(&self) -> usize {
        self.footer().num_row_groups()
    }

    /// Rows in row group `i`.
    pub fn rows(&self, i: usize) -> u64 {
        self.footer().row_group(i).num_rows().max(0) as u64
    }

    /// Rows in all row groups.
    pub fn total_rows(&self) -> u64 {
        self.footer().file_metadata().num_rows().max(0) as u64
    }

    /// Where the wanted columns are found among ours; `None` for one that the file does not have.
    fn stored(
        &self,
        wanted: &Header,
        options: &FormatOptions,
    ) -> Result<Vec<Option<StoredColumn>>> {
        for field in wanted.iter() {
            if let Some((name, ty)) = self.unsupported.iter().find(|u| *u.0 == *field.name) {
                let what = format!("Parquet column {name} of type {ty}");
                let error = Error::not_implemented(what);
                return Err(error.append(". Other columns of the file can be read"));
            }
        }
        let column = |name: &str| {
            let position = self.header.position(name);
            Ok(position.map(|i| (i, self.header[i].ty.clone())))
        };
        let find = |field: &Field| StoredColumn::find(&field.name, &column);
        let stored = wanted.iter().map(find).collect::<Result<Vec<_>>>()?;
        if !options.parquet_missing_columns {
            crate::fit::check_all_there(wanted, &stored, "the Parquet file")?;
        }
        Ok(stored)
    }

    /// A reader of row group `i` for the columns of `wanted`, by name. Only these columns' bytes
    /// are read. A column that the file does not have is all defaults.
    pub fn read_row_group(
        &self,
        i: usize,
        wanted: &Header,
        options: &FormatOptions,
    ) -> Result<Box<dyn InputFormat>> {
        events::one(Event::ParquetReadRowGroups);
        self.reader(i, None, wanted, options)
    }

    /// As [`Self::read_row_group`], for some rows of the group, which ascend strictly. The values
    /// of other rows are skipped.
    pub fn read_rows(
        &self,
        i: usize,
        rows: &[u32],
        wanted: &Header,
        options: &FormatOptions,
    ) -> Result<Box<dyn InputFormat>> {
        self.reader(i, Some(rows), wanted, options)
    }

    fn reader(
        &self,
        i: usize,
        rows: Option<&[u32]>,
        wanted: &Header,
        options: &FormatOptions,
    ) -> Result<Box<dyn InputFormat>> {
        let stored = self.stored(wanted, options)?;
        let mut roots: Vec<usize> =
            stored.iter().flatten().map(|stored| self.positions[stored.at]).collect();
        roots.sort_unstable();
        roots.dedup();
        let in_batch = |stored: StoredColumn| {
            let at = roots.binary_search(&self.positions[stored.at]).ok()?;
            Some(stored.at(at))
        };
        let columns = stored.into_iter().map(|stored| stored.and_then(in_batch)).collect();
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), roots.iter().copied());
        let reader = if roots.is_empty() {
            None
        } else {
            let build = || {
                let fetched = Fetched::new(&self.source, self.footer().row_group(i), &mask)?;
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
                    fetched,
                    self.metadata.clone(),
                );
                let builder = builder
                    .with_row_groups(vec![i])
                    .with_projection(mask.clone())
                    .with_batch_size(BATCH);
                let builder = match rows {
                    Some(rows) => builder.with_row_selection(self.selection(i, rows)),
                    None => builder,
                };
                builder.build().map_err(failed)
            };
            Some(guarded(build)?)
        };
        let rest = Pieces::default();
        let left = rows.map_or(self.rows(i) as usize, <[u32]>::len);
        let (wanted, options) = (wanted.clone(), options.clone());
        Ok(Box::new(RowGroup { reader, wanted, options, columns, left, rest }))
    }
}

impl ParquetFile {
    /// Some rows of a row group.
    fn selection(&self, i: usize, rows: &[u32]) -> RowSelection {
        let ranges = rows.chunk_by(|a, b| a + 1 == *b);
        let ranges = ranges.map(|run| run[0] as usize..run[0] as usize + run.len());
        RowSelection::from_consecutive_ranges(ranges, self.rows(i) as usize)
    }
}

/// Reads one row group.
struct RowGroup {
    /// None if no column of the file is wanted.
    reader: Option<ParquetRecordBatchReader>,
    wanted: Header,
    options: FormatOptions,
    /// Where each column is found in a batch; none for one that the file does not have.
    columns: Vec<Option<StoredColumn>>,
    /// Rows not read yet.
    left: usize,
    /// Read, but not yet handed out.
    rest: Pieces,
}

impl RowGroup {
    fn convert(&self, batch: &RecordBatch) -> Result<Pieces> {
        let mut found = Found::new(&self.wanted, &self.options);
        for (place, stored) in self.columns.iter().enumerate() {
            if let Some(stored) = stored {
                let column = convert::column(&stored.ty, batch.column(stored.at))?;
                found.put(place, stored.of(&column)?, &stored.field)?;
            }
        }
        Ok(found.finish(batch.num_rows()))
    }
}

impl InputFormat for RowGroup {
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        if self.rest.is_empty() {
            let mut reader = self.reader.take();
            let read = guarded(|| match &mut reader {
                None => {
                    Ok(Some(Found::new(&self.wanted, &self.options).finish(self.left.min(BATCH))))
                }
                Some(reader) => match reader.next() {
                    Some(batch) => self.convert(&batch.map_err(failed)?).map(Some),
                    None => Ok(None),
                },
            });
            let Some(rows) = read? else { return Ok(None) };
            (self.reader, self.rest) = (reader, rows);
            self.left = self.left.saturating_sub(self.rest.rows());
        }
        if self.rest.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.rest.take(max_rows)))
    }

    fn omitted(&mut self) -> Omitted {
        self.rest.omitted()
    }
}

/// All row groups of a file that came as a stream.
struct WholeFile {
    file: ParquetFile,
    wanted: Header,
    options: FormatOptions,
    next: usize,
    current: Option<Box<dyn InputFormat>>,
    omitted: Omitted,
}

impl InputFormat for WholeFile {
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        loop {
            if let Some(current) = &mut self.current
                && let Some(chunk) = current.next(max_rows)?
            {
                self.omitted = current.omitted();
                return Ok(Some(chunk));
            }
            if self.next >= self.file.row_groups() {
                return Ok(None);
            }
            self.current =
                Some(self.file.read_row_group(self.next, &self.wanted, &self.options)?);
            self.next += 1;
        }
    }

    fn omitted(&mut self) -> Omitted {
        std::mem::take(&mut self.omitted)
    }
}

fn read_stream(
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    let mut bytes = Vec::new();
    read_more(reader, MAX_STREAM, &mut bytes)?;
    let file = ParquetFile::open(Arc::new(bytes))?;
    let (wanted, options) = (header.clone(), options.clone());
    let omitted = Omitted::new();
    Ok(Box::new(WholeFile { file, wanted, options, next: 0, current: None, omitted }))
}

fn infer(sample: &[u8], complete: bool, options: &FormatOptions) -> Result<Header> {
    if !complete {
        let message = "The schema of a Parquet file is at its end: the file must be seekable";
        return Err(Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message));
    }
    let file = ParquetFile::open(Arc::new(sample.to_vec()))?;
    Ok(file.schema(options.parquet_skip_unsupported))
}

/// Whether the file says that its `i`-th column is a UUID.
fn is_uuid(metadata: &ArrowReaderMetadata, i: usize) -> bool {
    let fields = metadata.parquet_schema().root_schema().get_fields();
    let logical = fields.get(i).and_then(|f| f.get_basic_info().logical_type_ref());
    matches!(logical, Some(LogicalType::Uuid))
}

fn with_uuid(ty: &DataType) -> DataType {
    if ty.is_nullable() { DataType::nullable(DataType::Uuid) } else { DataType::Uuid }
}

/// Digits behind the second.
fn scale(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

/// Whether an Arrow type is one of ours without looking inside.
fn is_plain(ty: &ArrowType) -> Option<DataType> {
    Some(match ty {
        ArrowType::Boolean => DataType::Bool,
        ArrowType::Int8 => DataType::Int8,
        ArrowType::Int16 => DataType::Int16,
        ArrowType::Int32 => DataType::Int32,
        ArrowType::Int64 => DataType::Int64,
        ArrowType::UInt8 => DataType::UInt8,
        ArrowType::UInt16 => DataType::UInt16,
        ArrowType::UInt32 => DataType::UInt32,
        ArrowType::UInt64 => DataType::UInt64,
        ArrowType::Float32 => DataType::Float32,
        ArrowType::Float64 => DataType::Float64,
        ArrowType::Date32 => DataType::Date32,
        ArrowType::Float16 => DataType::Float32,
        ArrowType::Null => DataType::Int32,
        ArrowType::Time32(unit) | ArrowType::Time64(unit) => {
            DataType::DateTime64(scale(*unit), Some(TimeZone::utc()))
        }
        ArrowType::Duration(_) => DataType::Int64,
        ArrowType::Timestamp(unit, zone) => {
            DataType::DateTime64(scale(*unit), zone.as_ref().map(|_| TimeZone::utc()))
        }
        ArrowType::Decimal128(precision @ 1..=38, scale @ 0..) => {
            DataType::Decimal(*precision, *scale as u8)
        }
        ArrowType::Date64 => DataType::DateTime(None),
        ArrowType::Utf8
        | ArrowType::Binary
        | ArrowType::LargeUtf8
        | ArrowType::LargeBinary
        | ArrowType::Utf8View
        | ArrowType::BinaryView => DataType::String,
        ArrowType::FixedSizeBinary(width @ 1..) => DataType::FixedString(*width as u32),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
