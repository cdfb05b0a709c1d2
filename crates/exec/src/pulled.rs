//! A stream that is pulled: its operators run in the thread that reads. Merge joins read sides that
//! come in order this way, several at a time, without keeping their rows.

use std::collections::VecDeque;
use std::sync::Arc;

use entasis_base::{Result, scope};
use entasis_column::Chunk;
use entasis_pipeline::{
    Flow, Morsel, Operator, OperatorState, Output, Read, Reader, Report, Source,
};

use crate::build::Stream;

/// The source of what the operators of a stream make of its rows. A reader that is alone gets the
/// rows in the order of the stream's source.
pub struct Pulled {
    source: Arc<dyn Source>,
    operators: Vec<Arc<dyn Operator>>,
}

impl Pulled {
    /// The rows of a stream, whose pipelines before it must have ended.
    pub fn source(stream: Stream) -> Arc<dyn Source> {
        let Stream { source, operators, .. } = stream;
        match operators.is_empty() {
            true => source,
            false => Arc::new(Self { source, operators }),
        }
    }
}

impl Source for Pulled {
    fn name(&self) -> String {
        self.source.name()
    }

    fn report(&self) -> Report {
        self.source.report()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let states = self.operators.iter().map(|operator| operator.open());
        Ok(Box::new(PulledReader {
            states: states.collect::<Result<_>>()?,
            reader: self.source.reader()?,
            sequence: None,
            ready: VecDeque::new(),
            is_done: false,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        self.source.morsels()
    }
}

struct PulledReader {
    reader: Box<dyn Reader>,
    states: Vec<Box<dyn OperatorState>>,
    sequence: Option<u64>,
    ready: VecDeque<Morsel>,
    is_done: bool,
}

impl Reader for PulledReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some(morsel) = self.ready.pop_front() {
                return Ok(Read::Chunk(morsel));
            }
            if self.is_done {
                return Ok(Read::Done);
            }
            scope::check()?;
            match self.reader.next()? {
                Read::Chunk(morsel) => self.push(morsel)?,
                Read::Pending(blocked) => return Ok(Read::Pending(blocked)),
                Read::Done => self.finish()?,
            }
        }
    }
}

impl PulledReader {
    fn push(&mut self, morsel: Morsel) -> Result<()> {
        let previous = self.sequence.replace(morsel.sequence);
        if let Some(sequence) = previous.filter(|previous| *previous != morsel.sequence) {
            self.each(sequence, |state, out| state.flush(out))?;
        }
        let (states, ready) = (&mut self.states[..], &mut self.ready);
        let flow = Downstream { states, ready, sequence: morsel.sequence }.push(morsel.chunk)?;
        if let Flow::Enough = flow {
            self.finish()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.is_done = true;
        self.each(self.sequence.unwrap_or(0), |state, out| state.finish(out))
    }

    /// Calls `act` on every operator, in order, with those after it as its output.
    fn each(
        &mut self,
        sequence: u64,
        act: impl Fn(&mut dyn OperatorState, &mut dyn Output) -> Result<Flow>,
    ) -> Result<()> {
        let mut rest = &mut self.states[..];
        while let Some((first, states)) = rest.split_first_mut() {
            let ready = &mut self.ready;
            act(&mut **first, &mut Downstream { states: &mut *states, ready, sequence })?;
            rest = states;
        }
        Ok(())
    }
}

/// The operators after one of them; the last one's output is kept.
struct Downstream<'a> {
    states: &'a mut [Box<dyn OperatorState>],
    ready: &'a mut VecDeque<Morsel>,
    sequence: u64,
}

impl Output for Downstream<'_> {
    fn push(&mut self, chunk: Chunk) -> Result<Flow> {
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        let sequence = self.sequence;
        match self.states.split_first_mut() {
            Some((first, states)) => {
                let ready = &mut *self.ready;
                first.push(chunk, &mut Downstream { states, ready, sequence })
            }
            None => {
                self.ready.push_back(Morsel { sequence, chunk });
                Ok(Flow::More)
            }
        }
    }
}
