//! One log: its specification, which is data, and the rows that wait to be written.

use std::sync::{Arc, Mutex, MutexGuard};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_column::Chunk;
use entasis_table_api::{ColumnDef, Schema};
use entasis_types::{DataType, Value};

use crate::catalog::EngineCatalog;
use crate::system::{ColumnOf, column_of};

/// A group of columns.
pub(super) type Columns<R> = &'static [ColumnOf<R>];

/// The specification of a log.
pub(super) struct Spec<R: 'static> {
    /// Name of its table.
    pub name: &'static str,
    /// The stored columns, in groups.
    pub columns: &'static [Columns<R>],
    /// Further columns behind those; a list elsewhere names them.
    pub numbered: Option<Numbered<R>>,
    /// ALIAS columns, which are computed from others when read: name, type, expression.
    pub aliases: &'static [(&'static str, &'static str, &'static str)],
    /// The column of type Date by which the table is partitioned.
    pub day: &'static str,
    /// The sorting key of the table.
    pub order: &'static str,
    /// Completes rows before they are written; it runs in the writing thread, so that the threads
    /// that push rows do not wait for it.
    pub prepare: fn(&mut Vec<R>, &EngineCatalog),
    /// Whether it is kept if the configuration does not list the logs.
    pub by_default: bool,
    /// Whether its rows come at regular intervals. Such rows are written less often, so that an
    /// idle server does little work.
    pub by_clock: bool,
    /// How many times larger its rows are than usual ones; the queue holds that many times fewer
    /// rows.
    pub weight: usize,
}

/// Columns of numbers that a list elsewhere names, such as the profile events.
pub(super) struct Numbered<R> {
    /// Names and types of the columns.
    pub names: fn() -> Vec<(String, &'static str)>,
    /// The value of a row in the column at this position of the list.
    pub value: fn(&R, usize) -> Value,
}

impl<R> Spec<R> {
    /// The specification of a usual log.
    pub(super) const fn new(name: &'static str, columns: &'static [Columns<R>]) -> Self {
        Self {
            name,
            columns,
            numbered: None,
            aliases: &[],
            day: "event_date",
            order: "event_date, event_time",
            prepare: |_, _| {},
            by_default: true,
            by_clock: false,
            weight: 1,
        }
    }

    fn flat(&self) -> impl Iterator<Item = &ColumnOf<R>> {
        self.columns.iter().flat_map(|group| group.iter())
    }

    fn numbered(&self) -> Vec<(String, &'static str)> {
        self.numbered.as_ref().map_or(Vec::new(), |numbered| (numbered.names)())
    }

    /// Names and types of all columns that are stored.
    fn written(&self) -> Vec<(String, &'static str)> {
        let flat = self.flat().map(|(name, ty, _)| ((*name).to_string(), *ty));
        flat.chain(self.numbered()).collect()
    }

    /// The CREATE TABLE statement of the log's table.
    pub(super) fn definition(&self) -> String {
        let mut columns: Vec<String> =
            self.written().iter().map(|(name, ty)| format!("`{name}` {ty}")).collect();
        let alias = |(name, ty, of): &(&str, &str, &str)| format!("`{name}` {ty} ALIAS {of}");
        columns.extend(self.aliases.iter().map(alias));
        format!(
            "CREATE TABLE {} ({}) ENGINE = MergeTree PARTITION BY {} ORDER BY ({})",
            self.name,
            columns.join(", "),
            self.day,
            self.order
        )
    }

    fn chunk(&self, rows: &[R]) -> Result<Chunk> {
        let def = |(name, ty): (String, &str)| Ok(ColumnDef::new(name, DataType::parse(ty)?));
        let defs = self.written().into_iter().map(def).collect::<Result<_>>()?;
        let schema: Arc<Schema> = Schema::new(defs);
        let mut types = schema.columns.iter().map(|def| &def.ty);
        let mut columns = Vec::with_capacity(schema.columns.len());
        for ((_, _, of), ty) in self.flat().zip(&mut types) {
            columns.push(column_of(ty, rows, of.as_ref()));
        }
        if let Some(Numbered { value, .. }) = &self.numbered {
            for (at, ty) in types.enumerate() {
                columns.push(column_of(ty, rows, Some(&|row: &R| value(row, at))));
            }
        }
        Ok(Chunk::new(columns, rows.len()))
    }
}

/// One log with its queue.
pub(super) struct Log<R: 'static> {
    spec: Spec<R>,
    /// Most rows that wait; 0 if the log is not kept.
    capacity: usize,
    rows: Mutex<Vec<R>>,
}

/// A log with rows of any type.
pub(super) trait AnyLog {
    /// Name of its table.
    fn name(&self) -> &'static str;
    /// Whether its rows come at regular intervals.
    fn by_clock(&self) -> bool;
    /// Whether it is kept.
    fn is_kept(&self) -> bool;
    /// The CREATE TABLE statement of its table.
    fn definition(&self) -> String;
    /// Takes all rows that wait, as a chunk of the table, and their number; `None` if there are
    /// none.
    fn take(&self, catalog: &EngineCatalog) -> Option<(Result<Chunk>, usize)>;
}

impl<R> Log<R> {
    /// An empty log.
    pub(super) fn new(spec: Spec<R>, capacity: usize, kept: bool) -> Self {
        let capacity = if kept { (capacity / spec.weight.max(1)).max(1) } else { 0 };
        Self { spec, capacity, rows: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<R>> {
        lock(&self.rows)
    }

    /// Whether the log is kept.
    pub(super) fn is_kept(&self) -> bool {
        self.capacity > 0
    }

    /// Adds a row, or counts it as lost if the queue is full. Answers true when the queue has
    /// become half full, so that it should be written.
    pub(super) fn push(&self, row: R) -> bool {
        if !self.is_kept() {
            return false;
        }
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
        self.spec.name
    }

    fn by_clock(&self) -> bool {
        self.spec.by_clock
    }

    fn is_kept(&self) -> bool {
        self.is_kept()
    }

    fn definition(&self) -> String {
        self.spec.definition()
    }

    fn take(&self, catalog: &EngineCatalog) -> Option<(Result<Chunk>, usize)> {
        let mut rows = std::mem::take(&mut *self.lock());
        if rows.is_empty() {
            return None;
        }
        (self.spec.prepare)(&mut rows, catalog);
        (!rows.is_empty()).then(|| (self.spec.chunk(&rows), rows.len()))
    }
}
