//! The commit log: one file per store that says which tables exist and which parts they are made
//! of.
//!
//! A commit is checked against the state that all earlier commits lead to, queued, and answered
//! once it is on the medium. Who finds nobody writing becomes the leader: writes all that is
//! queued with one sync, applies it, wakes the others (group commit).
//!
//! Invariants:
//! - what was acknowledged is in the file, synced, before anybody can see it;
//! - `ahead` = `visible` + everything queued, always; a failed write takes all of the queue back;
//! - after a failed sync (of the file, or of its directory around a checkpoint) nothing is
//!   committed any more until restart: what the medium holds is not known.

pub(crate) mod frame;
pub(crate) mod record;
pub(crate) mod state;

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, codes, scope};
use entasis_disk::{Disk, WriteFile};

use record::{Op, decode_ops, encode_ops};
use state::State;

/// The log's name.
pub(crate) const FILE: &str = "commit.log";
const TEMPORARY: &str = "commit.log.tmp";
/// A log of more bytes than this is not read.
const MAX_BYTES: u64 = 4 << 30;

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
}

/// The log of an open store.
pub(crate) struct Log {
    disk: Arc<dyn Disk>,
    inner: Mutex<Inner>,
    changed: Condvar,
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
    /// Reads the log, cuts a torn tail, and is ready to write unless `read_only`.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        read_only: bool,
        checkpoint_after: u64,
    ) -> Result<Self> {
        let mut state = State { next_table: 1, ..State::default() };
        let (mut next_record, mut records, mut valid, mut len) = (1, 0, 0, 0);
        if disk.exists(FILE)? {
            let bytes = disk.read_to_end(FILE, MAX_BYTES)?;
            len = bytes.len() as u64;
            // A new log whose first bytes were not synced holds nothing.
            if bytes.len() >= frame::MAGIC.len() && bytes[..frame::MAGIC.len()] == frame::MAGIC {
                let (frames, end) = frame::scan(&bytes, FILE)?;
                valid = end as u64;
                for (sequence, payload) in frames {
                    let done = decode_ops(&payload).and_then(|ops| state.replay(&ops));
                    done.map_err(|e| e.context(format!("Record {sequence} of `{FILE}`")))?;
                    next_record = sequence + 1;
                    records += 1;
                }
            } else {
                refuse_foreign(&bytes)?;
            }
        }
        let file = if read_only { None } else { Some(start_file(&*disk, valid, len)?) };
        let inner = Inner {
            ahead: state.clone(),
            visible: state,
            queue: Vec::new(),
            next_ticket: 0,
            done: 0,
            failures: Vec::new(),
            next_record,
            writing: false,
            poisoned: None,
            file,
            records,
        };
        Ok(Self { disk, inner: Mutex::new(inner), changed: Condvar::new(), checkpoint_after })
    }

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
        if inner.records >= self.checkpoint_after {
            let state = inner.visible.clone();
            drop(inner);
            let new = checkpoint(&*self.disk, &state, record);
            inner = self.lock();
            match new {
                Ok(Some(new)) => {
                    file = new;
                    inner.records = 1;
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

/// Appends a batch as one record and syncs. One record, so that a valid one behind a damaged one is
/// never the work of a crash. On a failed write the file is cut back to what it was.
fn write_record(
    file: &mut dyn WriteFile,
    sequence: u64,
    batch: &[Queued],
) -> Result<(), WriteError> {
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
    done.map_err(|error| WriteError { error, unknown: true })
}

/// Writes the state as a new log and puts it in the old one's place. `None` if that failed before
/// anything changed.
fn checkpoint(disk: &dyn Disk, state: &State, sequence: u64) -> Result<Option<Box<dyn WriteFile>>> {
    let write = || -> Result<Box<dyn WriteFile>> {
        if disk.exists(TEMPORARY)? {
            disk.remove(TEMPORARY)?;
        }
        let mut bytes = frame::MAGIC.to_vec();
        frame::put(&mut bytes, sequence, &encode_ops(&state.to_ops()))?;
        let mut file = disk.create(TEMPORARY)?;
        file.write_all(&bytes)?;
        file.sync()?;
        Ok(file)
    };
    let Ok(file) = write() else { return Ok(None) };
    events::one(Event::CommitLogCheckpoints);
    disk.rename(TEMPORARY, FILE)?;
    disk.sync_dir("")?;
    Ok(Some(file))
}

/// Opens the file for writing behind its `valid` bytes, of `len` that are there.
fn start_file(disk: &dyn Disk, valid: u64, len: u64) -> Result<Box<dyn WriteFile>> {
    if disk.exists(TEMPORARY)? {
        disk.remove(TEMPORARY)?;
    }
    let mut file = disk.append(FILE)?;
    if valid < len {
        file.truncate(valid)?;
    }
    if valid == 0 {
        file.write_all(&frame::MAGIC)?;
    }
    if valid < len || valid == 0 {
        file.sync()?;
    }
    disk.sync_dir("")?;
    Ok(file)
}

/// A file that is no log must not be overwritten: only a torn beginning of one may.
fn refuse_foreign(bytes: &[u8]) -> Result<()> {
    let torn = bytes.len() <= frame::MAGIC.len();
    if torn {
        return Ok(());
    }
    Err(Error::new(
        codes::CORRUPTED_DATA,
        format!("`{FILE}` is corrupted at offset 0, or not a commit log of a known version"),
    ))
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Log")
    }
}
