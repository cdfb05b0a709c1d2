//! `hasToken` and its kin. A token is a run of ASCII letters, digits and bytes above ASCII.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_types::{DataType, Value};
use memchr::memmem::Finder;

use super::position::Mode;
use crate::search::tokenizer::in_word;
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::{Text, constant_string, expect_string};

/// Whether the first hit with token borders around it exists.
pub fn has_token(s: &[u8], finder: &Finder<'_>) -> bool {
    let len = finder.needle().len();
    let mut from = 0;
    while let Some(at) = finder.find(&s[from..]) {
        let (start, end) = (from + at, from + at + len);
        let border = |b: Option<&u8>| b.is_none_or(|&b| !in_word(b));
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
    if !needle.iter().all(|&b| in_word(b)) {
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
