//! Lengths of tuples as vectors and distances between them. Sums have the types that additions of
//! their elements have; roots are floats.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, TupleType};

use super::distance::{Metric, power_of};
use entasis_function::{Arg, BoundFunction, BoundKernel, FunctionContext, registry};
use entasis_function_kernel::kernel::Side;

/// A function over the elements of the arguments.
type Element = Box<dyn Fn(&[Column], usize) -> Result<Column> + Send + Sync>;

/// A column that is computed from the arguments, and its type.
struct Part {
    ty: DataType,
    column: Element,
}

fn elements_of(name: &str, arg: &Arg, at: usize) -> Result<Vec<Part>> {
    let DataType::Tuple(tuple) = &arg.ty else {
        let ty = &arg.ty;
        let message = format!("Argument {at} of function {name} should be tuple, got {ty}");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    let part = |(i, ty): (usize, &DataType)| Part {
        ty: ty.clone(),
        column: Box::new(move |args, rows| element(&args[at], i, rows)),
    };
    Ok(TupleType::clone(tuple).types.iter().enumerate().map(part).collect())
}

/// Element `i` of a tuple column.
fn element(column: &Column, i: usize, rows: usize) -> Result<Column> {
    match column {
        Column::Tuple(tuple) => Ok(tuple.columns[i].clone()),
        Column::Const(c) => Ok(Column::constant(element(&c.value, i, 1)?, rows)),
        _ => Err(Error::logical("a vector is no tuple")),
    }
}

/// The function of this name over parts.
fn apply(name: &str, parts: Vec<Part>, context: &dyn FunctionContext) -> Result<Part> {
    let args: Vec<Arg> = parts.iter().map(|part| Arg::column(part.ty.clone())).collect();
    let function: Arc<BoundFunction> =
        BoundFunction::bind(registry::scalar(name)?, &args, context)?;
    let ty = function.return_type.clone();
    let column: Element = Box::new(move |args, rows| {
        let columns: Result<Vec<Column>> = parts.iter().map(|p| (p.column)(args, rows)).collect();
        function.call(&columns?, rows)
    });
    Ok(Part { ty, column })
}

fn constant(value: f64) -> Part {
    Part {
        ty: DataType::Float64,
        column: Box::new(move |_, rows| Ok(entasis_function_kernel::kernel::constant(value, rows))),
    }
}

/// All parts, joined by a function of two arguments.
fn join(name: &str, parts: Vec<Part>, context: &dyn FunctionContext) -> Result<Part> {
    let mut parts = parts.into_iter();
    let first = parts.next().ok_or_else(|| {
        let message = "A vector must have at least one element";
        Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
    })?;
    parts.try_fold(first, |sum, part| apply(name, vec![sum, part], context))
}

/// The length of the vector that `vector` makes anew each time.
fn length(
    metric: Metric,
    power: f64,
    vector: &dyn Fn() -> Result<Vec<Part>>,
    context: &dyn FunctionContext,
) -> Result<Part> {
    let each = |name: &str| -> Result<Vec<Part>> {
        vector()?.into_iter().map(|part| apply(name, vec![part], context)).collect()
    };
    match metric {
        Metric::L1 => join("plus", each("abs")?, context),
        Metric::L2Squared | Metric::L2 | Metric::Cosine => {
            let pairs = vector()?.into_iter().zip(vector()?);
            let squares: Result<Vec<Part>> =
                pairs.map(|(a, b)| apply("multiply", vec![a, b], context)).collect();
            let sum = join("plus", squares?, context)?;
            if metric == Metric::L2Squared { Ok(sum) } else { apply("sqrt", vec![sum], context) }
        }
        Metric::Linf => join("max2", each("abs")?, context),
        Metric::Lp => {
            let powers: Result<Vec<Part>> = each("abs")?
                .into_iter()
                .map(|part| apply("pow", vec![part, constant(power)], context))
                .collect();
            let sum = join("plus", powers?, context)?;
            apply("pow", vec![sum, constant(1.0 / power)], context)
        }
    }
}

/// In how many elements two tuples differ.
pub(super) fn hamming(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "tupleHammingDistance";
    let (a, b) = (elements_of(name, &args[0], 0)?, elements_of(name, &args[1], 1)?);
    if a.len() != b.len() {
        let message = format!(
            "Expected tuples of the same size as arguments of function {name}. Got {} and {}",
            args[0].ty, args[1].ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let pairs = a.into_iter().zip(b);
    let differ: Result<Vec<Part>> =
        pairs.map(|(a, b)| apply("notEquals", vec![a, b], context)).collect();
    join("plus", differ?, context).map(kernel)
}

fn kernel(part: Part) -> BoundKernel {
    BoundKernel::new(part.ty, move |args, rows| (part.column)(args, rows))
}

/// The length of a tuple.
pub(super) fn norm(
    name: &str,
    metric: Metric,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let power = power_of(name, args.get(1))?;
    length(metric, power, &|| elements_of(name, &args[0], 0), context).map(kernel)
}

/// The distance between two tuples: the length of their difference, or one minus the cosine of the
/// angle between them.
pub(super) fn distance(
    name: &str,
    metric: Metric,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let both = || -> Result<Vec<(Part, Part)>> {
        let (a, b) = (elements_of(name, &args[0], 0)?, elements_of(name, &args[1], 1)?);
        if a.len() != b.len() {
            let message = format!(
                "Expected tuples of the same size as arguments 0 and 1 of function {name}, got {} \
                 and {}",
                args[0].ty, args[1].ty
            );
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
        Ok(a.into_iter().zip(b).collect())
    };
    let pairs = |function: &str| -> Result<Vec<Part>> {
        both()?.into_iter().map(|(a, b)| apply(function, vec![a, b], context)).collect()
    };
    if metric != Metric::Cosine {
        let power = power_of(name, args.get(2))?;
        return length(metric, power, &|| pairs("minus"), context).map(kernel);
    }
    let dot = join("plus", pairs("multiply")?, context)?;
    let of = |at: usize| length(metric, 2.0, &|| elements_of(name, &args[at], at), context);
    let (a, b) = (of(0)?, of(1)?);
    Ok(BoundKernel::new(DataType::Float64, move |args, rows| {
        let side = |part: &Part| Side::<f64>::read(&(part.column)(args, rows)?);
        let (dot, a, b) = (side(&dot)?, side(&a)?, side(&b)?);
        let one = |i: usize| 1.0 - dot.get(i) / (a.get(i) * b.get(i));
        Ok((0..rows).map(one).collect::<Vec<f64>>().into())
    }))
}
