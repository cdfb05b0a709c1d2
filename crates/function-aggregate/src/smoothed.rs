//! `exponentialMovingAverage`: a mean in which older values count less.

use entasis_base::Result;
use entasis_column::Column;
use entasis_types::{DataType, Value};

use entasis_function::aggregate::args::{Bytes, expect_count, illegal_type, mismatch, wrong_count};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

/// Bound to the time in which a value's weight falls to a half.
#[derive(Clone, Debug)]
struct Smoothed {
    half: f64,
}

/// A weighted sum as of a time.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    time: f64,
}

impl Smoothed {
    /// What is left of a value after some time.
    fn scale(&self, passed: f64) -> f64 {
        (-passed / self.half).exp2()
    }

    fn add(&self, a: Sum, b: Sum) -> Sum {
        let (old, new) = if a.time > b.time { (b, a) } else { (a, b) };
        let rest = if old.time == new.time {
            old.value
        } else {
            old.value * self.scale(new.time - old.time)
        };
        Sum { value: new.value + rest, time: new.time }
    }
}

impl Fold for Smoothed {
    type State = Sum;

    fn init(&self) -> Sum {
        Sum::default()
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [Sum], args: &[Column], groups: &[u32]) -> Result<()> {
        let of = |i: usize| args.get(i).and_then(|a| a.full().to_f64()).ok_or_else(mismatch);
        let (values, times) = (of(0)?, of(1)?);
        for ((&value, &time), &group) in values.iter().zip(&times).zip(groups) {
            let state = &mut states[group as usize];
            *state = self.add(*state, Sum { value, time });
        }
        Ok(())
    }

    fn merge(&self, into: &mut Sum, from: &mut Sum) -> Result<()> {
        *into = self.add(*into, *from);
        Ok(())
    }

    fn write(&self, state: &Sum, out: &mut Vec<u8>) {
        state.value.put(out);
        state.time.put(out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<Sum> {
        Ok(Sum { value: f64::get(input)?, time: f64::get(input)? })
    }

    fn finish(&self, states: &mut [Sum]) -> Result<Column> {
        // The sum of the weights of one value per unit of time since ever.
        let weights = 1.0 / (1.0 - self.scale(1.0));
        Ok(states.iter().map(|sum| sum.value / weights).collect::<Vec<f64>>().into())
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let name = "exponentialMovingAverage";
    let half = match args.params {
        [half] => Value::as_f64(half),
        _ => None,
    };
    let Some(half) = half else {
        let message =
            format!("Aggregate function {name} requires exactly one parameter: half decay time.");
        return Err(wrong_count(message));
    };
    expect_count(name, args, 2)?;
    match args.types.iter().find(|ty| !ty.is_any_number()) {
        Some(ty) => Err(illegal_type(name, ty)),
        None => FoldAggregate::boxed(Smoothed { half }),
    }
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "exponentialMovingAverage",
    description: "The mean of values at times, in which a value counts half after each period of \
                  the length that is the parameter.",
    examples: &[("SELECT exponentialMovingAverage(1)(2, number) FROM numbers(2)", "1.5")],
    bind,
    ..AggregateDef::DEFAULT
}];
