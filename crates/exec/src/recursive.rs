//! A common table expression that reads itself, as a source: the plan of its base runs first, then
//! that of its step over the last rows, one evaluation whenever the reader has given out the rows
//! before it. So a limit ends a recursion that would not end.

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
    /// Taken by the one reader.
    state: Mutex<Option<RecursiveReader>>,
}

struct RecursiveReader {
    plan: Recursive,
    context: QueryContext,
    runtime: Runtime,
    /// Rows of the last evaluation that are still to be given out.
    queue: VecDeque<Chunk>,
    /// Evaluations so far; the first is the base.
    evaluations: u64,
    sequence: u64,
    over: bool,
    held: Reservation,
}

/// The source of a recursion's rows.
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
    /// The next evaluation, on this thread and what else the query may use.
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
