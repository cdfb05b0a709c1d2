//! ORDER BY: every worker sorts its rows into runs, and readers merge disjoint ranges of all runs.
//!
//! Roles: [`keys`] turns key columns into values that compare as one number or as bytes. [`run`]
//! holds a sorted run. [`top`] keeps only the first rows if a limit is known, and drops most rows
//! by one comparison with a threshold that all workers share. [`merge`] is the source: splitters
//! cut the key space into ranges, and a reader merges a range and gathers its rows. [`spilled`]
//! writes runs to disk if memory runs short, and merges them block by block. [`external`] lends
//! this to other operators whose rows do not fit into memory.
//!
//! Rows with equal keys keep their order within a worker; between workers their order is undefined.

pub mod external;
mod keys;
mod merge;
mod radix;
mod run;
mod spilled;
mod top;

use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::Chunk;
use entasis_column::compare::SortOrder;
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Sink, SinkState, Source};
use entasis_table_api::RuntimeFilter;

use crate::spill::{Spill, SpillFile, Spilled, Spiller, SpillingOperator};
use entasis_base::sync::lock;
pub use keys::ordered_bits;
use merge::{Merge, Merged, Ranges};
use run::Run;
use spilled::{Input, Ways};
use top::{Threshold, Top};

/// Up to this limit a worker keeps only the first rows; above it, it sorts all rows.
const MOST_TOP: u64 = 1 << 20;
/// A run is closed at this many bytes: row numbers and string offsets have 32 bits.
const MOST_BYTES: usize = 1 << 30;
/// A run is closed at this many rows: sorting a run is the longest step that cannot be cancelled.
const MOST_ROWS: usize = 1 << 20;

/// Rows per merged block if the caller does not set a block size.
const MERGED_ROWS: usize = 1 << 13;

/// Positions of the key columns and their orders, most significant first.
type Keys = Vec<(usize, SortOrder)>;

/// What the workers of a sort share.
struct Shared {
    keys: Keys,
    limit: Option<u64>,
    threshold: Threshold,
    runs: Mutex<Vec<Input>>,
    held: Mutex<Vec<Reservation>>,
    account: Arc<MemoryAccount>,
    max_block_size: usize,
    spiller: Option<Arc<Spiller>>,
}

/// A sink that sorts, and the source of the sorted rows: all of them, or the first `limit`.
pub fn create(
    keys: Keys,
    limit: Option<u64>,
    filter: Option<Arc<RuntimeFilter>>,
    context: &QueryContext,
    spill: &Arc<Spill>,
) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let merged = Arc::new(OnceLock::new());
    let account = context.memory.child("Sorting", 0);
    let spiller = Spiller::new(spill, SpillingOperator::Sort, &account, context.max_threads);
    let shared = Shared {
        threshold: Threshold::new(filter),
        keys,
        limit,
        runs: Mutex::default(),
        held: Mutex::default(),
        account,
        max_block_size: context.max_block_size.max(1),
        spiller: spiller.map(Arc::new),
    };
    let sink = Sort { shared: Arc::new(shared), merged: Arc::clone(&merged) };
    (Arc::new(sink), Arc::new(Merge::new(merged)))
}

/// All rows of a chunk in order. Rows with equal keys keep their order.
pub fn sorted(chunk: Chunk, keys: &[(usize, SortOrder)]) -> Chunk {
    if keys.is_empty() || chunk.rows < 2 {
        return chunk;
    }
    let starts = (0..chunk.rows).step_by(MOST_ROWS);
    let parts = starts.map(|at| chunk.slice(at, MOST_ROWS.min(chunk.rows - at)));
    let runs: Vec<Run> = parts.map(|part| Run::sort(part, keys)).collect();
    if let [run] = &runs[..] {
        return chunk.take(&run.entries.rows(0, chunk.rows));
    }
    let ends: Vec<usize> = runs.iter().map(|run| run.entries.len()).collect();
    let mut at = vec![0; runs.len()];
    let mut blocks = Vec::new();
    loop {
        let block = merge::next_rows(&runs, &mut at, &ends, MERGED_ROWS, &|_| false);
        if block.is_empty() {
            return Chunk::concat(&blocks);
        }
        blocks.push(block);
    }
}

struct Sort {
    shared: Arc<Shared>,
    merged: Arc<OnceLock<Merged>>,
}

impl Sink for Sort {
    fn name(&self) -> String {
        match self.shared.limit {
            Some(limit) => format!("TopN {limit}"),
            None => "Sort".into(),
        }
    }

    fn report(&self) -> Report {
        Spiller::report_with(&self.shared.account, self.shared.spiller.as_ref())
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let shared = Arc::clone(&self.shared);
        let held = Reservation::new(&shared.account);
        Ok(match shared.limit {
            Some(limit) if limit <= MOST_TOP => {
                let top = Top::new(shared.keys.clone(), limit as usize);
                let (on_disk, sorting) = (OnDisk::default(), None);
                Box::new(TopState { shared, top, on_disk, held, sorting })
            }
            _ => Box::new(SortState::new(shared)),
        })
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let shared = &self.shared;
        let (inputs, held) = shared.take();
        shared.spiller.iter().for_each(|spiller| spiller.close());
        let (limit, block) = (shared.limit, shared.max_block_size);
        let merged = match Input::all_in_memory(inputs) {
            Ok(runs) => Merged::Ranges(Ranges::new(runs, limit, block, held)),
            Err(inputs) => Merged::Ways(Mutex::new(Some(Ways::fewer(inputs, shared, held)?))),
        };
        let _ = self.merged.set(merged);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.shared.limit == Some(0)
    }
}

impl Shared {
    /// Takes out what the workers have sorted.
    fn take(&self) -> (Vec<Input>, Vec<Reservation>) {
        (std::mem::take(&mut *lock(&self.runs)), std::mem::take(&mut *lock(&self.held)))
    }

    /// Takes over what a worker has sorted. Its runs on disk are older than those in memory.
    fn collect(&self, on_disk: OnDisk, runs: Vec<Run>, held: Reservation) {
        let inputs = on_disk.runs.into_iter().map(Input::OnDisk);
        lock(&self.runs).extend(inputs.chain(runs.into_iter().map(Input::InMemory)));
        lock(&self.held).push(held);
    }
}

/// A worker's runs on disk.
#[derive(Default)]
struct OnDisk {
    runs: Vec<Spilled>,
    file: Option<SpillFile>,
}

impl OnDisk {
    /// Writes runs as one.
    fn write(&mut self, runs: Vec<Run>, shared: &Shared, spiller: &Arc<Spiller>) -> Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => spiller.file()?,
        };
        self.runs.push(spilled::write(runs, shared, self.file.insert(file))?);
        Ok(())
    }
}

/// A worker's state without a limit, or with a large one: keeps all rows.
struct SortState {
    shared: Arc<Shared>,
    chunks: Vec<Chunk>,
    runs: Vec<Run>,
    on_disk: OnDisk,
    /// Bytes of `chunks`, and of everything kept in memory.
    bytes: usize,
    all: usize,
    /// Rows of `chunks`.
    rows: usize,
    held: Reservation,
}

impl SortState {
    fn new(shared: Arc<Shared>) -> Self {
        let held = Reservation::new(&shared.account);
        let (chunks, runs, on_disk) = (Vec::new(), Vec::new(), OnDisk::default());
        Self { shared, chunks, runs, on_disk, bytes: 0, all: 0, rows: 0, held }
    }

    fn add(&mut self, chunk: Chunk) -> Result<()> {
        // Keys and row numbers take about 16 bytes per row once sorted.
        let bytes = chunk.byte_size() + 16 * chunk.rows;
        (self.bytes, self.all) = (self.bytes + bytes, self.all + bytes);
        self.held.cover(self.all)?;
        self.rows += chunk.rows;
        events::add(Event::SortRows, chunk.rows as u64);
        self.chunks.push(chunk);
        if self.bytes >= MOST_BYTES || self.rows >= MOST_ROWS {
            self.close_run()?;
        }
        self.relieve()
    }

    fn close_run(&mut self) -> Result<()> {
        if self.chunks.is_empty() {
            return Ok(());
        }
        // While a run is concatenated and sorted, its rows are in memory twice, and so are its
        // keys.
        self.held.cover(self.all + self.bytes)?;
        let chunk = Chunk::concat(&std::mem::take(&mut self.chunks));
        self.runs.push(Run::sort(chunk, &self.shared.keys));
        (self.bytes, self.rows) = (0, 0);
        Ok(())
    }

    /// Writes everything this worker holds as one run, if it takes too much memory.
    fn relieve(&mut self) -> Result<()> {
        let Some(spiller) = &self.shared.spiller else { return Ok(()) };
        // Sorting a run takes its rows a second time.
        if spiller.excess(self.all, self.bytes) == 0 {
            return Ok(());
        }
        self.write(&Arc::clone(spiller))
    }

    fn write(&mut self, spiller: &Arc<Spiller>) -> Result<()> {
        self.close_run()?;
        let runs = std::mem::take(&mut self.runs);
        self.on_disk.write(runs, &self.shared, spiller)?;
        self.all = 0;
        self.held.set(0)
    }
}

impl SinkState for SortState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.add(morsel.chunk)?;
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        self.close_run()?;
        self.shared.collect(self.on_disk, self.runs, self.held);
        Ok(())
    }
}

/// A worker's state with a limit: keeps only the first rows.
struct TopState {
    shared: Arc<Shared>,
    top: Top,
    /// The first rows of those that came before the rows in memory.
    on_disk: OnDisk,
    held: Reservation,
    /// Takes all rows once memory ran short before there were as many rows as are wanted.
    sorting: Option<Box<SortState>>,
}

impl TopState {
    /// Writes the first rows so far as a run, if they take too much memory. `copies` says how often
    /// what is done next has them in memory besides.
    fn relieve(&mut self, copies: usize) -> Result<()> {
        let Some(spiller) = &self.shared.spiller else { return Ok(()) };
        let own = self.top.byte_size();
        if spiller.excess(own, copies * own) == 0 {
            return Ok(());
        }
        let spiller = Arc::clone(spiller);
        if self.top.is_short() { self.sort_all(&spiller) } else { self.write(&spiller) }
    }

    /// Goes on as a sort of all rows, which needs the least memory.
    fn sort_all(&mut self, spiller: &Arc<Spiller>) -> Result<()> {
        let mut sorting = Box::new(SortState::new(Arc::clone(&self.shared)));
        sorting.on_disk = std::mem::take(&mut self.on_disk);
        self.held.set(0)?;
        for chunk in self.top.take_chunks() {
            sorting.add(chunk)?;
        }
        if sorting.all > 0 {
            sorting.write(spiller)?;
        }
        self.sorting = Some(sorting);
        Ok(())
    }

    fn write(&mut self, spiller: &Arc<Spiller>) -> Result<()> {
        self.held.cover(2 * self.top.byte_size())?;
        if let Some(run) = self.top.take_all(&self.shared.threshold) {
            self.on_disk.write(vec![run], &self.shared, spiller)?;
        }
        self.held.set(0)
    }
}

impl SinkState for TopState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        if let Some(sorting) = &mut self.sorting {
            if let Some(chunk) = self.top.wanted(morsel.chunk, &self.shared.threshold) {
                sorting.add(chunk)?;
            }
            return Ok(Flow::More);
        }
        self.top.push(morsel.chunk, &self.shared.threshold);
        self.held.cover(self.top.byte_size())?;
        // While the rows are sorted, they are in memory twice.
        self.relieve(1)?;
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        if let Some(sorting) = self.sorting {
            return sorting.combine();
        }
        // All workers end at about the same time. The merge of what is on disk needs memory, too.
        match &self.shared.spiller {
            Some(spiller) if !self.on_disk.runs.is_empty() => self.write(&Arc::clone(spiller))?,
            _ => self.relieve(2)?,
        }
        if let Some(sorting) = self.sorting {
            return sorting.combine();
        }
        let run = self.top.take(&self.shared.threshold);
        self.shared.collect(self.on_disk, run.into_iter().collect(), self.held);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
