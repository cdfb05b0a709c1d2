//! Upper and lower case: ASCII in one pass over the whole buffer, UTF-8 character by character;
//! initcap and reverse.

use std::sync::LazyLock;

use entasis_base::Result;
use entasis_column::{Column, FixedStrings, Strings};
use entasis_simd::search::{ascii_lower, ascii_upper};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Properties};
use entasis_function_kernel::text::{char_len, expect_string, map_text, to_strings};

/// A string column with the same offsets and every byte sent through `change`.
fn in_place(column: &Column, change: impl Fn(&mut [u8])) -> Column {
    match &column.full() {
        Column::String(strings) => {
            let mut data = strings.bytes().to_vec();
            change(&mut data);
            let first = strings.offsets()[0];
            let offsets = if first == 0 {
                strings.buffers().0.clone()
            } else {
                strings.offsets().iter().map(|o| o - first).collect()
            };
            Strings::new(offsets, data.into()).into()
        }
        Column::Fixed(fixed) => {
            let mut data = fixed.data.to_vec();
            change(&mut data);
            Column::Fixed(FixedStrings { width: fixed.width, data: data.into() })
        }
        other => other.clone(),
    }
}

fn lower(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("lower", &args[0])?;
    Ok(BoundKernel::new(args[0].ty.clone(), |args, _| Ok(in_place(&args[0], ascii_lower))))
}

fn upper(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("upper", &args[0])?;
    Ok(BoundKernel::new(args[0].ty.clone(), |args, _| Ok(in_place(&args[0], ascii_upper))))
}

fn by_char(
    name: &str,
    args: &[Arg],
    ascii: fn(&mut [u8]),
    change: fn(&str, &mut Vec<u8>),
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        if let Column::String(strings) = &args[0]
            && strings.bytes().is_ascii()
        {
            return Ok(in_place(&args[0], ascii));
        }
        map_text(&args[0], rows, |s, out| {
            if s.is_ascii() {
                let start = out.len();
                out.extend_from_slice(s);
                ascii(&mut out[start..]);
                return;
            }
            for part in s.utf8_chunks() {
                change(part.valid(), out);
                out.extend_from_slice(part.invalid());
            }
        })
    }))
}

fn push_char(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The other case of characters of one or two bytes. NUL stands for what is not one character,
/// which is looked up in the tables of the standard library.
type Short = [char; 0x800];

fn short(change: impl Fn(char) -> Option<char>) -> Short {
    std::array::from_fn(|code| char::from_u32(code as u32).and_then(&change).unwrap_or_default())
}

static LOWER: LazyLock<Short> = LazyLock::new(|| short(|c| only(c.to_lowercase())));
static UPPER: LazyLock<Short> = LazyLock::new(|| short(|c| only(c.to_uppercase())));

/// The one character of an iterator.
fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next();
    if chars.next().is_some() { None } else { first }
}

/// Appends the text with each character changed: by the table, or by `rare` if it is not there.
#[inline]
fn change_case<I: Iterator<Item = char>>(
    text: &str,
    table: &Short,
    rare: impl Fn(char) -> I,
    out: &mut Vec<u8>,
) {
    for c in text.chars() {
        match table.get(c as usize) {
            Some(&other) if other != '\0' => push_char(out, other),
            _ => rare(c).for_each(|other| push_char(out, other)),
        }
    }
}

fn lower_utf8(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    by_char("lowerUTF8", args, ascii_lower, |s, out| {
        change_case(s, &LOWER, char::to_lowercase, out);
    })
}

fn upper_utf8(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    by_char("upperUTF8", args, ascii_upper, |s, out| {
        change_case(s, &UPPER, char::to_uppercase, out);
    })
}

fn initcap(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("initcap", &args[0])?;
    Ok(BoundKernel::new(args[0].ty.clone(), |args, _| {
        // Letters right after a non-alphanumeric byte are put in upper case; a row's first letter
        // is repaired afterwards, since the buffer is swept as a whole.
        let column = args[0].full();
        let capital = |s: &[u8], out: &mut Vec<u8>| {
            let mut inside = false;
            out.extend(s.iter().map(|&b| {
                let b = if inside { b.to_ascii_lowercase() } else { b.to_ascii_uppercase() };
                inside = b.is_ascii_alphanumeric();
                b
            }));
        };
        match &column {
            Column::Fixed(fixed) => {
                let mut data = Vec::with_capacity(fixed.data.len());
                (0..fixed.len()).for_each(|i| capital(fixed.get(i), &mut data));
                Ok(Column::Fixed(FixedStrings { width: fixed.width, data: data.into() }))
            }
            other => map_text(other, other.len(), capital),
        }
    }))
}

fn reverse_bytes(column: &Column, rows: usize) -> Result<Column> {
    match column {
        Column::Fixed(fixed) => {
            let mut data = fixed.data.to_vec();
            data.chunks_exact_mut(fixed.width).for_each(<[u8]>::reverse);
            Ok(Column::Fixed(FixedStrings { width: fixed.width, data: data.into() }))
        }
        Column::Array(array) => {
            let mut indices = Vec::with_capacity(array.values.len());
            for i in 0..rows {
                indices.extend(array.range(i).rev().map(|k| k as u32));
            }
            let offsets = array.flat().0;
            Ok(Column::array(offsets, array.values.take(&indices)))
        }
        other => {
            let strings = to_strings(other, rows)?;
            Ok(turned(&strings))
        }
    }
}

/// The bytes of every string in reverse order.
fn turned(strings: &Strings) -> Column {
    let first = strings.offsets()[0];
    let mut data = strings.bytes().to_vec();
    let offsets: Vec<u32> = strings.offsets().iter().map(|end| end - first).collect();
    for row in offsets.windows(2) {
        data[row[0] as usize..row[1] as usize].reverse();
    }
    Strings::new(offsets.into(), data.into()).into()
}

fn reverse(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if !matches!(args[0].ty, DataType::Array(_)) {
        expect_string("reverse", &args[0])?;
    }
    let ty = args[0].ty.clone();
    Ok(BoundKernel::new(ty, |args, rows| reverse_bytes(&args[0].full(), rows)))
}

fn reverse_utf8(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("reverseUTF8", &args[0])?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let strings = to_strings(&args[0], rows)?;
        if strings.bytes().is_ascii() {
            return Ok(turned(&strings));
        }
        map_text(&args[0], rows, |s, out| {
            let start = out.len();
            out.resize(start + s.len(), 0);
            let (mut at, mut free) = (0, out.len());
            while at < s.len() {
                let len = char_len(s[at]).min(s.len() - at);
                free -= len;
                out[free..free + len].copy_from_slice(&s[at..at + len]);
                at += len;
            }
        })
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "lower",
        aliases: &["lcase"],
        case_insensitive: true,
        description: "ASCII letters in lower case; other bytes stay.",
        examples: &[("lower('AbC Ж')", "abc Ж")],
        arity: (1, 1),
        bind: lower,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "upper",
        aliases: &["ucase"],
        case_insensitive: true,
        description: "ASCII letters in upper case; other bytes stay.",
        examples: &[("upper('AbC ж')", "ABC ж")],
        arity: (1, 1),
        bind: upper,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "lowerUTF8",
        description: "Lower case of every character of a UTF-8 string.",
        examples: &[("lowerUTF8('ПрИвЕт AB')", "привет ab")],
        arity: (1, 1),
        bind: lower_utf8,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "upperUTF8",
        description: "Upper case of every character of a UTF-8 string.",
        examples: &[("upperUTF8('ПрИвЕт ab')", "ПРИВЕТ AB")],
        arity: (1, 1),
        bind: upper_utf8,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "initcap",
        case_insensitive: true,
        description: "The first letter of every word in upper case, the others in lower case.",
        examples: &[("initcap('hELLO big-world')", "Hello Big-World")],
        arity: (1, 1),
        bind: initcap,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "reverse",
        properties: Properties::DEFAULT.injective(),
        case_insensitive: true,
        description: "The bytes of a string or the elements of an array in reverse order.",
        examples: &[("reverse('abc')", "cba"), ("reverse([1, 2, 3])", "[3,2,1]")],
        arity: (1, 1),
        bind: reverse,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "reverseUTF8",
        description: "The characters of a UTF-8 string in reverse order.",
        examples: &[("reverseUTF8('жук')", "куж")],
        arity: (1, 1),
        bind: reverse_utf8,
        ..FunctionDef::DEFAULT
    },
];
