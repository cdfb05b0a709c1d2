//! From "rows in chunks" to a source that honours a whole [`ScanSpec`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_expr::{ColumnId, Predicate};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Source};
use entasis_table::ScanSpec;

/// Rows of a table in chunks, without filters.
pub trait RawRows: Send + Sync + 'static {
    /// For plans and profiles.
    fn name(&self) -> String;

    /// The event that its rows are counted as, beside those of all sources.
    fn event(&self) -> Event;

    /// A reader of the columns at these schema positions, in this order. Readers of one scan share
    /// its morsels; chunks have at most `max_rows` rows.
    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>>;

    /// Number of morsels, if known.
    fn morsels(&self) -> Option<usize> {
        None
    }
}

/// One worker's end of [`RawRows`].
pub trait RawReader: Send {
    /// The next chunk, or `None` at the end. Chunks may be empty.
    fn next(&mut self) -> Result<Option<Morsel>>;
}

/// Filters, orders columns, limits and counts what `rows` gives.
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
    let position = |id: &ColumnId| {
        let found = spec.columns.iter().find(|(c, _)| c == id);
        found.map(|(_, position)| *position).ok_or_else(|| Error::logical("scan of unknown column"))
    };
    let columns = needed.iter().map(position).collect::<Result<Vec<_>>>()?;
    let outputs = spec
        .outputs
        .iter()
        .map(|id| needed.iter().position(|n| n == id).ok_or_else(|| Error::logical("lost column")))
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Scan {
        rows,
        columns,
        ids: needed,
        outputs,
        spec: spec.clone(),
        left: Arc::new(AtomicU64::new(spec.limit.unwrap_or(u64::MAX))),
        context: context.clone(),
    }))
}

struct Scan {
    rows: Arc<dyn RawRows>,
    /// Schema positions that are read.
    columns: Vec<usize>,
    /// Their ids.
    ids: Vec<ColumnId>,
    /// Positions within `columns` of what comes out.
    outputs: Vec<usize>,
    spec: ScanSpec,
    /// Rows still wanted.
    left: Arc<AtomicU64>,
    context: QueryContext,
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
            predicate,
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
    /// Where rows are counted, by the kind of source.
    event: Event,
    raw: Box<dyn RawReader>,
    predicate: Option<Predicate>,
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
            let kept = self.filter(&chunk)?;
            let kept = if self.limited { self.take_limit(kept) } else { kept };
            if !kept.is_empty() {
                return Ok(Read::Chunk(Morsel { sequence, chunk: kept }));
            }
        }
    }
}

impl ScanReader {
    fn filter(&mut self, chunk: &Chunk) -> Result<Chunk> {
        let columns = self.outputs.iter().map(|&i| chunk.columns[i].clone()).collect();
        let output = Chunk::new(columns, chunk.rows);
        match &mut self.predicate {
            None => Ok(output),
            Some(predicate) => Ok(output.filter(&predicate.mask(chunk)?)),
        }
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
