//! Merges what the workers hold and returns the groups. The input is cut into pieces, each of which
//! one reader aggregates to its end and returns.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Reservation, Result};
use entasis_column::Chunk;
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Report, Sink, SinkState, Source};

use super::Spec;
use super::chosen::Chosen;
use super::local::{Collected, Worker, split_groups};
use super::partitions::{Partition, Partitions};
use super::scatter::{PARTITIONS, Part};
use super::spilled::{OnDisk, Pass, SpilledPartition, Writer, absorb, memory_of};
use super::table::Groups;
use crate::spill::Spiller;

/// What sink and source share.
pub struct Shared {
    /// The aggregation.
    pub spec: Spec,
    collected: Mutex<Vec<Collected>>,
    /// The shared tables; set once a worker has split its own table.
    partitions: OnceLock<Partitions>,
    /// Memory that stays counted until the result is dropped.
    reservations: Mutex<Vec<Reservation>>,
    pieces: Mutex<Arc<Pieces>>,
    /// The partitions that were written to disk.
    pub on_disk: OnDisk,
    /// The groups that a limit keeps.
    pub chosen: Chosen,
}

/// Finished groups of which several readers return some each.
type Finished = Arc<Mutex<Groups>>;

/// What all workers hold of one partition.
#[derive(Default)]
struct Piece {
    /// Groups that need no more work.
    finished: Option<(Finished, Range<usize>)>,
    /// What is on disk; it is older than the rest.
    stored: Vec<SpilledPartition>,
    pass: Pass,
    groups: Vec<Groups>,
    parts: Vec<Part>,
    /// The memory that is counted for the groups of a shared table.
    held: Option<Reservation>,
}

#[derive(Default)]
struct Pieces {
    pieces: Vec<Mutex<Option<Piece>>>,
    next: AtomicUsize,
    /// Rows that the limit still allows.
    left: AtomicU64,
    /// Rows and groups of the pieces that are finished, to predict the size of further tables.
    rows: AtomicUsize,
    groups: AtomicUsize,
}

/// The sink and the source of an aggregation.
pub fn create(spec: Spec) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let shared = Arc::new(Shared {
        chosen: Chosen::new(spec.limit),
        spec,
        collected: Mutex::default(),
        partitions: OnceLock::new(),
        reservations: Mutex::default(),
        pieces: Mutex::default(),
        on_disk: OnDisk::default(),
    });
    (Arc::new(HashSink(Arc::clone(&shared))), Arc::new(HashSource(shared)))
}

impl Shared {
    /// Takes over what a worker holds when its input ends.
    pub fn collect(&self, collected: Collected, reservation: Reservation) {
        lock(&self.collected).push(collected);
        lock(&self.reservations).push(reservation);
    }

    /// The tables by partition that all workers share.
    pub fn partitions(&self) -> &Partitions {
        self.partitions.get_or_init(|| Partitions::new(&self.spec.account))
    }

    /// Merges a worker's table into the shared tables.
    pub fn add_groups(&self, groups: Groups, ids: &mut Vec<u32>) -> Result<()> {
        let mut parts: Vec<Option<Groups>> = (0..PARTITIONS).map(|_| None).collect();
        split_groups(&self.spec, groups, |at, part| {
            parts[at] = Some(part);
            Ok(())
        })?;
        self.partitions().add(0..parts.len(), parts, |known, part| match (known, part) {
            (_, None) => Ok(()),
            (Some(known), Some(part)) => known.absorb_all(part, ids),
            (known, part) => {
                *known = part;
                Ok(())
            }
        })?;
        Ok(())
    }

    /// Combines what the workers hold into the pieces that readers process.
    fn assemble(&self) -> Result<Vec<Piece>> {
        let collected = std::mem::take(&mut *lock(&self.collected));
        let split = collected.iter().any(|c| matches!(c, Collected::Split(..)));
        let (mut whole, mut rows) = (Vec::new(), Vec::new());
        let mut stored = self.on_disk.take();
        for one in collected {
            let one = match (one, self.chosen.table()) {
                (Collected::Whole(groups), Some(chosen)) => {
                    Collected::Whole(groups.pruned(&self.spec, chosen)?)
                }
                (one, _) => one,
            };
            match one {
                // Split into 256 partitions, each would have a direct table with all possible keys.
                Collected::Whole(groups) if !stored.is_empty() && groups.table.is_direct() => {
                    self.write_table(groups)?;
                }
                Collected::Whole(groups) if !stored.is_empty() => {
                    self.add_groups(groups, &mut Vec::new())?;
                }
                Collected::Whole(groups) if split => self.add_groups(groups, &mut Vec::new())?,
                Collected::Whole(groups) => whole.push(groups),
                Collected::Split(parts) => rows.push(parts),
            }
        }
        stored.extend(self.on_disk.take());
        if self.partitions.get().is_none() && rows.is_empty() && stored.is_empty() {
            return match whole.iter().all(|groups| !groups.is_large_array()) {
                true => Ok(vec![Piece { groups: whole, ..Piece::default() }]),
                false => self.merge_arrays(whole),
            };
        }
        let partitions = self.partitions().finish();
        let mut pieces: Vec<Piece> = partitions.into_iter().map(Piece::from).collect();
        for parts in rows {
            pieces.iter_mut().zip(parts).for_each(|(piece, part)| piece.parts.push(part));
        }
        if !stored.is_empty() {
            events::one(Event::ExternalAggregationMerge);
        }
        for (at, stored) in stored {
            pieces[at].stored.push(stored);
        }
        Ok(pieces)
    }

    /// Merges tables and cuts the result into pieces for several readers.
    fn merge_arrays(&self, mut tables: Vec<Groups>) -> Result<Vec<Piece>> {
        tables.sort_by_key(|groups| groups.table.len());
        let Some(mut groups) = tables.pop() else { return Ok(Vec::new()) };
        for table in tables {
            events::one(Event::AggregationTablesMerged);
            groups.absorb_all(table, &mut Vec::new())?;
        }
        let count = groups.table.len();
        let (groups, step) = (Arc::new(Mutex::new(groups)), self.spec.max_block_size);
        let ranges = (0..count).step_by(step).map(|start| start..count.min(start + step));
        let piece =
            |rows| Piece { finished: Some((Arc::clone(&groups), rows)), ..Piece::default() };
        Ok(ranges.map(piece).collect())
    }

    fn write_table(&self, groups: Groups) -> Result<()> {
        match &self.spec.spiller {
            Some(spiller) => Writer::new(spiller).write_table(&self.spec, &self.on_disk, groups),
            None => self.add_groups(groups, &mut Vec::new()),
        }
    }
}

impl Piece {
    /// Writes what is in memory to disk too, so that each of several passes can read its share.
    fn write_rest(&mut self, spiller: &Arc<Spiller>) -> Result<()> {
        let (mut writer, to) = (Writer::new(spiller), OnDisk::default());
        for groups in self.groups.drain(..) {
            writer.write(&to, 0, Some(groups), None)?;
        }
        for part in self.parts.drain(..) {
            writer.write(&to, 0, None, Some(part))?;
        }
        writer.end_part()?;
        self.held = None;
        self.stored.extend(to.take().into_iter().map(|(_, stored)| stored));
        Ok(())
    }
}

impl From<Partition> for Piece {
    fn from(partition: Partition) -> Self {
        let groups = partition.groups.into_iter().collect();
        Self { groups, held: Some(partition.held), ..Self::default() }
    }
}

struct HashSink(Arc<Shared>);

impl Sink for HashSink {
    fn name(&self) -> String {
        "Aggregating".to_string()
    }

    fn report(&self) -> Report {
        Spiller::report_with(&self.0.spec.account, self.0.spec.spiller.as_ref())
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Worker::new(Arc::clone(&self.0))))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        self.0.spec.spiller.iter().for_each(|spiller| spiller.close());
        let pieces = self.0.assemble()?;
        *lock(&self.0.pieces) = Arc::new(Pieces {
            pieces: pieces.into_iter().map(|p| Mutex::new(Some(p))).collect(),
            left: AtomicU64::new(self.0.spec.limit.unwrap_or(u64::MAX)),
            ..Pieces::default()
        });
        Ok(())
    }
}

struct HashSource(Arc<Shared>);

impl Source for HashSource {
    fn name(&self) -> String {
        "Aggregated".to_string()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(HashReader {
            pieces: Arc::clone(&lock(&self.0.pieces)),
            shared: Arc::clone(&self.0),
            reservation: Reservation::new(&self.0.spec.account),
            current: None,
            later: None,
            hashes: Vec::new(),
            ids: Vec::new(),
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(lock(&self.0.pieces).pieces.len())
    }
}

struct HashReader {
    shared: Arc<Shared>,
    pieces: Arc<Pieces>,
    reservation: Reservation,
    current: Option<Current>,
    /// The piece of which further passes are left, with its sequence.
    later: Option<(u64, Piece)>,
    hashes: Vec<u64>,
    ids: Vec<u32>,
}

/// The piece that is being returned.
struct Current {
    groups: Finished,
    sequence: u64,
    /// The groups that are left.
    rows: Range<usize>,
}

impl HashReader {
    /// Aggregates what one pass takes of a piece that has something on disk.
    fn build_stored(&mut self, sequence: u64, mut piece: Piece) -> Result<Groups> {
        let shared = Arc::clone(&self.shared);
        let spec = &shared.spec;
        if let (0, Some(spiller)) = (piece.pass.number(), &spec.spiller) {
            let held = piece.held.as_ref().map_or(0, Reservation::bytes);
            piece.pass = Pass::first(memory_of(&piece.stored) + held, spiller.share());
            if piece.pass.is_one_of_many() {
                piece.write_rest(spiller)?;
            }
        }
        let on_disk: usize = piece.stored.iter().map(SpilledPartition::rows).sum();
        let mut groups = Groups::new(spec, self.expected(on_disk / piece.pass.count()));
        absorb(&mut groups, spec, &piece.stored, piece.pass, &mut self.reservation)?;
        for table in piece.groups.drain(..) {
            groups.absorb_all(table, &mut self.ids)?;
        }
        for part in piece.parts.drain(..) {
            groups.add_part(spec, part, &mut self.hashes, &mut self.ids)?;
        }
        let count = groups.table.len();
        groups.states.iter_mut().for_each(|states| states.resize(count));
        self.pieces.rows.fetch_add(on_disk / piece.pass.count(), Ordering::Relaxed);
        self.pieces.groups.fetch_add(count, Ordering::Relaxed);
        self.reservation.set(groups.byte_size())?;
        if let Some(pass) = piece.pass.next() {
            self.later = Some((sequence, Piece { pass, ..piece }));
        }
        Ok(groups)
    }

    /// Aggregates a piece that is in memory.
    fn build(&mut self, piece: Piece) -> Result<Groups> {
        let spec = &self.shared.spec;
        let rows: usize = piece.parts.iter().map(|p| p.rows).sum();
        let mut tables = piece.groups;
        tables.sort_by_key(|g| g.table.len());
        let mut groups = match tables.pop() {
            Some(groups) if rows == 0 || groups.table.len() * 4 > rows => groups,
            largest => {
                tables.extend(largest);
                Groups::new(spec, self.expected(rows))
            }
        };
        for table in tables {
            events::one(Event::AggregationTablesMerged);
            groups.absorb_all(table, &mut self.ids)?;
        }
        for part in piece.parts {
            groups.add_part(spec, part, &mut self.hashes, &mut self.ids)?;
        }
        let count = groups.table.len();
        for states in &mut groups.states {
            states.resize(count);
        }
        drop(piece.held);
        if rows > 0 {
            self.pieces.rows.fetch_add(rows, Ordering::Relaxed);
            self.pieces.groups.fetch_add(count, Ordering::Relaxed);
        }
        self.reservation.set(groups.byte_size())?;
        Ok(groups)
    }

    /// The probable number of groups of that many rows, by the ratio in the pieces that are
    /// finished.
    fn expected(&self, rows: usize) -> usize {
        let seen = self.pieces.rows.load(Ordering::Relaxed) as f64;
        if seen == 0.0 {
            return 0;
        }
        let ratio = self.pieces.groups.load(Ordering::Relaxed) as f64 / seen;
        (rows as f64 * ratio * 1.05).min(1e7) as usize
    }

    fn emit(&mut self) -> Result<Option<Morsel>> {
        let Some(current) = &mut self.current else { return Ok(None) };
        let spec = &self.shared.spec;
        let start = current.rows.start;
        let wanted = current.rows.len().min(spec.max_block_size) as u64;
        let rows = self.grant(wanted) as usize;
        if rows == 0 {
            self.current = None;
            return Ok(None);
        }
        let Some(current) = &mut self.current else { return Ok(None) };
        let end = start + rows;
        current.rows.start = end;
        let mut groups = lock(&current.groups);
        let mut columns = spec.layout.decode(&groups.table.key_range(start, end)?)?;
        for states in &mut groups.states {
            columns.push(states.finish(start..end)?);
        }
        drop(groups);
        events::add(Event::AggregationResultRows, rows as u64);
        let sequence = current.sequence;
        if current.rows.is_empty() {
            self.current = None;
        }
        Ok(Some(Morsel { sequence, chunk: Chunk::new(columns, rows) }))
    }

    /// How many of the wanted rows the limit still allows; takes them off the limit.
    fn grant(&self, wanted: u64) -> u64 {
        if self.shared.spec.limit.is_none() {
            return wanted;
        }
        let take = |left: u64| Some(left - wanted.min(left));
        let left = &self.pieces.left;
        match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(before) => wanted.min(before),
            Err(_) => 0,
        }
    }
}

impl Reader for HashReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some(morsel) = self.emit()? {
                return Ok(Read::Chunk(morsel));
            }
            let (sequence, piece) = match self.later.take() {
                Some(later) => later,
                None => {
                    let at = self.pieces.next.fetch_add(1, Ordering::Relaxed);
                    let Some(piece) = self.pieces.pieces.get(at) else { return Ok(Read::Done) };
                    let Some(piece) = lock(piece).take() else { continue };
                    (at as u64, piece)
                }
            };
            if let Some((groups, rows)) = piece.finished {
                self.current = Some(Current { groups, sequence, rows });
                continue;
            }
            let groups = match piece.stored.is_empty() {
                true => self.build(piece)?,
                false => self.build_stored(sequence, piece)?,
            };
            let rows = 0..groups.table.len();
            let groups = Arc::new(Mutex::new(groups));
            self.current = Some(Current { groups, sequence, rows });
        }
    }
}
