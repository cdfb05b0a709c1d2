//! A batch of reads under way: a value that will be there, without futures.
//!
//! A [`Completion`] is waited for, polled, or given a callback. An answer that is there already
//! takes no lock and no allocation, since that is the common case on a local disk.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, Result, codes};

/// What a batch yields: one buffer per range.
type Answer = Result<Vec<Vec<u8>>>;
type Callback = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Slot {
    answer: Option<Answer>,
    done: bool,
    callback: Option<Callback>,
}

#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    changed: Signal,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        lock(&self.slot)
    }
}

enum State {
    Ready(Option<Answer>),
    Pending(Arc<Shared>),
}

/// The reader's end of a batch.
pub struct Completion(State);

/// The writer's end: owes an answer, and answers with an error if it is dropped without one.
pub struct Completer(Option<Arc<Shared>>);

impl Completion {
    /// A batch that is answered already.
    pub fn ready(answer: Result<Vec<Vec<u8>>>) -> Self {
        Self(State::Ready(Some(answer)))
    }

    /// A batch that somebody will answer through the [`Completer`].
    pub fn pair() -> (Completer, Self) {
        let shared = Arc::new(Shared::default());
        (Completer(Some(shared.clone())), Self(State::Pending(shared)))
    }

    /// Whether `wait` would return at once.
    pub fn is_ready(&self) -> bool {
        match &self.0 {
            State::Ready(_) => true,
            State::Pending(shared) => shared.lock().done,
        }
    }

    /// The answer if it is there; `None` before that, and after it was taken.
    pub fn try_take(&mut self) -> Option<Result<Vec<Vec<u8>>>> {
        match &mut self.0 {
            State::Ready(answer) => answer.take(),
            State::Pending(shared) => shared.lock().answer.take(),
        }
    }

    /// Blocks until the answer is there. An answer that `try_take` took already is `LOGICAL_ERROR`.
    pub fn wait(self) -> Result<Vec<Vec<u8>>> {
        let taken = || Err(Error::logical("The answer of a batch of reads was taken twice"));
        match self.0 {
            State::Ready(answer) => answer.unwrap_or_else(taken),
            State::Pending(shared) => {
                let began = Instant::now();
                let mut slot = shared.lock();
                while !slot.done {
                    slot = shared.changed.wait(slot);
                }
                events::elapsed(Event::AsynchronousReadWaitMicroseconds, began);
                slot.answer.take().unwrap_or_else(taken)
            }
        }
    }

    /// Calls `wake` once, when the answer is there: at once if it is, else from the thread that
    /// brings it. A later registration replaces an earlier one.
    pub fn on_ready(&self, wake: Box<dyn FnOnce() + Send>) {
        if let State::Pending(shared) = &self.0 {
            let mut slot = shared.lock();
            if !slot.done {
                slot.callback = Some(wake);
                return;
            }
        }
        wake();
    }
}

impl fmt::Debug for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Completion({})", if self.is_ready() { "ready" } else { "pending" })
    }
}

impl Completer {
    /// Answers the batch, wakes who waits, and runs the callback on this thread.
    pub fn complete(mut self, answer: Result<Vec<Vec<u8>>>) {
        self.answer(answer);
    }

    fn answer(&mut self, answer: Answer) {
        let Some(shared) = self.0.take() else { return };
        let callback = {
            let mut slot = shared.lock();
            slot.answer = Some(answer);
            slot.done = true;
            slot.callback.take()
        };
        shared.changed.notify_all();
        if let Some(wake) = callback {
            wake();
        }
    }
}

impl Drop for Completer {
    fn drop(&mut self) {
        if self.0.is_some() {
            self.answer(Err(Error::new(codes::ABORTED, "A batch of reads was abandoned")));
        }
    }
}

impl fmt::Debug for Completer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Completer")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn callback_runs_once_before_or_after() {
        let calls = Arc::new(AtomicUsize::new(0));
        let count = |calls: &Arc<AtomicUsize>| {
            let calls = calls.clone();
            Box::new(move || {
                calls.fetch_add(1, Ordering::SeqCst);
            })
        };
        let (completer, mut pending) = Completion::pair();
        pending.on_ready(count(&calls));
        assert!(pending.try_take().is_none());
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        completer.complete(Ok(vec![vec![1]]));
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        pending.on_ready(count(&calls));
        assert_eq!(calls.load(Ordering::SeqCst), 2);
        assert_eq!(pending.try_take().unwrap().unwrap(), [[1]]);
        assert!(pending.try_take().is_none());
        assert_eq!(pending.wait().unwrap_err().code(), codes::LOGICAL_ERROR);
    }

    #[test]
    fn waiting_crosses_threads_and_abandonment_is_an_error() {
        let (completer, pending) = Completion::pair();
        let waiter = std::thread::spawn(move || pending.wait());
        completer.complete(Ok(vec![b"x".to_vec()]));
        assert_eq!(waiter.join().unwrap().unwrap(), [b"x"]);
        let (completer, pending) = Completion::pair();
        drop(completer);
        assert_eq!(pending.wait().unwrap_err().code(), codes::ABORTED);
    }
}
