//! The physical plan: an immutable tree that `exec` turns into pipelines.
//!
//! Every node's output is a list of columns known by [`ColumnId`]; [`Plan::outputs`] says which, in
//! which order. Expressions that a node needs are computed by a `Project` below it: keys,
//! aggregates' arguments and sort keys are plain columns of the input.

use std::sync::Arc;

pub use entasis_analyze::query::{Inequality, OverWindow, RowsSlot};
use entasis_column::compare::SortOrder;
use entasis_column::{Chunk, Header};
use entasis_expr::{ColumnId, Expr, ScalarSlot, SetSlot};
use entasis_function::Aggregate;
use entasis_function::window::Frame;
use entasis_table::{ScanSpec, Snapshot};
use entasis_types::DataType;

/// A node with its inputs.
#[derive(Clone)]
pub enum Plan {
    /// Rows that are known: `SELECT 1` (one row, no columns), a count from metadata.
    Values {
        /// The columns and their types.
        columns: Vec<(ColumnId, DataType)>,
        /// Their values.
        chunk: Chunk,
    },
    /// Rows that are put into a slot before this part of the plan runs.
    Rows {
        /// The columns and their types.
        columns: Vec<(ColumnId, DataType)>,
        /// The rows.
        rows: Arc<RowsSlot>,
    },
    /// Rows of a table that pass the spec's filter; outputs are the spec's.
    Scan {
        /// The pinned version.
        table: Arc<dyn Snapshot>,
        /// For EXPLAIN.
        name: Arc<str>,
        /// Types of the columns that the spec names, and perhaps of others.
        types: Vec<(ColumnId, DataType)>,
        /// What is wanted.
        spec: ScanSpec,
    },
    /// Rows for which all predicates are true.
    Filter {
        /// Input.
        input: Box<Plan>,
        /// Conjuncts.
        predicates: Vec<Expr>,
    },
    /// Exactly these expressions, as these columns.
    Project {
        /// Input.
        input: Box<Plan>,
        /// Output columns.
        exprs: Vec<(ColumnId, Expr)>,
    },
    /// One row per distinct key (one row in all without keys): keys, then aggregates.
    Aggregate {
        /// Input.
        input: Box<Plan>,
        /// Key columns of the input; they keep their ids.
        keys: Vec<ColumnId>,
        /// Aggregates.
        calls: Vec<AggregateCall>,
        /// At most so many groups are wanted, any (GROUP BY + LIMIT without ORDER BY).
        limit: Option<u64>,
        /// Keys by which the input comes sorted, morsel by morsel: groups are finished as soon as
        /// these change. Empty: in any order.
        in_order: Vec<ColumnId>,
    },
    /// Distinct rows of all columns of the input, first come first.
    Distinct {
        /// Input.
        input: Box<Plan>,
        /// At most so many rows are wanted.
        limit: Option<u64>,
    },
    /// Sorted rows; with a limit, only the first so many.
    Sort {
        /// Input.
        input: Box<Plan>,
        /// Keys, most significant first.
        keys: Vec<SortKey>,
        /// Rows wanted.
        limit: Option<u64>,
        /// Slot for the threshold, shared with a scan below where that is sound.
        threshold: Option<Arc<entasis_table::RuntimeFilter>>,
    },
    /// The input's rows, sorted by partition and order, and the results of functions over windows.
    Window(Box<Window>),
    /// Rows `offset .. offset + limit`.
    Limit {
        /// Input.
        input: Box<Plan>,
        /// Rows skipped.
        offset: u64,
        /// Rows let through; all if `None`.
        limit: Option<u64>,
    },
    /// Rows `offset .. offset + limit`, and those after them that are equal to the last in `keys`.
    LimitTies {
        /// Input, sorted by the keys.
        input: Box<Plan>,
        /// Rows skipped.
        offset: u64,
        /// Rows let through at least.
        limit: u64,
        /// The sort's columns.
        keys: Vec<ColumnId>,
    },
    /// The input's rows, if they are not more than so many.
    Bound {
        /// Input.
        input: Box<Plan>,
        /// Most rows and bytes.
        most: Most,
        /// What is bounded: decides about the error.
        what: Bounded,
    },
    /// The input's rows; beside them, the aggregates of all of them go into a slot.
    Totals {
        /// Input.
        input: Box<Plan>,
        /// The aggregates.
        calls: Vec<AggregateCall>,
        /// One row of their results.
        rows: Arc<RowsSlot>,
    },
    /// The rows of `base`, then those of `step` over these, then those of `step` over its own last
    /// ones, until there are none.
    Recursive(Box<Recursive>),
    /// Rows `offset .. offset + limit` of every distinct key, in input order.
    LimitBy {
        /// Input.
        input: Box<Plan>,
        /// Keys.
        keys: Vec<ColumnId>,
        /// Rows skipped per key.
        offset: u64,
        /// Rows per key.
        limit: u64,
    },
    /// All rows of all inputs, in order; every input's outputs have these types, and come out under
    /// these ids.
    Union {
        /// Inputs, with equally many columns.
        inputs: Vec<Plan>,
        /// Output columns and their types.
        columns: Vec<(ColumnId, DataType)>,
    },
    /// The rows of `input`, or those of `otherwise` if there are none.
    OrElse {
        /// Input.
        input: Box<Plan>,
        /// Rows of the same columns, which are few.
        otherwise: Box<Plan>,
    },
    /// Rows of two inputs put together.
    Join(Box<Join>),
    /// One row per element of the arrays (of equal lengths), which come out under new ids behind
    /// the input's other columns.
    ArrayJoin {
        /// Input.
        input: Box<Plan>,
        /// Array column of the input -> element column of the output.
        arrays: Vec<(ColumnId, ColumnId)>,
        /// Keep rows whose arrays are empty, with defaults.
        left: bool,
        /// Shorter arrays of a row go on with defaults; else that is an error.
        unaligned: bool,
    },
}

/// What a setting bounds.
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

/// The most rows and bytes that a setting allows; 0 means no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Most {
    /// So many rows, and any number of bytes.
    pub fn rows(rows: u64) -> Self {
        Self { rows, bytes: 0 }
    }

    /// Whether there is no bound.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl std::fmt::Display for Most {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = [("rows", self.rows), ("bytes", self.bytes)];
        let mut shown = shown.into_iter().filter(|(_, most)| *most > 0);
        if let Some((unit, most)) = shown.next() {
            write!(f, "{unit}: {most}")?;
        }
        shown.try_for_each(|(unit, most)| write!(f, " {unit}: {most}"))
    }
}

/// A common table expression that reads itself; see [`Plan::Recursive`].
#[derive(Clone)]
pub struct Recursive {
    /// Its name.
    pub name: Arc<str>,
    /// What does not read the rows; gives `columns`' types in their order, as `step` does.
    pub base: Plan,
    /// What reads them.
    pub step: Plan,
    /// Output columns and their types.
    pub columns: Vec<(ColumnId, DataType)>,
    /// The rows that `step` reads.
    pub rows: Arc<RowsSlot>,
    /// Most evaluations of `step`.
    pub max_depth: u64,
}

/// One aggregate of an [`Plan::Aggregate`].
#[derive(Clone)]
pub struct AggregateCall {
    /// Output column.
    pub id: ColumnId,
    /// As EXPLAIN shows it.
    pub name: Arc<str>,
    /// The bound function with its combinators.
    pub function: Arc<dyn Aggregate>,
    /// Columns of the input.
    pub args: Vec<ColumnId>,
}

/// Functions over windows that one sort serves; see [`Plan::Window`].
#[derive(Clone)]
pub struct Window {
    /// Input.
    pub input: Plan,
    /// Rows that are equal in these columns of the input belong together.
    pub partition: Vec<ColumnId>,
    /// Their order.
    pub order: Vec<SortKey>,
    /// The functions.
    pub calls: Vec<WindowCall>,
}

/// One function of a [`Window`].
#[derive(Clone)]
pub struct WindowCall {
    /// Output column.
    pub id: ColumnId,
    /// As EXPLAIN shows it.
    pub name: Arc<str>,
    /// The bound function.
    pub function: OverWindow,
    /// Columns of the input.
    pub args: Vec<ColumnId>,
    /// How many keys of the order are this function's own ORDER BY.
    pub order: usize,
    /// Its frame.
    pub frame: Frame,
}

/// A column and its order.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// Column of the input.
    pub column: ColumnId,
    /// Its order.
    pub order: SortOrder,
}

/// Which unmatched rows a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

/// Which matches of a row a join gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// All matches.
    All,
    /// One match.
    Any,
    /// Left (or right) rows that have a match, once.
    Semi,
    /// Left (or right) rows that have none.
    Anti,
    /// The closest match by [`Join::closest`].
    Asof,
}

/// The inequality of an ASOF join: a left row's match is the right row of equal keys for which it
/// holds and which is closest.
#[derive(Clone, Debug)]
pub struct Closest {
    /// Column of the left side.
    pub left: ColumnId,
    /// Column of the right side, of the same type.
    pub right: ColumnId,
    /// The left value stands left of it.
    pub inequality: Inequality,
}

/// A hash join: the right side is built, the left side probes. Output: the left side's columns,
/// then the right side's that are in `right_outputs`.
#[derive(Clone)]
pub struct Join {
    /// Probe side.
    pub left: Plan,
    /// Build side.
    pub right: Plan,
    /// Which unmatched rows stay: filled with defaults, or with NULL where the output is Nullable.
    pub kind: JoinKind,
    /// Which matches.
    pub strictness: Strictness,
    /// Equal keys: columns of left and right, of one type each.
    pub keys: Vec<(ColumnId, ColumnId)>,
    /// With [`Strictness::Asof`]: what is compared.
    pub closest: Option<Closest>,
    /// A further condition over both sides' columns.
    pub residual: Option<Expr>,
    /// Columns of the left side in the output.
    pub left_outputs: Vec<ColumnId>,
    /// Columns of the right side in the output.
    pub right_outputs: Vec<ColumnId>,
    /// Of several matches of which one counts, the last (`join_any_take_last_row`).
    pub takes_last: bool,
    /// Unmatched rows get NULL (`join_use_nulls`): the other side's outputs become Nullable.
    pub use_nulls: bool,
}

/// What must be computed before the plan that uses it starts.
#[derive(Clone)]
pub enum Subquery {
    /// Fills a set from the plan's outputs.
    Set(Arc<SetSlot>, QueryPlan),
    /// Fills a value from the plan's only row (NULL if there is none; an error if there are more).
    Scalar(Arc<ScalarSlot>, QueryPlan),
}

/// A whole query.
#[derive(Clone)]
pub struct QueryPlan {
    /// The tree.
    pub root: Plan,
    /// Names and types of the result.
    pub header: Header,
    /// Columns of the root that are the result, in the header's order.
    pub outputs: Vec<ColumnId>,
    /// What to compute first, in order.
    pub subqueries: Vec<Subquery>,
    /// The row of WITH TOTALS, with the outputs among its columns; runs after the root.
    pub totals: Option<Plan>,
}

impl QueryPlan {
    /// Whether the result's rows are known before it runs, but for names and literals.
    pub fn is_known(&self) -> bool {
        self.subqueries.is_empty() && self.root.is_known()
    }
}

impl Plan {
    fn is_known(&self) -> bool {
        match self {
            Self::Values { .. } => true,
            Self::Project { input, exprs } => {
                let plain = |e: &Expr| matches!(e, Expr::Column { .. } | Expr::Literal { .. });
                input.is_known() && exprs.iter().all(|(_, e)| plain(e))
            }
            _ => false,
        }
    }

    /// Columns of the chunks that come out, in order.
    pub fn outputs(&self) -> Vec<ColumnId> {
        match self {
            Self::Values { columns, .. }
            | Self::Rows { columns, .. }
            | Self::Union { columns, .. } => columns.iter().map(|(id, _)| *id).collect(),
            Self::Recursive(recursive) => recursive.columns.iter().map(|(id, _)| *id).collect(),
            Self::Scan { spec, .. } => spec.outputs.clone(),
            Self::Project { exprs, .. } => exprs.iter().map(|(id, _)| *id).collect(),
            Self::Aggregate { keys, calls, .. } => {
                keys.iter().copied().chain(calls.iter().map(|c| c.id)).collect()
            }
            Self::Filter { input, .. }
            | Self::Distinct { input, .. }
            | Self::Sort { input, .. }
            | Self::Limit { input, .. }
            | Self::LimitTies { input, .. }
            | Self::Bound { input, .. }
            | Self::Totals { input, .. }
            | Self::OrElse { input, .. }
            | Self::LimitBy { input, .. } => input.outputs(),
            Self::Window(window) => {
                let mut out = window.input.outputs();
                out.extend(window.calls.iter().map(|c| c.id));
                out
            }
            Self::Join(join) => {
                let both = join.left_outputs.iter().chain(&join.right_outputs);
                both.copied().collect()
            }
            Self::ArrayJoin { input, arrays, .. } => {
                let mut out = input.outputs();
                out.retain(|id| !arrays.iter().any(|(from, _)| from == id));
                out.extend(arrays.iter().map(|(_, to)| *to));
                out
            }
        }
    }
}
