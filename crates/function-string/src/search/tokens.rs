//! `tokens`, `tokensForLikePattern` and `ngrams`: the tokens of strings as arrays.

use std::sync::Arc;

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_column::Column;
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::Text;
use entasis_types::{DataType, Value};

use super::tokenizer::{Tokenizer, canonical};
use super::{definition, like_tokens};
use crate::strings::split::Pieces;

fn array_of_strings() -> DataType {
    DataType::array(DataType::String)
}

/// The error of the reference for an argument of a wrong type, or for a column where a constant is
/// expected.
#[cold]
pub fn wrong_argument(
    function: &str,
    place: &str,
    expected: &str,
    arg: &Arg,
    code: ErrorCode,
) -> Error {
    let message = format!(
        "A value of illegal type was provided as {place} argument {function}. Expected: {expected}, \
         got: {}",
        arg.ty
    );
    Error::new(code, message)
}

/// A constant argument whose type is `fits`.
pub fn constant<'a>(
    function: &str,
    place: &str,
    expected: &str,
    arg: &'a Arg,
    fits: bool,
) -> Result<&'a Value> {
    let function = format!("to function '{function}'");
    let wrong = |code| wrong_argument(&function, place, expected, arg, code);
    if !fits {
        return Err(wrong(codes::ILLEGAL_TYPE_OF_ARGUMENT));
    }
    arg.constant.as_ref().ok_or_else(|| wrong(codes::ILLEGAL_COLUMN))
}

/// The tokenizer that the arguments after the first describe.
fn tokenizer(function: &str, args: &[Arg]) -> Result<Tokenizer> {
    let Some((name, params)) = args.split_first() else { return Ok(Tokenizer::NonAlpha) };
    let value = constant(function, "2nd", "const String", name, name.ty.is_string())?;
    let name = value.as_bytes().unwrap_or_default();
    if params.is_empty() {
        return definition::parse(name);
    }
    let name = String::from_utf8_lossy(name);
    let wanted: &[(&str, &str)] = match (canonical(&name)?, &*name) {
        ("ngrams", "ngrams") => &[("'ngrams'", "const UInt8")],
        ("splitByString", _) => &[("'separators'", "const Array")],
        ("splitByRegexp", _) => &[("'regexp'", "const String"), ("'match_tokens'", "const Bool")],
        ("icu", _) => &[("'locale'", "const String")],
        ("sparseGrams", _) => &[
            ("'min_length'", "const UInt8"),
            ("'max_length'", "const UInt8"),
            ("'min_cutoff_length'", "const UInt8"),
        ],
        _ => &[],
    };
    let least = if canonical(&name)? == "sparseGrams" { 2 } else { 1 };
    if !(least..=wanted.len()).contains(&params.len()) {
        let message = format!(
            "An incorrect number of arguments was specified for function '{function}' with the \
             tokenizer '{name}': got {}",
            args.len() + 1
        );
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let mut values = Vec::with_capacity(params.len());
    for (i, (param, (what, expected))) in params.iter().zip(wanted).enumerate() {
        let fits = match *expected {
            "const UInt8" => param.ty == DataType::UInt8,
            "const Bool" => matches!(param.ty, DataType::UInt8 | DataType::Bool),
            "const String" => param.ty.is_string(),
            _ => matches!(param.ty, DataType::Array(_)),
        };
        let place = format!("{} {what}", ["3rd", "4th", "5th"][i]);
        values.push(constant(function, &place, expected, param, fits)?.clone());
    }
    Tokenizer::new(&name, &values)
}

fn expect_text(function: &str, args: &[Arg]) -> Result<()> {
    if args[0].ty.is_string() {
        return Ok(());
    }
    let function = format!("'value' to function '{function}'");
    let (code, expected) = (codes::ILLEGAL_TYPE_OF_ARGUMENT, "String or FixedString");
    Err(wrong_argument(&function, "1st", expected, &args[0], code))
}

fn split(tokenizer: &Tokenizer, column: &Column, rows: usize) -> Result<Column> {
    let text = Text::of(column)?;
    let more = if let Tokenizer::Ngrams(n) = tokenizer { (*n).min(8) } else { 1 };
    let mut out = Pieces::new(rows, text.bytes(rows).saturating_mul(more));
    let mut tokens = tokenizer.tokens();
    for i in 0..rows {
        tokens.each(text.get(i), |token| {
            out.push(token);
            true
        });
        out.close();
    }
    out.finish()
}

fn splitting(tokenizer: Tokenizer) -> BoundKernel {
    BoundKernel::new(array_of_strings(), move |args, rows| split(&tokenizer, &args[0], rows))
}

fn bind_tokens(args: &[Arg]) -> Result<BoundKernel> {
    expect_text("tokens", args)?;
    Ok(splitting(tokenizer("tokens", &args[1..])?))
}

fn bind_like(args: &[Arg]) -> Result<BoundKernel> {
    let name = "tokensForLikePattern";
    expect_text(name, args)?;
    let tokenizer = Arc::new(tokenizer(name, &args[1..])?);
    // Says at once which tokenizers cannot do it.
    like_tokens::each(&tokenizer, b"", |_| {})?;
    Ok(BoundKernel::new(array_of_strings(), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows));
        for i in 0..rows {
            like_tokens::each(&tokenizer, text.get(i), |token| out.push(token))?;
            out.close();
        }
        out.finish()
    }))
}

fn bind_ngrams(args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        let (code, expected) = (codes::ILLEGAL_TYPE_OF_ARGUMENT, "String or FixedString");
        let function = "'s' to function 'ngrams'";
        return Err(wrong_argument(function, "1st", expected, &args[0], code));
    }
    let unsigned = [DataType::UInt8, DataType::UInt16, DataType::UInt32, DataType::UInt64]
        .contains(&args[1].ty);
    let n = constant("ngrams", "2nd 'N'", "const UInt8/16/32/64", &args[1], unsigned)?;
    Ok(splitting(Tokenizer::new("ngrams", std::slice::from_ref(n))?))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "tokens",
        description: "The tokens of a string. The second argument is the tokenizer \
                      (splitByNonAlpha without it), and the others are the tokenizer's parameters. \
                      The tokenizer may also contain its parameters, as in 'ngrams(3)'.",
        examples: &[
            ("tokens('test1,;\\'test2 x')", "['test1','test2','x']"),
            ("tokens('abcd', 'ngrams', 3)", "['abc','bcd']"),
            ("tokens('a, b;c', 'splitByString', [', ', ';'])", "['a','b','c']"),
        ],
        arity: (1, 5),
        bind: |args, _| bind_tokens(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "tokensForLikePattern",
        description: "The tokens that every text contains that matches a LIKE pattern.",
        examples: &[("tokensForLikePattern('%test1,test2,test3%')", "['test2']")],
        arity: (1, 5),
        bind: |args, _| bind_like(args),
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
];
