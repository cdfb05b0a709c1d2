//! One file written by all workers of an INSERT, rows in source order.
//!
//! Workers leave their chunks in a queue. A chunk may be written once no worker can still bring one
//! of an earlier morsel: workers take morsels in ascending order, so the least of the morsels they
//! were last seen at is the mark. Whoever finds the writer free writes what is ready; the others go
//! on producing, until the queue is long, when they wait for the writer.
//!
//! A statement that fails leaves the file with the length that it had.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Header};
use entasis_disk::{CreateMode, DATABASE_ACCESS_DENIED, WriteFile};
use entasis_format::{Compression, OutputFormat, compression};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};

use super::{CANNOT_APPEND_TO_FILE, Target};

/// Bytes gathered for one write, and for one frame of a compressed file.
const BLOCK: usize = 4 << 20;
/// Bytes of chunks in the queue beyond which workers wait for the writer.
const QUEUE: usize = 256 << 20;
/// Formats that put something around the rows.
const CLOSED: &[&str] = &["Parquet", "JSON", "JSONCompact", "JSONColumns", "XML"];

/// The sink of an INSERT into the file.
pub(super) fn sink(target: &Target, header: &Header) -> Result<Arc<dyn Sink>> {
    let path = &target.path;
    if path.contains(['*', '?', '{']) {
        let message = format!("Cannot write to {path}: a pattern stands for files to be read");
        return Err(Error::new(DATABASE_ACCESS_DENIED, message));
    }
    let format = entasis_format::output(target.format, header, &target.options())?;
    let old = target.files.info(path)?.map_or(0, |info| info.len);
    if old > 0 && CLOSED.contains(&target.format) {
        let message = format!(
            "File {path} already exists and data cannot be appended to this file as the {} format \
             doesn't support appends",
            target.format
        );
        return Err(Error::new(CANNOT_APPEND_TO_FILE, message));
    }
    let compression = target.compression_of(path)?;
    let file = target.files.create(path, CreateMode::Append)?;
    let mut writer = Writer {
        old: file.len(),
        file,
        format,
        compression,
        block: Vec::new(),
        is_finished: false,
    };
    writer.format.start(&mut writer.block)?;
    if old > 0 {
        // Names of columns stand at the head of the file already.
        writer.block.clear();
    }
    let shared = Shared { queue: Mutex::default(), writer: Mutex::new(writer) };
    Ok(Arc::new(FileSink { format: target.format, shared: Arc::new(shared) }))
}

struct Writer {
    file: Box<dyn WriteFile>,
    /// Length before.
    old: u64,
    format: Box<dyn OutputFormat>,
    compression: Compression,
    block: Vec<u8>,
    is_finished: bool,
}

impl Writer {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        self.format.write(chunk, &mut self.block)?;
        if self.block.len() >= BLOCK { self.put() } else { Ok(()) }
    }

    fn put(&mut self) -> Result<()> {
        if self.compression == Compression::None {
            self.file.write_all(&self.block)?;
        } else {
            self.file.write_all(&compression::compress(self.compression, &self.block)?)?;
        }
        self.block.clear();
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.format.finish(&mut self.block)?;
        if !self.block.is_empty() {
            self.put()?;
        }
        self.file.flush()?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_finished {
            // The statement failed already: a second error has nobody to tell.
            let _ = self.file.truncate(self.old);
        }
    }
}

/// Chunks that wait for their turn.
#[derive(Default)]
struct Queue {
    /// The morsel that each worker was last seen at.
    seen: HashMap<u64, Option<u64>>,
    workers: u64,
    chunks: BTreeMap<u64, Vec<Chunk>>,
    bytes: usize,
}

impl Queue {
    /// Takes the chunks that nothing can come before any more.
    fn ready(&mut self) -> Vec<Chunk> {
        let mark = self.seen.values().map(|s| s.unwrap_or(0)).min().unwrap_or(u64::MAX);
        let mut ready = Vec::new();
        while let Some(first) = self.chunks.first_entry() {
            if *first.key() > mark {
                break;
            }
            ready.append(&mut first.remove());
        }
        self.bytes -= ready.iter().map(Chunk::byte_size).sum::<usize>();
        ready
    }
}

struct Shared {
    queue: Mutex<Queue>,
    writer: Mutex<Writer>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_ready(&self, writer: &mut Writer) -> Result<()> {
        loop {
            let ready = self.queue().ready();
            if ready.is_empty() {
                return Ok(());
            }
            for chunk in ready {
                writer.write(&chunk)?;
            }
        }
    }

    /// Writes unless somebody else does and the queue is short.
    fn advance(&self, queued: usize) -> Result<()> {
        let mut writer = match self.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if queued > QUEUE => self.writer(),
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        self.write_ready(&mut writer)
    }
}

struct FileSink {
    format: &'static str,
    shared: Arc<Shared>,
}

impl Sink for FileSink {
    fn name(&self) -> String {
        format!("FileInsert({})", self.format)
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let mut queue = self.shared.queue();
        let worker = queue.workers;
        queue.workers += 1;
        queue.seen.insert(worker, None);
        Ok(Box::new(FileState { shared: Arc::clone(&self.shared), worker }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        let mut writer = self.shared.writer();
        self.shared.queue().seen.clear();
        self.shared.write_ready(&mut writer)?;
        if !self.shared.queue().chunks.is_empty() {
            return Err(Error::new(codes::LOGICAL_ERROR, "Chunks were left behind"));
        }
        writer.finish()
    }
}

struct FileState {
    shared: Arc<Shared>,
    worker: u64,
}

impl SinkState for FileState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let queued = {
            let mut queue = self.shared.queue();
            queue.seen.insert(self.worker, Some(morsel.sequence));
            queue.bytes += morsel.chunk.byte_size();
            queue.chunks.entry(morsel.sequence).or_default().push(morsel.chunk);
            queue.bytes
        };
        self.shared.advance(queued)?;
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        self.shared.queue().seen.remove(&self.worker);
        Ok(())
    }
}
