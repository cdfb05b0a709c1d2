//! Samples of a column's values, and what they say of it.

use std::cmp::Ordering;

use entasis_base::clock::mix64;
use entasis_column::{Column, Native, match_native};
use entasis_types::Value;

use super::ColumnStatistics;
use super::build::{Summary, SummaryLimits};

/// A longer text is not listed as a common value.
const MAX_COMMON_TEXT: usize = 64;
/// A text that is a bound of a histogram is cut to this length.
const MAX_BOUND_TEXT: usize = 24;

/// Takes one row of every run of so many rows, at a place within the run that looks random but is
/// always the same for the same numbers of rows.
#[derive(Debug)]
pub struct Sampler {
    /// The rows of a run.
    stride: u64,
    /// The run from which the next row is taken.
    run: u64,
    /// That row, counted from the first row of all.
    next: u64,
    /// The rows that were seen.
    seen: u64,
    taken: Vec<Column>,
    rows: usize,
    wanted: usize,
}

impl Sampler {
    /// A sampler that takes about `wanted` of `rows` rows. If there are more rows, it takes up to
    /// twice as many.
    pub fn new(rows: usize, wanted: usize) -> Self {
        let stride = (rows / wanted.max(1)).max(1) as u64;
        let (taken, next) = (Vec::new(), mix64(1) % stride);
        Self { stride, run: 0, next, seen: 0, taken, rows: 0, wanted: wanted.max(1) }
    }

    /// Shows it the next rows.
    pub fn push(&mut self, column: &Column) {
        let end = self.seen + column.len() as u64;
        let mut places = Vec::new();
        while self.next < end {
            places.push((self.next - self.seen) as u32);
            self.run += 1;
            self.next = self.run * self.stride + mix64(self.run + 1) % self.stride;
        }
        self.seen = end;
        if places.is_empty() {
            return;
        }
        self.rows += places.len();
        self.taken.push(column.take(&places));
        if self.rows > 2 * self.wanted {
            self.thin_out();
        }
    }

    /// Leaves every other row, and takes only half as many from now on.
    fn thin_out(&mut self) {
        let all = Column::concat(&self.taken.iter().collect::<Vec<_>>());
        let places: Vec<u32> = (0..self.rows as u32).step_by(2).collect();
        self.rows = places.len();
        self.taken = vec![all.take(&places)];
        self.stride *= 2;
        self.run = self.seen.div_ceil(self.stride);
        self.next = self.run * self.stride + mix64(self.run + 1) % self.stride;
    }

    /// The rows that were taken; `None` if there are none.
    pub fn finish(&self) -> Option<Column> {
        let all = Column::concat(&self.taken.iter().collect::<Vec<_>>());
        (self.rows > 0).then(|| all.full())
    }
}

/// What a sample says of a column with about `distinct` values. `None` if its values have no order.
pub fn summarize(sample: &Column, distinct: u64, limits: SummaryLimits) -> Option<Summary> {
    let about = About { rows: 0, distinct: Some(distinct), limits };
    described(sample, &about).map(|found| found.summary)
}

impl ColumnStatistics {
    /// The statistics of a column of `rows` rows, of which a sample was taken. If that is all of
    /// them, the bounds are known, too.
    pub fn of_sample(sample: &Column, rows: u64, limits: SummaryLimits) -> Self {
        let full = sample.full();
        let sampled = full.len() as u64;
        if sampled == 0 {
            return Self::of_rows(rows);
        }
        let in_sample = (0..full.len()).filter(|&row| full.is_null(row)).count() as f64;
        let nulls = (in_sample / sampled as f64 * rows as f64).round() as u64;
        let average_width = Some(full.byte_size() as f64 / sampled as f64);
        let known = Self { rows, nulls, average_width, ..Self::default() };
        let about = About { rows: rows - nulls.min(rows), distinct: None, limits };
        let Some(found) = described(&full, &about) else { return known };
        let (min, max) = found.bounds.filter(|_| sampled >= rows).unzip();
        Self { min, max, distinct: Some(found.distinct), ..known }.with_summary(&found.summary)
    }
}

/// What is known of a column besides its sample.
struct About {
    /// The number of rows that are not NULL, if the number of distinct values is not known.
    rows: u64,
    distinct: Option<u64>,
    limits: SummaryLimits,
}

/// What a sample says.
struct Described {
    summary: Summary,
    distinct: u64,
    /// The least and the greatest value of the sample.
    bounds: Option<(Value, Value)>,
}

fn described(sample: &Column, about: &About) -> Option<Described> {
    let rows = sample.len() as u64;
    let full = sample.full();
    let (validity, values) = full.split_nullable();
    let is_valid = |row: usize| validity.is_none_or(|validity| validity.get(row));
    match values {
        Column::String(texts) => {
            let texts = (0..texts.len()).filter(|&row| is_valid(row)).map(|row| texts.get(row));
            Some(of_texts(texts.collect(), rows, about))
        }
        Column::Fixed(texts) => {
            let texts = (0..texts.len()).filter(|&row| is_valid(row)).map(|row| texts.get(row));
            Some(of_texts(texts.collect(), rows, about))
        }
        numbers => match_native!(numbers, values => {
            let values = values.iter().enumerate().filter(|(row, _)| is_valid(*row));
            Some(of_numbers(values.map(|(_, v)| *v).collect(), rows, about))
        }, _ => None),
    }
}

#[allow(clippy::eq_op)] // NaN
fn of_numbers<T: Native>(mut values: Vec<T>, rows: u64, about: &About) -> Described {
    values.retain(|v| v == v);
    values.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let value = |v: &T| T::column(vec![*v].into()).value(0);
    let found = of_sorted(&values, rows, about, |v| Some(value(v)), value);
    Described { bounds: values.first().map(value).zip(values.last().map(value)), ..found }
}

fn of_texts(mut texts: Vec<&[u8]>, rows: u64, about: &About) -> Described {
    texts.sort_unstable();
    let common = |text: &&[u8]| (text.len() <= MAX_COMMON_TEXT).then(|| Value::string(text));
    let bound = |text: &&[u8]| Value::string(text.get(..MAX_BOUND_TEXT).unwrap_or(text));
    let found = of_sorted(&texts, rows, about, common, bound);
    let whole = |text: &&[u8]| Value::string(text);
    Described { bounds: texts.first().map(whole).zip(texts.last().map(whole)), ..found }
}

fn of_sorted<T: PartialEq>(
    values: &[T],
    rows: u64,
    about: &About,
    common: impl Fn(&T) -> Option<Value>,
    bound: impl Fn(&T) -> Value,
) -> Described {
    let (mut firsts, mut counts) = (Vec::new(), Vec::new());
    for run in values.chunk_by(|a, b| a == b) {
        firsts.push(&run[0]);
        counts.push(run.len() as u32);
    }
    let distinct = about.distinct.unwrap_or_else(|| {
        let single = counts.iter().filter(|&&count| count == 1).count() as u64;
        distinct_of_sample(about.rows, values.len() as u64, counts.len() as u64, single)
    });
    let (value, bound) =
        (|place: usize| common(firsts[place]), |place: usize| bound(firsts[place]));
    let summary = Summary::of_sample(&counts, rows, distinct, about.limits, value, bound);
    Described { summary, distinct, bounds: None }
}

/// The number of distinct values of `rows` rows from a sample of them: the estimator Duj1 of P. J.
/// Haas and L. Stokes, "Estimating the number of classes in a finite population" (1998). `sampled`
/// is the number of values in the sample, `distinct` that of the distinct ones among them, and
/// `single` that of the values that occur once.
pub fn distinct_of_sample(rows: u64, sampled: u64, distinct: u64, single: u64) -> u64 {
    if sampled == 0 || sampled >= rows {
        return distinct;
    }
    let (all, n) = (rows as f64, sampled as f64);
    let (d, f1) = (distinct as f64, single as f64);
    let estimate = n * d / (n - f1 + f1 * n / all);
    estimate.clamp(d, all).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_column::{Bitmap, Strings};

    const LIMITS: SummaryLimits = SummaryLimits { common: 24, buckets: 32 };

    #[test]
    fn a_sampler_takes_rows_from_everywhere() {
        for (expected, rows) in
            [(100_000, 100_000), (0, 100_000), (100_000, 900), (50_000, 120_000)]
        {
            let mut sampler = Sampler::new(expected, 1000);
            let numbers: Vec<u64> = (0..rows).collect();
            for chunk in numbers.chunks(777) {
                sampler.push(&Column::from(chunk.to_vec()));
            }
            let Some(Column::UInt64(taken)) = sampler.finish() else { panic!("no rows") };
            assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "{expected} {rows}");
            let least = if expected > rows as usize { 5 } else { 900 };
            assert!((least..=2001).contains(&taken.len()), "{expected} {rows}: {}", taken.len());
            let below = taken.iter().filter(|&&v| v < rows / 4).count() as f64;
            let share = below / taken.len() as f64;
            assert!((0.2..0.3).contains(&share), "{expected} {rows}: {share}");
        }
        assert!(Sampler::new(10, 5).finish().is_none());
    }

    #[test]
    fn summaries_of_all_layouts() {
        let floats = Column::from(vec![1.5, f64::NAN, -2.0, 1.5]);
        let summary = summarize(&floats, 2, LIMITS).unwrap_or_default();
        assert_eq!(summary.sampled, 4);
        let shares: Vec<(Value, f64)> =
            summary.common.iter().map(|c| (c.value.clone(), c.share)).collect();
        assert_eq!(shares, [(Value::Float(1.5), 0.5), (Value::Float(-2.0), 0.25)]);
        let texts: Column = Strings::from_iter([&b"b"[..], b"a", b"b", b""]).into();
        let texts = Column::nullable(texts, Bitmap::from_fn(4, |row| row != 3));
        let summary = summarize(&texts, 2, LIMITS).unwrap_or_default();
        assert_eq!(summary.common[0].value, Value::from("b"));
        assert_eq!(summary.common.len(), 2);
        let long = [b'x'; 100];
        let long: Column = Strings::from_iter([&long[..], &long[..]]).into();
        let summary = summarize(&long, 1, LIMITS).unwrap_or_default();
        assert!(summary.common.is_empty());
        let bounds = summary.histogram.map(|h| h.bounds);
        assert_eq!(bounds, Some(vec![Value::string(&[b'x'; 24])]));
        let wide = Column::from(vec![1_u128 << 100, 5]);
        assert_eq!(summarize(&wide, 2, LIMITS).map(|s| s.common.len()), Some(2));
    }

    #[test]
    fn distinct_values_of_a_sample() {
        assert_eq!(distinct_of_sample(1000, 100, 100, 100), 1000);
        assert_eq!(distinct_of_sample(1000, 100, 5, 0), 5);
        assert_eq!(distinct_of_sample(50, 50, 20, 10), 20);
        assert_eq!(distinct_of_sample(0, 0, 0, 0), 0);
    }
}
