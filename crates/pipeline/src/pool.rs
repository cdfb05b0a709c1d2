//! The worker threads of a process and the queue of queries that want one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use entasis_base::events::gauge::{self, Gauge};
use entasis_base::events::{self, Event};
use entasis_base::sync::{Signal, lock};

use crate::query::Query;

/// A thread takes a query from the front of the queue. If the query still has work when the thread
/// leaves it for another query, it goes back to the end of the queue.
pub(crate) struct Pool {
    queue: Mutex<Queue>,
    changed: Signal,
    waiting: AtomicUsize,
    size: usize,
}

#[derive(Default)]
struct Queue {
    queries: VecDeque<Arc<Query>>,
    threads: Vec<JoinHandle<()>>,
    closed: bool,
}

impl Pool {
    pub fn new(size: usize) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::default(),
            changed: Signal::new(),
            waiting: AtomicUsize::new(0),
            size,
        })
    }

    /// Whether some query waits for a worker.
    pub fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// The largest number of threads.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Asks for a worker for `query`. Starts a thread if there are fewer than the pool's size.
    pub fn submit(self: &Arc<Self>, query: Arc<Query>) {
        events::one(Event::PoolRequests);
        let mut queue = lock(&self.queue);
        queue.queries.push_back(query);
        self.waiting.store(queue.queries.len(), Ordering::Relaxed);
        if queue.threads.len() < self.size && !queue.closed {
            let pool = Arc::clone(self);
            let name = format!("worker-{}", queue.threads.len());
            if let Ok(thread) = std::thread::Builder::new().name(name).spawn(move || pool.work()) {
                events::one(Event::PoolThreadsStarted);
                queue.threads.push(thread);
            }
        }
        drop(queue);
        self.changed.notify_one();
    }

    fn work(&self) {
        let _thread = gauge::hold(Gauge::PoolThread);
        loop {
            let began = Instant::now();
            let mut queue = lock(&self.queue);
            let query = loop {
                if let Some(query) = queue.queries.pop_front() {
                    break query;
                }
                if queue.closed {
                    return;
                }
                queue = self.changed.wait(queue);
            };
            self.waiting.store(queue.queries.len(), Ordering::Relaxed);
            drop(queue);
            events::elapsed(Event::PoolIdleMicroseconds, began);
            let _active = gauge::hold(Gauge::PoolThreadActive);
            query.help();
            // What the thread freed after its last morsel counts too.
            events::sample();
        }
    }

    /// Makes the threads end once the queue is empty, and waits for them.
    pub fn close(&self) {
        let threads = {
            let mut queue = lock(&self.queue);
            queue.closed = true;
            std::mem::take(&mut queue.threads)
        };
        self.changed.notify_all();
        let me = std::thread::current().id();
        for thread in threads.into_iter().filter(|t| t.thread().id() != me) {
            let _ = thread.join();
        }
    }
}
