//! The functions of this family, and those of one argument.

use entasis_base::Result;
use entasis_types::{DataType, Physical, i256};

use super::{Op, bind, nested};
use entasis_function::{
    Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Operation, Properties,
};
use entasis_function_kernel::kernel::{illegal_type, map, zip};

fn negate(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    use DataType::{
        Float32, Float64, Int8, Int16, Int32, Int64, Int128, Int256, Interval, Tuple, UInt8, UInt16,
    };
    let ty = &args[0].ty;
    let result = match ty {
        UInt8 | DataType::Bool => Int16,
        UInt16 => Int32,
        DataType::UInt32 | DataType::UInt64 => Int64,
        DataType::UInt128 => Int128,
        DataType::UInt256 => Int256,
        Int8 | Int16 | Int32 | Int64 | Int128 | Int256 | Float32 | Float64 | Interval(_) => {
            ty.clone()
        }
        Tuple(tuple) => return nested::bind_negate(tuple, context),
        DataType::Decimal(..) => return Ok(super::decimal::unary(ty, i128::wrapping_neg)),
        _ => return Err(illegal_type("negate", ty)),
    };
    let to = result.physical();
    Ok(BoundKernel::new(result, move |args, rows| match to {
        Physical::Int8 => map(&args[0], rows, i8::wrapping_neg),
        Physical::Int16 => map(&args[0], rows, i16::wrapping_neg),
        Physical::Int32 => map(&args[0], rows, i32::wrapping_neg),
        Physical::Int128 => map(&args[0], rows, i128::wrapping_neg),
        Physical::Int256 => map(&args[0], rows, i256::wrapping_neg),
        Physical::Float32 => map(&args[0], rows, |v: f32| -v),
        Physical::Float64 => map(&args[0], rows, |v: f64| -v),
        _ => map(&args[0], rows, i64::wrapping_neg),
    }))
}

fn abs(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    use DataType::{
        Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, UInt128,
        UInt256,
    };
    let ty = &args[0].ty;
    let result = match ty {
        DataType::Bool | Int8 => UInt8,
        Int16 => UInt16,
        Int32 => UInt32,
        Int64 => UInt64,
        DataType::Int128 => UInt128,
        DataType::Int256 => UInt256,
        UInt8 | UInt16 | UInt32 | UInt64 | UInt128 | UInt256 | Float32 | Float64 => ty.clone(),
        DataType::Decimal(..) => return Ok(super::decimal::unary(ty, i128::wrapping_abs)),
        _ => return Err(illegal_type("abs", ty)),
    };
    let from = ty.physical();
    Ok(BoundKernel::new(result, move |args, rows| match from {
        Physical::Int8 => map(&args[0], rows, i8::unsigned_abs),
        Physical::Int16 => map(&args[0], rows, i16::unsigned_abs),
        Physical::Int32 => map(&args[0], rows, i32::unsigned_abs),
        Physical::Int64 => map(&args[0], rows, i64::unsigned_abs),
        Physical::Int128 => map(&args[0], rows, i128::unsigned_abs),
        Physical::Int256 => map(&args[0], rows, i256::unsigned_abs),
        Physical::Float32 => map(&args[0], rows, f32::abs),
        Physical::Float64 => map(&args[0], rows, f64::abs),
        _ => Ok(args[0].clone()),
    }))
}

fn extreme(name: &str, greatest: bool, args: &[Arg]) -> Result<BoundKernel> {
    if let Some(arg) = args.iter().find(|a| !a.ty.is_native_number()) {
        return Err(illegal_type(name, &arg.ty));
    }
    Ok(BoundKernel::new(DataType::Float64, move |args, rows| match greatest {
        true => zip(&args[0], &args[1], rows, |a: f64, b: f64| if a < b { b } else { a }),
        false => zip(&args[0], &args[1], rows, |a: f64, b: f64| if b < a { b } else { a }),
    }))
}

const BINARY: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };
const STRICT: FunctionDef = FunctionDef { nulls: Nulls::PropagateStrict, ..BINARY };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "plus",
        properties: Properties::SIMPLE.meaning(Operation::Plus),
        description: "Sum: `a + b`. Also moves a Date by days, a DateTime by seconds, and either by \
                      an interval.",
        examples: &[
            ("plus(255, 1)", "256"),
            ("plus(toDate('2020-01-31'), toIntervalMonth(1))", "2020-02-29"),
            ("plus((1, 2), (3, 4))", "(4,6)"),
        ],
        bind: |args, context| bind(Op::Plus, args, context),
        ..BINARY
    },
    FunctionDef {
        name: "minus",
        properties: Properties::SIMPLE.meaning(Operation::Minus),
        description: "Difference: `a - b`, always signed; days between Dates, seconds between \
                      DateTimes.",
        examples: &[
            ("minus(1, 2)", "-1"),
            ("minus(toDate('2020-03-01'), toDate('2020-02-01'))", "29"),
        ],
        bind: |args, context| bind(Op::Minus, args, context),
        ..BINARY
    },
    FunctionDef {
        name: "multiply",
        properties: Properties::SIMPLE,
        description: "Product: `a * b`.",
        examples: &[("multiply(200, 2)", "400"), ("multiply([1, 2], 3)", "[3,6]")],
        bind: |args, context| bind(Op::Multiply, args, context),
        ..BINARY
    },
    FunctionDef {
        name: "divide",
        description: "Quotient as a Float64: `a / b`; division by zero gives inf or nan.",
        examples: &[("divide(7, 2)", "3.5"), ("divide(1, 0)", "inf")],
        bind: |args, context| bind(Op::Divide, args, context),
        ..BINARY
    },
    FunctionDef {
        name: "intDiv",
        description: "Quotient rounded towards zero; division by zero is an error.",
        examples: &[("intDiv(-7, 2)", "-3"), ("intDiv(100, 7)", "14")],
        bind: |args, context| bind(Op::IntDiv, args, context),
        ..STRICT
    },
    FunctionDef {
        name: "intDivOrZero",
        description: "Quotient rounded towards zero; division by zero gives zero.",
        examples: &[("intDivOrZero(1, 0)", "0")],
        bind: |args, context| bind(Op::IntDivOrZero, args, context),
        ..BINARY
    },
    FunctionDef {
        name: "modulo",
        aliases: &["mod"],
        case_insensitive: true,
        description: "Remainder with the sign of the first argument: `a % b`; of floats as well.",
        examples: &[("modulo(-7, 3)", "-1"), ("modulo(5.5, 2)", "1.5")],
        bind: |args, context| bind(Op::Modulo, args, context),
        ..STRICT
    },
    FunctionDef {
        name: "moduloOrZero",
        description: "Remainder; zero where the second argument is zero.",
        examples: &[("moduloOrZero(7, 0)", "0")],
        bind: |args, context| bind(Op::ModuloOrZero, args, context),
        ..BINARY
    },
    FunctionDef {
        name: "positiveModulo",
        aliases: &["positive_modulo", "pmod"],
        case_insensitive: true,
        description: "Remainder that is never negative.",
        examples: &[("positiveModulo(-7, 3)", "2")],
        bind: |args, context| bind(Op::PositiveModulo, args, context),
        ..STRICT
    },
    FunctionDef {
        name: "gcd",
        description: "Greatest common divisor; zero is an error.",
        examples: &[("gcd(12, 18)", "6")],
        bind: |args, context| bind(Op::Gcd, args, context),
        ..STRICT
    },
    FunctionDef {
        name: "lcm",
        description: "Least common multiple; zero is an error.",
        examples: &[("lcm(4, 6)", "12")],
        bind: |args, context| bind(Op::Lcm, args, context),
        ..STRICT
    },
    FunctionDef {
        name: "min2",
        case_insensitive: true,
        description: "The smaller of two numbers, as Float64.",
        examples: &[("min2(1, 2)", "1")],
        bind: |args, _| extreme("min2", false, args),
        ..BINARY
    },
    FunctionDef {
        name: "max2",
        case_insensitive: true,
        description: "The greater of two numbers, as Float64.",
        examples: &[("max2(-1, 2)", "2")],
        bind: |args, _| extreme("max2", true, args),
        ..BINARY
    },
    FunctionDef {
        name: "negate",
        description: "The number with its sign changed: `-x`.",
        examples: &[("negate(1)", "-1"), ("negate((1, -2))", "(-1,2)")],
        arity: (1, 1),
        bind: negate,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "abs",
        case_insensitive: true,
        description: "The absolute value; for signed integers the result has an unsigned type.",
        examples: &[("abs(-128)", "128"), ("abs(-1.5)", "1.5")],
        arity: (1, 1),
        bind: abs,
        ..FunctionDef::DEFAULT
    },
];
