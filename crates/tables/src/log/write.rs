//! INSERT into a Log table, and TRUNCATE.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_codec::Compression;
use entasis_codec::block::encode_bytes;
use entasis_column::{Chunk, Column, wire};
use entasis_disk::{ByteRange, WriteFile};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared};

use super::marks::{self, Block};
use super::{Generation, Log, MARKS, Rows, Scan, Shared, Version};
use crate::raw::RawRows;

/// Rows and bytes of a block: a worker collects chunks until it reaches either number.
const BLOCK_ROWS: usize = 65_536;
const BLOCK_BYTES: usize = 16 << 20;

/// Encoded rows: one block of each column.
struct Encoded {
    rows: usize,
    columns: Vec<Vec<u8>>,
}

impl Encoded {
    fn new(chunk: &Chunk) -> Result<Self> {
        let encode = |column: &Column| {
            let (mut raw, mut out) = (Vec::new(), Vec::new());
            wire::write_chunk(&Chunk::new(vec![column.full()], chunk.rows), &mut raw);
            encode_bytes(&raw, Compression::default(), &mut out)?;
            Ok(out)
        };
        let columns = chunk.columns.iter().map(encode).collect::<Result<_>>()?;
        Ok(Self { rows: chunk.rows, columns })
    }
}

impl Shared {
    /// Appends the rows of an INSERT; they are durable and visible when this returns.
    fn append(&self, pieces: &[Encoded]) -> Result<()> {
        if pieces.is_empty() {
            return Ok(());
        }
        let mut unsure = lock(&self.writing);
        let mut next = self.current(&mut unsure)?;
        let disk = self.directory.disk();
        let marks_path = self.directory.file(MARKS);
        if next.marks == 0 {
            self.directory.make()?;
            let header = marks::header(next.files.number);
            disk.write_atomically(&marks_path, &header)?;
            next.marks = header.len() as u64;
        }
        for (position, end) in next.ends.iter().enumerate() {
            let mut file = self.append_at(&next.files.column(position), *end)?;
            pieces.iter().try_for_each(|piece| file.write_all(&piece.columns[position]))?;
            file.sync()?;
        }
        if next.rows == 0 {
            disk.sync_dir(self.directory.path())?;
        }
        let blocks = blocks_of(pieces, next.ends.clone());
        let frame = marks::frame(&blocks);
        let mut file = self.append_at(&marks_path, next.marks)?;
        file.write_all(&frame)?;
        file.sync()?;
        next.marks += frame.len() as u64;
        let mut version = lock(&self.version);
        // The old version releases its list first, so that the list is copied only if a reader
        // holds it.
        next.blocks = Arc::default();
        std::mem::swap(&mut next.blocks, &mut version.blocks);
        next.add(blocks);
        *version = next;
        Ok(())
    }

    /// The version that is about to be changed. After a failed TRUNCATE it is read from the files.
    fn current(&self, unsure: &mut bool) -> Result<Version> {
        let mut version = lock(&self.version).clone();
        if *unsure {
            let found = Version::read(&self.schema, &self.directory)?;
            if found.files.number != version.files.number {
                // The failed TRUNCATE has taken effect on disk.
                let old = std::mem::replace(&mut *lock(&self.version), found.clone());
                old.files.removed.store(true, Ordering::Release);
                version = found;
            }
            *unsure = false;
        }
        Ok(version)
    }

    /// Opens a file for writing after its first `end` bytes. Bytes behind these, left over from a
    /// failed INSERT, are cut off.
    fn append_at(&self, path: &str, end: u64) -> Result<Box<dyn WriteFile>> {
        let mut file = self.directory.disk().append(path)?;
        if file.len() > end {
            file.truncate(end)?;
        }
        Ok(file)
    }

    /// Removes all rows. Readers that have begun still see them.
    pub(super) fn truncate(&self) -> Result<()> {
        self.replace(&[])
    }

    /// Replaces all rows by these, in one step. Readers that have begun still see the old ones.
    fn replace(&self, pieces: &[Encoded]) -> Result<()> {
        self.directory.check_writable()?;
        let mut unsure = lock(&self.writing);
        let old = self.current(&mut unsure)?;
        if old.marks == 0 && pieces.is_empty() {
            return Ok(());
        }
        let files = Generation::new(&self.directory, old.files.number + 1, old.files.columns);
        let mut next = Version::empty(files);
        let mut bytes = marks::header(next.files.number);
        if !pieces.is_empty() {
            self.directory.make()?;
            for position in 0..next.files.columns {
                let mut file = self.directory.disk().create(&next.files.column(position))?;
                pieces.iter().try_for_each(|piece| file.write_all(&piece.columns[position]))?;
                file.sync()?;
            }
            self.directory.disk().sync_dir(self.directory.path())?;
            let blocks = blocks_of(pieces, next.ends.clone());
            bytes.extend(marks::frame(&blocks));
            next.add(blocks);
        }
        next.marks = bytes.len() as u64;
        *unsure = true;
        self.directory.disk().write_atomically(&self.directory.file(MARKS), &bytes)?;
        *unsure = false;
        *lock(&self.version) = next;
        old.files.removed.store(true, Ordering::Release);
        Ok(())
    }
}

/// For engines that look at rows before they are written, or keep them in memory as well.
impl Log {
    /// Appends chunks of all stored columns, which are durable and visible when this returns.
    pub(crate) fn append(&self, chunks: &[Chunk]) -> Result<()> {
        self.0.append(&encoded(chunks)?)
    }

    /// Replaces all rows by these, durably and in one step.
    pub(crate) fn replace(&self, chunks: &[Chunk]) -> Result<()> {
        self.0.replace(&encoded(chunks)?)
    }

    /// Calls `take` with all rows, in the order of insertion.
    pub(crate) fn read(&self, mut take: impl FnMut(Chunk) -> Result<()>) -> Result<()> {
        let schema = Arc::clone(&self.0.schema);
        let columns: Vec<usize> = (0..schema.stored().len()).collect();
        // After a failed change, the files decide what the table holds.
        let version = self.0.current(&mut lock(&self.0.writing))?;
        let scan = Scan { rows: Rows { schema, version }, next: Arc::default() };
        let mut reader = scan.reader(&columns, BLOCK_ROWS)?;
        while let Some(morsel) = reader.next()? {
            take(morsel.chunk)?;
        }
        Ok(())
    }
}

/// Encodes chunks in blocks of about [`BLOCK_ROWS`] rows.
fn encoded(chunks: &[Chunk]) -> Result<Vec<Encoded>> {
    let (mut pieces, mut waiting, mut rows) = (Vec::new(), Vec::new(), 0);
    for chunk in chunks.iter().filter(|chunk| chunk.rows > 0) {
        rows += chunk.rows;
        waiting.push(chunk.clone());
        if rows >= BLOCK_ROWS {
            pieces.push(Encoded::new(&Chunk::concat(&waiting))?);
            waiting.clear();
            rows = 0;
        }
    }
    if rows > 0 {
        pieces.push(Encoded::new(&Chunk::concat(&waiting))?);
    }
    Ok(pieces)
}

/// The blocks that the pieces become behind these ends of the columns' files.
fn blocks_of(pieces: &[Encoded], mut ends: Vec<u64>) -> Vec<Block> {
    let block = |piece: &Encoded| {
        let column = |(end, bytes): (&mut u64, &Vec<u8>)| {
            let range = ByteRange::new(*end, bytes.len());
            *end = range.end();
            range
        };
        let columns = ends.iter_mut().zip(&piece.columns).map(column).collect();
        Block { rows: piece.rows, columns }
    };
    pieces.iter().map(block).collect()
}

/// The sink of an INSERT.
pub(super) fn sink(table: &Arc<Shared>, context: &QueryContext) -> Arc<dyn InsertSink> {
    let account = context.memory.child("LogInsert", 0);
    let prepared = Mutex::default();
    Arc::new(Insert { table: Arc::clone(table), done: Arc::default(), prepared, account })
}

struct Insert {
    table: Arc<Shared>,
    done: Arc<Mutex<Done>>,
    /// The rows that wait for the commit. They stay in memory, because the files of a Log table
    /// grow in the order of the commits.
    prepared: Mutex<Option<Done>>,
    account: Arc<MemoryAccount>,
}

/// The encoded rows of the worker. Their memory counts as the query's until they are written.
#[derive(Default)]
struct Done {
    pieces: Vec<Encoded>,
    held: Vec<Reservation>,
}

impl Sink for Insert {
    fn name(&self) -> String {
        "LogInsert".to_string()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(InsertState {
            done: Arc::clone(&self.done),
            pieces: Vec::new(),
            chunks: Vec::new(),
            rows: 0,
            bytes: 0,
            encoded: 0,
            held: Reservation::new(&self.account),
        }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        *lock(&self.prepared) = Some(std::mem::take(&mut *lock(&self.done)));
        Ok(())
    }
}

impl InsertSink for Insert {
    fn keeps_order(&self) -> bool {
        true
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        let done = lock(&self.prepared).take().ok_or_else(nothing_prepared)?;
        let table = Arc::clone(&self.table);
        Ok(vec![Prepared::Alone(Box::new(move || table.append(&done.pieces)))])
    }
}

struct InsertState {
    done: Arc<Mutex<Done>>,
    pieces: Vec<Encoded>,
    /// The rows of the next block, with their number and bytes.
    chunks: Vec<Chunk>,
    rows: usize,
    bytes: usize,
    /// The size of `pieces` in bytes.
    encoded: usize,
    held: Reservation,
}

impl InsertState {
    fn encode(&mut self) -> Result<()> {
        if self.rows > 0 {
            let piece = Encoded::new(&Chunk::concat(&self.chunks))?;
            self.encoded += piece.columns.iter().map(Vec::len).sum::<usize>();
            self.pieces.push(piece);
        }
        self.chunks.clear();
        (self.rows, self.bytes) = (0, 0);
        self.held.cover(self.encoded)
    }
}

impl SinkState for InsertState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let chunk = morsel.chunk;
        let columns = chunk.columns.iter().map(Column::full).collect();
        let chunk = Chunk::new(columns, chunk.rows);
        self.rows += chunk.rows;
        self.bytes += chunk.byte_size();
        self.chunks.push(chunk);
        self.held.cover(self.encoded + self.bytes)?;
        if self.rows >= BLOCK_ROWS || self.bytes >= BLOCK_BYTES {
            self.encode()?;
        }
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        self.encode()?;
        let mut done = lock(&self.done);
        done.pieces.append(&mut self.pieces);
        done.held.push(self.held);
        Ok(())
    }
}
