//! CREATE, DROP, TRUNCATE and OPTIMIZE of databases and tables.

mod alter;
mod attach;
mod check;
mod clone;
mod dictionary;
mod drop;
mod function;
mod materialized;
mod of_engine;
mod refresh_retries;
mod refresh_times;
pub(crate) mod refresher;
mod rename;
mod security;
mod temporary;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use entasis_analyze::remote;
use entasis_base::{Error, Result, codes};
use entasis_mergetree::Store;
use entasis_sql::ast::{self, CreateSource};
use entasis_table_api::Schema;
use entasis_types::DataType;

use crate::catalog::make::new_table;
use crate::catalog::{Entry, Existing, databases, refuse_system};
use crate::definition::{columns, nested, old_style};
use crate::engines;
use crate::engines::called::query_of;
use crate::settings::function_context::StatementContext;
use crate::statement::cluster::ignore_auto_increment;
use crate::{QueryOptions, Session, settings};

impl Session {
    pub(crate) fn create_database(&self, create: &ast::CreateDatabase) -> Result<()> {
        let allow_ordinary = self.settings.flag(settings::ALLOW_ORDINARY);
        let info = databases::info_of(create, allow_ordinary)?;
        let name = create.name.as_str();
        self.engine.catalog.create_database(name, create.if_not_exists, &info.text(name))
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
        attach::check_attached(create)?;
        if create.mode.replace {
            // REPLACE TABLE fails unless there is a table.
            self.engine.catalog.entry(&database, &name)?;
        }
        let copied = self.cloned_rows(create)?;
        let full = self.full_definition(create, &function_context)?;
        old_style::check_allowed(&full.storage, &function_context)?;
        engines::buffer::refuse_itself(&full.storage, (&database, &name), &function_context)?;
        refuse_system(&database)?;
        let used = crate::catalog::dictionary::looked_up(&database, &full.elements.columns);
        self.refuse_circle(&(database.clone(), name.clone()), &used)?;
        let query = copied.as_ref().or(source_query(create));
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
    pub(super) fn full_definition(
        &self,
        create: &ast::CreateTable,
        function_context: &StatementContext,
    ) -> Result<ast::CreateTable> {
        let mut full = create.clone();
        self.expand_functions(&mut full);
        if self.settings.flag(settings::FLATTEN_NESTED) {
            full.elements.columns = nested::flatten(&full.elements.columns)?;
        }
        self.complete(&mut full)?;
        columns::check_types(&full.elements.columns, function_context)?;
        if self.settings.flag(settings::DEFAULT_NULLABLE) {
            let columns = &mut full.elements.columns;
            columns.iter_mut().try_for_each(make_nullable)?;
        }
        if let Some(engine) = &mut full.storage.engine {
            engines::quote_arguments(engine);
        }
        full.name.database = None;
        full.source = match full.source.take() {
            Some(CreateSource::Function(call)) => {
                Some(CreateSource::Function(Box::new(self.full_call(*call)?)))
            }
            _ => None,
        };
        Ok(full)
    }

    /// Fills in what the statement leaves out: columns from a query or another table, and the
    /// engine.
    fn complete(&self, create: &mut ast::CreateTable) -> Result<()> {
        ignore_auto_increment(create, &self.settings)?;
        let context = self.function_context(&self.settings);
        of_engine::fix_arguments(create, &context)?;
        if create.elements.columns.is_empty() {
            let header = match &create.source {
                Some(CreateSource::Select(query)) => self.header_of(query)?,
                Some(CreateSource::Table(name) | CreateSource::Clone(name)) => {
                    let entry = self.copied_table(name)?;
                    self.engine.catalog.check_usable(&entry)?;
                    self.copy_definition(create, &entry)?;
                    return Ok(());
                }
                Some(CreateSource::Function(call)) => {
                    match self.header_of(&query_of(call, &Schema::new(Vec::new()))) {
                        // An INSERT into the table may write the file.
                        Err(error) if error.code() == codes::FILE_DOESNT_EXIST => {
                            let function = ast::InsertTarget::Function(call.clone());
                            let target = self.insert_target(&function, None, &self.settings)?;
                            target.table.schema().header()
                        }
                        header => header?,
                    }
                }
                None => match of_engine::columns_of_engine(create, &context)? {
                    Some(query) => self.header_of(&query)?,
                    None => {
                        let message = "CREATE TABLE needs a list of columns, or AS SELECT";
                        return Err(Error::new(codes::INCORRECT_QUERY, message));
                    }
                },
            };
            for field in header.iter() {
                create.elements.columns.push(ast::ColumnDef {
                    name: ast::Ident::new(&*field.name),
                    data_type: Some(entasis_sql::parse_type(&field.ty.to_string())?),
                    ..ast::ColumnDef::default()
                });
            }
        }
        if matches!(create.source, Some(CreateSource::Function(_))) {
            return Ok(());
        }
        if create.storage.engine.is_none() {
            create.storage.engine = Some(self.default_engine(create.mode.temporary));
        }
        Ok(())
    }

    /// A call of a table function for which a table is to stand, with the databases of the tables
    /// in it.
    fn full_call(&self, mut call: ast::Function) -> Result<ast::Function> {
        let is_remote = remote::NAMES.contains(&&*call.name);
        if is_remote || matches!(&*call.name, "file" | "format") {
            call.args.iter_mut().for_each(engines::quote);
        }
        for arg in call.args.iter_mut().filter(|_| is_remote) {
            if arg.as_function().is_some_and(|call| call.name == "currentDatabase") {
                arg.kind =
                    ast::ExprKind::Literal(ast::Literal::String(self.database.clone().into()));
            }
        }
        let mut query = query_of(&call, &Schema::new(Vec::new()));
        entasis_sql::qualify(&mut query, &self.database);
        match query {
            ast::Query::Select(select) => match select.from.map(|from| from.table.kind) {
                Some(ast::TableExprKind::Function(call)) => Ok(*call),
                _ => Err(Error::logical("a table function became a table")),
            },
            ast::Query::SetOperation(_) => Err(Error::logical("a table function became a UNION")),
        }
    }

    /// The engine of a table whose statement names none.
    fn default_engine(&self, temporary: bool) -> ast::Engine {
        let name = match temporary {
            true => settings::DEFAULT_TEMPORARY_ENGINE,
            false => settings::DEFAULT_TABLE_ENGINE,
        };
        let name = self.settings.text(name).into_owned();
        ast::Engine { name, ..ast::Engine::default() }
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
        if create.mode.temporary && create.storage.engine.is_none() {
            // A temporary table has the engine that it would have with a list of columns.
            let engine = self.default_engine(true);
            create.storage.engine = Some(engine);
        }
        if create.comment.is_none() && !other.comment.is_empty() && other.call.is_none() {
            create.comment = Some(other.comment.clone());
        }
        if let Some(call) = other.call.as_ref().filter(|_| create.storage.engine.is_none()) {
            create.source = Some(CreateSource::Function(Box::new(call.clone())));
            return Ok(());
        }
        if create.storage.engine.is_none() {
            let own = std::mem::take(&mut create.storage);
            create.storage = other.storage();
            clone::override_storage(&mut create.storage, own);
            return Ok(());
        }
        let features = &engines::of_statement(create)?.features;
        if !features.skipping_indices.is_there() {
            create.elements.indices.clear();
        }
        if !features.projections.is_there() {
            create.elements.projections.clear();
        }
        if clone::are_of_one_family(create.storage.engine.as_ref(), &other.engine) {
            let own = std::mem::take(&mut create.storage);
            clone::check_order(create, &own, other)?;
            // An engine of its own has settings of its own.
            create.storage = ast::Storage { settings: Vec::new(), ..other.storage() };
            clone::override_storage(&mut create.storage, own);
        }
        Ok(())
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
