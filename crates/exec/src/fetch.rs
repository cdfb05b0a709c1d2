//! Fetches columns of a table for rows whose addresses are known.
//!
//! All rows of the input are collected first, which are few. Their distinct addresses are sorted
//! and cut into tasks between places that are read together, so that each place is read once and
//! all workers can help. The fetched rows are then put beside the input's rows.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Report, Source};
use entasis_plan::physical;
use entasis_table_api::{ScanColumn, Snapshot};
use entasis_types::{DataType, Physical};

use crate::build::{Builder, Stream, positions};
use crate::gather::{Gather, GatherSink};

/// A task has at least as many rows, unless each of them is read by itself.
const LEAST_ROWS: usize = 8;
/// As many as are worth another worker if nothing but the rows themselves is read.
const LEAST_PLAIN_ROWS: usize = 4096;

/// The streams of a node that fetches columns.
pub fn streams(builder: &mut Builder<'_>, plan: &physical::Fetch) -> Result<Vec<Stream>> {
    let at = positions(&plan.input.outputs(), &[plan.address])?[0];
    let context = builder.context;
    let workers = context.max_threads;
    let rows: Arc<OnceLock<Rows>> = Arc::default();
    let (collected, at_once) = (Arc::clone(&rows), plan.addresses.rows_at_once);
    let collect = Box::new(move |chunks: Vec<Chunk>| {
        let _ = collected.set(Rows::new(chunks, at, at_once, workers)?);
        Ok(Vec::new())
    });
    let input = builder.streams(&plan.input, true)?;
    let (sink, _) = Gather::create(None, context, collect);
    let (columns, types): (Vec<ScanColumn>, Vec<DataType>) = plan.columns.iter().cloned().unzip();
    let source = Arc::new(FetchSource(Arc::new(Shared {
        table: Arc::clone(&plan.table),
        name: plan.name.to_string(),
        columns,
        rows: Arc::clone(&rows),
        context: context.clone(),
        next: AtomicUsize::new(0),
        read: (AtomicU64::new(0), AtomicU64::new(0)),
    })));
    let fetching = builder.break_at(input, Arc::new(GatherSink(sink)), source, true);
    let beside = Box::new(move |fetched: Vec<Chunk>| match rows.get() {
        Some(rows) => Ok(rows.with_columns(&fetched, &types)),
        None => Ok(Vec::new()),
    });
    Ok(builder.gathered(fetching, beside))
}

/// The input's rows, and what is to be fetched for them.
struct Rows {
    chunks: Vec<Chunk>,
    /// The distinct addresses, ascending.
    addresses: Vec<u64>,
    /// For each row, the place of its address; behind the last one if it has none.
    places: Vec<u32>,
    /// Ranges of `addresses`.
    tasks: Vec<Range<usize>>,
}

impl Rows {
    fn new(chunks: Vec<Chunk>, at: usize, at_once: u64, workers: usize) -> Result<Self> {
        let mut all: Vec<Option<u64>> = Vec::new();
        for chunk in &chunks {
            let column = chunk.columns[at].full();
            let (valid, values) = column.split_nullable();
            let Column::UInt64(values) = values else {
                return Err(Error::logical("addresses of rows of another type"));
            };
            let is_valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.get(row));
            all.extend(values.iter().enumerate().map(|(row, v)| is_valid(row).then_some(*v)));
        }
        let mut addresses: Vec<u64> = all.iter().flatten().copied().collect();
        addresses.sort_unstable();
        addresses.dedup();
        let place = |address: &Option<u64>| match address {
            Some(address) => addresses.partition_point(|known| known < address) as u32,
            None => addresses.len() as u32,
        };
        let places = all.iter().map(place).collect();
        let tasks = cut(&addresses, at_once.max(1), workers);
        Ok(Self { chunks, addresses, places, tasks })
    }

    /// The rows with the fetched columns, whose chunks are in the order of the addresses.
    fn with_columns(&self, fetched: &[Chunk], types: &[DataType]) -> Vec<Chunk> {
        let any_missing = self.places.iter().any(|place| *place as usize == self.addresses.len());
        let column = |(at, ty): (usize, &DataType)| {
            let pieces: Vec<&Column> = fetched.iter().map(|chunk| &chunk.columns[at]).collect();
            all_values(&pieces, ty, any_missing)
        };
        let columns: Vec<Column> = types.iter().enumerate().map(column).collect();
        let mut start = 0;
        let mut out = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let places = &self.places[start..start + chunk.rows];
            let taken = columns.iter().map(|column| column.take(places));
            let all = chunk.columns.iter().cloned().chain(taken).collect();
            out.push(Chunk::new(all, chunk.rows));
            start += chunk.rows;
        }
        out
    }
}

/// The values of a column, with one for missing rows behind them if there are any: NULL, or the
/// default if the type is not Nullable.
fn all_values(pieces: &[&Column], ty: &DataType, any_missing: bool) -> Column {
    let is_nullable = pieces.first().is_some_and(|c| c.physical() == Physical::Nullable);
    let missing = any_missing
        .then(|| Column::default_of(if is_nullable { ty } else { ty.without_nullable() }, 1));
    let all: Vec<&Column> = pieces.iter().copied().chain(&missing).collect();
    let column = Column::concat(&all);
    if !ty.is_nullable() || is_nullable {
        return column;
    }
    let mut valid = BitmapBuilder::default();
    valid.push_n(true, column.len() - usize::from(any_missing));
    valid.push_n(false, usize::from(any_missing));
    Column::nullable(column, valid.finish())
}

/// Cuts addresses into tasks. Two addresses that are read together are in the same one.
fn cut(addresses: &[u64], at_once: u64, workers: usize) -> Vec<Range<usize>> {
    let least = if at_once == 1 { LEAST_PLAIN_ROWS } else { LEAST_ROWS };
    let size = addresses.len().div_ceil(2 * workers.max(1)).max(least);
    let mut tasks = Vec::new();
    let mut start = 0;
    for end in 1..=addresses.len() {
        let is_last = end == addresses.len();
        let may_end = is_last || addresses[end - 1] / at_once != addresses[end] / at_once;
        if is_last || (may_end && end - start >= size) {
            tasks.push(start..end);
            start = end;
        }
    }
    tasks
}

struct Shared {
    table: Arc<dyn Snapshot>,
    name: String,
    columns: Vec<ScanColumn>,
    rows: Arc<OnceLock<Rows>>,
    context: QueryContext,
    next: AtomicUsize,
    /// The rows that were fetched, and the bytes that were read for them.
    read: (AtomicU64, AtomicU64),
}

struct FetchSource(Arc<Shared>);

impl Source for FetchSource {
    fn name(&self) -> String {
        format!("Fetch({})", self.0.name)
    }

    fn report(&self) -> Report {
        let (rows, bytes) = &self.0.read;
        vec![
            ("fetched_rows", rows.load(Ordering::Relaxed)),
            ("fetched_bytes", bytes.load(Ordering::Relaxed)),
        ]
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(FetchReader(Arc::clone(&self.0))))
    }

    fn morsels(&self) -> Option<usize> {
        self.0.rows.get().map(|rows| rows.tasks.len())
    }
}

struct FetchReader(Arc<Shared>);

impl Reader for FetchReader {
    fn next(&mut self) -> Result<Read> {
        let shared = &self.0;
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        let rows = shared.rows.get();
        let task = rows.and_then(|rows| Some((rows, rows.tasks.get(number)?.clone())));
        let Some((rows, range)) = task else { return Ok(Read::Done) };
        let addresses = &rows.addresses[range];
        let fetched = shared.table.fetch(&shared.columns, addresses, &shared.context)?;
        shared.read.0.fetch_add(addresses.len() as u64, Ordering::Relaxed);
        shared.read.1.fetch_add(fetched.bytes, Ordering::Relaxed);
        // The scan has counted the rows.
        shared.context.progress.add_read(0, fetched.bytes)?;
        let chunk = Chunk::new(fetched.columns, addresses.len());
        Ok(Read::Chunk(Morsel { sequence: number as u64, chunk }))
    }
}

#[cfg(test)]
mod tests {
    use entasis_column::Bitmap;
    use entasis_types::Value;

    use super::*;

    fn rows_of(chunks: Vec<Column>) -> Rows {
        let chunk = |column: Column| {
            let rows = column.len();
            Chunk::new(vec![column], rows)
        };
        Rows::new(chunks.into_iter().map(chunk).collect(), 0, 10, 4).unwrap()
    }

    fn values(chunk: &Chunk, column: usize) -> Vec<Value> {
        (0..chunk.rows).map(|row| chunk.columns[column].value(row)).collect()
    }

    #[test]
    fn rows_get_what_was_fetched_for_their_addresses() {
        let rows = rows_of(vec![vec![30u64, 7, 30].into(), vec![12u64].into()]);
        assert_eq!(rows.addresses, [7, 12, 30]);
        let fetched = [
            Chunk::new(vec![vec![70u64, 120].into()], 2),
            Chunk::new(vec![vec![300u64].into()], 1),
        ];
        let out = rows.with_columns(&fetched, &[DataType::UInt64]);
        assert_eq!(values(&out[0], 1), [300, 70, 300].map(Value::UInt));
        assert_eq!(values(&out[1], 1), [120].map(Value::UInt));
    }

    #[test]
    fn rows_without_an_address_get_null_or_a_default() {
        let addresses = Column::nullable(vec![5u64, 0].into(), Bitmap::from_bytes(&[1, 0]));
        let rows = rows_of(vec![addresses]);
        let fetched = [Chunk::new(vec![vec![50u64].into(), vec![50u64].into()], 1)];
        let types = [DataType::UInt64, DataType::nullable(DataType::UInt64)];
        let out = rows.with_columns(&fetched, &types);
        assert_eq!(values(&out[0], 1), [50, 0].map(Value::UInt));
        assert_eq!(values(&out[0], 2), [Value::UInt(50), Value::Null]);
        let null = Column::nullable(vec![0u64].into(), Bitmap::from_bytes(&[0]));
        let none = rows_of(vec![Column::constant(null, 1)]);
        assert!(none.tasks.is_empty());
        let out = none.with_columns(&[], &types);
        assert_eq!([values(&out[0], 1), values(&out[0], 2)], [[Value::UInt(0)], [Value::Null]]);
    }

    #[test]
    fn what_is_read_together_is_one_task() {
        let addresses: Vec<u64> = (0..40).map(|row| row * 3).collect();
        let tasks = cut(&addresses, 20, 2);
        assert!(tasks.len() > 1);
        assert_eq!(tasks.iter().map(Range::len).sum::<usize>(), addresses.len());
        for pair in tasks.windows(2) {
            let (last, first) = (addresses[pair[0].end - 1], addresses[pair[1].start]);
            assert_ne!(last / 20, first / 20);
        }
        assert!(cut(&[], 20, 2).is_empty());
    }
}
