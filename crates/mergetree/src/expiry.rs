//! TTL: when rows and values of columns expire. Merges drop expired rows or make one row of
//! several, and replace expired values by the defaults of their columns; until then readers see
//! them.
//!
//! A time of 0 or less means never.

pub(crate) mod spans;

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Bitmap, Chunk, Column, Native};
use entasis_expr::Expr;
use entasis_function::Aggregate;

use crate::schema::{SchemaVersion, evaluate};

/// When rows and values of a table expire. Expressions use `ColumnId(position in the schema)`.
#[derive(Clone, Debug, Default)]
pub struct Expiry {
    /// Rules by which rows are dropped.
    pub rows: Vec<RowExpiry>,
    /// Rules by which rows of a key become one row. Merges apply them in this order.
    pub groups: Vec<GroupExpiry>,
    /// Rules by which parts are compressed in another way.
    pub recompressions: Vec<Recompression>,
    /// Rules by which parts would be moved. There is one disk, so these are only shown.
    pub moves: Vec<MoveRule>,
    /// By position of the stored column: the time at which its value expires, as an Int64 of
    /// seconds since 1970.
    pub columns: Vec<Option<Expr>>,
}

/// A rule by which rows are dropped.
#[derive(Clone, Debug)]
pub struct RowExpiry {
    /// The time at which a row expires, as an Int64 of seconds since 1970.
    pub expires: Expr,
    /// Only rows for which this is true expire; `None` if all do.
    pub condition: Option<Expr>,
    /// The text of the time.
    pub text: Arc<str>,
}

/// A rule by which expired rows of a key become one row.
#[derive(Clone, Debug)]
pub struct GroupExpiry {
    /// The time at which a row expires, as an Int64 of seconds since 1970.
    pub expires: Expr,
    /// The text of the time.
    pub text: Arc<str>,
    /// So many expressions at the start of the sorting key are the key of the groups.
    pub keys: usize,
    /// Positions of the columns that these read.
    pub key_columns: Vec<usize>,
    /// By position of the stored column: how its value is made; `None` takes any value of the rows.
    pub set: Vec<Option<GroupValue>>,
    /// By position of the stored column: the function that takes any value that is not NULL; `None`
    /// for columns without NULL, of which the first value is taken.
    pub any: Vec<Option<Arc<dyn Aggregate>>>,
}

/// How the value of a column is made from the rows of a group.
#[derive(Clone, Debug)]
pub struct GroupValue {
    /// The aggregates that the value reads.
    pub aggregates: Vec<GroupAggregate>,
    /// The value. Ids below the number of stored columns mean any value of a column, and those from
    /// there on the aggregates.
    pub value: Expr,
}

/// An aggregate function over the expired rows of a group.
#[derive(Clone, Debug)]
pub struct GroupAggregate {
    /// The function.
    pub function: Arc<dyn Aggregate>,
    /// Its arguments, over the stored columns.
    pub args: Vec<Expr>,
}

/// A rule by which a part whose rows have all reached their time is compressed in another way.
#[derive(Clone, Debug)]
pub struct Recompression {
    /// The time, as an Int64 of seconds since 1970.
    pub expires: Expr,
    /// The text of the time.
    pub text: Arc<str>,
    /// The list of codecs for columns without a CODEC.
    pub codec: Arc<str>,
}

/// A rule by which a part would be moved to another disk.
#[derive(Clone, Debug)]
pub struct MoveRule {
    /// The time, as an Int64 of seconds since 1970.
    pub expires: Expr,
    /// The text of the time.
    pub text: Arc<str>,
}

/// Values of the columns at these positions, for some rows.
pub(crate) struct Values<'a> {
    pub(crate) positions: &'a [usize],
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
}

impl Expiry {
    /// Positions of the columns that the rules of rows read.
    pub(crate) fn read_by_rows(&self) -> Vec<usize> {
        let exprs = self.rows.iter().flat_map(|row| [Some(&row.expires), row.condition.as_ref()]);
        SchemaVersion::read_by(&exprs.flatten().cloned().collect::<Vec<_>>())
    }

    /// Which of the rows are expired.
    pub(crate) fn expired_rows(&self, values: &Values<'_>, now: u64) -> Result<Bitmap> {
        let mut expired = vec![false; values.rows];
        for rule in &self.rows {
            let mut of_rule = is_past(&values.evaluate(&rule.expires)?, now);
            if let Some(condition) = &rule.condition {
                let holds = values.evaluate(condition)?;
                of_rule.iter_mut().enumerate().for_each(|(i, past)| *past &= is_true(&holds, i));
            }
            expired.iter_mut().zip(of_rule).for_each(|(out, past)| *out |= past);
        }
        Ok(Bitmap::from_fn(values.rows, |i| expired[i]))
    }
}

impl Values<'_> {
    pub(crate) fn evaluate(&self, expr: &Expr) -> Result<Column> {
        let chunk = Chunk::new(self.columns.clone(), self.rows);
        let mut columns = evaluate(std::slice::from_ref(expr), self.positions, &chunk)?;
        Ok(columns.swap_remove(0).full())
    }

    /// The values of a column, with the default in place of those that are expired.
    pub(crate) fn without_expired(
        &self,
        column: &Column,
        expires: &Expr,
        default: &Expr,
        now: u64,
    ) -> Result<Column> {
        let past = is_past(&self.evaluate(expires)?, now);
        if !past.contains(&true) {
            return Ok(column.clone());
        }
        let defaults = self.evaluate(default)?;
        let both = Column::concat(&[&column.full(), &defaults]);
        let of = |(i, past): (usize, &bool)| (i + if *past { self.rows } else { 0 }) as u32;
        Ok(both.take(&past.iter().enumerate().map(of).collect::<Vec<_>>()))
    }
}

pub(crate) fn is_past(times: &Column, now: u64) -> Vec<bool> {
    match i64::values(times) {
        Some(times) => times.iter().map(|&time| time > 0 && time as u64 <= now).collect(),
        None => vec![false; times.len()],
    }
}

pub(crate) fn is_true(column: &Column, row: usize) -> bool {
    column.value(row).as_u64().is_some_and(|v| v != 0)
}
