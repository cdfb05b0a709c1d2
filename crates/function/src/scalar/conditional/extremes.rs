//! `greatest` and `least` of several values; NULLs are left out.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_simd::compare::CompareOp;
use entasis_types::{DataType, common_type_of_two};

use super::choose::choose;
use crate::scalar::cast::{self, Session};
use crate::scalar::comparison::compare_columns;
use crate::{Arg, Bound, Facts, FunctionDef, Nulls};

/// The common type; the greater of UInt64 and a signed type is UInt64, the smaller Int64.
fn result_type(greatest: bool, args: &[Arg]) -> Result<DataType> {
    let mut result = args[0].ty.clone();
    for arg in &args[1..] {
        let (a, b) = (result.without_nullable(), arg.ty.without_nullable());
        let mixed = |x: &DataType, y: &DataType| *x == DataType::UInt64 && y.is_signed();
        let ty = if mixed(a, b) || mixed(b, a) {
            if greatest { DataType::UInt64 } else { DataType::Int64 }
        } else {
            common_type_of_two(a, b)?
        };
        let nullable = result.is_nullable() || arg.ty.is_nullable();
        result = if nullable && ty.can_be_nullable() { DataType::nullable(ty) } else { ty };
    }
    Ok(result)
}

fn bind(greatest: bool, args: &[Arg], facts: &dyn Facts) -> Result<Bound> {
    if args.is_empty() {
        let message = "Number of arguments for function greatest or least should be at least 1";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let ty = result_type(greatest, args)?;
    if ty.is_null_literal() {
        return Ok(Bound::new(ty, |args, _| Ok(args[0].clone())));
    }
    let session = Session::of(facts);
    let casts = args.iter().map(|a| cast::bind(&a.ty, &ty, session)).collect::<Result<Vec<_>>>()?;
    let result = ty.clone();
    let op = if greatest { CompareOp::Gt } else { CompareOp::Lt };
    Ok(Bound::new(ty, move |args, rows| {
        let mut best = casts[0](&args[0])?;
        for (cast, arg) in casts.iter().zip(args).skip(1) {
            let next = cast(arg)?;
            let keep = keep_first(op, &best, &next, rows)?;
            best = choose(&[keep], &[best, next], &result, rows);
        }
        Ok(best)
    }))
}

/// Rows where `a` stays: it compares so, or `b` is NULL.
fn keep_first(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Result<Mask> {
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
    Ok(known_a.and(&holds.or(&known_b.not())))
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
        description: "The greatest of the arguments that are not NULL.",
        examples: &[("greatest(1, 3, 2)", "3"), ("greatest('a', 'b')", "b")],
        bind: |args, facts| bind(true, args, facts),
        ..EXTREME
    },
    FunctionDef {
        name: "least",
        description: "The smallest of the arguments that are not NULL.",
        examples: &[("least(1, -1)", "-1"), ("least(NULL, 2)", "2")],
        bind: |args, facts| bind(false, args, facts),
        ..EXTREME
    },
];
