//! `min` and `max`. Numbers have a fold of their own; strings and nested values use a [`Store`].

use std::marker::PhantomData;

use entasis_base::Result;
use entasis_column::{Column, Native, match_physical};
use entasis_simd::sum::{Bounded, min_max};
use entasis_types::DataType;

use super::any::Picked;
use entasis_function::aggregate::args::{Bytes, expect_plain, mismatch, native, refuse_variants};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::sliding;
use entasis_function_kernel::aggregates::store::ValueChoice;

/// A number and whether it has been set.
#[derive(Clone, Copy, Debug, Default)]
struct Extreme<T> {
    value: T,
    has: bool,
}

#[derive(Clone, Debug)]
struct MinMax<T, const MAX: bool> {
    ty: DataType,
    of: PhantomData<T>,
}

impl<T: Native, const MAX: bool> MinMax<T, MAX> {
    /// Keeps the better one of the state and `value`. NaN stays only if there is no other value.
    #[inline(always)]
    fn offer(state: &mut Extreme<T>, value: T) {
        let old = state.value;
        #[allow(clippy::eq_op)] // NaN is the only value that differs from itself
        let was_nan = (old != old) & (value == value);
        let better = !state.has | was_nan | if MAX { value > old } else { value < old };
        state.value = if better { value } else { old };
        state.has = true;
    }
}

impl<T: Native + Bounded + Bytes, const MAX: bool> Fold for MinMax<T, MAX> {
    type State = Extreme<T>;

    fn init(&self) -> Extreme<T> {
        Extreme::default()
    }

    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn update(&self, states: &mut [Extreme<T>], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&v, &g) in native::<T>(args, 0)?.iter().zip(groups) {
            Self::offer(&mut states[g as usize], v);
        }
        Ok(())
    }

    fn update_one(&self, state: &mut Extreme<T>, args: &[Column], rows: usize) -> Result<()> {
        if let Some(value) = args.first().and_then(Column::as_const) {
            if rows > 0 {
                Self::offer(state, T::values(value).ok_or_else(mismatch)?[0]);
            }
            return Ok(());
        }
        let values = native::<T>(args, 0)?;
        match min_max(&values) {
            Some((least, greatest)) => Self::offer(state, if MAX { greatest } else { least }),
            None => values.iter().take(1).for_each(|&v| Self::offer(state, v)),
        }
        Ok(())
    }

    fn merge(&self, into: &mut Extreme<T>, from: &mut Extreme<T>) -> Result<()> {
        if from.has {
            Self::offer(into, from.value);
        }
        Ok(())
    }

    fn write(&self, state: &Extreme<T>, out: &mut Vec<u8>) {
        out.push(u8::from(state.has));
        if state.has {
            state.value.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Extreme<T>> {
        if u8::get(input)? == 0 {
            return Ok(Extreme::default());
        }
        Ok(Extreme { value: T::get(input)?, has: true })
    }

    fn finish(&self, states: &mut [Extreme<T>]) -> Result<Column> {
        Ok(T::column(states.iter().map(|s| s.value).collect()))
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        #[allow(clippy::eq_op)] // NaN is the only value that differs from itself
        let beats = |a: T, b: T| {
            let before_nan = b != b && a == a;
            before_nan || if MAX { a > b } else { a < b }
        };
        Ok(Some(T::column(sliding::best(&native::<T>(args, 0)?, frames, beats)?.into())))
    }
}

fn bind<const MAX: bool>(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    expect_plain(if MAX { "max" } else { "min" }, args, 1)?;
    refuse_variants(if MAX { "max" } else { "min" }, &args.types[0])?;
    let ty = args.types[0].clone();
    let pick = if MAX { ValueChoice::Greatest } else { ValueChoice::Least };
    match_physical!(ty.physical(),
        T => FoldAggregate::boxed(MinMax::<T, MAX> { ty, of: PhantomData }),
        _ => Ok(Box::new(Picked::one(ty, pick))))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "min",
        case_insensitive: true,
        description: "The least value; NaN only if there is nothing else.",
        examples: &[("SELECT min(number) FROM numbers(3, 5)", "3")],
        bind: bind::<false>,
        small_state: true,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "max",
        case_insensitive: true,
        description: "The greatest value; NaN only if there is nothing else.",
        examples: &[("SELECT max(number) FROM numbers(3, 5)", "7")],
        bind: bind::<true>,
        small_state: true,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
];
