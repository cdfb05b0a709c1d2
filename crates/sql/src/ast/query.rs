//! SELECT and its clauses.

use entasis_base::Position;

use super::{Expr, Function, Ident, WindowSpec};

/// A query: one SELECT or a tree of set operations.
///
/// As in the dialect, ORDER BY, LIMIT and SETTINGS belong to the SELECT that they follow, even in
/// the last branch of a UNION without parentheses. FORMAT and INTO OUTFILE belong to the statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// `SELECT ...`.
    Select(Box<Select>),
    /// `q1 UNION ALL q2 ...`.
    SetOperation(Box<SetOperation>),
}

/// Branches joined by the same operator. A chain of EXCEPT is evaluated from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct SetOperation {
    /// The operator.
    pub operator: SetOperator,
    /// ALL, DISTINCT or nothing.
    pub quantifier: SetQuantifier,
    /// The branches, at least two.
    pub branches: Vec<Query>,
}

/// A set operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// `UNION`.
    Union,
    /// `INTERSECT` (binds tighter).
    Intersect,
    /// `EXCEPT`.
    Except,
}

/// The word after a set operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetQuantifier {
    /// Not written: settings decide.
    #[default]
    Default,
    /// `ALL`.
    All,
    /// `DISTINCT`.
    Distinct,
}

/// One SELECT.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// `WITH ...`. All branches of a UNION see the WITH of the first branch.
    pub with: Option<With>,
    /// `DISTINCT`, `DISTINCT ON (...)`.
    pub distinct: Option<Distinct>,
    /// `SELECT ...`.
    pub projection: Vec<Expr>,
    /// `FROM ...`.
    pub from: Option<FromClause>,
    /// `PREWHERE`.
    pub prewhere: Option<Expr>,
    /// `WHERE`.
    pub where_clause: Option<Expr>,
    /// `GROUP BY`.
    pub group_by: Option<GroupBy>,
    /// `WITH TOTALS`, also without GROUP BY.
    pub with_totals: bool,
    /// `HAVING`.
    pub having: Option<Expr>,
    /// `WINDOW w AS (...)`.
    pub windows: Vec<(Ident, WindowSpec)>,
    /// `QUALIFY`.
    pub qualify: Option<Expr>,
    /// `ORDER BY`.
    pub order_by: OrderBy,
    /// `INTERPOLATE (...)` after WITH FILL; an empty list means all columns.
    pub interpolate: Option<Vec<Interpolate>>,
    /// `LIMIT n [OFFSET m] BY ...`.
    pub limit_by: Option<LimitBy>,
    /// `LIMIT n`, `FETCH FIRST n ROWS`.
    pub limit: Option<Expr>,
    /// `OFFSET m`, `LIMIT m, n`.
    pub offset: Option<Expr>,
    /// `WITH TIES` of LIMIT.
    pub limit_with_ties: bool,
    /// `SETTINGS a = 1, ...`.
    pub settings: Vec<SettingChange>,
    /// Where it stands in the query text.
    pub position: Position,
}

impl PartialEq for Select {
    fn eq(&self, other: &Self) -> bool {
        self.with == other.with
            && self.distinct == other.distinct
            && self.projection == other.projection
            && self.from == other.from
            && self.prewhere == other.prewhere
            && self.where_clause == other.where_clause
            && self.group_by == other.group_by
            && self.with_totals == other.with_totals
            && self.having == other.having
            && self.windows == other.windows
            && self.qualify == other.qualify
            && self.order_by == other.order_by
            && self.interpolate == other.interpolate
            && self.limit_by == other.limit_by
            && self.limit == other.limit
            && self.offset == other.offset
            && self.limit_with_ties == other.limit_with_ties
            && self.settings == other.settings
    }
}

/// `WITH [RECURSIVE] ...`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct With {
    /// `RECURSIVE`.
    pub recursive: bool,
    /// In order.
    pub items: Vec<WithItem>,
}

/// One item of WITH.
#[derive(Clone, Debug, PartialEq)]
pub enum WithItem {
    /// `expr AS name`; the alias is on the expression.
    Expr(Expr),
    /// A common table expression: `name [(columns)] AS [MATERIALIZED] (query)`.
    Cte {
        /// Its name.
        name: Ident,
        /// New names for its columns.
        columns: Vec<Ident>,
        /// `MATERIALIZED`.
        materialized: bool,
        /// The query.
        query: Box<Query>,
    },
}

/// `DISTINCT`.
#[derive(Clone, Debug, PartialEq)]
pub enum Distinct {
    /// Over all result columns.
    All,
    /// `ON (...)`.
    On(Vec<Expr>),
}

/// `FROM table steps...`, evaluated from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct FromClause {
    /// The first table.
    pub table: TableExpr,
    /// Joins and array joins, in order.
    pub steps: Vec<FromStep>,
}

/// A step after the first table of FROM.
#[derive(Clone, Debug, PartialEq)]
pub enum FromStep {
    /// `JOIN`, or a comma (a cross join).
    Join(Box<Join>),
    /// `[LEFT] ARRAY JOIN ...`.
    ArrayJoin {
        /// Whether rows with empty arrays are kept.
        left: bool,
        /// The arrays, with their aliases.
        exprs: Vec<Expr>,
    },
}

/// One join with the table on its right.
#[derive(Clone, Debug)]
pub struct Join {
    /// `GLOBAL`, `LOCAL`.
    pub locality: JoinLocality,
    /// ANY, ALL, ASOF, SEMI, ANTI.
    pub strictness: JoinStrictness,
    /// INNER, LEFT, ...
    pub kind: JoinKind,
    /// The right side.
    pub table: TableExpr,
    /// ON or USING.
    pub constraint: JoinConstraint,
    /// The place of the words of the join in the text.
    pub position: Position,
}

impl PartialEq for Join {
    fn eq(&self, other: &Self) -> bool {
        self.locality == other.locality
            && self.strictness == other.strictness
            && self.kind == other.kind
            && self.table == other.table
            && self.constraint == other.constraint
    }
}

/// Where a join is executed in a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinLocality {
    /// Not written.
    #[default]
    Unspecified,
    /// `GLOBAL`.
    Global,
    /// `LOCAL`.
    Local,
}

/// Which of several matches of a row count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinStrictness {
    /// Not written: the setting `join_default_strictness` decides.
    #[default]
    Unspecified,
    /// `ALL`.
    All,
    /// `ANY`.
    Any,
    /// `ASOF`.
    Asof,
    /// `SEMI`.
    Semi,
    /// `ANTI`.
    Anti,
}

/// The kind of a join: which rows without a match stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// `INNER` or nothing.
    Inner,
    /// `LEFT`.
    Left,
    /// `RIGHT`.
    Right,
    /// `FULL`.
    Full,
    /// `CROSS`.
    Cross,
    /// `,`.
    Comma,
    /// `PASTE`.
    Paste,
}

/// The condition of a join.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinConstraint {
    /// None written.
    None,
    /// `ON e`.
    On(Expr),
    /// `USING (a, b)`: identifiers, possibly with aliases.
    Using(Vec<Expr>),
    /// `NATURAL JOIN`.
    Natural,
}

/// A table in FROM.
#[derive(Clone, Debug)]
pub struct TableExpr {
    /// The kind of the table expression, with its parts.
    pub kind: TableExprKind,
    /// Its alias.
    pub alias: Option<Ident>,
    /// `AS t(a, b)`.
    pub column_aliases: Vec<Ident>,
    /// `FINAL`.
    pub is_final: bool,
    /// `SAMPLE`.
    pub sample: Option<Sample>,
    /// The place in the text, without alias and modifiers.
    pub position: Position,
}

impl PartialEq for TableExpr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.alias == other.alias
            && self.column_aliases == other.column_aliases
            && self.is_final == other.is_final
            && self.sample == other.sample
    }
}

/// The kinds of table expressions in FROM.
#[derive(Clone, Debug, PartialEq)]
pub enum TableExprKind {
    /// `db.t`.
    Table(TableName),
    /// `numbers(10)`.
    Function(Box<Function>),
    /// `(SELECT ...)`.
    Subquery(Box<Query>),
    /// `LATERAL (SELECT ...)`, which may read columns of the tables before it.
    Lateral(Box<Query>),
    /// `(a JOIN b ON ...)`.
    Nested(Box<FromClause>),
}

/// `t`, `db.t`. More than two parts are kept in the table's name, joined by dots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableName {
    /// The database, if written.
    pub database: Option<Ident>,
    /// The table.
    pub table: Ident,
}

/// `SAMPLE size OFFSET offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The share or the number of rows.
    pub size: Ratio,
    /// The share that is skipped.
    pub offset: Option<Ratio>,
}

/// `1/10`, `0.1` or `1000000`, as an exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The number above the line.
    pub numerator: u128,
    /// The number below the line.
    pub denominator: u128,
}

/// `GROUP BY`.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupBy {
    /// `GROUP BY a, b`.
    Exprs(Vec<Expr>),
    /// `GROUP BY ALL`.
    All,
    /// `GROUP BY ROLLUP(a, b)`, `GROUP BY a, b WITH ROLLUP`.
    Rollup(Vec<Expr>),
    /// `GROUP BY CUBE(a, b)`, `GROUP BY a, b WITH CUBE`.
    Cube(Vec<Expr>),
    /// `GROUP BY GROUPING SETS ((a), (b, c))`.
    GroupingSets(Vec<Vec<Expr>>),
}

/// `ORDER BY`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderBy {
    /// The keys; with `all` one item whose expression is the identifier `all`.
    pub items: Vec<OrderByItem>,
    /// `ORDER BY ALL [DESC] [NULLS FIRST]`.
    pub all: bool,
}

/// One key of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderByItem {
    /// The key.
    pub expr: Expr,
    /// `DESC`.
    pub descending: bool,
    /// `NULLS FIRST` is `Some(true)`, `NULLS LAST` is `Some(false)`; not written means last.
    pub nulls_first: Option<bool>,
    /// `COLLATE 'en'`.
    pub collate: Option<String>,
    /// `WITH FILL`.
    pub fill: Option<Box<Fill>>,
}

/// `WITH FILL FROM a TO b STEP c STALENESS d`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fill {
    /// `FROM`.
    pub from: Option<Expr>,
    /// `TO`.
    pub to: Option<Expr>,
    /// `STEP`.
    pub step: Option<Expr>,
    /// `STALENESS`.
    pub staleness: Option<Expr>,
}

/// `a AS e` in INTERPOLATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Interpolate {
    /// The column: an identifier.
    pub column: Expr,
    /// Its value; if it is absent, the value of the previous row.
    pub expr: Option<Expr>,
}

/// `LIMIT n OFFSET m BY a, b`.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitBy {
    /// Most rows for each key.
    pub limit: Expr,
    /// Number of rows that are skipped for each key.
    pub offset: Option<Expr>,
    /// The keys; empty for `BY ALL`.
    pub by: Vec<Expr>,
    /// `BY ALL`.
    pub all: bool,
}

/// `name = value` in SETTINGS or SET.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingChange {
    /// The setting, as written.
    pub name: String,
    /// Its value, usually a literal; `None` for `DEFAULT`.
    pub value: Option<Expr>,
}

/// The clauses after a statement that returns rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// `FORMAT name`.
    pub format: Option<Ident>,
    /// `INTO OUTFILE`.
    pub outfile: Option<Box<OutFile>>,
    /// SETTINGS after FORMAT, or of a statement that is not a SELECT.
    pub settings: Vec<SettingChange>,
}

/// `INTO OUTFILE 'path' [APPEND|TRUNCATE] [AND STDOUT] [COMPRESSION 'gz' [LEVEL 3]]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutFile {
    /// The path.
    pub path: String,
    /// `APPEND`.
    pub append: bool,
    /// `TRUNCATE`.
    pub truncate: bool,
    /// `AND STDOUT`.
    pub and_stdout: bool,
    /// `COMPRESSION`.
    pub compression: Option<String>,
    /// `LEVEL`.
    pub level: Option<u64>,
}
