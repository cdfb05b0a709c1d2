//! The shift between two samples that are not paired: the median of all differences (Hodges and
//! Lehmann 1963), and its interval from the rank-sum test. On logarithms it is the ratio of two
//! sides, for measurements that were not taken in pairs.

use entasis_base::Result;

use crate::distribution::normal_above;
use crate::location::{longest_tail, smallest};
use crate::sample::{Interval, check, check_fraction, sorted};

/// Up to so many differences the interval's ranks come from the exact distribution.
const EXACT: usize = 2500;

/// The median of all differences `new - old`. O(n log n) time, O(n) memory: differences are
/// counted, not laid out.
pub fn shift(old: &[f64], new: &[f64]) -> Result<f64> {
    let sides = Sides::new("shift", old, new)?;
    let count = sides.count();
    let lower = sides.difference(count.div_ceil(2));
    let upper = if count % 2 == 1 { lower } else { sides.difference(count / 2 + 1) };
    Ok(f64::midpoint(lower, upper))
}

/// The interval of [`shift`] without an assumption but that one side is the other, shifted
/// (Hollander and Wolfe, section 4.3).
///
/// Exact for up to 2,500 differences without ties, O(differences^2) time; normal approximation
/// above, O(n log n). Both ends are infinite if there are too few samples for the confidence
/// (below 4 against 4 for 95 %).
pub fn shift_interval(old: &[f64], new: &[f64], confidence: f64) -> Result<Interval> {
    check_fraction("confidence", confidence)?;
    let sides = Sides::new("interval of a shift", old, new)?;
    let outside = (1.0 - confidence) / 2.0;
    let Some(dropped) = dropped_differences(old.len(), new.len(), outside) else {
        return Ok(Interval::ALL);
    };
    let low = sides.difference(dropped + 1);
    let high = sides.difference(sides.count() - dropped);
    Ok(Interval { low, high })
}

/// How many differences may be cut off at each end: the largest k for which Mann and Whitney's U is
/// at most k with probability `outside` or less.
fn dropped_differences(old: usize, new: usize, outside: f64) -> Option<u64> {
    if old.saturating_mul(new) > EXACT {
        let (a, b) = (old as f64, new as f64);
        let sd = (a * b * (a + b + 1.0) / 12.0).sqrt();
        let rank = a * b / 2.0 - 0.5 - normal_above(outside) * sd;
        return (rank >= 0.0).then_some(rank as u64);
    }
    // U has the same distribution if the sides change places; the shorter one takes the memory.
    let (old, new) = if old < new { (new, old) } else { (old, new) };
    // In how many orders of `i` old and `j` new runs a new one follows an old one u times, by the
    // last run: a new one follows all `i`, an old one adds nothing.
    let size = old * new + 1;
    let mut by_new = vec![vec![0.0; size]; new + 1];
    by_new.iter_mut().for_each(|ways| ways[0] = 1.0);
    for i in 1..=old {
        for j in 1..=new {
            let (before, from) = by_new.split_at_mut(j);
            for u in i..size {
                from[0][u] += before[j - 1][u - i];
            }
        }
    }
    longest_tail(&by_new[new], outside)
}

/// Both sides in ascending order.
struct Sides {
    old: Vec<f64>,
    new: Vec<f64>,
}

impl Sides {
    fn new(what: &str, old: &[f64], new: &[f64]) -> Result<Self> {
        check(&format!("{what}, old side"), old, 1)?;
        check(&format!("{what}, new side"), new, 1)?;
        Ok(Self { old: sorted(old), new: sorted(new) })
    }

    fn count(&self) -> u64 {
        self.old.len() as u64 * self.new.len() as u64
    }

    /// The `rank`-th (from 1) difference.
    fn difference(&self, rank: u64) -> f64 {
        smallest(|limit| {
            // A larger old value leaves more new ones within the limit.
            let (mut count, mut within) = (0u64, 0);
            for old in &self.old {
                while within < self.new.len() && self.new[within] - old <= limit {
                    within += 1;
                }
                count += within as u64;
            }
            count >= rank
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::median;
    use crate::rng::{normal, stream};

    #[test]
    fn differences_against_all_of_them() {
        let mut rng = stream(1, &[]);
        for n in 1..15 {
            let mut draw = |count: usize| -> Vec<f64> {
                let coarse = n % 2 == 0;
                let value = |x: f64| if coarse { x.round() } else { x };
                (0..count).map(|_| value(2.0 * normal(&mut rng))).collect()
            };
            let (old, new) = (draw(n), draw(16 - n));
            let pairs = old.iter().flat_map(|o| new.iter().map(move |n| n - o));
            let all = sorted(&pairs.collect::<Vec<_>>());
            let sides = Sides::new("", &old, &new).unwrap();
            for (at, expected) in all.iter().enumerate() {
                assert_eq!(sides.difference(at as u64 + 1), *expected + 0.0);
            }
            assert_eq!(shift(&old, &new).unwrap(), median(&all).unwrap());
        }
    }

    #[test]
    fn ranks_match_the_tables() {
        // Critical values of U, two-sided 5 %.
        let expected = [((4, 4), 0), ((5, 5), 2), ((5, 8), 6), ((8, 8), 13), ((10, 10), 23)];
        for ((old, new), critical) in expected {
            assert_eq!(dropped_differences(old, new, 0.025), Some(critical), "{old} {new}");
            assert_eq!(dropped_differences(new, old, 0.025), Some(critical), "{new} {old}");
        }
        assert_eq!(dropped_differences(3, 3, 0.025), None);
        // The approximation continues the exact values: 50 against 50 and 50 against 51.
        let exact = dropped_differences(50, 50, 0.025).unwrap();
        let about = dropped_differences(50, 51, 0.025).unwrap();
        assert!((15..30).contains(&(about - exact)), "{exact} {about}");
    }

    #[test]
    fn intervals_cover() {
        let mut rng = stream(2, &[]);
        for (a, b) in [(6, 9), (60, 70)] {
            let covered = (0..2000).filter(|_| {
                let old: Vec<f64> = (0..a).map(|_| normal(&mut rng)).collect();
                let new: Vec<f64> = (0..b).map(|_| normal(&mut rng) + 2.0).collect();
                shift_interval(&old, &new, 0.95).unwrap().contains(2.0)
            });
            let count = covered.count();
            assert!((1860..=1955).contains(&count), "{a} {b}: {count}");
        }
    }

    #[test]
    fn degenerate_samples() {
        assert_eq!(shift_interval(&[1.0; 3], &[2.0; 3], 0.95).unwrap(), Interval::ALL);
        let equal = shift_interval(&[1.0; 5], &[3.0; 5], 0.95).unwrap();
        assert_eq!(equal, Interval { low: 2.0, high: 2.0 });
        assert_eq!(shift(&[f64::MIN], &[f64::MAX]).unwrap(), f64::MAX);
        assert!(shift(&[], &[1.0]).is_err() && shift(&[1.0], &[f64::NAN]).is_err());
    }
}
