//! `toDecimal32` to `toDecimal128`, with `-OrNull`, `-OrZero` and `-OrDefault`: the second argument
//! is the scale.

use entasis_base::{Error, Result, codes};
use entasis_types::DataType;

use super::by_name::{default, default_bound, null, or_null, or_zero, plain, to, zero};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};

/// The type, by the constant scale in the second argument.
fn target(precision: u8, args: &[Arg]) -> Result<DataType> {
    let scale = args[1].constant.as_ref().and_then(|v| v.as_u64());
    match scale.and_then(|s| u8::try_from(s).ok()).filter(|s| *s <= precision) {
        Some(scale) => Ok(DataType::Decimal(precision, scale)),
        None => {
            let message = format!(
                "The scale of a Decimal of {precision} digits must be a constant from 0 to \
                 {precision}"
            );
            Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message))
        }
    }
}

fn decimal(precision: u8, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    plain(&target(precision, args)?, &args[..1], context)
}

fn decimal_or_null(
    precision: u8,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    or_null(&target(precision, args)?, args, context)
}

fn decimal_or_zero(
    precision: u8,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    or_zero(&target(precision, args)?, args, context)
}

fn decimal_or_default(
    precision: u8,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    default_bound(&target(precision, args)?, args, 2, context)
}

macro_rules! family {
    ($precision:literal, $name:literal, $null:literal, $zero:literal, $default:literal) => {
        [
            FunctionDef { arity: (2, 2), ..to($name, &[], |a, f| decimal($precision, a, f)) },
            FunctionDef {
                arity: (2, 2),
                ..null($null, &[], |a, f| decimal_or_null($precision, a, f))
            },
            FunctionDef {
                arity: (2, 2),
                ..zero($zero, &[], |a, f| decimal_or_zero($precision, a, f))
            },
            FunctionDef {
                arity: (2, 3),
                ..default($default, &[], |a, f| decimal_or_default($precision, a, f))
            },
        ]
    };
}

const NINE: [FunctionDef; 4] =
    family!(9, "toDecimal32", "toDecimal32OrNull", "toDecimal32OrZero", "toDecimal32OrDefault");
const EIGHTEEN: [FunctionDef; 4] =
    family!(18, "toDecimal64", "toDecimal64OrNull", "toDecimal64OrZero", "toDecimal64OrDefault");
const THIRTY_EIGHT: [FunctionDef; 4] = family!(
    38,
    "toDecimal128",
    "toDecimal128OrNull",
    "toDecimal128OrZero",
    "toDecimal128OrDefault"
);

const fn joined() -> [FunctionDef; 12] {
    let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (NINE, EIGHTEEN, THIRTY_EIGHT);
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &joined();
