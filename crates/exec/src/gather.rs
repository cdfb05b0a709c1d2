//! A sink that keeps chunks in source order, and a source of stored chunks. LIMIT and VALUES use
//! them between pipelines.
//!
//! A LIMIT needs only the numbers of rows to decide, and late columns are fetched for a part of the
//! rows at a time, so their chunks are written to disk if memory runs short ([`kept`]). What else
//! is done with the chunks ([`Then`]) needs all of them in memory.

mod kept;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::sync::lock;
use entasis_base::{Reservation, Result};
use entasis_column::Chunk;
use entasis_column::compare::compare_values;
use entasis_pipeline::{Flow, Morsel, QueryContext, Read, Reader, Report, Sink, SinkState, Source};

use crate::spill::{Spill, SpillFile, Spiller, SpillingOperator};
pub use kept::Kept;

/// What to do with all chunks, in source order, once the last has arrived.
pub type Then = Box<dyn Fn(Vec<Chunk>) -> Result<Vec<Chunk>> + Send + Sync>;

/// What to do with what was kept, in source order, once the last chunk has arrived.
type End = Box<dyn Fn(Vec<Kept>) -> Result<()> + Send + Sync>;

/// How many rows are wanted.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// The number of rows, counted from the first.
    pub rows: u64,
    /// Whether exactly the first rows in source order are wanted, even if it takes longer to know
    /// them.
    pub strict: bool,
    /// Whether the chunk that has the last wanted row is kept as a whole.
    pub whole: bool,
    /// Whether the input is read to its end although no more rows are wanted.
    pub reads_all: bool,
}

impl Wanted {
    /// The first so many rows.
    pub fn first(rows: u64, strict: bool) -> Self {
        Self { rows, strict, whole: false, reads_all: false }
    }

    /// What the sink answers once it has them.
    fn enough(&self) -> Flow {
        if self.reads_all { Flow::More } else { Flow::Enough }
    }
}

/// Keeps chunks in source order.
pub struct Gather {
    /// Set, if at all, before the first chunk arrives.
    wanted: Arc<OnceLock<Wanted>>,
    end: End,
    total: AtomicU64,
    /// Rows per sequence, counted only for a strict limit.
    counts: Mutex<BTreeMap<u64, u64>>,
    parts: Mutex<Vec<(u64, usize, Kept)>>,
    held: Mutex<Vec<Reservation>>,
    account: Arc<entasis_base::MemoryAccount>,
    /// `None` if all chunks stay in memory.
    spiller: Option<Arc<Spiller>>,
}

impl Gather {
    /// Makes a sink, and the source of the chunks that `then` makes from the sink's chunks.
    pub fn create(
        wanted: Option<Wanted>,
        context: &QueryContext,
        then: Then,
    ) -> (Arc<Self>, Arc<dyn Source>) {
        let wanted = Arc::new(wanted.map_or_else(OnceLock::new, OnceLock::from));
        Self::create_later(wanted, context, then)
    }

    /// As [`Self::create`], where a pipeline that runs before may still say how many rows are
    /// wanted.
    pub fn create_later(
        wanted: Arc<OnceLock<Wanted>>,
        context: &QueryContext,
        then: Then,
    ) -> (Arc<Self>, Arc<dyn Source>) {
        let result: Arc<OnceLock<Vec<Chunk>>> = Arc::default();
        let source = ChunkSource::of(Arc::clone(&result));
        let end = Box::new(move |kept: Vec<Kept>| {
            let chunks = kept.iter().map(Kept::read).collect::<Result<_>>()?;
            let _ = result.set(then(chunks)?);
            Ok(())
        });
        (Arc::new(Self::new(wanted, context, None, end)), Arc::new(source))
    }

    /// Makes a sink, and the source of `limit` of its rows after the first `offset`.
    pub fn cut(
        wanted: Option<Wanted>,
        (offset, limit): (u64, Option<u64>),
        context: &QueryContext,
        spill: &Arc<Spill>,
    ) -> (Arc<Self>, Arc<dyn Source>) {
        let wanted = Arc::new(wanted.map_or_else(OnceLock::new, OnceLock::from));
        let result: Arc<OnceLock<Vec<Kept>>> = Arc::default();
        let source = ChunkSource::of(Arc::clone(&result));
        let end = Box::new(move |kept| {
            let _ = result.set(cut(kept, offset, limit));
            Ok(())
        });
        (Arc::new(Self::new(wanted, context, Some(spill), end)), Arc::new(source))
    }

    /// Makes a sink that keeps all rows, in memory or on disk, and calls `end` with them.
    pub fn keep(context: &QueryContext, spill: &Arc<Spill>, end: End) -> Arc<Self> {
        Arc::new(Self::new(Arc::default(), context, Some(spill), end))
    }

    fn new(
        wanted: Arc<OnceLock<Wanted>>,
        context: &QueryContext,
        spill: Option<&Arc<Spill>>,
        end: End,
    ) -> Self {
        let account = context.memory.child("Gathering", 0);
        let of = |spill| Spiller::new(spill, SpillingOperator::Sort, &account, context.max_threads);
        let spiller = spill.and_then(of).map(Arc::new);
        let (counts, parts, held) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { wanted, end, total: AtomicU64::new(0), counts, parts, held, account, spiller }
    }
}

struct Opened(Arc<Gather>);

/// The sink as pipelines see it; its states hold a reference to the [`Gather`].
pub struct GatherSink(pub Arc<Gather>);

impl Sink for GatherSink {
    fn name(&self) -> String {
        "Gather".into()
    }

    fn report(&self) -> Report {
        Spiller::report_with(&self.0.account, self.0.spiller.as_ref())
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let held = Reservation::new(&self.0.account);
        let shared = Opened(Arc::clone(&self.0));
        Ok(Box::new(GatherState { shared, parts: Vec::new(), file: None, bytes: 0, held }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let mut parts = std::mem::take(&mut *lock(&self.0.parts));
        parts.sort_by_key(|(sequence, index, _)| (*sequence, *index));
        self.0.spiller.iter().for_each(|spiller| spiller.close());
        (self.0.end)(parts.into_iter().map(|(_, _, kept)| kept).collect())
    }

    fn is_full(&self) -> bool {
        self.0.wanted.get().is_some_and(|wanted| {
            let total = self.0.total.load(Ordering::Relaxed);
            let has_all = total >= wanted.rows && (!wanted.strict || wanted.rows == 0);
            has_all && !wanted.reads_all
        })
    }
}

struct GatherState {
    shared: Opened,
    parts: Vec<(u64, usize, Kept)>,
    file: Option<SpillFile>,
    bytes: usize,
    held: Reservation,
}

impl GatherState {
    /// Writes the chunks in memory to disk, if they take too much of it.
    fn relieve(&mut self) -> Result<()> {
        let Some(spiller) = &self.shared.0.spiller else { return Ok(()) };
        if spiller.excess(self.bytes, 0) == 0 {
            return Ok(());
        }
        let file = match self.file.take() {
            Some(file) => file,
            None => spiller.file()?,
        };
        let file = self.file.insert(file);
        for (_, _, kept) in &mut self.parts {
            kept.write(file)?;
        }
        file.end_part()?;
        self.bytes = 0;
        self.held.set(0)
    }
}

impl SinkState for GatherState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let shared = &self.shared.0;
        let rows = morsel.chunk.rows as u64;
        let mut chunk = morsel.chunk;
        let mut flow = Flow::More;
        if let Some(wanted) = shared.wanted.get() {
            let total = shared.total.fetch_add(rows, Ordering::Relaxed) + rows;
            if wanted.strict {
                let mut counts = lock(&shared.counts);
                if total >= wanted.rows {
                    let before: u64 = counts.range(..morsel.sequence).map(|(_, n)| n).sum();
                    let mine = counts.get(&morsel.sequence).copied().unwrap_or(0);
                    if before + mine >= wanted.rows {
                        return Ok(wanted.enough());
                    }
                    if before + mine + rows >= wanted.rows {
                        flow = wanted.enough();
                    }
                }
                *counts.entry(morsel.sequence).or_default() += rows;
            } else if total >= wanted.rows {
                flow = wanted.enough();
                if total - rows >= wanted.rows {
                    return Ok(flow);
                }
            }
            // Of one chunk, at most as many rows as are wanted in total can be needed.
            if rows > wanted.rows && !wanted.whole {
                chunk = chunk.slice(0, wanted.rows as usize);
            }
        }
        self.bytes += chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.parts.push((morsel.sequence, self.parts.len(), Kept::from(chunk)));
        self.relieve()?;
        Ok(flow)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        lock(&self.shared.0.parts).extend(self.parts);
        lock(&self.shared.0.held).push(self.held);
        Ok(())
    }
}

/// Rows that can be cut, wherever they are.
pub trait Rows: Send + Sync + 'static {
    /// The number of rows.
    fn rows(&self) -> usize;
    /// Some of the rows.
    fn slice(&self, start: usize, len: usize) -> Self;
    /// The rows themselves.
    fn read(&self) -> Result<Chunk>;
}

impl Rows for Chunk {
    fn rows(&self) -> usize {
        self.rows
    }

    fn slice(&self, start: usize, len: usize) -> Self {
        Self::slice(self, start, len)
    }

    fn read(&self) -> Result<Chunk> {
        Ok(self.clone())
    }
}

/// Rows `offset .. offset + limit` of the chunks, which are in order.
pub fn cut<T: Rows>(chunks: Vec<T>, offset: u64, limit: Option<u64>) -> Vec<T> {
    let (mut skip, mut left) = (offset, limit.unwrap_or(u64::MAX));
    let mut out = Vec::new();
    for chunk in chunks {
        let rows = chunk.rows() as u64;
        if skip >= rows {
            skip -= rows;
            continue;
        }
        let take = (rows - skip).min(left);
        if take == 0 {
            break;
        }
        out.push(chunk.slice(skip as usize, take as usize));
        (skip, left) = (0, left - take);
    }
    out
}

/// The chunks up to the first one with which there are `most` rows or more.
pub fn cut_behind(mut chunks: Vec<Chunk>, most: u64) -> Vec<Chunk> {
    let mut rows = 0;
    let last = chunks.iter().position(|chunk| {
        rows += chunk.rows as u64;
        rows >= most
    });
    chunks.truncate(last.map_or(chunks.len(), |last| last + 1));
    chunks
}

/// [`cut`], with the rows after these that are equal to the last of them in the `keys`.
pub fn cut_with_ties(chunks: Vec<Chunk>, offset: u64, limit: u64, keys: &[usize]) -> Vec<Chunk> {
    let chunks = cut(chunks, offset, None);
    let mut left = limit;
    let mut last: Option<(Chunk, usize)> = None;
    let mut out = Vec::new();
    for chunk in chunks {
        let whole = left.min(chunk.rows as u64) as usize;
        left -= whole as u64;
        let mut take = whole;
        if whole > 0 {
            last = Some((chunk.clone(), whole - 1));
        }
        if let (0, Some((rows, at))) = (left, &last) {
            let is_tie = |row: usize| {
                let equal = |key: &usize| {
                    compare_values(&rows.columns[*key], *at, &chunk.columns[*key], row).is_eq()
                };
                keys.iter().all(equal)
            };
            take += (whole..chunk.rows).take_while(|row| is_tie(*row)).count();
        }
        if take > 0 {
            out.push(chunk.slice(0, take));
        }
        if take < chunk.rows {
            break;
        }
    }
    out
}

/// Chunks that exist when the pipeline starts, in memory or on disk; each is a morsel.
pub struct ChunkSource<R = Chunk> {
    chunks: Arc<OnceLock<Vec<R>>>,
    next: Arc<AtomicUsize>,
}

impl<R: Rows> ChunkSource<R> {
    pub fn of(chunks: Arc<OnceLock<Vec<R>>>) -> Self {
        Self { chunks, next: Arc::default() }
    }
}

impl ChunkSource {
    /// The rows of one chunk, cut into blocks of at most `max_block_size` rows.
    pub fn values(chunk: &Chunk, max_block_size: usize) -> Self {
        let step = max_block_size.max(1);
        let starts = (0..chunk.rows).step_by(step);
        let blocks: Vec<Chunk> =
            starts.map(|start| chunk.slice(start, step.min(chunk.rows - start))).collect();
        Self::of(Arc::new(OnceLock::from(blocks)))
    }
}

impl<R: Rows> Source for ChunkSource<R> {
    fn name(&self) -> String {
        "Stored".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Self { chunks: Arc::clone(&self.chunks), next: Arc::clone(&self.next) }))
    }

    fn morsels(&self) -> Option<usize> {
        self.chunks.get().map(Vec::len)
    }
}

impl<R: Rows> Reader for ChunkSource<R> {
    fn next(&mut self) -> Result<Read> {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(rows) = self.chunks.get().and_then(|c| c.get(at)) else {
                return Ok(Read::Done);
            };
            let chunk = rows.read()?;
            if !chunk.is_empty() {
                return Ok(Read::Chunk(Morsel { sequence: at as u64, chunk }));
            }
        }
    }
}
