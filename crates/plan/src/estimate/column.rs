//! Where the numbers about a column come from, and how they change when rows are dropped.

use std::ops::Bound;
use std::sync::Arc;

use entasis_table_api::{ColumnStatistics, Snapshot};
use entasis_types::Value;

/// What is assumed about the values of a column.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    /// The number of distinct values without NULL; `None` if nothing is known.
    pub distinct: Option<f64>,
    /// The share of rows with NULL.
    pub nulls: f64,
    /// The least and the greatest value, for types that are numbers.
    pub range: Option<(f64, f64)>,
    /// The number of rows that the column had where it was stored or computed, before any filter:
    /// the only hint at the number of distinct values if that is not known.
    pub domain: f64,
    /// The distribution of the values in the table, until a condition on the column narrows it.
    pub statistics: Option<Arc<ColumnStatistics>>,
    /// The scan from which the column comes, by its address: columns of one scan have at most
    /// `domain` combinations of values.
    pub scan: Option<usize>,
}

impl Numbers {
    /// A column of which only the number of rows is known.
    pub fn unknown(rows: f64) -> Self {
        Self { distinct: None, nulls: 0.0, range: None, domain: rows, statistics: None, scan: None }
    }

    /// A column with one value.
    pub fn constant() -> Self {
        Self {
            distinct: Some(1.0),
            nulls: 0.0,
            range: None,
            domain: 1.0,
            statistics: None,
            scan: None,
        }
    }

    /// What a table tells about a column that has this position in its schema.
    pub fn stored(table: &dyn Snapshot, position: usize, rows: f64) -> Self {
        let number = |value: &Value| value.as_f64().filter(|v| v.is_finite());
        let statistics = table.column_statistics(position);
        let known = statistics.as_deref();
        let range = match known.and_then(|known| known.min.clone().zip(known.max.clone())) {
            Some(range) => Some(range),
            None => table.column_range(position),
        };
        let range = range.and_then(|(least, most)| Some((number(&least)?, number(&most)?)));
        let distinct = known.and_then(|known| known.distinct);
        let distinct = distinct.or_else(|| table.distinct_count(position));
        let distinct = distinct.map(|n| (n as f64).clamp(1.0, rows.max(1.0)));
        let nulls = known.map_or(0.0, ColumnStatistics::fraction_null);
        Self { distinct, nulls, range, domain: rows, statistics, scan: None }
    }

    /// The share of rows that equal a constant, if it can be compared with the column's values;
    /// `None` if nothing is known to say so.
    pub fn share_equal(&self, value: Option<&Value>) -> Option<f64> {
        if let (Some(statistics), Some(value)) = (&self.statistics, value) {
            return statistics.fraction_equal(value);
        }
        let outside = |v: f64| self.range.is_some_and(|(least, most)| v < least || v > most);
        if value.and_then(Value::as_f64).is_some_and(outside) {
            return Some(0.0);
        }
        Some((1.0 - self.nulls) / self.distinct?)
    }

    /// The share of rows below such a constant, or up to it.
    pub fn share_below(&self, value: Option<&Value>, included: bool) -> Option<f64> {
        let value = value?;
        if let Some(statistics) = &self.statistics {
            let bound = if included { Bound::Included(value) } else { Bound::Excluded(value) };
            return statistics.fraction_between(Bound::Unbounded, bound);
        }
        let ((least, most), value) = (self.range?, value.as_f64()?);
        let share = match most <= least {
            true => f64::from(u8::from(least < value)),
            false => ((value - least) / (most - least)).clamp(0.0, 1.0),
        };
        Some(share * (1.0 - self.nulls))
    }

    /// The same column on the outer side of a join, if so many of the other side's rows have a
    /// match: the others have NULL or, without `nulls`, the default.
    pub fn outer(mut self, matched: f64, nulls: bool) -> Self {
        if nulls {
            self.nulls = 1.0 - matched.clamp(0.0, 1.0) * (1.0 - self.nulls);
        }
        self.statistics = None;
        self
    }

    /// The same column after rows were dropped without regard to it: of `before` rows, `after` are
    /// left. A value disappears if all of its rows do.
    pub fn thinned(mut self, before: f64, after: f64) -> Self {
        if let Some(distinct) = self.distinct
            && before > 0.0
            && after < before
        {
            let rows_each = (before / distinct).max(1.0);
            let left = distinct * (1.0 - (1.0 - after / before).powf(rows_each));
            self.distinct = Some(left.min(after).max(1.0));
        }
        self
    }
}
