//! The physical plan: an immutable tree that `exec` turns into pipelines.
//!
//! Every node's output is a list of columns, identified by [`ColumnId`]; [`Plan::outputs`] returns
//! them in order. Expressions that a node needs are computed by a `Project` below it: keys,
//! arguments of aggregates and sort keys are plain columns of the input.

mod aggregate;
mod fetch;
mod join;

use std::sync::Arc;

pub use aggregate::AggregateAlgorithm;
pub use entasis_analyze::limits::{Limits, Most, Overflow};
pub use entasis_analyze::query::{
    Count, FillRule, FillStep, FillValue, Inequality, OverWindow, RowsSlot,
};
use entasis_column::compare::SortOrder;
use entasis_column::{Chunk, Header};
use entasis_expr::{ColumnId, Expr, ScalarSlot, SetSlot};
use entasis_function::window::Frame;
use entasis_table_api::{ScanSpec, Snapshot};
use entasis_types::{DataType, Value};
pub use fetch::Fetch;
pub use join::{
    AsofKey, Band, BandEnd, Join, JoinAlgorithm, JoinKind, KeyRange, Merging, Strictness,
};

/// A node with its inputs.
#[derive(Clone)]
pub enum Plan {
    /// Rows that the planner knows: `SELECT 1` (one row, no columns), a count from metadata.
    Values(Values),
    /// Rows that are put into a slot before this part of the plan runs.
    Rows(Rows),
    /// The rows of a table that pass the spec's filter; the outputs are those of the spec.
    Scan(Scan),
    /// The rows for which all predicates are true.
    Filter(Filter),
    /// Computes exactly these columns.
    Project(Project),
    /// One row per distinct key (a single row without keys): keys, then aggregates.
    Aggregate(Aggregate),
    /// The distinct rows over all columns of the input, in order of first appearance.
    Distinct(Distinct),
    /// Sorted rows; with a limit, only the first ones.
    Sort(Sort),
    /// The input's rows, sorted by partition and order, with the results of window functions.
    Window(Box<Window>),
    /// Rows `offset .. offset + limit`.
    Limit(Limit),
    /// Rows `offset .. offset + limit`, and those after them that equal the last one in `keys`.
    LimitTies(LimitTies),
    /// Some of the input's rows, or of those of every key, counted from the end or in shares.
    Slice(Box<Slice>),
    /// The input's rows, and rows for values that are missing between them.
    Fill(Box<Fill>),
    /// The input's rows, with further columns of a table that a scan below reads.
    Fetch(Box<Fetch>),
    /// The input's rows, up to a bound: beyond it the node does what the bound's mode says.
    Bound(Bound),
    /// The input's rows; the aggregates of all of them are put into a slot.
    Totals(Totals),
    /// The rows of `base`, then those of `step` over these rows, then repeatedly those of `step`
    /// over its own previous rows, until there are none.
    Recursive(Box<Recursive>),
    /// Rows `offset .. offset + limit` of every distinct key, in input order.
    LimitBy(LimitBy),
    /// All rows of all inputs, in order. The outputs of every input have these types and get these
    /// ids, by position.
    Union(Union),
    /// The rows of `input`, or those of `otherwise` if there are none.
    OrElse(OrElse),
    /// The joined rows of two inputs.
    Join(Box<Join>),
    /// One row per element of the arrays (of equal lengths). The elements are new columns after the
    /// input's other columns.
    ArrayJoin(ArrayJoin),
}

/// See [`Plan::Values`].
#[derive(Clone)]
pub struct Values {
    /// The columns and their types.
    pub columns: Vec<(ColumnId, DataType)>,
    /// The values of the columns.
    pub chunk: Chunk,
}

/// See [`Plan::Rows`].
#[derive(Clone)]
pub struct Rows {
    /// The columns and their types.
    pub columns: Vec<(ColumnId, DataType)>,
    /// The slot that holds the rows.
    pub rows: Arc<RowsSlot>,
    /// The estimated number of rows, if there is an estimate.
    pub estimate: Option<f64>,
}

/// See [`Plan::Scan`].
#[derive(Clone)]
pub struct Scan {
    /// The pinned version of the table.
    pub table: Arc<dyn Snapshot>,
    /// The table's name for EXPLAIN.
    pub name: Arc<str>,
    /// The types of the columns in the spec, and perhaps of others.
    pub types: Vec<(ColumnId, DataType)>,
    /// The columns, filter and limit of the scan.
    pub spec: ScanSpec,
}

/// See [`Plan::Filter`].
#[derive(Clone)]
pub struct Filter {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// Conjuncts, in the order of evaluation.
    pub predicates: Vec<Expr>,
}

/// See [`Plan::Project`].
#[derive(Clone)]
pub struct Project {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// The output columns, each with its expression over the input.
    pub exprs: Vec<(ColumnId, Expr)>,
}

/// See [`Plan::Aggregate`].
#[derive(Clone)]
pub struct Aggregate {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// Key columns of the input; they keep their ids.
    pub keys: Vec<ColumnId>,
    /// The aggregates to compute.
    pub calls: Vec<AggregateCall>,
    /// Any this many groups are enough (GROUP BY with LIMIT, but without ORDER BY).
    pub limit: Option<u64>,
    /// How the groups are found; the planner chooses it at the end.
    pub algorithm: AggregateAlgorithm,
}

/// See [`Plan::Distinct`].
#[derive(Clone)]
pub struct Distinct {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// This many rows are enough.
    pub limit: Option<u64>,
}

/// See [`Plan::Sort`].
#[derive(Clone)]
pub struct Sort {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// The sort keys, most significant first.
    pub keys: Vec<SortKey>,
    /// The number of rows that are wanted; all if `None`.
    pub limit: Option<u64>,
    /// The slot for the threshold, shared with a scan below if that is correct.
    pub threshold: Option<Arc<entasis_table_api::RuntimeFilter>>,
}

/// See [`Plan::Limit`].
#[derive(Clone)]
pub struct Limit {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// The number of rows that are skipped.
    pub offset: u64,
    /// The number of rows that are returned; all if `None`.
    pub limit: Option<u64>,
}

/// See [`Plan::LimitTies`].
#[derive(Clone)]
pub struct LimitTies {
    /// The node that supplies the rows, sorted by the keys.
    pub input: Box<Plan>,
    /// The number of rows that are skipped.
    pub offset: u64,
    /// The number of rows that are returned at least.
    pub limit: u64,
    /// The columns of the sort.
    pub keys: Vec<ColumnId>,
}

/// See [`Plan::Bound`].
#[derive(Clone)]
pub struct Bound {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// Most rows and bytes.
    pub most: Most,
    /// What is bounded: decides about the error.
    pub what: Bounded,
    /// The columns of the groups that are counted; empty if rows are counted.
    pub keys: Vec<ColumnId>,
}

/// See [`Plan::Totals`].
#[derive(Clone)]
pub struct Totals {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// The aggregates to compute.
    pub calls: Vec<AggregateCall>,
    /// The slot for the row of results.
    pub rows: Arc<RowsSlot>,
}

/// See [`Plan::LimitBy`].
#[derive(Clone)]
pub struct LimitBy {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// The columns that form the key.
    pub keys: Vec<ColumnId>,
    /// The number of rows that are skipped per key.
    pub offset: u64,
    /// The number of rows that are returned per key.
    pub limit: u64,
}

/// See [`Plan::Union`].
#[derive(Clone)]
pub struct Union {
    /// The inputs, which have the same number of columns.
    pub inputs: Vec<Plan>,
    /// Output columns and their types.
    pub columns: Vec<(ColumnId, DataType)>,
}

/// See [`Plan::OrElse`].
#[derive(Clone)]
pub struct OrElse {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// The replacement rows, which are few and have the same columns.
    pub otherwise: Box<Plan>,
}

/// See [`Plan::ArrayJoin`].
#[derive(Clone)]
pub struct ArrayJoin {
    /// The node that supplies the rows.
    pub input: Box<Plan>,
    /// Pairs of the array column of the input and the element column of the output.
    pub arrays: Vec<(ColumnId, ColumnId)>,
    /// Whether rows with empty arrays are kept, with default values.
    pub left: bool,
    /// Whether shorter arrays of a row are extended with defaults; otherwise they are an error.
    pub unaligned: bool,
}

/// LIMIT and LIMIT BY in their rare forms; see [`Plan::Slice`].
#[derive(Clone)]
pub struct Slice {
    /// The node that supplies the rows.
    pub input: Plan,
    /// The columns that form the key; empty if all rows are counted together.
    pub by: Vec<ColumnId>,
    /// The rows that are skipped, from the first or from the last.
    pub offset: Count,
    /// The rows that are returned of the others; all if `None`.
    pub limit: Option<Count>,
    /// WITH TIES: the columns of the sort, by which the input is sorted.
    pub ties: Vec<ColumnId>,
}

/// WITH FILL; see [`Plan::Fill`].
#[derive(Clone)]
pub struct Fill {
    /// The node that supplies the rows, sorted.
    pub input: Plan,
    /// Rows that are equal in these columns are filled for themselves.
    pub prefix: Vec<ColumnId>,
    /// The columns that are filled, and how.
    pub columns: Vec<(ColumnId, FillRule)>,
    /// Columns that have a value in new rows: an expression over the row before.
    pub interpolate: Vec<(ColumnId, Expr)>,
}

/// The setting that bounds a node's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounded {
    /// `max_rows_to_group_by`.
    Groups,
    /// `max_rows_in_distinct`, `max_bytes_in_distinct`.
    Distinct,
    /// `max_result_rows`, `max_result_bytes`.
    Result,
    /// `max_rows_to_sort`, `max_bytes_to_sort`.
    Sort,
    /// `max_rows_in_join`, `max_bytes_in_join`.
    Join,
    /// `max_rows_in_set`, `max_bytes_in_set`.
    Set,
}

/// A recursive common table expression; see [`Plan::Recursive`].
#[derive(Clone)]
pub struct Recursive {
    /// The name of the common table expression.
    pub name: Arc<str>,
    /// The part that does not read the expression's rows. Its columns have the types of `columns`
    /// in order, like those of `step`.
    pub base: Plan,
    /// The part that reads the expression's rows.
    pub step: Plan,
    /// Output columns and their types.
    pub columns: Vec<(ColumnId, DataType)>,
    /// The slot for the rows that `step` reads.
    pub rows: Arc<RowsSlot>,
    /// How often `step` may be evaluated.
    pub max_depth: u64,
}

/// One aggregate of a [`Plan::Aggregate`].
#[derive(Clone)]
pub struct AggregateCall {
    /// The output column.
    pub id: ColumnId,
    /// The name in EXPLAIN.
    pub name: Arc<str>,
    /// The parameters in the first pair of parentheses.
    pub params: Vec<Value>,
    /// The bound function with its combinators.
    pub function: Arc<dyn entasis_function::Aggregate>,
    /// The arguments, as columns of the input.
    pub args: Vec<ColumnId>,
}

/// Window functions that share one sort; see [`Plan::Window`].
#[derive(Clone)]
pub struct Window {
    /// The node that supplies the rows.
    pub input: Plan,
    /// The columns of the input that define the partitions.
    pub partition: Vec<ColumnId>,
    /// The order of the rows within a partition.
    pub order: Vec<SortKey>,
    /// The window functions to compute.
    pub calls: Vec<WindowCall>,
}

/// One function of a [`Window`].
#[derive(Clone)]
pub struct WindowCall {
    /// The output column.
    pub id: ColumnId,
    /// The name in EXPLAIN.
    pub name: Arc<str>,
    /// The bound function.
    pub function: OverWindow,
    /// The arguments, as columns of the input.
    pub args: Vec<ColumnId>,
    /// The number of leading sort keys that are this function's own ORDER BY.
    pub order: usize,
    /// The frame of rows that the function sees.
    pub frame: Frame,
}

/// A column and its sort order.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// The column of the input.
    pub column: ColumnId,
    /// Direction and place of NULLs.
    pub order: SortOrder,
}

/// A subquery whose result is computed before the plan that uses it starts.
#[derive(Clone)]
pub enum Subquery {
    /// Fills a set from the plan's outputs.
    Set(Arc<SetSlot>, QueryPlan),
    /// Fills a value from the plan's only row (NULL if there is none, an error if there are more).
    Scalar(Arc<ScalarSlot>, QueryPlan),
    /// Keeps the plan's rows for [`Plan::Rows`]: a common table expression that is used several
    /// times.
    Rows(Arc<RowsSlot>, QueryPlan),
}

impl Subquery {
    /// The plan of the subquery.
    pub fn plan(&self) -> &QueryPlan {
        let (Self::Set(_, plan) | Self::Scalar(_, plan) | Self::Rows(_, plan)) = self;
        plan
    }

    /// Whether it fills this set.
    pub(crate) fn fills(&self, set: &Arc<SetSlot>) -> bool {
        matches!(self, Self::Set(slot, _) if Arc::ptr_eq(slot, set))
    }

    /// The word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Set(..) => "Set",
            Self::Scalar(..) => "Scalar",
            Self::Rows(..) => "Rows",
        }
    }
}

/// The plan of a whole query.
#[derive(Clone)]
pub struct QueryPlan {
    /// The tree of plan nodes.
    pub root: Plan,
    /// The names and types of the result.
    pub header: Header,
    /// The columns of the root that form the result, in the header's order.
    pub outputs: Vec<ColumnId>,
    /// The subqueries to compute first, in order.
    pub subqueries: Vec<Subquery>,
    /// The row of WITH TOTALS, whose columns include the outputs; it runs after the root.
    pub totals: Option<Plan>,
}

impl QueryPlan {
    /// Whether the result's rows are known without running, apart from renaming and literals.
    pub fn is_known(&self) -> bool {
        self.subqueries.is_empty() && self.root.is_known()
    }
}

impl Plan {
    fn is_known(&self) -> bool {
        match self {
            Self::Values(_) => true,
            Self::Project(Project { input, exprs }) => {
                let plain = |e: &Expr| matches!(e, Expr::Column { .. } | Expr::Literal { .. });
                input.is_known() && exprs.iter().all(|(_, e)| plain(e))
            }
            _ => false,
        }
    }

    /// The columns of the output chunks, in order.
    pub fn outputs(&self) -> Vec<ColumnId> {
        match self {
            Self::Values(Values { columns, .. })
            | Self::Rows(Rows { columns, .. })
            | Self::Union(Union { columns, .. }) => columns.iter().map(|(id, _)| *id).collect(),
            Self::Recursive(recursive) => recursive.columns.iter().map(|(id, _)| *id).collect(),
            Self::Scan(Scan { spec, .. }) => spec.outputs.clone(),
            Self::Project(Project { exprs, .. }) => exprs.iter().map(|(id, _)| *id).collect(),
            Self::Aggregate(Aggregate { keys, calls, .. }) => {
                keys.iter().copied().chain(calls.iter().map(|c| c.id)).collect()
            }
            Self::Filter(Filter { input, .. })
            | Self::Distinct(Distinct { input, .. })
            | Self::Sort(Sort { input, .. })
            | Self::Limit(Limit { input, .. })
            | Self::LimitTies(LimitTies { input, .. })
            | Self::Bound(Bound { input, .. })
            | Self::Totals(Totals { input, .. })
            | Self::OrElse(OrElse { input, .. })
            | Self::LimitBy(LimitBy { input, .. }) => input.outputs(),
            Self::Slice(slice) => slice.input.outputs(),
            Self::Fill(fill) => fill.input.outputs(),
            Self::Window(window) => {
                let mut out = window.input.outputs();
                out.extend(window.calls.iter().map(|c| c.id));
                out
            }
            Self::Fetch(fetch) => {
                let mut out = fetch.input.outputs();
                out.extend(fetch.columns.iter().map(|(column, _)| column.id));
                out
            }
            Self::Join(join) => {
                let both = join.left_outputs.iter().chain(&join.right_outputs);
                both.copied().collect()
            }
            Self::ArrayJoin(ArrayJoin { input, arrays, .. }) => {
                let mut out = input.outputs();
                out.retain(|id| !arrays.iter().any(|(from, _)| from == id));
                out.extend(arrays.iter().map(|(_, to)| *to));
                out
            }
        }
    }
}
