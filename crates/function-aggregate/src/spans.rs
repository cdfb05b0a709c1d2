//! Aggregates of spans from a start to an end: `maxIntersections`, `maxIntersectionsPosition`,
//! `intervalLengthSum`. A state holds the ends of all spans.

use std::marker::PhantomData;

use entasis_base::Result;
use entasis_base::varint::write_varint;
use entasis_column::{Column, Native, match_physical};
use entasis_types::{CastTo, DataType};

use entasis_function::aggregate::args::{Bytes, expect_plain, illegal_type, native};
use entasis_function::aggregate::binary::read_len;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// How many spans overlap where most do.
    Most,
    /// Where most spans overlap.
    Place,
    /// The length of all spans together.
    Length,
}

#[derive(Clone, Debug)]
struct Spans<T> {
    measure: Measure,
    ty: DataType,
    of: PhantomData<T>,
}

/// Sorts numbers in ascending order; NaN stays where it is.
fn ascending<T: PartialOrd>(a: &T, b: &T) -> std::cmp::Ordering {
    a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)
}

/// The greatest number of spans that overlap, and where they begin to. A span ends before another
/// begins at its end.
fn most<T: Native>(spans: &[(T, T)]) -> (u64, T) {
    let ends = spans.iter().flat_map(|&(start, end)| [(start, 1i64), (end, -1)]);
    let mut ends: Vec<(T, i64)> = ends.collect();
    ends.sort_by(|a, b| ascending(&a.0, &b.0).then(a.1.cmp(&b.1)));
    let (mut open, mut best) = (0i64, (0i64, T::default()));
    for (place, step) in ends {
        open += step;
        if open > best.0 {
            best = (open, place);
        }
    }
    (best.0 as u64, best.1)
}

/// Spans without overlaps, in ascending order.
fn joined<T: Native>(spans: &[(T, T)]) -> Vec<(T, T)> {
    let forward = |&(a, b): &(T, T)| if b < a { (b, a) } else { (a, b) };
    let mut spans: Vec<(T, T)> = spans.iter().map(forward).collect();
    spans.sort_by(|a, b| ascending(&a.0, &b.0));
    let mut out: Vec<(T, T)> = Vec::new();
    for (start, end) in spans {
        match out.last_mut() {
            Some(last) if start <= last.1 => {
                if last.1 < end {
                    last.1 = end;
                }
            }
            _ => out.push((start, end)),
        }
    }
    out
}

impl<T: Native + Bytes + CastTo<f64> + CastTo<i128>> Fold for Spans<T> {
    type State = Vec<(T, T)>;

    fn init(&self) -> Self::State {
        Vec::new()
    }

    fn return_type(&self) -> DataType {
        match self.measure {
            Measure::Most => DataType::UInt64,
            Measure::Place => self.ty.clone(),
            Measure::Length if self.ty.is_float() => DataType::Float64,
            Measure::Length => DataType::UInt64,
        }
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        let (starts, ends) = (native::<T>(args, 0)?, native::<T>(args, 1)?);
        for ((&start, &end), &group) in starts.iter().zip(ends.iter()).zip(groups) {
            states[group as usize].push((start, end));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        into.append(from);
        Ok(())
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        write_varint(out, state.len() as u64);
        for &(start, end) in state {
            start.put(out);
            end.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Self::State> {
        (0..read_len(input)?).map(|_| Ok((T::get(input)?, T::get(input)?))).collect()
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        let states = states.iter();
        Ok(match self.measure {
            Measure::Most => states.map(|spans| most(spans).0).collect::<Vec<u64>>().into(),
            Measure::Place => T::column(states.map(|spans| most(spans).1).collect()),
            Measure::Length if self.ty.is_float() => {
                let float = |v: T| -> f64 { v.cast_to() };
                let length = |&(start, end): &(T, T)| float(end) - float(start);
                let sum = |spans: &Vec<(T, T)>| joined(spans).iter().map(length).sum::<f64>();
                states.map(sum).collect::<Vec<f64>>().into()
            }
            Measure::Length => {
                let whole = |v: T| -> i128 { v.cast_to() };
                let length = |&(start, end): &(T, T)| (whole(end) - whole(start)) as u64;
                let sum = |spans: &Vec<(T, T)>| {
                    joined(spans).iter().map(length).fold(0, u64::wrapping_add)
                };
                states.map(sum).collect::<Vec<u64>>().into()
            }
        })
    }

    fn heap(&self, state: &Self::State) -> usize {
        state.capacity() * size_of::<(T, T)>()
    }
}

fn bind(name: &str, measure: Measure, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    expect_plain(name, args, 2)?;
    let ty = &args.types[0];
    let is_time = measure == Measure::Length
        && matches!(ty, DataType::Date | DataType::DateTime(_) | DataType::Date32);
    if !ty.is_native_integer() && !ty.is_float() && !is_time || args.types[1] != *ty {
        return Err(illegal_type(name, ty));
    }
    let of = ty.clone();
    match_physical!(ty.physical(),
        T => FoldAggregate::boxed(Spans::<T> { measure, ty: of, of: PhantomData }),
        _ => Err(illegal_type(name, ty)))
}

fn bind_most(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("maxIntersections", Measure::Most, args)
}

fn bind_place(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("maxIntersectionsPosition", Measure::Place, args)
}

fn bind_length(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("intervalLengthSum", Measure::Length, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "maxIntersections",
        description: "How many spans (start, end) overlap where most do.",
        examples: &[("SELECT maxIntersections(number, number + 2) FROM numbers(5)", "2")],
        bind: bind_most,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "maxIntersectionsPosition",
        description: "The first place at which most spans (start, end) overlap.",
        examples: &[("SELECT maxIntersectionsPosition(number, number + 2) FROM numbers(5)", "1")],
        bind: bind_place,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "intervalLengthSum",
        description: "The length of all spans (start, end) together; overlaps count once.",
        examples: &[("SELECT intervalLengthSum(number, number + 2) FROM numbers(5)", "6")],
        bind: bind_length,
        ..AggregateDef::DEFAULT
    },
];
