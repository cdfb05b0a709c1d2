//! The counters of one statement: a block for each thread that worked for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Instant;

use super::block::Block;
use super::{Counts, Event, FAST, Mask, TRACED, add, registry, usage};
use crate::alloc::MemoryWatch;

/// A statement's way to its counters; they are folded into the totals by [`Counters::end`], at the
/// latest when this is dropped.
#[derive(Debug)]
pub struct Counters(Arc<Inner>);

/// What the registry of live statements holds too.
#[derive(Debug)]
pub(super) struct Inner {
    pub user: Arc<str>,
    state: Mutex<State>,
}

/// How the threads of a statement are to be sampled, for the profiler; the number of the query is
/// whatever it is known by there. All zeros: not at all.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Sampling {
    pub query: u64,
    pub cpu_period_ns: u64,
    pub real_period_ns: u64,
    /// Whether stacks are recorded although there are no periods.
    pub record: bool,
    /// What is to be seen of its memory.
    pub memory: Option<&'static MemoryWatch>,
    /// Which counters of the processor count for it, by numbers of the profiler.
    pub counters: u32,
}

#[derive(Default)]
struct State {
    workers: Vec<Worker>,
    sampling: Sampling,
    trace: Option<Mask>,
    ended: bool,
    /// What was folded into the totals already.
    folded: Counts,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// One thread's block, and how many scopes of the statement the thread is in.
struct Worker {
    thread: ThreadId,
    block: &'static Block,
    depth: usize,
}

impl Counters {
    /// Counters of a new statement of a user.
    pub fn start(user: &str) -> Arc<Self> {
        let inner = Arc::new(Inner { user: user.into(), state: Mutex::default() });
        registry::enter(&inner);
        Arc::new(Self(inner))
    }

    /// What was counted so far, by all threads together.
    pub fn counts(&self) -> Counts {
        let state = self.0.lock();
        let mut counts = state.folded.clone();
        state.workers.iter().for_each(|w| w.block.read(&mut counts));
        counts
    }

    /// The threads that have worked for the statement, with what each has counted; empty once it
    /// has ended.
    pub fn threads(&self) -> Vec<(ThreadId, Counts)> {
        let read = |worker: &Worker| {
            let mut counts = Counts::default();
            worker.block.read(&mut counts);
            (worker.thread, counts)
        };
        self.0.lock().workers.iter().map(read).collect()
    }

    /// Traces these events from the next time on that a thread begins to work for the statement.
    pub fn trace(&self, mask: Mask) {
        let mut state = self.0.lock();
        if !state.ended {
            state.trace = (!mask.is_empty()).then_some(mask);
        }
    }

    /// Says how its threads are to be sampled from the next time on that they begin to work for it.
    pub fn sample(&self, sampling: Sampling) {
        self.0.lock().sampling = sampling;
    }

    /// Says which counters of the processor count for it, from the next time on as well.
    pub fn count_hardware(&self, counters: u32) {
        self.0.lock().sampling.counters = counters;
    }

    /// How its threads are to be sampled.
    pub fn sampling(&self) -> Sampling {
        self.0.lock().sampling
    }

    /// The statement is over: its counts go to its user and the server. Answers all of them.
    pub fn end(&self) -> Counts {
        registry::end(&self.0);
        self.counts()
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        registry::end(&self.0);
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what is in blocks, so not in any total.
    pub fn read_live(&self, counts: &mut Counts) {
        self.lock().workers.iter().for_each(|w| w.block.read(counts));
    }

    /// Takes the blocks that no thread is attached to out, now that the statement is over. Answers
    /// what was in them, and whether none are left. Only under the registry's lock.
    pub fn fold(&self) -> (Counts, bool) {
        let mut state = self.lock();
        state.ended = true;
        state.trace = None;
        let mut counts = Counts::default();
        state.workers.retain(|worker| {
            if worker.depth == 0 {
                counts.merge(&worker.block.give_back());
            }
            worker.depth > 0
        });
        state.folded.merge(&counts);
        (counts, state.workers.is_empty())
    }
}

/// A thread's work for a statement: dropped when it leaves.
pub(crate) struct Attached {
    inner: Arc<Inner>,
    thread: ThreadId,
    /// When it began, if this is not within another scope of the same statement.
    began: Option<Instant>,
    fast: Option<&'static Block>,
    traced: Option<&'static Block>,
}

impl Attached {
    /// From here on this thread counts for a statement.
    pub fn to(counters: &Counters, thread: ThreadId) -> Option<Self> {
        if cfg!(feature = "no-events") {
            return None;
        }
        let now = Instant::now();
        usage::sample(now);
        let inner = Arc::clone(&counters.0);
        let mut state = inner.lock();
        if state.ended && state.workers.is_empty() {
            // Folded and gone: what comes late is counted where the thread counted before.
            return None;
        }
        let at = state.workers.iter().position(|w| w.thread == thread).unwrap_or_else(|| {
            state.workers.push(Worker { thread, block: Block::take(), depth: 0 });
            state.workers.len() - 1
        });
        let worker = &mut state.workers[at];
        worker.depth += 1;
        let (block, outermost) = (worker.block, worker.depth == 1);
        if let Some(mask) = &state.trace {
            block.trace(mask);
        }
        let traced = state.trace.is_some();
        drop(state);
        Some(Self {
            inner,
            thread,
            began: outermost.then_some(now),
            fast: FAST.replace((!traced).then_some(block)),
            traced: TRACED.replace(traced.then_some(block)),
        })
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let now = Instant::now();
        usage::sample(now);
        if let Some(began) = self.began {
            add(Event::RealTimeMicroseconds, (now - began).as_micros() as u64);
        }
        FAST.set(self.fast);
        TRACED.set(self.traced);
        let mut state = self.inner.lock();
        if let Some(worker) = state.workers.iter_mut().find(|w| w.thread == self.thread) {
            worker.depth -= 1;
        }
        let late = state.ended;
        drop(state);
        if late {
            registry::end(&self.inner);
        }
    }
}
