//! What RESTORE does: which objects of the backup it restores, under which names, and which of them
//! exist already.

use std::sync::Arc;

use entasis_backup::{BackupReader, Manifest, Object, ObjectKind};
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, BackupElement};

use super::definitions::{Renames, canonical, inner_name, inner_uuid, renamed, same_parts};
use super::select::of_parts;
use super::settings::{BackupSettings, Creation};
use crate::Session;
use crate::catalog::functions::SqlFunction;
use crate::catalog::pinned::PinnedCatalog;
use crate::catalog::{Entry, functions, unknown_database};
use crate::definition::view::Name;
use crate::process::new_query_id;

/// A table, a view or a dictionary that is restored.
pub(super) struct Wanted {
    pub name: Name,
    /// Version of the language of `text`.
    pub language: u32,
    /// Its definition under the new name.
    pub text: String,
    /// The files of its rows begin with this; empty if there are none.
    pub data: String,
    /// Only these partitions; all if there are none.
    pub partitions: Vec<ast::Partition>,
    /// The table that exists already.
    pub existing: Option<Arc<Entry>>,
}

/// What a statement restores.
#[derive(Default)]
pub(super) struct Plan {
    /// New databases with their texts.
    pub databases: Vec<(String, String)>,
    /// New functions.
    pub functions: Vec<(String, Arc<SqlFunction>)>,
    pub tables: Vec<Wanted>,
    pub temporary: Vec<Wanted>,
}

/// Makes a [`Plan`].
pub(super) struct Planner<'a> {
    pub session: &'a Session,
    pub state: &'a PinnedCatalog,
    pub reader: &'a BackupReader,
    pub settings: &'a BackupSettings,
    pub renames: Renames,
    /// The objects that the statement names, with the partitions of each.
    pub objects: Vec<(&'a Object, Vec<ast::Partition>)>,
}

#[cold]
fn not_found(what: &str) -> Error {
    Error::new(codes::BACKUP_ENTRY_NOT_FOUND, format!("{what} not found in backup"))
}

fn is_table(object: &Object) -> bool {
    matches!(object.kind, ObjectKind::Table | ObjectKind::View | ObjectKind::Dictionary)
}

impl<'a> Planner<'a> {
    fn manifest(&self) -> &'a Manifest {
        self.reader.manifest()
    }

    /// Notes what an element of the statement names.
    pub fn element(&mut self, element: &BackupElement) -> Result<()> {
        match element {
            BackupElement::Table { temporary, name, new_name, partitions } => {
                self.named(*temporary, name, new_name.as_ref(), partitions)
            }
            BackupElement::Database { name, new_name, except } => {
                if let Some(new_name) = new_name {
                    let pair = (name.name.clone(), new_name.name.clone());
                    self.renames.databases.push(pair);
                }
                let except: Vec<&str> = except.iter().map(|name| name.table.as_str()).collect();
                let before = self.objects.len();
                for object in &self.manifest().objects {
                    let is_itself = object.kind == ObjectKind::Database && object.name == name.name;
                    let is_in = is_table(object)
                        && object.database == name.name
                        && !except.contains(&object.name.as_str());
                    if is_itself || is_in {
                        self.add(object, &[]);
                    }
                }
                if self.objects.len() == before {
                    return Err(not_found(&format!("Database {}", name.name)));
                }
                Ok(())
            }
            BackupElement::Function(name) => {
                let is_it = |object: &&Object| {
                    object.kind == ObjectKind::Function && object.name == name.name
                };
                let found = self.manifest().objects.iter().find(is_it);
                let found = found.ok_or_else(|| not_found(&format!("Function {}", name.name)))?;
                self.add(found, &[]);
                Ok(())
            }
            BackupElement::All { except_databases, except_tables } => {
                let except: Vec<Name> =
                    except_tables.iter().map(|name| self.session.full_name(name)).collect();
                for object in &self.manifest().objects {
                    let database = match object.kind {
                        ObjectKind::Database => &object.name,
                        _ => &object.database,
                    };
                    let name = (object.database.clone(), object.name.clone());
                    let is_excepted = except_databases.iter().any(|d| d.name == *database)
                        || is_table(object) && except.contains(&name);
                    if !is_excepted {
                        self.add(object, &[]);
                    }
                }
                Ok(())
            }
        }
    }

    fn add(&mut self, object: &'a Object, partitions: &[ast::Partition]) {
        if !self.objects.iter().any(|(known, _)| std::ptr::eq(*known, object)) {
            self.objects.push((object, partitions.to_vec()));
        }
    }

    fn named(
        &mut self,
        temporary: bool,
        name: &ast::TableName,
        new_name: Option<&ast::TableName>,
        partitions: &[ast::Partition],
    ) -> Result<()> {
        let objects = &self.manifest().objects;
        if temporary {
            let is_it = |object: &&Object| {
                object.kind == ObjectKind::Temporary && object.name == name.table.name
            };
            let what = || not_found(&format!("Temporary table {}", name.table.name));
            let found = objects.iter().find(is_it).ok_or_else(what)?;
            if let Some(new) = new_name {
                let pair = |name: &ast::TableName| (String::new(), name.table.name.clone());
                self.renames.tables.push((pair(name), pair(new)));
            }
            self.add(found, partitions);
            return Ok(());
        }
        let full = self.session.full_name(name);
        let find = |(database, table): &Name| {
            let is_it = |o: &&Object| is_table(o) && o.database == *database && o.name == *table;
            objects.iter().find(is_it)
        };
        let found =
            find(&full).ok_or_else(|| not_found(&format!("Table {}.{}", full.0, full.1)))?;
        if let Some(new_name) = new_name {
            self.renames.tables.push((full.clone(), self.session.full_name(new_name)));
        }
        self.add(found, partitions);
        if found.kind == ObjectKind::View
            && let Some(uuid) = inner_uuid(&self.text(found)?, found.language)?
            && let Some(inner) = find(&(full.0, inner_name(&uuid)))
        {
            self.add(inner, &[]);
        }
        Ok(())
    }

    fn text(&self, object: &Object) -> Result<String> {
        let bytes = self.reader.bytes(&object.definition)?;
        String::from_utf8(bytes).map_err(|_| {
            let message = format!("The definition of {} in the backup is no text", object.name);
            Error::new(codes::BACKUP_DAMAGED, message)
        })
    }

    fn existing(&self, name: &Name) -> Option<&'a Arc<Entry>> {
        self.state.entry(&name.0, &name.1)
    }

    /// The inner tables of views get new names, unless the view exists: then it keeps its table.
    /// Answers the UUID of each view by its old name.
    fn inner_tables(&mut self) -> Result<Vec<(Name, String)>> {
        let mut uuids = Vec::new();
        for (object, _) in self.objects.clone() {
            if object.kind != ObjectKind::View {
                continue;
            }
            let old = (object.database.clone(), object.name.clone());
            let Some(uuid) = inner_uuid(&self.text(object)?, object.language)? else { continue };
            let new = self.renames.table(&old);
            let existing =
                self.existing(&new).and_then(|entry| entry.view.as_ref()?.statement().uuid.clone());
            let new_uuid = existing.unwrap_or_else(new_query_id);
            let inner = (new.0, inner_name(&new_uuid));
            self.renames.tables.push(((old.0.clone(), inner_name(&uuid)), inner));
            uuids.push((old, new_uuid));
        }
        Ok(uuids)
    }

    /// The plan for everything that was noted.
    pub fn plan(mut self) -> Result<Plan> {
        let uuids = self.inner_tables()?;
        let mut plan = Plan::default();
        for (object, _) in &self.objects {
            match object.kind {
                ObjectKind::Database => plan.databases.extend(self.new_database(object)?),
                ObjectKind::Function => plan.functions.extend(self.new_function(object)?),
                _ => {}
            }
        }
        for (object, partitions) in &self.objects {
            let old = (object.database.clone(), object.name.clone());
            let (text, language, data) = (self.text(object)?, object.language, object.data.clone());
            if object.kind == ObjectKind::Temporary {
                let (name, partitions) = (self.renames.table(&old), partitions.clone());
                let existing = None;
                let wanted = Wanted { name, language, text, data, partitions, existing };
                plan.temporary.push(wanted);
            } else if is_table(object) {
                let uuid = uuids.iter().find(|(view, _)| *view == old).map(|(_, uuid)| uuid);
                let uuid = uuid.map(String::as_str);
                let text = renamed((&text, language), &old, &self.renames, uuid)?;
                let (name, partitions) = (self.renames.table(&old), partitions.clone());
                let existing = self.checked(&name, &text, language, &plan.databases)?;
                let wanted = Wanted { name, language, text, data, partitions, existing };
                plan.tables.push(wanted);
            }
        }
        let mut names: Vec<&Name> = plan.tables.iter().map(|wanted| &wanted.name).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("Two tables would be restored as {}.{}", pair[0].0, pair[0].1);
            return Err(Error::new(codes::CANNOT_RESTORE_TABLE, message));
        }
        Ok(plan)
    }

    fn new_database(&self, object: &Object) -> Result<Option<(String, String)>> {
        let name = self.renames.database(&object.name);
        match (self.state.tables(&name).is_some(), self.settings.create_database) {
            (true, Creation::Always) => {
                let message = format!("Database {name} already exists");
                Err(Error::new(codes::DATABASE_ALREADY_EXISTS, message))
            }
            (true, _) => Ok(None),
            (false, Creation::Never) => Err(unknown_database(&name)),
            (false, _) => {
                let text = self.text(object)?;
                Ok(Some((name, text)))
            }
        }
    }

    fn new_function(&self, object: &Object) -> Result<Option<(String, Arc<SqlFunction>)>> {
        let name = &object.name;
        match (self.state.functions.contains_key(name), self.settings.create_function) {
            (true, Creation::Always) => {
                let message = format!("The user-defined function '{name}' already exists");
                Err(Error::new(codes::FUNCTION_ALREADY_EXISTS, message))
            }
            (true, _) => Ok(None),
            (false, Creation::Never) => Err(not_found(&format!("Function {name}"))),
            (false, _) => {
                let function = functions::parse(&self.text(object)?)?;
                Ok(Some((name.clone(), Arc::new(function))))
            }
        }
    }

    /// The table that has the name of a restored one; `None` if it is to be created.
    fn checked(
        &self,
        name: &Name,
        text: &str,
        language: u32,
        new_databases: &[(String, String)],
    ) -> Result<Option<Arc<Entry>>> {
        let (database, table) = name;
        let Some(entry) = self.existing(name) else {
            if self.settings.create_table == Creation::Never {
                let message = format!("Table {database}.{table} does not exist");
                return Err(Error::new(codes::UNKNOWN_TABLE, message));
            }
            let is_there = self.state.tables(database).is_some()
                || new_databases.iter().any(|(new, _)| new == database);
            return if is_there { Ok(None) } else { Err(unknown_database(database)) };
        };
        if self.settings.create_table == Creation::Always {
            let message = format!("Table {database}.{table} already exists");
            return Err(Error::new(codes::TABLE_ALREADY_EXISTS, message));
        }
        let record = self.state.record(entry);
        let own = record.map(|record| canonical(&record.definition, record.version)).transpose()?;
        let of_backup = canonical(text, language)?;
        if own.as_ref() != Some(&of_backup) && !self.settings.allow_different_table_def {
            let message = format!(
                "The table has a different definition: {} comparing to its definition in the \
                 backup: {of_backup}: While checking table {database}.{table}",
                own.unwrap_or_default()
            );
            return Err(Error::new(codes::CANNOT_RESTORE_TABLE, message));
        }
        let own = record.map(|record| (record.definition.as_str(), record.version));
        if of_parts(entry).is_some() && !same_parts(own.unwrap_or_default(), (text, language))? {
            let message = format!(
                "Table {database}.{table} has another engine or other keys than the table in the \
                 backup, so it cannot read the parts. Restore under another name (RESTORE TABLE t \
                 AS t2) and copy the rows by INSERT INTO t SELECT * FROM t2"
            );
            return Err(Error::new(codes::CANNOT_RESTORE_TABLE, message));
        }
        Ok(Some(Arc::clone(entry)))
    }
}
