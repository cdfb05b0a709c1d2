//! The channel between the workers that produce a result and the thread that reads it.
//!
//! A chunk may go out once no worker can produce one with a lower sequence. Sources hand out
//! morsels in ascending order, so a worker's next chunk is never below its last one, and a worker
//! that joins later starts above everything seen before.
//!
//! The amount that has arrived and is not read yet is bounded, and counts on the statement's
//! account. All workers wait while much is ready to be read. Workers ahead of the lowest sequence
//! also wait while much is held back for it. A worker of the lowest sequence does not, so there is
//! always one that makes progress.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Reservation, Result};
use entasis_column::Chunk;
use entasis_pipeline::{Blocked, Flow, Morsel, QueryContext, Sink, SinkState, Waker};

/// Chunks that may wait for the reader before producers are parked.
const CAPACITY: usize = 16;
/// Bytes that may wait for the reader, or be held back, before producers are parked.
const MOST_BYTES: usize = 64 << 20;
/// Rows that may be held back before the workers that are ahead are parked.
const MOST_ROWS: usize = 4 << 20;

/// Chunks on their way to a reader, in source order; see the module.
pub struct ChannelSink(pub(super) Arc<Channel>);

pub(super) struct Channel {
    state: Mutex<State>,
    /// Number of chunks that are ready to go out.
    ready: AtomicUsize,
    /// Whether the LIMIT has been reached.
    full: AtomicBool,
}

/// A number of rows and bytes.
#[derive(Clone, Copy, Default)]
struct Amount {
    rows: usize,
    bytes: usize,
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
    }

    fn take(&mut self, other: Self) {
        self.rows -= other.rows;
        self.bytes -= other.bytes;
    }
}

struct State {
    out: VecDeque<(Amount, Chunk)>,
    /// Chunks that must wait for lower sequences, by sequence and order of arrival.
    held: BTreeMap<(u64, u64), (Amount, Chunk)>,
    /// The totals of `out` and of `held`.
    of_out: Amount,
    of_held: Amount,
    /// Covers the bytes of both.
    charged: Reservation,
    arrivals: u64,
    /// The last sequence of each worker that is still at work, by worker.
    workers: BTreeMap<u64, u64>,
    opened: u64,
    highest: u64,
    /// The wakers of parked workers, with the worker's number.
    wakers: Vec<(u64, Waker)>,
    reader: Option<Waker>,
    closed: bool,
    /// Rows that are still to be skipped, and to go out after these.
    left: (u64, u64),
}

impl State {
    /// Moves the chunks that may go out from `held` to `out`. Returns whether there were any.
    fn release(&mut self) -> bool {
        let lowest = self.workers.values().min().copied();
        let mut moved = false;
        while let Some(entry) = self.held.first_entry() {
            if lowest.is_some_and(|l| entry.key().0 > l) {
                break;
            }
            let (amount, chunk) = entry.remove();
            self.of_held.take(amount);
            let Some((amount, chunk)) = self.within_limit(amount, chunk) else { continue };
            self.of_out.add(amount);
            self.out.push_back((amount, chunk));
            moved = true;
        }
        if self.left.1 == 0 {
            self.held.clear();
            self.of_held = Amount::default();
        }
        moved
    }

    /// What the OFFSET and the LIMIT leave of the next chunk.
    fn within_limit(&mut self, amount: Amount, chunk: Chunk) -> Option<(Amount, Chunk)> {
        let (skip, left) = &mut self.left;
        let rows = chunk.rows as u64;
        let skipped = rows.min(*skip);
        let taken = (rows - skipped).min(*left);
        (*skip, *left) = (*skip - skipped, *left - taken);
        if taken == rows {
            return Some((amount, chunk));
        }
        let chunk = chunk.slice(skipped as usize, taken as usize);
        (taken > 0).then(|| (Amount { rows: chunk.rows, bytes: chunk.byte_size() }, chunk))
    }

    /// Whether no more rows can go out.
    fn is_full(&self) -> bool {
        self.closed || self.left.1 == 0
    }

    /// Whether a worker must not push more for now.
    fn must_wait(&self, worker: u64) -> bool {
        if self.is_full() {
            return false;
        }
        if self.out.len() > CAPACITY || self.of_out.bytes > MOST_BYTES {
            return true;
        }
        let is_ahead = self.workers.get(&worker) > self.workers.values().min();
        let much_waits = !self.out.is_empty() && self.out.len() + self.held.len() > CAPACITY;
        let much_held = self.of_held.rows > MOST_ROWS || self.of_held.bytes > MOST_BYTES;
        is_ahead && (much_waits || much_held)
    }

    /// Takes out the wakers of the workers that may go on.
    fn awakened(&mut self) -> Vec<Waker> {
        if self.wakers.is_empty() || !self.is_full() && self.out.len() > CAPACITY / 2 {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.wakers);
        let (stay, go) = all.into_iter().partition(|(worker, _)| self.must_wait(*worker));
        self.wakers = stay;
        go.into_iter().map(|(_, waker)| waker).collect()
    }

    /// Adjusts the reservation to the bytes in the channel, in steps.
    fn charge(&mut self) -> Result<()> {
        let bytes = self.of_out.bytes + self.of_held.bytes;
        let (now, step) = (self.charged.bytes(), Reservation::STEP);
        if bytes > now || bytes + 16 * step < now {
            self.charged.set(bytes.next_multiple_of(step))?;
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.out.clear();
        self.held.clear();
        (self.of_out, self.of_held) = (Amount::default(), Amount::default());
        // Reducing a reservation cannot fail.
        let _ = self.charged.set(0);
    }
}

impl Channel {
    /// Moves the chunks that may go out. Returns the wakers to call once the lock is released.
    fn publish(&self, state: &mut State) -> Vec<Waker> {
        let moved = state.release();
        self.ready.store(state.out.len(), Ordering::Release);
        if state.left.1 == 0 {
            self.full.store(true, Ordering::Relaxed);
        }
        let mut awakened = state.awakened();
        awakened.extend(state.reader.clone().filter(|_| moved));
        awakened
    }

    /// Whether there is a chunk to read.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire) > 0
    }

    /// Sets the waker that is called when there is something to read.
    pub fn set_reader(&self, reader: Waker) {
        lock(&self.state).reader = Some(reader);
    }

    /// Takes the next chunk, if there is one.
    pub fn pop(&self) -> Option<Chunk> {
        let mut state = lock(&self.state);
        let (amount, chunk) = state.out.pop_front()?;
        state.of_out.take(amount);
        self.ready.store(state.out.len(), Ordering::Release);
        // Reducing a reservation cannot fail.
        let _ = state.charge();
        let awakened = state.awakened();
        drop(state);
        awakened.into_iter().for_each(|waker| waker());
        Some(chunk)
    }

    /// Called when nobody will read any more. Parked workers are not woken: the query drops them.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.clear();
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        drop(wakers);
    }
}

impl ChannelSink {
    /// An empty channel on the query's account. `limit` is how many rows it skips, and how many
    /// pass after these.
    pub fn create(context: &QueryContext, limit: Option<(u64, u64)>) -> Arc<Self> {
        let state = State {
            out: VecDeque::new(),
            held: BTreeMap::new(),
            of_out: Amount::default(),
            of_held: Amount::default(),
            charged: Reservation::new(&context.memory.child("Result", 0)),
            arrivals: 0,
            workers: BTreeMap::new(),
            opened: 0,
            highest: 0,
            wakers: Vec::new(),
            reader: None,
            closed: false,
            left: limit.unwrap_or((0, u64::MAX)),
        };
        let (state, ready) = (Mutex::new(state), AtomicUsize::default());
        Arc::new(Self(Arc::new(Channel { state, ready, full: AtomicBool::default() })))
    }
}

impl Sink for ChannelSink {
    fn name(&self) -> String {
        "Result".into()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let mut state = lock(&self.0.state);
        state.opened += 1;
        let (id, highest) = (state.opened, state.highest);
        state.workers.insert(id, highest);
        Ok(Box::new(Sender { channel: Arc::clone(&self.0), id }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.0.full.load(Ordering::Relaxed)
    }
}

struct Sender {
    channel: Arc<Channel>,
    id: u64,
}

impl SinkState for Sender {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let amount = Amount { rows: morsel.chunk.rows, bytes: morsel.chunk.byte_size() };
        let mut state = lock(&self.channel.state);
        if state.is_full() {
            return Ok(Flow::Enough);
        }
        state.arrivals += 1;
        let key = (morsel.sequence, state.arrivals);
        state.held.insert(key, (amount, morsel.chunk));
        state.of_held.add(amount);
        state.charge()?;
        state.workers.insert(self.id, morsel.sequence);
        state.highest = state.highest.max(morsel.sequence);
        let awakened = self.channel.publish(&mut state);
        let (over, waits) = (state.is_full(), state.must_wait(self.id));
        drop(state);
        awakened.into_iter().for_each(|waker| waker());
        if over {
            return Ok(Flow::Enough);
        }
        if !waits {
            return Ok(Flow::More);
        }
        events::one(Event::ResultChannelFull);
        let (channel, id) = (Arc::clone(&self.channel), self.id);
        let blocked: Blocked = Box::new(move |waker| {
            let mut state = lock(&channel.state);
            if state.must_wait(id) {
                state.wakers.push((id, waker));
            } else {
                drop(state);
                waker();
            }
        });
        Ok(Flow::Blocked(blocked))
    }

    fn combine(self: Box<Self>) -> Result<()> {
        drop(self);
        Ok(())
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let mut state = lock(&self.channel.state);
        state.workers.remove(&self.id);
        let awakened = self.channel.publish(&mut state);
        drop(state);
        awakened.into_iter().for_each(|waker| waker());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use entasis_column::Column;

    use super::*;
    use crate::testing;

    /// Pushes a chunk of one mebibyte. Returns what the worker has to wait for, if anything.
    fn push(sender: &mut Box<dyn SinkState>, sequence: u64) -> Option<Blocked> {
        let chunk = Chunk::new(vec![Column::from(vec![sequence; 1 << 17])], 1 << 17);
        match sender.push(Morsel { sequence, chunk }).unwrap() {
            Flow::Blocked(blocked) => Some(blocked),
            _ => None,
        }
    }

    #[test]
    fn a_limit_cuts_the_rows_in_source_order() {
        let context = testing::context(2, 1000);
        let rows = 1 << 17;
        let sink = ChannelSink::create(&context, Some((rows / 2, rows)));
        let (mut low, mut high) = (sink.open().unwrap(), sink.open().unwrap());
        assert!(push(&mut high, 1).is_none() && sink.0.pop().is_none() && !sink.is_full());
        assert!(push(&mut low, 0).is_none());
        assert_eq!(sink.0.pop().unwrap().rows as u64, rows / 2);
        drop(low);
        let last = sink.0.pop().unwrap();
        assert_eq!((last.rows as u64, last.columns[0].value(0).as_u64()), (rows / 2, Some(1)));
        assert!(sink.is_full() && sink.0.pop().is_none());
        let chunk = Chunk::new(vec![Column::from(vec![2u64])], 1);
        assert!(matches!(high.push(Morsel { sequence: 2, chunk }).unwrap(), Flow::Enough));
        drop(high);
        assert!(context.memory.used() < 2 << 20);
    }

    fn count(woken: &Arc<AtomicUsize>) -> Waker {
        let woken = Arc::clone(woken);
        Arc::new(move || {
            woken.fetch_add(1, Ordering::Relaxed);
        })
    }

    #[test]
    fn those_ahead_wait_for_the_lowest() {
        let context = testing::context(2, 1000);
        let sink = ChannelSink::create(&context, None);
        let (mut low, mut high) = (sink.open().unwrap(), sink.open().unwrap());
        assert!(push(&mut low, 0).is_none());
        let number = sink.0.pop().unwrap().columns[0].value(0);
        assert_eq!(number.as_u64(), Some(0));
        // The worker of the lowest sequence pushes nothing for long, while the other fills what may
        // be held.
        let mut sequence = 0;
        let blocked = loop {
            sequence += 1;
            assert!(sequence <= 40, "bounded by rows or bytes");
            if let Some(blocked) = push(&mut high, sequence) {
                break blocked;
            }
        };
        assert!(sequence > 4, "not stopped at once");
        assert!(context.memory.used() >= sequence << 20, "what is held counts");
        let woken = Arc::new(AtomicUsize::new(0));
        blocked(count(&woken));
        // The lowest worker is never blocked, and reading its chunks wakes nobody.
        for _ in 0..50 {
            assert!(push(&mut low, 0).is_none());
            assert!(sink.0.pop().is_some() && sink.0.pop().is_none());
        }
        assert_eq!(woken.load(Ordering::Relaxed), 0);
        // Once it has ended, what was held is read, and the other worker goes on.
        drop(low);
        for expected in 1..=sequence {
            assert_eq!(sink.0.pop().unwrap().columns[0].value(0).as_u64(), Some(expected));
        }
        assert_eq!(woken.load(Ordering::Relaxed), 1);
        assert!(push(&mut high, sequence + 1).is_none());
        assert!(sink.0.pop().is_some());
        assert!(context.memory.used() < 2 << 20);
        drop(high);
        sink.0.close();
        assert_eq!(context.memory.used(), 0);
    }

    #[test]
    fn the_lowest_waits_for_the_reader_and_for_memory() {
        let context = testing::context(1, 1000);
        let sink = ChannelSink::create(&context, None);
        let mut only = sink.open().unwrap();
        let pushed = (0..=CAPACITY as u64).find(|i| push(&mut only, *i).is_some()).unwrap();
        assert_eq!(pushed, CAPACITY as u64);
        let context = testing::context(1, 1000);
        context.memory.set_limit(3 << 20);
        let sink = ChannelSink::create(&context, None);
        let mut only = sink.open().unwrap();
        assert!(push(&mut only, 0).is_none() && push(&mut only, 1).is_none());
        let chunk = Chunk::new(vec![Column::from(vec![0u64; 1 << 18])], 1 << 18);
        let error = only.push(Morsel { sequence: 2, chunk }).err().unwrap();
        assert_eq!(error.code(), entasis_base::codes::MEMORY_LIMIT_EXCEEDED);
    }
}
