//! Counters of a query that differ between the sides.

use super::grouped::Grouped;
use crate::compare::Outcome;
use crate::measure::pairs;
use crate::why::counters::{Basis, Finding, Metric, compare};

/// Counters of a query that are shown at most.
const COUNTERS: usize = 40;
/// Standard errors below which a counter is not shown.
const LEAST_Z: f64 = 2.0;

/// What differs.
pub struct Counted {
    /// Whether runs of one pair of processes are compared, for want of more pairs.
    pub runs: bool,
    /// Counters beyond those that are looked at.
    pub left_out: usize,
    /// The most certain differences first.
    pub rows: Vec<Finding>,
}

impl Counted {
    /// Of a query; none without samples that can be compared.
    pub fn of(outcome: &Outcome, grouped: &Grouped<'_>, unit: u32) -> Option<Self> {
        let metrics = grouped.of(unit).map(|(metric, samples)| {
            // Stage 2 where there is one, as for verdicts; the processor's counters have runs of
            // their own after both.
            let stages = samples.iter().map(|s| s.stage);
            let judged = stages.clone().filter(|stage| *stage <= 2).max();
            let stage = judged.or(stages.max()).unwrap_or_default();
            let last = samples.iter().copied().filter(|s| s.stage == stage);
            let (old, new) = pairs(last, None).remove(&unit).unwrap_or_default();
            Metric { name: outcome.samples.name(metric).to_owned(), old, new }
        });
        let mut rows = compare(&metrics.collect::<Vec<_>>(), 0.95).ok()?.findings;
        let runs = rows.iter().any(|f| f.basis == Basis::Runs);
        let left_out = rows.len().saturating_sub(COUNTERS);
        rows.truncate(COUNTERS);
        rows.retain(|f| f.z.abs() >= LEAST_Z);
        Some(Self { runs, left_out, rows })
    }
}
