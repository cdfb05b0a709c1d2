//! `system.dictionaries`.

use std::sync::{Arc, Weak};

use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::{over, tables_of};
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::dictionary::handle::{DictionaryHandle, Figures};

struct DictionaryRow {
    database: Arc<str>,
    name: Arc<str>,
    handle: Arc<DictionaryHandle>,
    figures: Figures,
}

fn text(value: &str) -> Value {
    Value::from(value)
}

fn texts<T: ToString>(values: impl Iterator<Item = T>) -> Value {
    Value::Array(values.map(|value| text(&value.to_string())).collect())
}

impl DictionaryRow {
    /// NOT_LOADED, LOADED, FAILED, and old contents beside an error.
    fn status(&self) -> Value {
        let failed = self.handle.state(|state| state.error.is_some());
        Value::Int(match (self.figures.is_loaded, failed) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        })
    }

    /// A value that is only known once the dictionary was loaded.
    fn if_loaded(&self, value: impl FnOnce() -> Value, otherwise: Value) -> Value {
        if self.figures.is_loaded { value() } else { otherwise }
    }

    fn last_exception(&self) -> Value {
        self.handle.state(|state| match &state.error {
            Some(error) => {
                let code = error.code();
                text(&format!("Code: {}. DB::Exception: {}", code.0, error.message()))
            }
            None => text(""),
        })
    }
}

const COLUMNS: &[ColumnOf<DictionaryRow>] = &[
    ("database", "String", Some(|d| text(&d.database))),
    ("name", "String", Some(|d| text(&d.name))),
    ("status", "", Some(DictionaryRow::status)),
    (
        "type",
        "String",
        Some(|d| d.if_loaded(|| text(d.handle.definition.layout.type_name), text(""))),
    ),
    (
        "key.names",
        "Array(String)",
        Some(|d| texts(d.handle.definition.structure.keys.iter().map(|key| &key.name))),
    ),
    (
        "key.types",
        "Array(String)",
        Some(|d| texts(d.handle.definition.structure.keys.iter().map(|key| &key.ty))),
    ),
    (
        "attribute.names",
        "Array(String)",
        Some(|d| texts(d.handle.definition.structure.attributes.iter().map(|a| &a.name))),
    ),
    (
        "attribute.types",
        "Array(String)",
        Some(|d| texts(d.handle.definition.structure.attributes.iter().map(|a| &a.ty))),
    ),
    ("bytes_allocated", "UInt64", Some(|d| Value::UInt(d.figures.bytes))),
    ("query_count", "UInt64", Some(|d| Value::UInt(d.figures.queries))),
    (
        "hit_rate",
        "Float64",
        Some(|d| {
            let known = d.figures.queries > 0 && !d.handle.definition.layout.caches;
            Value::Float(if known { 1.0 } else { 0.0 })
        }),
    ),
    ("found_rate", "Float64", Some(|d| Value::Float(d.figures.found_rate))),
    ("element_count", "UInt64", Some(|d| Value::UInt(d.figures.elements))),
    ("load_factor", "Float64", Some(|d| Value::Float(d.figures.load_factor))),
    ("source", "String", Some(|d| d.if_loaded(|| text(&d.handle.shown_source()), text("")))),
    (
        "lifetime_min",
        "UInt64",
        Some(|d| d.if_loaded(|| Value::UInt(d.handle.definition.lifetime.0), Value::UInt(0))),
    ),
    (
        "lifetime_max",
        "UInt64",
        Some(|d| d.if_loaded(|| Value::UInt(d.handle.definition.lifetime.1), Value::UInt(0))),
    ),
    (
        "loading_start_time",
        "DateTime",
        Some(|d| d.handle.state(|state| Value::UInt(state.started.as_secs()))),
    ),
    (
        "last_successful_update_time",
        "DateTime",
        Some(|d| d.handle.state(|state| Value::UInt(state.updated.as_secs()))),
    ),
    ("error_count", "UInt64", Some(|d| d.handle.state(|state| Value::UInt(state.error_count)))),
    (
        "loading_duration",
        "Float32",
        Some(|d| d.handle.state(|state| Value::Float(state.took.as_secs_f64()))),
    ),
    ("last_exception", "String", Some(DictionaryRow::last_exception)),
    ("comment", "String", Some(|d| text(d.handle.definition.comment()))),
];

/// `system.dictionaries`: one row for each dictionary.
pub(super) fn dictionaries(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out(
        "dictionaries",
        COLUMNS,
        over(catalog, |catalog| {
            let tables = tables_of(catalog)?.into_iter();
            let row = |table: super::catalog::TableRow| {
                let handle = Arc::clone(table.entry.dictionary()?);
                let figures = handle.figures();
                Some(DictionaryRow { database: table.database, name: table.name, handle, figures })
            };
            Ok(tables.filter_map(row).collect())
        }),
    )
}
