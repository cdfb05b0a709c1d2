//! Randomisation tests: what would the difference be, had the same runs been labelled otherwise?
//!
//! All labelings are enumerated where there are few, so that p is exact; beyond, they are drawn
//! from a seed, and p counts the actual labeling among them (Davison and Hinkley 1997, 4.3), so
//! that it is never 0. A labeling that reaches the observed value counts: with few runs the
//! distribution has steps, and `>` would make a test of level 0.01 one of some other level.
//! The smallest p of an exact test is 2 over the number of labelings: 5 pairs never reach 0.05,
//! 5 against 5 runs never 0.001.

use entasis_base::{Result, scope};

use crate::location::exact_rank;
use crate::rng::{Resampling, stream};
use crate::sample::{bad, check, mean};

/// Splits of 8 against 8; as many are enumerated at most.
const ENUMERATED: u64 = 12_870;
/// Pairs up to which all signs are counted.
const EXACT_PAIRS: usize = 30;
/// Sums of the same numbers in another order differ by less than this share of their sizes' sum.
const ROUNDING: f64 = 1e-13;

/// What a test answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Two-sided p value. NaN where sums of the samples overflow: nothing is known then.
    pub p: f64,
    /// Whether the null distribution was counted out, not drawn or approximated.
    pub exact: bool,
    /// Labelings that were looked at; 0 where a formula answered.
    pub labelings: u64,
}

impl Outcome {
    /// Of samples whose sums overflow.
    const OVERFLOW: Self = Self { p: f64::NAN, exact: false, labelings: 0 };
}

/// The comparison of ClickHouse's own system (A. Kuzmenkov, HighLoad++ 2021): D and S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parity {
    /// Median of the old side, as `quantileExact(0.5)` takes it.
    pub old: f64,
    /// Median of the new side.
    pub new: f64,
    /// D: `(new - old) / old`; 0 if the medians are equal, infinite if only the old one is 0.
    pub difference: f64,
    /// S: 0.99 quantile of the distance of the medians over random labelings, over `old`.
    pub threshold: f64,
    /// Whether there is a difference and its size reaches S. The floor on D is the caller's.
    pub significant: bool,
    /// The test that S stands for.
    pub test: Outcome,
}

/// D and S of two sets of runs, in whatever unit: medians as `quantileExact(0.5)`, S as the
/// `quantileExact(0.99)` of `|median - median|` over all relabelings of the pooled runs where
/// there are at most 12,870 (8 against 8), else over seeded draws.
///
/// O(labelings * runs) time, O(labelings) memory.
pub fn parity(old: &[f64], new: &[f64], resampling: Resampling) -> Result<Parity> {
    check("comparison of medians, old side", old, 1)?;
    check("comparison of medians, new side", new, 1)?;
    let mut pool: Vec<(f64, bool)> = old.iter().map(|&x| (x, true)).collect();
    pool.extend(new.iter().map(|&x| (x, false)));
    pool.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (ranks_old, ranks_new) = (exact_rank(old.len(), 0.5), exact_rank(new.len(), 0.5));
    // In ascending order the median of a side is the runs with its label, counted off.
    let medians = |is_old: &mut dyn FnMut(usize) -> bool| {
        let (mut seen_old, mut seen_new) = (0, 0);
        let (mut median_old, mut median_new) = (f64::NAN, f64::NAN);
        for (at, &(value, _)) in pool.iter().enumerate() {
            let (seen, rank, median) = if is_old(at) {
                (&mut seen_old, ranks_old, &mut median_old)
            } else {
                (&mut seen_new, ranks_new, &mut median_new)
            };
            if *seen == rank {
                *median = value;
            }
            *seen += 1;
        }
        (median_old, median_new)
    };
    let (median_old, median_new) = medians(&mut |at| pool[at].1);
    let observed = (median_new - median_old).abs();
    let mut distances = Vec::new();
    let (count, exact) = labelings(pool.len(), old.len(), resampling, |labels| {
        let (a, b) = medians(&mut |at| labels[at]);
        distances.push((b - a).abs());
    });
    if distances.is_empty() {
        return Err(no_draws());
    }
    let reached = distances.iter().filter(|d| **d >= observed).count() as u64;
    let rank = exact_rank(distances.len(), 0.99);
    let threshold = *distances.select_nth_unstable_by(rank, f64::total_cmp).1;
    let relative = |d: f64| if d == 0.0 { 0.0 } else { d / median_old.abs() };
    Ok(Parity {
        old: median_old,
        new: median_new,
        difference: relative(median_new - median_old),
        threshold: relative(threshold),
        significant: observed != 0.0 && observed >= threshold,
        test: Outcome { p: p_value(reached, count, exact), exact, labelings: count },
    })
}

/// The randomisation test on the difference of two means; give it logarithms of times. Exact where
/// there are at most 12,870 splits, else from seeded draws. O(labelings * runs).
pub fn difference_of_means(old: &[f64], new: &[f64], resampling: Resampling) -> Result<Outcome> {
    check("randomisation test, old side", old, 1)?;
    check("randomisation test, new side", new, 1)?;
    let pool: Vec<f64> = old.iter().chain(new).copied().collect();
    // About the common mean, the sum of one side alone says how far the means are apart.
    let centre = mean(&pool);
    let pool: Vec<f64> = pool.iter().map(|x| x - centre).collect();
    let slack = ROUNDING * pool.iter().map(|x| x.abs()).sum::<f64>();
    let observed = pool[..old.len()].iter().sum::<f64>().abs() - slack;
    if !observed.is_finite() {
        return Ok(Outcome::OVERFLOW);
    }
    let mut reached = 0u64;
    let (count, exact) = labelings(pool.len(), old.len(), resampling, |is_old| {
        let sum: f64 = pool.iter().zip(is_old).filter(|(_, o)| **o).map(|(x, _)| x).sum();
        reached += u64::from(sum.abs() >= observed);
    });
    if count == 0 {
        return Err(no_draws());
    }
    Ok(Outcome { p: p_value(reached, count, exact), exact, labelings: count })
}

/// The randomisation test on the mean of paired differences (of logarithms), by changing their
/// signs (Fisher 1935). A tie of exactly zero counts as a pair.
///
/// Exact for up to 30 pairs: sums of both halves are combined after sorting, O(2^(n/2) * n), two
/// milliseconds for 30. Above, seeded draws: O(draws * n).
pub fn sign_flip(differences: &[f64], resampling: Resampling) -> Result<Outcome> {
    check("sign-flip test", differences, 1)?;
    let n = differences.len();
    let slack = ROUNDING * differences.iter().map(|d| d.abs()).sum::<f64>();
    let observed = differences.iter().sum::<f64>().abs() - slack;
    if !observed.is_finite() {
        return Ok(Outcome::OVERFLOW);
    }
    if n <= EXACT_PAIRS {
        let reached = if observed <= 0.0 {
            1 << n
        } else {
            let (left, right) = differences.split_at(n / 2);
            count_beyond(&signed_sums(left), &signed_sums(right), observed)
        };
        let labelings = 1u64 << n;
        return Ok(Outcome { p: reached as f64 / labelings as f64, exact: true, labelings });
    }
    if resampling.draws == 0 {
        return Err(no_draws());
    }
    let mut rng = stream(resampling.seed, &[]);
    let mut reached = 0u64;
    for _ in 0..resampling.draws {
        let mut sum = 0.0;
        for some in differences.chunks(64) {
            let mut signs = rng.next_u64();
            for d in some {
                sum += if signs & 1 == 1 { *d } else { -*d };
                signs >>= 1;
            }
        }
        reached += u64::from(sum.abs() >= observed);
    }
    let labelings = u64::from(resampling.draws);
    Ok(Outcome { p: p_value(reached, labelings, false), exact: false, labelings })
}

/// All sums of the values with signs, in ascending order.
fn signed_sums(values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for value in values {
        sums = sums.iter().flat_map(|sum| [sum + value, sum - value]).collect();
    }
    sums.sort_unstable_by(f64::total_cmp);
    sums
}

/// In how many ways one of each sums to `distance` (positive) or more, on either side of zero.
fn count_beyond(left: &[f64], right: &[f64], distance: f64) -> u64 {
    let beyond = |sum: &f64| {
        let low = right.partition_point(|r| sum + r <= -distance);
        let high = right.partition_point(|r| sum + r < distance);
        (low + right.len() - high) as u64
    };
    left.iter().map(beyond).sum()
}

fn no_draws() -> entasis_base::Error {
    bad("a randomisation test of 0 draws: ask for 1,000 or more".to_owned())
}

/// Exact tests have the actual labeling among the counted; draws get it added.
fn p_value(reached: u64, count: u64, exact: bool) -> f64 {
    let added = u64::from(!exact);
    (reached + added) as f64 / (count + added) as f64
}

/// The number of ways to choose `chosen` of `total`, if it is small enough to go through them.
pub(crate) fn enumerable(total: usize, chosen: usize) -> Option<u64> {
    let chosen = chosen.min(total - chosen);
    let mut ways = 1u64;
    for i in 0..chosen {
        ways = ways * (total - i) as u64 / (i as u64 + 1);
        if ways > ENUMERATED {
            return None;
        }
    }
    Some(ways)
}

/// Calls `f` with labelings of `total` runs, `chosen` of which are marked: with all if there are
/// few, else with random ones. Answers how many there were, and whether they were all.
pub(crate) fn labelings(
    total: usize,
    chosen: usize,
    resampling: Resampling,
    mut f: impl FnMut(&[bool]),
) -> (u64, bool) {
    let mut marked = vec![false; total];
    if let Some(ways) = enumerable(total, chosen) {
        let mut places: Vec<usize> = (0..chosen).collect();
        loop {
            marked.fill(false);
            places.iter().for_each(|&at| marked[at] = true);
            f(&marked);
            // The last place that can move right does, and those after it close up behind.
            let free = (0..chosen).rev().find(|&i| places[i] < total - chosen + i);
            let Some(first) = free else { break };
            let next = places[first] + 1;
            for i in first..chosen {
                places[i] = next + i - first;
            }
        }
        return (ways, true);
    }
    let mut rng = stream(resampling.seed, &[]);
    let mut runs: Vec<usize> = (0..total).collect();
    for _ in 0..resampling.draws {
        scope::check_or_unwind(0);
        marked.fill(false);
        for at in 0..chosen {
            let from = at + rng.below((total - at) as u64) as usize;
            runs.swap(at, from);
            marked[runs[at]] = true;
        }
        f(&marked);
    }
    (u64::from(resampling.draws), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::normal;

    const DRAWS: Resampling = Resampling { seed: 1, draws: 10_000 };

    #[test]
    fn smallest_p_of_two_sides() {
        // The smallest p is two over the number of splits.
        let expected = [(3, 0.10), (5, 0.0079), (6, 0.0022), (7, 0.00058), (8, 0.00016)];
        for (n, p) in expected {
            let old: Vec<f64> = (0..n).map(f64::from).collect();
            let new: Vec<f64> = old.iter().map(|x| x + 100.0).collect();
            let outcome = difference_of_means(&old, &new, DRAWS).unwrap();
            assert!(outcome.exact && (outcome.p / p - 1.0).abs() < 0.05, "{n}: {outcome:?}");
            assert_eq!(outcome.p, 2.0 / outcome.labelings as f64);
            assert_eq!(crate::ranks::rank_sum(&old, &new).unwrap().p, outcome.p);
        }
        assert_eq!(enumerable(22, 11), None);
    }

    #[test]
    fn sums_that_overflow_say_nothing() {
        let large = [1e308; 4];
        for new in [large, [-1e308; 4], [1.0; 4]] {
            let p = difference_of_means(&large, &new, DRAWS).unwrap().p;
            assert!(p.is_nan(), "{p}");
        }
        assert!(sign_flip(&large, DRAWS).unwrap().p.is_nan());
        assert!(sign_flip(&[1e308, -1e308], DRAWS).unwrap().p.is_nan());
        assert_eq!(sign_flip(&[1e307, 1e307], DRAWS).unwrap().p, 0.5);
    }

    #[test]
    fn smallest_p_of_pairs() {
        for (n, p) in [(5, 0.0625), (8, 0.0078), (11, 0.00098), (20, 1.9e-6)] {
            let d: Vec<f64> = (1..=n).map(|i| 1.0 + f64::from(i)).collect();
            let outcome = sign_flip(&d, DRAWS).unwrap();
            assert!(outcome.exact && (outcome.p / p - 1.0).abs() < 0.01, "{n}: {outcome:?}");
            assert_eq!(outcome.p, 2.0 / f64::from(n).exp2());
        }
    }

    #[test]
    fn sign_flips_against_all_of_them() {
        let mut rng = stream(2, &[]);
        for n in 1..13 {
            // Whole numbers make sums equal: ties must count.
            let d: Vec<f64> = (0..n).map(|_| (normal(&mut rng) * 3.0).round()).collect();
            let sum = |signs: u32| -> f64 {
                (0..n).map(|i| if signs >> i & 1 == 1 { -d[i] } else { d[i] }).sum()
            };
            let reached = (0..1u32 << n).filter(|&s| sum(s).abs() >= sum(0).abs()).count();
            let expected = reached as f64 / (n as f64).exp2();
            assert_eq!(sign_flip(&d, DRAWS).unwrap().p, expected, "{d:?}");
        }
    }

    #[test]
    fn draws_agree_with_the_exact_distribution() {
        let mut rng = stream(4, &[]);
        let d: Vec<f64> = (0..31).map(|_| normal(&mut rng) + 0.25).collect();
        let drawn = sign_flip(&d, DRAWS).unwrap();
        let z = d.iter().sum::<f64>() / d.iter().map(|x| x * x).sum::<f64>().sqrt();
        let about = 2.0 * crate::distribution::normal_tail(z.abs());
        assert!(!drawn.exact && (drawn.p - about).abs() < 0.03, "{drawn:?} {about}");
        assert_eq!(drawn, sign_flip(&d, DRAWS).unwrap());
        assert!(sign_flip(&d, Resampling { seed: 1, draws: 0 }).is_err());
        // Every split is drawn equally often: 9 of 18 beside the exact 8 of 16.
        let mut left = [0u32; 18];
        let (count, exact) = labelings(18, 9, DRAWS, |marked| {
            assert_eq!(marked.iter().filter(|m| **m).count(), 9);
            (0..18).for_each(|i| left[i] += u32::from(marked[i]));
        });
        assert!(!exact && count == 10_000);
        assert!(left.iter().all(|&c| c.abs_diff(5000) < 250), "{left:?}");
    }

    #[test]
    fn enumeration_visits_every_split_once() {
        for (total, chosen) in [(1, 1), (1, 0), (6, 3), (7, 2), (16, 8), (100, 2)] {
            let mut seen = std::collections::BTreeSet::new();
            let (count, exact) = labelings(total, chosen, DRAWS, |marked| {
                assert_eq!(marked.iter().filter(|m| **m).count(), chosen);
                assert!(seen.insert(marked.to_vec()));
            });
            assert!(exact);
            assert_eq!(seen.len() as u64, count);
        }
    }

    #[test]
    fn parity_of_separated_and_of_equal_runs() {
        let old = [1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06];
        let new = old.map(|x| x * 2.0);
        let found = parity(&old, &new, DRAWS).unwrap();
        assert_eq!((found.old, found.new), (1.03, 2.06));
        assert!(found.significant && found.test.exact && (found.difference - 1.0).abs() < 1e-12);
        let same = parity(&old, &old, DRAWS).unwrap();
        assert!(!same.significant && same.difference == 0.0 && same.test.p == 1.0);
        // Even numbers of runs: the upper of the middle two.
        assert_eq!(parity(&[1.0, 2.0], &[3.0, 4.0], DRAWS).unwrap().old, 2.0);
        // Metrics that do not vary, metrics that were zero, and no samples.
        let constant = parity(&[5.0; 7], &[5.0; 7], DRAWS).unwrap();
        assert_eq!((constant.threshold, constant.significant), (0.0, false));
        let from_zero = parity(&[0.0; 7], &[5.0; 7], DRAWS).unwrap();
        assert!(from_zero.significant && from_zero.difference == f64::INFINITY);
        assert_eq!(parity(&[0.0; 3], &[0.0; 3], DRAWS).unwrap().difference, 0.0);
        assert!(parity(&[], &[1.0], DRAWS).is_err());
        assert!(parity(&[1.0; 20], &[2.0; 20], Resampling { seed: 0, draws: 0 }).is_err());
    }

    #[test]
    fn parity_threshold_against_all_splits() {
        // By hand: 2 against 2 of 1, 2, 4, 8 with upper medians; six splits.
        let found = parity(&[1.0, 8.0], &[2.0, 4.0], DRAWS).unwrap();
        // Splits {1,2} {4,8}: 2 against 8; {1,4} {2,8}: 4, 8; {1,8} {2,4}: 8, 4; each twice.
        assert_eq!(found.threshold, 6.0 / 8.0);
        assert_eq!((found.difference, found.test.labelings), (-0.5, 6));
        assert_eq!(found.test.p, 1.0);
        let unequal = parity(&[1.0, 2.0, 3.0], &[10.0, 11.0], DRAWS).unwrap();
        assert_eq!(unequal.test.labelings, 10);
    }
}
