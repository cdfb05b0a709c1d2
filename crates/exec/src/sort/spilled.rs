//! Runs on disk: their blocks are sorted, and a merge holds one block of each run.
//!
//! Rows with equal keys keep their order within a worker: the inputs are in the order of their
//! rows, on disk or not, and merging neighbours to one run keeps that order.

use entasis_base::events::{self, Event};
use entasis_base::{Reservation, Result};
use entasis_column::Chunk;

use super::merge::{Ranges, next_rows};
use super::run::Run;
use super::{Keys, Shared};
use crate::spill::{BLOCK_BYTES, SpillFile, Spilled};

/// A run, in memory or on disk.
pub enum Input {
    InMemory(Run),
    OnDisk(Spilled),
}

impl Input {
    /// The runs, if none of them is on disk; otherwise the inputs unchanged.
    pub fn all_in_memory(inputs: Vec<Self>) -> std::result::Result<Vec<Run>, Vec<Self>> {
        if inputs.iter().any(|input| matches!(input, Self::OnDisk(_))) {
            return Err(inputs);
        }
        let run = |input| match input {
            Self::InMemory(run) => Some(run),
            Self::OnDisk(_) => None,
        };
        Ok(inputs.into_iter().filter_map(run).collect())
    }
}

/// Merges runs and writes them to disk as one.
pub fn write(runs: Vec<Run>, shared: &Shared, file: &mut SpillFile) -> Result<Spilled> {
    let (rows, bytes) = runs
        .iter()
        .fold((0, 0), |(rows, bytes), run| (rows + run.chunk.rows, bytes + run.chunk.byte_size()));
    let block = (BLOCK_BYTES * rows / bytes.max(1)).clamp(1, shared.max_block_size);
    let runs = Ranges::whole(runs, shared.limit, block);
    let mut cursor = runs.cursor(0);
    write_all(file, || Ok(Some(runs.block(&mut cursor)).filter(|chunk| !chunk.is_empty())))
}

fn write_all(
    file: &mut SpillFile,
    mut next: impl FnMut() -> Result<Option<Chunk>>,
) -> Result<Spilled> {
    let mut spilled = file.begin();
    while let Some(chunk) = next()? {
        file.write(&chunk, &mut spilled)?;
    }
    file.end_part()?;
    Ok(spilled)
}

/// Sorted inputs that are merged while they are read.
pub struct Ways {
    /// The block of each input that is being read, and the position in it.
    runs: Vec<Run>,
    at: Vec<usize>,
    /// The part of each input that is on disk, and the number of its next block.
    rests: Vec<Option<(Spilled, usize)>>,
    keys: Keys,
    left: usize,
    max_block_size: usize,
    reservation: Reservation,
    _held: Vec<Reservation>,
}

impl Ways {
    /// Merges inputs, and writes the results to disk, until so few are left that a block of each
    /// fits into memory.
    pub fn fewer(mut inputs: Vec<Input>, shared: &Shared, held: Vec<Reservation>) -> Result<Self> {
        events::one(Event::ExternalSortMerge);
        while let Some(spiller) = &shared.spiller
            && inputs.len() > spiller.most_ways()
        {
            let mut file = spiller.file()?;
            let mut fewer = Vec::new();
            let mut rest = inputs.into_iter();
            loop {
                let some: Vec<Input> = rest.by_ref().take(spiller.most_ways()).collect();
                if some.len() < 2 {
                    fewer.extend(some);
                    break;
                }
                let mut ways = Self::new(some, shared, Vec::new())?;
                let spilled = write_all(&mut file, || ways.next())?;
                fewer.push(Input::OnDisk(spilled));
            }
            inputs = fewer;
        }
        Self::new(inputs, shared, held)
    }

    fn new(inputs: Vec<Input>, shared: &Shared, held: Vec<Reservation>) -> Result<Self> {
        let mut ways = Self {
            runs: Vec::new(),
            at: vec![0; inputs.len()],
            rests: Vec::new(),
            keys: shared.keys.clone(),
            left: shared.limit.map_or(usize::MAX, |limit| limit as usize),
            max_block_size: shared.max_block_size,
            reservation: Reservation::new(&shared.account),
            _held: held,
        };
        for input in inputs {
            let (run, rest) = match input {
                Input::InMemory(run) => (run, None),
                Input::OnDisk(spilled) if spilled.len() == 0 => {
                    (Run::sorted(Chunk::default(), &[]), None)
                }
                Input::OnDisk(spilled) => {
                    (Run::sorted(spilled.read(0)?, &ways.keys), Some((spilled, 1)))
                }
            };
            ways.runs.push(run);
            ways.rests.push(rest);
        }
        ways.count()?;
        Ok(ways)
    }

    /// Counts the blocks of inputs on disk; inputs in memory are counted elsewhere.
    fn count(&mut self) -> Result<()> {
        let blocks = self.runs.iter().zip(&self.rests).filter(|(_, rest)| rest.is_some());
        self.reservation.cover(blocks.map(|(run, _)| run.byte_size()).sum())
    }

    /// Reads the next block of every input whose present block has been consumed.
    fn refill(&mut self) -> Result<()> {
        let mut read = false;
        for (i, rest) in self.rests.iter_mut().enumerate() {
            if self.at[i] < self.runs[i].entries.len() {
                continue;
            }
            if let Some((spilled, next)) = rest
                && *next < spilled.len()
            {
                self.runs[i] = Run::sorted(spilled.read(*next)?, &self.keys);
                (self.at[i], *next, read) = (0, *next + 1, true);
            }
        }
        if read { self.count() } else { Ok(()) }
    }

    /// The next rows; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Chunk>> {
        self.refill()?;
        let ends: Vec<usize> = self.runs.iter().map(|run| run.entries.len()).collect();
        let goes_on =
            |i: usize| self.rests[i].as_ref().is_some_and(|(spilled, next)| *next < spilled.len());
        let rows = self.max_block_size.min(self.left);
        let chunk = next_rows(&self.runs, &mut self.at, &ends, rows, &goes_on);
        self.left -= chunk.rows;
        Ok(Some(chunk).filter(|chunk| !chunk.is_empty()))
    }
}
