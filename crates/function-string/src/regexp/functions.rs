//! The functions that take regular expressions.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask, StringsBuilder};
use entasis_types::{DataType, Value};

use super::Pattern;
use super::replace::{Replacement, replace_column, replace_in};
use crate::strings::split::Pieces;
use entasis_function::{Arg, BoundKernel, FunctionDef, Properties};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::{Text, constant_string, expect_string, finish};

/// The pattern argument: compiled at binding if it is constant.
fn constant_pattern(arg: &Arg, fold: bool) -> Result<Option<Arc<Pattern>>> {
    let compile = if fold { Pattern::compile_folded } else { Pattern::compile };
    let bytes = arg.constant.as_ref().and_then(|v| v.as_bytes());
    Ok(bytes.map(compile).transpose()?.map(Arc::new))
}

/// Patterns of a column, each compiled once.
#[derive(Default)]
struct Known(HashMap<Vec<u8>, Arc<Pattern>>);

impl Known {
    fn get(&mut self, bytes: &[u8]) -> Result<Arc<Pattern>> {
        if let Some(pattern) = self.0.get(bytes) {
            return Ok(Arc::clone(pattern));
        }
        if self.0.len() >= 1024 {
            self.0.clear();
        }
        let pattern = Arc::new(Pattern::compile(bytes)?);
        self.0.insert(bytes.to_vec(), Arc::clone(&pattern));
        Ok(pattern)
    }
}

fn bind_match(args: &[Arg]) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| expect_string("match", a))?;
    let pattern = constant_pattern(&args[1], false)?;
    Ok(BoundKernel::predicate(move |args, rows| {
        let text = Text::of(&args[0])?;
        if let Some(pattern) = &pattern {
            return Ok(pattern.mask(text, rows));
        }
        let patterns = Text::of(&args[1])?;
        let mut known = Known::default();
        let bits = (0..rows)
            .map(|i| Ok(known.get(patterns.get(i))?.matcher().is_match(text.get(i))))
            .collect::<Result<Vec<_>>>()?;
        Ok(Mask::from_fn(rows, |i| bits[i]))
    }))
}

fn required_pattern(name: &str, arg: &Arg) -> Result<Arc<Pattern>> {
    constant_string(name, arg, "Argument at index 1")?;
    constant_pattern(arg, false)?.ok_or_else(|| {
        Error::new(codes::ILLEGAL_COLUMN, format!("{name}: pattern must be constant"))
    })
}

fn bind_extract(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("extract", &args[0])?;
    let pattern = required_pattern("extract", &args[1])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows) / 2);
        let group = usize::from(pattern.groups() > 0);
        let mut matcher = pattern.matcher();
        for i in 0..rows {
            let s = text.get(i);
            let found = if group == 0 {
                matcher.find(s, 0)
            } else {
                matcher.captures(s, 0).and_then(|_| matcher.group(group))
            };
            if let Some((start, end)) = found {
                out.data.extend_from_slice(&s[start..end]);
            }
            out.close();
        }
        finish(out)
    }))
}

fn bind_extract_all(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("extractAll", &args[0])?;
    let pattern = required_pattern("extractAll", &args[1])?;
    Ok(BoundKernel::new(DataType::array(DataType::String), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows));
        let group = usize::from(pattern.groups() > 0);
        let mut matcher = pattern.matcher();
        for i in 0..rows {
            let s = text.get(i);
            let mut from = 0;
            // The reference ends at the first match that is empty or whose group is.
            while let Some((_, end)) = matcher.captures(s, from) {
                let Some((a, b)) = matcher.group(group) else { break };
                if a == b || from >= s.len() {
                    break;
                }
                out.push(&s[a..b]);
                from = end;
            }
            out.close();
        }
        out.finish()
    }))
}

/// Whether groups are listed by group or by match.
fn bind_extract_groups(name: &'static str, horizontal: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    let pattern = required_pattern(name, &args[1])?;
    let groups = pattern.groups();
    if groups == 0 {
        let message = format!(
            "There are no groups in regexp: {}",
            args[1]
                .constant
                .as_ref()
                .and_then(Value::as_bytes)
                .map(String::from_utf8_lossy)
                .unwrap_or_default()
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let ty = DataType::array(DataType::array(DataType::String));
    Ok(BoundKernel::new(ty, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut pieces = Pieces::new(rows, text.bytes(rows));
        let mut ends = vec![0u32];
        let mut lists = 0;
        let mut matcher = pattern.matcher();
        let mut found: Vec<Vec<(usize, usize)>> = vec![Vec::new(); groups];
        for i in 0..rows {
            let s = text.get(i);
            found.iter_mut().for_each(Vec::clear);
            let mut from = 0;
            while from <= s.len()
                && let Some((start, end)) = matcher.captures(s, from)
            {
                for (g, list) in found.iter_mut().enumerate() {
                    list.push(matcher.group(g + 1).unwrap_or((0, 0)));
                }
                from = if end == start { end + 1 } else { end };
            }
            let matches = found[0].len();
            let (outer, inner) = if horizontal { (groups, matches) } else { (matches, groups) };
            for a in 0..outer {
                for b in 0..inner {
                    let (start, end) = if horizontal { found[a][b] } else { found[b][a] };
                    pieces.push(&s[start..end]);
                }
                pieces.close();
            }
            lists += outer;
            ends.push(lists as u32);
        }
        Ok(Column::array(ends.into(), pieces.finish()?))
    }))
}

fn bind_groups(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("extractGroups", &args[0])?;
    let pattern = required_pattern("extractGroups", &args[1])?;
    if pattern.groups() == 0 {
        return Err(Error::new(codes::BAD_ARGUMENTS, "There are no groups in regexp"));
    }
    Ok(BoundKernel::new(DataType::array(DataType::String), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows));
        let mut matcher = pattern.matcher();
        for i in 0..rows {
            let s = text.get(i);
            if matcher.captures(s, 0).is_some() {
                for g in 1..=pattern.groups() {
                    out.push(matcher.group(g).map_or(&[][..], |(a, b)| &s[a..b]));
                }
            }
            out.close();
        }
        out.finish()
    }))
}

fn bind_regexp_extract(args: &[Arg]) -> Result<BoundKernel> {
    let name = "regexpExtract";
    expect_string(name, &args[0])?;
    let pattern = required_pattern(name, &args[1])?;
    let group = match args.get(2) {
        None => usize::from(pattern.groups() > 0),
        Some(arg) if !arg.ty.is_any_integer() => return Err(illegal_type(name, &arg.ty)),
        Some(arg) => {
            let value = arg.constant.as_ref().and_then(Value::as_i64);
            let valid = value.and_then(|v| usize::try_from(v).ok());
            valid.filter(|&v| v <= pattern.groups()).ok_or_else(|| {
                let message = format!(
                    "Index value {} is out of range, should be in [0, {}]",
                    value.unwrap_or(-1),
                    pattern.groups() + 1
                );
                Error::new(codes::PARAMETER_OUT_OF_BOUND, message)
            })?
        }
    };
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows) / 2);
        let mut matcher = pattern.matcher();
        for i in 0..rows {
            let s = text.get(i);
            let found = matcher.captures(s, 0).and_then(|_| matcher.group(group));
            out.push(found.map_or(&[], |(a, b)| &s[a..b]));
        }
        finish(out)
    }))
}

fn bind_replace(name: &'static str, all: bool, args: &[Arg]) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| expect_string(name, a))?;
    // As the reference, which has another code for the same mistake here.
    let pattern = constant_pattern(&args[1], false)
        .map_err(|e| Error::new(codes::BAD_ARGUMENTS, e.message()))?;
    let is_empty = |a: &Arg| a.constant.as_ref().and_then(|v| v.as_bytes()) == Some(b"");
    if is_empty(&args[1]) {
        // As the reference: an empty pattern replaces nothing.
        return Ok(BoundKernel::new(DataType::String, |args, rows| {
            entasis_function_kernel::text::map_part(&args[0], rows, |s| s)
        }));
    }
    let replacement = match (&pattern, args[2].constant.as_ref().and_then(|v| v.as_bytes())) {
        (Some(pattern), Some(text)) => Some(Replacement::parse(text, pattern.groups())?),
        _ => None,
    };
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let text = Text::of(&args[0])?;
        if let (Some(pattern), Some(replacement)) = (&pattern, &replacement) {
            return replace_column(text, rows, pattern, replacement, all);
        }
        let (patterns, replacements) = (Text::of(&args[1])?, Text::of(&args[2])?);
        let mut known = Known::default();
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
        for i in 0..rows {
            if patterns.get(i).is_empty() {
                out.push(text.get(i));
                continue;
            }
            let pattern = known.get(patterns.get(i))?;
            let replacement = Replacement::parse(replacements.get(i), pattern.groups())?;
            replace_in(text.get(i), &mut pattern.matcher(), &replacement, all, &mut out.data);
            out.close();
        }
        finish(out)
    }))
}

fn bind_count(name: &'static str, fold: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    constant_string(name, &args[1], "Argument at index 1")?;
    let Some(pattern) = constant_pattern(&args[1], fold)? else {
        return Err(Error::logical("pattern"));
    };
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut matcher = pattern.matcher();
        let mut count = |s: &[u8]| {
            let (mut from, mut count) = (0, 0u64);
            while from < s.len()
                && let Some((start, end)) = matcher.find(s, from)
            {
                count += u64::from(end > start);
                from = if end > start { end } else { end + 1 };
            }
            count
        };
        Ok(Column::from((0..rows).map(|i| count(text.get(i))).collect::<Vec<_>>()))
    }))
}

fn quote_meta(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("regexpQuoteMeta", &args[0])?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        entasis_function_kernel::text::map_text(&args[0], rows, |s, out| {
            for &b in s {
                if b == 0 {
                    out.extend_from_slice(b"\\x00");
                    continue;
                }
                if b"\\()|[].^$?*+{:-".contains(&b) {
                    out.push(b'\\');
                }
                out.push(b);
            }
        })
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "match",
        properties: Properties::REGEXP.passing(0.1),
        aliases: &["REGEXP_MATCHES"],
        case_insensitive: true,
        description: "Whether a regular expression (RE2's syntax) matches somewhere in the string.",
        examples: &[("match('hello', 'l+o')", "1"), ("match('hello', '^l')", "0")],
        arity: (2, 2),
        bind: |args, _| bind_match(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "extract",
        properties: Properties::REGEXP,
        description: "The first match of a regular expression, or its first group if it has one.",
        examples: &[("extract('hello', 'h(.)')", "e"), ("extract('hello', 'l+')", "ll")],
        arity: (2, 2),
        bind: |args, _| bind_extract(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "extractAll",
        description: "Every match of a regular expression, or its first group if it has one.",
        examples: &[("extractAll('a1b22', '[0-9]+')", "['1','22']")],
        arity: (2, 2),
        bind: |args, _| bind_extract_all(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "extractGroups",
        properties: Properties::NEVER_FOLDED,
        description: "All groups of the first match of a regular expression.",
        examples: &[("extractGroups('k=v', '(.)=(.)')", "['k','v']")],
        arity: (2, 2),
        bind: |args, _| bind_groups(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "extractAllGroupsVertical",
        aliases: &["extractAllGroups"],
        description: "For each match of a regular expression, an array of the texts of its groups.",
        examples: &[("extractAllGroupsVertical('a=1,b=2', '(.)=(.)')", "[['a','1'],['b','2']]")],
        arity: (2, 2),
        bind: |args, _| bind_extract_groups("extractAllGroupsVertical", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "extractAllGroupsHorizontal",
        description: "For each group of a regular expression, an array of its texts in all \
                      matches.",
        examples: &[("extractAllGroupsHorizontal('a=1,b=2', '(.)=(.)')", "[['a','b'],['1','2']]")],
        arity: (2, 2),
        bind: |args, _| bind_extract_groups("extractAllGroupsHorizontal", true, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "regexpExtract",
        aliases: &["REGEXP_EXTRACT", "REGEXP_SUBSTR"],
        case_insensitive: true,
        description: "A group of the first match of a regular expression; 0 is the whole match.",
        examples: &[("regexpExtract('100-200', '([0-9]+)-([0-9]+)', 2)", "200")],
        arity: (2, 3),
        bind: |args, _| bind_regexp_extract(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "replaceRegexpOne",
        properties: Properties::REGEXP,
        description: "The string with the first match of a regular expression replaced; `\\\\1` in \
                      the replacement is the first group, `\\\\0` the match.",
        examples: &[("replaceRegexpOne('hello', 'l(l)', '[\\\\1\\\\0]')", "he[lll]o")],
        arity: (3, 3),
        bind: |args, _| bind_replace("replaceRegexpOne", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "replaceRegexpAll",
        properties: Properties::REGEXP,
        aliases: &["REGEXP_REPLACE"],
        case_insensitive: true,
        description: "The string with every match of a regular expression replaced.",
        examples: &[("replaceRegexpAll('hello', 'l', '\\\\0\\\\0')", "hellllo")],
        arity: (3, 3),
        bind: |args, _| bind_replace("replaceRegexpAll", true, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "countMatches",
        description: "Number of matches of a regular expression that do not overlap.",
        examples: &[("countMatches('hello', 'l')", "2")],
        arity: (2, 2),
        bind: |args, _| bind_count("countMatches", false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "countMatchesCaseInsensitive",
        description: "Like `countMatches`, ignoring case.",
        examples: &[("countMatchesCaseInsensitive('heLlo', 'l')", "2")],
        arity: (2, 2),
        bind: |args, _| bind_count("countMatchesCaseInsensitive", true, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "regexpQuoteMeta",
        description: "The string with a backslash before all characters that have a meaning in \
                      regular expressions.",
        examples: &[("regexpQuoteMeta('a.b')", "a\\.b")],
        arity: (1, 1),
        bind: |args, _| quote_meta(args),
        ..FunctionDef::DEFAULT
    },
];
