//! CHECK TABLE: reads everything that is stored of a table and compares checksums. It answers a row
//! for each part or file, as the reference does.

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Chunk, Column, Field, Header, Strings};
use entasis_mergetree::PartSummary;
use entasis_sql::ast::{self, Partition};
use entasis_types::DataType;

use crate::catalog::{Entry, unknown_database};
use crate::definition::view::Name;
use crate::statement::partition::partition_of;
use crate::{QueryResult, Session, engines, settings};

/// One part or file, and what is wrong with it; empty if nothing is.
struct Checked {
    table: Name,
    path: String,
    wrong: String,
}

impl Session {
    /// CHECK TABLE; CHECK DATABASE if only that is named, and CHECK ALL TABLES if nothing is.
    pub(crate) fn check(
        &self,
        name: &ast::TableName,
        partition: Option<&Partition>,
        changes: &[ast::SettingChange],
    ) -> Result<QueryResult> {
        let settings = self.settings_with(changes)?;
        let all = name.table.as_str().is_empty();
        let only = name.database.as_ref().filter(|_| all).map(|database| database.as_str());
        let mut rows = Vec::new();
        if let Some(database) = only.filter(|only| !self.engine.catalog.has_database(only)) {
            return Err(unknown_database(database));
        }
        if all {
            let names = self.engine.catalog.database_names().into_iter();
            for database in names.filter(|name| only.is_none_or(|only| only == &**name)) {
                // A database or table that is dropped meanwhile is left out.
                let tables = self.engine.catalog.tables(&database).unwrap_or_default();
                for (table, entry) in tables.iter().filter(|(_, entry)| entry.features().parts) {
                    let name = (database.to_string(), table.to_string());
                    self.check_entry(&name, entry, None, &mut rows)?;
                }
            }
        } else {
            let name = self.full_name(name);
            let entry = self.engine.catalog.entry(&name.0, &name.1)?;
            self.engine.catalog.check_usable(&entry)?;
            self.check_entry(&name, &entry, partition, &mut rows)?;
        }
        if only.is_some() && rows.iter().all(|row| row.wrong.is_empty()) {
            return Ok(QueryResult::nothing());
        }
        if settings.flag(settings::CHECK_SINGLE_VALUE) {
            let is_fine = u8::from(rows.iter().all(|row| row.wrong.is_empty()));
            let header = Header::new(vec![Field::new("result", DataType::UInt8)]);
            return Ok(QueryResult::ready(header, vec![Chunk::new(vec![vec![is_fine].into()], 1)]));
        }
        Ok(result(&rows, all))
    }

    fn check_entry(
        &self,
        name: &Name,
        entry: &Entry,
        partition: Option<&Partition>,
        rows: &mut Vec<Checked>,
    ) -> Result<()> {
        let mut add = |path: &str, wrong: &str| {
            let (path, wrong) = (path.to_string(), wrong.to_string());
            rows.push(Checked { table: name.clone(), path, wrong });
        };
        let (Some(id), Some(definition)) = (entry.id, &entry.definition) else {
            return Err(unsupported(entry));
        };
        let store = self.engine.catalog.store();
        if entry.features().parts {
            let context = self.function_context(&self.settings);
            let id_of = |partition| partition_of(&*entry.table, partition, &context);
            let partition_id = match partition {
                Some(Partition::Part(_)) | None => None,
                Some(partition) => Some(id_of(partition)?),
            };
            let is_meant = |part: &PartSummary| match (partition, &partition_id) {
                (Some(Partition::Part(name)), _) => part.name() == *name,
                (_, id) => id.as_ref().is_none_or(|id| part.partition == *id),
            };
            let mut found = false;
            store.check_parts(id, is_meant, |part, wrong| {
                found = true;
                add(&part.name(), wrong);
                scope::check()
            })?;
            if let (Some(Partition::Part(part)), false) = (partition, found) {
                let message = format!(
                    "No such data part '{part}' to check in table '{}.{}': system.parts lists them",
                    name.0, name.1
                );
                return Err(Error::new(codes::NO_SUCH_DATA_PART, message));
            }
            return Ok(());
        }
        let engine = engines::find(&definition.engine.name);
        let Some(files) = engine.and_then(|engine| engine.own_files.as_ref()) else {
            return Err(unsupported(entry));
        };
        let directory = store.own_data(id)?;
        let mut damaged = Vec::new();
        (files.check)(&definition.schema, &directory, &mut |path, what| {
            damaged.push((path.to_string(), what.to_string()));
        })?;
        let disk = directory.disk();
        let there = disk.exists(directory.path())?;
        let files = if there { disk.list(directory.path())? } else { Vec::new() };
        for file in files {
            let wrong = damaged.iter().find(|(path, _)| path.ends_with(&file.name));
            add(&file.name, wrong.map_or("", |(_, what)| what));
        }
        Ok(())
    }
}

#[cold]
fn unsupported(entry: &Entry) -> Error {
    let engine = entry.table.engine();
    Error::not_implemented(format!("Check query is not supported for {engine} storage"))
}

fn result(rows: &[Checked], all: bool) -> QueryResult {
    let texts =
        |of: &dyn Fn(&Checked) -> &str| Column::String(rows.iter().map(of).collect::<Strings>());
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    if all {
        fields.push(Field::new("database", DataType::String));
        fields.push(Field::new("table", DataType::String));
        columns.push(texts(&|row| &row.table.0));
        columns.push(texts(&|row| &row.table.1));
    }
    fields.push(Field::new("part_path", DataType::String));
    fields.push(Field::new("is_passed", DataType::UInt8));
    fields.push(Field::new("message", DataType::String));
    columns.push(texts(&|row| &row.path));
    let passed: Vec<u8> = rows.iter().map(|row| u8::from(row.wrong.is_empty())).collect();
    columns.push(passed.into());
    columns.push(texts(&|row| &row.wrong));
    QueryResult::ready(Header::new(fields), vec![Chunk::new(columns, rows.len())])
}
