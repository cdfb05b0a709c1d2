//! A few threads that read, for callers that must not block. They start with the first job and end
//! with the disk and its last open file.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::{Signal, lock};

use crate::failure::{Op, io_error};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Signal,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    fn work(&self) {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                let began = Instant::now();
                job();
                events::elapsed(Event::ThreadpoolReaderTaskMicroseconds, began);
                events::sample();
                queue = self.lock();
            } else if queue.closed {
                return;
            } else {
                queue.idle += 1;
                queue = self.changed.wait(queue);
                queue.idle -= 1;
            }
        }
    }
}

/// At most `most` threads over one queue. Threads hold the queue, never the pool, so that a job
/// may be the last owner of the pool.
pub(crate) struct IoPool {
    shared: Arc<Shared>,
    most: usize,
}

impl IoPool {
    pub(crate) fn new(most: usize) -> Self {
        Self { shared: Arc::default(), most }
    }

    /// Queues `job`, and starts a thread for it if none is idle.
    pub(super) fn run(&self, job: Job) -> Result<()> {
        events::one(Event::ThreadpoolReaderSubmit);
        let mut queue = self.shared.lock();
        queue.jobs.push_back(job);
        if queue.idle < queue.jobs.len() && queue.threads < self.most {
            let shared = self.shared.clone();
            let builder = std::thread::Builder::new().name("disk".to_owned());
            match builder.spawn(move || shared.work()) {
                Ok(_) => {
                    events::one(Event::IoThreadsStarted);
                    queue.threads += 1;
                }
                Err(e) if queue.threads == 0 => {
                    queue.jobs.pop_back();
                    return Err(io_error(Op::Read, "start an I/O thread", e));
                }
                Err(_) => {} // the threads that run will come to it
            }
        }
        drop(queue);
        self.shared.changed.notify_one();
        Ok(())
    }
}

impl Drop for IoPool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

impl fmt::Debug for IoPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IoPool({} threads)", self.shared.lock().threads)
    }
}
