//! The formats by name. Adding one touches its own file and the list here.

use std::io::Read;

use entasis_base::{Error, Result, codes};
use entasis_column::Header;

use crate::{FormatOptions, InputFormat, OutputFormat, ReadAt};

/// Makes a writer.
pub type WriteFn = fn(&Header, &FormatOptions) -> Result<Box<dyn OutputFormat>>;
/// Makes a reader of exactly the header's columns.
pub type ReadFn = fn(&Header, Box<dyn Read + Send>, &FormatOptions) -> Result<Box<dyn InputFormat>>;
/// Guesses names and types from the first bytes of a file (all of them, if `complete`).
pub type InferFn = fn(&[u8], bool, &FormatOptions) -> Result<Header>;

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
    /// For input, if the format can be read.
    pub read: Option<ReadFn>,
    /// For schema inference, if the format can be read.
    pub infer: Option<InferFn>,
}

/// The families' tables.
const FAMILIES: &[&[FormatDef]] = &[];

/// Finds a format by name or alias, in any case (as the reference does).
pub fn find(name: &str) -> Result<&'static FormatDef> {
    let all = FAMILIES.iter().copied().flatten();
    let matches = |n: &&str| n.eq_ignore_ascii_case(name);
    let mut found = all.filter(|f| matches(&f.name) || f.aliases.iter().any(|a| matches(&a)));
    found.next().ok_or_else(|| Error::new(codes::UNKNOWN_FORMAT, format!("Unknown format {name}")))
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
    write(header, options)
}

/// A reader of `header`'s columns from the format `name`.
pub fn input(
    name: &str,
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    let format = find(name)?;
    let read = format.read.ok_or_else(|| not_for_input(format))?;
    read(header, reader, options)
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
    let infer = format.infer.ok_or_else(|| not_for_input(format))?;
    infer(sample, complete, options)
}

/// [`infer_schema`] of a file read at any place: Parquet's footer, else the first 1 MiB.
pub fn infer_schema_at(
    name: &str,
    file: std::sync::Arc<dyn ReadAt>,
    options: &FormatOptions,
) -> Result<Header> {
    if find(name)?.name == "Parquet" {
        return Ok(crate::ParquetFile::open(file)?.header().clone());
    }
    let mut sample = vec![0; file.len().min(1 << 20) as usize];
    file.read_exact_at(0, &mut sample)?;
    infer_schema(name, &sample, sample.len() as u64 == file.len(), options)
}

fn not_for_input(format: &FormatDef) -> Error {
    let message = format!("Format {} is not suitable for input", format.name);
    Error::new(codes::FORMAT_IS_NOT_SUITABLE_FOR_INPUT, message)
}

/// The format that a file's name suggests, a compression's extension left off.
pub fn format_by_extension(path: &str) -> Option<&'static str> {
    let (stem, _) = crate::compression::split_extension(path);
    let extension = stem.rsplit('/').next()?.rsplit_once('.')?.1.to_ascii_lowercase();
    names().find(|f| f.extensions.contains(&extension.as_str())).map(|f| f.name)
}
