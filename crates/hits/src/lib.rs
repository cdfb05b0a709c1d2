//! Made-up web-analytics events in the shape of ClickBench's table, for the demo, benchmarks and
//! tests.
//!
//! Every row is a function of (seed, rows, its window of [`WINDOW`] rows). Any number of threads
//! can therefore generate windows in any order, and the rows are always the same. A window first
//! gets its plan (who, where, when, which page), then only the columns that are read: numbers from
//! `columns`, strings from `text`.
//!
//! The rows form three runs, each sorted by counter and day, like parts of a MergeTree table. The
//! crate knows columns and types only; the table function `hits` is in the crate `tables`.
#![forbid(unsafe_code)]

mod columns;
mod draw;
mod plan;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

use entasis_column::Chunk;

pub use columns::HitsColumn;
pub use plan::WINDOW;

use columns::COLUMNS;
use plan::Shape;
use text::Vocabulary;

/// The most rows that can be made.
pub const MOST_ROWS: u64 = 1 << 33;

/// The 105 columns.
pub fn columns() -> &'static [HitsColumn] {
    COLUMNS
}

/// CREATE TABLE IF NOT EXISTS for a MergeTree table of these columns, sorted for reports on one
/// site.
pub fn create_table(name: &str) -> String {
    let columns: Vec<String> = COLUMNS.iter().map(|c| format!("    {} {}", c.name, c.ty)).collect();
    format!(
        "CREATE TABLE IF NOT EXISTS {name}\n(\n{}\n)\nENGINE = MergeTree\n\
         ORDER BY (CounterID, EventDate, UserID, EventTime, WatchID)",
        columns.join(",\n")
    )
}

/// The generator of a table with a number of rows and a seed.
pub struct Hits {
    shape: Shape,
    vocabulary: Vocabulary,
}

impl Hits {
    /// The generator of a table of at most [`MOST_ROWS`] rows.
    pub fn new(rows: u64, seed: u64) -> Self {
        Self { shape: Shape::new(rows, seed), vocabulary: Vocabulary::new(seed) }
    }

    /// The given columns of the rows of a window that are in `rows`, a range of the whole table
    /// that meets the window.
    pub fn window(&self, window: u64, rows: Range<u64>, columns: &[usize]) -> Chunk {
        let plan = self.shape.window(window);
        let first = window * WINDOW;
        let start = rows.start.saturating_sub(first) as usize;
        let end = (rows.end - first).min(plan.len() as u64) as usize;
        let column = |&i: &usize| {
            COLUMNS[i].make(&plan, &self.shape, &self.vocabulary).slice(start, end - start)
        };
        Chunk::new(columns.iter().map(column).collect(), end - start)
    }
}
