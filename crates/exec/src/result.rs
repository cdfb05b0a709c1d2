//! Where results end: collected, or streamed to a reader whose thread works on the query while it
//! waits.

use std::sync::{Arc, Mutex};

use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Graph, Morsel, QueryContext, Running, Sink, SinkState};

use entasis_plan::QueryPlan;

use crate::{Runtime, execute};
use entasis_base::sync::lock;

mod channel;

use channel::Channel;
pub use channel::ChannelSink;

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

    /// The chunks, in source order; called once the query has ended.
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

/// The rows of a running query. The reading thread works on the query while there is nothing to
/// read. Dropping the stream ends the query.
pub struct ResultStream {
    running: Option<Running>,
    channel: Arc<Channel>,
    totals: Option<Totals>,
}

/// The row of WITH TOTALS, which is computed after the result.
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
        sink.0.set_reader(running.waker());
        let totals =
            totals.map(|plan| Totals { plan, context: context.clone(), runtime: runtime.clone() });
        Self { running: Some(running), channel: Arc::clone(&sink.0), totals }
    }

    /// Whether all rows are computed within microseconds.
    pub fn is_short(&self) -> bool {
        self.totals.is_none() && self.running.as_ref().is_none_or(Running::is_short)
    }

    /// The row of totals, if the query has one; called once all rows were read.
    pub fn totals(&mut self) -> Result<Option<Chunk>> {
        let Some(Totals { plan, context, runtime }) = self.totals.take() else {
            return Ok(None);
        };
        let sink = CollectSink::create(&context);
        execute(&plan, &context, &runtime, Arc::clone(&sink) as Arc<dyn Sink>)?;
        Ok(Some(Chunk::concat(&sink.take())).filter(|row| !row.is_empty()))
    }
}

impl Iterator for ResultStream {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Result<Chunk>> {
        loop {
            if let Some(chunk) = self.channel.pop() {
                return Some(Ok(chunk));
            }
            let channel = &self.channel;
            let stop = || channel.is_ready();
            match self.running.as_mut()?.work(&stop) {
                Ok(false) => {}
                Ok(true) => self.running = None,
                Err(error) => {
                    self.running = None;
                    // Workers that are still running must not wait for a reader any more.
                    self.channel.close();
                    return Some(Err(error));
                }
            }
            if self.running.is_none() {
                return self.channel.pop().map(Ok);
            }
        }
    }
}

impl Drop for ResultStream {
    fn drop(&mut self) {
        self.channel.close();
        self.running = None;
    }
}
