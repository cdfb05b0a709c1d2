//! Runtime filters, tested for whole granules and for rows: bounds that tighten while a query runs,
//! and the keys of joins above the scan.

use std::cmp::Ordering;

use entasis_base::Result;
use entasis_column::{Bitmap, Column, Mask, match_native};
use entasis_table_api::{KeyFilter, RuntimeFilter, ScanColumn};
use entasis_types::Value;

use super::Scan;
use super::reader::Fetcher;
use super::values::PartColumns;
use crate::prune;

/// Whether no row of a granule passes one of the scan's runtime filters.
pub(super) fn is_beyond(scan: &Scan, columns: &PartColumns, granule: usize) -> Result<bool> {
    for filter in &scan.spec.runtime {
        if is_out_of_bounds(scan, columns, filter, granule)? {
            return Ok(true);
        }
    }
    for filter in &scan.spec.keys {
        if is_without_keys(scan, columns, filter, granule)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Of the rows of `mask`, those that pass all runtime filters of the scan.
pub(super) fn within(
    scan: &Scan,
    mut mask: Option<Mask>,
    fetcher: &mut Fetcher,
) -> Result<Option<Mask>> {
    let both = |one: Option<Mask>, other: Option<Mask>| match (one, other) {
        (Some(one), Some(other)) => Some(one.and(&other)),
        (one, other) => one.or(other),
    };
    for filter in &scan.spec.runtime {
        if !mask.as_ref().is_some_and(Bitmap::none) {
            mask = both(mask, within_bound(scan, filter, fetcher)?);
        }
    }
    for filter in &scan.spec.keys {
        if !mask.as_ref().is_some_and(Bitmap::none) {
            mask = both(mask, with_keys(scan, filter, fetcher)?);
        }
    }
    Ok(mask)
}

/// Whether a granule's bounds are beyond a runtime filter's bound.
fn is_out_of_bounds(
    scan: &Scan,
    columns: &PartColumns,
    filter: &RuntimeFilter,
    granule: usize,
) -> Result<bool> {
    let Some(bound) = filter.bound() else { return Ok(false) };
    // Bounds exist only for whole columns.
    let is_it = |c: &ScanColumn| c.id == filter.column && c.path.is_whole();
    let Some(at) = scan.spec.columns.iter().position(is_it) else { return Ok(false) };
    let Some(meta) = columns.meta(at)? else { return Ok(false) };
    // Where NULLs go depends on the order, so granules that may hold NULLs are kept.
    let Some((min, max, false)) = prune::granule_bounds(meta, granule) else { return Ok(false) };
    let value = bound.value(0);
    let beyond = |a: &Value, b: &Value| match (a, b) {
        (Value::String(a), Value::String(b)) => a > b,
        _ => a.compare_numbers(b) == Some(Ordering::Greater),
    };
    Ok(if filter.order.descending { beyond(&value, &max) } else { beyond(&min, &value) })
}

/// Whether no value of a granule is between the least and the greatest key of a join.
fn is_without_keys(
    scan: &Scan,
    columns: &PartColumns,
    filter: &KeyFilter,
    granule: usize,
) -> Result<bool> {
    let Some((least, greatest)) = filter.bounds() else { return Ok(false) };
    let is_it = |c: &ScanColumn| c.id == filter.column && c.path.is_whole();
    let Some(at) = scan.spec.columns.iter().position(is_it) else { return Ok(false) };
    let Some(meta) = columns.meta(at)? else { return Ok(false) };
    // NULLs have no match, so it does not matter whether there are any.
    let Some((min, max, _)) = prune::granule_bounds(meta, granule) else { return Ok(false) };
    let beyond = |a: &Value, b: &Value| match (a, b) {
        (Value::String(a), Value::String(b)) => a > b,
        _ => a.compare_numbers(b) == Some(Ordering::Greater),
    };
    Ok(beyond(&min, greatest) || beyond(least, &max))
}

/// The rows that may have a match in a join above; `None` if the filter is not worth testing.
fn with_keys(scan: &Scan, filter: &KeyFilter, fetcher: &mut Fetcher) -> Result<Option<Mask>> {
    if !filter.is_selective() {
        return Ok(None);
    }
    match scan.spec.columns.iter().position(|c| c.id == filter.column) {
        Some(at) => Ok(filter.test(&fetcher.fetch(at)?)),
        None => Ok(None),
    }
}

/// The rows within a runtime filter's bound, for plain numbers; `None` if it does not apply.
fn within_bound(
    scan: &Scan,
    filter: &RuntimeFilter,
    fetcher: &mut Fetcher,
) -> Result<Option<Mask>> {
    let Some(bound) = filter.bound() else { return Ok(None) };
    let Some(at) = scan.spec.columns.iter().position(|c| c.id == filter.column) else {
        return Ok(None);
    };
    let column = fetcher.fetch(at)?;
    let descending = filter.order.descending;
    Ok(match_native!(&column, values => numbers_within(values, &bound, descending), _ => None))
}

fn numbers_within<T: entasis_column::Native>(
    values: &[T],
    bound: &Column,
    descending: bool,
) -> Option<Mask> {
    let bound = bound.full();
    let bound = *T::values(&bound)?.first()?;
    let mut words = vec![0; values.len().div_ceil(64)];
    // The comparison is negated so that NaN is kept, whatever its place in the order.
    if descending {
        entasis_simd::compare::map_words(values, &mut words, |v| {
            v.partial_cmp(&bound) != Some(Ordering::Less)
        });
    } else {
        entasis_simd::compare::map_words(values, &mut words, |v| {
            v.partial_cmp(&bound) != Some(Ordering::Greater)
        });
    }
    Some(Bitmap::from_words(words, values.len()))
}
