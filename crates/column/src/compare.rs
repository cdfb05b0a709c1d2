//! Order of rows: the meaning of "less" in ORDER BY, merges and primary keys.

use std::cmp::Ordering;

use crate::{Column, match_native};

/// How one key column is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortOrder {
    /// Whether the greatest value comes first.
    pub descending: bool,
    /// Whether NULL (and NaN among floats) comes before all other values, in both directions.
    pub nulls_first: bool,
}

impl SortOrder {
    /// Ascending, NULLs last: the dialect's default.
    pub const ASCENDING: Self = Self { descending: false, nulls_first: false };
    /// Descending, NULLs last.
    pub const DESCENDING: Self = Self { descending: true, nulls_first: false };
}

/// Compares row `i` of `a` with row `j` of `b` under `order`. The columns have the same layout and
/// any representation. Each call matches on the layout, so it is meant for merges and tests, not
/// for inner loops.
pub fn compare_rows(a: &Column, i: usize, b: &Column, j: usize, order: SortOrder) -> Ordering {
    match (is_last_class(a, i), is_last_class(b, j)) {
        (0, 0) => {
            // NULLs inside nested values have the same place as among rows.
            let natural = compare_nested(a, i, b, j, order.descending != order.nulls_first);
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
        Column::Variant(v) if v.at(i).is_none() => 2,
        Column::Const(c) => is_last_class(&c.value, 0),
        Column::Dict(d) => is_last_class(&d.dictionary.values, d.codes[i] as usize),
        _ => 0,
    }
}

/// Natural ascending order of two values; NULL and NaN after everything else.
pub fn compare_values(a: &Column, i: usize, b: &Column, j: usize) -> Ordering {
    compare_nested(a, i, b, j, false)
}

/// Natural ascending order of two values. NULL and NaN, also inside lists and tuples, come before
/// everything else if `nulls_least`, otherwise after it. The greatest value is found with the
/// former and the least with the latter, so that neither is NULL if there are other values.
pub fn compare_nested(a: &Column, i: usize, b: &Column, j: usize, nulls_least: bool) -> Ordering {
    let compare =
        |a: &Column, i: usize, b: &Column, j: usize| compare_nested(a, i, b, j, nulls_least);
    let missing = |order: Ordering| if nulls_least { order.reverse() } else { order };
    match (a, b) {
        (Column::Const(c), _) => compare(&c.value, 0, b, j),
        (_, Column::Const(c)) => compare(a, i, &c.value, 0),
        (Column::Dict(d), _) => compare(&d.dictionary.values, d.codes[i] as usize, b, j),
        (_, Column::Dict(d)) => compare(a, i, &d.dictionary.values, d.codes[j] as usize),
        (Column::Nullable(_), _) | (_, Column::Nullable(_)) => match (a.is_null(i), b.is_null(j)) {
            (false, false) => compare(a.split_nullable().1, i, b.split_nullable().1, j),
            (x, y) => missing(x.cmp(&y)),
        },
        (Column::Variant(x), Column::Variant(y)) => match (a.is_null(i), b.is_null(j)) {
            (false, false) => x.compare(i, y, j, compare),
            (x, y) => missing(x.cmp(&y)),
        },
        (Column::String(x), Column::String(y)) => x.get(i).cmp(y.get(j)),
        (Column::Fixed(x), Column::Fixed(y)) => x.get(i).cmp(y.get(j)),
        (Column::Array(x), Column::Array(y)) => {
            let (mut left, mut right) = (x.range(i), y.range(j));
            loop {
                match (left.next(), right.next()) {
                    (Some(l), Some(r)) => match compare(&x.values, l, &y.values, r) {
                        Ordering::Equal => {}
                        unequal => return unequal,
                    },
                    (l, r) => return l.is_some().cmp(&r.is_some()),
                }
            }
        }
        (Column::Tuple(x), Column::Tuple(y)) => {
            let parts = x.columns.iter().zip(&y.columns);
            parts.map(|(l, r)| compare(l, i, r, j)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        }
        (Column::Float32(x), Column::Float32(y)) => {
            compare_floats(x[i].into(), y[j].into()).unwrap_or_else(missing)
        }
        (Column::Float64(x), Column::Float64(y)) => {
            compare_floats(x[i], y[j]).unwrap_or_else(missing)
        }
        _ => match_native!(a, x => same_native(x, i, b, j), _ => Ordering::Equal),
    }
}

fn same_native<T: crate::Native>(x: &[T], i: usize, b: &Column, j: usize) -> Ordering {
    let y = T::values(b).expect("columns of one layout");
    x[i].partial_cmp(&y[j]).unwrap_or(Ordering::Equal)
}

/// The order of two numbers. If one is NaN, the order of the properties of being NaN.
fn compare_floats(x: f64, y: f64) -> Result<Ordering, Ordering> {
    x.partial_cmp(&y).ok_or_else(|| x.is_nan().cmp(&y.is_nan()))
}
