//! What makes a view materialised: the table that triggers it, the table that keeps its rows, and
//! when it is refreshed.
//!
//! A view without `TO` keeps its rows in an inner table, which lies beside it in the same database.
//! The name of the inner table is made of a UUID that the view's text holds, so that RENAME of the
//! view does not concern it.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, FromClause, Query, Select, TableExprKind, WithItem};

use super::view::Name;

/// The materialised part of a view.
#[derive(Debug)]
pub(crate) struct Materialized {
    /// The table whose INSERTs run the query; `None` if the query reads no table, or if the view is
    /// refreshed instead.
    pub source: Option<Name>,
    /// The query that an INSERT into the source runs. As in the reference, it is the first SELECT
    /// of a UNION.
    pub pushed: Arc<Query>,
    /// `TO`.
    to: Option<Name>,
    /// The name of the inner table, if the view has one.
    inner: Option<String>,
    /// `REFRESH`, if rows are not pushed but computed from time to time.
    pub refresh: Option<ast::Refresh>,
}

impl Materialized {
    /// The materialised part of a statement in which every table has its database.
    pub(super) fn new(create: &ast::CreateView) -> Result<Self> {
        let full = |name: &ast::TableName| {
            let database = name.database.as_ref().map_or("", |database| database.as_str());
            (database.to_owned(), name.table.name.clone())
        };
        let pushed = first_select(&create.query);
        let source = match (&create.refresh, pushed) {
            (None, Query::Select(select)) => source_of(select, &[])?,
            _ => None,
        };
        let to = create.to.as_ref().map(full);
        let inner = create.uuid.as_ref().filter(|_| to.is_none());
        let inner = inner.map(|uuid| format!(".inner_id.{uuid}"));
        let (pushed, refresh) = (Arc::new(pushed.clone()), create.refresh.clone());
        Ok(Self { source, pushed, to, inner, refresh })
    }

    /// The table that keeps the rows of the view, which is in `database`.
    pub fn target(&self, database: &str) -> Name {
        match (&self.to, &self.inner) {
            (Some(to), _) => to.clone(),
            (None, inner) => (database.to_owned(), inner.clone().unwrap_or_default()),
        }
    }

    /// The name of the inner table, if the view has one.
    pub fn inner(&self) -> Option<&str> {
        self.inner.as_deref()
    }
}

fn first_select(query: &Query) -> &Query {
    match query {
        Query::Select(_) => query,
        Query::SetOperation(operation) => operation.branches.first().map_or(query, first_select),
    }
}

/// The leftmost table of a SELECT, also inside subqueries and common table expressions.
fn source_of<'a>(select: &'a Select, outer: &[&'a WithItem]) -> Result<Option<Name>> {
    let own = select.with.iter().flat_map(|with| &with.items);
    let visible: Vec<&WithItem> = outer.iter().copied().chain(own).collect();
    match &select.from {
        Some(from) => source_of_from(from, &visible),
        None => Ok(None),
    }
}

fn source_of_from<'a>(from: &'a FromClause, visible: &[&'a WithItem]) -> Result<Option<Name>> {
    let of_query = |query: &'a Query, visible: &[&'a WithItem]| match first_select(query) {
        Query::Select(select) => source_of(select, visible),
        Query::SetOperation(_) => Ok(None),
    };
    match &from.table.kind {
        TableExprKind::Table(ast::TableName { database: Some(database), table }) => {
            Ok(Some((database.name.clone(), table.name.clone())))
        }
        TableExprKind::Table(name) => {
            let place = visible.iter().rposition(|item| {
                matches!(item, WithItem::Cte { name: cte, .. } if cte.name == name.table.name)
            });
            match place.map(|place| (place, visible[place])) {
                // Inside it, its own name means something else.
                Some((place, WithItem::Cte { query, .. })) => of_query(query, &visible[..place]),
                _ => Ok(None),
            }
        }
        TableExprKind::Subquery(query) | TableExprKind::Lateral(query) => of_query(query, visible),
        TableExprKind::Nested(from) => source_of_from(from, visible),
        TableExprKind::Function(function) => {
            let message = format!(
                "A materialized view cannot be filled from the table function {}: name a table in \
                 FROM, or write REFRESH",
                function.name
            );
            let code = codes::QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW;
            Err(Error::new(code, message).at(from.table.position))
        }
    }
}
