//! `system.databases`, `system.tables`, `system.columns`, `system.constraints`: the catalog as
//! tables.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_mergetree::{ColumnSize, PartSummary, Store, TableId};
use entasis_sql::{ast, format_expr};
use entasis_table_api::{ColumnDef, DefaultKind, Table};
use entasis_types::{DataType, Value};

use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::databases::DatabaseInfo;
use crate::catalog::{EngineCatalog, Entry};
use crate::definition::TableDefinition;
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
    /// The materialised views that its INSERTs fill: database and name.
    views: Vec<(String, String)>,
    /// The table that keeps the rows of a materialised view.
    inner: Option<Arc<Entry>>,
    /// The tables that must exist before this one: what a dictionary reads.
    needs: Vec<(String, String)>,
    /// The tables that need this one.
    needed_by: Vec<(String, String)>,
    store: Arc<Store>,
}

pub(super) fn tables_of(catalog: &EngineCatalog) -> Result<Vec<TableRow>> {
    let mut out = Vec::new();
    for database in catalog.database_names() {
        // If the database has been dropped meanwhile, it is left out.
        let Ok(tables) = catalog.tables(&database) else { continue };
        for (name, entry) in tables {
            let parts = entry.id.map_or(Vec::new(), |id| catalog.store().parts(id));
            let triggers = catalog.triggers(&(database.to_string(), name.to_string()));
            let views = triggers.iter().flat_map(|views| views.iter());
            let views = views.map(|trigger| trigger.view.clone()).collect();
            let inner = catalog.inner_of(&database, &entry).map(|(_, inner)| inner);
            out.push(TableRow {
                database: database.clone(),
                name,
                needs: entry.needs(&database),
                needed_by: Vec::new(),
                store: Arc::clone(catalog.store()),
                entry,
                parts,
                views,
                inner,
            });
        }
    }
    let needing = out.iter().filter(|row| !row.needs.is_empty());
    let needing = needing.map(|row| ((row.database.to_string(), row.name.to_string()), &row.needs));
    let edges: Vec<_> =
        needing.flat_map(|(by, of)| of.iter().map(move |of| (by.clone(), of.clone()))).collect();
    for (by, (database, name)) in edges {
        let is_it = |row: &&mut TableRow| *row.database == *database && *row.name == *name;
        if let Some(row) = out.iter_mut().find(is_it) {
            row.needed_by.push(by);
        }
    }
    Ok(out)
}

impl TableRow {
    /// A value from the table's definition; the default if it has no definition.
    pub(super) fn of_definition<T: Default>(&self, of: impl Fn(&TableDefinition) -> T) -> T {
        self.entry.definition.as_deref().map(of).unwrap_or_default()
    }

    fn query(&self) -> String {
        if let Some(dictionary) = self.entry.dictionary() {
            return dictionary.definition.create_query(&self.database, &self.name, true);
        }
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
        if let Some(dictionary) = self.entry.dictionary() {
            return dictionary.definition.comment().to_string();
        }
        match &self.entry.view {
            Some(view) => view.comment(),
            None => self.of_definition(|d| d.comment.clone()),
        }
    }

    /// The names and types of a view's parameters.
    fn parameters(&self) -> Value {
        let parameters = self.entry.view.iter().flat_map(|view| &view.parameters);
        let pair = |(name, ty): &(String, String)| Value::Tuple(vec![text(name), text(ty)].into());
        Value::Array(parameters.map(pair).collect())
    }

    /// The types of the skipping indices, each once and sorted.
    fn index_types(&self) -> Value {
        let types = self.of_definition(|d| {
            let types = d.elements.indices.iter().filter_map(|index| index.index_type.as_ref());
            types.map(|ty| ty.name.as_str().to_string()).collect::<BTreeSet<_>>()
        });
        Value::Array(types.iter().map(|ty| text(ty)).collect())
    }

    /// The table that keeps the rows of a materialised view.
    fn target(&self) -> (String, String) {
        let materialized = self.entry.view.as_ref().and_then(|view| view.materialized.as_ref());
        materialized.map(|view| view.target(&self.database)).unwrap_or_default()
    }

    fn total_bytes_uncompressed(&self) -> Value {
        if !self.entry.features().parts {
            return Value::Null;
        }
        let sizes = self.entry.id.map(|id| self.store.column_sizes(id));
        let sizes = sizes.and_then(Result::ok).unwrap_or_default();
        number(sizes.iter().map(|size| size.raw).sum())
    }

    pub(super) fn total_bytes(&self) -> Value {
        optional(self.inner.as_ref().unwrap_or(&self.entry).table.total_bytes())
    }

    fn total(&self, of: fn(&PartSummary) -> u64) -> Value {
        optional(self.entry.features().parts.then(|| self.parts.iter().map(of).sum()))
    }

    pub(super) fn rows(&self) -> Value {
        // The engine's own tables have no useful count; some have endless rows.
        let entry = self.inner.as_ref().unwrap_or(&self.entry);
        if entry.definition.is_none() {
            return Value::Null;
        }
        optional(entry.table.snapshot().ok().and_then(|s| s.row_count()))
    }
}

/// The databases of some names.
fn firsts(names: &[(String, String)]) -> Value {
    Value::Array(names.iter().map(|name| text(&name.0)).collect())
}

/// Some names without their databases.
fn seconds(names: &[(String, String)]) -> Value {
    Value::Array(names.iter().map(|name| text(&name.1)).collect())
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
    ("dependencies_database", "Array(String)", Some(|t| firsts(&t.views))),
    ("dependencies_table", "Array(String)", Some(|t| seconds(&t.views))),
    ("create_table_query", "String", Some(|t| text(&t.query()))),
    ("engine_full", "String", Some(|t| text(&t.of_definition(TableDefinition::engine_full)))),
    ("as_select", "String", Some(|t| text(&t.as_select()))),
    ("partition_key", "String", Some(|t| text(&t.of_definition(TableDefinition::partition_key)))),
    ("sorting_key", "String", Some(|t| text(&t.of_definition(TableDefinition::sorting_key)))),
    ("primary_key", "String", Some(|t| text(&t.of_definition(TableDefinition::primary_key)))),
    ("sampling_key", "String", Some(|t| text(&t.of_definition(TableDefinition::sampling_key)))),
    ("storage_policy", "String", Some(|t| text(t.storage_policy()))),
    ("total_rows", "Nullable(UInt64)", Some(TableRow::rows)),
    ("total_bytes", "Nullable(UInt64)", Some(TableRow::total_bytes)),
    ("total_bytes_uncompressed", "Nullable(UInt64)", Some(TableRow::total_bytes_uncompressed)),
    ("parts", "Nullable(UInt64)", Some(|t| t.total(|_| 1))),
    ("active_parts", "Nullable(UInt64)", Some(|t| t.total(|_| 1))),
    ("total_marks", "Nullable(UInt64)", Some(|t| t.total(|p| p.granules + 1))),
    ("lifetime_rows", "Nullable(UInt64)", Some(|_| Value::Null)),
    ("lifetime_bytes", "Nullable(UInt64)", Some(|_| Value::Null)),
    ("comment", "String", Some(|t| text(&t.comment()))),
    ("has_own_data", "UInt8", Some(|t| flag(t.entry.features().own_data))),
    ("loading_dependencies_database", "Array(String)", Some(|t| firsts(&t.needs))),
    ("loading_dependencies_table", "Array(String)", Some(|t| seconds(&t.needs))),
    ("loading_dependent_database", "Array(String)", Some(|t| firsts(&t.needed_by))),
    ("loading_dependent_table", "Array(String)", Some(|t| seconds(&t.needed_by))),
    ("parameterized_view_parameters", "", Some(TableRow::parameters)),
    ("skipping_indices_types", "Array(String)", Some(TableRow::index_types)),
    ("target_database", "String", Some(|t| text(&t.target().0))),
    ("target_table", "String", Some(|t| text(&t.target().1))),
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

    /// The width of a whole number in bits, or the number of digits of a Decimal.
    pub(super) fn precision(&self) -> Value {
        let ty = self.plain();
        match ty {
            DataType::Decimal(digits, _) => number(u64::from(*digits)),
            DataType::Bool => number(8),
            ty if ty.is_any_integer() => optional(ty.fixed_width().map(|bytes| 8 * bytes as u64)),
            _ => Value::Null,
        }
    }

    pub(super) fn radix(&self) -> Value {
        match self.plain() {
            DataType::Decimal(..) => number(10),
            _ if self.precision().is_null() => Value::Null,
            _ => number(2),
        }
    }

    pub(super) fn scale(&self) -> Value {
        match self.plain() {
            DataType::Decimal(_, scale) => number(u64::from(*scale)),
            DataType::Bool => number(0),
            ty if ty.is_any_integer() => number(0),
            _ => Value::Null,
        }
    }

    /// Digits of the fraction of a second.
    pub(super) fn datetime_precision(&self) -> Value {
        match self.plain() {
            DataType::DateTime(_) | DataType::Date | DataType::Date32 => number(0),
            DataType::DateTime64(digits, _) => number(u64::from(*digits)),
            _ => Value::Null,
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
    ("is_in_sampling_key", "UInt8", Some(|c| flag(c.is_in(Keys::sampling_columns)))),
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
    ("statistics", "String", Some(ColumnRow::statistics)),
    ("column", "String", Some(|c| text(&c.def.name))),
];

/// A database with its engine and comment.
struct DatabaseRow {
    name: Arc<str>,
    info: DatabaseInfo,
}

const DATABASES: &[ColumnOf<DatabaseRow>] = &[
    ("name", "String", Some(|d| text(&d.name))),
    ("engine", "String", Some(|d| text(&d.info.engine))),
    ("data_path", "String", None),
    ("metadata_path", "String", None),
    ("engine_full", "String", Some(|d| text(&d.info.engine))),
    ("comment", "String", Some(|d| text(&d.info.comment))),
    ("is_external", "UInt8", None),
    ("database", "String", Some(|d| text(&d.name))),
];

/// The table `system.databases`.
pub(super) fn databases(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let row = |name: Arc<str>| DatabaseRow { info: catalog.database_info(&name), name };
        Ok(catalog.database_names().into_iter().map(row).collect())
    };
    laid_out("databases", DATABASES, over(catalog, rows))
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
