//! Skips granules for conditions that are tested after FINAL has merged rows.
//!
//! A merged row takes its plain columns from one of the rows of its key. So if it passes a
//! condition on such columns, a granule with that row may match, and indices find it. The other
//! rows of the key decide which of them stays: all granules are kept, in all parts, whose range of
//! keys meets that of a granule that may match.

use std::cmp::Ordering;

use entasis_base::Result;
use entasis_column::Column;
use entasis_expr::Expr;
use entasis_table_api::ScanSpec;

use super::ranges::compare;
use super::selected::PartScan;
use crate::index::IndexScan;
use crate::merge::fold::MergeAlgorithm;
use crate::prune::{Picked, Pruner, Skipped};
use crate::table::TableSnapshot;

/// Drops the granules without a row of a key that may pass. Answers the indices that were asked;
/// `None` if none can say anything.
pub(super) fn narrow(
    pinned: &TableSnapshot,
    spec: &ScanSpec,
    parts: &mut [PartScan],
) -> Result<Option<IndexScan>> {
    let (schema, wish) = (&pinned.schema, &spec.indices);
    let merging = schema.config.merging.as_ref().filter(|_| spec.final_ && schema.folds());
    let Some(merging) = merging.filter(|_| wish.enabled && wish.in_final) else { return Ok(None) };
    // Rows of a group then have different keys.
    if merging.group_key().is_some() {
        return Ok(None);
    }
    let conditions = spec.after_final.iter().filter(|c| reads_plain_columns(c, spec, merging));
    let of_final = ScanSpec { filter: conditions.cloned().collect(), ..spec.clone() };
    let mut indices = IndexScan::new(schema, &of_final)?;
    let pruner = Pruner::new(&of_final, &schema.config);
    if indices.is_none() && pruner.is_none() {
        return Ok(None);
    }
    let mut found: Vec<Vec<Picked>> = Vec::with_capacity(parts.len());
    for scan in parts.iter() {
        let layers = &scan.columns.layers;
        let mut granules = scan.granules.clone();
        if let Some(pruner) = &pruner {
            let origins = &scan.columns.origins;
            let known = pruner.granules(&layers.base, origins, &mut Skipped::default())?;
            let is_known =
                |p: &Picked| known.binary_search_by_key(&p.granule, |k| k.granule).is_ok();
            granules.retain(is_known);
        }
        if let Some(indices) = &mut indices {
            indices.narrow(schema, &scan.part, layers, &mut granules)?;
        }
        found.push(granules);
    }
    if wish.exact_final {
        keep_keys(parts, &found, schema.config.ascending_primary_key())?;
    } else {
        parts.iter_mut().zip(found).for_each(|(scan, granules)| {
            scan.granules.retain(|picked| granules.iter().any(|g| g.granule == picked.granule));
        });
    }
    Ok(indices)
}

/// Whether a condition reads only columns whose values in a merged row are those of one row.
fn reads_plain_columns(condition: &Expr, spec: &ScanSpec, merging: &MergeAlgorithm) -> bool {
    let mut ids = Vec::new();
    condition.columns(&mut ids);
    ids.into_iter().all(|id| {
        let position = spec.column(id).map(|column| column.position);
        let aggregate = position.and_then(|position| merging.aggregates.get(position));
        matches!(aggregate, Some(None)) || position.is_some() && merging.aggregates.is_empty()
    })
}

/// The keys of a granule: those of its first row, and of the first row behind it.
#[derive(Clone, Copy)]
struct Keys<'a> {
    index: &'a [Column],
    granule: usize,
}

impl Keys<'_> {
    /// Compares the first key of this granule with the last one of another.
    fn first_to_last_of(&self, other: &Self) -> Ordering {
        compare(self.index, self.granule, other.index, other.granule + 1)
    }
}

/// Leaves the granules that share keys with a granule that was found.
fn keep_keys(parts: &mut [PartScan], found: &[Vec<Picked>], columns: usize) -> Result<()> {
    let mut indexes: Vec<Vec<Column>> = Vec::with_capacity(parts.len());
    for scan in parts.iter() {
        let index = scan.columns.layers.base.index()?;
        indexes.push(index.iter().take(columns).cloned().collect());
    }
    let keys = |part: usize, picked: &Picked| Keys {
        index: &indexes[part],
        granule: picked.granule as usize,
    };
    let mut wanted: Vec<Keys<'_>> = Vec::new();
    for (part, granules) in found.iter().enumerate() {
        wanted.extend(granules.iter().map(|picked| keys(part, picked)));
    }
    wanted.sort_by(|a, b| compare(a.index, a.granule, b.index, b.granule));
    // Ranges of keys that do not meet: where they begin and where they end.
    let mut ranges: Vec<(Keys<'_>, Keys<'_>)> = Vec::new();
    for next in wanted {
        match ranges.last_mut() {
            Some((_, end)) if next.first_to_last_of(end).is_le() => {
                let (index, row) = (end.index, end.granule + 1);
                if compare(next.index, next.granule + 1, index, row).is_gt() {
                    *end = next;
                }
            }
            _ => ranges.push((next, next)),
        }
    }
    for (part, scan) in parts.iter_mut().enumerate() {
        scan.granules.retain(|picked| {
            let own = keys(part, picked);
            // The first range that does not end before this granule.
            let at = ranges.partition_point(|(_, end)| own.first_to_last_of(end).is_gt());
            ranges.get(at).is_some_and(|(start, _)| start.first_to_last_of(&own).is_le())
        });
    }
    Ok(())
}
