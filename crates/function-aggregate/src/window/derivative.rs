//! `nonNegativeDerivative`: how fast a counter grows.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, IntervalKind, Value};

use entasis_function::aggregate::args::mismatch;
use entasis_function::window::{Rows, WindowArgs, WindowDef, WindowFunction};
use entasis_function_kernel::kernel::Number;

/// Growth per unit of time since the row before. It is 0 for the first row of a partition, and if
/// the time is the same or the counter falls.
#[derive(Debug)]
struct Derivative {
    /// Ticks of the time column in a second.
    ticks: f64,
    /// The unit, in seconds.
    unit: f64,
}

impl WindowFunction for Derivative {
    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn argument_type(&self, i: usize) -> Option<DataType> {
        (i == 0).then_some(DataType::Float64)
    }

    fn run(&self, args: &[Column], rows: Rows<'_>) -> Result<Column> {
        let of = |i: usize| args.get(i).map(Column::full).ok_or_else(mismatch);
        let (counter, time) = (of(0)?, of(1)?);
        let counter = counter.to_f64().ok_or_else(mismatch)?;
        let time = i128::read(&time).ok_or_else(mismatch)?;
        let mut rates = vec![0.0; rows.len()];
        for partition in rows.partitions.windows(2) {
            for i in partition[0] as usize + 1..partition[1] as usize {
                let (grown, passed) = (counter[i] - counter[i - 1], time[i] - time[i - 1]);
                let rate = grown * self.ticks / passed as f64 * self.unit;
                if passed > 0 && rate >= 0.0 {
                    rates[i] = rate;
                }
            }
        }
        Ok(rates.into())
    }
}

/// The length of an interval in seconds; `None` for intervals whose length the calendar decides.
fn seconds(kind: IntervalKind) -> Option<f64> {
    Some(match kind {
        IntervalKind::Nanosecond => 1e-9,
        IntervalKind::Microsecond => 1e-6,
        IntervalKind::Millisecond => 1e-3,
        IntervalKind::Second => 1.0,
        IntervalKind::Minute => 60.0,
        IntervalKind::Hour => 3600.0,
        IntervalKind::Day => 86_400.0,
        IntervalKind::Week => 604_800.0,
        _ => return None,
    })
}

fn bind(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    let bad = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
    if !call.params.is_empty() {
        return bad(format!("Function {} cannot be parameterized", call.name));
    }
    if !(2..=3).contains(&call.args.len()) {
        let message = format!("Function {} takes 2 or 3 arguments", call.name);
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let (counter, time) = (&call.args[0].ty, &call.args[1].ty);
    if !counter.is_any_number() {
        return bad(format!("Argument 0 must be a number, '{counter}' given"));
    }
    let ticks = match time {
        DataType::DateTime(_) => 1.0,
        DataType::DateTime64(scale, _) => 10f64.powi(i32::from(*scale)),
        _ => return bad(format!("Argument 1 must be DateTime or DateTime64, '{time}' given")),
    };
    let unit = match call.args.get(2) {
        None => 1.0,
        Some(arg) => match (&arg.ty, arg.constant.as_ref().and_then(Value::as_f64)) {
            (DataType::Interval(kind), Some(count)) => match seconds(*kind) {
                Some(one) => one * count,
                None => {
                    let message =
                        format!("The INTERVAL must be a week or shorter, '{}' given", arg.ty);
                    return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
                }
            },
            _ => {
                return bad(format!("Argument 2 must be a constant INTERVAL, '{}' given", arg.ty));
            }
        },
    };
    Ok(Box::new(Derivative { ticks, unit }))
}

/// The definitions of the functions in this file.
pub const FUNCTIONS: &[WindowDef] = &[WindowDef {
    name: "nonNegativeDerivative",
    description: "Growth of the first argument per second of the second one (or per the interval \
                  that is the third) since the row before; 0 where it does not grow.",
    examples: &[(
        "SELECT nonNegativeDerivative(number * 6, toDateTime(number * 2)) \
         OVER (ORDER BY number) AS x FROM numbers(2) ORDER BY x",
        "0\n3",
    )],
    bind,
    ..WindowDef::DEFAULT
}];
