//! What names mean at one level of a query: aliases, common table expressions, sources of FROM,
//! parameters of lambdas.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_expr::{ColumnId, Expr};
use entasis_sql::ast;
use entasis_table_api::{DefaultKind, ScanColumn, Schema};
use entasis_types::DataType;

use crate::query::{AggregateCall, ArrayJoinStep, Output, Window, WindowCall};

/// Where within a SELECT an expression stands: decides where an `arrayJoin` in it takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// PREWHERE, WHERE, FROM.
    Filter,
    /// Keys and aggregates' arguments.
    Group,
    /// After grouping.
    Result,
}

/// One level of names.
pub(crate) struct Scope<'a> {
    /// The scope around this one, by number.
    pub parent: Option<usize>,
    /// `expr AS name`, anywhere in the SELECT.
    pub aliases: HashMap<&'a str, Alias<'a>>,
    /// `name AS (query)`.
    pub ctes: Vec<Cte<'a>>,
    /// Tables and subqueries of FROM, in order.
    pub sources: Vec<Source<'a>>,
    /// Whether FROM joins: rows of a source may be missing in what it gives.
    pub joins: bool,
    /// Columns named by USING, as an unqualified name sees them.
    pub using: Vec<(Arc<str>, Expr)>,
    /// ARRAY JOIN without an alias: from here on the array's name means the element.
    pub shadowed: Vec<(ColumnId, ColumnId, DataType)>,
    /// Lambdas around the expression, innermost last.
    pub lambdas: Vec<LambdaFrame<'a>>,
    /// Aggregates found so far.
    pub aggregates: Vec<AggregateCall>,
    /// Calls over windows found so far.
    pub windows: Vec<WindowCall>,
    /// What the WINDOW clause defines, as far as it is resolved.
    pub named_windows: Vec<(&'a str, Window)>,
    /// The keys, once they are known.
    pub grouping: Option<crate::grouping::Grouping>,
    /// `arrayJoin` calls found so far.
    pub array_joins: Vec<(Stage, ArrayJoinStep)>,
    /// Where the expression stands.
    pub stage: Stage,
    /// The clause's name, where aggregates are not allowed.
    pub no_aggregates: Option<&'static str>,
    /// Inside an aggregate's arguments.
    pub in_aggregate: bool,
    /// Inside the arguments or the window of a call with OVER.
    pub in_window: bool,
    /// Whether a name may mean a group of arrays: `n` for `n.a` and `n.b`. In a table's keys and
    /// constraints it may not, since ALTER can add an array to the group.
    pub names_groups: bool,
    /// Set when a name fell back to a column because its alias is being resolved.
    pub fell_back: bool,
}

/// An alias and what is known of it.
pub(crate) struct Alias<'a> {
    pub expr: &'a ast::Expr,
    pub resolved: Option<Expr>,
    /// Nodes behind `resolved`.
    pub nodes: u64,
    pub busy: bool,
}

/// One common table expression.
#[derive(Clone, Copy)]
pub(crate) struct Cte<'a> {
    pub name: &'a str,
    pub columns: &'a [ast::Ident],
    pub query: &'a ast::Query,
    /// Of a `WITH RECURSIVE`.
    pub recursive: bool,
}

/// Names that a lambda brings.
pub(crate) struct LambdaFrame<'a> {
    pub params: Vec<(&'a str, Expr)>,
    pub aliases: Vec<(&'a str, &'a ast::Expr)>,
}

/// A table of FROM.
pub(crate) struct Source<'a> {
    /// Its alias.
    pub alias: Option<&'a str>,
    /// Database and name of a real table.
    pub table: Option<(Arc<str>, Arc<str>)>,
    /// Its columns.
    pub columns: SourceColumns,
    /// New names by `AS t(a, b)`, or by `x(a, b) AS (...)` of WITH.
    pub renamed: &'a [ast::Ident],
    /// Columns that `*` leaves out, since USING merged them with one further left.
    pub merged: Vec<Arc<str>>,
    /// Whether rows may be missing on this side of an outer join and are NULL then.
    pub nullable: bool,
    /// Elements of ARRAY JOIN with an alias: not part of `*`.
    pub hidden: bool,
}

/// Columns of a source.
pub(crate) enum SourceColumns {
    /// A table's: ids are given out as columns are used.
    Table {
        schema: Arc<Schema>,
        ids: Vec<Option<ColumnId>>,
        /// Columns that have ids, and parts of columns, with their types.
        used: Vec<(ScanColumn, DataType)>,
        /// ALIAS columns, where they must be computed below a join.
        computed: Vec<(ColumnId, Expr)>,
    },
    /// A subquery's.
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

    /// Whether it is a view: a query that has the name of a table.
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

    /// Whether `*` includes the column, or with `computed` a matcher that names its columns.
    pub fn in_asterisk(&self, position: usize, computed: bool) -> bool {
        match &self.columns {
            SourceColumns::Table { schema, .. } => match schema.columns[position].default_kind() {
                None | Some(DefaultKind::Default) => true,
                Some(DefaultKind::Materialized | DefaultKind::Alias) => computed,
                Some(DefaultKind::Ephemeral | DefaultKind::Virtual) => false,
            },
            SourceColumns::Derived(_) => true,
        }
    }

    /// Whether a column with this id is one of this source.
    pub fn owns(&self, id: ColumnId) -> bool {
        match &self.columns {
            SourceColumns::Table { used, computed, .. } => {
                used.iter().any(|(column, _)| column.id == id)
                    || computed.iter().any(|(i, _)| *i == id)
            }
            SourceColumns::Derived(columns) => columns.iter().any(|c| c.id == id),
        }
    }

    /// How many leading parts of a compound name mean this source: `t`, `db.t` or its alias.
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

    /// The name that qualifies this source's columns in a result.
    pub fn display_name(&self) -> Option<&str> {
        self.alias.or(self.table.as_ref().map(|(_, table)| &**table))
    }
}

impl Scope<'_> {
    /// An empty scope inside `parent`.
    pub fn new(parent: Option<usize>) -> Self {
        Self {
            parent,
            aliases: HashMap::new(),
            ctes: Vec::new(),
            sources: Vec::new(),
            joins: false,
            using: Vec::new(),
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
