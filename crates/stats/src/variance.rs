//! Where the noise comes from: between builds (code layout), between processes, between runs of
//! one process; and what follows for the error of an estimate.
//!
//! The model (Kalibera and Jones 2013): a log time is the side's mean, plus a deviation of the
//! build, one of the process, one of the run, each with its own variance.

use entasis_base::Result;

use crate::distribution::t_quantile;
use crate::sample::{Interval, bad, check, check_fraction, mean, squares};
use crate::special::{digamma, trigamma, trigamma_inverse};

/// How much the variance of a median exceeds that of a mean on normal data: pi / 2.
pub const MEDIAN_FACTOR: f64 = std::f64::consts::FRAC_PI_2;
/// The same for the Hodges-Lehmann estimate: pi / 3.
pub const HODGES_LEHMANN_FACTOR: f64 = std::f64::consts::FRAC_PI_3;

/// Variances of log times by level. `None` where the data has nothing to tell a level by; what it
/// would have is then part of the level below that could be estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Split {
    /// Between builds of the same source; needs two builds.
    pub build: Option<f64>,
    /// Between processes of one build; needs a build of two processes.
    pub process: Option<f64>,
    /// Between runs of one process; needs a process of two runs. Without, it is within `process`.
    pub run: Option<f64>,
}

/// Sums of squares and the coefficients of their expectations.
#[derive(Default)]
struct Sums {
    runs: f64,
    processes: f64,
    builds: f64,
    of_runs: f64,
    of_processes: f64,
    of_builds: f64,
    /// Sum of n_ij^2 / n_i.
    within: f64,
    /// Sum of n_ij^2.
    squares: f64,
    /// Sum of n_i^2.
    build_squares: f64,
}

/// Splits the variance of log times, `[build][process][run]`, by equating the sums of squares of a
/// nested analysis of variance with their expectations (Searle, Casella and McCulloch 1992, ch. 5,
/// the unbalanced case). Levels may have unequal numbers. Estimates below zero become zero.
///
/// Builds and processes without runs are left out. An error without any run. O(runs).
pub fn split(builds: &[Vec<Vec<f64>>]) -> Result<Split> {
    let all: Vec<f64> = builds.iter().flatten().flatten().copied().collect();
    check("variance split", &all, 1)?;
    let s = sums(builds, mean(&all));
    let run_freedom = s.runs - s.processes;
    let run = (run_freedom > 0.0).then(|| s.of_runs / run_freedom);
    // E[SS of processes] = (b - a) run + (N - within) process.
    let process_freedom = s.processes - s.builds;
    let from_run = run.unwrap_or(0.0);
    let process = (process_freedom > 0.0)
        .then(|| ((s.of_processes - process_freedom * from_run) / (s.runs - s.within)).max(0.0));
    // E[SS of builds] = (a - 1) run + (within - squares / N) process
    //   + (N - build_squares / N) build.
    let build = (s.builds > 1.0).then(|| {
        let from_process = (s.within - s.squares / s.runs) * process.unwrap_or(0.0);
        let rest = s.of_builds - (s.builds - 1.0) * from_run - from_process;
        (rest / (s.runs - s.build_squares / s.runs)).max(0.0)
    });
    Ok(Split { build, process, run })
}

fn sums(builds: &[Vec<Vec<f64>>], grand: f64) -> Sums {
    let mut s = Sums::default();
    for build in builds {
        let runs: Vec<f64> = build.iter().flatten().copied().collect();
        if runs.is_empty() {
            continue;
        }
        let (n_build, mean_build) = (runs.len() as f64, mean(&runs));
        s.builds += 1.0;
        s.runs += n_build;
        s.build_squares += n_build * n_build;
        s.of_builds += n_build * (mean_build - grand).powi(2);
        for process in build.iter().filter(|p| !p.is_empty()) {
            let (n, mean_process) = (process.len() as f64, mean(process));
            s.processes += 1.0;
            s.squares += n * n;
            s.within += n * n / n_build;
            s.of_processes += n * (mean_process - mean_build).powi(2);
            s.of_runs += process.iter().map(|x| (x - mean_process).powi(2)).sum::<f64>();
        }
    }
    s
}

/// What history says of a query's variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Degrees of freedom that the history is worth, d0; about 12. Infinite: it is known exactly.
    pub df: f64,
    /// Variance to be expected, s0 squared.
    pub variance: f64,
}

/// The prior that a history of variances suggests, each with its degrees of freedom: by the first
/// two moments of their logarithms (Smyth 2004, section 6.2). Where variances differ no more than
/// by chance, `df` is infinite. O(n).
///
/// Variances of zero are left out, as a metric that does not vary has no place among those that
/// do; an error for fewer than two others, or for numbers out of range.
pub fn fit_prior(history: &[(f64, f64)]) -> Result<Prior> {
    let wrong =
        |&(s2, df): &(f64, f64)| !(s2 >= 0.0 && s2.is_finite() && df > 0.0 && df.is_finite());
    if let Some(at) = history.iter().position(wrong) {
        let (s2, df) = history[at];
        return Err(bad(format!(
            "prior of variances: number {at} (from 0) is {s2} with {df} degrees of freedom, \
             expected finite numbers, the latter positive"
        )));
    }
    let varying: Vec<(f64, f64)> = history.iter().copied().filter(|&(s2, _)| s2 > 0.0).collect();
    // A log variance is that of the truth plus the logarithm of a chi-square over its degrees.
    let logs: Vec<f64> =
        varying.iter().map(|(s2, df)| s2.ln() - digamma(df / 2.0) + (df / 2.0).ln()).collect();
    check("prior of variances (those above zero)", &logs, 2)?;
    let centre = mean(&logs);
    let n = logs.len() as f64;
    let by_chance = varying.iter().map(|(_, df)| trigamma(df / 2.0)).sum::<f64>() / n;
    let spread = squares(&logs) / (n - 1.0) - by_chance;
    if spread <= 0.0 {
        return Ok(Prior { df: f64::INFINITY, variance: centre.exp() });
    }
    let half = trigamma_inverse(spread);
    Ok(Prior { df: 2.0 * half, variance: (centre + digamma(half) - half.ln()).exp() })
}

/// A variance and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moderated {
    /// The variance.
    pub variance: f64,
    /// Degrees of freedom of a t with it.
    pub df: f64,
}

/// A measured variance drawn towards history's, `(d0 s0^2 + v s^2) / (d0 + v)` with `d0 + v`
/// degrees of freedom (Smyth 2004). A query that happened to be quiet five times no longer passes
/// for a precise one. Without history give a prior of `df` 0.
pub fn moderate(variance: f64, df: f64, prior: Prior) -> Result<Moderated> {
    let freedom = prior.df + df;
    let finite = [variance, df, prior.variance].iter().all(|v| v.is_finite() && *v >= 0.0);
    let known = finite && prior.df >= 0.0;
    if !known || freedom <= 0.0 {
        return Err(bad(format!(
            "moderated variance of {variance} ({df} degrees of freedom) and {} ({}) before: \
             expected finite variances, nothing negative, and some degree of freedom",
            prior.variance, prior.df
        )));
    }
    if prior.df == f64::INFINITY {
        return Ok(Moderated { variance: prior.variance, df: prior.df });
    }
    let variance = (prior.df * prior.variance + df * variance) / freedom;
    Ok(Moderated { variance, df: freedom })
}

impl Moderated {
    /// The interval of a mean of `count` differences with this variance: t with `df` degrees.
    pub fn interval(&self, mean: f64, count: usize, confidence: f64) -> Result<Interval> {
        check_fraction("confidence", confidence)?;
        let sd = (self.variance / count as f64).sqrt();
        Ok(Interval::around(mean, t_quantile(f64::midpoint(1.0, confidence), self.df) * sd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{normal, stream};

    #[test]
    fn balanced_data_by_hand() {
        // One build, processes 1 2 | 5 6: MS within 0.5, MS between 16, (16 - 0.5) / 2.
        let found = split(&[vec![vec![1.0, 2.0], vec![5.0, 6.0]]]).unwrap();
        assert_eq!(found, Split { build: None, process: Some(7.75), run: Some(0.5) });
    }

    #[test]
    fn what_cannot_be_told_is_none() {
        let of = |data: &[Vec<Vec<f64>>]| split(data).unwrap();
        assert_eq!(of(&[vec![vec![1.0]]]), Split::default());
        let processes = of(&[vec![vec![1.0], vec![2.0], vec![3.0]]]);
        assert_eq!(processes, Split { build: None, process: Some(1.0), run: None });
        // Empty processes and builds leave no trace.
        let with_holes = of(&[vec![], vec![vec![1.0], vec![], vec![2.0], vec![3.0]]]);
        assert_eq!(with_holes, processes);
        let constant = of(&[vec![vec![2.0; 3]; 2], vec![vec![2.0; 3]; 2]]);
        assert_eq!(constant, Split { build: Some(0.0), process: Some(0.0), run: Some(0.0) });
        assert!(split(&[]).is_err() && split(&[vec![vec![f64::NAN]]]).is_err());
    }

    #[test]
    fn planted_variances_are_recovered_without_bias() {
        let mut rng = stream(11, &[]);
        let mut sums = [0.0; 3];
        let rounds = 12_000;
        for _ in 0..rounds {
            // Unbalanced on purpose.
            let data: Vec<Vec<Vec<f64>>> = [3, 1, 4, 2, 5, 3]
                .iter()
                .map(|&processes| {
                    let build = 3.0 * normal(&mut rng);
                    let process = |i: usize, rng: &mut _| {
                        let of_process = build + 2.0 * normal(rng);
                        (0..=(i % 4)).map(|_| of_process + normal(rng)).collect()
                    };
                    (0..processes).map(|i| process(i, &mut rng)).collect()
                })
                .collect();
            let found = split(&data).unwrap();
            let parts = [found.build, found.process, found.run];
            sums.iter_mut().zip(parts).for_each(|(s, v)| *s += v.unwrap());
        }
        for (sum, expected) in sums.iter().zip([9.0, 4.0, 1.0]) {
            let average = sum / f64::from(rounds);
            assert!((average / expected - 1.0).abs() < 0.025, "{average} {expected}");
        }
    }

    #[test]
    fn moderation_lies_between() {
        let prior = Prior { df: 12.0, variance: 4.0 };
        let found = moderate(1.0, 4.0, prior).unwrap();
        assert_eq!(found, Moderated { variance: (48.0 + 4.0) / 16.0, df: 16.0 });
        let alone = moderate(1.0, 4.0, Prior { df: 0.0, variance: 9.0 }).unwrap();
        assert_eq!(alone, Moderated { variance: 1.0, df: 4.0 });
        assert!(moderate(1.0, 0.0, Prior { df: 0.0, variance: 9.0 }).is_err());
        assert!(moderate(-1.0, 4.0, prior).is_err() && moderate(f64::NAN, 4.0, prior).is_err());
        let interval = alone.interval(0.0, 4, 0.95).unwrap();
        assert!((interval.high - 2.7764451051977987 / 2.0).abs() < 1e-12, "{interval:?}");
    }

    #[test]
    fn a_planted_prior_is_recovered() {
        // True variances s0^2 d0 / chi2(d0), each measured with 4 to 8 degrees of freedom.
        let mut rng = stream(21, &[]);
        let mut chi2 =
            |df: usize| -> f64 { (0..df).map(|_| normal(&mut rng).powi(2)).sum::<f64>() };
        let history: Vec<(f64, f64)> = (0..20_000)
            .map(|i| {
                let (truth, df) = (4.0 * 12.0 / chi2(12), 4 + i % 5);
                (truth * chi2(df) / df as f64, df as f64)
            })
            .collect();
        let found = fit_prior(&history).unwrap();
        assert!((found.df - 12.0).abs() < 1.5, "{found:?}");
        assert!((found.variance / 4.0 - 1.0).abs() < 0.03, "{found:?}");
        let same: Vec<(f64, f64)> = vec![(2.0, 6.0); 50];
        let known = fit_prior(&same).unwrap();
        assert_eq!(known.df, f64::INFINITY);
        assert_eq!(moderate(1.0, 4.0, known).unwrap().variance, known.variance);
        assert_eq!(
            fit_prior(&[(0.0, 1.0), (2.0, 6.0), (2.0, 6.0)]).unwrap(),
            fit_prior(&same[..2]).unwrap()
        );
        assert!(fit_prior(&[(0.0, 1.0), (2.0, 6.0)]).is_err());
        assert!(fit_prior(&[(1.0, 0.0); 9]).is_err() && fit_prior(&[(f64::NAN, 1.0); 9]).is_err());
    }
}
