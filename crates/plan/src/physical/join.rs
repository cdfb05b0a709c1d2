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

/// How a join finds its pairs of rows.
#[derive(Clone, Debug, Default)]
pub enum JoinAlgorithm {
    /// The rows of the right side are found in a hash table. Without keys, all pairs are looked at.
    #[default]
    Hash,
    /// As with `Hash`, but the right side is a table that keeps the hash table with its version.
    Direct,
    /// The right side is a table that is asked for the keys of the left side's rows, one chunk at a
    /// time. Nothing is built.
    Lookup,
    /// Both sides are read side by side in the order of the keys.
    Merge(Merging),
    /// One hash table for each list of keys: two rows match if they agree in one of the lists.
    Alternatives(Vec<Vec<(ColumnId, ColumnId)>>),
    /// The right side is sorted by a column, and the rows of a range are found by binary search.
    Band(Band),
}

/// The inputs of a merge join.
#[derive(Clone, Debug, Default)]
pub struct Merging {
    /// Whether the left side comes in the order of the keys; otherwise it is sorted.
    pub left_in_order: bool,
    /// Whether the right side does.
    pub right_in_order: bool,
    /// Ranges of the first key, ascending, that are merged independently of each other. If there
    /// are none, all rows are merged together.
    pub ranges: Vec<KeyRange>,
}

/// A range of keys, as conditions for the scan on each side of a merge join. A row of either side
/// is in exactly one of the ranges.
#[derive(Clone, Debug, Default)]
pub struct KeyRange {
    /// Conditions over the columns of the left side's scan.
    pub left: Vec<Expr>,
    /// Conditions over the columns of the right side's scan.
    pub right: Vec<Expr>,
}

/// A range of values that a left row has for a column of the right side.
#[derive(Clone, Debug)]
pub struct Band {
    /// The column of the right side by which its rows are sorted.
    pub by: ColumnId,
    /// The column is less than this one.
    pub below: Option<BandEnd>,
    /// The column is greater than this one.
    pub above: Option<BandEnd>,
    /// Another column of the right side, which is greater than a column of the left side. It only
    /// makes the range shorter: a condition tests it again.
    pub reach: Option<(ColumnId, BandEnd)>,
}

/// An end of a [`Band`].
#[derive(Clone, Debug)]
pub struct BandEnd {
    /// The column of the left side, which has the type of the right side's column.
    pub column: ColumnId,
    /// Whether an equal value is in the range as well.
    pub inclusive: bool,
}

impl Band {
    /// The columns of the left side.
    pub fn left(&self) -> Vec<ColumnId> {
        let reach = self.reach.iter().map(|(_, end)| end);
        self.below.iter().chain(&self.above).chain(reach).map(|end| end.column).collect()
    }

    /// The columns of the right side.
    pub fn right(&self) -> Vec<ColumnId> {
        std::iter::once(self.by).chain(self.reach.iter().map(|(id, _)| *id)).collect()
    }

    /// The pairs of columns that are compared, left and right.
    pub fn pairs(&self) -> Vec<(ColumnId, ColumnId)> {
        let own = self.below.iter().chain(&self.above).map(|end| (end.column, self.by));
        own.chain(self.reach.iter().map(|(id, end)| (end.column, *id))).collect()
    }
}

impl JoinAlgorithm {
    /// Whether the query builds a table of the right side's rows for itself.
    pub fn builds(&self) -> bool {
        match self {
            Self::Hash | Self::Alternatives(_) | Self::Band(_) => true,
            Self::Direct | Self::Lookup | Self::Merge(_) => false,
        }
    }

    /// The pairs of columns of left and right that are compared besides the keys.
    pub fn pairs(&self) -> Vec<(ColumnId, ColumnId)> {
        match self {
            Self::Hash | Self::Direct | Self::Lookup | Self::Merge(_) => Vec::new(),
            Self::Alternatives(lists) => lists.concat(),
            Self::Band(band) => band.pairs(),
        }
    }
}

/// A join. With most algorithms the right side is the build side and the left side the probe side.
/// Its output is the left side's columns in `left_outputs`, then the right side's in
/// `right_outputs`.
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
    /// How the pairs are found; the planner chooses it after the order of the joins.
    pub algorithm: JoinAlgorithm,
    /// Whether the keys of the right side may filter scans of the left side.
    pub filters_left: bool,
    /// The left side is read first if it has no more rows than this: its keys then filter scans of
    /// the right side. `None`: the right side is read first.
    pub left_first: Option<u64>,
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
    /// The pairs of columns of left and right that the join compares: its keys, the columns of an
    /// ASOF join, and those of the algorithm.
    pub fn compared(&self) -> Vec<(ColumnId, ColumnId)> {
        let closest = self.closest.iter().map(|closest| (closest.left, closest.right));
        self.keys.iter().copied().chain(closest).chain(self.algorithm.pairs()).collect()
    }

    /// The cross join of two plans, with all their columns.
    pub(crate) fn cross(left: Plan, right: Plan) -> Self {
        let (left_outputs, right_outputs) = (left.outputs(), right.outputs());
        Self {
            left,
            right,
            kind: JoinKind::Cross,
            strictness: Strictness::All,
            algorithm: JoinAlgorithm::Hash,
            filters_left: true,
            left_first: None,
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
