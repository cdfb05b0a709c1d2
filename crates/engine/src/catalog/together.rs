//! Tables that are made under temporary names, filled, and then get their own names in one record
//! of the commit log: a table that replaces another one, and a view with its inner table.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::{Op, Store};

use super::handed_on::close;
use super::{ASIDE, EngineCatalog, Entry, Existing, NameState, drop_op};
use crate::definition::view::{Name, ViewDefinition};

/// A table that was made under a temporary name, and the name that it will get.
pub(crate) struct NewTable {
    pub name: String,
    pub entry: Arc<Entry>,
}

impl NewTable {
    pub(crate) fn new(name: &str, entry: Entry) -> Self {
        Self { name: name.to_owned(), entry: Arc::new(entry) }
    }
}

impl EngineCatalog {
    /// Creates a table with `make` under a temporary name that no statement can give, and fills it
    /// with `fill`. One commit then gives the table its own name and drops the table that it
    /// replaces. If anything fails, the new table is dropped and the old one stays as it was.
    pub(crate) fn create_aside(
        &self,
        database: &str,
        name: &str,
        existing: Existing,
        make: impl FnOnce(&Arc<Store>, &str) -> Result<Entry>,
        fill: impl FnOnce(&Entry) -> Result<()>,
    ) -> Result<()> {
        let make = |store: &Arc<Store>, aside: &dyn Fn() -> String| {
            Ok(vec![NewTable::new(name, make(store, &aside())?)])
        };
        self.create_together(database, existing, name, make, |tables| match tables {
            [table, ..] => fill(&table.entry),
            [] => Ok(()),
        })
    }

    /// As [`Self::create_aside`], for several tables of one database: one commit gives all of them
    /// their names. The last one is called `name`, and may replace a table.
    pub(crate) fn create_together(
        &self,
        database: &str,
        existing: Existing,
        name: &str,
        make: impl FnOnce(&Arc<Store>, &dyn Fn() -> String) -> Result<Vec<NewTable>>,
        fill: impl FnOnce(&[NewTable]) -> Result<()>,
    ) -> Result<()> {
        if let NameState::Taken = self.place(database, name, existing)? {
            return Ok(());
        }
        let aside = || format!("{ASIDE}{}", self.aside.fetch_add(1, Ordering::Relaxed));
        let tables = make(&self.store, &aside)?;
        let done = fill(&tables).and_then(|()| self.publish(database, name, existing, &tables));
        if !matches!(done, Ok(true)) {
            for id in tables.iter().filter_map(|table| table.entry.id) {
                // If the disk fails here, the table is dropped when the store is opened again.
                let _ = self.store.drop_table(id);
            }
        }
        done.map(drop)
    }

    /// Gives tables with temporary names their own names; answers whether the name was free.
    fn publish(
        &self,
        database: &str,
        name: &str,
        existing: Existing,
        tables: &[NewTable],
    ) -> Result<bool> {
        let _held = self.lock_changes();
        let (mut ops, mut gone) = (Vec::new(), None);
        match self.place(database, name, existing)? {
            NameState::Taken => return Ok(false),
            NameState::Replaces(old) => {
                close(&old);
                ops.extend(old.id.map(drop_op));
                gone = self.inner_of(database, &old);
                ops.extend(gone.iter().filter_map(|(_, inner)| inner.id).map(drop_op));
            }
            NameState::Free => {}
        }
        for NewTable { name, entry } in tables {
            if let Some(view) = &entry.view {
                // Another view may have been created since this one was checked.
                let view_of =
                    |(database, name): &Name| self.entry(database, name).ok()?.view.clone();
                view.refuse_cycle(&(database.to_string(), name.clone()), view_of)?;
            }
            let (to, name) = (database.to_string(), name.clone());
            ops.extend(entry.id.map(|id| Op::RenameTable { id, database: to, name }));
        }
        self.store.execute_all(ops)?;
        self.change(|databases| {
            let in_database = Arc::make_mut(databases.entry(database.into()).or_default());
            if let Some((inner, _)) = gone {
                in_database.remove(inner.as_str());
            }
            let new = tables.iter().map(|new| (new.name.as_str().into(), Arc::clone(&new.entry)));
            in_database.extend(new);
        });
        Ok(true)
    }

    /// Replaces the definition of a view, unless another statement has replaced it meanwhile.
    pub(crate) fn replace_view(
        &self,
        database: &str,
        name: &str,
        old: &Arc<ViewDefinition>,
        new: ViewDefinition,
    ) -> Result<()> {
        let _held = self.lock_changes();
        let entry = self.entry(database, name)?;
        let is_same = entry.view.as_ref().is_some_and(|view| Arc::ptr_eq(view, old));
        let Some(id) = entry.id.filter(|_| is_same) else {
            let message = format!("View {database}.{name} was changed meanwhile: try again");
            return Err(Error::new(codes::UNKNOWN_TABLE, message));
        };
        self.store.alter_table(id, new.text(name))?;
        self.put(database, name, Arc::new(Entry::of_view(new, id)));
        Ok(())
    }
}
