//! The background merger: one thread per store, woken by inserts, stopped with the store.

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::store::StoreCore;
use entasis_base::events::{self, Event};
use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, codes, message};
use entasis_table_api::MergeRequest;

/// The merger looks at the tables at least this often, because rows may have expired.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// Parts in memory may be due to be written to files because of their age.
const LONGEST_WAIT_IN_MEMORY: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
struct State {
    stopped: bool,
    /// Set when an insert or a start of merges may have made a merge worthwhile.
    woken: bool,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Signal,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Counts a failed merge and logs it unless it was stopped. Returns `false`: nothing was merged.
fn failed(error: &Error) -> bool {
    events::one(Event::BackgroundMergeFailures);
    if error.code() != codes::ABORTED {
        message!(Warning, "MergeTree", "A merge in the background has failed: {}", error);
    }
    false
}

/// The handle of the merging thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merger(Arc<Shared>);

impl Merger {
    /// Starts the thread. Without it, only OPTIMIZE merges.
    pub(crate) fn start(core: &Arc<StoreCore>) {
        let (control, weak) = (core.merger.clone(), Arc::downgrade(core));
        let run = move || {
            while control.wait(LONGEST_WAIT) {
                // The store is held for one merge at a time, so that tables and the store can be
                // dropped in between.
                let Some(core) = weak.upgrade() else { return };
                events::one(Event::BackgroundMergeRounds);
                let mut merged = false;
                for table in core.attached_tables() {
                    if !control.may_run() {
                        break;
                    }
                    if table.parts.merges_stopped() {
                        continue;
                    }
                    let go_on = || control.may_run() && !table.parts.merges_stopped();
                    // A failed merge is tried again after the next insert. Queries are not
                    // affected.
                    let done = table.merge_once(&MergeRequest::default(), false, &go_on);
                    merged |= done.unwrap_or_else(|error| failed(&error));
                }
                drop(core);
                events::sample();
                if merged {
                    control.wake();
                }
            }
        };
        // If the thread cannot be started, inserts still work, and OPTIMIZE merges.
        let thread = std::thread::Builder::new().name("entasis-merge".into()).spawn(run).ok();
        core.merger.0.lock().thread = thread;
    }

    /// Starts the thread that merges parts in memory and writes them to files. Without it, they
    /// stay in memory, and only OPTIMIZE merges them.
    pub(crate) fn start_gathering(core: &Arc<StoreCore>) {
        let (control, weak) = (core.gatherer.clone(), Arc::downgrade(core));
        let run = move || {
            while control.wait(LONGEST_WAIT_IN_MEMORY) {
                let Some(core) = weak.upgrade() else { return };
                core.count_bytes_in_memory();
                let mut is_more = false;
                for table in core.attached_tables() {
                    let go_on = || control.may_run() && !table.parts.merges_stopped();
                    if go_on() {
                        is_more |= table.gather(&go_on).unwrap_or_else(|error| failed(&error));
                    }
                }
                drop(core);
                if is_more {
                    control.wake();
                }
            }
        };
        let thread = std::thread::Builder::new().name("entasis-gather".into()).spawn(run).ok();
        core.gatherer.0.lock().thread = thread;
    }

    /// Waits for work, but not longer than `longest`; returns `false` when the store is closed.
    fn wait(&self, longest: Duration) -> bool {
        let began = Instant::now();
        let mut state = self.0.lock();
        loop {
            if state.stopped {
                return false;
            }
            if state.woken || began.elapsed() >= longest {
                state.woken = false;
                return true;
            }
            state = self.0.changed.wait_timeout(state, longest);
        }
    }

    /// Whether a running merge may continue.
    pub(crate) fn may_run(&self) -> bool {
        !self.0.lock().stopped
    }

    pub(crate) fn wake(&self) {
        self.0.lock().woken = true;
        self.0.changed.notify_all();
    }

    /// Ends the thread and waits for it.
    pub(crate) fn stop(&self) {
        let thread = {
            let mut state = self.0.lock();
            state.stopped = true;
            state.thread.take()
        };
        self.0.changed.notify_all();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}
