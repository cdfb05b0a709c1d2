//! Sorting arrays, by the elements or by a lambda.

use std::cmp::Ordering;

use entasis_base::{Result, scope};
use entasis_column::compare::{SortOrder, compare_rows};
use entasis_column::{Column, Native, match_native};

use super::lambda::{self, subject};
use super::lists::Flat;
use entasis_function::{Arg, BoundKernel, FunctionDef, Nulls};

/// Lists from this size on are sorted with looks at the query.
const LARGE: usize = 1 << 19;

/// Sorts stably.
fn sort<T>(list: &mut [T], compare: impl FnMut(&T, &T) -> Ordering) {
    if list.len() < LARGE { list.sort_by(compare) } else { list.sort_by(scope::checked(compare)) }
}

/// Elements of every list in order, where the elements are plain whole numbers.
fn sorted_natives<T: Native>(flat: &Flat, values: &[T], descending: bool) -> Column {
    let mut out = values.to_vec();
    for range in flat.ranges() {
        let list = &mut out[range];
        let compare = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        if list.len() < LARGE {
            list.sort_unstable_by(compare);
        } else {
            list.sort_unstable_by(scope::checked(compare));
        }
        if descending {
            list.reverse();
        }
    }
    flat.with(T::column(out.into()))
}

/// The order of two numbers. If one is NaN, the order of the properties of being NaN.
#[allow(clippy::eq_op)]
fn in_order<T: Native>(a: T, b: T) -> std::result::Result<Ordering, Ordering> {
    a.partial_cmp(&b).ok_or_else(|| (a != a).cmp(&(b != b)))
}

/// The first array in the order of `by`, list by list; equal elements keep their order. NaN and
/// NULL come last in both directions.
fn sorted_by(flat: &Flat, by: &Column, descending: bool) -> Column {
    let order = if descending { SortOrder::DESCENDING } else { SortOrder::ASCENDING };
    let mut indices: Vec<u32> = (0..flat.count() as u32).collect();
    for range in flat.ranges() {
        let list = &mut indices[range];
        match by {
            Column::String(s) if descending => {
                sort(list, |&a, &b| s.get(b as usize).cmp(s.get(a as usize)));
            }
            Column::String(s) => sort(list, |&a, &b| s.get(a as usize).cmp(s.get(b as usize))),
            by => match_native!(by, keys => sort(list, |&a, &b| {
                let order = in_order(keys[a as usize], keys[b as usize]);
                order.map_or_else(|nan| nan, |o| if descending { o.reverse() } else { o })
            }), _ => sort(list, |&a, &b| compare_rows(by, a as usize, by, b as usize, order))),
        }
    }
    flat.with(flat.values[0].take(&indices))
}

fn bind(function: &'static str, descending: bool, args: &[Arg]) -> Result<BoundKernel> {
    subject(function, args)?;
    if args.len() > 1 {
        lambda::expect_lambda(function, args)?;
    }
    let has_lambda = args[0].is_lambda;
    let ty = args[usize::from(has_lambda)].ty.clone();
    lambda::bind(function, args, ty, move |e| {
        let by = e.result.full();
        if has_lambda || matches!(by, Column::Float32(_) | Column::Float64(_)) {
            return Ok(sorted_by(&e.flat, &by, descending));
        }
        Ok(match_native!(&by, values => sorted_natives(&e.flat, values, descending),
            other => sorted_by(&e.flat, other, descending)))
    })
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "arraySort",
        description: "The elements sorted in ascending order, by the results of the lambda if \
                      there is one; NaN and NULL come last.",
        examples: &[("arraySort([3, 1, NULL, 2])", "[1,2,3,NULL]")],
        nulls: Nulls::Custom,
        arity: (1, usize::MAX),
        lambda: Some(lambda::parameters),
        bind: |args, _| bind("arraySort", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayReverseSort",
        description: "The elements sorted in descending order, by the results of the lambda if \
                      there is one; NaN and NULL come last.",
        examples: &[("arrayReverseSort([3, 1, NULL, 2])", "[3,2,1,NULL]")],
        nulls: Nulls::Custom,
        arity: (1, usize::MAX),
        lambda: Some(lambda::parameters),
        bind: |args, _| bind("arrayReverseSort", true, args),
        ..FunctionDef::DEFAULT
    },
];
