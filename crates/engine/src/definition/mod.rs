//! The definition of a table as CREATE TABLE gives it, parsed and bound once: when the statement
//! runs, or when the catalog is opened.
//!
//! [`TableDefinition`] is the only form in which the engine works with a table's definition. Its
//! text is only written to disk ([`TableDefinition::text`], [`StoredStatement::parse`]) and shown
//! by SHOW CREATE and `system.tables`; no code searches the text for information.
//!
//! A table keeps the time zone of the session that created it ([`zone`]).

pub(crate) mod array_groups;
pub(crate) mod codecs;
pub(crate) mod columns;
pub(crate) mod constraints;
pub(crate) mod defaults;
pub(crate) mod dependents;
pub(crate) mod family;
pub(crate) mod features;
pub(crate) mod implicit_indices;
pub(crate) mod indices;
pub(crate) mod keys;
pub(crate) mod materialized;
pub(crate) mod nested;
pub(crate) mod old_style;
pub(crate) mod projections;
pub(crate) mod statistics;
mod text_index;
mod ttl;
pub(crate) mod view;
pub(crate) mod zone;

use std::sync::Arc;

use entasis_base::{Error, Position, Result, codes};
use entasis_expr::Expr;
use entasis_function::FunctionContext;
use entasis_mergetree::{DefinitionText, Expiry, PARTITION_VALUE, virtual_columns};
use entasis_sql::ast::{self, StatementKind};
use entasis_sql::{FormatOptions, format_engine, format_expr, format_statement};
use entasis_table_api::{ColumnDef, Schema};
use entasis_types::TimeZone;

use constraints::Check;
use features::Features;
use keys::Keys;

/// The newest version of the language in which definitions are written. The store's log keeps the
/// version with each text. Version 2 is version 1 with the table's time zone among the settings
/// ([`zone`]); it is used only for tables that need the zone. Version 3 is used for materialised
/// views and for views with parameters, so that builds that do not know them refuse them.
pub(crate) const LANGUAGE: u32 = 3;

/// The statement that a stored text contains.
pub(crate) enum StoredStatement {
    Table(Box<ast::CreateTable>),
    View(Box<ast::CreateView>),
    Dictionary(Box<ast::CreateDictionary>),
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
            StatementKind::CreateDictionary(create) => Ok(Self::Dictionary(create)),
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
    /// The call of a table function for which the table stands, if there is one in place of an
    /// engine.
    pub call: Option<ast::Function>,
    /// PARTITION BY as it was written.
    pub partition_by: Option<ast::Expr>,
    /// PRIMARY KEY, if it was given.
    pub primary_key: Option<Vec<ast::Expr>>,
    /// ORDER BY, or the primary key if only that was given.
    pub order_by: Option<Vec<ast::KeyItem>>,
    /// SAMPLE BY as it was written.
    pub sample_by: Option<ast::Expr>,
    /// Whether the keys stand among the engine's arguments, so that there are no clauses to show.
    pub is_old_style: bool,
    /// The rules of TTL as they were written.
    pub ttl: Vec<ast::TtlItem>,
    /// When rows and values expire, by these rules and those of columns.
    pub expiry: Option<Arc<Expiry>>,
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
        if definition.is_old_style {
            let args = family::without_replica(&definition.engine);
            old_style::check_date(args, &definition.schema)?;
        }
        columns::check_stored(&definition.schema)?;
        columns::make_canonical(&mut definition.elements, &definition.schema)?;
        for index in &definition.elements.indices {
            implicit_indices::check_name(index.name.as_str(), &definition.settings)?;
        }
        indices::check(&mut definition.elements, &definition.schema, function_context)?;
        projections::check(&definition.elements)?;
        statistics::check(&mut definition.elements, &definition.schema)?;
        features.settings.write_down(&mut definition.settings)?;
        family::write_down(&mut definition.engine)?;
        Ok(definition)
    }

    /// As [`Self::new`], for a statement that the store has kept: [`Self::text`] has already
    /// written it in canonical form.
    pub(crate) fn stored(
        mut create: ast::CreateTable,
        features: &Features,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        let call = match create.source.take() {
            Some(ast::CreateSource::Function(call)) => Some(*call),
            _ => None,
        };
        let engine = match (create.storage.engine.take(), &call) {
            (_, Some(call)) => {
                let name = entasis_tables::functions::engine_of(&call.name).to_string();
                ast::Engine { name, ..ast::Engine::default() }
            }
            (Some(engine), None) => engine,
            (None, None) => {
                return Err(Error::new(codes::INCORRECT_QUERY, "CREATE TABLE without ENGINE"));
            }
        };
        let args = family::without_replica(&engine);
        let old_style = match features.parts {
            true => old_style::clauses(args, &create.storage)?,
            false => None,
        };
        let is_old_style = old_style.is_some();
        create.storage = old_style.unwrap_or(create.storage);
        if features.sort_order.is_there() {
            keys::move_behind_engine(&mut create, features.key_without_order)?;
        }
        let virtuals = if features.parts { virtual_columns() } else { Vec::new() };
        let schema = columns::schema(&create.elements, virtuals, function_context)?;
        let added = family::added_key(&engine);
        let keys = Keys::bind(&create.storage, added, &schema, function_context)?;
        let schema = with_partition_value(schema, &keys, features, function_context)?;
        let expiry = ttl::bind(&create, &schema, &keys, function_context)?.map(Arc::new);
        Ok(Self {
            checks: constraints::checks_of(&create.elements),
            elements: create.elements,
            engine,
            call,
            partition_by: create.storage.partition_by,
            primary_key: create.storage.primary_key,
            order_by: create.storage.order_by,
            sample_by: create.storage.sample_by,
            is_old_style,
            ttl: create.storage.ttl,
            expiry,
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
            StoredStatement::View(_) | StoredStatement::Dictionary(_) => {
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
            || self.expiry.is_some()
            || !self.elements.projections.is_empty()
            || self.keys.sampling.as_ref().is_some_and(is_computed)
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
            source: self.call.clone().map(|call| ast::CreateSource::Function(Box::new(call))),
            comment: comment.cloned(),
            ..ast::CreateTable::default()
        }
    }

    /// The engine and its clauses, in the form in which a statement has them.
    pub(crate) fn storage(&self) -> ast::Storage {
        if self.is_old_style {
            let (engine, ttl) = (Some(self.engine.clone()), self.ttl.clone());
            return ast::Storage { engine, ttl, ..ast::Storage::default() };
        }
        ast::Storage {
            engine: self.call.is_none().then(|| self.engine.clone()),
            partition_by: self.partition_by.clone(),
            primary_key: self.primary_key.clone(),
            order_by: self.order_by.clone(),
            sample_by: self.sample_by.clone(),
            ttl: self.ttl.clone(),
            settings: self.settings.clone(),
        }
    }

    /// Whether merges make one row of rows with equal sorting keys.
    pub(crate) fn keys_are_folded(&self) -> bool {
        self.engine.name.ends_with("MergeTree") && self.engine.name != "MergeTree"
    }

    /// The engine and its clauses on one line.
    pub(crate) fn engine_full(&self) -> String {
        format_engine(&self.storage())
    }

    /// The text of the partition key; empty without one.
    pub(crate) fn partition_key(&self) -> String {
        self.partition_by.as_ref().map(format_expr).unwrap_or_default()
    }

    /// The text of the sorting key, with the column that the engine adds; empty without one.
    pub(crate) fn sorting_key(&self) -> String {
        let written = self.written_key();
        let added = family::added_key(&self.engine).map(|name| {
            let name = ast::ExprKind::Identifier(vec![ast::Ident::new(name)]);
            format_expr(&ast::Expr::new(name, Position::default()))
        });
        let mut items = self.order_by.iter().flatten().map(|item| format_expr(&item.expr));
        match added.filter(|added| items.all(|item| item != *added)) {
            None => written,
            Some(added) if written.is_empty() => added,
            Some(added) => format!("{written}, {added}"),
        }
    }

    fn written_key(&self) -> String {
        list(self.order_by.iter().flatten().map(|item| &item.expr))
    }

    /// The text of the sampling key; empty without one.
    pub(crate) fn sampling_key(&self) -> String {
        self.sample_by.as_ref().map(format_expr).unwrap_or_default()
    }

    /// The texts of the expressions of the primary key.
    pub(crate) fn primary_key_names(&self) -> Vec<String> {
        match &self.primary_key {
            Some(exprs) => exprs.iter().map(format_expr).collect(),
            None => self.order_by.iter().flatten().map(|item| format_expr(&item.expr)).collect(),
        }
    }

    /// The text of the primary key: the sorting key unless the statement gave another one.
    pub(crate) fn primary_key(&self) -> String {
        self.primary_key.as_ref().map_or_else(|| self.written_key(), list)
    }
}

/// The schema with the virtual column that shows the partition key, if there is one.
fn with_partition_value(
    schema: Arc<Schema>,
    keys: &Keys,
    features: &Features,
    function_context: &dyn FunctionContext,
) -> Result<Arc<Schema>> {
    if !features.parts || schema.position(PARTITION_VALUE).is_some() {
        return Ok(schema);
    }
    let Some(value) = keys.partition_value(function_context)? else { return Ok(schema) };
    let mut columns = schema.columns.clone();
    columns.push(ColumnDef::virtual_column(PARTITION_VALUE, value.ty().clone()));
    Ok(Schema::new(columns))
}

fn formatted(create: ast::CreateTable, one_line: bool) -> String {
    let statement = ast::Statement {
        kind: StatementKind::CreateTable(Box::new(create)),
        output: ast::Output::default(),
        position: Position::default(),
    };
    format_statement(&statement, FormatOptions { one_line, ..FormatOptions::default() })
}

/// The text of a key. A tuple of one element is shown as that element.
fn list<'a>(exprs: impl IntoIterator<Item = &'a ast::Expr>) -> String {
    let text = |expr: &ast::Expr| match expr.as_function() {
        Some(f) if f.name == "tuple" && f.args.len() == 1 => format_expr(&f.args[0]),
        _ => format_expr(expr),
    };
    exprs.into_iter().map(text).collect::<Vec<_>>().join(", ")
}
