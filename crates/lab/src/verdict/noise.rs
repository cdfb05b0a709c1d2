//! The sources of a query's noise.

use entasis_base::Result;
use entasis_stats::sample::logs;
use entasis_stats::variance::{Split, split};

use crate::measure::{Sample, are_positive, pairs};

/// Variances of the log ratio of neighbouring runs, new over old, of one query and metric: between
/// builds where `layouts` of them took turns, between pairs of processes, and between runs. Of
/// stage 2 where there is one. What slows both sides down for a while is in none of them, as it is
/// in no verdict. `None` where the samples have no logarithm. O(samples).
///
/// `samples` come in the order stage, process, run.
pub fn noise(samples: &[&Sample], layouts: u16) -> Result<Option<Split>> {
    let stage = samples.iter().map(|s| s.stage).filter(|stage| *stage <= 2).max();
    let own: Vec<&Sample> = samples.iter().copied().filter(|s| Some(s.stage) == stage).collect();
    let mut builds: Vec<Vec<Vec<f64>>> = vec![Vec::new(); usize::from(layouts.max(1))];
    for process in own.chunk_by(|a, b| a.process == b.process) {
        let (number, unit) = (process[0].process, process[0].unit);
        let sides = pairs(process.iter().copied(), None).remove(&unit).unwrap_or_default();
        if !are_positive(&sides) {
            return Ok(None);
        }
        let build = usize::from(number) % builds.len();
        for (old, new) in sides.0.iter().zip(&sides.1) {
            let (old, new) = (logs("old side", old)?, logs("new side", new)?);
            builds[build].push(new.iter().zip(&old).map(|(new, old)| new - old).collect());
        }
    }
    if builds.iter().flatten().all(Vec::is_empty) { Ok(None) } else { split(&builds).map(Some) }
}

#[cfg(test)]
mod tests {
    use entasis_stats::rng::{normal, stream};
    use entasis_stats::schedule::Side;

    use super::*;

    /// Runs of many processes whose builds, processes and runs deviate by so much.
    fn samples(deviations: [f64; 3], layouts: u16) -> Vec<Sample> {
        let mut rng = stream(1, &[]);
        let builds: Vec<f64> = (0..layouts).map(|_| deviations[0] * normal(&mut rng)).collect();
        let mut all = Vec::new();
        for process in 1..=400 {
            // Both sides have it: no noise of the comparison.
            let host = 0.2 * normal(&mut rng);
            let level = builds[usize::from(process % layouts)] + deviations[1] * normal(&mut rng);
            for run in 0..10 {
                let own = level + deviations[2] * normal(&mut rng);
                for (side, effect) in [(Side::Old, 0.0), (Side::New, 0.1 + own)] {
                    let value = (host + effect).exp();
                    let run = 2 * run + u16::from(side == Side::New);
                    all.push(Sample { unit: 3, side, stage: 2, process, run, metric: 0, value });
                }
            }
        }
        all
    }

    fn deviations(samples: &[Sample], layouts: u16) -> [Option<f64>; 3] {
        let found = noise(&samples.iter().collect::<Vec<_>>(), layouts).unwrap().unwrap();
        [found.build, found.process, found.run].map(|variance| variance.map(f64::sqrt))
    }

    #[test]
    fn each_level_gets_its_own() {
        let expected = [0.05, 0.02, 0.04];
        let found = deviations(&samples(expected, 100), 100);
        for (found, expected) in found.into_iter().zip(expected) {
            let found = found.unwrap();
            assert!((found / expected - 1.0).abs() < 0.2, "{found} is not {expected}");
        }
        // One build has nothing to tell a level by.
        let [build, process, run] = deviations(&samples([0.05, 0.02, 0.04], 1), 1);
        assert!(build.is_none() && process.unwrap() < 0.023 && run.unwrap() < 0.042);
    }

    #[test]
    fn runs_that_explain_are_left_out() {
        let mut all = samples([0.0, 0.02, 0.04], 1);
        let alone = deviations(&all, 1);
        let profiled = all[..20].iter().map(|s| Sample { stage: 3, value: s.value * 9.0, ..*s });
        all.extend(profiled.collect::<Vec<_>>());
        assert_eq!(deviations(&all, 1), alone);
        assert_eq!(noise(&[], 1).unwrap(), None);
        all[0].value = 0.0;
        assert_eq!(noise(&all.iter().collect::<Vec<_>>(), 1).unwrap(), None);
    }
}
