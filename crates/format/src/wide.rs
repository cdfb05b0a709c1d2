//! Reads integers of 128 and 256 bits.

use entasis_column::ColumnBuilder;
use entasis_types::text::read_u256;
use entasis_types::{CastTo, i256, u256};

use crate::fault::Parse;
use crate::field::mismatch;

/// Appends an integer to a builder of 128 or 256 bits, wrapping; `false` for other builders.
pub(crate) fn push(builder: &mut ColumnBuilder, value: i256) -> bool {
    match builder {
        ColumnBuilder::UInt128(v) => v.push(value.cast_to()),
        ColumnBuilder::UInt256(v) => v.push(value.cast_to()),
        ColumnBuilder::Int128(v) => v.push(value.cast_to()),
        ColumnBuilder::Int256(v) => v.push(value),
        _ => return false,
    }
    true
}

/// Takes a sign, if there is one and it is allowed; whether it is `-`.
fn take_sign(input: &mut &[u8], minus: bool) -> bool {
    let negative = minus && input.first() == Some(&b'-');
    let is_signed = negative || input.first() == Some(&b'+');
    *input = &input[usize::from(is_signed)..];
    negative
}

/// Reads digits, for a signed type with a sign; nothing is 0, too large wraps.
pub(crate) fn number(builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    let is_signed = matches!(builder, ColumnBuilder::Int128(_) | ColumnBuilder::Int256(_));
    let negative = take_sign(input, is_signed);
    let value: i256 = read_u256(input).unwrap_or(u256::ZERO).cast_to();
    let value = if negative { value.wrapping_neg() } else { value };
    if push(builder, value) { Ok(()) } else { mismatch() }
}

/// Reads all digits of a whole number; one below zero wraps in an unsigned type. `false`, with
/// nothing read, for what is no such number or no such builder.
pub(crate) fn wrapping(builder: &mut ColumnBuilder, input: &mut &[u8]) -> bool {
    use ColumnBuilder::{Int128, Int256, UInt128, UInt256};
    if !matches!(builder, UInt128(_) | UInt256(_) | Int128(_) | Int256(_)) {
        return false;
    }
    let mut rest = *input;
    let negative = take_sign(&mut rest, true);
    let Some(digits) = read_u256(&mut rest) else { return false };
    if matches!(rest.first(), Some(b'.' | b'e' | b'E' | b'x' | b'X')) {
        return false;
    }
    let value: i256 = digits.cast_to();
    *input = rest;
    push(builder, if negative { value.wrapping_neg() } else { value })
}
