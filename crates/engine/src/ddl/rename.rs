//! RENAME and EXCHANGE of tables, RENAME of databases. All items of a statement are one record of
//! the commit log, so that they happen together or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::Op;
use entasis_sql::ast::{self, ObjectKind};

use crate::Session;
use crate::catalog::{Databases, Entry, refuse_system, unknown_database, unknown_table};
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
        self.engine.catalog.change_names(|databases| {
            let mut names = Names { databases, ops: Vec::new() };
            for (from, to) in &items {
                match rename.object {
                    ObjectKind::Database => names.database(&from.1, &to.1)?,
                    _ if rename.exchange => names.exchange(from, to)?,
                    _ if rename.if_exists && names.entry(from).is_err() => {}
                    _ => names.table(from, to)?,
                }
            }
            let Names { databases, ops } = names;
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
    databases: &'a mut Databases,
    ops: Vec<Op>,
}

impl Names<'_> {
    fn entry(&self, (database, table): &Name) -> Result<Arc<Entry>> {
        let tables =
            self.databases.get(database.as_str()).ok_or_else(|| unknown_database(database))?;
        let found = tables.get(table.as_str()).cloned();
        found.ok_or_else(|| unknown_table(self.databases, database, table))
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
        self.place(from, to, &entry);
        Ok(())
    }

    fn exchange(&mut self, a: &Name, b: &Name) -> Result<()> {
        let (first, second) = (self.entry(a)?, self.entry(b)?);
        refuse_system(&a.0)?;
        refuse_system(&b.0)?;
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
        self.ops.push(Op::CreateDatabase { name: to.to_string(), definition: String::new() });
        self.databases.insert(to.into(), Arc::default());
        let sorted: BTreeMap<_, _> = tables.iter().collect();
        for (name, entry) in sorted {
            let at = |database: &str| (database.to_string(), name.to_string());
            self.place(&at(from), &at(to), entry);
        }
        self.ops.push(Op::DropDatabase { name: from.to_string() });
        self.databases.remove(from);
        Ok(())
    }
}
