//! Joins a partition on disk.
//!
//! Usually all its right rows become one table, which its left rows probe. If they are too many,
//! because most of them have the same key or there are no keys, the left rows are read several
//! times, each time for a part of the right rows. Where it matters, [`Marks`] remember which left
//! rows have had a match; those that never had one are output at the end.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Reservation, Result, scope};
use entasis_column::Chunk;
use entasis_pipeline::QueryContext;

use super::memory_of;
use super::pieces::Pieces;
use crate::join::JoinStrictness;
use crate::join::build::{Build, Piece};
use crate::join::built::Built;
use crate::join::table::Workers;
use crate::spill::Spilled;

/// A table of some right rows, and the memory for it.
pub struct Loaded {
    pub built: Built,
    _held: Reservation,
}

/// Which left rows of a partition have had a match, in the order in which they are read.
pub struct Marks {
    rows: Mutex<Vec<bool>>,
    _held: Reservation,
}

/// A step of the join of a partition.
pub enum Work {
    /// Left rows meet all right rows that they can match.
    All(Arc<Loaded>, Chunk),
    /// Left rows meet a part of the right rows. The number is that of the first row's mark.
    Part(Arc<Loaded>, Chunk, Option<Arc<Marks>>, usize),
    /// Rows are marked whose key has had its pair.
    Mark(Arc<Loaded>, Chunk, Arc<Marks>, usize),
    /// The right rows without a match among these are output.
    Rest(Arc<Loaded>, usize, usize),
}

/// What comes next.
#[derive(Clone, Copy)]
enum Step {
    Load,
    Probe(Place),
    Mark(Place),
    Rest(usize),
    Leftover(Place),
    Done,
}

/// A block of the left side, and the number of its first row.
#[derive(Clone, Copy, Default)]
struct Place {
    list: usize,
    block: usize,
    row: usize,
}

/// The join of a partition, step by step.
pub struct Passes {
    build: Arc<Build>,
    context: QueryContext,
    pieces: Pieces,
    /// The first piece of the next part.
    ahead: Option<Piece>,
    left: Vec<Spilled>,
    /// Bytes of right rows in a part; `None` if there is one part only.
    share: Option<usize>,
    marks: Option<Arc<Marks>>,
    loaded: Option<Arc<Loaded>>,
    step: Step,
}

impl Passes {
    /// Joins these rows, with parts of `share` bytes of the right side if it is given.
    pub fn new(
        build: &Arc<Build>,
        context: &QueryContext,
        pieces: Pieces,
        left: Vec<Spilled>,
        share: Option<usize>,
    ) -> Result<Self> {
        let spec = &build.spec;
        let is_decided = spec.keep_left || spec.decides_left();
        let marks = match share.filter(|_| is_decided) {
            Some(_) => {
                let rows = left.iter().map(Spilled::rows).sum::<usize>();
                let mut held = Reservation::new(&build.account);
                held.cover(rows)?;
                Some(Arc::new(Marks { rows: Mutex::new(vec![false; rows]), _held: held }))
            }
            None => None,
        };
        let (build, context) = (Arc::clone(build), context.clone());
        let (ahead, loaded, step) = (None, None, Step::Load);
        Ok(Self { build, context, pieces, ahead, left, share, marks, loaded, step })
    }

    /// The next step; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Work>> {
        let build = Arc::clone(&self.build);
        let spec = &build.spec;
        loop {
            scope::check()?;
            match self.step {
                Step::Load => {
                    self.loaded = None;
                    let loaded = self.load()?;
                    self.step = match loaded {
                        Some(_) => Step::Probe(Place::default()),
                        None => Step::Leftover(Place::default()),
                    };
                    self.loaded = loaded.map(Arc::new);
                }
                Step::Probe(place) => {
                    if let Some(work) = self.probe(place)? {
                        return Ok(Some(work));
                    }
                }
                Step::Mark(place) => {
                    if let Some(work) = self.mark(place)? {
                        return Ok(Some(work));
                    }
                }
                Step::Rest(from) => {
                    let loaded = self.loaded.clone().filter(|_| spec.keep_right);
                    let Some(loaded) = loaded.filter(|loaded| from < loaded.built.rows) else {
                        self.step = if self.share.is_some() { Step::Load } else { Step::Done };
                        continue;
                    };
                    let to = loaded.built.rows.min(from + spec.max_block_size);
                    self.step = Step::Rest(to);
                    return Ok(Some(Work::Rest(loaded, from, to)));
                }
                Step::Leftover(place) => {
                    if let Some(work) = self.leftover(place)? {
                        return Ok(Some(work));
                    }
                }
                Step::Done => return Ok(None),
            }
        }
    }

    /// The left rows of a block, which meet the rows that are loaded.
    fn probe(&mut self, mut place: Place) -> Result<Option<Work>> {
        let first = place.row;
        let chunk = place.read(&self.left)?;
        let (Some(loaded), Some(chunk)) = (self.loaded.clone(), chunk) else {
            self.step = match self.build.spec.strictness {
                JoinStrictness::FirstOfKey => Step::Mark(Place::default()),
                _ => Step::Rest(0),
            };
            return Ok(None);
        };
        self.step = Step::Probe(place);
        Ok(Some(match self.share {
            None => Work::All(loaded, chunk),
            Some(_) => Work::Part(loaded, chunk, self.marks.clone(), first),
        }))
    }

    /// The left rows of a block, which are marked if their key has had its pair.
    fn mark(&mut self, mut place: Place) -> Result<Option<Work>> {
        self.step = Step::Rest(0);
        let (Some(loaded), Some(marks)) = (self.loaded.clone(), self.marks.clone()) else {
            return Ok(None);
        };
        let first = place.row;
        let Some(chunk) = place.read(&self.left)? else { return Ok(None) };
        self.step = Step::Mark(place);
        Ok(Some(Work::Mark(loaded, chunk, marks, first)))
    }

    /// The left rows of a block that have had no match, which meet an empty table.
    fn leftover(&mut self, mut place: Place) -> Result<Option<Work>> {
        let first = place.row;
        self.step = Step::Done;
        let Some(marks) = self.marks.clone().filter(|_| self.build.spec.keep_left) else {
            return Ok(None);
        };
        let Some(chunk) = place.read(&self.left)? else { return Ok(None) };
        self.step = Step::Leftover(place);
        let open = {
            let marks = lock(&marks.rows);
            let open = (0..chunk.rows).filter(|row| !marks[first + row]);
            open.map(|row| row as u32).collect::<Vec<u32>>()
        };
        if open.is_empty() {
            return Ok(None);
        }
        let loaded = match &self.loaded {
            Some(loaded) => Arc::clone(loaded),
            None => Arc::new(self.table(Vec::new(), Reservation::new(&self.build.account))?),
        };
        self.loaded = Some(Arc::clone(&loaded));
        Ok(Some(Work::All(loaded, chunk.take(&open))))
    }

    /// The table of the next part; `None` if there are no more rows.
    fn load(&mut self) -> Result<Option<Loaded>> {
        let mut held = Reservation::new(&self.build.account);
        let (mut pieces, mut bytes, mut rows) = (Vec::new(), 0, 0);
        loop {
            let next = match self.ahead.take() {
                Some(piece) => Some(piece),
                None => self.pieces.next()?,
            };
            let Some(piece) = next else { break };
            let more = piece.memory(&self.build.spec);
            let is_full = |share| {
                let many = rows + piece.chunk.rows > self.build.partitions.most_rows;
                !pieces.is_empty() && (many || bytes + more > share)
            };
            if self.share.is_some_and(is_full) {
                self.ahead = Some(piece);
                break;
            }
            (bytes, rows) = (bytes + more, rows + piece.chunk.rows);
            held.cover(bytes)?;
            pieces.push(piece);
        }
        if pieces.is_empty() && self.share.is_some() {
            return Ok(None);
        }
        self.table(pieces, held).map(Some)
    }

    fn table(&self, pieces: Vec<Piece>, mut held: Reservation) -> Result<Loaded> {
        let workers = Workers { scheduler: None, context: &self.context };
        let built = Built::of_pieces(&self.build.spec, pieces, None, workers)?;
        held.set(built.byte_size())?;
        Ok(Loaded { built, _held: held })
    }
}

impl Place {
    /// The chunk at this place, which moves on; `None` at the end.
    fn read(&mut self, lists: &[Spilled]) -> Result<Option<Chunk>> {
        while let Some(list) = lists.get(self.list) {
            if self.block < list.len() {
                let chunk = list.read(self.block)?;
                self.block += 1;
                self.row += chunk.rows;
                return Ok(Some(chunk));
            }
            (self.list, self.block) = (self.list + 1, 0);
        }
        Ok(None)
    }
}

impl Marks {
    /// Lets `act` see and change the marks of `count` rows from `first` on.
    pub fn with<T>(&self, first: usize, count: usize, act: impl FnOnce(&mut [bool]) -> T) -> T {
        act(&mut lock(&self.rows)[first..first + count])
    }
}

/// Memory that the right rows of a partition on disk need when they are joined.
pub fn memory_of_lists(lists: &[Spilled]) -> (usize, usize) {
    let bytes = lists.iter().map(Spilled::raw_bytes).sum();
    let rows = lists.iter().map(Spilled::rows).sum();
    (memory_of(bytes, rows), rows)
}
