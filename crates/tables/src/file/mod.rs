//! `file(path[, format[, structure[, compression]]])`: files that a query names, as a table.
//!
//! Paths go through [`UserFiles`] only. What is not given is found out: the format and the
//! compression by the name's extension, the structure by looking into the first file that is not
//! empty. A structure that is given is promised to the query; what a Parquet file holds is cast to
//! it (`cast`), text is parsed as it. With a structure nothing is opened before a scan, so that an
//! INSERT may name a file that does not exist yet.

mod cast;
mod groups;
mod texts;
mod write;

use std::io::Read;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Header;
use entasis_disk::{ReadFile, UserFiles};
use entasis_format::{Compression, FormatOptions, ReadAt};
use entasis_pipeline::{QueryContext, Sink};
use entasis_table::{Schema, Snapshot, Table};
use entasis_types::Value;

use crate::functions::TableFacts;
use crate::values;

/// What the arguments say; shared by table, snapshot and sink.
struct Target {
    files: Arc<UserFiles>,
    /// As written in the query, perhaps a pattern.
    path: String,
    /// Name of the format.
    format: &'static str,
    /// Name of the compression, perhaps `auto`.
    compression: String,
    /// What the statement's settings say about formats.
    options: FormatOptions,
    /// Whether an INSERT replaces the file.
    truncate: bool,
}

/// The table of a `file` function.
pub struct FileTable {
    target: Arc<Target>,
    schema: Arc<Schema>,
}

/// The table for the arguments of `file`.
pub fn file(args: &[Value], facts: &TableFacts) -> Result<Arc<dyn Table>> {
    let texts: Option<Vec<String>> = args.iter().map(text_of).collect();
    let texts = texts.filter(|t| (1..=4).contains(&t.len())).ok_or_else(|| {
        let message = "The signature of table function file shall be the following:\n - filename\n \
                       - filename, format\n - filename, format, structure\n - filename, format, \
                       structure, compression_method\n";
        Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
    })?;
    let given = |i: usize| texts.get(i).map(String::as_str).filter(|t| *t != "auto");
    let path = texts[0].clone();
    let format = match given(1) {
        Some(name) => entasis_format::find(name)?.name,
        None => entasis_format::format_by_extension(&path).ok_or_else(|| unknown_format(&path))?,
    };
    let compression = given(3).unwrap_or("auto").to_string();
    Compression::find(&compression, &path)?;
    let target = Arc::new(Target {
        files: Arc::clone(&facts.files),
        path,
        format,
        compression,
        options: facts.options.clone(),
        truncate: facts.truncate_files,
    });
    let schema = match given(2) {
        Some(structure) => values::parse_structure(structure)?,
        None => Schema::of_fields(&target.infer()?),
    };
    Ok(Arc::new(FileTable { target, schema }))
}

fn text_of(value: &Value) -> Option<String> {
    value.as_bytes().map(|b| String::from_utf8_lossy(b).into_owned())
}

#[cold]
fn unknown_format(path: &str) -> Error {
    let message = format!(
        "The data format cannot be detected by the name of the file {path}. You can specify the \
         format manually"
    );
    Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message)
}

impl Table for FileTable {
    fn engine(&self) -> &'static str {
        "File"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let paths = self.target.files.glob(&self.target.path)?;
        if self.target.format == "Parquet" {
            return Ok(Arc::new(groups::Groups::open(&self.target, &self.schema, &paths)?));
        }
        Ok(Arc::new(texts::Texts::new(&self.target, &self.schema, paths)?))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn Sink>> {
        write::sink(&self.target, &self.schema.header(), context)
    }
}

impl Target {
    fn compression_of(&self, path: &str) -> Result<Compression> {
        Compression::find(&self.compression, path)
    }

    /// The file's bytes from start to end, decompressed.
    fn stream(&self, path: &str) -> Result<Box<dyn Read + Send>> {
        let raw = self.files.open_stream(path)?;
        let cap = self.options.max_decompressed;
        entasis_format::decompress(self.compression_of(path)?, raw, cap)
    }

    /// The file for reading at any place; what is compressed as a whole is unpacked into memory.
    fn open(&self, path: &str) -> Result<Arc<dyn ReadAt>> {
        if self.compression_of(path)? == Compression::None {
            return Ok(Arc::new(AtAnyPlace(self.files.open(path)?)));
        }
        let mut bytes = Vec::new();
        self.stream(path)?.read_to_end(&mut bytes)?;
        Ok(Arc::new(bytes))
    }

    /// Names and types of the first file that is not empty.
    fn infer(&self) -> Result<Header> {
        let paths = self.files.glob(&self.path)?;
        let mut empty: Option<String> = None;
        for path in paths {
            if self.files.info(&path)?.is_some_and(|info| info.len == 0) {
                empty.get_or_insert(path);
                continue;
            }
            return self.infer_file(&path).map_err(|e| in_file(e, &path));
        }
        let format = self.format;
        let why = match empty {
            Some(path) => format!("file, because the file {path} is empty"),
            None => "file, because there are no files with provided path".to_string(),
        };
        let message = format!(
            "The table structure cannot be extracted from a {format} format {why}. You can \
             specify table structure manually"
        );
        Err(Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message))
    }

    fn infer_file(&self, path: &str) -> Result<Header> {
        if self.format == "Parquet" {
            return entasis_format::infer_schema_at(self.format, self.open(path)?, &self.options);
        }
        let mut sample = Vec::new();
        let size = entasis_format::sample_size(self.format);
        // One byte more tells whether the sample is the whole file.
        self.stream(path)?.take(size + 1).read_to_end(&mut sample)?;
        let is_complete = sample.len() as u64 <= size;
        sample.truncate(size as usize);
        entasis_format::infer_schema(self.format, &sample, is_complete, &self.options)
    }
}

/// Says in which file it went wrong.
#[cold]
fn in_file(error: Error, path: &str) -> Error {
    error.append(format_args!(": (in file/uri {path})"))
}

/// A file of `disk` as `format` wants it.
struct AtAnyPlace(Arc<dyn ReadFile>);

impl ReadAt for AtAnyPlace {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.0.read_exact_at(offset, buffer)
    }
}

#[cfg(test)]
mod tests;
