//! The estimates against counts over random data.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

use entasis_base::clock::mix64;
use entasis_types::Value;

use super::*;

const LIMITS: SummaryLimits = SummaryLimits { common: 24, buckets: 32 };

fn random(seed: u64, n: u64) -> u64 {
    mix64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(mix64(n + 1)))
}

/// Statistics of numbers, every `step`-th of which is in the sample.
fn statistics_of(values: &[Option<u64>], step: usize) -> ColumnStatistics {
    let mut sketch = DistinctSketch::default();
    values.iter().flatten().for_each(|v| sketch.add(mix64(v + 1)));
    let mut counts = BTreeMap::<u64, u32>::new();
    let sample: Vec<Option<u64>> = values.iter().copied().step_by(step).collect();
    sample.iter().flatten().for_each(|v| *counts.entry(*v).or_default() += 1);
    let (keys, counts): (Vec<u64>, Vec<u32>) = counts.into_iter().unzip();
    let value = |place: usize| Value::UInt(keys[place]);
    let distinct = sketch.estimate();
    let summary = Summary::of_sample(
        &counts,
        sample.len() as u64,
        distinct,
        LIMITS,
        |place| Some(value(place)),
        value,
    );
    let nulls = values.iter().filter(|v| v.is_none()).count() as u64;
    let extreme = |v: Option<&u64>| v.map(|v| Value::UInt(*v));
    ColumnStatistics {
        rows: values.len() as u64,
        nulls,
        distinct: Some(distinct),
        min: extreme(values.iter().flatten().min()),
        max: extreme(values.iter().flatten().max()),
        sketch: Some(sketch),
        ..ColumnStatistics::default()
    }
    .with_summary(&summary)
}

/// Values of some shape: even, skewed, few, clustered, or with NULLs.
fn values_of(shape: u64, seed: u64, rows: u64) -> Vec<Option<u64>> {
    let unit = |n: u64| random(seed, n) as f64 / u64::MAX as f64;
    let one = |n: u64| match shape {
        0 => Some(random(seed, n) % 1_000_000),
        1 => Some((1.0 / (unit(n) + 1e-4)) as u64),
        2 => Some(random(seed, n) % 7),
        3 => Some(1000 * (random(seed, n) % 3) + random(seed, n + rows) % 100),
        4 => (n % 3 > 0).then(|| (unit(n).powi(3) * 5000.0) as u64),
        _ => Some(n / 10),
    };
    (0..rows).map(one).collect()
}

/// The greatest error of the estimates of ranges and of equality, in shares of all rows.
fn greatest_error(statistics: &ColumnStatistics, values: &[Option<u64>], seed: u64) -> f64 {
    let mut sorted: Vec<u64> = values.iter().flatten().copied().collect();
    sorted.sort_unstable();
    let max = sorted.last().copied().unwrap_or(0) + 2;
    let below = |value: u64| sorted.partition_point(|v| *v < value) as f64 / values.len() as f64;
    let mut error: f64 = 0.0;
    for n in 0..200 {
        let a = random(seed, 7 * n) % max;
        let known = values[random(seed, 7 * n + 2) as usize % values.len()].unwrap_or(a);
        let (low, high) = (a.min(known), a.max(known));
        let (from, to, one) = (Value::UInt(low), Value::UInt(high), Value::UInt(known));
        let between = |lower, upper| statistics.fraction_between(lower, upper);
        let inner = (below(high) - below(low + 1)).max(0.0);
        let checks = [
            (between(Included(&from), Included(&to)), below(high + 1) - below(low)),
            (between(Excluded(&from), Excluded(&to)), inner),
            (between(Unbounded, Excluded(&one)), below(known)),
            (between(Included(&one), Unbounded), below(u64::MAX) - below(known)),
            (statistics.fraction_equal(&one), below(known + 1) - below(known)),
        ];
        for (estimate, actual) in checks {
            error = error.max((estimate.unwrap_or(9.0) - actual).abs());
        }
    }
    error
}

#[test]
fn estimates_are_within_the_error_of_the_sample() {
    for shape in 0..6 {
        for seed in 0..8 {
            let values = values_of(shape, seed, 20_000);
            let statistics = statistics_of(&values, 20);
            // A sample of 1000 rows and a bucket of a 32nd: 3 standard deviations, and a bucket.
            let error = greatest_error(&statistics, &values, seed);
            assert!(error < 0.08, "shape {shape}, seed {seed}: {error}");
        }
    }
}

#[test]
fn merged_statistics_are_as_good_as_those_of_a_part() {
    for shape in 0..6 {
        for parts in [2_u64, 5, 40] {
            let rows = 40_000 / parts;
            // Parts of different sizes, the last of which has another distribution.
            let all: Vec<Vec<Option<u64>>> = (0..parts)
                .map(|part| {
                    let shape = if part + 1 == parts { 0 } else { shape };
                    values_of(shape, part, rows * (1 + part % 2))
                })
                .collect();
            let each: Vec<ColumnStatistics> =
                all.iter().map(|values| statistics_of(values, 20)).collect();
            let merged = ColumnStatistics::merge(&each);
            let values = all.concat();
            assert_eq!(merged.rows, values.len() as u64);
            let error = greatest_error(&merged, &values, parts);
            assert!(error < 0.08, "shape {shape}, {parts} parts: {error}");
            let share = merged.common.iter().map(|known| known.share).sum::<f64>()
                + merged.histogram.as_ref().map_or(0.0, |h| h.share);
            let whole = merged.fraction_not_null();
            assert!((share - whole).abs() < 0.02, "shape {shape}, {parts} parts: {share} {whole}");
            let distinct = values.iter().flatten().collect::<std::collections::BTreeSet<_>>().len();
            let ratio = merged.distinct.unwrap_or(0) as f64 / distinct as f64;
            assert!((0.7..1.3).contains(&ratio), "shape {shape}, {parts} parts: {ratio}");
            assert!(merged.common.len() <= 64);
            assert!(merged.histogram.is_none_or(|h| h.bounds.len() <= 66));
        }
    }
}

#[test]
fn the_ends_of_a_sample_are_not_those_of_the_values() {
    let values: Vec<Option<u64>> = (0..100_000).map(Some).collect();
    let statistics = statistics_of(&values[50..], 200);
    for least in [100_u64, 300, 1000] {
        let share = statistics.fraction_between(Unbounded, Excluded(&Value::UInt(50 + least)));
        let factor = share.unwrap_or(9.0) * 99_950.0 / least as f64;
        assert!((0.5..3.0).contains(&factor), "{least}: {factor}");
        let from = Value::UInt(99_999 - least);
        let share = statistics.fraction_between(Excluded(&from), Unbounded);
        let factor = share.unwrap_or(9.0) * 99_950.0 / least as f64;
        assert!((0.5..3.0).contains(&factor), "{least}: {factor}");
    }
    let outlier = Value::UInt(1 << 40);
    assert_eq!(statistics.fraction_between(Included(&outlier), Unbounded), Some(0.0));
}

#[test]
fn few_values_are_listed_exactly() {
    let values: Vec<Option<u64>> = (0..1000).map(|n| Some(n % 4)).collect();
    let statistics = statistics_of(&values, 1);
    assert_eq!(statistics.common.len(), 4);
    assert_eq!(statistics.histogram, None);
    assert_eq!(statistics.fraction_equal(&Value::Int(2)), Some(0.25));
    assert_eq!(statistics.fraction_equal(&Value::Int(4)), Some(0.0));
    assert_eq!(statistics.fraction_equal(&Value::Null), Some(0.0));
    let two = Value::UInt(2);
    assert_eq!(statistics.fraction_between(Included(&two), Unbounded), Some(0.5));
    assert_eq!(statistics.fraction_between(Excluded(&two), Unbounded), Some(0.25));
    assert_eq!(statistics.fraction_between(Unbounded, Excluded(&Value::UInt(0))), Some(0.0));
    let null = statistics.fraction_between(Included(&Value::Null), Unbounded);
    assert_eq!(null, Some(0.0));
}

#[test]
fn without_a_sample_the_bounds_count() {
    let statistics = ColumnStatistics {
        rows: 1000,
        nulls: 500,
        distinct: Some(100),
        min: Some(Value::Int(0)),
        max: Some(Value::Int(100)),
        ..ColumnStatistics::default()
    };
    let half = statistics.fraction_between(Unbounded, Excluded(&Value::Int(50)));
    assert!((half.unwrap_or(9.0) - 0.25).abs() < 0.01, "{half:?}");
    assert_eq!(statistics.fraction_equal(&Value::Int(3)), Some(0.005));
    assert_eq!(statistics.fraction_equal(&Value::Int(-3)), Some(0.0));
    assert_eq!(statistics.fraction_between(Unbounded, Unbounded), Some(0.5));
    assert_eq!(ColumnStatistics::of_rows(5).fraction_equal(&Value::Int(3)), None);
    let of_texts = ColumnStatistics {
        rows: 10,
        min: Some(Value::from("a")),
        max: Some(Value::from("z")),
        ..ColumnStatistics::default()
    };
    let half = of_texts.fraction_between(Unbounded, Included(&Value::from("mm")));
    assert!((0.4..0.6).contains(&half.unwrap_or(9.0)), "{half:?}");
    assert_eq!(of_texts.fraction_equal(&Value::from("b")), None);
}

#[test]
fn a_merge_ignores_empty_parts_and_knows_only_what_all_parts_know() {
    let values = values_of(4, 1, 500);
    let one = statistics_of(&values, 1);
    let empty = ColumnStatistics::default();
    let merged = ColumnStatistics::merge(&[&empty, &one, &empty]);
    assert_eq!((merged.rows, merged.nulls, &merged.min), (500, one.nulls, &one.min));
    assert_eq!(merged.common, one.common);
    let unknown = ColumnStatistics::of_rows(500);
    let merged = ColumnStatistics::merge(&[&one, &unknown]);
    assert_eq!((merged.rows, merged.distinct, merged.min), (1000, None, None));
    assert!(merged.sampled > 0);
    let nothing = ColumnStatistics::merge::<ColumnStatistics>(&[]);
    assert_eq!((nothing.rows, nothing.distinct), (0, Some(0)));
}
