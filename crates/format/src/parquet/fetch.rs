//! The bytes of a Parquet file for the crate parquet: the footer from the file, and column chunks
//! from memory after one read each.

use std::io::{Cursor, Read};
use std::sync::Arc;

use bytes::Bytes;
use entasis_base::Result;
use parquet::arrow::ProjectionMask;
use parquet::basic::{ConvertedType, Type as Physical};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use crate::ReadAt;

/// The whole file.
#[derive(Clone)]
pub(super) struct Source(Arc<dyn ReadAt>);

impl Source {
    pub(super) fn new(file: Arc<dyn ReadAt>) -> Self {
        Self(file)
    }

    fn read(&self, start: u64, len: usize) -> ParquetResult<Bytes> {
        if start.checked_add(len as u64).is_none_or(|end| end > self.0.len()) {
            return Err(ParquetError::EOF(format!("{len} bytes at {start} end after the file")));
        }
        let mut bytes = vec![0; len];
        self.0.read_exact_at(start, &mut bytes).map_err(|e| ParquetError::External(Box::new(e)))?;
        Ok(bytes.into())
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

/// Reads on from a place in the file.
pub(super) struct From {
    source: Source,
    at: u64,
}

impl Read for From {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = out.len().min(self.source.0.len().saturating_sub(self.at) as usize);
        self.source.0.read_exact_at(self.at, &mut out[..len]).map_err(std::io::Error::other)?;
        self.at += len as u64;
        Ok(len)
    }
}

impl ChunkReader for Source {
    type T = From;

    fn get_read(&self, start: u64) -> ParquetResult<From> {
        Ok(From { source: self.clone(), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.read(start, length)
    }
}

/// The column chunks that a reader will ask for.
pub(super) struct Fetched {
    len: u64,
    chunks: Vec<(u64, Bytes)>,
}

impl Fetched {
    pub(super) fn new(
        source: &Source,
        group: &RowGroupMetaData,
        mask: &ProjectionMask,
    ) -> Result<Self> {
        let mut chunks = Vec::new();
        for (leaf, column) in group.columns().iter().enumerate() {
            if mask.leaf_included(leaf) {
                let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
                let (Ok(start), Ok(len)) =
                    (u64::try_from(start), u64::try_from(column.compressed_size()))
                else {
                    let message = "the footer gives a column a negative place or size".to_string();
                    return Err(super::failed(ParquetError::General(message)));
                };
                chunks.push((start, source.read(start, len as usize).map_err(super::failed)?));
            }
        }
        Ok(Self { len: source.0.len(), chunks })
    }

    fn find(&self, start: u64) -> ParquetResult<Bytes> {
        let inside =
            |(from, bytes): &&(u64, Bytes)| (*from..from + bytes.len() as u64).contains(&start);
        let (from, bytes) = self.chunks.iter().find(inside).ok_or_else(|| {
            ParquetError::General(format!("Byte {start} lies outside the wanted columns"))
        })?;
        Ok(bytes.slice((start - from) as usize..))
    }
}

impl Length for Fetched {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Fetched {
    type T = Cursor<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(Cursor::new(self.find(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.find(start)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} leave the column")));
        }
        Ok(bytes.slice(..length))
    }
}

/// The schema with text taken as plain bytes: the decoder then does not insist on UTF-8.
pub(super) fn without_text(schema: &SchemaDescriptor) -> ParquetResult<SchemaDescriptor> {
    Ok(SchemaDescriptor::new(rebuild(&schema.root_schema_ptr(), true)?))
}

fn rebuild(ty: &TypePtr, is_root: bool) -> ParquetResult<TypePtr> {
    let info = ty.get_basic_info();
    let id = info.has_id().then(|| info.id());
    if ty.is_primitive() {
        if ty.get_physical_type() != Physical::BYTE_ARRAY
            || info.converted_type() == ConvertedType::DECIMAL
        {
            return Ok(Arc::clone(ty));
        }
        let builder = Type::primitive_type_builder(ty.name(), Physical::BYTE_ARRAY);
        let built = builder.with_repetition(info.repetition()).with_id(id).build()?;
        return Ok(Arc::new(built));
    }
    let fields: ParquetResult<Vec<_>> = ty.get_fields().iter().map(|f| rebuild(f, false)).collect();
    let mut builder = Type::group_type_builder(ty.name())
        .with_fields(fields?)
        .with_id(id)
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().cloned());
    if !is_root && info.has_repetition() {
        builder = builder.with_repetition(info.repetition());
    }
    Ok(Arc::new(builder.build()?))
}
