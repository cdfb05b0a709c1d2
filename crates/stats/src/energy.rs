//! The energy statistic of E-divisive (Matteson and James 2014) for every split of a segment.
//!
//! `Q = n m / (n + m) * (2 E|X - Y| - E|X - X'| - E|Y - Y'|)`, where X is left of the split and Y
//! right of it; it grows with any difference of the two distributions. The textbook sums over all
//! pairs of samples anew for each split. Here the split moves by one sample at a time: that
//! sample's distances to all come from prefix sums over the sorted values, those to the left ones
//! from a Fenwick tree over ranks. So all splits together cost O(n log n) time and O(n) memory.

use entasis_base::scope;

/// A look at the statement after so many samples.
const OFTEN: usize = 1 << 14;

/// The split of a segment where Q is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestSplit {
    /// Number of samples on the left.
    pub at: usize,
    /// Q there.
    pub q: f64,
}

/// A segment's samples, sorted once, so that it can be scanned in other orders, too.
pub(crate) struct Segment {
    /// Ascending, about their median: differences of sums then cancel least.
    values: Vec<f64>,
    /// Sums of the values before each.
    before: Vec<f64>,
    /// The rank of each sample, in the order of the segment.
    pub(crate) ranks: Vec<usize>,
}

impl Segment {
    pub(crate) fn new(samples: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_unstable_by(|&a, &b| samples[a].total_cmp(&samples[b]));
        let centre = order.get(order.len() / 2).map_or(0.0, |&at| samples[at]);
        let mut ranks = vec![0; samples.len()];
        order.iter().enumerate().for_each(|(rank, &at)| ranks[at] = rank);
        let values: Vec<f64> = order.iter().map(|&at| samples[at] - centre).collect();
        let mut before = vec![0.0];
        let mut sum = 0.0;
        for value in &values {
            sum += value;
            before.push(sum);
        }
        Self { values, before, ranks }
    }

    /// Sum of the distances of the value with this rank to all values.
    fn to_all(&self, rank: usize) -> f64 {
        let (x, n) = (self.values[rank], self.values.len());
        let below = x * rank as f64 - self.before[rank];
        below + self.before[n] - self.before[rank] - x * (n - rank) as f64
    }

    /// Calls `f` with every split, samples in the order of `ranks`: number on the left (from 1 to
    /// all but one) and Q.
    fn splits(&self, ranks: &[usize], mut f: impl FnMut(usize, f64)) {
        let n = self.values.len();
        let mut right: f64 = (0..n).map(|rank| self.to_all(rank)).sum::<f64>() / 2.0;
        let total = right;
        let mut left = 0.0;
        let mut tree = Fenwick::new(n);
        for (at, &rank) in ranks.iter().enumerate().take(n.saturating_sub(1)) {
            if at % OFTEN == 0 {
                scope::check_or_unwind(0);
            }
            let x = self.values[rank];
            let (count, sum) = tree.before(rank);
            let to_left = x * count - sum + (tree.sum - sum) - x * (at as f64 - count);
            left += to_left;
            right -= self.to_all(rank) - to_left;
            tree.add(rank, x);
            let across = total - left - right;
            let (a, b) = ((at + 1) as f64, (n - at - 1) as f64);
            let pairs = |k: f64| (k * (k - 1.0) / 2.0).max(1.0);
            let energy = 2.0 * across / (a * b) - left / pairs(a) - right / pairs(b);
            f(at + 1, energy * a * b / (a + b));
        }
    }

    /// The split with the largest Q that leaves `least` samples on each side, the first of equals.
    pub(crate) fn best(&self, ranks: &[usize], least: usize) -> Option<BestSplit> {
        let mut best: Option<BestSplit> = None;
        let allowed = least..=ranks.len().saturating_sub(least);
        self.splits(ranks, |at, q| {
            if allowed.contains(&at) && q > best.map_or(f64::NEG_INFINITY, |b| b.q) {
                best = Some(BestSplit { at, q });
            }
        });
        best
    }

    /// Q of one split, in the segment's own order; 0 where there is none.
    pub(crate) fn q(&self, wanted: usize) -> f64 {
        let mut found = 0.0;
        self.splits(&self.ranks, |at, q| {
            if at == wanted {
                found = q;
            }
        });
        found
    }
}

/// The split of the samples with the largest Q that leaves `least` samples (at least one) on each
/// side. `None` if there are too few, or if sums overflow. O(n log n) time, O(n) memory.
pub fn best_split(samples: &[f64], least: usize) -> Option<BestSplit> {
    let segment = Segment::new(samples);
    segment.best(&segment.ranks, least.max(1))
}

/// Counts and sums of values by rank, with prefixes in O(log n) (Fenwick 1994).
struct Fenwick {
    nodes: Vec<(f64, f64)>,
    sum: f64,
}

impl Fenwick {
    fn new(n: usize) -> Self {
        Self { nodes: vec![(0.0, 0.0); n + 1], sum: 0.0 }
    }

    fn add(&mut self, rank: usize, value: f64) {
        self.sum += value;
        let mut node = rank + 1;
        while node < self.nodes.len() {
            self.nodes[node].0 += 1.0;
            self.nodes[node].1 += value;
            node += node & node.wrapping_neg();
        }
    }

    /// Number and sum of the values with smaller ranks.
    fn before(&self, rank: usize) -> (f64, f64) {
        let (mut count, mut sum) = (0.0, 0.0);
        let mut node = rank;
        while node > 0 {
            count += self.nodes[node].0;
            sum += self.nodes[node].1;
            node &= node - 1;
        }
        (count, sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{normal, stream};

    fn textbook(left: &[f64], right: &[f64]) -> f64 {
        let across: f64 = left.iter().flat_map(|x| right.iter().map(move |y| (x - y).abs())).sum();
        let within = |s: &[f64]| {
            let pairs = (0..s.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let n = s.len() as f64;
            pairs.map(|(i, j)| (s[i] - s[j]).abs()).sum::<f64>() / (n * (n - 1.0) / 2.0).max(1.0)
        };
        let (a, b) = (left.len() as f64, right.len() as f64);
        a * b / (a + b) * (2.0 * across / (a * b) - within(left) - within(right))
    }

    #[test]
    fn all_splits_against_the_textbook() {
        let mut rng = stream(1, &[]);
        for n in 2..40 {
            // Far from zero, and with ties in every third series.
            let samples: Vec<f64> = (0..n)
                .map(|i| 1000.0 + normal(&mut rng) + if i > n / 3 { 2.0 } else { 0.0 })
                .map(|x| if n % 3 == 0 { x.round() } else { x })
                .collect();
            let segment = Segment::new(&samples);
            let mut seen = 0;
            segment.splits(&segment.ranks, |at, q| {
                seen += 1;
                let expected = textbook(&samples[..at], &samples[at..]);
                assert!((q - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{n} {at}");
            });
            assert_eq!(seen, n - 1);
        }
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let samples: Vec<f64> =
            (0..100).map(|i| f64::from(i % 3) + if i < 37 { 0.0 } else { 9.0 }).collect();
        assert_eq!(best_split(&samples, 3).unwrap().at, 37);
    }

    #[test]
    fn degenerate_segments() {
        assert_eq!(best_split(&[], 3), None);
        assert_eq!(best_split(&[1.0; 5], 3), None);
        assert_eq!(best_split(&[1.0; 6], 3), Some(BestSplit { at: 3, q: 0.0 }));
        assert_eq!(best_split(&[1.0, 2.0], 0).unwrap().at, 1);
        // Sums overflow: some answer or none, no panic.
        let _ = best_split(&[f64::MAX, f64::MIN, f64::MAX, f64::MIN], 1);
    }
}
