//! `transform`: looking values up in a constant list.

use std::collections::HashMap;

use entasis_base::{Error, Result, codes};
use entasis_column::hash::{DenseTable, FixedTable};
use entasis_column::{Column, match_number};
use entasis_simd::blend::{Lanes, blend_into};
use entasis_types::{DataType, Value, common_type_of_two};

use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Properties};
use entasis_function_kernel::layout::each_bytes;

/// Position in the list by value.
#[derive(Default)]
struct Lookup {
    numbers: Numbers,
    strings: HashMap<Vec<u8>, u32>,
    null: Option<u32>,
}

/// Positions by number.
#[derive(Default)]
struct Numbers {
    table: Table,
    /// The position of each number of the table.
    positions: Vec<u32>,
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
        let mut positions = Vec::new();
        for (&id, &at) in ids.iter().zip(at) {
            if id as usize == positions.len() {
                positions.push(at);
            }
        }
        Self { table, positions }
    }

    /// The positions of some numbers; [`MISSING`] where a number is not in the list.
    fn find(&self, wanted: &[u64]) -> Vec<u32> {
        let mut found = Vec::with_capacity(wanted.len());
        match &self.table {
            Table::Dense(table) => table.find_all(wanted, &mut found),
            Table::Hash(table) => {
                let mut hashes = Vec::new();
                FixedTable::hash_all(wanted, &mut hashes);
                table.find_all(wanted, &hashes, &mut found);
            }
        }
        let position = |id: &u32| self.positions.get(*id as usize).copied().unwrap_or(MISSING);
        found.iter().map(position).collect()
    }
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
        let (numbers, bytes) = (keys(values), Self::bytes(values));
        let (mut known, mut places) = (Vec::new(), Vec::new());
        for i in 0..column.len() {
            let at = i as u32;
            if validity.is_some_and(|v| !v.get(i)) {
                lookup.null.get_or_insert(at);
            } else if let Some(numbers) = &numbers {
                known.push(numbers[i]);
                places.push(at);
            } else {
                lookup.strings.entry(bytes[i].clone()).or_insert(at);
            }
        }
        lookup.numbers = Numbers::of(&known, &places);
        lookup
    }

    fn bytes(column: &Column) -> Vec<Vec<u8>> {
        let mut all = Vec::with_capacity(column.len());
        each_bytes(column, |bytes| all.push(bytes.to_vec()));
        all
    }

    /// Position of every row's value; [`MISSING`] if it has none.
    fn find(&self, column: &Column) -> Vec<u32> {
        let (validity, values) = column.split_nullable();
        let mut found: Vec<u32> = match keys(values) {
            Some(numbers) => self.numbers.find(&numbers),
            None => {
                let mut found = Vec::with_capacity(values.len());
                each_bytes(values, |bytes| {
                    found.push(self.strings.get(bytes).copied().unwrap_or(MISSING));
                });
                found
            }
        };
        if let Some(validity) = validity {
            let null = self.null.unwrap_or(MISSING);
            blend_into(validity.not().words(), Lanes::One(null), &mut found);
        }
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
    Ok(BoundKernel::new(result, move |args, rows| {
        let default = cast(&args[at])?;
        let found = lookup.find(&args[0].full());
        let base = to.len();
        let (rest, step) = match default.as_const() {
            Some(value) => (value.clone(), 0),
            None => (default.clone(), 1),
        };
        let both = Column::concat(&[&to, &rest]);
        let indices: Vec<u32> = found
            .iter()
            .enumerate()
            .map(|(i, &found)| if found == MISSING { (base + i * step) as u32 } else { found })
            .collect();
        debug_assert_eq!(indices.len(), rows);
        Ok(both.take(&indices))
    }))
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
