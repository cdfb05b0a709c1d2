//! Steps in a query's history: where the ratios of its comparisons changed, and stayed so.
//!
//! `lab history` looks for steps in levels, over all runs of a store. Here the points are ratios of
//! comparisons, as many as are drawn, so that E-divisive alone is asked, without the scan.

use entasis_stats::change::{Rules, changes};
use entasis_stats::shift::shift;
use serde_json::{Value, json};

use super::data::ratio;
use super::{Extras, Point};

/// Fewer comparisons than this show no step: a mark would rest on a handful of them.
const FEWEST: usize = 12;
/// Smallest step of interest, a log ratio; that of `lab history`.
const LEAST_STEP: f64 = 0.02;

/// The steps of a history in the order of time: number of the first comparison after each, and its
/// size as a log ratio (Hodges and Lehmann's shift between its neighbours). None for fewer than
/// twelve comparisons, or where a ratio has no logarithm. Time is that of `changes`; a store's
/// history has 40 comparisons at most, of 500 queries at most.
pub fn steps(points: &[Point]) -> Vec<(usize, f64)> {
    if points.len() < FEWEST {
        return Vec::new();
    }
    let ratios: Vec<f64> = points.iter().map(|point| point.ratio.ln()).collect();
    let rules = Rules { least_step: LEAST_STEP, ..Rules::default() };
    // Infinite points are its only error here: such a history is drawn without marks.
    let found = changes(&ratios, &rules).unwrap_or_default();
    let cuts: Vec<usize> =
        [0].into_iter().chain(found.iter().map(|c| c.at)).chain([ratios.len()]).collect();
    let step = |cut: &[usize]| {
        let theta = shift(&ratios[cut[0]..cut[1]], &ratios[cut[1]..cut[2]]).ok()?;
        Some((cut[1], theta))
    };
    cuts.windows(3).filter_map(step).collect()
}

/// For the page's script: `[place, size]` of each step, by query and metric; those without any are
/// left out.
pub fn data(extras: &Extras) -> Value {
    let of = extras.history.iter().filter_map(|((unit, metric), points)| {
        let steps = steps(points);
        let rows = steps.iter().map(|(at, theta)| json!([at, ratio(*theta)]));
        (!steps.is_empty()).then(|| (format!("{unit} {metric}"), rows.collect::<Value>()))
    });
    Value::Object(of.collect())
}
