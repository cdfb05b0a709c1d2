//! Adding and subtracting units: addDays, subtractMonths, date_add and so on.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, IntervalKind};

use crate::arithmetic::dates::shift;
use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::illegal_type;

fn bind(
    name: &str,
    kind: IntervalKind,
    sign: i64,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let (time, count) = (&args[0].ty, &args[1].ty);
    if !time.is_date_or_time() {
        if time.is_string() {
            return Err(Error::not_implemented(format!("{name} of a string (DateTime64)")));
        }
        return Err(illegal_type(name, time));
    }
    if !count.is_native_number() {
        return Err(illegal_type(name, count));
    }
    let session = Session::of(context);
    let to_int = cast::bind(count, &DataType::Int64, session)?;
    let (ty, shift) = shift(time, kind, session)?;
    Ok(BoundKernel::new(ty, move |args: &[Column], rows| {
        shift(&args[0], &to_int(&args[1])?, sign, rows)
    }))
}

/// `date_add(time, interval)` in either order: what `plus` and `minus` do.
fn by_operator(operator: &str, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let interval = |a: &Arg| matches!(a.ty, DataType::Interval(_));
    if !args.iter().any(interval) {
        let message = "One argument must be an interval, the other a Date or DateTime";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    (entasis_function::registry::scalar(operator)?.bind)(args, context)
}

macro_rules! definitions {
    ($((
        $add:literal, $subtract:literal, $kind:ident, $what:literal $(, $fraction:literal)?
    )),* $(,)?) => {
        &[$(
            FunctionDef {
                name: $add,
                case_insensitive: false,
                description: concat!("A date or time some ", $what, " later."),
                examples: &[(
                    concat!($add, "(toDateTime('2020-02-15 00:00:00'), 0)"),
                    concat!("2020-02-15 00:00:00" $(, $fraction)?),
                )],
                arity: (2, 2),
                bind: |args, context| bind($add, IntervalKind::$kind, 1, args, context),
                ..FunctionDef::DEFAULT
            },
            FunctionDef {
                name: $subtract,
                description: concat!("A date or time some ", $what, " earlier."),
                examples: &[(
                    concat!($subtract, "(toDateTime('2020-02-15 00:00:00'), 0)"),
                    concat!("2020-02-15 00:00:00" $(, $fraction)?),
                )],
                arity: (2, 2),
                bind: |args, context| bind($subtract, IntervalKind::$kind, -1, args, context),
                ..FunctionDef::DEFAULT
            },
        )*]
    };
}

/// addSeconds to subtractYears.
pub const BY_UNIT: &[FunctionDef] = definitions![
    ("addNanoseconds", "subtractNanoseconds", Nanosecond, "nanoseconds", ".000000000"),
    ("addMicroseconds", "subtractMicroseconds", Microsecond, "microseconds", ".000000"),
    ("addMilliseconds", "subtractMilliseconds", Millisecond, "milliseconds", ".000"),
    ("addSeconds", "subtractSeconds", Second, "seconds"),
    ("addMinutes", "subtractMinutes", Minute, "minutes"),
    ("addHours", "subtractHours", Hour, "hours"),
    ("addDays", "subtractDays", Day, "days"),
    ("addWeeks", "subtractWeeks", Week, "weeks"),
    ("addMonths", "subtractMonths", Month, "months"),
    ("addQuarters", "subtractQuarters", Quarter, "quarters"),
    ("addYears", "subtractYears", Year, "years"),
];

/// The functions that take an interval. (`date_add(unit, n, time)` is rewritten by the parser.)
pub const BY_INTERVAL: &[FunctionDef] = &[
    FunctionDef {
        name: "addDate",
        aliases: &["dateAdd", "date_add", "timestampAdd", "timestamp_add"],
        case_insensitive: true,
        description: "Adds an interval to a date or time.",
        examples: &[("addDate(toDate('2020-01-31'), toIntervalMonth(1))", "2020-02-29")],
        arity: (2, 2),
        bind: |args, context| by_operator("plus", args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "subDate",
        aliases: &["dateSub", "date_sub", "timestampSub", "timestamp_sub"],
        case_insensitive: true,
        description: "Subtracts an interval from a date or time.",
        examples: &[("subDate(toDate('2020-03-31'), toIntervalMonth(1))", "2020-02-29")],
        arity: (2, 2),
        bind: |args, context| by_operator("minus", args, context),
        ..FunctionDef::DEFAULT
    },
];
