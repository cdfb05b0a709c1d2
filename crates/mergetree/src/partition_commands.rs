//! Commands that move whole parts: DROP, DETACH, ATTACH, REPLACE and MOVE PARTITION, and FREEZE.
//!
//! No row is read or written. A detached part stays in the table's directory, and the log names it,
//! so that it is neither lost nor taken for a leftover. A part that goes to another table gets a
//! second name there (a hard link), because the files of a part never change.
//!
//! All commands of a statement are one record of the log, over all tables that they change. They
//! look at the state before the statement, so a command does not see what another one of the same
//! statement does.
//!
//! Invariants: the names of linked files are durable before the log names them; links that are not
//! committed are removed. Files identify columns by their ids, so that the files of a table that
//! numbers its columns in another way are not linked but copied, with other ids in their footers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use entasis_base::{Error, Result, codes, scope};
use entasis_disk::join;
use entasis_pipeline::QueryContext;

use crate::column_ids::ColumnIds;
use crate::in_memory::{HeldParts, write_file};
use crate::insert::empty_summary;
use crate::layers::POSITION;
use crate::log::record::{Companion, Op, Overlay, PartSummary, TableId};
use crate::log::state::{State, TableState, part_ops};
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::table::{MergeTreeTable, TableCore};

/// The folder of the store that holds frozen parts.
pub const SHADOW: &str = "shadow";

/// The parts that a command concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartsOf {
    /// All parts of the table.
    Table,
    /// The parts of the partition with this id.
    Partition(String),
    /// The part with this name.
    Part(String),
}

impl PartsOf {
    fn has(&self, part: &PartSummary) -> bool {
        match self {
            Self::Table => true,
            Self::Partition(id) => part.partition == *id,
            Self::Part(name) => part.name() == *name,
        }
    }
}

/// A command that changes which parts a table has.
pub enum PartitionCommand {
    /// Removes parts.
    Drop(PartsOf),
    /// Takes parts out of the table, but keeps their files.
    Detach(PartsOf),
    /// Removes detached parts.
    DropDetached(PartsOf),
    /// Puts detached parts into the table again.
    Attach(PartsOf),
    /// Adds the parts of another table to this one.
    CopyFrom {
        /// The parts.
        parts: PartsOf,
        /// The table that has them.
        from: Arc<MergeTreeTable>,
        /// Whether the parts that this table has in the same partition are removed.
        replace: bool,
    },
    /// Gives parts to another table.
    MoveTo {
        /// The parts.
        parts: PartsOf,
        /// The table that gets them.
        to: Arc<MergeTreeTable>,
    },
}

/// Parts that were linked into the directory of a table.
struct Linked {
    table: Arc<TableCore>,
    written: Unfinished,
    /// The parts as this table has them, without block numbers of its own.
    parts: Vec<PartSummary>,
    /// The files of the same parts in the table that they come from.
    sources: Vec<String>,
}

impl MergeTreeTable {
    /// Runs commands: all of them or, if one fails, none.
    pub fn change_partitions(
        &self,
        commands: &[PartitionCommand],
        context: &QueryContext,
    ) -> Result<()> {
        self.check_writable()?;
        let began = Instant::now();
        let moves = commands.iter().any(|c| matches!(c, PartitionCommand::MoveTo { .. }));
        // A merge would replace parts that are being given away.
        let _held: Option<HeldParts> = match moves {
            true => Some(self.core.hold_parts(&mut || context.cancel.check())?),
            false => None,
        };
        let mut linked: Vec<Option<Linked>> = Vec::with_capacity(commands.len());
        for command in commands {
            linked.push(self.link(command)?);
        }
        for of in linked.iter().flatten() {
            of.table.core.disk.sync_dir(&of.table.parts.dir.path)?;
        }
        let committed = self.core.core.commit(began, |state| {
            let mut ops = Ops::default();
            for (command, linked) in commands.iter().zip(&linked) {
                self.ops_of(command, linked.as_ref(), state, &mut ops)?;
            }
            Ok(ops.list)
        });
        if committed.as_ref().map_or_else(|e| e.unknown, |()| true) {
            linked.iter_mut().flatten().for_each(|of| drop(of.written.take()));
        }
        committed.map_err(Error::from)?;
        self.core.core.merger.wake();
        Ok(())
    }

    /// Links the parts that a command takes from one table to another.
    fn link(&self, command: &PartitionCommand) -> Result<Option<Linked>> {
        let (parts, from, to) = match command {
            PartitionCommand::CopyFrom { parts, from, .. } => (parts, &**from, self),
            PartitionCommand::MoveTo { parts, to } => (parts, self, &**to),
            _ => return Ok(None),
        };
        check_alike(from, to)?;
        let table = Arc::clone(&to.core);
        let written = Unfinished::new(&table);
        let mut linked = Linked { table, written, parts: Vec::new(), sources: Vec::new() };
        let mut renumbered = Renumbered::of(from, to);
        let version = from.core.version();
        for part in version.parts.iter().filter(|part| parts.has(&part.summary)) {
            scope::check()?;
            let copy = match &mut renumbered {
                Some(ids) => linked.copy(part, ids)?,
                None => linked.add(part)?,
            };
            linked.parts.push(copy);
            linked.sources.push(part.summary.file.clone());
        }
        if linked.parts.is_empty()
            && let PartsOf::Part(name) = parts
        {
            return Err(no_part(name));
        }
        Ok(Some(linked))
    }

    /// The operations of one command.
    fn ops_of(
        &self,
        command: &PartitionCommand,
        linked: Option<&Linked>,
        state: &State,
        ops: &mut Ops,
    ) -> Result<()> {
        let id = self.id();
        let known = state.table(id)?;
        match command {
            PartitionCommand::Drop(parts) => {
                for part in active(known, parts)? {
                    ops.remove(id, part);
                }
            }
            PartitionCommand::Detach(parts) => {
                for part in active(known, parts)? {
                    if ops.takes(id, &part.file) {
                        ops.list.push(Op::DetachPart { table: id, file: part.file.clone() });
                    }
                }
            }
            PartitionCommand::DropDetached(parts) => {
                for part in detached(known, parts)? {
                    if ops.takes(id, &part.file) {
                        ops.list.push(Op::DropDetachedPart { table: id, file: part.file.clone() });
                    }
                }
            }
            PartitionCommand::Attach(parts) => {
                for part in detached(known, parts)? {
                    if ops.takes(id, &part.file) {
                        let part = ops.numbered(id, known, part);
                        ops.list.push(Op::AttachPart { table: id, part });
                    }
                }
            }
            PartitionCommand::CopyFrom { parts, from, replace } => {
                check_schema(self, state)?;
                check_schema(from, state)?;
                if *replace {
                    known.parts.values().filter(|p| parts.has(p)).for_each(|p| ops.remove(id, p));
                }
                ops.add(id, known, linked);
            }
            PartitionCommand::MoveTo { to, .. } => {
                check_schema(self, state)?;
                check_schema(to, state)?;
                for file in linked.into_iter().flat_map(|linked| &linked.sources) {
                    ops.remove(id, known.parts.get(file).ok_or_else(gone)?);
                }
                ops.add(to.id(), state.table(to.id())?, linked);
            }
        }
        Ok(())
    }

    /// Whether a part of the table is in the partition with this id.
    pub fn has_partition(&self, id: &str) -> bool {
        self.core.version().parts.iter().any(|part| part.summary.partition == id)
    }

    /// Gives the files of parts second names in `folder`, which is created, and answers how many
    /// parts there are. The names are durable when this returns.
    pub fn freeze(&self, parts: &PartsOf, folder: &str) -> Result<usize> {
        self.check_writable()?;
        let disk = &*self.core.core.disk;
        disk.create_dir_all(folder)?;
        let version = self.core.version();
        let mut count = 0;
        for part in version.parts.iter().filter(|part| parts.has(&part.summary)) {
            scope::check()?;
            let to = join(folder, &part.summary.name());
            disk.create_dir_all(&to)?;
            for (file, content) in part.summary.contents() {
                write_file(disk, &join(&to, file), content)?;
            }
            for file in part.summary.written_files() {
                disk.link(&join(&self.core.parts.dir.path, file), &join(&to, file))?;
            }
            disk.sync_dir(&to)?;
            count += 1;
        }
        sync_upwards(disk, folder)?;
        Ok(count)
    }
}

/// Makes the names of a folder and of all folders above it durable.
fn sync_upwards(disk: &dyn entasis_disk::Disk, folder: &str) -> Result<()> {
    let mut dir = folder;
    loop {
        disk.sync_dir(dir)?;
        if dir.is_empty() {
            return Ok(());
        }
        dir = dir.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

/// The operations of a statement, and the parts that they take out of their tables.
#[derive(Default)]
struct Ops {
    list: Vec<Op>,
    taken: BTreeSet<(TableId, String)>,
    added: Vec<(TableId, u64)>,
}

impl Ops {
    /// Whether no operation before has taken this file of a part.
    fn takes(&mut self, table: TableId, file: &str) -> bool {
        self.taken.insert((table, file.to_owned()))
    }

    fn remove(&mut self, table: TableId, part: &PartSummary) {
        if self.takes(table, &part.file) {
            self.list.push(Op::RemovePart { table, file: part.file.clone() });
        }
    }

    /// The part with the next block number of the table.
    fn numbered(&mut self, table: TableId, known: &TableState, part: &PartSummary) -> PartSummary {
        let before: u64 = self.added.iter().filter(|(id, _)| *id == table).map(|(_, n)| n).sum();
        self.added.push((table, 1));
        let block = known.next_block + before;
        PartSummary { min_block: block, max_block: block, mutation: 0, level: 0, ..part.clone() }
    }

    fn add(&mut self, table: TableId, known: &TableState, linked: Option<&Linked>) {
        for part in linked.into_iter().flat_map(|linked| &linked.parts) {
            let part = self.numbered(table, known, part);
            self.list.extend(part_ops(table, &part));
        }
    }
}

/// The parts of a table that a command names. A part that is named must exist.
fn active<'a>(known: &'a TableState, parts: &PartsOf) -> Result<Vec<&'a Arc<PartSummary>>> {
    let found: Vec<_> = known.parts.values().filter(|part| parts.has(part)).collect();
    match parts {
        PartsOf::Part(name) if found.is_empty() => Err(no_part(name)),
        _ => Ok(found),
    }
}

/// As [`active`], for detached parts.
fn detached<'a>(known: &'a TableState, parts: &PartsOf) -> Result<Vec<&'a Arc<PartSummary>>> {
    let found: Vec<_> = known.detached.values().filter(|part| parts.has(part)).collect();
    match parts {
        PartsOf::Part(name) if found.is_empty() => {
            let message = format!("Detached part \"{name}\" not found");
            Err(Error::new(codes::BAD_DATA_PART_NAME, message))
        }
        _ => Ok(found),
    }
}

#[cold]
fn no_part(name: &str) -> Error {
    Error::new(codes::NO_SUCH_DATA_PART, format!("No part {name} in committed state"))
}

#[cold]
fn gone() -> Error {
    let message = "A part was removed while it was being moved: run the statement again";
    Error::new(codes::ABORTED, message)
}

impl Linked {
    /// Links the files of a part into the directory of the table, under names that are free there.
    fn add(&mut self, part: &Part) -> Result<PartSummary> {
        let old = &part.summary;
        let (file, path) = self.table.new_segment();
        self.written.add(PartSummary { file: file.clone(), ..empty_summary() });
        let disk = &*self.table.core.disk;
        if !old.is_in_memory() {
            disk.link(&part.path(), &path)?;
        }
        let mut overlays = Vec::with_capacity(old.overlays.len());
        for overlay in &old.overlays {
            let (file, path) = self.table.new_overlay();
            self.written.add(PartSummary { file: file.clone(), ..empty_summary() });
            disk.link(&part.path_of(&overlay.file), &path)?;
            overlays.push(Overlay { file, ..overlay.clone() });
        }
        let mut companions = Vec::with_capacity(old.companions.len());
        for companion in &old.companions {
            let (file, path) = self.table.new_companion();
            if companion.content.is_none() {
                self.written.add(PartSummary { file: file.clone(), ..empty_summary() });
                disk.link(&part.path_of(&companion.file), &path)?;
            }
            companions.push(Companion { file, ..companion.clone() });
        }
        let created = self.table.core.now();
        Ok(PartSummary { file, created, overlays, companions, ..PartSummary::clone(old) })
    }
}

/// The ids that the columns of one table have in another one.
struct Renumbered {
    version: u32,
    ids: BTreeMap<u32, u32>,
    /// The next id for a column that was dropped, of which no reader knows.
    unused: u32,
}

impl Renumbered {
    /// `None` if the ids of all columns are equal, no id of a dropped column will be given to
    /// another one, and the files do not look newer than the schema of the other table.
    fn of(from: &MergeTreeTable, to: &MergeTreeTable) -> Option<Self> {
        let (source, target) = (from.column_ids(), to.column_ids());
        let ids: BTreeMap<u32, u32> =
            source.names().filter_map(|name| Some((source.id(name)?, target.id(name)?))).collect();
        let is_same = ids.iter().all(|(old, new)| old == new)
            && source.next() <= target.next()
            && source.version() <= target.version();
        let (version, unused) = (target.version(), POSITION - 1);
        (!is_same).then_some(Self { version, ids, unused })
    }

    fn id(&mut self, old: u32) -> u32 {
        if old >= POSITION {
            return old;
        }
        *self.ids.entry(old).or_insert_with(|| {
            self.unused -= 1;
            self.unused + 1
        })
    }
}

impl Linked {
    /// Copies the files of a part under the ids that this table gives its columns.
    fn copy(&mut self, part: &Part, ids: &mut Renumbered) -> Result<PartSummary> {
        let mut new = PartSummary::clone(&part.summary);
        let mut copied = Vec::with_capacity(1 + new.overlays.len());
        for (at, segment) in part.segments()?.into_iter().enumerate() {
            let (file, path) =
                if at == 0 { self.table.new_segment() } else { self.table.new_overlay() };
            self.written.add(PartSummary { file: file.clone(), ..empty_summary() });
            let version = ids.version;
            let disk = &*self.table.core.disk;
            let done = segment.relabelled(disk, &path, version, &mut |old| ids.id(old))?;
            copied.push((file, done));
        }
        let mut copied = copied.into_iter();
        if let Some((file, done)) = copied.next() {
            (new.file, new.bytes, new.checksum) = (file, done.bytes, done.checksum);
        }
        for (overlay, (file, done)) in new.overlays.iter_mut().zip(copied) {
            (overlay.file, overlay.bytes, overlay.checksum) = (file, done.bytes, done.checksum);
        }
        // Merges build what was derived from the rows. The copy of a part in memory is a file.
        (new.companions, new.content) = (Vec::new(), None);
        new.created = self.table.core.now();
        Ok(new)
    }
}

/// Fails if a table was altered since its handle was made: the files were linked for that schema.
fn check_schema(table: &MergeTreeTable, state: &State) -> Result<()> {
    let known = state.table(table.id())?.columns.as_ref();
    let current = known.map_or(1, ColumnIds::version);
    if current == table.column_ids().version() {
        return Ok(());
    }
    let message = "A table was altered while parts were moved between tables: run the statement \
                   again";
    Err(Error::new(codes::ABORTED, message))
}

/// Fails unless the files of one table can become parts of the other.
fn check_alike(from: &MergeTreeTable, to: &MergeTreeTable) -> Result<()> {
    let different = |what: &str| {
        let message = format!("Tables have different {what}");
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    };
    if !Arc::ptr_eq(&from.core.core, &to.core.core) {
        return Err(Error::not_implemented("Parts of a table in another store"));
    }
    if from.id() == to.id() {
        let message = "A table cannot take its own parts";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let (source, target) = (from.config(), to.config());
    let stored = |table: &MergeTreeTable| -> BTreeSet<(String, String)> {
        let columns = table.config().schema.stored().iter();
        columns.map(|c| (c.name.to_string(), c.ty.to_string())).collect()
    };
    if stored(from) != stored(to) {
        let message = "Tables have different structure";
        return Err(Error::new(codes::INCOMPATIBLE_COLUMNS, message));
    }
    if source.sorting_key != target.sorting_key || source.primary_key_len != target.primary_key_len
    {
        return different("ordering");
    }
    if source.partition_key != target.partition_key {
        return different("partition key");
    }
    if source.engine != target.engine {
        return different("engines");
    }
    Ok(())
}
