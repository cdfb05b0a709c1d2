//! Merges the statistics of the parts of a table.

use std::cmp::{Ordering, Reverse};

use entasis_types::Value;

use super::histogram::Histogram;
use super::order::compare;
use super::{ColumnStatistics, CommonValue, DistinctSketch};

/// The most common values of a merged list.
const COMMON: usize = 64;
/// Buckets of a merged histogram.
const BUCKETS: usize = 64;
/// So many statistics are merged at once; more are merged in groups, because the effort grows with
/// the square of their number.
const GROUP: usize = 16;
/// A value remains common if it is so much more frequent than the average.
const ABOVE_AVERAGE: f64 = 1.25;

/// Implements [`ColumnStatistics::merge`].
pub(super) fn merge(all: &[&ColumnStatistics]) -> ColumnStatistics {
    if let [one] = all {
        return (*one).clone();
    }
    if all.len() > GROUP {
        let groups: Vec<ColumnStatistics> = all.chunks(GROUP).map(merge).collect();
        return merge(&groups.iter().collect::<Vec<_>>());
    }
    let all: Vec<&ColumnStatistics> = all.iter().copied().filter(|one| one.rows > 0).collect();
    if let [one] = all[..] {
        return one.clone();
    }
    let mut merged = counts(&all);
    let sampled: Vec<&ColumnStatistics> =
        all.into_iter().filter(|one| one.sampled > 0 && one.rows > one.nulls).collect();
    merged.sampled = sampled.iter().map(|one| one.sampled).sum();
    values(&mut merged, &sampled);
    merged
}

/// Everything but the distribution of the values.
fn counts(all: &[&ColumnStatistics]) -> ColumnStatistics {
    let rows: u64 = all.iter().map(|one| one.rows).sum();
    let nulls = all.iter().map(|one| one.nulls).sum();
    let with_values = || all.iter().filter(|one| one.rows > one.nulls);
    let (min, max) = (
        extreme(with_values().map(|one| one.min.as_ref()), Ordering::Less),
        extreme(with_values().map(|one| one.max.as_ref()), Ordering::Greater),
    );
    let width = |one: &&ColumnStatistics| Some(one.average_width? * one.rows as f64);
    let bytes: Option<f64> = all.iter().map(width).sum();
    let sketch = with_values().map(|one| one.sketch.as_ref()).try_fold(
        None,
        |sum: Option<DistinctSketch>, sketch| {
            let mut sum = sum.unwrap_or_else(|| sketch.cloned().unwrap_or_default());
            sum.merge(sketch?);
            Some(Some(sum))
        },
    );
    let sketch = sketch.flatten();
    let most = rows - nulls;
    let distinct = match &sketch {
        Some(sketch) => Some(sketch.estimate()),
        // Without sketches, the values may be the same ones in all parts.
        None => with_values().map(|one| one.distinct).try_fold(0, |most, n| Some(most.max(n?))),
    };
    ColumnStatistics {
        rows,
        nulls,
        distinct: distinct.map(|n| n.min(most)),
        min,
        max,
        average_width: bytes.filter(|_| rows > 0).map(|bytes| bytes / rows as f64),
        sketch,
        ..ColumnStatistics::default()
    }
}

/// The least or the greatest of some values; `None` if one of them is not known.
fn extreme<'a>(values: impl Iterator<Item = Option<&'a Value>>, wanted: Ordering) -> Option<Value> {
    let mut best: Option<&Value> = None;
    for value in values {
        let value = value?;
        if best.is_none_or(|best| compare(value, best) == Some(wanted)) {
            best = Some(value);
        }
    }
    best.cloned()
}

/// The common values and the histogram of all rows from those of the parts that have them.
fn values(merged: &mut ColumnStatistics, parts: &[&ColumnStatistics]) {
    let with_values: u64 = parts.iter().map(|one| one.rows - one.nulls).sum();
    if with_values == 0 {
        return;
    }
    // Weights are numbers of rows; parts without a sample are distributed like the others.
    let scale = merged.fraction_not_null() / with_values as f64;
    let mut candidates = candidates(parts);
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| by_value(&a.0, &b.0)));
    let distinct = merged.distinct.unwrap_or(u64::MAX).max(1);
    let average = with_values as f64 / distinct as f64;
    let is_common = |weight: f64| distinct <= COMMON as u64 || weight >= average * ABOVE_AVERAGE;
    let kept = candidates.iter().take(COMMON).take_while(|(_, weight)| is_common(*weight)).count();
    let common: f64 = candidates[..kept].iter().map(|(_, weight)| weight).sum();
    let rest = ((with_values as f64 - common) * scale).max(0.0);
    let histograms: Vec<(&Histogram, f64)> = parts
        .iter()
        .filter_map(|one| Some((one.histogram.as_ref()?, one)))
        .map(|(histogram, one)| (histogram, histogram.share * one.rows as f64))
        .collect();
    merged.histogram = Histogram::merge(&histograms, &candidates[kept..], BUCKETS, rest);
    candidates.truncate(kept);
    let listed = |(value, weight): (Value, f64)| CommonValue { value, share: weight * scale };
    merged.common = candidates.into_iter().map(listed).collect();
}

fn by_value(a: &Value, b: &Value) -> Ordering {
    compare(a, b).unwrap_or(Ordering::Equal)
}

/// The values that are common in some part, with the estimated numbers of rows in all parts.
fn candidates(parts: &[&ColumnStatistics]) -> Vec<(Value, f64)> {
    let mut listed: Vec<(&CommonValue, usize)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        listed.extend(part.common.iter().map(|known| (known, place)));
    }
    listed.sort_by(|a, b| by_value(&a.0.value, &b.0.value).then(Reverse(a.1).cmp(&Reverse(b.1))));
    let rare: Vec<f64> = parts.iter().map(|one| one.fraction_of_rare().unwrap_or(0.0)).collect();
    let same = |a: &(&CommonValue, usize), b: &(&CommonValue, usize)| {
        by_value(&a.0.value, &b.0.value).is_eq()
    };
    let mut out = Vec::new();
    for run in listed.chunk_by(same) {
        let value = &run[0].0.value;
        let mut weight = 0.0;
        for (place, part) in parts.iter().enumerate() {
            let share = match run.iter().find(|(_, of)| *of == place) {
                Some((known, _)) => known.share,
                // The value is among the others of this part, or does not occur in it.
                None if part.histogram.as_ref().is_some_and(|h| h.spans(value)) => rare[place],
                None => 0.0,
            };
            weight += share * part.rows as f64;
        }
        out.push((value.clone(), weight));
    }
    out
}
