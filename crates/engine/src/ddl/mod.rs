//! CREATE, DROP, TRUNCATE and OPTIMIZE of databases and tables.

mod alter;
mod alter_columns;
mod rename;
mod temporary;
mod view;

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::Store;
use entasis_sql::ast::{self, CreateSource};
use entasis_types::DataType;

use crate::catalog::make::new_table;
use crate::catalog::{Entry, Existing, refuse_system};
use crate::definition::{columns, nested};
use crate::engines;
use crate::settings::function_context::StatementContext;
use crate::statement::cluster::ignore_auto_increment;
use crate::{QueryOptions, Session, settings};

impl Session {
    pub(crate) fn create_database(&self, create: &ast::CreateDatabase) -> Result<()> {
        if let Some(engine) = &create.engine
            && !["Atomic", "Ordinary", "Memory"].contains(&engine.name.as_str())
        {
            return Err(Error::not_implemented(format!("Database engine {}", engine.name))
                .at(engine.position));
        }
        self.engine.catalog.create_database(create.name.as_str(), create.if_not_exists)
    }

    /// Creates a table, and fills it if the statement has a query. A table that is to be filled, or
    /// to replace another one, gets its name last: a statement that fails leaves everything as it
    /// was, and `CREATE OR REPLACE TABLE t ... AS SELECT ... FROM t` reads the old table.
    pub(crate) fn create_table(
        &mut self,
        create: &ast::CreateTable,
        options: QueryOptions,
    ) -> Result<()> {
        if create.mode.temporary {
            return self.create_temporary(create, options);
        }
        let function_context = self.function_context(&self.settings);
        let (database, name) = self.full_name(&create.name);
        let full = self.full_definition(create, &function_context)?;
        refuse_system(&database)?;
        let query = source_query(create);
        let mode = &create.mode;
        let existing = match (
            mode.or_replace || mode.replace,
            mode.if_not_exists || self.settings.flag(settings::CREATE_IF_NOT_EXISTS),
        ) {
            (true, _) => Existing::Replaced,
            (false, true) => Existing::Kept,
            (false, false) => Existing::Refused,
        };
        let catalog = &self.engine.catalog;
        if query.is_none() && existing != Existing::Replaced {
            let make =
                |store: &Arc<Store>| new_table(store, &database, &name, full, &function_context);
            return catalog.create_table(&database, &name, existing, make);
        }
        catalog.create_aside(
            &database,
            &name,
            existing,
            |store, aside| new_table(store, &database, aside, full, &function_context),
            |entry| match query {
                Some(query) => self.fill(entry, (database.clone(), name.clone()), query, options),
                None => Ok(()),
            },
        )
    }

    /// What a statement defines, with all that it leaves out, and without its source of rows.
    fn full_definition(
        &self,
        create: &ast::CreateTable,
        function_context: &StatementContext,
    ) -> Result<ast::CreateTable> {
        let mut full = create.clone();
        if self.settings.flag(settings::FLATTEN_NESTED) {
            full.elements.columns = nested::flatten(&full.elements.columns)?;
        }
        self.complete(&mut full)?;
        columns::check_types(&full.elements.columns, function_context)?;
        if self.settings.flag(settings::DEFAULT_NULLABLE) {
            let columns = &mut full.elements.columns;
            columns.iter_mut().try_for_each(make_nullable)?;
        }
        full.name.database = None;
        full.source = None;
        Ok(full)
    }

    /// Fills in what the statement leaves out: columns from a query or another table, and the
    /// engine.
    fn complete(&self, create: &mut ast::CreateTable) -> Result<()> {
        ignore_auto_increment(create, &self.settings)?;
        if create.elements.columns.is_empty() {
            let header = match &create.source {
                Some(CreateSource::Select(query)) => self.header_of(query)?,
                Some(CreateSource::Table(name)) => {
                    let (database, table) = self.full_name(name);
                    let entry = self.engine.catalog.entry(&database, &table)?;
                    self.engine.catalog.check_usable(&entry)?;
                    self.copy_definition(create, &entry)?;
                    return Ok(());
                }
                Some(_) => return Err(Error::not_implemented("CREATE TABLE AS this source")),
                None => {
                    let message = "CREATE TABLE needs a list of columns, or AS SELECT";
                    return Err(Error::new(codes::INCORRECT_QUERY, message));
                }
            };
            for field in header.iter() {
                create.elements.columns.push(ast::ColumnDef {
                    name: ast::Ident::new(&*field.name),
                    data_type: Some(entasis_sql::parse_type(&field.ty.to_string())?),
                    ..ast::ColumnDef::default()
                });
            }
        }
        if create.storage.engine.is_none() {
            let name = match create.mode.temporary {
                true => settings::DEFAULT_TEMPORARY_ENGINE,
                false => settings::DEFAULT_TABLE_ENGINE,
            };
            let name = self.settings.text(name).into_owned();
            create.storage.engine = Some(ast::Engine { name, ..ast::Engine::default() });
        }
        Ok(())
    }

    fn copy_definition(&self, create: &mut ast::CreateTable, entry: &Entry) -> Result<()> {
        if entry.view.is_some() && create.storage.engine.is_none() {
            let message = "Cannot CREATE a table AS a view: write ENGINE, or AS SELECT * FROM view";
            return Err(Error::new(codes::INCORRECT_QUERY, message));
        }
        let Some(other) = &entry.definition else {
            let schema = entry.table.schema();
            for column in schema.declared() {
                create.elements.columns.push(ast::ColumnDef {
                    name: ast::Ident::new(&*column.name),
                    data_type: Some(entasis_sql::parse_type(&column.ty.to_string())?),
                    ..ast::ColumnDef::default()
                });
            }
            return Ok(());
        };
        if !create.elements.constraints.is_empty() {
            let message = "CREATE TABLE ... AS table takes that table's columns and constraints: \
                           leave out the parentheses, and add constraints by ALTER TABLE";
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        }
        create.elements = other.elements.clone();
        if create.storage.engine.is_none() {
            create.storage = other.storage();
        } else if !engines::of_statement(create)?.features.skipping_indices.is_there() {
            create.elements.indices.clear();
        }
        Ok(())
    }

    pub(crate) fn drop_object(&mut self, drop: &ast::DropObject) -> Result<()> {
        if drop.detach {
            return Err(Error::not_implemented("DETACH"));
        }
        for name in &drop.names {
            match drop.object {
                ast::ObjectKind::Database => {
                    let database = name.table.as_str();
                    self.engine.catalog.drop_database(database, drop.if_exists)?;
                }
                ast::ObjectKind::Table if self.drop_temporary(drop, name)? => {}
                ast::ObjectKind::Table | ast::ObjectKind::View => {
                    let (database, table) = self.full_name(name);
                    let entry = self.engine.catalog.entry(&database, &table);
                    if drop.object == ast::ObjectKind::View && entry.is_ok_and(|e| e.view.is_none())
                    {
                        let message = format!("Table {database}.{table} is not a View");
                        return Err(Error::new(codes::INCORRECT_QUERY, message));
                    }
                    self.engine.catalog.drop_table(&database, &table, drop.if_exists)?;
                }
                other => return Err(Error::not_implemented(format!("DROP {other:?}"))),
            }
        }
        Ok(())
    }

    pub(crate) fn truncate(&self, truncate: &ast::Truncate) -> Result<()> {
        if truncate.object == ast::ObjectKind::Database || truncate.all_tables {
            let database = if truncate.name.table.as_str().is_empty() {
                self.database.clone()
            } else {
                truncate.name.table.as_str().to_string()
            };
            let entries = self.engine.catalog.tables(&database)?.into_iter();
            for (_, entry) in entries.filter(|(_, entry)| entry.view.is_none()) {
                entry.table.truncate()?;
            }
            return Ok(());
        }
        if let Some(entry) = self.temporary_table(&truncate.name) {
            return entry.table.truncate();
        }
        if truncate.temporary {
            let missing = temporary::missing(&truncate.name);
            return if truncate.if_exists { Ok(()) } else { Err(missing) };
        }
        let (database, table) = self.full_name(&truncate.name);
        match self.engine.catalog.entry(&database, &table) {
            Ok(entry) => entry.table.truncate(),
            Err(_) if truncate.if_exists => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The query whose rows a new table starts with.
fn source_query(create: &ast::CreateTable) -> Option<&ast::Query> {
    match &create.source {
        Some(CreateSource::Select(query)) if !create.empty => Some(query),
        _ => None,
    }
}

/// Makes a column Nullable if it has neither NULL nor NOT NULL (`data_type_default_nullable`).
fn make_nullable(column: &mut ast::ColumnDef) -> Result<()> {
    let Some(written) = &column.data_type else {
        column.nullable = column.nullable.or(Some(true));
        return Ok(());
    };
    let ty = DataType::parse(&entasis_sql::format_type(written))?;
    if column.nullable.is_some() || ty.is_nullable() {
        return Ok(());
    }
    if !ty.can_be_nullable() {
        let message = format!(
            "Nested type {ty} cannot be inside Nullable type: write NOT NULL behind column {}, or \
             set data_type_default_nullable = 0",
            column.name.as_str()
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    column.data_type = Some(entasis_sql::parse_type(&DataType::nullable(ty).to_string())?);
    Ok(())
}
