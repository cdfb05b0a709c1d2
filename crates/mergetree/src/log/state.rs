//! The sum of the log's records: databases, tables, parts. Pure; used on commit and on replay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use super::record::{MutationRecord, Op, PartSummary, TableId, TableRecord};
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
    /// Parts that do not belong to the table at present, but whose files are kept.
    pub(crate) detached: BTreeMap<String, Arc<PartSummary>>,
    pub(crate) next_block: u64,
    pub(crate) next_segment: u64,
    /// INSERTs that must not be stored again.
    pub(crate) inserts: Remembered,
    /// The latest finished mutations, oldest first.
    pub(crate) mutations: Vec<MutationRecord>,
}

/// One version of all databases and tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Name to definition.
    pub(crate) databases: BTreeMap<String, String>,
    pub(crate) tables: BTreeMap<TableId, TableState>,
    /// Objects that are no tables: kind and name to definition.
    pub(crate) objects: BTreeMap<(String, String), String>,
    pub(crate) names: BTreeSet<(String, String)>,
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
        let (mut removed, mut added) = (BTreeSet::new(), BTreeSet::new());
        for op in ops {
            match op {
                Op::AddPart { table, part } => {
                    added.insert((table, &part.file));
                    if self.table(*table)?.parts.contains_key(&part.file) {
                        return Err(Error::logical(format!("Part {} exists already", part.file)));
                    }
                }
                Op::RemovePart { table, file } | Op::DetachPart { table, file } => {
                    let known = self.table(*table)?.parts.contains_key(file);
                    if !known || !removed.insert((table, file)) {
                        return Err(gone(file));
                    }
                }
                Op::AttachPart { table, part: PartSummary { file, .. } }
                | Op::DropDetachedPart { table, file } => {
                    let known = self.table(*table)?.detached.contains_key(file);
                    if !known || !removed.insert((table, file)) {
                        return Err(gone(file));
                    }
                }
                Op::WritePart { table, file } => {
                    let known = self.table(*table)?.parts.contains_key(file);
                    if !known || removed.contains(&(table, file)) {
                        return Err(gone(file));
                    }
                }
                Op::ChangePart { table, part } => {
                    // A part that comes with overlays is added and changed by one record.
                    let known = self.table(*table)?.parts.contains_key(&part.file)
                        || added.contains(&(table, &part.file));
                    if !known || removed.contains(&(table, &part.file)) {
                        return Err(gone(&part.file));
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
            Op::CreateDatabase { .. }
            | Op::DropDatabase { .. }
            | Op::AlterDatabase { .. }
            | Op::PutObject { .. }
            | Op::RemoveObject { .. } => self.apply_named(op)?,
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
            Op::AddPart { .. }
            | Op::ChangePart { .. }
            | Op::RemovePart { .. }
            | Op::DetachPart { .. }
            | Op::AttachPart { .. }
            | Op::DropDetachedPart { .. }
            | Op::WritePart { .. }
            | Op::Mutated { .. }
            | Op::ForgetMutation { .. }
            | Op::Counters { .. } => self.apply_to_parts(op)?,
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

    /// Applies an operation that concerns the parts of a table.
    fn apply_to_parts(&mut self, op: &Op) -> Result<()> {
        match op {
            Op::AddPart { table, part } => {
                let table = self.table_mut(*table)?;
                table.next_block = table.next_block.max(part.max_block + 1);
                let last = part.files().filter_map(segment_number).max().unwrap_or(0);
                table.next_segment = table.next_segment.max(last + 1);
                table.parts.insert(part.file.clone(), Arc::new(part.clone()));
            }
            Op::RemovePart { table, file } => {
                self.table_mut(*table)?.parts.remove(file).ok_or_else(|| gone(file))?;
            }
            Op::DetachPart { table, file } => {
                let table = self.table_mut(*table)?;
                let part = table.parts.remove(file).ok_or_else(|| gone(file))?;
                table.detached.insert(file.clone(), part);
            }
            Op::AttachPart { table, part } => {
                let table = self.table_mut(*table)?;
                let known = table.detached.remove(&part.file).ok_or_else(|| gone(&part.file))?;
                table.next_block = table.next_block.max(part.max_block + 1);
                table.parts.insert(part.file.clone(), Arc::new(part.with_contents_of(&known)));
            }
            Op::DropDetachedPart { table, file } => {
                self.table_mut(*table)?.detached.remove(file).ok_or_else(|| gone(file))?;
            }
            Op::ChangePart { table, part } => {
                let table = self.table_mut(*table)?;
                let known = table.parts.get_mut(&part.file).ok_or_else(|| gone(&part.file))?;
                let last = part.files().filter_map(segment_number).max().unwrap_or(0);
                table.next_segment = table.next_segment.max(last + 1);
                *known = Arc::new(part.with_contents_of(known));
            }
            Op::WritePart { table, file } => {
                let table = self.table_mut(*table)?;
                let known = table.parts.get_mut(file).ok_or_else(|| gone(file))?;
                *known = Arc::new(known.written());
            }
            Op::Mutated { table, mutation } => {
                let table = self.table_mut(*table)?;
                table.next_block = table.next_block.max(mutation.number + 1);
                table.mutations.push(mutation.clone());
                let surplus = table.mutations.len().saturating_sub(MutationRecord::REMEMBERED);
                table.mutations.drain(..surplus);
            }
            Op::ForgetMutation { table, number } => {
                self.table_mut(*table)?.mutations.retain(|known| known.number != *number);
            }
            Op::Counters { table, next_block, next_segment } => {
                let table = self.table_mut(*table)?;
                table.next_block = table.next_block.max(*next_block);
                table.next_segment = table.next_segment.max(*next_segment);
            }
            _ => return Err(Error::logical("An operation that concerns no part")),
        }
        Ok(())
    }

    /// Applies an operation on databases or on objects that are no tables.
    fn apply_named(&mut self, op: &Op) -> Result<()> {
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
            Op::AlterDatabase { name, definition } => {
                let old = self.databases.get_mut(name).ok_or_else(|| no_database(name))?;
                old.clone_from(definition);
            }
            Op::PutObject { kind, name, definition } => {
                self.objects.insert((kind.clone(), name.clone()), definition.clone());
            }
            Op::RemoveObject { kind, name } => {
                let removed = self.objects.remove(&(kind.clone(), name.clone()));
                if removed.is_none() {
                    let message = format!("There is no {kind} {name}");
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
            }
            _ => return Err(Error::logical("An operation on a table is applied as one on a name")),
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
            detached: BTreeMap::new(),
            next_block: 1,
            next_segment: 1,
            inserts: Remembered::default(),
            mutations: Vec::new(),
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
        for ((kind, name), definition) in &self.objects {
            let (kind, name, definition) = (kind.clone(), name.clone(), definition.clone());
            ops.push(Op::PutObject { kind, name, definition });
        }
        for (id, table) in &self.tables {
            ops.push(Op::CreateTable(table.record.clone()));
            if let Some(columns) = table.columns.clone() {
                ops.push(Op::Columns { table: *id, columns });
            }
            for part in table.parts.values() {
                ops.extend(part_ops(*id, part));
            }
            for part in table.detached.values() {
                ops.extend(part_ops(*id, part));
                ops.push(Op::DetachPart { table: *id, file: part.file.clone() });
            }
            for mutation in &table.mutations {
                ops.push(Op::Mutated { table: *id, mutation: mutation.clone() });
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

/// The operations that add a part with its overlays.
pub(crate) fn part_ops(table: TableId, part: &PartSummary) -> impl Iterator<Item = Op> {
    let is_changed = part.mutation > 0 || !part.overlays.is_empty();
    let change = is_changed.then(|| Op::ChangePart { table, part: part.clone() });
    std::iter::once(Op::AddPart { table, part: part.clone() }).chain(change)
}

fn is_part_op(op: &Op) -> bool {
    matches!(
        op,
        Op::AddPart { .. }
            | Op::ChangePart { .. }
            | Op::RemovePart { .. }
            | Op::DetachPart { .. }
            | Op::AttachPart { .. }
            | Op::DropDetachedPart { .. }
            | Op::WritePart { .. }
    ) || other_table(op).is_some()
}

/// The table of an operation that concerns a table's rows but not a part.
fn other_table(op: &Op) -> Option<TableId> {
    match op {
        Op::Counters { table, .. }
        | Op::RememberInsert { table, .. }
        | Op::ForgetInserts { table }
        | Op::ForgetMutation { table, .. }
        | Op::Mutated { table, .. } => Some(*table),
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

impl TableState {
    /// Whether a file of a part has this name.
    pub(crate) fn names_file(&self, file: &str) -> bool {
        self.all_parts().any(|part| part.files().any(|name| name == file))
    }

    /// The names of all files of parts.
    pub(crate) fn files(&self) -> BTreeSet<&str> {
        self.all_parts().flat_map(|part| part.files()).collect()
    }

    /// The parts of the table, and those that are detached.
    pub(crate) fn all_parts(&self) -> impl Iterator<Item = &Arc<PartSummary>> {
        self.parts.values().chain(self.detached.values())
    }
}

/// The number in `seg-12.ets`, `over-12.ets` or `comp-12.ets`. Segments, overlays and companions
/// share their numbers.
pub(crate) fn segment_number(file: &str) -> Option<u64> {
    let rest = file.strip_prefix("seg-").or_else(|| file.strip_prefix(OVERLAY));
    let rest = rest.or_else(|| file.strip_prefix(COMPANION))?;
    rest.strip_suffix(".ets")?.parse().ok()
}

/// The beginning of the names of overlays.
const OVERLAY: &str = "over-";

/// The beginning of the names of companions.
const COMPANION: &str = "comp-";

/// The name of segment `number`.
pub(crate) fn segment_file(number: u64) -> String {
    format!("seg-{number}.ets")
}

/// The name of an overlay with this number.
pub(crate) fn overlay_file(number: u64) -> String {
    format!("{OVERLAY}{number}.ets")
}

/// The name of a companion with this number.
pub(crate) fn companion_file(number: u64) -> String {
    format!("{COMPANION}{number}.ets")
}

/// Whether a file has the name of a companion.
pub(crate) fn is_companion(file: &str) -> bool {
    file.starts_with(COMPANION)
}

/// Whether a file has the name of an overlay.
pub(crate) fn is_overlay(file: &str) -> bool {
    file.starts_with(OVERLAY)
}
