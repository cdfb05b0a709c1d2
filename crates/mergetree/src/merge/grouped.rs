//! TTL ... GROUP BY: expired rows of a key that follow each other become one row.
//!
//! A rule is applied to a batch of rows with complete keys ([`Regrouped::plan`]), which decides the
//! rows that stay and those that become one. Every column is then made alike
//! ([`Regrouped::column`]). The new rows stand where the sorting key puts them.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Chunk, Column};
use entasis_expr::Expr;
use entasis_function::Aggregate;

use super::columns::MergedColumn;
use super::fold::ColumnAt;
use super::keys::MergedKeys;
use super::{GoOn, stopped};
use crate::expiry::{GroupAggregate, GroupExpiry, is_past};
use crate::layers::Layers;
use crate::schema::{SchemaVersion, evaluate};
use crate::sort;

/// Rows that are read at a time to find where keys begin.
const ROWS_AT_ONCE: usize = 8192;

/// What a rule makes of a batch of rows.
pub(super) struct Regrouped {
    /// The rows that stay as they are.
    kept: Vec<u32>,
    /// The rows that are expired, and the group of each.
    expired: Vec<u32>,
    groups: Vec<u32>,
    /// The first expired row of each group.
    firsts: Vec<u32>,
    /// The order of the result: places among the rows that stay, followed by the groups. `None` if
    /// they are in order.
    order: Option<Vec<u32>>,
    /// Whether the columns that the key reads keep any value of the group, because the values that
    /// the rule sets would give a group another key.
    keeps_key: bool,
}

impl GroupExpiry {
    /// Positions of the columns that the new values of a column are made from.
    pub(super) fn read_for(&self, position: usize) -> Vec<usize> {
        let Some(Some(set)) = self.set.get(position) else { return Vec::new() };
        let args = set.aggregates.iter().flat_map(|aggregate| &aggregate.args);
        let exprs: Vec<Expr> = args.chain([&set.value]).cloned().collect();
        let mut read = SchemaVersion::read_by(&exprs);
        read.retain(|at| *at < self.set.len());
        read
    }

    /// Positions of the columns that decide what the rule does with rows.
    pub(super) fn deciding(&self, schema: &SchemaVersion) -> Vec<usize> {
        let mut exprs = schema.config.order_by.clone();
        exprs.push(self.expires.clone());
        SchemaVersion::read_by(&exprs)
    }
}

impl Regrouped {
    /// Decides what a rule does with rows that are sorted; `None` if none is expired.
    pub(super) fn plan(
        rule: &GroupExpiry,
        schema: &SchemaVersion,
        column: ColumnAt<'_>,
        rows: usize,
        now: u64,
    ) -> Result<Option<Self>> {
        let over = |exprs: &[Expr], column: ColumnAt<'_>, rows: usize| {
            let read = SchemaVersion::read_by(exprs);
            let columns = read.iter().map(|at| column(*at)).collect::<Result<_>>()?;
            evaluate(exprs, &read, &Chunk::new(columns, rows))
        };
        let times = over(std::slice::from_ref(&rule.expires), column, rows)?;
        let past = is_past(&times[0].full(), now);
        if !past.contains(&true) {
            return Ok(None);
        }
        let order_by = &schema.config.order_by;
        let starts = sort::group_starts(&over(&order_by[..rule.keys], column, rows)?, None, rows);
        let mut starts = starts.into_iter().peekable();
        let mut this = Self {
            kept: Vec::new(),
            expired: Vec::new(),
            groups: Vec::new(),
            firsts: Vec::new(),
            order: None,
            keeps_key: false,
        };
        let mut is_new = true;
        for (row, past) in past.into_iter().enumerate() {
            let row = row as u32;
            is_new |= starts.next_if_eq(&row).is_some();
            if !past {
                this.kept.push(row);
                is_new = true;
                continue;
            }
            if std::mem::take(&mut is_new) {
                this.firsts.push(row);
            }
            this.expired.push(row);
            this.groups.push(this.firsts.len() as u32 - 1);
        }
        let firsts = |at: usize| Ok(column(at)?.full().take(&this.firsts));
        let made = |at: usize| this.made(rule, at, column);
        let groups = this.firsts.len();
        let before = over(&order_by[..rule.keys], &firsts, groups)?;
        let after = over(&order_by[..rule.keys], &made, groups)?;
        let same = |row: usize| {
            before.iter().zip(&after).all(|(a, b)| compare_values(a, row, b, row).is_eq())
        };
        this.keeps_key = !(0..groups).all(same);
        let made = |at: usize| this.column(rule, at, column);
        let keys = over(order_by, &made, this.rows())?;
        this.order = sort::permutation(&keys, &schema.config.descending);
        Ok(Some(this))
    }

    /// The number of rows of the result.
    pub(super) fn rows(&self) -> usize {
        self.kept.len() + self.firsts.len()
    }

    /// The values of the column at a position in the result.
    pub(super) fn column(
        &self,
        rule: &GroupExpiry,
        position: usize,
        column: ColumnAt<'_>,
    ) -> Result<Column> {
        let kept = column(position)?.full().take(&self.kept);
        let all = Column::concat(&[&kept, &self.made(rule, position, column)?]);
        Ok(match &self.order {
            Some(order) => all.take(order),
            None => all,
        })
    }

    /// The values of the column at a position for the groups.
    fn made(&self, rule: &GroupExpiry, position: usize, column: ColumnAt<'_>) -> Result<Column> {
        let Some(Some(set)) = rule.set.get(position) else {
            return self.any(rule, position, column);
        };
        if self.keeps_key && rule.key_columns.contains(&position) {
            return self.any(rule, position, column);
        }
        let read = SchemaVersion::read_by(std::slice::from_ref(&set.value));
        let value = |&at: &usize| match at.checked_sub(rule.set.len()) {
            None => self.any(rule, at, column),
            Some(place) => {
                let missing = || Error::logical("A TTL reads an aggregate that it does not have");
                self.aggregated(set.aggregates.get(place).ok_or_else(missing)?, column)
            }
        };
        let columns = read.iter().map(value).collect::<Result<_>>()?;
        let chunk = Chunk::new(columns, self.firsts.len());
        let mut made = evaluate(std::slice::from_ref(&set.value), &read, &chunk)?;
        Ok(made.swap_remove(0).full())
    }

    fn any(&self, rule: &GroupExpiry, position: usize, column: ColumnAt<'_>) -> Result<Column> {
        let values = column(position)?.full();
        match rule.any.get(position).and_then(Option::as_ref) {
            None => Ok(values.take(&self.firsts)),
            Some(any) => self.states(any, &[values.take(&self.expired)]),
        }
    }

    fn aggregated(&self, aggregate: &GroupAggregate, column: ColumnAt<'_>) -> Result<Column> {
        let read = SchemaVersion::read_by(&aggregate.args);
        let expired = |at: &usize| Ok(column(*at)?.full().take(&self.expired));
        let columns = read.iter().map(expired).collect::<Result<_>>()?;
        let chunk = Chunk::new(columns, self.expired.len());
        let args = evaluate(&aggregate.args, &read, &chunk)?;
        self.states(&aggregate.function, &args)
    }

    fn states(&self, function: &Arc<dyn Aggregate>, args: &[Column]) -> Result<Column> {
        let mut states = function.states();
        states.resize(self.firsts.len());
        states.update(args, &self.groups)?;
        Ok(states.finish(0..self.firsts.len())?.full())
    }
}

/// Which of the merged rows have another key than the row before, where the key is the first `len`
/// expressions of the sorting key.
pub(super) fn key_starts(
    schema: &SchemaVersion,
    segments: &[Arc<Layers>],
    merged: &MergedKeys,
    len: usize,
    go_on: GoOn,
) -> Result<Bitmap> {
    let keys = &schema.config.order_by[..len];
    let read = SchemaVersion::read_by(keys);
    let open = |&at: &usize| MergedColumn::open(schema, segments, at, &merged.runs);
    let mut columns: Vec<MergedColumn> = read.iter().map(open).collect::<Result<_>>()?;
    let total: usize = merged.granules.iter().map(|&rows| rows as usize).sum();
    let mut out = BitmapBuilder::default();
    let mut last: Option<Vec<Column>> = None;
    let mut done = 0;
    while done < total {
        if !go_on() {
            return Err(stopped());
        }
        let rows = ROWS_AT_ONCE.min(total - done);
        let values = columns.iter_mut().map(|column| column.next(rows)).collect::<Result<_>>()?;
        let mut found = evaluate(keys, &read, &Chunk::new(values, rows))?;
        // The row before stands in front, so that the first row is compared with it.
        let before = usize::from(last.is_some());
        if let Some(last) = &last {
            let with = |(key, last): (&Column, &Column)| Column::concat(&[last, &key.full()]);
            found = found.iter().zip(last).map(with).collect();
        }
        let starts = sort::group_starts(&found, None, rows + before);
        let mut next = before;
        for start in starts.into_iter().map(|start| start as usize).filter(|at| *at >= before) {
            out.push_n(false, start - next);
            out.push(true);
            next = start + 1;
        }
        out.push_n(false, rows + before - next);
        last = Some(found.iter().map(|key| key.full().slice(rows + before - 1, 1)).collect());
        done += rows;
    }
    Ok(out.finish())
}
