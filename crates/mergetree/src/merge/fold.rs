//! Folds rows with equal sorting keys into one, as `AggregatingMergeTree` and similar engines do.
//! INSERT, merges and FINAL use the same two steps:
//!
//! 1. [`MergeAlgorithm::pick`] chooses the row of each group whose values stay, or drops the group;
//! 2. [`MergeAlgorithm::fold`] takes these rows of a column, or aggregates the column group by
//!    group.
//!
//! Folding is associative: folded rows can be folded again. Parts are folded when they are written,
//! so a part never holds a key twice.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Column, Native, match_native};
use entasis_function::Aggregate;

use entasis_column::compare::compare_values;

/// Which row of each group stays.
#[derive(Clone, Debug)]
pub enum KeptRow {
    /// The first row.
    First,
    /// The row with the greatest version, the last one among equals; without a version the last
    /// row.
    Latest {
        /// Position of the version column.
        version: Option<usize>,
        /// Position of a UInt8 column that is 1 for deleted keys. Merges keep such rows; readers do
        /// not see them.
        deleted: Option<usize>,
    },
    /// The first row, unless all of these (aggregated) columns are 0, or NULL if they are Nullable.
    NonZero(Vec<usize>),
}

/// How a table folds rows with equal sorting keys.
#[derive(Clone, Debug)]
pub struct MergeAlgorithm {
    /// The name of the table engine.
    pub engine: &'static str,
    /// Which row of each group stays.
    pub pick: KeptRow,
    /// By position of the stored column: how its values are aggregated; `None` takes the value of
    /// the picked row.
    pub aggregates: Vec<Option<AggregatedColumn>>,
}

/// A column that is aggregated.
#[derive(Clone, Debug)]
pub struct AggregatedColumn {
    /// The aggregate function, whose result has the column's type.
    pub function: Arc<dyn Aggregate>,
    /// Whether the result for a single value may differ from the value, as when it is sorted or
    /// deduplicated.
    pub reshapes: bool,
}

/// Rows in key order, divided into complete groups of equal keys.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) rows: usize,
    /// First row of each group.
    pub(crate) starts: Vec<u32>,
}

impl Groups {
    fn ids(&self) -> Vec<u32> {
        let mut ids = Vec::with_capacity(self.rows);
        let ends = self.starts.iter().skip(1).copied().chain([self.rows as u32]);
        for (id, end) in ends.enumerate() {
            ids.resize(end as usize, id as u32);
        }
        ids
    }

    fn of_row(&self, row: u32) -> u32 {
        self.starts.partition_point(|&start| start <= row) as u32 - 1
    }
}

impl MergeAlgorithm {
    /// Positions of the columns that [`Self::pick`] reads.
    pub(crate) fn deciding(&self) -> Vec<usize> {
        match &self.pick {
            KeptRow::First => Vec::new(),
            KeptRow::Latest { version, deleted } => {
                version.iter().chain(deleted).copied().collect()
            }
            KeptRow::NonZero(columns) => columns.clone(),
        }
    }

    /// Whether folding may change or drop a group of one row.
    pub(crate) fn changes_single_rows(&self) -> bool {
        matches!(self.pick, KeptRow::NonZero(_))
            || self.aggregates.iter().flatten().any(|f| f.reshapes)
    }

    /// The rows that stay, ascending, at most one per group. `column` returns the column at a
    /// position. `reading` is set for readers, who do not see deleted rows.
    pub(crate) fn pick(
        &self,
        groups: &Groups,
        column: &dyn Fn(usize) -> Result<Column>,
        reading: bool,
    ) -> Result<Vec<u32>> {
        match &self.pick {
            KeptRow::First => Ok(groups.starts.clone()),
            KeptRow::Latest { version, deleted } => {
                let mut rows = match version {
                    Some(version) => latest(groups, &column(*version)?.full()),
                    None => ends(groups).map(|end| end - 1).collect(),
                };
                if let (Some(deleted), true) = (deleted, reading) {
                    let flags = column(*deleted)?.full();
                    rows.retain(|&row| is_zero(&flags, row as usize));
                }
                Ok(rows)
            }
            KeptRow::NonZero(columns) => {
                if columns.is_empty() {
                    return Ok(groups.starts.clone());
                }
                let mut zero = vec![true; groups.starts.len()];
                for &position in columns {
                    let sums = self.fold(position, &column(position)?, groups, &groups.starts)?;
                    let sums = sums.full();
                    zero.iter_mut().enumerate().for_each(|(i, z)| *z = *z && is_zero(&sums, i));
                }
                let left = groups.starts.iter().zip(zero);
                Ok(left.filter(|(_, zero)| !zero).map(|(&start, _)| start).collect())
            }
        }
    }

    /// Folds a column: its values for the rows that stay.
    pub(crate) fn fold(
        &self,
        position: usize,
        column: &Column,
        groups: &Groups,
        picked: &[u32],
    ) -> Result<Column> {
        let single = groups.starts.len() == groups.rows;
        let whole = single && picked.len() == groups.rows;
        match self.aggregates.get(position).and_then(Option::as_ref) {
            Some(folded) if !single || folded.reshapes => {
                let mut states = folded.function.states();
                let count = groups.starts.len();
                states.resize(count);
                states.update(std::slice::from_ref(column), &groups.ids())?;
                let out = states.finish(0..count)?;
                if picked.len() == count {
                    return Ok(out);
                }
                Ok(out.take(&picked.iter().map(|&row| groups.of_row(row)).collect::<Vec<_>>()))
            }
            _ if whole => Ok(column.clone()),
            _ => Ok(column.take(picked)),
        }
    }
}

fn ends(groups: &Groups) -> impl Iterator<Item = u32> + '_ {
    groups.starts.iter().skip(1).copied().chain([groups.rows as u32]).take(groups.starts.len())
}

/// The row with the greatest version of each group, the last one among equals.
fn latest(groups: &Groups, versions: &Column) -> Vec<u32> {
    let of_group = |(&start, end): (&u32, u32)| {
        (start + 1..end).fold(start, |best, row| {
            let order = compare_values(versions, row as usize, versions, best as usize);
            if order.is_ge() { row } else { best }
        })
    };
    groups.starts.iter().zip(ends(groups)).map(of_group).collect()
}

/// Whether a value is NULL or, if it is not, zero.
fn is_zero(column: &Column, row: usize) -> bool {
    match column {
        Column::Nullable(n) => !n.validity.get(row),
        numbers => match_native!(numbers, v => v[row].is_zero(), _ => false),
    }
}
