//! `system.functions`, `system.formats`, `system.data_type_families`, `system.table_functions`,
//! `system.table_engines`, `system.tokenizers`: what this build supports, from the registries.

use std::borrow::Cow;
use std::sync::{Arc, Weak};

use entasis_format::registry;
use entasis_function::def::Determinism;
use entasis_function::registry::{
    aggregate_aliases, aggregate_functions, scalar_functions, window_functions,
};
use entasis_table_api::Table;
use entasis_tables::{TABLE_FUNCTIONS, TableFunctionDef};
use entasis_types::Value;

use super::catalog::over;
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::engines::{ENGINES, EngineDef};
use crate::settings::merge_tree::OfEngine;

struct Function {
    name: Cow<'static, str>,
    is_aggregate: bool,
    case_insensitive: bool,
    alias_to: &'static str,
    description: &'static str,
    examples: &'static [(&'static str, &'static str)],
    deterministic: Value,
    higher_order: Value,
    /// The CREATE FUNCTION of a function that a user has defined; empty for all others.
    create_query: String,
}

fn flag(value: bool) -> Value {
    Value::UInt(u64::from(value))
}

const ORIGIN: &str =
    "Enum8('System' = 0, 'SQLUserDefined' = 1, 'ExecutableUserDefined' = 2, 'WasmUserDefined' = 3)";

const FUNCTIONS: &[ColumnOf<Function>] = &[
    ("name", "String", Some(|f| f.name.as_ref().into())),
    ("is_aggregate", "UInt8", Some(|f| flag(f.is_aggregate))),
    ("case_insensitive", "UInt8", Some(|f| flag(f.case_insensitive))),
    ("alias_to", "String", Some(|f| f.alias_to.into())),
    ("create_query", "String", Some(|f| f.create_query.as_str().into())),
    ("origin", ORIGIN, Some(|f| Value::Int(i64::from(!f.create_query.is_empty())))),
    ("description", "String", Some(|f| f.description.into())),
    ("syntax", "String", None),
    ("arguments", "String", None),
    ("parameters", "String", None),
    ("returned_value", "String", None),
    (
        "examples",
        "String",
        Some(|f| {
            let lines: Vec<String> =
                f.examples.iter().map(|(query, result)| format!("{query}\n{result}")).collect();
            lines.join("\n\n").as_str().into()
        }),
    ),
    ("introduced_in", "String", None),
    ("categories", "String", None),
    ("deterministic", "Nullable(UInt8)", Some(|f| f.deterministic.clone())),
    ("higher_order", "Nullable(UInt8)", Some(|f| f.higher_order.clone())),
];

/// Adds the function itself and one row for each alias.
fn with_aliases(
    first: Function,
    alias_of: &'static str,
    aliases: &'static [&'static str],
    out: &mut Vec<Function>,
) {
    let alias_to = alias_of;
    let of_alias = |name: &&'static str| Function {
        name: Cow::Borrowed(*name),
        alias_to,
        deterministic: first.deterministic.clone(),
        higher_order: first.higher_order.clone(),
        create_query: String::new(),
        ..first
    };
    out.extend(aliases.iter().map(of_alias));
    out.push(first);
}

fn all_functions() -> Vec<Function> {
    let mut out = Vec::new();
    for f in scalar_functions() {
        let function = Function {
            name: f.name.into(),
            is_aggregate: false,
            case_insensitive: f.case_insensitive,
            alias_to: "",
            description: f.description,
            examples: f.examples,
            deterministic: flag(f.determinism == Determinism::Pure),
            higher_order: flag(f.lambda.is_some()),
            create_query: String::new(),
        };
        with_aliases(function, f.name, f.aliases, &mut out);
    }
    for f in aggregate_functions() {
        let function = Function {
            name: f.name.into(),
            is_aggregate: true,
            case_insensitive: f.case_insensitive,
            alias_to: "",
            description: f.description,
            examples: f.examples,
            deterministic: Value::Null,
            higher_order: Value::Null,
            create_query: String::new(),
        };
        with_aliases(function, f.name, f.aliases, &mut out);
    }
    for (name, of) in aggregate_aliases() {
        if let Some(f) = aggregate_functions().find(|f| f.name == *of) {
            out.push(Function {
                name: (*name).into(),
                is_aggregate: true,
                case_insensitive: true,
                alias_to: f.name,
                description: f.description,
                examples: f.examples,
                deterministic: Value::Null,
                higher_order: Value::Null,
                create_query: String::new(),
            });
        }
    }
    // As in the reference, window functions are listed as aggregates. Some of their names match in
    // upper and lower case.
    for f in window_functions() {
        let of_name = |name: &'static str, alias_to| Function {
            name: name.into(),
            is_aggregate: true,
            case_insensitive: f.any_case.contains(&name),
            alias_to,
            description: f.description,
            examples: f.examples,
            deterministic: Value::Null,
            higher_order: Value::Null,
            create_query: String::new(),
        };
        out.push(of_name(f.name, ""));
        out.extend(f.aliases.iter().map(|alias| of_name(alias, f.name)));
    }
    out
}

const FORMATS: &[ColumnOf<&'static registry::FormatDef>] = &[
    ("name", "String", Some(|f| f.name.into())),
    ("is_input", "UInt8", Some(|f| flag(f.is_input()))),
    ("is_output", "UInt8", Some(|f| flag(f.is_output()))),
];

const TABLE_FUNCTION_COLUMNS: &[ColumnOf<&'static TableFunctionDef>] = &[
    ("name", "String", Some(|f| f.name.into())),
    ("description", "String", Some(|f| f.description.into())),
    ("allow_readonly", "UInt8", Some(|f| flag(!NOT_READONLY.contains(&f.name)))),
];

/// Table functions that a session with `readonly` may not use in the reference.
const NOT_READONLY: &[&str] = &[
    "dictionary",
    "executable",
    "file",
    "fileCluster",
    "format",
    "loop",
    "remote",
    "remoteSecure",
    "url",
    "urlCluster",
    "viewExplain",
    "zeros",
    "zeros_mt",
];

const ENGINE_COLUMNS: &[ColumnOf<&'static EngineDef>] = &[
    ("name", "String", Some(|e| e.name.into())),
    ("supports_settings", "UInt8", Some(|e| flag(e.features.settings != OfEngine::Nothing))),
    ("supports_skipping_indices", "UInt8", Some(|e| flag(e.features.skipping_indices.is_there()))),
    ("supports_projections", "UInt8", Some(|e| flag(e.features.projections.is_there()))),
    ("supports_sort_order", "UInt8", Some(|e| flag(e.features.sort_order.is_there()))),
    ("supports_ttl", "UInt8", Some(|e| flag(e.features.ttl.is_there()))),
    ("supports_parallel_insert", "UInt8", Some(|e| flag(e.features.parallel_insert))),
    ("description", "String", Some(|e| e.description.into())),
    ("syntax", "String", Some(|e| e.syntax.into())),
    (
        "related",
        "Array(String)",
        Some(|e| Value::Array(e.related.iter().map(|name| (*name).into()).collect())),
    ),
];

const TYPES: &[ColumnOf<(&'static str, String)>] = &[
    ("name", "String", Some(|(name, _)| (*name).into())),
    ("case_insensitive", "UInt8", Some(|(_, alias_to)| flag(!alias_to.is_empty()))),
    ("alias_to", "String", Some(|(_, alias_to)| alias_to.as_str().into())),
];

/// The table `system.functions`.
pub(super) fn functions(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let mut out = all_functions();
        for (name, function) in catalog.sql_functions().iter() {
            out.push(Function {
                name: name.clone().into(),
                is_aggregate: false,
                case_insensitive: false,
                alias_to: "",
                description: "",
                examples: &[],
                deterministic: Value::Null,
                higher_order: Value::Null,
                create_query: function.text.clone(),
            });
        }
        out.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(out)
    };
    laid_out("functions", FUNCTIONS, over(catalog, rows))
}

/// The table `system.formats`.
pub(super) fn formats() -> Arc<dyn Table> {
    laid_out("formats", FORMATS, || {
        let mut formats: Vec<_> = registry::names().collect();
        formats.sort_by_key(|f| f.name);
        Ok(formats)
    })
}

/// The table `system.data_type_families`.
pub(super) fn data_type_families() -> Arc<dyn Table> {
    laid_out("data_type_families", TYPES, || Ok(entasis_types::name::families()))
}

/// The table `system.table_functions`.
pub(super) fn table_functions() -> Arc<dyn Table> {
    laid_out("table_functions", TABLE_FUNCTION_COLUMNS, || {
        let mut all: Vec<_> = TABLE_FUNCTIONS.iter().collect();
        all.sort_by_key(|f| f.name);
        Ok(all)
    })
}

/// The table `system.table_engines`.
pub(super) fn table_engines() -> Arc<dyn Table> {
    laid_out("table_engines", ENGINE_COLUMNS, || Ok(ENGINES.to_vec()))
}

/// The names of the tokenizers of full-text search, which are those of `function-string`.
const TOKENIZERS: &[&str] = &[
    "splitByNonAlpha",
    "tokenbf_v1",
    "splitByString",
    "splitByRegexp",
    "ngrams",
    "ngrambf_v1",
    "sparseGrams",
    "sparse_grams",
    "array",
    "keyword",
    "asciiCJK",
    "unicodeWord",
    "unicode_word",
];

/// The table `system.tokenizers`.
pub(super) fn tokenizers() -> Arc<dyn Table> {
    const COLUMNS: &[ColumnOf<&str>] = &[("name", "String", Some(|name| Value::from(*name)))];
    laid_out("tokenizers", COLUMNS, || Ok(TOKENIZERS.to_vec()))
}
