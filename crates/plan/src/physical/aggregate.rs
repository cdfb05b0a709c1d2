//! How groups are found.

use entasis_expr::ColumnId;

/// How the groups of a [`super::Plan::Aggregate`] are found. What depends on the rows themselves is
/// decided at run time: whether a hash table is divided into partitions, and whether the codes of a
/// dictionary stand for keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AggregateAlgorithm {
    /// In a hash table.
    #[default]
    Hash,
    /// There is only one, as there are no keys.
    Single,
    /// They come one after the other.
    InOrder {
        /// The keys by which the input is sorted, morsel by morsel: a group is finished as soon as
        /// they change.
        by: Vec<ColumnId>,
        /// Whether rows that are equal in these keys are one group. If not, a hash table
        /// distinguishes the groups among them.
        runs: bool,
    },
}

impl AggregateAlgorithm {
    /// The keys by which the input must be sorted.
    pub fn sorted(&self) -> &[ColumnId] {
        match self {
            Self::InOrder { by, .. } => by,
            Self::Hash | Self::Single => &[],
        }
    }
}
