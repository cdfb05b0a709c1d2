//! The part of LIMIT BY that sees all rows: puts them in source order and counts them by key.
//!
//! If memory runs short, the rows are sorted on disk by key and place in source order, so that the
//! rows of a key follow each other, are counted without a table, and those that pass are sorted
//! again, by place.

use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result, scope};
use entasis_column::compare::SortOrder;
use entasis_column::{Chunk, Column, Mask};
use entasis_pipeline::{Flow, Morsel, QueryContext, Read, Reader, Report, Sink, SinkState, Source};

use super::{Counter, LimitBy};
use crate::aggregate::keys::KeyLayout;
use crate::gather::ChunkSource;
use crate::sort::external::{External, Sorted, Worker, places};
use crate::spill::{Spill, Spiller, SpillingOperator};
use crate::window::bounds::runs;

/// Bytes per row that counting takes: the key, its slot in a table, and its count.
const BESIDE: usize = 32;

const ASCENDING: SortOrder = SortOrder { descending: false, nulls_first: false };

/// A chunk with its place in source order.
type Piece = (u64, usize, Chunk);

struct Shared {
    rule: LimitBy,
    layout: KeyLayout,
    /// The number of columns.
    width: usize,
    pieces: Mutex<Vec<Piece>>,
    held: Mutex<Vec<Reservation>>,
    account: Arc<MemoryAccount>,
    spiller: Option<Arc<Spiller>>,
    /// Sorts by key and place, and by place; `None` if the operator never spills.
    by_key: Option<External>,
    by_place: Option<External>,
    chunks: Arc<OnceLock<Vec<Chunk>>>,
    sorted: Arc<Mutex<Option<Sorted>>>,
}

/// A sink that counts rows of `width` columns by key, and the source of those that pass.
pub fn create(
    rule: LimitBy,
    width: usize,
    context: &QueryContext,
    spill: &Arc<Spill>,
) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let account = context.memory.child("LimitBy", 0);
    let spiller = Spiller::new(spill, SpillingOperator::Sort, &account, context.max_threads);
    let spiller = spiller.map(Arc::new);
    let block = context.max_block_size.max(1);
    let external = |keys: &[usize]| {
        let keys = keys.iter().map(|at| (*at, ASCENDING)).collect();
        spiller.as_ref().map(|spiller| External::new(keys, &account, spiller, block))
    };
    let shared = Shared {
        layout: KeyLayout::choose(&rule.types),
        rule,
        width,
        pieces: Mutex::default(),
        held: Mutex::default(),
        by_key: external(&[width, width + 1]),
        by_place: external(&[width]),
        account,
        spiller,
        chunks: Arc::default(),
        sorted: Arc::default(),
    };
    let chunks = ChunkSource::of(Arc::clone(&shared.chunks));
    let source = Passed { chunks, sorted: Arc::clone(&shared.sorted) };
    (Arc::new(Gathering(Arc::new(shared))), Arc::new(source))
}

struct Gathering(Arc<Shared>);

impl Sink for Gathering {
    fn name(&self) -> String {
        "GatherLimitBy".into()
    }

    fn report(&self) -> Report {
        Spiller::report_with(&self.0.account, self.0.spiller.as_ref())
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let held = Reservation::new(&self.0.account);
        let (shared, pieces) = (Arc::clone(&self.0), Vec::new());
        Ok(Box::new(State { shared, pieces, index: 0, bytes: 0, held, sorting: None }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let shared = &self.0;
        let mut pieces = std::mem::take(&mut *lock(&shared.pieces));
        let held = std::mem::take(&mut *lock(&shared.held));
        match (&shared.by_key, &shared.by_place) {
            (Some(by_key), Some(by_place)) if by_key.is_used() => {
                drop(held);
                let mut worker = by_key.worker();
                for piece in pieces {
                    worker.push(shared.with_key(piece)?)?;
                }
                worker.end()?;
                *lock(&shared.sorted) = Some(shared.count_sorted(by_key.sorted()?, by_place)?);
            }
            _ => {
                pieces.sort_by_key(|(sequence, index, _)| (*sequence, *index));
                let mut counter = Counter::new(shared.rule.clone(), &shared.account);
                let pass = |(_, _, chunk): Piece| {
                    scope::check()?;
                    counter.mask(&chunk).map(|mask| chunk.filter(&mask))
                };
                let passed = pieces.into_iter().map(pass).collect::<Result<_>>()?;
                let _ = shared.chunks.set(passed);
                *lock(&shared.held) = held;
            }
        }
        shared.spiller.iter().for_each(|spiller| spiller.close());
        Ok(())
    }
}

impl Shared {
    /// The rows with two more columns: the encoded key, and the place.
    fn with_key(&self, (sequence, index, mut chunk): Piece) -> Result<Chunk> {
        let keys = self.rule.keys.iter().map(|key| chunk.columns[*key].clone());
        let keys = self.layout.encode(&keys.collect::<Vec<Column>>(), chunk.rows)?;
        chunk.columns.extend([keys.to_column(), places(sequence, index, chunk.rows)]);
        Ok(chunk)
    }

    /// The rows that pass, sorted by place, of rows that are sorted by key and place.
    fn count_sorted(&self, mut rows: Sorted, by_place: &External) -> Result<Sorted> {
        let passes = self.rule.offset..self.rule.offset.saturating_add(self.rule.limit);
        let mut worker = by_place.worker();
        // The last row so far, and the number of rows of its key.
        let mut last: Option<(Chunk, u64)> = None;
        while let Some(mut chunk) = rows.next()? {
            let key = chunk.columns.remove(self.width);
            let key = Chunk::new(vec![key], chunk.rows);
            let (before, seen) = last.take().unwrap_or_else(|| (key.slice(0, 1), 0));
            let bounds = runs(&Chunk::concat(&[before, key.clone()]), &[0], &[0]);
            let mut numbers: Vec<u64> = Vec::with_capacity(chunk.rows);
            for (run, pair) in bounds.windows(2).enumerate() {
                // The first run begins with the row before the chunk.
                let (rows, first) = match run {
                    0 => (u64::from(pair[1]) - 1, seen),
                    _ => (u64::from(pair[1] - pair[0]), 0),
                };
                numbers.extend(first..first + rows);
            }
            let count = numbers.last().map_or(0, |last| last + 1);
            last = Some((key.slice(chunk.rows - 1, 1), count));
            let chunk = chunk.filter(&Mask::from_fn(chunk.rows, |i| passes.contains(&numbers[i])));
            if !chunk.is_empty() {
                worker.push(chunk)?;
            }
        }
        worker.end()?;
        by_place.sorted()
    }
}

struct State {
    shared: Arc<Shared>,
    pieces: Vec<Piece>,
    index: usize,
    bytes: usize,
    held: Reservation,
    /// Takes all rows once memory ran short.
    sorting: Option<Worker>,
}

fn bytes_of(chunk: &Chunk) -> usize {
    chunk.byte_size() + BESIDE * chunk.rows
}

impl State {
    /// Sorts everything that this worker has on disk, if it takes too much memory.
    fn relieve(&mut self) -> Result<()> {
        let (Some(spiller), Some(by_key)) = (&self.shared.spiller, &self.shared.by_key) else {
            return Ok(());
        };
        if spiller.excess(self.bytes, self.bytes) == 0 {
            return Ok(());
        }
        let mut worker = by_key.worker();
        for piece in std::mem::take(&mut self.pieces) {
            self.bytes = self.bytes.saturating_sub(bytes_of(&piece.2));
            self.held.set(self.bytes)?;
            worker.push(self.shared.with_key(piece)?)?;
        }
        worker.write()?;
        self.sorting = Some(worker);
        self.held.set(0)
    }
}

impl SinkState for State {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let piece = (morsel.sequence, self.index, morsel.chunk);
        self.index += 1;
        if let Some(sorting) = &mut self.sorting {
            sorting.push(self.shared.with_key(piece)?)?;
            return Ok(Flow::More);
        }
        self.bytes += bytes_of(&piece.2);
        self.held.cover(self.bytes)?;
        self.pieces.push(piece);
        self.relieve()?;
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        if let Some(sorting) = self.sorting {
            return sorting.end();
        }
        lock(&self.shared.pieces).extend(self.pieces);
        lock(&self.shared.held).push(self.held);
        Ok(())
    }
}

/// The source of the rows that pass.
struct Passed {
    chunks: ChunkSource,
    sorted: Arc<Mutex<Option<Sorted>>>,
}

impl Source for Passed {
    fn name(&self) -> String {
        self.chunks.name()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        match lock(&self.sorted).take() {
            Some(sorted) => Ok(Box::new(SortedReader(sorted))),
            None => self.chunks.reader(),
        }
    }

    fn morsels(&self) -> Option<usize> {
        match &*lock(&self.sorted) {
            Some(_) => Some(1),
            None => self.chunks.morsels(),
        }
    }
}

struct SortedReader(Sorted);

impl Reader for SortedReader {
    fn next(&mut self) -> Result<Read> {
        let Some(mut chunk) = self.0.next()? else { return Ok(Read::Done) };
        chunk.columns.pop();
        Ok(Read::Chunk(Morsel { sequence: 0, chunk }))
    }
}
