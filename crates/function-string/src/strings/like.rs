//! LIKE and ILIKE: a matcher for patterns of literals, `_` (one UTF-8 character) and `%` (any
//! bytes), and mask kernels for the usual forms.
//!
//! A pattern is split at every `%` into pieces. The first and last piece are anchored, and those
//! between are searched from left to right, which decides the match without going back. If a
//! pattern is not anchored, its longest literal is first searched in the whole buffer, and only
//! rows that contain it are examined.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Mask, Strings};
use entasis_simd::search;
use memchr::memmem::Finder;

use crate::regexp::Pattern as Regexp;
use entasis_function::{Arg, BoundKernel, FunctionDef, Operation, Properties};
use entasis_function_kernel::kernel::mask_with;
use entasis_function_kernel::text::{Text, char_len, expect_string};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(Vec<u8>),
    AnyChar,
    Many,
}

fn tokens(pattern: &[u8]) -> Result<Vec<Token>> {
    let mut out: Vec<Token> = Vec::new();
    let push = |byte: u8, out: &mut Vec<Token>| match out.last_mut() {
        Some(Token::Literal(bytes)) => bytes.push(byte),
        _ => out.push(Token::Literal(vec![byte])),
    };
    let mut bytes = pattern.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' if out.last() == Some(&Token::Many) => {}
            b'%' => out.push(Token::Many),
            b'_' => out.push(Token::AnyChar),
            b'\\' => match bytes.next() {
                Some(special @ (b'%' | b'_' | b'\\')) => push(special, &mut out),
                Some(other) => {
                    push(b'\\', &mut out);
                    push(other, &mut out);
                }
                None => {
                    let shown = String::from_utf8_lossy(pattern);
                    let message =
                        format!("Invalid escape sequence at the end of LIKE pattern '{shown}'");
                    return Err(Error::new(codes::CANNOT_PARSE_ESCAPE_SEQUENCE, message));
                }
            },
            other => push(other, &mut out),
        }
    }
    Ok(out)
}

/// What stands between two `%`.
#[derive(Debug)]
struct Piece {
    /// Literals and single characters.
    tokens: Vec<Token>,
    /// For a piece that is one literal.
    finder: Option<Finder<'static>>,
}

impl Piece {
    fn new(tokens: Vec<Token>) -> Self {
        let finder = match tokens.as_slice() {
            [Token::Literal(bytes)] => Some(Finder::new(bytes).into_owned()),
            _ => None,
        };
        Self { tokens, finder }
    }

    /// End of the piece where it matches at the beginning of `s`.
    fn at(&self, s: &[u8]) -> Option<usize> {
        let mut at = 0;
        for token in &self.tokens {
            match token {
                Token::Literal(bytes) if s[at..].starts_with(bytes) => at += bytes.len(),
                Token::AnyChar => at += one_char(&s[at..])?,
                _ => return None,
            }
        }
        Some(at)
    }

    /// End of the leftmost match in `s`.
    fn find(&self, s: &[u8]) -> Option<usize> {
        if let Some(finder) = &self.finder {
            return finder.find(s).map(|at| at + finder.needle().len());
        }
        (0..=s.len()).find_map(|start| self.at(&s[start..]).map(|end| start + end))
    }

    /// Whether the piece matches at the end of `s`.
    fn ends(&self, s: &[u8]) -> bool {
        if let Some(finder) = &self.finder {
            return s.ends_with(finder.needle());
        }
        (0..=s.len()).rev().any(|start| self.at(&s[start..]) == Some(s.len() - start))
    }
}

/// Length of the valid UTF-8 character that `s` begins with.
fn one_char(s: &[u8]) -> Option<usize> {
    let len = char_len(*s.first()?);
    if len == 1 {
        return (s[0] < 0x80).then_some(1);
    }
    std::str::from_utf8(s.get(..len)?).ok().map(|_| len)
}

/// A pattern ready to match.
#[derive(Debug)]
pub enum Like {
    /// No wildcard: equality.
    Exact(Vec<u8>),
    /// `literal%`.
    Prefix(Vec<u8>),
    /// `%literal`.
    Suffix(Vec<u8>),
    /// `%literal%`; the empty literal for `%`.
    Contains(Vec<u8>),
    /// Everything else.
    General(General),
}

/// Pieces between `%`, in order.
#[derive(Debug)]
pub struct General {
    prefix: Piece,
    middle: Vec<Piece>,
    suffix: Option<Piece>,
    /// A literal that every match holds, where nothing is anchored by a literal in front.
    required: Option<Vec<u8>>,
}

impl General {
    fn matches(&self, s: &[u8]) -> bool {
        let Some(mut at) = self.prefix.at(s) else { return false };
        let Some(suffix) = &self.suffix else { return at == s.len() };
        for piece in &self.middle {
            match piece.find(&s[at..]) {
                Some(end) => at += end,
                None => return false,
            }
        }
        suffix.ends(&s[at..])
    }
}

impl Like {
    /// Reads a pattern.
    pub fn compile(pattern: &[u8]) -> Result<Self> {
        let tokens = tokens(pattern)?;
        Ok(match tokens.as_slice() {
            [] => Self::Exact(Vec::new()),
            [Token::Literal(l)] => Self::Exact(l.clone()),
            [Token::Literal(l), Token::Many] => Self::Prefix(l.clone()),
            [Token::Many, Token::Literal(l)] => Self::Suffix(l.clone()),
            [Token::Many, Token::Literal(l), Token::Many] => Self::Contains(l.clone()),
            [Token::Many] => Self::Contains(Vec::new()),
            tokens => Self::General(general(tokens)),
        })
    }

    /// Whether one string matches.
    pub fn matches(&self, s: &[u8]) -> bool {
        match self {
            Self::Exact(l) => s == l,
            Self::Prefix(l) => s.starts_with(l),
            Self::Suffix(l) => s.ends_with(l),
            Self::Contains(l) => search::find(s, l).is_some(),
            Self::General(g) => g.matches(s),
        }
    }

    /// Rows that match.
    pub fn mask(&self, s: &Strings, rows: usize) -> Mask {
        mask_with(rows, |out| self.fill(s.data(), s.offsets(), out))
    }

    fn fill(&self, data: &[u8], offsets: &[u32], out: &mut [u64]) {
        match self {
            Self::Exact(l) => search::equals_mask(data, offsets, l, out),
            Self::Prefix(l) => search::starts_with_mask(data, offsets, l, out),
            Self::Suffix(l) => search::ends_with_mask(data, offsets, l, out),
            Self::Contains(l) => search::contains_mask(data, offsets, l, out),
            Self::General(g) => general_mask(g, data, offsets, out),
        }
    }
}

fn general_mask(general: &General, data: &[u8], offsets: &[u32], out: &mut [u64]) {
    match (&general.required, general.prefix.tokens.first()) {
        (Some(literal), _) => search::contains_mask(data, offsets, literal, out),
        (None, Some(Token::Literal(literal))) => {
            search::starts_with_mask(data, offsets, literal, out);
        }
        _ => {
            out.fill(u64::MAX);
            entasis_simd::bits::clear_tail(out, offsets.len() - 1);
        }
    }
    for (w, word) in out.iter_mut().enumerate() {
        let mut left = *word;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            let row = w * 64 + bit;
            if !general.matches(&data[offsets[row] as usize..offsets[row + 1] as usize]) {
                *word &= !(1 << bit);
            }
            left &= left - 1;
        }
    }
}

fn general(tokens: &[Token]) -> General {
    let pieces: Vec<&[Token]> = tokens.split(|t| *t == Token::Many).collect();
    let piece = |tokens: &[Token]| Piece::new(tokens.to_vec());
    let (first, rest) = pieces.split_first().map_or((&[][..], &[][..]), |(f, r)| (*f, r));
    let (suffix, middle) = match rest.split_last() {
        Some((last, middle)) => (Some(piece(last)), middle),
        None => (None, &[][..]),
    };
    let longest = tokens
        .iter()
        .filter_map(|t| if let Token::Literal(l) = t { Some(l) } else { None })
        .max_by_key(|l| l.len());
    let anchored = matches!(first.first(), Some(Token::Literal(_)));
    let required = if anchored { None } else { longest.cloned() };
    General {
        prefix: piece(first),
        middle: middle.iter().map(|t| piece(t)).collect(),
        suffix,
        required,
    }
}

/// A pattern as LIKE or as ILIKE.
enum Matcher {
    Like(Like),
    /// Without case, in ASCII: a pattern of lower case for text of lower case. Letters beyond ASCII
    /// that fold to a `k` or an `s` do not match those.
    Lowered(Like),
    /// Without case, with letters beyond ASCII.
    FoldAggregate(Regexp),
}

impl Matcher {
    fn compile(pattern: &[u8], fold: bool) -> Result<Self> {
        if !fold {
            return Like::compile(pattern).map(Self::Like);
        }
        if pattern.is_ascii() {
            return Like::compile(&pattern.to_ascii_lowercase()).map(Self::Lowered);
        }
        let mut text = String::from("^");
        for token in tokens(pattern)? {
            match token {
                Token::Literal(bytes) => text.push_str(&escape(&bytes)),
                Token::AnyChar => text.push('.'),
                Token::Many => text.push_str(".*"),
            }
        }
        text.push('$');
        Regexp::compile_folded(text.as_bytes()).map(Self::FoldAggregate)
    }

    fn mask(&self, text: Text<'_>, rows: usize) -> Mask {
        match (self, text) {
            (Self::Like(like), Text::Many(s)) => like.mask(s, rows),
            (Self::Like(like), text) => Mask::from_fn(rows, |i| like.matches(text.get(i))),
            (Self::Lowered(like), Text::Many(s)) => mask_with(rows, |out| {
                let fill =
                    |data: &[u8], offsets: &[u32], out: &mut [u64]| like.fill(data, offsets, out);
                search::lowered_mask(s.data(), s.offsets(), out, fill);
            }),
            (Self::Lowered(like), text) => {
                Mask::from_fn(rows, |i| like.matches(&text.get(i).to_ascii_lowercase()))
            }
            (Self::FoldAggregate(regexp), text) => regexp.mask(text, rows),
        }
    }
}

fn escape(literal: &[u8]) -> String {
    let mut out = String::new();
    for c in String::from_utf8_lossy(literal).chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn bind(name: &'static str, fold: bool, negate: bool, args: &[Arg]) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| expect_string(name, a))?;
    let constant = args[1].constant.as_ref().and_then(|v| v.as_bytes());
    let matcher = constant.map(|p| Matcher::compile(p, fold)).transpose()?.map(Arc::new);
    Ok(BoundKernel::predicate(move |args, rows| {
        let text = Text::of(&args[0])?;
        let mask = match (&matcher, Text::of(&args[1])?) {
            (Some(matcher), _) => matcher.mask(text, rows),
            (None, Text::One(pattern)) => Matcher::compile(pattern, fold)?.mask(text, rows),
            (None, patterns) => by_row(text, patterns, rows, fold)?,
        };
        Ok(if negate { mask.not() } else { mask })
    }))
}

/// A pattern per row, each compiled once.
fn by_row(text: Text<'_>, patterns: Text<'_>, rows: usize, fold: bool) -> Result<Mask> {
    let mut known: HashMap<&[u8], Matcher> = HashMap::new();
    let mut out = Vec::with_capacity(rows);
    for i in 0..rows {
        let pattern = patterns.get(i);
        if !known.contains_key(pattern) {
            if known.len() >= 1024 {
                known.clear();
            }
            known.insert(pattern, Matcher::compile(pattern, fold)?);
        }
        let one = Text::One(text.get(i));
        out.push(u8::from(known.get(pattern).is_some_and(|m| m.mask(one, 1).get(0))));
    }
    Ok(Mask::from_bytes(&out))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "like",
        properties: Properties::SEARCH.meaning(Operation::Like { negated: false }),
        description: "Whether a string matches a LIKE pattern: `%` any bytes, `_` one character.",
        examples: &[("like('hello', 'h%_o')", "1"), ("like('a%', 'a\\\\%')", "1")],
        arity: (2, 2),
        bind: |args, _| bind("like", false, false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "notLike",
        properties: Properties::SEARCH.meaning(Operation::Like { negated: true }).passing(0.7),
        description: "Whether a string does not match a LIKE pattern.",
        examples: &[("notLike('hello', '%z%')", "1")],
        arity: (2, 2),
        bind: |args, _| bind("notLike", false, true, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "ilike",
        properties: Properties::SEARCH,
        description: "Whether a string matches a LIKE pattern, ignoring case.",
        examples: &[("ilike('Hello', 'h%L_')", "1"), ("ilike('ЖУК', '%ук')", "1")],
        arity: (2, 2),
        bind: |args, _| bind("ilike", true, false, args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "notILike",
        properties: Properties::SEARCH.passing(0.7),
        description: "Whether a string does not match a LIKE pattern, ignoring case.",
        examples: &[("notILike('Hello', '%z%')", "1")],
        arity: (2, 2),
        bind: |args, _| bind("notILike", true, true, args),
        ..FunctionDef::DEFAULT
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    /// By definition, over ASCII: tries every length for `%`.
    fn naive(s: &[u8], p: &[u8]) -> bool {
        match p.first() {
            None => s.is_empty(),
            Some(b'%') => (0..=s.len()).any(|n| naive(&s[n..], &p[1..])),
            Some(b'_') => !s.is_empty() && naive(&s[1..], &p[1..]),
            Some(c) => s.first() == Some(c) && naive(&s[1..], &p[1..]),
        }
    }

    #[test]
    fn against_naive() {
        let mut rng = Rng::new(7);
        let word = |rng: &mut Rng, alphabet: &[u8], most| -> Vec<u8> {
            let len = rng.below(most);
            (0..len).map(|_| alphabet[rng.below(alphabet.len() as u64) as usize]).collect()
        };
        let rows: Vec<Vec<u8>> = (0..200).map(|_| word(&mut rng, b"ab", 9)).collect();
        let strings: Strings = rows.iter().collect();
        for _ in 0..500 {
            let pattern = word(&mut rng, b"ab%_", 8);
            let mask = Like::compile(&pattern).unwrap().mask(&strings, rows.len());
            for (i, row) in rows.iter().enumerate() {
                assert_eq!(mask.get(i), naive(row, &pattern), "{row:?} {pattern:?}");
            }
        }
    }

    #[test]
    fn without_case_as_like_over_lower_case() {
        let mut rng = Rng::new(8);
        let mut word = |alphabet: &[&str], most| -> String {
            let len = rng.below(most);
            (0..len).map(|_| alphabet[rng.below(alphabet.len() as u64) as usize]).collect()
        };
        let rows: Vec<String> = (0..300).map(|_| word(&["a", "A", "b", "K", "Ж"], 9)).collect();
        let strings: Strings = rows.iter().map(String::as_bytes).collect();
        for _ in 0..400 {
            let pattern = word(&["a", "B", "k", "%", "%", "_"], 8);
            let matcher = Matcher::compile(pattern.as_bytes(), true).unwrap();
            let like = Like::compile(pattern.to_lowercase().as_bytes()).unwrap();
            let mask = matcher.mask(Text::Many(&strings), rows.len());
            for (i, row) in rows.iter().enumerate() {
                let wanted = like.matches(row.to_lowercase().as_bytes());
                assert_eq!(mask.get(i), wanted, "{row:?} {pattern:?}");
                let one = matcher.mask(Text::One(row.as_bytes()), 1);
                assert_eq!(one.get(0), wanted, "{row:?} {pattern:?}");
            }
        }
    }

    #[test]
    fn escapes_and_characters() {
        let matches = |s: &str, p: &str| Like::compile(p.as_bytes()).unwrap().matches(s.as_bytes());
        assert!(matches("a%b", "a\\%b") && !matches("axb", "a\\%b"));
        assert!(matches("жук", "_у_") && !matches("жук", "______"));
        assert!(matches("a\\b", "a\\b") && matches("a\\b", "a\\\\b"));
        assert!(!Like::compile(b"_").unwrap().matches(b"\xff"));
        assert!(Like::compile(b"a\\").is_err());
    }
}
