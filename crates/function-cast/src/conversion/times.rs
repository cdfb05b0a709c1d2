//! Unix times, best-effort reading of times, intervals.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column};
use entasis_types::{DataType, IntervalKind, TimeZone};

use crate::cast::best_effort::{self, Order};
use crate::cast::parse::clamp_second;
use crate::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, registry};
use entasis_function_kernel::arguments::zone_argument;
use entasis_function_kernel::kernel::{bytes_at, illegal_type};

fn to_unix_timestamp(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let zone = zone_argument("toUnixTimestamp", args.get(1))?;
    let from = &args[0].ty;
    let session = Session::of(context);
    if matches!(from, DataType::DateTime64(..)) {
        let cast = cast::bind(from, &DataType::UInt32, session)?;
        return Ok(BoundKernel::new(DataType::UInt32, move |args, _| cast(&args[0])));
    }
    if from.is_date_or_time() || from.is_string() {
        let to = DataType::DateTime(zone);
        let cast = cast::bind(from, &to, session)?;
        return Ok(BoundKernel::new(DataType::UInt32, move |args, _| cast(&args[0])));
    }
    if !from.is_any_number() {
        return Err(illegal_type("toUnixTimestamp", from));
    }
    let cast = cast::bind(from, &DataType::UInt32, session)?;
    Ok(BoundKernel::new(DataType::UInt32, move |args, _| cast(&args[0])))
}

fn from_unix_timestamp(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let from = &args[0].ty;
    let session = Session::of(context);
    let to = DataType::DateTime(None);
    if args.len() == 1 {
        if !from.is_any_integer() && *from != DataType::Bool {
            let message = format!(
                "Illegal type {from} of first argument of function fromUnixTimestamp when \
                 arguments size is 1. Should be integer"
            );
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
        let cast = cast::bind(from, &to, session)?;
        return Ok(BoundKernel::new(to, move |args, _| cast(&args[0])));
    }
    let cast = if from.is_native_number() { Some(cast::bind(from, &to, session)?) } else { None };
    let mut format_args = args.to_vec();
    if cast.is_some() {
        format_args[0] = Arg::column(to);
    }
    let format = (registry::scalar("formatDateTime")?.bind)(&format_args, context)?;
    let entasis_function::Run::Columns(run) = format.run else {
        return Err(Error::logical("formatDateTime takes no lambda"));
    };
    Ok(BoundKernel::new(format.return_type, move |args, rows| {
        let mut args = args.to_vec();
        if let Some(cast) = &cast {
            args[0] = cast(&args[0])?;
        }
        run(&args, rows)
    }))
}

/// What becomes of text that is no time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    Fail,
    Null,
    Zero,
}

fn best_effort(
    name: &str,
    order: Order,
    otherwise: Otherwise,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type(name, &args[0].ty));
    }
    let own = zone_argument(name, args.get(1))?;
    let session = Session::of(context);
    let zone = own.unwrap_or(session.zone);
    let ty = DataType::DateTime(own);
    let ty = if otherwise == Otherwise::Null { DataType::nullable(ty) } else { ty };
    Ok(BoundKernel::new(ty, move |args, rows| {
        read_all(&args[0].full(), rows, zone, session, order, otherwise)
    }))
}

fn read_all(
    column: &Column,
    rows: usize,
    zone: TimeZone,
    session: Session,
    order: Order,
    otherwise: Otherwise,
) -> Result<Column> {
    let mut seconds = Vec::with_capacity(rows);
    let mut known = Vec::with_capacity(rows);
    for i in 0..rows {
        let text = cast::print::without_padding(bytes_at(column, i));
        let second = best_effort::read(text, zone, session, order);
        match second {
            Err(e) if otherwise == Otherwise::Fail => return Err(e),
            second => {
                known.push(u8::from(second.is_ok()));
                seconds.push(second.map_or(0, clamp_second));
            }
        }
    }
    let column = Column::from(seconds);
    Ok(match otherwise {
        Otherwise::Null => Column::nullable(column, Bitmap::from_bytes(&known)),
        _ => column,
    })
}

fn interval(
    kind: IntervalKind,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let (from, to) = (&args[0].ty, DataType::Interval(kind));
    if !(from.is_any_number() || from.is_string() || matches!(from, DataType::Interval(_))) {
        return Err(illegal_type(&format!("toInterval{}", kind.name()), from));
    }
    let cast = cast::bind(from, &to, Session::of(context))?;
    Ok(BoundKernel::new(to, move |args, _| cast(&args[0])))
}

type Bind = fn(&[Arg], &dyn FunctionContext) -> Result<BoundKernel>;
type Examples = &'static [(&'static str, &'static str)];

const fn to_interval(name: &'static str, bind: Bind) -> FunctionDef {
    FunctionDef {
        name,
        description: "An interval of n units, to be added to dates and times.",
        nulls: Nulls::PropagateStrict,
        arity: (1, 1),
        bind,
        ..FunctionDef::DEFAULT
    }
}

const fn effort(name: &'static str, aliases: &'static [&'static str], bind: Bind) -> FunctionDef {
    FunctionDef {
        name,
        aliases,
        description: "Reads a point in time in any common form: ISO 8601, RFC 2822, day/month/year, \
                      month names, Unix times.",
        nulls: Nulls::PropagateStrict,
        arity: (1, 2),
        bind,
        ..FunctionDef::DEFAULT
    }
}

const EFFORT_EXAMPLES: Examples = &[
    ("parseDateTimeBestEffort('Sat, 18 Aug 2018 07:22:16 GMT', 'UTC')", "2018-08-18 07:22:16"),
    ("parseDateTimeBestEffort('15/02/2020', 'UTC')", "2020-02-15 00:00:00"),
];

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "toUnixTimestamp",
        description: "The Unix timestamp (seconds since 1970-01-01 00:00:00 UTC) of a time, a date \
                      or a text.",
        examples: &[("toUnixTimestamp('2020-01-01 00:00:00', 'UTC')", "1577836800")],
        nulls: Nulls::PropagateStrict,
        arity: (1, 2),
        bind: to_unix_timestamp,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "fromUnixTimestamp",
        aliases: &["FROM_UNIXTIME"],
        case_insensitive: true,
        description: "The DateTime of a Unix timestamp; with a pattern for formatDateTime, its \
                      text.",
        examples: &[("toUInt32(fromUnixTimestamp(1577836800))", "1577836800")],
        arity: (1, 3),
        bind: from_unix_timestamp,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        examples: EFFORT_EXAMPLES,
        ..effort("parseDateTimeBestEffort", &["parseDateTime32BestEffort"], |a, f| {
            best_effort("parseDateTimeBestEffort", Order::DayFirst, Otherwise::Fail, a, f)
        })
    },
    effort("parseDateTimeBestEffortOrNull", &["parseDateTime32BestEffortOrNull"], |a, f| {
        best_effort("parseDateTimeBestEffortOrNull", Order::DayFirst, Otherwise::Null, a, f)
    }),
    effort("parseDateTimeBestEffortOrZero", &["parseDateTime32BestEffortOrZero"], |a, f| {
        best_effort("parseDateTimeBestEffortOrZero", Order::DayFirst, Otherwise::Zero, a, f)
    }),
    effort("parseDateTimeBestEffortUS", &[], |a, f| {
        best_effort("parseDateTimeBestEffortUS", Order::MonthFirst, Otherwise::Fail, a, f)
    }),
    effort("parseDateTimeBestEffortUSOrNull", &[], |a, f| {
        best_effort("parseDateTimeBestEffortUSOrNull", Order::MonthFirst, Otherwise::Null, a, f)
    }),
    effort("parseDateTimeBestEffortUSOrZero", &[], |a, f| {
        best_effort("parseDateTimeBestEffortUSOrZero", Order::MonthFirst, Otherwise::Zero, a, f)
    }),
    to_interval("toIntervalNanosecond", |a, f| interval(IntervalKind::Nanosecond, a, f)),
    to_interval("toIntervalMicrosecond", |a, f| interval(IntervalKind::Microsecond, a, f)),
    to_interval("toIntervalMillisecond", |a, f| interval(IntervalKind::Millisecond, a, f)),
    to_interval("toIntervalSecond", |a, f| interval(IntervalKind::Second, a, f)),
    to_interval("toIntervalMinute", |a, f| interval(IntervalKind::Minute, a, f)),
    to_interval("toIntervalHour", |a, f| interval(IntervalKind::Hour, a, f)),
    to_interval("toIntervalDay", |a, f| interval(IntervalKind::Day, a, f)),
    to_interval("toIntervalWeek", |a, f| interval(IntervalKind::Week, a, f)),
    to_interval("toIntervalMonth", |a, f| interval(IntervalKind::Month, a, f)),
    to_interval("toIntervalQuarter", |a, f| interval(IntervalKind::Quarter, a, f)),
    to_interval("toIntervalYear", |a, f| interval(IntervalKind::Year, a, f)),
];
