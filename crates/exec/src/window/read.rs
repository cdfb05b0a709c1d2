//! The source of window functions: takes one bucket after the other, sorts it, computes the
//! functions, and returns the rows in blocks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, MemoryAccount, Reservation, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_function::window::{Frame, FrameUnit, Frames, Rows, over_frames};
use entasis_pipeline::{Morsel, Read, Reader, Source};
use entasis_plan::OverWindow;

use super::{Call, Filled, Ordered, Piece, Spec, bounds};
use crate::sort::sorted;

/// The most rows of a bucket: row numbers have 32 bits, and the rows of two columns share one range
/// of numbers.
const MOST_ROWS: usize = i32::MAX as usize;
/// Bytes per row and call besides the columns: keys during the sort, bounds, results.
pub const BESIDE: usize = 24;

/// Gathered rows, which readers take bucket by bucket.
pub struct Buckets {
    buckets: Vec<Mutex<Vec<Piece>>>,
    _held: Vec<Reservation>,
}

impl Buckets {
    pub fn new(buckets: Vec<Vec<Piece>>, held: Vec<Reservation>) -> Self {
        let mut buckets: Vec<Vec<Piece>> = buckets;
        buckets.retain(|pieces| !pieces.is_empty());
        Self { buckets: buckets.into_iter().map(Mutex::new).collect(), _held: held }
    }
}

pub struct Windows {
    spec: Arc<Spec>,
    filled: Arc<OnceLock<Filled>>,
    next: Arc<AtomicUsize>,
    account: Arc<MemoryAccount>,
    max_block_size: usize,
}

impl Windows {
    pub fn new(
        spec: &Arc<Spec>,
        filled: &Arc<OnceLock<Filled>>,
        account: &Arc<MemoryAccount>,
        max_block_size: usize,
    ) -> Self {
        Self {
            spec: Arc::clone(spec),
            filled: Arc::clone(filled),
            next: Arc::default(),
            account: Arc::clone(account),
            max_block_size,
        }
    }
}

impl Source for Windows {
    fn name(&self) -> String {
        "Windows".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let ordered = match self.filled.get() {
            Some(Filled::Sorted(ordered)) => lock(ordered).take(),
            _ => None,
        };
        Ok(Box::new(WindowReader {
            ordered,
            spec: Arc::clone(&self.spec),
            filled: Arc::clone(&self.filled),
            next: Arc::clone(&self.next),
            held: Reservation::new(&self.account),
            max_block_size: self.max_block_size,
            bucket: 0,
            ready: Chunk::default(),
            at: 0,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        self.filled.get().map(|filled| match filled {
            Filled::Buckets(filled) => filled.buckets.len(),
            Filled::Sorted(_) => 1,
        })
    }
}

struct WindowReader {
    spec: Arc<Spec>,
    filled: Arc<OnceLock<Filled>>,
    /// The rows in order, if some are on disk.
    ordered: Option<Ordered>,
    next: Arc<AtomicUsize>,
    held: Reservation,
    max_block_size: usize,
    /// The bucket that `ready` was made from.
    bucket: usize,
    ready: Chunk,
    at: usize,
}

impl Reader for WindowReader {
    fn next(&mut self) -> Result<Read> {
        while self.at >= self.ready.rows {
            self.ready = Chunk::default();
            self.held.set(0)?;
            self.bucket = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(ready) = self.load()? else { return Ok(Read::Done) };
            (self.ready, self.at) = (ready, 0);
        }
        let rows = self.max_block_size.min(self.ready.rows - self.at);
        let chunk = self.ready.slice(self.at, rows);
        self.at += rows;
        Ok(Read::Chunk(Morsel { sequence: self.bucket as u64, chunk }))
    }
}

/// Fails if row numbers of so many rows do not fit into their type.
pub fn check_rows(rows: usize) -> Result<()> {
    if rows <= MOST_ROWS {
        return Ok(());
    }
    let message = format!(
        "A window function's partitions have {rows} rows together; at most {MOST_ROWS} are \
         possible: add columns to PARTITION BY"
    );
    Err(Error::new(codes::TOO_MANY_ROWS, message))
}

/// Appends the results of all calls to rows in order, which are whole partitions.
pub fn with_results(mut chunk: Chunk, spec: &Spec, held: &mut Reservation) -> Result<Chunk> {
    held.cover(chunk.byte_size() + chunk.rows * BESIDE * (1 + spec.calls.len()))?;
    let known = Known::of(&chunk, spec);
    events::add(Event::WindowPartitions, known.partitions.len() as u64 - 1);
    let results = known.results()?;
    chunk.columns.extend(results);
    held.set(chunk.byte_size())?;
    Ok(chunk)
}

impl WindowReader {
    /// The rows of the next bucket or of the next partitions; `None` at the end.
    fn load(&mut self) -> Result<Option<Chunk>> {
        if let Some(ordered) = &mut self.ordered {
            return ordered.next(&mut self.held);
        }
        let Some(Filled::Buckets(filled)) = self.filled.get() else { return Ok(None) };
        let Some(bucket) = filled.buckets.get(self.bucket) else { return Ok(None) };
        let pieces = std::mem::take(&mut *lock(bucket));
        self.compute(pieces).map(Some)
    }

    /// The rows of a bucket in order, with the results of all calls as further columns.
    fn compute(&mut self, mut pieces: Vec<Piece>) -> Result<Chunk> {
        let rows: usize = pieces.iter().map(|p| p.chunk.rows).sum();
        check_rows(rows)?;
        pieces.sort_by_key(|piece| (piece.sequence, piece.index));
        let chunks: Vec<Chunk> = pieces.into_iter().map(|piece| piece.chunk).collect();
        // While they are concatenated and sorted, the rows are in memory two more times.
        let bytes: usize = chunks.iter().map(Chunk::byte_size).sum();
        self.held.cover(2 * bytes + rows * BESIDE * (1 + self.spec.calls.len()))?;
        let chunk = Chunk::concat(&chunks);
        drop(chunks);
        let chunk = sorted(chunk, &self.spec.keys());
        with_results(chunk, &self.spec, &mut self.held)
    }
}

/// Sorted rows, and the bounds found so far, which calls share.
pub struct Known<'a> {
    chunk: &'a Chunk,
    spec: &'a Spec,
    pub partitions: Vec<u32>,
    /// Bounds of rows that are equal in this many ORDER BY keys.
    peers: Vec<(usize, Arc<Vec<u32>>)>,
    frames: Vec<(usize, Frame, Arc<Frames>)>,
}

impl<'a> Known<'a> {
    pub fn of(chunk: &'a Chunk, spec: &'a Spec) -> Self {
        let columns: Vec<usize> = spec.partition.iter().map(|(at, _)| *at).collect();
        let partitions = bounds::runs(chunk, &columns, &[0]);
        Self { chunk, spec, partitions, peers: Vec::new(), frames: Vec::new() }
    }

    fn results(mut self) -> Result<Vec<Column>> {
        let spec = self.spec;
        spec.calls.iter().map(|call| self.result(call)).collect()
    }

    pub fn args_of(&self, call: &Call) -> Vec<Column> {
        call.args.iter().map(|&at| self.chunk.columns[at].clone()).collect()
    }

    pub fn result(&mut self, call: &Call) -> Result<Column> {
        let args = self.args_of(call);
        let frames = self.frames_of(call)?;
        match &call.function {
            OverWindow::Aggregate(function) => over_frames(&**function, &args, &frames),
            OverWindow::Function(function) => {
                let peers = self.peers_of(call.order);
                let partitions = &self.partitions;
                function.run(&args, Rows { partitions, peers: &peers, frames: &frames })
            }
        }
    }

    pub fn peers_of(&mut self, order: usize) -> Arc<Vec<u32>> {
        if let Some((_, peers)) = self.peers.iter().find(|(known, _)| *known == order) {
            return Arc::clone(peers);
        }
        let columns: Vec<usize> = self.spec.order[..order].iter().map(|(at, _)| *at).collect();
        let peers = Arc::new(bounds::runs(self.chunk, &columns, &self.partitions));
        self.peers.push((order, Arc::clone(&peers)));
        peers
    }

    fn frames_of(&mut self, call: &Call) -> Result<Arc<Frames>> {
        let same = |(order, frame, _): &&(usize, Frame, Arc<Frames>)| {
            *order == call.order && *frame == call.frame
        };
        if let Some((_, _, frames)) = self.frames.iter().find(same) {
            return Ok(Arc::clone(frames));
        }
        let counts_rows = call.frame.unit == FrameUnit::Rows || call.frame.is_partition();
        let peers = if counts_rows { Arc::default() } else { self.peers_of(call.order) };
        let key = self.spec.order[..call.order].first();
        let key = key.map(|(at, order)| (&self.chunk.columns[*at], *order));
        let frames = Arc::new(bounds::frames(&call.frame, &self.partitions, &peers, key)?);
        self.frames.push((call.order, call.frame, Arc::clone(&frames)));
        Ok(frames)
    }
}
