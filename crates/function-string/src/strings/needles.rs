//! Several needles at once: multiSearchAny and similar functions.
//!
//! Constant needles are searched together in one pass (packed search for few, Aho-Corasick for
//! many), and needles from a column row by row.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind, packed};
use entasis_base::{Error, Result};
use entasis_column::{Column, Mask};
use entasis_simd::search;
use entasis_types::{DataType, Value};

use super::position::Mode;
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::kernel::{illegal_type, mask_with};
use entasis_function_kernel::text::{Text, expect_string, sweep};

/// One sweep for all needles.
enum Together {
    /// Every row has the empty needle.
    Always,
    /// None at all.
    Never,
    Packed(packed::Searcher),
    Automaton(Box<AhoCorasick>),
}

impl Together {
    fn new(needles: &[Vec<u8>]) -> Result<Self> {
        if needles.is_empty() {
            return Ok(Self::Never);
        }
        if needles.iter().any(Vec::is_empty) {
            return Ok(Self::Always);
        }
        if needles.len() <= 32
            && let Some(searcher) = packed::Config::new()
                .match_kind(packed::MatchKind::LeftmostFirst)
                .builder()
                .extend(needles)
                .build()
        {
            return Ok(Self::Packed(searcher));
        }
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(needles)
            .map(|a| Self::Automaton(Box::new(a)))
            .map_err(|e| Error::logical("needles").with_cause(e))
    }

    fn find(&self, s: &[u8]) -> Option<(usize, usize)> {
        match self {
            // As the reference: nothing is in an empty text, not even nothing.
            Self::Always => (!s.is_empty()).then_some((0, 0)),
            Self::Never => None,
            Self::Packed(searcher) => searcher.find(s).map(|m| (m.start(), m.len())),
            Self::Automaton(automaton) => automaton.find(s).map(|m| (m.start(), m.len())),
        }
    }
}

/// What is asked of haystack and needles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    Any,
    FirstIndex,
    FirstPosition,
    AllPositions,
}

struct Needles {
    mode: Mode,
    list: Vec<Vec<u8>>,
    together: Together,
}

impl Needles {
    fn new<'a>(mode: Mode, needles: impl Iterator<Item = &'a [u8]>) -> Result<Self> {
        let list: Vec<Vec<u8>> =
            needles.map(|n| mode.canonical(n).unwrap_or_else(|| n.to_vec())).collect();
        Ok(Self { mode, together: Together::new(&list)?, list })
    }

    /// 1-based position of needle `k` in a canonical haystack.
    fn position(&self, s: &[u8], k: usize) -> u64 {
        if s.is_empty() {
            return 0;
        }
        match search::find(s, &self.list[k]) {
            None => 0,
            Some(at) if self.mode.utf8 => search::count_chars(&s[..at]) as u64 + 1,
            Some(at) => at as u64 + 1,
        }
    }

    fn any(&self, text: Text<'_>, rows: usize) -> Mask {
        if let (Text::Many(strings), false) = (text, self.mode.fold) {
            return mask_with(rows, |out| match &self.together {
                Together::Always => {
                    out.fill(u64::MAX);
                    entasis_simd::bits::clear_tail(out, rows);
                }
                together => {
                    sweep(strings, |s| together.find(s), |row, _| out[row / 64] |= 1 << (row % 64))
                }
            });
        }
        Mask::from_fn(rows, |i| {
            let s = text.get(i);
            let folded = self.mode.canonical(s);
            self.together.find(folded.as_deref().unwrap_or(s)).is_some()
        })
    }

    fn one(&self, s: &[u8], ask: Ask) -> u64 {
        let folded = self.mode.canonical(s);
        let s = folded.as_deref().unwrap_or(s);
        let count = self.list.len();
        match ask {
            Ask::FirstIndex => {
                (0..count).find(|&k| self.position(s, k) > 0).map_or(0, |k| k as u64 + 1)
            }
            _ => (0..count).map(|k| self.position(s, k)).filter(|&p| p > 0).min().unwrap_or(0),
        }
    }

    fn answer(&self, text: Text<'_>, rows: usize, ask: Ask) -> Result<Column> {
        if ask != Ask::AllPositions {
            let values: Vec<u64> = (0..rows).map(|i| self.one(text.get(i), ask)).collect();
            return Ok(Column::from(values));
        }
        let count = self.list.len();
        let mut values = Vec::with_capacity(rows * count);
        for i in 0..rows {
            let s = text.get(i);
            let folded = self.mode.canonical(s);
            let s = folded.as_deref().unwrap_or(s);
            values.extend((0..count).map(|k| self.position(s, k)));
        }
        let offsets: Vec<u32> = (0..=rows).map(|i| (i * count) as u32).collect();
        Ok(Column::array(offsets.into(), Column::from(values)))
    }
}

fn bind(name: &'static str, mode: Mode, ask: Ask, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    match &args[1].ty {
        DataType::Array(element) if element.is_string() => {}
        other => return Err(illegal_type(name, other)),
    }
    let constant = match &args[1].constant {
        Some(Value::Array(items)) => {
            let needles = items.iter().filter_map(|v| v.as_bytes());
            Some(Arc::new(Needles::new(mode, needles)?))
        }
        _ => None,
    };
    if ask == Ask::Any {
        return Ok(BoundKernel::predicate(move |args, rows| {
            let text = Text::of(&args[0])?;
            match &constant {
                Some(needles) => Ok(needles.any(text, rows)),
                None => {
                    let one = |i: usize, n: &Needles| Ok(n.any(Text::One(text.get(i)), 1).get(0));
                    let bits = by_row(&args[1], rows, mode, one)?;
                    Ok(Mask::from_fn(rows, |i| bits[i]))
                }
            }
        }));
    }
    let ty = match ask {
        Ask::AllPositions => DataType::array(DataType::UInt64),
        _ => DataType::UInt64,
    };
    Ok(BoundKernel::new(ty, move |args, rows| {
        let text = Text::of(&args[0])?;
        match &constant {
            Some(needles) => needles.answer(text, rows, ask),
            None => {
                let one = |i: usize, n: &Needles| n.answer(Text::One(text.get(i)), 1, ask);
                let parts = by_row(&args[1], rows, mode, one)?;
                Ok(Column::concat(&parts.iter().collect::<Vec<_>>()))
            }
        }
    }))
}

fn by_row<R>(
    column: &Column,
    rows: usize,
    mode: Mode,
    f: impl Fn(usize, &Needles) -> Result<R>,
) -> Result<Vec<R>> {
    let Column::Array(array) = &column.full() else {
        return Err(Error::logical("needles are no array"));
    };
    let values = Text::of(&array.values)?;
    (0..rows).map(|i| f(i, &Needles::new(mode, array.range(i).map(|k| values.get(k)))?)).collect()
}

macro_rules! definition {
    ($name:literal, $mode:expr, $ask:expr, $description:literal, $examples:expr) => {
        FunctionDef {
            name: $name,
            description: $description,
            examples: $examples,
            arity: (2, 2),
            bind: |args, _| bind($name, $mode, $ask, args),
            ..FunctionDef::DEFAULT
        }
    };
}

/// The table of this family.
#[rustfmt::skip]
pub const FUNCTIONS: &[FunctionDef] = &[
    definition!("multiSearchAny", Mode::EXACT, Ask::Any,
        "Whether any of the needles occurs.",
        &[("multiSearchAny('hello', ['x', 'll'])", "1")]),
    definition!("multiSearchAnyCaseInsensitive", Mode::FOLD, Ask::Any,
        "Whether any of the needles occurs, ignoring the case of ASCII letters.",
        &[("multiSearchAnyCaseInsensitive('hello', ['X', 'LL'])", "1")]),
    definition!("multiSearchAnyUTF8", Mode::UTF8, Ask::Any,
        "Whether any of the needles occurs, in UTF-8.",
        &[("multiSearchAnyUTF8('жук', ['у'])", "1")]),
    definition!("multiSearchAnyCaseInsensitiveUTF8", Mode::FOLD_UTF8, Ask::Any,
        "Whether any of the needles occurs, in UTF-8 ignoring case.",
        &[("multiSearchAnyCaseInsensitiveUTF8('жук', ['У'])", "1")]),
    definition!("multiSearchFirstIndex", Mode::EXACT, Ask::FirstIndex,
        "Number (from 1) of the first needle that occurs, or 0.",
        &[("multiSearchFirstIndex('hello', ['x', 'll'])", "2")]),
    definition!("multiSearchFirstIndexCaseInsensitive", Mode::FOLD, Ask::FirstIndex,
        "Like `multiSearchFirstIndex`, ignoring the case of ASCII letters.",
        &[("multiSearchFirstIndexCaseInsensitive('hello', ['X', 'LL'])", "2")]),
    definition!("multiSearchFirstIndexUTF8", Mode::UTF8, Ask::FirstIndex,
        "Like `multiSearchFirstIndex`, in UTF-8.",
        &[("multiSearchFirstIndexUTF8('жук', ['а', 'у'])", "2")]),
    definition!("multiSearchFirstIndexCaseInsensitiveUTF8", Mode::FOLD_UTF8, Ask::FirstIndex,
        "Like `multiSearchFirstIndex`, in UTF-8 ignoring case.",
        &[("multiSearchFirstIndexCaseInsensitiveUTF8('жук', ['А', 'У'])", "2")]),
    definition!("multiSearchFirstPosition", Mode::EXACT, Ask::FirstPosition,
        "Position (from 1) of the leftmost occurrence of any needle, or 0.",
        &[("multiSearchFirstPosition('hello', ['o', 'l'])", "3")]),
    definition!("multiSearchFirstPositionCaseInsensitive", Mode::FOLD, Ask::FirstPosition,
        "Like `multiSearchFirstPosition`, ignoring the case of ASCII letters.",
        &[("multiSearchFirstPositionCaseInsensitive('hello', ['O', 'L'])", "3")]),
    definition!("multiSearchFirstPositionUTF8", Mode::UTF8, Ask::FirstPosition,
        "Like `multiSearchFirstPosition`, in characters.",
        &[("multiSearchFirstPositionUTF8('жук', ['к', 'у'])", "2")]),
    definition!("multiSearchFirstPositionCaseInsensitiveUTF8", Mode::FOLD_UTF8, Ask::FirstPosition,
        "Like `multiSearchFirstPosition`, in characters ignoring case.",
        &[("multiSearchFirstPositionCaseInsensitiveUTF8('жук', ['К', 'У'])", "2")]),
    definition!("multiSearchAllPositions", Mode::EXACT, Ask::AllPositions,
        "Position (from 1) of the first occurrence of every needle, 0 for those without.",
        &[("multiSearchAllPositions('hello', ['l', 'x', 'h'])", "[3,0,1]")]),
    definition!("multiSearchAllPositionsCaseInsensitive", Mode::FOLD, Ask::AllPositions,
        "Like `multiSearchAllPositions`, ignoring the case of ASCII letters.",
        &[("multiSearchAllPositionsCaseInsensitive('hello', ['L', 'X'])", "[3,0]")]),
    definition!("multiSearchAllPositionsUTF8", Mode::UTF8, Ask::AllPositions,
        "Like `multiSearchAllPositions`, in characters.",
        &[("multiSearchAllPositionsUTF8('жук', ['к', 'ж'])", "[3,1]")]),
    definition!("multiSearchAllPositionsCaseInsensitiveUTF8", Mode::FOLD_UTF8, Ask::AllPositions,
        "Like `multiSearchAllPositions`, in characters ignoring case.",
        &[("multiSearchAllPositionsCaseInsensitiveUTF8('жук', ['К'])", "[3]")]),
];
