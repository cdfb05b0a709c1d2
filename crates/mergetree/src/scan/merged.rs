//! A scan in key order: goes through the parts side by side, by ranges of the key
//! ([`super::ranges`]). It serves FINAL, where rows with equal keys are folded, and queries that
//! want rows in order.
//!
//! A reader holds one granule of each part in its range. If only one part has rows in a range,
//! these rows are not merged.

mod cursor;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result};
use entasis_column::subcolumn::subcolumn;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Predicate};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Report, Source};
use entasis_table_api::{ScanColumn, ScanSpec};
use entasis_types::SubcolumnPath;

use self::cursor::{Batch, Cursor, Work};
use super::ranges::{Areas, Range};
use super::reader::{Ahead, Fetcher};
use super::selected::{PartScan, Selected};
use crate::interleave::{Run, interleave, picked_runs};
use crate::merge::fold::{Groups, MergeAlgorithm, Purpose};
use crate::merge::order::{Head, Next, Order};
use crate::part::Part;
use crate::schema::{SchemaVersion, evaluate};
use crate::segment::stats;
use crate::sort;
use crate::table::TableSnapshot;

struct Prepared {
    selected: Selected,
    areas: Areas,
}

struct Shared {
    pinned: TableSnapshot,
    /// The query's columns, followed by those that the key and the folding need.
    spec: ScanSpec,
    context: QueryContext,
    /// The output columns: places in `spec.columns`, and the subcolumn to take after merging.
    outputs: Vec<(usize, SubcolumnPath)>,
    /// Places in `spec.columns` of the columns that are kept for every granule.
    kept: Vec<usize>,
    /// Positions of the stored columns that the key reads.
    key: Vec<usize>,
    /// The number of leading sorting key columns by which rows are ordered.
    key_len: usize,
    merging: Option<Arc<MergeAlgorithm>>,
    prepared: OnceLock<Result<Prepared>>,
    next: AtomicUsize,
    emitted: AtomicU64,
}

/// Creates a source of the rows of `spec` in key order, or folded by key.
pub(super) fn source(
    pinned: TableSnapshot,
    spec: &ScanSpec,
    outputs: Vec<usize>,
    context: &QueryContext,
) -> Arc<dyn Source> {
    let schema = &pinned.schema;
    let merging = schema.config.merging.as_ref().filter(|_| spec.final_ && schema.folds());
    let merging = merging.map(|merging| merging.at(pinned.now()));
    let key_len = if merging.is_some() { schema.config.order_by.len() } else { spec.sorted_prefix };
    let mut spec = spec.clone();
    let outputs: Vec<(usize, SubcolumnPath)> = outputs
        .into_iter()
        .map(|place| match &spec.columns[place] {
            // Whole values are merged; the subcolumn is taken afterwards.
            column if merging.is_some() && !column.path.is_whole() => {
                let (position, path) = (column.position, column.path.clone());
                (place_of(&mut spec, position), path)
            }
            _ => (place, SubcolumnPath::default()),
        })
        .collect();
    let mut kept: Vec<usize> = outputs.iter().map(|(place, _)| *place).collect();
    let key = schema.key_columns(key_len);
    let mut needed = key.clone();
    if let Some(merging) = &merging {
        let positions = |place: &usize| spec.columns[*place].position;
        let folded: Vec<usize> = kept.iter().map(positions).chain(merging.deciding()).collect();
        needed.extend(folded.into_iter().flat_map(|position| merging.read_for(position)));
    }
    for position in needed {
        kept.push(place_of(&mut spec, position));
    }
    kept.sort_unstable();
    kept.dedup();
    Arc::new(MergedSource(Arc::new(Shared {
        pinned,
        spec,
        context: context.clone(),
        outputs,
        kept,
        key,
        key_len,
        merging,
        prepared: OnceLock::new(),
        next: AtomicUsize::new(0),
        emitted: AtomicU64::new(0),
    })))
}

/// The place of a whole column in `spec.columns`; the column is added if it is missing.
fn place_of(spec: &mut ScanSpec, position: usize) -> usize {
    let known = spec.columns.iter().position(|c| c.whole_position() == Some(position));
    known.unwrap_or_else(|| {
        // An id that the query does not use.
        let id = ColumnId(u32::MAX - spec.columns.len() as u32);
        spec.columns.push(ScanColumn::whole(id, position));
        spec.columns.len() - 1
    })
}

impl Shared {
    fn prepared(&self) -> Result<&Prepared> {
        self.prepared.get_or_init(|| self.prepare()).as_ref().map_err(Error::duplicate)
    }

    fn prepare(&self) -> Result<Prepared> {
        let selected = Selected::new(&self.pinned, &self.spec, &self.context)?;
        let mut cut = self.key_len.min(self.pinned.schema.config.ascending_primary_key());
        if self.spec.sorted_prefix > 0 {
            cut = cut.min(self.spec.sorted_prefix);
        }
        cut = cut.min(self.group_key().unwrap_or(cut));
        let areas = self.areas(&selected.parts);
        let areas = Areas::new(&selected.parts, areas, cut, self.context.max_threads)?;
        Ok(Prepared { selected, areas })
    }

    /// The parts of each area, which are neighbours in the version.
    fn areas(&self, parts: &[PartScan]) -> Vec<std::ops::Range<usize>> {
        if !self.spec.final_by_partition || self.spec.sorted_prefix > 0 {
            return std::iter::once(0..parts.len()).collect();
        }
        let mut start = 0;
        let groups = parts.chunk_by(|a, b| a.part.summary.partition == b.part.summary.partition);
        let of = |group: &[PartScan]| {
            start += group.len();
            start - group.len()..start
        };
        groups.map(of).collect()
    }

    /// See [`MergeAlgorithm::group_key`].
    fn group_key(&self) -> Option<usize> {
        self.merging.as_ref().and_then(|merging| merging.group_key())
    }

    /// The first rows of groups whose rows are equal in `len` expressions of the sorting key.
    fn group_starts(
        &self,
        len: usize,
        column: &dyn Fn(usize) -> Result<Column>,
        rows: usize,
    ) -> Result<Vec<u32>> {
        let exprs = &self.pinned.schema.config.order_by[..len];
        let read = SchemaVersion::read_by(exprs);
        let columns = read.iter().map(|at| column(*at)).collect::<Result<_>>()?;
        let keys = evaluate(exprs, &read, &Chunk::new(columns, rows))?;
        Ok(sort::group_starts(&keys, None, rows))
    }

    /// Whether rows of a part within a range need not be searched for equal keys.
    fn is_unique(&self, part: &Part) -> bool {
        self.merging.is_none() || self.pinned.schema.holds_no_key_twice(part)
    }

    fn head(&self, keys: Option<Vec<Column>>, rows: usize) -> Head {
        let head = |keys| Head::new(keys, rows, &self.pinned.schema.config.descending);
        keys.map_or_else(Head::default, head)
    }

    fn has_enough(&self) -> bool {
        let is_full = |limit| self.emitted.load(Ordering::Relaxed) >= limit;
        self.spec.limit.is_some_and(is_full) || self.context.progress.is_over()
    }

    /// The place in `spec.columns` of a stored column.
    fn place(&self, position: usize) -> Option<usize> {
        self.spec.columns.iter().position(|c| c.whole_position() == Some(position))
    }

    /// The key of a granule's rows, computed from the columns that are kept.
    fn keys(&self, batch: &Batch) -> Result<Vec<Column>> {
        let column = |position: &usize| {
            let missing = || Error::logical("A scan in key order lacks a column of the key");
            let place = self.place(*position);
            place.and_then(|place| batch.columns[place].clone()).ok_or_else(missing)
        };
        let columns: Vec<Column> = self.key.iter().map(column).collect::<Result<_>>()?;
        let exprs = &self.pinned.schema.config.order_by[..self.key_len];
        evaluate(exprs, &self.key, &Chunk::new(columns, batch.rows))
    }
}

struct MergedReader {
    shared: Arc<Shared>,
    predicate: Predicate,
    work: Option<Work>,
    /// The collected output rows: batches, runs of their rows, first rows of groups.
    sources: Vec<Batch>,
    runs: Vec<Run>,
    starts: Vec<u32>,
    rows: usize,
    ready: VecDeque<Morsel>,
}

impl MergedReader {
    /// Works until a chunk is ready; `false` if nothing is left.
    fn advance(&mut self) -> Result<bool> {
        let shared = Arc::clone(&self.shared);
        let prepared = shared.prepared()?;
        while self.ready.is_empty() {
            shared.context.cancel.check()?;
            let Some(mut work) = self.work.take() else {
                if shared.has_enough() {
                    return Ok(false);
                }
                let sequence = shared.next.fetch_add(1, Ordering::Relaxed);
                let Some((area, range)) = prepared.areas.ranges.get(sequence) else {
                    return Ok(false);
                };
                let work = self.open(&shared, prepared, (*area, range), sequence as u64)?;
                self.work = Some(work);
                continue;
            };
            if self.step(&shared, prepared, &mut work)? && !shared.has_enough() {
                self.work = Some(work);
            } else {
                self.emit(&shared, &mut work)?;
            }
        }
        Ok(true)
    }

    fn open(
        &mut self,
        shared: &Shared,
        prepared: &Prepared,
        (area, range): (usize, &Range),
        sequence: u64,
    ) -> Result<Work> {
        let number = (area, range.number);
        let width = prepared.selected.width;
        let cursor = |(part, left): &(usize, std::ops::Range<usize>)| Cursor {
            part: *part,
            is_unique: shared.is_unique(&prepared.selected.parts[*part].part),
            left: left.clone(),
            cache: vec![None; width],
            ahead: (0..width).map(|_| Ahead::default()).collect(),
            batch: Batch::default(),
            slot: None,
        };
        let mut cursors: Vec<Cursor> = range.parts.iter().map(cursor).collect();
        let mut order = None;
        if cursors.len() > 1 || cursors.iter().any(|cursor| !cursor.is_unique) {
            let mut heads = Vec::with_capacity(cursors.len());
            for cursor in &mut cursors {
                let keys = self.load(shared, prepared, number, cursor, true)?;
                heads.push(shared.head(keys, cursor.batch.rows));
            }
            order = Some(Order::new(heads));
        }
        Ok(Work { number, sequence, cursors, order })
    }

    /// Takes the next rows, up to the end of a granule; `false` at the end of the range.
    fn step(&mut self, shared: &Shared, prepared: &Prepared, work: &mut Work) -> Result<bool> {
        let Some(order) = &mut work.order else {
            let Some(cursor) = work.cursors.first_mut() else { return Ok(false) };
            if self.load(shared, prepared, work.number, cursor, false)?.is_none() {
                return Ok(false);
            }
            let end = cursor.batch.rows;
            self.add(cursor, Next { input: 0, start: 0, end, new_key: true }, None);
            self.emit(shared, work)?;
            return Ok(true);
        };
        // Groups that are longer than a key end with the range.
        let ends_with_key = shared.group_key().is_none();
        while let Some(next) = order.pop() {
            let may_end = next.new_key && ends_with_key || shared.merging.is_none();
            if may_end && self.rows >= shared.context.max_block_size {
                self.emit_rows(shared, work.sequence)?;
                work.cursors.iter_mut().for_each(|c| c.slot = None);
            }
            let cursor = &mut work.cursors[next.input];
            let head = &order.heads[next.input];
            self.add(cursor, next, Some(head).filter(|_| !cursor.is_unique));
            if order.is_used_up(next.input) {
                if let Some(keys) = self.load(shared, prepared, work.number, cursor, true)? {
                    order.refill(next.input, shared.head(Some(keys), cursor.batch.rows));
                    order.put_back(next.input);
                }
                return Ok(true);
            }
            order.put_back(next.input);
        }
        Ok(false)
    }

    /// Collects rows of a part. With `head`, which holds their keys, the part may hold a key twice.
    fn add(&mut self, cursor: &mut Cursor, next: Next, head: Option<&Head>) {
        let slot = *cursor.slot.get_or_insert_with(|| {
            self.sources.push(cursor.batch.clone());
            self.sources.len() - 1
        });
        let len = next.end - next.start;
        self.runs.push(Run { column: slot, start: next.start, len });
        if self.shared.merging.is_some() {
            if next.new_key {
                self.starts.push(self.rows as u32);
            }
            for row in next.start + 1..next.end {
                if head.is_none_or(|head| head.begins_key(row)) {
                    self.starts.push((self.rows + row - next.start) as u32);
                }
            }
        }
        self.rows += len;
    }

    /// Loads the next granule of a part that has rows in the range, with its keys; `None` at the
    /// end. The keys may be omitted unless `keyed`.
    fn load(
        &mut self,
        shared: &Shared,
        prepared: &Prepared,
        (area, number): (usize, usize),
        cursor: &mut Cursor,
        keyed: bool,
    ) -> Result<Option<Vec<Column>>> {
        let bounds = &prepared.areas.bounds[area];
        let part = &prepared.selected.parts[cursor.part];
        cursor.slot = None;
        loop {
            let Some(place) = cursor.left.next() else {
                cursor.batch = Batch::default();
                return Ok(None);
            };
            shared.context.cancel.check()?;
            let picked = &part.granules[place..cursor.left.end];
            let granule = picked[0].granule as usize;
            let rows = part.columns.layers.rows(granule)?;
            cursor.cache.fill(None);
            let Cursor { cache, ahead, .. } = cursor;
            let mut fetcher = Fetcher { columns: &part.columns, picked, rows, cache, ahead };
            let mut mask = None;
            if !picked[0].passes && !self.predicate.is_empty() {
                mask = Some(self.predicate.mask_with(rows, &mut |at| fetcher.fetch(at))?);
            }
            let mask = mask.filter(|m| !m.all());
            let mut batch = Batch {
                columns: vec![None; shared.spec.columns.len()],
                rows: mask.as_ref().map_or(rows, |m| m.count_ones()),
            };
            if batch.rows > 0 {
                for &at in &shared.kept {
                    let column = fetcher.fetch(at)?;
                    batch.columns[at] = Some(match &mask {
                        Some(mask) => column.filter(mask),
                        None => column,
                    });
                }
            }
            let bytes = cursor.cache.iter().flatten().map(stats::raw_bytes).sum();
            let index = part.columns.layers.base.index()?;
            let counted = !bounds.begins_before(number, index, granule);
            shared.context.progress.add_read(if counted { rows as u64 } else { 0 }, bytes)?;
            for (column, ahead) in cursor.cache.iter().zip(&mut cursor.ahead) {
                ahead.count(column.is_some());
            }
            let mut keys = Vec::new();
            if batch.rows > 0 && (keyed || !bounds.is_whole()) {
                keys = shared.keys(&batch)?;
                let (start, end) = bounds.rows(number, &keys, batch.rows);
                if (start, end) != (0, batch.rows) {
                    keys.iter_mut().for_each(|k| *k = k.slice(start, end - start));
                }
                batch.slice(start, end);
            }
            if batch.rows > 0 {
                cursor.batch = batch;
                return Ok(Some(keys));
            }
        }
    }

    fn emit(&mut self, shared: &Shared, work: &mut Work) -> Result<()> {
        self.emit_rows(shared, work.sequence)?;
        work.cursors.iter_mut().for_each(|c| c.slot = None);
        Ok(())
    }

    /// Assembles the collected rows into a chunk, which is then ready.
    fn emit_rows(&mut self, shared: &Shared, sequence: u64) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        let runs = std::mem::take(&mut self.runs);
        let sources = std::mem::take(&mut self.sources);
        let starts = std::mem::take(&mut self.starts);
        let assemble = |place: usize, runs: &[Run]| -> Result<Column> {
            let parts: Option<Vec<Column>> =
                sources.iter().map(|s| s.columns[place].clone()).collect();
            let missing = || Error::logical("A scan in key order lacks a column");
            Ok(interleave(&parts.ok_or_else(missing)?, runs))
        };
        let column = |place: usize| assemble(place, &runs);
        let chunk = match &shared.merging {
            None => {
                let columns: Result<Vec<Column>> =
                    shared.outputs.iter().map(|(place, _)| column(*place)).collect();
                Chunk::new(columns?, rows)
            }
            Some(merging) => {
                let by_position = |position: usize| {
                    let missing = || Error::logical("A column that decides is not read");
                    column(shared.place(position).ok_or_else(missing)?)
                };
                let starts = match merging.group_key() {
                    Some(len) => shared.group_starts(len, &by_position, rows)?,
                    None => starts,
                };
                let groups = Groups { rows, starts };
                let picked = merging.pick(&groups, &by_position, Purpose::Read)?;
                let left = picked_runs(&runs, &picked);
                let fold = |(place, path): &(usize, SubcolumnPath)| {
                    let position = shared.spec.columns[*place].position;
                    let folded = match merging.taken(position, &groups, &picked) {
                        Some(rows) if *rows == *picked => assemble(*place, &left)?,
                        Some(rows) => assemble(*place, &picked_runs(&runs, &rows))?,
                        None => merging.fold(position, &by_position, &groups, &picked)?,
                    };
                    subcolumn(&folded, path.steps())
                };
                let columns: Result<Vec<Column>> = shared.outputs.iter().map(fold).collect();
                Chunk::new(columns?, picked.len())
            }
        };
        shared.emitted.fetch_add(chunk.rows as u64, Ordering::Relaxed);
        let most = shared.context.max_block_size.max(1);
        for start in (0..chunk.rows).step_by(most) {
            let chunk = chunk.slice(start, most.min(chunk.rows - start));
            self.ready.push_back(Morsel { sequence, chunk });
        }
        Ok(())
    }
}

impl Reader for MergedReader {
    fn next(&mut self) -> Result<Read> {
        if self.ready.is_empty() && !self.advance()? {
            return Ok(Read::Done);
        }
        Ok(self.ready.pop_front().map_or(Read::Done, Read::Chunk))
    }
}

struct MergedSource(Arc<Shared>);

impl Source for MergedSource {
    fn name(&self) -> String {
        let name = self.0.pinned.schema.config.engine;
        match &self.0.merging {
            Some(_) => format!("{name} (FINAL)"),
            None => format!("{name} (in order of {} key columns)", self.0.key_len),
        }
    }

    fn report(&self) -> Report {
        self.0.prepared().map_or_else(|_| Report::new(), |p| p.selected.report())
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let predicate = self.0.prepared()?.selected.predicate.clone();
        let shared = Arc::clone(&self.0);
        let (work, rows, ready) = (None, 0, VecDeque::new());
        let (sources, runs, starts) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Box::new(MergedReader { shared, predicate, work, sources, runs, starts, rows, ready }))
    }

    fn morsels(&self) -> Option<usize> {
        // An error is reported when a reader is created.
        Some(self.0.prepared().map_or(1, |p| p.areas.ranges.len()))
    }
}
