//! Exact quantiles of values with weights: `quantileExactWeighted`. The weights of equal values are
//! added up while rows arrive: in a hash table as long as they are few, otherwise in a list that is
//! sorted now and then. So a state has at most twice as many entries as there are distinct
//! values, or some ten thousand.

use std::hash::Hash;
use std::marker::PhantomData;

use entasis_base::varint::write_varint;
use entasis_base::{Result, scope};
use entasis_column::{Column, Native, match_physical};
use entasis_types::{DataType, i256, u256};

use super::levels::{Levels, quantile_type};
use super::quantile_exact::{ascending, nothing, ordered};
use super::radix;
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
    /// A number with the same order; `None` if 64 bits are not enough.
    fn order(self) -> Option<u64>;
}

macro_rules! keyed {
    ($($t:ty: $order:expr),*) => {$(impl Keyed for $t {
        type Key = Self;
        #[inline(always)]
        fn key(self) -> Self {
            self
        }
        #[inline(always)]
        fn of(key: Self) -> Self {
            key
        }
        #[inline(always)]
        fn order(self) -> Option<u64> {
            let order: fn(Self) -> Option<u64> = $order;
            order(self)
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
        #[inline(always)]
        fn order(self) -> Option<u64> {
            let (bits, sign) = (self.to_bits(), 1 << (<$bits>::BITS - 1));
            Some(u64::from(if bits & sign == 0 { bits | sign } else { !bits }))
        }
    })*};
}

keyed!(u8: |v| Some(v.into()), u16: |v| Some(v.into()), u32: |v| Some(v.into()),
    u64: |v| Some(v), i8: |v| signed(v.into()), i16: |v| signed(v.into()),
    i32: |v| signed(v.into()), i64: signed,
    u128: |_| None, u256: |_| None, i128: |_| None, i256: |_| None);
keyed!(f32 as u32, f64 as u64);

#[inline(always)]
fn signed(v: i64) -> Option<u64> {
    Some(v as u64 ^ 1 << 63)
}

/// Distinct values from which on they are kept in a list.
const MANY: usize = 4096;
/// Entries of a list that is not worth sorting before the end.
const SHORT: usize = 1 << 16;

/// Entries that are sorted more quickly by digits than by comparisons.
const WORTH_DIGITS: usize = 2048;

/// The values of a group and the sums of their weights, which wrap, as in the reference.
#[derive(Debug)]
struct Weights<T: Keyed> {
    /// All of them, as long as they are few.
    few: Tally<T::Key>,
    list: Vec<(T, u64)>,
    /// Entries at which the list is sorted again; 0 if there is none.
    limit: usize,
}

impl<T: Keyed> Default for Weights<T> {
    fn default() -> Self {
        Self { few: Tally::default(), list: Vec::new(), limit: 0 }
    }
}

impl<T: Keyed> Weights<T> {
    /// Adds a value that is no NaN.
    #[inline]
    fn add(&mut self, value: T, weight: u64) -> Result<()> {
        if self.limit == 0 {
            let sum = self.few.entry(value.key()).or_default();
            *sum = sum.wrapping_add(weight);
            if self.few.len() >= MANY {
                self.move_to_list();
            }
            return Ok(());
        }
        self.list.push((value, weight));
        if self.list.len() < self.limit { Ok(()) } else { self.sort() }
    }

    /// Moves the values into the list.
    #[cold]
    fn move_to_list(&mut self) {
        self.list.extend(self.few.drain().map(|(key, weight)| (T::of(key), weight)));
        self.few = Tally::default();
        self.limit = self.limit.max(SHORT);
    }

    /// The list in order, each value once.
    #[cold]
    fn sort(&mut self) -> Result<()> {
        let list = &mut self.list;
        match list.first().and_then(|pair| pair.0.order()) {
            Some(_) if list.len() >= WORTH_DIGITS => {
                radix::sort(list, |pair| pair.0.order().unwrap_or(0))?;
            }
            _ => list.sort_unstable_by(scope::checked(|a: &(T, u64), b: &(T, u64)| {
                ascending(&a.0, &b.0)
            })),
        }
        // The zeros of floats have different bits.
        list.dedup_by(|b, a| {
            let equal = a.0 == b.0;
            a.1 = if equal { a.1.wrapping_add(b.1) } else { a.1 };
            equal
        });
        self.limit = SHORT.max(2 * self.list.len());
        Ok(())
    }

    fn merge(&mut self, from: &mut Self) -> Result<()> {
        if self.few.len() + self.list.len() < from.few.len() + from.list.len() {
            std::mem::swap(self, from);
        }
        if self.limit == 0 && from.limit > 0 {
            self.move_to_list();
        }
        for (key, weight) in from.few.drain() {
            self.add(T::of(key), weight)?;
        }
        if self.limit == 0 {
            return Ok(());
        }
        self.list.append(&mut from.list);
        if self.list.len() < self.limit { Ok(()) } else { self.sort() }
    }

    /// The values in order.
    fn in_order(&mut self) -> Result<&[(T, u64)]> {
        self.move_to_list();
        self.sort()?;
        Ok(&self.list)
    }
}

#[derive(Clone, Debug)]
struct Weighted<T> {
    levels: Levels,
    ty: DataType,
    of: PhantomData<T>,
}

/// Weights as the reference reads them: unsigned 64 bits.
fn weights_of(column: &Column) -> Result<Vec<u64>> {
    Ok(u64::read(&column.full()).ok_or_else(mismatch)?.to_vec())
}

impl<T: Keyed> Fold for Weighted<T> {
    type State = Weights<T>;

    fn init(&self) -> Self::State {
        Weights::default()
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
                states[group as usize].add(*value, weight)?;
            }
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::State, from: &mut Self::State) -> Result<()> {
        into.merge(from)
    }

    fn write(&self, state: &Self::State, out: &mut Vec<u8>) {
        let mut copy = Weights { few: state.few.clone(), list: state.list.clone(), limit: 0 };
        let pairs = copy.in_order().unwrap_or_else(|error| scope::stop(error));
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
                state.add(value, weight)?;
            }
        }
        Ok(state)
    }

    fn finish(&self, states: &mut [Self::State]) -> Result<Column> {
        let levels = &self.levels.levels;
        let mut out = Vec::with_capacity(states.len() * levels.len());
        for state in states.iter_mut() {
            let pairs = state.in_order()?;
            // Sums of weights may need more than the 64 bits of one weight.
            let total: u128 = pairs.iter().map(|p| u128::from(p.1)).sum();
            for &level in levels {
                out.push(at(pairs, (total as f64 * level).ceil()).map_or_else(nothing, |p| p.0));
            }
        }
        Ok(self.levels.column(T::column(out.into()), states.len()))
    }

    fn heap(&self, state: &Self::State) -> usize {
        byte_size(&state.few) + state.list.capacity() * size_of::<(T, u64)>()
    }
}

/// The first pair up to which the weights are at least `threshold`, or the last. Pairs without a
/// weight do not count.
fn at<T: Keyed>(pairs: &[(T, u64)], threshold: f64) -> Option<&(T, u64)> {
    let mut sum = 0u128;
    for block in pairs.chunks(1024) {
        let all = sum + block.iter().map(|p| u128::from(p.1)).sum::<u128>();
        if all as f64 >= threshold {
            let found = block.iter().filter(|p| p.1 > 0).find(|p| {
                sum += u128::from(p.1);
                sum as f64 >= threshold
            });
            if found.is_some() {
                return found;
            }
        }
        sum = all;
    }
    pairs.iter().rfind(|p| p.1 > 0)
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
