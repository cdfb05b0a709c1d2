//! `system.data_skipping_indices` and `system.data_skipping_index_types`.

use std::sync::{Arc, Weak};

use entasis_mergetree::IndexSize;
use entasis_sql::{ast, format_expr};
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::{over, tables_of};
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::definition::implicit_indices::implicit;
use crate::definition::indices::type_text;

fn text(value: &str) -> Value {
    Value::from(value)
}

fn number(value: u64) -> Value {
    Value::UInt(value)
}

/// A skipping index of a table.
struct IndexRow {
    database: Arc<str>,
    table: Arc<str>,
    index: ast::IndexDef,
    /// Whether a setting of the table has made it.
    is_implicit: bool,
    size: IndexSize,
}

impl IndexRow {
    /// The type with its arguments.
    fn full_type(&self) -> String {
        let text = type_text(&self.index);
        if self.is_implicit { format!("{text}()") } else { text }
    }

    /// What is indexed; a tuple is shown as a list.
    fn expr(&self) -> String {
        match self.index.expr.as_function() {
            Some(call) if call.name == "tuple" => {
                call.args.iter().map(format_expr).collect::<Vec<_>>().join(", ")
            }
            _ => format_expr(&self.index.expr),
        }
    }
}

const INDICES: &[ColumnOf<IndexRow>] = &[
    ("database", "String", Some(|i| text(&i.database))),
    ("table", "String", Some(|i| text(&i.table))),
    ("name", "String", Some(|i| text(i.index.name.as_str()))),
    ("type", "String", Some(|i| text(i.index.index_type.as_ref().map_or("", |t| &t.name)))),
    ("type_full", "String", Some(|i| text(&i.full_type()))),
    ("expr", "String", Some(|i| text(&i.expr()))),
    ("creation", "Enum8", Some(|i| Value::Int(i.is_implicit.into()))),
    ("granularity", "UInt64", Some(|i| number(i.index.granularity.unwrap_or(1)))),
    ("data_compressed_bytes", "UInt64", Some(|i| number(i.size.stored))),
    ("data_uncompressed_bytes", "UInt64", Some(|i| number(i.size.raw))),
    ("marks_bytes", "UInt64", Some(|i| number(i.size.footers))),
];

/// The table `system.data_skipping_indices`.
pub(super) fn indices(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let mut out = Vec::new();
        for table in tables_of(catalog)? {
            let explicit = table.of_definition(|d| d.elements.indices.clone());
            let implicit = table.of_definition(implicit);
            let explicit = explicit.into_iter().map(|index| (index, false));
            for (index, is_implicit) in explicit.chain(implicit.into_iter().map(|i| (i, true))) {
                let size = match table.entry.id {
                    Some(id) => catalog.store().index_size(id, index.name.as_str())?,
                    None => IndexSize::default(),
                };
                let (database, table) = (Arc::clone(&table.database), Arc::clone(&table.name));
                out.push(IndexRow { database, table, index, is_implicit, size });
            }
        }
        Ok(out)
    };
    laid_out("data_skipping_indices", INDICES, over(catalog, rows))
}

/// A type of index.
struct TypeRow {
    name: &'static str,
    description: &'static str,
    syntax: &'static str,
    related: &'static [&'static str],
}

const TYPES: &[TypeRow] = &[
    TypeRow {
        name: "bloom_filter",
        description: "A Bloom filter of the values of each expression, or of the elements of its arrays.",
        syntax: "INDEX name expr TYPE bloom_filter([false_positive_rate]) GRANULARITY g",
        related: &["set", "tokenbf_v1"],
    },
    TypeRow {
        name: "hypothesis",
        description: "Is no longer supported.",
        syntax: "INDEX name expr TYPE hypothesis GRANULARITY g",
        related: &[],
    },
    TypeRow {
        name: "minmax",
        description: "The least and the greatest value of each expression.",
        syntax: "INDEX name expr TYPE minmax GRANULARITY n",
        related: &["set"],
    },
    TypeRow {
        name: "ngrambf_v1",
        description: "A Bloom filter of the runs of n characters of texts.",
        syntax: "INDEX name expr TYPE ngrambf_v1(n, size_in_bytes, num_hash_functions, seed) GRANULARITY g",
        related: &["tokenbf_v1", "bloom_filter", "text"],
    },
    TypeRow {
        name: "set",
        description: "The distinct rows of a block, unless there are more than max_rows (0: any number).",
        syntax: "INDEX name expr TYPE set(max_rows) GRANULARITY n",
        related: &["bloom_filter", "minmax"],
    },
    TypeRow {
        name: "sparse_grams",
        description: "Is accepted without effect.",
        syntax: "INDEX name expr TYPE sparse_grams(min_ngram_length, max_ngram_length[, min_cutoff_length], \
                 size_in_bytes, num_hash_functions, seed) GRANULARITY g",
        related: &["ngrambf_v1", "tokenbf_v1"],
    },
    TypeRow {
        name: "text",
        description: "Is accepted without effect.",
        syntax: "INDEX name expr TYPE text(tokenizer = splitByNonAlpha) GRANULARITY g",
        related: &["tokenbf_v1"],
    },
    TypeRow {
        name: "tokenbf_v1",
        description: "A Bloom filter of the words of texts.",
        syntax: "INDEX name expr TYPE tokenbf_v1(size_in_bytes, num_hash_functions, seed) GRANULARITY g",
        related: &["ngrambf_v1", "text"],
    },
    TypeRow {
        name: "vector_similarity",
        description: "Is accepted without effect.",
        syntax: "INDEX name vector TYPE vector_similarity('hnsw', 'distance_function', dimensions) GRANULARITY g",
        related: &[],
    },
];

fn list(texts: &[&str]) -> Value {
    Value::Array(texts.iter().map(|text| Value::from(*text)).collect())
}

const TYPE_COLUMNS: &[ColumnOf<&'static TypeRow>] = &[
    ("name", "String", Some(|t| text(t.name))),
    ("description", "String", Some(|t| text(t.description))),
    ("syntax", "String", Some(|t| text(t.syntax))),
    ("related", "Array(String)", Some(|t| list(t.related))),
];

/// The table `system.data_skipping_index_types`.
pub(super) fn index_types() -> Arc<dyn Table> {
    laid_out("data_skipping_index_types", TYPE_COLUMNS, || Ok(TYPES.iter().collect()))
}
