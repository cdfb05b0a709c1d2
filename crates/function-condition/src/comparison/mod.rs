//! Comparison: `=`, `!=`, `<`, `<=`, `>`, `>=`, `<=>`, IS NULL.
//!
//! Binding converts both sides to columns that can be compared by layout. A string literal beside a
//! number, date or time is read as one; a Date beside a DateTime becomes midnight in the time zone
//! of the DateTime; arrays get a common element type; tuples are compared element by element.

mod arrays;
mod bind;
mod decimals;
mod numbers;
mod text;

use entasis_column::{Column, Mask};
use entasis_simd::compare::CompareOp;

pub use numbers::{Exact, holds};
pub use text::padded;

use entasis_base::Result;
use entasis_function::{
    Arg, BoundKernel, Comparison, Folds, FunctionContext, FunctionDef, Nulls, Operation, Properties,
};

/// Compares two columns, full or Const, both numeric, both strings, or both of one nested layout;
/// neither Nullable.
pub fn compare_columns(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Result<Mask> {
    use entasis_types::Physical::{Array, Fixed, Nothing, String, Tuple};
    match (a.physical(), b.physical()) {
        (String | Fixed(_), String | Fixed(_)) => Ok(text::compare(op, a, b, rows)),
        (Array | Tuple | Nothing, Array | Tuple | Nothing) => {
            if let Some(mask) = arrays::compare(op, a, b, rows) {
                return Ok(mask);
            }
            let order = |i| entasis_column::compare::compare_values(a, i, b, i);
            Ok(Mask::from_fn(rows, |i| holds(op, Some(order(i)))))
        }
        _ => numbers::compare(op, a, b, rows),
    }
}

/// Rows in which two full numeric columns of the same length hold the same number.
pub fn equal(a: &Column, b: &Column) -> Result<Mask> {
    compare_columns(CompareOp::Eq, a, b, a.len())
}

fn is_null(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let _ = args;
    Ok(BoundKernel::predicate(|args, rows| Ok(nulls_of(&args[0], rows))))
}

fn is_not_null(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let _ = args;
    Ok(BoundKernel::predicate(|args, rows| Ok(nulls_of(&args[0], rows).not())))
}

/// Rows that are NULL, of a full or Const column.
fn nulls_of(column: &Column, rows: usize) -> Mask {
    match column {
        Column::Nullable(n) => n.validity.not(),
        Column::Variant(v) => v.validity().not(),
        other => Mask::constant(rows > 0 && other.is_const() && other.is_null(0), rows),
    }
}

const fn of_null(negated: bool) -> Properties {
    let properties = Properties::SIMPLE.meaning(Operation::IsNull { negated });
    Properties { folds: Folds::OfTypesWithoutNull, ..properties }
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "equals",
        properties: Properties::comparison(Comparison::Equals),
        description: "Whether both values are equal: `a = b`. Numbers compare by value.",
        examples: &[("equals(1, 1.0)", "1"), ("equals('a', 'b')", "0")],
        arity: (2, 2),
        bind: |args, context| bind::bind(CompareOp::Eq, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "notEquals",
        properties: Properties::comparison(Comparison::NotEquals),
        description: "Whether the values differ: `a != b`, `a <> b`.",
        examples: &[("notEquals(1, 2)", "1")],
        arity: (2, 2),
        bind: |args, context| bind::bind(CompareOp::Ne, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "less",
        properties: Properties::comparison(Comparison::Less),
        description: "Whether the first value is smaller: `a < b`.",
        examples: &[("less(-1, 2)", "1"), ("less('b', 'a')", "0")],
        arity: (2, 2),
        bind: |args, context| bind::bind(CompareOp::Lt, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "lessOrEquals",
        properties: Properties::comparison(Comparison::LessOrEquals),
        description: "Whether the first value is smaller or equal: `a <= b`.",
        examples: &[("lessOrEquals(2, 2)", "1")],
        arity: (2, 2),
        bind: |args, context| bind::bind(CompareOp::Le, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "greater",
        properties: Properties::comparison(Comparison::Greater),
        description: "Whether the first value is greater: `a > b`.",
        examples: &[("greater(2.5, 2)", "1")],
        arity: (2, 2),
        bind: |args, context| bind::bind(CompareOp::Gt, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "greaterOrEquals",
        properties: Properties::comparison(Comparison::GreaterOrEquals),
        description: "Whether the first value is greater or equal: `a >= b`.",
        examples: &[("greaterOrEquals(1, 2)", "0")],
        arity: (2, 2),
        bind: |args, context| bind::bind(CompareOp::Ge, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "isNull",
        properties: of_null(false),
        low_cardinality: entasis_function::LowCardinality::Drop,
        case_insensitive: true,
        description: "Whether the value is NULL: `x IS NULL`.",
        examples: &[("isNull(NULL)", "1"), ("isNull(1)", "0")],
        nulls: Nulls::Custom,
        arity: (1, 1),
        bind: is_null,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "isNotNull",
        properties: of_null(true),
        low_cardinality: entasis_function::LowCardinality::Drop,
        description: "Whether the value is not NULL: `x IS NOT NULL`.",
        examples: &[("isNotNull(NULL)", "0"), ("isNotNull(1)", "1")],
        nulls: Nulls::Custom,
        arity: (1, 1),
        bind: is_not_null,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "isDistinctFrom",
        description: "Whether the values differ, where NULL equals NULL and nothing else.",
        examples: &[("isDistinctFrom(NULL, NULL)", "0"), ("isDistinctFrom(1, NULL)", "1")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| bind::bind_distinct(true, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "isNotDistinctFrom",
        description: "Whether the values are equal, where NULL equals NULL: `a <=> b`.",
        examples: &[("isNotDistinctFrom(NULL, NULL)", "1"), ("isNotDistinctFrom(1, 2)", "0")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| bind::bind_distinct(false, args, context),
        ..FunctionDef::DEFAULT
    },
];
