//! The definition of a view as CREATE VIEW gives it, parsed and bound once: when the statement
//! runs, or when the catalog is opened.
//!
//! In the text that the store keeps, every table name has its database, so that the view means the
//! same in every session. Queries get the parsed query and the declared columns ([`View`]), and
//! `analyze` replaces the view's name by them.

use std::collections::HashSet;
use std::sync::Arc;

use entasis_analyze::View;
use entasis_base::{Error, Position, Result, codes};
use entasis_function::FunctionContext;
use entasis_mergetree::DefinitionText;
use entasis_sql::ast::{self, StatementKind};
use entasis_sql::{FormatOptions, format_query, format_statement, format_type};
use entasis_table_api::Schema;

use super::columns;
use super::materialized::Materialized;

/// Database and name.
pub(crate) type Name = (String, String);

/// A view: its statement, and the query and columns that it defines.
#[derive(Debug)]
pub(crate) struct ViewDefinition {
    /// The statement as it is shown, without the name.
    create: ast::CreateView,
    /// The query and the columns, for queries that read the view.
    pub view: Arc<View>,
    /// The parameters of the query and their types, sorted.
    pub parameters: Vec<(String, String)>,
    /// The tables and views that the query names.
    tables: Vec<Name>,
    /// What a materialised view has besides; `None` for plain views.
    pub materialized: Option<Materialized>,
}

impl ViewDefinition {
    /// Binds a statement in which every table has its database and every column its type.
    pub(crate) fn new(
        mut create: ast::CreateView,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        // A view with parameters has no columns before it gets them.
        let schema = match create.elements.columns.is_empty() {
            true => Schema::new(Vec::new()),
            false => columns::schema(&create.elements, Vec::new(), function_context)?,
        };
        columns::make_canonical(&mut create.elements, &schema)?;
        let mut query = (*create.query).clone();
        let full = |name: ast::TableName| {
            let database = name.database.map_or(String::new(), |database| database.name);
            (database, name.table.name)
        };
        let found = entasis_sql::qualify(&mut query, "");
        let tables = found.tables.into_iter().map(full).collect();
        let materialized = create.materialized.then(|| Materialized::new(&create)).transpose()?;
        let names = found.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let mut parameters: Vec<(String, String)> = (found.parameters.into_iter())
            .map(|parameter| (parameter.name, format_type(&parameter.data_type)))
            .collect();
        parameters.sort();
        let query = Arc::new(query);
        let view = Arc::new(View { query, schema, parameters: names, supports_final: None });
        Ok(Self { create, view, parameters, tables, materialized })
    }

    /// The text that the store keeps. It contains the name that the view has now, and RENAME does
    /// not change it later.
    pub(crate) fn text(&self, name: &str) -> DefinitionText {
        let name = ast::TableName { database: None, table: ast::Ident::new(name) };
        let text = formatted(ast::CreateView { name, ..self.create.clone() }, false);
        let is_plain = self.materialized.is_none() && self.view.parameters.is_empty();
        DefinitionText { version: if is_plain { 1 } else { 3 }, text }
    }

    /// The statement under the name that the view has now.
    pub(crate) fn create_query(&self, database: &str, name: &str, one_line: bool) -> String {
        let name = ast::TableName {
            database: Some(ast::Ident::new(database)),
            table: ast::Ident::new(name),
        };
        let create = ast::CreateView { name, uuid: None, ..self.create.clone() };
        formatted(create, one_line)
    }

    /// The statement, without the name.
    pub(crate) fn statement(&self) -> &ast::CreateView {
        &self.create
    }

    /// The query on one line.
    pub(crate) fn as_select(&self) -> String {
        let options = FormatOptions { one_line: true, ..FormatOptions::default() };
        format_query(&self.create.query, options)
    }

    /// COMMENT; empty if there is none.
    pub(crate) fn comment(&self) -> String {
        self.create.comment.clone().unwrap_or_default()
    }

    /// Fails if the view would read itself under the name `own`, directly or through the views that
    /// `view_of` finds.
    pub(crate) fn refuse_cycle(
        &self,
        own: &Name,
        view_of: impl Fn(&Name) -> Option<Arc<Self>>,
    ) -> Result<()> {
        if self.materialized.is_some() {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let mut left = self.tables.clone();
        while let Some(next) = left.pop() {
            if next == *own {
                let message = format!(
                    "View {}.{} would read itself, by way of the views that its query names",
                    own.0, own.1
                );
                return Err(Error::new(codes::INFINITE_LOOP, message));
            }
            // The rows of a materialised view are computed already, so reading it ends there.
            if let Some(view) = view_of(&next).filter(|view| view.materialized.is_none()) {
                left.extend(view.tables.iter().filter(|table| !seen.contains(*table)).cloned());
            }
            seen.insert(next);
        }
        Ok(())
    }
}

fn formatted(create: ast::CreateView, one_line: bool) -> String {
    let statement = ast::Statement {
        kind: StatementKind::CreateView(Box::new(create)),
        output: ast::Output::default(),
        position: Position::default(),
    };
    format_statement(&statement, FormatOptions { one_line, ..FormatOptions::default() })
}

/// Fails if a view under one of these names, which it has just got, now reads itself.
pub(crate) fn refuse_cycles<'n>(
    names: impl IntoIterator<Item = &'n Name>,
    view_of: impl Fn(&Name) -> Option<Arc<ViewDefinition>>,
) -> Result<()> {
    names.into_iter().try_for_each(|name| match view_of(name) {
        Some(view) => view.refuse_cycle(name, &view_of),
        None => Ok(()),
    })
}
