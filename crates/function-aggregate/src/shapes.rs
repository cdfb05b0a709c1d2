//! Aggregates that keep a few numbers about pairs of values: `simpleLinearRegression`,
//! `boundingRatio`, `deltaSum`.

use std::marker::PhantomData;
use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Column, match_physical};
use entasis_types::{DataType, TupleType, i256, u256};

use entasis_function::aggregate::args::{Bytes, expect_plain, illegal_type, mismatch, native};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

fn floats(args: &[Column], i: usize) -> Result<Vec<f64>> {
    args.get(i).and_then(|a| a.full().to_f64()).ok_or_else(mismatch)
}

/// Adds pairs of numbers to the states of their groups.
fn for_pairs<S>(
    states: &mut [S],
    args: &[Column],
    groups: &[u32],
    add: impl Fn(&mut S, f64, f64),
) -> Result<()> {
    for ((&x, &y), &group) in floats(args, 0)?.iter().zip(&floats(args, 1)?).zip(groups) {
        add(&mut states[group as usize], x, y);
    }
    Ok(())
}

/// Number of points and sums of x, y, x², xy.
#[derive(Clone, Debug)]
struct Regression;

#[derive(Default)]
struct Line {
    count: u64,
    sums: [f64; 4],
}

impl Line {
    /// Slope and intercept.
    fn fit(&self) -> (f64, f64) {
        let (n, [x, y, xx, xy]) = (self.count as f64, self.sums);
        let divisor = xx * n - x * x;
        if divisor == 0.0 {
            return (f64::NAN, f64::NAN);
        }
        let slope = (xy * n - x * y) / divisor;
        (slope, (y - slope * x) / n)
    }
}

impl Fold for Regression {
    type State = Line;

    fn init(&self) -> Line {
        Line::default()
    }

    fn return_type(&self) -> DataType {
        let names = Some(vec!["k".into(), "b".into()]);
        let types = vec![DataType::Float64, DataType::Float64];
        DataType::Tuple(Arc::new(TupleType { types, names }))
    }

    fn update(&self, states: &mut [Line], args: &[Column], groups: &[u32]) -> Result<()> {
        for_pairs(states, args, groups, |line, x, y| {
            line.count += 1;
            for (sum, v) in line.sums.iter_mut().zip([x, y, x * x, x * y]) {
                *sum += v;
            }
        })
    }

    fn merge(&self, into: &mut Line, from: &mut Line) -> Result<()> {
        into.count += from.count;
        into.sums.iter_mut().zip(from.sums).for_each(|(a, b)| *a += b);
        Ok(())
    }

    fn write(&self, state: &Line, out: &mut Vec<u8>) {
        state.count.put(out);
        state.sums.iter().for_each(|v| v.put(out));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Line> {
        let count = u64::get(input)?;
        let mut sums = [0.0; 4];
        for sum in &mut sums {
            *sum = f64::get(input)?;
        }
        Ok(Line { count, sums })
    }

    fn finish(&self, states: &mut [Line]) -> Result<Column> {
        let (k, b): (Vec<f64>, Vec<f64>) = states.iter().map(Line::fit).unzip();
        Ok(Column::tuple(vec![k.into(), b.into()], states.len()))
    }
}

/// The points with the least and the greatest x.
#[derive(Clone, Debug)]
struct Bounding;

type Ends = Option<[(f64, f64); 2]>;

fn widen(ends: &mut Ends, point: (f64, f64)) {
    match ends {
        None => *ends = Some([point, point]),
        Some([left, _]) if point.0 < left.0 => *left = point,
        Some([_, right]) if point.0 > right.0 => *right = point,
        Some(_) => {}
    }
}

impl Fold for Bounding {
    type State = Ends;

    fn init(&self) -> Ends {
        None
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [Ends], args: &[Column], groups: &[u32]) -> Result<()> {
        for_pairs(states, args, groups, |ends, x, y| widen(ends, (x, y)))
    }

    fn merge(&self, into: &mut Ends, from: &mut Ends) -> Result<()> {
        from.iter().flatten().for_each(|&point| widen(into, point));
        Ok(())
    }

    fn write(&self, state: &Ends, out: &mut Vec<u8>) {
        out.push(u8::from(state.is_none()));
        for (x, y) in state.iter().flatten() {
            x.put(out);
            y.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Ends> {
        if u8::get(input)? != 0 {
            return Ok(None);
        }
        let left = (f64::get(input)?, f64::get(input)?);
        Ok(Some([left, (f64::get(input)?, f64::get(input)?)]))
    }

    fn finish(&self, states: &mut [Ends]) -> Result<Column> {
        let ratio = |ends: &Ends| match ends {
            Some([left, right]) => (right.1 - left.1) / (right.0 - left.0),
            None => f64::NAN,
        };
        Ok(states.iter().map(ratio).collect::<Vec<_>>().into())
    }
}

/// Sum of the increases from row to row; first and last value for merging.
#[derive(Clone, Debug)]
struct Delta<T> {
    ty: DataType,
    of: PhantomData<T>,
}

/// Numbers that are added without overflow checks.
trait Wrapping: entasis_column::Native + Bytes {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
}

macro_rules! wrapping {
    ($($ty:ty: $add:ident, $sub:ident);*) => {$(
        impl Wrapping for $ty {
            fn add(self, other: Self) -> Self {
                <$ty>::$add(self, other)
            }
            fn sub(self, other: Self) -> Self {
                <$ty>::$sub(self, other)
            }
        }
    )*};
}

wrapping!(u8: wrapping_add, wrapping_sub; u16: wrapping_add, wrapping_sub;
    u32: wrapping_add, wrapping_sub; u64: wrapping_add, wrapping_sub;
    i8: wrapping_add, wrapping_sub; i16: wrapping_add, wrapping_sub;
    i32: wrapping_add, wrapping_sub; i64: wrapping_add, wrapping_sub;
    i128: wrapping_add, wrapping_sub; u128: wrapping_add, wrapping_sub;
    i256: wrapping_add, wrapping_sub; u256: wrapping_add, wrapping_sub);

impl Wrapping for f32 {
    fn add(self, other: Self) -> Self {
        self + other
    }
    fn sub(self, other: Self) -> Self {
        self - other
    }
}

impl Wrapping for f64 {
    fn add(self, other: Self) -> Self {
        self + other
    }
    fn sub(self, other: Self) -> Self {
        self - other
    }
}

#[derive(Default)]
struct Rises<T> {
    sum: T,
    first: T,
    last: T,
    seen: bool,
}

impl<T: Wrapping> Fold for Delta<T> {
    type State = Rises<T>;

    fn init(&self) -> Rises<T> {
        Rises::default()
    }

    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn update(&self, states: &mut [Rises<T>], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&value, &group) in native::<T>(args, 0)?.iter().zip(groups) {
            let state = &mut states[group as usize];
            if state.seen && state.last < value {
                state.sum = state.sum.add(value.sub(state.last));
            }
            if !state.seen {
                state.first = value;
            }
            (state.last, state.seen) = (value, true);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Rises<T>, from: &mut Rises<T>) -> Result<()> {
        if !from.seen {
            return Ok(());
        }
        if !into.seen {
            std::mem::swap(into, from);
            return Ok(());
        }
        into.sum = into.sum.add(from.sum);
        if into.last < from.first {
            into.sum = into.sum.add(from.first.sub(into.last));
        }
        into.last = from.last;
        Ok(())
    }

    fn write(&self, state: &Rises<T>, out: &mut Vec<u8>) {
        state.sum.put(out);
        state.first.put(out);
        state.last.put(out);
        out.push(u8::from(state.seen));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Rises<T>> {
        let (sum, first, last) = (T::get(input)?, T::get(input)?, T::get(input)?);
        Ok(Rises { sum, first, last, seen: u8::get(input)? != 0 })
    }

    fn finish(&self, states: &mut [Rises<T>]) -> Result<Column> {
        Ok(T::column(states.iter().map(|s| s.sum).collect()))
    }
}

fn bind_delta(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("deltaSum", args, 1)?;
    let ty = &args.types[0];
    if !ty.is_any_number() {
        return Err(illegal_type("deltaSum", ty));
    }
    let result = ty.clone();
    match_physical!(ty.physical(),
        T => FoldAggregate::boxed(Delta::<T> { ty: result, of: PhantomData }),
        _ => Err(illegal_type("deltaSum", ty)))
}

fn expect_pairs(name: &str, args: AggregateArgs<'_>) -> Result<()> {
    expect_plain(name, args, 2)?;
    let wrong = args.types.iter().find(|t| !t.is_any_number() && !t.is_date_or_time());
    wrong.map_or(Ok(()), |ty| Err(illegal_type(name, ty)))
}

fn bind_regression(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_pairs("simpleLinearRegression", args)?;
    FoldAggregate::boxed(Regression)
}

fn bind_bounding(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_pairs("boundingRatio", args)?;
    FoldAggregate::boxed(Bounding)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "simpleLinearRegression",
        description: "Slope and intercept of the line that fits the points (x, y) best.",
        examples: &[(
            "SELECT simpleLinearRegression(number, 2 * number + 1) FROM numbers(5)",
            "(2,1)",
        )],
        bind: bind_regression,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "boundingRatio",
        description: "Slope between the points with the least and the greatest x.",
        examples: &[("SELECT boundingRatio(number, 3 * number) FROM numbers(5)", "3")],
        bind: bind_bounding,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "deltaSum",
        description: "Sum of all positive differences between a value and the one before it.",
        examples: &[("SELECT deltaSum(number) FROM numbers(5)", "4")],
        bind: bind_delta,
        ..AggregateDef::DEFAULT
    },
];
