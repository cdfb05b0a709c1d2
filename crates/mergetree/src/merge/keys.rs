//! The merge of key columns: from which part each run of rows comes.

use std::cmp::Ordering;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, ColumnBuilder, Dictionary};
use entasis_expr::ColumnId;

use super::GoOn;
use crate::segment::{Mode, Segment};
use crate::sort::{Prefixes, compare_keys, prefixes};
use crate::table::TableCore;

/// What the keys say of the result.
pub(super) struct MergedKeys {
    /// Part and number of rows, in the order of the result.
    pub(super) runs: Vec<(u16, u32)>,
    pub(super) granules: Vec<u32>,
    /// Primary key columns at each granule's first row and at the last row.
    pub(super) index: Vec<Column>,
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
    keys: Vec<Column>,
    prefixes: Prefixes,
    row: usize,
}

impl KeyCursor<'_> {
    /// Loads the next granule; `false` at the end.
    fn load(&mut self) -> Result<bool> {
        let Some(&rows) = self.segment.granules.get(self.granule) else { return Ok(false) };
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
        self.keys = self.table.evaluate(&self.table.config.order_by, &chunk)?;
        self.prefixes = prefixes(&self.keys);
        self.granule += 1;
        self.row = 0;
        Ok(true)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_prefix = self.prefixes.keys[self.row].cmp(&other.prefixes.keys[other.row]);
        if by_prefix.is_ne() || (self.prefixes.exact && other.prefixes.exact) {
            return by_prefix;
        }
        compare_keys(&self.keys, self.row, &other.keys, other.row)
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
    if table.config.order_by.is_empty() {
        let runs = segments.iter().enumerate().map(|(i, s)| (i as u16, s.rows as u32)).collect();
        return Ok(MergedKeys { runs, granules, index: Vec::new() });
    }
    if segments.len() > usize::from(u16::MAX) {
        return Err(Error::new(codes::TOO_MANY_PARTS, "Too many parts for one merge"));
    }
    let needed = needed_columns(table);
    let mut cursors: Vec<KeyCursor> = Vec::new();
    for segment in segments {
        let mut cursor = KeyCursor {
            table,
            segment,
            needed: &needed,
            values: dictionaries(table, segment, &needed)?,
            granule: 0,
            buffer: Vec::new(),
            keys: Vec::new(),
            prefixes: Prefixes::default(),
            row: 0,
        };
        cursor.load()?;
        cursors.push(cursor);
    }
    let types = crate::config::primary_types(&table.config);
    let mut index: Vec<ColumnBuilder> =
        types.iter().map(|t| ColumnBuilder::new(t, granules.len() + 1)).collect();
    let mut runs: Vec<(u16, u32)> = Vec::new();
    // Parts by their next row, last first: the least is popped from the end.
    let mut order: Vec<usize> = (0..cursors.len()).collect();
    let key =
        |cursors: &[KeyCursor], a: usize, b: usize| cursors[b].compare(&cursors[a]).then(b.cmp(&a));
    order.sort_by(|&a, &b| key(&cursors, a, b));
    let (mut done, mut next_index) = (0u64, 0u64);
    while let Some(least) = order.pop() {
        let start = cursors[least].row;
        let end = match order.last() {
            Some(&rival) => run_end(&mut cursors, least, rival),
            None => cursors[least].prefixes.keys.len(),
        };
        let len = end - start;
        // First rows of granules that begin within this run.
        while next_index < done + len as u64 {
            let row = start + (next_index - done) as usize;
            push_row(&mut index, &cursors[least].keys, row);
            next_index += granule_rows as u64;
        }
        done += len as u64;
        if done == total {
            push_row(&mut index, &cursors[least].keys, end - 1);
        }
        match runs.last_mut() {
            Some((part, rows)) if usize::from(*part) == least => *rows += len as u32,
            _ => runs.push((least as u16, len as u32)),
        }
        let cursor = &mut cursors[least];
        cursor.row = end;
        if end == cursor.prefixes.keys.len() {
            if !go_on() {
                return Err(super::stopped());
            }
            if !cursor.load()? {
                continue;
            }
        }
        let at = order.partition_point(|&other| key(&cursors, other, least).is_lt());
        order.insert(at, least);
    }
    let index = index.into_iter().map(ColumnBuilder::finish).collect();
    Ok(MergedKeys { runs, granules, index })
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

/// The first row of `least`'s granule, after its next one, that comes behind `rival`'s next row.
fn run_end(cursors: &mut [KeyCursor], least: usize, rival: usize) -> usize {
    let rows = cursors[least].prefixes.keys.len();
    let start = cursors[least].row;
    let mut at = start + 1;
    while at < rows {
        cursors[least].row = at;
        let order = cursors[least].compare(&cursors[rival]).then(least.cmp(&rival));
        if order.is_gt() {
            break;
        }
        at += 1;
    }
    cursors[least].row = start;
    at
}

fn push_row(index: &mut [ColumnBuilder], keys: &[Column], row: usize) {
    index.iter_mut().zip(keys).for_each(|(out, key)| out.append(&key.slice(row, 1)));
}

fn granules_of(rows: u64, granule_rows: usize) -> Vec<u32> {
    let full = rows / granule_rows as u64;
    let mut out = vec![granule_rows as u32; full as usize];
    if !rows.is_multiple_of(granule_rows as u64) {
        out.push((rows % granule_rows as u64) as u32);
    }
    out
}

/// Positions among the stored columns that the sort key reads.
fn needed_columns(table: &TableCore) -> Vec<usize> {
    let mut ids: Vec<ColumnId> = Vec::new();
    table.config.order_by.iter().for_each(|e| e.columns(&mut ids));
    let place = |id: &ColumnId| table.stored.iter().position(|s| s.position == id.0 as usize);
    ids.iter().filter_map(place).collect()
}
