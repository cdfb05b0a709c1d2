//! Values of columns that an INSERT does not give: DEFAULT, MATERIALIZED, ALIAS and EPHEMERAL
//! expressions over the columns that it gives. They are bound anew for each statement, since
//! `now()` means the time of the statement.

use entasis_analyze::{bind, bind_default, tree};
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_function::registry::bind_aggregate;
use entasis_table_api::Schema;
use entasis_types::DataType;
use entasis_types::nested::group_of;

/// The columns that an INSERT gives, and the values of the others, which follow from them.
pub(crate) struct Defaults<'a> {
    schema: &'a Schema,
    /// For every column of the schema the value that the INSERT gives, if it gives one.
    given: Vec<Option<Given>>,
    /// An id above all ids that the given values use; parameters of lambdas get ids from here.
    next_id: u32,
    function_context: &'a dyn FunctionContext,
}

/// A value that an INSERT gives for a column.
pub(crate) struct Given {
    /// The value before it is converted to the column's type.
    pub(crate) expr: Expr,
    /// Whether a NULL is replaced by the default if the column cannot hold NULL.
    pub(crate) null_as_default: bool,
}

/// The value of a column that is not given and has no default expression.
pub(crate) fn default_of_type(
    ty: &DataType,
    function_context: &dyn FunctionContext,
) -> Result<Expr> {
    let DataType::AggregateFunction(of) = ty else {
        return Ok(Expr::literal(ty.column_default(), ty.clone()));
    };
    // The default is the aggregate state of no rows.
    let function =
        bind_aggregate(&format!("{}State", of.name), &of.params, &of.args, function_context)?;
    let mut states = function.states();
    states.resize(1);
    Ok(Expr::literal(states.finish(0..1)?.value(0), ty.clone()))
}

/// The value of a column of arrays of type `ty` that is not given and has no default expression,
/// where an array of the same group is: as many default values as that one has elements.
pub(crate) fn defaults_as_long_as(
    array: Expr,
    ty: &DataType,
    function_context: &dyn FunctionContext,
) -> Result<Expr> {
    let Some(element) = ty.as_array() else { return default_of_type(ty, function_context) };
    let length = bind::call("length", vec![array], function_context)?;
    let value = default_of_type(element, function_context)?;
    bind::cast(
        bind::call("arrayWithConstant", vec![length, value], function_context)?,
        ty,
        function_context,
    )
}

impl<'a> Defaults<'a> {
    pub(crate) fn new(
        schema: &'a Schema,
        given: Vec<Option<Given>>,
        function_context: &'a dyn FunctionContext,
    ) -> Self {
        let mut ids: Vec<ColumnId> = Vec::new();
        given.iter().flatten().for_each(|g| g.expr.columns(&mut ids));
        let next_id = ids.iter().map(|id| id.0 + 1).max().unwrap_or(0);
        Self { schema, given, next_id, function_context }
    }

    /// The value of the column at a position: the given value, or the default.
    pub(crate) fn value(&self, position: usize) -> Result<Expr> {
        self.value_at(position, 0)
    }

    /// The default of the column at a position, computed from the given values.
    pub(crate) fn default(&self, position: usize) -> Result<Expr> {
        self.default_at(position, 0)
    }

    fn value_at(&self, position: usize, depth: usize) -> Result<Expr> {
        let Some(given) = &self.given[position] else { return self.default_at(position, depth) };
        let (expr, ty) = (given.expr.clone(), &self.schema.columns[position].ty);
        if !given.null_as_default || !expr.ty().is_nullable() || ty.is_nullable() {
            return bind::cast(expr, ty, self.function_context);
        }
        let default = self.default_at(position, depth)?;
        if *expr.ty().without_nullable() == DataType::Nothing {
            return Ok(default);
        }
        let is_null = bind::call("isNull", vec![expr.clone()], self.function_context)?;
        let plain = bind::call("assumeNotNull", vec![expr], self.function_context)?;
        let value = bind::cast(plain, ty, self.function_context)?;
        bind::call("if", vec![is_null, default, value], self.function_context)
    }

    /// Position of the first array that the INSERT gives of the group of a column that it does not
    /// give.
    fn given_of_group(&self, position: usize) -> Option<usize> {
        let group = |at: usize| {
            let column = &self.schema.columns[at];
            group_of(&column.name, &column.ty)
        };
        let of = group(position).filter(|_| self.given[position].is_none())?;
        (0..self.given.len()).find(|&at| self.given[at].is_some() && group(at) == Some(of))
    }

    fn default_at(&self, position: usize, depth: usize) -> Result<Expr> {
        let column = &self.schema.columns[position];
        if depth > self.schema.columns.len() {
            let message = format!("The default of column {} reads itself", column.name);
            return Err(Error::new(codes::CYCLIC_ALIASES, message));
        }
        if column.default.is_none() {
            return match self.given_of_group(position) {
                Some(other) => {
                    let array = self.value_at(other, depth + 1)?;
                    defaults_as_long_as(array, &column.ty, self.function_context)
                }
                None => default_of_type(&column.ty, self.function_context),
            };
        }
        let (expr, _) = bind_default(self.next_id, self.schema, column, self.function_context)?;
        let mut ids: Vec<ColumnId> = Vec::new();
        expr.columns(&mut ids);
        let mut values = Vec::with_capacity(ids.len());
        for id in ids {
            values.push((id, self.value_at(id.0 as usize, depth + 1)?));
        }
        Ok(tree::substitute(&expr, &|id| {
            values.iter().find(|(of, _)| *of == id).map(|(_, value)| value.clone())
        }))
    }
}
