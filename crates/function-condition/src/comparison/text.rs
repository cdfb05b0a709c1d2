//! Compares strings. FixedString compares as if the shorter side were padded with zero bytes,
//! String by its bytes.

use std::cmp::Ordering;

use entasis_column::{Column, Mask, Strings};
use entasis_simd::compare::CompareOp;
use entasis_simd::search::equals_mask;

use super::numbers::holds;
use entasis_function_kernel::kernel::{bytes_at, mask_with};

/// Compares two string or fixed-string columns, full or Const.
pub fn compare(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Mask {
    match (a, b) {
        (Column::String(strings), Column::Const(c)) => match c.value.strings() {
            Some(constant) => with_constant(op, strings, constant.get(0)),
            None => rows_padded(op, a, b, rows),
        },
        (Column::Const(_), Column::String(_)) => compare(op.swapped(), b, a, rows),
        (Column::String(x), Column::String(y)) => columns(op, x, y),
        _ if is_string(a) && is_string(b) => {
            Mask::from_fn(rows, |i| holds(op, Some(bytes_at(a, i).cmp(bytes_at(b, i)))))
        }
        _ => rows_padded(op, a, b, rows),
    }
}

fn is_string(column: &Column) -> bool {
    column.as_const().unwrap_or(column).strings().is_some()
}

fn with_constant(op: CompareOp, strings: &Strings, constant: &[u8]) -> Mask {
    let equals = || {
        mask_with(strings.len(), |words| {
            equals_mask(strings.data(), strings.offsets(), constant, words);
        })
    };
    match op {
        CompareOp::Eq => equals(),
        CompareOp::Ne => equals().not(),
        _ => Mask::from_fn(strings.len(), |i| holds(op, Some(strings.get(i).cmp(constant)))),
    }
}

fn columns(op: CompareOp, a: &Strings, b: &Strings) -> Mask {
    match op {
        CompareOp::Eq => Mask::from_fn(a.len(), |i| a.get(i) == b.get(i)),
        CompareOp::Ne => Mask::from_fn(a.len(), |i| a.get(i) != b.get(i)),
        _ => Mask::from_fn(a.len(), |i| holds(op, Some(a.get(i).cmp(b.get(i))))),
    }
}

fn rows_padded(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Mask {
    Mask::from_fn(rows, |i| holds(op, Some(padded(bytes_at(a, i), bytes_at(b, i)))))
}

/// Order of two strings as if the shorter ended in zero bytes.
pub fn padded(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let rest_is_zero = |s: &[u8]| s[common..].iter().all(|byte| *byte == 0);
    a[..common].cmp(&b[..common]).then_with(|| match (rest_is_zero(a), rest_is_zero(b)) {
        (true, true) => Ordering::Equal,
        (false, _) => Ordering::Greater,
        (true, false) => Ordering::Less,
    })
}
