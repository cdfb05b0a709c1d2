//! `greatest` and `least` of several values, where NULLs are ignored unless a setting says that
//! they win; `clamp`.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_simd::compare::CompareOp;
use entasis_types::{DataType, Value, common_type, common_type_of_two};

use super::choose::choose;
use crate::comparison::compare_columns;
use entasis_function::cast::{self, Cast, Session};
use entasis_function::{Arg, BoundKernel, BranchKind, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::kernel::illegal_types;

/// The common type; the greater of UInt64 and a signed type is UInt64, the smaller Int64.
fn result_type(greatest: bool, args: &[Arg]) -> Result<DataType> {
    let mut result = args[0].ty.clone();
    for arg in &args[1..] {
        let (a, b) = (result.without_nullable(), arg.ty.without_nullable());
        let mixed = |x: &DataType, y: &DataType| {
            *x == DataType::UInt64 && y.is_signed() && y.is_native_integer()
        };
        let ty = if mixed(a, b) || mixed(b, a) {
            if greatest { DataType::UInt64 } else { DataType::Int64 }
        } else {
            common_type_of_two(a, b).map_err(|e| {
                let wide = a.is_wide_integer() || b.is_wide_integer();
                let name = if greatest { "greatest" } else { "least" };
                if wide { illegal_types(name, a, b) } else { e }
            })?
        };
        let nullable = result.is_nullable() || arg.ty.is_nullable();
        result = if nullable && ty.can_be_nullable() { DataType::nullable(ty) } else { ty };
    }
    Ok(result)
}

fn bind(greatest: bool, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.is_empty() {
        let message = "Number of arguments for function greatest or least should be at least 1";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let ty = result_type(greatest, args)?;
    if ty.has_variant() {
        let what = "greatest and least of Variants: take one alternative by variantElement";
        return Err(Error::not_implemented(what));
    }
    if ty.is_null_literal() {
        return Ok(BoundKernel::new(ty, |args, _| Ok(args[0].clone())));
    }
    let setting = context.setting("least_greatest_legacy_null_behavior");
    let nulls_win = setting.is_some_and(|value| value.as_u64() == Some(1));
    let session = Session::of(context);
    let casts =
        args.iter().map(|a| bind_clamped(&a.ty, &ty, session)).collect::<Result<Vec<_>>>()?;
    let result = ty.clone();
    let op = if greatest { CompareOp::Gt } else { CompareOp::Lt };
    Ok(BoundKernel::new(ty, move |args, rows| {
        let mut best = casts[0](&args[0])?;
        for (cast, arg) in casts.iter().zip(args).skip(1) {
            let next = cast(arg)?;
            let keep = keep_first(op, &best, &next, nulls_win, rows)?;
            best = choose(&[keep], &[best, next], &result, rows);
        }
        Ok(best)
    }))
}

/// Conversion to the result's type. Between UInt64 and signed types, values outside the result's
/// range cannot win, so they are moved to its edge.
fn bind_clamped(from: &DataType, to: &DataType, session: Session) -> Result<Cast> {
    let (a, b) = (from.without_nullable(), to.without_nullable());
    let cast = cast::bind(from, to, session)?;
    let edge = match (a, b) {
        (a, DataType::UInt64) if a.is_signed() && a.is_native_integer() => Value::Int(0),
        (DataType::UInt64, b) if b.is_signed() && b.is_native_integer() => {
            Value::UInt(i64::MAX as u64)
        }
        _ => return Ok(cast),
    };
    let edge = Column::from_value(a, &edge, 1);
    let (from, op) = (from.clone(), if a.is_signed() { CompareOp::Lt } else { CompareOp::Gt });
    Ok(Arc::new(move |column| {
        let rows = column.len();
        let edge = Column::constant(edge.clone(), rows);
        let outside = match column {
            Column::Const(c) => compare_columns(
                op,
                &Column::constant(c.value.split_nullable().1.clone(), rows),
                &edge,
                rows,
            )?,
            other => compare_columns(op, other.split_nullable().1, &edge, rows)?,
        };
        if outside.none() {
            return cast(column);
        }
        let edge = match from.is_nullable() {
            true => {
                Column::constant(Column::nullable(edge.slice(0, 1), Mask::constant(true, 1)), rows)
            }
            false => edge,
        };
        cast(&choose(&[outside], &[edge, column.clone()], &from, rows))
    }))
}

/// Rows where `a` stays: it compares so, or `b` is NULL. If NULLs win, it also stays where it is
/// NULL, and not where `b` is NULL.
fn keep_first(op: CompareOp, a: &Column, b: &Column, nulls_win: bool, rows: usize) -> Result<Mask> {
    let known = |c: &Column| match c {
        Column::Const(c) => Mask::constant(!c.value.is_null(0), rows),
        other => {
            let validity = other.split_nullable().0.cloned();
            validity.unwrap_or_else(|| Mask::constant(true, rows))
        }
    };
    let plain = |c: &Column| match c {
        Column::Const(c) => Column::constant(c.value.split_nullable().1.clone(), rows),
        other => other.split_nullable().1.clone(),
    };
    let (known_a, known_b) = (known(a), known(b));
    let holds = compare_columns(op, &plain(a), &plain(b), rows)?;
    Ok(match nulls_win {
        true => known_a.not().or(&known_b.and(&holds)),
        false => known_a.and(&holds.or(&known_b.not())),
    })
}

/// A value moved into the range of two others.
fn clamp(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let types: Vec<DataType> = args.iter().map(|a| a.ty.clone()).collect();
    let ty = common_type(&types)?;
    let session = Session::of(context);
    let casts = types.iter().map(|t| cast::bind(t, &ty, session)).collect::<Result<Vec<_>>>()?;
    let result = ty.clone();
    Ok(BoundKernel::new(ty, move |args, rows| {
        let casted = casts.iter().zip(args).map(|(c, a)| c(a)).collect::<Result<Vec<_>>>()?;
        let [value, low, high] = &casted[..] else {
            return Err(Error::logical("clamp without three arguments"));
        };
        if !compare_columns(CompareOp::Gt, low, high, rows)?.none() {
            let message = "The minimum value cannot be greater than the maximum value for function \
                           clamp";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let below = compare_columns(CompareOp::Lt, value, low, rows)?;
        let above = compare_columns(CompareOp::Gt, value, high, rows)?;
        let branches = [low.clone(), high.clone(), value.clone()];
        Ok(choose(&[below, above], &branches, &result, rows))
    }))
}

const EXTREME: FunctionDef = FunctionDef {
    case_insensitive: true,
    nulls: Nulls::Custom,
    arity: (1, usize::MAX),
    ..FunctionDef::DEFAULT
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "greatest",
        branches: Some(BranchKind::Extreme),
        description: "The greatest of the arguments that are not NULL.",
        examples: &[("greatest(1, 3, 2)", "3"), ("greatest('a', 'b')", "b")],
        bind: |args, context| bind(true, args, context),
        ..EXTREME
    },
    FunctionDef {
        name: "least",
        branches: Some(BranchKind::Extreme),
        description: "The smallest of the arguments that are not NULL.",
        examples: &[("least(1, -1)", "-1"), ("least(NULL, 2)", "2")],
        bind: |args, context| bind(false, args, context),
        ..EXTREME
    },
    FunctionDef {
        name: "clamp",
        description: "Limits a value to a range: clamp(value, min, max).",
        examples: &[("clamp(15, 1, 10)", "10"), ("clamp('b', 'a', 'c')", "b")],
        nulls: Nulls::PropagateStrict,
        arity: (3, 3),
        bind: clamp,
        ..FunctionDef::DEFAULT
    },
];
