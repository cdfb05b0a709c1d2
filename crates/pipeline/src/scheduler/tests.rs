use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use entasis_base::{CancelToken, Error, MemoryAccount, codes};
use entasis_column::{Chunk, Column};

use super::*;
use crate::{
    AnswerHook, Flow, Morsel, Operator, OperatorState, Output, Pipeline, Read, Reader, Sink,
    SinkState, Source, Step, WorkHook,
};

fn context(threads: usize) -> QueryContext {
    QueryContext {
        events: entasis_base::events::Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("query", 0),
        max_threads: threads,
        max_block_size: 8192,
        fold_inserts: true,
        derived_on_insert: crate::DerivedOnInsert::default(),
        max_insert_partitions: 0,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

#[derive(Default)]
struct Log {
    threads: Mutex<Vec<ThreadId>>,
    pushed: Mutex<BTreeMap<u64, u64>>,
    combined: AtomicUsize,
    finalized: AtomicUsize,
    events: Mutex<Vec<String>>,
}

/// A source of `count` morsels of one row each, which holds the morsel's number.
struct Numbers {
    next: Arc<AtomicUsize>,
    count: usize,
    known: bool,
    pending_every: usize,
    panic_at: usize,
    log: Arc<Log>,
}

impl Numbers {
    fn new(count: usize, log: &Arc<Log>) -> Self {
        let (next, log) = (Arc::default(), Arc::clone(log));
        Self { next, count, known: true, pending_every: 0, panic_at: usize::MAX, log }
    }
}

impl Source for Numbers {
    fn name(&self) -> String {
        "Numbers".into()
    }
    fn reader(&self) -> Result<Box<dyn Reader>> {
        self.log.events.lock().unwrap().push(format!("read {}", self.count));
        Ok(Box::new(NumbersReader {
            next: Arc::clone(&self.next),
            count: self.count,
            pending_every: self.pending_every,
            panic_at: self.panic_at,
            held: None,
        }))
    }
    fn morsels(&self) -> Option<usize> {
        self.known.then_some(self.count)
    }
}

struct NumbersReader {
    next: Arc<AtomicUsize>,
    count: usize,
    pending_every: usize,
    panic_at: usize,
    held: Option<usize>,
}

impl Reader for NumbersReader {
    fn next(&mut self) -> Result<Read> {
        let at = match self.held.take() {
            Some(at) => at,
            None => {
                let at = self.next.fetch_add(1, Ordering::Relaxed);
                if self.pending_every > 0
                    && at.is_multiple_of(self.pending_every)
                    && at < self.count
                {
                    self.held = Some(at);
                    return Ok(Read::Pending(Box::new(move |waker: Waker| {
                        if at.is_multiple_of(2) {
                            waker();
                        } else {
                            std::thread::spawn(move || {
                                std::thread::sleep(Duration::from_millis(1));
                                waker();
                                waker();
                            });
                        }
                    })));
                }
                at
            }
        };
        assert!(at != self.panic_at, "reader panics");
        if at >= self.count {
            return Ok(Read::Done);
        }
        let chunk = Chunk::new(vec![Column::from(vec![at as u64])], 1);
        Ok(Read::Chunk(Morsel { sequence: at as u64, chunk }))
    }
}

/// An operator that pushes every chunk twice.
struct Twice;

impl Operator for Twice {
    fn name(&self) -> String {
        "Twice".into()
    }
    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(Self))
    }
}

impl OperatorState for Twice {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        out.push(chunk.clone())?;
        out.push(chunk)
    }
    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        out.push(Chunk::new(vec![Column::from(vec![1_000_000u64])], 1))
    }
}

struct Collect {
    log: Arc<Log>,
    name: &'static str,
    enough: usize,
    fail_at: u64,
    slow: bool,
    block: bool,
}

impl Collect {
    fn new(log: &Arc<Log>) -> Self {
        let (log, name) = (Arc::clone(log), "sink");
        Self { log, name, enough: usize::MAX, fail_at: u64::MAX, slow: false, block: false }
    }
    fn count(&self) -> usize {
        self.log.pushed.lock().unwrap().values().map(|v| *v as usize).sum()
    }
}

impl Sink for Collect {
    fn name(&self) -> String {
        self.name.into()
    }
    fn open(&self) -> Result<Box<dyn SinkState>> {
        let log = Arc::clone(&self.log);
        let (fail_at, slow, block) = (self.fail_at, self.slow, self.block);
        Ok(Box::new(CollectState { log, fail_at, slow, block, enough: self.enough }))
    }
    fn finalize(&self, _: &QueryContext) -> Result<()> {
        self.log.finalized.fetch_add(1, Ordering::Relaxed);
        self.log.events.lock().unwrap().push(format!("finalize {}", self.name));
        Ok(())
    }
    fn is_full(&self) -> bool {
        self.count() >= self.enough
    }
}

struct CollectState {
    log: Arc<Log>,
    fail_at: u64,
    slow: bool,
    block: bool,
    enough: usize,
}

impl SinkState for CollectState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        if self.slow {
            std::thread::sleep(Duration::from_millis(1));
        }
        if morsel.sequence == self.fail_at {
            return Err(Error::new(codes::ILLEGAL_DIVISION, "failed here"));
        }
        self.log.threads.lock().unwrap().push(std::thread::current().id());
        let value = morsel.chunk.columns[0].native::<u64>().unwrap()[0];
        *self.log.pushed.lock().unwrap().entry(value).or_default() += 1;
        if self.block && value.is_multiple_of(3) {
            return Ok(Flow::Blocked(Box::new(|waker: Waker| {
                std::thread::spawn(move || waker());
            })));
        }
        if self.log.pushed.lock().unwrap().len() >= self.enough {
            return Ok(Flow::Enough);
        }
        Ok(Flow::More)
    }
    fn combine(self: Box<Self>) -> Result<()> {
        self.log.combined.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn one(source: Numbers, operators: Vec<Arc<dyn Operator>>, sink: Collect) -> Graph {
    let mut graph = Graph::default();
    let (source, sink) = (Arc::new(source), Arc::new(sink));
    graph.add(Pipeline { source, operators, sink, after: vec![], estimates: vec![] });
    graph
}

#[test]
fn every_morsel_goes_through_once_whatever_waits() {
    for threads in [1, 2, 5] {
        for (pending_every, block, known) in [(0, false, true), (3, false, false), (4, true, true)]
        {
            let log = Arc::new(Log::default());
            let mut source = Numbers::new(300, &log);
            (source.pending_every, source.known) = (pending_every, known);
            let mut sink = Collect::new(&log);
            sink.block = block;
            let scheduler = Scheduler::new(3);
            scheduler.run(one(source, vec![Arc::new(Twice)], sink), context(threads)).unwrap();
            let pushed = log.pushed.lock().unwrap();
            assert!((0..300).all(|i| pushed[&i] == 2), "{threads}");
            assert_eq!(log.finalized.load(Ordering::Relaxed), 1);
            let combined = log.combined.load(Ordering::Relaxed);
            assert_eq!(pushed[&1_000_000], combined as u64);
            assert_eq!(combined, threads);
        }
    }
}

#[test]
fn one_morsel_stays_on_the_calling_thread() {
    let log = Arc::new(Log::default());
    let scheduler = Scheduler::new(4);
    scheduler.run(one(Numbers::new(1, &log), vec![], Collect::new(&log)), context(4)).unwrap();
    assert_eq!(*log.threads.lock().unwrap(), [std::thread::current().id()]);
    assert_eq!(log.combined.load(Ordering::Relaxed), 1);
}

/// A hook that counts the slices of steps with a given name, and the ends.
#[derive(Default)]
struct Listener {
    step: &'static str,
    slices: AtomicUsize,
    ends: AtomicUsize,
}

impl WorkHook for Listener {
    fn begin(&self, step: Step<'_>) -> Option<Box<dyn Any>> {
        let is_meant = step.has(self.step);
        self.slices.fetch_add(usize::from(is_meant), Ordering::Relaxed);
        is_meant.then(|| Box::new(()) as Box<dyn Any>)
    }

    fn end(&self, _: &Arc<MemoryAccount>) {
        self.ends.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_hook_hears_of_slices_and_of_the_end() {
    let heard = |step: &'static str, answers: bool| {
        let log = Arc::new(Log::default());
        let listener = Arc::new(Listener { step, ..Listener::default() });
        let hook: Arc<dyn WorkHook> = Arc::clone(&listener) as _;
        let mut context = QueryContext { hook: Some(hook), ..context(2) };
        let answer = if answers { AnswerHook::take(&mut context) } else { None };
        let graph = one(Numbers::new(20, &log), vec![], Collect::new(&log));
        Scheduler::new(1).run(graph, context).unwrap();
        let of_pipelines = listener.slices.load(Ordering::Relaxed);
        let ended = listener.ends.load(Ordering::Relaxed);
        if let Some(answer) = answer {
            answer.write(|| ());
            answer.end();
        }
        let slices = listener.slices.load(Ordering::Relaxed);
        (of_pipelines > 0, slices - of_pipelines, ended, listener.ends.load(Ordering::Relaxed))
    };
    assert_eq!(heard("Numb", false), (true, 0, 1, 1));
    assert_eq!(heard("Aggregate", false), (false, 0, 1, 1));
    assert_eq!(heard("", true), (true, 1, 0, 1));
    assert_eq!(heard("Out", true), (false, 1, 0, 1));
}

#[test]
fn several_threads_take_part() {
    let log = Arc::new(Log::default());
    let mut sink = Collect::new(&log);
    sink.slow = true;
    Scheduler::new(3).run(one(Numbers::new(60, &log), vec![], sink), context(3)).unwrap();
    let mut threads = log.threads.lock().unwrap().clone();
    threads.sort_by_key(|t| format!("{t:?}"));
    threads.dedup();
    assert!(threads.len() > 1 && threads.len() <= 3, "{}", threads.len());
}

#[test]
fn pipelines_wait_for_what_they_need() {
    for _ in 0..50 {
        let log = Arc::new(Log::default());
        let mut graph = Graph::default();
        for (count, after, name) in [(3, vec![], "a"), (40, vec![], "b"), (2, vec![0, 1, 1], "c")] {
            let mut sink = Collect::new(&log);
            sink.name = name;
            let source = Arc::new(Numbers::new(count, &log));
            graph.add(Pipeline {
                source,
                operators: vec![],
                sink: Arc::new(sink),
                after,
                estimates: vec![],
            });
        }
        Scheduler::new(2).run(graph, context(3)).unwrap();
        let events = log.events.lock().unwrap();
        let at = |what: &str| events.iter().position(|e| e == what).unwrap();
        assert!(at("finalize a") < at("read 2") && at("finalize b") < at("read 2"), "{events:?}");
        assert_eq!(events.last().unwrap(), "finalize c");
    }
}

#[test]
fn the_first_error_ends_the_query_and_later_pipelines_never_start() {
    for threads in [1, 4] {
        let log = Arc::new(Log::default());
        let mut sink = Collect::new(&log);
        sink.fail_at = 17;
        let mut graph = one(Numbers::new(100_000, &log), vec![], sink);
        let (source, sink) = (Arc::new(Numbers::new(1, &log)), Arc::new(Collect::new(&log)));
        graph.add(Pipeline { source, operators: vec![], sink, after: vec![0], estimates: vec![] });
        let error = Scheduler::new(3).run(graph, context(threads)).unwrap_err();
        assert_eq!(error.code(), codes::ILLEGAL_DIVISION);
        assert_eq!(log.finalized.load(Ordering::Relaxed), 0);
        assert!(log.pushed.lock().unwrap().len() < 100_000);
    }
}

#[test]
fn a_panic_is_an_error_and_the_scheduler_goes_on() {
    let scheduler = Scheduler::new(2);
    for threads in [1, 3] {
        let log = Arc::new(Log::default());
        let mut source = Numbers::new(1000, &log);
        source.panic_at = 500;
        let error = scheduler.run(one(source, vec![], Collect::new(&log)), context(threads));
        let error = error.unwrap_err();
        assert_eq!(error.code(), codes::LOGICAL_ERROR);
        assert!(error.message().contains("reader panics"), "{error}");
        let log = Arc::new(Log::default());
        let fine = one(Numbers::new(10, &log), vec![], Collect::new(&log));
        scheduler.run(fine, context(threads)).unwrap();
    }
}

#[test]
fn cancelling_ends_even_a_query_that_is_parked_for_ever() {
    let log = Arc::new(Log::default());
    struct Never;
    impl Source for Never {
        fn name(&self) -> String {
            "Never".into()
        }
        fn reader(&self) -> Result<Box<dyn Reader>> {
            Ok(Box::new(Self))
        }
    }
    impl Reader for Never {
        fn next(&mut self) -> Result<Read> {
            Ok(Read::Pending(Box::new(drop)))
        }
    }
    let mut graph = Graph::default();
    let sink = Arc::new(Collect::new(&log));
    graph.add(Pipeline {
        source: Arc::new(Never),
        operators: vec![],
        sink,
        after: vec![],
        estimates: vec![],
    });
    let context = context(2);
    let cancel = context.cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        cancel.cancel();
    });
    let started = Instant::now();
    let error = Scheduler::new(1).run(graph, context).unwrap_err();
    assert_eq!(error.code(), codes::QUERY_WAS_CANCELLED);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_full_sink_ends_the_source_early() {
    for threads in [1, 3] {
        let log = Arc::new(Log::default());
        let mut sink = Collect::new(&log);
        sink.enough = 10;
        let source = Numbers::new(1_000_000, &log);
        Scheduler::new(2).run(one(source, vec![], sink), context(threads)).unwrap();
        let pushed = log.pushed.lock().unwrap().len();
        assert!((10..20).contains(&pushed), "{pushed}");
        assert_eq!(log.finalized.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn queries_share_the_pool() {
    let scheduler = Scheduler::new(2);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let log = Arc::new(Log::default());
                    let mut source = Numbers::new(200, &log);
                    source.pending_every = 50;
                    scheduler.run(one(source, vec![], Collect::new(&log)), context(3)).unwrap();
                    assert_eq!(log.pushed.lock().unwrap().len(), 200);
                }
            });
        }
    });
}

#[test]
fn a_running_query_can_be_driven_in_pieces_and_dropped() {
    let log = Arc::new(Log::default());
    let scheduler = Scheduler::new(2);
    let graph = one(Numbers::new(1_000_000, &log), vec![], Collect::new(&log));
    let mut running = scheduler.start(graph, context(2));
    let started = || log.pushed.lock().unwrap().len() > 3;
    assert!(!running.work(&started).unwrap());
    assert!(log.pushed.lock().unwrap().len() < 1000);
    drop(running);
    let after = log.pushed.lock().unwrap().len();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(log.pushed.lock().unwrap().len(), after);
}
