//! Statistics of a table's columns, for choosing between plans.
//!
//! A table keeps a [`DistinctSketch`] and a sample's [`Summary`] for parts of its rows, and merges
//! them into the [`ColumnStatistics`] of all rows. Everything here is an estimate: rows may have
//! been deleted or changed since, and a sample knows nothing of rare values.
//!
//! Sources: the sketch of distinct values is HyperLogLog (Flajolet et al. 2007, Ertl 2017), the
//! histogram is equi-depth (Piatetsky-Shapiro and Connell 1984), and the samples are stratified: of
//! each run of so many rows one is taken, which needs no replacement as the reservoirs of J. S.
//! Vitter, "Random sampling with a reservoir" (1985), do, and is never less exact than those
//! (W. G. Cochran, "Sampling techniques", 1977, chapter 5).

mod build;
mod histogram;
mod merge;
mod order;
mod sample;
mod sketch;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::ops::Bound;

use entasis_types::Value;

pub use build::{CommonValue, Summary, SummaryLimits};
pub use histogram::Histogram;
pub use sample::{Sampler, distinct_of_sample, summarize};
pub use sketch::DistinctSketch;

use order::{compare, is_less};

/// What a table knows of the values of one column.
///
/// Values are those of the column's type: the number of days of a Date, the bits of a Decimal.
#[derive(Clone, Debug, Default)]
pub struct ColumnStatistics {
    /// The number of rows.
    pub rows: u64,
    /// The number of NULLs.
    pub nulls: u64,
    /// The estimated number of distinct values without NULL; `None` if it is not known.
    pub distinct: Option<u64>,
    /// A value that no row is below. It need not occur; a long text may be cut.
    pub min: Option<Value>,
    /// A value that no row is above. It need not occur.
    pub max: Option<Value>,
    /// The average width of a value in bytes, without any encoding.
    pub average_width: Option<f64>,
    /// The most common values, the most frequent one first.
    pub common: Vec<CommonValue>,
    /// The distribution of the other values; `None` without a sample, or if there are no others.
    pub histogram: Option<Histogram>,
    /// The number of rows in the samples; 0 if only counts and bounds are known.
    pub sampled: u64,
    /// The sketch behind [`Self::distinct`]. Two columns' sketches show how many values they share.
    pub sketch: Option<DistinctSketch>,
}

impl ColumnStatistics {
    /// Statistics of a column of which only the number of rows is known.
    pub fn of_rows(rows: u64) -> Self {
        Self { rows, ..Self::default() }
    }

    /// The share of rows that are NULL.
    pub fn fraction_null(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { (self.nulls as f64 / self.rows as f64).min(1.0) }
    }

    /// The share of rows that are not NULL.
    pub fn fraction_not_null(&self) -> f64 {
        1.0 - self.fraction_null()
    }

    /// The share of all rows that equal a value; `None` if nothing is known to say so. NULL equals
    /// nothing.
    pub fn fraction_equal(&self, value: &Value) -> Option<f64> {
        if value.is_null() || self.rows == 0 || self.is_outside(value) {
            return Some(0.0);
        }
        if let Some(known) = self.common.iter().find(|known| is_equal(&known.value, value)) {
            return Some(known.share);
        }
        self.fraction_of_rare()
    }

    /// The average share of rows of a value that is not among the most common ones.
    pub fn fraction_of_rare(&self) -> Option<f64> {
        let distinct = self.distinct?;
        let rest = self.rare_share();
        let values = distinct.saturating_sub(self.common.len() as u64).max(1) as f64;
        // No other value is more frequent than the least frequent of those that are listed.
        let most = self.common.last().map_or(1.0, |last| last.share);
        Some((rest / values).min(most))
    }

    /// The share of all rows between two bounds; an open bound is [`Bound::Unbounded`]. `None` if
    /// nothing is known to say so. NULL is not within any bounds.
    pub fn fraction_between(&self, lower: Bound<&Value>, upper: Bound<&Value>) -> Option<f64> {
        if self.rows == 0 || self.is_beyond(lower, upper) {
            return Some(0.0);
        }
        if matches!((lower, upper), (Bound::Unbounded, Bound::Unbounded)) {
            return Some(self.fraction_not_null());
        }
        let is_within = |value: &Value| above(lower, value) && under(upper, value);
        let of_common = self.common.iter().filter(|known| is_within(&known.value));
        let common: f64 = of_common.map(|known| known.share).sum();
        let rest = match &self.histogram {
            Some(histogram) => self.within(histogram, lower, upper) * histogram.share,
            None if self.sampled > 0 => 0.0,
            None => {
                // Without a sample, the values are taken to lie evenly between the bounds.
                let (min, max) = (self.min.as_ref()?, self.max.as_ref()?);
                let (bounds, below) = (vec![min.clone(), max.clone()], vec![0.0, 1.0]);
                let even = Histogram { bounds, below, share: self.rare_share() };
                self.within(&even, lower, upper) * even.share
            }
        };
        // A sample does not see rare values, so that nothing within the bounds is sure to be 0.
        let least = 1.0 / self.rows as f64;
        Some((common + rest).clamp(least.min(1.0), self.fraction_not_null().max(least)))
    }

    /// The statistics of all rows of several parts. Parts without a sample are taken to be
    /// distributed like those with one.
    pub fn merge<S: std::borrow::Borrow<Self>>(all: &[S]) -> Self {
        merge::merge(&all.iter().map(std::borrow::Borrow::borrow).collect::<Vec<_>>())
    }

    /// Puts what a sample says of the values into the statistics, whose numbers of rows and NULLs
    /// count: the shares of a sample's values are adapted to them.
    #[must_use]
    pub fn with_summary(mut self, summary: &Summary) -> Self {
        let common: f64 = summary.common.iter().map(|known| known.share).sum();
        let all = common + summary.histogram.as_ref().map_or(0.0, |h| h.share);
        // Values without an order (NaN) are neither in the list nor in the histogram.
        let scale = if all > 0.0 { self.fraction_not_null() / all } else { 0.0 };
        self.common.clone_from(&summary.common);
        self.common.iter_mut().for_each(|known| known.share *= scale);
        self.histogram.clone_from(&summary.histogram);
        if let Some(histogram) = &mut self.histogram {
            histogram.stretch(self.min.as_ref(), self.max.as_ref(), summary.sampled);
            histogram.share *= scale;
        }
        self.sampled = summary.sampled;
        self
    }

    /// The share of rows that have neither NULL nor a common value.
    fn rare_share(&self) -> f64 {
        let common: f64 = self.common.iter().map(|known| known.share).sum();
        (self.fraction_not_null() - common).max(0.0)
    }

    /// The share of a histogram's rows within bounds. With few distinct values, it counts that a
    /// value itself is within a bound or not.
    fn within(&self, histogram: &Histogram, lower: Bound<&Value>, upper: Bound<&Value>) -> f64 {
        let common = self.common.len() as u64;
        let values = self.distinct.map_or(f64::MAX, |n| n.saturating_sub(common).max(1) as f64);
        let one = 1.0 / values;
        // The share below a bound, with the bound's own rows or without them.
        let below = |bound: &Value, with: bool| match histogram.spans(bound) {
            true => histogram.below(bound) * (1.0 - one) + if with { one } else { 0.0 },
            false => histogram.below(bound),
        };
        let low = match lower {
            Bound::Unbounded => 0.0,
            Bound::Included(value) => below(value, false),
            Bound::Excluded(value) => below(value, true),
        };
        let high = match upper {
            Bound::Unbounded => 1.0,
            Bound::Included(value) => below(value, true),
            Bound::Excluded(value) => below(value, false),
        };
        (high - low).max(0.0)
    }

    /// Whether no row can have a value.
    fn is_outside(&self, value: &Value) -> bool {
        self.min.as_ref().is_some_and(|min| is_less(value, min))
            || self.max.as_ref().is_some_and(|max| is_less(max, value))
    }

    /// Whether no value lies within the bounds.
    fn is_beyond(&self, lower: Bound<&Value>, upper: Bound<&Value>) -> bool {
        let is_high = self.max.as_ref().is_some_and(|max| !above(lower, max));
        let is_low = self.min.as_ref().is_some_and(|min| !under(upper, min));
        let is_empty = match (lower, upper) {
            (Bound::Included(low), Bound::Included(high)) => is_less(high, low),
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(low) | Bound::Excluded(low), upper) => !under(upper, low),
        };
        is_high || is_low || is_empty || [lower, upper].iter().any(|bound| is_null(*bound))
    }
}

fn is_null(bound: Bound<&Value>) -> bool {
    matches!(bound, Bound::Included(value) | Bound::Excluded(value) if value.is_null())
}

/// Whether two values of a column are equal.
fn is_equal(a: &Value, b: &Value) -> bool {
    compare(a, b).map_or_else(|| a == b, Ordering::is_eq)
}

/// Whether a value is not below a lower bound.
fn above(lower: Bound<&Value>, value: &Value) -> bool {
    match lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => !is_less(value, bound),
        Bound::Excluded(bound) => is_less(bound, value),
    }
}

/// Whether a value is not above an upper bound.
fn under(upper: Bound<&Value>, value: &Value) -> bool {
    match upper {
        Bound::Unbounded => true,
        Bound::Included(bound) => !is_less(bound, value),
        Bound::Excluded(bound) => is_less(value, bound),
    }
}
