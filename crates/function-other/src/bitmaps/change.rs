//! Functions that make a bitmap of an array or of another bitmap.

use std::ops::Range;

use entasis_base::{Error, Result, codes, scope};
use entasis_column::Column;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::bitmap::{Bitmap, width_of};
use entasis_function_kernel::kernel::Side;

use super::{Bitmaps, bitmap_type, expect_bitmap, illegal, write_all};

/// Numbers that are converted at once.
const WINDOW: usize = 1 << 16;

/// Numbers of arrays, a range for each row. Rows are read in order, a window of numbers at a time.
struct Numbers {
    array: Column,
    window: Range<usize>,
    values: Side<u64>,
    is_constant: bool,
    mask: u64,
}

impl Numbers {
    fn of(column: &Column, width: usize) -> Result<Self> {
        let is_constant = column.as_const().is_some();
        let array = column.as_const().unwrap_or(column).full();
        let Column::Array(list) = &array else { return Err(Error::logical("not an array")) };
        let values = Side::<u64>::read(&list.values.slice(0, 0))?;
        let mask = if width == 8 { u64::MAX } else { (1 << (8 * width)) - 1 };
        Ok(Self { array, window: 0..0, values, is_constant, mask })
    }

    fn range(&self, i: usize) -> Range<usize> {
        match &self.array {
            Column::Array(list) => list.range(if self.is_constant { 0 } else { i }),
            _ => 0..0,
        }
    }

    /// Calls `f` with the numbers of row `i`.
    fn each(&mut self, i: usize, mut f: impl FnMut(u64)) -> Result<()> {
        let range = self.range(i);
        let mut at = range.start;
        while at < range.end {
            if !self.window.contains(&at) {
                self.load(at)?;
            }
            let end = range.end.min(self.window.end);
            (at..end).for_each(|k| f(self.values.get(k - self.window.start) & self.mask));
            at = end;
        }
        Ok(())
    }

    /// Moves the window to a place.
    fn load(&mut self, at: usize) -> Result<()> {
        let Column::Array(list) = &self.array else { return Err(Error::logical("not an array")) };
        let len = WINDOW.min(list.values.len() - at);
        scope::check()?;
        self.values = Side::read(&list.values.slice(at, len))?;
        self.window = at..at + len;
        Ok(())
    }

    /// The numbers of row `i`.
    fn list(&mut self, i: usize) -> Result<Vec<u64>> {
        let mut list = Vec::new();
        self.each(i, |value| list.push(value)).map(|()| list)
    }

    /// The numbers of row `i` as a set.
    fn bitmap(&mut self, i: usize) -> Result<Bitmap> {
        let mut set = Bitmap::default();
        self.each(i, |value| set.insert(value))?;
        Ok(set)
    }
}

fn build(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let DataType::Array(of) = &args[0].ty else {
        return Err(illegal(format!(
            "First argument for function bitmapBuild must be an array but it has type {}",
            args[0].ty
        )));
    };
    // An empty list is a list of small numbers.
    let of = if **of == DataType::Nothing { DataType::UInt8 } else { of.as_ref().clone() };
    let Some(width) = width_of(&of) else {
        let ty = &args[0].ty;
        return Err(illegal(format!("Unexpected type {ty} of argument of function bitmapBuild")));
    };
    let is_empty = args[0].ty == DataType::array(DataType::Nothing);
    Ok(BoundKernel::new(bitmap_type(of), move |args, rows| {
        if is_empty {
            return write_all(rows, width, |_| Ok(Bitmap::default()));
        }
        let mut numbers = Numbers::of(&args[0], width)?;
        write_all(rows, width, |i| numbers.bitmap(i))
    }))
}

type Part = fn(&Bitmap, u64, u64) -> Bitmap;

/// A part of a bitmap that two numbers determine.
fn part(name: &str, args: &[Arg], part: Part) -> Result<BoundKernel> {
    let (ty, width) = expect_bitmap(name, args, 0)?;
    if let Some(arg) = args[1..].iter().find(|a| !a.ty.is_unsigned() || a.ty.is_wide_integer()) {
        return Err(illegal(format!(
            "The second and third arguments for function {name} must be one of [UInt8, UInt16, \
             UInt32, UInt64] but one of them has type {}",
            arg.ty
        )));
    }
    Ok(BoundKernel::new(bitmap_type(ty), move |args, rows| {
        let bitmaps = Bitmaps::of(&args[0], width, rows)?;
        let (a, b) = (Side::<u64>::read(&args[1])?, Side::<u64>::read(&args[2])?);
        write_all(rows, width, |i| bitmaps.with(i, |set| Ok(part(set, a.get(i), b.get(i)))))
    }))
}

fn in_range(set: &Bitmap, start: u64, end: u64) -> Bitmap {
    set.values().filter(|v| (start..end).contains(v)).collect()
}

fn limited(set: &Bitmap, start: u64, count: u64) -> Bitmap {
    set.sorted().into_iter().filter(|&v| v >= start).take(count as usize).collect()
}

fn at_offset(set: &Bitmap, offset: u64, count: u64) -> Bitmap {
    set.sorted().into_iter().skip(offset as usize).take(count as usize).collect()
}

fn transform(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let (ty, width) = expect_bitmap("bitmapTransform", args, 0)?;
    for arg in &args[1..] {
        let element = arg.ty.as_array();
        if element.is_none_or(|element| width_of(element).is_none()) {
            return Err(illegal(format!(
                "Illegal type {} of an argument of function bitmapTransform",
                arg.ty
            )));
        }
    }
    Ok(BoundKernel::new(bitmap_type(ty), move |args, rows| {
        let bitmaps = Bitmaps::of(&args[0], width, rows)?;
        let (mut from, mut to) = (Numbers::of(&args[1], width)?, Numbers::of(&args[2], width)?);
        write_all(rows, width, |i| {
            let pairs = (from.list(i)?, to.list(i)?);
            if pairs.0.len() != pairs.1.len() {
                let message = "From array size and to array size mismatch";
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            // One replacement after the other, each in the result of those before.
            bitmaps.with(i, |set| {
                let mut values = set.sorted();
                for (from, to) in pairs.0.iter().zip(&pairs.1) {
                    if let Some(at) = values.iter().position(|v| v == from) {
                        values.remove(at);
                        if !values.contains(to) {
                            values.push(*to);
                        }
                    }
                }
                values.sort_unstable();
                Ok(values.into_iter().collect())
            })
        })
    }))
}

const THREE: FunctionDef = FunctionDef { arity: (3, 3), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "bitmapBuild",
        description: "A bitmap of the integers of an array.",
        examples: &[("toTypeName(bitmapBuild([1, 2]))", "AggregateFunction(groupBitmap, UInt8)")],
        arity: (1, 1),
        bind: build,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "bitmapSubsetInRange",
        description: "The integers of a bitmap from a start up to an end, which is excluded.",
        examples: &[("bitmapToArray(bitmapSubsetInRange(bitmapBuild([1, 5, 9]), 2, 9))", "[5]")],
        bind: |args, _| part("bitmapSubsetInRange", args, in_range),
        ..THREE
    },
    FunctionDef {
        name: "bitmapSubsetLimit",
        description: "The first integers of a bitmap from a start on: so many of them.",
        examples: &[("bitmapToArray(bitmapSubsetLimit(bitmapBuild([1, 5, 9]), 2, 5))", "[5,9]")],
        bind: |args, _| part("bitmapSubsetLimit", args, limited),
        ..THREE
    },
    FunctionDef {
        name: "subBitmap",
        description: "The integers of a bitmap without the first ones: so many of them.",
        examples: &[("bitmapToArray(subBitmap(bitmapBuild([1, 5, 9]), 1, 1))", "[5]")],
        bind: |args, _| part("subBitmap", args, at_offset),
        ..THREE
    },
    FunctionDef {
        name: "bitmapTransform",
        description: "A bitmap in which the integers of one array become those of another.",
        examples: &[("bitmapToArray(bitmapTransform(bitmapBuild([1, 5]), [5], [7]))", "[1,7]")],
        bind: transform,
        ..THREE
    },
];
