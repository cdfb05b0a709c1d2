//! Finds out where every thread of the process is at this moment.
//!
//! One thread asks the others, one after the other: it publishes which thread it asks, sends that
//! thread a signal, and waits a short time. The handler checks that its thread is the one that is
//! asked, takes the place, and writes its stack into it. A thread that does not answer in time
//! (because the kernel does not interrupt it, or it blocks all signals) is given up, unless it has
//! taken the place, because then it will soon be done. So nobody writes into memory that another
//! thread reads.
//!
//! The bounds of the stacks of threads that were never profiled are unknown. Their frames are read
//! with a system call that fails for unmapped memory instead of faulting.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::sample::MAX_FRAMES;
use crate::signal;
use entasis_base::sync::lock;

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
const FREE: u64 = 0;
const ASKED: u64 = 1;
const TAKEN: u64 = 2;
const ANSWERED: u64 = 3;

/// One at a time is asked: whom and how far it is in one word, and the answer.
static QUESTION: AtomicU64 = AtomicU64::new(FREE);
static COUNT: AtomicUsize = AtomicUsize::new(0);
static FRAMES: [AtomicU64; MAX_FRAMES] = [const { AtomicU64::new(0) }; MAX_FRAMES];

/// In the handler, on the thread that was sent the signal: whether it is asked. If so, it is to
/// [`write`] and then to say that it is [`done`].
pub(crate) fn take(thread: u32) -> bool {
    step(thread, ASKED, TAKEN)
}

/// A question to a thread.
fn question(thread: u32, state: u64) -> u64 {
    u64::from(thread) << 2 | state
}

/// Takes the question to a thread from one state to another, if it is in that one.
fn step(thread: u32, from: u64, to: u64) -> bool {
    let (from, to) = (question(thread, from), question(thread, to));
    QUESTION.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
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
pub(crate) fn done(thread: u32) {
    QUESTION.store(question(thread, ANSWERED), Ordering::Release);
}

/// The stacks of all threads, that of the caller included. Takes a few microseconds for each, and
/// up to a tenth of a second for one that does not answer.
pub fn all() -> Vec<ThreadStack> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = lock(&ONE);
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
    QUESTION.store(question(id, ASKED), Ordering::Release);
    let sent = signal::ask(id);
    let until = Instant::now() + PATIENCE;
    let answered = sent && wait(id, until);
    let frames = if answered { COUNT.load(Ordering::Relaxed) } else { 0 };
    let frames = FRAMES[..frames].iter().map(|frame| frame.load(Ordering::Relaxed)).collect();
    QUESTION.store(FREE, Ordering::Release);
    Some(ThreadStack { id, name: name.trim_end().to_string(), frames })
}

/// Waits for the answer; `false` if nobody has taken the question in time.
fn wait(thread: u32, until: Instant) -> bool {
    loop {
        if QUESTION.load(Ordering::Acquire) == question(thread, ANSWERED) {
            return true;
        }
        if Instant::now() >= until && step(thread, ASKED, FREE) {
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
