//! A signal that wakes a sleeping thread, or asks it to end.

use entasis_base::sync::{Signal, lock};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The signal; one thread sleeps on it and others ring it.
#[derive(Default)]
pub(super) struct Bell {
    state: Mutex<State>,
    changed: Signal,
}

#[derive(Default)]
struct State {
    rung: bool,
    closed: bool,
}

impl Bell {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Wakes the thread now, or when it next goes to sleep.
    pub(super) fn ring(&self) {
        self.lock().rung = true;
        self.changed.notify_all();
    }

    /// Asks the thread to end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Sleeps until the bell is rung or closed, or until the given time if there is one. Answers
    /// `false` if the thread is to end.
    pub(super) fn sleep(&self, until: Option<Instant>) -> bool {
        let mut state = self.lock();
        while !state.rung && !state.closed {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                break;
            }
            let left = left.unwrap_or(Duration::from_hours(24));
            state = self.changed.wait_timeout(state, left);
        }
        state.rung = false;
        !state.closed
    }
}
