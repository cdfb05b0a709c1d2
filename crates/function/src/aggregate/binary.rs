//! Single values in the reference's binary format (RowBinary), for serialised states.

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder, VariantBuilder, VariantColumn, match_native, variant};
use entasis_types::DataType;

use super::args::{Bytes, cut_off, take};

/// Appends row `i` of a full column.
pub fn write_value(column: &Column, i: usize, out: &mut Vec<u8>) {
    match_native!(column, values => values[i].put(out), other => match other {
        Column::String(strings) => {
            let s = strings.get(i);
            write_varint(out, s.len() as u64);
            out.extend_from_slice(s);
        }
        Column::Fixed(fixed) => out.extend_from_slice(fixed.get(i)),
        Column::Nullable(n) => {
            out.push(u8::from(!n.validity.get(i)));
            if n.validity.get(i) {
                write_value(&n.values, i, out);
            }
        }
        Column::Array(a) => {
            write_varint(out, a.range(i).len() as u64);
            a.range(i).for_each(|k| write_value(&a.values, k, out));
        }
        Column::Tuple(t) => t.columns.iter().for_each(|c| write_value(c, i, out)),
        Column::Variant(v) => write_variant(v, i, out, write_value),
        Column::Const(c) => write_value(&c.value, 0, out),
        Column::Dict(d) => write_value(&d.dictionary.values, d.codes[i] as usize, out),
        _ => {}
    });
}

/// Appends the discriminator of row `i`, and its value with `write`.
fn write_variant(
    variant: &VariantColumn,
    i: usize,
    out: &mut Vec<u8>,
    write: fn(&Column, usize, &mut Vec<u8>),
) {
    out.push(variant.discriminators[i]);
    if let Some((values, at)) = variant.at(i) {
        write(values, at, out);
    }
}

/// Reads what [`write_variant`] wrote.
fn read_variant(
    input: &mut &[u8],
    out: &mut VariantBuilder,
    read: impl Fn(&mut &[u8], &mut ColumnBuilder) -> Result<()>,
) -> Result<()> {
    let discriminator = u8::get(input)?;
    if discriminator == variant::NULL {
        out.push_null();
        return Ok(());
    }
    let Some(values) = out.variants.get_mut(usize::from(discriminator)) else {
        let message = format!("A Variant has no alternative {discriminator}");
        return Err(Error::new(codes::INCORRECT_DATA, message));
    };
    read(input, values)?;
    out.close(discriminator);
    Ok(())
}

/// Reads one value of the builder's layout and appends it to the builder. After an error the
/// builder may contain a part of it.
pub fn read_value(input: &mut &[u8], out: &mut ColumnBuilder) -> Result<()> {
    read_nested(input, out, 0)
}

fn read_nested(input: &mut &[u8], out: &mut ColumnBuilder, depth: usize) -> Result<()> {
    macro_rules! number {
        ($values:ident) => {
            $values.push(Bytes::get(input)?)
        };
    }
    if depth > 100 {
        return Err(Error::new(codes::TOO_DEEP_RECURSION, "Aggregate state is nested too deeply"));
    }
    match out {
        ColumnBuilder::UInt8(v) => number!(v),
        ColumnBuilder::UInt16(v) => number!(v),
        ColumnBuilder::UInt32(v) => number!(v),
        ColumnBuilder::UInt64(v) => number!(v),
        ColumnBuilder::UInt128(v) => number!(v),
        ColumnBuilder::UInt256(v) => number!(v),
        ColumnBuilder::Int8(v) => number!(v),
        ColumnBuilder::Int16(v) => number!(v),
        ColumnBuilder::Int32(v) => number!(v),
        ColumnBuilder::Int64(v) => number!(v),
        ColumnBuilder::Int128(v) => number!(v),
        ColumnBuilder::Int256(v) => number!(v),
        ColumnBuilder::Float32(v) => number!(v),
        ColumnBuilder::Float64(v) => number!(v),
        ColumnBuilder::String(strings) => {
            let n = read_len(input)?;
            strings.check_room(n)?;
            strings.push(take(input, n)?);
        }
        ColumnBuilder::Fixed { width, data } => data.extend_from_slice(take(input, *width)?),
        ColumnBuilder::Nullable { validity, values } => {
            let null = u8::get(input)? != 0;
            validity.push(!null);
            if null {
                values.push_default();
            } else {
                read_nested(input, values, depth + 1)?;
            }
        }
        ColumnBuilder::Array { offsets, values } => {
            let n = read_len(input)?;
            for _ in 0..n {
                read_nested(input, values, depth + 1)?;
            }
            offsets.push(values.len() as u32);
        }
        ColumnBuilder::Tuple { columns, len } => {
            for column in columns {
                read_nested(input, column, depth + 1)?;
            }
            *len += 1;
        }
        ColumnBuilder::Variant(variant) => {
            let read = |input: &mut &[u8], out: &mut _| read_nested(input, out, depth + 1);
            read_variant(input, variant, read)?;
        }
        ColumnBuilder::Nothing(len) => *len += 1,
    }
    Ok(())
}

/// A count of items that take at least one byte each, so it is at most the number of remaining
/// bytes.
#[inline]
pub fn read_len(input: &mut &[u8]) -> Result<usize> {
    let n = read_varint(input)? as usize;
    if n > input.len() { Err(cut_off()) } else { Ok(n) }
}

/// Appends a value in the form that states with a single value use: strings have an `i32` length,
/// which includes a closing zero byte, or -1 if there is no value. All other types have a byte and
/// the value.
pub fn write_single(column: &Column, i: usize, has: bool, out: &mut Vec<u8>) {
    if let Column::String(strings) = column {
        if !has {
            return (-1i32).put(out);
        }
        let s = strings.get(i);
        (s.len() as i32 + 1).put(out);
        out.extend_from_slice(s);
        return out.push(0);
    }
    out.push(u8::from(has));
    if has {
        write_value(column, i, out);
    }
}

/// Reads what [`write_single`] wrote. Returns `false` and appends nothing if there is no value.
pub fn read_single(ty: &DataType, input: &mut &[u8], out: &mut ColumnBuilder) -> Result<bool> {
    if let (DataType::String | DataType::AggregateFunction(_), ColumnBuilder::String(strings)) =
        (ty, &mut *out)
    {
        let n = i32::get(input)?;
        if n < 0 {
            return Ok(false);
        }
        let bytes = take(input, n as usize)?;
        strings.push(bytes.strip_suffix(&[0]).unwrap_or(bytes));
        return Ok(true);
    }
    let has = u8::get(input)? != 0;
    if has {
        read_value(input, out)?;
    }
    Ok(has)
}

/// Appends row `i` in the form in which the reference keeps values of any type in an arena: lists
/// and strings after a length of 8 bytes, and strings with a closing zero byte.
pub fn write_arena(column: &Column, i: usize, out: &mut Vec<u8>) {
    match column {
        Column::String(strings) => {
            let s = strings.get(i);
            (s.len() as u64 + 1).put(out);
            out.extend_from_slice(s);
            out.push(0);
        }
        Column::Nullable(n) => {
            out.push(u8::from(!n.validity.get(i)));
            if n.validity.get(i) {
                write_arena(&n.values, i, out);
            }
        }
        Column::Array(a) => {
            (a.range(i).len() as u64).put(out);
            a.range(i).for_each(|k| write_arena(&a.values, k, out));
        }
        Column::Tuple(t) => t.columns.iter().for_each(|c| write_arena(c, i, out)),
        Column::Variant(v) => write_variant(v, i, out, write_arena),
        other => write_value(other, i, out),
    }
}

/// Reads what [`write_arena`] wrote and appends it to a builder.
pub fn read_arena(input: &mut &[u8], out: &mut ColumnBuilder) -> Result<()> {
    match out {
        ColumnBuilder::String(strings) => {
            let n = u64::get(input)? as usize;
            let bytes = take(input, n)?;
            strings.check_room(n)?;
            strings.push(bytes.strip_suffix(&[0]).unwrap_or(bytes));
        }
        ColumnBuilder::Nullable { validity, values } => {
            let null = u8::get(input)? != 0;
            validity.push(!null);
            if null {
                values.push_default();
            } else {
                read_arena(input, values)?;
            }
        }
        ColumnBuilder::Array { offsets, values } => {
            let n = u64::get(input)? as usize;
            if n > input.len() {
                return Err(cut_off());
            }
            for _ in 0..n {
                read_arena(input, values)?;
            }
            offsets.push(values.len() as u32);
        }
        ColumnBuilder::Tuple { columns, len } => {
            for column in columns {
                read_arena(input, column)?;
            }
            *len += 1;
        }
        ColumnBuilder::Variant(variant) => read_variant(input, variant, read_arena)?,
        other => read_value(input, other)?,
    }
    Ok(())
}
