//! The formats by name. A new format needs its own file and an entry in the list here.

use std::io::Read;
use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::words::edits;
use entasis_base::{Error, Result, codes};
use entasis_column::Header;

use crate::counted::{CountedInput, CountedOutput};
use crate::rows::{RowBuffer, RowParser, RowStream};
use crate::{FormatOptions, InputFormat, OutputFormat, ReadAt};

/// Makes a writer.
pub type WriteFn = fn(&Header, &FormatOptions) -> Result<Box<dyn OutputFormat>>;
/// Makes a reader of exactly the header's columns.
pub type ReadFn = fn(&Header, Box<dyn Read + Send>, &FormatOptions) -> Result<Box<dyn InputFormat>>;
/// Guesses names and types from the first bytes of a file (all of them, if the flag says so).
pub type InferFn = fn(&[u8], bool, &FormatOptions) -> Result<Header>;
/// The parser of a row format, and the stream behind its header lines.
pub(crate) type RowSource = (Arc<dyn RowParser>, RowBuffer);
/// Makes a [`RowSource`].
pub(crate) type RowsFn = fn(&Header, RowBuffer, &FormatOptions) -> Result<RowSource>;

/// A format as data.
pub struct FormatDef {
    /// Name as the reference spells it.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// File name extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// For output, if the format can be written.
    pub write: Option<WriteFn>,
    /// For input, if the format is read as a whole.
    pub(crate) read: Option<ReadFn>,
    /// For input, if the format is read row by row.
    pub(crate) rows: Option<RowsFn>,
    /// For schema inference, if the format can be read.
    pub infer: Option<InferFn>,
    /// Whether names stand between values: inference wants much of a file, then.
    pub(crate) names_among_values: bool,
}

impl FormatDef {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            extensions: &[],
            write: None,
            read: None,
            rows: None,
            infer: None,
            names_among_values: false,
        }
    }

    /// Whether rows can be read in this format.
    pub fn is_input(&self) -> bool {
        self.read.is_some() || self.rows.is_some()
    }

    /// Whether rows can be written in this format.
    pub fn is_output(&self) -> bool {
        self.write.is_some()
    }
}

/// The families' tables.
const FAMILIES: &[&[FormatDef]] = &[
    crate::tsv::FORMATS,
    crate::pretty::FORMATS,
    crate::vertical::FORMATS,
    crate::null::FORMATS,
    crate::json::FORMATS,
    crate::json_document::FORMATS,
    crate::json_objects::FORMATS,
    crate::tskv::FORMATS,
    crate::xml::FORMATS,
    crate::lines::FORMATS,
    crate::markdown::FORMATS,
    crate::parquet::FORMATS,
    crate::values::FORMATS,
    crate::csv::FORMATS,
    crate::row_binary::FORMATS,
    crate::native::FORMATS,
    crate::arrow::FORMATS,
];

/// Formats of the reference that are not here yet.
const NOT_YET: &[&str] = &[
    "Avro",
    "AvroConfluent",
    "BSONEachRow",
    "Buffers",
    "CapnProto",
    "CustomSeparatedIgnoreSpaces",
    "CustomSeparatedIgnoreSpacesWithNames",
    "CustomSeparatedIgnoreSpacesWithNamesAndTypes",
    "DWARF",
    "Form",
    "HiveText",
    "JSONAsObject",
    "JSONCompactEachRowWithProgress",
    "JSONCompactStringsEachRowWithProgress",
    "JSONEachRowWithProgress",
    "JSONStringsEachRowWithProgress",
    "MsgPack",
    "MySQLDump",
    "MySQLWire",
    "Npy",
    "ODBCDriver2",
    "ORC",
    "One",
    "ParquetMetadata",
    "PostgreSQLWire",
    "Prometheus",
    "Protobuf",
    "ProtobufList",
    "ProtobufSingle",
    "Regexp",
    "Template",
    "TemplateIgnoreSpaces",
];

/// Finds a format by name or alias, in any case (as the reference does).
pub fn find(name: &str) -> Result<&'static FormatDef> {
    let is_name = |known: &str| known.eq_ignore_ascii_case(name);
    let mut all = names();
    if let Some(f) = all.find(|f| is_name(f.name) || f.aliases.iter().any(|a| is_name(a))) {
        return Ok(f);
    }
    if let Some(known) = NOT_YET.iter().find(|known| is_name(known)) {
        return Err(Error::not_implemented(format!("Format {known}")));
    }
    let mut message = format!("Unknown format {name}");
    let hints = similar(name);
    if !hints.is_empty() {
        message = format!("{message}. Maybe you meant: {hints:?}").replace('"', "'");
    }
    Err(Error::new(codes::UNKNOWN_FORMAT, message))
}

/// Up to two known names within two edits (or a third of the name's length).
fn similar(name: &str) -> Vec<&'static str> {
    let lower = name.to_ascii_lowercase();
    let known = names().flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
    let mut near: Vec<(usize, &'static str)> = known
        .map(|known| (edits(&lower, &known.to_ascii_lowercase()), known))
        .filter(|(distance, _)| *distance <= (lower.len() / 3).max(2))
        .collect();
    near.sort_unstable();
    near.into_iter().take(2).map(|(_, name)| name).collect()
}

/// Every format by name, for `system.formats` and completion.
pub fn names() -> impl Iterator<Item = &'static FormatDef> {
    FAMILIES.iter().copied().flatten()
}

/// A writer of `header`'s rows in the format `name`.
pub fn output(
    name: &str,
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let format = find(name)?;
    let write = format.write.ok_or_else(|| {
        let message = format!("Format {} is not suitable for output", format.name);
        Error::new(codes::FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT, message)
    })?;
    Ok(Box::new(CountedOutput(write(header, options)?)))
}

/// A reader of `header`'s columns from the format `name`.
pub fn input(
    name: &str,
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    let format = find(name)?;
    if let Some(open) = format.rows {
        let (parser, buffer) = open(header, RowBuffer::new(reader), options)?;
        let stream = Box::new(RowStream::new(parser, buffer, header).with_errors(options));
        return Ok(Box::new(CountedInput(stream)));
    }
    let read = format.read.ok_or_else(|| not_for_input(format))?;
    Ok(Box::new(CountedInput(read(header, reader, options)?)))
}

/// Bytes of a file that [`infer_schema`] wants to see.
pub fn sample_size(name: &str) -> u64 {
    if find(name).is_ok_and(|format| format.names_among_values) { 1 << 28 } else { 1 << 20 }
}

/// Names and types that the first bytes of a file suggest. `complete`: the sample is the whole file
/// (else the last line may be cut).
pub fn infer_schema(
    name: &str,
    sample: &[u8],
    complete: bool,
    options: &FormatOptions,
) -> Result<Header> {
    let format = find(name)?;
    if !format.is_input() {
        return Err(not_for_input(format));
    }
    let infer = format.infer.ok_or_else(|| {
        let message = format!(
            "{} file format doesn't support schema inference. You must specify the structure \
             manually",
            format.name
        );
        Error::new(codes::BAD_ARGUMENTS, message)
    })?;
    events::one(Event::FormatSchemaInferences);
    Ok(crate::infer::adjusted(infer(sample, complete, options)?, options))
}

/// [`infer_schema`] of a file read at any place: Parquet's footer, else the first bytes.
pub fn infer_schema_at(
    name: &str,
    file: Arc<dyn ReadAt>,
    options: &FormatOptions,
) -> Result<Header> {
    if find(name)?.name == "Parquet" {
        let file = crate::ParquetFile::open(file)?;
        let schema = file.schema(options.parquet_skip_unsupported);
        return Ok(crate::infer::adjusted(schema, options));
    }
    let mut sample = vec![0; file.len().min(sample_size(name)) as usize];
    file.read_exact_at(0, &mut sample)?;
    infer_schema(name, &sample, sample.len() as u64 == file.len(), options)
}

fn not_for_input(format: &FormatDef) -> Error {
    let message = format!("Format {} is not suitable for input", format.name);
    Error::new(codes::FORMAT_IS_NOT_SUITABLE_FOR_INPUT, message)
}

/// Whether rows of the format may begin with any bytes, also those that a compressed file begins
/// with.
pub fn takes_any_bytes(name: &str) -> bool {
    find(name).is_ok_and(|format| {
        format.name.starts_with("RowBinary") || matches!(format.name, "Native" | "RawBLOB")
    })
}

/// The format that a file's name suggests, a compression's extension left off.
pub fn format_by_extension(path: &str) -> Option<&'static str> {
    let (stem, _) = crate::compression::split_extension(path);
    let extension = stem.rsplit('/').next()?.rsplit_once('.')?.1.to_ascii_lowercase();
    names().find(|f| f.extensions.contains(&extension.as_str())).map(|f| f.name)
}
