//! Functions that rearrange elements: concat, push, pop, slice, resize, reverse, flatten, compact,
//! zip, rotate.

use std::ops::Range;

use entasis_base::scope::{self, Ticker};
use entasis_base::{Error, Result, codes};
use entasis_column::compare::compare_values;
use entasis_column::hash::bytes_equal;
use entasis_column::{Column, Mask, match_native};
use entasis_simd::compare::map_words2;
use entasis_types::{DataType, TupleType};

use super::blocks::{parts, reversed};
use super::lists::{Common, Flat, Lists, element_type, gather};
use super::ranges::{moved, set_firsts, sums};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Properties};
use entasis_function_kernel::kernel::{Side, illegal_type};

fn concat(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| element_type("arrayConcat", a).map(|_| ()))?;
    let types: Vec<DataType> = args.iter().map(|a| a.ty.clone()).collect();
    let common = Common::of(&types, context)?;
    let element = element_of(&common.ty);
    Ok(BoundKernel::new(common.ty.clone(), move |args, rows| {
        let columns =
            args.iter().enumerate().map(|(k, a)| common.cast(k, a)).collect::<Result<Vec<_>>>()?;
        let lists = columns.iter().map(Lists::of).collect::<Result<Vec<_>>>()?;
        let all = Column::concat(&lists.iter().map(Lists::values).collect::<Vec<_>>());
        let (mut indices, mut ends) = (Vec::with_capacity(all.len()), vec![0u32]);
        for i in 0..rows {
            let mut base = 0;
            for list in &lists {
                indices.extend(list.range(i).map(|k| (base + k) as u32));
                base += list.values().len();
            }
            ends.push(indices.len() as u32);
        }
        Ok(gather(ends, &all, &indices, &element))
    }))
}

fn element_of(ty: &DataType) -> DataType {
    match ty {
        DataType::Array(element) => (**element).clone(),
        _ => DataType::Nothing,
    }
}

fn push(
    name: &'static str,
    front: bool,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let element = element_type(name, &args[0])?.clone();
    let common = Common::of(&[element, args[1].ty.clone()], context)?;
    let element = common.ty.clone();
    Ok(BoundKernel::new(DataType::array(element.clone()), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = common.cast(0, lists.values())?.full();
        let more = common.cast(1, &args[1])?;
        let constant = more.is_const();
        let more = more.as_const().cloned().unwrap_or(more).full();
        let base = values.len();
        let all = if base == 0 { more } else { Column::concat(&[&values, &more]) };
        let (mut indices, mut ends) = (Vec::with_capacity(base + rows), vec![0u32]);
        for i in 0..rows {
            let own = (base + if constant { 0 } else { i }) as u32;
            if front {
                indices.push(own);
            }
            indices.extend(lists.range(i).map(|k| k as u32));
            if !front {
                indices.push(own);
            }
            ends.push(indices.len() as u32);
        }
        Ok(gather(ends, &all, &indices, &element))
    }))
}

/// Lists of elements that `pick` picks of each row's list: it appends their positions.
#[inline(always)]
fn picked(
    lists: &Lists,
    rows: usize,
    element: &DataType,
    mut pick: impl FnMut(usize, Range<usize>, &mut Vec<u32>),
) -> Column {
    let mut indices = Vec::with_capacity(lists.values().len());
    let mut ends = Vec::with_capacity(rows + 1);
    ends.push(0u32);
    for i in 0..rows {
        pick(i, lists.range(i), &mut indices);
        ends.push(indices.len() as u32);
    }
    gather(ends, lists.values(), &indices, element)
}

fn pop(name: &'static str, front: bool, args: &[Arg]) -> Result<BoundKernel> {
    element_type(name, &args[0])?;
    Ok(BoundKernel::new(args[0].ty.clone(), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        match front {
            true => parts(&lists, rows, |_, len| (len.min(1), len.saturating_sub(1))),
            false => parts(&lists, rows, |_, len| (0, len.saturating_sub(1))),
        }
    }))
}

/// The range that a 1-based or negative offset and a length select: its start and its length.
#[inline(always)]
fn slice_range(len: usize, offset: Option<i64>, length: Option<i64>) -> (usize, usize) {
    let size = len as i64;
    let start = match offset {
        None => 0,
        Some(0) => return (0, 0),
        Some(n) if n > 0 => (n - 1).min(size),
        Some(n) => size + n,
    };
    let end = match length {
        None => size,
        Some(n) if n >= 0 => start.saturating_add(n),
        Some(n) => size + n,
    };
    let (start, end) = (start.clamp(0, size), end.clamp(0, size));
    (start as usize, (end - start).max(0) as usize)
}

/// Numbers that are missing in some rows.
struct Numbers {
    side: Side<i64>,
    validity: Option<Mask>,
}

impl Numbers {
    /// Of an argument; `None` where it is NULL in all rows.
    fn read(column: &Column, rows: usize) -> Result<Option<Self>> {
        let (validity, plain) = match column {
            Column::Const(c) if c.value.is_null(0) => return Ok(None),
            Column::Const(c) => (None, Column::constant(c.value.split_nullable().1.clone(), rows)),
            other => {
                let (validity, plain) = other.split_nullable();
                (validity.cloned(), plain.clone())
            }
        };
        match plain.physical() {
            entasis_types::Physical::Nothing => Ok(None),
            _ => Ok(Some(Self { side: Side::read(&plain)?, validity })),
        }
    }

    /// Whether all rows have the same.
    fn is_constant(numbers: Option<&Self>) -> bool {
        numbers.is_none_or(|n| matches!(n.side, Side::One(_)) && n.validity.is_none())
    }

    #[inline]
    fn get(&self, i: usize) -> Option<i64> {
        self.validity.as_ref().is_none_or(|v| v.get(i)).then(|| self.side.get(i))
    }
}

fn slice(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    for arg in &args[1..] {
        if !arg.ty.without_nullable().is_any_integer() && !arg.ty.is_null_literal() {
            return Err(illegal_type("arraySlice", &arg.ty));
        }
    }
    if args[0].ty.is_null_literal() {
        return Ok(BoundKernel::new(DataType::null(), |args, _| Ok(args[0].clone())));
    }
    element_type("arraySlice", &args[0])?;
    Ok(BoundKernel::new(args[0].ty.clone(), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let read = |k: usize| args.get(k).map_or(Ok(None), |c| Numbers::read(c, rows));
        let (offset, length) = (read(1)?, read(2)?);
        let of_row = |numbers: &Option<Numbers>, i| numbers.as_ref().and_then(|n| n.get(i));
        // Most slices are the same in all rows.
        if Numbers::is_constant(offset.as_ref()) && Numbers::is_constant(length.as_ref()) {
            let (offset, length) = (of_row(&offset, 0), of_row(&length, 0));
            return parts(&lists, rows, move |_, len| slice_range(len, offset, length));
        }
        parts(&lists, rows, |i, len| slice_range(len, of_row(&offset, i), of_row(&length, i)))
    }))
}

fn resize(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "arrayResize";
    if !args[1].ty.is_any_integer() {
        return Err(illegal_type(name, &args[1].ty));
    }
    let mut types = vec![element_type(name, &args[0])?.clone()];
    types.extend(args.get(2).map(|a| a.ty.clone()));
    let common = Common::of(&types, context)?;
    let element = common.ty.clone();
    Ok(BoundKernel::new(DataType::array(element.clone()), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let size = Side::<i64>::read(&args[1])?;
        let values = common.cast(0, lists.values())?.full();
        let filler = match args.get(2) {
            Some(more) => common.cast(1, more)?,
            None => Column::constant(Column::default_of(&element, 1), rows),
        };
        let constant = filler.is_const();
        let filler = filler.as_const().cloned().unwrap_or(filler).full();
        let base = values.len();
        let all = if base == 0 { filler } else { Column::concat(&[&values, &filler]) };
        // All sizes are looked at before anything is made.
        let mut total = 0;
        for i in 0..rows {
            let wanted = size.get(i).unsigned_abs();
            total = u64::saturating_add(total, wanted);
            if wanted > 1 << 30 || total > 500_000_000 {
                let message = format!("Too large array size: {wanted}");
                return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
            }
        }
        scope::ask(total as usize * size_of::<u32>())?;
        let mut ticker = Ticker::default();
        let (mut indices, mut ends) = (Vec::with_capacity(total as usize), vec![0u32]);
        for i in 0..rows {
            let (range, size) = (lists.range(i), size.get(i));
            let wanted = size.unsigned_abs() as usize;
            ticker.tick(wanted)?;
            let (kept, added) = (range.len().min(wanted), wanted.saturating_sub(range.len()));
            let own = (base + if constant { 0 } else { i }) as u32;
            let filling = std::iter::repeat_n(own, added);
            if size >= 0 {
                indices.extend((range.start..range.start + kept).map(|k| k as u32));
                indices.extend(filling);
            } else {
                indices.extend(filling);
                indices.extend((range.end - kept..range.end).map(|k| k as u32));
            }
            ends.push(indices.len() as u32);
        }
        Ok(gather(ends, &all, &indices, &element))
    }))
}

fn flatten(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let mut inner = element_type("arrayFlatten", &args[0])?;
    while let DataType::Array(element) = inner {
        inner = element;
    }
    Ok(BoundKernel::new(DataType::array(inner.clone()), |args, _| {
        let mut flat = Flat::of("arrayFlatten", args)?;
        while let Column::Array(array) = flat.values[0].clone() {
            let (inner, elements) = array.flat();
            let offsets = flat.offsets.iter().map(|&o| inner[o as usize]).collect();
            flat = Flat { offsets, values: vec![elements] };
        }
        Ok(flat.with(flat.values[0].clone()))
    }))
}

/// Whether each value differs from the one before; the first bit has no meaning.
fn changes(by: &Column) -> Vec<u64> {
    let len = by.len();
    let ahead = match_native!(by, values => {
        let (before, behind) = (&values[..len.saturating_sub(1)], values.get(1..).unwrap_or(&[]));
        let mut words = vec![0; behind.len().div_ceil(64)];
        // NaN is equal to itself here.
        #[allow(clippy::eq_op)]
        map_words2(before, behind, &mut words, |a, b| (a != b) & ((a == a) | (b == b)));
        words.resize(len.div_ceil(64), 0);
        words
    }, other => {
        let differs = |k: usize| match other {
            Column::String(s) => !bytes_equal(s.get(k), s.get(k + 1)),
            by => compare_values(by, k, by, k + 1).is_ne(),
        };
        let mut words = Mask::from_fn(len.saturating_sub(1), differs).words().to_vec();
        words.resize(len.div_ceil(64), 0);
        words
    });
    moved(&ahead)
}

/// The first argument's elements where `by` differs from the element in front.
pub fn compact_by(flat: &Flat, by: &Column) -> Column {
    let mut kept = changes(by);
    set_firsts(flat, &mut kept);
    let kept = Mask::from_words(kept, flat.count());
    Column::array(sums(flat, &kept).into(), flat.values[0].filter(&kept))
}

fn zip(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let types =
        args.iter().map(|a| element_type("arrayZip", a).cloned()).collect::<Result<Vec<_>>>()?;
    let tuple = TupleType { types, names: None };
    Ok(BoundKernel::new(DataType::array(DataType::Tuple(tuple.into())), |args, _| {
        let flat = Flat::of("arrayZip", args)?;
        Ok(flat.with(Column::tuple(flat.values.clone(), flat.count())))
    }))
}

fn rotate(name: &'static str, sign: i64, args: &[Arg]) -> Result<BoundKernel> {
    if !args[1].ty.is_native_integer() {
        return Err(illegal_type(name, &args[1].ty));
    }
    let element = element_type(name, &args[0])?.clone();
    Ok(BoundKernel::new(args[0].ty.clone(), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let steps = Side::<i64>::read(&args[1])?;
        Ok(picked(&lists, rows, &element, |i, range, out| {
            let len = range.len() as i64;
            if len > 0 {
                let steps = steps.get(i).wrapping_mul(sign);
                // Most rotations are by less than a whole turn.
                let turn = if (-len..len).contains(&steps) { steps } else { steps % len };
                let middle = range.start + (if turn < 0 { turn + len } else { turn }) as usize;
                out.extend((middle..range.end).map(|k| k as u32));
                out.extend((range.start..middle).map(|k| k as u32));
            }
        }))
    }))
}

fn reverse(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let element = element_type("arrayReverse", &args[0])?.clone();
    Ok(BoundKernel::new(args[0].ty.clone(), move |args, rows| {
        if let Some(numbers) = reversed(&Flat::of("arrayReverse", args)?) {
            return Ok(numbers);
        }
        let lists = Lists::of(&args[0])?;
        Ok(picked(&lists, rows, &element, |_, range, out| {
            out.extend(range.rev().map(|k| k as u32))
        }))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "arrayConcat",
        description: "The elements of all arrays, one array after the other.",
        examples: &[("arrayConcat([1], [2, 300])", "[1,2,300]")],
        arity: (1, usize::MAX),
        bind: concat,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayPushBack",
        description: "The array with one more element at the end.",
        examples: &[("arrayPushBack([1], 2)", "[1,2]")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| push("arrayPushBack", false, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayPushFront",
        description: "The array with one more element at the front.",
        examples: &[("arrayPushFront([1], 2)", "[2,1]")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: |args, context| push("arrayPushFront", true, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayPopBack",
        description: "The array without its last element.",
        examples: &[("arrayPopBack([1, 2])", "[1]")],
        arity: (1, 1),
        bind: |args, _| pop("arrayPopBack", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayPopFront",
        description: "The array without its first element.",
        examples: &[("arrayPopFront([1, 2])", "[2]")],
        arity: (1, 1),
        bind: |args, _| pop("arrayPopFront", true, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arraySlice",
        description: "The elements from a position on (counted from 1, or from the end if \
                      negative), at most `length` of them.",
        examples: &[("arraySlice([1, 2, 3, 4], 2, 2)", "[2,3]"), ("arraySlice([1, 2], -1)", "[2]")],
        nulls: Nulls::Custom,
        arity: (2, 3),
        bind: slice,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayResize",
        description: "The array cut or extended to a length; a negative length cuts or extends it \
                      at the front.",
        examples: &[("arrayResize([1], 3)", "[1,0,0]"), ("arrayResize([1, 2], -1)", "[2]")],
        nulls: Nulls::Custom,
        arity: (2, 3),
        bind: resize,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayReverse",
        description: "The elements in reverse order.",
        examples: &[("arrayReverse([1, 2, 3])", "[3,2,1]")],
        arity: (1, 1),
        bind: reverse,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayFlatten",
        aliases: &["flatten"],
        case_insensitive: true,
        description: "The elements of arrays of arrays in one array.",
        examples: &[("arrayFlatten([[1], [2, 3]])", "[1,2,3]")],
        arity: (1, 1),
        bind: flatten,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayZip",
        description: "An array of tuples of the elements at the same position.",
        examples: &[("arrayZip([1, 2], ['a', 'b'])", "[(1,'a'),(2,'b')]")],
        arity: (1, usize::MAX),
        bind: zip,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayRotateLeft",
        properties: Properties::NEVER_FOLDED,
        description: "The array rotated to the left: elements that leave it at the front return at \
                      the end.",
        examples: &[("arrayRotateLeft([1, 2, 3], 1)", "[2,3,1]")],
        arity: (2, 2),
        bind: |args, _| rotate("arrayRotateLeft", 1, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayRotateRight",
        properties: Properties::NEVER_FOLDED,
        description: "The array rotated to the right: elements that leave it at the end return at \
                      the front.",
        examples: &[("arrayRotateRight([1, 2, 3], 1)", "[3,1,2]")],
        arity: (2, 2),
        bind: |args, _| rotate("arrayRotateRight", -1, args),
        ..FunctionDef::DEFAULT
    },
];
