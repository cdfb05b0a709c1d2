//! The commit log: one file per store that records which tables exist and which parts they consist
//! of.
//!
//! A commit is checked against the state after all earlier commits, queued, and acknowledged once
//! it is durable. A thread that finds no writer becomes the leader: it writes everything that is
//! queued with one sync, applies it, and wakes the others (group commit).
//!
//! The log has a second copy ([`copy`]). [`recovery`] reads both files, and [`open`] repairs them
//! when a store is opened.
//!
//! Invariants:
//! - an acknowledged commit is in the file and synced before any reader can see it;
//! - a record is durable in the file before it is written to the copy;
//! - `ahead` is always `visible` plus everything queued; a failed write discards the whole queue;
//! - after a failed sync (of the file, or of its directory during a checkpoint) nothing is
//!   committed until restart, because it is unknown which bytes are durable.

mod companion;
mod copy;
pub(crate) mod encoding;
pub(crate) mod frame;
pub(crate) mod open;
mod overlay;
pub(crate) mod record;
pub(crate) mod recovery;
mod remembered;
pub(crate) mod state;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, Result, codes, scope};
use entasis_disk::{Disk, WriteFile};

use copy::Copy;
use encoding::encode_ops;
use record::Op;
use state::State;

use crate::merge::at_work::MergeReason;
use crate::place;

/// The name of the log.
pub(crate) const FILE: &str = "commit.log";
/// The name of its second copy.
pub(crate) const COPY: &str = "commit.copy";
/// The file is also rewritten when it has this many bytes, and four times as many as its state. The
/// bytes of parts in memory are records like others.
const CHECKPOINT_BYTES: u64 = 64 << 20;
/// A copy that is incomplete is rewritten after this many records.
const RETRY_COPY_AFTER: u64 = 64;

/// Receives commits in their order, after they are durable and before they are acknowledged.
pub(crate) trait Publisher: Send + Sync {
    fn publish(&self, ops: &[Op], origin: &Origin);
}

/// Which work a commit ends. It is passed to observers and not written to the log.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The id of the statement; `None` for background work.
    pub(crate) query_id: Option<Arc<str>>,
    /// When the work began.
    pub(crate) began: Instant,
    /// Why parts were merged, if the work is a merge.
    pub(crate) reason: MergeReason,
}

impl Origin {
    /// Work of the calling thread's statement that began at `began`.
    pub(crate) fn since(began: Instant) -> Self {
        Self { query_id: scope::query_id(), began, reason: MergeReason::Regular }
    }
}

/// A commit that waits to be written.
struct Queued {
    ticket: u64,
    ops: Vec<Op>,
    origin: Origin,
}

struct Inner {
    /// The durable state, which readers see.
    visible: State,
    /// The durable state plus the queued commits.
    ahead: State,
    /// The commits to write. A ticket is a number within this process.
    queue: Vec<Queued>,
    next_ticket: u64,
    /// All tickets below this one are answered: durable, unless they are in `failures`.
    done: u64,
    failures: Vec<(std::ops::Range<u64>, Error)>,
    /// Sequence number of the next record in the file.
    next_record: u64,
    writing: bool,
    poisoned: Option<Error>,
    /// `None` while the leader writes to it, and for read-only stores.
    file: Option<Box<dyn WriteFile>>,
    records: u64,
    /// Bytes of the file after it was rewritten last; 0 if it was not.
    state_bytes: u64,
    /// The sequence number that the store's marker holds.
    marked: u64,
}

/// The log of an open store.
pub(crate) struct Log {
    disk: Arc<dyn Disk>,
    inner: Mutex<Inner>,
    changed: Signal,
    copy: Copy,
    /// The file is rewritten from the state after this many records.
    checkpoint_after: u64,
}

/// Why a commit failed, and whether it may still turn out to be durable.
#[derive(Debug)]
pub(crate) struct CommitError {
    pub(crate) error: Error,
    /// The next process may find the record in the log, so its files must stay.
    pub(crate) unknown: bool,
}

impl From<CommitError> for Error {
    fn from(e: CommitError) -> Self {
        e.error
    }
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// Passes the durable state to `look`.
    pub(crate) fn with_state<R>(&self, look: impl FnOnce(&State) -> R) -> R {
        look(&self.lock().visible)
    }

    /// Commits the operations that `prepare` returns for the state they will be applied to. Returns
    /// when they are durable and published.
    pub(crate) fn commit(
        &self,
        publisher: &dyn Publisher,
        origin: Origin,
        prepare: impl FnOnce(&State) -> Result<Vec<Op>>,
    ) -> Result<(), CommitError> {
        let known = |error| CommitError { error, unknown: false };
        let began = Instant::now();
        let mut inner = self.lock();
        events::elapsed(Event::CommitLogLockWaitMicroseconds, began);
        if let Some(e) = &inner.poisoned {
            return Err(known(e.duplicate()));
        }
        if inner.file.is_none() && !inner.writing {
            let message = "The database is open read-only";
            return Err(known(Error::new(codes::TABLE_IS_READ_ONLY, message)));
        }
        let ops = prepare(&inner.ahead).map_err(known)?;
        if ops.is_empty() {
            return Ok(());
        }
        inner.ahead.apply(&ops).map_err(known)?;
        let ticket = inner.next_ticket;
        inner.next_ticket += 1;
        inner.queue.push(Queued { ticket, ops, origin });
        loop {
            if let Some((_, e)) = inner.failures.iter().find(|(r, _)| r.contains(&ticket)) {
                let unknown = inner.poisoned.is_some();
                events::one(Event::CommitLogFailures);
                return Err(CommitError { error: e.duplicate(), unknown });
            }
            if inner.done > ticket {
                events::one(Event::CommitLogCommits);
                events::elapsed(Event::CommitLogCommitMicroseconds, began);
                return Ok(());
            }
            inner = if inner.writing {
                events::one(Event::CommitLogFollowers);
                self.changed.wait(inner)
            } else {
                self.lead(inner, publisher)
            };
        }
    }

    /// Writes everything that is queued, as the leader.
    fn lead<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner>,
        publisher: &dyn Publisher,
    ) -> MutexGuard<'a, Inner> {
        if let Some(e) = inner.poisoned.as_ref().map(Error::duplicate) {
            return self.fail(inner, e, true);
        }
        let batch = std::mem::take(&mut inner.queue);
        let Some(mut file) = inner.file.take() else {
            return self.fail(inner, Error::logical("The log's file is missing"), true);
        };
        let record = inner.next_record;
        inner.writing = true;
        drop(inner);
        let written = match self.moved(&*file) {
            None => write_record(&mut *file, record, &batch),
            Some(error) => Err(WriteError { error, unknown: false }),
        };
        if let Ok(bytes) = &written {
            self.copy.append(bytes);
        }
        inner = self.lock();
        if let Err(WriteError { error, unknown }) = written {
            inner.file = Some(file);
            inner.writing = false;
            return self.fail(inner, error, unknown);
        }
        inner.next_record += 1;
        inner.records += 1;
        for Queued { ticket, ops, origin } in &batch {
            if let Err(e) = inner.visible.apply(ops) {
                // The commit was checked against `ahead`, so this is a bug: no further commit is
                // safe.
                inner.poisoned = Some(e);
            }
            publisher.publish(ops, origin);
            inner.done = ticket + 1;
        }
        let retry = inner.records >= RETRY_COPY_AFTER && self.copy.is_behind();
        let is_long = file.len() >= CHECKPOINT_BYTES.max(4 * inner.state_bytes);
        if inner.records >= self.checkpoint_after || is_long || retry {
            let state = inner.visible.clone();
            drop(inner);
            let new = self.checkpoint(&state, record);
            inner = self.lock();
            match new {
                Ok(Some(new)) => {
                    file = new;
                    inner.state_bytes = file.len();
                    (inner.records, inner.marked) = (1, record);
                }
                // The checkpoint failed early: the old file stays in use, and the next attempt
                // comes after another half of the interval.
                Ok(None) => inner.records = self.checkpoint_after / 2,
                Err(e) => inner.poisoned = Some(poison(&e)),
            }
        }
        inner.file = Some(file);
        inner.writing = false;
        self.changed.notify_all();
        inner
    }

    /// An error if the log's name no longer leads to the open file, because the folder was removed
    /// or renamed, and perhaps made anew by another process: what is written now would be lost, or
    /// would damage the new store.
    fn moved(&self, file: &dyn WriteFile) -> Option<Error> {
        let message = "The folder of the store was removed or renamed while the store was open: \
                       nothing can be written any more. Restart the server";
        (file.identity() != self.disk.identity(FILE))
            .then(|| Error::new(codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR, message))
    }

    /// Writes the state as a new log and replaces the old one with it, then does the same for the
    /// copy and updates the marker. `None` if it failed before anything changed.
    fn checkpoint(&self, state: &State, sequence: u64) -> Result<Option<Box<dyn WriteFile>>> {
        let disk = &*self.disk;
        let Ok(bytes) = open::state_bytes(state, sequence) else { return Ok(None) };
        let Ok(file) = open::write_new(disk, FILE, &bytes) else { return Ok(None) };
        events::one(Event::CommitLogCheckpoints);
        open::put_in_place(disk, FILE)?;
        self.copy.replace(|| {
            let copy = open::write_new(disk, COPY, &bytes)?;
            open::put_in_place(disk, COPY)?;
            Ok(copy)
        });
        // If this fails, the marker keeps an older number, which is still true.
        let _ = place::write_marker(disk, sequence);
        Ok(Some(file))
    }

    /// Fails every commit that is not answered yet.
    fn fail<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner>,
        error: Error,
        unknown: bool,
    ) -> MutexGuard<'a, Inner> {
        if unknown && inner.poisoned.is_none() {
            inner.poisoned = Some(poison(&error));
        }
        let range = inner.done..inner.next_ticket;
        inner.done = range.end;
        inner.queue.clear();
        inner.ahead = inner.visible.clone();
        inner.failures.push((range, error));
        self.changed.notify_all();
        inner
    }
}

#[cold]
fn poison(e: &Error) -> Error {
    let message = format!(
        "The commit log could not be made durable, nothing is committed until restart: {e}"
    );
    Error::new(codes::CANNOT_FSYNC, message)
}

struct WriteError {
    error: Error,
    unknown: bool,
}

/// Appends a batch as one record, syncs, and returns the record's bytes. A crash can then never
/// leave a valid record behind a damaged one, because only one record is unsynced. If the write
/// fails, the file is cut back to its previous length.
fn write_record(
    file: &mut dyn WriteFile,
    sequence: u64,
    batch: &[Queued],
) -> Result<Vec<u8>, WriteError> {
    let before = file.len();
    let mut payload = Vec::new();
    batch.iter().for_each(|queued| payload.extend_from_slice(&encode_ops(&queued.ops)));
    let mut bytes = Vec::new();
    frame::put(&mut bytes, sequence, &payload)
        .map_err(|error| WriteError { error, unknown: false })?;
    events::one(Event::CommitLogRecordsWritten);
    events::add(Event::CommitLogBytesWritten, bytes.len() as u64);
    if let Err(error) = file.write_all(&bytes).and_then(|()| file.flush()) {
        // Only a durable truncation ensures that no later process finds a part of the record, or
        // all of it.
        let cut = file.truncate(before).and_then(|()| file.sync());
        return Err(WriteError { error, unknown: cut.is_err() });
    }
    let began = Instant::now();
    let done = file.sync();
    events::elapsed(Event::CommitLogSyncMicroseconds, began);
    done.map_err(|error| WriteError { error, unknown: true })?;
    Ok(bytes)
}

impl Drop for Log {
    /// Makes the copy durable, and writes the last acknowledged record to the marker.
    fn drop(&mut self) {
        let inner = self.lock();
        let (last, marked) = (inner.next_record.saturating_sub(1), inner.marked);
        let is_open = inner.file.is_some();
        let is_moved = inner.file.as_ref().is_some_and(|file| self.moved(&**file).is_some());
        drop(inner);
        if is_open {
            self.copy.close();
            if last > marked && !is_moved {
                // If this fails, the marker keeps an older number, which is still true.
                let _ = place::write_marker(&*self.disk, last);
            }
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Log")
    }
}
