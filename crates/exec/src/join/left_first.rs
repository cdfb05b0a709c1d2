//! Joins whose left side is read first, up to a bound.
//!
//! The planner builds the side that it believes to be smaller. Where the build side is large and
//! the left side is a table with conditions, whose number of rows nobody knows for sure, the left
//! side is read into a queue first. If it ends within the bound, the keys of its few rows filter
//! the scans of the right side, so that a small table is built although the estimate was wrong.
//! Otherwise the right side is built as usual, and the left side goes on through the queue.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::Column;
use entasis_column::hash::KeySetBuilder;
use entasis_pipeline::{
    Blocked, Discard, Flow, Morsel, Pipeline, QueryContext, Read, Reader, Report, Sink, SinkState,
    Source, Waker,
};
use entasis_plan::Join;
use entasis_table_api::KeyFilter;

use super::Spec;
use super::build::split_keys;
use super::sideways::{self, Target};
use crate::build::{Builder, Stream};

/// Bytes that are kept of the left side at most.
const MOST_BYTES: usize = 64 << 20;

/// The left side while the right side waits for it.
pub struct LeftFirst<'a> {
    queue: Arc<Queue>,
    /// The filters of the right side's scans.
    targets: Vec<Target<'a>>,
    /// The pipeline that ends once the right side may be read.
    decided: usize,
}

impl<'a> LeftFirst<'a> {
    /// Reads the left side from these streams, if the plan wants that, and if its keys filter
    /// scans of the right side. Otherwise the streams are not made.
    pub fn begin(
        builder: &mut Builder<'_>,
        join: &'a Join,
        spec: &Arc<Spec>,
        streams: impl FnOnce(&mut Builder<'_>) -> Result<Vec<Stream>>,
    ) -> Result<Option<Self>> {
        let Some(most_rows) = join.left_first else { return Ok(None) };
        let targets = sideways::right_targets(join);
        if targets.is_empty() {
            return Ok(None);
        }
        let context = builder.context;
        let filters = targets.iter().map(|of| (of.key, Arc::clone(&of.filter))).collect();
        let account = context.memory.child("Joining", 0);
        let queue = Arc::new(Queue {
            state: Mutex::new(State::new(&account)),
            most_rows: most_rows as usize,
            tasks: context.max_threads.max(1),
            filters,
            spec: Arc::clone(spec),
        });
        let streams = streams(builder)?;
        let sink: Arc<dyn Sink> = Arc::new(QueueSink(Arc::clone(&queue)));
        builder.end(streams, &sink, false);
        let decided = builder.graph.add(Pipeline {
            source: Arc::new(Decision(Arc::clone(&queue))),
            operators: Vec::new(),
            sink: Arc::new(Discard("JoinDecision")),
            after: Vec::new(),
            estimates: Vec::new(),
        });
        Ok(Some(Self { queue, targets, decided }))
    }

    /// The streams of the right side, which begin once the left side's rows are there, or are too
    /// many.
    pub fn right(
        &self,
        builder: &mut Builder<'_>,
        streams: impl FnOnce(&mut Builder<'_>) -> Result<Vec<Stream>>,
    ) -> Result<Vec<Stream>> {
        sideways::filtered(builder, &self.targets, &[self.decided], streams)
    }

    /// Whether the left side turned out to have no rows; to be asked once the right side is read.
    pub fn emptiness(&self) -> Emptiness {
        Emptiness(Arc::clone(&self.queue))
    }

    /// The stream that goes on with the left side.
    pub fn left(self) -> Vec<Stream> {
        vec![Stream::new(Arc::new(QueueSource(self.queue)))]
    }
}

/// Whether a left side that was read first has no rows.
pub struct Emptiness(Arc<Queue>);

impl Emptiness {
    /// Whether it is complete and has none.
    pub fn holds(&self) -> bool {
        let state = lock(&self.0.state);
        state.is_small && !state.has_rows
    }
}

/// Chunks of the left side, between the pipeline that reads them and the one that probes.
struct Queue {
    state: Mutex<State>,
    most_rows: usize,
    /// The number of tasks that probe.
    tasks: usize,
    /// Filters for scans of the right side, with the numbers of their keys.
    filters: Vec<(usize, Arc<KeyFilter>)>,
    spec: Arc<Spec>,
}

struct State {
    chunks: VecDeque<Morsel>,
    /// Whether there has been any.
    has_rows: bool,
    rows: usize,
    bytes: usize,
    held: Reservation,
    /// Whether the right side may be read.
    is_decided: bool,
    /// Whether all rows of the left side were there by then.
    is_small: bool,
    /// Whether no more chunks come.
    is_complete: bool,
    /// The number of probing tasks that have ended.
    ended: usize,
    /// The keys of the workers that have ended.
    sets: Vec<KeySetBuilder>,
    /// Tasks that wait for any change.
    waiting: Vec<Waker>,
}

impl State {
    fn new(account: &Arc<MemoryAccount>) -> Self {
        Self {
            chunks: VecDeque::new(),
            has_rows: false,
            rows: 0,
            bytes: 0,
            held: Reservation::new(account),
            is_decided: false,
            is_small: false,
            is_complete: false,
            ended: 0,
            sets: Vec::new(),
            waiting: Vec::new(),
        }
    }
}

impl Queue {
    /// Whether a task that puts chunks into the queue goes on.
    fn has_room(&self, state: &State) -> bool {
        !state.is_decided || state.chunks.len() < 2 * self.tasks || self.is_left(state)
    }

    /// Whether nobody reads the queue any more.
    fn is_left(&self, state: &State) -> bool {
        state.ended >= self.tasks
    }

    /// Ends a change: wakes the tasks that wait for one.
    fn changed(mut state: MutexGuard<'_, State>) {
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.iter().for_each(|wake| wake());
    }

    /// Waits until `is_over` holds.
    fn wait(self: &Arc<Self>, is_over: fn(&Self, &State) -> bool) -> Blocked {
        let queue = Arc::clone(self);
        Box::new(move |waker| {
            let mut state = lock(&queue.state);
            if is_over(&queue, &state) {
                drop(state);
                waker();
            } else {
                state.waiting.push(waker);
            }
        })
    }

    fn put(&self, morsel: Morsel) {
        let mut state = lock(&self.state);
        state.has_rows = true;
        state.rows += morsel.chunk.rows;
        state.bytes += morsel.chunk.byte_size();
        state.chunks.push_back(morsel);
        let bytes = state.bytes;
        let too_many = state.rows > self.most_rows || bytes > MOST_BYTES;
        // Without memory for more, the right side is read now, which frees the queue.
        if too_many || (!state.is_decided && state.held.cover(bytes).is_err()) {
            state.is_decided = true;
        }
        Self::changed(state);
    }

    /// The left side is complete: its keys are the filter, unless it was too large.
    fn complete(&self) {
        let mut state = lock(&self.state);
        let sets = std::mem::take(&mut state.sets);
        if !state.is_decided {
            state.is_small = true;
            for ((_, filter), set) in self.filters.iter().zip(sets) {
                set.finish().into_iter().for_each(|keys| filter.set(keys));
            }
        }
        state.is_decided = true;
        state.is_complete = true;
        Self::changed(state);
    }
}

/// The end of the pipeline that reads the left side.
struct QueueSink(Arc<Queue>);

impl Sink for QueueSink {
    fn name(&self) -> String {
        "JoinLeftFirst".into()
    }

    fn report(&self) -> Report {
        vec![("complete", u64::from(lock(&self.0.state).is_small))]
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let sets = vec![KeySetBuilder::default(); self.0.filters.len()];
        Ok(Box::new(QueueState { queue: Arc::clone(&self.0), sets }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        self.0.complete();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.0.is_left(&lock(&self.0.state))
    }
}

struct QueueState {
    queue: Arc<Queue>,
    sets: Vec<KeySetBuilder>,
}

impl SinkState for QueueState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let queue = &self.queue;
        if !lock(&queue.state).is_decided {
            let columns: Vec<Column> = queue.spec.left_columns(&morsel.chunk);
            let keys = queue.spec.key_types.len();
            let (mut plain, valid) = split_keys(&columns[..keys], None);
            if let Some(valid) = valid {
                plain.iter_mut().for_each(|column| *column = column.filter(&valid));
            }
            for ((key, _), set) in queue.filters.iter().zip(&mut self.sets) {
                set.push(&plain[*key]);
            }
        }
        queue.put(morsel);
        let has_room = queue.has_room(&lock(&queue.state));
        Ok(if has_room { Flow::More } else { Flow::Blocked(queue.wait(Queue::has_room)) })
    }

    fn combine(self: Box<Self>) -> Result<()> {
        let mut state = lock(&self.queue.state);
        state.sets.resize_with(self.sets.len(), KeySetBuilder::default);
        for (all, set) in state.sets.iter_mut().zip(self.sets) {
            all.merge(set);
        }
        Ok(())
    }
}

/// The source of the pipeline that probes.
struct QueueSource(Arc<Queue>);

impl Source for QueueSource {
    fn name(&self) -> String {
        "JoinLeft".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(QueueReader(Arc::clone(&self.0))))
    }
}

struct QueueReader(Arc<Queue>);

impl Reader for QueueReader {
    fn next(&mut self) -> Result<Read> {
        let mut state = lock(&self.0.state);
        if let Some(morsel) = state.chunks.pop_front() {
            state.rows -= morsel.chunk.rows;
            state.bytes -= morsel.chunk.byte_size();
            let bytes = state.bytes;
            if bytes < state.held.bytes() {
                state.held.set(bytes)?;
            }
            Queue::changed(state);
            return Ok(Read::Chunk(morsel));
        }
        if state.is_complete {
            return Ok(Read::Done);
        }
        drop(state);
        let is_over = |_: &Queue, state: &State| !state.chunks.is_empty() || state.is_complete;
        Ok(Read::Pending(self.0.wait(is_over)))
    }
}

impl Drop for QueueReader {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.ended += 1;
        Queue::changed(state);
    }
}

/// A source without rows that ends once the right side may be read.
struct Decision(Arc<Queue>);

impl Source for Decision {
    fn name(&self) -> String {
        "JoinDecision".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(DecisionReader(Arc::clone(&self.0))))
    }

    fn morsels(&self) -> Option<usize> {
        Some(1)
    }
}

struct DecisionReader(Arc<Queue>);

impl Reader for DecisionReader {
    fn next(&mut self) -> Result<Read> {
        let is_decided = |_: &Queue, state: &State| state.is_decided;
        match is_decided(&self.0, &lock(&self.0.state)) {
            true => Ok(Read::Done),
            false => Ok(Read::Pending(self.0.wait(is_decided))),
        }
    }
}
