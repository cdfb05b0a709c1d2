//! Where every thread of the process is at this moment.
//!
//! One thread asks the others, one after the other: it says whom it asks, sends that thread a
//! signal, and waits a little. The handler makes sure that its thread is the one that is asked,
//! takes the place, and writes its stack there. Who does not answer in time (a thread that the
//! kernel does not let go, one that blocks all signals) is given up, unless it has taken the place:
//! then it is at work, and soon done. So nobody writes where somebody else reads.
//!
//! Threads that have never been profiled have no known bounds of their stacks; their frames are
//! read by a system call that fails where nothing is mapped, instead of faulting.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::sample::MAX_FRAMES;
use crate::signal;

/// How long one thread may take to answer.
const PATIENCE: Duration = Duration::from_millis(100);

/// The stack of one thread.
#[derive(Clone, Debug)]
pub struct ThreadStack {
    /// The kernel's number of the thread.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Addresses, innermost first; none if it did not answer.
    pub frames: Vec<u64>,
}

/// What becomes of a question.
const FREE: u32 = 0;
const ASKED: u32 = 1;
const TAKEN: u32 = 2;
const ANSWERED: u32 = 3;

/// One at a time is asked: whom, how far it is, and the answer.
static STATE: AtomicU32 = AtomicU32::new(FREE);
static WHOM: AtomicU32 = AtomicU32::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);
static FRAMES: [AtomicU64; MAX_FRAMES] = [const { AtomicU64::new(0) }; MAX_FRAMES];

/// In the handler, on the thread that was sent the signal: whether it is asked. If so, it is to
/// [`write`] and then to say that it is [`done`].
pub(crate) fn take(thread: u32) -> bool {
    WHOM.load(Ordering::Acquire) == thread
        && STATE.compare_exchange(ASKED, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok()
}

/// In the handler: one frame more. Answers whether there is room for another.
pub(crate) fn write(address: u64) -> bool {
    let at = COUNT.load(Ordering::Relaxed);
    if let Some(frame) = FRAMES.get(at) {
        frame.store(address, Ordering::Relaxed);
        COUNT.store(at + 1, Ordering::Relaxed);
    }
    at + 1 < MAX_FRAMES
}

/// In the handler: that was all.
pub(crate) fn done() {
    STATE.store(ANSWERED, Ordering::Release);
}

/// The stacks of all threads, that of the caller included. Takes a few microseconds for each, and
/// up to a tenth of a second for one that does not answer.
pub fn all() -> Vec<ThreadStack> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !signal::can_ask() {
        return Vec::new();
    }
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let ids = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok());
    let mut stacks: Vec<ThreadStack> = ids.filter_map(of).collect();
    stacks.sort_by_key(|stack| stack.id);
    stacks
}

/// The stack of one thread; `None` if it is gone.
fn of(id: u32) -> Option<ThreadStack> {
    let name = std::fs::read_to_string(format!("/proc/self/task/{id}/comm")).ok()?;
    COUNT.store(0, Ordering::Relaxed);
    WHOM.store(id, Ordering::Relaxed);
    STATE.store(ASKED, Ordering::Release);
    let sent = signal::ask(id);
    let until = Instant::now() + PATIENCE;
    let answered = sent && wait(until);
    let frames = if answered { COUNT.load(Ordering::Relaxed) } else { 0 };
    let frames = FRAMES[..frames].iter().map(|frame| frame.load(Ordering::Relaxed)).collect();
    STATE.store(FREE, Ordering::Release);
    Some(ThreadStack { id, name: name.trim_end().to_string(), frames })
}

/// Waits for the answer; `false` if nobody has taken the question in time.
fn wait(until: Instant) -> bool {
    loop {
        if STATE.load(Ordering::Acquire) == ANSWERED {
            return true;
        }
        let late = Instant::now() >= until;
        let withdrawn = late
            && STATE.compare_exchange(ASKED, FREE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if withdrawn {
            return false;
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn every_thread_says_where_it_is() {
        let (stop, stopped) = mpsc::channel::<()>();
        let (ready, readied) = mpsc::channel();
        let idle = std::thread::Builder::new().name("idle".into());
        let idle = idle.spawn(move || {
            ready.send(signal::thread_id()).unwrap();
            let _ = stopped.recv();
        });
        let id = readied.recv().unwrap();
        for _ in 0..20 {
            let stacks = all();
            let found = stacks.iter().find(|stack| stack.id == id).unwrap();
            assert_eq!(found.name, "idle");
            assert!(!found.frames.is_empty());
            let own = stacks.iter().find(|stack| stack.id == signal::thread_id()).unwrap();
            assert!(own.frames.len() > 3, "{own:?}");
        }
        drop(stop);
        idle.unwrap().join().unwrap();
    }
}
