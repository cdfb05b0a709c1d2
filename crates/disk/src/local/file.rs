//! Local files: positional reads without shared state, buffered writes at the end.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::gauge::{self, Gauge, Held};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use rustix::buffer::spare_capacity;

use super::must_be_file;
use super::pool::IoPool;
use crate::failure::{Op, broken, cannot_grow, io_error, poisoned, short_read};
use crate::{ByteRange, Completion, ReadFile, WriteFile};

/// Ranges of at least this size are read straight into their own buffer: there a system call is
/// cheap beside the copy, and a shared buffer would copy twice.
const SMALL: usize = 32 << 10;
/// Small ranges are read together across gaps up to this size...
const MAX_GAP: u64 = 4 << 10;
/// ... into one buffer of at most this size.
const MAX_GROUP: u64 = 512 << 10;
/// Bytes gathered before they are handed to the system.
const WRITE_BUFFER: usize = 1 << 20;

/// A local file open for reading.
#[derive(Debug)]
pub(crate) struct LocalReader {
    file: File,
    shown: String,
    len: u64,
    pool: Option<Arc<IoPool>>,
    _open: Held,
}

impl LocalReader {
    pub(crate) fn new(file: File, shown: String, pool: Option<Arc<IoPool>>) -> Result<Self> {
        let meta = file.metadata().map_err(|e| io_error(Op::Open, &shown, e))?;
        must_be_file(meta.is_dir(), &shown)?;
        events::one(Event::FileOpen);
        let open = gauge::hold(Gauge::OpenFileForRead);
        Ok(Self { file, shown, len: meta.len(), pool, _open: open })
    }

    /// Appends `len` bytes without writing them twice. The spare capacity that the system fills is
    /// never much larger than `len`, so that a roomy buffer does not read far beyond.
    fn append_range(&self, offset: u64, len: usize, buffer: &mut Vec<u8>) -> Result<()> {
        let end = buffer.len() + len;
        if buffer.capacity() < end {
            buffer.reserve_exact(len);
        }
        if buffer.capacity() - buffer.len() > len + len / 8 + 4096 {
            let start = buffer.len();
            buffer.resize(end, 0);
            return self.read_exact_at(offset, &mut buffer[start..]);
        }
        let mut at = offset;
        while buffer.len() < end {
            let began = Instant::now();
            let done = rustix::io::pread(&self.file, spare_capacity(buffer), at);
            count_read(began, done.as_ref().map_or(None, |n| Some(*n)));
            match done {
                Ok(0) => {
                    let got = len - (end - buffer.len());
                    return Err(short_read(&self.shown, offset, len, got));
                }
                Ok(n) => at += n as u64,
                Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(self.read_error(offset, len, e.into())),
            }
        }
        buffer.truncate(end);
        Ok(())
    }

    /// The error of a failed read. Offsets beyond what the system can count are beyond the end too.
    #[cold]
    fn read_error(&self, offset: u64, len: usize, e: io::Error) -> Error {
        let uncountable = offset.saturating_add(len as u64) > i64::MAX as u64;
        if e.kind() != ErrorKind::UnexpectedEof && !uncountable {
            return io_error(Op::Read, &self.shown, e);
        }
        let there = self.file.metadata().map_or(self.len, |meta| meta.len());
        short_read(&self.shown, offset, len, there.saturating_sub(offset) as usize)
    }

    fn read_batch(&self, ranges: &[ByteRange]) -> Result<Vec<Vec<u8>>> {
        events::one(Event::ReadBatches);
        events::add(Event::ReadBatchRanges, ranges.len() as u64);
        let mut order: Vec<u32> = (0..ranges.len() as u32).collect();
        if !ranges.is_sorted_by_key(|r| r.offset) {
            order.sort_unstable_by_key(|&i| ranges[i as usize].offset);
        }
        let mut all = vec![Vec::new(); ranges.len()];
        let mut scratch = Vec::new();
        let mut rest = &order[..];
        while let Some((group, end)) = first_group(ranges, rest) {
            let start = ranges[rest[0] as usize].offset;
            if let [only] = rest[..group] {
                let range = ranges[only as usize];
                self.read_range_into(start, range.len, &mut all[only as usize])?;
            } else {
                events::add(Event::ReadBatchRangesJoined, group as u64);
                scratch.clear();
                self.read_range_into(start, (end - start) as usize, &mut scratch)?;
                for &i in &rest[..group] {
                    let range = ranges[i as usize];
                    let from = (range.offset - start) as usize;
                    all[i as usize] = scratch[from..from + range.len].to_vec();
                }
            }
            rest = &rest[group..];
        }
        Ok(all)
    }
}

/// Counts a read of so many bytes, or one that failed.
fn count_read(began: Instant, read: Option<usize>) {
    events::elapsed(Event::DiskReadElapsedMicroseconds, began);
    events::one(Event::ReadBufferFromFileDescriptorRead);
    match read {
        Some(bytes) => events::add(Event::ReadBufferFromFileDescriptorReadBytes, bytes as u64),
        None => events::one(Event::ReadBufferFromFileDescriptorReadFailed),
    }
}

/// How many of the ranges at the front of `order` (sorted by offset) are read by one call, and
/// where that call ends.
fn first_group(ranges: &[ByteRange], order: &[u32]) -> Option<(usize, u64)> {
    let first = ranges[*order.first()? as usize];
    let (mut group, mut end) = (1, first.end());
    if first.len >= SMALL {
        return Some((group, end));
    }
    for &i in &order[1..] {
        let range = ranges[i as usize];
        let new_end = end.max(range.end());
        let near = range.offset <= end.saturating_add(MAX_GAP);
        if !near || range.len >= SMALL || new_end - first.offset > MAX_GROUP {
            break;
        }
        group += 1;
        end = new_end;
    }
    Some((group, end))
}

impl ReadFile for LocalReader {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let began = Instant::now();
        let done = self.file.read_exact_at(buffer, offset);
        count_read(began, done.is_ok().then_some(buffer.len()));
        done.map_err(|e| self.read_error(offset, buffer.len(), e))
    }

    fn read_range_into(&self, offset: u64, len: usize, buffer: &mut Vec<u8>) -> Result<()> {
        // A wrong length (from a damaged file) must not become a huge allocation.
        if len > SMALL && offset.saturating_add(len as u64) > self.len {
            let now = self.file.metadata().map_err(|e| io_error(Op::Read, &self.shown, e))?.len();
            if offset.saturating_add(len as u64) > now {
                let got = now.saturating_sub(offset) as usize;
                return Err(short_read(&self.shown, offset, len, got));
            }
        }
        let start = buffer.len();
        let done = self.append_range(offset, len, buffer);
        if done.is_err() {
            buffer.truncate(start);
        }
        done
    }

    fn read_ranges(&self, ranges: &[ByteRange]) -> Completion {
        Completion::ready(self.read_batch(ranges))
    }

    fn read_ranges_async(self: Arc<Self>, ranges: Vec<ByteRange>) -> Completion {
        let Some(pool) = self.pool.clone() else { return self.read_ranges(&ranges) };
        let (completer, completion) = Completion::pair();
        let job = Box::new(move || completer.complete(self.read_batch(&ranges)));
        match pool.run(job) {
            Ok(()) => completion,
            Err(e) => Completion::ready(Err(e)),
        }
    }
}

/// What a writer may still do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Good,
    /// A write failed: the end of the file is unknown until it is truncated.
    Broken,
    /// A sync failed: nothing is possible any more.
    Poisoned,
}

/// A local file open for writing at its end.
#[derive(Debug)]
pub(crate) struct LocalWriter {
    file: File,
    shown: String,
    buffer: Vec<u8>,
    /// Bytes handed to the system.
    written: u64,
    health: Health,
    _open: Held,
}

impl LocalWriter {
    /// A writer at the end of `file`, which has `len` bytes.
    pub(crate) fn new(file: File, shown: String, len: u64) -> Self {
        events::one(Event::FileOpen);
        let open = gauge::hold(Gauge::OpenFileForWrite);
        let buffer = Vec::new();
        Self { file, shown, buffer, written: len, health: Health::Good, _open: open }
    }

    fn check(&self) -> Result<()> {
        match self.health {
            Health::Good => Ok(()),
            Health::Broken => Err(broken(&self.shown)),
            Health::Poisoned => Err(poisoned(&self.shown)),
        }
    }

    fn hand_over(&mut self, bytes: &[u8]) -> Result<()> {
        let began = Instant::now();
        let done = self.file.write_all_at(bytes, self.written);
        events::elapsed(Event::DiskWriteElapsedMicroseconds, began);
        events::one(Event::WriteBufferFromFileDescriptorWrite);
        if let Err(e) = done {
            self.health = Health::Broken;
            events::one(Event::WriteBufferFromFileDescriptorWriteFailed);
            return Err(io_error(Op::Write, &self.shown, e));
        }
        events::add(Event::WriteBufferFromFileDescriptorWriteBytes, bytes.len() as u64);
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn empty_buffer(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut full = std::mem::take(&mut self.buffer);
        let done = self.hand_over(&full);
        full.clear();
        self.buffer = full;
        done
    }
}

impl WriteFile for LocalWriter {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if self.buffer.len() + bytes.len() > WRITE_BUFFER {
            self.empty_buffer()?;
            if bytes.len() >= WRITE_BUFFER / 2 {
                return self.hand_over(bytes);
            }
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn len(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn flush(&mut self) -> Result<()> {
        self.check()?;
        self.empty_buffer()
    }

    fn identity(&self) -> Option<(u64, u64)> {
        self.file.metadata().ok().map(|meta| (meta.dev(), meta.ino()))
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        let began = Instant::now();
        let done = self.file.sync_data();
        events::one(Event::FileSync);
        events::elapsed(Event::FileSyncElapsedMicroseconds, began);
        done.map_err(|e| {
            self.health = Health::Poisoned;
            io_error(Op::Sync, &self.shown, e)
        })
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        match self.health {
            Health::Good => self.empty_buffer()?,
            Health::Broken => self.buffer.clear(),
            Health::Poisoned => return self.check(),
        }
        if len > self.written {
            return Err(cannot_grow(&self.shown, self.written, len));
        }
        self.file.set_len(len).map_err(|e| {
            self.health = Health::Broken;
            io_error(Op::Truncate, &self.shown, e)
        })?;
        events::one(Event::FilesTruncated);
        self.written = len;
        self.health = Health::Good;
        Ok(())
    }
}

impl Drop for LocalWriter {
    fn drop(&mut self) {
        if self.health == Health::Good {
            // Nobody is left to hear of a failure; who needs to know flushes or syncs before.
            let _ = self.empty_buffer();
        }
    }
}
