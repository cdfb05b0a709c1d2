//! Connections that wait for a request. The one that has waited longest makes room for a new one.
//!
//! Without this, a client that opens all connections that the server allows and sends the heads of
//! its requests slowly, or not at all, would lock everybody else out until the time limit of each
//! head.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Instant;

use entasis_base::sync::lock;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::Notify;

use crate::answer::{Aborted, AnswerBody};

/// All connections that wait for a request.
#[derive(Default)]
pub(crate) struct IdleConnections {
    list: Mutex<List>,
    /// Notified when a connection begins to wait.
    pub changed: Notify,
}

/// Numbers increase, so the first entry has waited longest.
#[derive(Default)]
struct List {
    next: u64,
    waiting: BTreeMap<u64, Arc<Notify>>,
}

/// One connection, while it is open.
pub(crate) struct Seat {
    all: Arc<IdleConnections>,
    /// Notified when the connection has to close.
    closes: Arc<Notify>,
    /// Its number while it waits.
    number: Mutex<Option<u64>>,
    pace: Pace,
}

/// How quickly a client asks again once it was answered.
///
/// A thread that sleeps until the next request needs tens of microseconds to wake up, most of all
/// on virtual machines, which is longer than many statements take. So after the answer to a client
/// that asks again at once, the thread looks for its next request for as long.
struct Pace {
    began: Instant,
    /// Nanoseconds from then to the end of the last answer; 0 before the first.
    answered: AtomicU64,
    /// Whether the last request came soon after the answer before it.
    soon: AtomicBool,
}

/// A client that asks again within so many nanoseconds asks at once.
const SOON: u64 = 100_000;

impl Pace {
    fn new() -> Self {
        Self { began: Instant::now(), answered: AtomicU64::new(0), soon: AtomicBool::new(false) }
    }

    /// Nanoseconds since the connection was opened.
    fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    /// Whether the last answer has just ended.
    fn is_fresh(&self, now: u64) -> bool {
        let answered = self.answered.load(Ordering::Relaxed);
        answered > 0 && now.saturating_sub(answered) < SOON
    }

    /// Whether a request is expected at once.
    fn expects(&self, now: u64) -> bool {
        self.soon.load(Ordering::Relaxed) && self.is_fresh(now)
    }

    fn ask(&self, now: u64) {
        self.soon.store(self.is_fresh(now), Ordering::Relaxed);
    }

    fn answer(&self, now: u64) {
        self.answered.store(now, Ordering::Relaxed);
    }
}

/// A request that is being handled. Its connection counts as waiting again when this is dropped.
pub(crate) struct AtWork(Arc<Seat>);

impl IdleConnections {
    /// Registers a new connection, which waits for its first request.
    pub(crate) fn open(self: &Arc<Self>) -> Arc<Seat> {
        let (all, closes) = (Arc::clone(self), Arc::default());
        let seat = Seat { all, closes, number: Mutex::default(), pace: Pace::new() };
        seat.wait();
        Arc::new(seat)
    }

    /// Tells the connection that has waited longest to close; returns whether there was one.
    pub(crate) fn close_oldest(&self) -> bool {
        let oldest = lock(&self.list).waiting.pop_first();
        // The notification is kept if the connection does not wait for it yet.
        oldest.map(|(_, closes)| closes.notify_one()).is_some()
    }
}

impl Seat {
    fn wait(&self) {
        let mut list = lock(&self.all.list);
        let number = list.next;
        list.next += 1;
        list.waiting.insert(number, Arc::clone(&self.closes));
        *lock(&self.number) = Some(number);
        drop(list);
        self.all.changed.notify_one();
    }

    fn leave(&self) {
        if let Some(number) = lock(&self.number).take() {
            lock(&self.all.list).waiting.remove(&number);
        }
    }

    /// Ready once the connection has to close.
    pub(crate) async fn closed(&self) {
        self.closes.notified().await;
    }

    /// Whether the next request is expected at once.
    pub(crate) fn expects(&self) -> bool {
        self.pace.expects(self.pace.now()) && lock(&self.number).is_some()
    }

    /// Marks the connection as busy, because a request has come.
    pub(crate) fn work(self: &Arc<Self>) -> AtWork {
        self.pace.ask(self.pace.now());
        self.leave();
        AtWork(Arc::clone(self))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.pace.answer(self.0.pace.now());
        self.0.wait();
    }
}

/// The body of an answer. Its connection counts as busy until the body was sent.
pub(crate) struct SentBody {
    pub body: AnswerBody,
    pub _at_work: AtWork,
}

impl Body for SentBody {
    type Data = Bytes;
    type Error = Aborted;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Aborted>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_ask_at_once_are_expected() {
        let pace = Pace::new();
        pace.ask(10);
        pace.answer(20);
        assert!(!pace.expects(30), "one request says nothing");
        pace.ask(20 + SOON - 1);
        pace.answer(500_000);
        assert!(pace.expects(500_000 + SOON - 1) && !pace.expects(500_000 + SOON));
        pace.ask(900_000);
        pace.answer(910_000);
        assert!(!pace.expects(910_001), "the last request came late");
    }

    #[test]
    fn the_one_that_waits_longest_closes_and_none_at_work_does() {
        let all = Arc::<IdleConnections>::default();
        let (first, second, third) = (all.open(), all.open(), all.open());
        let waiting = || lock(&all.list).waiting.keys().copied().collect::<Vec<_>>();
        assert_eq!(waiting(), [0, 1, 2]);
        let at_work = first.work();
        assert!(all.close_oldest());
        assert_eq!(waiting(), [2]);
        drop(at_work);
        assert_eq!(waiting(), [2, 3]);
        drop((second, third));
        assert_eq!(waiting(), [3]);
        assert!(all.close_oldest() && !all.close_oldest());
        drop(first);
        assert_eq!(waiting(), [0; 0]);
    }
}
