//! Where the noise of queries comes from, as deviations.

use std::collections::BTreeMap;

use entasis_stats::location::median;
use serde_json::{Value, json};

use super::data::ratio;
use super::grouped::Grouped;
use crate::compare::Outcome;
use crate::verdict::noise;

/// Deviations of the log ratio of neighbouring runs: between runs, between pairs of processes,
/// between builds. None where nothing tells a level by.
pub type Levels = [Option<f64>; 3];

/// Of each query that has samples, by the metric that it is judged by.
pub struct Noise(pub BTreeMap<u32, Levels>);

impl Noise {
    /// From all samples. O(samples).
    pub fn of(outcome: &Outcome, grouped: &Grouped<'_>) -> Self {
        let layouts = outcome.run.layouts();
        let levels = |unit: u32, metric: &str| {
            let (_, samples) =
                grouped.of(unit).find(|(number, _)| outcome.samples.name(*number) == metric)?;
            let found = noise(samples, layouts).ok()??;
            Some([found.run, found.process, found.build].map(|level| level.map(f64::sqrt)))
        };
        let queries = outcome.queries.iter();
        Self(queries.filter_map(|q| Some((q.unit, levels(q.unit, &q.metric)?))).collect())
    }

    /// Medians over all queries.
    pub fn middle(&self) -> Levels {
        [0, 1, 2].map(|level| {
            let all: Vec<f64> = self.0.values().filter_map(|levels| levels[level]).collect();
            median(&all).ok()
        })
    }

    /// For the page's script, in its unit of ratios.
    pub fn data(&self) -> Value {
        let row = |levels: &Levels| levels.map(|level| level.map_or(Value::Null, ratio));
        let of = self.0.iter().map(|(unit, levels)| (unit.to_string(), json!(row(levels))));
        json!({
            "middle": row(&self.middle()),
            "of": of.collect::<serde_json::Map<String, Value>>(),
        })
    }
}
