//! UTF-8: validation, repair, normal forms, ASCII; also strings cut at a zero byte.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Strings, StringsBuilder};
use entasis_simd::{bits, utf8};
use entasis_types::DataType;
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::text::{Text, expect_string, finish, map_number, map_part, map_text};

fn predicate(name: &str, args: &[Arg], test: fn(&[u8]) -> bool) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        map_number(&args[0], rows, |s| u8::from(test(s)))
    }))
}

/// Runs of bytes that are no UTF-8 become one replacement character each.
fn repair(s: &[u8], out: &mut Vec<u8>) {
    let mut broken = false;
    for part in s.utf8_chunks() {
        if !part.valid().is_empty() {
            out.extend_from_slice(part.valid().as_bytes());
            broken = false;
        }
        if !part.invalid().is_empty() && !broken {
            out.extend_from_slice("\u{FFFD}".as_bytes());
            broken = true;
        }
    }
}

/// A bit for each string that is UTF-8.
fn valid_mask(strings: &Strings) -> Vec<u64> {
    let mut mask = vec![0; bits::words_for(strings.len())];
    utf8::valid_mask(strings.data(), strings.offsets(), &mut mask);
    mask
}

fn is_valid(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("isValidUTF8", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt8, |args, rows| {
        let Text::Many(strings) = Text::of(&args[0])? else {
            return map_number(&args[0], rows, |s| u8::from(utf8::is_valid(s)));
        };
        let mut valid = vec![0; strings.len()];
        bits::mask_to_bytes(&valid_mask(strings), &mut valid);
        Ok(Column::from(valid))
    }))
}

fn to_valid(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("toValidUTF8", &args[0])?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        // A column without anything to repair is handed on.
        if let Text::Many(strings) = Text::of(&args[0])?
            && bits::all_set(&valid_mask(strings), strings.len())
        {
            return Ok(args[0].clone());
        }
        map_text(&args[0], rows, repair)
    }))
}

fn cut_to_zero(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("toStringCutToZero", &args[0])?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        map_part(&args[0], rows, |s| &s[..memchr::memchr(0, s).unwrap_or(s.len())])
    }))
}

/// A normal form of Unicode (annex 15), applied to every row.
fn normalize(
    name: &str,
    args: &[Arg],
    is_normal: fn(&str) -> IsNormalized,
    form: fn(&str, &mut String),
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
        let mut normal = String::new();
        for i in 0..rows {
            let s = text.get(i);
            if s.is_ascii() {
                out.push(s);
                continue;
            }
            let s = std::str::from_utf8(s).map_err(|_| {
                let message =
                    "Normalization failed: the string is not UTF-8; toValidUTF8 repairs it";
                Error::new(codes::CANNOT_NORMALIZE_STRING, message)
            })?;
            if is_normal(s) == IsNormalized::Yes {
                out.push(s.as_bytes());
                continue;
            }
            normal.clear();
            form(s, &mut normal);
            out.push(normal.as_bytes());
        }
        finish(out)
    }))
}

const NORMAL: FunctionDef = FunctionDef {
    description: "Converts a string to the Unicode normal form in the function's name.",
    nulls: Nulls::PropagateStrict,
    ..ONE
};
const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "isValidUTF8",
        description: "Whether the bytes are well-formed UTF-8.",
        examples: &[("isValidUTF8('ж')", "1"), ("isValidUTF8(unhex('FF'))", "0")],
        bind: |args, _: &dyn FunctionContext| is_valid(args),
        ..ONE
    },
    FunctionDef {
        name: "isASCII",
        case_insensitive: true,
        description: "Whether all bytes are ASCII.",
        examples: &[("isASCII('abc')", "1"), ("isASCII('ж')", "0")],
        bind: |args, _| predicate("isASCII", args, <[u8]>::is_ascii),
        ..ONE
    },
    FunctionDef {
        name: "toValidUTF8",
        description: "The string with every run of malformed bytes replaced by one U+FFFD.",
        examples: &[("toValidUTF8(concat('a', unhex('FFFF'), 'b'))", "a\u{FFFD}b")],
        bind: |args, _| to_valid(args),
        ..ONE
    },
    FunctionDef {
        name: "normalizeUTF8NFC",
        examples: &[("hex(normalizeUTF8NFC(unhex('65CC81')))", "C3A9")],
        bind: |args, _| {
            let is_normal = |s: &str| is_nfc_quick(s.chars());
            normalize("normalizeUTF8NFC", args, is_normal, |s, out| out.extend(s.nfc()))
        },
        ..NORMAL
    },
    FunctionDef {
        name: "normalizeUTF8NFD",
        examples: &[("hex(normalizeUTF8NFD('é'))", "65CC81")],
        bind: |args, _| {
            let is_normal = |s: &str| is_nfd_quick(s.chars());
            normalize("normalizeUTF8NFD", args, is_normal, |s, out| out.extend(s.nfd()))
        },
        ..NORMAL
    },
    FunctionDef {
        name: "normalizeUTF8NFKC",
        examples: &[("normalizeUTF8NFKC('ﬁ')", "fi")],
        bind: |args, _| {
            let is_normal = |s: &str| is_nfkc_quick(s.chars());
            normalize("normalizeUTF8NFKC", args, is_normal, |s, out| out.extend(s.nfkc()))
        },
        ..NORMAL
    },
    FunctionDef {
        name: "normalizeUTF8NFKD",
        examples: &[("normalizeUTF8NFKD('ﬁ')", "fi")],
        bind: |args, _| {
            let is_normal = |s: &str| is_nfkd_quick(s.chars());
            normalize("normalizeUTF8NFKD", args, is_normal, |s, out| out.extend(s.nfkd()))
        },
        ..NORMAL
    },
    FunctionDef {
        name: "toStringCutToZero",
        description: "The part of a string before its first zero byte.",
        examples: &[("toStringCutToZero(concat('ab', unhex('0063')))", "ab")],
        bind: |args, _| cut_to_zero(args),
        ..ONE
    },
];
