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

    fn default_at(&self, position: usize, depth: usize) -> Result<Expr> {
        let column = &self.schema.columns[position];
        if depth > self.schema.columns.len() {
            let message = format!("The default of column {} reads itself", column.name);
            return Err(Error::new(codes::CYCLIC_ALIASES, message));
        }
        if column.default.is_none() {
            return default_of_type(&column.ty, self.function_context);
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
