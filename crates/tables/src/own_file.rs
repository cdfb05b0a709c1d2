//! `ENGINE = File(format)`: rows in files of some format in the table's own directory.
//!
//! Every INSERT writes one file, `data.<generation>.<number>.<format>`, under a temporary name,
//! syncs it and renames it, so a crash leaves all of its rows or none. TRUNCATE begins a new
//! generation: its number is in the file `generation`, which is replaced atomically, and files of
//! older generations do not count any more. Files that are left over are removed when the table is
//! opened.
//!
//! Absent on purpose: one file that grows, since a crash could leave half a row in it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Event, Reservation, Result, codes, scope};
use entasis_column::{Chunk, Column, Header};
use entasis_disk::{Directory, ReadFile};
use entasis_format::{FormatOptions, InputFormat, OutputFormat};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState, Source};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared, ScanSpec, Schema, Snapshot, Table};

use crate::raw::{self, RawReader, RawRows};

/// The file with the number of the current generation.
const GENERATION: &str = "generation";

/// The most bytes of one file; it is read into memory as a whole.
const MOST_BYTES: u64 = 1 << 32;

/// A table whose rows are in files of a format.
pub struct OwnFile(Arc<Shared>);

struct Shared {
    schema: Arc<Schema>,
    format: &'static str,
    options: FormatOptions,
    directory: Directory,
    /// Held while files are written or removed.
    state: Mutex<State>,
}

/// The files that count.
#[derive(Clone, Default)]
struct State {
    generation: u64,
    /// The number of the next file.
    next: u64,
    /// Number and size of each file, by number.
    files: Vec<(u64, u64)>,
}

impl OwnFile {
    /// Opens the table in a directory; it is empty if the directory is.
    pub fn open(
        schema: Arc<Schema>,
        format: &'static str,
        options: FormatOptions,
        directory: Directory,
    ) -> Result<Arc<Self>> {
        let state = Mutex::new(read(format, &directory)?);
        Ok(Arc::new(Self(Arc::new(Shared { schema, format, options, directory, state }))))
    }
}

fn file_name(generation: u64, number: u64, format: &str) -> String {
    format!("data.{generation}.{number}.{format}")
}

/// Generation and number in the name of a file.
fn numbers_of(name: &str, format: &str) -> Option<(u64, u64)> {
    let rest = name.strip_prefix("data.")?.strip_suffix(format)?.strip_suffix('.')?;
    let (generation, number) = rest.split_once('.')?;
    Some((generation.parse().ok()?, number.parse().ok()?))
}

/// Finds the files that count, and removes others.
fn read(format: &str, directory: &Directory) -> Result<State> {
    let disk = directory.disk();
    if !disk.exists(directory.path())? {
        return Ok(State::default());
    }
    let marker = directory.file(GENERATION);
    let mut state = State::default();
    if disk.exists(&marker)? {
        let text = String::from_utf8_lossy(&disk.read_to_end(&marker, 64)?).into_owned();
        state.generation = text.trim().parse().map_err(|_| {
            Error::new(codes::CORRUPTED_DATA, format!("{marker}: it does not contain a number"))
        })?;
    }
    for entry in disk.list(directory.path())? {
        match numbers_of(&entry.name, format) {
            Some((generation, number)) if generation == state.generation => {
                state.files.push((number, entry.len));
                state.next = state.next.max(number + 1);
            }
            Some(_) if !directory.is_read_only() => disk.remove(&directory.file(&entry.name))?,
            None if entry.name.strip_suffix(".tmp").is_some() && !directory.is_read_only() => {
                disk.remove(&directory.file(&entry.name))?;
            }
            _ => {}
        }
    }
    state.files.sort_unstable();
    Ok(state)
}

impl Table for OwnFile {
    fn engine(&self) -> &'static str {
        "File"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.0.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let shared = &self.0;
        let state = lock(&shared.state);
        let open = |(number, _): &(u64, u64)| {
            let name = file_name(state.generation, *number, shared.format);
            shared.directory.disk().open(&shared.directory.file(&name))
        };
        // A file that is open stays readable when it is removed.
        let files = state.files.iter().map(open).collect::<Result<_>>()?;
        Ok(Arc::new(Files { table: Arc::clone(shared), files: Arc::new(files) }))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        self.0.directory.check_writable()?;
        let held = Reservation::new(&context.memory.child("FileInsert", 0));
        let header = self.0.schema.header();
        let mut format = entasis_format::output(self.0.format, &header, &self.0.options)?;
        let mut bytes = Vec::new();
        format.start(&mut bytes)?;
        let written = Written { format, bytes, rows: 0, held };
        let (table, written) = (Arc::clone(&self.0), Arc::new(Mutex::new(Some(written))));
        Ok(Arc::new(Insert { table, written, prepared: Mutex::default() }))
    }

    fn truncate(&self) -> Result<()> {
        self.0.directory.check_writable()?;
        let mut state = lock(&self.0.state);
        if state.files.is_empty() {
            return Ok(());
        }
        let (directory, generation) = (&self.0.directory, state.generation + 1);
        let disk = directory.disk();
        disk.write_atomically(&directory.file(GENERATION), generation.to_string().as_bytes())?;
        let old = std::mem::replace(&mut *state, State { generation, ..State::default() });
        for (number, _) in old.files {
            // What cannot be removed now is removed when the table is opened.
            let name = file_name(old.generation, number, self.0.format);
            let _ = disk.remove(&directory.file(&name));
        }
        Ok(())
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(lock(&self.0.state).files.iter().map(|(_, bytes)| bytes).sum())
    }
}

impl Shared {
    /// Writes the file of an INSERT; it is durable and visible when this returns.
    fn add(&self, bytes: &[u8]) -> Result<()> {
        let mut state = lock(&self.state);
        self.directory.make()?;
        let name = file_name(state.generation, state.next, self.format);
        self.directory.disk().write_atomically(&self.directory.file(&name), bytes)?;
        let number = state.next;
        state.files.push((number, bytes.len() as u64));
        state.next += 1;
        Ok(())
    }
}

/// The formatted rows of an INSERT.
struct Written {
    format: Box<dyn OutputFormat>,
    bytes: Vec<u8>,
    rows: usize,
    held: Reservation,
}

struct Insert {
    table: Arc<Shared>,
    written: Arc<Mutex<Option<Written>>>,
    /// The complete file, which waits for the commit.
    prepared: Mutex<Option<Written>>,
}

struct InsertState {
    written: Arc<Mutex<Option<Written>>>,
}

impl Sink for Insert {
    fn name(&self) -> String {
        "FileInsert".into()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(InsertState { written: Arc::clone(&self.written) }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        if let Some(mut written) = lock(&self.written).take() {
            written.format.finish(&mut written.bytes)?;
            *lock(&self.prepared) = Some(written);
        }
        Ok(())
    }
}

impl InsertSink for Insert {
    fn keeps_order(&self) -> bool {
        true
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        let written = lock(&self.prepared).take().ok_or_else(nothing_prepared)?;
        let table = Arc::clone(&self.table);
        Ok(vec![Prepared::Alone(Box::new(move || match written.rows {
            0 => Ok(()),
            _ => table.add(&written.bytes),
        }))])
    }
}

impl SinkState for InsertState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let mut written = lock(&self.written);
        let Some(written) = written.as_mut() else {
            return Err(Error::logical("a file is written after its end"));
        };
        let columns = morsel.chunk.columns.iter().map(Column::full).collect();
        written.format.write(&Chunk::new(columns, morsel.chunk.rows), &mut written.bytes)?;
        written.rows += morsel.chunk.rows;
        written.held.cover(written.bytes.capacity())?;
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

/// The files of one version.
#[derive(Clone)]
struct Files {
    table: Arc<Shared>,
    files: Arc<Vec<Arc<dyn ReadFile>>>,
}

impl Snapshot for Files {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let rows = Rows { files: self.clone(), next: Arc::default() };
        raw::scan(Arc::new(rows), spec, context)
    }
}

struct Rows {
    files: Files,
    /// The file that the next free worker reads.
    next: Arc<AtomicUsize>,
}

impl RawRows for Rows {
    fn event(&self) -> Event {
        Event::InputRowsRead
    }

    fn name(&self) -> String {
        "File".into()
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        Ok(Box::new(Reader {
            header: self.files.table.schema.header(),
            files: self.files.clone(),
            next: Arc::clone(&self.next),
            columns: columns.to_vec(),
            max_rows: max_rows.max(1),
            current: None,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.files.files.len())
    }
}

struct Reader {
    header: Header,
    files: Files,
    next: Arc<AtomicUsize>,
    columns: Vec<usize>,
    max_rows: usize,
    /// The file that is being read, and its number.
    current: Option<(u64, Box<dyn InputFormat>)>,
}

impl Reader {
    fn open(&self, file: &dyn ReadFile) -> Result<Box<dyn InputFormat>> {
        if file.len() > MOST_BYTES {
            let message = "A file of the table is too large: use the table function file";
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let mut bytes = Vec::new();
        file.read_range_into(0, file.len() as usize, &mut bytes)?;
        let table = &self.files.table;
        let data = Box::new(std::io::Cursor::new(bytes));
        entasis_format::input(table.format, &self.header, data, &table.options)
    }
}

impl RawReader for Reader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        loop {
            scope::check()?;
            if let Some((sequence, input)) = &mut self.current {
                if let Some(chunk) = input.next(self.max_rows)? {
                    let of = |&column: &usize| chunk.columns[column].clone();
                    let columns = self.columns.iter().map(of).collect();
                    let chunk = Chunk::new(columns, chunk.rows);
                    return Ok(Some(Morsel { sequence: *sequence, chunk }));
                }
                self.current = None;
            }
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = self.files.files.get(at) else { return Ok(None) };
            self.current = Some((at as u64, self.open(&**file)?));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_read_back() {
        assert_eq!(numbers_of(&file_name(3, 14, "CSV"), "CSV"), Some((3, 14)));
        assert_eq!(numbers_of("data.3.14.CSV.tmp", "CSV"), None);
        assert_eq!(numbers_of("generation", "CSV"), None);
    }
}
