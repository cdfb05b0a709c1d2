//! Arithmetic on numbers, dates and intervals, and element-wise on arrays and tuples.
//!
//! Result types follow the reference: sums are one step wider, differences are signed, and `/` is a
//! float. Both sides are converted to the native type of the result and combined in it; integers
//! wrap around.

pub mod add;
pub mod dates;
mod decimal;
mod divide;
mod nested;
mod numbers;
mod table;
mod tuples;
mod wide;

pub use table::FUNCTIONS;
pub use tuples::FUNCTIONS as TUPLES;

use entasis_base::Result;
use entasis_types::{DataType, Value};

use entasis_function::{Arg, BoundKernel, FunctionContext};
use entasis_function_kernel::kernel::illegal_types;

/// The operators that share their type rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Plus,
    Minus,
    Multiply,
    Divide,
    IntDiv,
    IntDivOrZero,
    Modulo,
    ModuloOrZero,
    PositiveModulo,
    Gcd,
    Lcm,
}

impl Op {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plus => "plus",
            Self::Minus => "minus",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
            Self::IntDiv => "intDiv",
            Self::IntDivOrZero => "intDivOrZero",
            Self::Modulo => "modulo",
            Self::ModuloOrZero => "moduloOrZero",
            Self::PositiveModulo => "positiveModulo",
            Self::Gcd => "gcd",
            Self::Lcm => "lcm",
        }
    }

    /// Sums and differences, which take no scalar beside a list.
    fn divides(self) -> bool {
        matches!(self, Self::IntDiv | Self::IntDivOrZero | Self::Modulo | Self::ModuloOrZero)
    }

    pub(super) fn is_additive(self) -> bool {
        matches!(self, Self::Plus | Self::Minus)
    }
}

/// Whether every integer of type `a` can be divided by an argument. A large unsigned constant
/// beside a signed dividend counts as a signed number, and may then be -1.
fn divides_all(a: &DataType, divisor: &Arg) -> bool {
    let unsigned = a.is_any_integer() && !a.is_signed() && !divisor.ty.is_signed();
    match (&divisor.constant, unsigned) {
        (Some(Value::UInt(divisor)), true) => *divisor > 0,
        (Some(Value::UInt(divisor)), false) => (1..=127).contains(divisor),
        (Some(Value::Int(divisor)), _) => (1..=127).contains(divisor),
        _ => false,
    }
}

/// Binds a binary operator to arguments that are not Nullable.
pub(super) fn bind(op: Op, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    use DataType::{Array, Interval, Ipv4, Tuple, UInt32};
    if args.iter().any(|arg| arg.ty == Ipv4) {
        // An address of version 4 counts as its number.
        let number = |ty: &DataType| if *ty == Ipv4 { UInt32 } else { ty.clone() };
        let numbers = args.iter().map(|arg| Arg { ty: number(&arg.ty), ..arg.clone() });
        return bind(op, &numbers.collect::<Vec<_>>(), context);
    }
    let (a, b) = (&args[0].ty, &args[1].ty);
    if a.is_any_number() && b.is_any_number() {
        let bound = numbers::bind(op, a, b)?;
        let sure = op.divides() && a.is_any_integer() && divides_all(a, &args[1]);
        return Ok(if sure { bound.never_fails() } else { bound });
    }
    let additive = op.is_additive();
    if a.is_decimal() || b.is_decimal() {
        return decimal::bind(op, a, b, context);
    }
    match (a, b) {
        (Array(_), _) | (_, Array(_)) => nested::bind_arrays(op, args, context),
        (Tuple(x), Tuple(y)) if additive => nested::bind_tuples(op, x, y, context),
        (Tuple(x), Tuple(y)) if op == Op::Multiply => tuples::dot(x, y, context),
        (Tuple(x), y) if y.is_any_number() && !additive => {
            nested::bind_scaled(op, x, b, false, context)
        }
        (x, Tuple(y)) if x.is_any_number() && op == Op::Multiply => {
            nested::bind_scaled(op, y, a, true, context)
        }
        (x, y) if additive && (x.is_date_or_time() || y.is_date_or_time()) => {
            dates::bind(op, args, context)
        }
        (Interval(x), Interval(y)) if additive && x == y => numbers::bind_intervals(op, a.clone()),
        (x, y)
            if x.is_date_or_time()
                && x.fixed_width() != Some(8)
                && y.is_native_number()
                && matches!(op, Op::Modulo | Op::ModuloOrZero | Op::PositiveModulo) =>
        {
            let plain = if *x == DataType::Date { DataType::UInt16 } else { UInt32 };
            numbers::bind(op, &plain, y)
        }
        _ => Err(illegal_types(op.name(), a, b)),
    }
}
