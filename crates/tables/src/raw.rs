//! Turns tables that only return rows in chunks into sources that implement a whole [`ScanSpec`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_column::subcolumn::subcolumn;
use entasis_expr::{ColumnId, Predicate};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Source};
use entasis_table_api::{KeyFilter, ScanSpec};
use entasis_types::SubcolumnPath;

/// Rows of a table in chunks, without filters.
pub trait RawRows: Send + Sync + 'static {
    /// The name in plans and profiles.
    fn name(&self) -> String;

    /// The event that counts the table's rows, besides the event of all sources.
    fn event(&self) -> Event;

    /// A reader of the columns at these schema positions, in this order. Readers of one scan share
    /// its morsels; chunks have at most `max_rows` rows.
    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>>;

    /// Number of morsels; `None` if it is unknown.
    fn morsels(&self) -> Option<usize> {
        None
    }
}

/// One worker's reader of [`RawRows`].
pub trait RawReader: Send {
    /// The next chunk, or `None` at the end. Chunks may be empty.
    fn next(&mut self) -> Result<Option<Morsel>>;
}

/// A source that filters, reorders, limits and counts the rows of `rows`.
pub fn scan(
    rows: Arc<dyn RawRows>,
    spec: &ScanSpec,
    context: &QueryContext,
) -> Result<Arc<dyn Source>> {
    let mut needed: Vec<ColumnId> = Vec::new();
    for expr in &spec.filter {
        expr.columns(&mut needed);
    }
    for id in &spec.outputs {
        if !needed.contains(id) {
            needed.push(*id);
        }
    }
    let mut columns: Vec<usize> = Vec::with_capacity(needed.len());
    let mut parts = Vec::with_capacity(needed.len());
    for id in &needed {
        let column = spec.column(*id).ok_or_else(|| Error::logical("scan of unknown column"))?;
        let known = columns.iter().position(|position| *position == column.position);
        let at = known.unwrap_or(columns.len());
        if known.is_none() {
            columns.push(column.position);
        }
        parts.push((at, column.path.clone()));
    }
    let outputs = spec
        .outputs
        .iter()
        .map(|id| needed.iter().position(|n| n == id).ok_or_else(|| Error::logical("lost column")))
        .collect::<Result<Vec<_>>>()?;
    let is_plain = |(i, (at, path)): (usize, &(usize, SubcolumnPath))| i == *at && path.is_whole();
    if parts.iter().enumerate().all(is_plain) {
        parts.clear();
    }
    Ok(Arc::new(Scan {
        rows,
        columns,
        parts: parts.into(),
        ids: needed,
        outputs,
        spec: spec.clone(),
        left: Arc::new(AtomicU64::new(spec.limit.unwrap_or(u64::MAX))),
        context: context.clone(),
    }))
}

struct Scan {
    rows: Arc<dyn RawRows>,
    /// The schema positions that are read, each once.
    columns: Vec<usize>,
    /// For each of `ids`, the place in `columns` and the subcolumn to take. Empty if the columns
    /// are wanted as they are read.
    parts: Arc<[(usize, SubcolumnPath)]>,
    /// The ids of the scan's columns.
    ids: Vec<ColumnId>,
    /// The positions of the outputs in `ids`.
    outputs: Vec<usize>,
    spec: ScanSpec,
    /// The number of rows that are still wanted.
    left: Arc<AtomicU64>,
    context: QueryContext,
}

impl Scan {
    fn key_filters(&self) -> Vec<(usize, Arc<KeyFilter>)> {
        let placed = |filter: &Arc<KeyFilter>| {
            let at = self.ids.iter().position(|id| *id == filter.column)?;
            Some((at, Arc::clone(filter)))
        };
        self.spec.keys.iter().filter_map(placed).collect()
    }
}

impl Source for Scan {
    fn name(&self) -> String {
        self.rows.name()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let predicate = match self.spec.filter.as_slice() {
            [] => None,
            conjuncts => Some(Predicate::new(conjuncts, &self.ids)?),
        };
        Ok(Box::new(ScanReader {
            event: self.rows.event(),
            raw: self.rows.reader(&self.columns, self.context.max_block_size)?,
            parts: Arc::clone(&self.parts),
            predicate,
            keys: self.key_filters(),
            outputs: self.outputs.clone(),
            left: Arc::clone(&self.left),
            limited: self.spec.limit.is_some(),
            context: self.context.clone(),
        }))
    }

    fn morsels(&self) -> Option<usize> {
        self.rows.morsels()
    }
}

struct ScanReader {
    /// The event that counts the rows of this kind of source.
    event: Event,
    raw: Box<dyn RawReader>,
    parts: Arc<[(usize, SubcolumnPath)]>,
    predicate: Option<Predicate>,
    /// Filters by the keys of joins, and the places of their columns.
    keys: Vec<(usize, Arc<KeyFilter>)>,
    outputs: Vec<usize>,
    left: Arc<AtomicU64>,
    limited: bool,
    context: QueryContext,
}

impl Reader for ScanReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            let is_full = self.limited && self.left.load(Ordering::Relaxed) == 0;
            if is_full || self.context.progress.is_over() {
                return Ok(Read::Done);
            }
            self.context.cancel.check()?;
            let Some(Morsel { sequence, chunk }) = self.raw.next()? else { return Ok(Read::Done) };
            events::add(self.event, chunk.rows as u64);
            self.context.progress.add_read(chunk.rows as u64, chunk.byte_size() as u64)?;
            let kept = self.filter(&self.parts_of(chunk)?)?;
            let kept = if self.limited { self.take_limit(kept) } else { kept };
            if !kept.is_empty() {
                return Ok(Read::Chunk(Morsel { sequence, chunk: kept }));
            }
        }
    }
}

impl ScanReader {
    /// Takes the wanted columns and subcolumns from a chunk.
    fn parts_of(&self, chunk: Chunk) -> Result<Chunk> {
        if self.parts.is_empty() {
            return Ok(chunk);
        }
        let part =
            |(at, path): &(usize, SubcolumnPath)| subcolumn(&chunk.columns[*at], path.steps());
        let columns = self.parts.iter().map(part).collect::<Result<_>>()?;
        Ok(Chunk::new(columns, chunk.rows))
    }

    fn filter(&mut self, chunk: &Chunk) -> Result<Chunk> {
        let columns = self.outputs.iter().map(|&i| chunk.columns[i].clone()).collect();
        let output = Chunk::new(columns, chunk.rows);
        let mut mask = match &mut self.predicate {
            None => None,
            Some(predicate) => Some(predicate.mask(chunk)?),
        };
        for (at, filter) in self.keys.iter().filter(|(_, filter)| filter.is_selective()) {
            mask = match (mask, filter.test(&chunk.columns[*at])) {
                (Some(before), Some(passing)) => Some(before.and(&passing)),
                (before, passing) => before.or(passing),
            };
        }
        Ok(mask.map_or_else(|| output.clone(), |mask| output.filter(&mask)))
    }

    fn take_limit(&self, chunk: Chunk) -> Chunk {
        let rows = chunk.rows as u64;
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            Some(left.saturating_sub(rows))
        });
        let wanted = before.unwrap_or(0).min(rows) as usize;
        if wanted < chunk.rows { chunk.slice(0, wanted) } else { chunk }
    }
}
