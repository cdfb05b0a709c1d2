//! `hits(rows, seed)`: made-up web-analytics events in the shape of ClickBench's table.
//!
//! Every row is a function of (seed, rows, its window of [`plan::WINDOW`] rows). Any number of
//! threads can therefore generate windows in any order, and the rows are always the same. A window
//! first gets its [`plan::Plan`] (who, where, when, which page), then only the columns that are
//! read: numbers from [`columns`], strings from [`text`].
//!
//! The rows form three runs, each sorted by counter and day, like parts of a MergeTree table.

mod columns;
mod draw;
mod plan;
mod text;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::Event;
use entasis_base::{Error, Result, codes};
use entasis_column::Chunk;
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{ColumnDef, ScanSpec, Schema, Snapshot, Table};
use entasis_types::Value;

use crate::raw::{self, RawReader, RawRows};
use columns::COLUMNS;
use plan::{Shape, WINDOW};
use text::Vocabulary;

/// The table of the function: rows `from .. until` out of `rows`.
#[derive(Clone)]
pub struct Hits {
    schema: Arc<Schema>,
    seed: u64,
    rows: u64,
    from: u64,
    until: u64,
}

/// The 105 columns.
pub fn schema() -> Arc<Schema> {
    Schema::new(COLUMNS.iter().map(|c| ColumnDef::new(c.name, c.ty.clone())).collect())
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

/// `hits(rows)`, `hits(rows, seed)`, `hits(rows, seed, from, until)`.
pub fn hits(args: &[Value]) -> Result<Arc<dyn Table>> {
    let number = |i: usize| args[i].as_u64();
    let numbers: Option<Vec<u64>> = (0..args.len()).map(number).collect();
    let (rows, seed, from, until) = match numbers.as_deref() {
        Some([rows]) => (*rows, 1, 0, *rows),
        Some([rows, seed]) => (*rows, *seed, 0, *rows),
        Some([rows, seed, from, until]) if from <= until && until <= rows => {
            (*rows, *seed, *from, *until)
        }
        _ => {
            let message = "Table function hits takes (rows), (rows, seed) or \
                           (rows, seed, from, until) as whole numbers, from <= until <= rows";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    };
    if rows > 1 << 33 {
        return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, "hits makes at most 2^33 rows"));
    }
    Ok(Arc::new(Hits { schema: schema(), seed, rows, from, until }))
}

impl Table for Hits {
    fn engine(&self) -> &'static str {
        "Hits"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(self.clone()))
    }
}

impl Snapshot for Hits {
    fn row_count(&self) -> Option<u64> {
        Some(self.until - self.from)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        context.progress.add_total(self.until - self.from);
        let rows = Windows {
            shape: Arc::new(Shape::new(self.rows, self.seed)),
            vocabulary: Arc::new(Vocabulary::new(self.seed)),
            from: self.from,
            until: self.until,
            next: Arc::new(AtomicU64::new(self.from / WINDOW)),
        };
        raw::scan(Arc::new(rows), spec, context)
    }
}

struct Windows {
    shape: Arc<Shape>,
    vocabulary: Arc<Vocabulary>,
    from: u64,
    until: u64,
    next: Arc<AtomicU64>,
}

impl RawRows for Windows {
    fn event(&self) -> Event {
        Event::GeneratedRowsRead
    }

    fn name(&self) -> String {
        "Hits".to_string()
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        Ok(Box::new(WindowReader {
            shape: Arc::clone(&self.shape),
            vocabulary: Arc::clone(&self.vocabulary),
            from: self.from,
            until: self.until,
            next: Arc::clone(&self.next),
            columns: columns.to_vec(),
            max_rows: max_rows.max(1),
            current: None,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some((self.until.div_ceil(WINDOW) - self.from / WINDOW) as usize)
    }
}

struct WindowReader {
    shape: Arc<Shape>,
    vocabulary: Arc<Vocabulary>,
    from: u64,
    until: u64,
    next: Arc<AtomicU64>,
    columns: Vec<usize>,
    max_rows: usize,
    /// The current window, its rows, and the first row that was not returned yet.
    current: Option<(u64, Chunk, usize)>,
}

impl RawReader for WindowReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        let (window, chunk, start) = match self.current.take() {
            Some(current) => current,
            None => {
                let window = self.next.fetch_add(1, Ordering::Relaxed);
                if window * WINDOW >= self.until {
                    return Ok(None);
                }
                (window, self.make(window), 0)
            }
        };
        let rows = self.max_rows.min(chunk.rows - start);
        let part = chunk.slice(start, rows);
        if start + rows < chunk.rows {
            self.current = Some((window, chunk, start + rows));
        }
        Ok(Some(Morsel { sequence: window, chunk: part }))
    }
}

impl WindowReader {
    fn make(&self, window: u64) -> Chunk {
        let plan = self.shape.window(window);
        let first = window * WINDOW;
        let start = self.from.saturating_sub(first) as usize;
        let end = (self.until - first).min(plan.len() as u64) as usize;
        let columns = self
            .columns
            .iter()
            .map(|&i| {
                let column = (COLUMNS[i].make)(&plan, &self.shape, &self.vocabulary);
                column.slice(start, end - start)
            })
            .collect();
        Chunk::new(columns, end - start)
    }
}

#[cfg(test)]
mod tests;
