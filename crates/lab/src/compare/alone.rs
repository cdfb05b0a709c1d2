//! Peak memory that depends on when threads meet is also measured with one thread.
//!
//! What two threads hold at once varies from run to run, and a few processes cannot show a change
//! of 3 % through that. What one thread holds does not vary (`docs/laboratory.md`, Figures).

use std::collections::HashSet;

use entasis_base::Result;

use super::campaign::Campaign;
use crate::measure::{Deadline, LONE_MEMORY, MEMORY, Pair, Prepared, Sides, Watch};

/// Peaks of one process and side that are further apart, as a share, vary.
const APART: f64 = 0.01;
/// What a run by one thread on both sides costs, in pairs of runs: on two processors.
const PAIRS: f64 = 2.0;

impl<'a> Campaign<'a> {
    /// Reads what a process of stage 1 has counted of these queries, and has one thread run those
    /// whose peaks vary. Answers a pair of processes for more of them.
    pub(super) fn count(
        &mut self,
        mut pair: Pair<'a>,
        units: &[usize],
        end: Deadline,
        prepared: &Prepared,
        watch: &mut dyn Watch,
    ) -> Result<Pair<'a>> {
        self.read_counters(&mut pair, watch);
        let peaks = self.samples.by_unit(MEMORY, 1);
        let varying = |unit: &&usize| peaks.get(&(**unit as u32)).is_some_and(varies);
        self.alone.extend(units.iter().filter(varying));
        for &unit in units {
            if watch.stopped() || !end.fits(self.alone_cost(unit)) {
                break;
            }
            if self.alone.contains(&unit) {
                pair = self.living(pair, prepared, 1, watch)?;
                self.measure_alone(&mut pair, unit);
                self.note_ended(unit, &mut pair, prepared, watch);
            }
        }
        self.read_counters(&mut pair, watch);
        Ok(pair)
    }

    /// Has one thread run a query once on both sides, if its peaks vary.
    pub(super) fn measure_alone(&self, pair: &mut Pair<'_>, unit: usize) {
        if self.alone.contains(&unit) && self.queries[unit].trouble.is_empty() {
            // A query that one thread cannot do within its limits has no such peak.
            let _ = pair.measure_alone(unit);
        }
    }

    /// Seconds of that.
    pub(super) fn alone_cost(&self, unit: usize) -> f64 {
        let cost = self.cost.get(&unit).filter(|_| self.alone.contains(&unit));
        cost.map_or(0.0, |cost| PAIRS * cost.pair)
    }

    /// Takes over which queries a stopped run has had one thread run.
    pub(super) fn alone_before(&self) -> HashSet<usize> {
        self.samples.by_unit(LONE_MEMORY, 1).into_keys().map(|unit| unit as usize).collect()
    }
}

/// Whether runs of one process and side peak at different heights.
fn varies((old, new): &Sides) -> bool {
    old.iter().chain(new).any(|runs| {
        let least = runs.iter().copied().fold(f64::INFINITY, f64::min);
        runs.iter().any(|peak| *peak > least * (1.0 + APART))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_vary_within_a_process_only() {
        assert!(!varies(&(vec![vec![100.0, 100.5], vec![200.0]], vec![vec![103.0, 103.0]])));
        assert!(varies(&(vec![vec![100.0, 100.0]], vec![vec![103.0, 105.0]])));
        assert!(!varies(&Sides::default()));
    }
}
