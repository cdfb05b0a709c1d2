//! The analysed query: names are resolved, types are known, columns have ids. What `plan` starts
//! from.
//!
//! Invariants: a [`ColumnId`] is unique within the whole query, subqueries included, so a
//! subquery's output columns are read by the outer query under the ids they have inside. Outputs
//! may repeat an id. Expressions after grouping read only keys and aggregates.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_column::Chunk;
use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr, ScalarSlot, SetSlot};
use entasis_function::Aggregate;
use entasis_function::window::{Frame, WindowFunction};
use entasis_table_api::{ScanColumn, Schema, Snapshot};
use entasis_types::{DataType, Value};

/// One query with everything that must be computed before it.
#[derive(Clone)]
pub struct Query {
    /// What it is.
    pub body: Body,
    /// Its columns; ids may repeat.
    pub outputs: Vec<Output>,
    /// Subqueries to compute first, in order; only on the outermost query.
    pub subqueries: Vec<Subquery>,
    /// The SETTINGS clause as written; only on the outermost query.
    pub settings: Vec<(String, Value)>,
    /// The first id that is not in use; only on the outermost query.
    pub next_id: u32,
}

/// A column of a query's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Which column of the body.
    pub id: ColumnId,
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: DataType,
}

/// SELECT or UNION.
#[derive(Clone)]
pub enum Body {
    /// One SELECT.
    Select(Box<Select>),
    /// Rows of several branches.
    Union(Box<Union>),
    /// A common table expression that reads itself.
    Recursive(Box<Recursive>),
}

/// Which rows of its branches a set operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// All rows of all branches.
    Union,
    /// Rows of all branches: as often as each of them has it.
    Intersect,
    /// Rows of the first branch, less one for each such row of the others.
    Except,
}

/// `UNION`, `INTERSECT`, `EXCEPT`.
#[derive(Clone)]
pub struct Union {
    /// Which rows.
    pub kind: SetKind,
    /// The branches, and for each one its columns converted to the common types.
    pub branches: Vec<(Query, Vec<Expr>)>,
    /// Ids of the columns that come out.
    pub columns: Vec<(ColumnId, DataType)>,
    /// Repeated rows are left out; of EXCEPT, those that another branch has at all.
    pub distinct: bool,
}

/// `WITH RECURSIVE name AS (base UNION ALL step)`: the rows of `base`, then those of `step` over
/// these, then those of `step` over the last ones, until there are none.
#[derive(Clone)]
pub struct Recursive {
    /// Name of the common table expression, for messages.
    pub name: Arc<str>,
    /// What does not read the rows.
    pub base: Query,
    /// What reads them.
    pub step: Query,
    /// Ids of the columns that come out.
    pub columns: Vec<(ColumnId, DataType)>,
    /// The rows that `step` reads.
    pub rows: Arc<RowsSlot>,
    /// Most times that `step` is evaluated.
    pub max_depth: u64,
}

/// A place where execution puts rows for a part of the plan that reads them.
#[derive(Debug, Default)]
pub struct RowsSlot(Mutex<Vec<Chunk>>);

impl RowsSlot {
    /// Replaces the rows.
    pub fn set(&self, rows: Vec<Chunk>) {
        *lock(&self.0) = rows;
    }

    /// The rows.
    pub fn get(&self) -> Vec<Chunk> {
        lock(&self.0).clone()
    }
}

/// One SELECT. Evaluated in the order of the fields.
#[derive(Clone)]
pub struct Select {
    /// Where rows come from.
    pub from: From,
    /// `arrayJoin` calls that the filter needs.
    pub filter_arrays: Vec<ArrayJoinStep>,
    /// Conjuncts of PREWHERE and WHERE.
    pub filter: Vec<Expr>,
    /// `arrayJoin` calls in keys and arguments of aggregates.
    pub group_arrays: Vec<ArrayJoinStep>,
    /// Grouping; `None` for a query without keys and aggregates.
    pub group: Option<Group>,
    /// `arrayJoin` calls in what follows.
    pub result_arrays: Vec<ArrayJoinStep>,
    /// Conjuncts of HAVING.
    pub having: Vec<Expr>,
    /// Calls over windows, each once.
    pub windows: Vec<WindowCall>,
    /// Conjuncts of QUALIFY.
    pub qualify: Vec<Expr>,
    /// The result columns, each id once.
    pub projection: Vec<(ColumnId, Expr)>,
    /// DISTINCT over the result columns.
    pub distinct: bool,
    /// ORDER BY.
    pub order_by: Vec<OrderKey>,
    /// LIMIT BY, DISTINCT ON.
    pub limit_by: Option<LimitBy>,
    /// Rows let through.
    pub limit: Option<u64>,
    /// And those after them that ORDER BY does not tell from the last.
    pub with_ties: bool,
    /// Rows skipped.
    pub offset: u64,
}

/// One `arrayJoin(array)`: a row per element of the array.
#[derive(Clone, Debug)]
pub struct ArrayJoinStep {
    /// The array.
    pub array: Expr,
    /// The element.
    pub id: ColumnId,
}

/// GROUP BY and the aggregates.
#[derive(Clone, Default)]
pub struct Group {
    /// Keys; a plain column keeps its id.
    pub keys: Vec<(ColumnId, Expr)>,
    /// Aggregates, each once.
    pub aggregates: Vec<AggregateCall>,
    /// `WITH TOTALS`.
    pub totals: Option<Totals>,
    /// `GROUPING SETS` with `()` in it: the key that numbers the sets, and the numbers of those
    /// sets. Each of them gives a row even if there are no rows to group.
    pub empty_sets: Option<(ColumnId, Vec<u64>)>,
}

/// `WITH TOTALS`: one row more, of the aggregates over all rows.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// Also of the groups that HAVING drops.
    pub before_having: bool,
    /// With several grouping sets: the key that numbers them. The first has all rows.
    pub set: Option<ColumnId>,
    /// Keys of the row are defaults of the types that they have before they become Nullable.
    pub plain_keys: bool,
}

/// One aggregate.
#[derive(Clone)]
pub struct AggregateCall {
    /// The result.
    pub id: ColumnId,
    /// The function's name with combinators.
    pub name: Arc<str>,
    /// Parameters.
    pub params: Vec<Value>,
    /// The bound function.
    pub function: Arc<dyn Aggregate>,
    /// Arguments.
    pub args: Vec<Expr>,
}

/// One call with OVER.
#[derive(Clone)]
pub struct WindowCall {
    /// The result.
    pub id: ColumnId,
    /// The function's name with combinators.
    pub name: Arc<str>,
    /// Parameters.
    pub params: Vec<Value>,
    /// The bound function.
    pub function: OverWindow,
    /// Arguments.
    pub args: Vec<Expr>,
    /// Over what.
    pub window: Window,
}

/// What can stand before OVER.
#[derive(Clone, Debug)]
pub enum OverWindow {
    /// An aggregate of the frame's rows.
    Aggregate(Arc<dyn Aggregate>),
    /// What exists over windows only.
    Function(Arc<dyn WindowFunction>),
}

impl OverWindow {
    /// Type of the result.
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
    /// Rows that are equal in these belong together.
    pub partition: Vec<Expr>,
    /// Their order.
    pub order: Vec<OrderKey>,
    /// Which of them a row's result is of.
    pub frame: Frame,
}

/// One key of ORDER BY.
#[derive(Clone, Debug)]
pub struct OrderKey {
    /// The key.
    pub expr: Expr,
    /// Its order.
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
    /// Keys.
    pub keys: Vec<Expr>,
    /// Rows skipped per key.
    pub offset: u64,
    /// Rows per key.
    pub limit: u64,
    /// DISTINCT ON: before ORDER BY's limit, as the reference rewrites it.
    pub distinct_on: bool,
}

/// The FROM tree.
#[derive(Clone)]
pub enum From {
    /// No FROM: one row of a column `dummy`, which is 0.
    One(ColumnId),
    /// A table at its pinned version.
    Table(TableScan),
    /// A subquery.
    Subquery(Box<Query>),
    /// The rows of a common table expression that is being evaluated.
    Rows {
        /// Its columns.
        columns: Vec<(ColumnId, DataType)>,
        /// Where they are.
        rows: Arc<RowsSlot>,
    },
    /// A join.
    Join(Box<Join>),
    /// ARRAY JOIN: arrays of equal lengths, in step.
    ArrayJoin {
        /// Input.
        input: Box<From>,
        /// The arrays.
        arrays: Vec<ArrayJoinStep>,
        /// `LEFT ARRAY JOIN`.
        left: bool,
        /// Shorter arrays go on with defaults.
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
    /// Columns read, and parts of columns, with their types.
    pub columns: Vec<(ScanColumn, DataType)>,
    /// ALIAS columns that are computed before anything is joined, over `columns`.
    pub computed: Vec<(ColumnId, Expr)>,
    /// Rows of equal keys are merged: FINAL.
    pub final_: bool,
    /// With FINAL: conjuncts of PREWHERE, which hold for rows before they are merged.
    pub prewhere: Vec<Expr>,
    /// Conjuncts that settings add, which hold for merged rows.
    pub filter: Vec<Expr>,
    /// Number of the source within its SELECT.
    pub(crate) source: usize,
}

/// Which unmatched rows stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

/// Which matches of a row count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Strictness {
    All,
    Any,
    Semi,
    Anti,
    /// The closest row by an inequality, among those of equal keys.
    Asof,
}

/// The inequality of an ASOF join: the left side's value stands left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Inequality {
    Less,
    LessOrEquals,
    Greater,
    GreaterOrEquals,
}

/// What "closest" means in an ASOF join.
#[derive(Clone, Debug)]
pub struct AsofKey {
    /// Over the left side; of the right one's type.
    pub left: Expr,
    /// Over the right side.
    pub right: Expr,
    /// `left` stands left of it.
    pub inequality: Inequality,
}

/// One join.
#[derive(Clone)]
pub struct Join {
    /// Left side.
    pub left: From,
    /// Right side.
    pub right: From,
    /// Which unmatched rows stay.
    pub kind: JoinKind,
    /// Which matches count.
    pub strictness: Strictness,
    /// Equalities, left and right, of one type each.
    pub keys: Vec<(Expr, Expr)>,
    /// The inequality of an ASOF join.
    pub closest: Option<AsofKey>,
    /// Further conjuncts.
    pub residual: Vec<Expr>,
    /// Columns of USING that are neither side's as it is.
    pub merged: Vec<Merged>,
    /// `join_any_take_last_row`: of several matches, the last on the right counts.
    pub takes_last: bool,
    /// `join_use_nulls`: columns of the side that may be missing come out as Nullable.
    pub use_nulls: bool,
}

/// A column of USING: the key as the result sees it.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The column.
    pub id: ColumnId,
    /// Its type.
    pub ty: DataType,
    /// Which key.
    pub key: usize,
}

/// What to compute before the query.
#[derive(Clone)]
pub enum Subquery {
    /// Fills a set.
    Set(Arc<SetSlot>, Query),
    /// Fills a value.
    Scalar(Arc<ScalarSlot>, Query),
}
