//! The definition of a table as CREATE TABLE gives it, parsed and bound once: when the statement
//! runs, or when the catalog is opened.
//!
//! [`TableDefinition`] is the only form in which the engine works with a table's definition. Its
//! text is only written to disk ([`TableDefinition::text`], [`StoredStatement::parse`]) and shown
//! by SHOW CREATE and `system.tables`; no code searches the text for information.
//!
//! A table keeps the time zone of the session that created it ([`zone`]).

pub(crate) mod array_groups;
pub(crate) mod columns;
pub(crate) mod constraints;
pub(crate) mod defaults;
pub(crate) mod features;
mod indices;
pub(crate) mod keys;
pub(crate) mod nested;
pub(crate) mod view;
pub(crate) mod zone;

use std::sync::Arc;

use entasis_base::{Error, Position, Result, codes};
use entasis_expr::Expr;
use entasis_function::FunctionContext;
use entasis_mergetree::DefinitionText;
use entasis_sql::ast::{self, StatementKind};
use entasis_sql::{FormatOptions, format_engine, format_expr, format_statement};
use entasis_table_api::Schema;
use entasis_types::TimeZone;

use constraints::Check;
use features::Features;
use keys::Keys;

/// The newest version of the language in which definitions are written. The store's log keeps the
/// version with each text. Version 2 is version 1 with the table's time zone among the settings
/// ([`zone`]); it is used only for tables that need the zone.
pub(crate) const LANGUAGE: u32 = 2;

/// The statement that a stored text contains.
pub(crate) enum StoredStatement {
    Table(Box<ast::CreateTable>),
    View(Box<ast::CreateView>),
}

impl StoredStatement {
    /// Reads a text that [`TableDefinition::text`] or [`view::ViewDefinition::text`] has written.
    pub(crate) fn parse(text: &str, version: u32) -> Result<Self> {
        if version > LANGUAGE {
            let message = format!(
                "The definition of the table is written in version {version} of its language, and \
                 this build reads versions up to {LANGUAGE}: use a newer build"
            );
            return Err(Error::new(codes::CORRUPTED_DATA, message));
        }
        match entasis_sql::parse_statement(text)?.kind {
            StatementKind::CreateTable(create) => Ok(Self::Table(create)),
            StatementKind::CreateView(create) => Ok(Self::View(create)),
            _ => {
                let message = "A stored definition is neither a CREATE TABLE nor a CREATE VIEW";
                Err(Error::new(codes::CORRUPTED_DATA, message))
            }
        }
    }
}

/// A table's definition: the parts of its CREATE TABLE, and what they mean.
#[derive(Clone, Debug)]
pub(crate) struct TableDefinition {
    /// Columns and constraints as they are shown: types under their canonical names, codecs with
    /// their parameters.
    pub elements: ast::TableElements,
    /// The engine with its arguments.
    pub engine: ast::Engine,
    /// PARTITION BY as it was written.
    pub partition_by: Option<ast::Expr>,
    /// PRIMARY KEY, if it was given.
    pub primary_key: Option<Vec<ast::Expr>>,
    /// ORDER BY, or the primary key if only that was given.
    pub order_by: Option<Vec<ast::KeyItem>>,
    /// The table's own settings.
    pub settings: Vec<ast::SettingChange>,
    /// COMMENT; empty if there is none.
    pub comment: String,
    /// The columns.
    pub schema: Arc<Schema>,
    /// The keys over the stored columns of the schema.
    pub keys: Keys,
    /// The CHECK constraints that every row of an INSERT must satisfy.
    pub checks: Arc<[Check]>,
    /// The time zone in which the keys are computed, and the defaults of columns that older rows
    /// lack: that of the session that created the table.
    pub time_zone: TimeZone,
}

impl TableDefinition {
    /// The definition that a statement gives, with the time zone of `function_context`. All its
    /// clauses must be among the engine's features.
    pub(crate) fn new(
        create: ast::CreateTable,
        features: &Features,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        let mut definition = Self::stored(create, features, function_context)?;
        columns::make_canonical(&mut definition.elements, &definition.schema)?;
        indices::check(&mut definition.elements, &definition.schema, function_context)?;
        features.settings.write_down(&mut definition.settings)?;
        Ok(definition)
    }

    /// As [`Self::new`], for a statement that the store has kept: [`Self::text`] has already
    /// written it in canonical form.
    pub(crate) fn stored(
        mut create: ast::CreateTable,
        features: &Features,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        let Some(engine) = create.storage.engine.take() else {
            return Err(Error::new(codes::INCORRECT_QUERY, "CREATE TABLE without ENGINE"));
        };
        if features.sort_order.is_there() {
            keys::move_behind_engine(&mut create);
        }
        let schema = columns::schema(&create.elements, function_context)?;
        let keys = Keys::bind(&create.storage, &schema, function_context)?;
        Ok(Self {
            checks: constraints::checks_of(&create.elements),
            elements: create.elements,
            engine,
            partition_by: create.storage.partition_by,
            primary_key: create.storage.primary_key,
            order_by: create.storage.order_by,
            settings: create.storage.settings,
            comment: create.comment.unwrap_or_default(),
            schema,
            keys,
            time_zone: function_context.time_zone(),
        })
    }

    /// Parses the stored text of a table.
    pub(crate) fn parse(text: &str, version: u32) -> Result<ast::CreateTable> {
        match StoredStatement::parse(text, version)? {
            StoredStatement::Table(create) => Ok(*create),
            StoredStatement::View(_) => {
                let message = "A stored definition is not a CREATE TABLE";
                Err(Error::new(codes::CORRUPTED_DATA, message))
            }
        }
    }

    /// The text that the store keeps, which [`StoredStatement::parse`] reads. It contains the name
    /// that the table has now, and RENAME does not change it later.
    pub(crate) fn text(&self, table: &str) -> DefinitionText {
        let name = ast::TableName { database: None, table: ast::Ident::new(table) };
        let mut create = ast::CreateTable { name, ..self.statement() };
        let version = if self.needs_zone() {
            zone::put(&mut create, self.time_zone);
            2
        } else {
            1
        };
        DefinitionText { version, text: formatted(create, false) }
    }

    /// Whether anything that is computed from stored rows can depend on the time zone. The keys of
    /// most tables are plain columns.
    fn needs_zone(&self) -> bool {
        let is_computed = |key: &Expr| !matches!(key, Expr::Column { .. });
        self.keys.sorting.iter().chain(&self.keys.partition).any(is_computed)
            || self.schema.stored().iter().any(|column| column.default.is_some())
    }

    /// The CREATE TABLE of the table under the name that it has now.
    pub(crate) fn create_query(&self, database: &str, table: &str, one_line: bool) -> String {
        let name = ast::TableName {
            database: Some(ast::Ident::new(database)),
            table: ast::Ident::new(table),
        };
        formatted(ast::CreateTable { name, ..self.statement() }, one_line)
    }

    /// The CREATE TEMPORARY TABLE of a temporary table.
    pub(crate) fn create_temporary_query(&self, table: &str) -> String {
        let name = ast::TableName { database: None, table: ast::Ident::new(table) };
        let mut create = ast::CreateTable { name, ..self.statement() };
        create.mode.temporary = true;
        formatted(create, false)
    }

    /// The statement that creates such a table; its name is empty.
    pub(crate) fn statement(&self) -> ast::CreateTable {
        let comment = Some(&self.comment).filter(|comment| !comment.is_empty());
        ast::CreateTable {
            elements: self.elements.clone(),
            storage: self.storage(),
            comment: comment.cloned(),
            ..ast::CreateTable::default()
        }
    }

    /// The engine and its clauses, in the form in which a statement has them.
    pub(crate) fn storage(&self) -> ast::Storage {
        ast::Storage {
            engine: Some(self.engine.clone()),
            partition_by: self.partition_by.clone(),
            primary_key: self.primary_key.clone(),
            order_by: self.order_by.clone(),
            settings: self.settings.clone(),
            ..ast::Storage::default()
        }
    }

    /// The engine and its clauses on one line.
    pub(crate) fn engine_full(&self) -> String {
        format_engine(&self.storage())
    }

    /// The text of the partition key; empty without one.
    pub(crate) fn partition_key(&self) -> String {
        self.partition_by.as_ref().map(format_expr).unwrap_or_default()
    }

    /// The text of the sorting key; empty without one.
    pub(crate) fn sorting_key(&self) -> String {
        list(self.order_by.iter().flatten().map(|item| &item.expr))
    }

    /// The text of the primary key: the sorting key unless the statement gave another one.
    pub(crate) fn primary_key(&self) -> String {
        self.primary_key.as_ref().map_or_else(|| self.sorting_key(), list)
    }
}

fn formatted(create: ast::CreateTable, one_line: bool) -> String {
    let statement = ast::Statement {
        kind: StatementKind::CreateTable(Box::new(create)),
        output: ast::Output::default(),
        position: Position::default(),
    };
    format_statement(&statement, FormatOptions { one_line, ..FormatOptions::default() })
}

fn list<'a>(exprs: impl IntoIterator<Item = &'a ast::Expr>) -> String {
    exprs.into_iter().map(format_expr).collect::<Vec<_>>().join(", ")
}
