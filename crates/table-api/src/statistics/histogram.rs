//! Equi-depth histograms: bounds between which lie about as many rows each.
//!
//! Source: G. Piatetsky-Shapiro, C. Connell, "Accurate estimation of the number of tuples satisfying
//! a condition" (1984). A bucket of such a histogram bounds the error of a condition, however the
//! values are distributed; a bucket of equal width does not.

use entasis_types::Value;

use super::order::{compare, is_less, position};

/// The distribution of the values of a column that are not among the most common ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Values of the column, ascending; the first is the least and the last the greatest.
    pub bounds: Vec<Value>,
    /// For each bound the share of the histogram's rows below it: from 0 at the first bound to 1 at
    /// the last. A histogram with one bound has the share 0.
    pub below: Vec<f64>,
    /// The share of all rows of the column that the histogram stands for.
    pub share: f64,
}

impl Histogram {
    /// The share of the histogram's rows below a value, as if values were dense.
    pub(super) fn below(&self, value: &Value) -> f64 {
        let at = self.bounds.partition_point(|bound| is_less(bound, value));
        self.below_at(at, value)
    }

    /// As [`Self::below`], where `at` is the number of bounds below the value.
    pub(super) fn below_at(&self, at: usize, value: &Value) -> f64 {
        match (at.checked_sub(1), at < self.bounds.len()) {
            (None, _) => 0.0,
            (_, false) => 1.0,
            (Some(before), true) => {
                let part = position(value, &self.bounds[before], &self.bounds[at]);
                let (low, high) = (self.below[before], self.below[at]);
                low + (high - low) * part
            }
        }
    }

    /// Adds the least and the greatest value of all rows, which a sample of so many rows does not
    /// have: about one of its rows more would lie beyond each of its ends.
    pub(super) fn stretch(&mut self, min: Option<&Value>, max: Option<&Value>, sampled: u64) {
        if self.bounds.len() < 2 {
            return;
        }
        let tail = 1.0 / (sampled as f64 * self.share + 1.0).max(2.0);
        let is_first = |first: &Value| min.filter(|min| is_less(min, first));
        let is_last = |last: &Value| max.filter(|max| is_less(last, max));
        let min = self.bounds.first().and_then(is_first).cloned();
        let max = self.bounds.last().and_then(is_last).cloned();
        let (before, after) =
            (min.as_ref().map_or(0.0, |_| tail), max.as_ref().map_or(0.0, |_| tail));
        let middle = 1.0 - before - after;
        self.below.iter_mut().for_each(|share| *share = before + *share * middle);
        if let Some(min) = min {
            self.bounds.insert(0, min);
            self.below.insert(0, 0.0);
        }
        if let Some(max) = max {
            self.bounds.push(max);
            self.below.push(1.0);
        }
    }

    /// Whether a value lies between the first and the last bound.
    pub(super) fn spans(&self, value: &Value) -> bool {
        match (self.bounds.first(), self.bounds.last()) {
            (Some(first), Some(last)) => !is_less(value, first) && !is_less(last, value),
            _ => false,
        }
    }

    /// The histogram of distinct values in ascending order with their weights, in at most `buckets`
    /// buckets, which stands for `share` of all rows. `value` answers a value by its place.
    pub(super) fn of_runs(
        weights: &[f64],
        value: impl Fn(usize) -> Value,
        buckets: usize,
        share: f64,
    ) -> Option<Self> {
        let last = weights.len().checked_sub(1)?;
        // The share below a value grows from 0 to 1 between the first and the last.
        let total: f64 = weights[..last].iter().sum();
        let (mut bounds, mut below) = (Vec::new(), Vec::new());
        let (mut sum, mut next) = (0.0, 0.0);
        for (place, weight) in weights.iter().enumerate() {
            if sum >= next || place == last {
                bounds.push(value(place));
                below.push(if place == last && place > 0 { 1.0 } else { sum / total.max(1e-300) });
                let step = total / buckets.max(1) as f64;
                next = ((sum / step).floor() + 1.0) * step - total * 1e-9;
            }
            sum += weight;
        }
        Some(Self { bounds, below, share })
    }

    /// One histogram instead of several with the weights of their rows, and of single values with
    /// theirs. `share` is what it stands for.
    pub(super) fn merge(
        parts: &[(&Self, f64)],
        points: &[(Value, f64)],
        buckets: usize,
        share: f64,
    ) -> Option<Self> {
        let bounds = parts.iter().flat_map(|(part, _)| &part.bounds);
        let mut all: Vec<&Value> = bounds.chain(points.iter().map(|(value, _)| value)).collect();
        all.sort_by(|a, b| compare(a, b).unwrap_or(std::cmp::Ordering::Equal));
        all.dedup_by(|a, b| compare(a, b).is_none_or(std::cmp::Ordering::is_eq));
        let mut below = vec![0.0; all.len()];
        for (part, weight) in parts {
            let mut at = 0;
            for (sum, value) in below.iter_mut().zip(&all) {
                while at < part.bounds.len() && is_less(&part.bounds[at], value) {
                    at += 1;
                }
                *sum += weight * part.below_at(at, value);
            }
        }
        for (point, weight) in points {
            let from = all.partition_point(|value| !is_less(point, value));
            below[from..].iter_mut().for_each(|sum| *sum += weight);
        }
        // What is between two values counts as the weight of the first of them.
        let last = all.len().checked_sub(1)?;
        let weight = |place: usize| below.get(place + 1).map_or(0.0, |next| next - below[place]);
        let weights: Vec<f64> = (0..=last).map(weight).collect();
        Self::of_runs(&weights, |place| all[place].clone(), buckets, share)
    }
}
