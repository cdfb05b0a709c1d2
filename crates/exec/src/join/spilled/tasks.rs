//! The partitions on disk, which are joined after the left side has ended.
//!
//! A reader takes a partition. If it is too large, the reader divides it by further bits of the
//! hash; otherwise it joins it in steps. The steps that output rows are done by an operator behind
//! the source, so that rows leave them one block after the other. The source only outputs the
//! numbers of such steps.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_column::hash::join::Found;
use entasis_column::{Chunk, Column};
use entasis_pipeline::{
    Flow, Morsel, Operator, OperatorState, Output, QueryContext, Read, Reader, Report, Source,
};

use super::left::hashes_of_left;
use super::passes::{Passes, Work, memory_of_lists};
use super::pieces::Pieces;
use super::scatter::{MOST_DEPTH, Scatter, partition_of};
use super::{Lists, hashes_of, layout_of, written};
use crate::join::build::{Build, Piece};
use crate::join::probe::Prober;
use crate::join::unmatched;
use crate::spill::{Spilled, Spiller};

/// A partition on disk.
struct Task {
    right: Vec<Spilled>,
    left: Vec<Spilled>,
    /// Whether all rows have keys.
    keyed: bool,
    /// How often the rows have been divided.
    depth: u32,
    /// Right rows of the partition of which this is a part.
    of: usize,
}

/// What the readers and the operator share.
struct Shared {
    build: Arc<Build>,
    context: QueryContext,
    /// `None` until the pipeline starts.
    tasks: Mutex<Option<Vec<Task>>>,
    works: Mutex<HashMap<u64, Work>>,
    next: AtomicU64,
}

/// The source of the partitions on disk, and the operator behind it.
pub fn create(build: &Arc<Build>, context: &QueryContext) -> (Arc<dyn Source>, Arc<dyn Operator>) {
    let shared = Arc::new(Shared {
        build: Arc::clone(build),
        context: QueryContext { profile: None, hook: None, ..context.clone() },
        tasks: Mutex::default(),
        works: Mutex::default(),
        next: AtomicU64::new(0),
    });
    (Arc::new(Tasks(Arc::clone(&shared))), Arc::new(Join(shared)))
}

struct Tasks(Arc<Shared>);

impl Shared {
    /// The number of partitions that are left.
    fn start(&self) -> usize {
        let mut tasks = lock(&self.tasks);
        tasks.get_or_insert_with(|| self.first_tasks()).len()
    }

    fn first_tasks(&self) -> Vec<Task> {
        let (Lists { parts, rest }, left) = self.build.partitions.take();
        let (depth, of) = (0, usize::MAX);
        let mut tasks = vec![Task { right: rest, left: left.rest, keyed: false, depth, of }];
        tasks.extend(self.children(parts, left.parts, depth, of));
        tasks.retain(|task| self.is_wanted(task));
        if !tasks.is_empty() {
            events::one(Event::ExternalJoinMerge);
        }
        tasks
    }

    fn children(
        &self,
        mut right: Vec<Vec<Spilled>>,
        mut left: Vec<Vec<Spilled>>,
        depth: u32,
        of: usize,
    ) -> Vec<Task> {
        let count = right.len().max(left.len());
        right.resize_with(count, Vec::new);
        left.resize_with(count, Vec::new);
        let both = right.into_iter().zip(left);
        let tasks = both.map(|(right, left)| Task { right, left, keyed: true, depth, of });
        tasks.filter(|task| self.is_wanted(task)).collect()
    }

    /// Whether a partition can have rows in the result.
    fn is_wanted(&self, task: &Task) -> bool {
        let spec = &self.build.spec;
        let (left, right) = (!task.left.is_empty(), !task.right.is_empty());
        (left || spec.keep_right) && (right || spec.keep_left) && (left || right)
    }

    /// A row that stands for a step.
    fn ticket(&self, work: Work) -> Morsel {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.works).insert(number, work);
        let chunk = Chunk::new(vec![Column::from(vec![number])], 1);
        Morsel { sequence: number, chunk }
    }
}

impl Source for Tasks {
    fn name(&self) -> String {
        "JoinSpilled".into()
    }

    fn report(&self) -> Report {
        Spiller::report(Some(&self.0.build.partitions.spiller))
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        self.0.start();
        let scatter = Scatter::new(&self.0.build.partitions);
        Ok(Box::new(TaskReader { shared: Arc::clone(&self.0), passes: None, scatter }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.0.start())
    }
}

struct TaskReader {
    shared: Arc<Shared>,
    passes: Option<Passes>,
    scatter: Scatter,
}

impl Reader for TaskReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some(passes) = &mut self.passes {
                if let Some(work) = passes.next()? {
                    return Ok(Read::Chunk(self.shared.ticket(work)));
                }
                self.passes = None;
            }
            let task = lock(&self.shared.tasks).as_mut().and_then(Vec::pop);
            match task {
                Some(task) => self.begin(task)?,
                None => return Ok(Read::Done),
            }
        }
    }
}

impl TaskReader {
    /// Divides a partition, or begins to join it.
    fn begin(&mut self, task: Task) -> Result<()> {
        let build = &self.shared.build;
        let (spec, partitions) = (&build.spec, &build.partitions);
        let share = partitions.share();
        let (bytes, rows) = memory_of_lists(&task.right);
        let fits = bytes <= share && rows <= partitions.most_rows;
        // A part that has more than half of the rows most likely has a single key.
        let is_mixed = rows <= task.of / 2 && task.depth + 1 < MOST_DEPTH;
        if task.keyed && !fits && is_mixed {
            return self.divide(task, rows);
        }
        // The closest row of a key must be found among all of them.
        let share = (!fits && spec.closest.is_none()).then_some(share);
        let pieces = Pieces::new(spec, task.right, task.keyed, spec.takes_last);
        self.passes = Some(Passes::new(build, &self.shared.context, pieces, task.left, share)?);
        Ok(())
    }

    /// Divides a partition by further bits of the hash.
    fn divide(&mut self, task: Task, rows: usize) -> Result<()> {
        let spec = &self.shared.build.spec;
        let Some(layout) = layout_of(spec) else {
            return Err(Error::logical("a join without keys has no partitions"));
        };
        events::one(Event::ExternalJoinRepartition);
        let depth = task.depth + 1;
        // In source order, which the lists that are written keep.
        let mut pieces = Pieces::new(spec, task.right, true, false);
        while let Some(Piece { sequence, chunk, keys: Some(keys), .. }) = pieces.next()? {
            let places = hashes_of(&keys).into_iter().map(|hash| partition_of(hash, depth));
            self.scatter.add(written(spec, chunk, Some(keys.to_column()), sequence), places)?;
        }
        let right = listed(self.scatter.finish()?);
        for list in task.left {
            for block in 0..list.len() {
                let chunk = list.read(block)?;
                let (hashes, _) = hashes_of_left(spec, &layout, &chunk)?;
                let places = hashes.into_iter().map(|hash| partition_of(hash, depth));
                self.scatter.add(chunk, places)?;
            }
        }
        let left = listed(self.scatter.finish()?);
        let children = self.shared.children(right, left, depth, rows);
        lock(&self.shared.tasks).get_or_insert_default().extend(children);
        Ok(())
    }
}

fn listed(parts: Vec<Option<Spilled>>) -> Vec<Vec<Spilled>> {
    parts.into_iter().map(|part| part.into_iter().collect()).collect()
}

/// The operator that does the steps.
struct Join(Arc<Shared>);

impl Operator for Join {
    fn name(&self) -> String {
        "JoinPartitions".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        let prober = Prober::new(&self.0.build.spec, false);
        Ok(Box::new(JoinState { shared: Arc::clone(&self.0), prober, found: Found::default() }))
    }
}

struct JoinState {
    shared: Arc<Shared>,
    prober: Prober,
    found: Found,
}

impl OperatorState for JoinState {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let spec = &self.shared.build.spec;
        let Some(Column::UInt64(numbers)) = chunk.columns.first() else {
            return Err(Error::logical("a step of a join without a number"));
        };
        let work = lock(&self.shared.works).remove(&numbers[0]);
        match work.ok_or_else(|| Error::logical("a step of a join is missing"))? {
            Work::All(loaded, chunk) => self.prober.all(spec, &loaded.built, &chunk, out),
            Work::Part(loaded, chunk, Some(marks), first) => {
                let mut known = marks.with(first, chunk.rows, |marks| marks.to_vec());
                let flow = self.prober.part(spec, &loaded.built, &chunk, &mut known, out)?;
                marks.with(first, chunk.rows, |marks| marks.copy_from_slice(&known));
                Ok(flow)
            }
            Work::Part(loaded, chunk, None, _) => {
                let mut known = vec![false; chunk.rows];
                self.prober.part(spec, &loaded.built, &chunk, &mut known, out)
            }
            Work::Mark(loaded, chunk, marks, first) => {
                let built = &loaded.built;
                let columns = spec.left_columns(&chunk);
                built.find(&columns, chunk.rows, &mut Vec::new(), &mut self.found)?;
                marks.with(first, chunk.rows, |marks| {
                    for (mark, start) in marks.iter_mut().zip(&self.found.starts) {
                        *mark |= built.is_claimed(*start);
                    }
                });
                Ok(Flow::More)
            }
            Work::Rest(loaded, from, to) => {
                match unmatched::rows_of(spec, &loaded.built, from, to) {
                    Some(chunk) => self.prober.send(chunk, out),
                    None => Ok(Flow::More),
                }
            }
        }
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.prober.flush(out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.prober.finish(out)
    }
}
