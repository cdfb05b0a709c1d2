//! Means: `avg`, `avgWeighted`.

use std::cmp::Ordering;
use std::marker::PhantomData;

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::{Bitmap, Column, Native, match_physical};
use entasis_simd::sum::sum;
use entasis_types::DataType;

use super::sum::sum_where;
use entasis_function::aggregate::args::{Bytes, expect_plain, illegal_type, mismatch, native};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::sliding;
use entasis_function_kernel::aggregates::sums::{Number, SumOf};

#[derive(Clone, Debug)]
struct Avg<T> {
    of: PhantomData<T>,
}

impl<T: Number> Fold for Avg<T> {
    type State = (T::Sum, u64);

    fn init(&self) -> Self::State {
        Self::State::default()
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&v, &g) in native::<T>(args, 0)?.iter().zip(groups) {
            let state = &mut states[g as usize];
            *state = (T::add(state.0, v.widen()), state.1 + 1);
        }
        Ok(())
    }

    fn update_one(&self, state: &mut Self::State, args: &[Column], rows: usize) -> Result<()> {
        *state = (T::add(state.0, sum(&native::<T>(args, 0)?)), state.1 + rows as u64);
        Ok(())
    }

    fn update_one_where(
        &self,
        state: &mut Self::State,
        args: &[Column],
        kept: &Bitmap,
    ) -> Result<()> {
        let sum = sum_where::<T>(args, kept)?;
        *state = (T::add(state.0, sum), state.1 + kept.count_ones() as u64);
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        *into = (T::add(into.0, from.0), into.1.wrapping_add(from.1));
        Ok(())
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        state.0.put(out);
        write_varint(out, state.1);
    }

    fn read(&self, input: &mut &[u8]) -> Result<Self::State> {
        Ok((T::Sum::get(input)?, read_varint(input)?))
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        Ok(states.iter().map(|(sum, n)| sum.float() / *n as f64).collect::<Vec<_>>().into())
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let sums = sliding::sums::<T>(&native::<T>(args, 0)?, frames)?;
        let counts = frames.iter().map(|(start, end)| (end - start) as u64);
        self.finish(&mut sums.into_iter().zip(counts).collect::<Vec<_>>()).map(Some)
    }
}

fn bind_avg(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("avg", args, 1)?;
    let ty = &args.types[0];
    let time = ty.clone();
    match ty {
        DataType::Decimal(_, scale) => return Ok(super::decimal::avg(*scale)),
        DataType::Date => return Ok(MeanTime::<u16>::boxed(time)),
        DataType::DateTime(_) => return Ok(MeanTime::<u32>::boxed(time)),
        DataType::Date32 => return Ok(MeanTime::<i32>::boxed(time)),
        DataType::DateTime64(..) => return Ok(MeanTime::<i64>::boxed(time)),
        _ if ty.is_any_number() => {}
        _ => return Err(illegal_type("avg", ty)),
    }
    match_physical!(ty.physical(), T => FoldAggregate::boxed(Avg::<T> { of: PhantomData }),
        _ => Err(illegal_type("avg", ty)))
}

/// Mean of dates and times, rounded to the nearest value; halves go to the even neighbour.
#[derive(Clone, Debug)]
struct MeanTime<T> {
    ty: DataType,
    of: PhantomData<T>,
}

impl<T: Native + Into<i128> + TryFrom<i128>> MeanTime<T> {
    fn boxed(ty: DataType) -> Box<dyn Aggregate> {
        Box::new(FoldAggregate(Self { ty, of: PhantomData }))
    }
}

fn rounded_mean(sum: i128, count: u64) -> i128 {
    let count = i128::from(count.max(1));
    let (floor, rest) = (sum.div_euclid(count), sum.rem_euclid(count));
    match (2 * rest).cmp(&count) {
        Ordering::Less => floor,
        Ordering::Equal => floor + (floor & 1),
        Ordering::Greater => floor + 1,
    }
}

impl<T: Native + Into<i128> + TryFrom<i128>> Fold for MeanTime<T> {
    type State = (i128, u64);

    fn init(&self) -> Self::State {
        (0, 0)
    }

    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&v, &g) in native::<T>(args, 0)?.iter().zip(groups) {
            let state = &mut states[g as usize];
            *state = (state.0.wrapping_add(v.into()), state.1 + 1);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        *into = (into.0.wrapping_add(from.0), into.1.wrapping_add(from.1));
        Ok(())
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        match self.ty {
            DataType::DateTime64(..) => state.0.put(out),
            _ => (state.0 as i64).put(out),
        }
        write_varint(out, state.1);
    }

    fn read(&self, input: &mut &[u8]) -> Result<Self::State> {
        let sum = match self.ty {
            DataType::DateTime64(..) => i128::get(input)?,
            _ => i64::get(input)?.into(),
        };
        Ok((sum, read_varint(input)?))
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        let means = states.iter().map(|(sum, n)| rounded_mean(*sum, *n));
        let exact = means.map(|mean| T::try_from(mean).unwrap_or_default());
        Ok(T::column(exact.collect()))
    }
}

/// The sum of products and the sum of weights. As in the reference, products are floats unless both
/// arguments are integers of at most 64 bits.
#[derive(Clone, Debug)]
struct AvgWeighted {
    integers: bool,
}

/// Below it, every whole number is a float.
pub const EXACT: f64 = (1u64 << 53) as f64;

const LANES: usize = 8;

/// The sums of products and of weights, and those of their absolute values.
fn in_lanes(values: &[f64], weights: &[f64]) -> [f64; 4] {
    let mut lanes = [[0.0f64; LANES]; 4];
    let (blocks, last) = values.as_chunks::<LANES>();
    let (of_blocks, of_last) = weights.as_chunks::<LANES>();
    let mut add = |values: &[f64; LANES], weights: &[f64; LANES]| {
        for i in 0..LANES {
            let product = values[i] * weights[i];
            lanes[0][i] += product;
            lanes[1][i] += weights[i];
            lanes[2][i] += product.abs();
            lanes[3][i] += weights[i].abs();
        }
    };
    blocks.iter().zip(of_blocks).for_each(|(values, weights)| add(values, weights));
    let mut rest = [[0.0; LANES]; 2];
    rest[0][..last.len()].copy_from_slice(last);
    rest[1][..of_last.len()].copy_from_slice(of_last);
    add(&rest[0], &rest[1]);
    lanes.map(|lane| lane.into_iter().sum())
}

impl Fold for AvgWeighted {
    type State = (f64, f64);

    fn init(&self) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [(f64, f64)], args: &[Column], groups: &[u32]) -> Result<()> {
        let values = args[0].full().to_f64().ok_or_else(mismatch)?;
        let weights = args[1].full().to_f64().ok_or_else(mismatch)?;
        for ((v, w), &g) in values.iter().zip(&weights).zip(groups) {
            let state = &mut states[g as usize];
            *state = (state.0 + v * w, state.1 + w);
        }
        Ok(())
    }

    fn update_one(&self, state: &mut (f64, f64), args: &[Column], _: usize) -> Result<()> {
        let values = args[0].full().to_f64().ok_or_else(mismatch)?;
        let weights = args[1].full().to_f64().ok_or_else(mismatch)?;
        if self.integers {
            let sums = in_lanes(&values, &weights);
            // Whole numbers in this range are exact, in whatever order they are added.
            if (state.0.abs() + sums[2]).max(state.1.abs() + sums[3]) < EXACT {
                *state = (state.0 + sums[0], state.1 + sums[1]);
                return Ok(());
            }
        }
        let mut s = *state;
        for (v, w) in values.iter().zip(&weights) {
            s = (s.0 + v * w, s.1 + w);
        }
        *state = s;
        Ok(())
    }

    fn merge(&self, into: &mut (f64, f64), from: &mut (f64, f64)) -> Result<()> {
        *into = (into.0 + from.0, into.1 + from.1);
        Ok(())
    }

    fn write(&self, state: &(f64, f64), out: &mut Vec<u8>) {
        if self.integers {
            (state.0 as i128 as u64).put(out);
            write_varint(out, state.1 as i128 as u64);
            return;
        }
        state.0.put(out);
        state.1.put(out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<(f64, f64)> {
        if self.integers {
            return Ok((u64::get(input)? as i64 as f64, read_varint(input)? as i64 as f64));
        }
        Ok((f64::get(input)?, f64::get(input)?))
    }

    fn finish(&self, states: &mut [(f64, f64)]) -> Result<Column> {
        Ok(states.iter().map(|s| s.0 / s.1).collect::<Vec<_>>().into())
    }
}

fn bind_weighted(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("avgWeighted", args, 2)?;
    for ty in args.types {
        if !ty.is_any_number() {
            return Err(illegal_type("avgWeighted", ty));
        }
    }
    let integers = args.types.iter().all(|t| !t.is_float());
    FoldAggregate::boxed(AvgWeighted { integers })
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "avg",
        case_insensitive: true,
        description: "Arithmetic mean.",
        examples: &[("SELECT avg(number) FROM numbers(4)", "1.5")],
        bind: bind_avg,
        small_state: true,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "avgWeighted",
        description: "Mean of the first argument, weighted by the second.",
        examples: &[("SELECT avgWeighted(number, number) FROM numbers(4)", "2.3333333333333335")],
        bind: bind_weighted,
        ..AggregateDef::DEFAULT
    },
];
