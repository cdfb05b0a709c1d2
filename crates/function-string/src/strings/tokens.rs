//! Words and n-grams: `tokens`, `hasToken`, `ngrams`. A token is a run of ASCII letters, digits
//! and bytes above ASCII.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_types::{DataType, Value};
use memchr::memmem::Finder;

use super::position::Mode;
use super::split::Pieces;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::text::{Text, char_len, constant_string, expect_string};

fn in_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b >= 0x80
}

/// Each row's tokens.
fn split_tokens(column: &Column, rows: usize) -> Result<Column> {
    let text = Text::of(column)?;
    let mut out = Pieces::new(rows, text.bytes(rows));
    for i in 0..rows {
        let words = text.get(i).split(|&b| !in_token(b));
        words.filter(|w| !w.is_empty()).for_each(|w| out.push(w));
        out.close();
    }
    out.finish()
}

/// Each row's runs of `n` characters.
fn split_ngrams(column: &Column, n: usize, rows: usize) -> Result<Column> {
    let text = Text::of(column)?;
    let mut out = Pieces::new(rows, text.bytes(rows).saturating_mul(n.min(8)));
    for i in 0..rows {
        let s = text.get(i);
        let step = |at: usize| (at + char_len(s[at])).min(s.len());
        let (mut start, mut end, mut count) = (0, 0, 0);
        while end < s.len() {
            (end, count) = (step(end), count + 1);
            if count >= n {
                out.push(&s[start..end]);
                start = step(start);
            }
        }
        out.close();
    }
    out.finish()
}

fn array_of_strings() -> DataType {
    DataType::array(DataType::String)
}

fn bind_ngrams(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("ngrams", &args[0])?;
    let n = args[1].constant.as_ref().and_then(Value::as_u64);
    let n = n.filter(|&n| n > 0).ok_or_else(|| {
        let message = "Second argument of function ngrams must be a constant number of at least 1";
        Error::new(codes::BAD_ARGUMENTS, message)
    })?;
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    Ok(BoundKernel::new(array_of_strings(), move |args, rows| split_ngrams(&args[0], n, rows)))
}

/// Whether the first hit with token borders around it exists.
fn has_token(s: &[u8], finder: &Finder<'_>) -> bool {
    let len = finder.needle().len();
    let mut from = 0;
    while let Some(at) = finder.find(&s[from..]) {
        let (start, end) = (from + at, from + at + len);
        let border = |b: Option<&u8>| b.is_none_or(|&b| !in_token(b));
        if border(start.checked_sub(1).and_then(|i| s.get(i))) && border(s.get(end)) {
            return true;
        }
        from = end;
    }
    false
}

fn bind_has_token(
    name: &'static str,
    mode: Mode,
    or_null: bool,
    args: &[Arg],
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    let needle = constant_string(name, &args[1], "Argument at index 1")?;
    let ty = if or_null { DataType::nullable(DataType::UInt8) } else { DataType::UInt8 };
    if !needle.iter().all(|&b| in_token(b)) {
        if !or_null {
            let message = "Needle must not contain whitespace or separator characters";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let null = ty.clone();
        return Ok(BoundKernel::new(ty, move |_, rows| {
            Ok(Column::constant(Column::from_value(&null, &Value::Null, 1), rows))
        }));
    }
    let needle = mode.canonical(needle).unwrap_or_else(|| needle.to_vec());
    let finder = Finder::new(&needle).into_owned();
    let mask = move |args: &[Column], rows: usize| {
        let text = Text::of(&args[0])?;
        if finder.needle().is_empty() {
            return Ok(Mask::constant(false, rows));
        }
        Ok(Mask::from_fn(rows, |i| match mode.canonical(text.get(i)) {
            Some(folded) => has_token(&folded, &finder),
            None => has_token(text.get(i), &finder),
        }))
    };
    if !or_null {
        return Ok(BoundKernel::predicate(mask));
    }
    Ok(BoundKernel::new(ty, move |args, rows| {
        let values = Column::from_mask(&mask(args, rows)?);
        Ok(Column::nullable(values, Mask::constant(true, rows)))
    }))
}

const HAS_TOKEN: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "tokens",
        description: "The words of a string, as runs of letters, digits and characters that are \
                      not ASCII.",
        examples: &[("tokens('test1,;\\'test2 x')", "['test1','test2','x']")],
        nulls: Nulls::Propagate,
        arity: (1, 1),
        bind: |args, _: &dyn FunctionContext| {
            expect_string("tokens", &args[0])?;
            Ok(BoundKernel::new(array_of_strings(), |args, rows| split_tokens(&args[0], rows)))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "ngrams",
        description: "All runs of n consecutive UTF-8 characters (n-grams).",
        examples: &[("ngrams('жуки', 3)", "['жук','уки']")],
        arity: (2, 2),
        bind: |args, _| bind_ngrams(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "hasToken",
        description: "Whether a token occurs in a string.",
        examples: &[("hasToken('big world', 'world')", "1"), ("hasToken('ab', 'b')", "0")],
        bind: |args, _| bind_has_token("hasToken", Mode::EXACT, false, args),
        ..HAS_TOKEN
    },
    FunctionDef {
        name: "hasTokenOrNull",
        description: "Like `hasToken`, but NULL where the needle is no token.",
        examples: &[("hasTokenOrNull('a b', 'a b')", "ᴺᵁᴸᴸ")],
        bind: |args, _| bind_has_token("hasTokenOrNull", Mode::EXACT, true, args),
        ..HAS_TOKEN
    },
    FunctionDef {
        name: "hasTokenCaseInsensitive",
        description: "Like `hasToken`, ignoring the case of ASCII letters.",
        examples: &[("hasTokenCaseInsensitive('Big World', 'world')", "1")],
        bind: |args, _| bind_has_token("hasTokenCaseInsensitive", Mode::FOLD, false, args),
        ..HAS_TOKEN
    },
    FunctionDef {
        name: "hasTokenCaseInsensitiveOrNull",
        description: "Like `hasTokenCaseInsensitive`, but NULL where the needle is no token.",
        examples: &[("hasTokenCaseInsensitiveOrNull('A', 'a')", "1")],
        bind: |args, _| bind_has_token("hasTokenCaseInsensitiveOrNull", Mode::FOLD, true, args),
        ..HAS_TOKEN
    },
];
