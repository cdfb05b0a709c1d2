//! Functions that make arrays: array, range, arrayWithConstant, emptyArray*.

use entasis_base::scope::Ticker;
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, match_physical};
use entasis_types::{DataType, common_type};

use super::blocks::{Steps, counted, interleaved, room};
use super::lists::{Common, element_type};
use entasis_function::{
    Arg, BoundKernel, BranchKind, Fails, FunctionContext, FunctionDef, Nulls, Properties,
};
use entasis_function_kernel::kernel::{Number, Side, illegal_type};

/// Elements that one call may make.
const MOST_ELEMENTS: u64 = 500_000_000;

#[cold]
fn too_large(function: &str, most: u64) -> Error {
    let message = format!(
        "A call to function {function} would produce more array elements than the allowed maximum \
         of {most}"
    );
    Error::new(codes::ARGUMENT_OUT_OF_BOUND, message)
}

fn array(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let types: Vec<DataType> = args.iter().map(|a| a.ty.clone()).collect();
    let element = context.type_of_branches(&types)?;
    let common = Common::to(element, &types, context)?;
    let count = args.len();
    let element = common.ty.clone();
    Ok(BoundKernel::new(DataType::array(element.clone()), move |args, rows| {
        let offsets: Vec<u32> = (0..=rows).map(|i| (i * count) as u32).collect();
        if count == 0 {
            return Ok(Column::array(offsets.into(), Column::default_of(&element, 0)));
        }
        let columns =
            args.iter().enumerate().map(|(k, a)| common.cast(k, a)).collect::<Result<Vec<_>>>()?;
        let numbers = match_physical!(element.physical(),
            T => interleaved::<T>(&columns, rows).map(Column::from), _ => None);
        if let Some(numbers) = numbers {
            return Ok(Column::array(offsets.into(), numbers));
        }
        let columns: Vec<Column> = columns.iter().map(Column::full).collect();
        let all = Column::concat(&columns.iter().collect::<Vec<_>>());
        if count == 1 {
            return Ok(Column::array(offsets.into(), all));
        }
        let indices: Vec<u32> =
            (0..rows).flat_map(|i| (0..count).map(move |k| (k * rows + i) as u32)).collect();
        Ok(Column::array(offsets.into(), all.take(&indices)))
    }))
}

/// The first number, the distance and the count of every row's numbers.
struct Spans {
    starts: Side<i64>,
    steps: Side<i64>,
    /// Ends of the lists, after a leading 0.
    ends: Vec<u32>,
}

/// Reads the arguments of `range`; fails if the lists have more than `most` elements together.
fn spans(args: &[Column], rows: usize, most: u64) -> Result<Spans> {
    let unsigned: Vec<bool> = args
        .iter()
        .map(|column| matches!(column.physical(), entasis_types::Physical::UInt64))
        .collect();
    let sides = args.iter().map(Side::<i64>::read).collect::<Result<Vec<_>>>()?;
    let wide = |k: usize, i: usize| match unsigned[k] {
        true => i128::from(sides[k].get(i) as u64),
        false => i128::from(sides[k].get(i)),
    };
    if let [end] = &sides[..] {
        if !unsigned[0] && end.any(|end| end < 0) {
            let message = "A call to function range overflows, only support positive values when \
                           only end is provided";
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
        return Ok(Spans {
            starts: Side::One(0),
            steps: Side::One(1),
            ends: sums(end, rows, most)?,
        });
    }
    let mut ends = Vec::with_capacity(rows + 1);
    ends.push(0u32);
    let mut total = 0u64;
    let mut add = |count: u64| {
        total = total.saturating_add(count);
        ends.push(total as u32);
        if total > most { Err(too_large("range", most)) } else { Ok(()) }
    };
    for i in 0..rows {
        let (start, end) = (wide(0, i), wide(1, i));
        let step = if args.len() > 2 { wide(2, i) } else { 1 };
        if step == 0 {
            let message = "A call to function range underflows, the 3rd argument step can't be \
                           less or equal to zero";
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
        let span = if step > 0 { end - start } else { start - end };
        let count = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
        add(count.min(1 << 40) as u64)?;
    }
    let mut sides = sides.into_iter();
    let starts = sides.next().unwrap_or(Side::One(0));
    Ok(Spans { starts, steps: sides.nth(1).unwrap_or(Side::One(1)), ends })
}

/// Ends of lists of these lengths, after a leading 0; fails if they are longer than `most`
/// together.
fn sums(counts: &Side<i64>, rows: usize, most: u64) -> Result<Vec<u32>> {
    let mut ends = Vec::with_capacity(rows + 1);
    ends.push(0);
    let mut total = 0u64;
    let end = |count: i64| {
        total = total.saturating_add(count as u64);
        total as u32
    };
    match counts {
        Side::One(count) => ends.extend(std::iter::repeat_n(*count, rows).map(end)),
        Side::Many(counts) => ends.extend(counts.iter().copied().map(end)),
    }
    if total > most { Err(too_large("range", most)) } else { Ok(ends) }
}

fn numbers<T: Number>(
    args: &[Column],
    (rows, most): (usize, u64),
    to: impl Fn(u64) -> T + Copy,
    add: impl Fn(T, T) -> T + Copy,
) -> Result<Column> {
    let Spans { starts, steps, ends } = spans(args, rows, most)?;
    if args.len() == 1 {
        let values = counted(&ends, 0, to, add)?;
        return Ok(Column::array(ends.into(), T::column(values.into())));
    }
    let total = ends[rows] as usize;
    let mut values = room::<T>(total);
    let mut ticker = Ticker::default();
    // The numbers fit their type, so sums modulo 2^64 are exact.
    let steps_by = |step: u64| Steps::of(|k| to(step.wrapping_mul(k)));
    let mut step = 1;
    let mut own = steps_by(step);
    for i in 0..rows {
        let start = starts.get(i) as u64;
        if steps.get(i) as u64 != step {
            step = steps.get(i) as u64;
            own = steps_by(step);
        }
        let (begin, end) = (ends[i] as usize, ends[i + 1] as usize);
        let mut at = begin;
        while at < end {
            let until = end.min(at + (1 << 16));
            let before = (at - begin) as u64;
            let first = |k: u64| to(start.wrapping_add((before + k).wrapping_mul(step)));
            own.write(&mut values, at..until, first, add);
            ticker.tick(until - at)?;
            at = until;
        }
    }
    values.truncate(total);
    Ok(Column::array(ends.into(), T::column(values.into())))
}

fn range(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let most = context.setting("function_range_max_elements_in_block").and_then(|v| v.as_u64());
    let most = most.unwrap_or(MOST_ELEMENTS).min(MOST_ELEMENTS);
    for arg in args {
        if !arg.ty.is_native_integer() {
            return Err(illegal_type("range", &arg.ty));
        }
    }
    let types: Vec<DataType> = args.iter().map(|a| a.ty.clone()).collect();
    let element = common_type(&types)?;
    let ty = DataType::array(element.clone());
    Ok(BoundKernel::new(ty, move |args, rows| match element {
        DataType::UInt8 => numbers(args, (rows, most), |v| v as u8, u8::wrapping_add),
        DataType::UInt16 => numbers(args, (rows, most), |v| v as u16, u16::wrapping_add),
        DataType::UInt32 => numbers(args, (rows, most), |v| v as u32, u32::wrapping_add),
        DataType::UInt64 => numbers(args, (rows, most), |v| v as u64, u64::wrapping_add),
        DataType::Int8 => numbers(args, (rows, most), |v| v as i8, i8::wrapping_add),
        DataType::Int16 => numbers(args, (rows, most), |v| v as i16, i16::wrapping_add),
        DataType::Int32 => numbers(args, (rows, most), |v| v as i32, i32::wrapping_add),
        _ => numbers(args, (rows, most), |v| v as i64, i64::wrapping_add),
    }))
}

fn with_constant(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if !args[0].ty.is_native_integer() {
        return Err(illegal_type("arrayWithConstant", &args[0].ty));
    }
    Ok(BoundKernel::new(DataType::array(args[1].ty.clone()), |args, rows| {
        let count = Side::<i64>::read(&args[0])?;
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0u32);
        let mut total = 0u64;
        for i in 0..rows {
            let n = count.get(i);
            if n < 0 {
                let message = format!("Array size {n} cannot be negative");
                return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
            }
            total = total.saturating_add(n as u64);
            if total > MOST_ELEMENTS {
                return Err(too_large("arrayWithConstant", MOST_ELEMENTS));
            }
            ends.push(total as u32);
        }
        let values = args[1].replicate(&ends).full();
        Ok(Column::array(ends.into(), values))
    }))
}

fn replicate(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    for arg in &args[1..] {
        element_type("replicate", arg)?;
    }
    Ok(BoundKernel::new(DataType::array(args[0].ty.clone()), |args, _| {
        let flat = super::lists::Flat::of("replicate", &args[1..])?;
        let mut ends = vec![0u32];
        ends.extend(flat.ranges().map(|r| r.end as u32));
        let values = args[0].replicate(&ends).full();
        Ok(Column::array(ends.into(), values))
    }))
}

fn to_single(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let element = element_type("emptyArrayToSingle", &args[0])?.clone();
    Ok(BoundKernel::new(args[0].ty.clone(), move |args, rows| {
        let lists = super::lists::Lists::of(&args[0])?;
        let missing = lists.values().len() as u32;
        let (mut indices, mut ends) = (Vec::new(), vec![0u32]);
        for i in 0..rows {
            let range = lists.range(i);
            if range.is_empty() {
                indices.push(missing);
            }
            indices.extend(range.map(|k| k as u32));
            ends.push(indices.len() as u32);
        }
        Ok(super::lists::gather(ends, lists.values(), &indices, &element))
    }))
}

fn empty(element: DataType) -> BoundKernel {
    BoundKernel::new(DataType::array(element.clone()), move |_, rows| {
        Ok(Column::array(vec![0; rows + 1].into(), Column::default_of(&element, 0)))
    })
}

macro_rules! empty_arrays {
    ($($name:literal => $ty:expr),* $(,)?) => {
        &[$(FunctionDef {
            name: $name,
            description: "An empty array whose elements have the type in the function's name.",
            examples: &[(concat!($name, "()"), "[]")],
            arity: (0, 0),
            bind: |_, _| Ok(empty($ty)),
            ..FunctionDef::DEFAULT
        }),*]
    };
}

/// emptyArrayUInt8 and so on.
pub const EMPTY: &[FunctionDef] = empty_arrays![
    "emptyArrayUInt8" => DataType::UInt8,
    "emptyArrayUInt16" => DataType::UInt16,
    "emptyArrayUInt32" => DataType::UInt32,
    "emptyArrayUInt64" => DataType::UInt64,
    "emptyArrayInt8" => DataType::Int8,
    "emptyArrayInt16" => DataType::Int16,
    "emptyArrayInt32" => DataType::Int32,
    "emptyArrayInt64" => DataType::Int64,
    "emptyArrayFloat32" => DataType::Float32,
    "emptyArrayFloat64" => DataType::Float64,
    "emptyArrayDate" => DataType::Date,
    "emptyArrayDateTime" => DataType::DateTime(None),
    "emptyArrayString" => DataType::String,
];

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "array",
        branches: Some(BranchKind::Elements),
        low_cardinality: entasis_function::LowCardinality::Custom,
        description: "An array of the arguments, in their common type.",
        examples: &[("array(1, 300)", "[1,300]"), ("array()", "[]")],
        nulls: Nulls::Custom,
        bind: array,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "range",
        description: "An array of the whole numbers from start (0) up to, but without, end in \
                      steps of step (1).",
        examples: &[("range(3)", "[0,1,2]"), ("range(10, 0, -3)", "[10,7,4,1]")],
        properties: Properties { fails: Fails::Always, ..Properties::DEFAULT },
        arity: (1, 3),
        bind: range,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayWithConstant",
        description: "An array of the given length whose elements all have the given value.",
        examples: &[("arrayWithConstant(2, 'a')", "['a','a']")],
        properties: Properties { fails: Fails::Always, ..Properties::DEFAULT },
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: with_constant,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "replicate",
        description: "An array of the first argument, repeated as often as the second argument has \
                      elements.",
        examples: &[("replicate('a', [5, 6])", "['a','a']")],
        nulls: Nulls::Custom,
        arity: (2, usize::MAX),
        bind: replicate,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "emptyArrayToSingle",
        description: "The array, or an array of one default value if it is empty.",
        examples: &[("emptyArrayToSingle(emptyArrayUInt8())", "[0]")],
        arity: (1, 1),
        bind: to_single,
        ..FunctionDef::DEFAULT
    },
];
