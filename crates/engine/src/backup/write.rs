//! Writes what BACKUP has selected.

use std::collections::BTreeSet;

use entasis_backup::{BackupWriter, Content, Object, ObjectKind, Options};
use entasis_base::{Error, Result, codes};
use entasis_pipeline::QueryContext;
use entasis_sql::ast;
use entasis_table_api::PinnedStores;

use super::definitions::renamed;
use super::rows;
use super::select::{Chosen, Rows, Selection, Selector};
use super::settings::BackupSettings;
use super::shown;
use crate::catalog::pinned::PinnedCatalog;
use crate::process::new_query_id;
use crate::{QueryOptions, Session};

/// The name of the record of a table among the files of its rows.
pub(super) const RECORD: &str = "parts";

/// A name as a part of a path: letters, digits and `_` stay, other bytes become `%` and two digits.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => out.push(byte as char),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

impl Session {
    pub(super) fn write_backup(
        &mut self,
        backup: &ast::Backup,
        settings: &BackupSettings,
        id: &str,
        options: &QueryOptions,
    ) -> Result<()> {
        let engine = &self.engine;
        let location = self.backup_location(&backup.location, true)?;
        let base = match &settings.base {
            None => None,
            Some(base) => Some((self.open_backup(base, None)?, shown(base))),
        };
        let of_backup = Options {
            identity: new_query_id(),
            made: engine.clock.now().as_secs(),
            base,
            deduplicate: settings.deduplicate,
            archive: settings.archive,
        };
        // The place is taken before the state is pinned, so that a statement that fails here has
        // cost nothing.
        let writer = BackupWriter::create(location.as_ref(), of_backup)?;
        let context = self.function_context(&self.settings);
        let mut state = engine.catalog.pinned();
        let mut selector = Selector {
            session: self,
            state: &state,
            context: &context,
            structure_only: settings.structure_only,
            found: Selection::default(),
        };
        for element in &backup.elements {
            selector.element(element)?;
        }
        let found = selector.found;
        // From here on only what was selected is kept from being merged away.
        state.stores = PinnedStores::default();
        let context = self.context(&self.settings, options);
        let mut copy = Copy { session: self, state: &state, writer, context: &context, id };
        copy.all(found)?;
        options.cancel.check()?;
        let totals = copy.writer.finish()?;
        engine.catalog.backups().update(id, |operation| operation.totals = totals);
        Ok(())
    }
}

/// The work of writing one backup.
struct Copy<'a> {
    session: &'a Session,
    state: &'a PinnedCatalog,
    writer: BackupWriter,
    context: &'a QueryContext,
    id: &'a str,
}

impl Copy<'_> {
    fn all(&mut self, found: Selection) -> Result<()> {
        let Selection { databases, mut tables, temporary, functions, renames } = found;
        for name in functions.iter().collect::<BTreeSet<_>>() {
            if let Some(function) = self.state.functions.get(name) {
                let file = format!("metadata/functions/{}.sql", escaped(name));
                self.define(
                    ObjectKind::Function,
                    ("", name),
                    (1, &function.text),
                    file,
                    String::new(),
                )?;
            }
        }
        for database in &databases {
            let name = renames.database(database);
            let file = format!("metadata/databases/{}.sql", escaped(&name));
            let text = self.state.database_text(database);
            if !self.writer.has(&file) {
                self.define(ObjectKind::Database, ("", &name), (1, text), file, String::new())?;
            }
        }
        let rank = |kind: ObjectKind| match kind {
            ObjectKind::View => 2,
            ObjectKind::Dictionary => 1,
            _ => 0,
        };
        tables.sort_by_key(|chosen| rank(chosen.kind));
        for chosen in tables {
            let record = self.state.record(&chosen.entry).ok_or_else(|| {
                let message = format!("Table {}.{} was not found", chosen.name.0, chosen.name.1);
                Error::new(codes::UNKNOWN_TABLE, message)
            })?;
            let definition = (record.definition.as_str(), record.version);
            let text = renamed(definition, &chosen.name, &renames, None)?;
            let (database, name) = renames.table(&chosen.name);
            let path = format!("{}/{}", escaped(&database), escaped(&name));
            let data = self.data_path(&chosen, format!("data/{path}/"));
            let file = format!("metadata/tables/{path}.sql");
            let of_text = (record.version, text.as_str());
            self.define(chosen.kind, (&database, &name), of_text, file, data.clone())?;
            self.rows(chosen, &data)?;
        }
        for chosen in temporary {
            let name = chosen.name.1.clone();
            let Some(definition) = &chosen.entry.definition else { continue };
            let text = definition.text(&name);
            let data = self.data_path(&chosen, format!("data/temporary/{}/", escaped(&name)));
            let file = format!("metadata/temporary/{}.sql", escaped(&name));
            let of_text = (text.version, text.text.as_str());
            self.define(ObjectKind::Temporary, ("", &name), of_text, file, data.clone())?;
            self.rows(chosen, &data)?;
        }
        Ok(())
    }

    fn data_path(&self, chosen: &Chosen, path: String) -> String {
        if matches!(chosen.rows, Rows::None) { String::new() } else { path }
    }

    fn define(
        &mut self,
        kind: ObjectKind,
        (database, name): (&str, &str),
        (language, text): (u32, &str),
        definition: String,
        data: String,
    ) -> Result<()> {
        self.writer.add(&definition, Content::Bytes(text.as_bytes()))?;
        let (database, name) = (database.to_owned(), name.to_owned());
        self.writer.object(Object { kind, database, name, language, definition, data });
        Ok(())
    }

    /// Writes the rows of a table. They are let go afterwards, so that merged parts can be removed.
    fn rows(&mut self, chosen: Chosen, data: &str) -> Result<()> {
        match chosen.rows {
            Rows::None => {}
            Rows::Parts(parts) => {
                self.writer.add(&format!("{data}{RECORD}"), Content::Bytes(&parts.record()))?;
                for (name, path) in parts.files() {
                    let content = Content::File { disk: parts.disk(), path: &path };
                    self.writer.add(&format!("{data}{name}"), content)?;
                    self.note();
                }
            }
            Rows::Snapshot(snapshot) => {
                let (writer, mut number) = (&mut self.writer, 0);
                let schema = chosen.entry.table.schema();
                rows::write(&schema, &*snapshot, self.context, &mut |bytes| {
                    number += 1;
                    writer.add(&format!("{data}rows-{number}"), Content::Bytes(bytes))
                })?;
                self.note();
            }
        }
        Ok(())
    }

    /// Tells `system.backups` how far the work has come.
    fn note(&self) {
        let totals = self.writer.totals();
        let backups = self.session.engine.catalog.backups();
        backups.update(self.id, |operation| operation.totals = totals);
    }
}
