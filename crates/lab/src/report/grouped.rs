//! The samples of a run, grouped by query, so that a look-up for one query does not read all
//! samples.

use crate::measure::{Metric, Sample, Samples};

/// Samples by query.
pub struct Grouped<'a> {
    units: Vec<Vec<&'a Sample>>,
}

impl<'a> Grouped<'a> {
    /// Sorts them once. O(samples); a pointer for each.
    pub fn new(samples: &'a Samples, queries: usize) -> Self {
        let mut units: Vec<Vec<&Sample>> = vec![Vec::new(); queries];
        for sample in samples.rows() {
            if let Some(unit) = units.get_mut(sample.unit as usize) {
                unit.push(sample);
            }
        }
        for unit in &mut units {
            unit.sort_by_key(|s| (s.metric, s.stage, s.process, s.run));
        }
        Self { units }
    }

    /// A query's samples by metric; each in the order stage, process, run.
    pub fn of(&self, unit: u32) -> impl Iterator<Item = (Metric, &[&'a Sample])> {
        let samples = self.units.get(unit as usize).map_or(&[][..], Vec::as_slice);
        samples.chunk_by(|a, b| a.metric == b.metric).map(|group| (group[0].metric, group))
    }
}
