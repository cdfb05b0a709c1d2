//! Steps in a query's history: where the ratios of its comparisons changed, and stayed so.
//!
//! `lab history` looks for steps in levels, over all runs of a store. Here the points are ratios of
//! comparisons, as many as are drawn, so that E-divisive alone is asked, without the scan.

use entasis_stats::change::{Change, Confirm, Rules, changes};
use entasis_stats::rng::Resampling;
use entasis_stats::shift::shift;
use serde_json::{Value, json};

use super::data::ratio;
use super::{Extras, Point};

/// Fewer comparisons than this show no step: a mark would rest on a handful of them.
const FEWEST: usize = 12;
/// Smallest step of interest, a log ratio; that of `lab history`.
const LEAST_STEP: f64 = 0.02;
/// Permutations that confirm the steps of a history: nine of them may do as well as what was
/// measured, so that p of a clear step does not hang on the draws.
const DRAWS: u32 = 9999;

/// The steps of a history in the order of time: number of the first comparison after each, and its
/// size as a log ratio (Hodges and Lehmann's shift between its neighbours). None for fewer than
/// twelve comparisons, or where a ratio has no logarithm. Time is that of `changes`; a store's
/// history has 40 comparisons at most, of 500 queries at most.
pub fn steps(points: &[Point]) -> Vec<(usize, f64)> {
    if points.len() < FEWEST {
        return Vec::new();
    }
    let ratios: Vec<f64> = points.iter().map(|point| point.ratio.ln()).collect();
    let found = confirmed(&ratios);
    let cuts: Vec<usize> =
        [0].into_iter().chain(found.iter().map(|c| c.at)).chain([ratios.len()]).collect();
    let step = |cut: &[usize]| {
        let theta = shift(&ratios[cut[0]..cut[1]], &ratios[cut[1]..cut[2]]).ok()?;
        Some((cut[1], theta))
    };
    cuts.windows(3).filter_map(step).collect()
}

/// What permutations confirm, as ratios have outliers, and Student's t would take some of them for
/// steps. Draws are asked only where it finds any: most histories have none.
fn confirmed(ratios: &[f64]) -> Vec<Change> {
    let quick = Rules { least_step: LEAST_STEP, ..Rules::default() };
    let confirm = Confirm::Permutation(Resampling { seed: 0, draws: DRAWS });
    // Infinite points are the only error here: such a history is drawn without marks.
    let found = |rules: Rules| changes(ratios, &rules).unwrap_or_default();
    if found(quick).is_empty() { Vec::new() } else { found(Rules { confirm, ..quick }) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_outliers_near_an_end_are_no_step() {
        // Thousandths.
        let logs: [i16; 40] = [
            -2, 12, 7, 6, 1, -2, 13, -7, -16, -14, 6, 5, 11, 2, 5, 6, 4, 2, 6, -14, -3, 6, 9, 9, 7,
            5, 3, -4, -6, 0, 6, -20, 19, 1, 15, 7, 389, 398, 6, -3,
        ];
        let points = logs.map(|log| Point {
            time: 0.0,
            commit: String::new(),
            ratio: (f64::from(log) / 1000.0).exp(),
        });
        // Student's t takes them for one, with p 0.00004; permutations have 0.02.
        let logs: Vec<f64> = points.iter().map(|point| point.ratio.ln()).collect();
        let student = Rules { least_step: LEAST_STEP, ..Rules::default() };
        assert_eq!(changes(&logs, &student).unwrap().len(), 1);
        assert_eq!(steps(&points), []);
    }
}
