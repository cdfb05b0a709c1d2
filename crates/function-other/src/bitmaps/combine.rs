//! Functions of two bitmaps.

use entasis_base::Result;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::bitmap::{Bitmap, Combine};

use super::{Bitmaps, bitmap_type, expect_bitmap, illegal, write_all};

/// The integers' type and width of two bitmaps of one type.
fn pair(name: &str, args: &[Arg]) -> Result<(DataType, usize)> {
    let (a, width) = expect_bitmap(name, args, 0)?;
    let (b, _) = expect_bitmap(name, args, 1)?;
    if a != b {
        return Err(illegal(format!(
            "The nested type in bitmaps must be the same, but one is {a}, and the other is {b}"
        )));
    }
    Ok((a, width))
}

fn combine(name: &str, how: Combine, args: &[Arg]) -> Result<BoundKernel> {
    let (ty, width) = pair(name, args)?;
    Ok(BoundKernel::new(bitmap_type(ty), move |args, rows| {
        let (a, b) = (Bitmaps::of(&args[0], width, rows)?, Bitmaps::of(&args[1], width, rows)?);
        write_all(rows, width, |i| a.with(i, |a| b.with(i, |b| Ok(a.combined(how, b)))))
    }))
}

fn measure(
    name: &str,
    args: &[Arg],
    of: fn(&Bitmap, &Bitmap) -> u64,
    ty: DataType,
) -> Result<BoundKernel> {
    let (_, width) = pair(name, args)?;
    let is_flag = ty == DataType::UInt8;
    Ok(BoundKernel::new(ty, move |args, rows| {
        let (a, b) = (Bitmaps::of(&args[0], width, rows)?, Bitmaps::of(&args[1], width, rows)?);
        let one = |i: usize| a.with(i, |a| b.with(i, |b| Ok(of(a, b))));
        let numbers = (0..rows).map(one).collect::<Result<Vec<u64>>>()?;
        Ok(match is_flag {
            true => numbers.iter().map(|&n| n as u8).collect::<Vec<u8>>().into(),
            false => numbers.into(),
        })
    }))
}

const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// A function that makes a bitmap of two.
const fn set(
    name: &'static str,
    description: &'static str,
    examples: &'static [(&'static str, &'static str)],
    bind: fn(&[Arg], &dyn entasis_function::FunctionContext) -> Result<BoundKernel>,
) -> FunctionDef {
    FunctionDef { name, description, examples, bind, ..TWO }
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    set(
        "bitmapAnd",
        "The integers that are in both bitmaps.",
        &[("bitmapToArray(bitmapAnd(bitmapBuild([1, 2]), bitmapBuild([2, 3])))", "[2]")],
        |args, _| combine("bitmapAnd", Combine::And, args),
    ),
    set(
        "bitmapOr",
        "The integers that are in one of two bitmaps.",
        &[("bitmapToArray(bitmapOr(bitmapBuild([1, 2]), bitmapBuild([2, 3])))", "[1,2,3]")],
        |args, _| combine("bitmapOr", Combine::Or, args),
    ),
    set(
        "bitmapXor",
        "The integers that are in exactly one of two bitmaps.",
        &[("bitmapToArray(bitmapXor(bitmapBuild([1, 2]), bitmapBuild([2, 3])))", "[1,3]")],
        |args, _| combine("bitmapXor", Combine::Xor, args),
    ),
    set(
        "bitmapAndnot",
        "The integers that are in the first bitmap and not in the second.",
        &[("bitmapToArray(bitmapAndnot(bitmapBuild([1, 2]), bitmapBuild([2, 3])))", "[1]")],
        |args, _| combine("bitmapAndnot", Combine::AndNot, args),
    ),
    set(
        "bitmapAndCardinality",
        "The number of integers that are in both bitmaps.",
        &[("bitmapAndCardinality(bitmapBuild([1, 2]), bitmapBuild([2, 3]))", "1")],
        |args, _| {
            let of = |a: &Bitmap, b: &Bitmap| a.combined_len(Combine::And, b);
            measure("bitmapAndCardinality", args, of, DataType::UInt64)
        },
    ),
    set(
        "bitmapOrCardinality",
        "The number of integers that are in one of two bitmaps.",
        &[("bitmapOrCardinality(bitmapBuild([1, 2]), bitmapBuild([2, 3]))", "3")],
        |args, _| {
            let of = |a: &Bitmap, b: &Bitmap| a.combined_len(Combine::Or, b);
            measure("bitmapOrCardinality", args, of, DataType::UInt64)
        },
    ),
    set(
        "bitmapXorCardinality",
        "The number of integers that are in exactly one of two bitmaps.",
        &[("bitmapXorCardinality(bitmapBuild([1, 2]), bitmapBuild([2, 3]))", "2")],
        |args, _| {
            let of = |a: &Bitmap, b: &Bitmap| a.combined_len(Combine::Xor, b);
            measure("bitmapXorCardinality", args, of, DataType::UInt64)
        },
    ),
    set(
        "bitmapAndnotCardinality",
        "The number of integers that are in the first bitmap and not in the second.",
        &[("bitmapAndnotCardinality(bitmapBuild([1, 2]), bitmapBuild([2, 3]))", "1")],
        |args, _| {
            let of = |a: &Bitmap, b: &Bitmap| a.combined_len(Combine::AndNot, b);
            measure("bitmapAndnotCardinality", args, of, DataType::UInt64)
        },
    ),
    set(
        "bitmapHasAny",
        "Whether two bitmaps have an integer in common.",
        &[("bitmapHasAny(bitmapBuild([1, 2]), bitmapBuild([2, 3]))", "1")],
        |args, _| {
            let of = |a: &Bitmap, b: &Bitmap| u64::from(a.combined_len(Combine::And, b) > 0);
            measure("bitmapHasAny", args, of, DataType::UInt8)
        },
    ),
    set(
        "bitmapHasAll",
        "Whether the first bitmap has all integers of the second.",
        &[("bitmapHasAll(bitmapBuild([1, 2]), bitmapBuild([2, 3]))", "0")],
        |args, _| {
            let of = |a: &Bitmap, b: &Bitmap| u64::from(a.combined_len(Combine::And, b) == b.len());
            measure("bitmapHasAll", args, of, DataType::UInt8)
        },
    ),
];
