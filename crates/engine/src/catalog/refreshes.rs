//! What is known of each refreshable view: whether it runs, when it is due, how its last refresh
//! ended. The thread that refreshes views, the SYSTEM statements and `system.view_refreshes` meet
//! here.
//!
//! A state belongs to the view's table in the store, so that RENAME does not concern it. States
//! live as long as the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::sync::{Signal, lock};
use entasis_base::{CancelToken, Result, scope};
use entasis_mergetree::TableId;

/// The state of one view. Times are since 1970.
#[derive(Default)]
pub(crate) struct Refreshed {
    /// SYSTEM STOP VIEW.
    pub stopped: bool,
    /// Cancels the refresh that runs now.
    pub running: Option<CancelToken>,
    /// The next refresh starts as soon as possible.
    pub requested: bool,
    /// A view that it depends on does not exist.
    pub misses_dependency: bool,
    /// It is due, and waits for a view that it depends on.
    pub waits: bool,
    /// When it is due; `None` if that was not decided yet.
    pub next: Option<Duration>,
    /// When the last refresh began that went well, and how long it took.
    pub last_success: Option<(Duration, Duration)>,
    /// When the last refresh ended.
    pub last_refresh: Option<Duration>,
    /// The error of the last refresh; empty if it went well.
    pub exception: String,
    /// Those of them since its last regular time.
    pub attempts: u64,
    /// Whether it is due because the last refresh failed.
    pub retries: bool,
    /// Refreshes that failed since the last that went well.
    pub retry: u64,
    /// Rows and bytes that the last refresh read, and the rows that it expected.
    pub read: (u64, u64, u64),
    /// Rows and bytes that the last refresh wrote.
    pub written: (u64, u64),
}

impl Refreshed {
    /// The word in `system.view_refreshes`.
    pub fn status(&self) -> &'static str {
        match self {
            Self { running: Some(_), .. } => "Running",
            Self { stopped: true, .. } => "Disabled",
            Self { requested: true, .. } => "Scheduling",
            Self { misses_dependency: true, .. } => "MissingDependencies",
            Self { waits: true, .. } => "WaitingForDependencies",
            Self { next: None, .. } => "Scheduling",
            _ => "Scheduled",
        }
    }

    /// Whether it is at work, or will be at once.
    fn is_busy(&self) -> bool {
        self.running.is_some() || self.requested && !self.stopped
    }
}

/// The states of all views, and the bell of the thread that refreshes them.
#[derive(Default)]
pub(crate) struct Refreshes {
    state: Mutex<State>,
    changed: Signal,
}

#[derive(Default)]
struct State {
    views: HashMap<TableId, Refreshed>,
    rung: bool,
    closed: bool,
}

impl Refreshes {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Reads or changes the state of a view, which is made if there is none.
    pub fn with<T>(&self, id: TableId, work: impl FnOnce(&mut Refreshed) -> T) -> T {
        let done = work(self.lock().views.entry(id).or_default());
        self.changed.notify_all();
        done
    }

    /// Forgets all views but those that `ids` answers, and cancels what runs for the others. They
    /// are asked for under the lock, so that no view is forgotten that was created meanwhile.
    pub fn keep_only(&self, ids: impl FnOnce() -> Vec<TableId>) {
        let mut state = self.lock();
        let ids = ids();
        state.views.retain(|id, view| {
            let stays = ids.contains(id);
            if let (false, Some(running)) = (stays, &view.running) {
                running.cancel();
            }
            stays
        });
    }

    /// Wakes the thread.
    pub fn ring(&self) {
        self.lock().rung = true;
        self.changed.notify_all();
    }

    /// Ends the thread and what it runs.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.views.values().filter_map(|view| view.running.as_ref()).for_each(CancelToken::cancel);
        self.changed.notify_all();
    }

    /// Sleeps until the bell rings, or until a time if there is one. Answers `false` if the thread
    /// is to end.
    pub fn sleep(&self, until: Option<Instant>) -> bool {
        let mut state = self.lock();
        while !state.rung && !state.closed {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                break;
            }
            state = match left {
                Some(left) => self.changed.wait_timeout(state, left),
                None => self.changed.wait(state),
            };
        }
        state.rung = false;
        !state.closed
    }

    /// Waits until a view is not at work, and answers the error of its last refresh.
    pub fn wait(&self, id: TableId) -> Result<String> {
        let mut state = self.lock();
        loop {
            match state.views.get(&id) {
                Some(view) if view.is_busy() && !state.closed => {}
                Some(view) => return Ok(view.exception.clone()),
                None => return Ok(String::new()),
            }
            scope::check()?;
            // The waiting statement may be cancelled meanwhile.
            state = self.changed.wait_timeout(state, Duration::from_millis(20));
        }
    }
}
