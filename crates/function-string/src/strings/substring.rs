//! Parts of strings by position: substring, left, right, in bytes and in UTF-8 characters.
//!
//! Offsets are counted from 1, or from the end if they are negative. A negative length leaves out
//! as many at the end. Positions out of range are cut off and never an error.

use entasis_base::{Error, Result, codes};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::Side;
use entasis_function_kernel::text::{
    Text, char_len, constant_string, expect_integer, expect_string, parts_of,
};

/// The range `offset`, `length` selects of `size` units.
#[inline]
fn range(size: usize, offset: i64, length: Option<i64>) -> (usize, usize) {
    let size = size as i64;
    if offset == 0 {
        return (0, 0);
    }
    // May lie before the beginning: the length then counts from there.
    let start = if offset > 0 { offset - 1 } else { size + offset };
    let end = match length {
        None => size,
        Some(n) if n >= 0 => start.saturating_add(n),
        Some(n) => size + n,
    };
    let (start, end) = (start.clamp(0, size), end.clamp(0, size));
    (start as usize, end.max(start) as usize)
}

/// The characters `offset`, `length` selects.
fn range_utf8(s: &[u8], offset: i64, length: Option<i64>) -> &[u8] {
    if s.is_ascii() {
        let (start, end) = range(s.len(), offset, length);
        return &s[start..end];
    }
    let mut starts = Vec::with_capacity(s.len() + 1);
    let mut at = 0;
    while at < s.len() {
        starts.push(at);
        at += char_len(s[at]);
    }
    starts.push(s.len());
    let (start, end) = range(starts.len() - 1, offset, length);
    &s[starts[start]..starts[end]]
}

fn bytes_part(s: &[u8], offset: i64, length: Option<i64>) -> &[u8] {
    let (start, end) = range(s.len(), offset, length);
    &s[start..end]
}

fn bind_substring(
    name: &'static str,
    args: &[Arg],
    part: impl for<'a> Fn(&'a [u8], i64, Option<i64>) -> &'a [u8] + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    args[1..].iter().try_for_each(|a| expect_integer(name, a))?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let offset = Side::<i64>::read(&args[1])?;
        let length = args.get(2).map(Side::<i64>::read).transpose()?;
        if let (&Side::One(offset), None | Some(Side::One(_))) = (&offset, &length) {
            let length = length.as_ref().map(|l| l.get(0));
            return parts_of(text, rows, move |_, s| part(s, offset, length));
        }
        parts_of(text, rows, |i, s| part(s, offset.get(i), length.as_ref().map(|l| l.get(i))))
    }))
}

fn left_part(s: &[u8], n: i64, _: Option<i64>) -> &[u8] {
    bytes_part(s, 1, Some(n))
}

fn left_part_utf8(s: &[u8], n: i64, _: Option<i64>) -> &[u8] {
    range_utf8(s, 1, Some(n))
}

/// The last `n`; a negative `n` leaves the first `-n` out.
fn right_part(s: &[u8], n: i64, _: Option<i64>) -> &[u8] {
    match n {
        0 => b"",
        n if n > 0 => bytes_part(s, (-n).max(-(s.len() as i64)), None),
        n => bytes_part(s, n.saturating_neg().saturating_add(1), None),
    }
}

fn right_part_utf8(s: &[u8], n: i64, _: Option<i64>) -> &[u8] {
    match n {
        0 => b"",
        n if n > 0 => range_utf8(s, -n, None),
        n => range_utf8(s, n.saturating_neg().saturating_add(1), None),
    }
}

/// What stands before the n-th delimiter, or, for a negative n, behind the n-th from the end.
fn until_delimiter(s: &[u8], delimiter: u8, n: i64) -> &[u8] {
    let nth = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX).wrapping_sub(1);
    match n {
        0 => b"",
        1.. => memchr::memchr_iter(delimiter, s).nth(nth).map_or(s, |at| &s[..at]),
        _ => memchr::memrchr_iter(delimiter, s).nth(nth).map_or(s, |at| &s[at + 1..]),
    }
}

fn substring_index(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    const NAME: &str = "substringIndex";
    expect_string(NAME, &args[0])?;
    expect_integer(NAME, &args[2])?;
    let delimiter = constant_string(NAME, &args[1], "The delimiter")?;
    let &[delimiter] = delimiter else {
        let message = "Second argument to substringIndex must be a single character";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let (text, counts) = (Text::of(&args[0])?, Side::<i64>::read(&args[2])?);
        parts_of(text, rows, |i, s| until_delimiter(s, delimiter, counts.get(i)))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "substringIndex",
        aliases: &["SUBSTRING_INDEX"],
        case_insensitive: true,
        description: "The part of a string before the n-th delimiter; for a negative n, the part \
                      after the n-th one from the end.",
        examples: &[
            ("substringIndex('a.b.c', '.', 2)", "a.b"),
            ("substringIndex('a.b.c', '.', -1)", "c"),
        ],
        arity: (3, 3),
        bind: substring_index,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "substring",
        aliases: &["substr", "mid", "byteSlice"],
        case_insensitive: true,
        description: "Bytes from `offset` on (from 1; negative: from the end), at most `length`.",
        examples: &[
            ("substring('hello', 2, 3)", "ell"),
            ("substring('hello', -3)", "llo"),
            ("substring('hello', 2, -1)", "ell"),
        ],
        arity: (2, 3),
        bind: |args, _| bind_substring("substring", args, bytes_part),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "substringUTF8",
        aliases: &["substrUTF8"],
        description: "Like `substring`, in characters of a UTF-8 string.",
        examples: &[("substringUTF8('жукы', 2, 2)", "ук")],
        arity: (2, 3),
        bind: |args, _: &dyn FunctionContext| bind_substring("substringUTF8", args, range_utf8),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "left",
        case_insensitive: true,
        description: "The first n bytes of a string; a negative n leaves out the last ones.",
        examples: &[("left('hello', 2)", "he"), ("left('hello', -1)", "hell")],
        arity: (2, 2),
        bind: |args, _| bind_substring("left", args, left_part),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "leftUTF8",
        description: "The first n characters of a UTF-8 string.",
        examples: &[("leftUTF8('жук', 2)", "жу")],
        arity: (2, 2),
        bind: |args, _| bind_substring("leftUTF8", args, left_part_utf8),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "right",
        case_insensitive: true,
        description: "The last n bytes of a string; a negative n leaves out the first ones.",
        examples: &[("right('hello', 2)", "lo"), ("right('hello', -1)", "ello")],
        arity: (2, 2),
        bind: |args, _| bind_substring("right", args, right_part),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "rightUTF8",
        description: "The last n characters of a UTF-8 string.",
        examples: &[("rightUTF8('жук', 2)", "ук")],
        arity: (2, 2),
        bind: |args, _| bind_substring("rightUTF8", args, right_part_utf8),
        ..FunctionDef::DEFAULT
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_column::Column;

    #[test]
    fn ranges_against_counting() {
        for size in 0..6usize {
            for offset in -8i64..=8 {
                for length in (-8i64..=8).map(Some).chain([None]) {
                    let (a, b) = range(size, offset, length);
                    let start = if offset > 0 { offset - 1 } else { size as i64 + offset };
                    let inside = |i: i64| {
                        offset != 0
                            && i >= start
                            && length.is_none_or(|n| {
                                if n >= 0 { i < start + n } else { i < size as i64 + n }
                            })
                    };
                    let expected: Vec<usize> = (0..size).filter(|&i| inside(i as i64)).collect();
                    assert_eq!((a..b).collect::<Vec<_>>(), expected, "{size} {offset} {length:?}");
                }
            }
        }
    }

    #[test]
    fn columns_of_offsets() {
        let text = Column::String(["hello", "abc"].iter().collect());
        let bound = bind_substring(
            "substring",
            &[Arg::column(DataType::String), Arg::column(DataType::Int8)],
            bytes_part,
        )
        .unwrap();
        let entasis_function::Run::Columns(run) = bound.run else { unreachable!() };
        let out = run(&[text, Column::from(vec![2i8, -1])], 2).unwrap();
        assert_eq!((out.value(0), out.value(1)), ("ello".into(), "c".into()));
    }
}
