//! `transform`: looking values up in a constant list.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::hash::{BytesTable, DenseTable, FixedTable};
use entasis_column::{Column, Strings, match_number};
use entasis_simd::blend::{Lanes, blend_into};
use entasis_simd::hash::hash_bytes;
use entasis_types::{DataType, Value, common_type_of_two};

use super::choose::dictionary;
use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Properties};
use entasis_function_kernel::layout::each_bytes;

/// Position in the list by value.
#[derive(Default)]
struct Lookup {
    numbers: Numbers,
    /// Strings of at most 7 bytes by their [`short_key`], if all are that short.
    short: Option<Numbers>,
    strings: BytesTable,
    /// The position of each string of the table.
    positions: Vec<u32>,
    null: Option<u32>,
}

/// Positions by number.
#[derive(Default)]
struct Numbers {
    table: Table,
    /// The position of each number of the table.
    positions: Vec<u32>,
    /// Numbers and positions, if there are only a few.
    few: Vec<(u64, u32)>,
}

/// The numbers of a list.
enum Table {
    Dense(DenseTable),
    Hash(FixedTable<u64>),
}

impl Default for Table {
    fn default() -> Self {
        Self::Dense(DenseTable::default())
    }
}

/// So many numbers are compared one after the other, which is a loop of vectors.
const FEW: usize = 8;

/// Rows whose positions stay in the first-level cache.
const BLOCK: usize = 1024;

impl Numbers {
    /// Of numbers and their positions. The first position of a number counts.
    fn of(numbers: &[u64], at: &[u32]) -> Self {
        let (mut dense, mut ids) = (DenseTable::default(), Vec::new());
        let table = match dense.find_or_add_all(numbers, &mut ids) {
            true => Table::Dense(dense),
            false => {
                let (mut table, mut hashes) = (FixedTable::default(), Vec::new());
                FixedTable::hash_all(numbers, &mut hashes);
                table.find_or_add_all(numbers, &hashes, &mut ids);
                Table::Hash(table)
            }
        };
        let (mut positions, mut all) = (Vec::new(), Vec::new());
        for ((&id, &at), &number) in ids.iter().zip(at).zip(numbers) {
            if id as usize == positions.len() {
                positions.push(at);
                all.push((number, at));
            }
        }
        let few = if all.len() <= FEW { all } else { Vec::new() };
        Self { table, positions, few }
    }

    /// The positions of some numbers; `missing` where a number is not in the list.
    fn find(&self, wanted: &[u64], missing: u32) -> Vec<u32> {
        if !self.few.is_empty() {
            return self.find_few(wanted, missing);
        }
        let mut found = Vec::with_capacity(wanted.len());
        match &self.table {
            Table::Dense(table) => table.find_all(wanted, &mut found),
            Table::Hash(table) => {
                let mut hashes = Vec::new();
                FixedTable::hash_all(wanted, &mut hashes);
                table.find_all(wanted, &hashes, &mut found);
            }
        }
        let position = |id: &u32| self.positions.get(*id as usize).copied().unwrap_or(missing);
        found.iter().map(position).collect()
    }

    fn find_few(&self, wanted: &[u64], missing: u32) -> Vec<u32> {
        let mut found = vec![missing; wanted.len()];
        for (found, wanted) in found.chunks_mut(BLOCK).zip(wanted.chunks(BLOCK)) {
            for &(number, at) in &self.few {
                for (found, &wanted) in found.iter_mut().zip(wanted) {
                    *found = if wanted == number { at } else { *found };
                }
            }
        }
        found
    }

    /// As [`Self::find`], for bytes: by a table of all of them.
    fn find_bytes(&self, wanted: &[u8], missing: u32) -> Vec<u32> {
        let all: [u64; 256] = std::array::from_fn(|byte| byte as u64);
        let mut table = [missing; 256];
        table.copy_from_slice(&self.find(&all, missing));
        wanted.iter().map(move |&byte| table[usize::from(byte)]).collect()
    }
}

/// The bytes of a string of at most 7, and their number in the highest byte. Longer strings have a
/// key that no short one has.
#[inline(always)]
fn short_key(data: &[u8], start: usize, len: usize) -> u64 {
    if len > 7 {
        return u64::MAX;
    }
    let bytes = match data[start..].first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes) & ((1 << (8 * len)) - 1),
        None => {
            let own = data[start..start + len].iter().rev();
            own.fold(0, |bytes, byte| bytes << 8 | u64::from(*byte))
        }
    };
    bytes | (len as u64) << 56
}

/// The keys of all strings.
fn short_keys(strings: &Strings) -> Vec<u64> {
    let (offsets, data) = (strings.offsets(), strings.data());
    let key = |w: &[u32]| short_key(data, w[0] as usize, (w[1] - w[0]) as usize);
    offsets.windows(2).map(key).collect()
}

/// Stands for the position of a value that is not in the list.
const MISSING: u32 = u32::MAX;

/// A number's bits, equal for equal numbers of one type.
trait Key: Copy {
    fn key(self) -> u64;
}

macro_rules! keys {
    ($($ty:ty),*) => {$(
        impl Key for $ty {
            fn key(self) -> u64 {
                self as u64
            }
        }
    )*};
}

keys!(u8, u16, u32, u64, i8, i16, i32, i64);

impl Key for f32 {
    fn key(self) -> u64 {
        f64::from(self).key()
    }
}

impl Key for f64 {
    fn key(self) -> u64 {
        (self + 0.0).to_bits() // -0 becomes 0
    }
}

/// Keys of a full column's rows, for numbers of at most 64 bits; others are found by their bytes.
fn keys(column: &Column) -> Option<Vec<u64>> {
    match_number!(column, values => Some(values.iter().map(|v| v.key()).collect()), _ => None)
}

impl Lookup {
    fn new(column: &Column) -> Self {
        let mut lookup = Self::default();
        let (validity, values) = column.split_nullable();
        let (mut places, mut ids) = (Vec::new(), Vec::new());
        for i in 0..column.len() {
            if validity.is_some_and(|v| !v.get(i)) {
                lookup.null.get_or_insert(i as u32);
            } else {
                places.push(i as u32);
            }
        }
        let values = values.take(&places);
        if let Some(numbers) = keys(&values) {
            lookup.numbers = Numbers::of(&numbers, &places);
            return lookup;
        }
        if let Column::String(strings) = &values
            && strings.iter().all(|s| s.len() <= 7)
        {
            lookup.short = Some(Numbers::of(&short_keys(strings), &places));
            return lookup;
        }
        each_bytes(&values, |s| ids.push(lookup.strings.find_or_add(s, hash_bytes(s))));
        for (&id, &at) in ids.iter().zip(&places) {
            if id as usize == lookup.positions.len() {
                lookup.positions.push(at);
            }
        }
        lookup
    }

    /// Position of every row's value; `missing` if it has none.
    fn find(&self, column: &Column, missing: u32) -> Vec<u32> {
        let (validity, values) = column.split_nullable();
        let mut found: Vec<u32> = match (values, &self.short) {
            (Column::String(strings), Some(short)) => short.find(&short_keys(strings), missing),
            (Column::UInt8(bytes), _) => self.numbers.find_bytes(bytes, missing),
            _ => match keys(values) {
                Some(numbers) => self.numbers.find(&numbers, missing),
                None => self.find_strings(values, missing),
            },
        };
        if let Some(validity) = validity {
            let null = self.null.unwrap_or(missing);
            blend_into(validity.not().words(), Lanes::One(null), &mut found);
        }
        found
    }

    fn find_strings(&self, values: &Column, missing: u32) -> Vec<u32> {
        let mut found = Vec::with_capacity(values.len());
        each_bytes(values, |bytes| {
            let id = self.strings.find(bytes, hash_bytes(bytes)) as usize;
            found.push(self.positions.get(id).copied().unwrap_or(missing));
        });
        found
    }
}

fn constant_array(arg: &Arg) -> Result<(&DataType, &[Value])> {
    match (&arg.ty, &arg.constant) {
        (DataType::Array(element), Some(Value::Array(items))) => Ok((&**element, items)),
        (ty, _) => {
            let message = format!(
                "Second and third arguments of function transform must be constant arrays, got {ty}"
            );
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn bind(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let session = Session::of(context);
    let x = &args[0].ty;
    let (from_type, from) = constant_array(&args[1])?;
    let (to_type, to) = constant_array(&args[2])?;
    if from.len() != to.len() {
        let message =
            "Second and third arguments of function transform must be arrays of same size";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let default = args.get(3).map_or(x, |d| &d.ty);
    let result = common_type_of_two(to_type, default)?;
    let column = |ty: &DataType, items: &[Value], target: &DataType| -> Result<Column> {
        let array = Value::Array(items.into());
        let column = Column::from_value(&DataType::array(ty.clone()), &array, 1).full();
        let Column::Array(array) = column else { return Ok(Column::default_of(target, 0)) };
        Ok(cast::bind(ty, target, session)?(&array.flat().1)?.full())
    };
    if x.is_null_literal() || from.is_empty() {
        let cast = cast::bind(default, &result, session)?;
        let at = if args.len() > 3 { 3 } else { 0 };
        return Ok(BoundKernel::new(result, move |args, _| cast(&args[at])));
    }
    let lookup = Lookup::new(&column(from_type, from, x)?);
    let to = column(to_type, to, &result)?;
    let cast = cast::bind(default, &result, session)?;
    let at = if args.len() > 3 { 3 } else { 0 };
    let base = to.len();
    if let Some(constant) = args.get(3).and_then(|d| d.constant.as_ref())
        && is_worth_a_dictionary(&result)
    {
        let rest = cast(&Column::from_value(default, constant, 1))?.full();
        let all = dictionary(&[to, rest]);
        return Ok(BoundKernel::new(result, move |args, _| {
            let codes = lookup.find(&args[0].full(), base as u32);
            Ok(Column::dict(codes.into(), Arc::clone(&all)))
        }));
    }
    Ok(BoundKernel::new(result, move |args, rows| {
        let default = cast(&args[at])?;
        if let Some(rest) = default.as_const() {
            let found = lookup.find(&args[0].full(), base as u32);
            return Ok(Column::concat(&[&to, rest]).take(&found));
        }
        let found = lookup.find(&args[0].full(), MISSING);
        let both = Column::concat(&[&to, &default]);
        let own = |(i, &found): (usize, &u32)| match found {
            MISSING => (base + i) as u32,
            found => found,
        };
        let indices: Vec<u32> = found.iter().enumerate().map(own).collect();
        debug_assert_eq!(indices.len(), rows);
        Ok(both.take(&indices))
    }))
}

/// Whether values are larger than the numbers of a dictionary.
fn is_worth_a_dictionary(ty: &DataType) -> bool {
    let plain = ty.without_nullable();
    !plain.is_native_number() && !plain.is_date_or_time() && *plain != DataType::Nothing
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "transform",
    properties: Properties::NEVER_FOLDED,
    description: "Replaces a value found in the second argument by the value at the same place of \
                  the third; others become the fourth argument, or stay.",
    examples: &[
        ("transform(2, [1, 2], ['one', 'two'], 'other')", "two"),
        ("transform(3, [1, 2], [10, 20])", "3"),
    ],
    nulls: Nulls::Custom,
    arity: (3, 4),
    bind,
    ..FunctionDef::DEFAULT
}];
