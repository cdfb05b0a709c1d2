//! Arithmetic on tuples under names of its own: `tuplePlus`, `tupleMultiplyByNumber` and so on.

use entasis_base::{Error, Result, codes};
use entasis_types::{DataType, TupleType};

use super::{Op, nested};
use entasis_function::{
    Arg, BoundFunction, BoundKernel, FunctionContext, FunctionDef, Run, registry,
};
use entasis_function_kernel::kernel::constant;

fn tuple<'a>(name: &str, args: &'a [Arg], at: usize) -> Result<&'a TupleType> {
    let DataType::Tuple(tuple) = &args[at].ty else {
        let message =
            format!("Argument {at} of function {name} should be tuple, got {}", args[at].ty);
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    Ok(tuple)
}

fn pairs(name: &str, op: Op, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    nested::bind_tuples(op, tuple(name, args, 0)?, tuple(name, args, 1)?, context)
}

fn scaled(name: &str, op: Op, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    nested::bind_scaled(op, tuple(name, args, 0)?, &args[1].ty, false, context)
}

/// The sum of the products of two tuples' elements.
pub(super) fn dot(
    x: &TupleType,
    y: &TupleType,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let products = nested::bind_tuples(Op::Multiply, x, y, context)?;
    let (DataType::Tuple(of), Run::Columns(multiply)) = (products.return_type, products.run) else {
        return Err(Error::logical("products of tuples are a tuple"));
    };
    let Some((first, rest)) = of.types.split_first() else {
        return Ok(BoundKernel::new(DataType::UInt8, |_, rows| Ok(constant(0u8, rows))));
    };
    let (mut ty, mut sums) = (first.clone(), Vec::new());
    for next in rest {
        let args = [Arg::column(ty), Arg::column(next.clone())];
        let sum = BoundFunction::bind(registry::scalar("plus")?, &args, context)?;
        ty = sum.return_type.clone();
        sums.push(sum);
    }
    Ok(BoundKernel::new(ty, move |args, rows| {
        let mut products = nested::tuple_columns(&multiply(args, rows)?)?.into_iter();
        let first = products.next().ok_or_else(|| Error::logical("an empty tuple"))?;
        sums.iter().zip(products).try_fold(first, |sum, (plus, next)| plus.call(&[sum, next], rows))
    }))
}

fn dot_product(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if matches!(args[0].ty, DataType::Array(_)) {
        return (registry::scalar("arrayDotProduct")?.bind)(args, context);
    }
    dot(tuple("dotProduct", args, 0)?, tuple("dotProduct", args, 1)?, context)
}

const PAIRS: FunctionDef = FunctionDef {
    description: "Applies the operation in the function's name to the elements of two tuples at \
                  the same position.",
    arity: (2, 2),
    ..FunctionDef::DEFAULT
};
const SCALED: FunctionDef = FunctionDef {
    description: "Applies the operation in the function's name to each element of a tuple and a \
                  number.",
    ..PAIRS
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "tuplePlus",
        aliases: &["vectorSum"],
        case_insensitive: true,
        examples: &[("tuplePlus((1, 2), (3, 4))", "(4,6)")],
        bind: |args, context| pairs("tuplePlus", Op::Plus, args, context),
        ..PAIRS
    },
    FunctionDef {
        name: "tupleMinus",
        aliases: &["vectorDifference"],
        case_insensitive: true,
        examples: &[("tupleMinus((1, 2), (3, 3))", "(-2,-1)")],
        bind: |args, context| pairs("tupleMinus", Op::Minus, args, context),
        ..PAIRS
    },
    FunctionDef {
        name: "tupleMultiply",
        examples: &[("tupleMultiply((1, 2), (3, 4))", "(3,8)")],
        bind: |args, context| pairs("tupleMultiply", Op::Multiply, args, context),
        ..PAIRS
    },
    FunctionDef {
        name: "tupleDivide",
        examples: &[("tupleDivide((1, 2), (2, 4))", "(0.5,0.5)")],
        bind: |args, context| pairs("tupleDivide", Op::Divide, args, context),
        ..PAIRS
    },
    FunctionDef {
        name: "tupleIntDiv",
        examples: &[("tupleIntDiv((15, 10), (5, 3))", "(3,3)")],
        bind: |args, context| pairs("tupleIntDiv", Op::IntDiv, args, context),
        ..PAIRS
    },
    FunctionDef {
        name: "tupleModulo",
        examples: &[("tupleModulo((15, 10), (5, 3))", "(0,1)")],
        bind: |args, context| pairs("tupleModulo", Op::Modulo, args, context),
        ..PAIRS
    },
    FunctionDef {
        name: "dotProduct",
        aliases: &["scalarProduct"],
        case_insensitive: true,
        description: "Dot product: the sum of the products of the elements of two tuples or \
                      arrays.",
        examples: &[("dotProduct((1, 2), (3, 4))", "11"), ("dotProduct([1, 2], [3, 4])", "11")],
        bind: dot_product,
        ..PAIRS
    },
    FunctionDef {
        name: "tupleMultiplyByNumber",
        examples: &[("tupleMultiplyByNumber((1, 2), 3)", "(3,6)")],
        bind: |args, context| scaled("tupleMultiplyByNumber", Op::Multiply, args, context),
        ..SCALED
    },
    FunctionDef {
        name: "tupleDivideByNumber",
        examples: &[("tupleDivideByNumber((1, 2), 2)", "(0.5,1)")],
        bind: |args, context| scaled("tupleDivideByNumber", Op::Divide, args, context),
        ..SCALED
    },
    FunctionDef {
        name: "tupleIntDivByNumber",
        examples: &[("tupleIntDivByNumber((5, 6), 2)", "(2,3)")],
        bind: |args, context| scaled("tupleIntDivByNumber", Op::IntDiv, args, context),
        ..SCALED
    },
    FunctionDef {
        name: "tupleModuloByNumber",
        examples: &[("tupleModuloByNumber((5, 6), 4)", "(1,2)")],
        bind: |args, context| scaled("tupleModuloByNumber", Op::Modulo, args, context),
        ..SCALED
    },
    FunctionDef {
        name: "tupleNegate",
        description: "Every element of a tuple with its sign changed.",
        examples: &[("tupleNegate((1, -2))", "(-1,2)")],
        arity: (1, 1),
        bind: |args, context| nested::bind_negate(tuple("tupleNegate", args, 0)?, context),
        ..FunctionDef::DEFAULT
    },
];
