//! `system.databases`, `system.tables`, `system.columns`, `system.constraints`: the catalog as
//! tables.

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_mergetree::{ColumnSize, PartSummary, TableId};
use entasis_sql::{ast, format_expr};
use entasis_table_api::{ColumnDef, DefaultKind, Table};
use entasis_types::{DataType, Value};

use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::{EngineCatalog, Entry, SYSTEM, is_information_schema};
use crate::definition::TableDefinition;
use crate::definition::columns::function_text;
use crate::definition::keys::Keys;

fn text(value: &str) -> Value {
    Value::from(value)
}

fn number(value: u64) -> Value {
    Value::UInt(value)
}

fn flag(value: bool) -> Value {
    Value::UInt(u64::from(value))
}

fn optional(value: Option<u64>) -> Value {
    value.map_or(Value::Null, Value::UInt)
}

/// Makes rows from the catalog; none if the catalog no longer exists.
pub(super) fn over<R: 'static>(
    catalog: &Weak<EngineCatalog>,
    rows: fn(&EngineCatalog) -> Result<Vec<R>>,
) -> impl Fn() -> Result<Vec<R>> + Send + Sync + 'static {
    let catalog = Weak::clone(catalog);
    move || catalog.upgrade().map_or(Ok(Vec::new()), |catalog| rows(&catalog))
}

/// A table of the catalog with its parts.
pub(super) struct TableRow {
    pub(super) database: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) entry: Arc<Entry>,
    pub(super) parts: Vec<PartSummary>,
}

pub(super) fn tables_of(catalog: &EngineCatalog) -> Result<Vec<TableRow>> {
    let mut out = Vec::new();
    for database in catalog.database_names() {
        // If the database has been dropped meanwhile, it is left out.
        let Ok(tables) = catalog.tables(&database) else { continue };
        for (name, entry) in tables {
            let parts = entry.id.map_or(Vec::new(), |id| catalog.store().parts(id));
            out.push(TableRow { database: database.clone(), name, entry, parts });
        }
    }
    Ok(out)
}

impl TableRow {
    /// A value from the table's definition; the default if it has no definition.
    fn of_definition<T: Default>(&self, of: impl Fn(&TableDefinition) -> T) -> T {
        self.entry.definition.as_deref().map(of).unwrap_or_default()
    }

    fn query(&self) -> String {
        match &self.entry.view {
            Some(view) => view.create_query(&self.database, &self.name, true),
            None => self.of_definition(|d| d.create_query(&self.database, &self.name, true)),
        }
    }

    fn storage_policy(&self) -> &'static str {
        if self.entry.features().parts { "default" } else { "" }
    }

    /// The table's folder, relative to the server's.
    fn data_paths(&self) -> Value {
        let path = |id: TableId| text(&format!("tables/{}/", id.0));
        Value::Array(self.entry.id.map(path).into_iter().collect())
    }

    /// The query of a view; empty for tables.
    pub(super) fn as_select(&self) -> String {
        self.entry.view.as_ref().map_or(String::new(), |view| view.as_select())
    }

    pub(super) fn comment(&self) -> String {
        match &self.entry.view {
            Some(view) => view.comment(),
            None => self.of_definition(|d| d.comment.clone()),
        }
    }

    pub(super) fn total_bytes(&self) -> Value {
        optional(self.entry.table.total_bytes())
    }

    fn total(&self, of: fn(&PartSummary) -> u64) -> Value {
        optional(self.entry.features().parts.then(|| self.parts.iter().map(of).sum()))
    }

    pub(super) fn rows(&self) -> Value {
        // The engine's own tables have no useful count; some have endless rows.
        if self.entry.definition.is_none() {
            return Value::Null;
        }
        optional(self.entry.table.snapshot().ok().and_then(|s| s.row_count()))
    }
}

const TABLES: &[ColumnOf<TableRow>] = &[
    ("database", "String", Some(|t| text(&t.database))),
    ("name", "String", Some(|t| text(&t.name))),
    ("engine", "String", Some(|t| text(t.entry.table.engine()))),
    ("is_temporary", "UInt8", None),
    ("data_paths", "Array(String)", Some(TableRow::data_paths)),
    ("metadata_path", "String", None),
    ("metadata_modification_time", "DateTime", None),
    ("metadata_version", "Int32", None),
    ("dependencies_database", "Array(String)", None),
    ("dependencies_table", "Array(String)", None),
    ("create_table_query", "String", Some(|t| text(&t.query()))),
    ("engine_full", "String", Some(|t| text(&t.of_definition(TableDefinition::engine_full)))),
    ("as_select", "String", Some(|t| text(&t.as_select()))),
    ("partition_key", "String", Some(|t| text(&t.of_definition(TableDefinition::partition_key)))),
    ("sorting_key", "String", Some(|t| text(&t.of_definition(TableDefinition::sorting_key)))),
    ("primary_key", "String", Some(|t| text(&t.of_definition(TableDefinition::primary_key)))),
    ("sampling_key", "String", None),
    ("storage_policy", "String", Some(|t| text(t.storage_policy()))),
    ("total_rows", "Nullable(UInt64)", Some(TableRow::rows)),
    ("total_bytes", "Nullable(UInt64)", Some(TableRow::total_bytes)),
    ("total_bytes_uncompressed", "Nullable(UInt64)", Some(|_| Value::Null)),
    ("parts", "Nullable(UInt64)", Some(|t| t.total(|_| 1))),
    ("active_parts", "Nullable(UInt64)", Some(|t| t.total(|_| 1))),
    ("total_marks", "Nullable(UInt64)", Some(|t| t.total(|p| p.granules))),
    ("lifetime_rows", "Nullable(UInt64)", Some(|_| Value::Null)),
    ("lifetime_bytes", "Nullable(UInt64)", Some(|_| Value::Null)),
    ("comment", "String", Some(|t| text(&t.comment()))),
    ("has_own_data", "UInt8", Some(|t| flag(t.entry.features().own_data))),
    ("loading_dependencies_database", "Array(String)", None),
    ("loading_dependencies_table", "Array(String)", None),
    ("loading_dependent_database", "Array(String)", None),
    ("loading_dependent_table", "Array(String)", None),
    ("table", "String", Some(|t| text(&t.name))),
];

/// A column of a table.
pub(super) struct ColumnRow {
    pub(super) table: Arc<TableRow>,
    pub(super) position: usize,
    pub(super) def: ColumnDef,
    size: ColumnSize,
}

pub(super) fn columns_of(catalog: &EngineCatalog) -> Result<Vec<ColumnRow>> {
    let mut out = Vec::new();
    for table in tables_of(catalog)? {
        let sizes = match table.entry.id {
            Some(id) => catalog.store().column_sizes(id)?,
            None => Vec::new(),
        };
        let table = Arc::new(table);
        let schema = table.entry.table.schema();
        for (position, def) in schema.declared().enumerate() {
            let size = schema.position(&def.name).and_then(|stored| sizes.get(stored));
            let size = size.copied().unwrap_or_default();
            out.push(ColumnRow { table: Arc::clone(&table), position, def: def.clone(), size });
        }
    }
    Ok(out)
}

impl ColumnRow {
    /// Whether the key with these columns reads the column.
    fn is_in(&self, columns: fn(&Keys) -> Vec<usize>) -> bool {
        self.table.of_definition(|d| {
            let position = d.schema.position(&self.def.name);
            position.is_some_and(|position| columns(&d.keys).contains(&position))
        })
    }

    fn plain(&self) -> &DataType {
        self.def.ty.without_nullable()
    }

    pub(super) fn precision(&self) -> Value {
        let bits = self.plain().fixed_width().map(|bytes| 8 * bytes as u64);
        optional(bits.filter(|_| self.plain().is_any_integer()))
    }

    pub(super) fn radix(&self) -> Value {
        if self.precision().is_null() { Value::Null } else { number(2) }
    }

    pub(super) fn scale(&self) -> Value {
        if self.plain().is_any_integer() { number(0) } else { Value::Null }
    }

    pub(super) fn datetime_precision(&self) -> Value {
        if matches!(self.plain(), DataType::DateTime(_) | DataType::Date) {
            number(0)
        } else {
            Value::Null
        }
    }

    pub(super) fn octets(&self) -> Value {
        match self.plain() {
            DataType::FixedString(n) => number(u64::from(*n)),
            _ => Value::Null,
        }
    }

    pub(super) fn default_expression(&self) -> &str {
        self.def.default.as_ref().map_or("", |(_, expr)| expr)
    }

    pub(super) fn is_in_primary_key(&self) -> bool {
        self.is_in(Keys::primary_columns)
    }

    pub(super) fn default_kind(&self) -> &'static str {
        self.def.default_kind().map_or("", DefaultKind::name)
    }
}

const COLUMNS: &[ColumnOf<ColumnRow>] = &[
    ("database", "String", Some(|c| text(&c.table.database))),
    ("table", "String", Some(|c| text(&c.table.name))),
    ("name", "String", Some(|c| text(&c.def.name))),
    ("type", "String", Some(|c| text(&c.def.ty.to_string()))),
    ("position", "UInt64", Some(|c| number(c.position as u64 + 1))),
    ("default_kind", "String", Some(|c| text(c.default_kind()))),
    ("default_expression", "String", Some(|c| text(c.default_expression()))),
    ("data_compressed_bytes", "UInt64", Some(|c| number(c.size.stored))),
    ("data_uncompressed_bytes", "UInt64", Some(|c| number(c.size.raw))),
    ("marks_bytes", "UInt64", None),
    ("comment", "String", Some(|c| text(&c.def.comment))),
    ("is_in_partition_key", "UInt8", Some(|c| flag(c.is_in(Keys::partition_columns)))),
    ("is_in_sorting_key", "UInt8", Some(|c| flag(c.is_in(Keys::sorting_columns)))),
    ("is_in_primary_key", "UInt8", Some(|c| flag(c.is_in_primary_key()))),
    ("is_in_sampling_key", "UInt8", None),
    (
        "compression_codec",
        "String",
        Some(|c| c.def.codec.as_ref().map_or(text(""), |codec| text(&format!("CODEC({codec})")))),
    ),
    ("character_octet_length", "Nullable(UInt64)", Some(ColumnRow::octets)),
    ("numeric_precision", "Nullable(UInt64)", Some(ColumnRow::precision)),
    ("numeric_precision_radix", "Nullable(UInt64)", Some(ColumnRow::radix)),
    ("numeric_scale", "Nullable(UInt64)", Some(ColumnRow::scale)),
    ("datetime_precision", "Nullable(UInt64)", Some(ColumnRow::datetime_precision)),
    ("serialization_hint", "Nullable(String)", Some(|_| Value::Null)),
    ("column", "String", Some(|c| text(&c.def.name))),
];

/// The engine of a database: the engine's own databases are in memory.
pub(crate) fn database_engine(name: &str) -> &'static str {
    let own = name == SYSTEM || is_information_schema(name);
    if own { "Memory" } else { "Atomic" }
}

const DATABASES: &[ColumnOf<Arc<str>>] = &[
    ("name", "String", Some(|d| text(d))),
    ("engine", "String", Some(|d| text(database_engine(d)))),
    ("data_path", "String", None),
    ("metadata_path", "String", None),
    ("engine_full", "String", Some(|d| text(database_engine(d)))),
    ("comment", "String", None),
    ("is_external", "UInt8", None),
    ("database", "String", Some(|d| text(d))),
];

/// The table `system.databases`.
pub(super) fn databases(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("databases", DATABASES, over(catalog, |c| Ok(c.database_names())))
}

/// The table `system.tables`.
pub(super) fn tables(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("tables", TABLES, over(catalog, tables_of))
}

/// The table `system.columns`.
pub(super) fn columns(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("columns", COLUMNS, over(catalog, columns_of))
}

/// A constraint of a table.
struct ConstraintRow {
    database: Arc<str>,
    table: Arc<str>,
    constraint: ast::ConstraintDef,
}

const CONSTRAINTS: &[ColumnOf<ConstraintRow>] = &[
    ("database", "String", Some(|c| text(&c.database))),
    ("table", "String", Some(|c| text(&c.table))),
    ("name", "String", Some(|c| text(c.constraint.name.as_str()))),
    ("type", "UInt8", Some(|c| Value::Int(i64::from(c.constraint.assume)))),
    ("expression", "String", Some(|c| text(&format_expr(&c.constraint.expr)))),
];

/// The table `system.constraints`.
pub(super) fn constraints(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let mut out = Vec::new();
        for table in tables_of(catalog)? {
            let constraints = table.of_definition(|d| d.elements.constraints.clone());
            out.extend(constraints.into_iter().map(|constraint| {
                let (database, table) = (Arc::clone(&table.database), Arc::clone(&table.name));
                ConstraintRow { database, table, constraint }
            }));
        }
        Ok(out)
    };
    laid_out("constraints", CONSTRAINTS, over(catalog, rows))
}

/// A skipping index of a table.
struct IndexRow {
    database: Arc<str>,
    table: Arc<str>,
    index: ast::IndexDef,
}

impl IndexRow {
    /// The type with its arguments.
    fn full_type(&self) -> String {
        let kind = self.index.index_type.as_ref();
        kind.map(function_text).unwrap_or_default()
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
    ("granularity", "UInt64", Some(|i| number(i.index.granularity.unwrap_or(1)))),
];

/// The table `system.data_skipping_indices`.
pub(super) fn indices(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let mut out = Vec::new();
        for table in tables_of(catalog)? {
            let indices = table.of_definition(|d| d.elements.indices.clone());
            out.extend(indices.into_iter().map(|index| {
                let (database, table) = (Arc::clone(&table.database), Arc::clone(&table.name));
                IndexRow { database, table, index }
            }));
        }
        Ok(out)
    };
    laid_out("data_skipping_indices", INDICES, over(catalog, rows))
}
