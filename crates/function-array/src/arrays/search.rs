//! Functions that search elements: has, indexOf, countEqual, hasAny, hasAll, hasSubstr.

use std::ops::Range;

use entasis_base::{Error, Result, codes};
use entasis_column::hash::bytes_equal;
use entasis_column::{Bitmap, Column, Mask, Native, match_native};
use entasis_simd::compare::{CompareOp, mask_compare};
use entasis_types::{DataType, common_type_of_two};

use super::keys::{SHORT, Seen, keys_of};
use super::lists::{Common, Lists, element_type};
use super::ranges::Bits;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};

/// Which elements equal the needle of their row. Elements and needle have one type.
struct Hits {
    lists: Lists,
    values: Column,
    needle: Column,
}

/// What is made of the equal elements of each row's list.
trait Answer {
    /// `equal` says whether the element at a position of the range equals the needle.
    fn row(&mut self, i: usize, range: Range<usize>, equal: impl Fn(usize) -> bool);
}

/// Lists of so many elements are read to the end, which no branch can mispredict.
const UNBROKEN: usize = 16;

/// Whether there is one: a bit for each row.
struct Has(Vec<u64>);

impl Answer for Has {
    #[inline(always)]
    fn row(&mut self, i: usize, mut range: Range<usize>, equal: impl Fn(usize) -> bool) {
        let found = match range.len() {
            ..UNBROKEN => range.fold(false, |found, k| found | equal(k)),
            _ => range.any(equal),
        };
        self.0[i / 64] |= u64::from(found) << (i % 64);
    }
}

/// The place of the first one, from 1; 0 if there is none.
struct IndexOf(Vec<u64>);

impl Answer for IndexOf {
    #[inline(always)]
    fn row(&mut self, i: usize, mut range: Range<usize>, equal: impl Fn(usize) -> bool) {
        self.0[i] = range.position(equal).map_or(0, |at| at as u64 + 1);
    }
}

/// How many there are.
struct Count(Vec<u64>);

impl Answer for Count {
    #[inline(always)]
    fn row(&mut self, i: usize, range: Range<usize>, equal: impl Fn(usize) -> bool) {
        self.0[i] = range.map(|k| u64::from(equal(k))).sum();
    }
}

impl Hits {
    /// Lets the answer see every row.
    fn answer<A: Answer>(&self, rows: usize, mut answer: A) -> Result<A> {
        let values = self.values.split_nullable().1;
        let needle = self.needle.as_const().unwrap_or(&self.needle).split_nullable().1;
        match_native!(values, v => {
            let n = native_of(v, needle)?;
            self.walk(rows, |k, i| v[k] == n[i], &mut answer);
        }, other => match (other, needle) {
            (Column::String(v), Column::String(n)) => {
                self.walk(rows, |k, i| bytes_equal(v.get(k), n.get(i)), &mut answer);
            }
            (Column::Fixed(v), Column::Fixed(n)) => {
                self.walk(rows, |k, i| v.get(k) == n.get(i), &mut answer);
            }
            (v, n) => {
                let same = |k, i| entasis_column::compare::compare_values(v, k, n, i).is_eq();
                self.walk(rows, same, &mut answer);
            }
        });
        Ok(answer)
    }

    /// For one short list of numbers: whether each row's needle is in it.
    fn in_one_list(&self, rows: usize) -> Option<Vec<u64>> {
        if !self.lists.is_constant() || rows == 0 {
            return None;
        }
        let range = self.lists.range(0);
        let list = self.values.slice(range.start, range.len());
        (list.len() <= UNBROKEN).then_some(())?;
        Some(match_native!(&list, list => {
            equal_to_any(native_of(list, &self.needle).ok()?.get(..rows)?, list)
        }, _ => return None))
    }

    fn walk(&self, rows: usize, same: impl Fn(usize, usize) -> bool, answer: &mut impl Answer) {
        let validity = self.values.split_nullable().0;
        let constant = self.needle.as_const();
        let needle_validity = constant.unwrap_or(&self.needle).split_nullable().0;
        let needle_at = |i: usize| if constant.is_some() { 0 } else { i };
        let is_null = |bits: Option<&Bitmap>, k: usize| bits.is_some_and(|v| !v.get(k));
        if validity.is_none() && needle_validity.is_none() {
            for i in 0..rows {
                let n = needle_at(i);
                answer.row(i, self.lists.range(i), |k| same(k, n));
            }
            return;
        }
        for i in 0..rows {
            let n = needle_at(i);
            let needle_null = is_null(needle_validity, n);
            answer.row(i, self.lists.range(i), |k| match (needle_null, is_null(validity, k)) {
                (false, false) => same(k, n),
                (a, b) => a && b,
            });
        }
    }
}

/// Values that are compared with one number after the other: they stay in the first-level cache.
const AT_ONCE: usize = 2048;

/// Which values are in a list: it is walked once for each block of values.
fn equal_to_any<T: Native>(values: &[T], list: &[T]) -> Vec<u64> {
    let mut found = vec![0; values.len().div_ceil(64)];
    let mut one = [0; AT_ONCE / 64];
    for (values, found) in values.chunks(AT_ONCE).zip(found.chunks_mut(AT_ONCE / 64)) {
        let one = &mut one[..found.len()];
        for number in list {
            mask_compare(CompareOp::Eq, values, *number, one);
            found.iter_mut().zip(&*one).for_each(|(found, one)| *found |= one);
        }
    }
    found
}

fn native_of<'a, T: Native>(_: &[T], column: &'a Column) -> Result<&'a [T]> {
    T::values(column).map(|b| &b[..]).ok_or_else(|| Error::logical("needle of another layout"))
}

/// Types of elements and needle brought together.
struct Needle {
    common: Common,
}

impl Needle {
    fn of(name: &str, args: &[Arg], context: &dyn FunctionContext) -> Result<Self> {
        let element = element_type(name, &args[0])?.clone();
        let types = [element.clone(), args[1].ty.clone()];
        let ty = match (&types[0], &types[1]) {
            // The reference compares numbers of any types by value.
            (a, b) if numeric(a) && numeric(b) => widest(a, b)?,
            (a, b) => common_type_of_two(a, b)?,
        };
        Ok(Self { common: Common::to(ty, &types, context)? })
    }

    fn hits(&self, args: &[Column]) -> Result<Hits> {
        let lists = Lists::of(&args[0])?;
        let values = self.common.cast(0, lists.values())?.full();
        let needle = self.common.cast(1, &args[1])?;
        Ok(Hits { lists, values, needle })
    }
}

fn numeric(ty: &DataType) -> bool {
    ty.without_nullable().is_native_number()
}

/// A type that holds both; a pair of 64-bit integers without one is compared as floats.
fn widest(a: &DataType, b: &DataType) -> Result<DataType> {
    common_type_of_two(a, b).or_else(|_| {
        let nullable = a.is_nullable() || b.is_nullable();
        let ty = DataType::Float64;
        Ok(if nullable { DataType::nullable(ty) } else { ty })
    })
}

fn has(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args[0].ty.as_map().is_some() {
        return (entasis_function::registry::scalar("mapContains")?.bind)(args, context);
    }
    if !matches!(args[0].ty, DataType::Array(_)) {
        let message = format!(
            "First argument for function has must be an array, map or JSON. Actual {}",
            args[0].ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let needle = Needle::of("has", args, context)?;
    Ok(BoundKernel::predicate(move |args, rows| {
        let hits = needle.hits(args)?;
        if let Some(words) = hits.in_one_list(rows) {
            return Ok(Mask::from_words(words, rows));
        }
        let found = hits.answer(rows, Has(vec![0; rows.div_ceil(64)]))?;
        Ok(Mask::from_words(found.0, rows))
    }))
}

fn index_of(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let needle = Needle::of("indexOf", args, context)?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        Ok(Column::from(needle.hits(args)?.answer(rows, IndexOf(vec![0; rows]))?.0))
    }))
}

fn count_equal(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let needle = Needle::of("countEqual", args, context)?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        Ok(Column::from(needle.hits(args)?.answer(rows, Count(vec![0; rows]))?.0))
    }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    Any,
    All,
    Substring,
}

/// [`bind_sets`] for one short list of whole numbers on the right. The elements on the left are
/// compared with each of its numbers in a loop of vectors.
fn ask_for_few(
    ask: Ask,
    (left, x): (&Lists, &Column),
    (right, y): (&Lists, &Column),
    rows: usize,
) -> Option<Mask> {
    // Of floats, NaN would have to equal itself.
    let is_float = matches!(x, Column::Float32(_) | Column::Float64(_));
    if !right.is_constant() || left.is_constant() || is_float || ask == Ask::Substring {
        return None;
    }
    let wanted = right.range(0);
    (!wanted.is_empty() && wanted.len() <= UNBROKEN).then_some(())?;
    match_native!(x, values => {
        let wanted = &native_of(values, y).ok()?[wanted];
        let each: Vec<Vec<u64>> = match ask {
            Ask::Any => vec![equal_to_any(values, wanted)],
            _ => wanted.chunks(1).map(|number| equal_to_any(values, number)).collect(),
        };
        let each: Vec<Bits> = each.iter().map(|words| Bits(words)).collect();
        Some(Mask::from_fn(rows, |i| {
            let range = left.range(i);
            each.iter().fold(true, |all, bits| all & bits.any(range.clone()))
        }))
    }, _ => None)
}

fn bind_sets(
    name: &'static str,
    ask: Ask,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let a = element_type(name, &args[0])?.clone();
    let b = element_type(name, &args[1])?.clone();
    let common = Common::of(&[a, b], context)?;
    Ok(BoundKernel::predicate(move |args, rows| {
        let (left, right) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let x = common.cast(0, left.values())?.full();
        let y = common.cast(1, right.values())?.full();
        if let Some(mask) = ask_for_few(ask, (&left, &x), (&right, &y), rows) {
            return Ok(mask);
        }
        let keys = keys_of(&[&x, &y]);
        let longest = (0..rows).map(|i| left.range(i).len()).max().unwrap_or(0);
        let mut seen = Seen::new(longest);
        Ok(Mask::from_fn(rows, |i| {
            let (own, other) = (&keys[0][left.range(i)], &keys[1][right.range(i)]);
            if ask == Ask::Substring {
                return other.is_empty() || own.windows(other.len()).any(|w| w == other);
            }
            let ask = |found: &mut dyn FnMut(u64) -> bool| match ask {
                Ask::Any => other.iter().any(|&k| found(k)),
                _ => other.iter().all(|&k| found(k)),
            };
            if own.len() * other.len() <= SHORT * SHORT {
                return ask(&mut |k| own.contains(&k));
            }
            seen.clear();
            own.iter().for_each(|&k| {
                seen.set(k, 0);
            });
            ask(&mut |k| seen.get(k).is_some())
        }))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "has",
        description: "Whether an array has an element.",
        examples: &[("has([1, 2], 2)", "1"), ("has([1, NULL], NULL)", "1")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: has,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "indexOf",
        description: "Position (from 1) of the first element that equals the second argument, or \
                      0.",
        examples: &[("indexOf([1, 2, 2], 2)", "2"), ("indexOf([1], 5)", "0")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: index_of,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "countEqual",
        description: "Number of elements that equal the second argument.",
        examples: &[("countEqual([1, 2, 2], 2)", "2")],
        nulls: Nulls::Custom,
        arity: (2, 2),
        bind: count_equal,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "hasAny",
        description: "Whether two arrays have an element in common.",
        examples: &[("hasAny([1, 2], [2, 3])", "1")],
        arity: (2, 2),
        bind: |args, context| bind_sets("hasAny", Ask::Any, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "hasAll",
        description: "Whether the first array has every element of the second.",
        examples: &[("hasAll([1, 2], [2])", "1"), ("hasAll([1], [2])", "0")],
        arity: (2, 2),
        bind: |args, context| bind_sets("hasAll", Ask::All, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "hasSubstr",
        description: "Whether the first array contains the second as a run of consecutive \
                      elements.",
        examples: &[("hasSubstr([1, 2, 3], [2, 3])", "1"), ("hasSubstr([1, 2, 3], [1, 3])", "0")],
        arity: (2, 2),
        bind: |args, context| bind_sets("hasSubstr", Ask::Substring, args, context),
        ..FunctionDef::DEFAULT
    },
];
