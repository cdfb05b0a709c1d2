//! The analysed query, from which `plan` starts: names are resolved, types are known, and columns
//! have ids.
//!
//! Invariants: a [`ColumnId`] is unique within the whole query, including subqueries, so the outer
//! query reads the output columns of a subquery by their inner ids. Outputs may repeat an id.
//! Expressions after grouping read only keys and aggregates.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_column::Chunk;
use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Correlated, Expr, ScalarSlot, SetSlot};
use entasis_function::Aggregate;
use entasis_function::window::{Frame, WindowFunction};
use entasis_table_api::{ScanColumn, Schema, Snapshot};
use entasis_types::{DataType, Value};

use crate::limits::Limits;

pub use crate::fill::{Fill, FillRule, FillStep, FillValue};

/// A query with all subqueries that must be computed before it.
#[derive(Clone)]
pub struct Query {
    /// The query itself.
    pub body: Body,
    /// The result columns; ids may repeat.
    pub outputs: Vec<Output>,
    /// Subqueries to compute first, in order; only on the outermost query.
    pub subqueries: Vec<Subquery>,
    /// Set for a common table expression: which of its uses this is.
    pub shared: Option<SharedUse>,
    /// The uses of all common table expressions; only on the outermost query.
    pub uses: Vec<CteUse>,
    /// The queries of the correlated subqueries in its expressions; only on the outermost query.
    pub correlated: Vec<(Arc<Correlated>, Query)>,
    /// The SETTINGS clause as written; only on the outermost query.
    pub settings: Vec<(String, Value)>,
    /// The first id that is not in use; only on the outermost query.
    pub next_id: u32,
}

/// A use of a common table expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedUse {
    /// The number of the common table expression.
    pub cte: usize,
    /// The number of the use among all uses of all of them.
    pub at: usize,
}

/// What the analysis of one use of a common table expression added to the query. All uses of one
/// have the same rows, and columns of their own.
#[derive(Clone, Debug)]
pub struct CteUse {
    /// The number of the common table expression.
    pub cte: usize,
    /// Its subqueries among those that are computed before the query.
    pub subqueries: std::ops::Range<usize>,
}

/// A column of a query's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The column of the body that it shows.
    pub id: ColumnId,
    /// Name of the column in the result.
    pub name: Arc<str>,
    /// Type of the column.
    pub ty: DataType,
}

/// The kinds of queries.
#[derive(Clone)]
pub enum Body {
    /// One SELECT.
    Select(Box<Select>),
    /// A set operation over several branches.
    Union(Box<Union>),
    /// A common table expression that reads itself.
    Recursive(Box<Recursive>),
}

/// The operators of set operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// All rows of all branches.
    Union,
    /// A row as often as it occurs in each of the branches.
    Intersect,
    /// The rows of the first branch, less one occurrence for each equal row of the other branches.
    Except,
}

/// A set operation: `UNION`, `INTERSECT` or `EXCEPT`.
#[derive(Clone)]
pub struct Union {
    /// The operator.
    pub kind: SetKind,
    /// The branches, each with its columns converted to the common types.
    pub branches: Vec<(Query, Vec<Expr>)>,
    /// Ids and types of the result columns.
    pub columns: Vec<(ColumnId, DataType)>,
    /// Whether equal rows appear only once. With EXCEPT, rows that occur in another branch are then
    /// left out completely.
    pub distinct: bool,
}

/// `WITH RECURSIVE name AS (base UNION ALL step)`: the rows of `base`, then the rows that `step`
/// makes from these, then those that it makes from the last ones, until it makes none.
#[derive(Clone)]
pub struct Recursive {
    /// Name of the common table expression, for messages.
    pub name: Arc<str>,
    /// The part that does not read its own rows.
    pub base: Query,
    /// The part that reads the rows of the step before.
    pub step: Query,
    /// Ids and types of the result columns.
    pub columns: Vec<(ColumnId, DataType)>,
    /// The place of the rows that `step` reads.
    pub rows: Arc<RowsSlot>,
    /// Most evaluations of `step`.
    pub max_depth: u64,
}

/// A place where the execution puts rows for another part of the plan to read.
#[derive(Debug, Default)]
pub struct RowsSlot(Mutex<Vec<Chunk>>);

impl RowsSlot {
    /// Replaces the rows.
    pub fn set(&self, rows: Vec<Chunk>) {
        *lock(&self.0) = rows;
    }

    /// A copy of the current rows.
    pub fn get(&self) -> Vec<Chunk> {
        lock(&self.0).clone()
    }
}

/// A SELECT. Its fields are evaluated in this order.
#[derive(Clone)]
pub struct Select {
    /// The source of the rows.
    pub from: From,
    /// `arrayJoin` calls that the filter needs.
    pub filter_arrays: Vec<ArrayJoinStep>,
    /// Conjuncts of PREWHERE and WHERE.
    pub filter: Vec<Expr>,
    /// `arrayJoin` calls in keys and arguments of aggregates.
    pub group_arrays: Vec<ArrayJoinStep>,
    /// Grouping; `None` for a query without keys and aggregates.
    pub group: Option<Group>,
    /// `arrayJoin` calls in expressions after grouping.
    pub result_arrays: Vec<ArrayJoinStep>,
    /// Conjuncts of HAVING.
    pub having: Vec<Expr>,
    /// Calls of window functions, each once.
    pub windows: Vec<WindowCall>,
    /// Conjuncts of QUALIFY, which are evaluated after the window functions.
    pub qualify: Vec<Expr>,
    /// The result columns, each id once.
    pub projection: Vec<(ColumnId, Expr)>,
    /// Whether SELECT DISTINCT keeps each result row once.
    pub distinct: bool,
    /// Keys of ORDER BY.
    pub order_by: Vec<OrderKey>,
    /// LIMIT BY, or DISTINCT ON.
    pub limit_by: Option<LimitBy>,
    /// WITH FILL, which adds rows before LIMIT.
    pub fill: Fill,
    /// Most rows of the result; `None` means no limit.
    pub limit: Option<Count>,
    /// Whether rows after the limit stay as long as ORDER BY does not distinguish them from the
    /// last one.
    pub with_ties: bool,
    /// Number of result rows that are skipped.
    pub offset: Count,
    /// The bounds of its steps, if its own SETTINGS, or those of a SELECT around it, state them.
    pub limits: Option<Limits>,
}

/// A number of rows in LIMIT or OFFSET.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Count {
    /// So many, counted from the first row.
    First(u64),
    /// So many, counted from the last row.
    Last(u64),
    /// A share of all rows, counted from the first row. It lies between 0 and 1.
    Share(f64),
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::First(rows) => write!(f, "{rows}"),
            Self::Last(rows) => write!(f, "-{rows}"),
            Self::Share(share) => write!(f, "{share}"),
        }
    }
}

/// One `arrayJoin(array)`: a row per element of the array.
#[derive(Clone, Debug)]
pub struct ArrayJoinStep {
    /// The array whose elements are joined.
    pub array: Expr,
    /// The column of the elements.
    pub id: ColumnId,
}

/// GROUP BY and the aggregates.
#[derive(Clone, Default)]
pub struct Group {
    /// The keys. A key that is a plain column keeps the id of the column.
    pub keys: Vec<(ColumnId, Expr)>,
    /// Aggregates, each once.
    pub aggregates: Vec<AggregateCall>,
    /// Set for WITH TOTALS.
    pub totals: Option<Totals>,
    /// For `GROUPING SETS` that contain `()`: the key that numbers the sets, and the numbers of
    /// these sets. Each of them gives a row even if there are no rows to group.
    pub empty_sets: Option<(ColumnId, Vec<u64>)>,
}

/// `WITH TOTALS`: an additional row with the aggregates over all rows.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// Whether the groups that HAVING drops count, too.
    pub before_having: bool,
    /// With several grouping sets: the key that numbers them. Totals are those of the first set,
    /// which contains all rows.
    pub set: Option<ColumnId>,
    /// Keys of the row are defaults of the types that they have before they become Nullable.
    pub plain_keys: bool,
}

/// A call of an aggregate function.
#[derive(Clone)]
pub struct AggregateCall {
    /// The column of the result.
    pub id: ColumnId,
    /// The function's name with combinators.
    pub name: Arc<str>,
    /// The parameters in the first pair of parentheses.
    pub params: Vec<Value>,
    /// The bound function.
    pub function: Arc<dyn Aggregate>,
    /// The arguments.
    pub args: Vec<Expr>,
}

/// A call with OVER.
#[derive(Clone)]
pub struct WindowCall {
    /// The column of the result.
    pub id: ColumnId,
    /// The function's name with combinators.
    pub name: Arc<str>,
    /// The parameters in the first pair of parentheses.
    pub params: Vec<Value>,
    /// The bound function.
    pub function: OverWindow,
    /// The arguments.
    pub args: Vec<Expr>,
    /// The window over which it is computed.
    pub window: Window,
}

/// The functions that can stand before OVER.
#[derive(Clone, Debug)]
pub enum OverWindow {
    /// An aggregate function over the rows of the frame.
    Aggregate(Arc<dyn Aggregate>),
    /// A function that exists only over windows, such as `row_number`.
    Function(Arc<dyn WindowFunction>),
}

impl OverWindow {
    /// The type of the result.
    pub fn return_type(&self) -> DataType {
        match self {
            Self::Aggregate(function) => function.return_type(),
            Self::Function(function) => function.return_type(),
        }
    }
}

/// `(PARTITION BY ... ORDER BY ... frame)`.
#[derive(Clone, Debug)]
pub struct Window {
    /// Keys of PARTITION BY: rows with equal keys form a partition.
    pub partition: Vec<Expr>,
    /// Keys of ORDER BY within a partition.
    pub order: Vec<OrderKey>,
    /// The frame: the rows of the partition from which a row's result is computed.
    pub frame: Frame,
}

/// One key of ORDER BY.
#[derive(Clone, Debug)]
pub struct OrderKey {
    /// The expression to order by.
    pub expr: Expr,
    /// The direction, and the place of NULL and NaN.
    pub order: SortOrder,
}

impl OrderKey {
    /// Whether both put rows in the same order.
    pub fn is_same(&self, other: &Self) -> bool {
        self.order == other.order && crate::tree::same(&self.expr, &other.expr)
    }
}

/// `LIMIT n OFFSET m BY keys`.
#[derive(Clone, Debug)]
pub struct LimitBy {
    /// The keys.
    pub keys: Vec<Expr>,
    /// Number of rows that are skipped for each key.
    pub offset: Count,
    /// Most rows for each key.
    pub limit: Count,
    /// Whether it is DISTINCT ON, which the reference applies before the limit of ORDER BY.
    pub distinct_on: bool,
}

/// The FROM tree.
#[derive(Clone)]
pub enum From {
    /// A query without FROM: one row with a column `dummy`, which is 0.
    One(ColumnId),
    /// A table at its pinned version.
    Table(TableScan),
    /// A subquery.
    Subquery(Box<Query>),
    /// A subquery that reads columns of the left side of the join of which it is the right side.
    Lateral {
        /// The subquery.
        query: Box<Query>,
        /// The columns by which it reads them, with their expressions over the left side.
        params: Vec<(ColumnId, Expr)>,
    },
    /// The rows of a common table expression that is being evaluated.
    Rows {
        /// Ids and types of the columns.
        columns: Vec<(ColumnId, DataType)>,
        /// The place where the rows are.
        rows: Arc<RowsSlot>,
    },
    /// A join.
    Join(Box<Join>),
    /// ARRAY JOIN over arrays of equal lengths, which are unfolded together.
    ArrayJoin {
        /// The source of the rows.
        input: Box<From>,
        /// The arrays and the columns of their elements.
        arrays: Vec<ArrayJoinStep>,
        /// Whether it is `LEFT ARRAY JOIN`, which keeps rows with empty arrays.
        left: bool,
        /// Whether shorter arrays are filled with default values.
        unaligned: bool,
    },
}

/// The columns that a query reads of a table.
#[derive(Clone)]
pub struct TableScan {
    /// The pinned version.
    pub snapshot: Arc<dyn Snapshot>,
    /// Its columns.
    pub schema: Arc<Schema>,
    /// `db.table`.
    pub name: Arc<str>,
    /// The columns to read, and subcolumns, with their types.
    pub columns: Vec<(ScanColumn, DataType)>,
    /// ALIAS columns, which are computed over `columns` before any join.
    pub computed: Vec<(ColumnId, Expr)>,
    /// FINAL: rows with equal keys are merged.
    pub final_: bool,
    /// With FINAL: conjuncts of PREWHERE, which apply to rows before they are merged.
    pub prewhere: Vec<Expr>,
    /// Conjuncts that settings add, which hold for merged rows.
    pub filter: Vec<Expr>,
    /// Number of the source within its SELECT.
    pub(crate) source: usize,
}

/// The kinds of joins: which rows without a match stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
    /// No condition: the first row with the first, the second with the second, until a side ends.
    Paste,
}

/// Which of several matches of a row count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Strictness {
    All,
    Any,
    Semi,
    Anti,
    /// Among the rows with equal keys, the one that is closest by an inequality.
    Asof,
}

/// The inequality of an ASOF join, with the value of the left side on its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Inequality {
    Less,
    LessOrEquals,
    Greater,
    GreaterOrEquals,
}

/// Defines which row is the closest in an ASOF join.
#[derive(Clone, Debug)]
pub struct AsofKey {
    /// Expression over the left side, with the type of the right one.
    pub left: Expr,
    /// Expression over the right side.
    pub right: Expr,
    /// The relation between `left` and `right`.
    pub inequality: Inequality,
}

/// A join.
#[derive(Clone)]
pub struct Join {
    /// Left side.
    pub left: From,
    /// Right side.
    pub right: From,
    /// Which unmatched rows stay.
    pub kind: JoinKind,
    /// Which of several matches count.
    pub strictness: Strictness,
    /// Pairs of equal expressions of the left and the right side. Both of a pair have the same
    /// type.
    pub keys: Vec<(Expr, Expr)>,
    /// The inequality, if it is an ASOF join.
    pub closest: Option<AsofKey>,
    /// Further conjuncts of ON, beside the keys.
    pub residual: Vec<Expr>,
    /// Columns of USING whose value is not simply that of one side.
    pub merged: Vec<Merged>,
    /// `join_any_take_last_row`: the last of several matches on the right side counts.
    pub takes_last: bool,
    /// `join_use_nulls`: columns of a side whose rows may be missing are Nullable in the result.
    pub use_nulls: bool,
}

/// A column of USING, as the result of the join contains it.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Id of the column.
    pub id: ColumnId,
    /// Type of the column.
    pub ty: DataType,
    /// Position of the key in `keys`.
    pub key: usize,
}

/// A subquery that is computed before the query.
#[derive(Clone)]
pub enum Subquery {
    /// Its rows fill the set of an IN.
    Set(Arc<SetSlot>, Query),
    /// Its single row becomes a value.
    Scalar(Arc<ScalarSlot>, Query),
}
