//! The lock of a table that merges and mutations hold, so that only one of them changes its rows.
//! Unlike the guard of a mutex, a held lock can move to another thread, and whoever waits for it
//! can give up. Work that can be done later takes the lock only if nobody waits for it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use entasis_base::Result;
use entasis_base::sync::{Signal, lock};

/// How often a waiting thread asks whether it should give up.
const ASK: Duration = Duration::from_millis(20);

/// The lock.
#[derive(Debug, Default)]
pub struct WorkLock {
    state: Mutex<State>,
    released: Signal,
}

#[derive(Debug, Default)]
struct State {
    is_held: bool,
    /// Threads in [`WorkLock::hold`].
    waiting: usize,
}

/// A held lock, which is released on drop.
#[derive(Debug)]
pub struct HeldWork(Arc<WorkLock>);

impl WorkLock {
    /// Waits for the lock, as long as `go_on` does not fail.
    pub fn hold(this: &Arc<Self>, go_on: &mut dyn FnMut() -> Result<()>) -> Result<HeldWork> {
        let mut state = lock(&this.state);
        state.waiting += 1;
        let mut outcome = Ok(());
        while state.is_held && outcome.is_ok() {
            state = this.released.wait_timeout(state, ASK);
            if state.is_held {
                outcome = go_on();
            }
        }
        state.waiting -= 1;
        outcome?;
        state.is_held = true;
        Ok(HeldWork(Arc::clone(this)))
    }

    /// Takes the lock if it is free and nobody waits for it. A thread that takes it again and again
    /// so leaves it to the others.
    pub fn try_hold(this: &Arc<Self>) -> Option<HeldWork> {
        let mut state = lock(&this.state);
        if state.is_held || state.waiting > 0 {
            return None;
        }
        state.is_held = true;
        Some(HeldWork(Arc::clone(this)))
    }
}

impl Drop for HeldWork {
    fn drop(&mut self) {
        lock(&self.0.state).is_held = false;
        self.0.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use entasis_base::{Error, codes};

    use super::*;

    #[test]
    fn work_that_can_wait_leaves_the_lock_to_whoever_waits() {
        let state = Mutex::new(State { is_held: false, waiting: 1 });
        let work = Arc::new(WorkLock { state, released: Signal::new() });
        assert!(WorkLock::try_hold(&work).is_none());
        drop(WorkLock::hold(&work, &mut || Ok(())).unwrap());
        assert!(WorkLock::try_hold(&work).is_none(), "the other thread still waits");
    }

    #[test]
    fn whoever_gives_up_waits_no_more() {
        let work = Arc::new(WorkLock::default());
        let held = WorkLock::try_hold(&work).unwrap();
        let give_up = &mut || Err(Error::new(codes::ABORTED, "stop"));
        assert!(WorkLock::hold(&work, give_up).is_err());
        assert!(WorkLock::try_hold(&work).is_none());
        drop(held);
        assert!(WorkLock::try_hold(&work).is_some());
    }
}
