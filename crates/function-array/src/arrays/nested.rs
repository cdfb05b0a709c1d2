//! `nested`: several arrays as one array of tuples with names.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_types::{DataType, Value};

use super::lists::{Flat, element_type};

fn names_of(arg: &Arg) -> Result<Vec<Arc<str>>> {
    if arg.ty.as_array() != Some(&DataType::String) {
        let message = format!(
            "First argument for function nested must be constant array of strings, got {}",
            arg.ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let Some(Value::Array(names)) = &arg.constant else {
        let message = "The first argument of function nested, the names, must be constant";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    let text = |name: &Value| String::from_utf8_lossy(name.as_bytes().unwrap_or_default()).into();
    Ok(names.iter().map(text).collect())
}

fn nested(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let (names, arrays) = (names_of(&args[0])?, &args[1..]);
    if names.len() != arrays.len() {
        let message = format!(
            "Size of nested names array for function nested does not match arrays arguments size. \
             Actual {}. Expected {}",
            names.len(),
            arrays.len()
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let types = arrays.iter().map(|array| element_type("nested", array).cloned());
    let ty = DataType::nested(names, types.collect::<Result<_>>()?)?.storage().clone();
    Ok(BoundKernel::new(ty, |args, _| {
        let flat = Flat::of("nested", &args[1..])?;
        Ok(flat.with(Column::tuple(flat.values.clone(), flat.count())))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "nested",
    description: "Arrays of one length as an array of tuples, whose elements have these names.",
    examples: &[("nested(['a', 'b'], [1, 2], ['x', 'y'])", "[(1,'x'),(2,'y')]")],
    nulls: Nulls::Custom,
    arity: (1, usize::MAX),
    bind: nested,
    ..FunctionDef::DEFAULT
}];
