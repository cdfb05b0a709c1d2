//! The merge of key columns: from which part each run of rows comes.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Bitmap, Chunk, Column, ColumnBuilder, Dictionary};
use entasis_expr::ColumnId;

use super::GoOn;
use super::order::{Head, Order};
use crate::segment::{Mode, Segment};
use crate::table::TableCore;

/// What the keys say of the result.
pub(super) struct MergedKeys {
    /// Part and number of rows, in the order of the result.
    pub(super) runs: Vec<(u16, u32)>,
    pub(super) granules: Vec<u32>,
    /// Primary key columns at each granule's first row and at the last row.
    pub(super) index: Vec<Column>,
    /// With a table that folds rows: which rows' keys are other than the row's before; else empty.
    pub(super) starts: Bitmap,
}

/// The keys of one part, granule by granule.
struct KeyCursor<'a> {
    table: &'a TableCore,
    segment: &'a Segment,
    /// Stored columns that the key reads.
    needed: &'a [usize],
    /// Dictionaries and constants of all stored columns that are needed.
    values: Vec<Option<Arc<Dictionary>>>,
    granule: usize,
    buffer: Vec<u8>,
}

impl KeyCursor<'_> {
    /// The next granule.
    fn load(&mut self) -> Result<Option<Head>> {
        let Some(&rows) = self.segment.granules.get(self.granule) else { return Ok(None) };
        let rows = rows as usize;
        let mut columns = Vec::with_capacity(self.table.stored.len());
        for (i, stored) in self.table.stored.iter().enumerate() {
            let wanted = self.needed.contains(&i);
            let place = self.segment.position(&stored.spec.name);
            columns.push(match place.filter(|_| wanted) {
                Some(c) => self.segment.read_granule(
                    c,
                    self.granule,
                    self.values[i].as_ref(),
                    &mut self.buffer,
                )?,
                None => Column::constant(Column::default_of(&stored.spec.ty, 1), rows),
            });
        }
        let chunk = Chunk::new(columns, rows);
        let keys = self.table.evaluate(&self.table.config.order_by, &chunk)?;
        self.granule += 1;
        Ok(Some(Head::new(keys, rows)))
    }
}

/// Merges the sort keys of `segments` into runs, and cuts granules of `granule_rows` rows.
pub(super) fn merge_keys(
    table: &TableCore,
    segments: &[Arc<Segment>],
    granule_rows: usize,
    go_on: GoOn,
) -> Result<MergedKeys> {
    let total: u64 = segments.iter().map(|s| s.rows).sum();
    let granules = granules_of(total, granule_rows);
    let folds = table.folds();
    if table.config.order_by.is_empty() && !folds {
        let runs = segments.iter().enumerate().map(|(i, s)| (i as u16, s.rows as u32)).collect();
        let (index, starts) = (Vec::new(), Bitmap::default());
        return Ok(MergedKeys { runs, granules, index, starts });
    }
    if segments.len() > usize::from(u16::MAX) {
        return Err(Error::new(codes::TOO_MANY_PARTS, "Too many parts for one merge"));
    }
    let needed = needed_columns(table, table.config.order_by.len());
    let mut cursors: Vec<KeyCursor> = Vec::new();
    let mut heads: Vec<Head> = Vec::new();
    for segment in segments {
        let mut cursor = KeyCursor {
            table,
            segment,
            needed: &needed,
            values: dictionaries(table, segment, &needed)?,
            granule: 0,
            buffer: Vec::new(),
        };
        heads.push(cursor.load()?.unwrap_or_default());
        cursors.push(cursor);
    }
    let types = crate::config::primary_types(&table.config);
    let mut index: Vec<ColumnBuilder> =
        types.iter().map(|t| ColumnBuilder::new(t, granules.len() + 1)).collect();
    let mut runs: Vec<(u16, u32)> = Vec::new();
    let mut starts = BitmapBuilder::default();
    let mut order = Order::new(heads);
    let (mut done, mut next_index) = (0u64, 0u64);
    while let Some(next) = order.pop() {
        let (part, len) = (next.input, next.end - next.start);
        let keys = &order.heads[part].keys;
        // First rows of granules that begin within this run.
        while next_index < done + len as u64 {
            push_row(&mut index, keys, next.start + (next_index - done) as usize);
            next_index += granule_rows as u64;
        }
        done += len as u64;
        if done == total {
            push_row(&mut index, keys, next.end - 1);
        }
        if folds {
            // Within one part no key comes twice.
            starts.push(next.new_key);
            starts.push_n(true, len - 1);
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

/// Dictionaries and constants of the needed columns, by stored column.
fn dictionaries(
    table: &TableCore,
    segment: &Segment,
    needed: &[usize],
) -> Result<Vec<Option<Arc<Dictionary>>>> {
    let of = |(i, stored): (usize, &crate::config::Stored)| match segment
        .position(&stored.spec.name)
        .filter(|_| needed.contains(&i))
    {
        Some(c) if segment.meta(c)?.mode != Mode::Plain => segment.read_dictionary(c).map(Some),
        _ => Ok(None),
    };
    table.stored.iter().enumerate().map(of).collect()
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

/// Positions among the stored columns that the first `len` expressions of the sort key read.
pub(crate) fn needed_columns(table: &TableCore, len: usize) -> Vec<usize> {
    let mut ids: Vec<ColumnId> = Vec::new();
    table.config.order_by[..len].iter().for_each(|e| e.columns(&mut ids));
    let place = |id: &ColumnId| table.stored.iter().position(|s| s.position == id.0 as usize);
    ids.iter().filter_map(place).collect()
}
