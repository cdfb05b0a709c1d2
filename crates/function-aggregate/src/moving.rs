//! `groupArrayMovingSum`, `groupArrayMovingAvg`: for each row, the sum or mean of the last values.

use std::marker::PhantomData;

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native, match_physical};
use entasis_types::{DataType, Value};

use entasis_function::aggregate::args::{Bytes, expect_count, illegal_type, native, wrong_count};
use entasis_function::aggregate::binary::read_len;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::sums::{Number, SumOf};

/// The sum of all values up to each row, as the reference keeps it.
#[derive(Clone, Debug)]
struct Moving<T> {
    /// Number of values in the window; `None` means all values so far.
    window: Option<usize>,
    mean: bool,
    result: DataType,
    of: PhantomData<T>,
}

impl<T: Number> Fold for Moving<T> {
    type State = Vec<T::Sum>;

    fn init(&self) -> Self::State {
        Vec::new()
    }

    fn return_type(&self) -> DataType {
        DataType::array(self.result.clone())
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&value, &group) in native::<T>(args, 0)?.iter().zip(groups) {
            let sums = &mut states[group as usize];
            let last = sums.last().copied().unwrap_or_default();
            sums.push(T::add(last, value.widen()));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        let last = into.last().copied().unwrap_or_default();
        into.extend(from.iter().map(|&sum| T::add(last, sum)));
        Ok(())
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        write_varint(out, state.len() as u64);
        state.iter().for_each(|sum| sum.put(out));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Self::State> {
        (0..read_len(input)?).map(|_| T::Sum::get(input)).collect()
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        let (mut sums, mut means, mut offsets) = (Vec::new(), Vec::new(), vec![0u32]);
        for state in states {
            let window = self.window.unwrap_or(state.len());
            for (i, &sum) in state.iter().enumerate() {
                let before = i.checked_sub(window).map_or_else(T::Sum::default, |k| state[k]);
                let within = sum.less(before);
                if self.mean {
                    means.push(within.float() / window as f64);
                } else {
                    sums.push(within);
                }
            }
            offsets.push((sums.len() + means.len()) as u32);
        }
        let values = if self.mean { means.into() } else { T::Sum::column(sums.into()) };
        Ok(Column::array(offsets.into(), values))
    }

    fn heap(&self, state: &Self::State) -> usize {
        state.capacity() * size_of::<T::Sum>()
    }
}

fn bind(name: &str, mean: bool, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    expect_count(name, args, 1)?;
    if args.params.len() > 1 {
        let message = format!(
            "Incorrect number of parameters for aggregate function {name}, should be 0 or 1"
        );
        return Err(wrong_count(message));
    }
    let positive = |v: &Value| v.as_u64().filter(|&n| n > 0).map(|n| n as usize);
    let window = match args.params.first() {
        None => None,
        Some(param) => Some(positive(param).ok_or_else(|| {
            let message =
                format!("Parameter for aggregate function {name} should be positive integer");
            Error::new(codes::BAD_ARGUMENTS, message)
        })?),
    };
    let ty = &args.types[0];
    if !ty.is_any_number() {
        return Err(illegal_type(name, ty));
    }
    let result = match ty {
        _ if mean || ty.is_float() => DataType::Float64,
        _ if ty.is_wide_integer() => ty.clone(),
        _ if ty.is_signed() => DataType::Int64,
        _ => DataType::UInt64,
    };
    match_physical!(ty.physical(), T => {
        FoldAggregate::boxed(Moving::<T> { window, mean, result, of: PhantomData })
    }, _ => Err(illegal_type(name, ty)))
}

fn bind_sum(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("groupArrayMovingSum", false, args)
}

fn bind_mean(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("groupArrayMovingAvg", true, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "groupArrayMovingSum",
        description: "Array of moving sums: for each row, the sum of the last n values, or of all \
                      so far without a parameter n.",
        examples: &[("SELECT groupArrayMovingSum(2)(number) FROM numbers(4)", "[0,1,3,5]")],
        bind: bind_sum,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "groupArrayMovingAvg",
        description: "Like groupArrayMovingSum, but divided by n: the moving average.",
        examples: &[("SELECT groupArrayMovingAvg(2)(number) FROM numbers(4)", "[0,0.5,1.5,2.5]")],
        bind: bind_mean,
        ..AggregateDef::DEFAULT
    },
];
