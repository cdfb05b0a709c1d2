//! Planted costs: a statement made slower, or hungrier, by a known share. The laboratory plants
//! them to find out which changes it would have seen (`entasis lab power`).
//!
//! A plant works on the pipelines that hold a named step, on the writing of the answer if that is
//! named ("Output"), or on all of it: what a thread does there takes the share longer, in
//! [`burn_planted`], and allocates the share more. Statements without a plant pay one look at a
//! `None` per slice of work.

use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::{MemoryAccount, meter, scope};

use crate::{Pipeline, QueryContext};

/// What is planted. Shares are of one: 0.05 is five percent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plant {
    /// A source, operator or sink whose name begins so, or "Output"; any if empty.
    pub step: String,
    /// Time, over what the work took.
    pub time: f64,
    /// Allocated bytes, over what the work allocated.
    pub allocation: f64,
    /// Peak of memory, over what the statement's was.
    pub peak: f64,
}

impl Plant {
    /// Whether it does anything.
    pub fn is_some(&self) -> bool {
        self.time > 0.0 || self.allocation > 0.0 || self.peak > 0.0
    }

    fn concerns(&self, pipeline: &Pipeline) -> bool {
        let is = |name: String| name.starts_with(&self.step);
        self.step.is_empty()
            || is(pipeline.source.name())
            || is(pipeline.sink.name())
            || pipeline.operators.iter().any(|operator| is(operator.name()))
    }
}

/// A slice of work that costs more than it must, from here to its drop.
pub(crate) struct Planted {
    plant: Arc<Plant>,
    began: Instant,
    allocated: u64,
}

impl Planted {
    /// Begins one, if the statement has a plant in this pipeline.
    #[inline]
    pub fn begin(context: &QueryContext, pipeline: &Pipeline) -> Option<Self> {
        context.plant.as_ref().filter(|plant| plant.concerns(pipeline)).map(Self::of)
    }

    fn of(plant: &Arc<Plant>) -> Self {
        let (began, allocated) = (Instant::now(), meter::allocated());
        Self { plant: Arc::clone(plant), began, allocated }
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        let bytes = meter::allocated().wrapping_sub(self.allocated) as f64 * self.plant.allocation;
        if bytes >= 1.0 {
            drop(black_box(Vec::<u8>::with_capacity(bytes as usize)));
        }
        let time = self.began.elapsed().mul_f64(self.plant.time.max(0.0));
        burn_planted(time);
        events::add(Event::PlantedMicroseconds, time.as_micros() as u64);
    }
}

/// Uses the processor for so long. A function of its own, so that profiles name it.
#[inline(never)]
fn burn_planted(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        (0..64).for_each(|_| spin_loop());
    }
}

/// What is planted behind the pipelines of a statement that answers: in the writing of the answer,
/// and at its end, before which the peak is not known.
pub struct PlantedAnswer {
    plant: Arc<Plant>,
    memory: Arc<MemoryAccount>,
}

impl PlantedAnswer {
    /// Takes it out of a context, if there is any. The pipelines keep the rest.
    pub fn take(context: &mut QueryContext) -> Option<Self> {
        let plant = context.plant.take()?;
        let rest = Plant { peak: 0.0, ..(*plant).clone() };
        context.plant = rest.is_some().then(|| Arc::new(rest));
        Some(Self { plant, memory: Arc::clone(&context.memory) })
    }

    /// A piece of writing, as it costs with what is planted there.
    pub fn write<T>(&self, work: impl FnOnce() -> T) -> T {
        let _planted = OUTPUT.starts_with(&self.plant.step).then(|| Planted::of(&self.plant));
        work()
    }

    /// The answer is written: raises the peak.
    pub fn end(self) {
        raise_peak(&self.plant, &self.memory);
    }
}

/// At a statement's end: raises its peak by the plant's share, to within [`CRUMB`]. What other
/// threads release meanwhile is taken again.
pub(crate) fn raise_peak(plant: &Plant, account: &MemoryAccount) {
    if plant.peak <= 0.0 {
        return;
    }
    // What this thread has not told the account yet counts, too.
    scope::settle();
    let wanted = (account.peak() as f64 * (1.0 + plant.peak)) as u64;
    let mut held = [const { Vec::<u8>::new() }; PIECES];
    for piece in &mut held {
        // Over what is allocated, not what is in use: that may have been reserved only.
        let missing = wanted.saturating_sub(account.allocated());
        if account.peak() >= wanted || missing < CRUMB {
            break;
        }
        // Allocators round up, but no power of two: a peak of 128 KiB would be 2 % too high.
        *piece = black_box(Vec::with_capacity(1 << missing.ilog2()));
        // A limit that this breaks is the statement's business: the next look at it answers.
        scope::settle();
    }
}

/// The name of what comes behind the pipelines: the writing of the answer.
const OUTPUT: &str = "Output";

/// Times that [`raise_peak`] allocates at most: half of what is missing at least, each time.
const PIECES: usize = 64;
/// Bytes that a peak may lack.
const CRUMB: u64 = 64;
