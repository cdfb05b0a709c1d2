//! The state of one running query: which pipelines may start, which tasks can run, how it ended.
//!
//! Lock order: a query's state, then the pool's queue. Sources, operators and sinks never run under
//! one of these locks.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::scope::{self, Scope};
use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, Result};

use crate::hook::Step;
use crate::pool::Pool;
use crate::profile::GraphProfile;
use crate::task::{Slice, Task};
use crate::{Graph, Pipeline, QueryContext};

/// How often a thread that waits for its query checks the cancel token.
const POLL: Duration = Duration::from_millis(20);

/// A failed query that holds at least this many bytes is dropped by a thread of its own.
const LARGE: u64 = 64 << 20;

/// A piece of work for one thread.
enum Work {
    /// Start a pipeline: decide how many workers it can use, and be the first of them.
    Begin(usize),
    /// Work on a pipeline with new states.
    Open(usize),
    /// Go on with a task that was set aside.
    Resume(Task),
}

struct Stage {
    waits_for: usize,
    next: Vec<usize>,
    /// Workers that have not handed their state over to the sink yet.
    tasks: usize,
}

struct State {
    stages: Vec<Stage>,
    ready: VecDeque<Work>,
    /// Tasks that wait for their waker, by the number of their parking.
    parked: HashMap<u64, Task>,
    parkings: u64,
    /// Threads that work on the query now, the owner included.
    active: usize,
    /// Pool threads that work on the query or were asked for.
    helpers: usize,
    owner_waits: bool,
    /// Whether the owner has left the query at least once because it had rows for its caller.
    has_stopped: bool,
    /// Pipelines that are not finalised yet.
    left: usize,
    error: Option<Error>,
    /// Tasks of a failed query. They are kept until [`Query::deferred_drop`] if the query is large.
    dead: Vec<Task>,
    /// What the query runs. Its owner takes the pipelines out at the end, because helpers may hold
    /// the query for longer: their states must not count for the user's next statement.
    pipelines: Arc<Vec<Pipeline>>,
}

impl State {
    /// Takes out all tasks that do not run now; the caller drops them without the lock.
    fn drain(&mut self) -> (VecDeque<Work>, HashMap<u64, Task>) {
        (std::mem::take(&mut self.ready), std::mem::take(&mut self.parked))
    }
}

/// A query that was started.
pub(crate) struct Query {
    /// Where to record what the pipelines do; `None` if it is not recorded.
    profile: Option<Arc<GraphProfile>>,
    context: QueryContext,
    pool: Arc<Pool>,
    state: Mutex<State>,
    changed: Signal,
    failed: AtomicBool,
    nudged: AtomicBool,
}

impl Query {
    pub fn start(graph: Graph, context: QueryContext, pool: &Arc<Pool>) -> Arc<Self> {
        let Graph { pipelines, title } = graph;
        let profile = context.profile.as_ref().map(|p| p.begin(&title, &pipelines));
        let mut stages: Vec<Stage> = Vec::with_capacity(pipelines.len());
        for (i, pipeline) in pipelines.iter().enumerate() {
            let mut after = pipeline.after.clone();
            after.sort_unstable();
            after.dedup();
            after.retain(|a| *a < i);
            for a in &after {
                stages[*a].next.push(i);
            }
            stages.push(Stage { waits_for: after.len(), next: Vec::new(), tasks: 0 });
        }
        let first = (0..stages.len()).filter(|i| stages[*i].waits_for == 0);
        let ready = first.map(Work::Begin).collect();
        let state = State {
            left: stages.len(),
            stages,
            ready,
            parked: HashMap::new(),
            parkings: 0,
            active: 0,
            helpers: 0,
            owner_waits: false,
            has_stopped: false,
            error: None,
            dead: Vec::new(),
            pipelines: Arc::new(pipelines),
        };
        Arc::new(Self {
            profile,
            context,
            pool: Arc::clone(pool),
            state: Mutex::new(state),
            changed: Signal::new(),
            failed: AtomicBool::new(false),
            nudged: AtomicBool::new(false),
        })
    }

    /// Whether the query only reads sources that are short ([`Source::is_short`]).
    pub fn is_short(&self) -> bool {
        let pipelines = Arc::clone(&lock(&self.state).pipelines);
        pipelines.iter().all(|one| !one.after.is_empty() || one.source.is_short())
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Wakes the owner, so that it checks its stop condition.
    pub fn nudge(&self) {
        self.nudged.store(true, Ordering::Release);
        drop(lock(&self.state));
        self.changed.notify_all();
    }

    /// The owner's thread works on the query until the query is over or `stop` holds. Returns
    /// whether it is over; the first error is returned once.
    pub fn work(self: &Arc<Self>, stop: &dyn Fn() -> bool) -> Result<bool> {
        let mut state = lock(&self.state);
        loop {
            if state.active == 0 && (state.left == 0 || self.has_failed()) {
                if let Some(error) = state.error.take() {
                    return Err(error);
                }
                let finished = std::mem::take(&mut state.pipelines);
                drop(state);
                drop(finished);
                return Ok(true);
            }
            if stop() {
                // If only the owner has worked so far, it leaves the rest for its return, so that a
                // statement of one chunk never involves another thread. From its second stop on,
                // helpers are called.
                let alone = state.active == 0 && state.ready.len() <= 1;
                if std::mem::replace(&mut state.has_stopped, true) || !alone {
                    self.call_helpers(&mut state, 0);
                }
                return Ok(false);
            }
            if let Some(work) = state.ready.pop_front() {
                state.active += 1;
                self.call_helpers(&mut state, 0);
                let pipelines = Arc::clone(&state.pipelines);
                drop(state);
                self.perform(&pipelines, work, stop);
                drop(pipelines);
                state = lock(&self.state);
                state.active -= 1;
                continue;
            }
            if !self.has_failed()
                && let Err(e) = self.context.cancel.check()
            {
                self.fail(&mut state, e);
                continue;
            }
            if self.nudged.swap(false, Ordering::Acquire) {
                continue;
            }
            state.owner_waits = true;
            let began = Instant::now();
            state = self.changed.wait_timeout(state, POLL);
            state.owner_waits = false;
            events::elapsed(Event::QueryOwnerWaitMicroseconds, began);
        }
    }

    /// A pool thread works on the query until it has no more work or another query waits for a
    /// thread.
    pub fn help(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        while let Some(work) = state.ready.pop_front() {
            state.active += 1;
            self.call_helpers(&mut state, 0);
            let pipelines = Arc::clone(&state.pipelines);
            drop(state);
            self.perform(&pipelines, work, &|| false);
            drop(pipelines);
            state = lock(&self.state);
            state.active -= 1;
            if !state.ready.is_empty() && self.pool.is_wanted() {
                drop(state);
                self.pool.submit(Arc::clone(self));
                return;
            }
        }
        state.helpers -= 1;
        self.changed.notify_all();
    }

    /// Asks the pool for workers for the work that is ready, except for `taken` pieces of it, which
    /// threads that are already there will take.
    fn call_helpers(self: &Arc<Self>, state: &mut State, taken: usize) {
        let most = (self.context.max_threads.max(1) - 1).min(self.pool.size());
        let pending = state.ready.len().saturating_sub(taken);
        // A helper at work already has its task, so it does not count against the work that is
        // pending.
        let busy = state.active.saturating_sub(1).min(state.helpers);
        let wanted = (pending + busy).min(most);
        if pending > 0 && state.owner_waits {
            self.changed.notify_all();
        }
        while state.helpers < wanted {
            state.helpers += 1;
            self.pool.submit(Arc::clone(self));
        }
    }

    fn fail(&self, state: &mut State, error: Error) {
        state.error.get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Drops a query that failed or was abandoned. If it holds much memory, another thread drops
    /// it: the kernel needs a tenth of a second or more to take back a gigabyte, and the answer
    /// need not wait for that.
    pub fn deferred_drop(self: Arc<Self>) {
        if self.context.memory.used() < LARGE {
            return;
        }
        // If no thread can be started, the query is dropped here together with the closure.
        events::one(Event::QueriesBuriedAside);
        let _ = std::thread::Builder::new().name("deferred-drop".into()).spawn(move || {
            let memory = Arc::clone(&self.context.memory);
            memory.counted(|| drop(self));
            events::sample();
        });
    }

    /// Ends the query early and waits until no thread works on it.
    pub fn abandon(&self) {
        self.failed.store(true, Ordering::Relaxed);
        let mut state = lock(&self.state);
        while state.active > 0 {
            state = self.changed.wait_timeout(state, POLL);
        }
        let dropped = state.drain();
        drop(state);
        drop(dropped);
    }

    fn perform(self: &Arc<Self>, pipelines: &[Pipeline], work: Work, stop: &dyn Fn() -> bool) {
        let mut scope = {
            let QueryContext { cancel, memory, events, .. } = &self.context;
            Scope::new(cancel, memory, events)
        };
        let work =
            AssertUnwindSafe(|| crate::run(&mut scope, || self.try_perform(pipelines, work, stop)));
        let error = match catch_unwind(work) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error),
            Err(panic) => Some(scope::caught(panic)),
        };
        if let Some(error) = error {
            let mut state = lock(&self.state);
            self.fail(&mut state, error);
            let (ready, parked) = state.drain();
            let waiting = ready.into_iter().filter_map(|work| match work {
                Work::Resume(task) => Some(task),
                Work::Begin(_) | Work::Open(_) => None,
            });
            state.dead.extend(waiting.chain(parked.into_values()));
            let large = self.context.memory.used() >= LARGE;
            let dropped = if large { Vec::new() } else { std::mem::take(&mut state.dead) };
            drop(state);
            // A panic while states are dropped must not end the worker.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(dropped)));
        }
        self.changed.notify_all();
    }

    fn try_perform(
        self: &Arc<Self>,
        pipelines: &[Pipeline],
        work: Work,
        stop: &dyn Fn() -> bool,
    ) -> Result<()> {
        if self.has_failed() {
            return Ok(());
        }
        let mut task = match work {
            Work::Begin(pipeline) => {
                events::one(Event::PipelinesStarted);
                let morsels = pipelines[pipeline].source.morsels();
                let most = self.context.max_threads.max(1);
                let tasks = morsels.map_or(most, |m| m.clamp(1, most));
                let mut state = lock(&self.state);
                state.stages[pipeline].tasks = tasks;
                state.ready.extend((1..tasks).map(|_| Work::Open(pipeline)));
                self.call_helpers(&mut state, 0);
                drop(state);
                Task::open(pipeline, &pipelines[pipeline], self.profile.as_ref())?
            }
            Work::Open(pipeline) => {
                Task::open(pipeline, &pipelines[pipeline], self.profile.as_ref())?
            }
            Work::Resume(task) => task,
        };
        let pipeline = task.pipeline;
        let of = &pipelines[pipeline];
        let wanted = || self.pool.is_wanted();
        let run = || task.run(of, &|| self.has_failed(), stop, &wanted);
        let slice = match self.hooked(of, run) {
            Ok(slice) => slice,
            Err(error) => {
                lock(&self.state).dead.push(task);
                return Err(error);
            }
        };
        match slice {
            Slice::Dropped => lock(&self.state).dead.push(task),
            Slice::Yielded => {
                events::one(Event::PipelineTasksYielded);
                lock(&self.state).ready.push_back(Work::Resume(task));
            }
            Slice::Parked(blocked) => {
                events::one(Event::PipelineTasksParked);
                let id = {
                    let mut state = lock(&self.state);
                    state.parkings += 1;
                    let id = state.parkings;
                    state.parked.insert(id, task);
                    id
                };
                // Weak, as the owner of the waker may itself be owned by the task.
                let query = Arc::downgrade(self);
                blocked(Arc::new(move || {
                    if let Some(query) = query.upgrade() {
                        query.wake(id);
                    }
                }));
            }
            Slice::Finished => {
                events::one(Event::PipelineTasksFinished);
                self.hooked(of, || task.finish(of))?;
                self.task_finished(pipelines, pipeline)?;
            }
        }
        Ok(())
    }

    /// Runs a slice of a pipeline's work and tells the hook.
    fn hooked<T>(&self, of: &Pipeline, work: impl FnOnce() -> T) -> T {
        let hook = self.context.hook.as_ref();
        let _slice = hook.and_then(|hook| hook.begin(Step::Pipeline(of)));
        work()
    }

    fn wake(self: &Arc<Self>, id: u64) {
        let mut state = lock(&self.state);
        let Some(task) = state.parked.remove(&id) else { return };
        events::one(Event::PipelineTasksWoken);
        state.ready.push_back(Work::Resume(task));
        let taken = usize::from(state.owner_waits);
        self.call_helpers(&mut state, taken);
        drop(state);
        self.changed.notify_all();
    }

    fn task_finished(self: &Arc<Self>, pipelines: &[Pipeline], pipeline: usize) -> Result<()> {
        let last = {
            let mut state = lock(&self.state);
            state.stages[pipeline].tasks -= 1;
            state.stages[pipeline].tasks == 0
        };
        if !last {
            return Ok(());
        }
        events::one(Event::PipelinesFinished);
        let sink = &pipelines[pipeline].sink;
        let began = Instant::now();
        let finalize = || scope::guard(|| sink.finalize(&self.context));
        self.hooked(&pipelines[pipeline], finalize).map_err(|e| e.during(sink.name()))?;
        if let Some(profile) = &self.profile {
            profile.finish(pipeline, &pipelines[pipeline], began.elapsed());
        }
        let mut state = lock(&self.state);
        state.left -= 1;
        if state.left == 0
            && let Some(hook) = &self.context.hook
        {
            drop(state);
            hook.end(&self.context.memory);
            state = lock(&self.state);
        }
        for next in std::mem::take(&mut state.stages[pipeline].next) {
            state.stages[next].waits_for -= 1;
            if state.stages[next].waits_for == 0 {
                state.ready.push_back(Work::Begin(next));
            }
        }
        // This thread takes one of the pipelines itself.
        self.call_helpers(&mut state, 1);
        Ok(())
    }
}
