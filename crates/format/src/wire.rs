//! Binary values: what RowBinary and Native share.
//!
//! A [`Wire`] describes how values of a type are stored in a stream. Numbers have their lowest byte
//! first, and lengths are varints. Lengths and counts in a stream are never trusted: memory is
//! allocated only for bytes that have arrived.

use std::ops::Range;

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder, match_native, variant};
use entasis_types::{DataType, Physical, i256, u256};

use crate::fault::{Parse, fault};
use crate::field::mismatch;
use crate::rows::cut_off;
use crate::{StateLen, StateReader};

/// Longest string and array that is read (`format_binary_max_string_size`, `..._array_size`).
pub(crate) const MAX_LEN: u64 = 1 << 30;

/// How values of a type lie in a stream; joined with a column or builder of the same layout.
#[derive(Clone, Debug)]
pub(crate) enum Wire {
    /// So many bytes.
    Number(usize),
    /// One byte, anything but 0 being true.
    Bool,
    /// A length and so many bytes.
    Text,
    /// So many bytes as they are.
    Fixed(usize),
    /// Sixteen bytes, backwards.
    Uuid,
    /// The state of an aggregate function, which nothing delimits; with what finds its end.
    State(Option<StateEnd>),
    Nothing,
    Nullable(Box<Self>),
    /// In RowBinary as what is in it.
    LowCardinality(Box<Self>),
    Array(Box<Self>),
    Tuple(Vec<Self>),
    /// A discriminator, and the value of that alternative.
    Variant(Vec<Self>),
}

/// Finds the end of a state.
#[derive(Clone)]
pub(crate) struct StateEnd(StateLen);

impl std::fmt::Debug for StateEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StateEnd")
    }
}

impl StateEnd {
    /// Bytes of the state at the front, at least one: else nothing would bound their number.
    pub(crate) fn len(&self, bytes: &[u8]) -> Result<usize> {
        match (self.0)(bytes)? {
            0 => Err(Error::not_implemented("Reading states that take no bytes")),
            len => Ok(len),
        }
    }
}

impl Wire {
    /// For writing, and for reading types without states.
    pub(crate) fn new(ty: &DataType) -> Self {
        Self::with_states(ty, None)
    }

    /// For reading.
    pub(crate) fn with_states(ty: &DataType, states: Option<&StateReader>) -> Self {
        let new = |ty: &DataType| Self::with_states(ty, states);
        match ty {
            DataType::Nullable(inner) => Self::Nullable(Box::new(new(inner))),
            DataType::Array(inner) => Self::Array(Box::new(new(inner))),
            DataType::Tuple(tuple) => Self::Tuple(tuple.types.iter().map(new).collect()),
            DataType::Variant(types) => Self::Variant(types.iter().map(new).collect()),
            DataType::LowCardinality(inner) => Self::LowCardinality(Box::new(new(inner))),
            DataType::Map(stored) | DataType::Nested(stored) => new(stored),
            DataType::SimpleAggregateFunction(of) => new(&of.args[0]),
            DataType::Bool => Self::Bool,
            DataType::Uuid => Self::Uuid,
            DataType::AggregateFunction(_) => {
                Self::State(states.map(|reader| StateEnd(reader.of(ty))))
            }
            plain => match plain.physical() {
                Physical::Fixed(width) => Self::Fixed(width as usize),
                Physical::String => Self::Text,
                Physical::Nothing => Self::Nothing,
                _ => Self::Number(plain.fixed_width().unwrap_or(0)),
            },
        }
    }

    /// Fewest bytes of a value.
    pub(crate) fn least(&self) -> usize {
        match self {
            Self::Uuid => 16,
            Self::LowCardinality(inner) => inner.least(),
            Self::Number(width) | Self::Fixed(width) => *width,
            Self::Tuple(parts) => parts.iter().map(Self::least).sum(),
            Self::Nothing => 0,
            Self::Bool | Self::Text | Self::Nullable(_) | Self::Array(_) | Self::State(_) => 1,
            Self::Variant(_) => 1,
        }
    }

    /// Bytes of every value, if all have the same number.
    pub(crate) fn width(&self) -> Option<usize> {
        match self {
            Self::Number(width) | Self::Fixed(width) => Some(*width),
            Self::Bool => Some(1),
            Self::Uuid => Some(16),
            Self::LowCardinality(inner) => inner.width(),
            Self::Tuple(parts) => parts.iter().map(Self::width).sum(),
            _ => None,
        }
    }
}

/// Appends rows `range` of numbers, strings and fixed strings, one after the other.
pub(crate) fn write_plain(wire: &Wire, column: &Column, range: Range<usize>, out: &mut Vec<u8>) {
    match column {
        Column::String(strings) => {
            for i in range {
                let text = strings.get(i);
                if !matches!(wire, Wire::State(_)) {
                    write_varint(out, text.len() as u64);
                }
                out.extend_from_slice(text);
            }
        }
        Column::Fixed(fixed) if matches!(wire, Wire::Uuid) => {
            range.for_each(|i| out.extend(fixed.get(i).iter().rev()));
        }
        Column::Fixed(fixed) => {
            out.extend_from_slice(&fixed.data[range.start * fixed.width..range.end * fixed.width]);
        }
        Column::UInt8(bytes) => out.extend_from_slice(&bytes[range]),
        numbers => match_native!(numbers, values => for value in &values[range] {
            out.extend_from_slice(&value.to_le_bytes());
        }, _ => {}),
    }
}

/// Appends rows `range` of any column as RowBinary writes them.
pub(crate) fn write_rows(wire: &Wire, column: &Column, range: Range<usize>, out: &mut Vec<u8>) {
    match (wire, column) {
        (Wire::Nullable(inner), column) => {
            let (bits, values) = column.split_nullable();
            for i in range {
                let is_valid =
                    bits.is_none_or(|b| b.get(i)) && !matches!(inner.as_ref(), Wire::Nothing);
                out.push(u8::from(!is_valid));
                if is_valid {
                    write_rows(inner, values, i..i + 1, out);
                }
            }
        }
        (Wire::LowCardinality(inner), column) => write_rows(inner, column, range, out),
        (Wire::Array(inner), Column::Array(array)) => {
            for i in range {
                let elements = array.range(i);
                write_varint(out, elements.len() as u64);
                write_rows(inner, &array.values, elements, out);
            }
        }
        (Wire::Tuple(parts), Column::Tuple(tuple)) => {
            for i in range {
                for (part, column) in parts.iter().zip(&tuple.columns) {
                    write_rows(part, column, i..i + 1, out);
                }
            }
        }
        (Wire::Variant(parts), Column::Variant(variant)) => {
            for i in range {
                out.push(variant.discriminators[i]);
                if let Some((values, at)) = variant.at(i) {
                    let part = &parts[usize::from(variant.discriminators[i])];
                    write_rows(part, values, at..at + 1, out);
                }
            }
        }
        (wire, column) => write_plain(wire, column, range, out),
    }
}

/// Takes `len` bytes.
#[inline]
pub(crate) fn take<'a>(input: &mut &'a [u8], len: usize) -> Parse<&'a [u8]> {
    match input.split_at_checked(len) {
        Some((bytes, rest)) => {
            *input = rest;
            Ok(bytes)
        }
        None => fault(codes::CANNOT_READ_ALL_DATA, cut_off(input.len(), len)),
    }
}

/// Takes one byte.
#[inline]
fn take_byte(input: &mut &[u8]) -> Parse<u8> {
    match input.split_first() {
        Some((byte, rest)) => {
            *input = rest;
            Ok(*byte)
        }
        None => fault(codes::ATTEMPT_TO_READ_AFTER_EOF, "Attempt to read after eof"),
    }
}

/// Takes a varint; of an over-long one only ten bytes, as the reference does.
#[inline]
pub(crate) fn take_varint(input: &mut &[u8]) -> Parse<u64> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let byte = take_byte(input)?;
        value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        if byte < 0x80 {
            break;
        }
    }
    Ok(value)
}

/// Takes the length of a string.
#[inline]
pub(crate) fn take_text_len(input: &mut &[u8]) -> Parse<usize> {
    let len = take_varint(input)?;
    if len > MAX_LEN {
        let message = format!("Too large string size: {len}. The maximum is: {MAX_LEN}");
        return fault(codes::TOO_LARGE_STRING_SIZE, message);
    }
    Ok(len as usize)
}

/// Takes the length of an array.
fn take_array_len(inner: &Wire, input: &mut &[u8]) -> Parse<usize> {
    let len = take_varint(input)?;
    if len > MAX_LEN {
        let message = format!("Too large array size: {len}. The maximum is: {MAX_LEN}");
        return fault(codes::TOO_LARGE_ARRAY_SIZE, message);
    }
    if len > 0 && inner.least() == 0 {
        // Nothing in the stream would bound their number.
        let message = "Reading arrays of values that take no bytes is not implemented";
        return fault(codes::NOT_IMPLEMENTED, message);
    }
    Ok(len as usize)
}

/// Passes over one value as RowBinary writes it.
pub(crate) fn skip_row(wire: &Wire, input: &mut &[u8]) -> Parse {
    match wire {
        Wire::Number(width) | Wire::Fixed(width) => take(input, *width).map(drop),
        Wire::Bool => take(input, 1).map(drop),
        Wire::Uuid => take(input, 16).map(drop),
        Wire::LowCardinality(inner) => skip_row(inner, input),
        Wire::Text => {
            let len = take_text_len(input)?;
            take(input, len).map(drop)
        }
        Wire::Nullable(inner) => match take_byte(input)? {
            0 => skip_row(inner, input),
            _ => Ok(()),
        },
        Wire::Array(inner) => {
            let len = take_array_len(inner, input)?;
            if let Some(width) = inner.width() {
                return take(input, len.saturating_mul(width)).map(drop);
            }
            (0..len).try_for_each(|_| skip_row(inner, input))
        }
        Wire::Tuple(parts) => parts.iter().try_for_each(|part| skip_row(part, input)),
        Wire::Variant(parts) => match take_alternative(parts, input)? {
            Some((part, _)) => skip_row(part, input),
            None => Ok(()),
        },
        Wire::State(Some(end)) => take_state(end, input).map(drop),
        Wire::State(None) | Wire::Nothing => unreadable(wire),
    }
}

/// Takes a discriminator; `None` for NULL.
fn take_alternative<'a>(parts: &'a [Wire], input: &mut &[u8]) -> Parse<Option<(&'a Wire, u8)>> {
    let d = take_byte(input)?;
    match parts.get(usize::from(d)) {
        Some(part) => Ok(Some((part, d))),
        None if d == variant::NULL => Ok(None),
        None => {
            let message = format!("A Variant of {} types has no alternative {d}", parts.len());
            fault(codes::INCORRECT_DATA, message)
        }
    }
}

/// Takes the bytes of a state.
fn take_state<'a>(end: &StateEnd, input: &mut &'a [u8]) -> Parse<&'a [u8]> {
    match end.len(input) {
        Ok(len) => take(input, len),
        Err(error) => fault(error.code(), error.message()),
    }
}

#[cold]
fn unreadable<T>(wire: &Wire) -> Parse<T> {
    let what = match wire {
        Wire::State(_) => "Reading states of aggregate functions from binary formats",
        _ => "Reading values of type Nothing",
    };
    fault(codes::NOT_IMPLEMENTED, format!("{what} is not implemented"))
}

/// Appends all of `bytes` as numbers of the builder's width.
pub(crate) fn push_numbers(builder: &mut ColumnBuilder, bytes: &[u8]) -> Parse {
    macro_rules! push {
        ($($variant:ident $ty:ty),*) => {
            match builder {
                ColumnBuilder::UInt8(values) => values.extend_from_slice(bytes),
                $(ColumnBuilder::$variant(values) => {
                    let (parts, _) = bytes.as_chunks::<{ size_of::<$ty>() }>();
                    values.extend(parts.iter().map(|part| <$ty>::from_le_bytes(*part)));
                })*
                _ => return mismatch(),
            }
        };
    }
    push!(UInt16 u16, UInt32 u32, UInt64 u64, UInt128 u128, UInt256 u256, Int8 i8, Int16 i16,
        Int32 i32, Int64 i64, Int128 i128, Int256 i256, Float32 f32, Float64 f64);
    Ok(())
}

/// Appends one value as RowBinary writes it.
pub(crate) fn read_row(wire: &Wire, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    match (wire, builder) {
        (Wire::Number(width), builder) => push_numbers(builder, take(input, *width)?),
        (Wire::Text, ColumnBuilder::String(strings)) => {
            let len = take_text_len(input)?;
            strings.push(take(input, len)?);
            Ok(())
        }
        (Wire::Bool, ColumnBuilder::UInt8(values)) => {
            values.push(u8::from(take_byte(input)? != 0));
            Ok(())
        }
        (Wire::Fixed(width), ColumnBuilder::Fixed { data, .. }) => {
            data.extend_from_slice(take(input, *width)?);
            Ok(())
        }
        (Wire::Uuid, ColumnBuilder::Fixed { data, .. }) => {
            data.extend(take(input, 16)?.iter().rev());
            Ok(())
        }
        (Wire::LowCardinality(inner), builder) => read_row(inner, builder, input),
        (Wire::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            let is_valid = take_byte(input)? == 0;
            validity.push(is_valid);
            if is_valid {
                return read_row(inner, values, input);
            }
            values.push_default();
            Ok(())
        }
        (Wire::Array(inner), ColumnBuilder::Array { offsets, values }) => {
            let len = take_array_len(inner, input)?;
            match inner.as_ref() {
                Wire::Number(width) => {
                    push_numbers(values, take(input, len.saturating_mul(*width))?)?
                }
                _ => (0..len).try_for_each(|_| read_row(inner, values, input))?,
            }
            offsets.push(values.len() as u32);
            Ok(())
        }
        (Wire::Tuple(parts), ColumnBuilder::Tuple { columns, len }) => {
            *len += 1;
            let mut pairs = parts.iter().zip(columns);
            pairs.try_for_each(|(part, column)| read_row(part, column, input))
        }
        (Wire::Variant(parts), ColumnBuilder::Variant(out)) => {
            match take_alternative(parts, input)? {
                Some((part, d)) => {
                    read_row(part, &mut out.variants[usize::from(d)], input)?;
                    out.close(d);
                }
                None => out.push_null(),
            }
            Ok(())
        }
        (Wire::State(Some(end)), ColumnBuilder::String(strings)) => {
            let state = take_state(end, input)?;
            strings.push(state);
            Ok(())
        }
        (Wire::State(None) | Wire::Nothing, _) => unreadable(wire),
        _ => mismatch(),
    }
}
