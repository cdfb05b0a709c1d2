//! One worker's part in a pipeline: a reader, operator states and a sink state.

use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, scope};
use entasis_column::Chunk;

use crate::profile::{GraphProfile, Meter};
use crate::{Blocked, Flow, Morsel, OperatorState, Output, Pipeline, Read, Reader, SinkState};

/// After this time a worker turns to another query, if one waits.
const QUANTUM: Duration = Duration::from_millis(10);

/// The states of one worker in one pipeline.
pub(crate) struct Task {
    pub pipeline: usize,
    reader: Box<dyn Reader>,
    operators: Vec<Box<dyn OperatorState>>,
    sink: Box<dyn SinkState>,
    sequence: Option<u64>,
    meter: Option<Meter>,
}

/// How a slice of work ended.
pub(crate) enum Slice {
    /// Everything was read; only [`Task::finish`] is left.
    Finished,
    /// Another query wants the worker, or the owner's stop condition holds.
    Yielded,
    /// The task cannot go on until its waker is called.
    Parked(Blocked),
    /// The query has failed in another task.
    Dropped,
}

/// The remaining operators and the sink; `of` is the pipeline, which knows their names.
struct Downstream<'a> {
    operators: &'a mut [Box<dyn OperatorState>],
    sink: &'a mut dyn SinkState,
    sequence: u64,
    of: &'a Pipeline,
    meter: Option<&'a Meter>,
}

impl Output for Downstream<'_> {
    fn push(&mut self, chunk: Chunk) -> Result<Flow> {
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        let of = self.of;
        // One chunk may become very many on its way, so the query is checked at each of them.
        scope::check().map_err(|e| named(e, of, self.operators.len() + 1))?;
        let step = of.operators.len() - self.operators.len() + 1;
        let before = self.meter.map(|meter| meter.take(step, &chunk));
        let flow = match self.operators.split_first_mut() {
            None => {
                events::one(Event::SinkChunks);
                events::add(Event::SinkRows, chunk.rows as u64);
                let morsel = Morsel { sequence: self.sequence, chunk };
                let pushed = scope::guard(|| {
                    let flow = self.sink.push(morsel)?;
                    scope::check().map(|()| flow)
                });
                pushed.map_err(|e| e.during(of.sink.name()))
            }
            Some((first, operators)) => {
                events::one(Event::OperatorChunks);
                events::add(Event::OperatorRows, chunk.rows as u64);
                let left = operators.len() + 1;
                let (sequence, meter) = (self.sequence, self.meter);
                let mut rest = Downstream { operators, sink: self.sink, sequence, of, meter };
                scope::guard(|| first.push(chunk, &mut rest)).map_err(|e| named(e, of, left))
            }
        };
        if let (Some(meter), Some(before)) = (self.meter, before) {
            meter.enter(before);
        }
        flow
    }
}

/// Names the operator at which `left` operators remain (itself included) in the error, or the
/// source if `left` exceeds the number of operators.
fn named(error: Error, of: &Pipeline, left: usize) -> Error {
    match of.operators.len().checked_sub(left).and_then(|i| of.operators.get(i)) {
        Some(operator) => error.during(operator.name()),
        None => error.during(of.source.name()),
    }
}

impl Task {
    pub fn open(
        pipeline: usize,
        of: &Pipeline,
        profile: Option<&Arc<GraphProfile>>,
    ) -> Result<Self> {
        events::one(Event::PipelineTasksOpened);
        // Created first, so that opening the states counts as the source's time.
        let meter = profile.map(|graph| Meter::new(graph, pipeline));
        Ok(Self {
            meter,
            pipeline,
            sink: of.sink.open()?,
            operators: of.operators.iter().map(|o| o.open()).collect::<Result<_>>()?,
            reader: of.source.reader()?,
            sequence: None,
        })
    }

    /// Works until the input ends, until the task has to wait, until `stop` holds, or until a
    /// quantum has passed and `others_wait`.
    pub fn run(
        &mut self,
        of: &Pipeline,
        failed: &dyn Fn() -> bool,
        stop: &dyn Fn() -> bool,
        others_wait: &dyn Fn() -> bool,
    ) -> Result<Slice> {
        let started = Instant::now();
        if let Some(meter) = &self.meter {
            meter.resume();
        }
        loop {
            if failed() {
                return Ok(Slice::Dropped);
            }
            scope::check()?;
            if of.sink.is_full() {
                break;
            }
            let morsel = match scope::guard(|| self.reader.next())
                .map_err(|e| e.during(of.source.name()))?
            {
                Read::Chunk(morsel) => {
                    events::one(Event::SourceChunks);
                    events::add(Event::SourceRows, morsel.chunk.rows as u64);
                    morsel
                }
                Read::Pending(blocked) => return Ok(self.park(0, blocked)),
                Read::Done => break,
            };
            match self.push(morsel, of)? {
                Flow::More => {}
                Flow::Enough => break,
                // Only the sink's [`Flow::Blocked`] gets here: operators pass it on.
                Flow::Blocked(blocked) => return Ok(self.park(of.operators.len() + 1, blocked)),
            }
            if stop() || (others_wait() && started.elapsed() > QUANTUM) {
                if let Some(meter) = &self.meter {
                    meter.pause(None);
                }
                return Ok(Slice::Yielded);
            }
        }
        Ok(Slice::Finished)
    }

    /// Records that the task waits for a step.
    fn park(&self, step: usize, blocked: Blocked) -> Slice {
        if let Some(meter) = &self.meter {
            meter.pause(Some(step));
        }
        Slice::Parked(blocked)
    }

    fn push(&mut self, morsel: Morsel, of: &Pipeline) -> Result<Flow> {
        let previous = self.sequence.replace(morsel.sequence);
        if let Some(sequence) = previous.filter(|p| *p != morsel.sequence)
            && matches!(self.each(sequence, of, |state, out| state.flush(out))?, Flow::Enough)
        {
            return Ok(Flow::Enough);
        }
        let operators = &mut self.operators[..];
        let sequence = morsel.sequence;
        let meter = self.meter.as_ref();
        let mut all = Downstream { operators, sink: &mut *self.sink, sequence, of, meter };
        all.push(morsel.chunk)
    }

    /// Calls `act` on every operator, in order, with the operators and the sink after it as output.
    fn each(
        &mut self,
        sequence: u64,
        of: &Pipeline,
        act: impl Fn(&mut dyn OperatorState, &mut dyn Output) -> Result<Flow>,
    ) -> Result<Flow> {
        let mut rest = &mut self.operators[..];
        let mut flow = Flow::More;
        while let Some((first, operators)) = rest.split_first_mut() {
            let sink = &mut *self.sink;
            let left = operators.len() + 1;
            let meter = self.meter.as_ref();
            let before = meter.map(|meter| meter.enter(of.operators.len() + 1 - left));
            let mut out = Downstream { operators: &mut *operators, sink, sequence, of, meter };
            let acted = scope::guard(|| act(&mut **first, &mut out));
            if let (Some(meter), Some(before)) = (meter, before) {
                meter.enter(before);
            }
            let acted = acted.map_err(|e| named(e, of, left));
            if matches!(acted?, Flow::Enough) {
                flow = Flow::Enough;
            }
            rest = operators;
        }
        Ok(flow)
    }

    /// Pushes the rows that were held back and hands the sink's state over.
    pub fn finish(mut self, of: &Pipeline) -> Result<()> {
        // These rows are pushed even if the sink would rather wait, as there is no later occasion.
        self.each(self.sequence.unwrap_or(0), of, |state, out| state.finish(out))?;
        drop((self.reader, self.operators));
        if let Some(meter) = &self.meter {
            meter.enter(of.operators.len() + 1);
        }
        let combined = scope::guard(|| self.sink.combine());
        if let Some(meter) = &self.meter {
            meter.pause(None);
        }
        combined.map_err(|e| e.during(of.sink.name()))
    }
}
