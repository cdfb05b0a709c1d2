//! Statistics of a table's columns from those of its parts.
//!
//! Nothing is read before a statement asks. The answer is kept with the version of the parts, so
//! that the next statement finds it unless the parts have changed. The effort is bounded: of many
//! parts, only the largest are looked at.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use entasis_base::Result;
use entasis_base::sync::lock;
use entasis_column::Column;
use entasis_table_api::statistics::{CommonValue, Summary};
use entasis_table_api::{ColumnStatistics, DistinctSketch};

use crate::fill::{Filler, Origin};
use crate::layers::Stored;
use crate::part::Part;
use crate::segment::stats::{Extent, extent};
use crate::segment::{ColumnMeta, Mode, Segment, summary};
use crate::store::figures::column_size;
use crate::table::{MergeTreeTable, TableSnapshot};

/// The counts and bounds of so many parts are merged, beginning with the largest.
const MOST_PARTS: usize = 512;
/// The samples of so many parts are merged, beginning with the largest.
const MOST_SUMMARIES: usize = 32;
/// So many parts without a sample are read, because they are short.
const MOST_READ: usize = 16;

/// The statistics that were asked for, by the version of the schema and the id of the column.
pub(crate) type KnownStatistics = Mutex<HashMap<(u32, u32), Arc<ColumnStatistics>>>;

/// The size of a column, for system.columns and system.parts_columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSize {
    /// Compressed bytes in the files.
    pub stored: u64,
    /// Uncompressed bytes of the values.
    pub raw: u64,
    /// Number of NULLs.
    pub nulls: u64,
    /// Number of rows with the type's default value.
    pub defaults: u64,
    /// Estimated number of distinct values (standard error about 6.5 %).
    pub distinct: u64,
}

impl MergeTreeTable {
    /// The size of the column at a position of the schema, over all active parts.
    pub fn column_size(&self, position: usize) -> Result<ColumnSize> {
        let mut size = ColumnSize::default();
        if position >= self.schema.stored.len() {
            return Ok(size);
        }
        let (mut filler, mut sketch) =
            (Filler::new(&self.schema, vec![position])?, DistinctSketch::default());
        for part in &self.core.version().parts {
            let origins = filler.origins(part.layers()?, 0)?;
            let of_part = column_size(&origins[0])?;
            size.stored += of_part.stored;
            size.raw += of_part.raw;
            let Some(meta) = origins[0].meta()? else { continue };
            size.nulls += meta.stats.nulls;
            size.defaults += meta.stats.defaults;
            sketch.merge(&meta.stats.sketch);
        }
        size.distinct = sketch.estimate();
        Ok(size)
    }
}

impl TableSnapshot {
    /// Stored bytes per row of a column.
    pub(crate) fn bytes_of(&self, position: usize) -> Option<u64> {
        let id = self.schema.stored.get(position)?.id;
        let (mut bytes, mut rows) = (0, 0);
        for part in &self.version.parts {
            if let Some(Stored { segment, place, .. }) = part.layers().ok()?.stored(id) {
                bytes += segment.meta(place).ok()?.stored_bytes;
            }
            rows += part.summary.rows;
        }
        // Rounded up, so that a column with stored bytes never counts as 0.
        (rows > 0).then(|| bytes.div_ceil(rows))
    }

    /// The statistics of the column at a position of the schema; `None` if it is not stored.
    pub(crate) fn statistics_of(&self, position: usize) -> Option<Arc<ColumnStatistics>> {
        let key = (self.schema.columns.version(), self.schema.stored.get(position)?.id);
        if let Some(known) = lock(&self.version.statistics).get(&key) {
            return Some(Arc::clone(known));
        }
        let merged = Arc::new(self.merged(position).ok()?);
        lock(&self.version.statistics).insert(key, Arc::clone(&merged));
        Some(merged)
    }

    fn merged(&self, position: usize) -> Result<ColumnStatistics> {
        let mut parts: Vec<&Arc<Part>> = self.version.parts.iter().collect();
        parts.sort_by_key(|part| Reverse(part.summary.live_rows()));
        let mut filler = Filler::new(&self.schema, vec![position])?;
        let mut left = Budget { summaries: MOST_SUMMARIES, reads: MOST_READ };
        let mut each = Vec::with_capacity(parts.len().min(MOST_PARTS));
        for part in parts.iter().take(MOST_PARTS) {
            let origins = filler.origins(part.layers()?, 0)?;
            each.push(of_part(part, &origins[0], &mut left)?);
        }
        let mut merged = ColumnStatistics::merge(&each);
        if parts.len() > MOST_PARTS && merged.rows > 0 {
            // The short parts that are left are like the others, but may lie outside of the bounds.
            let rows = self.version.rows();
            merged.nulls = scaled(merged.nulls, rows, merged.rows);
            (merged.rows, merged.min, merged.max) = (rows, None, None);
        }
        Ok(merged)
    }
}

/// How much may still be done for one column.
struct Budget {
    summaries: usize,
    reads: usize,
}

/// The statistics of a column of one part.
fn of_part(part: &Part, origin: &Origin, left: &mut Budget) -> Result<ColumnStatistics> {
    let rows = part.summary.live_rows();
    let (segment, place, is_converted, patches) = match origin {
        Origin::Stored { segment, place, convert } => (segment, *place, convert.is_some(), None),
        Origin::Patched { segment, place, convert, patches } => {
            (segment, *place, convert.is_some(), Some(patches))
        }
        Origin::Constant { value, meta } => {
            let known = of_meta(meta, part.summary.rows, rows);
            let summary = of_constant(value);
            return Ok(summary.map_or(known.clone(), |summary| known.with_summary(&summary)));
        }
        Origin::Address(_) | Origin::RowNumber { .. } | Origin::Computed { .. } => {
            return Ok(ColumnStatistics::of_rows(rows));
        }
    };
    let mut known = of_meta(segment.meta(place)?, segment.rows, rows);
    if is_converted {
        // The bounds, the sketch and the sample are those of values of another type.
        (known.min, known.max, known.sketch) = (None, None, None);
        return Ok(known);
    }
    for patch in patches.into_iter().flat_map(|patches| patches.iter()) {
        let mut all = extent_of(&known);
        all.widen(extent(&patch.values));
        set_bounds(&mut known, &all);
    }
    if left.summaries == 0 {
        return Ok(known);
    }
    if let Some(summary) = sample_of(segment, place, &known, left)? {
        left.summaries -= 1;
        return Ok(known.with_summary(&summary));
    }
    Ok(known)
}

/// The summary of a segment's column: the stored one, or that of all rows of a short segment.
fn sample_of(
    segment: &Segment,
    place: usize,
    known: &ColumnStatistics,
    left: &mut Budget,
) -> Result<Option<Summary>> {
    if let Some(summary) = segment.summary(place)? {
        return Ok(Some(summary));
    }
    let is_short = segment.rows < summary::FEWEST_ROWS as u64;
    // An encrypted column has no sketch, and shows nothing of its values.
    let Some(distinct) = known.distinct.filter(|_| known.sketch.is_some()) else { return Ok(None) };
    if !is_short || left.reads == 0 || !summary::has_order(segment.column_type(place)) {
        return Ok(None);
    }
    left.reads -= 1;
    let dictionary = match segment.meta(place)?.mode {
        Mode::Dictionary => Some(segment.read_dictionary(place)?),
        Mode::Plain | Mode::Constant => None,
    };
    let mut buffer = Vec::new();
    let granules = (0..segment.granules.len())
        .map(|granule| segment.read_granule(place, granule, dictionary.as_ref(), &mut buffer))
        .collect::<Result<Vec<Column>>>()?;
    Ok(summary::of_column(&Column::concat(&granules.iter().collect::<Vec<_>>()), distinct))
}

/// The summary of a column with one value.
fn of_constant(value: &Column) -> Option<Summary> {
    let first = value.value(0);
    let is_listed = !first.is_null() && matches!(extent(value), Extent::Range { .. });
    let common = is_listed.then(|| vec![CommonValue { value: first, share: 1.0 }])?;
    Some(Summary { common, histogram: None, sampled: 1 })
}

/// What the metadata say of a column, if only some of the stored rows exist.
fn of_meta(meta: &ColumnMeta, stored: u64, rows: u64) -> ColumnStatistics {
    let stats = &meta.stats;
    let nulls = scaled(stats.nulls, rows, stored);
    let sketch = (stats.nulls == stored || !stats.sketch.is_empty()).then(|| stats.sketch.clone());
    let mut known = ColumnStatistics {
        rows,
        nulls,
        distinct: sketch.as_ref().map(|sketch| sketch.estimate().min(rows - nulls)),
        average_width: (stored > 0).then(|| stats.raw_bytes as f64 / stored as f64),
        sketch,
        ..ColumnStatistics::default()
    };
    set_bounds(&mut known, &stats.extent);
    known
}

/// A part of `stored` rows, adapted to the number of rows that exist.
fn scaled(part: u64, rows: u64, stored: u64) -> u64 {
    if rows == stored || stored == 0 {
        return part.min(rows);
    }
    ((part as f64 / stored as f64 * rows as f64).round() as u64).min(rows)
}

fn set_bounds(known: &mut ColumnStatistics, extent: &Extent) {
    (known.min, known.max) = match extent {
        Extent::Range { min, max, .. } => (Some(min.clone()), Some(max.clone())),
        Extent::Empty | Extent::Unknown => (None, None),
    };
}

fn extent_of(known: &ColumnStatistics) -> Extent {
    match (&known.min, &known.max) {
        (Some(min), Some(max)) => {
            Extent::Range { min: min.clone(), max: max.clone(), exact: false }
        }
        _ if known.rows == known.nulls => Extent::Empty,
        _ => Extent::Unknown,
    }
}
