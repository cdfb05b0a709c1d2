//! The sum of the log's records: databases, tables, parts. Pure; used on commit and on replay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use super::record::{Op, PartSummary, TableId, TableRecord};
use super::remembered::Remembered;
use crate::column_ids::ColumnIds;

/// A table and its parts.
#[derive(Clone, Debug)]
pub(crate) struct TableState {
    pub(crate) record: TableRecord,
    /// The ids of its stored columns; `None` until the first ALTER of columns.
    pub(crate) columns: Option<ColumnIds>,
    /// Keyed by file name.
    pub(crate) parts: BTreeMap<String, Arc<PartSummary>>,
    pub(crate) next_block: u64,
    pub(crate) next_segment: u64,
    /// INSERTs that must not be stored again.
    pub(crate) inserts: Remembered,
}

/// One version of all databases and tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Name to definition.
    pub(crate) databases: BTreeMap<String, String>,
    pub(crate) tables: BTreeMap<TableId, TableState>,
    pub(super) names: BTreeSet<(String, String)>,
    pub(crate) next_table: u64,
}

impl State {
    /// Applies all of `ops`, or none of them.
    pub(crate) fn apply(&mut self, ops: &[Op]) -> Result<()> {
        let undo = if ops.iter().any(|op| !is_part_op(op)) {
            // DDL is rare, so a copy of the state is the simplest way to undo it.
            Some(self.clone())
        } else {
            self.check_parts(ops)?;
            None
        };
        for op in ops {
            if let Err(e) = self.apply_one(op) {
                if let Some(undo) = undo {
                    *self = undo;
                }
                return Err(e);
            }
        }
        Ok(())
    }

    /// Applies the operations of a record, which may combine several commits. Does not undo on
    /// failure.
    pub(crate) fn replay(&mut self, ops: &[Op]) -> Result<()> {
        ops.iter().try_for_each(|op| self.apply_one(op))
    }

    /// Checks that a list of part operations can be applied.
    fn check_parts(&self, ops: &[Op]) -> Result<()> {
        let mut removed = BTreeSet::new();
        for op in ops {
            match op {
                Op::AddPart { table, part } => {
                    if self.table(*table)?.parts.contains_key(&part.file) {
                        return Err(Error::logical(format!("Part {} exists already", part.file)));
                    }
                }
                Op::RemovePart { table, file } => {
                    let known = self.table(*table)?.parts.contains_key(file);
                    if !known || !removed.insert((table, file)) {
                        return Err(gone(file));
                    }
                }
                _ => {
                    if let Some(table) = other_table(op) {
                        self.table(table)?;
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn table(&self, id: TableId) -> Result<&TableState> {
        self.tables.get(&id).ok_or_else(|| no_table(id))
    }

    fn table_mut(&mut self, id: TableId) -> Result<&mut TableState> {
        self.tables.get_mut(&id).ok_or_else(|| no_table(id))
    }

    fn apply_one(&mut self, op: &Op) -> Result<()> {
        match op {
            Op::CreateDatabase { name, definition } => {
                if self.databases.contains_key(name) {
                    return Err(Error::new(
                        codes::DATABASE_ALREADY_EXISTS,
                        format!("Database {name} already exists."),
                    ));
                }
                self.databases.insert(name.clone(), definition.clone());
            }
            Op::DropDatabase { name } => {
                if self.tables.values().any(|t| t.record.database == *name) {
                    return Err(Error::new(
                        codes::DATABASE_NOT_EMPTY,
                        format!("Cannot drop database {name}: it has tables"),
                    ));
                }
                if self.databases.remove(name).is_none() {
                    return Err(no_database(name));
                }
            }
            Op::CreateTable(record) => self.create_table(record)?,
            Op::DropTable { id } => {
                let table = self.tables.remove(id).ok_or_else(|| no_table(*id))?;
                self.names.remove(&(table.record.database, table.record.name));
            }
            Op::RenameTable { id, database, name } => {
                let table = self.table(*id)?;
                let old = (table.record.database.clone(), table.record.name.clone());
                self.names.remove(&old);
                self.claim_name(database, name)?;
                let table = self.table_mut(*id)?;
                table.record.database.clone_from(database);
                table.record.name.clone_from(name);
            }
            Op::AlterTable { id, version, definition } => {
                let table = self.table_mut(*id)?;
                table.record.version = *version;
                table.record.definition.clone_from(definition);
            }
            Op::AddPart { table, part } => {
                let table = self.table_mut(*table)?;
                table.next_block = table.next_block.max(part.max_block + 1);
                if let Some(number) = segment_number(&part.file) {
                    table.next_segment = table.next_segment.max(number + 1);
                }
                table.parts.insert(part.file.clone(), Arc::new(part.clone()));
            }
            Op::RemovePart { table, file } => {
                self.table_mut(*table)?.parts.remove(file).ok_or_else(|| gone(file))?;
            }
            Op::Counters { table, next_block, next_segment } => {
                let table = self.table_mut(*table)?;
                table.next_block = table.next_block.max(*next_block);
                table.next_segment = table.next_segment.max(*next_segment);
            }
            Op::NextTable(id) => self.next_table = self.next_table.max(id.0),
            Op::RememberInsert { table, token, window } => {
                self.table_mut(*table)?.inserts.add(token, *window);
            }
            Op::ForgetInserts { table } => self.table_mut(*table)?.inserts.clear(),
            Op::Columns { table, columns } => {
                self.table_mut(*table)?.columns = Some(columns.clone());
            }
        }
        Ok(())
    }

    fn claim_name(&mut self, database: &str, name: &str) -> Result<()> {
        if !self.databases.contains_key(database) {
            return Err(no_database(database));
        }
        if !self.names.insert((database.to_owned(), name.to_owned())) {
            return Err(Error::new(
                codes::TABLE_ALREADY_EXISTS,
                format!("Table {database}.{name} already exists"),
            ));
        }
        Ok(())
    }

    fn create_table(&mut self, record: &TableRecord) -> Result<()> {
        if self.tables.contains_key(&record.id) {
            return Err(Error::logical(format!("Table id {} is taken", record.id.0)));
        }
        self.claim_name(&record.database, &record.name)?;
        self.next_table = self.next_table.max(record.id.0 + 1);
        let table = TableState {
            record: record.clone(),
            columns: None,
            parts: BTreeMap::new(),
            next_block: 1,
            next_segment: 1,
            inserts: Remembered::default(),
        };
        self.tables.insert(record.id, table);
        Ok(())
    }

    /// The operations that build this state from an empty one, for a checkpoint.
    pub(crate) fn to_ops(&self) -> Vec<Op> {
        let mut ops = vec![Op::NextTable(TableId(self.next_table))];
        for (name, definition) in &self.databases {
            let (name, definition) = (name.clone(), definition.clone());
            ops.push(Op::CreateDatabase { name, definition });
        }
        for (id, table) in &self.tables {
            ops.push(Op::CreateTable(table.record.clone()));
            if let Some(columns) = table.columns.clone() {
                ops.push(Op::Columns { table: *id, columns });
            }
            for part in table.parts.values() {
                ops.push(Op::AddPart { table: *id, part: (**part).clone() });
            }
            let (next_block, next_segment) = (table.next_block, table.next_segment);
            ops.push(Op::Counters { table: *id, next_block, next_segment });
            for (token, window) in table.inserts.list() {
                let token = token.to_owned();
                ops.push(Op::RememberInsert { table: *id, token, window });
            }
        }
        ops
    }
}

fn is_part_op(op: &Op) -> bool {
    matches!(op, Op::AddPart { .. } | Op::RemovePart { .. }) || other_table(op).is_some()
}

/// The table of an operation that concerns a table's rows but not a part.
fn other_table(op: &Op) -> Option<TableId> {
    match op {
        Op::Counters { table, .. }
        | Op::RememberInsert { table, .. }
        | Op::ForgetInserts { table } => Some(*table),
        _ => None,
    }
}

#[cold]
fn no_table(id: TableId) -> Error {
    Error::new(codes::TABLE_IS_DROPPED, format!("Table with id {} is dropped", id.0))
}

#[cold]
fn no_database(name: &str) -> Error {
    Error::new(codes::UNKNOWN_DATABASE, format!("Database {name} does not exist"))
}

#[cold]
fn gone(file: &str) -> Error {
    Error::new(codes::ABORTED, format!("Part file {file} is not there any more"))
}

/// The number in `seg-12.ets`.
pub(crate) fn segment_number(file: &str) -> Option<u64> {
    file.strip_prefix("seg-")?.strip_suffix(".ets")?.parse().ok()
}

/// The name of segment `number`.
pub(crate) fn segment_file(number: u64) -> String {
    format!("seg-{number}.ets")
}
