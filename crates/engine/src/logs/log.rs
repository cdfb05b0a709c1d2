//! One log: its columns, and the rows that wait for being written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::Chunk;
use entasis_table::{ColumnDef, Schema};
use entasis_types::DataType;

use crate::catalog::EngineCatalog;
use crate::system::{ColumnOf, chunk_of};

/// What makes rows complete before they are written, off the path of those who brought them.
pub(super) type Prepare<R> = fn(&mut Vec<R>, &EngineCatalog);

/// See the module.
pub(crate) struct Log<R: 'static> {
    name: &'static str,
    columns: &'static [ColumnOf<R>],
    order: &'static str,
    capacity: usize,
    prepare: Prepare<R>,
    rows: Mutex<Vec<R>>,
}

/// A log, whatever its rows are.
pub(super) trait AnyLog {
    /// Its table's name.
    fn name(&self) -> &'static str;
    /// Its table as CREATE TABLE says it.
    fn definition(&self) -> String;
    /// All rows that wait, as a chunk of the table, and how many there are; `None` if none do.
    fn take(&self, catalog: &EngineCatalog) -> Option<(Result<Chunk>, usize)>;
}

impl<R> Log<R> {
    /// An empty log; a table of it has `event_date` and is ordered by `order`.
    pub(super) fn new(
        name: &'static str,
        columns: &'static [ColumnOf<R>],
        order: &'static str,
        capacity: usize,
        prepare: Prepare<R>,
    ) -> Self {
        Self { name, columns, order, capacity, prepare, rows: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<R>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a row, or counts it as lost if there are too many. Answers whether it is time to write.
    pub(super) fn push(&self, row: R) -> bool {
        let mut rows = self.lock();
        if rows.len() >= self.capacity {
            drop(rows);
            events::one(Event::SystemLogRowsLost);
            return false;
        }
        rows.push(row);
        rows.len() == self.capacity.div_ceil(2)
    }
}

impl<R: Send> AnyLog for Log<R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn definition(&self) -> String {
        let column = |(name, ty, _): &ColumnOf<R>| format!("`{name}` {ty}");
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!(
            "CREATE TABLE {} ({}) ENGINE = MergeTree PARTITION BY event_date ORDER BY ({})",
            self.name,
            columns.join(", "),
            self.order
        )
    }

    fn take(&self, catalog: &EngineCatalog) -> Option<(Result<Chunk>, usize)> {
        let mut rows = std::mem::take(&mut *self.lock());
        if rows.is_empty() {
            return None;
        }
        (self.prepare)(&mut rows, catalog);
        if rows.is_empty() {
            return None;
        }
        Some((schema(self.columns).map(|s| chunk_of(&s, self.columns, &rows)), rows.len()))
    }
}

fn schema<R>(columns: &[ColumnOf<R>]) -> Result<Arc<Schema>> {
    let def = |(name, ty, _): &ColumnOf<R>| Ok(ColumnDef::new(*name, DataType::parse(ty)?));
    Ok(Schema::new(columns.iter().map(def).collect::<Result<_>>()?))
}
