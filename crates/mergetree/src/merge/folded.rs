//! Merges that do not keep all rows, or not as they are: rows come in batches, from which rows are
//! picked; the columns are folded batch by batch and divided into granules again. If rows with
//! equal keys are folded, a batch consists of complete groups.

use std::collections::HashSet;
use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Bitmap, Chunk, Column, ColumnBuilder};
use entasis_expr::Expr;

use super::at_work::MergeReason;
use super::columns::MergedColumn;
use super::fold::{ColumnAt, Groups, KeptRow, MergeAlgorithm, Purpose};
use super::grouped::{Regrouped, key_starts};
use super::keys::{MergedKeys, granules_of, push_row};
use super::{GoOn, stopped};
use crate::expiry::{Expiry, GroupExpiry, Values};
use crate::layers::Layers;
use crate::partition::row_hash;
use crate::schema::{SchemaVersion, evaluate};

/// Fewest rows of a batch.
const LEAST_BATCH: usize = 1024;

/// What a merge does with its rows, besides ordering them.
#[derive(Clone, Debug)]
pub(crate) struct RowRules {
    /// How rows with equal keys are folded, if they are.
    pub(super) merging: Option<Arc<MergeAlgorithm>>,
    pub(super) purpose: Purpose,
    /// Positions of the columns in which no two rows with equal keys may be alike: only the first
    /// such row stays.
    pub(super) distinct: Option<Arc<[usize]>>,
    /// When rows and values expire, and the present time in seconds.
    pub(super) expiry: Option<(Arc<Expiry>, u64)>,
    pub(super) reason: MergeReason,
}

impl RowRules {
    /// Whether all rows stay as they are.
    pub(crate) fn keep_all(&self) -> bool {
        self.merging.is_none() && self.distinct.is_none() && self.expiry.is_none()
    }

    /// Whether rows are folded or left out because of others.
    pub(crate) fn folds(&self) -> bool {
        self.merging.is_some() || self.distinct.is_some()
    }

    /// Whether a single part may have to be written again.
    pub(super) fn may_change_all(&self) -> bool {
        let changes = self.merging.as_ref().is_some_and(|merging| merging.changes_with_time());
        let cleans = self.purpose == Purpose::Cleanup;
        changes || cleans || self.distinct.is_some() || self.expiry.is_some()
    }

    /// The rules by which rows of a key become one row.
    fn groups(&self) -> &[GroupExpiry] {
        self.expiry.as_ref().map_or(&[], |(expiry, _)| &expiry.groups)
    }

    /// Positions of the columns that decide which rows stay.
    fn deciding(&self, schema: &SchemaVersion) -> Vec<usize> {
        let of_key = self.merging.as_ref().map(|merging| merging.deciding()).unwrap_or_default();
        let distinct = self.distinct.iter().flat_map(|columns| columns.iter().copied());
        let expiry = self.expiry.iter().flat_map(|(expiry, _)| expiry.read_by_rows());
        let grouped = self.groups().iter().flat_map(|rule| rule.deciding(schema));
        self.inputs(of_key.into_iter().chain(distinct).chain(expiry).chain(grouped))
    }

    /// Positions of the stored columns from which the values of some columns are made.
    fn inputs(&self, positions: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut all: Vec<usize> = positions.into_iter().collect();
        for rule in self.groups().iter().rev() {
            let read: Vec<usize> = all.iter().flat_map(|at| rule.read_for(*at)).collect();
            all.extend(read);
        }
        let mut all: Vec<usize> = all.into_iter().flat_map(|at| self.read_for(at)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn read_for(&self, position: usize) -> Vec<usize> {
        let merging = self.merging.as_ref();
        merging.map_or_else(|| vec![position], |merging| merging.read_for(position))
    }

    /// The values of a column for the picked rows.
    fn values(
        &self,
        position: usize,
        column: ColumnAt<'_>,
        groups: &Groups,
        picked: &[u32],
    ) -> Result<Column> {
        match &self.merging {
            Some(merging) => merging.fold(position, column, groups, picked),
            None if picked.len() == groups.rows => column(position),
            None => Ok(column(position)?.take(picked)),
        }
    }
}

/// The plan of a merge that picks rows, made from the keys.
pub(super) struct Folding {
    rules: RowRules,
    starts: Bitmap,
    /// The merged rows that stay.
    picked: Bitmap,
    /// For each batch, what each rule of TTL ... GROUP BY makes of the rows that stay. Empty if
    /// there is no such rule.
    regrouped: Vec<Vec<Option<Regrouped>>>,
    /// Rows per batch.
    batches: Vec<usize>,
    /// The rows of each granule of the result.
    pub(super) granules: Vec<u32>,
    /// The sparse index of the result.
    pub(super) index: Vec<Column>,
}

/// A batch of merged rows: its number, its first row, and how many rows it has.
#[derive(Clone, Copy)]
struct Batch {
    number: usize,
    start: usize,
    rows: usize,
}

/// The rows of a batch that stay, with the columns that were read.
struct Picked<'a> {
    column: ColumnAt<'a>,
    groups: &'a Groups,
    rows: &'a [u32],
}

/// Some columns of the merged rows, of which batches are read side by side.
struct Batches<'a> {
    positions: Vec<usize>,
    columns: Vec<MergedColumn<'a>>,
}

impl<'a> Batches<'a> {
    fn open(
        schema: &SchemaVersion,
        segments: &[Arc<Layers>],
        positions: Vec<usize>,
        merged: &'a MergedKeys,
    ) -> Result<Self> {
        let open = |&i: &usize| MergedColumn::open(schema, segments, i, &merged.runs);
        let columns = positions.iter().map(open).collect::<Result<_>>()?;
        Ok(Self { positions, columns })
    }

    /// The next rows of all columns.
    fn next(&mut self, rows: usize) -> Result<Vec<Column>> {
        self.columns.iter_mut().map(|column| column.next(rows)).collect()
    }

    /// The column at a position of the schema, among what [`Self::next`] has answered.
    fn at(positions: &[usize], values: &[Column], position: usize) -> Result<Column> {
        let place = positions.iter().position(|p| *p == position);
        let missing = || Error::logical("A merge lacks a column");
        place.map(|place| values[place].clone()).ok_or_else(missing)
    }
}

/// A column whose values expire.
struct Expiring {
    expires: Expr,
    default: Expr,
    /// Positions of the columns that both expressions read.
    read: Vec<usize>,
    now: u64,
}

impl Folding {
    /// Reads the keys and the columns that decide which rows stay; `None` if all stay as they are.
    pub(super) fn plan(
        schema: &SchemaVersion,
        rules: &RowRules,
        segments: &[Arc<Layers>],
        merged: &MergedKeys,
        granule_rows: usize,
        go_on: GoOn,
    ) -> Result<Option<Self>> {
        if rules.keep_all() {
            return Ok(None);
        }
        let rules = rules.clone();
        let of_keys = |len: usize| key_starts(schema, segments, merged, len, go_on);
        let group_key = rules.merging.as_ref().and_then(|merging| merging.group_key());
        let starts = group_key.map_or_else(|| Ok(merged.starts.clone()), of_keys)?;
        let least = granule_rows.max(LEAST_BATCH);
        // Batches consist of complete groups of all kinds.
        let shortest = rules.groups().iter().map(|rule| rule.keys).chain(group_key).min();
        let batches = match (shortest, &rules.merging) {
            (Some(len), _) if Some(len) != group_key => batches(&of_keys(len)?, least),
            (None, None) => {
                granules_of(starts.len() as u64, least).iter().map(|&g| g as usize).collect()
            }
            _ => batches(&starts, least),
        };
        let (picked, regrouped) = (starts.clone(), Vec::new());
        let (granules, index) = (Vec::new(), Vec::new());
        let mut this = Self { rules, starts, picked, regrouped, batches, granules, index };
        (this.picked, this.regrouped) = this.picked(schema, segments, merged, go_on)?;
        this.granules = granules_of(this.rows() as u64, granule_rows);
        this.index = this.key_index(schema, segments, merged, granule_rows, go_on)?;
        Ok(Some(this))
    }

    /// The number of rows of the result.
    fn rows(&self) -> usize {
        if self.regrouped.is_empty() {
            return self.picked.count_ones();
        }
        let (mut start, mut total) = (0, 0);
        for (number, &rows) in self.batches.iter().enumerate() {
            total += self.rows_of(Batch { number, start, rows });
            start += rows;
        }
        total
    }

    /// The number of rows that a batch has in the result.
    fn rows_of(&self, batch: Batch) -> usize {
        let rules = self.regrouped.get(batch.number).into_iter().flatten().flatten();
        let last = rules.last().map(Regrouped::rows);
        last.unwrap_or_else(|| self.picked.slice(batch.start, batch.rows).count_ones())
    }

    /// The values of the column at a position for the rows that stay, after some of the rules of
    /// TTL ... GROUP BY.
    fn staged(
        &self,
        position: usize,
        picked: &Picked<'_>,
        regrouped: &[Option<Regrouped>],
    ) -> Result<Column> {
        let Some((last, before)) = regrouped.split_last() else {
            return self.rules.values(position, picked.column, picked.groups, picked.rows);
        };
        let column = |at: usize| self.staged(at, picked, before);
        match (last, self.rules.groups().get(before.len())) {
            (Some(made), Some(rule)) => made.column(rule, position, &column),
            _ => column(position),
        }
    }

    /// What the rules of TTL ... GROUP BY make of the rows of a batch that stay.
    fn regroup(
        &self,
        schema: &SchemaVersion,
        picked: &Picked<'_>,
        now: u64,
    ) -> Result<Vec<Option<Regrouped>>> {
        let mut made: Vec<Option<Regrouped>> = Vec::new();
        let mut rows = picked.rows.len();
        for rule in self.rules.groups() {
            let column = |at: usize| self.staged(at, picked, &made);
            let next = Regrouped::plan(rule, schema, &column, rows, now)?;
            rows = next.as_ref().map_or(rows, Regrouped::rows);
            made.push(next);
        }
        Ok(made)
    }

    /// Decides which rows stay, and what becomes of them.
    fn picked(
        &self,
        schema: &SchemaVersion,
        segments: &[Arc<Layers>],
        merged: &MergedKeys,
        go_on: GoOn,
    ) -> Result<(Bitmap, Vec<Vec<Option<Regrouped>>>)> {
        let deciding = self.rules.deciding(schema);
        if deciding.is_empty() {
            match &self.rules.merging {
                Some(merging) if !matches!(merging.pick, KeptRow::First) => {}
                Some(_) => return Ok((self.starts.clone(), Vec::new())),
                None => return Ok((Bitmap::from_fn(self.starts.len(), |_| true), Vec::new())),
            }
        }
        let mut columns = Batches::open(schema, segments, deciding, merged)?;
        let (mut out, mut regrouped) = (BitmapBuilder::default(), Vec::new());
        let mut seen = HashSet::new();
        self.each(go_on, &mut |batch| {
            let Batch { start, rows, .. } = batch;
            let values = columns.next(rows)?;
            let positions = &columns.positions;
            let column = |position: usize| Batches::at(positions, &values, position);
            let groups = self.groups(batch);
            let mut picked = match &self.rules.merging {
                Some(merging) => merging.pick(&groups, &column, self.rules.purpose)?,
                None => (0..rows as u32).collect(),
            };
            if let Some(distinct) = &self.rules.distinct {
                let of = |position: &usize| {
                    Ok(self.rules.values(*position, &column, &groups, &picked)?.full())
                };
                let compared: Vec<Column> = distinct.iter().map(of).collect::<Result<_>>()?;
                picked = self.first_alike(start, &compared, &picked, &mut seen);
            }
            if let Some((expiry, now)) = &self.rules.expiry {
                let read = expiry.read_by_rows();
                let of = |position: &usize| self.rules.values(*position, &column, &groups, &picked);
                let columns = read.iter().map(of).collect::<Result<_>>()?;
                let values = Values { positions: &read, columns, rows: picked.len() };
                let expired = expiry.expired_rows(&values, *now)?;
                let mut at = 0..picked.len();
                picked.retain(|_| at.next().is_some_and(|at| !expired.get(at)));
                if !expiry.groups.is_empty() {
                    let picked = Picked { column: &column, groups: &groups, rows: &picked };
                    regrouped.push(self.regroup(schema, &picked, *now)?);
                }
            }
            let mut next = 0;
            for row in picked {
                out.push_n(false, row as usize - next);
                out.push(true);
                next = row as usize + 1;
            }
            out.push_n(false, rows - next);
            Ok(())
        })?;
        Ok((out.finish(), regrouped))
    }

    /// Those of the picked rows that are the first of their group with these values. `seen` holds
    /// what the group had in earlier batches.
    fn first_alike(
        &self,
        start: usize,
        values: &[Column],
        picked: &[u32],
        seen: &mut HashSet<u128>,
    ) -> Vec<u32> {
        let mut group_seen = start;
        let mut out = Vec::with_capacity(picked.len());
        for (at, &row) in picked.iter().enumerate() {
            let here = start + row as usize;
            if (group_seen..=here).any(|row| self.starts.get(row)) {
                seen.clear();
            }
            group_seen = here + 1;
            if seen.insert(row_hash(values, at)) {
                out.push(row);
            }
        }
        out
    }

    /// Primary key columns at the first row of each granule of the result, and at its last row.
    fn key_index(
        &self,
        schema: &SchemaVersion,
        segments: &[Arc<Layers>],
        merged: &MergedKeys,
        granule_rows: usize,
        go_on: GoOn,
    ) -> Result<Vec<Column>> {
        let keys = &schema.config.order_by[..schema.config.primary_key_len];
        let needed = SchemaVersion::read_by(keys);
        let opened = self.rules.inputs(needed.iter().copied());
        let mut columns = Batches::open(schema, segments, opened, merged)?;
        let total = self.rows();
        let types = schema.primary_types();
        let mut index: Vec<ColumnBuilder> =
            types.iter().map(|t| ColumnBuilder::new(t, self.granules.len() + 1)).collect();
        let mut done = 0;
        self.each(go_on, &mut |batch| {
            let picked = self.picked.slice(batch.start, batch.rows).indices();
            let values = columns.next(batch.rows)?;
            let left = self.rows_of(batch);
            if left == 0 {
                return Ok(());
            }
            let positions = &columns.positions;
            let column = |position: usize| Batches::at(positions, &values, position);
            let groups = self.groups(batch);
            let picked = Picked { column: &column, groups: &groups, rows: &picked };
            let regrouped = self.regrouped.get(batch.number).map_or(&[][..], Vec::as_slice);
            let read = needed.iter().map(|at| self.staged(*at, &picked, regrouped));
            let keys = evaluate(keys, &needed, &Chunk::new(read.collect::<Result<_>>()?, left))?;
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

    /// Calls `step` for every batch.
    fn each(&self, go_on: GoOn, step: &mut dyn FnMut(Batch) -> Result<()>) -> Result<()> {
        let mut start = 0;
        for (number, &rows) in self.batches.iter().enumerate() {
            if !go_on() {
                return Err(stopped());
            }
            step(Batch { number, start, rows })?;
            start += rows;
        }
        Ok(())
    }

    fn groups(&self, batch: Batch) -> Groups {
        let Batch { start, rows, .. } = batch;
        Groups { rows, starts: self.starts.slice(start, rows).indices() }
    }

    /// How values of the column at a position expire, if they do.
    fn expiring(&self, schema: &SchemaVersion, position: usize) -> Result<Option<Expiring>> {
        let Some((expiry, now)) = &self.rules.expiry else { return Ok(None) };
        let Some(Some(expires)) = expiry.columns.get(position) else { return Ok(None) };
        let bound = match &schema.config.defaults {
            Some(defaults) => defaults.default(position, None)?,
            None => None,
        };
        let ty = &schema.stored[position].ty;
        let default = bound.unwrap_or_else(|| Expr::literal(ty.column_default(), ty.clone()));
        let read = SchemaVersion::read_by(&[expires.clone(), default.clone()]);
        Ok(Some(Expiring { expires: expires.clone(), default, read, now: *now }))
    }

    /// Folds a column and writes it granule by granule.
    pub(super) fn write(
        &self,
        (schema, segments, merged): (&SchemaVersion, &[Arc<Layers>], &MergedKeys),
        position: usize,
        go_on: GoOn,
        push: &mut dyn FnMut(&Column) -> Result<()>,
    ) -> Result<()> {
        let expiring = self.expiring(schema, position)?;
        let mut needed = vec![position];
        needed.extend(expiring.iter().flat_map(|expiring| &expiring.read).copied());
        let opened = self.rules.inputs(needed);
        let mut columns = Batches::open(schema, segments, opened, merged)?;
        let mut granules = self.granules.iter().map(|&g| g as usize);
        let mut wanted = granules.next();
        let (mut held, mut rows_held): (Vec<Column>, usize) = (Vec::new(), 0);
        self.each(go_on, &mut |batch| {
            let picked = self.picked.slice(batch.start, batch.rows).indices();
            let groups = self.groups(batch);
            let read = columns.next(batch.rows)?;
            let positions = &columns.positions;
            let column = |position: usize| Batches::at(positions, &read, position);
            let picked = Picked { column: &column, groups: &groups, rows: &picked };
            let regrouped = self.regrouped.get(batch.number).map_or(&[][..], Vec::as_slice);
            let mut values = self.staged(position, &picked, regrouped)?;
            if let Some(Expiring { expires, default, read, now }) = &expiring {
                let of = |at: &usize| self.staged(*at, &picked, regrouped);
                let columns = read.iter().map(of).collect::<Result<_>>()?;
                let inputs = Values { positions: read, columns, rows: values.len() };
                values = inputs.without_expired(&values, expires, default, *now)?;
            }
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
