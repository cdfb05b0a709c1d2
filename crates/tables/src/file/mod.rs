//! `file(path[, format[, structure[, compression]]])`: files that a query names, as a table.
//!
//! Paths are resolved by [`UserFiles`] only. Omitted arguments are detected: the compression from
//! the name's extension, the format from the extension or the content (`detect`), the structure
//! from the first file that is not empty. If a structure is given, text is parsed as its types, and
//! values of files with their own types are cast to them ([`crate::cast`]). With a structure no
//! file is opened before the scan, so that an INSERT may name a file that does not exist yet.

mod beside;
mod detect;
mod groups;
mod partitioned;
mod place;
mod texts;
mod url;
mod write;

use std::io::Read;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Header;
use entasis_disk::ReadFile;
use entasis_format::{Compression, FormatOptions, ReadAt};
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{InsertSink, ScanSpec, Schema, Snapshot, Table};
use entasis_types::Value;

use crate::functions::TableFunctionContext;
use crate::values;
use beside::Layout;
pub use partitioned::Partitioned;
use place::Place;
pub use url::{UrlArguments, url};

/// Bytes of a file that are read to detect its format.
const DETECT: u64 = 1 << 20;

/// The arguments of the function; shared by table, snapshot and sink.
struct Target {
    place: Place,
    /// The path as written in the query; it may be a pattern.
    path: String,
    /// The name of the format.
    format: &'static str,
    /// The name of the compression, which may be `auto`.
    compression: String,
    options: FormatOptions,
    /// Whether an INSERT replaces the file.
    truncate: bool,
    /// Whether an INSERT writes another file where it cannot append.
    new_files: bool,
    /// Whether a file that does not exist is empty.
    empty_if_missing: bool,
    /// Whether files without any bytes are left out.
    skip_empty: bool,
}

/// The table of a `file` or `url` function.
pub struct FileTable {
    engine: &'static str,
    target: Arc<Target>,
    schema: Arc<Schema>,
    layout: Arc<Layout>,
}

/// The table for the arguments of `file`.
pub fn file(args: &[Value], function_context: &TableFunctionContext) -> Result<Arc<dyn Table>> {
    let texts: Option<Vec<String>> = args.iter().map(text_of).collect();
    let texts = texts.filter(|t| (1..=4).contains(&t.len())).ok_or_else(|| {
        let message = "The signature of table function file shall be the following:\n - filename\n \
                       - filename, format\n - filename, format, structure\n - filename, format, \
                       structure, compression_method\n";
        Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
    })?;
    let given = |i: usize| texts.get(i).map(String::as_str).filter(|t| *t != "auto");
    let wanted = Wanted {
        path: texts[0].clone(),
        format: given(1),
        structure: given(2).map(values::parse_structure).transpose()?.map(|s| s.header()),
        compression: given(3),
    };
    let place = Place::Files(Arc::clone(&function_context.files));
    Ok(Arc::new(FileTable::new("File", place, wanted, function_context)?))
}

/// What the arguments of a table function, or of an engine, say.
struct Wanted<'a> {
    path: String,
    format: Option<&'a str>,
    structure: Option<Header>,
    compression: Option<&'a str>,
}

impl FileTable {
    fn new(
        engine: &'static str,
        place: Place,
        wanted: Wanted<'_>,
        function_context: &TableFunctionContext,
    ) -> Result<Self> {
        let Wanted { path, format, structure, compression } = wanted;
        let compression = compression.unwrap_or("auto").to_string();
        Compression::find(&compression, place.name_of(&path))?;
        let format = match format {
            Some(name) => Some(entasis_format::find(name)?.name),
            None => entasis_format::format_by_extension(place.name_of(&path)),
        };
        let mut target = Target {
            place,
            path,
            format: format.unwrap_or_default(),
            compression,
            options: (function_context.format)(),
            truncate: function_context.truncate_files,
            new_files: function_context.new_files,
            empty_if_missing: function_context.empty_if_missing,
            skip_empty: function_context.skip_empty,
        };
        if format.is_none() {
            target.format = target.detect()?;
        }
        let is_given = structure.is_some();
        let header = match structure {
            Some(header) => header,
            None => target.infer()?,
        };
        // If the pattern has no keys, the paths have none either, unless it matches arbitrary
        // directories.
        let has_keys = target.path.contains(['=', '*', '?', '{']);
        let first = match function_context.hive_partitioning && has_keys {
            true => target.place.glob(&target.path)?.into_iter().next(),
            false => None,
        };
        let (schema, layout) = Layout::new(&header, is_given, first.as_deref())?;
        Ok(Self { engine, target: Arc::new(target), schema, layout: Arc::new(layout) })
    }
}

fn text_of(value: &Value) -> Option<String> {
    value.as_bytes().map(|b| String::from_utf8_lossy(b).into_owned())
}

#[cold]
fn unknown_format(path: &str) -> Error {
    let message = format!(
        "The data format cannot be detected by the name or the content of the file {path}. You \
         can specify the format manually"
    );
    Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message)
}

impl Table for FileTable {
    fn engine(&self) -> &'static str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let paths: Arc<[String]> = match self.target.paths() {
            Err(error) if error.code() == codes::FILE_DOESNT_EXIST => {
                return Ok(Arc::new(Missing(error)));
            }
            paths => paths?.into(),
        };
        let (target, layout) = (&self.target, &self.layout);
        if target.format == "Parquet" {
            return Ok(Arc::new(groups::Groups::open(target, layout, paths)?));
        }
        Ok(Arc::new(texts::Texts::new(target, layout, paths)?))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        write::sink(&self.target, &self.schema.header(), context)
    }

    fn truncate(&self) -> Result<()> {
        let (place, path) = (&self.target.place, &self.target.path);
        if matches!(place, Place::Web(_)) {
            return Err(Error::not_implemented("TRUNCATE of an address of the web"));
        }
        if place.is_pattern(path) {
            let message = format!("Cannot empty {path}: a path with a pattern can only be read");
            return Err(Error::new(codes::DATABASE_ACCESS_DENIED, message));
        }
        match place.info(path)? {
            Some(_) => write::empty(&self.target),
            None => Ok(()),
        }
    }
}

impl Target {
    /// The files to read.
    fn paths(&self) -> Result<Vec<String>> {
        if let Place::Files(files) = &self.place
            && self.empty_if_missing
            && !self.place.is_pattern(&self.path)
            && files.info(&self.path)?.is_none()
        {
            return Ok(Vec::new());
        }
        let mut paths = self.place.glob(&self.path)?;
        if self.skip_empty && matches!(self.place, Place::Files(_)) {
            let is_empty = |path: &String| Ok(self.place.size(path)? == Some(0));
            let empty = paths.iter().map(is_empty).collect::<Result<Vec<bool>>>()?;
            let mut empty = empty.into_iter();
            paths.retain(|_| empty.next() != Some(true));
        }
        Ok(paths)
    }

    fn compression_of(&self, path: &str) -> Result<Compression> {
        Compression::find(&self.compression, self.place.name_of(path))
    }

    /// A stream of the file's decompressed bytes.
    fn stream(&self, path: &str) -> Result<Box<dyn Read + Send>> {
        let raw = self.place.open_stream(path)?;
        let cap = self.options.max_decompressed;
        entasis_format::decompress(self.compression_of(path)?, raw, cap)
    }

    /// Opens the file for random access; a file that is compressed as a whole is decompressed into
    /// memory.
    fn open(&self, path: &str) -> Result<Arc<dyn ReadAt>> {
        if self.compression_of(path)? == Compression::None {
            return self.place.open(path);
        }
        Ok(Arc::new(entasis_format::read_whole(self.stream(path)?)?))
    }

    /// The first file that is not empty, or else an empty one.
    fn first_file(&self) -> Result<(Option<String>, Option<String>)> {
        let mut empty: Option<String> = None;
        for path in self.place.glob(&self.path)? {
            if self.place.info(&path)?.is_some_and(|info| info.len == 0) {
                empty.get_or_insert(path);
                continue;
            }
            return Ok((Some(path), empty));
        }
        Ok((None, empty))
    }

    /// Detects the format from the content of the first file that is not empty.
    fn detect(&self) -> Result<&'static str> {
        let (Some(path), _) = self.first_file()? else { return Err(unknown_format(&self.path)) };
        let (sample, is_complete) = self.sample(&path, DETECT)?;
        let found = detect::format_of(&sample, is_complete, &self.options);
        found.ok_or_else(|| unknown_format(&path))
    }

    /// The first bytes of a file, and whether they are the whole file.
    fn sample(&self, path: &str, size: u64) -> Result<(Vec<u8>, bool)> {
        let mut sample = Vec::new();
        // Reading one byte more shows whether the sample is the whole file.
        self.stream(path)?.take(size + 1).read_to_end(&mut sample)?;
        let is_complete = sample.len() as u64 <= size;
        sample.truncate(size as usize);
        Ok((sample, is_complete))
    }

    /// Infers names and types from the first file that is not empty.
    fn infer(&self) -> Result<Header> {
        let (path, empty) = self.first_file()?;
        if let Some(path) = path {
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
        let size = entasis_format::sample_size(self.format);
        let (sample, is_complete) = self.sample(path, size)?;
        entasis_format::infer_schema(self.format, &sample, is_complete, &self.options)
    }
}

/// A file that does not exist. It can be described, if its structure is given, and not read.
struct Missing(Error);

impl Snapshot for Missing {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, _: &ScanSpec, _: &QueryContext) -> Result<Arc<dyn Source>> {
        Err(Error::duplicate(&self.0))
    }
}

/// Adds the file's name to an error.
#[cold]
fn in_file(error: Error, path: &str) -> Error {
    error.append(format_args!(": (in file/uri {path})"))
}

/// Adapts a file of `disk` to the random access that `format` needs.
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
