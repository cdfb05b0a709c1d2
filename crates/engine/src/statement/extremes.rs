//! The setting `extremes`: least and greatest value of each column of a result, as its rows pass.
//! NULL and NaN count only where there is nothing else.

use std::cmp::Ordering;

use entasis_column::compare::{SortOrder, compare_rows};
use entasis_column::{Chunk, Column};

/// Of each column, one row each.
pub(crate) struct Extremes(Vec<Option<(Column, Column)>>);

impl Extremes {
    /// Of so many columns, of which no row was seen.
    pub fn new(columns: usize) -> Self {
        Self(vec![None; columns])
    }

    /// Takes the rows of a chunk in.
    pub fn add(&mut self, chunk: &Chunk) {
        if chunk.is_empty() {
            return;
        }
        for (extremes, column) in self.0.iter_mut().zip(&chunk.columns) {
            // Least is what sorts first, in each of the directions.
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

    /// The row of the least values, then that of the greatest; none without rows.
    pub fn rows(self) -> Option<Chunk> {
        let both = |(least, greatest): (Column, Column)| {
            Column::concat(&[&least.full(), &greatest.full()])
        };
        let columns: Option<Vec<Column>> = self.0.into_iter().map(|e| e.map(both)).collect();
        columns.map(|columns| Chunk::new(columns, 2))
    }
}
