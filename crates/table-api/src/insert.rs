//! Writes into tables in two phases, so that rows of several tables become visible together.
//!
//! 1. The sink of an INSERT takes chunks, and its `finalize` prepares them: everything is written
//!    and synced, but not visible.
//! 2. [`commit`] makes the prepared rows of several sinks visible and durable. Tables of one store
//!    are committed with one record of its log: after a crash either all rows are there or none,
//!    and a reader sees either all of them or none ([`crate::PinnedStores`]).
//!
//! Invariant: a sink, or prepared rows, that are dropped before the commit leave nothing.

use std::any::Any;
use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_pipeline::{Discard, Morsel, QueryContext, Sink};

/// The sink of an INSERT. Its `finalize` prepares the rows but makes nothing visible.
pub trait InsertSink: Sink {
    /// Whether folding depends on the order of the rows. If so, one worker writes them all.
    fn keeps_order(&self) -> bool {
        false
    }

    /// Hands over the rows that `finalize` has prepared, for [`commit`]. Called once, after
    /// `finalize`.
    fn prepared(&self) -> Result<Vec<Prepared>>;
}

/// The prepared rows of one INSERT into one table.
pub enum Prepared {
    /// The rows are durable already; a record in the log of a store makes them visible.
    Stored(Box<dyn StoredRows>),
    /// The table makes the rows visible by itself, when this is called.
    Alone(Box<dyn FnOnce() -> Result<()> + Send>),
}

/// Prepared rows of a table whose store can commit several tables in one record.
pub trait StoredRows: Any + Send {
    /// Commits these rows together with the rows of `others` that belong to the same store, which
    /// are removed from the list. The first rows of the store, which are these, decide for all
    /// whether the INSERT was stored before ([`crate::Repeats`]).
    fn commit(self: Box<Self>, others: &mut Vec<Box<dyn StoredRows>>) -> Result<Outcome>;
}

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The rows are stored.
    Committed,
    /// The same INSERT was stored earlier, so nothing was stored now.
    Repeated,
}

/// Makes the prepared rows of several sinks visible, and durable where the tables are durable.
/// Tables of one store change together. Tables outside of stores (Memory, files) change afterwards:
/// if one of them fails, earlier commits stay. If a store recognises an INSERT as repeated, no
/// table changes.
pub fn commit(prepared: Vec<Prepared>) -> Result<()> {
    let (mut stored, mut alone) = (Vec::new(), Vec::new());
    for rows in prepared {
        match rows {
            Prepared::Stored(rows) => stored.push(rows),
            Prepared::Alone(commit) => alone.push(commit),
        }
    }
    while !stored.is_empty() {
        let first = stored.remove(0);
        if first.commit(&mut stored)? == Outcome::Repeated {
            return Ok(());
        }
    }
    alone.into_iter().try_for_each(|commit| commit())
}

/// Inserts chunks on the calling thread and commits them.
pub fn insert_chunks(
    sink: &Arc<dyn InsertSink>,
    chunks: Vec<Chunk>,
    context: &QueryContext,
) -> Result<()> {
    let mut state = sink.open()?;
    for (sequence, chunk) in (0..).zip(chunks) {
        state.push(Morsel { sequence, chunk })?;
    }
    state.combine()?;
    sink.finalize(context)?;
    commit(sink.prepared()?)
}

/// The error of a sink whose rows are taken before it has prepared them, or twice.
#[cold]
pub fn nothing_prepared() -> Error {
    Error::logical("An INSERT that has prepared nothing cannot be committed")
}

impl InsertSink for Discard {
    fn prepared(&self) -> Result<Vec<Prepared>> {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    type Log = Arc<Mutex<Vec<String>>>;

    /// Rows of a store that records its commits.
    struct Rows {
        store: u8,
        outcome: Outcome,
        log: Log,
    }

    impl StoredRows for Rows {
        fn commit(self: Box<Self>, others: &mut Vec<Box<dyn StoredRows>>) -> Result<Outcome> {
            let same = |rows: &mut Box<dyn StoredRows>| {
                let rows: &dyn Any = &**rows;
                rows.downcast_ref::<Self>().is_some_and(|rows| rows.store == self.store)
            };
            let count = 1 + others.extract_if(.., same).count();
            self.log.lock().unwrap().push(format!("store {}: {count}", self.store));
            Ok(self.outcome)
        }
    }

    fn committed(outcome: Outcome) -> Vec<String> {
        let log = Log::default();
        let stored =
            |store| Prepared::Stored(Box::new(Rows { store, outcome, log: Arc::clone(&log) }));
        let noted = Arc::clone(&log);
        let alone = Prepared::Alone(Box::new(move || {
            noted.lock().unwrap().push("alone".into());
            Ok(())
        }));
        commit(vec![stored(1), alone, stored(2), stored(1)]).unwrap();
        let log = log.lock().unwrap();
        log.clone()
    }

    #[test]
    fn each_store_commits_once_and_other_tables_follow() {
        assert_eq!(committed(Outcome::Committed), ["store 1: 2", "store 2: 1", "alone"]);
    }

    #[test]
    fn a_repeated_insert_changes_no_other_table() {
        assert_eq!(committed(Outcome::Repeated), ["store 1: 2"]);
    }
}
