//! `not`, `xor`, and `and` / `or` as ordinary functions with three-valued NULL. AND and OR in
//! queries are compiled to short-circuit expressions, so these functions are used only where they
//! are called by name.

use entasis_base::{Error, Result, codes};
use entasis_column::Mask;
use entasis_types::DataType;

use entasis_function::{
    Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Operation, Properties,
};
use entasis_function_kernel::kernel::Truth;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    And,
    Or,
    Xor,
}

/// The rows for which the operator holds, if no argument can be NULL.
fn plain_truth(op: Op, args: &[entasis_column::Column], rows: usize) -> Mask {
    let sides = args.iter().map(entasis_column::Column::to_mask);
    let all = sides.reduce(|a, b| match op {
        Op::And => a.and(&b),
        Op::Or => a.or(&b),
        Op::Xor => a.xor(&b),
    });
    all.unwrap_or_else(|| Mask::constant(true, rows))
}

fn bind(name: &str, op: Op, args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() < 2 {
        let count = args.len();
        return Err(Error::new(
            codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION,
            format!(
                "Number of arguments for function \"{name}\" should be at least 2: passed {count}"
            ),
        ));
    }
    for (i, arg) in args.iter().enumerate() {
        let plain = arg.ty.without_nullable();
        if !plain.is_native_number() && *plain != DataType::Nothing {
            let message =
                format!("Illegal type ({}) of {} argument of function {name}", arg.ty, i + 1);
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
    }
    let nullable = args.iter().any(|a| a.ty.is_nullable());
    if op == Op::Xor && args.iter().any(|a| a.ty.is_null_literal()) {
        let null = DataType::null();
        return Ok(BoundKernel::new(null.clone(), move |_, rows| {
            Ok(entasis_column::Column::default_of(&null, rows))
        }));
    }
    let is_bool = args.iter().any(|a| a.ty == DataType::Bool);
    let plain = if is_bool { DataType::Bool } else { DataType::UInt8 };
    let ty = if nullable { DataType::nullable(plain) } else { plain };
    if !nullable {
        let mut bound = BoundKernel::new(ty, move |args, rows| {
            Ok(entasis_column::Column::from_mask(&plain_truth(op, args, rows)))
        });
        bound.mask = Some(std::sync::Arc::new(move |args, rows| Ok(plain_truth(op, args, rows))));
        return Ok(bound);
    }
    let truth = move |args: &[entasis_column::Column], rows| {
        let mut sides = args.iter().map(|a| Truth::of(a, rows));
        let all = Mask::constant(true, rows);
        let first = sides.next().unwrap_or(Truth { no: all.not(), yes: all });
        sides.fold(first, |a, b| match op {
            Op::And => a.and(&b),
            Op::Or => a.or(&b),
            Op::Xor => Truth {
                yes: a.yes.and(&b.no).or(&a.no.and(&b.yes)),
                no: a.yes.and(&b.yes).or(&a.no.and(&b.no)),
            },
        })
    };
    let mut bound = BoundKernel::new(ty, move |args, rows| Ok(truth(args, rows).column(true)));
    bound.mask = Some(std::sync::Arc::new(move |args, rows| Ok(truth(args, rows).yes)));
    Ok(bound)
}

fn not(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if !ty.is_native_number() {
        let message = format!("Illegal type ({ty}) of argument of function not");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let mut bound = BoundKernel::predicate(|args, _| Ok(args[0].to_mask().not()));
    if *ty == DataType::Bool {
        bound.return_type = DataType::Bool;
    }
    Ok(bound)
}

const SEVERAL: FunctionDef = FunctionDef { nulls: Nulls::Custom, ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "and",
        properties: Properties::SIMPLE.meaning(Operation::And),
        low_cardinality: entasis_function::LowCardinality::Drop,
        description: "Whether all arguments are true: `a AND b`; NULL where that is unknown.",
        examples: &[("and(1, 0)", "0"), ("and(1, NULL)", "ᴺᵁᴸᴸ"), ("and(0, NULL)", "0")],
        bind: |args, context| bind("and", Op::And, args, context),
        ..SEVERAL
    },
    FunctionDef {
        name: "or",
        properties: Properties::SIMPLE.meaning(Operation::Or),
        low_cardinality: entasis_function::LowCardinality::Drop,
        description: "Whether any argument is true: `a OR b`; NULL where that is unknown.",
        examples: &[("or(1, NULL)", "1"), ("or(0, 0)", "0")],
        bind: |args, context| bind("or", Op::Or, args, context),
        ..SEVERAL
    },
    FunctionDef {
        name: "xor",
        low_cardinality: entasis_function::LowCardinality::Drop,
        description: "Whether an odd number of arguments are true.",
        examples: &[("xor(1, 0)", "1"), ("xor(1, 1)", "0")],
        bind: |args, context| bind("xor", Op::Xor, args, context),
        ..SEVERAL
    },
    FunctionDef {
        name: "not",
        properties: Properties::SIMPLE.meaning(Operation::Not),
        case_insensitive: true,
        description: "Whether the argument is false: `NOT x`.",
        examples: &[("not(1)", "0"), ("not(0)", "1")],
        arity: (1, 1),
        bind: not,
        ..FunctionDef::DEFAULT
    },
];
