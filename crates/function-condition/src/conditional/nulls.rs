//! Functions about NULL: `ifNull`, `coalesce`, `nullIf`, `assumeNotNull`, `toNullable`.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_types::{DataType, Value};

use super::choose::choose;
use entasis_function::cast::Session;
use entasis_function::{
    Arg, BoundFunction, BoundKernel, BranchKind, FunctionContext, FunctionDef, Nulls, registry,
};
use entasis_function_cast::cast::bind_branch;

/// Where a full or Const column is not NULL, and its plain values.
fn split(column: &Column, rows: usize) -> (Mask, Column) {
    match column {
        Column::Const(c) => {
            let (validity, value) = c.value.split_nullable();
            let valid = validity.is_none_or(|v| v.get(0)) && !value.is_null(0);
            (Mask::constant(valid, rows), Column::constant(value.clone(), rows))
        }
        Column::Variant(v) => (v.validity(), column.clone()),
        other => {
            let (validity, values) = other.split_nullable();
            let all = || Mask::constant(true, rows);
            (validity.cloned().unwrap_or_else(all), values.clone())
        }
    }
}

fn null_bound() -> BoundKernel {
    BoundKernel::new(DataType::null(), |_, rows| {
        Ok(Column::from_value(&DataType::null(), &Value::Null, rows))
    })
}

fn coalesce(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    // NULL literals never answer, and nothing behind a type without NULL does.
    let mut kept: Vec<usize> = Vec::new();
    for (i, arg) in args.iter().enumerate().filter(|(_, a)| !a.ty.is_null_literal()) {
        kept.push(i);
        if !arg.ty.has_null() {
            break;
        }
    }
    let Some(&last) = kept.last() else { return Ok(null_bound()) };
    let types: Vec<DataType> =
        kept.iter().map(|&i| args[i].ty.without_nullable().clone()).collect();
    let plain = context.type_of_branches(&types)?;
    let session = Session::of(context);
    let bind = |t| bind_branch(t, &plain, session);
    let casts = types.iter().map(bind).collect::<Result<Vec<_>>>()?;
    let nullable = args[last].ty.is_nullable() && plain.can_be_nullable();
    let ty = if nullable { DataType::nullable(plain.clone()) } else { plain.clone() };
    Ok(BoundKernel::new(ty, move |args, rows| {
        let mut masks = Vec::with_capacity(kept.len());
        let mut values = Vec::with_capacity(kept.len());
        for (&i, cast) in kept.iter().zip(&casts) {
            let (valid, plain) = split(&args[i], rows);
            masks.push(valid);
            values.push(cast(&plain)?);
        }
        let chosen = choose(&masks[..masks.len() - 1], &values, &plain, rows);
        if !nullable {
            return Ok(chosen);
        }
        let none = Mask::constant(false, rows);
        Ok(Column::nullable(chosen, masks.iter().fold(none, |any, m| any.or(m))))
    }))
}

fn null_if(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args[0].ty.is_null_literal() {
        return Ok(null_bound());
    }
    let ty = nullable_type(&args[0].ty)?;
    let equals = BoundFunction::bind(registry::scalar("equals")?, args, context)?;
    Ok(BoundKernel::new(ty, move |args, rows| {
        let same = equals.call_mask(args, rows)?;
        let (valid, values) = split(&args[0], rows);
        Ok(Column::nullable(values, valid.and_not(&same)))
    }))
}

fn nullable_type(ty: &DataType) -> Result<DataType> {
    if ty.is_nullable() || ty.can_be_nullable() {
        return Ok(DataType::nullable(ty.clone()));
    }
    let message = format!("Nested type {ty} cannot be inside Nullable type");
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

fn assume_not_null(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if args[0].ty.is_null_literal() {
        let message = "Cannot create non-empty column with type Nothing";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    }
    let ty = args[0].ty.without_nullable().clone();
    let plain = ty.clone();
    Ok(BoundKernel::new(ty, move |args, rows| {
        let (valid, values) = split(&args[0], rows);
        if valid.all() {
            return Ok(values);
        }
        // Values under NULL are unspecified in the reference's storage but default in practice.
        let default = Column::constant(Column::default_of(&plain, 1), rows);
        Ok(choose(&[valid], &[values, default], &plain, rows))
    }))
}

fn to_nullable(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = nullable_type(&args[0].ty)?;
    Ok(BoundKernel::new(ty, |args, rows| match &args[0] {
        Column::Const(c) if !matches!(c.value, Column::Nullable(_)) => {
            let one = Column::nullable(c.value.clone(), Mask::constant(true, 1));
            Ok(Column::constant(one, rows))
        }
        Column::Const(_) | Column::Nullable(_) => Ok(args[0].clone()),
        plain => Ok(Column::nullable(plain.clone(), Mask::constant(true, rows))),
    }))
}

fn is_zero_or_null(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let plain = args[0].ty.without_nullable();
    if !plain.is_native_number() && *plain != DataType::Nothing {
        let message = "The argument of function isZeroOrNull must have simple numeric type, \
                       possibly Nullable or Null";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(BoundKernel::predicate(|args, _| Ok(args[0].to_mask().not())))
}

const CUSTOM: FunctionDef = FunctionDef { nulls: Nulls::Custom, ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "ifNull",
        branches: Some(BranchKind::FirstNotNull),
        case_insensitive: true,
        description: "The first argument, or the second where the first is NULL.",
        examples: &[("ifNull(NULL, 1)", "1"), ("ifNull('a', 'b')", "a")],
        arity: (2, 2),
        bind: coalesce,
        ..CUSTOM
    },
    FunctionDef {
        name: "coalesce",
        branches: Some(BranchKind::FirstNotNull),
        case_insensitive: true,
        description: "The first argument that is not NULL.",
        examples: &[("coalesce(NULL, NULL, 3)", "3"), ("coalesce(NULL)", "ᴺᵁᴸᴸ")],
        bind: coalesce,
        ..CUSTOM
    },
    FunctionDef {
        name: "nullIf",
        case_insensitive: true,
        description: "NULL if both arguments are equal, otherwise the first.",
        examples: &[("nullIf(1, 1)", "ᴺᵁᴸᴸ"), ("nullIf(1, 2)", "1")],
        arity: (2, 2),
        bind: null_if,
        ..CUSTOM
    },
    FunctionDef {
        name: "assumeNotNull",
        description: "The value as a type without NULL; where it is NULL, the result is the \
                      default of the type.",
        examples: &[("assumeNotNull(toNullable(1))", "1")],
        arity: (1, 1),
        bind: assume_not_null,
        ..CUSTOM
    },
    FunctionDef {
        name: "toNullable",
        description: "The value as a Nullable type.",
        examples: &[("toTypeName(toNullable(1))", "Nullable(UInt8)")],
        arity: (1, 1),
        bind: to_nullable,
        ..CUSTOM
    },
    FunctionDef {
        name: "isZeroOrNull",
        description: "Whether a number is zero or NULL.",
        examples: &[("isZeroOrNull(NULL)", "1"), ("isZeroOrNull(5)", "0")],
        arity: (1, 1),
        bind: is_zero_or_null,
        ..CUSTOM
    },
];
