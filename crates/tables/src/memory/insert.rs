//! The sink of an INSERT into a table in memory.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared};

use super::{Block, Bounds, Columns, Contents, altered, low_cardinality};

/// The rows of an INSERT: collected until the commit, then appended in source order.
pub(super) struct Insert {
    pub(super) columns: Arc<Columns>,
    pub(super) bounds: Bounds,
    pub(super) target: Arc<Mutex<Contents>>,
    pub(super) new: Arc<Mutex<New>>,
    pub(super) prepared: Mutex<Option<New>>,
    pub(super) account: Arc<MemoryAccount>,
}

/// The rows of all workers. Their memory counts as the query's until the table takes them.
#[derive(Default)]
pub(super) struct New {
    rows: Vec<Morsel>,
    held: Vec<Reservation>,
}

struct InsertState {
    columns: Arc<Columns>,
    new: Arc<Mutex<New>>,
    mine: Vec<Morsel>,
    bytes: usize,
    held: Reservation,
}

impl Sink for Insert {
    fn name(&self) -> String {
        "MemoryInsert".to_string()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let (new, held) = (Arc::clone(&self.new), Reservation::new(&self.account));
        let columns = Arc::clone(&self.columns);
        Ok(Box::new(InsertState { columns, new, mine: Vec::new(), bytes: 0, held }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        let mut new = std::mem::take(&mut *lock(&self.new));
        new.rows.sort_by_key(|m| m.sequence);
        *lock(&self.prepared) = Some(new);
        Ok(())
    }
}

impl InsertSink for Insert {
    fn prepared(&self) -> Result<Vec<Prepared>> {
        let new = lock(&self.prepared).take().ok_or_else(nothing_prepared)?;
        let (columns, target) = (Arc::clone(&self.columns), Arc::clone(&self.target));
        let bounds = self.bounds;
        Ok(vec![Prepared::Alone(Box::new(move || {
            let block = |m: Morsel| Block { columns: Arc::clone(&columns), chunk: m.chunk };
            let rows = new.rows.into_iter().map(block);
            let mut contents = lock(&target);
            if !contents.newest.agrees_with(&columns) {
                return Err(altered());
            }
            // The list is copied only if a reader holds it.
            let Contents { blocks, trimmed, .. } = &mut *contents;
            let blocks = Arc::make_mut(blocks);
            blocks.extend(rows);
            *trimmed += bounds.trim(blocks);
            drop(contents);
            drop(new.held);
            Ok(())
        }))])
    }
}

impl SinkState for InsertState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let Morsel { sequence, chunk } = morsel;
        let types = self.columns.schema.stored().iter().map(|column| &column.ty);
        let columns = chunk.columns.iter().zip(types);
        let columns = columns.map(|(column, ty)| low_cardinality::stored(column, ty)).collect();
        let chunk = Chunk::new(columns, chunk.rows);
        self.bytes += chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.mine.push(Morsel { sequence, chunk });
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        let mut new = lock(&self.new);
        new.rows.extend(self.mine);
        new.held.push(self.held);
        Ok(())
    }
}
