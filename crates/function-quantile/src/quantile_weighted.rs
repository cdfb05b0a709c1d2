//! Exact quantiles of values with weights: `quantileExactWeighted`. The weights of equal values are
//! added up while rows arrive, so a state has as many entries as there are distinct values.

use std::hash::Hash;
use std::marker::PhantomData;

use entasis_base::Result;
use entasis_base::varint::write_varint;
use entasis_column::{Column, Native, match_physical};
use entasis_types::{DataType, i256, u256};

use super::levels::{Levels, quantile_type};
use super::quantile_exact::{ascending, nothing, ordered};
use entasis_function::aggregate::args::{Bytes, expect_count, illegal_type, mismatch};
use entasis_function::aggregate::binary::read_len;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::tally::{Tally, byte_size};
use entasis_function_kernel::kernel::Number;

/// A value that stands in a hash table by its bits.
trait Keyed: Native + Bytes {
    type Key: Copy + Eq + Hash + Send + 'static;
    fn key(self) -> Self::Key;
    fn of(key: Self::Key) -> Self;
}

macro_rules! keyed {
    ($($t:ty),*) => {$(impl Keyed for $t {
        type Key = Self;
        #[inline(always)]
        fn key(self) -> Self {
            self
        }
        #[inline(always)]
        fn of(key: Self) -> Self {
            key
        }
    })*};
    ($($t:ty as $bits:ty),*) => {$(impl Keyed for $t {
        type Key = $bits;
        #[inline(always)]
        fn key(self) -> $bits {
            self.to_bits()
        }
        #[inline(always)]
        fn of(key: $bits) -> Self {
            Self::from_bits(key)
        }
    })*};
}

keyed!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256);
keyed!(f32 as u32, f64 as u64);

#[derive(Clone, Debug)]
struct Weighted<T> {
    levels: Levels,
    ty: DataType,
    of: PhantomData<T>,
}

/// The values in order, each once, with the sum of its weights; it wraps, as in the reference.
fn in_order<T: Keyed>(weights: &Tally<T::Key>) -> Vec<(T, u64)> {
    let mut pairs: Vec<(T, u64)> = weights.iter().map(|(k, weight)| (T::of(*k), *weight)).collect();
    pairs.sort_unstable_by(|a, b| ascending(&a.0, &b.0));
    // The zeros of floats have different bits.
    pairs.dedup_by(|b, a| {
        let equal = a.0 == b.0;
        a.1 = if equal { a.1.wrapping_add(b.1) } else { a.1 };
        equal
    });
    pairs
}

/// Weights as the reference reads them: unsigned 64 bits.
fn weights_of(column: &Column) -> Result<Vec<u64>> {
    Ok(u64::read(&column.full()).ok_or_else(mismatch)?.to_vec())
}

impl<T: Keyed> Fold for Weighted<T> {
    type State = Tally<T::Key>;

    fn init(&self) -> Self::State {
        Tally::default()
    }

    fn return_type(&self) -> DataType {
        self.levels.result(self.ty.clone())
    }

    fn update(&self, states: &mut [Self::State], args: &[Column], groups: &[u32]) -> Result<()> {
        let [values, weights] = args else { return Err(mismatch()) };
        let (values, weights) = (values.full(), weights_of(weights)?);
        let values = T::values(&values).ok_or_else(mismatch)?;
        for ((value, weight), &group) in values.iter().zip(weights).zip(groups) {
            if ordered(value) {
                let sum = states[group as usize].entry(value.key()).or_default();
                *sum = sum.wrapping_add(weight);
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        if into.len() < from.len() {
            std::mem::swap(into, from);
        }
        for (key, weight) in from.drain() {
            let sum = into.entry(key).or_default();
            *sum = sum.wrapping_add(weight);
        }
        Ok(())
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        let pairs = in_order::<T>(state);
        write_varint(out, pairs.len() as u64);
        for (value, weight) in pairs {
            value.put(out);
            weight.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Self::State> {
        let mut state = Self::State::default();
        for _ in 0..read_len(input)? {
            let (value, weight) = (T::get(input)?, u64::get(input)?);
            if ordered(&value) {
                let sum = state.entry(value.key()).or_default();
                *sum = sum.wrapping_add(weight);
            }
        }
        Ok(state)
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        let levels = &self.levels.levels;
        let mut out = Vec::with_capacity(states.len() * levels.len());
        for state in states.iter() {
            let mut pairs = in_order::<T>(state);
            pairs.retain(|pair| pair.1 > 0);
            // Sums of weights may need more than the 64 bits of one weight.
            let total: u128 = pairs.iter().map(|p| u128::from(p.1)).sum();
            for &level in levels {
                let threshold = (total as f64 * level).ceil();
                let mut sum = 0u128;
                let found = pairs.iter().find(|p| {
                    sum += u128::from(p.1);
                    sum as f64 >= threshold
                });
                out.push(found.or(pairs.last()).map_or_else(nothing, |p| p.0));
            }
        }
        Ok(self.levels.column(T::column(out.into()), states.len()))
    }

    fn heap(&self, state: &Self::State) -> usize {
        byte_size(state)
    }
}

fn bind(name: &str, several: bool, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    expect_count(name, args, 2)?;
    let levels = Levels::parse(name, several, args)?;
    let ty = args.types[0].clone();
    if !quantile_type(&ty) || !args.types[1].is_native_integer() {
        return Err(illegal_type(name, &ty));
    }
    match_physical!(ty.physical(), T => FoldAggregate::boxed(Weighted::<T> {
        levels, ty, of: PhantomData,
    }), _ => Err(illegal_type(name, &ty)))
}

fn one(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("quantileExactWeighted", false, args)
}

fn several(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind("quantilesExactWeighted", true, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "quantileExactWeighted",
        aliases: &["medianExactWeighted"],
        description: "Like quantileExact, each value counted as often as the second argument says.",
        examples: &[("SELECT quantileExactWeighted(number, 1) FROM numbers(3)", "1")],
        bind: one,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "quantilesExactWeighted",
        description: "Like quantileExactWeighted, for several levels.",
        bind: several,
        ..AggregateDef::DEFAULT
    },
];
