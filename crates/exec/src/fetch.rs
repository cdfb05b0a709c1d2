//! Fetches columns of a table for rows whose addresses are known.
//!
//! All rows of the input are collected first, in memory or on disk. If they are few, their distinct
//! addresses are sorted and cut into tasks between places that are read together, so that each
//! place is read once and all workers can help; then the fetched values are put beside the rows. If
//! they are many, which only happens if estimates were wrong, the rows are divided into batches,
//! and each worker fetches for one batch at a time. So memory is bounded, and a place is read at
//! most once for each batch.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result, scope};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Report, Source};
use entasis_plan::physical;
use entasis_table_api::{ScanColumn, Snapshot};
use entasis_types::{DataType, Physical};

use crate::build::{Builder, Stream, positions};
use crate::gather::{Gather, GatherSink, Kept, Rows};

/// A task has at least as many rows, unless each of them is read by itself.
const LEAST_ROWS: usize = 8;
/// As many as are worth another worker if nothing but the rows themselves is read.
const LEAST_PLAIN_ROWS: usize = 4096;
/// More rows than this are fetched in batches, each of which has about as many.
const MOST_AT_ONCE: usize = 1 << 19;

/// The streams of a node that fetches columns.
pub fn streams(
    builder: &mut Builder<'_>,
    plan: &physical::Fetch,
    ordered: bool,
) -> Result<Vec<Stream>> {
    let at = positions(&plan.input.outputs(), &[plan.address])?[0];
    let context = builder.context;
    let (columns, types) = plan.columns.iter().cloned().unzip();
    let shared = Arc::new(Shared {
        table: Arc::clone(&plan.table),
        name: plan.name.to_string(),
        columns,
        types,
        at,
        rows: OnceLock::new(),
        fetched: OnceLock::new(),
        context: context.clone(),
        next: AtomicUsize::new(0),
        next_rows: AtomicUsize::new(0),
        read: (AtomicU64::new(0), AtomicU64::new(0)),
    });
    let (collecting, at_once) = (Arc::clone(&shared), plan.addresses.rows_at_once);
    let collect = Box::new(move |kept: Vec<Kept>| {
        let workers = collecting.context.max_threads;
        let _ = collecting.rows.set(Collected::new(kept, (at, at_once), MOST_AT_ONCE, workers)?);
        Ok(())
    });
    let input = builder.streams(&plan.input, ordered)?;
    let sink = Gather::keep(context, &builder.runtime.spill, collect);
    let tasks = Arc::new(FetchSource(Arc::clone(&shared)));
    let tasks = builder.break_at(input, Arc::new(GatherSink(sink)), tasks, ordered);
    let filling = Arc::clone(&shared);
    let fill = Box::new(move |fetched: Vec<Chunk>| {
        filling.fill(&fetched);
        Ok(Vec::new())
    });
    let (sink, _) = Gather::create(None, context, fill);
    let beside = Arc::new(BesideSource(shared));
    Ok(builder.break_at(tasks, Arc::new(GatherSink(sink)), beside, true))
}

/// The input's rows, and what is to be fetched for them.
struct Collected {
    kept: Vec<Kept>,
    fetch: Fetch,
}

enum Fetch {
    /// All at once: ranges of the addresses, and for each piece of rows the place of its first row.
    Together { wanted: Wanted, tasks: Vec<Range<usize>>, starts: Vec<usize> },
    /// Batch by batch: ranges of the pieces.
    Batches(Vec<Range<usize>>),
}

/// The addresses of some rows.
struct Wanted {
    /// The distinct addresses, ascending.
    addresses: Vec<u64>,
    /// For each row, the place of its address; behind the last one if it has none.
    places: Vec<u32>,
}

impl Wanted {
    /// The addresses in the column `at` of these chunks.
    fn of(chunks: &[Chunk], at: usize) -> Result<Self> {
        let mut all: Vec<Option<u64>> = Vec::new();
        for chunk in chunks {
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
        Ok(Self { addresses, places })
    }

    /// The values for these rows' addresses, from chunks in their order: one for each address, and
    /// one for rows without an address if there are any.
    fn values(&self, fetched: &[Chunk], types: &[DataType]) -> Vec<Column> {
        let any_missing = self.places.iter().any(|place| *place as usize == self.addresses.len());
        let column = |(at, ty): (usize, &DataType)| {
            let pieces: Vec<&Column> = fetched.iter().map(|chunk| &chunk.columns[at]).collect();
            all_values(&pieces, ty, any_missing)
        };
        types.iter().enumerate().map(column).collect()
    }
}

/// A chunk with the values at these places beside it.
fn beside(chunk: &Chunk, values: &[Column], places: &[u32]) -> Chunk {
    let taken = values.iter().map(|column| column.take(places));
    Chunk::new(chunk.columns.iter().cloned().chain(taken).collect(), chunk.rows)
}

impl Collected {
    /// The addresses are in the column `at`. More than `most` rows are divided into batches.
    fn new(
        kept: Vec<Kept>,
        (at, at_once): (usize, u64),
        most: usize,
        workers: usize,
    ) -> Result<Self> {
        let total: usize = kept.iter().map(Rows::rows).sum();
        if total > most {
            let size = (total / (2 * workers.max(1))).clamp(most / 4, most);
            let fetch = Fetch::Batches(batches(&kept, size));
            return Ok(Self { kept, fetch });
        }
        let mut starts = Vec::with_capacity(kept.len());
        let mut chunks = Vec::with_capacity(kept.len());
        let mut rows = 0;
        for piece in &kept {
            starts.push(rows);
            rows += piece.rows();
            let address = piece.read()?.columns[at].clone();
            chunks.push(Chunk::new(vec![address], piece.rows()));
        }
        let wanted = Wanted::of(&chunks, 0)?;
        let tasks = cut(&wanted.addresses, at_once.max(1), workers);
        Ok(Self { kept, fetch: Fetch::Together { wanted, tasks, starts } })
    }

    /// The ranges of addresses that are fetched together.
    fn tasks(&self) -> &[Range<usize>] {
        match &self.fetch {
            Fetch::Together { tasks, .. } => tasks,
            Fetch::Batches(_) => &[],
        }
    }
}

/// Divides pieces of rows into batches of at least `size` rows.
fn batches(kept: &[Kept], size: usize) -> Vec<Range<usize>> {
    let (mut out, mut start, mut rows) = (Vec::new(), 0, 0);
    for (at, piece) in kept.iter().enumerate() {
        rows += piece.rows();
        if rows >= size || at + 1 == kept.len() {
            out.push(start..at + 1);
            (start, rows) = (at + 1, 0);
        }
    }
    out
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
    /// Their types in the output.
    types: Vec<DataType>,
    /// The position of the addresses.
    at: usize,
    rows: OnceLock<Collected>,
    /// The values of all addresses, if they are fetched together.
    fetched: OnceLock<Vec<Column>>,
    context: QueryContext,
    next: AtomicUsize,
    next_rows: AtomicUsize,
    /// The rows that were fetched, and the bytes that were read for them.
    read: (AtomicU64, AtomicU64),
}

impl Shared {
    fn fetch(&self, addresses: &[u64]) -> Result<Chunk> {
        let fetched = self.table.fetch(&self.columns, addresses, &self.context)?;
        self.read.0.fetch_add(addresses.len() as u64, Ordering::Relaxed);
        self.read.1.fetch_add(fetched.bytes, Ordering::Relaxed);
        // The scan has counted the rows.
        self.context.progress.add_read(0, fetched.bytes)?;
        Ok(Chunk::new(fetched.columns, addresses.len()))
    }

    /// Keeps what the tasks have fetched.
    fn fill(&self, fetched: &[Chunk]) {
        if let Some(Collected { fetch: Fetch::Together { wanted, .. }, .. }) = self.rows.get() {
            let _ = self.fetched.set(wanted.values(fetched, &self.types));
        }
    }

    /// The rows of a batch, with what is fetched for them.
    fn batch(&self, kept: &[Kept]) -> Result<VecDeque<Chunk>> {
        let chunks = kept.iter().map(Kept::read).collect::<Result<Vec<_>>>()?;
        let wanted = Wanted::of(&chunks, self.at)?;
        let fetched = match wanted.addresses.is_empty() {
            true => Vec::new(),
            false => vec![self.fetch(&wanted.addresses)?],
        };
        let values = wanted.values(&fetched, &self.types);
        let mut start = 0;
        let with_values = |chunk: &Chunk| {
            let places = &wanted.places[start..start + chunk.rows];
            start += chunk.rows;
            beside(chunk, &values, places)
        };
        Ok(chunks.iter().map(with_values).collect())
    }
}

/// Fetches the values of all addresses.
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
        self.0.rows.get().map(|rows| rows.tasks().len())
    }
}

struct FetchReader(Arc<Shared>);

impl Reader for FetchReader {
    fn next(&mut self) -> Result<Read> {
        let shared = &self.0;
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(Collected { fetch: Fetch::Together { wanted, tasks, .. }, .. }) =
            shared.rows.get()
        else {
            return Ok(Read::Done);
        };
        let Some(range) = tasks.get(number) else { return Ok(Read::Done) };
        let chunk = shared.fetch(&wanted.addresses[range.clone()])?;
        Ok(Read::Chunk(Morsel { sequence: number as u64, chunk }))
    }
}

/// The rows with the fetched values beside them. A piece of rows is a morsel, or a batch of them.
struct BesideSource(Arc<Shared>);

impl Source for BesideSource {
    fn name(&self) -> String {
        "Stored".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let shared = Arc::clone(&self.0);
        Ok(Box::new(BesideReader { shared, sequence: 0, ready: VecDeque::new() }))
    }

    fn morsels(&self) -> Option<usize> {
        self.0.rows.get().map(|rows| match &rows.fetch {
            Fetch::Together { starts, .. } => starts.len(),
            Fetch::Batches(batches) => batches.len(),
        })
    }
}

struct BesideReader {
    shared: Arc<Shared>,
    /// The number of the morsel, and the chunks that are left of it.
    sequence: usize,
    ready: VecDeque<Chunk>,
}

impl BesideReader {
    /// Takes the next morsel. Returns whether there is one.
    fn advance(&mut self) -> Result<bool> {
        let shared = &self.shared;
        self.sequence = shared.next_rows.fetch_add(1, Ordering::Relaxed);
        let Some(Collected { kept, fetch }) = shared.rows.get() else { return Ok(false) };
        scope::check()?;
        match fetch {
            Fetch::Together { wanted, starts, .. } => {
                let (Some(piece), Some(start)) =
                    (kept.get(self.sequence), starts.get(self.sequence))
                else {
                    return Ok(false);
                };
                let values = shared.fetched.get().map_or(&[][..], Vec::as_slice);
                let places = &wanted.places[*start..start + piece.rows()];
                self.ready.push_back(beside(&piece.read()?, values, places));
            }
            Fetch::Batches(batches) => {
                let Some(range) = batches.get(self.sequence) else { return Ok(false) };
                self.ready = shared.batch(&kept[range.clone()])?;
            }
        }
        Ok(true)
    }
}

impl Reader for BesideReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                if chunk.is_empty() {
                    continue;
                }
                return Ok(Read::Chunk(Morsel { sequence: self.sequence as u64, chunk }));
            }
            if !self.advance()? {
                return Ok(Read::Done);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use entasis_column::Bitmap;
    use entasis_table_api::{Fetched, ScanSpec};
    use entasis_types::Value;

    use super::*;

    /// A table whose only column has ten times the address of each row.
    struct Tenfold;

    impl Snapshot for Tenfold {
        fn row_count(&self) -> Option<u64> {
            None
        }
        fn scan(&self, _: &ScanSpec, _: &QueryContext) -> Result<Arc<dyn Source>> {
            Err(Error::not_implemented("a scan"))
        }
        fn fetch(&self, _: &[ScanColumn], addresses: &[u64], _: &QueryContext) -> Result<Fetched> {
            assert!(addresses.is_sorted());
            let values: Vec<u64> = addresses.iter().map(|address| address * 10).collect();
            Ok(Fetched { columns: vec![values.into()], bytes: 8 * addresses.len() as u64 })
        }
    }

    /// All rows of a source with their sequences, in the order in which they are read.
    fn read_all(source: &dyn Source) -> Vec<(u64, Chunk)> {
        let mut reader = source.reader().unwrap();
        let mut out = Vec::new();
        while let Read::Chunk(Morsel { sequence, chunk }) = reader.next().unwrap() {
            out.push((sequence, chunk));
        }
        out
    }

    #[test]
    fn few_and_many_rows_get_the_same_values() {
        let pieces = || {
            let null = Column::nullable(vec![0u64].into(), Bitmap::from_bytes(&[0]));
            let numbers = |at: u64| -> Column { vec![at * 7 % 10, 3, at].into() };
            let nullable = |at| Column::nullable(numbers(at), Bitmap::from_bytes(&[1, 1, 1]));
            kept((0..10u64).map(nullable).chain([null]).collect())
        };
        let mut answers = Vec::new();
        for most in [1000, 8, 12] {
            let shared = Arc::new(Shared {
                table: Arc::new(Tenfold),
                name: String::new(),
                columns: Vec::new(),
                types: vec![DataType::nullable(DataType::UInt64)],
                at: 0,
                rows: OnceLock::from(Collected::new(pieces(), (0, 4), most, 1).unwrap()),
                fetched: OnceLock::new(),
                context: crate::testing::context(1, 100),
                next: AtomicUsize::new(0),
                next_rows: AtomicUsize::new(0),
                read: (AtomicU64::new(0), AtomicU64::new(0)),
            });
            let fetched = read_all(&FetchSource(Arc::clone(&shared)));
            assert_eq!(fetched.is_empty(), most < 31);
            shared.fill(&fetched.into_iter().map(|(_, chunk)| chunk).collect::<Vec<_>>());
            let source = BesideSource(Arc::clone(&shared));
            let read = read_all(&source);
            assert!(read.is_sorted_by_key(|(sequence, _)| *sequence));
            assert_eq!(source.morsels(), read.last().map(|(last, _)| *last as usize + 1));
            let rows = read.iter().flat_map(|(_, c)| values(c, 0).into_iter().zip(values(c, 1)));
            answers.push(rows.collect::<Vec<_>>());
        }
        assert_eq!(answers[0].len(), 31);
        for (address, value) in &answers[0] {
            let expected = address.as_u64().map_or(Value::Null, |a| Value::UInt(a * 10));
            assert_eq!(*value, expected);
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    }

    fn kept(columns: Vec<Column>) -> Vec<Kept> {
        let piece = |column: Column| {
            let rows = column.len();
            Kept::from(Chunk::new(vec![column], rows))
        };
        columns.into_iter().map(piece).collect()
    }

    fn wanted_by(columns: Vec<Column>) -> (Vec<Chunk>, Wanted) {
        let chunks: Vec<Chunk> = kept(columns).iter().map(|k| k.read().unwrap()).collect();
        let wanted = Wanted::of(&chunks, 0).unwrap();
        (chunks, wanted)
    }

    fn values(chunk: &Chunk, column: usize) -> Vec<Value> {
        (0..chunk.rows).map(|row| chunk.columns[column].value(row)).collect()
    }

    #[test]
    fn rows_get_what_was_fetched_for_their_addresses() {
        let (chunks, wanted) = wanted_by(vec![vec![30u64, 7, 30].into(), vec![12u64].into()]);
        assert_eq!(wanted.addresses, [7, 12, 30]);
        let fetched = [
            Chunk::new(vec![vec![70u64, 120].into()], 2),
            Chunk::new(vec![vec![300u64].into()], 1),
        ];
        let all = wanted.values(&fetched, &[DataType::UInt64]);
        let first = beside(&chunks[0], &all, &wanted.places[..3]);
        assert_eq!(values(&first, 1), [300, 70, 300].map(Value::UInt));
        let second = beside(&chunks[1], &all, &wanted.places[3..]);
        assert_eq!(values(&second, 1), [120].map(Value::UInt));
    }

    #[test]
    fn rows_without_an_address_get_null_or_a_default() {
        let addresses = Column::nullable(vec![5u64, 0].into(), Bitmap::from_bytes(&[1, 0]));
        let (chunks, wanted) = wanted_by(vec![addresses]);
        let fetched = [Chunk::new(vec![vec![50u64].into(), vec![50u64].into()], 1)];
        let types = [DataType::UInt64, DataType::nullable(DataType::UInt64)];
        let out = beside(&chunks[0], &wanted.values(&fetched, &types), &wanted.places);
        assert_eq!(values(&out, 1), [50, 0].map(Value::UInt));
        assert_eq!(values(&out, 2), [Value::UInt(50), Value::Null]);
        let null = Column::nullable(vec![0u64].into(), Bitmap::from_bytes(&[0]));
        let (chunks, none) = wanted_by(vec![Column::constant(null, 1)]);
        assert!(none.addresses.is_empty());
        let out = beside(&chunks[0], &none.values(&[], &types), &none.places);
        assert_eq!([values(&out, 1), values(&out, 2)], [[Value::UInt(0)], [Value::Null]]);
    }

    #[test]
    fn many_rows_are_divided_into_batches() {
        let pieces = || kept((0..10u64).map(|at| Column::from(vec![at; 30])).collect());
        let few = Collected::new(pieces(), (0, 10), 300, 1).unwrap();
        assert_eq!(few.tasks().len(), 1);
        let many = Collected::new(pieces(), (0, 10), 100, 1).unwrap();
        assert!(many.tasks().is_empty());
        let Fetch::Batches(batches) = many.fetch else { panic!("not in batches") };
        assert_eq!(batches, [0..4, 4..8, 8..10]);
        let Fetch::Batches(batches) = Collected::new(pieces(), (0, 10), 100, 50).unwrap().fetch
        else {
            panic!("not in batches")
        };
        assert_eq!(batches.len(), 10);
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
