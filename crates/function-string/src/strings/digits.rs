//! Bytes and numbers as hexadecimal or binary digits and back: `hex`, `unhex`, `bin`, `unbin`.
//!
//! Strings are written byte by byte, integers from their first non-zero byte on with the highest
//! byte first, and floats byte by byte as they lie in memory.

use entasis_base::{Error, Result};
use entasis_column::{Column, Strings, StringsBuilder};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Properties};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::layout::{byte_width, each_bytes, numeric_layout};
use entasis_function_kernel::text::{expect_string, map_text, to_strings};

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// How a byte is written as `N` digits.
trait Digits<const N: usize>: Fn(u8) -> [u8; N] + Copy + Send + Sync + 'static {}

impl<const N: usize, F: Fn(u8) -> [u8; N] + Copy + Send + Sync + 'static> Digits<N> for F {}

#[inline]
fn hex_digits(byte: u8) -> [u8; 2] {
    let digit = |value: u8| value + b'0' + if value > 9 { b'A' - b'0' - 10 } else { 0 };
    [digit(byte >> 4), digit(byte & 15)]
}

#[inline]
fn bin_digits(byte: u8) -> [u8; 8] {
    std::array::from_fn(|k| b'0' + (byte >> (7 - k) & 1))
}

/// The digits of all bytes.
fn all_digits<const N: usize>(bytes: &[u8], digits: impl Digits<N>) -> Vec<u8> {
    let mut out = vec![0; bytes.len() * N];
    for (place, &byte) in out.as_chunks_mut::<N>().0.iter_mut().zip(bytes) {
        *place = digits(byte);
    }
    out
}

/// The bytes of every number as they are written: the highest one first, without zeros in front of
/// an integer.
fn number_bytes(column: &Column, float: bool) -> Strings {
    let (rows, width) = (column.len(), byte_width(column));
    let mut out = StringsBuilder::with_capacity(rows, rows * width);
    each_bytes(column, |bytes| {
        if float {
            out.data.extend_from_slice(bytes);
        } else {
            let top = bytes.iter().rposition(|&b| b != 0).unwrap_or(0);
            out.data.extend(bytes[..=top].iter().rev());
        }
        out.close();
    });
    out.finish()
}

/// The bytes of decimals as they lie in memory, and those of UUIDs in the order in which they are
/// written.
fn whole_bytes(column: &Column) -> Result<Strings> {
    let mut out = StringsBuilder::with_capacity(column.len(), column.len() * 16);
    match column {
        Column::Int32(values) => values.iter().for_each(|v| out.push(&v.to_le_bytes())),
        Column::Int64(values) => values.iter().for_each(|v| out.push(&v.to_le_bytes())),
        Column::Int128(values) => values.iter().for_each(|v| out.push(&v.to_le_bytes())),
        Column::Fixed(ids) => (0..column.len()).for_each(|i| {
            let (first, second) = ids.get(i).split_at(8);
            out.push(&[second, first].concat());
        }),
        _ => return Err(Error::logical("no number of fixed width")),
    }
    Ok(out.finish())
}

/// The digits of every string. They lie where the bytes do, only farther apart.
fn of_strings<const N: usize>(strings: &Strings, digits: impl Digits<N>) -> Result<Column> {
    let (bytes, first) = (strings.bytes(), strings.offsets()[0]);
    StringsBuilder::default().check_room(bytes.len() * N)?;
    let offsets = strings.offsets().iter().map(|end| (end - first) * N as u32).collect();
    Ok(Strings::new(offsets, all_digits(bytes, digits).into()).into())
}

/// `hex` or `bin`: `digits` of every byte.
fn bind_digits<const N: usize>(
    name: &str,
    args: &[Arg],
    digits: impl Digits<N>,
) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    let is_plain = numeric_layout(ty).is_some() && !matches!(ty, DataType::Interval(_));
    let number = is_plain || *ty == DataType::Ipv4;
    let state = matches!(ty, DataType::AggregateFunction(_));
    let is_whole = ty.is_decimal() || *ty == DataType::Uuid;
    if !(number || state || is_whole || ty.is_string() || *ty == DataType::Ipv6) {
        return Err(illegal_type(name, ty));
    }
    let float = ty.is_float();
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let bytes = match is_whole || number {
            _ if is_whole => whole_bytes(&args[0].full())?,
            true => number_bytes(&args[0].full(), float),
            false => to_strings(&args[0], rows)?,
        };
        of_strings(&bytes, digits)
    }))
}

/// The value of each byte as a hexadecimal digit; anything else is all ones, as in the reference.
static HEX_VALUES: [u8; 256] = {
    let mut values = [0xFF; 256];
    let mut i = 0;
    while i < 16 {
        values[HEX[i] as usize] = i as u8;
        values[HEX[i].to_ascii_lowercase() as usize] = i as u8;
        i += 1;
    }
    values
};

/// Strings of digits back into bytes, `N` each; a first group may be shorter.
fn bind_bytes<const N: usize>(
    name: &str,
    args: &[Arg],
    value: impl Fn(&[u8]) -> u8 + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |s, out| {
            let (head, rest) = s.split_at(s.len() % N);
            // A short group of binary zeros before others is left out.
            let is_zero = N == 8 && !rest.is_empty() && value(head) == 0;
            if !head.is_empty() && !is_zero {
                out.push(value(head));
            }
            out.extend(rest.as_chunks::<N>().0.iter().map(|group| value(group)));
        })
    }))
}

fn of_hex(digits: &[u8]) -> u8 {
    digits.iter().fold(0, |v: u8, &d| v.wrapping_mul(16).wrapping_add(HEX_VALUES[usize::from(d)]))
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
        bind: |args, _: &dyn FunctionContext| bind_digits("hex", args, hex_digits),
        ..DIGITS
    },
    FunctionDef {
        name: "unhex",
        description: "Decodes hexadecimal digits to bytes.",
        examples: &[("unhex('616263')", "abc"), ("hex(unhex('616'))", "0616")],
        bind: |args, _| bind_bytes::<2>("unhex", args, of_hex),
        ..DIGITS
    },
    FunctionDef {
        name: "bin",
        description: "The bytes of a string or number in binary digits.",
        examples: &[("bin(5)", "00000101"), ("bin('ab')", "0110000101100010")],
        bind: |args, _| bind_digits("bin", args, bin_digits),
        ..DIGITS
    },
    FunctionDef {
        name: "unbin",
        description: "Decodes binary digits to bytes.",
        examples: &[("unbin('00110000')", "0"), ("hex(unbin('100110000'))", "0130")],
        bind: |args, _| bind_bytes::<8>("unbin", args, of_bin),
        ..DIGITS
    },
];
