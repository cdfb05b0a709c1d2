//! CAST, the accurate casts, `toTypeName`.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use super::by_name::default_bound;
use crate::cast::{Mode, Session};
use entasis_function::{
    Arg, BoundKernel, Folds, FunctionContext, FunctionDef, Nulls, Operation, Properties,
};
use entasis_function_kernel::arguments::constant_string;

fn target(function: &str, args: &[Arg]) -> Result<DataType> {
    DataType::parse(&constant_string(function, &args[1], "type name")?)
}

fn bind_cast(
    function: &str,
    mode: Mode,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    bind_cast_in(function, mode, args, Session::of(context), context)
}

fn bind_cast_in(
    function: &str,
    mode: Mode,
    args: &[Arg],
    session: Session,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let mut to = target(function, args)?;
    if let (Some(zone), true) = (args[0].ty.without_nullable().own_zone(), to.own_zone().is_none())
    {
        to = super::in_zone(&to, Some(zone)); // the zone is kept where none is named
    }
    if mode == Mode::OrNull
        && !to.can_be_nullable()
        && !to.is_nullable()
        && to.as_variant().is_none()
    {
        let message = format!(
            "Type {to} is not supported for {function} because it cannot be inside Nullable"
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let cast = super::bool_words::bind(&args[0].ty, &to, session, mode, context)?;
    let result = match mode {
        Mode::OrNull if to.can_be_nullable() => DataType::nullable(to),
        _ => to,
    };
    Ok(BoundKernel::new(result, move |args, _| cast(&args[0])))
}

fn accurate_or_default(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    default_bound(&target("accurateCastOrDefault", args)?, args, 2, context)
}

fn to_low_cardinality(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    let to = match ty {
        DataType::LowCardinality(_) => ty.clone(),
        ty => DataType::parse(&format!("LowCardinality({ty})"))?,
    };
    Ok(BoundKernel::new(to, |args, _| Ok(args[0].clone())))
}

fn to_type_name(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = Value::from(format!("{:#}", args[0].ty).as_str());
    let name = Arc::new(Column::from_value(&DataType::String, &name, 1).full());
    Ok(BoundKernel::new(DataType::String, move |_, rows| {
        Ok(Column::constant(name.as_ref().clone(), rows))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "CAST",
        properties: Properties::CONVERSION.meaning(Operation::Cast),
        low_cardinality: entasis_function::LowCardinality::Custom,
        case_insensitive: true,
        description: "Converts a value to the named type: `CAST(x AS T)`, `x::T`.",
        examples: &[
            ("CAST('12', 'UInt8')", "12"),
            ("CAST([1, 2], 'Array(String)')", "['1','2']"),
            ("CAST('x', 'Nullable(Int32)')", "ᴺᵁᴸᴸ"),
        ],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| bind_cast("CAST", Mode::Wrap, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "_CAST",
        properties: Properties::CONVERSION,
        low_cardinality: entasis_function::LowCardinality::Custom,
        description: "Like CAST, but text that becomes a Variant is a String whatever it spells: \
                      the conversion of branches to their common type.",
        examples: &[("_CAST('12', 'UInt8')", "12")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| {
            let session = Session { infers_variants: false, ..Session::of(context) };
            bind_cast_in("CAST", Mode::Wrap, args, session, context)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toLowCardinality",
        description: "Converts a value to its LowCardinality type, for columns with few distinct \
                      values.",
        examples: &[("toTypeName(toLowCardinality('a'))", "LowCardinality(String)")],
        nulls: Nulls::Custom,
        low_cardinality: entasis_function::LowCardinality::Custom,
        arity: (1, 1),
        bind: to_low_cardinality,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "accurateCast",
        properties: Properties::CONVERSION,
        low_cardinality: entasis_function::LowCardinality::Custom,
        description: "Converts a value to the named type; fails if the value would change.",
        examples: &[("accurateCast(1.0, 'UInt8')", "1")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| bind_cast("accurateCast", Mode::Accurate, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "accurateCastOrNull",
        low_cardinality: entasis_function::LowCardinality::Custom,
        description: "Converts a value to the named type; returns NULL if the value would change.",
        examples: &[("accurateCastOrNull(300, 'UInt8')", "ᴺᵁᴸᴸ")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| bind_cast("accurateCastOrNull", Mode::OrNull, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "accurateCastOrDefault",
        low_cardinality: entasis_function::LowCardinality::Custom,
        description: "Converts a value to the named type; returns the default if the value would \
                      change.",
        examples: &[("accurateCastOrDefault(300, 'UInt8', toUInt8(7))", "7")],
        nulls: Nulls::Custom,
        arity: (2, 3),
        bind: accurate_or_default,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toTypeName",
        properties: Properties { folds: Folds::OfTypes, ..Properties::DEFAULT },
        low_cardinality: entasis_function::LowCardinality::Custom,
        description: "The name of the argument's type.",
        examples: &[("toTypeName([1, NULL])", "Array(Nullable(UInt8))")],
        nulls: Nulls::Custom,
        arity: (1, 1),
        bind: to_type_name,
        ..FunctionDef::DEFAULT
    },
];
