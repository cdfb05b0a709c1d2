//! The processor time of queries, to which the shares of profiles refer, because their samples are
//! milliseconds of a working thread.

use std::collections::HashMap;

use entasis_base::Result;
use entasis_stats::location::{hodges_lehmann, median};
use entasis_stats::paired::differences;

use crate::measure::{CPU_TIME, Samples, Sides, are_positive};
use crate::store::Shown;

/// Functions explain a change if the processor's seconds changed by this share of it or more, the
/// same way. Else something else did: waiting, or fewer threads at once.
const PART: f64 = 0.25;

/// Seconds of a run that the processor worked, all threads together, on either side, by unit; of
/// queries that servers counted them of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Processor(HashMap<u32, [f64; 2]>);

impl Processor {
    /// From all samples: those of stage 2 where there are any. O(samples).
    pub fn of(samples: &Samples) -> Result<Self> {
        let mut all = HashMap::new();
        for stage in [1, 2] {
            for (unit, sides) in samples.by_unit(CPU_TIME, stage) {
                if are_positive(&sides) && !sides.0.is_empty() {
                    all.insert(unit, seconds(&sides)?);
                }
            }
        }
        Ok(Self(all))
    }

    /// What a profile of a query is of, with this verdict on its time: its processor time, or its
    /// time where nobody counted that.
    pub fn seconds(&self, time: &Shown) -> [f64; 2] {
        let known = self.0.get(&time.judged.subject.unit);
        known.copied().unwrap_or_else(|| time.amounts())
    }

    /// The same, if a change of it may be what the verdict is about.
    pub fn explaining(&self, time: &Shown) -> Option<[f64; 2]> {
        let change = |[old, new]: [f64; 2]| new - old;
        let (seconds, whole) = (self.seconds(time), change(time.amounts()));
        let part = change(seconds) * whole.signum() >= PART * whole.abs();
        part.then_some(seconds)
    }
}

/// The old side's median, and what the pairs of processes make of it.
fn seconds((old, new): &Sides) -> Result<[f64; 2]> {
    let middle = median(&old.iter().flatten().copied().collect::<Vec<f64>>())?;
    let theta = hodges_lehmann(&differences(old, new)?)?;
    Ok([middle, middle * theta.exp()])
}
