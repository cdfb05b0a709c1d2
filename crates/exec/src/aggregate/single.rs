//! Aggregation without keys: each worker has one state per aggregate; they are merged at the end.

use std::sync::{Arc, Mutex};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Reservation, Result};
use entasis_column::{Chunk, Column};
use entasis_function::States;
use entasis_pipeline::{Flow, Morsel, QueryContext, Read, Reader, Sink, SinkState, Source};

use super::{Call, Spec};

struct Shared {
    spec: Spec,
    workers: Mutex<Vec<Vec<Box<dyn States>>>>,
    row: Mutex<Option<Chunk>>,
}

/// The sink and the source of an aggregation without keys.
pub fn create(spec: Spec) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let shared = Shared { spec, workers: Mutex::default(), row: Mutex::default() };
    let shared = Arc::new(shared);
    (Arc::new(SingleSink(Arc::clone(&shared))), Arc::new(SingleSource(shared)))
}

/// The row of aggregates over given chunks.
pub fn one_row(calls: &[Call], chunks: &[Chunk]) -> Result<Chunk> {
    let mut columns = Vec::with_capacity(calls.len());
    for (function, places) in calls {
        let mut states = function.states();
        states.resize(1);
        for chunk in chunks {
            let args: Vec<Column> = places.iter().map(|p| chunk.columns[*p].clone()).collect();
            states.update_one(&args, chunk.rows, 0)?;
        }
        columns.push(states.finish(0..1)?);
    }
    Ok(Chunk::new(columns, 1))
}

struct SingleSink(Arc<Shared>);

fn new_states(spec: &Spec) -> Vec<Box<dyn States>> {
    let one = |call: &(Arc<dyn entasis_function::Aggregate>, Vec<usize>)| {
        let mut states = call.0.states();
        states.resize(1);
        states
    };
    spec.calls.iter().map(one).collect()
}

impl Sink for SingleSink {
    fn name(&self) -> String {
        "Aggregating".to_string()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Worker {
            states: new_states(&self.0.spec),
            shared: Arc::clone(&self.0),
            reservation: Reservation::new(&self.0.spec.account),
            rows: 0,
        }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let workers = std::mem::take(&mut *lock(&self.0.workers));
        let mut workers = workers.into_iter();
        let mut states = workers.next().unwrap_or_else(|| new_states(&self.0.spec));
        for mut other in workers {
            for (mine, theirs) in states.iter_mut().zip(&mut other) {
                mine.merge(&mut **theirs, &[0], &[0])?;
            }
        }
        let columns: Result<Vec<Column>> = states.iter_mut().map(|s| s.finish(0..1)).collect();
        *lock(&self.0.row) = Some(Chunk::new(columns?, 1));
        Ok(())
    }
}

struct Worker {
    shared: Arc<Shared>,
    states: Vec<Box<dyn States>>,
    reservation: Reservation,
    /// Rows since the memory of the states was last counted.
    rows: usize,
}

const COUNT_EVERY: usize = 1 << 16;

impl SinkState for Worker {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let chunk = morsel.chunk;
        events::add(Event::AggregationRowsWithoutKey, chunk.rows as u64);
        let spec = &self.shared.spec;
        let args: Vec<Column> =
            spec.arg_columns.iter().map(|&c| chunk.columns[c].clone()).collect();
        for (i, states) in self.states.iter_mut().enumerate() {
            states.update_one(&spec.args_of(i, &args), chunk.rows, 0)?;
        }
        self.rows += chunk.rows;
        if self.rows >= COUNT_EVERY {
            self.rows = 0;
            self.reservation.cover(self.states.iter().map(|s| s.byte_size()).sum())?;
        }
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        lock(&self.shared.workers).push(self.states);
        Ok(())
    }
}

struct SingleSource(Arc<Shared>);

impl Source for SingleSource {
    fn name(&self) -> String {
        "Aggregated".to_string()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(SingleReader(Arc::clone(&self.0))))
    }

    fn morsels(&self) -> Option<usize> {
        Some(1)
    }
}

struct SingleReader(Arc<Shared>);

impl Reader for SingleReader {
    fn next(&mut self) -> Result<Read> {
        Ok(match lock(&self.0.row).take() {
            Some(chunk) => Read::Chunk(Morsel { sequence: 0, chunk }),
            None => Read::Done,
        })
    }
}
