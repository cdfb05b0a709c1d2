//! Compares arrays of numbers and of strings, list by list.

use std::cmp::Ordering;
use std::ops::Range;

use entasis_column::hash::bytes_equal;
use entasis_column::{ArrayColumn, Column, Mask, Native, match_native};
use entasis_simd::compare::CompareOp;

use super::numbers::holds;

/// Lists of a full or Const column.
struct Lists<'a> {
    array: &'a ArrayColumn,
    constant: bool,
}

impl<'a> Lists<'a> {
    fn of(column: &'a Column) -> Option<Self> {
        match (column.as_const(), column) {
            (Some(Column::Array(array)), _) => Some(Self { array, constant: true }),
            (None, Column::Array(array)) => Some(Self { array, constant: false }),
            _ => None,
        }
    }

    #[inline]
    fn range(&self, i: usize) -> Range<usize> {
        self.array.range(if self.constant { 0 } else { i })
    }
}

/// Compares two columns, full or Const, if both are arrays of whole numbers or of strings.
pub fn compare(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Option<Mask> {
    let (a, b) = (Lists::of(a)?, Lists::of(b)?);
    Some(match (&a.array.values, &b.array.values) {
        // NaN is equal to itself inside of arrays.
        (Column::Float32(_) | Column::Float64(_), _) => return None,
        (Column::String(x), Column::String(y)) => rows_of(
            op,
            (&a, &b, rows),
            |r, s| r.zip(s).all(|(i, k)| bytes_equal(x.get(i), y.get(k))),
            |r, s| r.map(|i| x.get(i)).cmp(s.map(|k| y.get(k))),
        ),
        (x, y) => match_native!(x, v => natives(op, (&a, &b, rows), v, Native::values(y)?),
            _ => return None),
    })
}

fn natives<T: Native>(op: CompareOp, lists: (&Lists, &Lists, usize), x: &[T], y: &[T]) -> Mask {
    rows_of(
        op,
        lists,
        |r, s| x[r] == y[s],
        // Whole numbers always have an order.
        |r, s| x[r].partial_cmp(&y[s]).unwrap_or(Ordering::Equal),
    )
}

/// `same` compares lists of one length.
#[inline(always)]
fn rows_of(
    op: CompareOp,
    (a, b, rows): (&Lists, &Lists, usize),
    same: impl Fn(Range<usize>, Range<usize>) -> bool,
    order: impl Fn(Range<usize>, Range<usize>) -> Ordering,
) -> Mask {
    let equal = |i: usize| {
        let (r, s) = (a.range(i), b.range(i));
        r.len() == s.len() && same(r, s)
    };
    match op {
        CompareOp::Eq => Mask::from_fn(rows, equal),
        CompareOp::Ne => Mask::from_fn(rows, |i| !equal(i)),
        _ => Mask::from_fn(rows, |i| holds(op, Some(order(a.range(i), b.range(i))))),
    }
}
