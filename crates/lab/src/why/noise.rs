//! How sure a difference of times between two sets of profiles is.
//!
//! The unit is a process, not a sample: samples of one process share its memory layout and its
//! machine's mood, so ten thousand of them say little about the next process. Each process gives
//! one number, its share of samples times its query time; their variance is the cluster-robust one
//! (Liang and Zeger 1986) of a mean over clusters of equal weight.
//!
//! With few processes that variance is badly known. It is then drawn towards what the other
//! functions of the same profiles show: all variances are divided by what sampling alone would
//! give, and the ratios moderated as in limma and edgeR (Smyth 2004; Lund and others 2012). It is
//! never taken to be less than its own measured value nor less than sampling alone gives.

use entasis_base::Result;
use entasis_stats::distribution::{normal_above, t_two_sided};
use entasis_stats::sample::{mean, variance};
use entasis_stats::variance::{Prior, fit_prior, moderate};

use super::tally::{Count, SIDES, Taken, Tally};

/// A change stands out beyond this many standard deviations,
pub(super) const LEAST_Z: f64 = 3.0;
/// and from this share of the old side's query time on.
pub(super) const LEAST_SHARE: f64 = 0.01;
/// The largest |z| that is told: beyond, p is no double any more.
pub(super) const MOST_Z: f64 = 38.0;
/// Degrees of freedom that the other functions' variances are worth at most; they are not
/// independent of each other.
const MOST_PRIOR: f64 = 12.0;
/// Functions with so many samples a process, expected, and so many of them, make a prior.
const LEAST_SAMPLES: f64 = 5.0;
const LEAST_FUNCTIONS: usize = 10;

/// Seconds of both sides and how sure their difference is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Seconds of a query on the old side, the mean over processes.
    pub old: f64,
    /// Seconds on the new side.
    pub new: f64,
    /// Standard deviation of the difference; infinite where nothing is known of it.
    pub sd: f64,
    /// The difference in standard deviations of a normal distribution: a t value with few degrees
    /// of freedom is brought to the z of the same p. From -38 to 38.
    pub z: f64,
}

impl Change {
    /// Seconds that the new side takes more.
    pub fn delta(&self) -> f64 {
        self.new - self.old
    }
}

/// What the standard deviations of a comparison rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The differences between processes, two or more on both sides.
    Processes,
    /// One process on some side: the error of sampling alone (binomial, samples pooled). It says
    /// what these processes did, not what the next ones will do.
    Sampling,
}

/// How noisy the profiles of a comparison are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    pub basis: Basis,
    /// Of the ratio of a function's variance to that of sampling.
    prior: Prior,
    /// The old side's query time.
    time: f64,
}

/// Counts of a function or a group in each process.
type Series = [Vec<u64>; 2];

impl Noise {
    /// Looks at all functions' self time. O(functions * processes).
    pub fn new(tally: &Tally) -> Result<Self> {
        let few = tally.processes.iter().any(|side| side.len() < 2);
        let basis = if few { Basis::Sampling } else { Basis::Processes };
        let seconds: Vec<f64> = tally.processes[0].iter().map(|taken| taken.seconds).collect();
        let none = Prior { df: 0.0, variance: 0.0 };
        let mut noise = Self { basis, prior: none, time: mean(&seconds) };
        if few {
            return Ok(noise);
        }
        let history: Vec<(f64, f64)> = (0..tally.names.len())
            .map(|frame| series(tally, &[frame], |count| count.own))
            .filter(|series| SIDES.iter().all(|&side| is_steady(&series[side])))
            .map(|series| {
                let parts = Parts::new(tally, &series);
                (parts.cluster / parts.sampling, parts.df)
            })
            .collect();
        if history.iter().filter(|(ratio, _)| *ratio > 0.0).count() >= LEAST_FUNCTIONS {
            let prior = fit_prior(&history)?;
            noise.prior = Prior { df: prior.df.min(MOST_PRIOR), ..prior };
        }
        Ok(noise)
    }

    /// The change of the self time of functions together.
    pub fn own(&self, tally: &Tally, frames: &[usize]) -> Change {
        self.change(tally, &series(tally, frames, |count| count.own))
    }

    /// The change of a function's total time.
    pub fn total(&self, tally: &Tally, frame: usize) -> Change {
        self.change(tally, &series(tally, &[frame], |count| count.total))
    }

    fn change(&self, tally: &Tally, series: &Series) -> Change {
        let parts = Parts::new(tally, series);
        let [old, new] = parts.means;
        match self.basis {
            Basis::Sampling => change(old, new, parts.sampling, f64::INFINITY),
            Basis::Processes => {
                let ratio = parts.cluster / parts.sampling;
                // Its conditions hold: finite, nothing negative, a degree of freedom.
                let known = moderate(ratio, parts.df, self.prior).map(|m| (m.variance, m.df));
                let (moderated, df) = known.unwrap_or((ratio, parts.df));
                change(old, new, parts.sampling * moderated.max(ratio).max(1.0), df)
            }
        }
    }

    /// The change of the query time itself.
    pub fn time(&self, processes: &[Vec<Taken>; 2]) -> Change {
        let seconds = [0, 1].map(|side: usize| -> Vec<f64> {
            processes[side].iter().map(|taken| taken.seconds).collect()
        });
        let (squares, df) = cluster(&seconds);
        let [old, new] = [mean(&seconds[0]), mean(&seconds[1])];
        match self.basis {
            Basis::Processes => change(old, new, squares, df),
            Basis::Sampling => Change { old, new, sd: f64::INFINITY, z: 0.0 },
        }
    }

    /// Whether a change is large enough to matter and too large for chance.
    pub fn stands_out(&self, change: &Change) -> bool {
        change.z.abs() > LEAST_Z && change.delta().abs() >= LEAST_SHARE * self.time
    }
}

/// A difference with the variance that it has by chance; t with `df` degrees of freedom.
fn change(old: f64, new: f64, variance: f64, df: f64) -> Change {
    let (sd, delta) = (variance.sqrt(), new - old);
    if delta == 0.0 {
        return Change { old, new, sd, z: 0.0 };
    }
    let z = normal_above(t_two_sided(delta / sd, df) / 2.0);
    let z = if z.is_nan() { 0.0 } else { z.clamp(0.0, MOST_Z) };
    Change { old, new, sd, z: z.copysign(delta) }
}

fn is_steady(counts: &[u64]) -> bool {
    counts.iter().sum::<u64>() as f64 >= LEAST_SAMPLES * counts.len() as f64
}

fn series(tally: &Tally, frames: &[usize], of: fn(&Count) -> u64) -> Series {
    SIDES.map(|side| {
        let at = |process: usize| {
            frames.iter().map(|&frame| of(&tally.counts[side][frame][process])).sum()
        };
        (0..tally.processes[side].len()).map(at).collect()
    })
}

/// Means of both sides, and the variance of their difference in two ways.
struct Parts {
    means: [f64; 2],
    /// From the differences between processes; 0 without any.
    cluster: f64,
    /// Of `cluster`, by Welch and Satterthwaite.
    df: f64,
    /// What sampling alone gives. Above 0: half a sample is added, so that a function that was not
    /// seen is not known to take no time.
    sampling: f64,
}

impl Parts {
    fn new(tally: &Tally, series: &Series) -> Self {
        let mut sampling = 0.0;
        let values = SIDES.map(|side| {
            let taken = &tally.processes[side];
            let samples: u64 = taken.iter().map(|taken| taken.samples).sum();
            let seen: u64 = series[side].iter().sum();
            let share = (seen as f64 + 0.5) / (samples as f64 + 1.0);
            let n = taken.len() as f64;
            let of_one =
                |t: &Taken| t.seconds * t.seconds * share * (1.0 - share) / t.samples as f64;
            sampling += taken.iter().map(of_one).sum::<f64>() / (n * n);
            let values = series[side].iter().zip(taken);
            values.map(|(&c, t)| t.seconds * c as f64 / t.samples as f64).collect::<Vec<f64>>()
        });
        let (cluster, df) = cluster(&values);
        Self { means: [mean(&values[0]), mean(&values[1])], cluster, df, sampling }
    }
}

/// Variance of a difference of means, and its degrees of freedom; those of the shorter side where
/// nothing varies.
fn cluster(values: &[Vec<f64>; 2]) -> (f64, f64) {
    let [old, new] = [&values[0], &values[1]].map(|side| {
        let n = side.len() as f64;
        (variance(side).unwrap_or(0.0) / n, (n - 1.0).max(1.0))
    });
    let sum = old.0 + new.0;
    if sum == 0.0 {
        return (0.0, old.1.min(new.1));
    }
    (sum, sum * sum / (old.0 * old.0 / old.1 + new.0 * new.0 / new.1))
}

#[cfg(test)]
mod tests {
    use super::super::stacks::Process;
    use super::*;

    fn side(shares: &[u64], seconds: f64) -> Vec<Process> {
        let stacks =
            |share: u64| vec![(vec!["f".to_owned()], share), (vec!["g".to_owned()], 100 - share)];
        shares.iter().map(|&share| Process { stacks: stacks(share), seconds }).collect()
    }

    #[test]
    fn welch_by_hand() {
        // Shares 10, 20, 30 against 40, 40, 70, of 2 s and 1 s, without a prior: two functions.
        let (old, new) = (side(&[10, 20, 30], 2.0), side(&[40, 40, 70], 1.0));
        let tally = Tally::new([&old, &new]);
        let noise = Noise::new(&tally).unwrap();
        let f = noise.own(&tally, &[0]);
        assert!((f.old - 0.4).abs() < 1e-12 && (f.new - 0.5).abs() < 1e-12);
        let expected = (0.04 / 3.0 + 0.03 / 3.0_f64).sqrt();
        assert!((f.sd - expected).abs() < 1e-12, "{f:?}");
        let df = (0.04 / 3.0 + 0.01_f64).powi(2)
            / ((0.04f64 / 3.0).powi(2) / 2.0 + 0.01f64.powi(2) / 2.0);
        let p = t_two_sided(0.1 / expected, df);
        assert!((2.0 * entasis_stats::distribution::normal_tail(f.z) - p).abs() < 1e-9, "{f:?}");
        // All functions together: nothing but the time.
        let all = noise.own(&tally, &[0, 1]);
        assert!((all.delta() + 1.0).abs() < 1e-12 && noise.stands_out(&all));
    }

    #[test]
    fn one_process_has_the_error_of_sampling() {
        let (old, new) = (side(&[20], 1.0), side(&[40], 1.0));
        let tally = Tally::new([&old, &new]);
        let noise = Noise::new(&tally).unwrap();
        assert_eq!(noise.basis, Basis::Sampling);
        let f = noise.own(&tally, &[0]);
        let of = |k: f64| (k + 0.5) / 101.0 * (1.0 - (k + 0.5) / 101.0) / 100.0;
        assert!((f.sd - (of(20.0) + of(40.0)).sqrt()).abs() < 1e-12, "{f:?}");
        assert!((f.z - 0.2 / f.sd).abs() < 1e-6, "{f:?}");
        let time = noise.time(&tally.processes);
        assert_eq!((time.z, time.sd), (0.0, f64::INFINITY));
    }

    #[test]
    fn equal_counts_are_not_certain() {
        // Nothing varies between processes, yet 10 and 11 samples of 100 are the same.
        let (old, new) = (side(&[10, 10, 10], 1.0), side(&[11, 11, 11], 1.0));
        let tally = Tally::new([&old, &new]);
        let f = Noise::new(&tally).unwrap().own(&tally, &[0]);
        assert!(f.z > 0.0 && f.z < 1.0, "{f:?}");
    }
}
