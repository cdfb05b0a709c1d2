//! CREATE VIEW: checks the statement and records the view.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::Store;
use entasis_sql::ast::{self, ExprKind};
use entasis_sql::parse_type;

use crate::catalog::{Entry, Existing, refuse_system};
use crate::definition::view::{Name, ViewDefinition};
use crate::statement::query::settings_of;
use crate::{QueryOptions, Session, settings};

impl Session {
    /// Creates a view.
    pub(crate) fn create_view(
        &mut self,
        create: &ast::CreateView,
        options: QueryOptions,
    ) -> Result<()> {
        if create.materialized {
            return self.create_materialized(create, options);
        }
        refuse_unsupported(create)?;
        let (database, name) = self.full_name(&create.name);
        refuse_system(&database)?;
        let definition = self.view_definition(create)?;
        let mode = &create.mode;
        let catalog = &self.engine.catalog;
        let own = (database.clone(), name.clone());
        let make = |store: &Arc<Store>, stored_name: &str| {
            let view_of =
                |(database, name): &Name| catalog.entry(database, name).ok()?.view.clone();
            definition.refuse_cycle(&own, view_of)?;
            let id = store.create_table(&own.0, stored_name, definition.text(&own.1))?;
            Ok(Entry::of_view(definition, id))
        };
        if mode.or_replace {
            let existing = Existing::Replaced;
            return catalog.create_aside(&database, &name, existing, make, |_| Ok(()));
        }
        let kept = mode.if_not_exists || self.settings.flag(settings::CREATE_IF_NOT_EXISTS);
        let existing = if kept { Existing::Kept } else { Existing::Refused };
        catalog.create_table(&database, &name, existing, |store| make(store, &name))
    }

    /// Fills in what CREATE VIEW leaves out: the databases of tables, and the columns.
    fn view_definition(&self, create: &ast::CreateView) -> Result<ViewDefinition> {
        let function_context = self.function_context(&self.settings);
        let mut query = (*create.query).clone();
        self.expand_in_view(&mut query);
        if !create.aliases.is_empty() {
            set_aliases(&mut query, &create.aliases)?;
        }
        let found = entasis_sql::qualify(&mut query, &self.database);
        if let Some(position) = found.identifier {
            let what = "A view whose parameters stand for names (write the names)";
            return Err(Error::not_implemented(what).at(position));
        }
        let mut elements = create.elements.clone();
        let settings = self.settings_with(settings_of(&query))?;
        if elements.columns.is_empty() && found.parameters.is_empty() {
            for field in self.plan(&query, &settings)?.header.iter() {
                elements.columns.push(ast::ColumnDef {
                    name: ast::Ident::new(&*field.name),
                    data_type: Some(parse_type(&field.ty.to_string())?),
                    ..ast::ColumnDef::default()
                });
            }
        }
        let create = ast::CreateView {
            mode: ast::CreateMode::default(),
            uuid: None,
            elements,
            aliases: Vec::new(),
            security: create.security.as_ref().map(|s| super::security::shown(s, &self.user, true)),
            query: Box::new(query),
            ..create.clone()
        };
        ViewDefinition::new(create, &function_context)
    }
}

/// Names the columns of a query; for a UNION, those of every branch.
pub(super) fn set_aliases(query: &mut ast::Query, aliases: &[ast::Ident]) -> Result<()> {
    let select = match query {
        ast::Query::Select(select) => select,
        ast::Query::SetOperation(operation) => {
            return operation.branches.iter_mut().try_for_each(|b| set_aliases(b, aliases));
        }
    };
    let is_matcher = |expr: &ast::Expr| {
        matches!(
            expr.kind,
            ExprKind::Asterisk(_) | ExprKind::QualifiedAsterisk(_) | ExprKind::Columns(_)
        )
    };
    if select.projection.iter().any(is_matcher) {
        let message = "A view that names its columns without types needs a SELECT that lists \
                       all columns: write them in place of * or COLUMNS";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if select.projection.len() != aliases.len() {
        let message = format!(
            "The view names {} columns, but its SELECT has {} columns",
            aliases.len(),
            select.projection.len()
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    for (expr, alias) in select.projection.iter_mut().zip(aliases) {
        expr.alias = Some(alias.clone());
    }
    Ok(())
}

fn refuse_unsupported(create: &ast::CreateView) -> Result<()> {
    if let Some(engine) = &create.storage.engine {
        let message =
            "A view cannot have an ENGINE: leave it out, or use CREATE TABLE ... AS SELECT";
        return Err(Error::new(codes::SYNTAX_ERROR, message).at(engine.position));
    }
    let elements = &create.elements;
    let is_none = |security: &String| super::security::shown(security, "", true).ends_with("NONE");
    let refused = [
        (create.refresh.is_some(), "REFRESH of a view"),
        (create.to.is_some() || create.populate || create.empty, "TO, POPULATE or EMPTY of a view"),
        (create.mode.temporary, "CREATE TEMPORARY VIEW"),
        (create.mode.attach || create.mode.replace, "ATTACH VIEW or REPLACE VIEW"),
        (
            create.security.as_ref().is_some_and(is_none),
            "SQL SECURITY NONE of a view (leave it out: all users have the same rights)",
        ),
        (!elements.indices.is_empty(), "INDEX in CREATE VIEW"),
        (!elements.constraints.is_empty(), "CONSTRAINT in CREATE VIEW"),
        (!elements.projections.is_empty(), "PROJECTION in CREATE VIEW"),
        (elements.primary_key.is_some(), "PRIMARY KEY in CREATE VIEW"),
    ];
    match refused.iter().find(|(found, _)| *found) {
        Some((_, what)) => Err(Error::not_implemented(what)),
        None => Ok(()),
    }
}
