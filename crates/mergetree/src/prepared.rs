//! Prepared INSERTs: their rows are durable in files but not visible yet. Several of them become
//! visible with one record of the log.
//!
//! Invariants: segments that are not committed are deleted, unless the log may have recorded them
//! all the same; a record names the parts of all tables of a statement, or of none.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, message};
use entasis_table_api::{Outcome, StoredRows};

use crate::log::record::{Op, PartSummary, TableId};
use crate::log::state::State;
use crate::schema::SchemaVersion;
use crate::small_rows::{SmallRows, commit_small};
use crate::table::TableCore;

/// Segments that were written but not committed; they are deleted on drop.
#[derive(Default)]
pub(crate) struct Unfinished {
    table: Option<Arc<TableCore>>,
    parts: Vec<PartSummary>,
}

impl Unfinished {
    pub(crate) fn new(table: &Arc<TableCore>) -> Self {
        Self { table: Some(Arc::clone(table)), parts: Vec::new() }
    }

    pub(crate) fn add(&mut self, part: PartSummary) {
        self.parts.push(part);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Takes over the segments of another list of the same table.
    pub(crate) fn take_all_of(&mut self, other: &mut Self) {
        self.parts.append(&mut other.parts);
    }

    /// Forgets the segments for which `is_left_over` is false: they are committed.
    pub(crate) fn keep_only(&mut self, is_left_over: impl Fn(&str) -> bool) {
        self.parts.retain(|part| is_left_over(&part.file));
    }

    pub(crate) fn take(&mut self) -> Vec<PartSummary> {
        std::mem::take(&mut self.parts)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(table) = &self.table {
            let with_file = |part: &PartSummary| usize::from(part.is_in_memory());
            for file in self.parts.iter().flat_map(|part| part.files().skip(with_file(part))) {
                remove_segment(table, file);
            }
        }
    }
}

/// Removes a segment that no record names. If that fails, the next start removes it as an orphan.
fn remove_segment(table: &TableCore, file: &str) {
    let path = entasis_disk::join(&table.parts.dir.path, file);
    let _ = table.core.disk.remove(&path);
}

/// One INSERT into one table.
pub(crate) struct PreparedInsert {
    table: Arc<TableCore>,
    /// The schema with which the parts were written.
    schema: Arc<SchemaVersion>,
    written: Unfinished,
    /// Rows that become parts in memory when they are committed.
    small: SmallRows,
    /// The operation by which the log remembers the INSERT; `None` if it need not be recognised
    /// again.
    remember: Option<Op>,
    began: Instant,
}

impl PreparedInsert {
    pub(crate) fn new(
        (table, schema): (Arc<TableCore>, Arc<SchemaVersion>),
        written: Unfinished,
        small: SmallRows,
        remember: Option<Op>,
        began: Instant,
    ) -> Self {
        Self { table, schema, written, small, remember, began }
    }

    /// The bytes of each of its parts that is in memory.
    fn in_memory(&self) -> Vec<u64> {
        let parts = self.written.parts.iter();
        parts.filter(|part| part.is_in_memory()).map(PartSummary::memory_bytes).collect()
    }
}

impl StoredRows for PreparedInsert {
    fn commit(self: Box<Self>, others: &mut Vec<Box<dyn StoredRows>>) -> Result<Outcome> {
        let is_mine = |rows: &mut Box<dyn StoredRows>| {
            let rows: &dyn Any = &**rows;
            rows.downcast_ref::<Self>()
                .is_some_and(|other| Arc::ptr_eq(&other.table.core, &self.table.core))
        };
        let taken: Vec<Box<dyn StoredRows>> = others.extract_if(.., is_mine).collect();
        if taken.is_empty() && self.remember.is_none() && self.written.is_empty() {
            let Self { table, schema, small, began, .. } = *self;
            return commit_small(&table, &schema, small, began);
        }
        let mut inserts = vec![*self];
        for rows in taken {
            let rows: Box<dyn Any> = rows;
            inserts.extend(rows.downcast::<Self>().map(|insert| *insert));
        }
        commit_all(inserts)
    }
}

/// Commits INSERTs into tables of one store as one record. Only the first table decides whether the
/// INSERT was stored before, because the rows of all others come from the same statement.
fn commit_all(mut inserts: Vec<PreparedInsert>) -> Result<Outcome> {
    for PreparedInsert { table, schema, written, small, .. } in &mut inserts {
        small.write(table, schema)?.into_iter().for_each(|part| written.add(part));
    }
    let made: u64 = inserts.iter().map(|insert| insert.written.parts.len() as u64).sum();
    let Some(first) = inserts.first().filter(|_| made > 0) else { return Ok(Outcome::Committed) };
    let core = Arc::clone(&first.table.core);
    let began = inserts.iter().map(|insert| insert.began).min().unwrap_or_else(Instant::now);
    let remember = inserts.first_mut().and_then(|insert| insert.remember.take());
    let in_memory: Vec<Vec<u64>> = inserts.iter().map(PreparedInsert::in_memory).collect();
    let mut is_repeated = false;
    let committed = core.commit(began, |state| {
        if let Some(Op::RememberInsert { table, token, .. }) = &remember
            && state.table(*table)?.inserts.has(token)
        {
            is_repeated = true;
            // The token is committed once more, so that this call returns only when the first
            // INSERT is durable, or fails with it.
            return Ok(remember.into_iter().collect());
        }
        let mut ops = numbered(state, &inserts)?;
        ops.extend(remember);
        Ok(ops)
    });
    if is_repeated {
        // The new segments are deleted: their rows are already stored.
        message!(
            Information,
            "MergeTree",
            "An INSERT was not stored again: it has the token or the content of an earlier one"
        );
        return committed.map(|()| Outcome::Repeated).map_err(Error::from);
    }
    if committed.as_ref().map_or_else(|e| e.unknown, |()| true) {
        inserts.iter_mut().for_each(|insert| drop(insert.written.take()));
    }
    committed.map_err(Error::from)?;
    for (insert, parts) in inserts.iter().zip(in_memory) {
        insert.table.added_in_memory(&parts);
    }
    core.merger.wake();
    events::add(Event::InsertedParts, made);
    Ok(Outcome::Committed)
}

/// The operations that add the parts, with the next block numbers of their tables.
fn numbered(state: &State, inserts: &[PreparedInsert]) -> Result<Vec<Op>> {
    let mut next: HashMap<TableId, u64> = HashMap::new();
    let mut ops = Vec::new();
    for insert in inserts {
        insert.table.check_writer(&insert.schema)?;
        let table = insert.table.id();
        let first = state.table(table)?.next_block;
        let next = next.entry(table).or_insert(first);
        for part in &insert.written.parts {
            let part = PartSummary { min_block: *next, max_block: *next, ..part.clone() };
            ops.push(Op::AddPart { table, part });
            *next += 1;
        }
    }
    Ok(ops)
}
