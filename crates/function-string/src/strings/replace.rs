//! Replacement of substrings and characters: `replaceOne`, `replaceAll`, `translate`.
//!
//! A constant needle is searched in the whole buffer of haystacks, and rows without a hit are
//! copied together.

use std::collections::HashMap;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Strings, StringsBuilder};
use entasis_types::DataType;
use memchr::memmem::{self, Finder};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::text::{
    LongString, Text, constant_string, expect_string, finish, map_text, row_of,
};

/// Appends `s` with its first occurrence of `needle` (not empty), or every one, replaced.
fn replace_in(s: &[u8], needle: &[u8], by: &[u8], all: bool, out: &mut Vec<u8>) {
    let mut copied = 0;
    let mut long = LongString::default();
    let most = if all { usize::MAX } else { 1 };
    for at in memmem::find_iter(s, needle).take(most) {
        out.extend_from_slice(&s[copied..at]);
        out.extend_from_slice(by);
        long.grew(out, at - copied + by.len());
        copied = at + needle.len();
    }
    out.extend_from_slice(&s[copied..]);
}

/// Appends the rows `from .. to` as they are.
fn copy_rows(strings: &Strings, from: usize, to: usize, out: &mut StringsBuilder) {
    let (offsets, data) = (strings.offsets(), strings.data());
    let base = (out.data.len() as u32).wrapping_sub(offsets[from]);
    out.data.extend_from_slice(&data[offsets[from] as usize..offsets[to] as usize]);
    out.offsets.extend(offsets[from + 1..=to].iter().map(|o| o.wrapping_add(base)));
}

/// All rows with a constant needle and replacement.
fn sweep(strings: &Strings, finder: &Finder<'_>, by: &[u8], all: bool) -> Result<Column> {
    let (offsets, data, rows) = (strings.offsets(), strings.data(), strings.len());
    let (len, end) = (finder.needle().len(), offsets[rows] as usize);
    let mut out = StringsBuilder::with_capacity(rows, strings.bytes().len());
    let find = |from: usize| finder.find(&data[from..end]).map_or(end, |at| from + at);
    let (mut row, mut hit) = (0, find(offsets[0] as usize));
    while hit < end {
        let with_hit = row_of(offsets, row, hit as u32);
        copy_rows(strings, row, with_hit, &mut out);
        let (mut copied, stop) = (offsets[with_hit] as usize, offsets[with_hit + 1] as usize);
        while hit < stop {
            if hit + len > stop {
                // Into the next row: no hit.
                hit = find(hit + 1);
                continue;
            }
            out.data.extend_from_slice(&data[copied..hit]);
            out.data.extend_from_slice(by);
            out.pace();
            copied = hit + len;
            hit = find(if all { copied } else { stop });
        }
        out.data.extend_from_slice(&data[copied..stop]);
        out.check_room(0)?;
        out.close();
        row = with_hit + 1;
    }
    copy_rows(strings, row, rows, &mut out);
    finish(out)
}

fn bind_replace(name: &'static str, all: bool, args: &[Arg]) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| expect_string(name, a))?;
    if let Some(arg) = args.iter().find(|a| a.ty != DataType::String) {
        let message = format!("Illegal column {} of an argument of function {name}", arg.ty);
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    }
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let (text, needle, by) = (Text::of(&args[0])?, Text::of(&args[1])?, Text::of(&args[2])?);
        if let (Text::Many(strings), Text::One(needle), Text::One(by)) = (text, needle, by) {
            if needle.is_empty() {
                return Ok(args[0].clone());
            }
            return sweep(strings, &Finder::new(needle), by, all);
        }
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
        for i in 0..rows {
            let (s, needle) = (text.get(i), needle.get(i));
            if needle.is_empty() {
                out.data.extend_from_slice(s);
            } else {
                replace_in(s, needle, by.get(i), all, &mut out.data);
            }
            out.check_room(0)?;
            out.close();
        }
        finish(out)
    }))
}

#[cold]
fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// Source and target of a translation, as constants.
fn alphabets<'a>(name: &str, args: &'a [Arg]) -> Result<(&'a [u8], &'a [u8])> {
    expect_string(name, &args[0])?;
    let from = constant_string(name, &args[1], "Argument at index 1")?;
    Ok((from, constant_string(name, &args[2], "Argument at index 2")?))
}

fn check_sizes(name: &str, from: usize, to: usize) -> Result<()> {
    if from >= to {
        return Ok(());
    }
    Err(bad(format!(
        "Second argument of function {name} must not be shorter than the third argument. Size of \
         the second argument: {from}, size of the third argument: {to}"
    )))
}

fn translate(args: &[Arg]) -> Result<BoundKernel> {
    let (from, to) = alphabets("translate", args)?;
    if !from.is_ascii() || !to.is_ascii() {
        return Err(bad("Second and third arguments must be ASCII strings".into()));
    }
    check_sizes("translate", from.len(), to.len())?;
    let mut map: [Option<u8>; 256] = std::array::from_fn(|b| Some(b as u8));
    for (k, &byte) in from.iter().enumerate() {
        map[usize::from(byte)] = to.get(k).copied();
    }
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |s, out| {
            out.extend(s.iter().filter_map(|&b| map[usize::from(b)]));
        })
    }))
}

/// The characters of a string; bytes that are no UTF-8 are passed over.
fn characters(s: &[u8]) -> Vec<char> {
    s.utf8_chunks().flat_map(|c| c.valid().chars()).collect()
}

fn translate_utf8(args: &[Arg]) -> Result<BoundKernel> {
    let (from, to) = alphabets("translateUTF8", args)?;
    let (from, to) = (characters(from), characters(to));
    check_sizes("translateUTF8", from.len(), to.len())?;
    let map: HashMap<char, Option<char>> =
        from.iter().enumerate().map(|(k, &c)| (c, to.get(k).copied())).collect();
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |s, out| {
            for part in s.utf8_chunks() {
                for c in part.valid().chars() {
                    if let Some(c) = map.get(&c).copied().unwrap_or(Some(c)) {
                        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
                out.extend_from_slice(part.invalid());
            }
        })
    }))
}

const REPLACE: FunctionDef = FunctionDef { arity: (3, 3), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "replaceOne",
        description: "The string with the first occurrence of another replaced.",
        examples: &[("replaceOne('aaa', 'a', 'b')", "baa")],
        bind: |args, _: &dyn FunctionContext| bind_replace("replaceOne", false, args),
        ..REPLACE
    },
    FunctionDef {
        name: "replaceAll",
        aliases: &["replace"],
        case_insensitive: true,
        description: "The string with every occurrence of another replaced.",
        examples: &[("replaceAll('hello', 'l', 'LL')", "heLLLLo"), ("replace('a', '', 'b')", "a")],
        bind: |args, _| bind_replace("replaceAll", true, args),
        ..REPLACE
    },
    FunctionDef {
        name: "translate",
        description: "The string with ASCII characters of one set exchanged for those at the same \
                      place of another, or dropped where that is shorter.",
        examples: &[
            ("translate('hello', 'lo', '01')", "he001"),
            ("translate('ab', 'ab', 'x')", "x"),
        ],
        bind: |args, _| translate(args),
        ..REPLACE
    },
    FunctionDef {
        name: "translateUTF8",
        description: "Like `translate`, for UTF-8 characters.",
        examples: &[("translateUTF8('жук', 'жк', 'zk')", "zуk")],
        bind: |args, _| translate_utf8(args),
        ..REPLACE
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeping_is_as_row_by_row() {
        let rows = ["", "ab", "a", "b", "xabab", "abx", "aab", "b", "aabb", "", "ba", "ba"];
        let strings: Strings = rows.iter().collect();
        for strings in [strings.clone(), strings.slice(3, 8)] {
            for (needle, by) in [("ab", "-"), ("a", "aa"), ("b", ""), ("bb", "x"), ("zz", "y")] {
                for all in [false, true] {
                    let finder = Finder::new(needle);
                    let found = sweep(&strings, &finder, by.as_bytes(), all).unwrap();
                    for (i, s) in strings.iter().enumerate() {
                        let mut expected = Vec::new();
                        replace_in(s, needle.as_bytes(), by.as_bytes(), all, &mut expected);
                        assert_eq!(found.strings().unwrap().get(i), expected, "{needle} {i} {all}");
                    }
                }
            }
        }
    }
}
