//! simpleJSON*: search for `"name":` anywhere in the text, without reading the document.

use entasis_base::Result;
use entasis_column::{Column, Native, StringsBuilder};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::{Text, constant_string, expect_string, finish, sweep};

/// Visits every row whose text contains the field, in order, with what stands behind `"name":`.
fn each_field(text: Text, rows: usize, needle: &[u8], mut visit: impl FnMut(usize, &[u8])) {
    let finder = memchr::memmem::Finder::new(needle);
    if let Text::Many(strings) = text {
        let find = |part: &[u8]| finder.find(part).map(|at| (at, needle.len()));
        return sweep(strings, find, |row, at| visit(row, &strings.get(row)[at + needle.len()..]));
    }
    for row in 0..rows {
        let json = text.get(row);
        if let Some(at) = finder.find(json) {
            visit(row, &json[at + needle.len()..]);
        }
    }
}

fn needle(name: &str, args: &[Arg]) -> Result<Vec<u8>> {
    expect_string(name, &args[0])?;
    let field = constant_string(name, &args[1], "The second argument")?;
    Ok([b"\"", field, b"\":"].concat())
}

fn native<T: Native>(
    name: &str,
    args: &[Arg],
    ty: DataType,
    f: fn(&[u8]) -> T,
) -> Result<BoundKernel> {
    let needle = needle(name, args)?;
    Ok(BoundKernel::new(ty, move |args, rows| {
        let mut out = vec![T::default(); rows];
        each_field(Text::of(&args[0])?, rows, &needle, |row, rest| out[row] = f(rest));
        Ok(T::column(out.into()))
    }))
}

fn text(name: &str, args: &[Arg], f: fn(&[u8], &mut Vec<u8>)) -> Result<BoundKernel> {
    let needle = needle(name, args)?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| -> Result<Column> {
        let mut out = StringsBuilder::with_capacity(rows, rows * 8);
        each_field(Text::of(&args[0])?, rows, &needle, |row, rest| {
            while out.len() < row {
                out.close();
            }
            f(rest, &mut out.data);
            out.close();
        });
        while out.len() < rows {
            out.close();
        }
        finish(out)
    }))
}

/// The characters of a number at the front, behind an opening quote if there is one.
fn number(rest: &[u8]) -> &str {
    let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
    let end = rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
    std::str::from_utf8(&rest[..end]).unwrap_or("")
}

fn whole(rest: &[u8]) -> i128 {
    if let Some(value) = short_whole(rest) {
        return value.into();
    }
    let text = number(rest);
    let end = text.find(['.', 'e', 'E']).unwrap_or(text.len());
    text[..end].parse().unwrap_or(0)
}

/// A whole number of at most 18 digits that nothing follows which could be a part of it.
fn short_whole(rest: &[u8]) -> Option<i64> {
    let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    let digits = rest.strip_prefix(b"-").unwrap_or(rest);
    let (mut value, mut count) = (0, 0);
    while let Some(digit) = digits.get(count).filter(|b| b.is_ascii_digit()) {
        value = value * 10 + i64::from(digit - b'0');
        count += 1;
        if count > 18 {
            return None;
        }
    }
    if count == 0 || matches!(digits.get(count), Some(b'-' | b'+')) {
        return None;
    }
    Some(if digits.len() < rest.len() { -value } else { value })
}

/// The value up to the comma or bracket that ends it.
fn raw(rest: &[u8], out: &mut Vec<u8>) {
    let (mut open, mut quoted, mut escaped) = (0usize, false, false);
    for (i, &byte) in rest.iter().enumerate() {
        if quoted {
            (escaped, quoted) = (byte == b'\\' && !escaped, byte != b'"' || escaped);
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'{' | b'[' => open += 1,
            b'}' | b']' | b',' if open == 0 => {
                out.extend_from_slice(&rest[..i]);
                return;
            }
            b'}' | b']' => open -= 1,
            _ => {}
        }
    }
}

/// The text of a string without its escapes; nothing where it is none, or has a wrong escape.
fn string(rest: &[u8], out: &mut Vec<u8>) {
    let Some(body) = rest.strip_prefix(b"\"") else { return };
    let plain = super::parse::plain_len(body);
    if body.get(plain) == Some(&b'"') && entasis_simd::utf8::is_valid(&body[..plain]) {
        return out.extend_from_slice(&body[..plain]);
    }
    let mut end = None;
    let mut escaped = false;
    for (i, &byte) in body.iter().enumerate() {
        if byte == b'"' && !escaped {
            end = Some(i);
            break;
        }
        escaped = byte == b'\\' && !escaped;
    }
    let Some(end) = end else { return };
    let quoted = &rest[..end + 2];
    if let Some(text) = super::parse::Tape::default().read(quoted) {
        out.extend_from_slice(text.string());
    }
}

const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "simpleJSONHas",
        aliases: &["visitParamHas"],
        description: "Whether the JSON text contains a field of this name.",
        examples: &[("simpleJSONHas('{\"a\":1}', 'a')", "1")],
        bind: |a, _| native::<u8>("simpleJSONHas", a, DataType::UInt8, |_| 1),
        ..TWO
    },
    FunctionDef {
        name: "simpleJSONExtractUInt",
        aliases: &["visitParamExtractUInt"],
        description: "The field of this name in the JSON text as a UInt64; 0 if it is not there.",
        examples: &[("simpleJSONExtractUInt('{\"a\":12}', 'a')", "12")],
        bind: |a, _| {
            native::<u64>("simpleJSONExtractUInt", a, DataType::UInt64, |rest| {
                whole(rest).max(0) as u64
            })
        },
        ..TWO
    },
    FunctionDef {
        name: "simpleJSONExtractInt",
        aliases: &["visitParamExtractInt"],
        description: "The field of this name in the JSON text as an Int64; 0 if it is not there.",
        examples: &[("simpleJSONExtractInt('{\"a\":-12}', 'a')", "-12")],
        bind: |a, _| {
            native::<i64>("simpleJSONExtractInt", a, DataType::Int64, |rest| whole(rest) as i64)
        },
        ..TWO
    },
    FunctionDef {
        name: "simpleJSONExtractFloat",
        aliases: &["visitParamExtractFloat"],
        description: "The field of this name in the JSON text as a Float64; 0 if it is not there.",
        examples: &[("simpleJSONExtractFloat('{\"a\":1.5}', 'a')", "1.5")],
        bind: |a, _| {
            native::<f64>("simpleJSONExtractFloat", a, DataType::Float64, |rest| {
                number(rest).parse().unwrap_or(0.0)
            })
        },
        ..TWO
    },
    FunctionDef {
        name: "simpleJSONExtractBool",
        aliases: &["visitParamExtractBool"],
        description: "Whether the field of this name in the JSON text is `true`.",
        examples: &[("simpleJSONExtractBool('{\"a\":true}', 'a')", "1")],
        bind: |a, _| {
            native::<u8>("simpleJSONExtractBool", a, DataType::UInt8, |rest| {
                u8::from(rest.starts_with(b"true"))
            })
        },
        ..TWO
    },
    FunctionDef {
        name: "simpleJSONExtractRaw",
        aliases: &["visitParamExtractRaw"],
        description: "The value of the field of this name, as JSON text.",
        examples: &[("simpleJSONExtractRaw('{\"a\":[1,2]}', 'a')", "[1,2]")],
        bind: |a, _| text("simpleJSONExtractRaw", a, raw),
        ..TWO
    },
    FunctionDef {
        name: "simpleJSONExtractString",
        aliases: &["visitParamExtractString"],
        description: "The string in the field of this name, without quotes and escapes.",
        examples: &[("simpleJSONExtractString('{\"a\":\"x\\\\ty\"}', 'a')", "x\ty")],
        bind: |a, _| text("simpleJSONExtractString", a, string),
        ..TWO
    },
];
