//! Arrow (files) and ArrowStream: Arrow's form of columns in memory, as messages.
//!
//! Arrays and schemas come from the arrow crates, and their types are those of Parquet
//! ([`crate::parquet`]). This module splits the stream into messages itself, so that their lengths
//! take no memory before their bytes have arrived. A file is read as the stream that it contains;
//! its footer is not needed. Strings are read as bytes, so text that is not UTF-8 is accepted.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, MessageHeader, MetadataVersion};
use arrow_schema::{ArrowError, DataType as ArrowType, Field as ArrowField, Fields, Schema};
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Field, Header};

use crate::fit::Found;
use crate::parquet::convert;
use crate::parquet::write::{Shared, Target, batch, failed, schema};
use crate::registry::FormatDef;
use crate::rows::Pieces;
use crate::stored::StoredColumn;
use crate::stream::Stream;
use crate::{FormatOptions, InputFormat, Omitted, OutputFormat};

pub(crate) const FORMATS: &[FormatDef] = &[
    FormatDef {
        extensions: &["arrow", "feather"],
        write: Some(writer::<true>),
        read: Some(reader::<true>),
        infer: Some(infer::<true>),
        ..FormatDef::new("Arrow")
    },
    FormatDef {
        extensions: &["arrows"],
        write: Some(writer::<false>),
        read: Some(reader::<false>),
        infer: Some(infer::<false>),
        ..FormatDef::new("ArrowStream")
    },
];

/// What a file begins with, before the stream.
const MAGIC: &[u8] = b"ARROW1\0\0";
/// Bytes of a message's description, at most.
const MAX_MESSAGE: usize = 1 << 26;
/// Bytes of a message's buffers, at most, compressed or not.
const MAX_BODY: u64 = 1 << 32;
/// Rows of a batch, at most.
const MAX_ROWS: usize = 1 << 30;

enum Writer {
    File(FileWriter<Shared>),
    Stream(StreamWriter<Shared>),
}

struct ArrowWriter {
    header: Header,
    schema: Arc<Schema>,
    bytes: Shared,
    writer: Writer,
}

fn writer<const IS_FILE: bool>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    // The stream says text; batches hold the bytes, which lie in the same way, unchecked.
    let strings = if options.arrow_strings { ArrowType::Utf8 } else { ArrowType::Binary };
    let described = schema(header, &Target::Arrow(strings))?;
    let schema = Arc::new(schema(header, &Target::Arrow(ArrowType::Binary))?);
    let options = IpcWriteOptions::try_new(8, false, MetadataVersion::V5)
        .and_then(|o| o.try_with_compression(Some(CompressionType::LZ4_FRAME)))
        .map_err(failed)?;
    let bytes = Shared::default();
    let writer = if IS_FILE {
        let writer = FileWriter::try_new_with_options(bytes.clone(), &described, options);
        Writer::File(writer.map_err(failed)?)
    } else {
        let writer = StreamWriter::try_new_with_options(bytes.clone(), &described, options);
        Writer::Stream(writer.map_err(failed)?)
    };
    Ok(Box::new(ArrowWriter { header: header.clone(), schema, bytes, writer }))
}

impl OutputFormat for ArrowWriter {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.bytes.drain(out);
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        if chunk.is_empty() {
            return Ok(());
        }
        let target = Target::Arrow(ArrowType::Binary);
        let batch = batch(&self.header, &self.schema, chunk, &target)?;
        match &mut self.writer {
            Writer::File(writer) => writer.write(&batch),
            Writer::Stream(writer) => writer.write(&batch),
        }
        .map_err(failed)?;
        self.bytes.drain(out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match &mut self.writer {
            Writer::File(writer) => writer.finish(),
            Writer::Stream(writer) => writer.finish(),
        }
        .map_err(failed)?;
        self.bytes.drain(out);
        Ok(())
    }
}

#[cold]
fn bad(e: ArrowError) -> Error {
    Error::new(codes::INCORRECT_DATA, format!("Cannot read Arrow data: {e}"))
}

#[cold]
fn wrong(why: &str) -> Error {
    Error::new(codes::INCORRECT_DATA, format!("Cannot read Arrow data: {why}"))
}

/// The messages of a stream.
struct Messages {
    stream: Stream<'static>,
    schema: Arc<Schema>,
    dictionaries: HashMap<i64, ArrayRef>,
}

impl Messages {
    /// Reads what comes before the batches; `None` for no bytes at all.
    fn open<const IS_FILE: bool>(reader: Box<dyn Read + Send>) -> Result<Option<Self>> {
        let mut stream = Stream::new(reader);
        if stream.is_at_end()? {
            return Ok(None);
        }
        if IS_FILE && stream.take(MAGIC.len())? != MAGIC {
            return Err(wrong("an Arrow file begins with ARROW1 (is it an ArrowStream?)"));
        }
        // Some programs fill up what stands before the schema to 64 bytes.
        let padding = if IS_FILE { 14 } else { 0 };
        let mut first = next_message(&mut stream)?;
        for _ in 0..padding {
            if first.is_none() && !stream.is_at_end()? {
                first = next_message(&mut stream)?;
            }
        }
        let Some(first) = first else { return Err(wrong("it ends before its schema")) };
        let message = arrow_ipc::root_as_message(&first)
            .map_err(|e| wrong(&format!("unable to get root as message: {e}")))?;
        let Some(schema) = message.header_as_schema() else {
            return Err(wrong("its first message is no schema"));
        };
        let schema = arrow_ipc::convert::try_fb_to_schema(schema).map_err(bad)?;
        let schema = Arc::new(Schema::new(without_text(schema.fields())));
        Ok(Some(Self { stream, schema, dictionaries: HashMap::new() }))
    }

    /// The next batch.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.stream.is_at_end()? {
            let Some(bytes) = next_message(&mut self.stream)? else { break };
            let message = arrow_ipc::root_as_message(&bytes)
                .map_err(|e| wrong(&format!("unable to get root as message: {e}")))?;
            let version = message.version();
            let length = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
            if length > MAX_BODY {
                return Err(wrong(&format!("a message of {length} bytes; at most {MAX_BODY}")));
            }
            let body = self.stream.take(length as usize)?;
            match message.header_type() {
                MessageHeader::RecordBatch => {
                    let Some(batch) = message.header_as_record_batch() else { continue };
                    check(&batch, body)?;
                    let (body, schema) = (Buffer::from(body), Arc::clone(&self.schema));
                    let known = &self.dictionaries;
                    let decode = || {
                        RecordBatchDecoder::try_new(&body, batch, schema, known, &version)?
                            .read_record_batch()
                    };
                    return caught(decode).map(Some);
                }
                MessageHeader::DictionaryBatch => {
                    let Some(batch) = message.header_as_dictionary_batch() else { continue };
                    if let Some(data) = batch.data() {
                        check(&data, body)?;
                    }
                    let (body, known) = (Buffer::from(body), &mut self.dictionaries);
                    let schema = &self.schema;
                    caught(|| read_dictionary(&body, batch, schema, known, &version))?;
                }
                _ => return Err(wrong("a message that is neither a batch nor a dictionary")),
            }
        }
        Ok(None)
    }
}

/// Decodes a message. The decoder checks most of what a message says, but asserts that the lengths
/// of buffers are multiples of their values' width: such a panic is an error here.
fn caught<T>(decode: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    let decoded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode));
    decoded.map_err(|_| wrong("the lengths of its buffers do not fit its values"))?.map_err(bad)
}

/// The description of the next message; `None` at the end of the stream.
fn next_message(stream: &mut Stream<'_>) -> Result<Option<Vec<u8>>> {
    let mut word = || -> Result<u32> {
        let bytes = stream.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    };
    let mut len = word()?;
    if len == u32::MAX {
        len = word()?;
    }
    if len as usize > MAX_MESSAGE {
        return Err(wrong(&format!(
            "a message's description of {len} bytes; at most {MAX_MESSAGE}"
        )));
    }
    Ok(if len == 0 { None } else { Some(stream.take(len as usize)?.to_vec()) })
}

/// Fails if a batch claims what its bytes cannot hold: the decoder takes memory for it at once.
fn check(batch: &arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<()> {
    let rows = usize::try_from(batch.length()).unwrap_or(usize::MAX);
    let nodes = batch.nodes().into_iter().flatten();
    let longest = nodes.map(|n| usize::try_from(n.length()).unwrap_or(usize::MAX)).max();
    if rows.max(longest.unwrap_or(0)) > MAX_ROWS {
        return Err(wrong(&format!("a batch of more than {MAX_ROWS} rows")));
    }
    let Some(compression) = batch.compression() else { return Ok(()) };
    // LZ4 makes at most 255 bytes of one; ZSTD has no such bound.
    let ratio = if compression.codec() == CompressionType::LZ4_FRAME { 255 } else { 1 << 17 };
    let mut total = 0;
    for buffer in batch.buffers().into_iter().flatten().filter(|b| b.length() > 0) {
        let start = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let len = usize::try_from(buffer.length()).unwrap_or(usize::MAX);
        let bytes = body.get(start..).and_then(|rest| rest.get(..len));
        let Some((declared, packed)) = bytes.and_then(|b| b.split_first_chunk::<8>()) else {
            return Err(wrong("a buffer reaches beyond its message"));
        };
        let declared = u64::try_from(i64::from_le_bytes(*declared)).unwrap_or(0);
        total += declared.min(MAX_BODY);
        if declared > packed.len() as u64 * ratio || total > MAX_BODY {
            return Err(wrong(&format!("{} bytes that claim to hold {declared}", packed.len())));
        }
    }
    Ok(())
}

/// Fields with bytes for text, which lie in the same way and are not checked.
fn without_text(fields: &Fields) -> Fields {
    fields
        .iter()
        .map(|f| Arc::new(f.as_ref().clone().with_data_type(bytes(f.data_type()))))
        .collect()
}

fn bytes(ty: &ArrowType) -> ArrowType {
    let field = |f: &Arc<ArrowField>| {
        let ty = bytes(f.data_type());
        Arc::new(f.as_ref().clone().with_data_type(ty))
    };
    match ty {
        ArrowType::Utf8 => ArrowType::Binary,
        ArrowType::LargeUtf8 => ArrowType::LargeBinary,
        ArrowType::Utf8View => ArrowType::BinaryView,
        ArrowType::List(inner) => ArrowType::List(field(inner)),
        ArrowType::LargeList(inner) => ArrowType::LargeList(field(inner)),
        ArrowType::Struct(fields) => ArrowType::Struct(without_text(fields)),
        ArrowType::Dictionary(keys, values) => {
            ArrowType::Dictionary(keys.clone(), Box::new(bytes(values)))
        }
        other => other.clone(),
    }
}

#[cold]
fn unsupported(field: &ArrowField) -> Error {
    let what = format!("Arrow column {} of type {}", field.name(), field.data_type());
    Error::not_implemented(what).append(". Other columns of the file can be read")
}

/// The columns of a schema. One of a type that cannot be read is shown as NULL alone, and fails
/// when it is read; or it is left out.
fn columns(schema: &Schema, skip_unsupported: bool) -> Header {
    let field = |f: &Arc<ArrowField>| {
        let ty = convert::data_type(f);
        let ty = ty.or_else(|| (!skip_unsupported).then(convert::unsupported))?;
        Some(Field::new(f.name().as_str(), ty))
    };
    Header::new(schema.fields().iter().filter_map(field).collect())
}

struct ArrowReader {
    /// None for no bytes at all.
    messages: Option<Messages>,
    wanted: Header,
    /// Where each wanted column is found, if the stream has it.
    stored: Vec<Option<StoredColumn>>,
    options: FormatOptions,
    /// Read, but not yet handed out.
    rest: Pieces,
}

fn reader<const IS_FILE: bool>(
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    let messages = Messages::open::<IS_FILE>(reader)?;
    let fields = messages.as_ref().map_or(Fields::empty(), |m| m.schema.fields().clone());
    let column = |name: &str| {
        let Some((i, field)) = fields.find(name) else { return Ok(None) };
        let Some(ty) = convert::data_type(field) else { return Err(unsupported(field)) };
        Ok(Some((i, ty)))
    };
    let find = |want: &Field| StoredColumn::find(&want.name, &column);
    let stored = header.iter().map(find).collect::<Result<Vec<_>>>()?;
    if messages.is_some() && !options.arrow_missing_columns {
        crate::fit::check_all_there(header, &stored, "the Arrow data")?;
    }
    let (options, rest) = (options.clone(), Pieces::default());
    Ok(Box::new(ArrowReader { messages, wanted: header.clone(), stored, options, rest }))
}

impl ArrowReader {
    fn rows(&self, batch: &RecordBatch) -> Result<Pieces> {
        let mut found = Found::new(&self.wanted, &self.options);
        for (place, stored) in self.stored.iter().enumerate() {
            if let Some(stored) = stored {
                let column = convert::column(&stored.ty, batch.column(stored.at))?;
                found.put(place, stored.of(&column)?, &stored.field)?;
            }
        }
        Ok(found.finish(batch.num_rows()))
    }
}

impl InputFormat for ArrowReader {
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        while self.rest.is_empty() {
            let Some(messages) = &mut self.messages else { return Ok(None) };
            let Some(batch) = messages.next()? else { return Ok(None) };
            self.rest = self.rows(&batch)?;
        }
        Ok(Some(self.rest.take(max_rows)))
    }

    fn omitted(&mut self) -> Omitted {
        self.rest.omitted()
    }
}

fn infer<const IS_FILE: bool>(
    sample: &[u8],
    _complete: bool,
    options: &FormatOptions,
) -> Result<Header> {
    match Messages::open::<IS_FILE>(Box::new(std::io::Cursor::new(sample.to_vec())))? {
        Some(messages) => Ok(columns(&messages.schema, options.arrow_skip_unsupported)),
        None => {
            let name = if IS_FILE { "Arrow" } else { "ArrowStream" };
            Err(crate::infer::cannot(name, "The file is empty"))
        }
    }
}

#[cfg(test)]
mod tests;
