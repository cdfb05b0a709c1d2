//! Estimated quantiles: `quantile` (a sample of 8,192 values drawn with a fixed seed),
//! `quantileTDigest` (t-digest: Dunning, Ertl 2019) and `quantileTiming` (a histogram of
//! milliseconds). Samples, digests and histograms evolve like those of the reference, so equal
//! input in equal order gives equal results.

use std::fmt::Debug;

use entasis_base::Result;
use entasis_column::{Bitmap, Column};
use entasis_types::DataType;

use super::deterministic::Deterministic;
use super::levels::{Levels, interpolated, quantile_type};
use super::sample::{Reservoir, interpolate};
use super::tdigest::TDigest;
use super::timing::Timing;
use entasis_function::aggregate::args::{expect_count, illegal_type, mismatch};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::sliding;
use entasis_function_kernel::kernel::Number;

/// What estimates quantiles of one group.
pub trait Sketch: Default + Send + 'static {
    /// Adds a value with a weight.
    fn add(&mut self, value: f64, weight: u64);
    /// Adds row `i` of a full column to `states[groups[i]]`.
    fn add_each(states: &mut [Self], column: &Column, groups: &[u32]) -> Result<()> {
        let values = column.to_f64().ok_or_else(mismatch)?;
        for (&value, &group) in values.iter().zip(groups) {
            states[group as usize].add(value, 1);
        }
        Ok(())
    }
    /// Adds all rows of a full column.
    fn add_all(&mut self, column: &Column) -> Result<()> {
        column.to_f64().ok_or_else(mismatch)?.iter().for_each(|value| self.add(*value, 1));
        Ok(())
    }
    /// Merges another.
    fn merge(&mut self, other: &mut Self);
    /// Appends the reference's bytes; values of `ty`.
    fn write(&self, ty: &DataType, out: &mut Vec<u8>);
    /// Reads them.
    fn read(ty: &DataType, input: &mut &[u8]) -> Result<Self>;
    /// The quantile; NaN if there are no values.
    fn quantile(&mut self, level: f64) -> f64;
    /// The quantiles of several levels.
    fn quantiles(&mut self, levels: &[f64], out: &mut Vec<f64>) {
        out.extend(levels.iter().map(|&level| self.quantile(level)));
    }
    /// Bytes outside the struct.
    fn heap(&self) -> usize;
    /// Up to so many values, the result is interpolated between all of them.
    const MOST_EXACT: usize = 0;
}

#[derive(Debug)]
struct Quantile<S> {
    levels: Levels,
    ty: DataType,
    result: DataType,
    weighted: bool,
    of: std::marker::PhantomData<fn() -> S>,
}

impl<S> Clone for Quantile<S> {
    fn clone(&self) -> Self {
        Self {
            levels: self.levels.clone(),
            ty: self.ty.clone(),
            result: self.result.clone(),
            weighted: self.weighted,
            of: std::marker::PhantomData,
        }
    }
}

impl<S: Sketch + Debug> Fold for Quantile<S> {
    type State = S;

    fn init(&self) -> S {
        S::default()
    }

    fn return_type(&self) -> DataType {
        self.levels.result(self.result.clone())
    }

    fn update(&self, states: &mut [S], args: &[Column], groups: &[u32]) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        if self.weighted {
            let values = column.to_f64().ok_or_else(mismatch)?;
            let weights = args.get(1).and_then(|a| u64::read(&a.full())).ok_or_else(mismatch)?;
            for ((&v, &w), &g) in values.iter().zip(weights.iter()).zip(groups) {
                states[g as usize].add(v, w);
            }
            return Ok(());
        }
        S::add_each(states, &column, groups)
    }

    fn update_one(&self, state: &mut S, args: &[Column], rows: usize) -> Result<()> {
        if self.weighted {
            return self.update(std::slice::from_mut(state), args, &vec![0; rows]);
        }
        state.add_all(&args.first().ok_or_else(mismatch)?.full())
    }

    fn merge(&self, into: &mut S, from: &mut S) -> Result<()> {
        into.merge(from);
        Ok(())
    }

    fn write(&self, state: &S, out: &mut Vec<u8>) {
        state.write(&self.ty, out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<S> {
        S::read(&self.ty, input)
    }

    fn finish(&self, states: &mut [S]) -> Result<Column> {
        let mut quantiles = Vec::with_capacity(states.len() * self.levels.levels.len());
        let groups = states.len();
        for state in states {
            state.quantiles(&self.levels.levels, &mut quantiles);
        }
        Ok(self.levels.column(interpolated(&self.result, quantiles), groups))
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        if S::MOST_EXACT == 0 {
            return Ok(None);
        }
        let mut values = args.first().and_then(|a| a.full().to_f64()).ok_or_else(mismatch)?;
        let numbers = Bitmap::from_values(&values, |v: f64| !v.is_nan());
        let of_numbers = (!numbers.all()).then(|| frames.among(&numbers));
        let frames = of_numbers.as_ref().unwrap_or(frames);
        if frames.iter().any(|(start, end)| end - start > S::MOST_EXACT) {
            return Ok(None);
        }
        values.retain(|v| !v.is_nan());
        let mut quantiles = Vec::with_capacity(frames.len() * self.levels.levels.len());
        sliding::sorted(&values, frames, |sorted| {
            let at = |&level: &f64| interpolate(sorted.len(), level, |i| sorted[i]);
            quantiles.extend(self.levels.levels.iter().map(at));
        })?;
        Ok(Some(self.levels.column(interpolated(&self.result, quantiles), frames.len())))
    }

    fn heap(&self, state: &S) -> usize {
        state.heap()
    }
}

fn create<S: Sketch + Debug>(
    name: &str,
    several: bool,
    weighted: bool,
    single: bool,
    args: AggregateArgs<'_>,
) -> Result<Box<dyn Aggregate>> {
    expect_count(name, args, if weighted { 2 } else { 1 })?;
    let levels = Levels::parse(name, several, args)?;
    let ty = args.types[0].clone();
    let timing = name.contains("Timing");
    let digest = name.contains("TDigest");
    let narrow = ty.is_date_or_time() && timing || ty.is_wide_integer() && (timing || digest);
    if !quantile_type(&ty) || narrow {
        return Err(illegal_type(name, &ty));
    }
    if let Some(weight) = args.types.get(1).filter(|w| !w.is_native_integer()) {
        return Err(illegal_type(name, weight));
    }
    let result = match &ty {
        ty if ty.is_date_or_time() || ty.is_decimal() => ty.clone(),
        _ if single => DataType::Float32,
        _ => DataType::Float64,
    };
    let of = std::marker::PhantomData;
    FoldAggregate::boxed(Quantile::<S> { levels, ty, result, weighted, of })
}

const FUNCTIONS: [&str; 12] = [
    "quantile",
    "quantiles",
    "quantileTDigest",
    "quantilesTDigest",
    "quantileTDigestWeighted",
    "quantilesTDigestWeighted",
    "quantileTiming",
    "quantilesTiming",
    "quantileTimingWeighted",
    "quantilesTimingWeighted",
    "quantileDeterministic",
    "quantilesDeterministic",
];

fn bind<const I: usize>(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    let (name, several, weighted) = (FUNCTIONS[I], I % 2 == 1, I == 4 || I == 5 || I > 7);
    match I {
        0 | 1 => create::<Reservoir>(name, several, weighted, false, args),
        2..=5 => create::<TDigest>(name, several, weighted, true, args),
        10 | 11 => create::<Deterministic>(name, several, weighted, false, args),
        _ => create::<Timing>(name, several, weighted, true, args),
    }
}

const fn def<const I: usize>(
    aliases: &'static [&'static str],
    description: &'static str,
    examples: &'static [(&'static str, &'static str)],
) -> AggregateDef {
    AggregateDef {
        name: FUNCTIONS[I],
        aliases,
        description,
        examples,
        bind: bind::<I>,
        ..AggregateDef::DEFAULT
    }
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    def::<0>(
        &["median"],
        "Quantile, interpolated between the values of a random sample of up to 8,192 values.",
        &[("SELECT quantile(number) FROM numbers(101)", "50")],
    ),
    def::<1>(&[], "Like quantile, for several levels.", &[]),
    def::<2>(&["medianTDigest"], "Quantile estimated by a t-digest.", &[]),
    def::<3>(&[], "Like quantileTDigest, for several levels.", &[]),
    def::<4>(&["medianTDigestWeighted"], "Like quantileTDigest, with weights.", &[]),
    def::<5>(&[], "Like quantileTDigestWeighted, for several levels.", &[]),
    def::<6>(
        &["medianTiming"],
        "Quantile of milliseconds: exact to 1 ms up to 1,024 and to 16 ms up to 30,000.",
        &[("SELECT quantileTiming(number) FROM numbers(10)", "5")],
    ),
    def::<7>(&[], "Like quantileTiming, for several levels.", &[]),
    def::<8>(&["medianTimingWeighted"], "Like quantileTiming, with weights.", &[]),
    def::<9>(&[], "Like quantileTimingWeighted, for several levels.", &[]),
    def::<10>(
        &["medianDeterministic"],
        "Like quantile, but the sample is chosen by a hash of the second argument, so that the \
         result does not depend on the order of rows.",
        &[("SELECT quantileDeterministic(number, number) FROM numbers(101)", "50")],
    ),
    def::<11>(&[], "Like quantileDeterministic, for several levels.", &[]),
];
