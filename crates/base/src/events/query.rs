//! The counters of one statement: a block for each thread that worked for it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{Thread, ThreadId};
use std::time::Instant;

use super::block::Block;
use super::{Counts, Event, FAST, Mask, TRACED, add, registry, usage};
use crate::alloc::MemoryWatch;
use crate::sync::lock;
use crate::thread;

/// A handle to a statement's counters. [`Counters::end`], or at the latest the drop, adds them to
/// the totals of the user and the server.
#[derive(Debug)]
pub struct Counters(Arc<Inner>);

/// The shared part, which the registry of running statements holds too.
#[derive(Debug)]
pub(super) struct Inner {
    pub user: Arc<str>,
    pub query_id: Arc<str>,
    state: Mutex<State>,
}

/// How the profiler is to sample the threads of a statement. All zeros mean not at all. `query` is
/// the number by which the profiler knows the query.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Sampling {
    pub query: u64,
    pub cpu_period_ns: u64,
    pub real_period_ns: u64,
    /// Whether stacks are recorded even if both periods are 0.
    pub record: bool,
    /// The watch that records the statement's memory, if any.
    pub memory: Option<&'static MemoryWatch>,
    /// Which hardware counters count for the statement, as a bit set that the profiler defines.
    pub counters: u32,
}

#[derive(Default)]
struct State {
    workers: Vec<Worker>,
    sampling: Sampling,
    trace: Option<Mask>,
    ended: bool,
    /// The kernel's numbers of all threads that have worked for the statement, in order of arrival.
    threads: Vec<u32>,
    /// How many threads are at work now, and the most that were at work at once.
    at_work: usize,
    peak: usize,
    /// Counts that were already added to the totals.
    folded: Counts,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// One thread's block, and how many nested scopes of the statement the thread is in.
struct Worker {
    thread: Thread,
    number: u32,
    block: &'static Block,
    depth: usize,
    /// When the thread first came, and when it last left.
    began: Instant,
    left: Instant,
}

/// What one thread has done for a statement.
#[derive(Clone, Debug)]
pub struct ThreadWork {
    /// The kernel's number of the thread.
    pub id: u32,
    /// The thread's name; empty if it has none.
    pub name: String,
    /// The events that the thread has counted.
    pub counts: Counts,
    /// When the thread first began to work for the statement.
    pub began: Instant,
    /// When it last stopped; now, if it is still at work.
    pub left: Instant,
}

impl State {
    /// Registers the calling thread, which comes for the first time; returns its index.
    fn welcome(&mut self, now: Instant) -> usize {
        let number = thread::id();
        if !self.threads.contains(&number) {
            self.threads.push(number);
        }
        let (thread, block) = (std::thread::current(), Block::take());
        self.workers.push(Worker { thread, number, block, depth: 0, began: now, left: now });
        self.workers.len() - 1
    }
}

impl Counters {
    /// Counters of a new statement of a user. `query_id` is empty for work that is no user's
    /// statement.
    pub fn start(user: &str, query_id: &str) -> Arc<Self> {
        let inner = Inner { user: user.into(), query_id: query_id.into(), state: Mutex::default() };
        let inner = Arc::new(inner);
        registry::enter(&inner);
        Arc::new(Self(inner))
    }

    /// The counts so far, summed over all threads.
    pub fn counts(&self) -> Counts {
        let state = self.0.lock();
        let mut counts = state.folded.clone();
        state.workers.iter().for_each(|w| w.block.read(&mut counts));
        counts
    }

    /// The id of the statement.
    pub fn query_id(&self) -> &Arc<str> {
        &self.0.query_id
    }

    /// The threads that have worked for the statement, with the counts of each. Empty once the
    /// statement has ended and its threads have left.
    pub fn threads(&self) -> Vec<ThreadWork> {
        let read = |worker: &Worker| {
            let mut counts = Counts::default();
            worker.block.read(&mut counts);
            ThreadWork {
                id: worker.number,
                name: worker.thread.name().unwrap_or_default().to_string(),
                counts,
                began: worker.began,
                left: if worker.depth > 0 { Instant::now() } else { worker.left },
            }
        };
        self.0.lock().workers.iter().map(read).collect()
    }

    /// The kernel's numbers of all threads that have worked for the statement, and the most that
    /// were at work at once. Also available once the statement has ended.
    pub fn thread_ids(&self) -> (Vec<u32>, usize) {
        let state = self.0.lock();
        (state.threads.clone(), state.peak)
    }

    /// Sets which events are traced; takes effect when a thread next begins to work for the
    /// statement.
    pub fn trace(&self, mask: Mask) {
        let mut state = self.0.lock();
        if !state.ended {
            state.trace = (!mask.is_empty()).then_some(mask);
        }
    }

    /// Sets how the threads are sampled; takes effect when a thread next begins to work for it.
    pub fn sample(&self, sampling: Sampling) {
        self.0.lock().sampling = sampling;
    }

    /// Sets which hardware counters count; takes effect when a thread next begins to work for it.
    pub fn count_hardware(&self, counters: u32) {
        self.0.lock().sampling.counters = counters;
    }

    /// How the statement's threads are to be sampled.
    pub fn sampling(&self) -> Sampling {
        self.0.lock().sampling
    }

    /// Ends the statement: adds its counts to its user's and the server's, and returns them.
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
        lock(&self.state)
    }

    /// The threads that work for the statement now.
    pub fn at_work(&self) -> Vec<u32> {
        let state = self.lock();
        state.workers.iter().filter(|w| w.depth > 0).map(|w| w.number).collect()
    }

    /// Adds the counts that are in blocks, thus not yet in any total.
    pub fn read_live(&self, counts: &mut Counts) {
        self.lock().workers.iter().for_each(|w| w.block.read(counts));
    }

    /// Marks the statement as ended, adds the counts of blocks that no thread is attached to to the
    /// totals, and returns these blocks to the pool. Returns whether no blocks are left. Must be
    /// called under the registry's lock.
    pub fn fold(&self, server: &mut Counts, user: &mut Counts) -> bool {
        let mut state = self.lock();
        state.ended = true;
        state.trace = None;
        let State { workers, folded, .. } = &mut *state;
        workers.retain(|worker| {
            if worker.depth == 0 {
                worker.block.give_back(&mut [&mut *folded, &mut *server, &mut *user]);
            }
            worker.depth > 0
        });
        workers.is_empty()
    }
}

/// A thread's work for a statement; dropped when the thread leaves the statement.
pub(crate) struct Attached {
    inner: Arc<Inner>,
    thread: ThreadId,
    /// When the work began; `None` within another scope of the same statement.
    began: Option<Instant>,
    fast: Option<&'static Block>,
    traced: Option<&'static Block>,
}

impl Attached {
    /// Makes this thread count for a statement. Returns `None` if the statement has ended already.
    pub fn to(counters: &Counters, thread: ThreadId) -> Option<Self> {
        if cfg!(feature = "no-events") {
            return None;
        }
        let now = Instant::now();
        usage::sample(now);
        let inner = Arc::clone(&counters.0);
        let mut state = inner.lock();
        if state.ended && state.workers.is_empty() {
            // All counts were added to the totals. This thread goes on counting where it did
            // before.
            return None;
        }
        let known = state.workers.iter().position(|w| w.thread.id() == thread);
        let at = known.unwrap_or_else(|| state.welcome(now));
        let worker = &mut state.workers[at];
        worker.depth += 1;
        let (block, outermost) = (worker.block, worker.depth == 1);
        if outermost {
            state.at_work += 1;
            state.peak = state.peak.max(state.at_work);
        }
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
        if let Some(worker) = state.workers.iter_mut().find(|w| w.thread.id() == self.thread) {
            worker.depth -= 1;
            worker.left = now;
        }
        if self.began.is_some() {
            state.at_work -= 1;
        }
        let late = state.ended;
        drop(state);
        if late {
            registry::end(&self.inner);
        }
    }
}
