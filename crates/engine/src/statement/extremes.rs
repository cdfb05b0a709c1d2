//! The setting `extremes`: the least and greatest value of each column of a result, collected while
//! its rows pass. NULL and NaN count only if a column has no other values.

use std::cmp::Ordering;

use entasis_column::compare::{SortOrder, compare_rows};
use entasis_column::{Chunk, Column};

/// The least and the greatest value of each column, as columns of one row; `None` before any rows.
pub(crate) struct Extremes(Vec<Option<(Column, Column)>>);

impl Extremes {
    /// Extremes of this number of columns, before any rows.
    pub fn new(columns: usize) -> Self {
        Self(vec![None; columns])
    }

    /// Takes the rows of a chunk into account.
    pub fn add(&mut self, chunk: &Chunk) {
        if chunk.is_empty() {
            return;
        }
        for (extremes, column) in self.0.iter_mut().zip(&chunk.columns) {
            // The least value sorts first in ascending order, the greatest first in descending
            // order.
            let first = |order: SortOrder, known: Option<&Column>| {
                let less = |a: usize, b: usize| compare_rows(column, a, column, b, order).is_lt();
                let best = (1..chunk.rows).fold(0, |best, i| if less(i, best) { i } else { best });
                let row = column.slice(best, 1);
                match known {
                    Some(known) if compare_rows(&row, 0, known, 0, order) != Ordering::Less => {
                        known.clone()
                    }
                    _ => row,
                }
            };
            let (least, greatest) = match &extremes {
                Some((least, greatest)) => (Some(least), Some(greatest)),
                None => (None, None),
            };
            let least = first(SortOrder::ASCENDING, least);
            *extremes = Some((least, first(SortOrder::DESCENDING, greatest)));
        }
    }

    /// A row of the least values and one of the greatest; `None` if there were no rows.
    pub fn rows(self) -> Option<Chunk> {
        let both = |(least, greatest): (Column, Column)| {
            Column::concat(&[&least.full(), &greatest.full()])
        };
        let columns: Option<Vec<Column>> = self.0.into_iter().map(|e| e.map(both)).collect();
        columns.map(|columns| Chunk::new(columns, 2))
    }
}
