//! `hasAnyTokens`, `hasAllTokens` and `hasPhrase`: whether a text contains tokens. The needle is
//! cut by the same tokenizer as the text, unless it is a list of tokens.

use entasis_base::{Result, codes};
use entasis_column::{Bitmap, Column, Mask};
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::Text;
use entasis_types::{DataType, Value};
use memchr::memmem::Finder;

use super::definition;
use super::tokenizer::{Tokenizer, Tokens, bad, in_word};
use super::tokens::{constant, wrong_argument};
use crate::strings::tokens::has_token;

/// The tokenizer in the optional last argument.
fn tokenizer(name: &str, arg: Option<&Arg>) -> Result<Tokenizer> {
    let Some(arg) = arg else { return Ok(Tokenizer::NonAlpha) };
    let value = constant(name, "3rd 'tokenizer'", "const String", arg, arg.ty.is_string())?;
    definition::parse(value.as_bytes().unwrap_or_default())
}

fn is_strings(ty: &DataType) -> bool {
    matches!(ty, DataType::Array(element) if element.is_string())
}

fn expect_input(name: &str, arg: &Arg, arrays: bool) -> Result<()> {
    let nested = match &arg.ty {
        DataType::Array(element) if arrays => element.without_nullable().is_string(),
        _ => false,
    };
    if nested || arg.ty.is_string() {
        return Ok(());
    }
    let expected = if arrays {
        "String, FixedString, Array(String) or Array(FixedString)"
    } else {
        "String or FixedString"
    };
    let function = format!("'input' to function '{name}'");
    let code = codes::ILLEGAL_TYPE_OF_ARGUMENT;
    Err(wrong_argument(&function, "1st", expected, arg, code))
}

/// The tokens of a needle, in order.
fn cut(tokenizer: &Tokenizer, needle: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    tokenizer.tokens().each(needle, |token| {
        out.push(token.to_vec());
        true
    });
    out
}

fn needles(name: &str, arg: &Arg, tokenizer: &Tokenizer) -> Result<Vec<Vec<u8>>> {
    let fits =
        arg.ty.is_string() || is_strings(&arg.ty) || arg.ty == DataType::array(DataType::Nothing);
    let expected = "const String or const Array(String)";
    let mut out = match constant(name, "2nd 'needles'", expected, arg, fits)? {
        Value::Array(list) => {
            list.iter().filter_map(|v| v.as_bytes().map(<[u8]>::to_vec)).collect()
        }
        other => cut(tokenizer, other.as_bytes().unwrap_or_default()),
    };
    out.sort_unstable();
    out.dedup();
    Ok(out)
}

/// Tokens that are looked for in one text after the other.
struct Search<'t> {
    tokens: Tokens<'t>,
    /// Sorted, each once.
    needles: &'t [Vec<u8>],
    all: bool,
    /// Which needles the current text has.
    seen: Vec<bool>,
    missing: usize,
}

impl Search<'_> {
    fn begin(&mut self) {
        self.seen.fill(false);
        self.missing = if self.all { self.needles.len() } else { 1 };
    }

    fn look(&mut self, text: &[u8]) {
        let Self { tokens, needles, seen, missing, .. } = self;
        tokens.each(text, |token| {
            if let Ok(at) = needles.binary_search_by(|needle| needle.as_slice().cmp(token))
                && !std::mem::replace(&mut seen[at], true)
            {
                *missing = missing.saturating_sub(1);
            }
            *missing > 0
        });
    }
}

/// The word to look for, if one word without separators is wanted and words are what the tokenizer
/// makes. It is found without cutting the text.
fn one_word(tokenizer: &Tokenizer, needles: &[Vec<u8>]) -> Option<Finder<'static>> {
    let [word] = needles else { return None };
    let is_word = !word.is_empty() && word.iter().all(|&b| in_word(b));
    (is_word && matches!(tokenizer, Tokenizer::NonAlpha)).then(|| Finder::new(word).into_owned())
}

fn bind_has(name: &'static str, all: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_input(name, &args[0], true)?;
    let tokenizer = tokenizer(name, args.get(2))?;
    let needles = needles(name, &args[1], &tokenizer)?;
    let word = one_word(&tokenizer, &needles);
    Ok(BoundKernel::predicate(move |args, rows| {
        if needles.is_empty() {
            return Ok(Mask::constant(false, rows));
        }
        let mut search = Search {
            tokens: tokenizer.tokens(),
            needles: &needles,
            all,
            seen: vec![false; needles.len()],
            missing: 0,
        };
        let input = args[0].full();
        if let Column::Array(array) = &input {
            let (ends, values) = array.flat();
            return in_arrays(&mut search, &ends, &values.full());
        }
        let text = Text::of(&input)?;
        if let Some(word) = &word {
            return Ok(Mask::from_fn(rows, |i| has_token(text.get(i), word)));
        }
        Ok(Mask::from_fn(rows, |i| {
            search.begin();
            search.look(text.get(i));
            search.missing == 0
        }))
    }))
}

/// The elements of an array are searched as one text; an element that is NULL has no tokens.
fn in_arrays(search: &mut Search<'_>, ends: &[u32], values: &Column) -> Result<Mask> {
    let (known, plain) = values.split_nullable();
    let text = Text::of(plain)?;
    let is_known = |k: usize| known.is_none_or(|known: &Bitmap| known.get(k));
    Ok(Mask::from_fn(ends.len() - 1, |i| {
        search.begin();
        for k in ends[i] as usize..ends[i + 1] as usize {
            if search.missing > 0 && is_known(k) {
                search.look(text.get(k));
            }
        }
        search.missing == 0
    }))
}

fn bind_phrase(args: &[Arg]) -> Result<BoundKernel> {
    let name = "hasPhrase";
    expect_input(name, &args[0], false)?;
    let tokenizer = tokenizer(name, args.get(2))?;
    if matches!(tokenizer, Tokenizer::Sparse(_) | Tokenizer::Whole) {
        let tokenizer = tokenizer.name();
        let message = format!("Function 'hasPhrase' does not support the '{tokenizer}' tokenizer");
        return Err(bad(message));
    }
    let phrase = constant(name, "2nd 'phrase'", "const String", &args[1], args[1].ty.is_string())?;
    let phrase = cut(&tokenizer, phrase.as_bytes().unwrap_or_default());
    let word = one_word(&tokenizer, &phrase);
    let falls_back = fallbacks(&phrase);
    Ok(BoundKernel::predicate(move |args, rows| {
        if phrase.is_empty() {
            return Ok(Mask::constant(false, rows));
        }
        let text = Text::of(&args[0])?;
        if let Some(word) = &word {
            return Ok(Mask::from_fn(rows, |i| has_token(text.get(i), word)));
        }
        let mut tokens = tokenizer.tokens();
        Ok(Mask::from_fn(rows, |i| {
            let mut matched = 0;
            tokens.each(text.get(i), |token| {
                while matched > 0 && phrase[matched] != token {
                    matched = falls_back[matched - 1];
                }
                if phrase[matched] == token {
                    matched += 1;
                }
                matched < phrase.len()
            });
            matched == phrase.len()
        }))
    }))
}

/// For each beginning of the phrase, the length of the longest shorter beginning that is its end
/// (Knuth, Morris and Pratt).
fn fallbacks(phrase: &[Vec<u8>]) -> Vec<usize> {
    let mut out = vec![0; phrase.len()];
    let mut matched = 0;
    for i in 1..phrase.len() {
        while matched > 0 && phrase[matched] != phrase[i] {
            matched = out[matched - 1];
        }
        matched += usize::from(phrase[matched] == phrase[i]);
        out[i] = matched;
    }
    out
}

const SEARCH: FunctionDef = FunctionDef { arity: (2, 3), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "hasAnyTokens",
        aliases: &["hasAnyToken"],
        description: "Whether a text contains one of the tokens of a needle. A needle that is an \
                      array is a list of tokens. The third argument is the tokenizer, for example \
                      'ngrams(3)'; without it, it is splitByNonAlpha.",
        examples: &[
            ("hasAnyTokens('big world', 'small world')", "1"),
            ("hasAnyTokens(['a b', 'c'], ['a b'], 'array')", "1"),
        ],
        bind: |args, _| bind_has("hasAnyTokens", false, args),
        ..SEARCH
    },
    FunctionDef {
        name: "hasAllTokens",
        aliases: &["hasAllToken"],
        description: "Whether a text contains all tokens of a needle; see `hasAnyTokens`.",
        examples: &[
            ("hasAllTokens('big world', 'small world')", "0"),
            ("hasAllTokens('abcdef', 'bcd', 'ngrams(3)')", "1"),
        ],
        bind: |args, _| bind_has("hasAllTokens", true, args),
        ..SEARCH
    },
    FunctionDef {
        name: "hasPhrase",
        aliases: &["matchPhrase"],
        description: "Whether a text contains the tokens of a phrase one after the other.",
        examples: &[
            ("hasPhrase('the quick, brown fox', 'quick brown')", "1"),
            ("hasPhrase('the quick brown fox', 'quick fox')", "0"),
        ],
        bind: |args, _| bind_phrase(args),
        ..SEARCH
    },
];
