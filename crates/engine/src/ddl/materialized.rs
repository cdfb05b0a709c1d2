//! CREATE MATERIALIZED VIEW, and ALTER of such a view.
//!
//! The view and its inner table are made under temporary names and filled; one record of the commit
//! log then gives both their names and drops the view that they replace.

use entasis_plan::physical;
use std::sync::Arc;

use entasis_analyze::bind;
use entasis_base::{Error, Result, codes};
use entasis_column::Header;
use entasis_expr::Expr;
use entasis_mergetree::Store;
use entasis_plan::QueryPlan;
use entasis_sql::ast::{self, ColumnDef, Ident};
use entasis_sql::parse_type;
use entasis_table_api::Schema;

use super::refresher;
use super::view::set_aliases;
use crate::catalog::make::{definition_of, new_table};
use crate::catalog::{Entry, Existing, NewTable, refuse_system};
use crate::definition::materialized::Materialized;
use crate::definition::view::ViewDefinition;
use crate::process::new_query_id;
use crate::statement::dependents::{by_name, insertable};
use crate::statement::insertion::Target;
use crate::statement::query::settings_of;
use crate::{QueryOptions, Session, settings};

impl Session {
    /// Creates a materialised view.
    pub(crate) fn create_materialized(
        &mut self,
        create: &ast::CreateView,
        options: QueryOptions,
    ) -> Result<()> {
        refuse(create)?;
        let (database, name) = self.full_name(&create.name);
        refuse_system(&database)?;
        let mode = &create.mode;
        let kept = mode.if_not_exists || self.settings.flag(settings::CREATE_IF_NOT_EXISTS);
        let existing = match (mode.or_replace || mode.replace, kept) {
            (true, _) => Existing::Replaced,
            (false, true) => Existing::Kept,
            (false, false) => Existing::Refused,
        };
        let catalog = Arc::clone(&self.engine.catalog);
        if existing == Existing::Kept && catalog.entry(&database, &name).is_ok() {
            return Ok(());
        }
        let (full, inner) = self.full_view(create, &database)?;
        let function_context = self.function_context(&self.settings);
        let definition = ViewDefinition::new(full, &function_context)?;
        let own = own_part(&definition)?;
        let inner_name = own.inner().map(str::to_owned);
        let refreshed = own.refresh.is_some();
        let to = own.target(&database);
        if inner.is_none() {
            let target = self.view_target(&to, &format!("{database}.{name}"))?;
            self.check_conversion(&definition, &target)?;
        }
        let text = definition.text(&name);
        let make = |store: &Arc<Store>, aside: &dyn Fn() -> String| {
            let mut tables = Vec::new();
            if let (Some(inner), Some(inner_name)) = (inner, &inner_name) {
                let entry = new_table(store, &database, &aside(), inner, &function_context)?;
                tables.push(NewTable::new(inner_name, entry));
            }
            let id = store.create_table(&database, &aside(), text);
            let id = id.inspect_err(|_| {
                for id in tables.iter().filter_map(|table| table.entry.id) {
                    // If the disk fails here, the table is dropped when the store is opened again.
                    let _ = store.drop_table(id);
                }
            })?;
            tables.push(NewTable::new(&name, Entry::of_view(definition, id)));
            Ok(tables)
        };
        catalog.create_together(&database, existing, &name, make, |tables| {
            let [first, ..] = tables else { return Ok(()) };
            let target = match inner_name {
                Some(_) => Target::unseen(&first.entry, &to),
                None => self.view_target(&to, &name)?,
            };
            if create.populate {
                self.fill_by_name(&target, &create.query, &options)?;
            } else if inner_name.is_some()
                && let Some(view) = tables.last().and_then(|table| table.entry.view.as_ref())
            {
                self.check_conversion(view, &target)?;
            }
            Ok(())
        })?;
        if refreshed {
            refresher::created(&self.engine, (database, name), !create.empty);
        }
        Ok(())
    }

    /// What CREATE MATERIALIZED VIEW leaves out, and the statement that creates the inner table.
    fn full_view(
        &self,
        create: &ast::CreateView,
        database: &str,
    ) -> Result<(ast::CreateView, Option<ast::CreateTable>)> {
        let mut query = (*create.query).clone();
        if !create.aliases.is_empty() {
            set_aliases(&mut query, &create.aliases)?;
        }
        let found = entasis_sql::qualify(&mut query, &self.database);
        if !found.parameters.is_empty() || found.identifier.is_some() {
            let what = "A materialized view with query parameters (write values in their places)";
            return Err(Error::not_implemented(what));
        }
        let mut full = ast::CreateView {
            mode: ast::CreateMode::default(),
            uuid: create.to.is_none().then(new_query_id),
            cluster: None,
            populate: false,
            empty: false,
            security: self.security(create),
            query: Box::new(query),
            ..create.clone()
        };
        // Errors of the source come before those of the query.
        ViewDefinition::new(full.clone(), &self.function_context(&self.settings))?;
        let settings = self.settings_with(settings_of(&full.query))?;
        let header = self.plan(&full.query, &settings)?.header;
        check_names(&header)?;
        if full.elements.columns.is_empty() {
            full.elements.columns = columns_of(&header)?;
        }
        let qualified = |name: &ast::TableName| {
            let (database, table) = self.full_name(name);
            ast::TableName { database: Some(Ident::new(database)), table: Ident::new(table) }
        };
        full.to = create.to.as_ref().map(qualified);
        if let Some(refresh) = &mut full.refresh {
            refresh.depends_on = refresh.depends_on.iter().map(qualified).collect();
        }
        let context = self.function_context(&self.settings);
        let declared = crate::definition::columns::schema(&full.elements, Vec::new(), &context)?;
        check_columns(&header, &declared)?;
        if let Some(to) = &full.to {
            let to = self.full_name(to);
            let entry = self.engine.catalog.entry(&to.0, &to.1)?;
            check_columns(&header, &entry.table.schema())?;
            return Ok((full, None));
        }
        let inner = ast::CreateTable {
            name: ast::TableName { database: None, table: Ident::new("inner") },
            elements: full.elements.clone(),
            storage: std::mem::take(&mut full.storage),
            ..ast::CreateTable::default()
        };
        let has_engine = inner.storage.engine.is_some();
        let mut inner = self.full_definition(&inner, &context)?;
        let is_sorted = |engine: &ast::Engine| engine.name.ends_with("MergeTree");
        let storage = &mut inner.storage;
        if !has_engine && storage.engine.as_ref().is_some_and(is_sorted) {
            // The default engine of an inner table needs no key.
            let expr = entasis_sql::parse_expression("tuple()")?;
            storage.order_by.get_or_insert_with(|| vec![ast::KeyItem { expr, descending: false }]);
        }
        // The view shows the clauses of its inner table.
        let (_, shown) = definition_of(inner.clone(), &context)?;
        (full.elements, full.storage) = (shown.elements.clone(), shown.storage());
        full.name.database = Some(Ident::new(database));
        Ok((full, Some(inner)))
    }

    /// `DEFINER ... SQL SECURITY ...` as it is shown.
    fn security(&self, create: &ast::CreateView) -> Option<String> {
        let written = create.security.as_deref().unwrap_or_default();
        let is_shown = !written.is_empty() || create.refresh.is_some();
        is_shown.then(|| super::security::shown(written, &self.user, false))
    }

    /// Fails if the query's columns cannot become those of the target.
    fn check_conversion(&self, view: &ViewDefinition, target: &Target) -> Result<()> {
        let query = &view.statement().query;
        let settings = self.settings_with(settings_of(query))?;
        let plan = self.plan(query, &settings)?;
        let context = self.function_context(&settings);
        let schema = target.table.schema();
        if let entasis_plan::Plan::Project(physical::Project { exprs, .. }) = &plan.root {
            // Constants are converted now, so that their errors are found here.
            for (id, field) in plan.outputs.iter().zip(plan.header.iter()) {
                let constant = exprs.iter().find(|(other, _)| other == id);
                let constant = constant.filter(|(_, expr)| matches!(expr, Expr::Literal { .. }));
                if let (Some((_, expr)), Some(at)) = (constant, insertable(&schema, &field.name)) {
                    bind::cast(expr.clone(), &schema.columns[at].ty, &context)?;
                }
            }
        }
        self.for_target(plan, target, &settings).map(drop)
    }

    /// Inserts the rows of a query into a table, by the names of their columns.
    pub(crate) fn fill_by_name(
        &self,
        target: &Target,
        query: &ast::Query,
        options: &QueryOptions,
    ) -> Result<()> {
        let settings = self.settings_with(settings_of(query))?;
        let plan: QueryPlan = self.plan_source(query, &settings)?;
        let (plan, positions) = by_name(plan, &target.table.schema());
        self.run_insert(plan, target, &positions, &settings, options)
    }

    /// ALTER of a materialised view: MODIFY QUERY, MODIFY REFRESH, MODIFY COMMENT.
    pub(crate) fn altered_view(
        &self,
        view: &ViewDefinition,
        database: &str,
        commands: &[ast::AlterCommand],
    ) -> Result<ViewDefinition> {
        let mut create = view.statement().clone();
        let own = own_part(view)?;
        let context = self.function_context(&self.settings);
        for command in commands {
            match command {
                ast::AlterCommand::ModifyQuery(query) => {
                    let mut query = (**query).clone();
                    entasis_sql::qualify(&mut query, &self.database);
                    let settings = self.settings_with(settings_of(&query))?;
                    let header = self.plan(&query, &settings)?.header;
                    check_names(&header)?;
                    match own.inner() {
                        None => create.elements.columns = columns_of(&header)?,
                        Some(_) => {
                            let target = self.view_target(&own.target(database), "that changes")?;
                            check_columns(&header, &target.table.schema()).map_err(|e| {
                                Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, e.message())
                            })?;
                        }
                    }
                    create.aliases.clear();
                    create.query = Box::new(query);
                }
                ast::AlterCommand::ModifyRefresh(refresh) if own.refresh.is_some() => {
                    check_refresh(refresh)?;
                    let mut refresh = (**refresh).clone();
                    for name in &mut refresh.depends_on {
                        name.database.get_or_insert_with(|| Ident::new(&self.database));
                    }
                    create.refresh = Some(refresh);
                }
                ast::AlterCommand::ModifyComment(comment) => {
                    create.comment = Some(comment.clone()).filter(|comment| !comment.is_empty());
                }
                ast::AlterCommand::ModifySecurity(written) => {
                    create.security = Some(super::security::shown(written, &self.user, false));
                }
                // The reference takes comments of columns, and keeps none.
                ast::AlterCommand::CommentColumn { .. } => {}
                ast::AlterCommand::ModifyColumn { column, place: None, .. }
                    if super::alter::is_comment(column) => {}
                other => return Err(unsupported(other)),
            }
        }
        ViewDefinition::new(create, &context)
    }
}

fn own_part(definition: &ViewDefinition) -> Result<&Materialized> {
    let own = definition.materialized.as_ref();
    own.ok_or_else(|| Error::logical("a view that is not materialised"))
}

/// Columns of the names and types of a query.
fn columns_of(header: &Header) -> Result<Vec<ColumnDef>> {
    let column = |field: &entasis_column::Field| {
        Ok(ColumnDef {
            name: Ident::new(&*field.name),
            data_type: Some(parse_type(&field.ty.to_string())?),
            ..ColumnDef::default()
        })
    };
    header.iter().map(column).collect()
}

fn check_names(header: &Header) -> Result<()> {
    let mut names: Vec<&str> = header.iter().map(|field| &*field.name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let message = format!(
                "Cannot add column {}: column with this name already exists. Give the columns of \
                 the query different names",
                pair[0]
            );
            Err(Error::new(codes::ILLEGAL_COLUMN, message))
        }
        None => Ok(()),
    }
}

/// Fails unless a table takes all columns of a query.
fn check_columns(header: &Header, schema: &Schema) -> Result<()> {
    match header.iter().find(|field| insertable(schema, &field.name).is_none()) {
        Some(field) => {
            let message = format!(
                "SELECT query outputs column with name '{}', which is not found in the target \
                 table. Use 'AS' to assign alias that matches a column name",
                field.name
            );
            Err(Error::new(codes::THERE_IS_NO_COLUMN, message))
        }
        None => Ok(()),
    }
}

/// Fails for clauses that do not go together.
fn refuse(create: &ast::CreateView) -> Result<()> {
    let syntax = |message: &str| Err(Error::new(codes::SYNTAX_ERROR, message));
    let has_storage = create.storage != ast::Storage::default();
    if create.to.is_some() && has_storage {
        return syntax(
            "When creating a materialized view you can't declare both 'TO [db].[table]' and \
             'ENGINE'",
        );
    }
    if create.refresh.is_some() && create.populate {
        return syntax(
            "When creating a refreshable materialized view you can't declare 'POPULATE': the \
             first refresh fills the view (declare 'EMPTY' to skip it)",
        );
    }
    if create.mode.temporary {
        return syntax("A materialized view cannot be TEMPORARY: leave the word out");
    }
    if create.mode.attach {
        return Err(Error::not_implemented("ATTACH MATERIALIZED VIEW"));
    }
    let invoker = |word: &str| word.eq_ignore_ascii_case("INVOKER");
    if create.security.iter().any(|text| text.split_ascii_whitespace().any(invoker)) {
        let message = "SQL SECURITY INVOKER can't be specified for MATERIALIZED VIEW: leave it out";
        let code = codes::QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW;
        return Err(Error::new(code, message));
    }
    create.refresh.as_ref().map_or(Ok(()), check_refresh)
}

/// Fails for lengths of time that make no sense.
fn check_refresh(refresh: &ast::Refresh) -> Result<()> {
    let ast::Refresh { period, offset, .. } = refresh;
    let bad = |message: &str| Err(Error::new(codes::BAD_ARGUMENTS, message));
    if period.months > 0 && period.seconds > 0 {
        return bad(
            "Interval shouldn't contain both calendar units and clock units (e.g. months and \
             days)",
        );
    }
    if refresh.every && period.is_zero() {
        return bad("Interval must be positive");
    }
    let longest = |interval: &ast::Interval| interval.months * 31 * 86_400 + interval.seconds;
    let shortest = |interval: &ast::Interval| interval.months * 28 * 86_400 + interval.seconds;
    if !offset.is_zero() && longest(offset) >= shortest(period) {
        return bad("OFFSET must be less than the period");
    }
    Ok(())
}

#[cold]
fn unsupported(command: &ast::AlterCommand) -> Error {
    let kind = match command {
        ast::AlterCommand::ModifyRefresh(_) => "MODIFY_REFRESH",
        ast::AlterCommand::AddColumn { .. } => "ADD_COLUMN",
        ast::AlterCommand::DropColumn { .. } => "DROP_COLUMN",
        ast::AlterCommand::AddConstraint { .. } => "ADD_CONSTRAINT",
        ast::AlterCommand::DropConstraint { .. } => "DROP_CONSTRAINT",
        _ => "this kind",
    };
    let message = format!("Alter of type '{kind}' is not supported by storage MaterializedView");
    Error::new(codes::NOT_IMPLEMENTED, message)
}
