//! Sums: `sum`, `sumWithOverflow`, `sumKahan`, `sumCount`.

use std::marker::PhantomData;

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::{Bitmap, Buffer, Column, Native, match_physical};
use entasis_simd::sum::{Summable, sum, sum_masked};
use entasis_types::{DataType, i256, u256};

use entasis_function::aggregate::args::{Bytes, expect_plain, illegal_type, native};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::sliding;
use entasis_function_kernel::aggregates::sums::{Number, SumOf};

/// Whether sums take this type: numbers, Bool and intervals.
pub fn summable(ty: &DataType) -> bool {
    ty.is_any_number() || matches!(ty, DataType::Interval(_))
}

/// The sum of a column. A Const is not expanded.
fn sum_column<T: Number>(args: &[Column], rows: usize) -> Result<T::Sum> {
    if let Some(Some(values)) = args.first().map(|a| a.as_const().and_then(T::values)) {
        // Integers are multiplied and wrap around; floats are added as often as they occur.
        if T::EXACT {
            return Ok(values[0].widen().times(rows as u64));
        }
    }
    Ok(sum(&native::<T>(args, 0)?))
}

/// The sum of the rows whose bit is set. Floats are added in the order of a filtered column.
pub fn sum_where<T: Number>(args: &[Column], kept: &Bitmap) -> Result<T::Sum> {
    if T::EXACT {
        return Ok(sum_masked(&native::<T>(args, 0)?, kept.words()));
    }
    let kept: Vec<Column> = args.iter().map(|arg| arg.filter(kept)).collect();
    Ok(sum(&native::<T>(&kept, 0)?))
}

#[derive(Clone, Debug)]
struct Sum<T>(PhantomData<T>, DataType);

impl<T: Number> Fold for Sum<T> {
    type State = T::Sum;

    fn init(&self) -> T::Sum {
        T::Sum::default()
    }

    fn return_type(&self) -> DataType {
        self.1.clone()
    }

    fn update(&self, states: &mut [T::Sum], args: &[Column], groups: &[u32]) -> Result<()> {
        let values: Buffer<T> = native(args, 0)?;
        for (&v, &g) in values.iter().zip(groups) {
            let state = &mut states[g as usize];
            *state = T::add(*state, v.widen());
        }
        Ok(())
    }

    fn update_one(&self, state: &mut T::Sum, args: &[Column], rows: usize) -> Result<()> {
        *state = T::add(*state, sum_column::<T>(args, rows)?);
        Ok(())
    }

    fn update_one_where(&self, state: &mut T::Sum, args: &[Column], kept: &Bitmap) -> Result<()> {
        *state = T::add(*state, sum_where::<T>(args, kept)?);
        Ok(())
    }

    fn merge(&self, into: &mut T::Sum, from: &mut T::Sum) -> Result<()> {
        *into = T::add(*into, *from);
        Ok(())
    }

    fn write(&self, state: &T::Sum, out: &mut Vec<u8>) {
        state.put(out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<T::Sum> {
        T::Sum::get(input)
    }

    fn finish(&self, states: &mut [T::Sum]) -> Result<Column> {
        Ok(Native::column(states.to_vec().into()))
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let sums = sliding::sums::<T>(&native::<T>(args, 0)?, frames)?;
        Ok(Some(Native::column(sums.into())))
    }
}

fn bind_sum(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("sum", args, 1)?;
    let ty = &args.types[0];
    if let DataType::Decimal(_, scale) = ty {
        return Ok(super::decimal::sum(*scale));
    }
    if !summable(ty) {
        return Err(illegal_type("sum", ty));
    }
    match_physical!(ty.physical(), T => {
        let result = if let DataType::Interval(_) = ty { ty.clone() }
            else { <T as Summable>::Sum::TYPE };
        FoldAggregate::boxed(Sum::<T>(PhantomData, result))
    }, _ => Err(illegal_type("sum", ty)))
}

/// Sums in the argument's own width.
trait Wrapping: Native + Bytes {
    fn plus(self, other: Self) -> Self;
}

macro_rules! wrapping {
    ($($t:ty),*) => {$(impl Wrapping for $t {
        #[inline(always)]
        fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
    })*};
}

wrapping!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256);

impl Wrapping for f32 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

impl Wrapping for f64 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

#[derive(Clone, Debug)]
struct SumWithOverflow<T>(PhantomData<T>, DataType);

impl<T: Wrapping> Fold for SumWithOverflow<T> {
    type State = T;

    fn init(&self) -> T {
        T::default()
    }

    fn return_type(&self) -> DataType {
        self.1.clone()
    }

    fn update(&self, states: &mut [T], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&v, &g) in native::<T>(args, 0)?.iter().zip(groups) {
            let state = &mut states[g as usize];
            *state = state.plus(v);
        }
        Ok(())
    }

    fn update_one(&self, state: &mut T, args: &[Column], _: usize) -> Result<()> {
        *state = native::<T>(args, 0)?.iter().fold(*state, |sum, value| sum.plus(*value));
        Ok(())
    }

    fn merge(&self, into: &mut T, from: &mut T) -> Result<()> {
        *into = into.plus(*from);
        Ok(())
    }

    fn write(&self, state: &T, out: &mut Vec<u8>) {
        state.put(out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<T> {
        T::get(input)
    }

    fn finish(&self, states: &mut [T]) -> Result<Column> {
        Ok(T::column(states.to_vec().into()))
    }
}

fn bind_with_overflow(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    expect_plain("sumWithOverflow", args, 1)?;
    let ty = &args.types[0];
    if !(summable(ty) || ty.is_decimal()) {
        return Err(illegal_type("sumWithOverflow", ty));
    }
    let result = if *ty == DataType::Bool { DataType::UInt8 } else { ty.clone() };
    match_physical!(ty.physical(),
        T => FoldAggregate::boxed(SumWithOverflow::<T>(PhantomData, result)),
        _ => Err(illegal_type("sumWithOverflow", ty)))
}

/// Compensated summation (Kahan 1965). The second number is the accumulated error.
#[derive(Clone, Debug)]
struct SumKahan<T>(PhantomData<T>);

/// The number of partial sums without keys.
const KAHAN_LANES: usize = 4;

fn kahan(state: &mut (f64, f64), value: f64) {
    let compensated = value - state.1;
    let new = state.0 + compensated;
    state.1 = (new - state.0) - compensated;
    state.0 = new;
}

impl<T: Number> Fold for SumKahan<T> {
    type State = (f64, f64);

    fn init(&self) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [(f64, f64)], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&v, &g) in native::<T>(args, 0)?.iter().zip(groups) {
            kahan(&mut states[g as usize], v.widen().float());
        }
        Ok(())
    }

    fn update_one(&self, state: &mut (f64, f64), args: &[Column], _: usize) -> Result<()> {
        let values = native::<T>(args, 0)?;
        // As many partial sums as in the reference, so that results are rounded alike.
        let (blocks, rest) = values.as_chunks::<KAHAN_LANES>();
        let (mut sums, mut errors) = ([0.0; KAHAN_LANES], [0.0; KAHAN_LANES]);
        for block in blocks {
            for ((value, sum), error) in block.iter().zip(&mut sums).zip(&mut errors) {
                let compensated = value.widen().float() - *error;
                let new = *sum + compensated;
                *error = (new - *sum) - compensated;
                *sum = new;
            }
        }
        for (sum, error) in sums.into_iter().zip(errors) {
            self.merge(state, &mut (sum, error))?;
        }
        rest.iter().for_each(|value| kahan(state, value.widen().float()));
        Ok(())
    }

    fn merge(&self, into: &mut (f64, f64), from: &mut (f64, f64)) -> Result<()> {
        let raw = into.0 + from.0;
        let rhs = raw - into.0;
        let lhs = raw - rhs;
        let compensation = ((from.0 - rhs) + (into.0 - lhs)) + into.1 + from.1;
        into.0 = raw + compensation;
        into.1 = compensation - (into.0 - raw);
        Ok(())
    }

    fn write(&self, state: &(f64, f64), out: &mut Vec<u8>) {
        state.0.put(out);
        state.1.put(out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<(f64, f64)> {
        Ok((f64::get(input)?, f64::get(input)?))
    }

    fn finish(&self, states: &mut [(f64, f64)]) -> Result<Column> {
        Ok(states.iter().map(|s| s.0).collect::<Vec<_>>().into())
    }
}

fn bind_kahan(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("sumKahan", args, 1)?;
    let ty = &args.types[0];
    if !ty.is_any_number() {
        return Err(illegal_type("sumKahan", ty));
    }
    match_physical!(ty.physical(), T => FoldAggregate::boxed(SumKahan::<T>(PhantomData)),
        _ => Err(illegal_type("sumKahan", ty)))
}

#[derive(Clone, Debug)]
struct SumCount<T>(PhantomData<T>);

impl<T: Number> Fold for SumCount<T> {
    type State = (T::Sum, u64);

    fn init(&self) -> Self::State {
        Self::State::default()
    }

    fn return_type(&self) -> DataType {
        DataType::tuple(vec![T::Sum::TYPE, DataType::UInt64])
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&v, &g) in native::<T>(args, 0)?.iter().zip(groups) {
            let state = &mut states[g as usize];
            *state = (T::add(state.0, v.widen()), state.1 + 1);
        }
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
        let sums: Vec<T::Sum> = states.iter().map(|s| s.0).collect();
        let counts: Vec<u64> = states.iter().map(|s| s.1).collect();
        Ok(Column::tuple(vec![Native::column(sums.into()), counts.into()], states.len()))
    }
}

fn bind_sum_count(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("sumCount", args, 1)?;
    let ty = &args.types[0];
    if let DataType::Decimal(_, scale) = ty {
        return Ok(super::decimal::sum_count(*scale));
    }
    if !ty.is_any_number() {
        return Err(illegal_type("sumCount", ty));
    }
    match_physical!(ty.physical(), T => FoldAggregate::boxed(SumCount::<T>(PhantomData)),
        _ => Err(illegal_type("sumCount", ty)))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "sum",
        case_insensitive: true,
        description: "Sum of numbers, in 64 bits or in the type of wider numbers; integers that \
                      overflow wrap around.",
        examples: &[("SELECT sum(number) FROM numbers(10)", "45")],
        bind: bind_sum,
        small_state: true,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "sumWithOverflow",
        description: "Sum in the type of the argument; integers that overflow wrap around.",
        examples: &[("SELECT sumWithOverflow(toUInt8(200)) FROM numbers(2)", "144")],
        bind: bind_with_overflow,
        small_state: true,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "sumKahan",
        description: "Sum of numbers as floats, with Kahan's compensation for rounding errors.",
        examples: &[("SELECT sumKahan(0.1) FROM numbers(10)", "1")],
        bind: bind_kahan,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "sumCount",
        description: "A tuple of the sum and the number of the values.",
        examples: &[("SELECT sumCount(number) FROM numbers(4)", "(6,4)")],
        bind: bind_sum_count,
        small_state: true,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
];
