//! Compares strings. FixedString compares as if the shorter side were padded with zero bytes,
//! String by its bytes.

use std::cmp::Ordering;

use entasis_column::hash::bytes_equal;
use entasis_column::{Column, Mask, Strings};
use entasis_simd::compare::CompareOp;
use entasis_simd::search::equals_mask;

use super::numbers::holds;
use entasis_function_kernel::kernel::{bytes_at, mask_with};

/// Compares two string or fixed-string columns, full or Const.
pub fn compare(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Mask {
    match (a, b) {
        (Column::Const(_), Column::String(_) | Column::Fixed(_)) => {
            compare(op.swapped(), b, a, rows)
        }
        (Column::String(strings), Column::Const(c)) => match c.value.strings() {
            Some(constant) => with_constant(op, strings, constant.get(0)),
            None => padded_rows(op, rows, |i| strings.get(i), |_| bytes_at(b, 0)),
        },
        (Column::Fixed(fixed), Column::Const(_)) => {
            let constant = bytes_at(b, 0);
            padded_rows(op, rows, |i| fixed.get(i), |_| constant)
        }
        (Column::String(x), Column::String(y)) => columns(op, x, y),
        (Column::Fixed(x), Column::Fixed(y)) => padded_rows(op, rows, |i| x.get(i), |i| y.get(i)),
        (Column::Fixed(x), Column::String(y)) => padded_rows(op, rows, |i| x.get(i), |i| y.get(i)),
        (Column::String(x), Column::Fixed(y)) => padded_rows(op, rows, |i| x.get(i), |i| y.get(i)),
        _ if is_string(a) && is_string(b) => {
            Mask::from_fn(rows, |i| holds(op, Some(bytes_at(a, i).cmp(bytes_at(b, i)))))
        }
        _ => padded_rows(op, rows, |i| bytes_at(a, i), |i| bytes_at(b, i)),
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
        _ => {
            let key = prefix(constant, 0, constant.len());
            let order = |i| {
                let (start, end) = bounds(strings, i);
                let first = prefix(strings.data(), start, end).cmp(&key);
                first.then_with(|| strings.get(i).cmp(constant))
            };
            Mask::from_fn(strings.len(), |i| holds(op, Some(order(i))))
        }
    }
}

fn columns(op: CompareOp, a: &Strings, b: &Strings) -> Mask {
    // A column is compared with itself, perhaps after a conversion that changes nothing.
    if std::ptr::eq(a.data(), b.data()) && std::ptr::eq(a.offsets(), b.offsets()) {
        return Mask::constant(holds(op, Some(Ordering::Equal)), a.len());
    }
    let order = |i| {
        let ((from_a, to_a), (from_b, to_b)) = (bounds(a, i), bounds(b, i));
        let first = prefix(a.data(), from_a, to_a).cmp(&prefix(b.data(), from_b, to_b));
        first.then_with(|| a.get(i).cmp(b.get(i)))
    };
    match op {
        CompareOp::Eq => Mask::from_fn(a.len(), |i| bytes_equal(a.get(i), b.get(i))),
        CompareOp::Ne => Mask::from_fn(a.len(), |i| !bytes_equal(a.get(i), b.get(i))),
        _ => Mask::from_fn(a.len(), |i| holds(op, Some(order(i)))),
    }
}

/// Where string `i` begins and ends in the buffer.
#[inline(always)]
fn bounds(strings: &Strings, i: usize) -> (usize, usize) {
    let offsets = strings.offsets();
    (offsets[i] as usize, offsets[i + 1] as usize)
}

/// The first eight bytes of the string from `start` to `end`, with zeros behind a shorter one, as
/// a number: where two of these differ, they have the order of the strings.
#[inline(always)]
fn prefix(data: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    let Some(bytes) = data[start..].first_chunk::<8>() else {
        // The last strings of the buffer.
        let mut bytes = [0; 8];
        let len = len.min(data.len() - start);
        bytes[..len].copy_from_slice(&data[start..start + len]);
        return u64::from_be_bytes(bytes);
    };
    let word = u64::from_be_bytes(*bytes);
    if len >= 8 { word } else { word & !(u64::MAX >> (8 * len)) }
}

/// Compares rows of which at least one side is a FixedString. Most have the same length.
#[inline(always)]
fn padded_rows<'a>(
    op: CompareOp,
    rows: usize,
    a: impl Fn(usize) -> &'a [u8],
    b: impl Fn(usize) -> &'a [u8],
) -> Mask {
    let equal = |i: usize| {
        let (a, b) = (a(i), b(i));
        if a.len() == b.len() { bytes_equal(a, b) } else { padded(a, b).is_eq() }
    };
    match op {
        CompareOp::Eq => Mask::from_fn(rows, equal),
        CompareOp::Ne => Mask::from_fn(rows, |i| !equal(i)),
        _ => Mask::from_fn(rows, |i| {
            let (a, b) = (a(i), b(i));
            holds(op, Some(if a.len() == b.len() { ordered(a, b) } else { padded(a, b) }))
        }),
    }
}

/// Order of two strings of one length, mostly by their first eight bytes.
#[inline(always)]
fn ordered(a: &[u8], b: &[u8]) -> Ordering {
    match (a.first_chunk(), b.first_chunk()) {
        (Some(x), Some(y)) => {
            u64::from_be_bytes(*x).cmp(&u64::from_be_bytes(*y)).then_with(|| a[8..].cmp(&b[8..]))
        }
        _ => a.cmp(b),
    }
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
