//! INDEX ... TYPE: the skipping indices of a table.
//!
//! They are checked like the rest of the definition, shown wherever the catalog is shown, and bound
//! for the storage, which builds them (`mergetree::index`). `sparse_grams` and `vector_similarity`
//! are checked and shown only: they would save time, and no query needs them.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_function::FunctionContext;
use entasis_mergetree::index::{BloomFilter, IndexDef, MinMax, Set, SkipIndex, TermFilter, Terms};
use entasis_sql::ast::{self, Literal};
use entasis_sql::format_expr;
use entasis_table_api::Schema;
use entasis_types::DataType;

use super::TableDefinition;
use super::columns::{function_text, known_of};
use super::implicit_indices::implicit;
use super::text_index;
use crate::settings::function_context::StatementContext;

/// The types of indices, as messages list them.
const TYPES: &str =
    "text, vector_similarity, bloom_filter, sparse_grams, tokenbf_v1, ngrambf_v1, set, minmax";

/// The granularity that the reference shows for an index over a whole part.
const WHOLE_PART: u64 = 100_000_000;

/// Checks the indices that a statement gives, and writes down the granularity that it leaves out.
pub(super) fn check(
    elements: &mut ast::TableElements,
    schema: &Schema,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    let mut names: Vec<&str> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for index in &mut elements.indices {
        if is_text(index) {
            // An index for full-text search is over a whole part, whatever the statement says.
            index.granularity = Some(WHOLE_PART);
        }
        index.granularity.get_or_insert(1);
        let name = index.name.as_str();
        if names.contains(&name) {
            let message = format!(
                "Duplicated index name {name} is not allowed. Please use a different index name"
            );
            return Err(Error::new(codes::ILLEGAL_INDEX, message));
        }
        names.push(name);
        if is_text(index) {
            let text = format_expr(&index.expr);
            if texts.contains(&text) {
                let message = format!("Column `{text}` must not have more than one text index.");
                return Err(bad(message));
            }
            texts.push(text);
        }
        check_one(index, schema, function_context).map_err(|e| {
            let place = e.position().unwrap_or(index.expr.position);
            e.context(format!("When validating secondary index `{name}`")).at(place)
        })?;
    }
    Ok(())
}

fn is_text(index: &ast::IndexDef) -> bool {
    index.index_type.as_ref().is_some_and(|kind| kind.name == "text")
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
        "text" => text_index::check(index, &types, &known_of(&declared), function_context),
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

/// The indices of a definition that are built, bound for the storage.
pub(crate) fn bind(
    definition: &TableDefinition,
    function_context: &StatementContext,
) -> Arc<[IndexDef]> {
    let implicit = implicit(definition);
    if definition.elements.indices.is_empty() && implicit.is_empty() {
        return Arc::default();
    }
    // Every session must bind the expressions alike, whatever its settings are.
    let zone = definition.time_zone;
    let context = StatementContext::of_engine(&function_context.server).in_zone(zone);
    let declared: Vec<_> = definition.schema.declared().cloned().collect();
    let known = known_of(&declared);
    let stored = definition.schema.stored().len();
    let one = |index: &ast::IndexDef| {
        // An index that cannot be bound any more, because a function is gone, is not used.
        let exprs = entasis_analyze::bind_key(&index.expr, &known, &context).ok()?;
        let mut ids = Vec::new();
        exprs.iter().for_each(|expr| expr.columns(&mut ids));
        if exprs.is_empty() || ids.iter().any(|id| id.0 as usize >= stored) {
            return None;
        }
        let (exprs, kind) = if is_text(index) {
            text_index::bind(index, exprs[0].ty(), &known, &context).ok()?
        } else {
            (exprs, kind(index)?)
        };
        // An index for full-text search finds rows, so its blocks are granules.
        let granularity = if is_text(index) { 1 } else { index.granularity.unwrap_or(1) };
        let name = index.name.as_str().to_owned();
        Some(IndexDef { name, type_text: type_text(index), kind, exprs, granularity, zone })
    };
    definition.elements.indices.iter().chain(&implicit).filter_map(one).collect()
}

/// The type of an index with its arguments as text.
pub(crate) fn type_text(index: &ast::IndexDef) -> String {
    index.index_type.as_ref().map(function_text).unwrap_or_default()
}

/// The type of an index; `None` for types that are accepted without effect.
fn kind(index: &ast::IndexDef) -> Option<Arc<dyn SkipIndex>> {
    let kind = index.index_type.as_ref()?;
    Some(match kind.name.as_str() {
        "minmax" => Arc::new(MinMax),
        "set" => Arc::new(Set(number(&kind.args, 0)?)),
        "bloom_filter" => {
            let rate = match kind.args.first().and_then(ast::Expr::as_literal) {
                Some(Literal::Float(rate)) => *rate,
                _ => BloomFilter::DEFAULT_RATE,
            };
            Arc::new(BloomFilter(rate))
        }
        "ngrambf_v1" => {
            let n = usize::try_from(number(&kind.args, 0)?).ok()?;
            Arc::new(terms(Terms::Ngrams(n), &kind.args[1..])?)
        }
        "tokenbf_v1" => Arc::new(terms(Terms::Words, &kind.args)?),
        _ => return None,
    })
}

/// An argument of an index's type that is a whole number.
fn number(args: &[ast::Expr], at: usize) -> Option<u64> {
    match args.get(at)?.as_literal()? {
        Literal::UInt(number) => Some(*number),
        _ => None,
    }
}

/// A filter of terms from the arguments bytes, hashes and seed.
fn terms(terms: Terms, args: &[ast::Expr]) -> Option<TermFilter> {
    let bytes = usize::try_from(number(args, 0)?).ok()?;
    let hashes = u32::try_from(number(args, 1)?).ok()?;
    Some(TermFilter { terms, bytes, hashes, seed: number(args, 2)? })
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
    let numbers: Option<Vec<u64>> = (0..wanted).map(|at| number(args, at)).collect();
    let Some(numbers) = numbers else {
        return Err(bad("All parameters to *bf_v1 index must be unsigned integers"));
    };
    if numbers[wanted - 3] == 0 {
        return Err(bad("The size of bloom filter cannot be zero"));
    }
    if numbers[wanted - 2] == 0 {
        return Err(bad("The number of hash functions for bloom filter cannot be zero"));
    }
    Ok(())
}
