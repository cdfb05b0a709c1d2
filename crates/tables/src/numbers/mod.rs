//! `numbers`, `numbers_mt`, `zeros`, `zeros_mt`, `generate_series`: sequences computed on the fly.

mod ranges;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::Event;
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{DEFAULT_BLOCK, Morsel, QueryContext, Source};
use entasis_table_api::{ColumnDef, ScanSpec, Schema, Snapshot, Table};
use entasis_types::{DataType, Value};

use crate::raw::{self, RawReader, RawRows};

/// Rows per morsel: enough that the cost of fetching the next morsel is negligible.
const MORSEL: u64 = 1 << 18;

/// Rows of a chunk unless the query asks for another number than the default. The rows are narrow,
/// so a chunk may have more of them, and what each chunk costs by itself counts less.
const CHUNK: usize = 4 * DEFAULT_BLOCK;
/// The bytes that a query must be able to use for chunks of that size, because what it makes of
/// the rows may be wide.
const ROOM_FOR_CHUNKS: u64 = 64 << 20;

/// Rows of a chunk.
fn chunk_rows(context: &QueryContext) -> usize {
    let has_room = context.memory.room().is_none_or(|room| room >= ROOM_FOR_CHUNKS);
    match context.max_block_size {
        DEFAULT_BLOCK if has_room => CHUNK,
        rows => rows,
    }
}

/// The value of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumbersKind {
    /// `start + i * step` as UInt64.
    Sequence {
        /// The first number.
        start: u64,
        /// The difference between two neighbouring numbers.
        step: u64,
    },
    /// Zero as UInt8.
    Zeros,
}

/// A sequence of a fixed length, or an endless one (`count == u64::MAX`).
#[derive(Clone, Debug)]
pub struct Numbers {
    engine: &'static str,
    kind: NumbersKind,
    count: u64,
    schema: Arc<Schema>,
}

impl Numbers {
    /// A table of `count` rows whose only column is called `name`.
    pub fn new(engine: &'static str, name: &str, kind: NumbersKind, count: u64) -> Arc<Self> {
        let ty = if kind == NumbersKind::Zeros { DataType::UInt8 } else { DataType::UInt64 };
        let schema = Schema::new(vec![ColumnDef::new(name, ty)]);
        Arc::new(Self { engine, kind, count, schema })
    }

    /// `numbers()`, `numbers(n)`, `numbers(from, n)`, `numbers(from, n, step)`.
    pub fn from_args(engine: &'static str, args: &[Value]) -> Result<Arc<Self>> {
        let number = |i: usize| whole(engine, &args[i]);
        let (start, count, step) = match args.len() {
            0 => (0, u64::MAX, 1),
            1 => (0, number(0)?, 1),
            2 => (number(0)?, number(1)?, 1),
            3 => (number(0)?, number(1)?, number(2)?),
            _ => return Err(wrong_arguments(engine, "0 to 3: (offset, length, step)")),
        };
        if step == 0 {
            let message = format!("Table function {engine} requires step to be a positive number");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        // With a step, the argument is the length of the number range, not the number of rows.
        let rows = if count == u64::MAX { count } else { count.div_ceil(step) };
        Ok(Self::new("SystemNumbers", "number", NumbersKind::Sequence { start, step }, rows))
    }

    /// `zeros()`, `zeros(n)`.
    pub fn zeros_from_args(engine: &'static str, args: &[Value]) -> Result<Arc<Self>> {
        let count = match args {
            [] => u64::MAX,
            [count] => whole(engine, count)?,
            _ => return Err(wrong_arguments(engine, "0 or 1: (length)")),
        };
        Ok(Self::new("SystemZeros", "zero", NumbersKind::Zeros, count))
    }

    /// `generate_series(start, stop)` and `generate_series(start, stop, step)`, both ends included.
    pub fn series_from_args(engine: &'static str, args: &[Value]) -> Result<Arc<Self>> {
        let (2 | 3) = args.len() else {
            return Err(wrong_arguments(engine, "2 or 3: (start, stop, step)"));
        };
        let (start, stop) = (whole(engine, &args[0])?, whole(engine, &args[1])?);
        let step = args.get(2).map_or(Ok(1), |v| whole(engine, v))?;
        if step == 0 {
            let message = format!("Table function {engine} requires step to be a positive number");
            return Err(Error::new(codes::INVALID_SETTING_VALUE, message));
        }
        let rows = if start > stop { 0 } else { (stop - start) / step + 1 };
        let kind = NumbersKind::Sequence { start, step };
        Ok(Self::new("SystemNumbers", "generate_series", kind, rows))
    }
}

fn whole(function: &str, value: &Value) -> Result<u64> {
    value.as_u64().ok_or_else(|| {
        let message =
            format!("Table function {function} takes whole numbers that are not negative");
        let code = match value {
            Value::String(_) => codes::ILLEGAL_TYPE_OF_ARGUMENT,
            _ => codes::BAD_ARGUMENTS,
        };
        Error::new(code, message)
    })
}

fn wrong_arguments(function: &str, expected: &str) -> Error {
    Error::new(
        codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
        format!("Table function {function} takes {expected} arguments"),
    )
}

impl Table for Numbers {
    fn engine(&self) -> &str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(self.clone()))
    }
}

impl Snapshot for Numbers {
    fn row_count(&self) -> Option<u64> {
        (!self.is_endless()).then_some(self.count)
    }

    fn is_endless(&self) -> bool {
        self.count == u64::MAX
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let whole = 0..self.count;
        let (mut ranges, mut spec) = (vec![whole], spec.clone());
        if let Some(matching) = self.matching(&spec) {
            ranges = matching.ranges;
            if matching.all {
                spec.filter.clear();
            }
        }
        if let (true, Some(limit)) = (spec.filter.is_empty(), spec.limit) {
            ranges = first_rows(ranges, limit);
        }
        let rows = ranges.iter().fold(0u64, |sum, r| sum.saturating_add(r.end - r.start));
        if rows != u64::MAX {
            context.progress.add_total(rows);
        }
        let mut morsels = 0;
        let pieces = ranges.into_iter().map(|rows| {
            let first = morsels;
            morsels += (rows.end - rows.start).div_ceil(MORSEL);
            (first, rows)
        });
        let pieces = pieces.collect();
        let next = Arc::new(AtomicU64::new(0));
        let chunk = chunk_rows(context);
        let rows = Rows { kind: self.kind, pieces, morsels, next, chunk, engine: self.engine };
        raw::scan(Arc::new(rows), &spec, context)
    }
}

impl Numbers {
    /// The rows that may pass the filter; `None` if it does not tell.
    fn matching(&self, spec: &ScanSpec) -> Option<ranges::Matching> {
        let NumbersKind::Sequence { start, step } = self.kind else { return None };
        let column = spec.columns.iter().find(|column| column.whole_position() == Some(0))?;
        ranges::matching(&spec.filter, column.id, (start, step, self.count))
    }
}

/// The first `limit` rows of the ranges.
fn first_rows(ranges: Vec<Range<u64>>, limit: u64) -> Vec<Range<u64>> {
    let mut left = limit;
    let first = ranges.into_iter().map(|rows| {
        let taken = (rows.end - rows.start).min(left);
        left -= taken;
        rows.start..rows.start + taken
    });
    first.filter(|rows| !rows.is_empty()).collect()
}

struct Rows {
    kind: NumbersKind,
    /// Ranges of rows, each with the number of its first morsel.
    pieces: Arc<[(u64, Range<u64>)]>,
    morsels: u64,
    next: Arc<AtomicU64>,
    /// Rows of a chunk.
    chunk: usize,
    engine: &'static str,
}

impl RawRows for Rows {
    fn event(&self) -> Event {
        Event::GeneratedRowsRead
    }

    fn name(&self) -> String {
        self.engine.to_string()
    }

    fn reader(&self, columns: &[usize], _: usize) -> Result<Box<dyn RawReader>> {
        Ok(Box::new(RowsReader {
            kind: self.kind,
            pieces: Arc::clone(&self.pieces),
            next: Arc::clone(&self.next),
            columns: columns.len(),
            max_rows: self.chunk.max(1) as u64,
            at: 0,
            end: 0,
            morsel: 0,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.morsels as usize)
    }
}

struct RowsReader {
    kind: NumbersKind,
    pieces: Arc<[(u64, Range<u64>)]>,
    next: Arc<AtomicU64>,
    columns: usize,
    max_rows: u64,
    /// The rest of the current morsel: the first row number, and the number after the last.
    at: u64,
    end: u64,
    /// The current morsel.
    morsel: u64,
}

impl RawReader for RowsReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        if self.at == self.end {
            let morsel = self.next.fetch_add(1, Ordering::Relaxed);
            let piece = self.pieces.iter().rev().find(|(first, _)| *first <= morsel);
            let Some((first, rows)) = piece else { return Ok(None) };
            let start = rows.start.saturating_add((morsel - first).saturating_mul(MORSEL));
            if start >= rows.end {
                return Ok(None);
            }
            (self.at, self.end) = (start, rows.end.min(start.saturating_add(MORSEL)));
            self.morsel = morsel;
        }
        let rows = (self.end - self.at).min(self.max_rows);
        let column = match self.kind {
            NumbersKind::Zeros => {
                Column::from_value(&DataType::UInt8, &Value::UInt(0), rows as usize).full()
            }
            NumbersKind::Sequence { start, step } => {
                let first = start.wrapping_add(self.at.wrapping_mul(step));
                // A step of one needs no multiplication, for which there is no vector instruction.
                let numbers: Vec<u64> = match step {
                    1 => (0..rows).map(|i| first.wrapping_add(i)).collect(),
                    _ => (0..rows).map(|i| first.wrapping_add(i.wrapping_mul(step))).collect(),
                };
                Column::from(numbers)
            }
        };
        let sequence = self.morsel;
        self.at += rows;
        let chunk = Chunk::new(vec![column; self.columns], rows as usize);
        Ok(Some(Morsel { sequence, chunk }))
    }
}
