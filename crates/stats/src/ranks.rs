//! Rank tests: Wilcoxon's signed-rank test of paired differences and rank-sum test of two samples
//! (Wilcoxon 1945), both exact for few samples whatever the ties, normal with the correction for
//! ties and for continuity above.

use entasis_base::Result;

use crate::distribution::normal_tail;
use crate::permutation::{Outcome, enumerable, labelings};
use crate::rng::Resampling;
use crate::sample::check;

/// Up to here the signed-rank test is exact.
const EXACT_SIGNED: usize = 60;

/// The signed-rank test of the hypothesis that differences are symmetric about zero. Differences
/// of zero are left out, as Wilcoxon did; without any other p is 1.
///
/// Exact for up to 60 differences, ties included, by the distribution given their ranks:
/// O(n^3) time, O(n^2) memory. Above, O(n log n).
pub fn signed_rank(differences: &[f64]) -> Result<Outcome> {
    check("signed-rank test", differences, 1)?;
    let moved: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0).collect();
    let sizes: Vec<f64> = moved.iter().map(|d| d.abs()).collect();
    let ranks = doubled_midranks(&sizes);
    let positive: usize = ranks.iter().zip(&moved).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum();
    let total: usize = ranks.iter().sum();
    if moved.len() > EXACT_SIGNED {
        let variance = ranks.iter().map(|&r| (r as f64).powi(2)).sum::<f64>() / 4.0;
        // A step of the sum is two here, since ranks are doubled; half of it is one.
        let away = ((positive as f64 - total as f64 / 2.0).abs() - 1.0).max(0.0);
        let p = (2.0 * normal_tail(away / variance.sqrt())).min(1.0);
        return Ok(Outcome { p, exact: false, labelings: 0 });
    }
    let ways = signed_rank_weights(&ranks);
    let labelings = (moved.len() as f64).exp2();
    let far = positive.min(total - positive);
    let tail: f64 = ways[..=far].iter().sum();
    Ok(Outcome { p: (2.0 * tail / labelings).min(1.0), exact: true, labelings: labelings as u64 })
}

/// In how many ways signs can be given to the ranks so that the positive ones sum to the index.
pub(crate) fn signed_rank_weights(ranks: &[usize]) -> Vec<f64> {
    let mut ways = vec![0.0; ranks.iter().sum::<usize>() + 1];
    ways[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        reached += rank;
        for sum in (rank..=reached).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    ways
}

/// The rank-sum test (Mann and Whitney's U) of the hypothesis that both samples come from one
/// distribution. Exact by enumeration where there are at most 12,870 splits (8 against 8), ties
/// included; normal above. O(n log n).
pub fn rank_sum(old: &[f64], new: &[f64]) -> Result<Outcome> {
    check("rank-sum test, old side", old, 1)?;
    check("rank-sum test, new side", new, 1)?;
    let pool: Vec<f64> = old.iter().chain(new).copied().collect();
    let ranks = doubled_midranks(&pool);
    let (n_old, total) = (old.len(), pool.len());
    // Twice the distance of the rank sum from its mean, in whole numbers.
    let distance = |sum: usize| (2 * sum).abs_diff(2 * n_old * (total + 1));
    let observed: usize = ranks[..n_old].iter().sum();
    if enumerable(total, n_old).is_some() {
        let mut reached = 0u64;
        let none = Resampling { seed: 0, draws: 0 };
        let (count, _) = labelings(total, n_old, none, |is_old| {
            let sum = ranks.iter().zip(is_old).filter(|(_, o)| **o).map(|(r, _)| r).sum();
            reached += u64::from(distance(sum) >= distance(observed));
        });
        return Ok(Outcome { p: reached as f64 / count as f64, exact: true, labelings: count });
    }
    let (a, b, n) = (n_old as f64, new.len() as f64, total as f64);
    // The variance given the ties: that of drawing without replacement from the ranks.
    let centre = n + 1.0;
    let spread: f64 = ranks.iter().map(|&r| (r as f64 - centre).powi(2)).sum();
    let variance = a * b * spread / (n * (n - 1.0));
    if variance == 0.0 {
        return Ok(Outcome { p: 1.0, exact: true, labelings: 0 });
    }
    let away = ((observed as f64 - a * centre).abs() - 1.0).max(0.0);
    let p = (2.0 * normal_tail(away / variance.sqrt())).min(1.0);
    Ok(Outcome { p, exact: false, labelings: 0 })
}

/// Twice the rank (from 1) of each value; equal values share the mean of their ranks. Doubled, so
/// that shared ranks are whole.
pub(crate) fn doubled_midranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0; values.len()];
    let mut start = 0;
    for run in order.chunk_by(|&a, &b| values[a] == values[b]) {
        for &at in run {
            ranks[at] = 2 * start + run.len() + 1;
        }
        start += run.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{normal, stream};

    #[test]
    fn midranks_share() {
        assert_eq!(doubled_midranks(&[10.0, 30.0, 10.0, 20.0]), [3, 8, 3, 6]);
        assert_eq!(doubled_midranks(&[]), [0usize; 0]);
    }

    #[test]
    fn signed_rank_against_all_signs() {
        let mut rng = stream(5, &[]);
        for n in 1..11usize {
            let d: Vec<f64> = (0..n).map(|_| (normal(&mut rng) * 2.0).round() + 0.5).collect();
            let sizes: Vec<f64> = d.iter().map(|x| x.abs()).collect();
            let ranks = doubled_midranks(&sizes);
            let signed = |signs: usize| -> i64 {
                (0..n)
                    .map(|i| if signs >> i & 1 == 1 { ranks[i] as i64 } else { -(ranks[i] as i64) })
                    .sum()
            };
            let actual = (0..n).filter(|&i| d[i] > 0.0).fold(0, |m, i| m | 1 << i);
            let reached = (0..1usize << n).filter(|&s| signed(s).abs() >= signed(actual).abs());
            let expected = reached.count() as f64 / (n as f64).exp2();
            assert!((signed_rank(&d).unwrap().p - expected).abs() < 1e-14, "{d:?}");
        }
    }

    #[test]
    fn degenerate_samples() {
        assert_eq!(signed_rank(&[0.0, 0.0]).unwrap().p, 1.0);
        assert_eq!(signed_rank(&[1.0; 20]).unwrap().p, 2.0 / 20f64.exp2());
        assert!(signed_rank(&[1.0; 100]).unwrap().p < 1e-15);
        assert_eq!(rank_sum(&[1.0; 3], &[1.0; 3]).unwrap().p, 1.0);
        assert_eq!(rank_sum(&[1.0; 30], &[1.0; 30]).unwrap().p, 1.0);
        assert!(rank_sum(&[], &[1.0]).is_err() && signed_rank(&[f64::NAN]).is_err());
    }

    #[test]
    fn normal_approximations_by_hand() {
        // Ranks 1 to 100, every fourth negative: sums 3750 and 1300, mean 2525.
        let d: Vec<f64> = (1..=100).map(|i| f64::from(if i % 4 == 0 { -i } else { i })).collect();
        let deviation = (100.0 * 101.0 * 201.0 / 24.0f64).sqrt();
        let expected = 2.0 * normal_tail((3750.0 - 2525.0 - 0.5) / deviation);
        assert!((signed_rank(&d).unwrap().p / expected - 1.0).abs() < 1e-10);
        // 1 to 40 against 21 to 60, shared values sharing ranks: U by counting pairs.
        let (old, new): (Vec<f64>, Vec<f64>) =
            (0..40).map(|i| (f64::from(i), f64::from(i + 20))).unzip();
        let pairs = old
            .iter()
            .flat_map(|o| new.iter().map(move |n| (n - o).signum() * f64::from(u8::from(n != o))));
        let u = 800.0 + pairs.sum::<f64>() / 2.0;
        let ties = 20.0 * (8.0 - 2.0) / (80.0 * 79.0);
        let deviation = f64::sqrt(1600.0 / 12.0 * (81.0 - ties));
        let expected = 2.0 * normal_tail((u - 800.0 - 0.5) / deviation);
        assert!((rank_sum(&old, &new).unwrap().p / expected - 1.0).abs() < 1e-10);
    }

    #[test]
    fn exact_and_normal_agree_where_they_meet() {
        let mut rng = stream(6, &[]);
        let d: Vec<f64> = (0..61).map(|_| normal(&mut rng) + 0.2).collect();
        let (all, but_one) = (signed_rank(&d).unwrap(), signed_rank(&d[..60]).unwrap());
        assert!(!all.exact && but_one.exact);
        assert!((all.p - but_one.p).abs() < 0.05 + but_one.p, "{all:?} {but_one:?}");
    }
}
