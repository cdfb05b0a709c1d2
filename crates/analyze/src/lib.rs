//! Turns the syntax tree into a [`Query`], using the catalog: names, types, aliases, subqueries.
//! Only this crate and `engine`, which calls it, know the crate `sql`.
//!
//! There is one [`Analyzer`] per query. [`Scope`]s form a tree: a subquery sees the aliases and
//! common table expressions of the queries around it. An alias is resolved when it is first used,
//! and the result is kept. Constants are folded on the way. The names of result columns come from
//! the text.
//!
//! Absent on purpose: optimisation, execution, reading of data.
#![forbid(unsafe_code)]

mod additional;
mod aggregate;
mod array_join;
pub mod bind;
mod budget;
mod correlated;
mod cte;
mod environment;
mod expr;
mod fill;
mod from;
mod grouping;
mod identifier;
pub mod in_set;
mod in_table;
pub mod join;
mod join_table;
mod kept;
mod lambda;
pub mod limits;
mod literal;
mod looped;
mod matcher;
mod merge_tables;
pub mod names;
mod nested;
mod null_in;
mod order;
mod parameters;
mod projection;
pub mod query;
mod recursive;
pub mod remote;
mod sample;
mod scope;
mod select;
mod subcolumn;
mod subquery;
mod table_function;
pub mod tree;
mod tuple_names;
mod using;
mod values;
mod view;
mod window;

use std::collections::HashMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Correlated, Expr};
use entasis_function::FunctionContext;
use entasis_sql::ast::{self, SetQuantifier};
use entasis_table_api::{Catalog, ColumnDef, PinnedStores, Schema, Snapshot, Table};
use entasis_types::{DataType, Value};

pub use environment::Environment;
use kept::Kept;
use query::Output;
pub use query::Query;
use scope::{Scope, Source, SourceColumns};
pub use view::{QueryCatalog, Relation, View};

/// Settings that change what a query means.
#[derive(Clone, Debug)]
pub struct AnalyzeSettings {
    /// Numbers in GROUP BY, ORDER BY and LIMIT BY mean result columns.
    pub enable_positional_arguments: bool,
    /// What `count(DISTINCT x)` stands for.
    pub count_distinct_implementation: String,
    /// Outer joins fill rows without a match with NULL instead of default values.
    pub join_use_nulls: bool,
    /// What a bare UNION means; [`SetQuantifier::Default`] stands for an error.
    pub union_default_mode: SetQuantifier,
    /// How a bare INTERSECT is read, with the values of `union_default_mode`.
    pub intersect_default_mode: SetQuantifier,
    /// The same of EXCEPT.
    pub except_default_mode: SetQuantifier,
    /// WITH FILL fills groups of rows that are equal in the keys before it for themselves.
    pub fill_by_prefix: bool,
    /// Most steps of a recursive common table expression.
    pub max_recursive_depth: u64,
    /// Aggregate functions return NULL for no rows instead of a default value.
    pub aggregates_null_for_empty: bool,
    /// Arrays of ARRAY JOIN may have different lengths; shorter ones are filled with default
    /// values.
    pub unaligned_array_join: bool,
    /// Keys that a grouping set leaves out are NULL instead of their default value.
    pub group_by_use_nulls: bool,
    /// WITH TOTALS adds up all groups, including those that HAVING drops.
    pub totals_before_having: bool,
    /// Aliases and WITH of outer queries are seen inside subqueries.
    pub enable_global_with_statement: bool,
    /// Deepest nesting of expressions and subqueries.
    pub max_depth: usize,
    /// Most nodes of the query's text; 0 means no limit.
    pub max_elements: u64,
    /// Most nodes of the query after aliases, lambdas, asterisks and common table expressions have
    /// been replaced by what they stand for; 0 means no limit.
    pub max_expanded_elements: u64,
    /// Deepest nesting of subqueries. Values above [`MAX_SUBQUERY_DEPTH`] act like it.
    pub max_subquery_depth: usize,
    /// Most members of a set that is written out behind IN; 0 means no limit.
    pub max_rows_in_set: u64,
    /// What the steps of a SELECT may hold.
    pub limits: limits::Limits,
    /// Conditions on tables, by name (`additional_table_filters`).
    pub table_filters: Vec<(String, ast::Expr)>,
    /// A condition on the rows of the result (`additional_result_filter`).
    pub result_filter: Option<ast::Expr>,
    /// Values of query parameters `{name:Type}`.
    pub parameters: Vec<(String, String)>,
}

impl Default for AnalyzeSettings {
    fn default() -> Self {
        Self {
            enable_positional_arguments: true,
            count_distinct_implementation: "uniqExact".to_string(),
            join_use_nulls: false,
            union_default_mode: SetQuantifier::Default,
            intersect_default_mode: SetQuantifier::All,
            except_default_mode: SetQuantifier::All,
            fill_by_prefix: true,
            max_recursive_depth: 1000,
            aggregates_null_for_empty: false,
            unaligned_array_join: false,
            group_by_use_nulls: false,
            totals_before_having: false,
            enable_global_with_statement: true,
            max_depth: 1000,
            max_elements: 50_000,
            max_expanded_elements: 500_000,
            max_subquery_depth: MAX_SUBQUERY_DEPTH,
            max_rows_in_set: 0,
            limits: limits::Limits { totals_exclude_overflow: true, ..limits::Limits::default() },
            table_filters: Vec::new(),
            result_filter: None,
            parameters: Vec::new(),
        }
    }
}

/// Resolves a statement's query.
pub fn analyze(
    query: &ast::Query,
    catalog: &dyn QueryCatalog,
    context: &dyn FunctionContext,
    settings: &AnalyzeSettings,
) -> Result<Query> {
    let (trees, functions, environments) = Default::default();
    let mut analyzer = Analyzer::new(catalog, &trees, &functions, &environments, context, settings);
    let mut result = analyzer.query(query, None)?;
    if let Some(filter) = &settings.result_filter {
        result = analyzer.filtered(result, filter)?;
    }
    result.subqueries = std::mem::take(&mut analyzer.subqueries);
    result.correlated = std::mem::take(&mut analyzer.correlated);
    result.uses = std::mem::take(&mut analyzer.cte_uses);
    result.settings = Analyzer::settings_of(query)?;
    result.next_id = analyzer.next_id;
    Ok(result)
}

/// Resolves an expression over columns of a table, known by their positions: DEFAULT, keys, TTL.
/// Aggregates, subqueries and `arrayJoin` are refused.
pub fn bind_expression(
    expr: &ast::Expr,
    columns: &[(Arc<str>, DataType)],
    context: &dyn FunctionContext,
) -> Result<Expr> {
    Ok(bind_from(columns.len() as u32, expr, columns, false, context)?.0)
}

/// [`bind_expression`], with ids for the parameters of lambdas from `next_id` on; answers the first
/// that is still free. `names_groups`: see [`Scope::names_groups`].
fn bind_from(
    next_id: u32,
    expr: &ast::Expr,
    columns: &[(Arc<str>, DataType)],
    names_groups: bool,
    context: &dyn FunctionContext,
) -> Result<(Expr, u32)> {
    let bound = bind_any(next_id, expr, columns, names_groups, context)?;
    if bound.has_array_join || bound.has_subquery {
        let message = "arrayJoin and subqueries are not allowed in a table's expressions";
        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(expr.position));
    }
    Ok((bound.expr, bound.next_id))
}

/// [`bind_expression`] for a constraint. It fails with INCORRECT_QUERY for arrayJoin and with
/// NOT_IMPLEMENTED for subqueries.
pub fn bind_constraint(
    expr: &ast::Expr,
    columns: &[(Arc<str>, DataType)],
    context: &dyn FunctionContext,
) -> Result<Expr> {
    // No table is known here, so an expression that names a table is a subquery.
    let subquery = || Error::not_implemented("A subquery in a constraint").at(expr.position);
    let bound = match bind_any(columns.len() as u32, expr, columns, false, context) {
        Err(error) if error.code() == codes::UNKNOWN_TABLE => return Err(subquery()),
        bound => bound?,
    };
    if bound.has_array_join {
        let message = "arrayJoin is not allowed here: it changes the number of rows";
        return Err(Error::new(codes::INCORRECT_QUERY, message).at(expr.position));
    }
    if bound.has_subquery {
        return Err(subquery());
    }
    Ok(bound.expr)
}

/// An expression over the columns of a table, with the facts about it that some callers do not
/// allow.
struct BoundColumnExpr {
    expr: Expr,
    /// The first id that is still free.
    next_id: u32,
    has_array_join: bool,
    has_subquery: bool,
}

fn bind_any(
    next_id: u32,
    expr: &ast::Expr,
    columns: &[(Arc<str>, DataType)],
    names_groups: bool,
    context: &dyn FunctionContext,
) -> Result<BoundColumnExpr> {
    let settings = AnalyzeSettings::default();
    let (trees, functions, environments) = Default::default();
    let mut analyzer =
        Analyzer::new(&NoCatalog, &trees, &functions, &environments, context, &settings);
    analyzer.next_id = next_id.max(columns.len() as u32);
    let outputs = columns.iter().enumerate().map(|(i, (name, ty))| Output {
        id: ColumnId(i as u32),
        name: Arc::clone(name),
        ty: ty.clone(),
    });
    let mut scope = Scope::new(None);
    scope.no_aggregates = Some("the expression");
    scope.names_groups = names_groups;
    scope.sources.push(Source {
        alias: None,
        table: None,
        columns: SourceColumns::Derived(outputs.collect()),
        renamed: &[],
        merged: Vec::new(),
        nullable: false,
        hidden: false,
    });
    analyzer.scopes.push(scope);
    analyzer.collect_aliases(expr)?;
    Ok(BoundColumnExpr {
        expr: analyzer.expr(expr)?,
        next_id: analyzer.next_id,
        has_array_join: !analyzer.scopes[0].array_joins.is_empty(),
        has_subquery: !analyzer.subqueries.is_empty(),
    })
}

/// Binds the default expression of a table's column, converted to the column's type; without an
/// expression, it is the default of the type. Column ids are positions in the schema, and
/// parameters of lambdas have ids from `next_id` on. Also returns the first id that is still free.
pub fn bind_default(
    next_id: u32,
    schema: &Schema,
    column: &ColumnDef,
    context: &dyn FunctionContext,
) -> Result<(Expr, u32)> {
    let Some((_, text)) = column.default.as_ref().filter(|(_, text)| !text.is_empty()) else {
        return Ok((Expr::literal(column.ty.column_default(), column.ty.clone()), next_id));
    };
    let known: Vec<(Arc<str>, DataType)> =
        schema.columns.iter().map(|c| (c.name.clone(), c.ty.clone())).collect();
    let parsed = entasis_sql::parse_expression(text)?;
    let (expr, next_id) = bind_from(next_id, &parsed, &known, true, context)?;
    Ok((bind::cast(expr, &column.ty, context)?, next_id))
}

/// [`bind_expression`] for a key: returns the elements of a tuple `(a, b)` one by one.
pub fn bind_key(
    expr: &ast::Expr,
    columns: &[(Arc<str>, DataType)],
    context: &dyn FunctionContext,
) -> Result<Vec<Expr>> {
    match tree::written_tuple(expr) {
        Some(elements) => {
            elements.iter().map(|element| bind_expression(element, columns, context)).collect()
        }
        None => Ok(vec![bind_expression(expr, columns, context)?]),
    }
}

struct NoCatalog;

impl Catalog for NoCatalog {
    fn table(&self, _: Option<&str>, table: &str) -> Result<Arc<dyn Table>> {
        let message = format!("Unknown table expression identifier '{table}'");
        Err(Error::new(codes::UNKNOWN_TABLE, message))
    }

    fn table_function(&self, name: &str, _: &[Value]) -> Result<Arc<dyn Table>> {
        let message = format!("Unknown table function {name}");
        Err(Error::new(codes::UNKNOWN_FUNCTION, message))
    }
}

impl QueryCatalog for NoCatalog {}

/// The state of one analysis.
pub(crate) struct Analyzer<'a> {
    catalog: &'a dyn QueryCatalog,
    /// Syntax trees of the views that the query uses.
    trees: &'a Kept<Arc<ast::Query>>,
    /// Functions that users have defined and the query uses.
    functions: &'a Kept<Arc<ast::Lambda>>,
    /// Those among them that are being resolved.
    busy_functions: Vec<*const ast::Lambda>,
    /// Environments made from the SETTINGS of SELECTs within the query.
    environments: &'a Kept<Environment>,
    context: &'a dyn FunctionContext,
    settings: &'a AnalyzeSettings,
    /// The changes of settings by the SELECTs around the current one, without the outermost.
    changes: Vec<&'a ast::SettingChange>,
    next_id: u32,
    /// A stack of scopes. The parent of a scope is further down, but not always right below it.
    scopes: Vec<Scope<'a>>,
    current: usize,
    subqueries: Vec<query::Subquery>,
    /// The subqueries that read columns of the queries around them.
    correlated: Vec<(Arc<Correlated>, Query)>,
    /// The subqueries of expressions that are being resolved, the innermost last.
    correlations: Vec<correlated::Correlation>,
    /// Subqueries in expressions, in the order in which they were met; this gives the name
    /// `_subquery_1`.
    numbered: Vec<*const ast::Query>,
    /// Tables that are already pinned, by their addresses, so that the query sees one version of
    /// each.
    pinned: HashMap<*const (), (Arc<dyn Table>, Arc<dyn Snapshot>)>,
    /// The states of the stores that the query sees.
    stores: PinnedStores,
    /// Common table expressions that were resolved, each known by its text, the scope that defines
    /// it, and the settings under which it was resolved.
    known_ctes: Vec<(*const ast::Query, u64, *const AnalyzeSettings)>,
    /// Their uses.
    cte_uses: Vec<query::CteUse>,
    /// How many scopes there have been.
    scopes_made: u64,
    /// How many names were resolved as parameters of correlated subqueries.
    parameters_read: u64,
    /// Common table expressions that are being resolved.
    busy_ctes: Vec<*const ast::Query>,
    /// The recursive ones among them, the innermost last.
    recursions: Vec<recursive::Recursion<'a>>,
    /// Queries of views that are being resolved, the innermost last.
    views: Vec<*const ast::Query>,
    /// Tables over other tables that are being resolved, by their addresses.
    overs: Vec<*const ()>,
    /// How many subqueries of expressions enclose the current place.
    inner_depth: usize,
    /// How many SELECTs enclose the current place.
    selects: usize,
    depth: usize,
    /// Nodes of the text, and nodes that were made from it: see `budget`.
    elements: u64,
    expanded: u64,
}

impl<'a> Analyzer<'a> {
    fn new(
        catalog: &'a dyn QueryCatalog,
        trees: &'a Kept<Arc<ast::Query>>,
        functions: &'a Kept<Arc<ast::Lambda>>,
        environments: &'a Kept<Environment>,
        context: &'a dyn FunctionContext,
        settings: &'a AnalyzeSettings,
    ) -> Self {
        Self {
            catalog,
            trees,
            functions,
            busy_functions: Vec::new(),
            environments,
            changes: Vec::new(),
            context,
            settings,
            next_id: 0,
            scopes: Vec::new(),
            current: 0,
            subqueries: Vec::new(),
            correlated: Vec::new(),
            correlations: Vec::new(),
            numbered: Vec::new(),
            pinned: HashMap::new(),
            stores: PinnedStores::default(),
            known_ctes: Vec::new(),
            cte_uses: Vec::new(),
            scopes_made: 0,
            parameters_read: 0,
            busy_ctes: Vec::new(),
            recursions: Vec::new(),
            views: Vec::new(),
            overs: Vec::new(),
            inner_depth: 0,
            selects: 0,
            depth: 0,
            elements: 0,
            expanded: 0,
        }
    }

    fn new_id(&mut self) -> ColumnId {
        self.next_id += 1;
        ColumnId(self.next_id - 1)
    }

    fn scope(&self) -> &Scope<'a> {
        &self.scopes[self.current]
    }

    fn scope_mut(&mut self) -> &mut Scope<'a> {
        &mut self.scopes[self.current]
    }

    /// Runs `f` in a new scope inside `parent`.
    fn in_scope<T>(
        &mut self,
        parent: Option<usize>,
        f: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.scopes.len() >= MAX_SUBQUERY_DEPTH {
            return Err(too_deep(MAX_SUBQUERY_DEPTH));
        }
        self.grow(1)?;
        let outer = self.current;
        self.scopes_made += 1;
        self.scopes.push(Scope { serial: self.scopes_made, ..Scope::new(parent) });
        self.current = self.scopes.len() - 1;
        let result = f(self);
        self.scopes.pop();
        self.current = outer;
        result
    }
}

#[cold]
fn too_deep(most: usize) -> Error {
    let message = format!("Too deep subqueries. Maximum: {most}");
    Error::new(codes::TOO_DEEP_SUBQUERIES, message)
}

/// The limit of the reference's max_subquery_depth. The stack does not allow deeper nesting either.
pub const MAX_SUBQUERY_DEPTH: usize = 100;

#[cfg(test)]
mod tests;
