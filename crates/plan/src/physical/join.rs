//! Joins.

use entasis_analyze::query::Inequality;
pub use entasis_analyze::query::{JoinKind, Strictness};
use entasis_expr::{ColumnId, Expr};

use super::Plan;

/// The inequality of an ASOF join: a left row matches the closest right row with equal keys for
/// which the inequality holds.
#[derive(Clone, Debug)]
pub struct AsofKey {
    /// The column of the left side.
    pub left: ColumnId,
    /// The column of the right side, which has the same type.
    pub right: ColumnId,
    /// The comparison, with the left side's value as its left operand.
    pub inequality: Inequality,
}

/// A hash join: the right side is the build side, the left side the probe side. Its output is the
/// left side's columns in `left_outputs`, then the right side's in `right_outputs`.
#[derive(Clone)]
pub struct Join {
    /// The probe side.
    pub left: Plan,
    /// The build side.
    pub right: Plan,
    /// Which unmatched rows are kept. Their other columns get defaults, or NULL if they are
    /// Nullable.
    pub kind: JoinKind,
    /// Which matches of a row are returned.
    pub strictness: Strictness,
    /// Pairs of key columns of left and right, of the same type.
    pub keys: Vec<(ColumnId, ColumnId)>,
    /// The inequality of [`Strictness::Asof`].
    pub closest: Option<AsofKey>,
    /// A further condition over the columns of both sides.
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

impl Join {
    /// The cross join of two plans, with all their columns.
    pub(crate) fn cross(left: Plan, right: Plan) -> Self {
        let (left_outputs, right_outputs) = (left.outputs(), right.outputs());
        Self {
            left,
            right,
            kind: JoinKind::Cross,
            strictness: Strictness::All,
            keys: Vec::new(),
            closest: None,
            residual: None,
            left_outputs,
            right_outputs,
            takes_last: false,
            use_nulls: false,
        }
    }
}
