//! The queue of asynchronous INSERTs: data of INSERTs with the same statement, settings and user
//! waits here until there is enough of it, or until it has waited long enough. Who takes it from
//! here inserts it ([`crate::statement::async_insert`]).
//!
//! Invariant: whoever has put data here is told what became of it, once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::sync::{Signal, lock};
use entasis_base::{CancelToken, Error, Result, codes};

use crate::settings::Settings;

/// How often a waiting statement looks whether it was cancelled.
const ASK: Duration = Duration::from_millis(20);
/// Most statements whose waiting times are remembered.
const MOST_REMEMBERED: usize = 1000;

/// What INSERTs that are collected together have in common.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// The text of the statement, without data.
    pub query: String,
    /// The session's database.
    pub session_database: String,
    /// The user.
    pub user: String,
    /// The session's settings.
    pub settings: Settings,
    /// The table: database and name.
    pub table: (String, String),
    /// Name of the format.
    pub format: String,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.query == other.query
            && self.user == other.user
            && self.session_database == other.session_database
            && self.settings.changed() == other.settings.changed()
    }
}

/// The data of one INSERT.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The id of the statement.
    pub query_id: String,
    /// The data.
    pub data: Vec<u8>,
    /// When it came, since 1970.
    pub came: Duration,
    /// Where the outcome is told.
    pub outcome: Arc<Outcome>,
}

/// What became of the data of an INSERT.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    told: Mutex<Option<Result<()>>>,
    changed: Signal,
}

impl Outcome {
    /// Tells it.
    pub(crate) fn tell(&self, outcome: Result<()>) {
        lock(&self.told).get_or_insert(outcome);
        self.changed.notify_all();
    }

    /// Waits for it.
    pub(crate) fn wait(&self, longest: Duration, cancel: &CancelToken) -> Result<()> {
        let until = Instant::now() + longest;
        let mut told = lock(&self.told);
        loop {
            if let Some(outcome) = told.take() {
                return outcome;
            }
            cancel.check()?;
            let Some(left) = until.checked_duration_since(Instant::now()) else {
                let millis = longest.as_millis();
                let message = format!(
                    "Wait for async insert timeout ({millis} ms) exceeded: the rows may still be \
                     inserted. Raise wait_for_async_insert_timeout"
                );
                return Err(Error::new(codes::TIMEOUT_EXCEEDED, message));
            };
            told = self.changed.wait_timeout(told, left.min(ASK));
        }
    }
}

/// When data is taken from the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// At so many bytes,
    pub bytes: usize,
    /// or so many INSERTs,
    pub entries: usize,
    /// or after a time between these two,
    pub shortest: Duration,
    /// of which this is the longer one.
    pub longest: Duration,
    /// By which share the time grows when several INSERTs have come within it.
    pub increase: f64,
    /// By which share it shrinks when only one has come.
    pub decrease: f64,
}

/// Data that is inserted together.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Its number.
    number: u64,
    pub key: Key,
    pub entries: Vec<Entry>,
    pub bytes: usize,
    /// When the first INSERT came, since 1970.
    pub first: Duration,
    /// How long the first INSERT may wait.
    pub timeout: Duration,
    due: Instant,
    limits: Limits,
}

impl Drop for Batch {
    /// Ends the waiting in any case.
    fn drop(&mut self) {
        for entry in &self.entries {
            let message = "Asynchronous inserts were ended before these rows were inserted";
            entry.outcome.tell(Err(Error::new(codes::ABORTED, message)));
        }
    }
}

/// Data that waits, for `system.asynchronous_inserts`.
pub(crate) struct WaitingRow {
    pub key: Key,
    pub first: Duration,
    pub bytes: usize,
    /// Ids of the statements, and bytes of their data.
    pub entries: Vec<(String, usize)>,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Batch>,
    /// Numbers of the batches that wait or are being inserted.
    unfinished: BTreeSet<u64>,
    next: u64,
    /// How long statements waited last.
    timeouts: Vec<(Key, Duration)>,
    /// Whether a thread takes batches.
    is_served: bool,
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct AsyncInserts {
    state: Mutex<State>,
    changed: Signal,
}

impl AsyncInserts {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds data. `serve` starts a thread that takes batches; it is called if there is none.
    pub(crate) fn add(
        &self,
        key: &Key,
        entry: Entry,
        limits: Limits,
        serve: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let mut state = self.lock();
        if !state.is_served {
            serve()?;
            state.is_served = true;
        }
        let is_full =
            |batch: &Batch| batch.bytes >= limits.bytes || batch.entries.len() >= limits.entries;
        let found = state.waiting.iter().position(|batch| batch.key == *key && !is_full(batch));
        let place = match found {
            Some(place) => place,
            None => {
                let timeout = state.timeout(key, limits);
                let number = state.next;
                state.next += 1;
                state.unfinished.insert(number);
                state.waiting.push(Batch {
                    number,
                    key: key.clone(),
                    entries: Vec::new(),
                    bytes: 0,
                    first: SystemClock.now(),
                    timeout,
                    due: Instant::now() + timeout,
                    limits,
                });
                state.waiting.len() - 1
            }
        };
        let batch = &mut state.waiting[place];
        batch.bytes += entry.data.len();
        batch.entries.push(entry);
        if is_full(batch) {
            batch.due = Instant::now();
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for a batch that is due; `None` when nothing has come for `idle`. The thread that asks
    /// must end then.
    pub(crate) fn next(&self, idle: Duration) -> Option<Batch> {
        let until = Instant::now() + idle;
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let first = (0..state.waiting.len()).min_by_key(|&place| state.waiting[place].due);
            let wait = match first {
                Some(place) if state.waiting[place].due <= now => {
                    let batch = state.waiting.remove(place);
                    state.remember(&batch);
                    return Some(batch);
                }
                Some(place) => state.waiting[place].due - now,
                None if now >= until => {
                    state.is_served = false;
                    return None;
                }
                None => until - now,
            };
            state = self.changed.wait_timeout(state, wait);
        }
    }

    /// Says that a batch has been inserted, or has failed.
    pub(crate) fn finished(&self, batch: Batch) {
        self.lock().unfinished.remove(&batch.number);
        drop(batch);
        self.changed.notify_all();
    }

    /// Makes everything due whose table `is_meant`, and waits until it is inserted.
    pub(crate) fn flush(
        &self,
        is_meant: &dyn Fn(&(String, String)) -> bool,
        cancel: &CancelToken,
    ) -> Result<()> {
        let mut state = self.lock();
        let now = Instant::now();
        for batch in state.waiting.iter_mut().filter(|batch| is_meant(&batch.key.table)) {
            batch.due = now;
        }
        let mut left = state.unfinished.clone();
        state.waiting.iter().filter(|batch| batch.due > now).for_each(|batch| {
            left.remove(&batch.number);
        });
        self.changed.notify_all();
        while state.unfinished.iter().any(|number| left.contains(number)) {
            cancel.check()?;
            state = self.changed.wait_timeout(state, ASK);
        }
        Ok(())
    }

    /// What waits, the oldest first.
    pub(crate) fn rows(&self) -> Vec<WaitingRow> {
        let state = self.lock();
        let entry = |entry: &Entry| (entry.query_id.clone(), entry.data.len());
        let row = |batch: &Batch| WaitingRow {
            key: batch.key.clone(),
            first: batch.first,
            bytes: batch.bytes,
            entries: batch.entries.iter().map(entry).collect(),
        };
        state.waiting.iter().map(row).collect()
    }
}

impl State {
    /// How long the first of the next INSERTs may wait.
    fn timeout(&self, key: &Key, limits: Limits) -> Duration {
        let known = self.timeouts.iter().find(|(known, _)| known == key);
        let timeout = known.map_or(limits.shortest, |(_, timeout)| *timeout);
        timeout.clamp(limits.shortest.min(limits.longest), limits.longest)
    }

    /// Adapts the time that the next INSERTs may wait: more of them come together if it is longer,
    /// and it is of no use where only one comes.
    fn remember(&mut self, batch: &Batch) {
        let timeout = match batch.entries.len() > 1 {
            true => batch.timeout.mul_f64(1.0 + batch.limits.increase.clamp(0.0, 10.0)),
            false => batch.timeout.div_f64(1.0 + batch.limits.decrease.clamp(0.0, 10.0)),
        };
        self.timeouts.retain(|(known, _)| *known != batch.key);
        self.timeouts.push((batch.key.clone(), timeout));
        let surplus = self.timeouts.len().saturating_sub(MOST_REMEMBERED);
        self.timeouts.drain(..surplus);
    }
}
