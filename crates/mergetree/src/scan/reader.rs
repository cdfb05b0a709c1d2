//! The reader of a scan, one per worker.

use std::collections::VecDeque;
use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::{Bitmap, Chunk, Column, Mask};
use entasis_expr::Predicate;
use entasis_pipeline::{Morsel, Read, Reader};

use super::runtime_bounds::{self, is_beyond};
use super::selected::PartScan;
use super::values::PartColumns;
use super::{Scan, Task};
use crate::fill::{Origin, addresses, computed, converted, patched};
use crate::part_columns::row_numbers;
use crate::prune::Picked;
use crate::segment::subcolumn::{PartReader, Wanted};
use crate::segment::{ColumnMeta, Mode, Segment, manifest::Span, stats};

/// A granule with fewer passing rows is combined with the next granules of the same morsel.
const SMALL_ROWS: usize = 2048;
/// Most bytes that are read ahead: few enough to be in the second-level cache when decoded.
const READ_AHEAD: u64 = 256 << 10;
/// Blocks of a subcolumn are read together with the bytes between them if those are at most this
/// many, because a second read would take longer.
const NEAR: u64 = 16 << 10;

/// Bytes of adjacent granules of one column that were read together.
#[derive(Default)]
pub(super) struct Ahead {
    buffer: Vec<u8>,
    /// The range of the file that `buffer` holds.
    span: Span,
    /// In how many granules the column was needed, and out of how many: reading ahead pays if most
    /// granules need it.
    needed: u32,
    seen: u32,
}

impl Ahead {
    /// Counts a granule, and whether the column was needed.
    pub(super) fn count(&mut self, needed: bool) {
        self.seen += 1;
        self.needed += u32::from(needed);
    }

    fn pays(&self) -> bool {
        self.needed * 2 >= self.seen
    }

    fn holds(&self, wanted: Span) -> Option<usize> {
        self.span.holds(wanted).then(|| (wanted.offset - self.span.offset) as usize)
    }
}

pub(super) struct ScanReader {
    scan: Arc<Scan>,
    predicate: Predicate,
    task: Option<(u64, Task)>,
    /// The part that `ahead` belongs to.
    part: Option<usize>,
    ahead: Vec<Ahead>,
    /// Columns of the current granule, by place in `spec.columns`.
    cache: Vec<Option<Column>>,
    small: Vec<Chunk>,
    ready: VecDeque<Morsel>,
}

impl ScanReader {
    pub(super) fn new(scan: Arc<Scan>) -> Result<Self> {
        let selected = &scan.prepared()?.selected;
        let (predicate, columns) = (selected.predicate.clone(), selected.width);
        let mut ahead: Vec<Ahead> = (0..columns).map(|_| Ahead::default()).collect();
        if !scan.spec.filter.is_empty() {
            // The first guess is that later columns are needed for few granules.
            let first = predicate.inputs().first().copied();
            for (i, ahead) in ahead.iter_mut().enumerate() {
                ahead.seen = u32::from(Some(i) != first);
            }
        }
        Ok(Self {
            scan,
            predicate,
            task: None,
            part: None,
            ahead,
            cache: vec![None; columns],
            small: Vec::new(),
            ready: VecDeque::new(),
        })
    }

    /// Works until a chunk is ready; `false` if nothing is left.
    fn advance(&mut self) -> Result<bool> {
        let scan = Arc::clone(&self.scan);
        let prepared = scan.prepared()?;
        loop {
            let Some((sequence, task)) = self.task.take() else {
                let Some(next) = scan.next_task(prepared) else { return Ok(false) };
                if self.part != Some(next.1.part) {
                    // The offsets now refer to another file.
                    self.ahead.iter_mut().for_each(|a| a.span = Span::default());
                    self.part = Some(next.1.part);
                }
                self.task = Some(next);
                continue;
            };
            let part = &prepared.selected.parts[task.part];
            let Some(at) = task.picked.clone().next() else { continue };
            scan.context.cancel.check()?;
            let rest = at + 1..task.picked.end;
            let picked = &part.granules[at..task.picked.end];
            let chunk = self.granule(&scan, part, picked)?;
            let done = rest.is_empty() || scan.has_enough();
            if let Some(chunk) = chunk {
                self.add(chunk, sequence, &scan);
            }
            if done {
                self.flush(sequence, &scan);
            } else {
                self.task = Some((sequence, Task { part: task.part, picked: rest }));
            }
            if !self.ready.is_empty() {
                return Ok(true);
            }
        }
    }

    /// The passing rows of the first granule of `picked`; the others may be read ahead.
    fn granule(
        &mut self,
        scan: &Scan,
        part: &PartScan,
        picked: &[Picked],
    ) -> Result<Option<Chunk>> {
        let columns = &part.columns;
        let granule = picked[0].granule as usize;
        let rows = columns.layers.rows(granule)?;
        if is_beyond(scan, columns, granule)? {
            events::one(Event::RuntimeFilterGranulesDropped);
            return Ok(None);
        }
        self.cache.fill(None);
        let Self { predicate, cache, ahead, .. } = self;
        let mut fetcher = Fetcher { columns, picked, rows, cache, ahead };
        let mut mask: Option<Mask> = None;
        if !picked[0].passes && !predicate.is_empty() {
            mask = Some(part.mask(predicate, (granule, rows), &mut |at| fetcher.fetch(at))?);
        }
        let mask = runtime_bounds::within(scan, mask, &mut fetcher)?;
        if mask.is_some() {
            events::add(Event::RowsReadByPrewhereReaders, rows as u64);
        }
        let mask = mask.filter(|m| !m.all());
        let count = mask.as_ref().map_or(rows, Bitmap::count_ones);
        let mut out = Vec::with_capacity(scan.outputs.len());
        if count > 0 {
            events::add(Event::RowsReadByMainReader, rows as u64);
            for &at in &scan.outputs {
                let column = fetcher.fetch(at)?;
                out.push(match &mask {
                    Some(mask) => fetcher.compact(at, column.filter(mask)),
                    None => column,
                });
            }
        }
        let mut bytes = 0;
        for (column, ahead) in self.cache.iter().zip(&mut self.ahead) {
            ahead.count(column.is_some());
            if let Some(column) = column {
                bytes += stats::raw_bytes(column);
            }
        }
        events::one(Event::GranulesRead);
        events::add(Event::MergeTreeRowsRead, rows as u64);
        events::add(Event::MergeTreeBytesRead, bytes);
        events::add(Event::MergeTreeRowsPassed, count as u64);
        if count == 0 {
            events::one(Event::GranulesWithoutRows);
        }
        scan.context.progress.add_read(rows as u64, bytes)?;
        Ok((count > 0).then(|| Chunk::new(out, count)))
    }

    /// Takes the rows of a granule: as a chunk of its own, or to be combined with others.
    fn add(&mut self, chunk: Chunk, sequence: u64, scan: &Scan) {
        let small = chunk.rows < SMALL_ROWS;
        if !small {
            self.flush(sequence, scan);
        }
        self.small.push(chunk);
        if !small || self.small.iter().map(|c| c.rows).sum::<usize>() >= SMALL_ROWS * 2 {
            self.flush(sequence, scan);
        }
    }

    /// Makes the collected rows ready, in chunks of the wanted size.
    fn flush(&mut self, sequence: u64, scan: &Scan) {
        if self.small.is_empty() {
            return;
        }
        let mut chunk = Chunk::concat(&self.small);
        self.small.clear();
        if let Some(limit) = scan.spec.limit {
            use std::sync::atomic::Ordering::Relaxed;
            let before = scan.emitted.fetch_add(chunk.rows as u64, Relaxed);
            let rows = (chunk.rows as u64).min(limit.saturating_sub(before)) as usize;
            if rows == 0 {
                return;
            }
            chunk = chunk.slice(0, rows);
        }
        let most = scan.context.max_block_size.max(1);
        let mut start = 0;
        while start < chunk.rows {
            let rows = most.min(chunk.rows - start);
            let part = if rows == chunk.rows { chunk.clone() } else { chunk.slice(start, rows) };
            self.ready.push_back(Morsel { sequence, chunk: part });
            start += rows;
        }
    }
}

impl Reader for ScanReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some(morsel) = self.ready.pop_front() {
                return Ok(Read::Chunk(morsel));
            }
            if !self.advance()? {
                return Ok(Read::Done);
            }
        }
    }
}

/// Reads the columns of one granule.
pub(super) struct Fetcher<'a> {
    pub(super) columns: &'a PartColumns,
    /// The current granule, and those that follow in the morsel.
    pub(super) picked: &'a [Picked],
    pub(super) rows: usize,
    pub(super) cache: &'a mut [Option<Column>],
    pub(super) ahead: &'a mut [Ahead],
}

impl Fetcher<'_> {
    /// Expands a granule's own dictionary if few rows are left, so that operators do not process
    /// values that no row has. The segment's dictionary is kept, since it serves many granules.
    fn compact(&self, at: usize, column: Column) -> Column {
        match &column {
            Column::Dict(d)
                if d.codes.len() < d.dictionary.values.len()
                    && !self.columns.is_segment_dictionary(at, &d.dictionary) =>
            {
                column.full()
            }
            _ => column,
        }
    }

    pub(super) fn fetch(&mut self, at: usize) -> Result<Column> {
        if let Some(column) = &self.cache[at] {
            return Ok(column.clone());
        }
        let columns = self.columns;
        let whole = columns.whole(at).and_then(|whole| self.cache[whole].as_ref());
        if let Some(whole) = whole {
            return columns.part_of(at, whole.clone());
        }
        let granule = self.picked[0].granule as usize;
        let column = match &columns.origins[at] {
            Origin::Stored { segment, place, convert } => {
                let stored = self.stored(at, segment, *place)?;
                let stored = columns.layers.only_existing(granule, stored)?;
                match columns.part(at) {
                    Some(_) => stored,
                    None => columns.part_of(at, converted(convert.as_deref(), stored)?)?,
                }
            }
            Origin::Patched { segment, place, convert, patches } => {
                let stored = self.stored(at, segment, *place)?;
                let stored = converted(convert.as_deref(), stored)?;
                let values = patched(patches, granule, stored)?;
                columns.part_of(at, columns.layers.only_existing(granule, values)?)?
            }
            Origin::Address(part) => {
                let all = addresses(*part, &columns.layers.base, granule);
                columns.layers.only_existing(granule, all)?
            }
            Origin::Constant { value, .. } => {
                events::one(Event::ColumnGranulesWithoutBlocks);
                Column::constant(columns.part_of(at, value.clone())?, self.rows)
            }
            Origin::RowNumber { in_granule } => {
                let base = &columns.layers.base;
                let rows = base.granules[granule] as usize;
                let all = row_numbers(base, granule, rows, *in_granule);
                columns.layers.only_existing(granule, all)?
            }
            Origin::Computed { program, inputs } => {
                let inputs = inputs.iter().map(|&input| self.fetch(input));
                let inputs = inputs.collect::<Result<_>>()?;
                columns.part_of(at, computed(program, inputs, self.rows)?)?
            }
        };
        self.cache[at] = Some(column.clone());
        Ok(column)
    }

    /// The values of a segment's column at `place`, for all stored rows of the granule.
    fn stored(&mut self, at: usize, segment: &Segment, place: usize) -> Result<Column> {
        let (meta, granule) = (segment.meta(place)?, self.picked[0].granule as usize);
        let rows = segment.granules[granule] as usize;
        if meta.mode == Mode::Constant {
            events::one(Event::ColumnGranulesWithoutBlocks);
            let value = self.columns.values(at, segment, place)?.values.clone();
            let value = match self.columns.part(at) {
                Some(part) => part.of_whole(&value)?,
                None => value,
            };
            return Ok(Column::constant(value, rows));
        }
        let dictionary = match meta.mode {
            Mode::Dictionary => Some(self.columns.values(at, segment, place)?),
            _ => None,
        };
        let Some(&wanted) = meta.granules.get(granule) else {
            return segment.decode(place, granule, &[], dictionary);
        };
        events::one(Event::ColumnGranulesDecoded);
        let Some(part) = self.columns.part(at) else {
            let bytes = self.bytes(at, segment, wanted, 0, &|next| Some(meta.granules[next]))?;
            return segment.decode(place, granule, bytes, dictionary);
        };
        if let Wanted::Streams(blocks) = part.wanted(granule, wanted) {
            return self.read_streams(at, (segment, place), part, &blocks, meta);
        }
        let bytes = self.bytes(at, segment, wanted, 0, &|next| Some(meta.granules[next]))?;
        let of_blocks = part.of_blocks(bytes, rows);
        match of_blocks.map_err(|e| segment.granule_fault(e, place, granule))? {
            Some(column) => Ok(column),
            None => part.of_whole(&segment.decode(place, granule, bytes, dictionary)?),
        }
    }

    /// Reads a subcolumn from the blocks that it needs. Blocks that are near to each other are read
    /// together, with the bytes between them.
    fn read_streams(
        &mut self,
        at: usize,
        (segment, place): (&Segment, usize),
        part: &PartReader,
        blocks: &[Span],
        meta: &ColumnMeta,
    ) -> Result<Column> {
        let granule = self.picked[0].granule as usize;
        let rows = segment.granules[granule] as usize;
        let runs = runs(blocks);
        let next = |next: usize| match part.wanted(next, meta.granules[next]) {
            Wanted::Streams(blocks) => Some(hull(&blocks)),
            Wanted::Whole => None,
        };
        let mut scattered = Vec::new();
        let mut found: Vec<&[u8]> = Vec::with_capacity(blocks.len());
        if let [run] = runs[..] {
            let bytes = self.bytes(at, segment, run, NEAR, &next)?;
            found.extend(blocks.iter().map(|block| within(bytes, run, *block)));
        } else {
            for run in &runs {
                let mut bytes = Vec::new();
                segment.read_span(*run, &mut bytes)?;
                scattered.push((*run, bytes));
            }
            for block in blocks {
                let holder = scattered.iter().find(|(run, _)| run.holds(*block));
                found.extend(holder.map(|(run, bytes)| within(bytes, *run, *block)));
            }
        }
        let column = part.of_streams(&found, rows);
        column.map_err(|e| segment.granule_fault(e, place, granule))
    }

    /// The bytes of a column for the granule: from what was read ahead, or read now, together with
    /// the spans of later granules (from `next`) that begin at most `gap` bytes behind.
    fn bytes(
        &mut self,
        at: usize,
        segment: &Segment,
        wanted: Span,
        gap: u64,
        next: &dyn Fn(usize) -> Option<Span>,
    ) -> Result<&[u8]> {
        let ahead = &mut self.ahead[at];
        let start = match ahead.holds(wanted) {
            Some(start) => {
                events::one(Event::ReadAheadHits);
                start
            }
            None => {
                events::one(Event::ReadAheadMisses);
                let mut span = wanted;
                let more = if ahead.pays() { &self.picked[1..] } else { &[] };
                for picked in more {
                    let Some(next) = next(picked.granule as usize) else { break };
                    let end = span.offset + span.len;
                    let is_near = next.offset >= end && next.offset - end <= gap;
                    let len = (next.offset + next.len).saturating_sub(span.offset);
                    if !is_near || len > READ_AHEAD {
                        break;
                    }
                    span.len = len;
                }
                ahead.span = Span::default();
                segment.read_span(span, &mut ahead.buffer)?;
                ahead.span = span;
                0
            }
        };
        Ok(&ahead.buffer[start..start + wanted.len as usize])
    }
}

/// Groups blocks that are near to each other into spans.
fn runs(blocks: &[Span]) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    for block in blocks {
        match runs.last_mut() {
            Some(run) if block.offset - (run.offset + run.len) <= NEAR => {
                run.len = block.offset + block.len - run.offset;
            }
            _ => runs.push(*block),
        }
    }
    runs
}

/// The span from the first of these blocks to the last.
fn hull(blocks: &[Span]) -> Span {
    let (first, last) = (blocks[0], blocks[blocks.len() - 1]);
    Span { offset: first.offset, len: last.offset + last.len - first.offset }
}

/// The bytes of a block within those of the span that was read.
fn within(bytes: &[u8], run: Span, block: Span) -> &[u8] {
    let start = (block.offset - run.offset) as usize;
    &bytes[start..start + block.len as usize]
}
