//! How far a counter of one query differs between the sides, in standard errors.

use entasis_stats::location::median;
use entasis_stats::sample::{mean, variance};
use entasis_stats::schedule::Side;

use crate::measure::Sample;

/// One counter of one query.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// Median of the old side's runs.
    pub old: f64,
    /// And of the new side's.
    pub new: f64,
    /// Log ratio, the mean over pairs; none if some value is not positive.
    pub theta: Option<f64>,
    /// The mean difference of pairs in standard errors; infinite if all pairs differ by the same.
    pub z: f64,
    /// Pairs of processes; pairs of runs if there was one pair of processes only.
    pub pairs: usize,
}

/// Old and new values of one pair.
type Pair = [Vec<f64>; 2];

/// Compares the samples of a metric, which come in the order stage, process, run. Pairs of processes
/// of stage 2 count, else pairs of runs of stage 1. `None` for what never varies and for fewer than
/// two pairs. Log ratios are compared if all values are positive, else differences (lab.md 3.10 a).
pub fn counter(samples: &[&Sample]) -> Option<Counter> {
    let first = samples.first()?.value;
    if samples.iter().all(|s| s.value == first) {
        return None;
    }
    let pairs = pairs(samples);
    let all = |side: usize| -> Vec<f64> { pairs.iter().flat_map(|p| p[side].clone()).collect() };
    let (old, new) = (all(0), all(1));
    let positive = old.iter().chain(&new).all(|value| *value > 0.0);
    let middle = |values: &[f64]| -> Option<f64> {
        if !positive {
            return Some(mean(values));
        }
        median(&values.iter().map(|v| v.ln()).collect::<Vec<f64>>()).ok()
    };
    let differences: Vec<f64> =
        pairs.iter().map(|[old, new]| Some(middle(new)? - middle(old)?)).collect::<Option<_>>()?;
    let centre = mean(&differences);
    let error = (variance(&differences)? / differences.len() as f64).sqrt();
    if centre == 0.0 {
        return None;
    }
    Some(Counter {
        old: median(&old).ok()?,
        new: median(&new).ok()?,
        theta: positive.then_some(centre),
        z: centre / error,
        pairs: differences.len(),
    })
}

fn pairs(samples: &[&Sample]) -> Vec<Pair> {
    let last = samples.iter().map(|s| s.stage).max().unwrap_or(0);
    let mut by_process: Vec<Pair> = samples
        .chunk_by(|a, b| (a.stage, a.process) == (b.stage, b.process))
        .filter(|group| group[0].stage == last)
        .map(|group| {
            let of = |side: Side| group.iter().filter(move |s| s.side == side).map(|s| s.value);
            [of(Side::Old).collect(), of(Side::New).collect()]
        })
        .collect();
    by_process.retain(|[old, new]| !old.is_empty() && !new.is_empty());
    if let [[old, new]] = by_process.as_slice() {
        return old.iter().zip(new).map(|(old, new)| [vec![*old], vec![*new]]).collect();
    }
    by_process
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(stage: u8, pairs: &[(&[f64], &[f64])]) -> Vec<Sample> {
        let mut all = Vec::new();
        for (process, (old, new)) in pairs.iter().enumerate() {
            for (side, values) in [(Side::Old, old), (Side::New, new)] {
                for (run, value) in values.iter().enumerate() {
                    let (process, run) = (process as u16, run as u16);
                    let (unit, metric, value) = (0, 0, *value);
                    all.push(Sample { unit, side, stage, process, run, metric, value });
                }
            }
        }
        all
    }

    fn of(all: &[Sample]) -> Option<Counter> {
        let mut all: Vec<&Sample> = all.iter().collect();
        all.sort_by_key(|s| (s.stage, s.process, s.run));
        counter(&all)
    }

    #[test]
    fn pairs_of_processes_are_compared_by_their_ratios() {
        let e = std::f64::consts::E;
        let found = of(&samples(2, &[(&[1.0], &[e]), (&[1.0], &[e.powi(3)])])).unwrap();
        assert_eq!((found.pairs, found.theta), (2, Some(2.0)));
        // Differences 1 and 3: their mean's standard error is 1.
        assert!((found.z - 2.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn constants_are_left_out_and_steps_are_certain() {
        assert_eq!(of(&samples(2, &[(&[3.0], &[3.0]), (&[3.0], &[3.0])])), None);
        assert_eq!(of(&samples(2, &[(&[3.0], &[4.0])])), None);
        let found = of(&samples(2, &[(&[2.0], &[4.0]), (&[2.0], &[4.0])])).unwrap();
        assert!(found.z == f64::INFINITY && found.theta == Some(2.0f64.ln()));
        let found = of(&samples(2, &[(&[0.0], &[1.0]), (&[0.0], &[3.0])])).unwrap();
        assert_eq!((found.theta, found.old, found.new, found.z), (None, 0.0, 2.0, 2.0));
    }

    #[test]
    fn one_pair_of_processes_is_compared_run_by_run_and_stage_2_comes_first() {
        let first = samples(1, &[(&[1.0, 1.0, 1.0], &[2.0, 2.0, 4.0])]);
        assert_eq!(of(&first).unwrap().pairs, 3);
        let mut both = first;
        both.extend(samples(2, &[(&[5.0], &[6.0]), (&[5.0], &[7.0])]));
        let found = of(&both).unwrap();
        assert_eq!((found.pairs, found.old, found.new), (2, 5.0, 6.5));
    }
}
