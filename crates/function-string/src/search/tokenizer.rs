//! Tokenizers: how a text is cut into the tokens that full-text search compares.
//!
//! A [`Tokenizer`] is made once for each call site. [`Tokenizer::tokens`] makes a [`Tokens`], which
//! has the scratch memory and is used for one string after the other. The text index uses the same
//! tokenizers through the function `tokens`.

use aho_corasick::{AhoCorasick, MatchKind};
use entasis_base::{Error, Result, codes};
use entasis_function_kernel::text::char_len;
use entasis_types::Value;

use super::ascii_cjk;
use super::sparse::{Hull, SparseGrams};
use crate::regexp::{Matcher, Pattern};

/// Whether `splitByNonAlpha` keeps a byte: ASCII letters, digits, and all bytes above ASCII.
#[inline]
pub fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b >= 0x80
}

/// What cuts a text into tokens.
pub enum Tokenizer {
    /// `splitByNonAlpha`: runs of letters, digits and bytes above ASCII.
    NonAlpha,
    /// `asciiCJK`: words of ASCII letters, and every other character alone.
    AsciiCjk,
    /// `splitByString`: what is between separators; the first of the list that fits counts.
    Strings(AhoCorasick),
    /// `splitByRegexp`: what is between matches.
    Between(Box<Pattern>),
    /// `splitByRegexp` with `match_tokens`: the first group of each match, or the match.
    Matches(Box<Pattern>),
    /// `ngrams`: all runs of so many characters.
    Ngrams(usize),
    /// `sparseGrams`: the runs of characters whose borders have greater hashes than their insides.
    Sparse(SparseGrams),
    /// `array`: the whole text, unless it is empty.
    Whole,
}

/// All names of tokenizers: the canonical name, and the parameters that follow it.
pub const NAMES: &[(&str, &str)] = &[
    ("splitByNonAlpha", "splitByNonAlpha"),
    ("tokenbf_v1", "splitByNonAlpha"),
    ("splitByString", "splitByString"),
    ("splitByRegexp", "splitByRegexp"),
    ("ngrams", "ngrams"),
    ("ngrambf_v1", "ngrams"),
    ("sparseGrams", "sparseGrams"),
    ("sparse_grams", "sparseGrams"),
    ("array", "array"),
    ("keyword", "array"),
    ("asciiCJK", "asciiCJK"),
    ("unicodeWord", "asciiCJK"),
    ("unicode_word", "asciiCJK"),
    ("icu", "icu"),
    ("keyValuePairs", "keyValuePairs"),
];

/// The canonical name of a tokenizer.
pub fn canonical(name: &str) -> Result<&'static str> {
    let found = NAMES.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, canonical)| *canonical)
        .ok_or_else(|| bad(format!("Unknown tokenizer: '{name}'")))
}

/// The error BAD_ARGUMENTS.
#[cold]
pub fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// The name of the type that a literal has in the reference's messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::UInt(_) => "UInt64",
        Value::Int(_) => "Int64",
        Value::Float(_) => "Float64",
        Value::String(_) => "String",
        Value::Array(_) => "Array",
        _ => "Null",
    }
}

fn wrong_kind(name: &str, wanted: &str, value: &Value) -> Error {
    let got = kind(value);
    bad(format!("Tokenizer argument '{name}' expected to be of type {wanted}, but got type: {got}"))
}

fn number(name: &str, value: &Value) -> Result<usize> {
    match value {
        Value::UInt(v) => Ok(usize::try_from(*v).unwrap_or(usize::MAX)),
        other => Err(wrong_kind(name, "UInt64", other)),
    }
}

impl Tokenizer {
    /// The tokenizer with this name and these parameters.
    pub fn new(name: &str, params: &[Value]) -> Result<Self> {
        let canonical = canonical(name)?;
        let most = match canonical {
            "splitByString" | "ngrams" | "icu" => 1,
            "splitByRegexp" => 2,
            "sparseGrams" => 3,
            _ => 0,
        };
        if params.len() > most {
            let got = params.len();
            let message =
                format!("'{name}' tokenizer accepts at most {most} parameters, but got {got}");
            return Err(bad(message));
        }
        match canonical {
            "splitByNonAlpha" => Ok(Self::NonAlpha),
            "asciiCJK" => Ok(Self::AsciiCjk),
            "array" => Ok(Self::Whole),
            "ngrams" => Self::ngrams(params.first()),
            "splitByString" => Self::strings(params.first()),
            "splitByRegexp" => Self::regexp(params),
            "sparseGrams" => {
                let names = ["min_length", "max_length", "min_cutoff_length"];
                let numbers = params.iter().zip(names).map(|(value, name)| number(name, value));
                Ok(Self::Sparse(SparseGrams::new(&numbers.collect::<Result<Vec<_>>>()?)?))
            }
            "keyValuePairs" => Err(Error::new(
                codes::NOT_IMPLEMENTED,
                "The `keyValuePairs` tokenizer does not tokenize strings: its tokens are (key, value) \
                 pairs of a Map column",
            )),
            _ => Err(Error::new(
                codes::NOT_IMPLEMENTED,
                "The tokenizer 'icu' needs word lists that Entasis does not have. Use \
                 'splitByNonAlpha' for languages with spaces between words, and 'asciiCJK' or \
                 'ngrams' for the others",
            )),
        }
    }

    fn ngrams(length: Option<&Value>) -> Result<Self> {
        let n = length.map_or(Ok(3), |value| number("ngram_size", value))?;
        if n == 0 {
            let message = "Incorrect parameter of tokenizer 'ngrams': ngram length must be at least \
                           1, but got 0";
            return Err(bad(message.into()));
        }
        Ok(Self::Ngrams(n))
    }

    fn strings(separators: Option<&Value>) -> Result<Self> {
        let default = [Value::string(b" ")];
        let list: &[Value] = match separators {
            None => &default,
            Some(Value::Array(list)) => list,
            Some(other) => return Err(wrong_kind("separators", "Array", other)),
        };
        let wrong =
            |what: &str| bad(format!("Incorrect parameter of tokenizer 'splitByString': {what}"));
        if list.is_empty() {
            return Err(wrong("the separators argument cannot be empty"));
        }
        let mut strings: Vec<&[u8]> = Vec::with_capacity(list.len());
        for value in list {
            match value {
                Value::String(s) if s.is_empty() => {
                    return Err(wrong("the empty string cannot be used as a separator"));
                }
                Value::String(s) => strings.push(s),
                other => return Err(wrong_kind("separator", "String", other)),
            }
        }
        let machine = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(strings);
        Ok(Self::Strings(machine.map_err(|e| wrong(&e.to_string()))?))
    }

    fn regexp(params: &[Value]) -> Result<Self> {
        let pattern = match params.first() {
            None => {
                let message = "'splitByRegexp' tokenizer requires a regular expression argument";
                return Err(bad(message.into()));
            }
            Some(Value::String(pattern)) => pattern,
            Some(other) => return Err(wrong_kind("regexp", "String", other)),
        };
        if pattern.is_empty() {
            let message = "Incorrect parameter of tokenizer 'splitByRegexp': the regular expression \
                           cannot be empty";
            return Err(bad(message.into()));
        }
        let matches = params.get(1).is_some_and(|v| v.as_u64() != Some(0));
        let compiled = Box::new(Pattern::compile(pattern)?);
        if !matches {
            return Ok(Self::Between(compiled));
        }
        if compiled.matcher().find(b"", 0).is_some() {
            let pattern = String::from_utf8_lossy(pattern);
            return Err(bad(format!(
                "'splitByRegexp' tokenizer: pattern '{pattern}' can match an empty string, which is \
                 not supported with match_tokens = true"
            )));
        }
        Ok(Self::Matches(compiled))
    }

    /// The name that the tokenizer has in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NonAlpha => "splitByNonAlpha",
            Self::AsciiCjk => "asciiCJK",
            Self::Strings(_) => "splitByString",
            Self::Between(_) | Self::Matches(_) => "splitByRegexp",
            Self::Ngrams(_) => "ngrams",
            Self::Sparse(_) => "sparseGrams",
            Self::Whole => "array",
        }
    }

    /// What cuts strings with this tokenizer.
    pub fn tokens(&self) -> Tokens<'_> {
        let matcher = match self {
            Self::Between(pattern) | Self::Matches(pattern) => Some(pattern.matcher()),
            _ => None,
        };
        Tokens { tokenizer: self, matcher, hull: Hull::default() }
    }
}

/// A tokenizer at work, with its scratch memory.
pub struct Tokens<'t> {
    tokenizer: &'t Tokenizer,
    matcher: Option<Matcher<'t>>,
    hull: Hull,
}

impl Tokens<'_> {
    /// Calls `f` for the tokens of `s` in order, until it answers that it wants no more.
    #[inline]
    pub fn each<'s>(&mut self, s: &'s [u8], mut f: impl FnMut(&'s [u8]) -> bool) {
        match self.tokenizer {
            Tokenizer::NonAlpha => {
                let _ = s.split(|&b| !in_word(b)).filter(|w| !w.is_empty()).all(f);
            }
            Tokenizer::AsciiCjk => ascii_cjk::each(s, f),
            Tokenizer::Strings(machine) => {
                let mut from = 0;
                for hit in machine.find_iter(s) {
                    if hit.start() > from && !f(&s[from..hit.start()]) {
                        return;
                    }
                    from = hit.end();
                }
                if from < s.len() {
                    f(&s[from..]);
                }
            }
            Tokenizer::Between(_) => self.between(s, f),
            Tokenizer::Matches(pattern) => {
                let group = usize::from(pattern.groups() > 0);
                self.matches(s, group, f);
            }
            Tokenizer::Ngrams(n) => ngrams(s, *n, f),
            Tokenizer::Sparse(grams) => grams.each(s, &mut self.hull, f),
            Tokenizer::Whole => {
                if !s.is_empty() {
                    f(s);
                }
            }
        }
    }

    fn between<'s>(&mut self, s: &'s [u8], mut f: impl FnMut(&'s [u8]) -> bool) {
        let Some(matcher) = &mut self.matcher else { return };
        let mut from = 0;
        // An empty match separates nothing.
        while let Some((start, end)) = matcher.find(s, from).filter(|m| m.1 > m.0) {
            if start > from && !f(&s[from..start]) {
                return;
            }
            from = end;
        }
        if from < s.len() {
            f(&s[from..]);
        }
    }

    fn matches<'s>(&mut self, s: &'s [u8], group: usize, mut f: impl FnMut(&'s [u8]) -> bool) {
        let Some(matcher) = &mut self.matcher else { return };
        let mut from = 0;
        while let Some((_, end)) = matcher.captures(s, from).filter(|m| m.1 > m.0) {
            if let Some((start, end)) = matcher.group(group)
                && end > start
                && !f(&s[start..end])
            {
                return;
            }
            from = end;
        }
    }
}

/// Each run of `n` characters of `s`.
#[inline]
pub fn ngrams<'s>(s: &'s [u8], n: usize, mut f: impl FnMut(&'s [u8]) -> bool) {
    let step = |at: usize| (at + char_len(s[at])).min(s.len());
    let (mut start, mut end, mut count) = (0, 0, 0);
    while end < s.len() {
        (end, count) = (step(end), count + 1);
        if count >= n {
            if !f(&s[start..end]) {
                return;
            }
            start = step(start);
        }
    }
}
