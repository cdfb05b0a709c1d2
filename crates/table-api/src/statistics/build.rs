//! The most common values and a histogram from a sample.

use entasis_types::Value;

use super::histogram::Histogram;

/// A value that many rows have.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonValue {
    /// The value.
    pub value: Value,
    /// Its share of all rows of the column.
    pub share: f64,
}

/// How much a summary may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryLimits {
    /// The greatest number of common values.
    pub common: usize,
    /// The greatest number of buckets of the histogram.
    pub buckets: usize,
}

/// What a sample says of a column's values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The most common values, the most frequent one first.
    pub common: Vec<CommonValue>,
    /// The distribution of the other values.
    pub histogram: Option<Histogram>,
    /// The number of rows that were sampled.
    pub sampled: u64,
}

/// A value counts as common if the sample has it so often at least.
const LEAST_COUNT: u32 = 3;

impl Summary {
    /// A summary of a sample of `sampled` rows, including NULLs and values without an order.
    ///
    /// `counts` are the numbers of occurrences of the distinct values in ascending order, `value`
    /// answers a value by its place among them, and `distinct` is the estimated number of distinct
    /// values of all rows. `None` for `value` keeps a value out of the list of common ones.
    pub fn of_sample(
        counts: &[u32],
        sampled: u64,
        distinct: u64,
        limits: SummaryLimits,
        value: impl Fn(usize) -> Option<Value>,
        bound: impl Fn(usize) -> Value,
    ) -> Self {
        let total: f64 = counts.iter().map(|&n| f64::from(n)).sum();
        let all = sampled.max(1) as f64;
        let distinct = distinct.max(counts.len() as u64);
        // With few values, all of them are listed. Otherwise those that are not merely frequent by
        // chance: more than four standard deviations above the average, and two rows, because
        // many values have their chance.
        let average = total / distinct.max(1) as f64;
        let least = match distinct <= limits.common as u64 {
            true => 1,
            false => LEAST_COUNT.max((average + 4.0 * average.sqrt() + 2.0).ceil() as u32),
        };
        let mut places: Vec<usize> =
            (0..counts.len()).filter(|&place| counts[place] >= least).collect();
        places.sort_by_key(|&place| (std::cmp::Reverse(counts[place]), place));
        places.truncate(limits.common);
        let mut is_common = vec![false; counts.len()];
        let mut common = Vec::with_capacity(places.len());
        for place in places {
            if let Some(value) = value(place) {
                is_common[place] = true;
                common.push(CommonValue { value, share: f64::from(counts[place]) / all });
            }
        }
        let rest: Vec<usize> = (0..counts.len()).filter(|&place| !is_common[place]).collect();
        let weights: Vec<f64> = rest.iter().map(|&place| f64::from(counts[place])).collect();
        let share = weights.iter().sum::<f64>() / all;
        let histogram =
            Histogram::of_runs(&weights, |place| bound(rest[place]), limits.buckets, share);
        Self { common, histogram, sampled }
    }
}
