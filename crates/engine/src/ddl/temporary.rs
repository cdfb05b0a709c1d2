//! Temporary tables: they belong to a session, which alone sees them, and end with it.
//!
//! A temporary table has no database and no place in the store. A name without a database means the
//! temporary table if there is one, whatever the current database holds.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, InsertTarget, StatementKind};
use entasis_tables::memory::Memory;

use super::source_query;
use crate::catalog::make::checked;
use crate::catalog::{Alteration, Entry};
use crate::definition::family;
use crate::engines::defaults::TableDefaults;
use crate::engines::memory;
use crate::settings::function_context::StatementContext;
use crate::{QueryOptions, Session};

impl Session {
    /// CREATE TEMPORARY TABLE. The table gets its name last, so that a statement that fails leaves
    /// everything as it was.
    pub(super) fn create_temporary(
        &mut self,
        create: &ast::CreateTable,
        options: QueryOptions,
    ) -> Result<()> {
        let name = create.name.table.as_str();
        if create.name.database.is_some() {
            let message = "A temporary table is in no database: leave out the database's name";
            return Err(Error::new(codes::BAD_DATABASE_FOR_TEMPORARY_TABLE, message));
        }
        let replaces = create.mode.or_replace || create.mode.replace;
        if self.temporary.contains_key(name) && !replaces {
            let message = format!("Temporary table {name} already exists");
            let exists = Error::new(codes::TABLE_ALREADY_EXISTS, message);
            return if create.mode.if_not_exists { Ok(()) } else { Err(exists) };
        }
        if let Some(ast::CreateSource::Function(_)) = &create.source {
            let message = "Incorrect CREATE query: storage required: write ENGINE, or AS SELECT";
            return Err(Error::new(codes::INCORRECT_QUERY, message));
        }
        let function_context = self.function_context(&self.settings);
        let (definition, _) =
            checked(self.full_definition(create, &function_context)?, &function_context, true)?;
        if family::is_replicated(&definition.engine.name) || definition.engine.name == "KeeperMap" {
            let message = "Temporary tables cannot be created with Replicated, Shared or KeeperMap \
                           table engines";
            return Err(Error::new(codes::INCORRECT_QUERY, message));
        }
        // What the engines of the Log family do with files makes no difference to a session.
        if !["Memory", "Log", "TinyLog", "StripeLog"].contains(&&*definition.engine.name) {
            let what = format!("A temporary table of the engine {}", definition.engine.name);
            return Err(Error::not_implemented(what));
        }
        let table = Memory::new(Arc::clone(&definition.schema));
        let entry = Entry { table, definition: Some(Arc::new(definition)), view: None, id: None };
        if let Some(query) = source_query(create) {
            self.fill(&entry, self.full_name(&create.name), query, options)?;
        }
        self.temporary.insert(name.to_string(), Arc::new(entry));
        Ok(())
    }

    /// Whether a statement changes nothing but temporary tables, which `readonly = 2` permits.
    pub(crate) fn changes_only_temporary(&self, kind: &StatementKind) -> bool {
        let is_temporary = |name: &ast::TableName| self.temporary_table(name).is_some();
        match kind {
            StatementKind::CreateTable(create) => create.mode.temporary,
            StatementKind::Alter(alter) => alter.temporary || is_temporary(&alter.table),
            StatementKind::Insert(insert) => match &insert.target {
                InsertTarget::Table(name) => is_temporary(name),
                InsertTarget::Function(_) => false,
            },
            StatementKind::Drop(drop) => {
                let is_table = drop.object == ast::ObjectKind::Table;
                is_table && (drop.temporary || drop.names.iter().all(is_temporary))
            }
            StatementKind::Truncate(truncate) => {
                truncate.object == ast::ObjectKind::Table
                    && !truncate.all_tables
                    && is_temporary(&truncate.name)
            }
            _ => false,
        }
    }
}

/// The entry of a temporary table after an ALTER.
pub(super) fn altered(
    entry: &Entry,
    alteration: Alteration,
    function_context: &StatementContext,
) -> Result<Entry> {
    let Alteration { definition, lineage, .. } = alteration;
    let schema = Arc::clone(&definition.schema);
    let table: &dyn std::any::Any = &*entry.table;
    let Some(table) = table.downcast_ref::<Memory>() else {
        return Err(Error::not_implemented("ALTER of this temporary table"));
    };
    let defaults = TableDefaults::of(&schema, function_context);
    let table = memory::alter(table, schema, &lineage, &*defaults, || Ok(()))?;
    Ok(Entry { table, definition: Some(Arc::new(definition)), view: None, id: None })
}

/// The error for a temporary table that is not there.
pub(super) fn missing(name: &ast::TableName) -> Error {
    let message = format!("Temporary table {} doesn't exist", name.table.as_str());
    Error::new(codes::UNKNOWN_TABLE, message)
}
