//! INDEX ... TYPE text(tokenizer = ..., preprocessor = ...): the arguments, and what the storage
//! needs of them.
//!
//! A tokenizer is a call of the function `tokens`, so its parameters are checked where the function
//! is bound. The preprocessor is an expression over the indexed text.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_function::FunctionContext;
use entasis_mergetree::index::SkipIndex;
use entasis_mergetree::text::{Form, Prepare, Text};
use entasis_sql::ast::{self, Literal};
use entasis_sql::format_expr;
use entasis_types::DataType;

use super::columns::{Known, function_text};

/// The name of the text in a preprocessor of an index over an expression.
const TEXT: &str = "__text_index_column";

fn bad(message: impl Into<String>) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

fn incorrect(message: impl Into<String>) -> Error {
    Error::new(codes::INCORRECT_QUERY, message)
}

/// The arguments of an index.
struct Arguments<'a> {
    /// As the functions of search take it: `ngrams(3)`.
    tokenizer: String,
    preprocessor: Option<&'a ast::Expr>,
}

impl<'a> Arguments<'a> {
    fn read(args: &'a [ast::Expr]) -> Result<Self> {
        let mut known: Vec<(&str, &ast::Expr)> = Vec::new();
        for arg in args {
            let call = arg.as_function().filter(|f| f.name == "equals");
            let name = match call.map(|call| &call.args[..]) {
                Some([name, value]) => name.as_identifier().map(|name| (name, value)),
                _ => None,
            };
            let Some(([name], value)) = name else {
                let message =
                    "Cannot mix key-value pair and single argument as text index arguments";
                return Err(bad(message));
            };
            let name = name.as_str();
            if known.iter().any(|(other, _)| *other == name) {
                let message = format!("Text index '{name}' argument is specified more than once");
                return Err(bad(message));
            }
            known.push((name, value));
        }
        let find = |name: &str| known.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
        let Some(tokenizer) = find("tokenizer") else {
            return Err(bad("Text index argument 'tokenizer' is required"));
        };
        let tokenizer = tokenizer_text(tokenizer)?;
        let preprocessor = find("preprocessor");
        for (name, value) in known {
            check_other(name, value)?;
        }
        Ok(Self { tokenizer, preprocessor })
    }
}

fn tokenizer_text(value: &ast::Expr) -> Result<String> {
    if let Some([name]) = value.as_identifier() {
        return Ok(name.as_str().to_owned());
    }
    if let Some(call) = value.as_function() {
        return Ok(function_text(call));
    }
    match value.as_literal() {
        Some(Literal::String(name)) => {
            let name = String::from_utf8_lossy(name).into_owned();
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(bad(format!("Unknown tokenizer: '{name}'")));
            }
            Ok(name)
        }
        Some(other) => Err(bad(format!("Tokenizer name must be a string, got: '{}'", kind(other)))),
        None => Err(bad("Tokenizer name must be a string")),
    }
}

fn kind(literal: &Literal) -> &'static str {
    match literal {
        Literal::UInt(_) => "UInt64",
        Literal::Int(_) => "Int64",
        Literal::Float(_) => "Float64",
        Literal::String(_) => "String",
        Literal::Bool(_) => "Bool",
        _ => "another type",
    }
}

/// Checks an argument that does not change what the index finds.
fn check_other(name: &str, value: &ast::Expr) -> Result<()> {
    let argument = format!("Text index argument '{name}'");
    let number = || match value.as_literal() {
        Some(Literal::UInt(number)) => Ok(*number),
        Some(other) => {
            Err(bad(format!("{argument} expected to be UInt64, but got {}", kind(other))))
        }
        None => Err(bad(format!("{argument} expected to be UInt64"))),
    };
    match name {
        "tokenizer" | "preprocessor" => Ok(()),
        "dictionary_block_size" | "posting_list_block_size" => match number()? {
            0 => Err(bad(format!("{argument} must be greater than 0, but got 0"))),
            _ => Ok(()),
        },
        "dictionary_block_frontcoding_compression" | "support_phrase_search" => match number()? {
            0 | 1 => Ok(()),
            other => Err(bad(format!("{argument} must be 0 or 1, but got {other}"))),
        },
        "posting_list_codec" => match value.as_literal().and_then(Literal::as_str) {
            Some("none" | "bitpacking") => Ok(()),
            _ => Err(bad(format!("Unknown posting list codec: {}", format_expr(value)))),
        },
        "postprocessor" => Err(Error::not_implemented(
            "The argument 'postprocessor' of a text index: put the expression into 'preprocessor', \
             which sees the text before it is cut into tokens",
        )),
        other => Err(bad(format!("Unexpected text index arguments: {other}"))),
    }
}

/// The type of the strings that a column or expression consists of.
fn base_type(ty: &DataType) -> &DataType {
    match ty {
        DataType::Array(inner) | DataType::Nullable(inner) | DataType::LowCardinality(inner) => {
            base_type(inner)
        }
        other => other,
    }
}

/// Checks the arguments of an index, and the types of its expressions.
pub(super) fn check(
    index: &ast::IndexDef,
    types: &[&DataType],
    known: &Known,
    context: &dyn FunctionContext,
) -> Result<()> {
    let [ty] = types else {
        let message = "Text index must be created on a single column";
        return Err(Error::new(codes::INCORRECT_NUMBER_OF_COLUMNS, message));
    };
    let args = index.index_type.as_ref().map_or(&[][..], |kind| &kind.args);
    let args = Arguments::read(args)?;
    if !base_type(ty).is_string() {
        return Err(bad(format!(
            "Text index must be created on columns of type with base type of String or FixedString, \
             got: {ty}"
        )));
    }
    if let Some(preprocessor) = args.preprocessor {
        let what = "The preprocessor expression";
        if preprocessor.as_function().is_none() {
            let action = if preprocessor.as_identifier().is_some() { "INPUT" } else { "COLUMN" };
            let message = format!("{what} must be a function. Got '{action}' action type");
            return Err(incorrect(message));
        }
        let expr = bound(&Texts::new(index, &args).prepared, &one_text(index), context)?;
        if !entasis_analyze::tree::is_deterministic(&expr) {
            return Err(incorrect(format!("{what} must not contain non-deterministic functions")));
        }
        if !base_type(expr.ty()).is_string() {
            let ty = expr.ty();
            return Err(incorrect(format!(
                "{what} should return a column of type with base type of String or FixedString, \
                 got: {ty}"
            )));
        }
    }
    bind(index, ty, known, context).map(drop)
}

/// What the storage needs of an index: its expressions over the columns of the table (the text, the
/// prepared text if there is a preprocessor, and the tokens), and its type.
pub(super) fn bind(
    index: &ast::IndexDef,
    ty: &DataType,
    known: &Known,
    context: &dyn FunctionContext,
) -> Result<(Vec<Expr>, Arc<dyn SkipIndex>)> {
    let args = index.index_type.as_ref().map_or(&[][..], |kind| &kind.args);
    let args = Arguments::read(args)?;
    let texts = Texts::new(index, &args);
    let (one, name) = (one_text(index), text_name(index));
    let quoted = texts.tokenizer();
    let source = format_expr(&index.expr);
    let is_array = matches!(ty, DataType::Array(_));
    let form = form(&args.tokenizer);
    let cut = |text: &str| match form {
        // The empty token marks texts whose characters have no certain borders.
        Form::Grams => {
            let mark = format!("if(isValidUTF8({text}) = 0, [''], [])");
            format!("arrayConcat(tokens({text}, {quoted}), {mark})")
        }
        _ => format!("tokens({text}, {quoted})"),
    };
    let (prepared, tokens) = if is_array {
        let map = |body: &str| format!("arrayMap({name} -> {body}, arrayFlatten({source}))");
        let tokens = format!("arrayFlatten({})", map(&cut(&texts.prepared)));
        (map(&texts.prepared), tokens)
    } else {
        let prepared = args.preprocessor.map_or_else(|| source.clone(), format_expr);
        let tokens = cut(&prepared);
        (prepared, tokens)
    };
    let mut exprs = vec![bound(&source, known, context)?];
    if args.preprocessor.is_some() {
        exprs.push(bound(&prepared, known, context)?);
    }
    exprs.push(bound(&tokens, known, context)?);
    let like = match form {
        Form::Words | Form::Grams => {
            let like = format!("tokensForLikePattern({name}, {quoted})");
            bound(&like, &one, context).ok()
        }
        Form::Whole | Form::Other => None,
    };
    let kind = Text {
        form,
        prepare: prepare(args.preprocessor),
        prepared: bound(&texts.prepared, &one, context)?,
        tokens: bound(&format!("tokens({name}, {quoted})"), &one, context)?,
        like,
        tokenizer: args.tokenizer,
    };
    Ok((exprs, Arc::new(kind)))
}

/// Expressions over one text, as text.
struct Texts {
    prepared: String,
    tokenizer: String,
}

impl Texts {
    fn new(index: &ast::IndexDef, args: &Arguments<'_>) -> Self {
        let name = text_name(index);
        let source = format_expr(&index.expr);
        let prepared = match args.preprocessor {
            Some(preprocessor) if name == TEXT => format_expr(preprocessor).replace(&source, TEXT),
            Some(preprocessor) => format_expr(preprocessor),
            None => name,
        };
        Self { prepared, tokenizer: args.tokenizer.clone() }
    }

    /// The tokenizer as a literal.
    fn tokenizer(&self) -> String {
        format!("'{}'", self.tokenizer.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

/// The name of the text in a preprocessor: the column, if the index is over a column.
fn text_name(index: &ast::IndexDef) -> String {
    match index.expr.as_identifier() {
        Some([_]) => format_expr(&index.expr),
        _ => TEXT.to_owned(),
    }
}

/// The text as the only known column.
fn one_text(index: &ast::IndexDef) -> Known {
    let name = match index.expr.as_identifier() {
        Some([name]) => name.as_str(),
        _ => TEXT,
    };
    vec![(name.into(), DataType::String)]
}

fn bound(text: &str, known: &Known, context: &dyn FunctionContext) -> Result<Expr> {
    entasis_analyze::bind_expression(&entasis_sql::parse_expression(text)?, known, context)
}

/// What kind of tokens a tokenizer makes.
fn form(tokenizer: &str) -> Form {
    match tokenizer.split('(').next().unwrap_or_default() {
        "splitByNonAlpha" | "tokenbf_v1" => Form::Words,
        "ngrams" | "ngrambf_v1" | "sparseGrams" | "sparse_grams" => Form::Grams,
        "array" | "keyword" => Form::Whole,
        _ => Form::Other,
    }
}

fn prepare(preprocessor: Option<&ast::Expr>) -> Prepare {
    let Some(preprocessor) = preprocessor else { return Prepare::Nothing };
    let Some(call) = preprocessor.as_function() else { return Prepare::Any };
    match (call.name.as_str(), &call.args[..]) {
        ("lower" | "upper", [text]) if text.as_identifier().is_some() => Prepare::Bytes,
        _ => Prepare::Any,
    }
}
