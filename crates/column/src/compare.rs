//! Order of rows: what ORDER BY, merges and primary keys mean by "less".

use std::cmp::Ordering;

use crate::{Column, match_native};

/// How one key column is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortOrder {
    /// Greatest first.
    pub descending: bool,
    /// NULL (and NaN among floats) before everything else, whatever the direction.
    pub nulls_first: bool,
}

impl SortOrder {
    /// Ascending, NULLs last: the dialect's default.
    pub const ASCENDING: Self = Self { descending: false, nulls_first: false };
    /// Descending, NULLs last.
    pub const DESCENDING: Self = Self { descending: true, nulls_first: false };
}

/// Compares row `i` of `a` with row `j` of `b` under `order`. Any representation; both of one
/// layout. One dynamic match per call: for merges and tests, not for inner loops.
pub fn compare_rows(a: &Column, i: usize, b: &Column, j: usize, order: SortOrder) -> Ordering {
    match (is_last_class(a, i), is_last_class(b, j)) {
        (0, 0) => {
            let last = order.descending == order.nulls_first;
            let natural = compare_nested(a, i, b, j, last);
            if order.descending { natural.reverse() } else { natural }
        }
        (x, y) if order.nulls_first => y.cmp(&x),
        (x, y) => x.cmp(&y),
    }
}

/// 0 for an ordinary value, 1 for NaN, 2 for NULL.
fn is_last_class(column: &Column, i: usize) -> u8 {
    match column {
        Column::Float32(v) => u8::from(v[i].is_nan()),
        Column::Float64(v) => u8::from(v[i].is_nan()),
        Column::Nullable(n) if !n.validity.get(i) => 2,
        Column::Nullable(n) => is_last_class(&n.values, i),
        Column::Const(c) => is_last_class(&c.value, 0),
        Column::Dict(d) => is_last_class(&d.dictionary.values, d.codes[i] as usize),
        _ => 0,
    }
}

/// Natural ascending order of two values; NULL and NaN after everything else.
pub fn compare_values(a: &Column, i: usize, b: &Column, j: usize) -> Ordering {
    compare_nested(a, i, b, j, true)
}

/// Natural ascending order of two values; NULL and NaN, also those within arrays and tuples, after
/// everything else if `last`, or before it.
pub fn compare_nested(a: &Column, i: usize, b: &Column, j: usize, last: bool) -> Ordering {
    let specials = |x: bool, y: bool| if last { x.cmp(&y) } else { y.cmp(&x) };
    let floats =
        |x: f64, y: f64| x.partial_cmp(&y).unwrap_or_else(|| specials(x.is_nan(), y.is_nan()));
    match (a, b) {
        (Column::Const(c), _) => compare_nested(&c.value, 0, b, j, last),
        (_, Column::Const(c)) => compare_nested(a, i, &c.value, 0, last),
        (Column::Dict(d), _) => {
            compare_nested(&d.dictionary.values, d.codes[i] as usize, b, j, last)
        }
        (_, Column::Dict(d)) => {
            compare_nested(a, i, &d.dictionary.values, d.codes[j] as usize, last)
        }
        (Column::Nullable(_), _) | (_, Column::Nullable(_)) => match (a.is_null(i), b.is_null(j)) {
            (false, false) => {
                compare_nested(a.split_nullable().1, i, b.split_nullable().1, j, last)
            }
            (x, y) => specials(x, y),
        },
        (Column::String(x), Column::String(y)) => x.get(i).cmp(y.get(j)),
        (Column::Fixed(x), Column::Fixed(y)) => x.get(i).cmp(y.get(j)),
        (Column::Array(x), Column::Array(y)) => {
            let (mut left, mut right) = (x.range(i), y.range(j));
            loop {
                match (left.next(), right.next()) {
                    (Some(l), Some(r)) => match compare_nested(&x.values, l, &y.values, r, last) {
                        Ordering::Equal => {}
                        unequal => return unequal,
                    },
                    (l, r) => return l.is_some().cmp(&r.is_some()),
                }
            }
        }
        (Column::Tuple(x), Column::Tuple(y)) => {
            let parts = x.columns.iter().zip(&y.columns);
            parts
                .map(|(l, r)| compare_nested(l, i, r, j, last))
                .find(|o| o.is_ne())
                .unwrap_or(Ordering::Equal)
        }
        (Column::Float32(x), Column::Float32(y)) => floats(x[i].into(), y[j].into()),
        (Column::Float64(x), Column::Float64(y)) => floats(x[i], y[j]),
        _ => match_native!(a, x => same_native(x, i, b, j), _ => Ordering::Equal),
    }
}

fn same_native<T: crate::Native>(x: &[T], i: usize, b: &Column, j: usize) -> Ordering {
    let y = T::values(b).expect("columns of one layout");
    x[i].partial_cmp(&y[j]).unwrap_or(Ordering::Equal)
}
