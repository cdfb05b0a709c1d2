//! One file that all workers of an INSERT write, with the rows in source order.
//!
//! Workers put their chunks into a queue. A chunk may be written once no worker can bring one of an
//! earlier morsel. Workers take morsels in ascending order, so this limit, the mark, is the least
//! of the workers' current morsels. A worker that finds the writer free writes what is ready, while
//! the others continue. If the queue is long, a worker that is ahead of the mark waits, without
//! blocking its thread, until the mark reaches it or the queue is short. The queue therefore holds
//! at most [`QUEUE`] bytes and a morsel per worker.
//!
//! A statement that fails leaves no file ([`entasis_disk::NewFile`]).

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use entasis_base::sync::lock;
use entasis_base::{Error, Reservation, Result, codes, scope};
use entasis_column::{Chunk, Header};
use entasis_disk::CreateMode;
use entasis_format::OutputFormat;
use entasis_format::compression::Encoder;
use entasis_pipeline::{Blocked, Flow, Morsel, QueryContext, Sink, SinkState, Waker};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared};

use super::Target;
use super::place::Out;

/// Bytes that are collected for one write, and for one frame of a compressed file.
const BLOCK: usize = 4 << 20;
/// Workers wait if the queue holds more bytes than this.
const QUEUE: usize = 128 << 20;
/// Formats that write something before or after the rows.
const CLOSED: &[&str] = &["Parquet", "JSON", "JSONCompact", "JSONColumns", "XML"];

/// The sink of an INSERT into the file.
pub(super) fn sink(
    target: &Target,
    header: &Header,
    context: &QueryContext,
) -> Result<Arc<dyn InsertSink>> {
    let path = &target.path;
    if target.place.is_pattern(path) {
        let message = format!("Cannot write to {path}: a path with a pattern can only be read");
        return Err(Error::new(codes::DATABASE_ACCESS_DENIED, message));
    }
    let format = entasis_format::output(target.format, header, &target.options)?;
    let size =
        |path: &str| -> Result<u64> { Ok(target.place.info(path)?.map_or(0, |info| info.len)) };
    let (mut old, mut name) = (size(path)?, path.clone());
    if target.truncate {
        old = 0;
    } else if target.new_files && CLOSED.contains(&target.format) {
        let mut number = 0;
        while old > 0 {
            number += 1;
            name = numbered(path, number);
            old = size(&name)?;
        }
    }
    let path = &name;
    if old > 0 && CLOSED.contains(&target.format) {
        let message = format!(
            "File {path} already exists and data cannot be appended to this file as the {} format \
             doesn't support appends",
            target.format
        );
        return Err(Error::new(codes::CANNOT_APPEND_TO_FILE, message));
    }
    let encoder = Some(Encoder::new(target.compression_of(path)?, None)?);
    let mode = if target.truncate { CreateMode::Replace } else { CreateMode::Append };
    let file = Some(target.place.create(path, mode)?);
    let mut writer = Writer { file, format, encoder, block: Vec::new() };
    writer.format.start(&mut writer.block)?;
    if old > 0 {
        // An appended file already has its header of column names.
        writer.block.clear();
    }
    let queue = Mutex::new(Queue::new(Reservation::new(&context.memory.child("FileInsert", 0))));
    let shared = Arc::new(Shared { queue, writer: Mutex::new(writer) });
    Ok(Arc::new(FileSink { format: target.format, shared, written: Mutex::default() }))
}

/// Replaces a file by an empty one.
pub(super) fn empty(target: &Target) -> Result<()> {
    let mut file = target.place.create(&target.path, CreateMode::Replace)?;
    file.sync()?;
    file.commit()
}

/// The path with a number in front of the first extension: `hits.3.json.gz`.
fn numbered(path: &str, number: u64) -> String {
    let start = path.rfind('/').map_or(0, |at| at + 1);
    match path[start..].find('.') {
        Some(dot) => {
            let (stem, extensions) = path.split_at(start + dot);
            format!("{stem}.{number}{extensions}")
        }
        None => format!("{path}.{number}"),
    }
}

struct Writer {
    /// `None` once the file is complete.
    file: Option<Out>,
    format: Box<dyn OutputFormat>,
    /// `None` once the file is complete.
    encoder: Option<Encoder>,
    block: Vec<u8>,
}

impl Writer {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        self.format.write(chunk, &mut self.block)?;
        if self.block.len() >= BLOCK { self.put() } else { Ok(()) }
    }

    fn put(&mut self) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Err(Error::logical("a file is written after its end"));
        };
        let mut packed = Vec::new();
        if let Some(encoder) = &mut self.encoder {
            encoder.write(&self.block, &mut packed)?;
        }
        file.write_all(&packed)?;
        self.block.clear();
        Ok(())
    }

    /// Writes the end of the format and of the compression, and returns the complete file.
    fn finish(&mut self) -> Result<Option<Out>> {
        self.format.finish(&mut self.block)?;
        if !self.block.is_empty() {
            self.put()?;
        }
        let Some(mut file) = self.file.take() else { return Ok(None) };
        let mut rest = Vec::new();
        self.encoder.take().map_or(Ok(()), |encoder| encoder.finish(&mut rest))?;
        file.write_all(&rest)?;
        file.sync()?;
        Ok(Some(file))
    }
}

/// The chunks that cannot be written yet.
struct Queue {
    /// The current morsel of each worker.
    seen: HashMap<u64, Option<u64>>,
    workers: u64,
    chunks: BTreeMap<u64, Vec<Chunk>>,
    bytes: usize,
    memory: Reservation,
    /// Workers that wait for a shorter queue, with their morsels.
    waiting: Vec<(u64, Waker)>,
}

impl Queue {
    fn new(memory: Reservation) -> Self {
        let (seen, chunks) = (HashMap::new(), BTreeMap::new());
        Self { seen, workers: 0, chunks, bytes: 0, memory, waiting: Vec::new() }
    }

    /// The least morsel that a worker is at.
    fn mark(&self) -> u64 {
        self.seen.values().map(|s| s.unwrap_or(0)).min().unwrap_or(u64::MAX)
    }

    /// Removes the chunks that no earlier chunk can precede any more.
    fn ready(&mut self) -> Result<Vec<Chunk>> {
        let mark = self.mark();
        let mut ready = Vec::new();
        while let Some(first) = self.chunks.first_entry() {
            if *first.key() > mark {
                break;
            }
            ready.append(&mut first.remove());
        }
        self.bytes -= ready.iter().map(Chunk::byte_size).sum::<usize>();
        self.memory.set(self.bytes)?;
        Ok(ready)
    }

    /// Whether a worker at this morsel should wait. The worker that is at the mark never waits.
    fn is_long_for(&self, sequence: u64) -> bool {
        self.bytes > QUEUE && sequence > self.mark()
    }

    /// Removes the workers that need not wait any more.
    fn freed(&mut self) -> Vec<Waker> {
        let waiting = std::mem::take(&mut self.waiting);
        let (still, freed): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(sequence, _)| self.is_long_for(*sequence));
        self.waiting = still;
        freed.into_iter().map(|(_, waker)| waker).collect()
    }
}

struct Shared {
    queue: Mutex<Queue>,
    writer: Mutex<Writer>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        lock(&self.writer)
    }

    fn write_ready(&self, writer: &mut Writer) -> Result<()> {
        loop {
            let ready = self.queue().ready()?;
            if ready.is_empty() {
                return Ok(());
            }
            for chunk in ready {
                scope::check()?;
                writer.write(&chunk)?;
            }
        }
    }

    /// Writes what is ready, unless another worker does, and wakes the workers that waited for it.
    fn advance(&self) -> Result<()> {
        match self.writer.try_lock() {
            Ok(mut writer) => self.write_ready(&mut writer)?,
            Err(TryLockError::Poisoned(poisoned)) => {
                self.write_ready(&mut poisoned.into_inner())?
            }
            Err(TryLockError::WouldBlock) => {}
        }
        let freed = self.queue().freed();
        freed.iter().for_each(|wake| wake());
        Ok(())
    }

    /// Waits, without blocking a thread, until the queue is short enough for a worker at this
    /// morsel.
    fn wait(self: &Arc<Self>, sequence: u64) -> Blocked {
        let shared = Arc::clone(self);
        Box::new(move |waker| {
            let mut queue = shared.queue();
            if queue.is_long_for(sequence) {
                queue.waiting.push((sequence, waker));
                return;
            }
            drop(queue);
            waker();
        })
    }
}

struct FileSink {
    format: &'static str,
    shared: Arc<Shared>,
    /// The complete file, which does not have its final name yet.
    written: Mutex<Option<Out>>,
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
        *lock(&self.written) = writer.finish()?;
        Ok(())
    }
}

impl InsertSink for FileSink {
    fn prepared(&self) -> Result<Vec<Prepared>> {
        let file = lock(&self.written).take().ok_or_else(nothing_prepared)?;
        Ok(vec![Prepared::Alone(Box::new(|| file.commit()))])
    }
}

struct FileState {
    shared: Arc<Shared>,
    worker: u64,
}

impl SinkState for FileState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let sequence = morsel.sequence;
        {
            let mut queue = self.shared.queue();
            queue.seen.insert(self.worker, Some(sequence));
            queue.bytes += morsel.chunk.byte_size();
            let bytes = queue.bytes;
            queue.memory.cover(bytes)?;
            queue.chunks.entry(sequence).or_default().push(morsel.chunk);
        }
        self.shared.advance()?;
        let is_long = self.shared.queue().is_long_for(sequence);
        Ok(if is_long { Flow::Blocked(self.shared.wait(sequence)) } else { Flow::More })
    }

    fn combine(self: Box<Self>) -> Result<()> {
        self.shared.queue().seen.remove(&self.worker);
        self.shared.advance()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use entasis_base::MemoryAccount;

    use super::*;

    fn queue() -> Queue {
        Queue::new(Reservation::new(&MemoryAccount::root("test", 0)))
    }

    #[test]
    fn only_those_ahead_of_the_mark_wait() {
        let mut queue = queue();
        queue.seen = HashMap::from([(0, Some(3)), (1, Some(5)), (2, Some(9))]);
        assert!(!queue.is_long_for(9));
        queue.bytes = QUEUE + 1;
        assert!(queue.is_long_for(9) && queue.is_long_for(5) && !queue.is_long_for(3));
        let woken = Arc::new(AtomicUsize::new(0));
        for sequence in [5, 9] {
            let woken = Arc::clone(&woken);
            let wake: Waker = Arc::new(move || {
                woken.fetch_add(1, Ordering::Relaxed);
            });
            queue.waiting.push((sequence, wake));
        }
        assert!(queue.freed().is_empty());
        // Worker 0 goes from morsel 3 to 10: the mark is now 5, so the worker there may continue.
        queue.seen.insert(0, Some(10));
        queue.freed().iter().for_each(|wake| wake());
        assert_eq!((woken.load(Ordering::Relaxed), queue.waiting.len()), (1, 1));
        queue.bytes = 0;
        queue.freed().iter().for_each(|wake| wake());
        assert_eq!((woken.load(Ordering::Relaxed), queue.waiting.len()), (2, 0));
    }
}
