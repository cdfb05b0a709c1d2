//! Searches one string in another: positions, prefixes and suffixes, number of occurrences.
//!
//! A constant needle is searched in the whole buffer of haystacks in one pass, and hits are mapped
//! to rows.

use entasis_base::Result;
use entasis_column::{Column, Mask, Strings};
use entasis_simd::search;
use entasis_types::DataType;
use memchr::memmem::Finder;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Operation, Properties};
use entasis_function_kernel::kernel::{Side, illegal_type, mask_with};
use entasis_function_kernel::text::{Text, char_len, expect_string, sweep};

/// How haystack and needle are compared and positions counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Letters compare without case.
    pub fold: bool,
    /// Positions count characters, and folding is by Unicode.
    pub utf8: bool,
}

impl Mode {
    /// Exact bytes.
    pub const EXACT: Self = Self { fold: false, utf8: false };
    /// ASCII letters without case.
    pub const FOLD: Self = Self { fold: true, utf8: false };
    /// Characters.
    pub const UTF8: Self = Self { fold: false, utf8: true };
    /// Characters without case.
    pub const FOLD_UTF8: Self = Self { fold: true, utf8: true };

    /// The form in which two strings that are equal in this mode are equal bytes, if it changes.
    pub fn canonical(self, s: &[u8]) -> Option<Vec<u8>> {
        if !self.fold {
            return None;
        }
        if !self.utf8 || s.is_ascii() {
            return Some(s.to_ascii_lowercase());
        }
        let mut out = Vec::with_capacity(s.len());
        for part in s.utf8_chunks() {
            for c in part.valid().chars() {
                let mut lower = c.to_lowercase();
                // Only characters that keep their length stay comparable by position.
                let l = if lower.len() == 1 { lower.next().unwrap_or(c) } else { c };
                let l = if l.len_utf8() == c.len_utf8() { l } else { c };
                out.extend_from_slice(l.encode_utf8(&mut [0; 4]).as_bytes());
            }
            out.extend_from_slice(part.invalid());
        }
        Some(out)
    }
}

/// Bytes where characters begin, counted from the front.
pub fn skip_chars(s: &[u8], count: usize) -> usize {
    let mut at = 0;
    for _ in 0..count {
        if at >= s.len() {
            break;
        }
        at += char_len(s[at]);
    }
    at.min(s.len())
}

/// 1-based position of the needle from `start` (1-based; 0 is 1) on; 0 if there is none.
fn position_in(haystack: &[u8], needle: &[u8], start: u64, mode: Mode) -> u64 {
    let folded = mode.canonical(haystack);
    let haystack = folded.as_deref().unwrap_or(haystack);
    let skip = start.saturating_sub(1);
    let from = if mode.utf8 {
        if skip > search::count_chars(haystack) as u64 {
            return 0;
        }
        skip_chars(haystack, skip as usize)
    } else {
        if skip > haystack.len() as u64 {
            return 0;
        }
        skip as usize
    };
    match search::find(&haystack[from..], needle) {
        None => 0,
        Some(at) if mode.utf8 => search::count_chars(&haystack[..from + at]) as u64 + 1,
        Some(at) => (from + at) as u64 + 1,
    }
}

fn exact_positions(strings: &Strings, needle: &[u8]) -> Vec<u64> {
    let rows = strings.len();
    let mut out = vec![u64::from(needle.is_empty()); rows];
    match needle {
        [] => {}
        &[byte] => sweep(
            strings,
            |s| memchr::memchr(byte, s).map(|at| (at, 1)),
            |row, at| out[row] = at as u64 + 1,
        ),
        _ => {
            let finder = Finder::new(needle);
            sweep(
                strings,
                |s| finder.find(s).map(|at| (at, needle.len())),
                |row, at| out[row] = at as u64 + 1,
            );
        }
    }
    out
}

fn positions(args: &[Column], rows: usize, mode: Mode, swapped: bool) -> Result<Column> {
    let (h, n) = if swapped { (1, 0) } else { (0, 1) };
    let (haystack, needle) = (Text::of(&args[h])?, Text::of(&args[n])?);
    let start = args.get(2).map(Side::<u64>::read).transpose()?;
    let mut out = match (haystack, needle, mode.fold, &start) {
        (Text::Many(strings), Text::One(needle), false, None) => exact_positions(strings, needle),
        (_, Text::One(needle), ..) => {
            let folded = mode.canonical(needle);
            let needle = folded.as_deref().unwrap_or(needle);
            let start = |i| start.as_ref().map_or(1, |s| s.get(i));
            let of = |i| position_in(haystack.get(i), needle, start(i), mode);
            return Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()));
        }
        _ => {
            let start = |i| start.as_ref().map_or(1, |s| s.get(i));
            let of = |i| {
                let folded = mode.canonical(needle.get(i));
                let needle = folded.as_deref().unwrap_or(needle.get(i));
                position_in(haystack.get(i), needle, start(i), mode)
            };
            return Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()));
        }
    };
    if mode.utf8 {
        for (i, at) in out.iter_mut().enumerate().filter(|(_, at)| **at > 1) {
            *at = search::count_chars(&haystack.get(i)[..*at as usize - 1]) as u64 + 1;
        }
    }
    Ok(Column::from(out))
}

/// Fails unless the argument can be the place where a search begins.
fn expect_start(name: &str, arg: &Arg) -> Result<()> {
    if arg.ty.is_unsigned() || arg.ty == DataType::Bool {
        return Ok(());
    }
    Err(illegal_type(name, &arg.ty))
}

fn bind_position(
    name: &'static str,
    mode: Mode,
    swapped: bool,
    args: &[Arg],
) -> Result<BoundKernel> {
    args[..2].iter().try_for_each(|a| expect_string(name, a))?;
    args[2..].iter().try_for_each(|a| expect_start(name, a))?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| positions(args, rows, mode, swapped)))
}

/// Whether haystacks contain the needle, as a mask: `%needle%`.
pub fn contains(haystack: &Column, needle: &[u8], rows: usize) -> Result<Mask> {
    Ok(match Text::of(haystack)? {
        Text::Many(s) => {
            mask_with(rows, |out| search::contains_mask(s.data(), s.offsets(), needle, out))
        }
        text => {
            let finder = Finder::new(needle);
            Mask::from_fn(rows, |i| finder.find(text.get(i)).is_some())
        }
    })
}

/// A test of haystack against needle.
type Test = fn(&[u8], &[u8]) -> bool;

fn bind_edge(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    mode: Mode,
    test: Test,
) -> Result<BoundKernel> {
    if args.iter().all(|a| matches!(a.ty, DataType::Array(_))) && !mode.fold && !mode.utf8 {
        let array = if name == "startsWith" { "arrayStartsWith" } else { "arrayEndsWith" };
        return crate::strings::edges::bind(array, args, context);
    }
    args.iter().try_for_each(|a| expect_string(name, a))?;
    let starts = name.starts_with("starts");
    Ok(BoundKernel::predicate(move |args, rows| {
        let (text, needle) = (Text::of(&args[0])?, Text::of(&args[1])?);
        if let (Text::Many(s), Text::One(needle), false) = (text, needle, mode.fold) {
            let kernel = if starts { search::starts_with_mask } else { search::ends_with_mask };
            return Ok(mask_with(rows, |out| kernel(s.data(), s.offsets(), needle, out)));
        }
        Ok(Mask::from_fn(rows, |i| {
            let (s, n) = (text.get(i), needle.get(i));
            match (mode.canonical(s), mode.canonical(n)) {
                (Some(s), Some(n)) => test(&s, &n),
                _ => test(s, n),
            }
        }))
    }))
}

fn ends(s: &[u8], n: &[u8]) -> bool {
    s.ends_with(n)
}

fn starts(s: &[u8], n: &[u8]) -> bool {
    s.starts_with(n)
}

fn count_in(haystack: &[u8], needle: &[u8], mode: Mode) -> u64 {
    if needle.is_empty() {
        return 0;
    }
    let folded = mode.canonical(haystack);
    let haystack = folded.as_deref().unwrap_or(haystack);
    memchr::memmem::find_iter(haystack, needle).count() as u64
}

fn bind_count(name: &'static str, mode: Mode, args: &[Arg]) -> Result<BoundKernel> {
    args[..2].iter().try_for_each(|a| expect_string(name, a))?;
    args[2..].iter().try_for_each(|a| expect_start(name, a))?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        let (text, needle) = (Text::of(&args[0])?, Text::of(&args[1])?);
        let start = args.get(2).map(Side::<u64>::read).transpose()?;
        let of = |i: usize| {
            let (s, n) = (text.get(i), needle.get(i));
            let skip = start.as_ref().map_or(0, |s| s.get(i).saturating_sub(1));
            let from = if mode.utf8 {
                skip_chars(s, usize::try_from(skip).unwrap_or(usize::MAX))
            } else {
                (skip as usize).min(s.len())
            };
            let folded = mode.canonical(n);
            count_in(&s[from..], folded.as_deref().unwrap_or(n), mode)
        };
        Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()))
    }))
}

fn locate(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    // MySQL's order of arguments, unless the setting says otherwise.
    let mysql = context.setting("function_locate_has_mysql_compatible_argument_order");
    let swapped = mysql.and_then(|v| v.as_u64()) != Some(0);
    bind_position("locate", Mode::EXACT, swapped, args)
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "position",
        properties: Properties::SEARCH,
        case_insensitive: true,
        description: "Position (from 1) of the first occurrence of a string in another, or 0; a \
                      third argument says where to begin.",
        examples: &[("position('hello', 'l')", "3"), ("position('hello', 'l', 4)", "4")],
        arity: (2, 3),
        bind: |args, _| bind_position("position", Mode::EXACT, false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "positionCaseInsensitive",
        aliases: &["instr"],
        description: "Like `position`, ignoring the case of ASCII letters.",
        examples: &[("positionCaseInsensitive('Hello', 'hE')", "1")],
        arity: (2, 3),
        bind: |args, _| bind_position("positionCaseInsensitive", Mode::FOLD, false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "positionUTF8",
        description: "Like `position`, counted in characters of UTF-8 strings.",
        examples: &[("positionUTF8('жук', 'к')", "3")],
        arity: (2, 3),
        bind: |args, _| bind_position("positionUTF8", Mode::UTF8, false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "positionCaseInsensitiveUTF8",
        description: "Like `positionUTF8`, ignoring case.",
        examples: &[("positionCaseInsensitiveUTF8('жУК', 'ук')", "2")],
        arity: (2, 3),
        bind: |args, _| bind_position("positionCaseInsensitiveUTF8", Mode::FOLD_UTF8, false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "locate",
        case_insensitive: true,
        description: "Like `position`, but with the string to search for as the first argument.",
        examples: &[("locate('l', 'hello')", "3")],
        arity: (2, 3),
        bind: locate,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "startsWith",
        properties: Properties::DEFAULT.meaning(Operation::StartsWith),
        description: "Whether a string or array begins with another.",
        examples: &[("startsWith('hello', 'he')", "1"), ("startsWith([1, 2], [1])", "1")],
        arity: (2, 2),
        bind: |args, context| bind_edge("startsWith", args, context, Mode::EXACT, starts),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "endsWith",
        description: "Whether a string or array ends with another.",
        examples: &[("endsWith('hello', 'lo')", "1"), ("endsWith('hello', 'll')", "0")],
        arity: (2, 2),
        bind: |args, context| bind_edge("endsWith", args, context, Mode::EXACT, ends),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "startsWithUTF8",
        description: "Like `startsWith`, for UTF-8 strings.",
        examples: &[("startsWithUTF8('жук', 'ж')", "1")],
        arity: (2, 2),
        bind: |args, context| bind_edge("startsWithUTF8", args, context, Mode::UTF8, starts),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "endsWithUTF8",
        description: "Like `endsWith`, for UTF-8 strings.",
        examples: &[("endsWithUTF8('жук', 'к')", "1")],
        arity: (2, 2),
        bind: |args, context| bind_edge("endsWithUTF8", args, context, Mode::UTF8, ends),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "startsWithCaseInsensitive",
        description: "Like `startsWith`, ignoring the case of ASCII letters.",
        examples: &[("startsWithCaseInsensitive('Hello', 'hE')", "1")],
        arity: (2, 2),
        bind: |args, context| {
            bind_edge("startsWithCaseInsensitive", args, context, Mode::FOLD, starts)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "endsWithCaseInsensitive",
        description: "Like `endsWith`, ignoring the case of ASCII letters.",
        examples: &[("endsWithCaseInsensitive('hellO', 'Lo')", "1")],
        arity: (2, 2),
        bind: |args, context| bind_edge("endsWithCaseInsensitive", args, context, Mode::FOLD, ends),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "countSubstrings",
        case_insensitive: true,
        description: "Number of occurrences of a string in another that do not overlap.",
        examples: &[("countSubstrings('aaaa', 'aa')", "2")],
        arity: (2, 3),
        bind: |args, _| bind_count("countSubstrings", Mode::EXACT, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "countSubstringsCaseInsensitive",
        description: "Like `countSubstrings`, ignoring the case of ASCII letters.",
        examples: &[("countSubstringsCaseInsensitive('aAaA', 'aa')", "2")],
        arity: (2, 3),
        bind: |args, _| bind_count("countSubstringsCaseInsensitive", Mode::FOLD, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "countSubstringsCaseInsensitiveUTF8",
        description: "Like `countSubstrings`, for UTF-8 strings and ignoring case.",
        examples: &[("countSubstringsCaseInsensitiveUTF8('жЖ', 'ж')", "2")],
        arity: (2, 3),
        bind: |args, _| bind_count("countSubstringsCaseInsensitiveUTF8", Mode::FOLD_UTF8, args),
        ..FunctionDef::DEFAULT
    },
];
