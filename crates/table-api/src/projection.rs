//! Projections: rows that a table keeps beside its own, computed from them by a query. The planner
//! may read them instead of the table's rows.

use std::sync::Arc;

use entasis_expr::Expr;
use entasis_types::{DataType, TimeZone, Value};

use crate::Snapshot;

/// What a projection computes from the rows of its table. Expressions read the stored columns of
/// the table, whose ids are their positions.
#[derive(Clone, Debug)]
pub struct ProjectionQuery {
    /// The projection's name.
    pub name: Arc<str>,
    /// What its columns hold, by position.
    pub columns: Vec<Projected>,
    /// Whether it has one row for each group of rows with equal [`Projected::Value`] columns.
    pub groups: bool,
    /// Conditions: rows of the table for which they are not true are left out.
    pub filter: Vec<Expr>,
    /// The time zone in which the expressions were bound.
    pub time_zone: TimeZone,
}

/// A column of a projection.
#[derive(Clone, Debug)]
pub enum Projected {
    /// The value of an expression.
    Value(Expr),
    /// The states of an aggregate over the rows of a group.
    State(ProjectedState),
}

/// An aggregate whose states a projection keeps.
#[derive(Clone, Debug)]
pub struct ProjectedState {
    /// The function's name with combinators, without the State of the kept states.
    pub name: Arc<str>,
    /// The parameters in the first pair of parentheses.
    pub params: Vec<Value>,
    /// The arguments.
    pub args: Vec<Expr>,
    /// The type of the states.
    pub ty: DataType,
}

impl Projected {
    /// The expression, unless the column holds states.
    pub fn value(&self) -> Option<&Expr> {
        match self {
            Self::Value(expr) => Some(expr),
            Self::State(_) => None,
        }
    }
}

/// A projection in one version of its table.
pub struct ProjectionSnapshot {
    /// What the projection computes.
    pub query: Arc<ProjectionQuery>,
    /// The projection's rows, computed from some of the table's parts. The positions of its columns
    /// are those in [`ProjectionQuery::columns`].
    pub rows: Arc<dyn Snapshot>,
    /// The table's own rows in all other parts; `None` if there are none.
    pub rest: Option<Arc<dyn Snapshot>>,
}

/// How much a scan reads, as far as indexes can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadEstimate {
    /// Number of granules.
    pub granules: u64,
    /// Number of rows in these granules.
    pub rows: u64,
}
