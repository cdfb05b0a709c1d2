//! `entropy`: Shannon's entropy of the distribution of values.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::Column;
use entasis_types::DataType;

use super::uniq_exact::hash_portable;
use entasis_function::aggregate::args::{Bytes, expect_no_params, mismatch, take, wrong_count};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::known::number_bits;
use entasis_function_kernel::aggregates::tally::{Tally, byte_size};

/// How often each value occurs. A single number is kept as it is, and anything else as its hash.
#[derive(Clone, Debug)]
struct Entropy<K> {
    /// Bytes of a value in states.
    width: usize,
    of: PhantomData<K>,
}

/// A number, or the hash of what is none.
trait Key: Copy + Ord + Hash + Debug + Send + Sync + Into<u128> + 'static {
    /// The keys of full or Const columns.
    fn keys(args: &[Column], rows: usize) -> Result<Vec<Self>>;
    /// The key with these bits.
    fn of(bits: u128) -> Self;
}

impl Key for u64 {
    fn keys(args: &[Column], _: usize) -> Result<Vec<u64>> {
        number_bits(&args.first().ok_or_else(mismatch)?.full())
    }

    fn of(bits: u128) -> u64 {
        bits as u64
    }
}

impl Key for u128 {
    fn keys(args: &[Column], rows: usize) -> Result<Vec<u128>> {
        Ok(hash_portable(args, rows))
    }

    fn of(bits: u128) -> u128 {
        bits
    }
}

/// The counts in the order of the values, so that sums are rounded alike.
fn in_order<K: Key>(counts: &Tally<K>) -> Vec<(K, u64)> {
    let mut sorted: Vec<(K, u64)> = counts.iter().map(|(key, n)| (*key, *n)).collect();
    sorted.sort_unstable();
    sorted
}

impl<K: Key> Fold for Entropy<K> {
    type State = Tally<K>;

    fn init(&self) -> Tally<K> {
        Tally::default()
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [Tally<K>], args: &[Column], groups: &[u32]) -> Result<()> {
        for (key, &group) in K::keys(args, groups.len())?.into_iter().zip(groups) {
            *states[group as usize].entry(key).or_default() += 1;
        }
        Ok(())
    }

    fn merge(&self, into: &mut Tally<K>, from: &mut Tally<K>) -> Result<()> {
        for (&key, count) in from.iter() {
            *into.entry(key).or_default() += count;
        }
        Ok(())
    }

    fn write(&self, state: &Tally<K>, out: &mut Vec<u8>) {
        write_varint(out, state.len() as u64);
        for (key, count) in in_order(state) {
            out.extend_from_slice(&key.into().to_le_bytes()[..self.width]);
            count.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Tally<K>> {
        let mut counts = Tally::default();
        for _ in 0..read_varint(input)? {
            let mut key = [0; 16];
            key[..self.width].copy_from_slice(take(input, self.width)?);
            *counts.entry(K::of(u128::from_le_bytes(key))).or_default() += u64::get(input)?;
        }
        Ok(counts)
    }

    fn finish(&self, states: &mut [Tally<K>]) -> Result<Column> {
        let entropy = |counts: &Tally<K>| {
            let total = counts.values().sum::<u64>() as f64;
            let shares = in_order(counts).into_iter().map(|(_, n)| n as f64 / total);
            // Prevents -0 if there is only one value.
            shares.fold(0.0, |sum: f64, p| sum - p * p.log2()) + 0.0
        };
        Ok(states.iter().map(entropy).collect::<Vec<_>>().into())
    }

    fn heap(&self, state: &Tally<K>) -> usize {
        byte_size(state)
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_no_params("entropy", args)?;
    if args.types.is_empty() {
        return Err(wrong_count("Incorrect number of arguments for aggregate function entropy"));
    }
    let number = |t: &DataType| t.is_native_number() || t.is_date_or_time();
    match args.types {
        [ty] if number(ty) && matches!(ty.fixed_width(), Some(1..=8)) => {
            let width = ty.fixed_width().unwrap_or(8);
            FoldAggregate::boxed(Entropy::<u64> { width, of: PhantomData })
        }
        _ => FoldAggregate::boxed(Entropy::<u128> { width: 16, of: PhantomData }),
    }
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "entropy",
    description: "The Shannon entropy, in bits, of the values, or of combinations of the values of \
                  several arguments.",
    examples: &[("SELECT entropy(number % 4) FROM numbers(8)", "2")],
    bind,
    ..AggregateDef::DEFAULT
}];
