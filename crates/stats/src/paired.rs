//! The comparison of two sides from their stored runs, which is the basis of a verdict.
//!
//! The unit is a pair of processes. Runs of one process share its memory layout, so together they
//! are one observation; ten runs in one process are not ten samples. The observation is the median
//! over pairs of neighbouring runs, one of each side, because whatever slows the machine down for a
//! tenth of a second slows both (`docs/laboratory.md` has the measurement).

use entasis_base::Result;

use crate::distribution::t_two_sided;
use crate::location::{hodges_lehmann, hodges_lehmann_interval, median};
use crate::permutation::{Outcome, sign_flip};
use crate::rng::Resampling;
use crate::sample::{Interval, bad, check, logs, variance};
use crate::variance::{HODGES_LEHMANN_FACTOR, Moderated, Prior, moderate};

/// What pairs of processes say of an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Pairs of processes.
    pub pairs: usize,
    /// Hodges-Lehmann estimate of the log ratio, new over old.
    pub theta: f64,
    /// Logarithm of the ratio of the medians of all runs, for comparison with ClickHouse's report.
    pub median_ratio: f64,
    /// Standard error of `theta`, by [`pair_variance`] and with history's help.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub df: f64,
    /// The interval by Student's t with this standard error.
    pub interval: Interval,
    /// The interval that assumes symmetry only; unbounded for few pairs.
    pub free_interval: Interval,
    /// p by Student's t: what the history knows of the noise goes into it, so few pairs can do.
    pub p: f64,
    /// The sign-flip test: what these pairs show by themselves.
    pub randomisation: Outcome,
}

/// What each pair of processes says of the log ratio, new over old; runs are times (or bytes) as
/// `[pair][run]`, all positive, those with the same number neighbours in time. The median over
/// pairs of runs; the difference of medians where one side has fewer runs. An error for sides of
/// different lengths or a process without runs.
pub fn differences(old: &[Vec<f64>], new: &[Vec<f64>]) -> Result<Vec<f64>> {
    if old.len() != new.len() {
        return Err(bad(format!(
            "paired comparison of {} processes with {}: expected as many on both sides, \
             leave those without a partner out",
            old.len(),
            new.len()
        )));
    }
    let logs_of = |side: &str, at: usize, runs: &[f64]| {
        let what = format!("{side} side, process {at} (from 0)");
        check(&what, runs, 1)?;
        logs(&what, runs)
    };
    let pairs = old.iter().zip(new).enumerate();
    pairs
        .map(|(at, (old, new))| difference(&logs_of("old", at, old)?, &logs_of("new", at, new)?))
        .collect()
}

/// The same of one pair of processes, from logarithms.
pub fn difference(old: &[f64], new: &[f64]) -> Result<f64> {
    if old.len() != new.len() {
        return Ok(median(new)? - median(old)?);
    }
    median(&new.iter().zip(old).map(|(new, old)| new - old).collect::<Vec<f64>>())
}

/// One pair of so many counts, on either side, as the next one inwards does.
const ROBUST: usize = 8;

/// Variance of one pair's difference and its degrees of freedom, as the error of their
/// Hodges-Lehmann estimate needs it; none of fewer than two pairs.
///
/// From eight pairs on an eighth on either side are drawn in to the next value (Winsorised) and the
/// variance is that of the mean without them (Yuen 1974; Wilcox, Introduction to Robust Estimation,
/// 3.3), which normal data gives the same error as the estimate's. One process in a bad moment then
/// does not hide what the others agree on: the estimate hardly moves for it, and an ordinary
/// variance would.
pub fn pair_variance(differences: &[f64]) -> Option<(f64, f64)> {
    let n = differences.len();
    let drawn = n / ROBUST;
    if drawn == 0 {
        return variance(differences).map(|v| (v, (n - 1) as f64));
    }
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[drawn], sorted[n - 1 - drawn]);
    sorted.iter_mut().for_each(|d| *d = d.clamp(low, high));
    let kept = (n - 2 * drawn) as f64;
    let of_mean = variance(&sorted)? * (n - 1) as f64 / (kept * (kept - 1.0));
    Some((of_mean * n as f64 / HODGES_LEHMANN_FACTOR, kept - 1.0))
}

/// Compares two sides, runs as `[pair][run]`. `prior` is the variance of one pair's difference in
/// the A/A history of this query; without history give it no degrees of freedom, then two pairs
/// or more are needed.
///
/// A standard error of 0 (a metric that does not vary) makes any difference certain and none
/// p = 1. Costs what the sign-flip test costs.
pub fn compare(
    old: &[Vec<f64>],
    new: &[Vec<f64>],
    prior: Prior,
    confidence: f64,
    resampling: Resampling,
) -> Result<Paired> {
    let d = differences(old, new)?;
    check("paired comparison", &d, 1)?;
    let (own, df) = pair_variance(&d).unwrap_or_default();
    let known = moderate(own, df, prior)?;
    // The mean of two is their Hodges-Lehmann estimate; only from three on does it cost anything.
    let factor = if d.len() < 3 { 1.0 } else { HODGES_LEHMANN_FACTOR };
    let of_estimate = Moderated { variance: known.variance * factor, ..known };
    let theta = hodges_lehmann(&d)?;
    let standard_error = (of_estimate.variance / d.len() as f64).sqrt();
    let runs = |side: &[Vec<f64>]| side.iter().flatten().copied().collect::<Vec<f64>>();
    let t = theta / standard_error;
    Ok(Paired {
        pairs: d.len(),
        theta,
        median_ratio: (median(&runs(new))? / median(&runs(old))?).ln(),
        standard_error,
        df: known.df,
        interval: of_estimate.interval(theta, d.len(), confidence)?,
        free_interval: hodges_lehmann_interval(&d, confidence)?,
        p: if theta == 0.0 { 1.0 } else { t_two_sided(t, known.df) },
        randomisation: sign_flip(&d, resampling)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{normal, stream};

    const DRAWS: Resampling = Resampling { seed: 1, draws: 1000 };
    const NOTHING: Prior = Prior { df: 0.0, variance: 0.0 };

    #[test]
    fn a_pair_is_one_observation() {
        let old = vec![vec![1.0, 1.1, 5.0], vec![2.0, 2.0, 2.0]];
        let new = vec![vec![2.2, 2.2, 2.2], vec![4.0, 4.0, 1.0]];
        let d = differences(&old, &new).unwrap();
        assert!(d.iter().all(|d| (d - 2f64.ln()).abs() < 1e-12), "{d:?}");
        let found = compare(&old, &new, NOTHING, 0.95, DRAWS).unwrap();
        assert_eq!((found.pairs, found.df, found.randomisation.p), (2, 1.0, 0.5));
        assert!((found.median_ratio - 1.1f64.ln()).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn errors_name_the_process() {
        let one = || vec![vec![1.0], vec![1.0]];
        let text = |old: &[Vec<f64>], new: &[Vec<f64>]| {
            compare(old, new, NOTHING, 0.95, DRAWS).unwrap_err().to_string()
        };
        assert!(text(&one(), &[vec![1.0]]).contains("2 processes with 1"));
        assert!(
            text(&one(), &[vec![1.0], vec![]]).contains("new side, process 1 (from 0): 0 samples")
        );
        assert!(
            text(&[vec![1.0], vec![0.0]], &one())
                .contains("old side, process 1 (from 0): sample 0")
        );
        assert!(text(&[], &[]).contains("at least 1"));
        assert!(text(&[vec![1.0]], &[vec![2.0]]).contains("degree of freedom"));
    }

    #[test]
    fn intervals_and_p_hold_with_processes_that_differ() {
        // Eight pairs of three runs; the difference of a pair varies by processes and by runs.
        let (between, within) = (0.01, 0.02);
        let rounds = 2000;
        let mut rng = stream(5, &[]);
        let (mut covered, mut free, mut flagged) = (0, 0, 0);
        for _ in 0..rounds {
            let mut side = |effect: f64| -> Vec<Vec<f64>> {
                (0..8)
                    .map(|_| {
                        let process = effect + between * normal(&mut rng);
                        (0..3).map(|_| (process + within * normal(&mut rng)).exp()).collect()
                    })
                    .collect()
            };
            let found = compare(&side(0.0), &side(0.05), NOTHING, 0.95, DRAWS).unwrap();
            covered += u32::from(found.interval.contains(0.05));
            free += u32::from(found.free_interval.contains(0.05));
            let same = compare(&side(0.0), &side(0.0), NOTHING, 0.95, DRAWS).unwrap();
            flagged += u32::from(same.p <= 0.05);
        }
        assert!((1870..=1945).contains(&covered), "{covered}");
        assert!((1880..=1960).contains(&free), "{free}");
        assert!((55..=130).contains(&flagged), "{flagged}");
    }

    #[test]
    fn one_bad_process_hides_nothing() {
        assert_eq!(pair_variance(&[1.0]), None);
        assert_eq!(pair_variance(&[1.0, 3.0]), Some((2.0, 1.0)));
        let (calm, df) = pair_variance(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).unwrap();
        // Drawn in to 2, 2, 3, 4, 5, 6, 7, 7: squares of 30; 6 kept.
        assert!((calm - 30.0 / 30.0 * 8.0 / HODGES_LEHMANN_FACTOR).abs() < 1e-12 && df == 5.0);
        let wild = pair_variance(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 800.0]);
        assert_eq!(wild, Some((calm, df)));

        // Every tenth pair is ten times as noisy.
        let (mut covered, mut flagged, mut found, mut plainly) = (0, 0, 0, 0);
        let mut rng = stream(9, &[]);
        let old = vec![vec![1.0]; 8];
        for _ in 0..2000 {
            let mut noise = |_| {
                let deviation = if rng.below(10) == 0 { 0.1 } else { 0.01 };
                vec![(deviation * normal(&mut rng)).exp()]
            };
            let equal: Vec<Vec<f64>> = (0..8).map(&mut noise).collect();
            let slower: Vec<Vec<f64>> = equal.iter().map(|run| vec![run[0] * 1.05]).collect();
            flagged += u32::from(compare(&old, &equal, NOTHING, 0.95, DRAWS).unwrap().p <= 0.01);
            let shown = compare(&old, &slower, NOTHING, 0.95, DRAWS).unwrap();
            covered += u32::from(shown.interval.contains(1.05f64.ln()));
            found += u32::from(shown.p <= 0.001);
            // With the ordinary variance in its place.
            let all = variance(&differences(&old, &slower).unwrap()).unwrap();
            let error = (all * HODGES_LEHMANN_FACTOR / 8.0).sqrt();
            plainly += u32::from(t_two_sided(shown.theta / error, 7.0) <= 0.001);
        }
        assert!((1870..=1950).contains(&covered), "{covered}");
        assert!(flagged <= 40, "{flagged}");
        assert!(found >= 1700 && plainly <= 1450, "{found} {plainly}");
    }

    #[test]
    fn metrics_that_do_not_vary() {
        let (old, new) = (vec![vec![4.0]; 5], vec![vec![8.0]; 5]);
        let found = compare(&old, &new, NOTHING, 0.95, DRAWS).unwrap();
        assert_eq!((found.p, found.standard_error), (0.0, 0.0));
        assert!((found.theta - 2f64.ln()).abs() < 1e-12);
        assert_eq!(found.interval, Interval::around(found.theta, 0.0));
        let same = compare(&old, &old, NOTHING, 0.95, DRAWS).unwrap();
        assert_eq!((same.p, same.randomisation.p), (1.0, 1.0));
        // One pair, with a history.
        let prior = Prior { df: 12.0, variance: 0.01 };
        let one = compare(&old[..1], &new[..1], prior, 0.95, DRAWS).unwrap();
        assert!(one.p < 1e-4 && one.free_interval == Interval::ALL, "{one:?}");
    }
}
