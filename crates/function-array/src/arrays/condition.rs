//! Functions that evaluate a condition for every element: filter, count, exists, all, first, last,
//! fill, split.

use std::ops::Range;

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Bitmap, Column};
use entasis_simd::filter::filter as filter_numbers;
use entasis_types::DataType;

use super::lambda::{self, Elements, expect_lambda, subject};
use super::lists::take_or_default;
use super::ranges::{Bits, moved, set_firsts, sums};
use entasis_function::{Arg, BoundKernel, FunctionDef, Nulls};

/// Elements for which the condition holds.
struct Chosen {
    elements: Elements,
    mask: Bitmap,
}

impl Chosen {
    /// Which elements they are.
    fn bits(&self) -> Bits<'_> {
        Bits(self.mask.words())
    }
}

/// Checks the condition's type: UInt8, or NULL for no.
fn check(function: &str, args: &[Arg]) -> Result<()> {
    let ty = subject(function, args)?;
    let plain = ty.without_nullable();
    if matches!(plain, DataType::UInt8 | DataType::Bool | DataType::Nothing) {
        return Ok(());
    }
    let message = if args[0].is_lambda {
        format!(
            "Expression for function {function} must return UInt8 or Nullable(UInt8), found {ty}"
        )
    } else {
        format!(
            "The 1st and only argument for function {function} must be array of UInt8. Found {} \
             instead",
            args[0].ty
        )
    };
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

fn bind(
    function: &'static str,
    args: &[Arg],
    ty: DataType,
    finish: impl Fn(Chosen) -> Column + Send + Sync + 'static,
) -> Result<BoundKernel> {
    check(function, args)?;
    lambda::bind(function, args, ty, move |elements| {
        let count = elements.flat.count();
        let mask = match elements.result.physical() {
            entasis_types::Physical::Nothing => Bitmap::constant(false, count),
            _ => elements.result.to_mask(),
        };
        Ok(finish(Chosen { elements, mask }))
    })
}

fn filter(args: &[Arg]) -> Result<BoundKernel> {
    expect_lambda("arrayFilter", args)?;
    bind("arrayFilter", args, args[1].ty.clone(), |chosen| {
        let flat = &chosen.elements.flat;
        if chosen.mask.all() {
            return flat.with(flat.values[0].clone());
        }
        let ends = sums(flat, &chosen.mask);
        Column::array(ends.into(), flat.values[0].filter(&chosen.mask))
    })
}

fn count(args: &[Arg]) -> Result<BoundKernel> {
    bind("arrayCount", args, DataType::UInt32, |chosen| {
        let bits = chosen.bits();
        let counts = chosen.elements.flat.ranges().map(|range| bits.count(range) as u32);
        Column::from(counts.collect::<Vec<_>>())
    })
}

fn quantified(
    function: &'static str,
    args: &[Arg],
    holds: fn(usize, usize) -> bool,
) -> Result<BoundKernel> {
    bind(function, args, DataType::UInt8, move |chosen| {
        let bits = chosen.bits();
        let of = |range: Range<usize>| u8::from(holds(bits.count(range.clone()), range.len()));
        Column::from(chosen.elements.flat.ranges().map(of).collect::<Vec<_>>())
    })
}

fn found(function: &'static str, last: bool, or_null: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_lambda(function, args)?;
    let element = super::lists::element_type(function, &args[1])?.clone();
    let ty = match or_null && element.can_be_nullable() {
        true => DataType::nullable(element.clone()),
        false => element.clone(),
    };
    let or_null = ty != element;
    bind(function, args, ty, move |chosen| {
        let (flat, bits) = (&chosen.elements.flat, chosen.bits());
        let missing = flat.count() as u32;
        let pick = |range| if last { bits.last(range) } else { bits.first(range) };
        let at: Vec<u32> = flat.ranges().map(|r| pick(r).map_or(missing, |k| k as u32)).collect();
        let values = take_or_default(&flat.values[0], &at, &element);
        if or_null {
            let valid = Bitmap::from_fn(at.len(), |i| at[i] != missing);
            return Column::nullable(values, valid);
        }
        values
    })
}

fn index(function: &'static str, last: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_lambda(function, args)?;
    bind(function, args, DataType::UInt32, move |chosen| {
        let bits = chosen.bits();
        let of = |range: Range<usize>| {
            let start = range.start;
            let found = if last { bits.last(range) } else { bits.first(range) };
            found.map_or(0, |k| (k - start) as u32 + 1)
        };
        Column::from(chosen.elements.flat.ranges().map(of).collect::<Vec<_>>())
    })
}

fn fill(function: &'static str, reverse: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_lambda(function, args)?;
    bind(function, args, args[1].ty.clone(), move |chosen| {
        let flat = &chosen.elements.flat;
        let mut from: Vec<u32> = (0..flat.count() as u32).collect();
        for range in flat.ranges() {
            if reverse {
                for k in range.clone().rev().skip(1) {
                    if !chosen.mask.get(k) {
                        from[k] = from[k + 1];
                    }
                }
            } else {
                for k in range.clone().skip(1) {
                    if !chosen.mask.get(k) {
                        from[k] = from[k - 1];
                    }
                }
            }
        }
        flat.with(flat.values[0].take(&from))
    })
}

fn split(function: &'static str, behind: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_lambda(function, args)?;
    let ty = DataType::array(args[1].ty.clone());
    bind(function, args, ty, move |chosen| {
        let flat = &chosen.elements.flat;
        let words = chosen.mask.words();
        let mut begins = if behind { moved(words) } else { words.to_vec() };
        set_firsts(flat, &mut begins);
        // Bits behind lists that end with the last element lie at the start of the next list.
        let begins = Bitmap::from_words(begins, flat.count());
        scope::check_or_unwind(flat.count() * size_of::<[u32; 2]>());
        let positions: Vec<u32> = (0..flat.count() as u32).collect();
        let mut inner = Vec::with_capacity(begins.count_ones() + 1);
        filter_numbers(&positions, begins.words(), &mut inner);
        inner.push(flat.count() as u32);
        let lists = Column::array(inner.into(), flat.values[0].clone());
        Column::array(sums(flat, &begins).into(), lists)
    })
}

macro_rules! definition {
    ($name:literal, $bind:expr, $description:literal, $example:literal, $result:literal) => {
        FunctionDef {
            name: $name,
            description: $description,
            examples: &[($example, $result)],
            nulls: Nulls::Custom,
            arity: (1, usize::MAX),
            lambda: Some(lambda::parameters),
            bind: |args, _| $bind(args),
            ..FunctionDef::DEFAULT
        }
    };
}

/// The table of this family.
#[rustfmt::skip]
pub const FUNCTIONS: &[FunctionDef] = &[
    definition!("arrayFilter", filter, "The elements for which the lambda holds.",
        "arrayFilter(x -> x > 1, [1, 2, 3])", "[2,3]"),
    definition!("arrayCount", count,
        "Number of elements for which the lambda holds, or that are not 0.",
        "arrayCount([1, 0, 2])", "2"),
    definition!("arrayExists", |args| quantified("arrayExists", args, |n, _| n > 0),
        "Whether the lambda holds for some element.", "arrayExists([0, 1])", "1"),
    definition!("arrayAll", |args| quantified("arrayAll", args, |n, len| n == len),
        "Whether the lambda holds for every element.", "arrayAll([0, 1])", "0"),
    definition!("arrayFirst", |args| found("arrayFirst", false, false, args),
        "The first element for which the lambda holds, or the default value.",
        "arrayFirst(x -> x > 1, [1, 2, 3])", "2"),
    definition!("arrayFirstOrNull", |args| found("arrayFirstOrNull", false, true, args),
        "The first element for which the lambda holds, or NULL.",
        "arrayFirstOrNull(x -> x > 9, [1, 2, 3])", "ᴺᵁᴸᴸ"),
    definition!("arrayLast", |args| found("arrayLast", true, false, args),
        "The last element for which the lambda holds, or the default value.",
        "arrayLast(x -> x > 1, [1, 2, 3])", "3"),
    definition!("arrayLastOrNull", |args| found("arrayLastOrNull", true, true, args),
        "The last element for which the lambda holds, or NULL.",
        "arrayLastOrNull(x -> x > 9, [1, 2, 3])", "ᴺᵁᴸᴸ"),
    definition!("arrayFirstIndex", |args| index("arrayFirstIndex", false, args),
        "Position (from 1) of the first element for which the lambda holds, or 0.",
        "arrayFirstIndex(x -> x > 1, [1, 2, 3])", "2"),
    definition!("arrayLastIndex", |args| index("arrayLastIndex", true, args),
        "Position (from 1) of the last element for which the lambda holds, or 0.",
        "arrayLastIndex(x -> x > 1, [1, 2, 3])", "3"),
    definition!("arrayFill", |args| fill("arrayFill", false, args),
        "The array in which each element for which the lambda is false is replaced by the element \
         before it.",
        "arrayFill(x -> x > 1, [1, 3, 0, 2])", "[1,3,3,2]"),
    definition!("arrayReverseFill", |args| fill("arrayReverseFill", true, args),
        "The array in which each element for which the lambda is false is replaced by the element \
         after it.",
        "arrayReverseFill(x -> x > 1, [1, 3, 0, 2])", "[3,3,2,2]"),
    definition!("arraySplit", |args| split("arraySplit", false, args),
        "The array split before each element for which the lambda is true.",
        "arraySplit(x -> x > 1, [1, 3, 0, 2])", "[[1],[3,0],[2]]"),
    definition!("arrayReverseSplit", |args| split("arrayReverseSplit", true, args),
        "The array split after each element for which the lambda is true.",
        "arrayReverseSplit(x -> x > 1, [1, 3, 0, 2])", "[[1,3],[0,2]]"),
];
