//! Elements by position: arrayElement, arrayElementOrNull.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, Native, match_native};
use entasis_types::DataType;

use super::lists::{Lists, element_type, take_or_default};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::Side;

/// Positions of the elements that 1-based or negative indices name; `missing` for none.
fn positions(lists: &Lists, index: &Side<i64>, rows: usize, missing: u32) -> Vec<u32> {
    (0..rows)
        .map(|i| {
            let range = lists.range(i);
            let at = match index.get(i) {
                0 => return missing,
                n if n > 0 => n - 1,
                n => range.len() as i64 + n,
            };
            if (0..range.len() as i64).contains(&at) {
                (range.start as i64 + at) as u32
            } else {
                missing
            }
        })
        .collect()
}

/// An index of unsigned 64 bits above the signed ones names nothing.
fn read_index(column: &Column) -> Result<Side<i64>> {
    Side::<i64>::read(column)
}

fn check(name: &str, args: &[Arg]) -> Result<DataType> {
    if !args[1].ty.is_native_integer() {
        let message = format!(
            "Second argument for function '{name}' must be integer or array of integers, got '{}' \
             instead",
            args[1].ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    element_type(name, &args[0]).cloned()
}

fn pick<T: Native>(values: &[T], positions: &[u32]) -> Vec<T> {
    let default = T::default();
    positions.iter().map(|&p| values.get(p as usize).copied().unwrap_or(default)).collect()
}

fn array_element(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    match &args[0].ty {
        DataType::Tuple(_) => return super::tuple::element(args, context),
        DataType::Map(_) => return crate::maps::element(args, context),
        _ => {}
    }
    let element = check("arrayElement", args)?;
    Ok(BoundKernel::new(element.clone(), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = lists.values();
        let positions = positions(&lists, &read_index(&args[1])?, rows, values.len() as u32);
        Ok(match_native!(values, v => Column::from(pick(v, &positions)),
            other => take_or_default(other, &positions, &element)))
    }))
}

fn array_element_or_null(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let element = check("arrayElementOrNull", args)?;
    if !element.can_be_nullable() && !element.is_nullable() {
        return Ok(BoundKernel::new(element.clone(), move |args, rows| {
            let lists = Lists::of(&args[0])?;
            let missing = lists.values().len() as u32;
            let positions = positions(&lists, &read_index(&args[1])?, rows, missing);
            Ok(take_or_default(lists.values(), &positions, &element))
        }));
    }
    Ok(BoundKernel::new(DataType::nullable(element.clone()), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let missing = lists.values().len() as u32;
        let positions = positions(&lists, &read_index(&args[1])?, rows, missing);
        let values = take_or_default(lists.values(), &positions, &element);
        Ok(Column::nullable(values, Bitmap::from_fn(rows, |i| positions[i] != missing)))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "arrayElement",
        description: "The element at a position counted from 1, or from the end if it is negative: \
                      `a[n]`; the default value if there is none.",
        examples: &[("arrayElement([5, 6], -1)", "6"), ("arrayElement(['a'], 2)", "")],
        arity: (2, 2),
        bind: array_element,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayElementOrNull",
        description: "Like `arrayElement`, but NULL if there is no such element.",
        examples: &[("arrayElementOrNull([5, 6], 3)", "ᴺᵁᴸᴸ")],
        arity: (2, 2),
        bind: array_element_or_null,
        ..FunctionDef::DEFAULT
    },
];
