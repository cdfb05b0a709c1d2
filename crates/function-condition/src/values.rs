//! Functions that return values unchanged, look at their types, or check them.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_types::{DataType, common_type_of_two};

use crate::conditional::choose::choose;
use entasis_function::cast::{self, Session};
use entasis_function::{
    Arg, BoundKernel, Determinism, Fails, FunctionContext, FunctionDef, Nulls, Properties,
};
use entasis_function_kernel::arguments::constant_string;
use entasis_function_kernel::kernel::{Side, constant};

fn pass(args: &[Arg]) -> Result<BoundKernel> {
    Ok(BoundKernel::new(args[0].ty.clone(), |args, _| Ok(args[0].clone())))
}

fn materialize(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    Ok(BoundKernel::new(args[0].ty.clone(), |args, _| Ok(args[0].full())))
}

fn flag(value: bool) -> Result<BoundKernel> {
    Ok(BoundKernel::new(DataType::UInt8, move |_, rows| Ok(constant(u8::from(value), rows))))
}

/// A test of floats; integers answer `for_integers`.
fn float_test(
    name: &str,
    args: &[Arg],
    for_integers: bool,
    test: fn(f64) -> bool,
) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if !ty.is_native_number() {
        let message = format!("Argument for function {name} must be a number");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    if !ty.is_float() {
        return flag(for_integers);
    }
    Ok(BoundKernel::predicate(move |args, rows| {
        let side = Side::<f64>::read(&args[0])?;
        Ok(Mask::from_fn(rows, |i| test(side.get(i))))
    }))
}

fn if_not_finite(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let (x, y) = (&args[0].ty, &args[1].ty);
    if !x.is_native_number() || !y.is_any_number() {
        return Err(entasis_function_kernel::kernel::illegal_types("ifNotFinite", x, y));
    }
    let ty = common_type_of_two(x, y)?;
    let session = Session::of(context);
    let casts = [cast::bind(x, &ty, session)?, cast::bind(y, &ty, session)?];
    Ok(BoundKernel::new(ty.clone(), move |args, rows| {
        let side = Side::<f64>::read(&args[0])?;
        let finite = Mask::from_fn(rows, |i| side.get(i).is_finite());
        Ok(choose(&[finite], &[casts[0](&args[0])?, casts[1](&args[1])?], &ty, rows))
    }))
}

fn throw_if(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if !args[0].ty.is_native_number() {
        let message =
            format!("First argument of function throwIf must be a number (passed: {})", args[0].ty);
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let message = match args.get(1) {
        Some(arg) => constant_string("throwIf", arg, "message")?,
        None => "Value passed to 'throwIf' function is non-zero".into(),
    };
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        if rows > 0 && !args[0].to_mask().none() {
            return Err(Error::new(codes::FUNCTION_THROW_IF_VALUE_IS_NON_ZERO, message.as_str()));
        }
        Ok(constant(0u8, rows))
    }))
}

fn default_of(ty: DataType) -> Result<BoundKernel> {
    Ok(BoundKernel::new(ty.clone(), move |_, rows| {
        Ok(Column::from_value(&ty, &ty.column_default(), rows))
    }))
}

fn text(value: String) -> Result<BoundKernel> {
    Ok(BoundKernel::new(DataType::String, move |_, rows| {
        let value = entasis_types::Value::from(value.as_str());
        Ok(Column::from_value(&DataType::String, &value, rows))
    }))
}

/// Bytes of every row, as the reference estimates them.
fn sizes(column: &Column, ty: &DataType) -> Vec<u64> {
    let rows = column.len();
    match (ty.storage(), column) {
        (DataType::Nullable(inner), Column::Nullable(n)) => {
            let plain = sizes(&n.values, inner);
            (0..rows).map(|i| if n.validity.get(i) { plain[i] + 1 } else { 1 }).collect()
        }
        // The discriminator, the offset and the value.
        (DataType::Variant(types), Column::Variant(v)) => {
            let parts: Vec<Vec<u64>> =
                types.iter().zip(v.variants.iter()).map(|(ty, c)| sizes(c, ty)).collect();
            let of = |i: usize| parts.get(usize::from(v.discriminators[i]));
            (0..rows).map(|i| 9 + of(i).map_or(0, |p| p[v.offsets[i] as usize])).collect()
        }
        (DataType::Array(inner), Column::Array(array)) => {
            let (offsets, values) = array.flat();
            let elements = sizes(&values, inner);
            (0..rows)
                .map(|i| {
                    8 + elements[offsets[i] as usize..offsets[i + 1] as usize].iter().sum::<u64>()
                })
                .collect()
        }
        (DataType::Tuple(types), Column::Tuple(tuple)) => {
            let mut total = vec![0; rows];
            for (column, ty) in tuple.columns.iter().zip(&types.types) {
                for (sum, size) in total.iter_mut().zip(sizes(column, ty)) {
                    *sum += size;
                }
            }
            total
        }
        (_, Column::String(strings)) => strings.iter().map(|s| s.len() as u64 + 8).collect(),
        (ty, _) => vec![ty.fixed_width().unwrap_or(0) as u64; rows],
    }
}

fn byte_size(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let types: Vec<DataType> = args.iter().map(|a| a.ty.clone()).collect();
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        let mut total = vec![0u64; rows];
        for (column, ty) in args.iter().zip(&types) {
            for (sum, size) in total.iter_mut().zip(sizes(&column.full(), ty)) {
                *sum += size;
            }
        }
        Ok(total.into())
    }))
}

const CUSTOM: FunctionDef = FunctionDef { nulls: Nulls::Custom, ..FunctionDef::DEFAULT };
const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "ignore",
        description: "Accepts any arguments and returns 0.",
        examples: &[("ignore(1, 'a', NULL)", "0")],
        by_row: false,
        bind: |_, _| flag(false),
        ..CUSTOM
    },
    FunctionDef {
        name: "materialize",
        properties: Properties::NEVER_FOLDED,
        description: "The value as a full column in place of a constant.",
        examples: &[("materialize(1)", "1")],
        determinism: Determinism::PerRow,
        arity: (1, 1),
        bind: materialize,
        ..CUSTOM
    },
    FunctionDef {
        name: "identity",
        properties: Properties::NEVER_FOLDED,
        description: "The argument as it is.",
        examples: &[("identity('a')", "a")],
        arity: (1, 1),
        bind: |args, _| pass(args),
        ..CUSTOM
    },
    FunctionDef {
        name: "isFinite",
        description: "Whether a float is neither infinite nor NaN.",
        examples: &[("isFinite(inf)", "0")],
        bind: |args, _| float_test("isFinite", args, true, f64::is_finite),
        ..ONE
    },
    FunctionDef {
        name: "isInfinite",
        description: "Whether a float is infinite.",
        examples: &[("isInfinite(-inf)", "1")],
        bind: |args, _| float_test("isInfinite", args, false, f64::is_infinite),
        ..ONE
    },
    FunctionDef {
        name: "isNaN",
        description: "Whether a float is NaN.",
        examples: &[("isNaN(nan)", "1")],
        bind: |args, _| float_test("isNaN", args, false, f64::is_nan),
        ..ONE
    },
    FunctionDef {
        name: "ifNotFinite",
        description: "The first argument, or the second where the first is infinite or NaN.",
        examples: &[("ifNotFinite(inf, 2)", "2")],
        arity: (2, 2),
        bind: if_not_finite,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "throwIf",
        properties: Properties { fails: Fails::Always, ..Properties::DEFAULT },
        description: "Fails with the given message if the argument is not 0 in some row.",
        examples: &[("throwIf(0, 'wrong')", "0")],
        determinism: Determinism::PerRow,
        nulls: Nulls::PropagateStrict,
        arity: (1, 2),
        bind: throw_if,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "isConstant",
        description: "Whether the argument is a constant expression.",
        examples: &[("isConstant(1)", "1")],
        arity: (1, 1),
        bind: |args, _| flag(args[0].constant.is_some()),
        ..CUSTOM
    },
    FunctionDef {
        name: "isNullable",
        description: "Whether the argument's type can hold NULL.",
        examples: &[("isNullable(NULL)", "1")],
        arity: (1, 1),
        bind: |args, _| flag(args[0].ty.has_null()),
        ..CUSTOM
    },
    FunctionDef {
        name: "toColumnTypeName",
        description: "The argument's type and whether it is a constant.",
        examples: &[("toColumnTypeName(1)", "Const(UInt8)")],
        arity: (1, 1),
        bind: |args, _| match args[0].constant {
            Some(_) => text(format!("Const({})", args[0].ty)),
            None => text(args[0].ty.to_string()),
        },
        ..CUSTOM
    },
    FunctionDef {
        name: "defaultValueOfArgumentType",
        description: "The default value of the argument's type.",
        examples: &[("defaultValueOfArgumentType('abc')", "")],
        arity: (1, 1),
        bind: |args, _| default_of(args[0].ty.clone()),
        ..CUSTOM
    },
    FunctionDef {
        name: "defaultValueOfTypeName",
        description: "The default value of the named type.",
        examples: &[("defaultValueOfTypeName('UInt8')", "0")],
        arity: (1, 1),
        bind: |args, _| {
            let name = constant_string("defaultValueOfTypeName", &args[0], "type name")?;
            default_of(DataType::parse(&name)?)
        },
        ..CUSTOM
    },
    FunctionDef {
        name: "byteSize",
        properties: Properties::NEVER_FOLDED,
        description: "Estimated bytes of the arguments' values.",
        examples: &[("byteSize('abc')", "11")],
        bind: byte_size,
        ..CUSTOM
    },
];
