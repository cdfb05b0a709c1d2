//! Element-wise arithmetic: arrays with arrays, tuples with tuples, and products and quotients of
//! either with a number.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, TupleType};

use super::Op;
use entasis_function::{Arg, BoundFunction, BoundKernel, FunctionContext, registry};
use entasis_function_kernel::kernel::illegal_types;

fn bind_elements(
    op: Op,
    a: &DataType,
    b: &DataType,
    context: &dyn FunctionContext,
) -> Result<Arc<BoundFunction>> {
    let args = [Arg::column(a.clone()), Arg::column(b.clone())];
    BoundFunction::bind(registry::scalar(op.name())?, &args, context)
}

/// Offsets and elements of an array column, or the rows of a number repeated for every element of
/// the other side.
fn elements(column: &Column, other: &Column) -> Result<Column> {
    match (column, other) {
        (Column::Array(array), _) => Ok(array.flat().1),
        (number, Column::Array(array)) => {
            let (offsets, _) = array.flat();
            let rows: Vec<u32> = (0..array.len())
                .flat_map(|i| std::iter::repeat_n(i as u32, (offsets[i + 1] - offsets[i]) as usize))
                .collect();
            Ok(number.take(&rows))
        }
        _ => Err(Error::logical("element-wise arithmetic without an array")),
    }
}

pub(super) fn bind_arrays(
    op: Op,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let (a, b) = (&args[0].ty, &args[1].ty);
    let (x, y) = match (a, b) {
        (DataType::Array(x), DataType::Array(y)) => (&**x, &**y),
        (DataType::Array(x), y) if y.is_any_number() && !op.is_additive() => (&**x, y),
        (x, DataType::Array(y)) if x.is_any_number() && !op.is_additive() => (x, &**y),
        _ => return Err(illegal_types(op.name(), a, b)),
    };
    let function = bind_elements(op, x, y, context)?;
    let result = DataType::array(function.return_type.clone());
    Ok(BoundKernel::new(result, move |args, _| {
        let (a, b) = (args[0].full(), args[1].full());
        if let (Column::Array(x), Column::Array(y)) = (&a, &b) {
            if x.flat().0[..] != y.flat().0[..] {
                return Err(Error::new(
                    codes::SIZES_OF_COLUMNS_DOESNT_MATCH,
                    "Two arguments for function must have equal sizes",
                ));
            }
        }
        let (x, y) = (elements(&a, &b)?, elements(&b, &a)?);
        let values = function.call(&[x.clone(), y], x.len())?;
        match (&a, &b) {
            (Column::Array(array), _) | (_, Column::Array(array)) => {
                Ok(Column::array(array.flat().0, values))
            }
            _ => Err(Error::logical("element-wise arithmetic without an array")),
        }
    }))
}

pub(super) fn tuple_columns(column: &Column) -> Result<Vec<Column>> {
    match column.full() {
        Column::Tuple(tuple) => Ok(tuple.columns.clone()),
        _ => Err(Error::logical("a tuple's column is no tuple")),
    }
}

pub(super) fn bind_tuples(
    op: Op,
    x: &TupleType,
    y: &TupleType,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if x.types.len() != y.types.len() {
        let message = format!(
            "Expected tuples of the same size as arguments of function {}, got {} and {} elements",
            op.name(),
            x.types.len(),
            y.types.len()
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let pairs = x.types.iter().zip(&y.types);
    let functions =
        pairs.map(|(x, y)| bind_elements(op, x, y, context)).collect::<Result<Vec<_>>>()?;
    let types = functions.iter().map(|f| f.return_type.clone()).collect();
    Ok(BoundKernel::new(DataType::tuple(types), move |args, rows| {
        let (a, b) = (tuple_columns(&args[0])?, tuple_columns(&args[1])?);
        let columns = functions
            .iter()
            .zip(a.into_iter().zip(b))
            .map(|(f, (a, b))| f.call(&[a, b], rows))
            .collect::<Result<_>>()?;
        Ok(Column::tuple(columns, rows))
    }))
}

/// A tuple with a number; `swapped`: the number stands first.
pub(super) fn bind_scaled(
    op: Op,
    tuple: &TupleType,
    number: &DataType,
    swapped: bool,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let bind = |element: &DataType| match swapped {
        true => bind_elements(op, number, element, context),
        false => bind_elements(op, element, number, context),
    };
    let functions = tuple.types.iter().map(bind).collect::<Result<Vec<_>>>()?;
    let types = functions.iter().map(|f| f.return_type.clone()).collect();
    Ok(BoundKernel::new(DataType::tuple(types), move |args, rows| {
        let (tuple, number) = if swapped { (1, 0) } else { (0, 1) };
        let number = &args[number];
        let columns = functions
            .iter()
            .zip(tuple_columns(&args[tuple])?)
            .map(|(f, element)| match swapped {
                true => f.call(&[number.clone(), element], rows),
                false => f.call(&[element, number.clone()], rows),
            })
            .collect::<Result<_>>()?;
        Ok(Column::tuple(columns, rows))
    }))
}

/// `negate` of every element of a tuple.
pub(super) fn bind_negate(tuple: &TupleType, context: &dyn FunctionContext) -> Result<BoundKernel> {
    let negate = registry::scalar("negate")?;
    let functions = tuple
        .types
        .iter()
        .map(|t| BoundFunction::bind(negate, &[Arg::column(t.clone())], context))
        .collect::<Result<Vec<_>>>()?;
    let types = functions.iter().map(|f| f.return_type.clone()).collect();
    Ok(BoundKernel::new(DataType::tuple(types), move |args, rows| {
        let columns = functions
            .iter()
            .zip(tuple_columns(&args[0])?)
            .map(|(f, element)| f.call(&[element], rows))
            .collect::<Result<_>>()?;
        Ok(Column::tuple(columns, rows))
    }))
}
