//! The log's second copy: written after the log, and made durable a little later.
//!
//! A record is appended to the copy after it is durable in the log and before it is acknowledged,
//! without a sync, so the copy adds no sync to a commit. A background thread syncs the copy soon
//! afterwards; so do a checkpoint and the end of the process. Every record in the copy was
//! therefore durable in the log: a log that lacks it is damaged. If writing the copy fails, the
//! copy is given up until the next checkpoint, and commits go on.

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, Result, message};
use entasis_disk::WriteFile;

/// How long the thread waits before it syncs, which limits how often the copy is synced.
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Default)]
struct State {
    /// `None` while the file is being synced, and after the copy was given up.
    file: Option<Box<dyn WriteFile>>,
    /// Set while the file is being synced without the lock.
    syncing: bool,
    /// Records that arrived during a sync.
    pending: Vec<u8>,
    /// Set if the file has bytes that are not synced.
    dirty: bool,
    /// Set if the copy lacks records because it could not be written.
    behind: bool,
    stopping: bool,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Signal,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Makes the copy durable. The lock is released during the sync, so that commits do not wait.
    fn sync<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let Some(mut file) = state.file.take() else { return state };
        (state.syncing, state.dirty) = (true, false);
        drop(state);
        let done = file.sync();
        let mut state = self.lock();
        state.syncing = false;
        let pending = std::mem::take(&mut state.pending);
        match done {
            Ok(()) => state.file = Some(file),
            Err(error) => state.give_up(&error),
        }
        if !pending.is_empty() {
            state.append(&pending);
        }
        self.changed.notify_all();
        state
    }
}

impl State {
    fn append(&mut self, bytes: &[u8]) {
        if self.syncing {
            self.pending.extend_from_slice(bytes);
            return;
        }
        let Some(file) = &mut self.file else { return };
        match file.write_all(bytes).and_then(|()| file.flush()) {
            Ok(()) => self.dirty = true,
            Err(error) => self.give_up(&error),
        }
    }

    fn give_up(&mut self, error: &Error) {
        self.file = None;
        self.behind = true;
        message!(
            Warning,
            "CommitLog",
            "The second copy of the commit log cannot be written, it is behind until the next \
             checkpoint: {}",
            error
        );
    }
}

/// The copy of an open log.
#[derive(Default)]
pub(crate) struct Copy {
    shared: Arc<Shared>,
    /// Whether a thread syncs the copy; if not, only a checkpoint and the end of the process do.
    in_background: bool,
}

impl Copy {
    /// The copy in `file`, which holds all records of the log.
    pub(crate) fn new(file: Box<dyn WriteFile>, in_background: bool) -> Self {
        // The file may not be durable yet, but the sync after the next commit covers it.
        let state = State { file: Some(file), ..State::default() };
        let shared = Shared { state: Mutex::new(state), changed: Signal::new() };
        Self { shared: Arc::new(shared), in_background }
    }

    /// Whether the copy lacks records because it could not be written.
    pub(crate) fn is_behind(&self) -> bool {
        self.shared.lock().behind
    }

    /// Appends a record that is durable in the log.
    pub(crate) fn append(&self, bytes: &[u8]) {
        let mut state = self.shared.lock();
        let was_dirty = state.dirty;
        state.append(bytes);
        if was_dirty {
            return;
        }
        if self.in_background && state.thread.is_none() && !state.stopping {
            let shared = Arc::clone(&self.shared);
            let run = move || keep_synced(&shared);
            // If the thread cannot be started, the copy is synced later.
            state.thread = std::thread::Builder::new().name("entasis-log".into()).spawn(run).ok();
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Replaces the copy by the file that `new` returns, which is durable already.
    pub(crate) fn replace(&self, new: impl FnOnce() -> Result<Box<dyn WriteFile>>) {
        let mut state = self.shared.lock();
        while state.syncing {
            state = self.shared.changed.wait(state);
        }
        state.dirty = false;
        match new() {
            Ok(file) => (state.file, state.behind) = (Some(file), false),
            Err(error) => state.give_up(&error),
        }
    }

    /// Ends the thread and makes the copy durable. Returns whether the copy is complete.
    pub(crate) fn close(&self) -> bool {
        let mut state = self.shared.lock();
        state.stopping = true;
        let thread = state.thread.take();
        drop(state);
        self.shared.changed.notify_all();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
        let mut state = self.shared.lock();
        if state.file.is_some() {
            state = self.shared.sync(state);
        }
        state.file.is_some() && !state.behind
    }
}

/// The thread's loop: syncs unsynced bytes, at most once per [`PAUSE`].
fn keep_synced(shared: &Shared) {
    let mut state = shared.lock();
    while !state.stopping {
        if !state.dirty || state.file.is_none() {
            state = shared.changed.wait(state);
            continue;
        }
        state = shared.changed.wait_timeout_while(state, PAUSE, |state| !state.stopping);
        if !state.stopping && state.dirty {
            state = shared.sync(state);
        }
    }
}

impl std::fmt::Debug for Copy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Copy")
    }
}
