//! One number for all queries: the geometric mean of ratios, with an interval that takes into
//! account that queries of one test move together.

use entasis_base::Result;

use crate::location::quantile_of_sorted;
use crate::rng::{Resampling, stream};
use crate::sample::{Interval, bad, check, check_fraction};

/// What has equal weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Every query.
    Query,
    /// Every test, whatever its number of queries, as ClickHouse's report weights them.
    Test,
}

/// A mean log ratio; `sample::percent` or `exp` make a change or a ratio of it and of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanEffect {
    /// Mean of the log ratios: the logarithm of the geometric mean of the ratios.
    pub theta: f64,
    /// Its interval, by bootstrap over tests; unbounded if there are fewer than two tests.
    pub interval: Interval,
    /// Tests that had queries.
    pub tests: usize,
    /// Queries.
    pub queries: usize,
}

/// Geometric mean over the log ratios of queries, `[test][query]`, with the percentile interval of
/// a bootstrap that draws whole tests (cluster bootstrap: Davison and Hinkley 1997, 3.8). With few
/// tests such an interval is somewhat short: about 90 % instead of 95 % for 10 tests.
///
/// Tests without queries are left out; an error if none has any. O(draws * tests).
pub fn geometric_mean(
    tests: &[Vec<f64>],
    weight: Weight,
    confidence: f64,
    resampling: Resampling,
) -> Result<MeanEffect> {
    check_fraction("confidence", confidence)?;
    for test in tests {
        check("geometric mean", test, 0)?;
    }
    if resampling.draws == 0 {
        return Err(bad("a bootstrap of 0 draws: ask for 1,000 or more".to_owned()));
    }
    // A test as the sum and the weight that it brings to the mean.
    let parts: Vec<(f64, f64)> = tests
        .iter()
        .filter(|test| !test.is_empty())
        .map(|test| {
            let (sum, count) = (test.iter().sum::<f64>(), test.len() as f64);
            if weight == Weight::Query { (sum, count) } else { (sum / count, 1.0) }
        })
        .collect();
    let queries = tests.iter().map(Vec::len).sum();
    check("geometric mean", &parts.iter().map(|p| p.0).collect::<Vec<_>>(), 1)?;
    let ratio = |(sum, weight): (f64, f64)| sum / weight;
    let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
    let theta = ratio(parts.iter().copied().fold((0.0, 0.0), add));
    if parts.len() < 2 {
        return Ok(MeanEffect { theta, interval: Interval::ALL, tests: parts.len(), queries });
    }
    let mut rng = stream(resampling.seed, &[]);
    let mut means: Vec<f64> = (0..resampling.draws)
        .map(|_| {
            let drawn = (0..parts.len()).map(|_| parts[rng.below(parts.len() as u64) as usize]);
            ratio(drawn.fold((0.0, 0.0), add))
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    let outside = (1.0 - confidence) / 2.0;
    let low = quantile_of_sorted(&means, outside);
    let high = quantile_of_sorted(&means, 1.0 - outside);
    Ok(MeanEffect { theta, interval: Interval { low, high }, tests: parts.len(), queries })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: Resampling = Resampling { seed: 3, draws: 4000 };

    #[test]
    fn weights() {
        let tests = [vec![0.3], vec![0.0, 0.0, 0.0], vec![]];
        let by = |weight| geometric_mean(&tests, weight, 0.95, DRAWS).unwrap();
        assert!((by(Weight::Query).theta - 0.075).abs() < 1e-15);
        assert!((by(Weight::Test).theta - 0.15).abs() < 1e-15);
        assert_eq!((by(Weight::Test).tests, by(Weight::Test).queries), (2, 4));
        assert_eq!(by(Weight::Query), by(Weight::Query));
    }

    #[test]
    fn clusters_widen_the_interval() {
        // Ten tests of twenty equal queries tell as much as ten queries.
        let mut rng = stream(8, &[]);
        let effects: Vec<f64> = (0..10).map(|_| crate::rng::normal(&mut rng)).collect();
        let clustered: Vec<Vec<f64>> = effects.iter().map(|e| vec![*e; 20]).collect();
        let single: Vec<Vec<f64>> = effects.iter().map(|e| vec![*e]).collect();
        let of = |tests: &[Vec<f64>]| geometric_mean(tests, Weight::Query, 0.9, DRAWS).unwrap();
        assert!((of(&clustered).interval.low - of(&single).interval.low).abs() < 1e-12);
        assert!(of(&single).interval.contains(of(&single).theta));
    }

    #[test]
    fn degenerate_inputs() {
        let of = |tests: &[Vec<f64>]| geometric_mean(tests, Weight::Query, 0.95, DRAWS);
        assert_eq!(of(&[vec![0.1, 0.2]]).unwrap().interval, Interval::ALL);
        assert!(of(&[]).is_err() && of(&[vec![]]).is_err() && of(&[vec![f64::NAN]]).is_err());
        let none = Resampling { seed: 1, draws: 0 };
        assert!(geometric_mean(&[vec![0.1]], Weight::Test, 0.95, none).is_err());
    }
}
