//! Parts that leave the store in a backup, and parts that come back from one.
//!
//! A backup of a table holds the files of its parts in one state, and a record: the ids of its
//! columns and the parts, in the encoding of the commit log. The caller copies the files; this
//! module says which, and keeps them from being removed meanwhile.
//!
//! Invariants: restored files are durable before the log names them, and those that are not
//! committed are removed; parts get into a table only if it knows all their columns by the same
//! ids; tables that are restored together become visible with one record of the log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use entasis_base::{Error, Result, codes};
use entasis_disk::Disk;
use entasis_table_api::PinnedStores;

use crate::column_ids::ColumnIds;
use crate::insert::empty_summary;
use crate::log::encoding::{decode_ops, encode_ops};
use crate::log::record::{Companion, Op, Overlay, PartSummary, TableId};
use crate::log::state::part_ops;
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::schema::SchemaVersion;
use crate::store::Store;
use crate::table::{MergeTreeTable, TableCore};

/// The id of a table in the record of a backup.
const OF_BACKUP: TableId = TableId(0);

/// The parts of a table in one state of its store. Their files stay as long as this value.
pub struct PinnedParts {
    parts: Vec<Arc<Part>>,
    table: Arc<TableCore>,
    schema: Arc<SchemaVersion>,
}

impl Store {
    /// Pins the state of the store, for tables that are looked up later.
    pub fn pin(&self, pinned: &PinnedStores) {
        pinned.state(&self.core, || self.core.tables.pin());
    }

    /// Commits `ops` and the parts that were restored into tables, in one record.
    pub fn commit_restored(&self, ops: Vec<Op>, mut tables: Vec<RestoredParts>) -> Result<()> {
        let committed = self.core.commit(Instant::now(), |state| {
            let mut all = ops;
            // A table may get parts from several tables of a backup.
            let mut next: BTreeMap<TableId, u64> = BTreeMap::new();
            for restored in &tables {
                let id = restored.table.id();
                restored.table.check_writer(&restored.schema)?;
                let first = state.table(id)?.next_block;
                restored.ops(next.entry(id).or_insert(first), &mut all);
            }
            Ok(all)
        });
        if committed.as_ref().map_or_else(|e| e.unknown, |()| true) {
            tables.iter_mut().for_each(|restored| drop(restored.written.take()));
        }
        committed.map_err(Error::from)?;
        self.core.merger.wake();
        Ok(())
    }
}

impl MergeTreeTable {
    /// The parts in the pinned state of the store whose partitions `which` accepts.
    pub fn pinned_parts(&self, pinned: &PinnedStores, which: impl Fn(&str) -> bool) -> PinnedParts {
        let (table, schema) = (Arc::clone(&self.core), Arc::clone(&self.schema));
        let state = pinned.state(&table.core, || table.core.tables.pin());
        let version = state.get(&table.id()).map(|table| Arc::clone(&table.version));
        let version = version.unwrap_or_else(|| table.version());
        let wanted = version.parts.iter().filter(|part| which(&part.summary.partition));
        PinnedParts { parts: wanted.cloned().collect(), table, schema }
    }

    /// Prepares the parts of a backup, given its record, for this table. `is_new` says that nobody
    /// has seen the table yet; it then gets the parts with their old block numbers.
    pub fn restore_parts(
        &self,
        record: &[u8],
        which: impl Fn(&str) -> bool,
        is_new: bool,
    ) -> Result<RestoredParts> {
        self.check_writable()?;
        let Record { columns, parts } = Record::read(record)?;
        check_columns(&columns, self.column_ids())?;
        let (table, schema) = (Arc::clone(&self.core), Arc::clone(&self.schema));
        let mut restored = RestoredParts {
            written: Unfinished::new(&table),
            table,
            schema,
            parts: Vec::new(),
            files: Vec::new(),
            is_new,
        };
        for part in parts.iter().filter(|part| which(&part.partition)) {
            restored.add(part);
        }
        Ok(restored)
    }
}

impl PinnedParts {
    /// The files: the name of each, and its path on [`Self::disk`]. The segment of a part in memory
    /// is in the record instead.
    pub fn files(&self) -> impl Iterator<Item = (&str, String)> {
        self.parts.iter().flat_map(|part| {
            let files = part.summary.written_files();
            files.map(move |file| (file, part.path_of(file)))
        })
    }

    /// The disk that the files are on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.table.core.disk
    }

    /// What [`MergeTreeTable::restore_parts`] needs besides the files.
    pub fn record(&self) -> Vec<u8> {
        let columns = Op::Columns { table: OF_BACKUP, columns: self.schema.columns.clone() };
        let parts = self.parts.iter().flat_map(|part| part_ops(OF_BACKUP, &part.summary));
        encode_ops(&std::iter::once(columns).chain(parts).collect::<Vec<_>>())
    }
}

/// The record of a table in a backup.
struct Record {
    columns: ColumnIds,
    parts: Vec<PartSummary>,
}

impl Record {
    fn read(bytes: &[u8]) -> Result<Self> {
        let bad = || Error::new(codes::BACKUP_DAMAGED, "The record of a table is damaged");
        let (mut columns, mut parts) = (None, Vec::<PartSummary>::new());
        for op in decode_ops(bytes).map_err(|_| bad())? {
            match op {
                Op::Columns { columns: of_table, .. } => columns = Some(of_table),
                Op::AddPart { part, .. } => parts.push(part),
                Op::ChangePart { part, .. } => match parts.last_mut() {
                    // Changes do not repeat the content of a part in memory.
                    Some(last) if last.file == part.file => {
                        *last = part.with_contents_of(last);
                    }
                    _ => return Err(bad()),
                },
                _ => return Err(bad()),
            }
        }
        Ok(Self { columns: columns.ok_or_else(bad)?, parts })
    }
}

/// The ids of the columns of a table in a backup, given its record.
pub fn columns_of_backup(record: &[u8]) -> Result<ColumnIds> {
    Record::read(record).map(|record| record.columns)
}

/// Fails unless a table with the columns `to` can read parts of one with the columns `from`.
fn check_columns(from: &ColumnIds, to: &ColumnIds) -> Result<()> {
    let list = |ids: &ColumnIds| -> BTreeSet<(Option<u32>, String)> {
        ids.names().map(|name| (ids.id(name), name.to_owned())).collect()
    };
    // A table whose columns were never altered expects all of them in every part.
    if list(from) == list(to) && (from.version() == 1 || to.version() > 1) {
        return Ok(());
    }
    Err(other_columns())
}

#[cold]
fn other_columns() -> Error {
    let message = "The columns of the table are not those of the table in the backup, or came about \
                   by other ALTERs, so it cannot read the parts. Restore under another name \
                   (RESTORE TABLE t AS t2) and copy the rows by INSERT INTO t SELECT * FROM t2";
    Error::new(codes::CANNOT_RESTORE_TABLE, message)
}

/// Parts on their way into a table. If they are dropped before they are committed, their files are
/// removed.
pub struct RestoredParts {
    table: Arc<TableCore>,
    schema: Arc<SchemaVersion>,
    written: Unfinished,
    /// The parts with the names that their files have in this table.
    parts: Vec<PartSummary>,
    /// The name of each file in the backup, and its path here.
    files: Vec<(String, String)>,
    is_new: bool,
}

impl RestoredParts {
    fn add(&mut self, part: &PartSummary) {
        let mut name = |old: &str, (file, path): (String, String)| {
            self.written.add(PartSummary { file: file.clone(), ..empty_summary() });
            self.files.push((old.to_owned(), path));
            file
        };
        let file = match part.is_in_memory() {
            true => self.table.new_segment().0,
            false => name(&part.file, self.table.new_segment()),
        };
        let overlay = |overlay: &Overlay| {
            let file = name(&overlay.file, self.table.new_overlay());
            Overlay { file, ..overlay.clone() }
        };
        let overlays = part.overlays.iter().map(overlay).collect();
        let companion = |companion: &Companion| {
            let file = match companion.content {
                Some(_) => self.table.new_companion().0,
                None => name(&companion.file, self.table.new_companion()),
            };
            Companion { file, ..companion.clone() }
        };
        let companions = part.companions.iter().map(companion).collect();
        self.parts.push(PartSummary { file, overlays, companions, ..part.clone() });
    }

    /// The files that the caller writes: the name of each in the backup, and its path here.
    pub fn files(&self) -> &[(String, String)] {
        &self.files
    }

    /// The disk that the files are written to.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.table.core.disk
    }

    /// Called when all files are written and synced: makes their names durable, and opens them all.
    pub fn written(&self) -> Result<()> {
        let dir = &self.table.parts.dir;
        self.disk().sync_dir(&dir.path)?;
        // A new table is what the table in the backup was, and reads what that one read. Another
        // table whose columns were never altered expects all of them in every part.
        let is_first = !self.is_new && self.schema.columns.version() == 1;
        for part in &self.parts {
            let part = Part::new(Arc::new(part.clone()), Arc::clone(dir));
            let layers = part.layers()?;
            let differs =
                || self.schema.converts(layers) || self.schema.lacking(layers).next().is_some();
            if is_first && differs() {
                return Err(other_columns());
            }
        }
        Ok(())
    }

    /// The number of rows that will exist.
    pub fn rows(&self) -> u64 {
        self.parts.iter().map(PartSummary::live_rows).sum()
    }

    /// The operations that add the parts to the table, whose next block number is `next`.
    fn ops(&self, next: &mut u64, ops: &mut Vec<Op>) {
        let table = self.table.id();
        for part in &self.parts {
            let part = match self.is_new {
                true => part.clone(),
                false => {
                    *next += 1;
                    let block = *next - 1;
                    let (min_block, max_block) = (block, block);
                    PartSummary { min_block, max_block, mutation: 0, level: 0, ..part.clone() }
                }
            };
            ops.extend(part_ops(table, &part));
        }
        let last = self.parts.iter().map(|part| part.max_block.max(part.mutation)).max();
        if let Some(last) = last.filter(|_| self.is_new) {
            ops.push(Op::Counters { table, next_block: last + 1, next_segment: 0 });
        }
    }
}
