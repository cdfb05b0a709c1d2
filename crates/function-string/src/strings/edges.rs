//! Whether an array begins or ends with another.

use entasis_base::{Error, Result};
use entasis_column::compare::compare_values;
use entasis_column::{ArrayColumn, Column, Mask};
use entasis_types::common_type_of_two;

use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext};

/// The arrays of a full or Const column.
pub fn array_of(column: &Column) -> Result<std::sync::Arc<ArrayColumn>> {
    match column.full() {
        Column::Array(array) => Ok(array),
        _ => Err(Error::logical("not an array column")),
    }
}

/// Binds `arrayStartsWith` or `arrayEndsWith`.
pub fn bind(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let common = common_type_of_two(&args[0].ty, &args[1].ty)?;
    let session = Session::of(context);
    let left = cast::bind(&args[0].ty, &common, session)?;
    let right = cast::bind(&args[1].ty, &common, session)?;
    let at_end = name == "arrayEndsWith";
    Ok(BoundKernel::predicate(move |args, rows| {
        let (a, b) = (array_of(&left(&args[0])?)?, array_of(&right(&args[1])?)?);
        Ok(Mask::from_fn(rows, |i| {
            let (x, y) = (a.range(i), b.range(i));
            if y.len() > x.len() {
                return false;
            }
            let start = if at_end { x.end - y.len() } else { x.start };
            y.enumerate().all(|(k, at)| compare_values(&a.values, start + k, &b.values, at).is_eq())
        }))
    }))
}
