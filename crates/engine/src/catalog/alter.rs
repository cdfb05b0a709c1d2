//! ALTER of a table: its definition and, if columns change, the table itself are replaced.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_mergetree::MergeTreeTable;
use entasis_table_api::ColumnDef;

use super::{EngineCatalog, Entry};
use crate::definition::TableDefinition;
use crate::engines::{self, Altered, Attach, Lineage};

/// What an ALTER makes of a table.
pub(crate) struct Alteration {
    /// The definition after the statement.
    pub definition: TableDefinition,
    /// Makes the new version of the table; `None` if the storage need not know of the change.
    pub attach: Option<Attach>,
    /// Whose values the new columns have.
    pub lineage: Lineage,
}

impl EngineCatalog {
    /// Converts the values of columns whose types an ALTER changes, before the catalog is locked
    /// for it, so that other statements about the catalog need not wait.
    fn rehearse(
        &self,
        database: &str,
        name: &str,
        change: &impl Fn(&Entry) -> Result<Option<Alteration>>,
    ) -> Result<()> {
        let entry = self.entry(database, name)?;
        let any: &dyn std::any::Any = &*entry.table;
        let Some(id) = entry.id.filter(|_| any.is::<MergeTreeTable>()) else { return Ok(()) };
        self.check_usable(&entry)?;
        let Some(Alteration { definition, attach, lineage }) = change(&entry)? else {
            return Ok(());
        };
        let old = entry.table.schema();
        let is_retyped = |column: &ColumnDef| {
            let origin = lineage.get(&*column.name).and_then(Option::as_deref);
            let place = origin.and_then(|origin| old.position(origin));
            place.is_some_and(|at| old.columns[at].ty != column.ty)
        };
        let Some(attach) = attach.filter(|_| definition.schema.stored().iter().any(is_retyped))
        else {
            return Ok(());
        };
        let (table, text, lineage) = (&*entry.table, definition.text(name), &lineage);
        let altered = Some(Altered { table, definition: &text, lineage, rehearses: true });
        attach(&engines::TableLocation { store: &self.store, id, altered }).map(drop)
    }

    /// Replaces the definition of a table by the one that `change` answers, in one record of the
    /// log. If `change` also answers an [`Attach`], columns are altered, and the table that it
    /// makes replaces the old one.
    pub(crate) fn alter_table(
        &self,
        database: &str,
        name: &str,
        change: impl Fn(&Entry) -> Result<Option<Alteration>>,
    ) -> Result<()> {
        self.rehearse(database, name, &change)?;
        let _held = self.lock_changes();
        let entry = self.entry(database, name)?;
        self.check_usable(&entry)?;
        let Some(Alteration { definition, attach, lineage }) = change(&entry)? else {
            return Ok(());
        };
        let id = entry.id.ok_or_else(|| Error::not_implemented("ALTER of this table"))?;
        let text = definition.text(name);
        let table = match attach {
            None => {
                self.store.alter_table(id, text)?;
                Arc::clone(&entry.table)
            }
            Some(attach) => {
                let (table, definition, lineage) = (&*entry.table, &text, &lineage);
                let altered = Some(Altered { table, definition, lineage, rehearses: false });
                attach(&engines::TableLocation { store: &self.store, id, altered })?
            }
        };
        let definition = Some(Arc::new(definition));
        self.put(database, name, Arc::new(Entry { table, definition, view: None, id: Some(id) }));
        Ok(())
    }
}
