//! The typed expression tree. Columns are identified by ids that are unique within a query.

use std::fmt;
use std::sync::{Arc, OnceLock};

use entasis_base::Result;
use entasis_column::{Column, Mask};
use entasis_function::BoundFunction;
use entasis_types::{DataType, Value};

/// Identity of a column within one query: a column of a table, an output of a subquery, the result
/// of an aggregate, or a parameter of a lambda. `analyze` assigns the ids, and programs resolve
/// them to positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

/// An expression with its type. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A column of the input.
    Column {
        /// Id of the column.
        id: ColumnId,
        /// Type of the column.
        ty: DataType,
    },
    /// A constant.
    Literal {
        /// The value, which has the kind that the type requires.
        value: Value,
        /// Type of the constant.
        ty: DataType,
    },
    /// A call of a function.
    Call {
        /// The function, bound to the types of the arguments.
        function: Arc<BoundFunction>,
        /// The arguments, without the lambda.
        args: Arc<[Expr]>,
        /// The lambda, if the function takes one as its first argument.
        lambda: Option<Arc<Lambda>>,
    },
    /// AND of several conditions. A condition is only evaluated on rows that the earlier ones have
    /// not decided. The result is UInt8 or Nullable(UInt8).
    And(Arc<[Expr]>, DataType),
    /// OR of several conditions, evaluated in the same way.
    Or(Arc<[Expr]>, DataType),
    /// `arg IN set` or `NOT IN`, where the set is built before the query runs. A tuple on the left
    /// side is given as several arguments. NULL is never in a set (transform_null_in = 0).
    InSet {
        /// The left side, with one expression for each key column.
        args: Arc<[Expr]>,
        /// The place where the set appears.
        set: Arc<SetSlot>,
        /// `NOT IN`.
        negated: bool,
        /// UInt8, or Nullable(UInt8) if an argument is Nullable.
        ty: DataType,
    },
    /// The value of a scalar subquery, which is computed before the query runs.
    Scalar(Arc<ScalarSlot>),
    /// The result of a subquery that reads columns of the query around it. The planner replaces it
    /// by a column of a join, so no program ever contains it.
    Correlated {
        /// The values of the subquery's parameters, over the columns of the query around it.
        args: Arc<[Expr]>,
        /// The subquery.
        subquery: Arc<Correlated>,
    },
}

/// A subquery in an expression that reads columns of the query around it: its parameters.
#[derive(Debug)]
pub struct Correlated {
    /// The columns by which the subquery reads its parameters.
    pub params: Vec<ColumnId>,
    /// What the expression is.
    pub kind: CorrelatedKind,
    /// The type of the expression.
    pub ty: DataType,
}

/// What a correlated subquery is as an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrelatedKind {
    /// The value of its only column in its only row; NULL if it has no row.
    Scalar,
    /// Whether it has a row.
    Exists,
}

/// A lambda: parameters, and a body that may also use columns of the expression around it.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Ids and types of the parameters.
    pub params: Vec<(ColumnId, DataType)>,
    /// The expression after the arrow.
    pub body: Expr,
}

/// A set of rows for IN. It is implemented with the hash tables of `column`.
pub trait RowSet: Send + Sync + fmt::Debug {
    /// The rows of `columns` that are in the set. There is one column per key, in any
    /// representation, with the set's type or Nullable of it. Rows with NULL are not in the set.
    fn contains(&self, columns: &[Column], rows: usize) -> Result<Mask>;

    /// Number of distinct rows.
    fn len(&self) -> usize;

    /// Whether the set is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The members as full columns, one per key, for range analysis; `None` if there are many.
    fn members(&self) -> Option<Vec<Column>>;
}

/// The place where a set appears once it is built: at once for a list of literals, and before the
/// pipeline that needs it starts for a subquery.
#[derive(Debug)]
pub struct SetSlot {
    /// Types of the key columns.
    pub types: Vec<DataType>,
    /// The set, once it is built.
    pub set: OnceLock<Arc<dyn RowSet>>,
}

/// The place where the value of a scalar subquery appears.
#[derive(Debug)]
pub struct ScalarSlot {
    /// Type of the value.
    pub ty: DataType,
    /// The value, once the subquery has run.
    pub value: OnceLock<Value>,
}

impl Expr {
    /// The type of the result.
    pub fn ty(&self) -> &DataType {
        match self {
            Self::Column { ty, .. }
            | Self::Literal { ty, .. }
            | Self::And(_, ty)
            | Self::Or(_, ty)
            | Self::InSet { ty, .. } => ty,
            Self::Call { function, .. } => &function.return_type,
            Self::Scalar(slot) => &slot.ty,
            Self::Correlated { subquery, .. } => &subquery.ty,
        }
    }

    /// A column reference.
    pub fn column(id: ColumnId, ty: DataType) -> Self {
        Self::Column { id, ty }
    }

    /// A constant.
    pub fn literal(value: Value, ty: DataType) -> Self {
        Self::Literal { value, ty }
    }

    /// A call without a lambda.
    pub fn call(function: Arc<BoundFunction>, args: Vec<Self>) -> Self {
        Self::Call { function, args: args.into(), lambda: None }
    }

    /// The value of a literal, or of a scalar subquery that has run.
    pub fn constant(&self) -> Option<Value> {
        match self {
            Self::Literal { value, .. } => Some(value.clone()),
            Self::Scalar(slot) => slot.value.get().cloned(),
            _ => None,
        }
    }

    /// The direct subexpressions, including the body of a lambda.
    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Column { .. } | Self::Literal { .. } | Self::Scalar(_) => Vec::new(),
            Self::Call { args, lambda, .. } => {
                args.iter().chain(lambda.as_ref().map(|l| &l.body)).collect()
            }
            Self::And(args, _)
            | Self::Or(args, _)
            | Self::InSet { args, .. }
            | Self::Correlated { args, .. } => args.iter().collect(),
        }
    }

    /// Adds the ids of all columns that the expression reads to `out`, each once. The parameters of
    /// its own lambdas are left out.
    pub fn columns(&self, out: &mut Vec<ColumnId>) {
        if let Self::Column { id, .. } = self {
            if !out.contains(id) {
                out.push(*id);
            }
            return;
        }
        let before = out.len();
        for child in self.children() {
            child.columns(out);
        }
        if let Self::Call { lambda: Some(lambda), .. } = self {
            let is_param = |id: &ColumnId| lambda.params.iter().any(|(p, _)| p == id);
            let kept: Vec<ColumnId> = out.drain(before..).filter(|id| !is_param(id)).collect();
            out.extend(kept);
        }
    }
}
