//! One log: what it is, as data, and the rows that wait for being written.

use std::sync::{Arc, Mutex, MutexGuard};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_column::Chunk;
use entasis_table::{ColumnDef, Schema};
use entasis_types::{DataType, Value};

use crate::catalog::EngineCatalog;
use crate::system::{ColumnOf, column_of};

/// Columns that stand together.
pub(super) type Columns<R> = &'static [ColumnOf<R>];

/// A log as data.
pub(super) struct Spec<R: 'static> {
    /// Its table's name.
    pub name: &'static str,
    /// Its columns, in groups.
    pub columns: &'static [Columns<R>],
    /// Columns after those, as many as there are of something.
    pub numbered: Option<Numbered<R>>,
    /// Columns that are computed of others when they are read: name, type, expression.
    pub aliases: &'static [(&'static str, &'static str, &'static str)],
    /// The column of type Date that tells the partition.
    pub day: &'static str,
    /// What the table is ordered by.
    pub order: &'static str,
    /// What makes rows complete before they are written, off the path of those who brought them.
    pub prepare: fn(&mut Vec<R>, &EngineCatalog),
    /// Whether it is kept where nobody says which logs are.
    pub by_default: bool,
    /// Whether rows come by the clock: they wait longer, so that a server at rest rests.
    pub by_clock: bool,
    /// How many times larger than usual rows are: so many times fewer may wait.
    pub weight: usize,
}

/// Columns of numbers that a list elsewhere names.
pub(super) struct Numbered<R> {
    /// Names and types.
    pub names: fn() -> Vec<(String, &'static str)>,
    /// The value of the one at a place.
    pub value: fn(&R, usize) -> Value,
}

impl<R> Spec<R> {
    /// The usual log.
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

    /// Names and types of all columns that are written.
    fn written(&self) -> Vec<(String, &'static str)> {
        let flat = self.flat().map(|(name, ty, _)| ((*name).to_string(), *ty));
        flat.chain(self.numbered()).collect()
    }

    /// The table as CREATE TABLE says it.
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

/// See the module.
pub(super) struct Log<R: 'static> {
    spec: Spec<R>,
    /// Most rows that wait; 0: the log is not kept.
    capacity: usize,
    rows: Mutex<Vec<R>>,
}

/// A log, whatever its rows are.
pub(super) trait AnyLog {
    /// Its table's name.
    fn name(&self) -> &'static str;
    /// Whether its rows come by the clock.
    fn by_clock(&self) -> bool;
    /// Its table as CREATE TABLE says it.
    fn definition(&self) -> String;
    /// All rows that wait, as a chunk of the table, and how many there are; `None` if none do.
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

    /// Whether it is kept.
    pub(super) fn is_kept(&self) -> bool {
        self.capacity > 0
    }

    /// Adds a row, or counts it as lost if there are too many. Answers whether it is time to write.
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
