//! `toJSONString`: values as JSON.

use entasis_base::{Error, Result};
use entasis_column::{Column, StringsBuilder};
use entasis_types::text::{
    write_date, write_datetime, write_f32, write_f64, write_i64, write_i128, write_i256, write_u64,
    write_u128, write_u256,
};
use entasis_types::{DataType, TextType, TimeZone, TupleType};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::text::finish;

/// What settings say about the text of values.
#[derive(Clone, Copy)]
struct Look {
    zone: TimeZone,
    /// Whether integers of 64 bits and more are in quotes.
    quotes_wide: bool,
    /// Whether infinity and NaN are in quotes; they are null otherwise.
    quotes_denormals: bool,
}

/// Appends a string in quotes.
fn write_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for (i, &byte) in text.iter().enumerate() {
        let escape = match byte {
            b'"' | b'\\' | b'/' => byte,
            8 => b'b',
            9 => b't',
            10 => b'n',
            12 => b'f',
            13 => b'r',
            0..=31 => {
                out.extend_from_slice(format!("\\u{byte:04X}").as_bytes());
                continue;
            }
            // Line and paragraph separators end a line of JavaScript.
            0xE2 if text[i..].starts_with("\u{2028}".as_bytes()) => {
                out.extend_from_slice(b"\\u2028");
                continue;
            }
            0xE2 if text[i..].starts_with("\u{2029}".as_bytes()) => {
                out.extend_from_slice(b"\\u2029");
                continue;
            }
            0x80 | 0xA8 | 0xA9 if is_behind_separator(text, i) => continue,
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', escape]);
    }
    out.push(b'"');
}

/// Whether the byte is the second or the third one of a line or paragraph separator.
fn is_behind_separator(text: &[u8], i: usize) -> bool {
    let is_separator = |at: Option<usize>| {
        let rest = at.map(|at| &text[at..]).unwrap_or_default();
        matches!(rest, [0xE2, 0x80, 0xA8 | 0xA9, ..])
    };
    is_separator(i.checked_sub(1)) || is_separator(i.checked_sub(2))
}

fn quoted(out: &mut Vec<u8>, quotes: bool, write: impl FnOnce(&mut Vec<u8>)) {
    if quotes {
        out.push(b'"');
    }
    write(out);
    if quotes {
        out.push(b'"');
    }
}

fn write_float(out: &mut Vec<u8>, value: f64, look: Look, write: impl FnOnce(&mut Vec<u8>)) {
    if value.is_finite() || look.quotes_denormals {
        return quoted(out, !value.is_finite(), write);
    }
    out.extend_from_slice(b"null");
}

fn separated(out: &mut Vec<u8>, i: usize) {
    if i > 0 {
        out.push(b',');
    }
}

/// Appends row `i` of a full column.
fn write(out: &mut Vec<u8>, column: &Column, ty: &DataType, i: usize, look: Look) -> Result<()> {
    match (ty, column) {
        (DataType::LowCardinality(inner), column) => write(out, column, inner, i, look),
        (DataType::Nested(stored), column) => write(out, column, stored, i, look),
        (DataType::SimpleAggregateFunction(of), column) => write(out, column, &of.args[0], i, look),
        (ty, Column::Const(c)) => write(out, &c.value, ty, 0, look),
        (ty, Column::Dict(_)) => write(out, &column.slice(i, 1).full(), ty, 0, look),
        (DataType::Nullable(inner), Column::Nullable(n)) if n.validity.get(i) => {
            write(out, &n.values, inner, i, look)
        }
        (DataType::Nullable(_) | DataType::Nothing, _) => {
            out.extend_from_slice(b"null");
            Ok(())
        }
        (DataType::Variant(types), Column::Variant(variant)) => match variant.at(i) {
            Some((values, at)) => {
                let ty = &types[usize::from(variant.discriminators[i])];
                write(out, values, ty, at, look)
            }
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        },
        (DataType::Array(inner), Column::Array(array)) => {
            out.push(b'[');
            for (k, at) in array.range(i).enumerate() {
                separated(out, k);
                write(out, &array.values, inner, at, look)?;
            }
            out.push(b']');
            Ok(())
        }
        (DataType::Map(_), Column::Array(array)) => {
            let (Some((key, value)), Column::Tuple(pair)) = (ty.as_map(), &array.values) else {
                return Err(Error::logical("a map is no array of pairs"));
            };
            out.push(b'{');
            for (k, at) in array.range(i).enumerate() {
                separated(out, k);
                let start = out.len();
                write(out, &pair.columns[0], key, at, look)?;
                if out.get(start) != Some(&b'"') {
                    out.insert(start, b'"');
                    out.push(b'"');
                }
                out.push(b':');
                write(out, &pair.columns[1], value, at, look)?;
            }
            out.push(b'}');
            Ok(())
        }
        (DataType::Tuple(tuple), Column::Tuple(columns)) => {
            write_tuple(out, &columns.columns, tuple, i, look)
        }
        (ty, column) => {
            write_plain(out, column, ty, i, look);
            Ok(())
        }
    }
}

/// A tuple is an object if its elements have names, and an array otherwise.
fn write_tuple(
    out: &mut Vec<u8>,
    columns: &[Column],
    tuple: &TupleType,
    i: usize,
    look: Look,
) -> Result<()> {
    let names = tuple.names.as_deref();
    out.push(if names.is_some() { b'{' } else { b'[' });
    for (k, (column, ty)) in columns.iter().zip(&tuple.types).enumerate() {
        separated(out, k);
        if let Some(names) = names {
            write_string(out, names[k].as_bytes());
            out.push(b':');
        }
        write(out, column, ty, i, look)?;
    }
    out.push(if names.is_some() { b'}' } else { b']' });
    Ok(())
}

fn write_plain(out: &mut Vec<u8>, column: &Column, ty: &DataType, i: usize, look: Look) {
    if let Some(spelled) = TextType::of(ty, look.zone) {
        let mut text = Vec::new();
        spelled.write(&mut text, column.bits(i));
        return match spelled.is_quoted() {
            true => write_string(out, &text),
            false => out.extend_from_slice(&text),
        };
    }
    let wide = look.quotes_wide;
    match (ty, column) {
        (DataType::Bool, Column::UInt8(v)) => {
            out.extend_from_slice(if v[i] != 0 { b"true" } else { b"false" });
        }
        (DataType::Date, Column::UInt16(v)) => {
            quoted(out, true, |out| write_date(out, i32::from(v[i])));
        }
        (DataType::DateTime(own), Column::UInt32(v)) => {
            let zone = own.unwrap_or(look.zone);
            quoted(out, true, |out| write_datetime(out, i64::from(v[i]), zone));
        }
        (_, Column::UInt8(v)) => write_u64(out, v[i].into()),
        (_, Column::UInt16(v)) => write_u64(out, v[i].into()),
        (_, Column::UInt32(v)) => write_u64(out, v[i].into()),
        (_, Column::UInt64(v)) => quoted(out, wide, |out| write_u64(out, v[i])),
        (_, Column::Int8(v)) => write_i64(out, v[i].into()),
        (_, Column::Int16(v)) => write_i64(out, v[i].into()),
        (_, Column::Int32(v)) => write_i64(out, v[i].into()),
        (_, Column::Int64(v)) => quoted(out, wide, |out| write_i64(out, v[i])),
        (_, Column::UInt128(v)) => quoted(out, wide, |out| write_u128(out, v[i])),
        (_, Column::UInt256(v)) => quoted(out, wide, |out| write_u256(out, v[i])),
        (_, Column::Int128(v)) => quoted(out, wide, |out| write_i128(out, v[i])),
        (_, Column::Int256(v)) => quoted(out, wide, |out| write_i256(out, v[i])),
        (_, Column::Float32(v)) => {
            write_float(out, v[i].into(), look, |out| write_f32(out, v[i]));
        }
        (_, Column::Float64(v)) => write_float(out, v[i], look, |out| write_f64(out, v[i])),
        (_, Column::String(strings)) => write_string(out, strings.get(i)),
        (_, Column::Fixed(fixed)) => write_string(out, fixed.get(i)),
        _ => out.extend_from_slice(b"null"),
    }
}

fn bind(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let is_set = |name: &str| context.setting(name).and_then(|v| v.as_u64()) == Some(1);
    let look = Look {
        zone: context.time_zone(),
        quotes_wide: is_set("output_format_json_quote_64bit_integers"),
        quotes_denormals: is_set("output_format_json_quote_denormals"),
    };
    let ty = args[0].ty.clone();
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let column = args[0].full();
        let mut out = StringsBuilder::with_capacity(rows, rows * 16);
        for i in 0..rows {
            write(&mut out.data, &column, &ty, i, look)?;
            out.check_room(0)?;
            out.close();
        }
        finish(out)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "toJSONString",
    description: "A value as JSON.",
    examples: &[
        ("toJSONString(map('a', [1, 2]))", "{\"a\":[1,2]}"),
        ("toJSONString('x')", "\"x\""),
    ],
    takes_variant: true,
    arity: (1, 1),
    bind,
    ..FunctionDef::DEFAULT
}];
