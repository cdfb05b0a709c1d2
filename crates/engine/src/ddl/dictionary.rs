//! CREATE DICTIONARY: checks the statement and records the dictionary. Nothing is loaded.

use std::collections::HashSet;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::Store;
use entasis_sql::ast;

use crate::catalog::{Entry, Existing, refuse_system};
use crate::definition::view::Name;
use crate::dictionary::definition::DictionaryDefinition;
use crate::dictionary::handle::DictionaryHandle;
use crate::{Session, settings};

impl Session {
    /// Creates a dictionary.
    pub(crate) fn create_dictionary(&self, create: &ast::CreateDictionary) -> Result<()> {
        let (database, name) = self.full_name(&create.name);
        refuse_system(&database)?;
        let context = self.function_context(&self.settings);
        let definition = DictionaryDefinition::new(create.clone(), &context)?;
        let catalog = &self.engine.catalog;
        let own = (database.clone(), name.clone());
        self.refuse_circle(&own, &definition.source.tables(&database))?;
        let links = &self.engine.dictionaries;
        let make = |store: &Arc<Store>, stored_name: &str| {
            let id = store.create_table(&own.0, stored_name, &*definition.text(&own.1))?;
            let handle = DictionaryHandle::new(definition, own.clone(), links);
            Ok(Entry::of_dictionary(handle, id))
        };
        let mode = &create.mode;
        if mode.or_replace || mode.replace {
            let existing = Existing::Replaced;
            return catalog.create_aside(&database, &name, existing, make, |_| Ok(()));
        }
        let kept = mode.if_not_exists || self.settings.flag(settings::CREATE_IF_NOT_EXISTS);
        let existing = if kept { Existing::Kept } else { Existing::Refused };
        catalog.create_table(&database, &name, existing, |store| make(store, &name))
    }
}

impl Session {
    /// Fails if a dictionary reads a table that is to be dropped or renamed, or if a table shows a
    /// dictionary that is. `is_dropped` says which tables that is; what is dropped along does not
    /// count.
    pub(super) fn check_dependents(&self, is_dropped: impl Fn(&str, &str) -> bool) -> Result<()> {
        if !self.settings.flag(settings::CHECK_DEPENDENCIES) {
            return Ok(());
        }
        let catalog = &self.engine.catalog;
        for database in catalog.database_names() {
            let Ok(tables) = catalog.tables(&database) else { continue };
            for (name, entry) in tables {
                let used = entry.needs(&database);
                let needed = used.iter().find(|(database, table)| is_dropped(database, table));
                if let Some((of, table)) = needed.filter(|_| !is_dropped(&database, &name)) {
                    let message = format!(
                        "Cannot drop or rename {of}.{table}, because some tables depend on it: \
                         {database}.{name}: drop that first, or set check_table_dependencies = 0"
                    );
                    return Err(Error::new(codes::HAVE_DEPENDENT_OBJECTS, message));
                }
            }
        }
        Ok(())
    }
}

impl Session {
    /// Fails if an object under the name `own` that uses these tables and dictionaries would use
    /// itself by way of others.
    pub(super) fn refuse_circle(&self, own: &Name, used: &[Name]) -> Result<()> {
        let catalog = &self.engine.catalog;
        let (mut seen, mut left) = (HashSet::new(), used.to_vec());
        left.retain(|name| name != own);
        while let Some(next) = left.pop() {
            if next == *own {
                let list: Vec<String> =
                    used.iter().map(|(of, table)| format!("{of}.{table}")).collect();
                let message = format!(
                    "Cannot add dependencies for '{0}.{1}', because it will lead to cyclic \
                     dependencies: {0}.{1} -> [{2}]",
                    own.0,
                    own.1,
                    list.join(", ")
                );
                return Err(Error::new(codes::INFINITE_LOOP, message));
            }
            if let Ok(entry) = catalog.entry(&next.0, &next.1)
                && seen.insert(next.clone())
            {
                left.extend(entry.needs(&next.0));
            }
        }
        Ok(())
    }
}

/// Fails if DROP DICTIONARY names a table, or DROP TABLE a dictionary.
pub(super) fn check_drop(
    object: ast::ObjectKind,
    database: &str,
    table: &str,
    entry: Option<&Arc<Entry>>,
) -> Result<()> {
    let is_dictionary = match entry {
        Some(entry) => entry.dictionary().is_some(),
        None => return Ok(()),
    };
    match (object, is_dictionary) {
        (ast::ObjectKind::Dictionary, false) => {
            let message = format!("Table {database}.{table} is not a Dictionary");
            Err(Error::new(codes::INCORRECT_QUERY, message))
        }
        (ast::ObjectKind::Table, true) => {
            let message = format!(
                "Cannot drop/detach dictionary {database}.{table} as table, use DROP DICTIONARY or \
                 DETACH DICTIONARY query instead"
            );
            Err(Error::new(codes::CANNOT_DETACH_DICTIONARY_AS_TABLE, message))
        }
        _ => Ok(()),
    }
}
