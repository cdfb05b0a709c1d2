//! The log's second copy: written behind the log, and made durable a little later.
//!
//! A record is appended to the copy after it is durable in the log and before it is acknowledged,
//! without a sync: a commit costs no more syncs than without the copy. A thread of its own syncs
//! the copy soon afterwards; so do a checkpoint and the end of the process. What the copy holds was
//! therefore durable in the log: a log that lacks it is damaged. A copy that cannot be written is
//! given up until the next checkpoint; commits go on.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, message};
use entasis_disk::WriteFile;

/// So long the copy may be behind what is durable: a bound on how often it is synced.
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Default)]
struct State {
    /// `None` while it is being synced, and when it was given up.
    file: Option<Box<dyn WriteFile>>,
    /// It is being synced, without the lock.
    syncing: bool,
    /// Records that came meanwhile.
    pending: Vec<u8>,
    /// Not all of it is durable.
    dirty: bool,
    /// The copy is not what it should be.
    behind: bool,
    stopping: bool,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Makes the copy durable. The lock is given back meanwhile, so that commits do not wait.
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
    /// A thread syncs it; else only a checkpoint and the end do.
    in_background: bool,
}

impl Copy {
    /// The copy in `file`, which holds all that the log does.
    pub(crate) fn new(file: Box<dyn WriteFile>, in_background: bool) -> Self {
        // Not known to be durable, and of no hurry: the next commit's sync covers it.
        let state = State { file: Some(file), ..State::default() };
        let shared = Shared { state: Mutex::new(state), changed: Condvar::new() };
        Self { shared: Arc::new(shared), in_background }
    }

    /// Whether the copy lacks what the log holds.
    pub(crate) fn is_behind(&self) -> bool {
        self.shared.lock().behind
    }

    /// Adds a record that is durable in the log.
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
            // Without the thread the copy is synced later.
            state.thread = std::thread::Builder::new().name("entasis-log".into()).spawn(run).ok();
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Puts a file in its place that is durable already.
    pub(crate) fn replace(&self, new: impl FnOnce() -> Result<Box<dyn WriteFile>>) {
        let mut state = self.shared.lock();
        while state.syncing {
            state = sync::wait(&self.shared.changed, state);
        }
        state.dirty = false;
        match new() {
            Ok(file) => (state.file, state.behind) = (Some(file), false),
            Err(error) => state.give_up(&error),
        }
    }

    /// Ends the thread and makes the copy durable. Answers whether it is complete.
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

/// The thread: syncs what is not durable, at most once in [`PAUSE`].
fn keep_synced(shared: &Shared) {
    let mut state = shared.lock();
    while !state.stopping {
        if !state.dirty || state.file.is_none() {
            state = sync::wait(&shared.changed, state);
            continue;
        }
        state = sync::wait_timeout_while(&shared.changed, state, PAUSE, |state| !state.stopping);
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
