//! The Log engine: rows in files that only grow, one file per column.
//!
//! An INSERT appends blocks to the files of the columns, syncs them, and then appends one frame to
//! the marks file, which makes the rows visible. Bytes behind the last complete frame are ignored
//! when the table is opened, and the next INSERT cuts them off. A reader pins the blocks that exist
//! when it begins. TRUNCATE starts a new generation of files; the files of the old generation are
//! removed when its last reader ends.
//!
//! The INSERTs of a table write one after the other, each with one worker, so that rows are read in
//! the order of insertion. Indexes, marks within blocks and ALTER are not supported.

mod check;
mod marks;
#[cfg(test)]
mod tests;
mod write;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::events::Event;
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_codec::block::decode_bytes;
use entasis_column::{Chunk, Column, wire};
use entasis_disk::{ByteRange, Directory, ReadFile};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{InsertSink, ScanSpec, Schema, Snapshot, Table};
use entasis_types::DataType;

use crate::raw::{self, RawReader, RawRows};
pub use check::{Checked, Repair, check, repair};
use marks::Block;

/// The name of the marks file.
const MARKS: &str = "marks";

/// Most bytes of the marks file, which is enough for some hundred million blocks.
const MOST_MARKS: u64 = 4 << 30;

/// A table of the Log engine.
#[derive(Debug)]
pub struct Log(Arc<Shared>, Arc<Schema>);

/// The state that a table shares with its INSERTs.
#[derive(Debug)]
struct Shared {
    engine: &'static str,
    schema: Arc<Schema>,
    directory: Directory,
    /// Held while files are changed. True after a failed TRUNCATE: the marks file may then be that
    /// of the next generation.
    writing: Mutex<bool>,
    version: Mutex<Version>,
}

/// The rows of a table at some moment.
#[derive(Clone, Debug)]
struct Version {
    files: Arc<Generation>,
    blocks: Arc<Vec<Block>>,
    rows: u64,
    /// Used bytes of each column's file.
    ends: Vec<u64>,
    /// Used bytes of the marks file; 0 if it does not exist yet.
    marks: u64,
}

/// The columns' files between one TRUNCATE and the next.
#[derive(Debug)]
struct Generation {
    directory: Directory,
    number: u64,
    columns: usize,
    removed: AtomicBool,
}

impl Generation {
    fn new(directory: &Directory, number: u64, columns: usize) -> Arc<Self> {
        let (directory, removed) = (directory.clone(), AtomicBool::new(false));
        Arc::new(Self { directory, number, columns, removed })
    }

    /// The path of a column's file.
    fn column(&self, position: usize) -> String {
        self.directory.file(&file_name(self.number, position))
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        if self.removed.load(Ordering::Acquire) {
            for position in 0..self.columns {
                // If the removal fails, the next opening of the table removes the file.
                let _ = self.directory.disk().remove(&self.column(position));
            }
        }
    }
}

/// Whether the name of a file is one that [`file_name`] gives.
fn is_column(name: &str) -> bool {
    name.strip_suffix(".col").is_some()
}

fn file_name(generation: u64, position: usize) -> String {
    format!("{generation}-{position}.col")
}

impl Version {
    fn empty(files: Arc<Generation>) -> Self {
        let ends = vec![0; files.columns];
        Self { files, blocks: Arc::default(), rows: 0, ends, marks: 0 }
    }

    /// Reads the version from the files in a directory.
    fn read(schema: &Schema, directory: &Directory) -> Result<Self> {
        let (disk, path) = (directory.disk(), directory.file(MARKS));
        let columns = schema.stored().len();
        let there = match disk.exists(directory.path())? {
            true => disk.list(directory.path())?,
            false => Vec::new(),
        };
        if !there.iter().any(|entry| entry.name == MARKS) {
            if there.iter().any(|entry| is_column(&entry.name)) {
                return Err(damaged(&path, "the file is missing, and those of columns are there"));
            }
            return Ok(Self::empty(Generation::new(directory, 0, columns)));
        }
        let bytes = disk.read_to_end(&path, MOST_MARKS)?;
        let marks = marks::parse(&bytes, columns).map_err(|e| e.context(path))?;
        let mut version = Self::empty(Generation::new(directory, marks.generation, columns));
        version.marks = marks.len;
        version.add(marks.blocks);
        for (position, end) in version.ends.iter().enumerate() {
            let name = file_name(marks.generation, position);
            let len = there.iter().find(|entry| entry.name == name).map_or(0, |entry| entry.len);
            if len < *end {
                let what = format!("it has {len} bytes, and {end} were written");
                return Err(damaged(&directory.file(&name), &what));
            }
        }
        Ok(version)
    }

    /// Removes columns' files of other generations, which an interrupted TRUNCATE has left over.
    fn remove_old_files(&self, directory: &Directory) -> Result<()> {
        if directory.is_read_only() || self.marks == 0 {
            return Ok(());
        }
        let own = file_name(self.files.number, 0);
        let own = own.trim_end_matches("0.col");
        for entry in directory.disk().list(directory.path())? {
            if is_column(&entry.name) && !entry.name.starts_with(own) {
                directory.disk().remove(&directory.file(&entry.name))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, blocks: Vec<Block>) {
        for block in &blocks {
            self.rows += block.rows as u64;
            for (end, range) in self.ends.iter_mut().zip(&block.columns) {
                *end = range.end();
            }
        }
        Arc::make_mut(&mut self.blocks).extend(blocks);
    }
}

#[cold]
fn damaged(path: &str, what: &str) -> Error {
    Error::new(codes::CORRUPTED_DATA, format!("{path}: {what}"))
}

impl Log {
    /// Opens the table whose files are in a directory; it is empty if there are none. `engine` is
    /// the name under which the table was created.
    pub fn open(
        engine: &'static str,
        schema: Arc<Schema>,
        directory: Directory,
    ) -> Result<Arc<Self>> {
        let version = Version::read(&schema, &directory)?;
        version.remove_old_files(&directory)?;
        let version = Mutex::new(version);
        let shown = Arc::clone(&schema);
        let shared = Shared { engine, schema, directory, writing: Mutex::default(), version };
        Ok(Arc::new(Self(Arc::new(shared), shown)))
    }

    /// The same table with other comments of its columns.
    pub fn with_comments(&self, schema: Arc<Schema>) -> Arc<Self> {
        Arc::new(Self(Arc::clone(&self.0), schema))
    }
}

impl Log {
    /// Fails if nothing may be written.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.0.directory.check_writable()
    }
}

impl Table for Log {
    fn engine(&self) -> &'static str {
        self.0.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.1)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let schema = Arc::clone(&self.0.schema);
        Ok(Arc::new(Rows { schema, version: lock(&self.0.version).clone() }))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        self.0.directory.check_writable()?;
        Ok(write::sink(&self.0, context))
    }

    fn truncate(&self) -> Result<()> {
        self.0.truncate()
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(lock(&self.0.version).ends.iter().sum())
    }
}

/// The rows of one version.
#[derive(Clone)]
struct Rows {
    schema: Arc<Schema>,
    version: Version,
}

impl Snapshot for Rows {
    fn row_count(&self) -> Option<u64> {
        Some(self.version.rows)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        context.progress.add_total(self.version.rows);
        let rows = Scan { rows: self.clone(), next: Arc::default() };
        raw::scan(Arc::new(rows), spec, context)
    }

    fn column_bytes(&self, position: usize) -> Option<u64> {
        self.version.ends.get(position)?.checked_div(self.version.rows)
    }
}

struct Scan {
    rows: Rows,
    /// The first block that no reader has taken.
    next: Arc<AtomicUsize>,
}

impl RawRows for Scan {
    fn name(&self) -> String {
        "Log".to_string()
    }

    fn event(&self) -> Event {
        Event::LogRowsRead
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let files = &self.rows.version.files;
        let open = |&position: &usize| {
            let path = files.column(position);
            let file = match self.rows.version.rows {
                0 => None,
                _ => Some(files.directory.disk().open(&path)?),
            };
            Ok(ColumnFile { position, path, file })
        };
        Ok(Box::new(BlockReader {
            files: columns.iter().map(open).collect::<Result<_>>()?,
            rows: self.rows.clone(),
            next: Arc::clone(&self.next),
            max_rows: max_rows.max(1),
            left: None,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.rows.version.blocks.len())
    }
}

/// The open file of a column; `None` in a table without rows.
struct ColumnFile {
    position: usize,
    path: String,
    file: Option<Arc<dyn ReadFile>>,
}

impl ColumnFile {
    fn read(&self, range: ByteRange) -> Result<Column> {
        let (mut stored, mut raw) = (Vec::new(), Vec::new());
        if let Some(file) = &self.file {
            file.read_range_into(range.offset, range.len, &mut stored)?;
        }
        decode_bytes(&stored, u32::MAX as usize, &mut raw)?;
        let mut chunk = wire::read_chunk(&raw)?;
        chunk.columns.pop().ok_or_else(|| Error::new(codes::CORRUPTED_DATA, "A block of no column"))
    }

    /// Reads a block that must contain values of this type, and so many rows if that is known.
    fn read_checked(&self, range: ByteRange, rows: Option<usize>, ty: &DataType) -> Result<Column> {
        let column = self.read(range)?;
        if rows.is_some_and(|rows| rows != column.len()) || column.physical() != ty.physical() {
            let what = "it holds other values than the marks and the type say";
            return Err(Error::new(codes::CORRUPTED_DATA, what));
        }
        Ok(column)
    }
}

struct BlockReader {
    rows: Rows,
    files: Vec<ColumnFile>,
    next: Arc<AtomicUsize>,
    max_rows: usize,
    /// The current block, its number and the first row that was not returned yet.
    left: Option<(Chunk, u64, usize)>,
}

impl BlockReader {
    fn block(&self, block: &Block) -> Result<Chunk> {
        let column = |file: &ColumnFile| {
            let range = block.columns[file.position];
            let ty = &self.rows.schema.columns[file.position].ty;
            file.read_checked(range, Some(block.rows), ty).map_err(|error| {
                error.context(format!("{}: the block at offset {}", file.path, range.offset))
            })
        };
        let columns = self.files.iter().map(column).collect::<Result<_>>()?;
        Ok(Chunk::new(columns, block.rows))
    }
}

impl RawReader for BlockReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        let (chunk, sequence, start) = match self.left.take() {
            Some(left) => left,
            None => {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                let Some(block) = self.rows.version.blocks.get(index) else { return Ok(None) };
                (self.block(block)?, index as u64, 0)
            }
        };
        let rows = self.max_rows.min(chunk.rows - start);
        let piece = chunk.slice(start, rows);
        if start + rows < chunk.rows {
            self.left = Some((chunk, sequence, start + rows));
        }
        Ok(Some(Morsel { sequence, chunk: piece }))
    }
}
