//! Bytes and numbers as hexadecimal or binary digits and back: `hex`, `unhex`, `bin`, `unbin`.
//!
//! Strings are written byte by byte, integers from their first non-zero byte on with the highest
//! byte first, and floats byte by byte as they lie in memory.

use entasis_base::{Error, Result};
use entasis_column::{Column, StringsBuilder};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Properties};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::layout::{byte_width, each_bytes, numeric_layout};
use entasis_function_kernel::text::{expect_string, finish, map_text};

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn put_hex(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
}

fn put_bin(byte: u8, out: &mut Vec<u8>) {
    let digit = |k: usize| b'0' + (byte >> (7 - k) & 1);
    out.extend_from_slice(&std::array::from_fn::<u8, 8, _>(digit));
}

#[inline(always)]
fn numbers(
    column: &Column,
    float: bool,
    digits: usize,
    put: impl Fn(u8, &mut Vec<u8>),
) -> Result<Column> {
    let (rows, width) = (column.len(), byte_width(column));
    let mut out = StringsBuilder::with_capacity(rows, rows * width * digits);
    each_bytes(column, |bytes| {
        if float {
            bytes.iter().for_each(|&b| put(b, &mut out.data));
        } else {
            let top = bytes.iter().rposition(|&b| b != 0).unwrap_or(0);
            bytes[..=top].iter().rev().for_each(|&b| put(b, &mut out.data));
        }
        out.close();
    });
    finish(out)
}

/// Decimals byte by byte as they lie in memory, UUIDs in the order in which they are written.
fn whole(column: &Column, digits: usize, put: fn(u8, &mut Vec<u8>)) -> Result<Column> {
    let mut out = StringsBuilder::with_capacity(column.len(), column.len() * 16 * digits);
    let mut add = |bytes: &[u8]| {
        bytes.iter().for_each(|&b| put(b, &mut out.data));
        out.close();
    };
    match column {
        Column::Int32(values) => values.iter().for_each(|v| add(&v.to_le_bytes())),
        Column::Int64(values) => values.iter().for_each(|v| add(&v.to_le_bytes())),
        Column::Int128(values) => values.iter().for_each(|v| add(&v.to_le_bytes())),
        Column::Fixed(ids) => (0..column.len()).for_each(|i| {
            let (first, second) = ids.get(i).split_at(8);
            add(&[second, first].concat());
        }),
        _ => return Err(Error::logical("no number of fixed width")),
    }
    finish(out)
}

/// `hex` or `bin`: `digits` per byte, written by `put`.
fn bind_digits(
    name: &str,
    args: &[Arg],
    digits: usize,
    put: fn(u8, &mut Vec<u8>),
) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    let is_plain = numeric_layout(ty).is_some() && !matches!(ty, DataType::Interval(_));
    let number = is_plain || *ty == DataType::Ipv4;
    let state = matches!(ty, DataType::AggregateFunction(_));
    let whole_bytes = ty.is_decimal() || *ty == DataType::Uuid;
    if !(number || state || whole_bytes || ty.is_string() || *ty == DataType::Ipv6) {
        return Err(illegal_type(name, ty));
    }
    let float = ty.is_float();
    if whole_bytes {
        return Ok(BoundKernel::new(DataType::String, move |args, _| {
            whole(&args[0].full(), digits, put)
        }));
    }
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        if number {
            return numbers(&args[0].full(), float, digits, put);
        }
        map_text(&args[0], rows, |s, out| {
            out.reserve(s.len() * digits);
            s.iter().for_each(|&b| put(b, out));
        })
    }))
}

/// The value of a hexadecimal digit; anything else is all ones, as in the reference.
fn hex_value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        b'A'..=b'F' => digit - b'A' + 10,
        _ => 0xFF,
    }
}

/// Strings of digits back into bytes, `digits` each; a first group may be shorter.
fn bind_bytes(
    name: &str,
    args: &[Arg],
    digits: usize,
    value: fn(&[u8]) -> u8,
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |s, out| {
            let (head, rest) = s.split_at(s.len() % digits);
            // A short group of binary zeros before others is left out.
            let is_zero = digits == 8 && !rest.is_empty() && value(head) == 0;
            if !head.is_empty() && !is_zero {
                out.push(value(head));
            }
            out.extend(rest.chunks_exact(digits).map(value));
        })
    }))
}

fn of_hex(digits: &[u8]) -> u8 {
    digits.iter().fold(0, |v: u8, &d| v.wrapping_mul(16).wrapping_add(hex_value(d)))
}

fn of_bin(digits: &[u8]) -> u8 {
    // Anything but a zero counts as a one, as in the reference.
    digits.iter().fold(0, |v: u8, &d| v << 1 | u8::from(d != b'0'))
}

const DIGITS: FunctionDef =
    FunctionDef { case_insensitive: true, arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "hex",
        properties: Properties::DEFAULT.injective(),
        description: "The bytes of a string or number in hexadecimal digits; integers without \
                      leading zero bytes.",
        examples: &[("hex('abc')", "616263"), ("hex(256)", "0100"), ("hex(-1)", "FF")],
        bind: |args, _: &dyn FunctionContext| bind_digits("hex", args, 2, put_hex),
        ..DIGITS
    },
    FunctionDef {
        name: "unhex",
        description: "Decodes hexadecimal digits to bytes.",
        examples: &[("unhex('616263')", "abc"), ("hex(unhex('616'))", "0616")],
        bind: |args, _| bind_bytes("unhex", args, 2, of_hex),
        ..DIGITS
    },
    FunctionDef {
        name: "bin",
        description: "The bytes of a string or number in binary digits.",
        examples: &[("bin(5)", "00000101"), ("bin('ab')", "0110000101100010")],
        bind: |args, _| bind_digits("bin", args, 8, put_bin),
        ..DIGITS
    },
    FunctionDef {
        name: "unbin",
        description: "Decodes binary digits to bytes.",
        examples: &[("unbin('00110000')", "0"), ("hex(unbin('100110000'))", "0130")],
        bind: |args, _| bind_bytes("unbin", args, 8, of_bin),
        ..DIGITS
    },
];
