//! `hits(rows, seed)`: the table function over the generator of the crate `hits`.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::Event;
use entasis_base::{Error, Result, codes};
use entasis_column::Chunk;
use entasis_hits::{MOST_ROWS, WINDOW};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{ColumnDef, ScanSpec, Schema, Snapshot, Table};
use entasis_types::Value;

use crate::raw::{self, RawReader, RawRows};

/// The table of the function: a range of the generated rows.
#[derive(Clone)]
pub struct Hits {
    schema: Arc<Schema>,
    seed: u64,
    rows: u64,
    range: Range<u64>,
}

/// `hits(rows)`, `hits(rows, seed)`, `hits(rows, seed, from, until)`.
pub fn hits(args: &[Value]) -> Result<Arc<dyn Table>> {
    let number = |i: usize| args[i].as_u64();
    let numbers: Option<Vec<u64>> = (0..args.len()).map(number).collect();
    let (rows, seed, range) = match numbers.as_deref() {
        Some([rows]) => (*rows, 1, 0..*rows),
        Some([rows, seed]) => (*rows, *seed, 0..*rows),
        Some([rows, seed, from, until]) if from <= until && until <= rows => {
            (*rows, *seed, *from..*until)
        }
        _ => {
            let message = "Table function hits takes (rows), (rows, seed) or \
                           (rows, seed, from, until) as whole numbers, from <= until <= rows";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    };
    if rows > MOST_ROWS {
        return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, "hits makes at most 2^33 rows"));
    }
    let columns = entasis_hits::columns().iter();
    let schema = Schema::new(columns.map(|c| ColumnDef::new(c.name, c.ty.clone())).collect());
    Ok(Arc::new(Hits { schema, seed, rows, range }))
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
        Some(self.range.end - self.range.start)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        context.progress.add_total(self.range.end - self.range.start);
        let rows = Windows {
            generator: Arc::new(entasis_hits::Hits::new(self.rows, self.seed)),
            range: self.range.clone(),
            next: Arc::new(AtomicU64::new(self.range.start / WINDOW)),
        };
        raw::scan(Arc::new(rows), spec, context)
    }
}

struct Windows {
    generator: Arc<entasis_hits::Hits>,
    range: Range<u64>,
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
            generator: Arc::clone(&self.generator),
            range: self.range.clone(),
            next: Arc::clone(&self.next),
            columns: columns.to_vec(),
            max_rows: max_rows.max(1),
            current: None,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some((self.range.end.div_ceil(WINDOW) - self.range.start / WINDOW) as usize)
    }
}

struct WindowReader {
    generator: Arc<entasis_hits::Hits>,
    range: Range<u64>,
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
                if window * WINDOW >= self.range.end {
                    return Ok(None);
                }
                (window, self.generator.window(window, self.range.clone(), &self.columns), 0)
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
