//! Spilling: operators write rows to temporary files when memory runs short, and read them back
//! later.
//!
//! An operator that can spill has a [`Spiller`], which decides when to spill ([`Spiller::excess`])
//! and counts what is spilled. Each of its workers has a [`SpillFile`], to which only this worker
//! appends, so writing needs no locks. A [`Spilled`] is a list of blocks of such a file that belong
//! together. A block is a serialised chunk ([`wire`]) in a block of bytes ([`block`]): compressed,
//! with a checksum.
//!
//! All operators of a statement share one [`Budget`], which says which of them spills.
//!
//! Invariants: the files have no name ([`Temporary`]), so none outlives the statement; every block
//! is verified when it is read; the query is checked before every block.

mod budget;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::events::gauge::{self, Gauge, Held};
use entasis_base::events::{self, Event};
use entasis_base::{Error, MemoryAccount, Result, codes, scope};
use entasis_codec::{Compression, block};
use entasis_column::{Chunk, wire};
use entasis_disk::{ReadFile, Temporary, WriteFile};
use entasis_pipeline::Report;

pub use budget::Budget;
use budget::Member;

/// Bytes that a block should have before compression: enough for good compression and disk access,
/// but few enough to hold one block of each of many runs in memory.
pub const BLOCK_BYTES: usize = 256 << 10;

/// The minimum size of a part grows by this many bytes with every part, up to `MOST_LEAST_PART`.
const PART_GROWTH: u64 = 4 << 10;
const MOST_LEAST_PART: u64 = 1 << 20;

/// Number of sorted runs that are merged at once; one block of each is in memory.
pub const MOST_WAYS: usize = 128;
/// As many runs are merged at once however little memory there is.
const LEAST_WAYS: u64 = 8;

/// The rules and limits by which a statement spills.
#[derive(Debug)]
pub struct Spill {
    /// Where temporary files are created.
    pub temporary: Arc<Temporary>,
    /// How blocks are compressed.
    pub compression: Compression,
    /// When GROUP BY spills.
    pub group_by: Threshold,
    /// When ORDER BY spills.
    pub sort: Threshold,
    /// When DISTINCT spills.
    pub distinct: Threshold,
    /// The operators that share the statement's memory.
    pub budget: Budget,
    /// When JOIN spills.
    pub join: JoinLimits,
    /// Number of sorted runs that are merged at once; at least 2.
    pub most_ways: usize,
    /// The most bytes that the statement may write to temporary files; 0 means no limit.
    pub most: u64,
    /// Bytes that must stay free on the disk.
    pub keep_free: u64,
    /// Bytes that the statement has written so far.
    pub written: AtomicU64,
}

impl Spill {
    /// Rules by which nothing is ever spilled.
    pub fn never() -> Arc<Self> {
        Arc::new(Self {
            temporary: Arc::new(Temporary::system()),
            compression: Compression::Auto,
            group_by: Threshold::NEVER,
            sort: Threshold::NEVER,
            distinct: Threshold::NEVER,
            budget: Budget::default(),
            join: JoinLimits::NEVER,
            most_ways: MOST_WAYS,
            most: 0,
            keep_free: 0,
            written: AtomicU64::new(0),
        })
    }

    /// Counts bytes that are about to be written. Fails if they exceed the limits.
    fn claim(&self, bytes: usize) -> Result<()> {
        let written = self.written.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if self.most > 0 && written > self.most {
            let message = format!(
                "Limit for temporary files size exceeded: the statement would have written \
                 {written} bytes of them, maximum {}. Raise \
                 max_temporary_data_on_disk_size_for_query, or give it more memory",
                self.most
            );
            return Err(Error::new(codes::TOO_MANY_ROWS_OR_BYTES, message));
        }
        if self.keep_free > 0 {
            let free = self.temporary.free_space()?;
            if free < self.keep_free.saturating_add(bytes as u64) {
                let message = format!(
                    "Not enough space for temporary files: {free} bytes are free, \
                     min_free_disk_space_for_temporary_data keeps {}",
                    self.keep_free
                );
                return Err(Error::new(codes::NOT_ENOUGH_SPACE, message));
            }
        }
        Ok(())
    }
}

/// Bytes beyond which an operator spills; either figure is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// Bytes that the operator holds.
    pub operator: u64,
    /// Bytes that the whole statement may hold if no other statement holds anything. What others
    /// hold lowers it ([`MemoryAccount::room`]). The operator spills only if its own share is
    /// significant.
    pub statement: u64,
}

impl Threshold {
    /// A threshold that is never reached.
    pub const NEVER: Self = Self { operator: u64::MAX, statement: u64::MAX };
}

/// What one JOIN may hold in memory of its right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinLimits {
    /// When it spills.
    pub threshold: Threshold,
    /// The most rows.
    pub rows: u64,
    /// Only one of so many parts of the rows is kept in any case.
    pub buckets: u64,
}

impl JoinLimits {
    /// Limits that are never reached.
    pub const NEVER: Self = Self { threshold: Threshold::NEVER, rows: u64::MAX, buckets: 1 };
}

/// The kind of operator that spills; it selects the threshold and the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpillingOperator {
    /// GROUP BY.
    Aggregation,
    /// ORDER BY, and other operators that sort rows on disk.
    Sort,
    /// DISTINCT.
    Distinct,
    /// JOIN.
    Join,
}

impl SpillingOperator {
    fn gauge(self) -> Gauge {
        match self {
            Self::Aggregation => Gauge::TemporaryFilesForAggregation,
            Self::Sort => Gauge::TemporaryFilesForSort,
            Self::Distinct => Gauge::TemporaryFilesForDistinct,
            Self::Join => Gauge::TemporaryFilesForJoin,
        }
    }

    /// The events for parts, bytes on disk, and bytes before compression.
    fn events(self) -> [Event; 3] {
        match self {
            Self::Aggregation => [
                Event::ExternalAggregationWritePart,
                Event::ExternalAggregationCompressedBytes,
                Event::ExternalAggregationUncompressedBytes,
            ],
            Self::Sort => [
                Event::ExternalSortWritePart,
                Event::ExternalSortCompressedBytes,
                Event::ExternalSortUncompressedBytes,
            ],
            Self::Distinct => [
                Event::ExternalDistinctWritePart,
                Event::ExternalDistinctCompressedBytes,
                Event::ExternalDistinctUncompressedBytes,
            ],
            Self::Join => [
                Event::ExternalJoinWritePart,
                Event::ExternalJoinCompressedBytes,
                Event::ExternalJoinUncompressedBytes,
            ],
        }
    }
}

/// What the workers of an operator that can spill share.
#[derive(Debug)]
pub struct Spiller {
    spill: Arc<Spill>,
    kind: SpillingOperator,
    threshold: Threshold,
    /// The share of the room below the memory limits at which the statement spills; 0 without such
    /// limits.
    ratio: f64,
    account: Arc<MemoryAccount>,
    member: Arc<Member>,
    workers: u64,
    parts: AtomicU64,
    bytes: AtomicU64,
}

impl Spiller {
    /// The spiller of an operator that counts on `account`; `None` if the operator never spills.
    pub fn new(
        spill: &Arc<Spill>,
        kind: SpillingOperator,
        account: &Arc<MemoryAccount>,
        workers: usize,
    ) -> Option<Self> {
        let threshold = match kind {
            SpillingOperator::Aggregation => spill.group_by,
            SpillingOperator::Sort => spill.sort,
            SpillingOperator::Distinct => spill.distinct,
            SpillingOperator::Join => spill.join.threshold,
        };
        (threshold != Threshold::NEVER)
            .then(|| Self::with(spill, kind, threshold, account, workers))
    }

    /// A spiller with the given threshold.
    pub fn with(
        spill: &Arc<Spill>,
        kind: SpillingOperator,
        threshold: Threshold,
        account: &Arc<MemoryAccount>,
        workers: usize,
    ) -> Self {
        let limit = account.least_limit().filter(|_| threshold.statement < u64::MAX);
        Self {
            spill: Arc::clone(spill),
            kind,
            threshold,
            ratio: limit.map_or(0.0, |limit| threshold.statement as f64 / limit as f64),
            account: Arc::clone(account),
            member: spill.budget.join(account),
            workers: workers.max(1) as u64,
            parts: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    /// How many bytes to spill so that usage falls to half the threshold; 0 if the threshold is not
    /// reached, or if it is the turn of another operator. `own` is what the caller could spill,
    /// `more` is what it is about to add.
    ///
    /// A part must be worth writing: at least an eighth of a worker's share of the threshold, and
    /// more the more parts there are, so that a very low threshold does not make a part of every
    /// chunk.
    pub fn excess(&self, own: usize, more: usize) -> usize {
        let own = own as u64;
        let parts = self.parts.load(Ordering::Relaxed);
        let least = (parts * PART_GROWTH).min(MOST_LEAST_PART);
        let (of_statement, room) = self.of_statement();
        let least_threshold = self.threshold.operator.min(of_statement);
        if own == 0 || own < least.max(least_threshold / (8 * self.workers)) {
            return 0;
        }
        let over = |used: u64, threshold: u64| {
            let used = used.saturating_add(more as u64);
            if used > threshold { used - threshold / 2 } else { 0 }
        };
        let operator = over(self.account.used(), self.threshold.operator);
        let used = self.account.parent().map_or(0, |statement| statement.used());
        let statement = over(used, of_statement);
        // Half of what is left beyond the threshold is there for the operators that hold most.
        let patient = used < u64::midpoint(of_statement, room.max(of_statement));
        if operator == 0 && statement > 0 && patient && self.spill.budget.waits(&self.member) {
            return 0;
        }
        operator.max(statement) as usize
    }

    /// Whether so many bytes are far from the threshold.
    pub fn has_room(&self, bytes: u64) -> bool {
        bytes <= self.threshold.operator.min(self.of_statement().0)
    }

    /// The threshold of the whole statement, and its room, given what other statements hold now.
    fn of_statement(&self) -> (u64, u64) {
        let most = self.threshold.statement;
        let room = self.account.parent().and_then(|statement| statement.room());
        match room.filter(|_| self.ratio > 0.0) {
            Some(room) => (most.min((room as f64 * self.ratio) as u64), room),
            None => (most, most),
        }
    }

    /// Says that no worker will ask for the [`Self::excess`] again.
    pub fn close(&self) {
        self.member.close();
    }

    /// Number of sorted runs that are merged at once, so that a block of each takes at most about
    /// half of the statement's threshold.
    pub fn most_ways(&self) -> usize {
        let blocks = self.of_statement().0 / (4 * BLOCK_BYTES as u64);
        self.spill.most_ways.min(blocks.max(LEAST_WAYS) as usize)
    }

    /// The most bytes that a worker which reads spilled rows should hold.
    pub fn share(&self) -> usize {
        (self.threshold.operator.min(self.of_statement().0) / (2 * self.workers)) as usize
    }

    /// Creates the temporary file of one worker.
    pub fn file(self: &Arc<Self>) -> Result<SpillFile> {
        let file = self.spill.temporary.create()?;
        events::one(Event::ExternalProcessingFilesTotal);
        Ok(SpillFile {
            spiller: Arc::clone(self),
            writer: file.writer,
            file: Arc::new(Opened {
                path: file.path,
                reader: file.reader,
                _counted: gauge::hold(self.kind.gauge()),
            }),
            raw: Vec::new(),
            packed: Vec::new(),
        })
    }

    /// The most memory that an operator held, and what it spilled, for EXPLAIN ANALYZE.
    pub fn report_with(account: &MemoryAccount, spiller: Option<&Arc<Self>>) -> Report {
        let mut report = vec![("memory_bytes", account.peak())];
        report.extend(Self::report(spiller));
        report
    }

    /// Parts and bytes that were spilled, for EXPLAIN ANALYZE; empty without a spiller.
    pub fn report(spiller: Option<&Arc<Self>>) -> Report {
        let Some(spiller) = spiller else { return Report::new() };
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        vec![("spilled_parts", load(&spiller.parts)), ("spilled_bytes", load(&spiller.bytes))]
    }
}

#[derive(Debug)]
struct Opened {
    path: String,
    reader: Arc<dyn ReadFile>,
    _counted: Held,
}

/// A worker's temporary file.
#[derive(Debug)]
pub struct SpillFile {
    spiller: Arc<Spiller>,
    writer: Box<dyn WriteFile>,
    file: Arc<Opened>,
    raw: Vec<u8>,
    packed: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    offset: u64,
    stored: u32,
    raw: u32,
    rows: u32,
}

/// Chunks in a file, in the order in which they were written.
#[derive(Debug)]
pub struct Spilled {
    file: Arc<Opened>,
    blocks: Vec<Block>,
}

impl SpillFile {
    /// An empty list of blocks, which [`Self::write`] extends.
    pub fn begin(&self) -> Spilled {
        Spilled { file: Arc::clone(&self.file), blocks: Vec::new() }
    }

    /// Appends a chunk to the file, and its block to `spilled`.
    pub fn write(&mut self, chunk: &Chunk, spilled: &mut Spilled) -> Result<()> {
        scope::check()?;
        self.raw.clear();
        self.packed.clear();
        wire::write_chunk(chunk, &mut self.raw);
        block::encode_bytes(&self.raw, self.spiller.spill.compression, &mut self.packed)?;
        self.spiller.spill.claim(self.packed.len())?;
        let offset = self.writer.len();
        self.writer.write_all(&self.packed)?;
        let (stored, raw) = (self.packed.len() as u64, self.raw.len() as u64);
        spilled.blocks.push(Block {
            offset,
            stored: stored as u32,
            raw: raw as u32,
            rows: chunk.rows as u32,
        });
        let [_, on_disk, before] = self.spiller.kind.events();
        events::add(on_disk, stored);
        events::add(before, raw);
        events::add(Event::ExternalProcessingCompressedBytesTotal, stored);
        events::add(Event::ExternalProcessingUncompressedBytesTotal, raw);
        self.spiller.bytes.fetch_add(stored, Ordering::Relaxed);
        // A chunk of very large values must not leave very large buffers behind.
        if self.raw.capacity() > 8 * BLOCK_BYTES {
            (self.raw, self.packed) = (Vec::new(), Vec::new());
        }
        Ok(())
    }

    /// Ends a part and makes everything written readable. Must be called before anything is read.
    pub fn end_part(&mut self) -> Result<()> {
        self.spiller.parts.fetch_add(1, Ordering::Relaxed);
        events::one(self.spiller.kind.events()[0]);
        self.writer.flush()
    }
}

impl Spilled {
    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Bytes before compression, which is about what the rows take in memory.
    pub fn raw_bytes(&self) -> usize {
        self.blocks.iter().map(|b| b.raw as usize).sum()
    }

    /// Number of rows of all chunks.
    pub fn rows(&self) -> usize {
        self.blocks.iter().map(|b| b.rows as usize).sum()
    }

    /// Reads chunk `i`.
    pub fn read(&self, i: usize) -> Result<Chunk> {
        scope::check()?;
        let block = self.blocks[i];
        let mut packed = Vec::new();
        self.file.reader.read_range_into(block.offset, block.stored as usize, &mut packed)?;
        let mut raw = Vec::new();
        block::decode_bytes(&packed, block.raw as usize, &mut raw)
            .and_then(|()| wire::read_chunk(&raw))
            .map_err(|e| {
                let path = &self.file.path;
                e.context(format!("In the temporary file `{path}` at {}", block.offset))
            })
    }
}

#[cfg(test)]
mod tests {
    use entasis_base::{CancelToken, events::Counters, scope::Scope};
    use entasis_column::Column;
    use entasis_disk::MemoryDisk;

    use super::*;
    use crate::testing::spill;

    fn spiller(bytes: u64, statement: u64) -> (Arc<Spiller>, Arc<MemoryAccount>) {
        let root = MemoryAccount::root("query", 0);
        let account = root.child("Sorting", 0);
        let spill = spill(bytes, Arc::new(MemoryDisk::new()));
        let mut spiller = Spiller::new(&spill, SpillingOperator::Sort, &account, 2).unwrap();
        spiller.threshold.statement = statement;
        (Arc::new(spiller), root)
    }

    /// A file that returns one wrong bit.
    #[derive(Debug)]
    struct Damaged(Arc<dyn ReadFile>, u64);

    impl ReadFile for Damaged {
        fn len(&self) -> u64 {
            self.0.len()
        }
        fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
            self.0.read_exact_at(offset, buffer)?;
            if let Some(byte) = buffer.get_mut((self.1.wrapping_sub(offset)) as usize) {
                *byte ^= 4;
            }
            Ok(())
        }
    }

    fn chunk(first: u64) -> Chunk {
        let numbers: Vec<u64> = (first..first + 500).map(|i| i * i).collect();
        Chunk::new(vec![Column::from(numbers)], 500)
    }

    #[test]
    fn a_damaged_block_is_an_error_that_names_the_file() {
        let (spiller, _account) = spiller(1, u64::MAX);
        let mut file = spiller.file().unwrap();
        let mut spilled = file.begin();
        for i in 0..3 {
            file.write(&chunk(i), &mut spilled).unwrap();
        }
        file.end_part().unwrap();
        let second = spilled.blocks[1];
        assert_eq!(spilled.read(1).unwrap().columns[0].value(3), chunk(1).columns[0].value(3));
        for at in (0..u64::from(second.stored)).step_by(7) {
            let reader = Arc::new(Damaged(Arc::clone(&file.file.reader), second.offset + at));
            let path = file.file.path.clone();
            let counted = gauge::hold(Gauge::TemporaryFilesForSort);
            let blocks = spilled.blocks.clone();
            let damaged =
                Spilled { file: Arc::new(Opened { path, reader, _counted: counted }), blocks };
            let error = damaged.read(1).unwrap_err();
            assert!(error.message().contains("tmp/"), "{error}");
            assert!(damaged.read(0).is_ok() && damaged.read(2).is_ok());
        }
    }

    #[test]
    fn a_statement_that_was_stopped_neither_writes_nor_reads() {
        let (spiller, account) = spiller(1, u64::MAX);
        let mut file = spiller.file().unwrap();
        let mut spilled = file.begin();
        file.write(&chunk(0), &mut spilled).unwrap();
        file.end_part().unwrap();
        let cancel = CancelToken::new();
        cancel.cancel();
        Scope::new(&cancel, &account, &Counters::start("test", "")).run(|| {
            assert!(file.write(&chunk(0), &mut spilled).is_err());
            assert!(spilled.read(0).is_err());
        });
        assert!(spilled.read(0).is_ok());
    }

    #[test]
    fn what_is_over_the_threshold_is_freed_down_to_half_of_it() {
        let (spiller, root) = spiller(1000, 4000);
        assert_eq!(spiller.excess(1000, 0), 0, "nothing is counted");
        spiller.account.reserve(900).unwrap();
        assert_eq!([spiller.excess(900, 100), spiller.excess(900, 101)], [0, 501]);
        assert_eq!(spiller.excess(60, 101), 0, "a small part is not worth it");
        root.reserve(3200).unwrap();
        assert_eq!(spiller.excess(900, 0), 2100, "others of the statement count as well");
        assert_eq!(spiller.share(), 250);
    }

    /// Spillers of three operators of a statement with a limit of 1000, which spill at 500.
    fn three(user: &Arc<MemoryAccount>) -> (Arc<MemoryAccount>, [Spiller; 3]) {
        let query = user.child("query", 1000);
        let mut rules = Spill::never();
        if let Some(spill) = Arc::get_mut(&mut rules) {
            spill.sort = Threshold { operator: u64::MAX, statement: 500 };
        }
        let one = |name: &str| {
            Spiller::new(&rules, SpillingOperator::Sort, &query.child(name, 0), 1).unwrap()
        };
        let all = [one("a"), one("b"), one("c")];
        (query, all)
    }

    #[test]
    fn the_operator_that_holds_most_spills_first() {
        let (_query, [a, b, c]) = three(&MemoryAccount::root("user", 0));
        let all = || [a.excess(100, 0), b.excess(100, 0), c.excess(100, 0)];
        a.account.reserve(100).unwrap();
        b.account.reserve(150).unwrap();
        assert_eq!(all(), [0, 0, 0]);
        c.account.reserve(350).unwrap();
        assert_eq!(all(), [0, 0, 350], "the others hold less than half as much");
        b.account.reserve(30).unwrap();
        assert_eq!(all(), [0, 380, 380]);
        a.account.reserve(121).unwrap();
        assert_eq!(all(), [501, 501, 501], "nobody waits beyond 750");
        a.account.release(121);
        c.close();
        assert_eq!(all(), [380, 380, 380], "an operator whose workers have ended cannot spill");
    }

    #[test]
    fn others_lower_the_threshold_of_a_statement() {
        let server = MemoryAccount::root("server", 2000);
        let (_query, [a, ..]) = three(&server);
        a.account.reserve(300).unwrap();
        assert_eq!((a.excess(300, 0), a.share()), (0, 250));
        let other = server.child("query", 0);
        other.reserve(1500).unwrap();
        assert_eq!((a.excess(300, 0), a.share()), (300 - 125, 125), "500 are left for it");
        other.reserve(200).unwrap();
        assert_eq!((a.excess(300, 0), a.share()), (300 - 75, 75));
        other.release(1700);
        assert_eq!(a.excess(300, 0), 0);
    }
}
