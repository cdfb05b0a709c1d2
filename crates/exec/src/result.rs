//! Where results end: collected, or streamed to a reader that works on the query while it waits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::events::{self, Event};
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::Chunk;
use entasis_pipeline::{
    Blocked, Flow, Graph, Morsel, QueryContext, Running, Sink, SinkState, Waker,
};

use entasis_plan::QueryPlan;

use crate::{Runtime, execute};
use entasis_base::sync::lock;

/// Chunks that may wait for the reader of a stream before producers are parked.
const CAPACITY: usize = 16;

/// Keeps all chunks, in source order.
pub struct CollectSink(Arc<Collected>);

struct Collected {
    parts: Mutex<Vec<(u64, usize, Chunk)>>,
    held: Mutex<Vec<Reservation>>,
    account: Arc<MemoryAccount>,
}

impl CollectSink {
    /// An empty collection on the query's account.
    pub fn create(context: &QueryContext) -> Arc<Self> {
        let account = context.memory.child("Result", 0);
        let (parts, held) = (Mutex::default(), Mutex::default());
        Arc::new(Self(Arc::new(Collected { parts, held, account })))
    }

    /// The chunks, once the query has run.
    pub fn take(&self) -> Vec<Chunk> {
        let mut parts = std::mem::take(&mut *lock(&self.0.parts));
        lock(&self.0.held).clear();
        parts.sort_by_key(|(sequence, index, _)| (*sequence, *index));
        parts.into_iter().map(|(_, _, chunk)| chunk).collect()
    }
}

impl Sink for CollectSink {
    fn name(&self) -> String {
        "Result".into()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let held = Reservation::new(&self.0.account);
        let shared = Arc::clone(&self.0);
        Ok(Box::new(CollectState { shared, parts: Vec::new(), bytes: 0, held }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        Ok(())
    }
}

struct CollectState {
    shared: Arc<Collected>,
    parts: Vec<(u64, usize, Chunk)>,
    bytes: usize,
    held: Reservation,
}

impl SinkState for CollectState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.bytes += morsel.chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.parts.push((morsel.sequence, self.parts.len(), morsel.chunk));
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        lock(&self.shared.parts).extend(self.parts);
        lock(&self.shared.held).push(self.held);
        Ok(())
    }
}

/// Chunks on their way to a reader, in source order.
///
/// A chunk may go out once no worker can still bring one of a lower sequence: sources hand out
/// morsels in ascending order, so a worker's next chunk is never below its last, and a worker that
/// joins later starts above everything that was seen before.
pub struct ChannelSink(Arc<Channel>);

struct Channel {
    state: Mutex<ChannelState>,
    /// Chunks ready to go out.
    ready: AtomicUsize,
}

#[derive(Default)]
struct ChannelState {
    out: VecDeque<Chunk>,
    /// Chunks that must wait for lower sequences, by sequence and arrival.
    held: BTreeMap<(u64, u64), Chunk>,
    arrivals: u64,
    /// Last sequence of each worker that is still at work.
    workers: BTreeMap<u64, u64>,
    opened: u64,
    highest: u64,
    wakers: Vec<Waker>,
    reader: Option<Waker>,
    closed: bool,
}

impl ChannelState {
    /// Moves what may go out; answers whether anything did.
    fn release(&mut self) -> bool {
        let lowest = self.workers.values().min().copied();
        let mut moved = false;
        while let Some(entry) = self.held.first_entry() {
            if lowest.is_some_and(|l| entry.key().0 > l) {
                break;
            }
            self.out.push_back(entry.remove());
            moved = true;
        }
        moved
    }
}

impl Channel {
    fn publish(&self, state: &mut ChannelState) -> Option<Waker> {
        let moved = state.release();
        self.ready.store(state.out.len(), Ordering::Release);
        if moved { state.reader.clone() } else { None }
    }
}

impl ChannelSink {
    /// An empty channel.
    pub fn create(_context: &QueryContext) -> Arc<Self> {
        let (state, ready) = (Mutex::default(), AtomicUsize::new(0));
        Arc::new(Self(Arc::new(Channel { state, ready })))
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
        false
    }
}

struct Sender {
    channel: Arc<Channel>,
    id: u64,
}

impl SinkState for Sender {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let mut state = lock(&self.channel.state);
        if state.closed {
            return Ok(Flow::Enough);
        }
        state.arrivals += 1;
        let key = (morsel.sequence, state.arrivals);
        state.held.insert(key, morsel.chunk);
        state.workers.insert(self.id, morsel.sequence);
        state.highest = state.highest.max(morsel.sequence);
        let reader = self.channel.publish(&mut state);
        let full = state.out.len() + state.held.len() > CAPACITY && !state.out.is_empty();
        drop(state);
        if let Some(reader) = reader {
            reader();
        }
        if !full {
            return Ok(Flow::More);
        }
        events::one(Event::ResultChannelFull);
        let channel = Arc::clone(&self.channel);
        let blocked: Blocked = Box::new(move |waker| {
            let mut state = lock(&channel.state);
            if state.out.is_empty() || state.closed {
                drop(state);
                waker();
            } else {
                state.wakers.push(waker);
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
        let reader = self.channel.publish(&mut state);
        drop(state);
        if let Some(reader) = reader {
            reader();
        }
    }
}

/// The rows of a running query. The thread that reads works on the query while there is nothing
/// to read. Dropping the stream ends the query.
pub struct ResultStream {
    running: Option<Running>,
    channel: Arc<Channel>,
    totals: Option<Totals>,
}

/// The row beside the result, which is computed after it.
struct Totals {
    plan: QueryPlan,
    context: QueryContext,
    runtime: Runtime,
}

impl ResultStream {
    pub(crate) fn start(
        runtime: &Runtime,
        graph: Graph,
        context: &QueryContext,
        sink: Arc<ChannelSink>,
        totals: Option<QueryPlan>,
    ) -> Self {
        let running = runtime.scheduler.start(graph, context.clone());
        lock(&sink.0.state).reader = Some(running.waker());
        let totals =
            totals.map(|plan| Totals { plan, context: context.clone(), runtime: runtime.clone() });
        Self { running: Some(running), channel: Arc::clone(&sink.0), totals }
    }

    /// The row of totals, once the rows have been read to their end.
    pub fn totals(&mut self) -> Result<Option<Chunk>> {
        let Some(Totals { plan, context, runtime }) = self.totals.take() else {
            return Ok(None);
        };
        let sink = CollectSink::create(&context);
        execute(&plan, &context, &runtime, Arc::clone(&sink) as Arc<dyn Sink>)?;
        Ok(Some(Chunk::concat(&sink.take())).filter(|row| !row.is_empty()))
    }

    fn pop(&self) -> Option<Chunk> {
        let mut state = lock(&self.channel.state);
        let chunk = state.out.pop_front();
        self.channel.ready.store(state.out.len(), Ordering::Release);
        let wakers = if state.out.len() <= CAPACITY / 2 {
            std::mem::take(&mut state.wakers)
        } else {
            Vec::new()
        };
        drop(state);
        for w in wakers {
            w();
        }
        chunk
    }
}

impl Iterator for ResultStream {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Result<Chunk>> {
        loop {
            if let Some(chunk) = self.pop() {
                return Some(Ok(chunk));
            }
            let channel = &self.channel;
            let stop = || channel.ready.load(Ordering::Acquire) > 0;
            match self.running.as_mut()?.work(&stop) {
                Ok(false) => {}
                Ok(true) => self.running = None,
                Err(error) => {
                    self.running = None;
                    // Workers that are dropped from here on have nothing to say any more.
                    let mut state = lock(&self.channel.state);
                    state.closed = true;
                    state.out.clear();
                    state.held.clear();
                    drop(state);
                    return Some(Err(error));
                }
            }
            if self.running.is_none() {
                return self.pop().map(Ok);
            }
        }
    }
}

impl Drop for ResultStream {
    fn drop(&mut self) {
        let wakers = {
            let mut state = lock(&self.channel.state);
            state.closed = true;
            std::mem::take(&mut state.wakers)
        };
        drop(wakers);
        self.running = None;
    }
}
