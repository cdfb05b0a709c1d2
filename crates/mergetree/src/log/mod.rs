//! The commit log: one file per store that says which tables exist and which parts they are made
//! of.
//!
//! A commit is checked against the state that all earlier commits lead to, queued, and answered
//! once it is on the medium. Who finds nobody writing becomes the leader: writes all that is
//! queued with one sync, applies it, wakes the others (group commit).
//!
//! There are two copies of it ([`copy`]); how they are read is [`recovery`], and what is done to
//! them when a store is opened is [`open`].
//!
//! Invariants:
//! - what was acknowledged is in the file, synced, before anybody can see it;
//! - what the copy holds was durable in the file before;
//! - `ahead` = `visible` + everything queued, always; a failed write takes all of the queue back;
//! - after a failed sync (of the file, or of its directory around a checkpoint) nothing is
//!   committed any more until restart: what the medium holds is not known.

mod copy;
pub(crate) mod frame;
pub(crate) mod open;
pub(crate) mod record;
pub(crate) mod recovery;
mod remembered;
pub(crate) mod state;

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, codes, scope};
use entasis_disk::{Disk, WriteFile};

use copy::Copy;
use record::{Op, encode_ops};
use state::State;

use crate::place;

/// The log's name.
pub(crate) const FILE: &str = "commit.log";
/// The name of its second copy.
pub(crate) const COPY: &str = "commit.copy";
/// Records after which a copy that is behind is written anew.
const RETRY_COPY_AFTER: u64 = 64;

/// Told of commits, in their order, after they are durable and before they are acknowledged.
pub(crate) trait Publisher: Send + Sync {
    fn publish(&self, ops: &[Op], origin: &Origin);
}

/// Whose work a commit is the end of; nothing of it is written.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The statement, if it is one's work.
    pub(crate) query_id: Option<Arc<str>>,
    /// When the work began.
    pub(crate) began: Instant,
}

impl Origin {
    /// Work of the calling thread's statement, begun at `began`.
    pub(crate) fn since(began: Instant) -> Self {
        Self { query_id: scope::query_id(), began }
    }
}

/// A commit that waits for being written.
struct Queued {
    ticket: u64,
    ops: Vec<Op>,
    origin: Origin,
}

struct Inner {
    /// Durable.
    visible: State,
    /// Durable and queued.
    ahead: State,
    /// Tickets and what they want; a ticket is a number within this process.
    queue: Vec<Queued>,
    next_ticket: u64,
    /// Tickets below are answered: durable, unless they are among the failures.
    done: u64,
    failures: Vec<(std::ops::Range<u64>, Error)>,
    /// Sequence number of the next record in the file.
    next_record: u64,
    writing: bool,
    poisoned: Option<Error>,
    /// `None` while the leader has it, and for read-only stores.
    file: Option<Box<dyn WriteFile>>,
    records: u64,
    /// The record that the store's marker names.
    marked: u64,
}

/// The log of an open store.
pub(crate) struct Log {
    disk: Arc<dyn Disk>,
    inner: Mutex<Inner>,
    changed: Condvar,
    copy: Copy,
    /// Records after which the file is written anew from the state.
    checkpoint_after: u64,
}

/// Why a commit failed, and whether it may still turn out to have happened.
#[derive(Debug)]
pub(crate) struct CommitError {
    pub(crate) error: Error,
    /// The record may be found by the next process: its files must stay.
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

    /// Looks at the durable state.
    pub(crate) fn with_state<R>(&self, look: impl FnOnce(&State) -> R) -> R {
        look(&self.lock().visible)
    }

    /// Commits what `prepare` makes of the state that it will be applied to; answers when it is
    /// durable and published.
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
                sync::wait(&self.changed, inner)
            } else {
                self.lead(inner, publisher)
            };
        }
    }

    /// Writes everything that is queued.
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
        let written = write_record(&mut *file, record, &batch);
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
                // It was checked against `ahead`: a bug, and no place to go on from.
                inner.poisoned = Some(e);
            }
            publisher.publish(ops, origin);
            inner.done = ticket + 1;
        }
        let retry = inner.records >= RETRY_COPY_AFTER && self.copy.is_behind();
        if inner.records >= self.checkpoint_after || retry {
            let state = inner.visible.clone();
            drop(inner);
            let new = self.checkpoint(&state, record);
            inner = self.lock();
            match new {
                Ok(Some(new)) => {
                    file = new;
                    (inner.records, inner.marked) = (1, record);
                }
                // Not done: the old file goes on, and it is tried again much later.
                Ok(None) => inner.records = self.checkpoint_after / 2,
                Err(e) => inner.poisoned = Some(poison(&e)),
            }
        }
        inner.file = Some(file);
        inner.writing = false;
        self.changed.notify_all();
        inner
    }

    /// Writes the state as a new log and puts it in the old one's place, then the same for the
    /// copy and the marker. `None` if that failed before anything changed.
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
        // Older than need be, if it cannot be written: that is still true.
        let _ = place::write_marker(disk, sequence);
        Ok(Some(file))
    }

    /// Answers everything that is not answered yet with a failure.
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

/// Appends a batch as one record and syncs; answers the record's bytes. One record, so that a
/// valid one behind a damaged one is
/// never the work of a crash. On a failed write the file is cut back to what it was.
fn write_record(
    file: &mut dyn WriteFile,
    sequence: u64,
    batch: &[Queued],
) -> Result<Vec<u8>, WriteError> {
    let before = file.len();
    let payload: Vec<u8> = batch.iter().flat_map(|queued| encode_ops(&queued.ops)).collect();
    let mut bytes = Vec::new();
    frame::put(&mut bytes, sequence, &payload)
        .map_err(|error| WriteError { error, unknown: false })?;
    events::one(Event::CommitLogRecordsWritten);
    events::add(Event::CommitLogBytesWritten, bytes.len() as u64);
    if let Err(error) = file.write_all(&bytes).and_then(|()| file.flush()) {
        // Only a durable cut makes sure that nobody will find half of it, or all.
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
    /// Makes the copy durable, and notes in the marker what was acknowledged.
    fn drop(&mut self) {
        let inner = self.lock();
        let (last, marked) = (inner.next_record.saturating_sub(1), inner.marked);
        let is_open = inner.file.is_some();
        drop(inner);
        if is_open {
            self.copy.close();
            if last > marked {
                // Without it the marker is older than need be.
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
