//! `entropy`: Shannon's entropy of the distribution of values.

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::Column;
use entasis_types::DataType;

use super::uniq_exact::hash_portable;
use entasis_function::aggregate::args::{Bytes, expect_no_params, take, wrong_count};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::known::number_bits;
use entasis_function_kernel::aggregates::tally::{Tally, byte_size};

/// How often each value occurs. A single number is kept as it is, and anything else as its hash.
#[derive(Clone, Debug)]
struct Entropy {
    /// Bytes of a value in states.
    width: usize,
}

type Counts = Tally<u128>;

/// The counts in the order of the values, so that sums are rounded alike.
fn in_order(counts: &Counts) -> Vec<(u128, u64)> {
    let mut sorted: Vec<(u128, u64)> = counts.iter().map(|(key, n)| (*key, *n)).collect();
    sorted.sort_unstable();
    sorted
}

impl Fold for Entropy {
    type State = Counts;

    fn init(&self) -> Counts {
        Counts::default()
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [Counts], args: &[Column], groups: &[u32]) -> Result<()> {
        let keys: Vec<u128> = match (self.width, args) {
            (1..=8, [one]) => number_bits(&one.full())?.into_iter().map(u128::from).collect(),
            _ => hash_portable(args, groups.len()),
        };
        for (key, &group) in keys.into_iter().zip(groups) {
            *states[group as usize].entry(key).or_default() += 1;
        }
        Ok(())
    }

    fn merge(&self, into: &mut Counts, from: &mut Counts) -> Result<()> {
        for (&key, count) in from.iter() {
            *into.entry(key).or_default() += count;
        }
        Ok(())
    }

    fn write(&self, state: &Counts, out: &mut Vec<u8>) {
        write_varint(out, state.len() as u64);
        for (key, count) in in_order(state) {
            out.extend_from_slice(&key.to_le_bytes()[..self.width]);
            count.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Counts> {
        let mut counts = Counts::default();
        for _ in 0..read_varint(input)? {
            let mut key = [0; 16];
            key[..self.width].copy_from_slice(take(input, self.width)?);
            *counts.entry(u128::from_le_bytes(key)).or_default() += u64::get(input)?;
        }
        Ok(counts)
    }

    fn finish(&self, states: &mut [Counts]) -> Result<Column> {
        let entropy = |counts: &Counts| {
            let total = counts.values().sum::<u64>() as f64;
            let shares = in_order(counts).into_iter().map(|(_, n)| n as f64 / total);
            // Prevents -0 if there is only one value.
            shares.fold(0.0, |sum: f64, p| sum - p * p.log2()) + 0.0
        };
        Ok(states.iter().map(entropy).collect::<Vec<_>>().into())
    }

    fn heap(&self, state: &Counts) -> usize {
        byte_size(state)
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_no_params("entropy", args)?;
    if args.types.is_empty() {
        return Err(wrong_count("Incorrect number of arguments for aggregate function entropy"));
    }
    let number = |t: &DataType| t.is_native_number() || t.is_date_or_time();
    let width = match args.types {
        [ty] if number(ty) => ty.fixed_width().unwrap_or(16),
        _ => 16,
    };
    FoldAggregate::boxed(Entropy { width })
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
