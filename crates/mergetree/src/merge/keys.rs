//! Merges key columns, to find from which part each run of rows comes.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Bitmap, Chunk, Column, ColumnBuilder};

use super::GoOn;
use super::order::{Head, Next, Order};
use crate::fill::{Filler, GranuleReader};
use crate::layers::Layers;
use crate::schema::{SchemaVersion, evaluate};

/// The result of merging the keys.
pub(super) struct MergedKeys {
    /// Part and number of rows, in the order of the result.
    pub(super) runs: Vec<(u16, u32)>,
    pub(super) granules: Vec<u32>,
    /// Primary key columns at each granule's first row and at the last row.
    pub(super) index: Vec<Column>,
    /// Which rows have another key than the row before, if the caller needs groups; else empty.
    pub(super) starts: Bitmap,
}

/// The keys of one part, granule by granule.
struct KeyCursor<'a> {
    schema: &'a SchemaVersion,
    reader: GranuleReader,
    /// Positions of the stored columns that the key reads; they are the first in the reader's list.
    needed: &'a [usize],
    granule: usize,
}

impl KeyCursor<'_> {
    /// Loads the next granule.
    fn load(&mut self) -> Result<Option<Head>> {
        let Some((granule, rows)) = self.reader.next(self.granule)? else { return Ok(None) };
        let columns = (0..self.needed.len()).map(|at| self.reader.read(at, granule));
        let chunk = Chunk::new(columns.collect::<Result<_>>()?, rows);
        let keys = evaluate(&self.schema.config.order_by, self.needed, &chunk)?;
        self.granule = granule + 1;
        Ok(Some(Head::new(keys, rows, &self.schema.config.descending)))
    }
}

/// Merges the sort keys of `segments` into runs, and divides the result into granules of
/// `granule_rows` rows. `unique` tells for each segment that it holds no key twice, if groups of
/// equal keys are needed at all.
pub(super) fn merge_keys(
    schema: &SchemaVersion,
    segments: &[Arc<Layers>],
    granule_rows: usize,
    unique: Option<&[bool]>,
    go_on: GoOn,
) -> Result<MergedKeys> {
    let lens: Vec<u64> = segments.iter().map(|s| s.all_rows()).collect::<Result<_>>()?;
    let total: u64 = lens.iter().sum();
    let granules = granules_of(total, granule_rows);
    if schema.config.order_by.is_empty() && unique.is_none() {
        let with_rows = lens.iter().enumerate().filter(|(_, rows)| **rows > 0);
        let runs = with_rows.map(|(i, rows)| (i as u16, *rows as u32)).collect();
        let (index, starts) = (Vec::new(), Bitmap::default());
        return Ok(MergedKeys { runs, granules, index, starts });
    }
    if segments.len() > usize::from(u16::MAX) {
        return Err(Error::new(codes::TOO_MANY_PARTS, "Too many parts for one merge"));
    }
    let needed = schema.key_columns(schema.config.order_by.len());
    let mut filler = Filler::new(schema, needed.clone())?;
    let mut cursors: Vec<KeyCursor> = Vec::new();
    let mut heads: Vec<Head> = Vec::new();
    for segment in segments {
        let reader = GranuleReader::new(segment, filler.origins(segment, 0)?)?;
        let mut cursor = KeyCursor { schema, reader, needed: &needed, granule: 0 };
        heads.push(cursor.load()?.unwrap_or_default());
        cursors.push(cursor);
    }
    let types = schema.primary_types();
    let mut index: Vec<ColumnBuilder> =
        types.iter().map(|t| ColumnBuilder::new(t, granules.len() + 1)).collect();
    let mut runs: Vec<(u16, u32)> = Vec::new();
    let mut starts = BitmapBuilder::default();
    let mut order = Order::new(heads);
    let (mut done, mut next_index) = (0u64, 0u64);
    while let Some(next) = order.pop() {
        let (part, len) = (next.input, next.end - next.start);
        let keys = &order.heads[part].keys;
        // Adds the first rows of the granules that begin within this run.
        while next_index < done + len as u64 {
            push_row(&mut index, keys, next.start + (next_index - done) as usize);
            next_index += granule_rows as u64;
        }
        done += len as u64;
        if done == total {
            push_row(&mut index, keys, next.end - 1);
        }
        if let Some(unique) = unique {
            push_starts(&mut starts, &order.heads[part], next, unique[part]);
        }
        match runs.last_mut() {
            Some((last, rows)) if usize::from(*last) == part => *rows += len as u32,
            _ => runs.push((part as u16, len as u32)),
        }
        if order.is_used_up(part) {
            if !go_on() {
                return Err(super::stopped());
            }
            let Some(head) = cursors[part].load()? else { continue };
            order.refill(part, head);
        }
        order.put_back(part);
    }
    let index = index.into_iter().map(ColumnBuilder::finish).collect();
    Ok(MergedKeys { runs, granules, index, starts: starts.finish() })
}

/// Marks the rows of a run that have another key than the row before.
fn push_starts(starts: &mut BitmapBuilder, head: &Head, next: Next, unique: bool) {
    starts.push(next.new_key);
    if unique {
        starts.push_n(true, next.end - next.start - 1);
    } else {
        (next.start + 1..next.end).for_each(|row| starts.push(head.begins_key(row)));
    }
}

pub(super) fn push_row(index: &mut [ColumnBuilder], keys: &[Column], row: usize) {
    index.iter_mut().zip(keys).for_each(|(out, key)| out.append(&key.slice(row, 1)));
}

pub(super) fn granules_of(rows: u64, granule_rows: usize) -> Vec<u32> {
    let full = rows / granule_rows as u64;
    let mut out = vec![granule_rows as u32; full as usize];
    if !rows.is_multiple_of(granule_rows as u64) {
        out.push((rows % granule_rows as u64) as u32);
    }
    out
}
