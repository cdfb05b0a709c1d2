//! Writes Parquet: ZSTD, row groups of 250,000 rows, columns required unless Nullable. Date and
//! DateTime become dates and timestamps, as in the reference.

use std::io::Write;
use std::sync::{Arc, Mutex};

use arrow_array::builder::BooleanBuilder;
use arrow_array::*;
use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType as ArrowType, Field as ArrowField, Fields, Schema, TimeUnit};
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes, scope};
use entasis_column::{ArrayColumn, Bitmap, Chunk, Column, Header, StringsBuilder};
use entasis_simd::cast::as_bytes;
use entasis_types::text_type::power_of_ten;
use entasis_types::{DataType, TextType, TimeZone};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::{FormatOptions, OutputFormat};

const ROWS_PER_GROUP: usize = 250_000;
/// Rows given to the library at a time: between them one can be stopped.
const ROWS_PER_BATCH: usize = 8192;

/// Where a library writes to, and what the caller takes from.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(crate) fn drain(&self, out: &mut Vec<u8>) {
        out.append(&mut lock(&self.0));
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct ParquetWriter {
    header: Header,
    schema: Arc<Schema>,
    bytes: Shared,
    writer: Option<ArrowWriter<Shared>>,
}

#[cold]
pub(crate) fn failed(e: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR, "Cannot write Parquet or Arrow")
        .with_cause(e)
}

pub(super) fn writer(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    // The file says text, so that other readers show it; we hand the bytes over unchecked.
    let strings = if options.parquet_strings { ArrowType::Utf8 } else { ArrowType::Binary };
    let described =
        ArrowSchemaConverter::new().convert(&schema(header, &Target::Parquet(strings))?);
    let schema = Arc::new(schema(header, &BYTES)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).map_err(failed)?))
        .set_max_row_group_row_count(Some(ROWS_PER_GROUP))
        .set_created_by(format!("Entasis {}", env!("CARGO_PKG_VERSION")))
        .build();
    let bytes = Shared::default();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(described.map_err(failed)?);
    let writer = ArrowWriter::try_new_with_options(bytes.clone(), Arc::clone(&schema), options)
        .map_err(failed)?;
    let header = header.clone();
    Ok(Box::new(ParquetWriter { header, schema, bytes, writer: Some(writer) }))
}

impl OutputFormat for ParquetWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        for start in (0..chunk.rows).step_by(ROWS_PER_BATCH) {
            scope::check()?;
            let rows = chunk.slice(start, ROWS_PER_BATCH.min(chunk.rows - start));
            let batch = batch(&self.header, &self.schema, &rows, &BYTES)?;
            if let Some(writer) = &mut self.writer {
                writer.write(&batch).map_err(failed)?;
            }
        }
        self.bytes.drain(out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.close().map_err(failed)?;
        }
        self.bytes.drain(out);
        Ok(())
    }
}

/// What the types of a file depend on.
pub(crate) enum Target {
    /// Parquet, with the type that strings have.
    Parquet(ArrowType),
    /// Arrow, with the same.
    Arrow(ArrowType),
}

const BYTES: Target = Target::Parquet(ArrowType::Binary);

impl Target {
    fn text(&self) -> ArrowType {
        let (Self::Parquet(text) | Self::Arrow(text)) = self;
        text.clone()
    }

    fn element_name(&self) -> &'static str {
        match self {
            Self::Parquet(_) => "element",
            Self::Arrow(_) => "item",
        }
    }
}

/// The header's columns as fields of a file.
pub(crate) fn schema(header: &Header, target: &Target) -> Result<Schema> {
    let fields: Result<Fields> = header.iter().map(|f| field(&f.name, &f.ty, target)).collect();
    Ok(Schema::new(fields?))
}

/// A chunk as a batch of the schema.
pub(crate) fn batch(
    header: &Header,
    schema: &Arc<Schema>,
    chunk: &Chunk,
    target: &Target,
) -> Result<RecordBatch> {
    let columns = header.iter().zip(&chunk.columns);
    let arrays: Result<Vec<ArrayRef>> =
        columns.map(|(f, c)| array(&f.ty, &c.full(), target)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(chunk.rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays?, &options).map_err(failed)
}

/// A field of the type.
fn field(name: &str, ty: &DataType, target: &Target) -> Result<ArrowField> {
    let plain = ty.without_nullable();
    let arrow = match plain {
        DataType::UInt8 => ArrowType::UInt8,
        DataType::UInt16 => ArrowType::UInt16,
        DataType::UInt32 | DataType::Ipv4 => ArrowType::UInt32,
        DataType::UInt64 => ArrowType::UInt64,
        DataType::Int8 => ArrowType::Int8,
        DataType::Int16 => ArrowType::Int16,
        DataType::Int32 => ArrowType::Int32,
        DataType::Int64 | DataType::Interval(_) => ArrowType::Int64,
        DataType::Float32 => ArrowType::Float32,
        DataType::Float64 => ArrowType::Float64,
        DataType::Bool => ArrowType::Boolean,
        DataType::Date => ArrowType::Date32,
        DataType::DateTime(_) => match target {
            Target::Parquet(_) => ArrowType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
            Target::Arrow(_) => ArrowType::UInt32,
        },
        DataType::String => target.text(),
        DataType::Date32 => ArrowType::Date32,
        DataType::DateTime64(scale, _) => {
            let unit = match scale {
                0..=3 => TimeUnit::Millisecond,
                4..=6 => TimeUnit::Microsecond,
                _ => TimeUnit::Nanosecond,
            };
            ArrowType::Timestamp(unit, Some("UTC".into()))
        }
        DataType::Decimal(precision, scale) => ArrowType::Decimal128(*precision, *scale as i8),
        // As text, which every reader shows and which reads back.
        DataType::Enum(_) | DataType::Uuid => target.text(),
        DataType::Map(_) => map_type(plain, target)?,
        DataType::Nested(stored) => return field(name, stored, target),
        DataType::FixedString(width) => ArrowType::FixedSizeBinary(*width as i32),
        DataType::Int128 | DataType::UInt128 | DataType::Ipv6 => ArrowType::FixedSizeBinary(16),
        DataType::Int256 | DataType::UInt256 => ArrowType::FixedSizeBinary(32),
        DataType::Array(inner) => {
            ArrowType::List(Arc::new(field(target.element_name(), inner, target)?))
        }
        DataType::Tuple(tuple) => {
            let name = |i: usize| match &tuple.names {
                Some(names) => names[i].to_string(),
                None => (i + 1).to_string(),
            };
            let fields: Result<Fields> =
                tuple.types.iter().enumerate().map(|(i, t)| field(&name(i), t, target)).collect();
            ArrowType::Struct(fields?)
        }
        other => {
            return Err(Error::not_implemented(format!("Writing {other} to Parquet or Arrow")));
        }
    };
    Ok(ArrowField::new(name, arrow, ty.is_nullable()))
}

fn map_type(ty: &DataType, target: &Target) -> Result<ArrowType> {
    let (key, value) = ty.as_map().ok_or_else(|| Error::logical("a map is no map"))?;
    let pair = Fields::from(vec![field("key", key, target)?, field("value", value, target)?]);
    let entries = ArrowField::new("key_value", ArrowType::Struct(pair), false);
    Ok(ArrowType::Map(Arc::new(entries), false))
}

fn map_array(
    ty: &DataType,
    a: &ArrayColumn,
    nulls: Option<NullBuffer>,
    target: &Target,
) -> Result<ArrayRef> {
    let (Some((key, value)), ArrowType::Map(entries, _)) = (ty.as_map(), map_type(ty, target)?)
    else {
        return Err(Error::logical("a map is no map"));
    };
    let (ends, pairs) = a.flat();
    let (Column::Tuple(pair), ArrowType::Struct(fields)) = (&pairs, entries.data_type()) else {
        return Err(Error::logical("entries of a map are no pairs"));
    };
    let parts =
        vec![array(key, &pair.columns[0], target)?, array(value, &pair.columns[1], target)?];
    let pairs = StructArray::try_new_with_length(fields.clone(), parts, None, pair.len);
    let map = MapArray::try_new(entries, offsets(&ends), pairs.map_err(failed)?, nulls, false);
    Ok(Arc::new(map.map_err(failed)?))
}

/// Ticks of a DateTime64 in the unit that its scale gets.
fn ticks(scale: u8, values: &[i64], nulls: Option<NullBuffer>) -> ArrayRef {
    let wide = |to: u8| -> ScalarBuffer<i64> {
        let unit = power_of_ten(to - scale) as i64;
        values.iter().map(|v| v.wrapping_mul(unit)).collect()
    };
    match scale {
        0..=3 => Arc::new(TimestampMillisecondArray::new(wide(3), nulls).with_timezone("UTC")),
        4..=6 => Arc::new(TimestampMicrosecondArray::new(wide(6), nulls).with_timezone("UTC")),
        _ => Arc::new(TimestampNanosecondArray::new(wide(9), nulls).with_timezone("UTC")),
    }
}

/// Values of a type that is spelled, as text.
fn texts(ty: &DataType, column: &Column, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let spelled = TextType::of(ty, TimeZone::utc());
    let spelled = spelled.ok_or_else(|| Error::logical(format!("{ty} is not spelled")))?;
    let mut out = StringsBuilder::default();
    for i in 0..column.len() {
        spelled.write(&mut out.data, column.bits(i));
        out.close();
    }
    let strings = out.finish();
    let data = ArrowBuffer::from(strings.bytes());
    Ok(Arc::new(BinaryArray::try_new(offsets(strings.offsets()), data, nulls).map_err(failed)?))
}

fn nulls(validity: &Bitmap) -> NullBuffer {
    let words: ScalarBuffer<u64> = validity.words().to_vec().into();
    NullBuffer::new(BooleanBuffer::new(words.into_inner(), 0, validity.len()))
}

fn offsets(unsigned: &[u32]) -> OffsetBuffer<i32> {
    let first = unsigned.first().copied().unwrap_or(0);
    OffsetBuffer::new(unsigned.iter().map(|o| (o - first) as i32).collect())
}

fn fixed(width: usize, data: &[u8], nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let array = FixedSizeBinaryArray::try_new(width as i32, ArrowBuffer::from(data), nulls);
    Ok(Arc::new(array.map_err(failed)?))
}

macro_rules! numbers {
    ($values:expr, $nulls:expr, $array:ident) => {
        Arc::new($array::new($values.to_vec().into(), $nulls))
    };
}

fn array(ty: &DataType, column: &Column, target: &Target) -> Result<ArrayRef> {
    let (validity, values) = column.split_nullable();
    let nulls = validity.map(nulls);
    Ok(match (ty.without_nullable(), values) {
        (DataType::Bool, Column::UInt8(v)) => {
            let mut builder = BooleanBuilder::with_capacity(v.len());
            for (i, &b) in v.iter().enumerate() {
                let is_valid = nulls.as_ref().is_none_or(|n| n.is_valid(i));
                builder.append_option(is_valid.then_some(b != 0));
            }
            Arc::new(builder.finish())
        }
        (DataType::Date, Column::UInt16(v)) => {
            Arc::new(Date32Array::new(v.iter().map(|&d| i32::from(d)).collect(), nulls))
        }
        (DataType::DateTime(_), Column::UInt32(v)) if matches!(target, Target::Parquet(_)) => {
            let milliseconds = v.iter().map(|&s| i64::from(s) * 1000).collect();
            Arc::new(TimestampMillisecondArray::new(milliseconds, nulls).with_timezone("UTC"))
        }
        (DataType::Date32, Column::Int32(v)) => numbers!(v, nulls, Date32Array),
        (DataType::DateTime64(scale, _), Column::Int64(v)) => ticks(*scale, v, nulls),
        (DataType::Decimal(precision, scale), values) => {
            let bits = (0..values.len()).map(|i| values.bits(i)).collect();
            let decimals = Decimal128Array::new(bits, nulls);
            Arc::new(decimals.with_precision_and_scale(*precision, *scale as i8).map_err(failed)?)
        }
        (ty @ (DataType::Enum(_) | DataType::Uuid), values) => texts(ty, values, nulls)?,
        (ty @ DataType::Map(_), Column::Array(a)) => map_array(ty, a, nulls, target)?,
        (DataType::Nested(stored), values) => return array(stored, values, target),
        (_, Column::UInt8(v)) => numbers!(v, nulls, UInt8Array),
        (_, Column::UInt16(v)) => numbers!(v, nulls, UInt16Array),
        (_, Column::UInt32(v)) => numbers!(v, nulls, UInt32Array),
        (_, Column::UInt64(v)) => numbers!(v, nulls, UInt64Array),
        (_, Column::Int8(v)) => numbers!(v, nulls, Int8Array),
        (_, Column::Int16(v)) => numbers!(v, nulls, Int16Array),
        (_, Column::Int32(v)) => numbers!(v, nulls, Int32Array),
        (_, Column::Int64(v)) => numbers!(v, nulls, Int64Array),
        (_, Column::Float32(v)) => numbers!(v, nulls, Float32Array),
        (_, Column::Float64(v)) => numbers!(v, nulls, Float64Array),
        (_, Column::String(s)) => {
            let data = ArrowBuffer::from(s.bytes());
            Arc::new(BinaryArray::try_new(offsets(s.offsets()), data, nulls).map_err(failed)?)
        }
        (_, Column::Fixed(f)) => fixed(f.width, &f.data, nulls)?,
        (_, Column::UInt128(v)) => fixed(16, as_bytes(v), nulls)?,
        (_, Column::UInt256(v)) => fixed(32, as_bytes(v), nulls)?,
        (_, Column::Int128(v)) => fixed(16, as_bytes(v), nulls)?,
        (_, Column::Int256(v)) => fixed(32, as_bytes(v), nulls)?,
        (DataType::Array(inner), Column::Array(a)) => {
            let (ends, elements) = a.flat();
            let element = Arc::new(field(target.element_name(), inner, target)?);
            let (ends, elements) = (offsets(&ends), array(inner, &elements, target)?);
            let list = ListArray::try_new(element, ends, elements, nulls);
            Arc::new(list.map_err(failed)?)
        }
        (plain @ DataType::Tuple(tuple), Column::Tuple(t)) => {
            let ArrowType::Struct(fields) = field("", plain, target)?.data_type().clone() else {
                return Err(Error::logical("A tuple is no struct"));
            };
            let parts = tuple.types.iter().zip(&t.columns);
            let arrays: Result<Vec<ArrayRef>> = parts.map(|(ty, c)| array(ty, c, target)).collect();
            let array = StructArray::try_new_with_length(fields, arrays?, nulls, t.len);
            Arc::new(array.map_err(failed)?)
        }
        (ty, _) => return Err(Error::not_implemented(format!("Writing {ty} to Parquet or Arrow"))),
    })
}
