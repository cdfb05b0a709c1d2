//! RENAME and EXCHANGE of tables, RENAME of databases. All items of a statement are one record of
//! the commit log, so that they happen together or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::Op;
use entasis_sql::ast::{self, ObjectKind};

use crate::Session;
use crate::catalog::{
    Databases, EngineCatalog, Entry, refuse_system, unknown_database, unknown_table,
};
use crate::definition::view::{Name, refuse_cycles};

/// Name of a table during an EXCHANGE; no statement can give it.
const NOWHERE: &str = "\u{0}exchange";

impl Session {
    pub(crate) fn rename(&self, rename: &ast::Rename) -> Result<()> {
        if rename.cluster.is_some() {
            return Err(Error::not_implemented("ON CLUSTER"));
        }
        let items: Vec<_> =
            rename.items.iter().map(|(a, b)| (self.full_name(a), self.full_name(b))).collect();
        if !rename.exchange && rename.object != ObjectKind::Database {
            for (from, _) in &items {
                self.check_dependents(|database, name| database == from.0 && name == from.1)?;
            }
        }
        self.engine.catalog.change_names(|databases| {
            let catalog = &self.engine.catalog;
            let mut names = Names { catalog, databases, ops: Vec::new() };
            if rename.object == ObjectKind::Dictionary {
                let to = items.iter().map(|(_, to)| to).filter(|_| rename.exchange);
                for name in items.iter().map(|(from, _)| from).chain(to) {
                    names.refuse_table(name)?;
                }
            }
            for (from, to) in &items {
                match rename.object {
                    ObjectKind::Database if rename.if_exists && !names.has_database(&from.1) => {}
                    ObjectKind::Database => names.database(&from.1, &to.1)?,
                    _ if rename.exchange => names.exchange(from, to)?,
                    _ if rename.if_exists && names.entry(from).is_err() => {}
                    _ => names.table(from, to)?,
                }
            }
            let Names { databases, ops, .. } = names;
            let view_of = |(database, name): &Name| {
                databases.get(database.as_str())?.get(name.as_str())?.view.clone()
            };
            refuse_cycles(items.iter().flat_map(|(from, to)| [from, to]), view_of)?;
            Ok(ops)
        })
    }
}

/// The names as the items so far have changed them.
struct Names<'a> {
    catalog: &'a EngineCatalog,
    databases: &'a mut Databases,
    ops: Vec<Op>,
}

impl Names<'_> {
    fn has_database(&self, name: &str) -> bool {
        self.databases.contains_key(name)
    }

    fn entry(&self, (database, table): &Name) -> Result<Arc<Entry>> {
        let tables =
            self.databases.get(database.as_str()).ok_or_else(|| unknown_database(database))?;
        let found = tables.get(table.as_str()).cloned();
        found.ok_or_else(|| unknown_table(self.databases, database, table))
    }

    /// Fails if a name is that of a table, where the statement means a dictionary.
    fn refuse_table(&self, name: &Name) -> Result<()> {
        match self.entry(name) {
            Ok(entry) if entry.table.engine() != "Dictionary" => {
                let message = "Use RENAME/EXCHANGE TABLE (instead of RENAME/EXCHANGE DICTIONARY) \
                               for tables";
                Err(Error::new(codes::INCORRECT_QUERY, message))
            }
            _ => Ok(()),
        }
    }

    fn table(&mut self, from: &Name, to: &Name) -> Result<()> {
        let entry = self.entry(from)?;
        // A log table of `system` may be renamed within `system`.
        if entry.id.is_none() || to.0 != from.0 {
            refuse_system(&from.0)?;
            refuse_system(&to.0)?;
        }
        let target = self.databases.get(to.0.as_str()).ok_or_else(|| unknown_database(&to.0))?;
        if target.contains_key(to.1.as_str()) {
            let message = format!("Table {}.{} already exists", to.0, to.1);
            return Err(Error::new(codes::TABLE_ALREADY_EXISTS, message));
        }
        refuse_move(from, to, &entry)?;
        // A name that the catalog shows belongs to a table that an item before has renamed.
        if self.catalog.entry(&to.0, &to.1).is_err() {
            self.catalog.refuse_detached(&to.0, &to.1)?;
        }
        self.place(from, to, &entry);
        Ok(())
    }

    fn exchange(&mut self, a: &Name, b: &Name) -> Result<()> {
        let (first, second) = (self.entry(a)?, self.entry(b)?);
        refuse_system(&a.0)?;
        refuse_system(&b.0)?;
        refuse_move(a, b, &first)?;
        refuse_move(b, a, &second)?;
        let aside = (a.0.clone(), NOWHERE.to_string());
        self.place(a, &aside, &first);
        self.place(b, a, &second);
        self.place(&aside, b, &first);
        Ok(())
    }

    fn place(&mut self, from: &Name, to: &Name, entry: &Arc<Entry>) {
        if let Some(tables) = self.databases.get_mut(from.0.as_str()) {
            Arc::make_mut(tables).remove(from.1.as_str());
        }
        if let Some(tables) = self.databases.get_mut(to.0.as_str()) {
            Arc::make_mut(tables).insert(to.1.as_str().into(), Arc::clone(entry));
        }
        if let Some(id) = entry.id {
            self.ops.push(Op::RenameTable { id, database: to.0.clone(), name: to.1.clone() });
        }
    }

    fn database(&mut self, from: &str, to: &str) -> Result<()> {
        let tables = self.databases.get(from).ok_or_else(|| unknown_database(from))?.clone();
        refuse_system(from)?;
        if self.databases.contains_key(to) {
            let message = format!("Database {to} already exists");
            return Err(Error::new(codes::DATABASE_ALREADY_EXISTS, message));
        }
        let definition = self.catalog.database_info(from).text(to);
        self.ops.push(Op::CreateDatabase { name: to.to_string(), definition });
        self.databases.insert(to.into(), Arc::default());
        let sorted: BTreeMap<_, _> = tables.iter().collect();
        for (name, entry) in sorted {
            let at = |database: &str| (database.to_string(), name.to_string());
            self.place(&at(from), &at(to), entry);
        }
        self.ops.extend(self.catalog.move_hidden(from, to));
        self.ops.push(Op::DropDatabase { name: from.to_string() });
        self.databases.remove(from);
        Ok(())
    }
}

/// Fails for a materialised view with an inner table that would get into another database.
fn refuse_move(from: &Name, to: &Name, entry: &Entry) -> Result<()> {
    let own = entry.view.as_ref().and_then(|view| view.materialized.as_ref());
    if from.0 != to.0 && own.is_some_and(|own| own.inner().is_some()) {
        let message = "Cannot move MaterializedView with inner table to other database: create it \
                       there with TO, or anew";
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    }
    Ok(())
}
