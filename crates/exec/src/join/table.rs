//! The table of a join, from keys to rows, and how it is filled by several threads.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_column::hash::join::{
    BytesPart, BytesRef, Direct, DirectPart, FixedJoin, FixedPart, Found, JoinRun, RowIds,
    join_partition,
};
use entasis_column::hash::{FixedKey, FixedTable};
use entasis_column::{Column, Strings, match_number};
use entasis_pipeline::{QueryContext, Scheduler};
use entasis_simd::hash::hash_strings;

use super::alternatives::Alternatives;
use crate::aggregate::keys::{KeyBits, Keys};
use crate::fan_out::fan_out;

/// Rows of a partition: few enough that its slots are in the second-level cache while it is filled.
const PART_ROWS: usize = if cfg!(test) { 16 } else { 1 << 15 };
const MOST_PARTS: usize = 1 << 10;
/// Rows that are sorted by partition in one go.
const GROUP_ROWS: usize = if cfg!(test) { 40 } else { 1 << 18 };
/// An array may have this many cells for each row, or this many in any case.
const CELLS_PER_ROW: u64 = 6;
const FEW_CELLS: u64 = 1 << 10;

/// The keys of one chunk.
pub struct KeyPiece {
    pub keys: Keys,
    /// The number of the chunk's first row.
    pub first: u32,
    /// The rows of the chunk that have a key; `None` if all have.
    pub picked: Option<Vec<u32>>,
}

/// The range of integer keys, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct KeyRange {
    /// The sign bit of signed keys.
    pub flip: u64,
    /// The least and the greatest key, flipped.
    pub least: u64,
    pub greatest: u64,
}

impl KeyRange {
    /// No keys yet.
    pub fn new(flip: u64) -> Self {
        Self { flip, least: u64::MAX, greatest: 0 }
    }

    pub fn add(&mut self, keys: &[u64]) {
        for key in keys {
            self.least = self.least.min(key ^ self.flip);
            self.greatest = self.greatest.max(key ^ self.flip);
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }

    /// The way to use the keys of `rows` rows as array indices, if they are dense enough.
    fn direct(&self, rows: usize) -> Option<Direct> {
        let range = self.greatest.checked_sub(self.least)?.checked_add(1)?;
        if range > (CELLS_PER_ROW * rows as u64).max(FEW_CELLS) {
            return None;
        }
        let bits = u64::BITS - (range - 1).leading_zeros();
        let shift = bits.saturating_sub(parts_for(rows).trailing_zeros());
        Some(Direct { flip: self.flip, base: self.least, range, shift })
    }
}

/// The number of partitions, a power of two.
fn parts_for(rows: usize) -> usize {
    (rows / PART_ROWS).next_power_of_two().min(MOST_PARTS)
}

/// Where the rows of each key are.
pub enum Table {
    /// No row has a key.
    Empty,
    /// Without keys every row matches.
    Cross,
    /// Rows are found by one of several lists of keys.
    Alternatives(Alternatives),
    Direct(Direct, Vec<DirectPart>),
    U64(FixedJoin<u64>),
    U128(FixedJoin<u128>),
    U256(FixedJoin<[u64; 4]>),
    Bytes(Vec<BytesPart>),
}

/// The threads that fill a table.
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    /// Without a scheduler only the calling thread works.
    pub scheduler: Option<&'a Scheduler>,
    pub context: &'a QueryContext,
}

/// A kind of table during its construction.
trait Kind: Send + Sync + 'static {
    type Run: Send + Sync + 'static;
    type Part: Send + 'static;
    fn parts(&self) -> usize;
    fn scatter(&self, pieces: Vec<KeyPiece>) -> Result<Self::Run>;
    fn rows_of(run: &Self::Run, part: usize) -> usize;
    fn fill(&self, runs: &[Self::Run], part: usize) -> Result<Self::Part>;
    fn is_unique(part: &Self::Part) -> bool;
    fn group(
        &self,
        cells: &mut Self::Part,
        runs: &[Self::Run],
        part: usize,
        base: u32,
    ) -> Result<Vec<u32>>;
}

fn ids(piece: &KeyPiece) -> RowIds<'_> {
    match &piece.picked {
        Some(picked) => RowIds::Picked(piece.first, picked),
        None => RowIds::From(piece.first),
    }
}

fn other_layout() -> Error {
    Error::logical("join keys of another layout")
}

struct OfFixed<K> {
    parts: usize,
    slice: fn(&Keys) -> Option<&[K]>,
}

impl<K: FixedKey> Kind for OfFixed<K> {
    type Run = JoinRun<K>;
    type Part = FixedPart<K>;

    fn parts(&self) -> usize {
        self.parts
    }

    fn scatter(&self, pieces: Vec<KeyPiece>) -> Result<Self::Run> {
        let bits = self.parts.trailing_zeros();
        let lists: Vec<(&[K], RowIds<'_>)> = pieces
            .iter()
            .map(|piece| Ok(((self.slice)(&piece.keys).ok_or_else(other_layout)?, ids(piece))))
            .collect::<Result<_>>()?;
        JoinRun::scatter(lists.iter().copied(), self.parts, |key| join_partition(key.hash(), bits))
    }

    fn rows_of(run: &Self::Run, part: usize) -> usize {
        run.rows_of(part)
    }

    fn fill(&self, runs: &[Self::Run], part: usize) -> Result<Self::Part> {
        FixedPart::fill(runs, part)
    }

    fn is_unique(part: &Self::Part) -> bool {
        part.is_unique()
    }

    fn group(
        &self,
        cells: &mut Self::Part,
        runs: &[Self::Run],
        part: usize,
        base: u32,
    ) -> Result<Vec<u32>> {
        cells.group(runs, part, base)
    }
}

struct OfDirect(Direct);

impl Kind for OfDirect {
    type Run = JoinRun<u64>;
    type Part = DirectPart;

    fn parts(&self) -> usize {
        self.0.parts()
    }

    fn scatter(&self, pieces: Vec<KeyPiece>) -> Result<Self::Run> {
        let lists: Vec<(&[u64], RowIds<'_>)> = pieces
            .iter()
            .map(|piece| Ok((words(&piece.keys).ok_or_else(other_layout)?, ids(piece))))
            .collect::<Result<_>>()?;
        JoinRun::scatter(lists.iter().copied(), self.parts(), |key| self.0.part_of(*key))
    }

    fn rows_of(run: &Self::Run, part: usize) -> usize {
        run.rows_of(part)
    }

    fn fill(&self, runs: &[Self::Run], part: usize) -> Result<Self::Part> {
        self.0.fill(runs, part)
    }

    fn is_unique(part: &Self::Part) -> bool {
        part.is_unique()
    }

    fn group(
        &self,
        cells: &mut Self::Part,
        runs: &[Self::Run],
        part: usize,
        base: u32,
    ) -> Result<Vec<u32>> {
        self.0.group(cells, runs, part, base)
    }
}

struct OfBytes {
    parts: usize,
}

impl Kind for OfBytes {
    type Run = (JoinRun<BytesRef>, Vec<Strings>);
    type Part = BytesPart;

    fn parts(&self) -> usize {
        self.parts
    }

    fn scatter(&self, pieces: Vec<KeyPiece>) -> Result<Self::Run> {
        let bits = self.parts.trailing_zeros();
        let (mut hashes, mut lists) = (Vec::new(), Vec::with_capacity(pieces.len()));
        let mut refs: Vec<Vec<BytesRef>> = Vec::with_capacity(pieces.len());
        for (list, piece) in (0..).zip(&pieces) {
            let Keys::Bytes(strings) = &piece.keys else { return Err(other_layout()) };
            hashes.resize(strings.len(), 0);
            hash_strings(strings.offsets(), strings.data(), 0, &mut hashes);
            let of = hashes.iter().zip(0..).map(|(&hash, at)| BytesRef { hash, list, at });
            refs.push(of.collect());
            lists.push(strings.clone());
        }
        let chunks = refs.iter().zip(&pieces).map(|(refs, piece)| (&refs[..], ids(piece)));
        let run = JoinRun::scatter(chunks, self.parts, |key| join_partition(key.hash, bits))?;
        Ok((run, lists))
    }

    fn rows_of(run: &Self::Run, part: usize) -> usize {
        run.0.rows_of(part)
    }

    fn fill(&self, runs: &[Self::Run], part: usize) -> Result<Self::Part> {
        BytesPart::fill(runs, part)
    }

    fn is_unique(part: &Self::Part) -> bool {
        part.is_unique()
    }

    fn group(
        &self,
        cells: &mut Self::Part,
        runs: &[Self::Run],
        part: usize,
        base: u32,
    ) -> Result<Vec<u32>> {
        cells.group(runs, part, base)
    }
}

/// The pieces that are sorted by partition together.
fn groups(pieces: &[KeyPiece], rows_of: impl Fn(&KeyPiece) -> usize) -> Vec<Range<usize>> {
    let (mut groups, mut start, mut rows) = (Vec::new(), 0, 0);
    for (at, piece) in pieces.iter().enumerate() {
        rows += rows_of(piece);
        if rows >= GROUP_ROWS || at + 1 == pieces.len() {
            groups.push(start..at + 1);
            (start, rows) = (at + 1, 0);
        }
    }
    groups
}

/// Calls `make` for every number below `count`, on all workers, and returns what it made.
pub fn make_all<T: Send + 'static>(
    workers: Workers<'_>,
    count: usize,
    make: impl Fn(usize) -> Result<T> + Send + Sync + 'static,
) -> Result<Vec<T>> {
    let made: Arc<Vec<Mutex<Option<T>>>> = Arc::new((0..count).map(|_| Mutex::default()).collect());
    let into = Arc::clone(&made);
    fan_out(workers.scheduler, workers.context, count, move |at| {
        *lock(&into[at]) = Some(make(at)?);
        Ok(())
    })?;
    let taken = made.iter().map(|made| lock(made).take());
    taken.map(|made| made.ok_or_else(|| Error::logical("a piece of a join is missing"))).collect()
}

/// Fills the partitions. Returns also the rows by key; empty if all keys are unique.
fn assemble<T: Kind>(
    kind: T,
    pieces: Vec<KeyPiece>,
    workers: Workers<'_>,
) -> Result<(Vec<T::Part>, Vec<u32>)> {
    let kind = Arc::new(kind);
    let ranges = groups(&pieces, |piece| piece.keys.len());
    let mut pieces = pieces.into_iter();
    let batches: Vec<Mutex<Vec<KeyPiece>>> =
        ranges.iter().map(|r| Mutex::new(pieces.by_ref().take(r.len()).collect())).collect();
    let sorting = Arc::clone(&kind);
    let runs = make_all(workers, batches.len(), move |at| {
        sorting.scatter(std::mem::take(&mut *lock(&batches[at])))
    })?;
    let runs: Arc<Vec<T::Run>> = Arc::new(runs);
    let (filling, of) = (Arc::clone(&kind), Arc::clone(&runs));
    let mut parts = make_all(workers, kind.parts(), move |part| filling.fill(&of, part))?;
    if parts.iter().all(T::is_unique) {
        return Ok((parts, Vec::new()));
    }
    let mut base = 0;
    let mut bases = Vec::with_capacity(parts.len());
    for part in 0..parts.len() {
        bases.push(base);
        base += runs.iter().map(|run| T::rows_of(run, part)).sum::<usize>() as u32;
    }
    let slots: Vec<Mutex<Option<T::Part>>> =
        parts.drain(..).map(|part| Mutex::new(Some(part))).collect();
    let grouped = make_all(workers, slots.len(), move |at| {
        let mut part = lock(&slots[at]).take().ok_or_else(other_layout)?;
        let order = kind.group(&mut part, &runs, at, bases[at])?;
        Ok((part, order))
    })?;
    let (parts, orders): (Vec<T::Part>, Vec<Vec<u32>>) = grouped.into_iter().unzip();
    Ok((parts, orders.concat()))
}

/// The keys as words, if they have at most eight bytes each.
fn words(keys: &Keys) -> Option<&[u64]> {
    if let Keys::U64(keys) = keys { Some(keys) } else { None }
}

fn fixed<K: FixedKey>(
    slice: fn(&Keys) -> Option<&[K]>,
    pieces: Vec<KeyPiece>,
    rows: usize,
    workers: Workers<'_>,
) -> Result<(FixedJoin<K>, Vec<u32>)> {
    let (parts, order) = assemble(OfFixed { parts: parts_for(rows), slice }, pieces, workers)?;
    Ok((FixedJoin::of(parts), order))
}

/// A table and the rows in the order of its keys.
pub struct Filled {
    pub table: Table,
    /// Empty if every key has one row.
    pub order: Vec<u32>,
}

impl Table {
    /// Fills a table with the keys of all pieces, which are in source order. `range` is the range
    /// of keys of at most eight bytes.
    pub fn fill(pieces: Vec<KeyPiece>, range: KeyRange, workers: Workers<'_>) -> Result<Filled> {
        let rows: usize = pieces.iter().map(|piece| piece.keys.len()).sum();
        let Some(first) = pieces.iter().find(|piece| piece.keys.len() > 0) else {
            return Ok(Filled { table: Self::Empty, order: Vec::new() });
        };
        let (table, order) = match &first.keys {
            Keys::U16(_) => return Err(other_layout()),
            Keys::U64(_) => match range.direct(rows) {
                Some(direct) => {
                    let (parts, order) = assemble(OfDirect(direct), pieces, workers)?;
                    (Self::Direct(direct, parts), order)
                }
                None => {
                    let (table, order) = fixed(words, pieces, rows, workers)?;
                    (Self::U64(table), order)
                }
            },
            Keys::U128(_) => {
                let slice: fn(&Keys) -> Option<&[u128]> =
                    |keys| if let Keys::U128(keys) = keys { Some(keys) } else { None };
                let (table, order) = fixed(slice, pieces, rows, workers)?;
                (Self::U128(table), order)
            }
            Keys::U256(_) => {
                let slice: fn(&Keys) -> Option<&[[u64; 4]]> =
                    |keys| if let Keys::U256(keys) = keys { Some(keys) } else { None };
                let (table, order) = fixed(slice, pieces, rows, workers)?;
                (Self::U256(table), order)
            }
            Keys::Bytes(_) => {
                let kind = OfBytes { parts: parts_for(rows) };
                let (parts, order) = assemble(kind, pieces, workers)?;
                (Self::Bytes(parts), order)
            }
        };
        Ok(Filled { table, order })
    }

    /// Looks up a single key that is an array index, without encoding it first. Returns whether
    /// that is possible.
    pub fn find_direct(&self, column: &Column, counts: bool, found: &mut Found) -> bool {
        let Self::Direct(direct, parts) = self else { return false };
        match_number!(column, values => {
            let keys = values.iter().map(|value| value.to_bits64());
            match counts {
                true => direct.find_grouped(parts, keys, found),
                false => direct.find_unique(parts, keys, found),
            }
            true
        }, _ => false)
    }

    /// Looks up keys. Counts are only filled in if some key has several rows (`counts`).
    pub fn find(
        &self,
        keys: &Keys,
        counts: bool,
        hashes: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<()> {
        fn all<K: FixedKey>(
            table: &FixedJoin<K>,
            keys: &[K],
            (counts, hashes): (bool, &mut Vec<u64>),
            found: &mut Found,
        ) {
            FixedTable::hash_all(keys, hashes);
            table.find_all(keys, hashes, counts, found);
        }
        match (self, keys) {
            (Self::Direct(direct, parts), Keys::U64(keys)) => {
                let keys = keys.iter().copied();
                match counts {
                    true => direct.find_grouped(parts, keys, found),
                    false => direct.find_unique(parts, keys, found),
                }
            }
            (Self::U64(table), Keys::U64(keys)) => all(table, keys, (counts, hashes), found),
            (Self::U128(table), Keys::U128(keys)) => all(table, keys, (counts, hashes), found),
            (Self::U256(table), Keys::U256(keys)) => all(table, keys, (counts, hashes), found),
            (Self::Bytes(parts), Keys::Bytes(strings)) => {
                keys.hash_all(hashes);
                BytesPart::find_all(parts, strings, hashes, counts, found);
            }
            _ => return Err(other_layout()),
        }
        Ok(())
    }

    /// Calls `act` for the start and the count of every key, if some key has several rows.
    pub fn each_key(&self, mut act: impl FnMut(u32, u32)) {
        match self {
            Self::Empty | Self::Cross | Self::Alternatives(_) => {}
            Self::Direct(_, parts) => parts.iter().for_each(|part| part.each_key(&mut act)),
            Self::U64(table) => table.each_key(act),
            Self::U128(table) => table.each_key(act),
            Self::U256(table) => table.each_key(act),
            Self::Bytes(parts) => parts.iter().for_each(|part| part.each_key(&mut act)),
        }
    }

    pub fn byte_size(&self) -> usize {
        match self {
            Self::Empty | Self::Cross => 0,
            Self::Alternatives(alternatives) => alternatives.byte_size(),
            Self::Direct(_, parts) => parts.iter().map(DirectPart::byte_size).sum(),
            Self::U64(table) => table.byte_size(),
            Self::U128(table) => table.byte_size(),
            Self::U256(table) => table.byte_size(),
            Self::Bytes(parts) => parts.iter().map(BytesPart::byte_size).sum(),
        }
    }
}
