//! Merges that fold rows with equal keys: rows come in batches of complete groups, which are folded
//! column by column and divided into granules again.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Bitmap, Chunk, Column, ColumnBuilder};

use super::columns::MergedColumn;
use super::fold::{Groups, KeptRow, MergeAlgorithm};
use super::keys::{MergedKeys, granules_of, push_row};
use super::{GoOn, stopped};
use crate::schema::{SchemaVersion, evaluate};
use crate::segment::Segment;

/// The plan of a folding merge, made from the keys.
pub(super) struct Folding {
    merging: Arc<MergeAlgorithm>,
    starts: Bitmap,
    /// The merged rows that stay.
    picked: Bitmap,
    /// Rows per batch; a batch consists of complete groups.
    batches: Vec<usize>,
    /// The rows of each granule of the result.
    pub(super) granules: Vec<u32>,
    /// The sparse index of the result.
    pub(super) index: Vec<Column>,
}

impl Folding {
    /// Reads the keys and the columns that decide which rows stay.
    pub(super) fn plan(
        schema: &SchemaVersion,
        merging: &Arc<MergeAlgorithm>,
        segments: &[Arc<Segment>],
        merged: &MergedKeys,
        granule_rows: usize,
        go_on: GoOn,
    ) -> Result<Self> {
        let starts = merged.starts.clone();
        let mut this = Self {
            merging: Arc::clone(merging),
            batches: batches(&starts, granule_rows),
            picked: starts.clone(),
            starts,
            granules: Vec::new(),
            index: Vec::new(),
        };
        let deciding = merging.deciding();
        let open = |&i: &usize| MergedColumn::open(schema, segments, i, &merged.runs);
        if !matches!(merging.pick, KeptRow::First) {
            let mut columns: Vec<MergedColumn> =
                deciding.iter().map(open).collect::<Result<_>>()?;
            let mut picked = BitmapBuilder::default();
            this.each(go_on, &mut |start, rows| {
                let values: Vec<Column> =
                    columns.iter_mut().map(|c| c.next(rows)).collect::<Result<_>>()?;
                let groups = this.groups(start, rows);
                let of = |position: usize| {
                    let at = deciding.iter().position(|&d| d == position).unwrap_or(0);
                    Ok(values[at].clone())
                };
                let mut next = 0;
                for row in merging.pick(&groups, &of, false)? {
                    picked.push_n(false, row as usize - next);
                    picked.push(true);
                    next = row as usize + 1;
                }
                picked.push_n(false, rows - next);
                Ok(())
            })?;
            this.picked = picked.finish();
        }
        this.granules = granules_of(this.picked.count_ones() as u64, granule_rows);
        this.index = this.key_index(schema, segments, merged, granule_rows, go_on)?;
        Ok(this)
    }

    /// Primary key columns at the first row of each granule of the result, and at its last row.
    fn key_index(
        &self,
        schema: &SchemaVersion,
        segments: &[Arc<Segment>],
        merged: &MergedKeys,
        granule_rows: usize,
        go_on: GoOn,
    ) -> Result<Vec<Column>> {
        let keys = &schema.config.order_by[..schema.config.primary_key_len];
        let needed = SchemaVersion::read_by(keys);
        let mut columns: Vec<MergedColumn> = needed
            .iter()
            .map(|&i| MergedColumn::open(schema, segments, i, &merged.runs))
            .collect::<Result<_>>()?;
        let total = self.picked.count_ones();
        let types = schema.primary_types();
        let mut index: Vec<ColumnBuilder> =
            types.iter().map(|t| ColumnBuilder::new(t, self.granules.len() + 1)).collect();
        let mut done = 0;
        self.each(go_on, &mut |start, rows| {
            let picked = self.picked.slice(start, rows);
            let left = picked.count_ones();
            let left_of = |column: &mut MergedColumn| Ok(column.next(rows)?.filter(&picked));
            let read: Vec<Column> = columns.iter_mut().map(left_of).collect::<Result<_>>()?;
            if left == 0 {
                return Ok(());
            }
            let keys = evaluate(keys, &needed, &Chunk::new(read, left))?;
            let first = usize::next_multiple_of(done, granule_rows) - done;
            for row in (first..left).step_by(granule_rows) {
                push_row(&mut index, &keys, row);
            }
            done += left;
            if done == total {
                push_row(&mut index, &keys, left - 1);
            }
            Ok(())
        })?;
        Ok(index.into_iter().map(ColumnBuilder::finish).collect())
    }

    /// Calls `step` for every batch with its first row and its number of rows.
    fn each(&self, go_on: GoOn, step: &mut dyn FnMut(usize, usize) -> Result<()>) -> Result<()> {
        let mut start = 0;
        for &rows in &self.batches {
            if !go_on() {
                return Err(stopped());
            }
            step(start, rows)?;
            start += rows;
        }
        Ok(())
    }

    fn groups(&self, start: usize, rows: usize) -> Groups {
        Groups { rows, starts: self.starts.slice(start, rows).indices() }
    }

    /// Folds a column and writes it granule by granule.
    pub(super) fn write(
        &self,
        position: usize,
        column: &mut MergedColumn,
        go_on: GoOn,
        push: &mut dyn FnMut(&Column) -> Result<()>,
    ) -> Result<()> {
        let mut granules = self.granules.iter().map(|&g| g as usize);
        let mut wanted = granules.next();
        let (mut held, mut rows_held): (Vec<Column>, usize) = (Vec::new(), 0);
        self.each(go_on, &mut |start, rows| {
            let picked = self.picked.slice(start, rows).indices();
            let groups = self.groups(start, rows);
            let values = self.merging.fold(position, &column.next(rows)?, &groups, &picked)?;
            rows_held += values.len();
            held.push(values);
            while let Some(rows) = wanted.filter(|&rows| rows_held >= rows) {
                let all = Column::concat(&held.iter().collect::<Vec<_>>());
                push(&all.slice(0, rows))?;
                rows_held -= rows;
                held = vec![all.slice(rows, rows_held)];
                wanted = granules.next();
            }
            Ok(())
        })
    }
}

/// Divides the rows into batches of at least `least` rows, cutting only where a group starts.
fn batches(starts: &Bitmap, least: usize) -> Vec<usize> {
    let (mut out, mut from) = (Vec::new(), 0);
    let rows = starts.len();
    while from < rows {
        let mut end = from + least;
        while end < rows && !starts.get(end) {
            end += 1;
        }
        let end = end.min(rows);
        out.push(end - from);
        from = end;
    }
    out
}
