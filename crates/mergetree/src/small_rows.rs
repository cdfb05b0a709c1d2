//! Commits the rows of small INSERTs, which become parts in memory ([`crate::in_memory`]).
//!
//! INSERTs into one table that come while another one is being committed wait. The first of them
//! then leads: it writes the rows of all that wait as one segment per partition, and commits them
//! with one record.
//!
//! Invariant: every INSERT that waits is told what became of its rows, once.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, Result};
use entasis_pipeline::DerivedOnInsert;
use entasis_table_api::Outcome;

use crate::insert::buffers::Buffer;
use crate::insert::write_segment;
use crate::log::record::{Op, PartSummary};
use crate::merge::Place;
use crate::schema::SchemaVersion;
use crate::table::TableCore;

/// An INSERT waits for others at most this share of the time of a commit,
const WAIT_SHARE: u32 = 4;
/// and never longer than this.
const LONGEST_WAIT: Duration = Duration::from_millis(2);
/// Most bytes of rows that one INSERT writes for others.
const MOST_TOGETHER: usize = 4 << 20;

/// Rows that are to become parts in memory: those of one INSERT, by partition.
pub(crate) struct SmallRows {
    pub(crate) buffers: Vec<Buffer>,
    /// Whether rows with equal keys are folded at once.
    pub(crate) fold: bool,
    /// What is derived from the rows.
    pub(crate) derived: DerivedOnInsert,
}

impl SmallRows {
    /// Encodes the rows.
    pub(crate) fn write(
        &mut self,
        table: &Arc<TableCore>,
        schema: &SchemaVersion,
    ) -> Result<Vec<PartSummary>> {
        let mut parts = Vec::with_capacity(self.buffers.len());
        for buffer in self.buffers.drain(..) {
            let place = (Place::Memory, &self.derived);
            parts.extend(write_segment(table, schema, buffer, self.fold, place)?);
        }
        Ok(parts)
    }
}

/// The commits of small INSERTs into a table.
#[derive(Debug, Default)]
pub(crate) struct Commits {
    queue: Mutex<Queue>,
    /// An INSERT has come while another one waits for more.
    arrived: Signal,
}

/// INSERTs that wait to be committed.
#[derive(Default)]
struct Queue {
    waiting: Vec<Waiting>,
    /// Whether an INSERT writes the rows of others.
    is_led: bool,
    /// How many INSERTs were under way at the end of the last commit, and how long it took.
    last: (usize, Duration),
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({})", self.waiting.len())
    }
}

struct Waiting {
    rows: SmallRows,
    schema: Arc<SchemaVersion>,
    began: Instant,
    asked: Asked,
}

/// What the thread of an INSERT is told while it waits.
enum Told {
    /// Write the rows of all that wait.
    Lead,
    /// The rows were written, or could not be.
    Done(Result<()>),
    /// The rows could not be written together: write these alone, so that an error meets only the
    /// INSERT that it belongs to.
    Alone(SmallRows),
}

/// Where the thread of an INSERT waits. Each has its own, so that nobody is woken for nothing.
#[derive(Default)]
struct Ticket {
    told: Mutex<Option<Told>>,
    changed: Signal,
}

impl Ticket {
    fn tell(&self, what: Told) {
        *lock(&self.told) = Some(what);
        self.changed.notify_all();
    }

    fn wait(&self) -> Told {
        let mut told = lock(&self.told);
        loop {
            if let Some(what) = told.take() {
                return what;
            }
            told = self.changed.wait(told);
        }
    }
}

/// The side of a ticket that tells. If it is dropped without a word, the INSERT fails.
struct Asked(Arc<Ticket>);

impl Drop for Asked {
    fn drop(&mut self) {
        if Arc::strong_count(&self.0) > 1 {
            let failed = || Error::logical("An INSERT that wrote the rows of others has failed");
            lock(&self.0.told).get_or_insert_with(|| Told::Done(Err(failed())));
            self.0.changed.notify_all();
        }
    }
}

/// Commits the rows of a small INSERT, perhaps with those of others.
pub(crate) fn commit_small(
    table: &Arc<TableCore>,
    schema: &Arc<SchemaVersion>,
    rows: SmallRows,
    began: Instant,
) -> Result<Outcome> {
    if rows.buffers.is_empty() {
        return Ok(Outcome::Committed);
    }
    let (commits, ticket) = (&table.memory.commits, Arc::new(Ticket::default()));
    let asked = Asked(Arc::clone(&ticket));
    let mine = Waiting { rows, schema: Arc::clone(schema), began, asked };
    let is_led = {
        let mut queue = lock(&commits.queue);
        queue.waiting.push(mine);
        std::mem::replace(&mut queue.is_led, true)
    };
    let mut told = Told::Lead;
    if is_led {
        commits.arrived.notify_all();
        told = ticket.wait();
    }
    if matches!(told, Told::Lead) {
        lead(table);
        // The rows of the one that leads are the first, so they were written.
        told = ticket.wait();
    }
    match told {
        Told::Done(done) => done?,
        Told::Alone(rows) => commit_parts(table, schema, rows, began)?,
        Told::Lead => return Err(Error::logical("An INSERT that leads is asked to lead again")),
    }
    Ok(Outcome::Committed)
}

/// Writes the rows of INSERTs that wait, and hands the lead on.
fn lead(table: &Arc<TableCore>) {
    let _lead = Lead(table);
    let commits = &table.memory.commits;
    let mut queue = wait_for_others(commits, lock(&commits.queue));
    let batch = first_of(&mut queue.waiting);
    drop(queue);
    let (count, begins) = (batch.len(), Instant::now());
    commit_together(table, batch);
    let mut queue = lock(&commits.queue);
    queue.last = (count + queue.waiting.len(), begins.elapsed());
}

/// Waits for a moment if more INSERTs are likely to come: those that were answered last send their
/// next rows at once, and without them every sync would serve half of the clients only.
fn wait_for_others<'a>(
    commits: &'a Commits,
    mut queue: MutexGuard<'a, Queue>,
) -> MutexGuard<'a, Queue> {
    let (wanted, took) = queue.last;
    let until = Instant::now() + (took / WAIT_SHARE).min(LONGEST_WAIT);
    while queue.waiting.len() < wanted
        && let Some(left) = until.checked_duration_since(Instant::now())
    {
        queue = commits.arrived.wait_timeout(queue, left);
    }
    queue
}

/// The lead of an INSERT. When it ends, the next INSERT that waits gets it.
struct Lead<'a>(&'a TableCore);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut queue = lock(&self.0.memory.commits.queue);
        match queue.waiting.first() {
            Some(next) => next.asked.0.tell(Told::Lead),
            None => queue.is_led = false,
        }
    }
}

/// Takes the INSERTs that are written now: the first one with all that have the same schema.
fn first_of(waiting: &mut Vec<Waiting>) -> Vec<Waiting> {
    let Some(first) = waiting.first() else { return Vec::new() };
    let mut bytes = 0;
    let goes_along = |next: &&Waiting| {
        bytes += next.rows.buffers.iter().map(|buffer| buffer.bytes).sum::<usize>();
        let alike = Arc::ptr_eq(&first.schema, &next.schema)
            && first.rows.fold == next.rows.fold
            && first.rows.derived == next.rows.derived;
        std::ptr::eq(*next, first) || alike && bytes <= MOST_TOGETHER
    };
    let end = waiting.iter().take_while(goes_along).count();
    waiting.drain(..end).collect()
}

/// Commits the rows of several INSERTs in one part per partition, and answers each of them.
fn commit_together(table: &Arc<TableCore>, batch: Vec<Waiting>) {
    let Some(first) = batch.first() else { return };
    let (schema, fold, began) = (Arc::clone(&first.schema), first.rows.fold, first.began);
    let derived = first.rows.derived.clone();
    if batch.len() == 1 {
        for Waiting { rows, asked, .. } in batch {
            asked.0.tell(Told::Done(commit_parts(table, &schema, rows, began)));
        }
        return;
    }
    let mut together: Vec<Buffer> = Vec::new();
    for buffer in batch.iter().flat_map(|waiting| &waiting.rows.buffers) {
        match together.iter_mut().find(|known| known.partition.id == buffer.partition.id) {
            Some(known) => {
                known.chunks.extend(buffer.chunks.iter().cloned());
                known.rows += buffer.rows;
                known.bytes += buffer.bytes;
            }
            None => together.push(buffer.clone()),
        }
    }
    let parts = SmallRows { buffers: together, fold, derived }.write(table, &schema);
    let done = parts.map(|parts| add_parts(table, &schema, parts, began));
    for Waiting { rows, asked, .. } in batch {
        asked.0.tell(match &done {
            Ok(Ok(())) => Told::Done(Ok(())),
            Ok(Err(e)) => Told::Done(Err(e.duplicate())),
            Err(_) => Told::Alone(rows),
        });
    }
}

fn commit_parts(
    table: &Arc<TableCore>,
    schema: &SchemaVersion,
    mut rows: SmallRows,
    began: Instant,
) -> Result<()> {
    let parts = rows.write(table, schema)?;
    add_parts(table, schema, parts, began)
}

fn add_parts(
    table: &Arc<TableCore>,
    schema: &SchemaVersion,
    parts: Vec<PartSummary>,
    began: Instant,
) -> Result<()> {
    let id = table.id();
    let bytes: Vec<u64> = parts.iter().map(PartSummary::memory_bytes).collect();
    let committed = table.core.commit(began, |state| {
        table.check_writer(schema)?;
        let next = state.table(id)?.next_block;
        let numbered = parts.into_iter().zip(next..).map(|(part, block)| {
            let part = PartSummary { min_block: block, max_block: block, ..part };
            Op::AddPart { table: id, part }
        });
        Ok(numbered.collect())
    });
    committed.map_err(Error::from)?;
    events::add(Event::InsertedParts, bytes.len() as u64);
    table.added_in_memory(&bytes);
    Ok(())
}
