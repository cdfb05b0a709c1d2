//! `uniqHLL12`, `uniqCombined`, `uniqCombined64`, `uniqUpTo`: few distinct values are counted
//! exactly, and more are estimated by HyperLogLog or not counted further.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use super::hyperloglog::{Shape, Sketch};
use super::uniq::{fold_words, hash_rows, is_wide};
use entasis_function::aggregate::args::{Bytes, expect_no_params, take, wrong_count};
use entasis_function::aggregate::binary::read_len;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::aggregates::known::number_bits;
use entasis_function_kernel::hashing::fold_64_to_32;
use entasis_function_kernel::hashing::int_hash64;

/// Keys are already hashes.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b.into()));
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = (self.0 ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_right(32);
    }
}

type Keys = HashSet<u64, BuildHasherDefault<Spread>>;

/// Keys kept in an array, in states.
const SMALL: usize = 16;

#[derive(Clone, Debug)]
enum Count {
    Exact(Keys),
    Sketch(Sketch),
}

/// `uniqCombined` and `uniqCombined64`, or `uniqHLL12`.
#[derive(Clone, Debug)]
struct Combined {
    shape: Shape,
    /// Most keys counted exactly.
    exact: usize,
    /// Bytes of a key in states.
    width: usize,
    /// Whether it is `uniqHLL12`, whose keys are the numbers themselves.
    plain: bool,
    /// Whether keys are hashed on their way into the sketch.
    hashes: bool,
    /// The argument is an integer of 128 or 256 bits.
    wide: bool,
}

impl Combined {
    /// The keys of rows: hashes, or for `uniqHLL12` numbers themselves.
    fn keys(&self, args: &[Column], rows: usize) -> Result<Vec<u64>> {
        let (mut hashes, raw) = match args {
            [one] if self.wide => (fold_words(&one.full()), true),
            _ if self.plain => return plain_keys(args, rows),
            _ => hash_rows(args, rows)?,
        };
        let is_text = matches!(args, [one] if is_text(&one.full()));
        if raw && !is_text {
            hashes.iter_mut().for_each(|h| *h = int_hash64(*h));
        }
        if self.width == 4 {
            hashes.iter_mut().for_each(|h| *h &= 0xFFFF_FFFF);
        }
        Ok(hashes)
    }

    fn hash(&self, key: u64) -> u64 {
        if self.hashes { fold_64_to_32(key).into() } else { key }
    }

    #[inline]
    fn add(&self, count: &mut Count, key: u64) {
        if let Count::Exact(keys) = count {
            let full = keys.len() >= self.exact;
            // The reference ends exact counting at the first key after the last one that fits; for
            // uniqHLL12 only if the key is new.
            if !full || (self.plain && keys.contains(&key)) {
                keys.insert(key);
                return;
            }
            let mut sketch = Sketch::new(self.shape);
            keys.iter().for_each(|&key| sketch.insert(self.hash(key), self.shape));
            *count = Count::Sketch(sketch);
        }
        if let Count::Sketch(sketch) = count {
            sketch.insert(self.hash(key), self.shape);
        }
    }

    fn write_keys(&self, keys: &Keys, out: &mut Vec<u8>) {
        write_varint(out, keys.len() as u64);
        // By place in the reference's table, which is at most half full.
        let mask = (keys.len().next_power_of_two().max(128) * 2 - 1) as u64;
        let mut keys: Vec<u64> = keys.iter().copied().collect();
        if keys.len() > SMALL {
            keys.sort_unstable_by_key(|&k| (k != 0, k & mask, k));
        } else {
            keys.sort_unstable();
        }
        for key in keys {
            out.extend_from_slice(&key.to_le_bytes()[..self.width]);
        }
    }
}

/// Numbers extended with zeros. For floats, the bits of the float that is nearest to the value's
/// bits read as a number, which is what the reference compares. Hashes of all other values.
fn plain_keys(args: &[Column], rows: usize) -> Result<Vec<u64>> {
    let [one] = args else { return Ok(hash_rows(args, rows)?.0) };
    match one.full() {
        Column::Float32(values) => {
            let key = |v: &f32| u64::from((v.to_bits() as f32).to_bits());
            Ok(values.iter().map(key).collect())
        }
        Column::Float64(values) => {
            Ok(values.iter().map(|v| (v.to_bits() as f64).to_bits()).collect())
        }
        column => exact_keys(&column, rows),
    }
}

/// The bits of numbers, hashes of all else.
fn exact_keys(column: &Column, rows: usize) -> Result<Vec<u64>> {
    match number_bits(column) {
        Ok(bits) => Ok(bits),
        Err(_) => Ok(hash_rows(std::slice::from_ref(column), rows)?.0),
    }
}

/// Bytes of a key of these arguments in states: a single number's own width.
fn key_width(types: &[DataType]) -> usize {
    match types {
        [ty] if !ty.is_string() => ty.fixed_width().filter(|w| *w <= 8).unwrap_or(8),
        _ => 8,
    }
}

/// A key of `width` bytes.
fn read_key(input: &mut &[u8], width: usize) -> Result<u64> {
    let mut word = [0; 8];
    word[..width].copy_from_slice(take(input, width)?);
    Ok(u64::from_le_bytes(word))
}

fn is_text(column: &Column) -> bool {
    matches!(column, Column::String(_) | Column::Fixed(_))
}

impl Fold for Combined {
    type State = Count;

    fn init(&self) -> Count {
        Count::Exact(Keys::default())
    }

    fn return_type(&self) -> DataType {
        DataType::UInt64
    }

    fn update(&self, states: &mut [Count], args: &[Column], groups: &[u32]) -> Result<()> {
        for (key, &group) in self.keys(args, groups.len())?.into_iter().zip(groups) {
            self.add(&mut states[group as usize], key);
        }
        Ok(())
    }

    fn update_one(&self, state: &mut Count, args: &[Column], rows: usize) -> Result<()> {
        let mut keys = self.keys(args, rows)?;
        let mut at = 0;
        while let (Count::Exact(_), Some(key)) = (&*state, keys.get(at)) {
            self.add(state, *key);
            at += 1;
        }
        if let Count::Sketch(sketch) = state {
            let rest = &mut keys[at..];
            if self.hashes {
                rest.iter_mut().for_each(|key| *key = fold_64_to_32(*key).into());
            }
            sketch.insert_all(rest, self.shape);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Count, from: &mut Count) -> Result<()> {
        match (&mut *into, from) {
            (Count::Sketch(into), Count::Sketch(from)) => into.merge(from),
            (_, Count::Exact(keys)) => keys.iter().for_each(|&key| self.add(into, key)),
            (Count::Exact(keys), Count::Sketch(from)) => {
                let mut sketch = from.clone();
                keys.iter().for_each(|&key| sketch.insert(self.hash(key), self.shape));
                *into = Count::Sketch(sketch);
            }
        }
        Ok(())
    }

    fn write(&self, state: &Count, out: &mut Vec<u8>) {
        let kind = match state {
            Count::Exact(keys) if keys.len() <= SMALL => 1,
            Count::Exact(_) => 2,
            Count::Sketch(_) => 3,
        };
        out.push(if self.plain { kind / 2 } else { kind });
        match state {
            Count::Exact(keys) => self.write_keys(keys, out),
            Count::Sketch(sketch) => sketch.write(self.shape, out),
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Count> {
        let kind = u8::get(input)?;
        if kind == 3 || (self.plain && kind == 1) {
            return Ok(Count::Sketch(Sketch::read(input, self.shape)?));
        }
        let mut count = self.init();
        for _ in 0..read_len(input)? {
            self.add(&mut count, read_key(input, self.width)?);
        }
        Ok(count)
    }

    fn finish(&self, states: &mut [Count]) -> Result<Column> {
        let size = |count: &Count| match count {
            Count::Exact(keys) => keys.len() as u64,
            Count::Sketch(sketch) => sketch.estimate(self.shape),
        };
        Ok(states.iter().map(size).collect::<Vec<_>>().into())
    }

    fn heap(&self, state: &Count) -> usize {
        match state {
            Count::Exact(keys) => keys.capacity() * 9,
            Count::Sketch(_) => 1 << self.shape.precision,
        }
    }
}

fn some_arguments(name: &str, args: AggregateArgs<'_>) -> Result<()> {
    if !args.types.is_empty() {
        return Ok(());
    }
    let message = format!("Incorrect number of arguments for aggregate function {name}");
    Err(wrong_count(message))
}

#[cold]
fn out_of_bound(message: String) -> Error {
    Error::new(codes::ARGUMENT_OUT_OF_BOUND, message)
}

fn combined(name: &str, wide: bool, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    some_arguments(name, args)?;
    let precision = match args.params {
        [] => 17,
        [one] => one.as_u64().filter(|k| (12..=20).contains(k)).ok_or_else(|| {
            out_of_bound(format!(
                "Parameter for aggregate function {name} is out of range: [12, 20]"
            ))
        })? as u32,
        _ => {
            let message = format!("Aggregate function {name} requires one parameter or less");
            return Err(wrong_count(message));
        }
    };
    // The hash of a single string is kept whole.
    let wide = wide || matches!(args.types, [ty] if ty.is_string());
    let corrects_bias = precision == 17 && !wide;
    let exact = match (wide, corrects_bias) {
        (_, true) => 1 << 12,
        (false, _) => 1 << (precision - 4),
        (true, _) => 1 << (precision - 5),
    };
    let hash_bits = if wide { 64 } else { 32 };
    let shape = Shape { precision, hash_bits, corrects_bias };
    let width = if wide { 8 } else { 4 };
    FoldAggregate::boxed(Combined {
        shape,
        exact,
        width,
        plain: false,
        hashes: false,
        // A UInt128 is hashed as a whole.
        wide: is_wide(args.types) && *args.types[0].without_nullable() != DataType::UInt128,
    })
}

fn bind_combined(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    combined("uniqCombined", false, args)
}

fn bind_combined64(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    combined("uniqCombined64", true, args)
}

fn bind_hll12(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_no_params("uniqHLL12", args)?;
    some_arguments("uniqHLL12", args)?;
    let shape = Shape { precision: 12, hash_bits: 32, corrects_bias: false };
    // With several arguments, the hash of the row is not hashed again.
    let nested =
        |t: &DataType| matches!(t, DataType::Array(_) | DataType::Tuple(_) | DataType::Variant(_));
    let hashes = matches!(args.types, [one] if !nested(one));
    let width = key_width(args.types);
    let wide = is_wide(args.types);
    FoldAggregate::boxed(Combined { shape, exact: SMALL, width, plain: true, hashes, wide })
}

/// Distinct values up to a limit. Beyond it, only the fact that there are more is known.
#[derive(Clone, Debug)]
struct UpTo {
    limit: usize,
    /// Bytes of a key in states.
    width: usize,
}

impl UpTo {
    fn add(&self, keys: &mut Vec<u64>, key: u64) {
        if keys.len() <= self.limit && !keys.contains(&key) {
            keys.push(key);
        }
    }
}

impl Fold for UpTo {
    /// One key more than the limit stands for any larger number.
    type State = Vec<u64>;

    fn init(&self) -> Vec<u64> {
        Vec::new()
    }

    fn return_type(&self) -> DataType {
        DataType::UInt64
    }

    fn update(&self, states: &mut [Vec<u64>], args: &[Column], groups: &[u32]) -> Result<()> {
        let keys = match args {
            [one] => exact_keys(&one.full(), groups.len())?,
            _ => hash_rows(args, groups.len())?.0,
        };
        for (key, &group) in keys.into_iter().zip(groups) {
            self.add(&mut states[group as usize], key);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Vec<u64>, from: &mut Vec<u64>) -> Result<()> {
        if from.len() > self.limit {
            *into = std::mem::take(from);
        }
        from.iter().for_each(|&key| self.add(into, key));
        Ok(())
    }

    fn write(&self, state: &Vec<u64>, out: &mut Vec<u8>) {
        out.push(state.len() as u8);
        if state.len() <= self.limit {
            let bytes = state.iter().map(|key| key.to_le_bytes());
            bytes.for_each(|bytes| out.extend_from_slice(&bytes[..self.width]));
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Vec<u64>> {
        let count = usize::from(u8::get(input)?);
        if count > self.limit {
            return Ok((0..=self.limit as u64).collect());
        }
        (0..count).map(|_| read_key(input, self.width)).collect()
    }

    fn finish(&self, states: &mut [Vec<u64>]) -> Result<Column> {
        Ok(states.iter().map(|s| s.len() as u64).collect::<Vec<_>>().into())
    }

    fn heap(&self, state: &Vec<u64>) -> usize {
        state.capacity() * 8
    }
}

fn bind_up_to(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    some_arguments("uniqUpTo", args)?;
    let limit = match args.params {
        [] => 10,
        [one] => Value::as_u64(one).filter(|&n| n <= 100).ok_or_else(|| {
            out_of_bound(
                "Too large parameter for aggregate function uniqUpTo. Maximum: 100".to_string(),
            )
        })?,
        _ => return Err(wrong_count("Aggregate function uniqUpTo requires one parameter or less")),
    };
    FoldAggregate::boxed(UpTo { limit: limit as usize, width: key_width(args.types) })
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "uniqHLL12",
        description: "Number of distinct values, estimated by HyperLogLog with 4,096 buckets.",
        examples: &[("SELECT uniqHLL12(number % 7) FROM numbers(100)", "7")],
        plain_over_nulls: true,
        bind: bind_hll12,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "uniqCombined",
        description: "Number of distinct values, exact up to 4,096, then estimated by HyperLogLog \
                      with 2^17 buckets, or as the parameter says.",
        examples: &[("SELECT uniqCombined(number % 70) FROM numbers(100)", "70")],
        bind: bind_combined,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "uniqCombined64",
        description: "Like uniqCombined, with 64-bit hashes.",
        examples: &[("SELECT uniqCombined64(number % 70) FROM numbers(100)", "70")],
        bind: bind_combined64,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "uniqUpTo",
        description: "Number of distinct values if it is at most n, otherwise n + 1, where n is \
                      the parameter.",
        examples: &[("SELECT uniqUpTo(3)(number) FROM numbers(10)", "4")],
        plain_over_nulls: true,
        bind: bind_up_to,
        ..AggregateDef::DEFAULT
    },
];
