//! Made-up rows of any types: the engine GenerateRandom and the table function `generateRandom`.
//!
//! A morsel is computed from the seed and its number only, so that equal seeds give equal rows,
//! whichever worker computes them and however long the chunks are. The values are not those of the
//! reference for the same seed.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::events::Event;
use entasis_base::{Error, Result, codes, scope};
use entasis_column::column::Native;
use entasis_column::{Bitmap, Chunk, Column, ColumnBuilder, FixedStrings, StringsBuilder};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{ScanSpec, Schema, Snapshot, Table};
use entasis_types::{CastTo, DataType, Physical, Value, i256, u256};

use crate::raw::{self, RawReader, RawRows};
use crate::values;

/// Most rows of a morsel, and about how many values it may have.
const MORSEL: usize = 8192;
const VALUES: usize = 1 << 20;
/// Most bytes of a string, and most elements of an array.
const LONGEST: u64 = 1 << 24;

/// Seed and lengths.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    seed: u64,
    max_string: usize,
    max_array: usize,
}

impl Shape {
    /// Reads `[seed[, max_string_length[, max_array_length]]]`; `of` names the owner in messages.
    pub fn parse(of: &str, args: &[Value]) -> Result<Self> {
        if args.len() > 3 {
            let message = format!(
                "{of} requires at most three arguments: random_seed, max_string_length, \
                 max_array_length"
            );
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        }
        let number = |at: usize, name: &str| match args.get(at) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::UInt(number)) => Ok(Some(*number)),
            Some(_) => {
                let message = format!("{of}: argument '{name}' must be a literal with type UInt64");
                Err(Error::new(codes::BAD_ARGUMENTS, message))
            }
        };
        let length = |at: usize, name: &str| match number(at, name)?.unwrap_or(10) {
            length if length > LONGEST => {
                let message = format!("{of}: {name} is {length}, at most {LONGEST} are allowed");
                Err(Error::new(codes::BAD_ARGUMENTS, message))
            }
            length => Ok(length as usize),
        };
        Ok(Self {
            seed: number(0, "random_seed")?.unwrap_or_else(|| RandomState::new().hash_one(0)),
            max_string: length(1, "max_string_length")?,
            max_array: length(2, "max_array_length")?,
        })
    }
}

/// The table function `generateRandom('structure'[, seed[, max_string[, max_array]]])`.
pub fn generate_random(args: &[Value]) -> Result<Arc<dyn Table>> {
    let name = "Table function 'generateRandom'";
    if args.len() > 4 {
        let message = format!(
            "{name} requires at most four arguments: structure, random_seed, max_string_length, \
             max_array_length"
        );
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let Some(Value::String(structure)) = args.first() else {
        let error = Error::not_implemented(format!("{name} without a structure"));
        return Err(error.append(": give one as the first argument, as in 'a UInt8, b String'"));
    };
    let schema = values::parse_structure(&String::from_utf8_lossy(structure))?;
    Ok(Random::new("GenerateRandom", schema, Shape::parse(name, &args[1..])?)?)
}

/// An endless table of made-up rows.
pub struct Random {
    engine: &'static str,
    schema: Arc<Schema>,
    shape: Shape,
}

impl Random {
    /// A table with these columns. Fails for types of which no values can be made up.
    pub fn new(engine: &'static str, schema: Arc<Schema>, shape: Shape) -> Result<Arc<Self>> {
        schema.stored().iter().try_for_each(|column| check(&column.ty))?;
        Ok(Arc::new(Self { engine, schema, shape }))
    }
}

fn check(ty: &DataType) -> Result<()> {
    match ty {
        DataType::AggregateFunction(_) | DataType::Nothing => {
            let error = Error::not_implemented(format!("Random values of the type {ty}"));
            Err(error.append(": leave the column out"))
        }
        DataType::LowCardinality(inner)
        | DataType::Map(inner)
        | DataType::Nested(inner)
        | DataType::Nullable(inner)
        | DataType::Array(inner) => check(inner),
        DataType::Tuple(tuple) => tuple.types.iter().try_for_each(check),
        DataType::Variant(types) => types.iter().try_for_each(check),
        _ => Ok(()),
    }
}

/// About how many values a row of this type has.
fn weight(ty: &DataType, shape: &Shape) -> usize {
    match ty {
        DataType::LowCardinality(inner) | DataType::Nullable(inner) => weight(inner, shape),
        DataType::Array(inner) => 1 + shape.max_array.saturating_mul(weight(inner, shape)),
        DataType::Map(inner) | DataType::Nested(inner) => weight(inner, shape),
        DataType::Tuple(tuple) => tuple.types.iter().map(|ty| weight(ty, shape)).sum(),
        DataType::Variant(types) => types.iter().map(|ty| weight(ty, shape)).sum(),
        DataType::String => 1 + shape.max_string / 8,
        DataType::FixedString(width) => 1 + *width as usize / 8,
        _ => 1,
    }
}

impl Table for Random {
    fn engine(&self) -> &'static str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (schema, shape) = (Arc::clone(&self.schema), self.shape);
        Ok(Arc::new(Rows { schema, shape, next: Arc::default() }))
    }
}

#[derive(Clone)]
struct Rows {
    schema: Arc<Schema>,
    shape: Shape,
    /// The first morsel that no reader has taken.
    next: Arc<AtomicU64>,
}

impl Snapshot for Rows {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn is_endless(&self) -> bool {
        true
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let rows = Self { next: Arc::default(), ..self.clone() };
        raw::scan(Arc::new(rows), spec, context)
    }
}

impl RawRows for Rows {
    fn name(&self) -> String {
        "GenerateRandom".to_string()
    }

    fn event(&self) -> Event {
        Event::GeneratedRowsRead
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let all = self.schema.stored().iter().map(|column| weight(&column.ty, &self.shape));
        let morsel = (VALUES / all.sum::<usize>().max(1)).clamp(1, MORSEL);
        let (rows, columns) = (self.clone(), columns.to_vec());
        Ok(Box::new(RandomReader { rows, columns, morsel, max_rows: max_rows.max(1), left: None }))
    }
}

struct RandomReader {
    rows: Rows,
    columns: Vec<usize>,
    /// Rows of a morsel.
    morsel: usize,
    max_rows: usize,
    /// The current morsel, its number, and its first row that was not returned yet.
    left: Option<(Chunk, u64, usize)>,
}

impl RawReader for RandomReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        scope::check()?;
        let (chunk, sequence, start) = match self.left.take() {
            Some(left) => left,
            None => {
                let sequence = self.rows.next.fetch_add(1, Ordering::Relaxed);
                (self.made_up(sequence)?, sequence, 0)
            }
        };
        let rows = self.max_rows.min(chunk.rows - start);
        let piece = chunk.slice(start, rows);
        if start + rows < chunk.rows {
            self.left = Some((chunk, sequence, start + rows));
        }
        Ok(Some(Morsel { sequence, chunk: piece }))
    }
}

impl RandomReader {
    fn made_up(&self, sequence: u64) -> Result<Chunk> {
        let Shape { seed, .. } = self.rows.shape;
        let column = |&position: &usize| {
            let mut random = Generator(seed);
            random.0 ^= random.number() ^ sequence;
            random.0 = random.number() ^ position as u64;
            random.number();
            made_up(
                &self.rows.schema.columns[position].ty,
                self.morsel,
                &mut random,
                &self.rows.shape,
            )
        };
        let columns = self.columns.iter().map(column).collect::<Result<_>>()?;
        Ok(Chunk::new(columns, self.morsel))
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Generator(u64);

/// The distance of two states of the generator.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number that belongs to a state.
#[inline(always)]
fn mixed(state: u64) -> u64 {
    let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

impl Generator {
    #[inline]
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// The next numbers, all at once: the states are known, so that this is a loop of vectors.
    fn words(&mut self, count: usize) -> Vec<u64> {
        let (start, mut words) = (self.0, vec![0; count]);
        for (i, word) in words.iter_mut().enumerate() {
            *word = mixed(start.wrapping_add(STEP.wrapping_mul(i as u64 + 1)));
        }
        self.0 = start.wrapping_add(STEP.wrapping_mul(count as u64));
        words
    }

    /// A column of values, `PER` of which take the bits of one number.
    fn parts<T: Native, const PER: usize>(&mut self, rows: usize, of: fn(u64) -> T) -> Column {
        let mut values = Vec::with_capacity(rows.next_multiple_of(PER));
        for word in self.words(rows.div_ceil(PER)) {
            let part: [T; PER] = std::array::from_fn(|k| of(word >> (64 / PER * k)));
            values.extend_from_slice(&part);
        }
        values.truncate(rows);
        T::column(values.into())
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.number()) << 64 | u128::from(self.number())
    }

    /// A number from 0 to `most`.
    fn up_to(&mut self, most: usize) -> usize {
        (self.number() % (most as u64 + 1)) as usize
    }
}

fn numbers<T: Native>(rows: usize, mut number: impl FnMut() -> T) -> Column {
    T::column((0..rows).map(|_| number()).collect::<Vec<T>>().into())
}

fn made_up(ty: &DataType, rows: usize, random: &mut Generator, shape: &Shape) -> Result<Column> {
    scope::check()?;
    Ok(match ty {
        DataType::Bool => numbers(rows, || (random.number() & 1) as u8),
        DataType::Enum(of) => {
            let mut number = || of.values[random.up_to(of.values.len() - 1)].0;
            match of.wide {
                true => numbers(rows, number),
                false => numbers(rows, || number() as i8),
            }
        }
        // From 1900 to 2299, as the type allows.
        DataType::Date32 => numbers(rows, || random.up_to(146_000) as i32 - 25_567),
        DataType::DateTime64(scale, _) => {
            let second = 10u64.pow(u32::from(*scale));
            let most = (u64::from(u32::MAX)).saturating_mul(second).min(i64::MAX as u64);
            numbers(rows, || (random.number() % most) as i64)
        }
        DataType::Decimal(precision, _) => decimals(ty, *precision, rows, random),
        DataType::LowCardinality(inner) | DataType::Map(inner) | DataType::Nested(inner) => {
            made_up(inner, rows, random, shape)?
        }
        DataType::SimpleAggregateFunction(of) => made_up(&of.args[0], rows, random, shape)?,
        DataType::Nullable(inner) => {
            let values = made_up(inner, rows, random, shape)?;
            let valid = Bitmap::from_fn(rows, |_| random.number() % 16 != 0);
            let empty = Column::default_of(inner, 1);
            // The reference, too, has default values under NULL.
            let picks: Vec<u32> =
                (0..rows).map(|row| if valid.get(row) { row } else { rows } as u32).collect();
            let values = Column::concat(&[&values, &empty]).take(&picks);
            Column::nullable(values, valid)
        }
        DataType::Array(inner) => {
            let mut offsets = Vec::with_capacity(rows + 1);
            let mut end = 0;
            offsets.push(0u32);
            for _ in 0..rows {
                end += random.up_to(shape.max_array) as u32;
                offsets.push(end);
            }
            Column::array(offsets.into(), made_up(inner, end as usize, random, shape)?)
        }
        DataType::Tuple(tuple) => {
            let types = tuple.types.iter();
            let columns =
                types.map(|ty| made_up(ty, rows, random, shape)).collect::<Result<_>>()?;
            Column::tuple(columns, rows)
        }
        DataType::Variant(types) => {
            let columns = types.iter().map(|ty| made_up(ty, rows, random, shape));
            let columns = columns.collect::<Result<Vec<Column>>>()?;
            let mut builder = ColumnBuilder::new(ty, rows);
            for row in 0..rows {
                let alternative = random.up_to(types.len() - 1);
                let value = Arc::new(columns[alternative].value(row));
                builder.push_value(ty, &Value::Variant(alternative as u8, value));
            }
            builder.finish()
        }
        plain => of_layout(plain.physical(), rows, random, shape)?,
    })
}

/// Decimals with all digits that the precision allows.
fn decimals(ty: &DataType, precision: u8, rows: usize, random: &mut Generator) -> Column {
    let most = 10i128.pow(u32::from(precision));
    // The upper half of a product with a random number is evenly distributed below the factor,
    // here the number of values that the precision allows.
    let values = 2 * most as u128 - 1;
    let below = |bits: u64| ((u128::from(bits) * values) >> 64) as i128 - (most - 1);
    match ty.physical() {
        Physical::Int32 => numbers(rows, || below(random.number()) as i32),
        Physical::Int64 => numbers(rows, || below(random.number()) as i64),
        _ => numbers(rows, || random.wide() as i128 % most),
    }
}

/// Values that may have any bits.
fn of_layout(
    physical: Physical,
    rows: usize,
    random: &mut Generator,
    shape: &Shape,
) -> Result<Column> {
    Ok(match physical {
        Physical::UInt8 => random.parts::<u8, 8>(rows, |bits| bits as u8),
        Physical::UInt16 => random.parts::<u16, 4>(rows, |bits| bits as u16),
        Physical::UInt32 => random.parts::<u32, 2>(rows, |bits| bits as u32),
        Physical::UInt64 => Column::UInt64(random.words(rows).into()),
        Physical::UInt128 => numbers(rows, || random.wide()),
        Physical::UInt256 => numbers(rows, || {
            let high: u256 = random.wide().cast_to();
            let low: u256 = random.wide().cast_to();
            (high << 128) | low
        }),
        Physical::Int8 => random.parts::<i8, 8>(rows, |bits| bits as i8),
        Physical::Int16 => random.parts::<i16, 4>(rows, |bits| bits as i16),
        Physical::Int32 => random.parts::<i32, 2>(rows, |bits| bits as i32),
        Physical::Int64 => random.parts::<i64, 1>(rows, |bits| bits as i64),
        Physical::Int128 => numbers(rows, || random.wide() as i128),
        Physical::Int256 => numbers(rows, || {
            let high: i256 = (random.wide() as i128).cast_to();
            let low: i256 = random.wide().cast_to();
            (high << 128) | low
        }),
        Physical::Float32 => numbers(rows, || f32::from_bits(finite(random) as u32)),
        Physical::Float64 => numbers(rows, || {
            let bits = u64::from(finite(random)) << 32 | random.number() & 0xFFFF_FFFF;
            f64::from_bits(bits)
        }),
        Physical::Fixed(width) => {
            let size = rows * width as usize;
            let words = random.words(size.div_ceil(8));
            let mut data: Vec<u8> = Vec::with_capacity(8 * words.len());
            words.iter().for_each(|word| data.extend_from_slice(&word.to_le_bytes()));
            data.truncate(size);
            Column::Fixed(FixedStrings { width: width as usize, data: data.into() })
        }
        Physical::String => {
            let mut strings = StringsBuilder::with_capacity(rows, rows * shape.max_string / 2);
            let mut text = Vec::new();
            for _ in 0..rows {
                let length = random.up_to(shape.max_string);
                strings.check_room(length)?;
                text.clear();
                // Printable characters of ASCII.
                text.extend((0..length).map(|_| 32 + (random.number() % 95) as u8));
                strings.push(&text);
            }
            Column::String(strings.finish())
        }
        Physical::Nothing
        | Physical::Nullable
        | Physical::Array
        | Physical::Tuple
        | Physical::Variant => return Err(Error::logical("random values of a nested layout")),
    })
}

/// Bits of the upper half of a number that is neither infinite nor NaN.
fn finite(random: &mut Generator) -> u32 {
    loop {
        let bits = random.number() as u32;
        if bits >> 20 & 0x7FF != 0x7FF && f32::from_bits(bits).is_finite() {
            return bits;
        }
    }
}
