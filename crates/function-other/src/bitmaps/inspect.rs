//! What is in a bitmap.

use entasis_base::{Error, Result, scope};
use entasis_column::{Column, match_physical};
use entasis_types::{CastTo, DataType};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::bitmap::View;
use entasis_function_kernel::kernel::{Side, bytes_at};

use super::{expect_bitmap, illegal};

fn number(
    name: &str,
    args: &[Arg],
    of: impl Fn(View, usize) -> Result<u64> + Send + Sync + 'static,
) -> Result<BoundKernel> {
    let (_, width) = expect_bitmap(name, args, 0)?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        let one = |i: usize| of(View::of(width, bytes_at(&args[0], i))?, width);
        Ok((0..rows).map(one).collect::<Result<Vec<u64>>>()?.into())
    }))
}

/// The least integer; of none the greatest number of 32 bits, as in the reference.
fn least(bitmap: View, width: usize) -> Result<u64> {
    let mut least = None;
    bitmap.each(|v| least = Some(least.map_or(v, |least: u64| least.min(v))))?;
    Ok(least.unwrap_or(if width == 8 { u64::MAX } else { u32::MAX.into() }))
}

fn greatest(bitmap: View, _: usize) -> Result<u64> {
    let mut greatest = 0;
    bitmap.each(|v| greatest = v.max(greatest))?;
    Ok(greatest)
}

fn contains(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let (_, width) = expect_bitmap("bitmapContains", args, 0)?;
    let signed = args[1].ty.is_signed();
    if !args[1].ty.is_native_integer() {
        return Err(illegal(format!(
            "Second argument for function bitmapContains must be an native integer type but it has \
             type {}",
            args[1].ty
        )));
    }
    let bits = 8 * width as u32;
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        let values = Side::<i128>::read(&args[1])?;
        let fits = |value: i128| match signed {
            true => value < 1 << (bits - 1) && value >= -(1 << (bits - 1)),
            false => value < 1 << bits,
        };
        let masked = |value: i128| (value & ((1i128 << bits) - 1)) as u64;
        let one = |i: usize| {
            let value = values.get(i);
            let bitmap = View::of(width, bytes_at(&args[0], i))?;
            Ok(u8::from(fits(value) && bitmap.contains(masked(value))?))
        };
        Ok((0..rows).map(one).collect::<Result<Vec<u8>>>()?.into())
    }))
}

fn to_array(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let (ty, width) = expect_bitmap("bitmapToArray", args, 0)?;
    let physical = ty.physical();
    Ok(BoundKernel::new(DataType::array(ty), move |args, rows| {
        let len = |i: usize| View::of(width, bytes_at(&args[0], i))?.len();
        let total = (0..rows).try_fold(0, |sum, i| Ok::<_, Error>(sum + len(i)? as usize))?;
        scope::ask(total * width)?;
        let mut ends = vec![0u32];
        let values: Column = match_physical!(physical,
            T => all_values::<T>(&args[0], width, rows, total, &mut ends)?.into(),
            _ => all_values::<u64>(&args[0], width, rows, total, &mut ends)?.into());
        Ok(Column::array(ends.into(), values))
    }))
}

/// The integers of all bitmaps of a column, behind each other, and where those of each end.
fn all_values<T>(
    column: &Column,
    width: usize,
    rows: usize,
    total: usize,
    ends: &mut Vec<u32>,
) -> Result<Vec<T>>
where
    u64: CastTo<T>,
{
    let mut values = Vec::with_capacity(total);
    for i in 0..rows {
        View::of(width, bytes_at(column, i))?.each(|v| values.push(v.cast_to()))?;
        ends.push(values.len() as u32);
    }
    Ok(values)
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "bitmapCardinality",
        description: "The number of integers in a bitmap.",
        examples: &[("bitmapCardinality(bitmapBuild([1, 2, 2]))", "2")],
        bind: |args, _| number("bitmapCardinality", args, |bitmap, _| bitmap.len()),
        ..ONE
    },
    FunctionDef {
        name: "bitmapMin",
        description: "The least integer in a bitmap.",
        examples: &[("bitmapMin(bitmapBuild([7, 2]))", "2")],
        bind: |args, _| number("bitmapMin", args, least),
        ..ONE
    },
    FunctionDef {
        name: "bitmapMax",
        description: "The greatest integer in a bitmap; 0 if there is none.",
        examples: &[("bitmapMax(bitmapBuild([7, 2]))", "7")],
        bind: |args, _| number("bitmapMax", args, greatest),
        ..ONE
    },
    FunctionDef {
        name: "bitmapContains",
        description: "Whether an integer is in a bitmap.",
        examples: &[("bitmapContains(bitmapBuild([7, 2]), 7)", "1")],
        arity: (2, 2),
        bind: contains,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "bitmapToArray",
        description: "The integers of a bitmap.",
        examples: &[("bitmapToArray(bitmapBuild([1, 2, 2]))", "[1,2]")],
        bind: to_array,
        ..ONE
    },
];
