//! What each step of a statement's pipelines did, for EXPLAIN ANALYZE. The tasks count it
//! themselves whenever they pass a chunk on, and only if the statement asked for it.
//!
//! A task's time is split at every such point: the time until the chunk is passed on or control
//! returns belongs to the step that had it. So the busy times of all steps add up to the time of
//! all threads, without a timer per step. A task keeps its own [`Meter`] and adds it to the shared
//! [`Steps`] when it is set aside or ends.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use entasis_base::sync::lock;
use entasis_column::Chunk;

use crate::Pipeline;

/// Figures that a step reports, by names such as `parts`, `parts_total`, `memory_bytes`.
pub type Report = Vec<(&'static str, u64)>;

/// The pipelines of a statement, graph by graph, in the order in which they ran.
#[derive(Default)]
pub struct Profile {
    graphs: Mutex<Vec<Arc<GraphProfile>>>,
}

impl Profile {
    /// Adds a graph whose run begins now.
    pub(crate) fn begin(&self, title: &str, pipelines: &[Pipeline]) -> Arc<GraphProfile> {
        let graph = Arc::new(GraphProfile {
            title: title.to_string(),
            began: Instant::now(),
            pipelines: pipelines.iter().map(Steps::new).collect(),
        });
        lock(&self.graphs).push(Arc::clone(&graph));
        graph
    }

    /// The graphs that have begun so far.
    pub fn graphs(&self) -> Vec<Arc<GraphProfile>> {
        lock(&self.graphs).clone()
    }
}

/// What one graph did.
pub struct GraphProfile {
    title: String,
    began: Instant,
    pipelines: Vec<Steps>,
}

impl GraphProfile {
    /// What the graph was for; empty for the statement's own result.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Records the end of a pipeline, whose sink took `finalize` to be finalised.
    pub(crate) fn finish(&self, pipeline: usize, of: &Pipeline, finalize: Duration) {
        let steps = &self.pipelines[pipeline];
        if let Some(sink) = steps.steps.last() {
            sink.busy.fetch_add(finalize.as_nanos() as u64, Ordering::Relaxed);
        }
        steps.last.fetch_max(self.began.elapsed().as_nanos() as u64 + 1, Ordering::Relaxed);
        let mut reports = vec![of.source.report()];
        reports.extend(of.operators.iter().map(|o| o.report()));
        reports.push(of.sink.report());
        *lock(&steps.reports) = reports;
    }

    /// The pipelines, in the graph's order.
    pub fn pipelines(&self) -> &[Steps] {
        &self.pipelines
    }
}

/// What one pipeline did: its source, its operators, its sink, in this order.
pub struct Steps {
    names: Vec<String>,
    estimates: Vec<Option<u64>>,
    after: Vec<usize>,
    steps: Vec<Step>,
    /// The reports of all steps; empty until the pipeline has ended.
    reports: Mutex<Vec<Report>>,
    tasks: AtomicU64,
    /// When the pipeline began and when it last worked, in nanoseconds since the graph began, plus
    /// one; 0 if it has not.
    first: AtomicU64,
    last: AtomicU64,
}

/// Counters of one step, over all tasks.
#[derive(Default)]
struct Step {
    rows: AtomicU64,
    chunks: AtomicU64,
    bytes: AtomicU64,
    busy: AtomicU64,
    waiting: AtomicU64,
}

/// What a step did, summed over all tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepTotals {
    /// The step's name.
    pub name: String,
    /// Rows that the optimiser expected to come out, if known.
    pub estimate: Option<u64>,
    /// Rows that came in; 0 for a source.
    pub rows_in: u64,
    /// Rows that came out; 0 for a sink.
    pub rows_out: u64,
    /// Chunks that came out; 0 for a sink.
    pub chunks_out: u64,
    /// Bytes that came out; 0 for a sink.
    pub bytes_out: u64,
    /// Time that threads spent in the step, summed over all threads.
    pub busy: Duration,
    /// Time that tasks spent parked because of the step.
    pub waiting: Duration,
    /// Further figures that the step reports.
    pub report: Report,
}

impl Steps {
    fn new(pipeline: &Pipeline) -> Self {
        let mut names = vec![pipeline.source.name()];
        names.extend(pipeline.operators.iter().map(|o| o.name()));
        names.push(pipeline.sink.name());
        Self {
            steps: names.iter().map(|_| Step::default()).collect(),
            names,
            estimates: pipeline.estimates.clone(),
            after: pipeline.after.clone(),
            reports: Mutex::default(),
            tasks: 0.into(),
            first: 0.into(),
            last: 0.into(),
        }
    }

    /// The pipelines that had to end before this one began, by their indices in the graph.
    pub fn after(&self) -> &[usize] {
        &self.after
    }

    /// The number of tasks that worked on the pipeline.
    pub fn tasks(&self) -> u64 {
        self.tasks.load(Ordering::Relaxed)
    }

    /// When the pipeline began and ended, since the graph began; `None` if it never ran.
    pub fn span(&self) -> Option<(Duration, Duration)> {
        let first = self.first.load(Ordering::Relaxed).checked_sub(1)?;
        let last = self.last.load(Ordering::Relaxed).max(first);
        Some((Duration::from_nanos(first), Duration::from_nanos(last)))
    }

    /// What the source, the operators and the sink did, in this order.
    pub fn totals(&self) -> Vec<StepTotals> {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut reports = lock(&self.reports).clone().into_iter();
        let of = |i: usize| {
            let step = &self.steps[i];
            // Chunks are counted where they arrive, so a step's output is the input of the next
            // one.
            let next = self.steps.get(i + 1);
            StepTotals {
                name: self.names[i].clone(),
                estimate: self.estimates.get(i).copied().flatten(),
                report: reports.next().unwrap_or_default(),
                rows_in: get(&step.rows),
                rows_out: next.map_or(0, |n| get(&n.rows)),
                chunks_out: next.map_or(0, |n| get(&n.chunks)),
                bytes_out: next.map_or(0, |n| get(&n.bytes)),
                busy: Duration::from_nanos(get(&step.busy)),
                waiting: Duration::from_nanos(get(&step.waiting)),
            }
        };
        (0..self.steps.len()).map(of).collect()
    }
}

/// One task's counters of one step.
#[derive(Default)]
struct Local {
    rows: Cell<u64>,
    chunks: Cell<u64>,
    bytes: Cell<u64>,
    busy: Cell<u64>,
    waiting: Cell<u64>,
}

/// One task's counters of all steps.
pub(crate) struct Meter {
    graph: Arc<GraphProfile>,
    pipeline: usize,
    steps: Vec<Local>,
    /// The step at work, and since when it is.
    current: Cell<usize>,
    since: Cell<Instant>,
    /// The step that the task waits for, and since when; `None` if it does not wait.
    parked: Cell<Option<(usize, Instant)>>,
}

impl Meter {
    pub fn new(graph: &Arc<GraphProfile>, pipeline: usize) -> Self {
        let now = Instant::now();
        let of = &graph.pipelines[pipeline];
        of.tasks.fetch_add(1, Ordering::Relaxed);
        let since = (now - graph.began).as_nanos() as u64 + 1;
        let _ = of.first.compare_exchange(0, since, Ordering::Relaxed, Ordering::Relaxed);
        Self {
            graph: Arc::clone(graph),
            pipeline,
            steps: of.steps.iter().map(|_| Local::default()).collect(),
            current: Cell::new(0),
            since: Cell::new(now),
            parked: Cell::new(None),
        }
    }

    /// The task runs again, beginning with its source.
    pub fn resume(&self) {
        let now = Instant::now();
        self.current.set(0);
        self.since.set(now);
        if let Some((step, since)) = self.parked.take() {
            let waiting = &self.steps[step].waiting;
            waiting.set(waiting.get() + (now - since).as_nanos() as u64);
        }
    }

    /// A step begins to work. Returns the step that worked before it.
    pub fn enter(&self, step: usize) -> usize {
        let now = Instant::now();
        let before = self.current.replace(step);
        let busy = &self.steps[before].busy;
        busy.set(busy.get() + (now - self.since.replace(now)).as_nanos() as u64);
        before
    }

    /// A chunk goes to a step, which begins to work. Returns the step that worked before it.
    pub fn take(&self, step: usize, chunk: &Chunk) -> usize {
        let local = &self.steps[step];
        local.rows.set(local.rows.get() + chunk.rows as u64);
        local.chunks.set(local.chunks.get() + 1);
        let bytes: usize = chunk.columns.iter().map(|c| c.byte_size()).sum();
        local.bytes.set(local.bytes.get() + bytes as u64);
        self.enter(step)
    }

    /// The task is set aside; `waits_for` is the step that it must wait for, if any.
    pub fn pause(&self, waits_for: Option<usize>) {
        self.enter(self.current.get());
        self.parked.set(waits_for.map(|step| (step, self.since.get())));
        self.settle();
    }

    /// Adds everything to the shared counters.
    fn settle(&self) {
        let of = &self.graph.pipelines[self.pipeline];
        for (local, shared) in self.steps.iter().zip(&of.steps) {
            let add = |from: &Cell<u64>, to: &AtomicU64| {
                let amount = from.take();
                if amount > 0 {
                    to.fetch_add(amount, Ordering::Relaxed);
                }
            };
            add(&local.rows, &shared.rows);
            add(&local.chunks, &shared.chunks);
            add(&local.bytes, &shared.bytes);
            add(&local.busy, &shared.busy);
            add(&local.waiting, &shared.waiting);
        }
        let until = self.graph.began.elapsed().as_nanos() as u64 + 1;
        of.last.fetch_max(until, Ordering::Relaxed);
    }
}
