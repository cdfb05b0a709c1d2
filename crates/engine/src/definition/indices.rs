//! INDEX ... TYPE: the skipping indices of a table.
//!
//! A definition keeps its indices, so that schemas of the reference can be used as they are. They
//! are checked like the rest of the definition and shown wherever the catalog is shown. No index is
//! built: storage keeps the least and the greatest value of every column in every granule, and
//! scans skip granules by these bounds. Indices of the other types would only save time.

use entasis_base::{Error, Result, codes};
use entasis_function::FunctionContext;
use entasis_sql::ast::{self, Literal};
use entasis_table_api::Schema;
use entasis_types::DataType;

use super::columns::known_of;

/// The types of indices, as messages list them.
const TYPES: &str =
    "text, vector_similarity, bloom_filter, sparse_grams, tokenbf_v1, ngrambf_v1, set, minmax";

/// Checks the indices that a statement gives, and writes down the granularity that it leaves out.
pub(super) fn check(
    elements: &mut ast::TableElements,
    schema: &Schema,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    let mut names: Vec<&str> = Vec::new();
    for index in &mut elements.indices {
        index.granularity.get_or_insert(1);
        let name = index.name.as_str();
        if names.contains(&name) {
            let message = format!(
                "Duplicated index name {name} is not allowed. Please use a different index name"
            );
            return Err(Error::new(codes::ILLEGAL_INDEX, message));
        }
        names.push(name);
        check_one(index, schema, function_context).map_err(|e| {
            let place = e.position().unwrap_or(index.expr.position);
            e.context(format!("When validating secondary index `{name}`")).at(place)
        })?;
    }
    Ok(())
}

fn check_one(
    index: &ast::IndexDef,
    schema: &Schema,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    if index.granularity == Some(0) {
        return Err(bad("Index GRANULARITY must be a positive integer"));
    }
    let declared: Vec<_> = schema.declared().cloned().collect();
    let exprs = entasis_analyze::bind_key(&index.expr, &known_of(&declared), function_context)?;
    if exprs.iter().any(|expr| matches!(expr, entasis_expr::Expr::Literal { .. })) {
        let message = format!("Secondary index '{}' cannot contain constants", index.name.as_str());
        return Err(Error::new(codes::INCORRECT_QUERY, message));
    }
    if !exprs.iter().all(entasis_analyze::tree::is_deterministic) {
        return Err(bad("Expression must be deterministic"));
    }
    let types: Vec<&DataType> = exprs.iter().map(entasis_expr::Expr::ty).collect();
    let kind = index.index_type.as_ref().map_or("", |kind| kind.name.as_str());
    let args = index.index_type.as_ref().map_or(&[][..], |kind| &kind.args);
    match kind {
        "minmax" | "vector_similarity" | "sparse_grams" => Ok(()),
        "set" => set(args),
        "bloom_filter" => bloom_filter(args, &types),
        "tokenbf_v1" => words("tokenbf", 3, args, &types),
        "ngrambf_v1" => words("ngrambf", 4, args, &types),
        "text" => text(args),
        "hypothesis" => {
            let message = "Index of type 'hypothesis' is no longer supported: leave it out";
            Err(Error::new(codes::ILLEGAL_INDEX, message))
        }
        _ => {
            let message = format!("Unknown Index type '{kind}'. Available index types: {TYPES}");
            Err(Error::new(codes::INCORRECT_QUERY, message))
        }
    }
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// `set(100)`: at most so many values are kept.
fn set(args: &[ast::Expr]) -> Result<()> {
    let [most] = args else {
        let message = "Set index must have exactly one argument, as in set(100)";
        return Err(Error::new(codes::INCORRECT_QUERY, message));
    };
    if !matches!(most.as_literal(), Some(Literal::UInt(_))) {
        let message = "Set index argument must be positive integer";
        return Err(Error::new(codes::INCORRECT_QUERY, message));
    }
    Ok(())
}

/// `bloom_filter(0.01)`: how often the filter may be wrong.
fn bloom_filter(args: &[ast::Expr], types: &[&DataType]) -> Result<()> {
    let is_rate = |rate: &Literal| matches!(rate, Literal::Float(r) if *r > 0.0 && *r < 1.0);
    if args.len() > 1 || !args.iter().all(|arg| arg.as_literal().is_some_and(is_rate)) {
        return Err(bad("The BloomFilter false positive must be a double number between 0 and 1"));
    }
    let refused = |ty: &DataType| {
        let element = match ty.without_low_cardinality() {
            DataType::Array(element) => element.without_low_cardinality().clone(),
            ty => ty.clone(),
        };
        matches!(element.without_nullable(), DataType::Decimal(..) | DataType::Tuple(_))
    };
    match types.iter().find(|ty| refused(ty)) {
        None => Ok(()),
        Some(ty) => {
            let message = format!("Unexpected type {ty} of bloom filter index");
            Err(Error::new(codes::ILLEGAL_COLUMN, message))
        }
    }
}

/// Filters of tokens and n-grams, which are for strings.
fn words(name: &str, wanted: usize, args: &[ast::Expr], types: &[&DataType]) -> Result<()> {
    let is_text = |ty: &DataType| {
        let element = match ty {
            DataType::Array(element) => element,
            ty => ty,
        };
        let plain = element.without_low_cardinality();
        matches!(plain.without_nullable(), DataType::String | DataType::FixedString(_))
    };
    if !types.iter().all(|ty| is_text(ty)) {
        return Err(bad(
            "Ngram and token bloom filter indexes can only be used with column types `String`, \
             `FixedString`, `LowCardinality(String)`, `LowCardinality(FixedString)`, \
             `Array(String)` or `Array(FixedString)`",
        ));
    }
    if args.len() != wanted {
        return Err(bad(format!("`{name}` index must have exactly {wanted} arguments")));
    }
    Ok(())
}

/// `text(tokenizer = ...)`.
fn text(args: &[ast::Expr]) -> Result<()> {
    let names_tokenizer = |arg: &ast::Expr| {
        let call = arg.as_function().filter(|f| f.name == "equals");
        let name = call.and_then(|f| f.args.first()).and_then(ast::Expr::as_identifier);
        matches!(name, Some([name]) if name.as_str() == "tokenizer")
    };
    if args.iter().any(names_tokenizer) {
        return Ok(());
    }
    Err(bad("Text index argument 'tokenizer' is required, as in text(tokenizer = splitByNonAlpha)"))
}
