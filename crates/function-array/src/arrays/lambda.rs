//! Calls lambdas: what functions with `x -> ...` as their first argument share; arrayMap and
//! arrayCompact.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::DataType;

use super::lists::{Flat, element_type};
use super::move_elements::compact_by;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, LambdaCall, Nulls};

/// Types of a lambda's parameters: the arrays' elements; a lambda with several parameters takes one
/// array of tuples apart.
pub fn parameters(args: &[Arg], count: usize) -> Result<Vec<DataType>> {
    let types = args
        .iter()
        .map(|a| element_type("a higher-order function", a).cloned())
        .collect::<Result<Vec<_>>>()?;
    match types.as_slice() {
        [DataType::Tuple(tuple)] if count > 1 && tuple.types.len() == count => {
            Ok(tuple.types.clone())
        }
        types if types.len() == count => Ok(types.to_vec()),
        types => Err(Error::new(
            codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Lambda has {count} parameters, but {} arrays are given", types.len()),
        )),
    }
}

/// How many parameters the lambda has cannot be seen in a kernel: tuples are taken apart where
/// `split` says so at binding.
pub struct Elements {
    /// The arrays' elements, with the shape of all.
    pub flat: Flat,
    /// What the lambda answered for each element.
    pub result: Column,
}

impl Elements {
    /// Flattens the arrays and calls the lambda.
    pub fn of(function: &str, lambda: &dyn LambdaCall, columns: &[Column]) -> Result<Self> {
        let flat = Flat::of(function, columns)?;
        let result = lambda.call(&flat.values, &flat.offsets)?;
        Ok(Self { flat, result })
    }

    /// Without a lambda: the elements themselves.
    pub fn plain(function: &str, columns: &[Column]) -> Result<Self> {
        let flat = Flat::of(function, columns)?;
        let result = flat.values[0].clone();
        Ok(Self { flat, result })
    }
}

/// Binds a function over elements, with a lambda in front or without.
pub fn bind(
    function: &'static str,
    args: &[Arg],
    ty: DataType,
    finish: impl Fn(Elements) -> Result<Column> + Send + Sync + 'static,
) -> Result<BoundKernel> {
    if !args[0].is_lambda {
        return Ok(BoundKernel::new(ty, move |columns, _| {
            finish(Elements::plain(function, columns)?)
        }));
    }
    Ok(BoundKernel::with_lambda(ty, move |lambda, columns, _| {
        finish(Elements::of(function, lambda, columns)?)
    }))
}

/// Fails without a lambda and an array.
pub fn expect_lambda(function: &str, args: &[Arg]) -> Result<()> {
    if args.len() < 2 {
        let message =
            format!("Function {function} needs at least 2 arguments, passed {}", args.len());
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    if args[0].is_lambda {
        return Ok(());
    }
    let message =
        format!("First argument for function {function} must be a function, got {}", args[0].ty);
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

/// Type of what is worked on: the lambda's result, or the elements.
pub fn subject<'a>(function: &str, args: &'a [Arg]) -> Result<&'a DataType> {
    if args[0].is_lambda {
        args[1..].iter().try_for_each(|a| element_type(function, a).map(|_| ()))?;
        return Ok(&args[0].ty);
    }
    element_type(function, &args[0])
}

fn map(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_lambda("arrayMap", args)?;
    let ty = DataType::array(subject("arrayMap", args)?.clone());
    bind("arrayMap", args, ty, |e| Ok(e.flat.with(e.result)))
}

fn compact(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    subject("arrayCompact", args)?;
    let first = usize::from(args[0].is_lambda);
    bind("arrayCompact", args, args[first].ty.clone(), |e| {
        Ok(compact_by(&e.flat, &e.result.full()))
    })
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "arrayMap",
        description: "The results of the lambda for all elements.",
        examples: &[("arrayMap(x -> x + 1, [1, 2])", "[2,3]")],
        nulls: Nulls::Custom,
        arity: (1, usize::MAX),
        lambda: Some(parameters),
        bind: map,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayCompact",
        description: "The array without elements that equal the element before them.",
        examples: &[("arrayCompact([1, 1, 2, 1])", "[1,2,1]")],
        nulls: Nulls::Custom,
        arity: (1, usize::MAX),
        lambda: Some(parameters),
        bind: compact,
        ..FunctionDef::DEFAULT
    },
];
