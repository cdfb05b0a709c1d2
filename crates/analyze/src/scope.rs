//! The meaning of names at one level of a query: aliases, common table expressions, sources of
//! FROM, parameters of lambdas.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_expr::{ColumnId, Expr};
use entasis_sql::ast;
use entasis_table_api::{DefaultKind, ScanColumn, Schema};
use entasis_types::DataType;

use crate::query::{AggregateCall, ArrayJoinStep, Output, Window, WindowCall};

/// The part of a SELECT in which an expression stands. It determines when an `arrayJoin` in the
/// expression takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// PREWHERE, WHERE, FROM.
    Filter,
    /// Keys of GROUP BY and arguments of aggregates.
    Group,
    /// Expressions that are evaluated after grouping.
    Result,
}

/// The names of one level of a query.
pub(crate) struct Scope<'a> {
    /// Number of the scope around this one.
    pub parent: Option<usize>,
    /// The scope's number among all scopes of the analysis.
    pub serial: u64,
    /// Aliases `expr AS name`, wherever they stand in the SELECT.
    pub aliases: HashMap<&'a str, Alias<'a>>,
    /// Common table expressions `name AS (query)`.
    pub ctes: Vec<Cte<'a>>,
    /// Tables and subqueries of FROM, in order.
    pub sources: Vec<Source<'a>>,
    /// Whether FROM contains a join, so that rows of a source may be missing in its result.
    pub joins: bool,
    /// Columns of USING, with the expressions that their bare names mean.
    pub using: Vec<(Arc<str>, Expr)>,
    /// Columns of the left side in `USING (a AS b)`, with the expressions that `*` shows for them.
    pub starred: Vec<(Arc<str>, Expr)>,
    /// Arrays of ARRAY JOIN without an alias: after the ARRAY JOIN, the name of the array means the
    /// element.
    pub shadowed: Vec<(ColumnId, ColumnId, DataType)>,
    /// Lambdas around the current expression, the innermost last.
    pub lambdas: Vec<LambdaFrame<'a>>,
    /// Aggregates found so far.
    pub aggregates: Vec<AggregateCall>,
    /// Calls over windows found so far.
    pub windows: Vec<WindowCall>,
    /// The windows of the WINDOW clause that are resolved so far.
    pub named_windows: Vec<(&'a str, Window)>,
    /// The keys of GROUP BY, once they are known.
    pub grouping: Option<crate::grouping::Grouping>,
    /// `arrayJoin` calls found so far.
    pub array_joins: Vec<(Stage, ArrayJoinStep)>,
    /// The part of the SELECT in which the current expression stands.
    pub stage: Stage,
    /// Set to the name of the clause while aggregates are not allowed.
    pub no_aggregates: Option<&'static str>,
    /// Whether the current expression is inside the arguments of an aggregate.
    pub in_aggregate: bool,
    /// Whether it is inside the arguments or the window of a call with OVER.
    pub in_window: bool,
    /// Whether a name may mean a group of arrays: `n` for `n.a` and `n.b`. In a table's keys and
    /// constraints it may not, since ALTER can add an array to the group.
    pub names_groups: bool,
    /// Set when a name was resolved as a column because its alias is being resolved.
    pub fell_back: bool,
}

/// An alias and what the analysis knows about it.
pub(crate) struct Alias<'a> {
    pub expr: &'a ast::Expr,
    pub resolved: Option<Expr>,
    /// Number of nodes of `resolved`.
    pub nodes: u64,
    pub busy: bool,
}

/// One common table expression.
#[derive(Clone, Copy)]
pub(crate) struct Cte<'a> {
    pub name: &'a str,
    pub columns: &'a [ast::Ident],
    pub query: &'a ast::Query,
    /// Whether it belongs to `WITH RECURSIVE`.
    pub recursive: bool,
}

/// The parameters of a lambda.
pub(crate) struct LambdaFrame<'a> {
    pub params: Vec<(&'a str, Expr)>,
    pub aliases: Vec<(&'a str, &'a ast::Expr)>,
    /// Whether the values are the arguments of a call `f(values)`. They then belong to the query
    /// around it, and aggregate functions in the lambda may read them.
    pub of_call: bool,
}

/// A table of FROM.
pub(crate) struct Source<'a> {
    /// Alias of the table.
    pub alias: Option<&'a str>,
    /// Database and name of a real table.
    pub table: Option<(Arc<str>, Arc<str>)>,
    /// The columns of the table.
    pub columns: SourceColumns,
    /// New names of the columns from `AS t(a, b)`, or from `x(a, b) AS (...)` in WITH.
    pub renamed: &'a [ast::Ident],
    /// Columns that `*` leaves out, because USING merged them with a column of a table further
    /// left.
    pub merged: Vec<Arc<str>>,
    /// Whether rows of this side may be missing after an outer join and are NULL then.
    pub nullable: bool,
    /// Elements of ARRAY JOIN with an alias. `*` does not include them.
    pub hidden: bool,
}

/// The kinds of columns that an asterisk or a matcher includes besides ordinary ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds {
    pub materialized: bool,
    pub alias: bool,
}

impl Kinds {
    /// Ordinary columns alone.
    pub const STORED: Self = Self { materialized: false, alias: false };
    /// Those and computed ones: what a matcher by name includes.
    pub const COMPUTED: Self = Self { materialized: true, alias: true };
}

/// Columns of a source.
pub(crate) enum SourceColumns {
    /// A table, whose columns get ids when they are used.
    Table {
        schema: Arc<Schema>,
        ids: Vec<Option<ColumnId>>,
        /// Columns that have ids, including subcolumns, with their types.
        used: Vec<(ScanColumn, DataType)>,
        /// ALIAS columns that must be computed below a join.
        computed: Vec<(ColumnId, Expr)>,
        /// How many rows of the table one row stands for, because of SAMPLE.
        sample: f64,
    },
    /// A subquery.
    Derived(Vec<Output>),
}

impl Source<'_> {
    /// Position of the column called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        if !self.renamed.is_empty() {
            return self.renamed.iter().position(|n| n.name == name);
        }
        match &self.columns {
            SourceColumns::Table { schema, .. } => schema.position(name),
            SourceColumns::Derived(columns) => columns.iter().position(|c| &*c.name == name),
        }
    }

    /// Name of a column.
    pub fn name_of(&self, position: usize) -> Arc<str> {
        if let Some(ident) = self.renamed.get(position) {
            return ident.name.as_str().into();
        }
        match &self.columns {
            SourceColumns::Table { schema, .. } => Arc::clone(&schema.columns[position].name),
            SourceColumns::Derived(columns) => Arc::clone(&columns[position].name),
        }
    }

    /// Whether it is a view, that is, a query with the name of a table.
    pub fn is_view(&self) -> bool {
        self.table.is_some() && matches!(self.columns, SourceColumns::Derived(_))
    }

    /// Type of a column.
    pub fn type_of(&self, position: usize) -> &DataType {
        match &self.columns {
            SourceColumns::Table { schema, .. } => &schema.columns[position].ty,
            SourceColumns::Derived(columns) => &columns[position].ty,
        }
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        match &self.columns {
            SourceColumns::Table { schema, .. } => schema.columns.len(),
            SourceColumns::Derived(columns) => columns.len(),
        }
    }

    /// Whether an asterisk or a matcher by name that takes these kinds includes the column.
    pub fn in_asterisk(&self, position: usize, kinds: Kinds) -> bool {
        match &self.columns {
            SourceColumns::Table { schema, .. } => match schema.columns[position].default_kind() {
                None | Some(DefaultKind::Default) => true,
                Some(DefaultKind::Materialized) => kinds.materialized,
                Some(DefaultKind::Alias) => kinds.alias,
                Some(DefaultKind::Ephemeral | DefaultKind::Virtual) => false,
            },
            SourceColumns::Derived(_) => true,
        }
    }

    /// The columns that an asterisk or a matcher includes.
    pub fn asterisk(&self, kinds: Kinds) -> Vec<usize> {
        (0..self.len()).filter(|column| self.in_asterisk(*column, kinds)).collect()
    }

    /// Whether the column with this id belongs to this source.
    pub fn owns(&self, id: ColumnId) -> bool {
        match &self.columns {
            SourceColumns::Table { used, computed, .. } => {
                used.iter().any(|(column, _)| column.id == id)
                    || computed.iter().any(|(i, _)| *i == id)
            }
            SourceColumns::Derived(columns) => columns.iter().any(|c| c.id == id),
        }
    }

    /// How many leading parts of a compound name mean this source: `t`, `db.t`, or its alias.
    pub fn qualifier(&self, parts: &[ast::Ident]) -> usize {
        let [first, rest @ ..] = parts else { return 0 };
        if self.alias == Some(first.as_str()) {
            return 1;
        }
        if let Some((database, table)) = &self.table {
            if *first.name == **table {
                return 1;
            }
            if *first.name == **database && rest.first().is_some_and(|t| *t.name == **table) {
                return 2;
            }
        }
        0
    }

    /// Whether a name is the alias of this source, or the source has no alias.
    pub fn is_named(&self, name: &ast::Ident) -> bool {
        self.alias.is_none_or(|alias| alias == name.as_str())
    }

    /// The name that qualifies columns of this source in the result.
    pub fn display_name(&self) -> Option<&str> {
        self.alias.or(self.table.as_ref().map(|(_, table)| &**table))
    }
}

impl Scope<'_> {
    /// An empty scope inside `parent`.
    pub fn new(parent: Option<usize>) -> Self {
        Self {
            parent,
            serial: 0,
            aliases: HashMap::new(),
            ctes: Vec::new(),
            sources: Vec::new(),
            joins: false,
            using: Vec::new(),
            starred: Vec::new(),
            shadowed: Vec::new(),
            lambdas: Vec::new(),
            aggregates: Vec::new(),
            windows: Vec::new(),
            named_windows: Vec::new(),
            grouping: None,
            array_joins: Vec::new(),
            stage: Stage::Filter,
            no_aggregates: None,
            in_aggregate: false,
            in_window: false,
            names_groups: true,
            fell_back: false,
        }
    }
}
