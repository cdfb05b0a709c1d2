//! A recursive common table expression as a source. It runs the plan of the base first, and then
//! repeatedly that of the step over the rows of the last evaluation. Each evaluation starts only
//! when the reader has returned all rows of the one before, so that LIMIT ends an endless
//! recursion.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use entasis_base::events::{self, Event};
use entasis_base::{Error, Reservation, Result, codes};
use entasis_column::{Chunk, Header};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Sink, Source};
use entasis_plan::{Plan, QueryPlan, Recursive};

use crate::{CollectSink, Runtime, execute};
use entasis_base::sync::lock;

struct RecursiveSource {
    name: String,
    /// The only reader; `None` once it was taken.
    state: Mutex<Option<RecursiveReader>>,
}

struct RecursiveReader {
    plan: Recursive,
    context: QueryContext,
    runtime: Runtime,
    /// Rows of the last evaluation that were not returned yet.
    queue: VecDeque<Chunk>,
    /// Number of evaluations so far; the first one is the base.
    evaluations: u64,
    sequence: u64,
    over: bool,
    held: Reservation,
}

/// The source that returns the rows of a recursive expression.
pub fn create(plan: &Recursive, context: &QueryContext, runtime: &Runtime) -> Arc<dyn Source> {
    let reader = RecursiveReader {
        plan: plan.clone(),
        context: context.clone(),
        runtime: runtime.clone(),
        queue: VecDeque::new(),
        evaluations: 0,
        sequence: 0,
        over: false,
        held: Reservation::new(&context.memory.child("RecursiveCTE", 0)),
    };
    let name = format!("Recursive {}", plan.name);
    Arc::new(RecursiveSource { name, state: Mutex::new(Some(reader)) })
}

impl Source for RecursiveSource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        match lock(&self.state).take() {
            Some(reader) => Ok(Box::new(reader)),
            None => Ok(Box::new(Exhausted)),
        }
    }

    fn morsels(&self) -> Option<usize> {
        Some(1)
    }
}

struct Exhausted;

impl Reader for Exhausted {
    fn next(&mut self) -> Result<Read> {
        Ok(Read::Done)
    }
}

impl RecursiveReader {
    /// Runs the next evaluation, with this thread and the others that the query may use.
    fn evaluate(&mut self) -> Result<()> {
        if self.evaluations > self.plan.max_depth {
            let message = format!(
                "Maximum recursive CTE evaluation depth ({}) exceeded, during evaluation of {}. \
                 Consider raising max_recursive_cte_evaluation_depth setting",
                self.plan.max_depth, self.plan.name
            );
            return Err(Error::new(codes::TOO_DEEP_RECURSION, message));
        }
        let root = if self.evaluations == 0 { &self.plan.base } else { &self.plan.step };
        self.evaluations += 1;
        events::one(Event::RecursiveSteps);
        let rows = self.run(root.clone())?;
        self.over = rows.is_empty();
        self.held.set(rows.iter().map(Chunk::byte_size).sum())?;
        self.plan.rows.set(rows.clone());
        self.queue = rows.into();
        Ok(())
    }

    fn run(&self, root: Plan) -> Result<Vec<Chunk>> {
        let (outputs, header) = (root.outputs(), Header::new(Vec::new()));
        let plan = QueryPlan { root, header, outputs, subqueries: Vec::new(), totals: None };
        let sink = CollectSink::create(&self.context);
        execute(&plan, &self.context, &self.runtime, Arc::clone(&sink) as Arc<dyn Sink>)?;
        Ok(sink.take())
    }
}

impl Reader for RecursiveReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some(chunk) = self.queue.pop_front() {
                self.sequence += 1;
                return Ok(Read::Chunk(Morsel { sequence: self.sequence, chunk }));
            }
            if self.over {
                return Ok(Read::Done);
            }
            self.context.cancel.check()?;
            self.evaluate()?;
        }
    }
}
