//! Views: a name in FROM that stands for a query.
//!
//! The text of a view is independent of the query around it: it sees neither its aliases, common
//! table expressions and sources, nor the numbers of its subqueries. Apart from that, a view is
//! analysed like a subquery in its place, so the planner sees no difference.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_function::FunctionContext;
use entasis_sql::ast;
use entasis_table_api::{Catalog, PinnedStores, Schema, Table};
use entasis_types::DataType;

use crate::environment::Environment;
use crate::query::{From, Output, Query};
use crate::scope::{Source, SourceColumns};
use crate::subquery::project;
use crate::{Analyzer, bind, names};

/// A query that has a name.
#[derive(Debug)]
pub struct View {
    /// The query. The names of its tables include their databases.
    pub query: Arc<ast::Query>,
    /// The declared columns. The columns of the query with these names are converted to the
    /// declared types.
    pub schema: Arc<Schema>,
    /// Names of the query parameters that stand for values in the query. A view that has some is
    /// used like a table function, which gives them: `v(name = value)`. Its columns depend on them.
    pub parameters: Vec<String>,
    /// Whether the table that keeps the rows of a materialised view, or for whose rows the query
    /// stands, supports FINAL; `None` for a plain view, behind which FINAL has no effect.
    pub supports_final: Option<bool>,
}

/// The meaning of a name in FROM.
pub enum Relation {
    /// A table or another source of rows.
    Table(Arc<dyn Table>),
    /// A view, that is, a query.
    View(Arc<View>),
}

/// A catalog of tables and views. It is a contract of this crate and not of `table`, because
/// storage never sees a syntax tree.
pub trait QueryCatalog: Catalog {
    /// The states of stores in which the query reads the tables that this catalog finds; `None` if
    /// the catalog pins none. They were pinned before the first table was looked up, so that no
    /// table which it finds has been dropped in them.
    fn stores(&self) -> Option<&PinnedStores> {
        None
    }

    /// What `database.name` means, or `name` in the current database. Fails as [`Catalog::table`]
    /// does.
    fn relation(&self, database: Option<&str>, name: &str) -> Result<Relation> {
        self.table(database, name).map(Relation::Table)
    }

    /// The view of this name, if there is one that has parameters.
    fn view_with_parameters(&self, _database: Option<&str>, _name: &str) -> Option<Arc<View>> {
        None
    }

    /// The lambda for which a function that a user has defined stands; `None` if there is none.
    fn sql_function(&self, _name: &str) -> Option<Arc<ast::Lambda>> {
        None
    }

    /// The environment after applying changes of settings in order; `None` if there are no changes.
    fn environment(
        &self,
        _changes: &[&ast::SettingChange],
        _outer: &dyn FunctionContext,
    ) -> Result<Option<Environment>> {
        Ok(None)
    }
}

impl<'a> Analyzer<'a> {
    /// Resolves a view in FROM.
    pub(crate) fn view(
        &mut self,
        view: &View,
        name: (Arc<str>, Arc<str>),
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let mut query = self.view_query(view, &name.0, &name.1)?;
        if let Some(filter) = self.table_filter(&name, alias) {
            query = self.filtered(query, filter)?;
        }
        crate::from::check_renamed(renamed, query.outputs.len())?;
        self.scope_mut().sources.push(Source {
            alias,
            table: Some(name),
            columns: SourceColumns::Derived(query.outputs.clone()),
            renamed,
            merged: Vec::new(),
            nullable: false,
            hidden: false,
        });
        Ok(From::Subquery(Box::new(query)))
    }

    /// The query of a view, with the columns that the view declares.
    pub(crate) fn view_query(&mut self, view: &View, database: &str, name: &str) -> Result<Query> {
        let tree: &'a ast::Query = self.trees.keep(Arc::clone(&view.query), Arc::ptr_eq);
        if self.views.contains(&std::ptr::from_ref(tree)) {
            let message = format!(
                "View {database}.{name} reads itself: replace it, or a view that it reads, by one \
                 that does not"
            );
            return Err(Error::new(codes::INFINITE_LOOP, message));
        }
        self.views.push(tree);
        let numbered = std::mem::take(&mut self.numbered);
        let busy_ctes = std::mem::take(&mut self.busy_ctes);
        let recursions = std::mem::take(&mut self.recursions);
        let query = self.query(tree, None);
        (self.numbered, self.busy_ctes, self.recursions) = (numbered, busy_ctes, recursions);
        self.views.pop();
        let query = query.and_then(|query| self.as_declared(query, view));
        // Positions refer to the text of the view, so they are removed from errors of the
        // statement.
        query.map_err(|e| {
            let of_view = format!(" (in view {database}.{name})");
            let e = if e.position().is_some() { e.append(of_view) } else { e };
            e.without_position()
        })
    }

    /// The declared columns of a view, computed from the columns of its query.
    fn as_declared(&mut self, query: Query, view: &View) -> Result<Query> {
        if view.schema.columns.is_empty() {
            return Ok(query);
        }
        let mut chosen = Vec::with_capacity(view.schema.columns.len());
        for column in view.schema.stored() {
            let Some(own) = query.outputs.iter().find(|output| output.name == column.name) else {
                let known = query.outputs.iter().map(|output| &*output.name);
                let near = names::near(&column.name, known);
                let mut message = format!("The view's query has no column `{}`", column.name);
                names::add_hint(&mut message, &near);
                return Err(Error::new(codes::UNKNOWN_IDENTIFIER, message));
            };
            if own.ty.is_nullable() && !column.ty.is_nullable() && joins(&view.query) {
                return Err(nullable_by_join(own, &column.ty));
            }
            chosen.push((own.clone(), column.ty.clone()));
        }
        if chosen.iter().all(|(own, ty)| own.ty == *ty) {
            let outputs = chosen.into_iter().map(|(own, _)| own).collect();
            return Ok(Query { outputs, ..query });
        }
        let (mut exprs, mut outputs) = (Vec::new(), Vec::new());
        for (own, ty) in chosen {
            let id = self.new_id();
            exprs.push((id, bind::cast(Expr::column(own.id, own.ty), &ty, self.context)?));
            outputs.push(Output { id, name: own.name, ty });
        }
        Ok(project(query, exprs, outputs))
    }

    /// Tells the catalog that the query reads a column of a view.
    pub(crate) fn tell_of_view(&self, source: usize, position: usize) {
        let source = &self.scope().sources[source];
        if let (Some((database, name)), SourceColumns::Derived(columns)) =
            (&source.table, &source.columns)
        {
            let column = std::iter::once(&*columns[position].name);
            self.catalog.reads(&format!("{database}.{name}"), &mut { column });
        }
    }
}

/// Whether a SELECT of the query contains a join.
fn joins(query: &ast::Query) -> bool {
    match query {
        ast::Query::Select(select) => select.from.as_ref().is_some_and(|from| {
            from.steps.iter().any(|step| matches!(step, ast::FromStep::Join(_)))
        }),
        ast::Query::SetOperation(operation) => operation.branches.iter().any(joins),
    }
}

/// The error for a declared column that cannot be NULL although a join of the view's query makes it
/// NULL.
#[cold]
fn nullable_by_join(own: &Output, declared: &DataType) -> Error {
    let message = format!(
        "Column {} of the view's query is {}, and the view declares {declared}: set \
         join_use_nulls = 0, or write it in the SETTINGS of the view's query",
        own.name, own.ty
    );
    Error::new(codes::INCORRECT_QUERY, message)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use entasis_types::{DataType, Value};

    use super::*;
    use crate::tests::{Tables, TestContext};
    use crate::{AnalyzeSettings, analyze};

    /// The tables of other tests, and views.
    #[derive(Default)]
    struct Views(HashMap<String, Arc<View>>);

    impl Views {
        fn with(mut self, name: &str, columns: &[(&str, &str)], text: &str) -> Self {
            let ty = |ty: &str| DataType::parse(ty).unwrap();
            let fields: Vec<_> =
                columns.iter().map(|(n, t)| entasis_column::Field::new(*n, ty(t))).collect();
            let query = Arc::new(entasis_sql::parse_query(text).unwrap());
            let view = View {
                query,
                schema: Schema::of_fields(&fields),
                parameters: Vec::new(),
                supports_final: None,
            };
            self.0.insert(name.to_string(), Arc::new(view));
            self
        }

        /// Names and types of the result, or the error's code and message.
        fn shape(&self, text: &str) -> String {
            entasis_functions::register();
            let query = entasis_sql::parse_query(text).unwrap();
            let settings = AnalyzeSettings { max_expanded_elements: 50_000, ..Default::default() };
            match analyze(&query, self, &TestContext, &settings) {
                Ok(query) => {
                    let columns = query.outputs.iter().map(|o| format!("{} {}", o.name, o.ty));
                    columns.collect::<Vec<_>>().join(", ")
                }
                Err(e) => {
                    assert!(e.position().is_none_or(|p| p.end as usize <= text.len()), "{e}");
                    format!("{}: {}", e.code().name(), e.message())
                }
            }
        }
    }

    impl Catalog for Views {
        fn table(&self, database: Option<&str>, table: &str) -> Result<Arc<dyn Table>> {
            Tables.table(database, table)
        }

        fn table_function(&self, name: &str, args: &[Value]) -> Result<Arc<dyn Table>> {
            Tables.table_function(name, args)
        }
    }

    impl QueryCatalog for Views {
        fn relation(&self, database: Option<&str>, name: &str) -> Result<Relation> {
            match self.0.get(name) {
                Some(view) => Ok(Relation::View(Arc::clone(view))),
                None => self.table(database, name).map(Relation::Table),
            }
        }
    }

    #[test]
    fn a_view_gives_what_it_declares() {
        let views = Views::default()
            .with("v", &[("b", "Int32"), ("a", "String")], "SELECT a, b FROM t")
            .with("w", &[("x", "UInt8")], "SELECT a FROM v")
            .with("s", &[("_subquery_1", "Nullable(UInt8)")], "SELECT (SELECT 1)");
        for (text, expected) in [
            ("SELECT * FROM v", "b Int32, a String"),
            ("SELECT v.a, default.v.b FROM v", "a String, b Int32"),
            ("SELECT * FROM v AS q (x, y)", "x Int32, y String"),
            (
                "SELECT (SELECT 5), * FROM s",
                "_subquery_1 Nullable(UInt8), _subquery_1 Nullable(UInt8)",
            ),
            (
                "SELECT * FROM w",
                "UNKNOWN_IDENTIFIER: The view's query has no column `x`. Maybe you meant: ['a']",
            ),
        ] {
            assert_eq!(views.shape(text), expected, "{text}");
        }
    }

    #[test]
    fn a_view_sees_nothing_of_the_query_around_it() {
        let views = Views::default().with("v", &[("a", "UInt8")], "SELECT a FROM t").with(
            "w",
            &[("a", "UInt8")],
            "SELECT z AS a FROM t",
        );
        let with = "WITH t AS (SELECT 'x' AS a), 1 AS z";
        assert_eq!(views.shape(&format!("{with} SELECT * FROM v")), "a UInt8");
        let error = views.shape(&format!("{with} SELECT * FROM w"));
        assert!(error.starts_with("UNKNOWN_IDENTIFIER"), "{error}");
        assert!(error.ends_with("(in view default.w)"), "{error}");
    }

    #[test]
    fn views_that_read_themselves_and_views_that_double_end() {
        let mut views = Views::default()
            .with("p", &[("a", "UInt8")], "SELECT a FROM q")
            .with("q", &[("a", "UInt8")], "SELECT a FROM u WHERE a IN (SELECT a FROM p)")
            .with("v0", &[("a", "UInt8")], "SELECT a FROM t");
        for i in 1..=60 {
            let text = format!("SELECT a FROM v{0} UNION ALL SELECT a FROM v{0}", i - 1);
            views = views.with(&format!("v{i}"), &[("a", "UInt8")], &text);
        }
        assert!(views.shape("SELECT * FROM p").starts_with("INFINITE_LOOP: View default.p reads"));
        assert_eq!(views.shape("SELECT * FROM v8"), "a UInt8");
        assert!(
            views.shape("SELECT * FROM v30").starts_with("BAD_ARGUMENTS: Query tree is too big")
        );
        assert!(views.shape("SELECT * FROM v60").starts_with("TOO_DEEP_SUBQUERIES"));
    }
}
