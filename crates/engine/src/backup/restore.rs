//! RESTORE: makes tables under temporary names, fills them and the existing ones, and makes all of
//! it visible together.
//!
//! Invariant: every byte that comes from the backup is compared with its checksum before anything
//! becomes visible. Rows of existing tables that do not lie in the store (Memory, Log and so on)
//! become visible right after the record of the log.

use std::collections::BTreeSet;
use std::sync::Arc;

use entasis_backup::BackupReader;
use entasis_base::{Error, Result, codes};
use entasis_disk::Disk;
use entasis_mergetree::{ColumnIds, RestoredParts, columns_of_backup};
use entasis_pipeline::QueryContext;
use entasis_sql::ast::{self, StatementKind};
use entasis_table_api::{Prepared, commit};
use entasis_tables::memory::Memory;

use super::plan::{Plan, Planner, Wanted};
use super::rows::RowsInsert;
use super::select::of_parts;
use super::settings::BackupSettings;
use super::write::RECORD;
use crate::catalog::make::definition_of;
use crate::catalog::restored::{Publication, RestoredDefinition};
use crate::catalog::{Entry, refuse_system};
use crate::ddl::refresher;
use crate::settings::function_context::StatementContext;
use crate::statement::partition::partition_of;
use crate::{QueryOptions, Session};

impl Session {
    pub(super) fn restore_backup(
        &mut self,
        backup: &ast::Backup,
        settings: &BackupSettings,
        id: &str,
        options: &QueryOptions,
    ) -> Result<()> {
        let engine = Arc::clone(&self.engine);
        let catalog = &engine.catalog;
        if catalog.is_read_only() {
            let message = "RESTORE needs a database that is not opened read-only";
            return Err(Error::new(codes::TABLE_IS_READ_ONLY, message));
        }
        let reader = self.open_backup(&backup.location, settings.base.as_ref())?;
        let totals = reader.totals();
        catalog.backups().update(id, |operation| operation.totals = totals);
        let state = catalog.pinned();
        let mut planner = Planner {
            session: self,
            state: &state,
            reader: &reader,
            settings,
            renames: super::definitions::Renames::default(),
            objects: Vec::new(),
        };
        for element in &backup.elements {
            planner.element(element)?;
        }
        let plan = planner.plan()?;
        // Parts that are merged away meanwhile can be removed.
        drop(state);
        let context = self.context(&self.settings, options);
        let function_context = self.function_context(&self.settings);
        let fill = Fill {
            session: self,
            reader: &reader,
            settings,
            context: &context,
            function_context: &function_context,
            id,
        };
        let temporary = fill.all(plan, options)?;
        self.temporary.extend(temporary);
        refresher::look_again(&engine);
        Ok(())
    }
}

/// The work of restoring from one backup.
struct Fill<'a> {
    session: &'a Session,
    reader: &'a BackupReader,
    settings: &'a BackupSettings,
    context: &'a QueryContext,
    function_context: &'a StatementContext,
    id: &'a str,
}

impl Fill<'_> {
    /// Restores what is planned. Answers the new temporary tables, which belong to the session.
    fn all(&self, plan: Plan, options: &QueryOptions) -> Result<Vec<(String, Arc<Entry>)>> {
        let Plan { databases, functions, tables, temporary } = plan;
        let mut definitions = Vec::new();
        for wanted in tables.iter().filter(|wanted| wanted.existing.is_none()) {
            refuse_system(&wanted.name.0)?;
            definitions.push(RestoredDefinition {
                name: wanted.name.clone(),
                version: wanted.language,
                text: wanted.text.clone(),
                columns: self.columns(wanted)?,
            });
        }
        let catalog = &self.session.engine.catalog;
        let restored = catalog.make_restored(definitions, self.function_context)?;
        let mut publication = Publication { databases, functions, ..Publication::default() };
        let mut prepared = Vec::new();
        for wanted in &tables {
            let entry = match &wanted.existing {
                Some(entry) => Some(entry),
                None => restored.get(&wanted.name),
            };
            let entry = entry.ok_or_else(|| Error::logical("a restored table is missing"))?;
            let (parts, rows) = self
                .table(wanted, entry)
                .map_err(|e| e.context(format!("Table {}.{}", wanted.name.0, wanted.name.1)))?;
            if wanted.existing.is_some() && (parts.is_some() || !rows.is_empty()) {
                publication.existing.push((wanted.name.clone(), Arc::clone(entry)));
            }
            publication.parts.extend(parts);
            match wanted.existing {
                // Nobody sees the table yet.
                None => commit(rows)?,
                Some(_) => prepared.extend(rows),
            }
            self.note();
        }
        let temporary = temporary.iter().map(|wanted| self.temporary(wanted));
        let temporary = temporary.collect::<Result<Vec<_>>>()?;
        options.cancel.check()?;
        restored.publish(publication)?;
        commit(prepared)?;
        Ok(temporary)
    }

    fn note(&self) {
        let read = self.reader.read_so_far();
        let backups = self.session.engine.catalog.backups();
        backups.update(self.id, |operation| operation.read = read);
    }

    /// The names of the files of a table's rows, behind what all of them begin with.
    fn files(&self, wanted: &Wanted) -> Vec<&str> {
        if wanted.data.is_empty() {
            return Vec::new();
        }
        let files = self.reader.manifest().files.iter();
        files.filter_map(|file| file.name.strip_prefix(&wanted.data)).collect()
    }

    /// The record of a table's parts.
    fn record(&self, wanted: &Wanted) -> Result<Option<Vec<u8>>> {
        match self.files(wanted).contains(&RECORD) {
            true => self.reader.bytes(&format!("{}{RECORD}", wanted.data)).map(Some),
            false => Ok(None),
        }
    }

    fn columns(&self, wanted: &Wanted) -> Result<Option<ColumnIds>> {
        self.record(wanted)?.map(|record| columns_of_backup(&record)).transpose()
    }

    /// Prepares the rows of a table.
    fn table(
        &self,
        wanted: &Wanted,
        entry: &Arc<Entry>,
    ) -> Result<(Option<RestoredParts>, Vec<Prepared>)> {
        let nothing = (None, Vec::new());
        if self.settings.structure_only || wanted.data.is_empty() {
            return Ok(nothing);
        }
        if let Some(existing) = &wanted.existing {
            self.session.engine.catalog.check_usable(existing)?;
        }
        let which: BTreeSet<String> = wanted
            .partitions
            .iter()
            .map(|partition| partition_of(&*entry.table, partition, self.function_context))
            .collect::<Result<_>>()?;
        let is_new = wanted.existing.is_none();
        if let Some(table) = of_parts(entry) {
            let Some(record) = self.record(wanted)? else { return Err(other_engine()) };
            let wants = |id: &str| which.is_empty() || which.contains(id);
            let parts = table.restore_parts(&record, wants, is_new)?;
            let is_empty = || Ok(table.part_summaries().is_empty());
            self.refuse_full(wanted, parts.rows() > 0, is_empty)?;
            for (name, path) in parts.files() {
                self.copy(&format!("{}{name}", wanted.data), parts.disk(), path)?;
            }
            parts.written()?;
            return Ok((Some(parts), Vec::new()));
        }
        let mut files = self.files(wanted);
        if files.contains(&RECORD) {
            return Err(other_engine());
        }
        files.sort_by_key(|file| file.strip_prefix("rows-").and_then(|n| n.parse::<u64>().ok()));
        self.refuse_full(wanted, !files.is_empty(), || {
            Ok(entry.table.snapshot()?.row_count() == Some(0))
        })?;
        if files.is_empty() {
            return Ok(nothing);
        }
        Ok((None, self.rows(wanted, &files, entry)?))
    }

    fn rows(&self, wanted: &Wanted, files: &[&str], entry: &Entry) -> Result<Vec<Prepared>> {
        let mut insert = RowsInsert::new(&*entry.table, self.context)?;
        for file in files {
            insert.add(&self.reader.bytes(&format!("{}{file}", wanted.data))?)?;
        }
        insert.finish(self.context)
    }

    /// Fails if rows would be added to a table that has some.
    fn refuse_full(
        &self,
        wanted: &Wanted,
        has_rows: bool,
        is_empty: impl FnOnce() -> Result<bool>,
    ) -> Result<()> {
        let allowed = self.settings.allow_non_empty_tables || wanted.existing.is_none();
        if allowed || !has_rows || is_empty()? {
            return Ok(());
        }
        let message = format!(
            "Cannot restore the table {}.{} because it already contains some data. You can set \
             structure_only=true or allow_non_empty_tables=true to overcome that in the way you \
             want",
            wanted.name.0, wanted.name.1
        );
        Err(Error::new(codes::CANNOT_RESTORE_TABLE, message))
    }

    /// Copies a file of the backup to its place, durably, and checks it.
    fn copy(&self, name: &str, disk: &Arc<dyn Disk>, path: &str) -> Result<()> {
        let mut file = disk.create(path)?;
        self.reader.read(name, &mut |piece| file.write_all(piece))?;
        file.sync()
    }

    /// A temporary table with its rows.
    fn temporary(&self, wanted: &Wanted) -> Result<(String, Arc<Entry>)> {
        let name = wanted.name.1.clone();
        if self.session.temporary.contains_key(&name) {
            let message = format!("Temporary table {name} already exists");
            return Err(Error::new(codes::TABLE_ALREADY_EXISTS, message));
        }
        let StatementKind::CreateTable(create) = entasis_sql::parse_statement(&wanted.text)?.kind
        else {
            let message = format!("The temporary table {name} in the backup is none");
            return Err(Error::new(codes::BACKUP_DAMAGED, message));
        };
        let mut create = *create;
        let zone = crate::definition::zone::take(&mut create)?;
        let zone = zone.unwrap_or(self.session.engine.time_zone);
        let context = self.function_context.in_zone(zone);
        let (_, definition) = definition_of(create, &context)?;
        let table = Memory::new(Arc::clone(&definition.schema));
        let entry = Entry { table, definition: Some(Arc::new(definition)), view: None, id: None };
        let files = self.files(wanted);
        if !files.is_empty() && !self.settings.structure_only {
            commit(self.rows(wanted, &files, &entry)?)?;
        }
        Ok((name, Arc::new(entry)))
    }
}

#[cold]
fn other_engine() -> Error {
    let message = "The table keeps its rows in another way than the table in the backup. Restore \
                   under another name (RESTORE TABLE t AS t2) and copy the rows by INSERT INTO t \
                   SELECT * FROM t2";
    Error::new(codes::CANNOT_RESTORE_TABLE, message)
}
