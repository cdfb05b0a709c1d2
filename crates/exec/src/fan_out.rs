//! Work that a sink shares among the threads of its query while it completes its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::{Result, scope};
use entasis_pipeline::{
    Discard, Graph, Pipeline, QueryContext, Read, Reader, Scheduler, Sink, Source,
};

/// Calls `work` with every number below `count`, on as many threads as the query may use. The
/// calling thread takes part and returns when all calls have returned, or one has failed.
pub fn fan_out(
    scheduler: Option<&Scheduler>,
    context: &QueryContext,
    count: usize,
    work: impl Fn(usize) -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    let Some(scheduler) = scheduler.filter(|_| count > 1 && context.max_threads > 1) else {
        return (0..count).try_for_each(work);
    };
    let source = Arc::new(Numbers { count, next: AtomicUsize::new(0), work });
    let mut graph = Graph::default();
    graph.add(Pipeline {
        source: Arc::new(Shared(source)),
        operators: Vec::new(),
        sink: Arc::new(Discard("Work")) as Arc<dyn Sink>,
        after: Vec::new(),
        estimates: Vec::new(),
    });
    // The work belongs to the pipeline that is being completed, also in profiles.
    let context = QueryContext { profile: None, hook: None, ..context.clone() };
    scheduler.run(graph, context)
}

struct Numbers<F> {
    count: usize,
    next: AtomicUsize,
    work: F,
}

struct Shared<F>(Arc<Numbers<F>>);

impl<F: Fn(usize) -> Result<()> + Send + Sync + 'static> Source for Shared<F> {
    fn name(&self) -> String {
        "Work".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Self(Arc::clone(&self.0))))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.0.count)
    }
}

impl<F: Fn(usize) -> Result<()> + Send + Sync + 'static> Reader for Shared<F> {
    fn next(&mut self) -> Result<Read> {
        loop {
            let number = self.0.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.0.count {
                return Ok(Read::Done);
            }
            scope::check()?;
            (self.0.work)(number)?;
        }
    }
}
