//! The typed expression tree. Columns are known by ids that are unique within a query.

use std::fmt;
use std::sync::{Arc, OnceLock};

use entasis_base::Result;
use entasis_column::{Column, Mask};
use entasis_function::BoundFunction;
use entasis_types::{DataType, Value};

/// Identity of a column within one query: of a table's column, a subquery's output, an aggregate's
/// result, a lambda's parameter. Assigned by `analyze`, resolved to positions by programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

/// An expression with its type. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A column of the input.
    Column {
        /// Which.
        id: ColumnId,
        /// Its type.
        ty: DataType,
    },
    /// A constant.
    Literal {
        /// The value; of the type's kind.
        value: Value,
        /// Its type.
        ty: DataType,
    },
    /// A function over arguments.
    Call {
        /// Bound to the arguments' types.
        function: Arc<BoundFunction>,
        /// The arguments; the lambda, if the function takes one, is not among them.
        args: Arc<[Expr]>,
        /// The first argument of a higher-order function.
        lambda: Option<Arc<Lambda>>,
    },
    /// Conjunction with short-circuit over chunks: the result is UInt8 (or Nullable(UInt8)).
    And(Arc<[Expr]>, DataType),
    /// Disjunction, likewise.
    Or(Arc<[Expr]>, DataType),
    /// `arg IN set`, where the set is built before the query runs, or `NOT IN`. A tuple on the left
    /// is given as several arguments. NULL is never in a set (transform_null_in = 0).
    InSet {
        /// The left side, one expression per key column.
        args: Arc<[Expr]>,
        /// The right side.
        set: Arc<SetSlot>,
        /// `NOT IN`.
        negated: bool,
        /// UInt8, or Nullable(UInt8) where an argument is Nullable.
        ty: DataType,
    },
    /// The value of a scalar subquery, filled in before the query runs.
    Scalar(Arc<ScalarSlot>),
}

/// A lambda: parameters and a body that may also use columns of the surroundings.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// The parameters' ids and types.
    pub params: Vec<(ColumnId, DataType)>,
    /// The body.
    pub body: Expr,
}

/// A set of rows to look up in. Implemented over `column`'s hash tables.
pub trait RowSet: Send + Sync + fmt::Debug {
    /// Rows of `columns` (one per key column, any representation, of the set's types or Nullable
    /// of them) that are in the set; a row with NULL is not.
    fn contains(&self, columns: &[Column], rows: usize) -> Result<Mask>;

    /// Number of distinct rows.
    fn len(&self) -> usize;

    /// Whether the set is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The members as columns (one per key, full), for range analysis, where they are few.
    fn members(&self) -> Option<Vec<Column>>;
}

/// Where a set appears once it is built: at once for a literal list, before the pipeline that
/// needs it starts for a subquery.
#[derive(Debug)]
pub struct SetSlot {
    /// Types of the key columns.
    pub types: Vec<DataType>,
    /// The set.
    pub set: OnceLock<Arc<dyn RowSet>>,
}

/// Where a scalar subquery's value appears.
#[derive(Debug)]
pub struct ScalarSlot {
    /// Its type.
    pub ty: DataType,
    /// The value.
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

    /// The value, if this is a literal (or a scalar subquery that has its value).
    pub fn constant(&self) -> Option<Value> {
        match self {
            Self::Literal { value, .. } => Some(value.clone()),
            Self::Scalar(slot) => slot.value.get().cloned(),
            _ => None,
        }
    }

    /// Direct subexpressions (a lambda's body included).
    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Column { .. } | Self::Literal { .. } | Self::Scalar(_) => Vec::new(),
            Self::Call { args, lambda, .. } => {
                args.iter().chain(lambda.as_ref().map(|l| &l.body)).collect()
            }
            Self::And(args, _) | Self::Or(args, _) | Self::InSet { args, .. } => {
                args.iter().collect()
            }
        }
    }

    /// Adds the ids of all columns that the expression reads to `out`, without repetitions; a
    /// lambda's own parameters are left out.
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
