//! The database `information_schema` of the SQL standard, which also exists under its name in upper
//! case. Its tables are made from the catalog. Every table and every column has a name in lower
//! case and one in upper case.

use std::sync::{Arc, Weak};

use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::{ColumnRow, TableRow, columns_of, over, tables_of};
use super::layout::{empty, laid_out};
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::engines::ENGINES;

const COLLATION: &str = "utf8mb4_0900_ai_ci";

fn text(value: &str) -> Value {
    Value::from(value)
}

const SCHEMATA: &[ColumnOf<Arc<str>>] = &[
    ("catalog_name", "String", Some(|d| text(d))),
    ("schema_name", "String", Some(|d| text(d))),
    ("schema_owner", "String", Some(|_| text("default"))),
    ("default_collation_name", "String", Some(|_| text(COLLATION))),
    ("default_encryption", "String", Some(|_| text("NO"))),
];

/// The type of a table in the words of the standard.
fn table_type(t: &TableRow) -> &'static str {
    let engine = t.entry.table.engine();
    match engine {
        _ if engine.ends_with("View") => "VIEW",
        _ if engine.starts_with("System") => "SYSTEM VIEW",
        _ if t.entry.definition.is_none() => "FOREIGN TABLE",
        _ => "BASE TABLE",
    }
}

const TABLES: &[ColumnOf<TableRow>] = &[
    ("table_catalog", "String", Some(|t| text(&t.database))),
    ("table_schema", "String", Some(|t| text(&t.database))),
    ("table_name", "String", Some(|t| text(&t.name))),
    ("table_type", "String", Some(|t| text(table_type(t)))),
    ("table_rows", "Nullable(UInt64)", Some(TableRow::rows)),
    ("data_length", "Nullable(UInt64)", Some(TableRow::total_bytes)),
    ("index_length", "Nullable(UInt64)", Some(|_| Value::UInt(0))),
    ("table_collation", "Nullable(String)", Some(|_| text(COLLATION))),
    ("table_comment", "Nullable(String)", Some(|t| text(&t.comment()))),
    (
        "engine",
        "Nullable(String)",
        Some(|t| match table_type(t) {
            "VIEW" | "SYSTEM VIEW" => Value::Null,
            _ => text(t.entry.table.engine()),
        }),
    ),
];

const VIEWS: &[ColumnOf<TableRow>] = &[
    ("table_catalog", "String", Some(|t| text(&t.database))),
    ("table_schema", "String", Some(|t| text(&t.database))),
    ("table_name", "String", Some(|t| text(&t.name))),
    ("view_definition", "String", Some(|t| text(&t.as_select()))),
    ("check_option", "String", Some(|_| text("NONE"))),
];

fn column_extra(c: &ColumnRow) -> &'static str {
    match c.default_kind() {
        "DEFAULT" => "DEFAULT_GENERATED",
        "MATERIALIZED" => "STORED GENERATED",
        "ALIAS" => "VIRTUAL GENERATED",
        _ => "",
    }
}

const COLUMNS: &[ColumnOf<ColumnRow>] = &[
    ("table_catalog", "String", Some(|c| text(&c.table.database))),
    ("table_schema", "String", Some(|c| text(&c.table.database))),
    ("table_name", "String", Some(|c| text(&c.table.name))),
    ("column_name", "String", Some(|c| text(&c.def.name))),
    ("ordinal_position", "UInt64", Some(|c| Value::UInt(c.position as u64 + 1))),
    ("column_default", "String", Some(|c| text(c.default_expression()))),
    ("is_nullable", "String", Some(|c| text(if c.def.ty.is_nullable() { "1" } else { "0" }))),
    ("data_type", "String", Some(|c| text(&c.def.ty.to_string()))),
    ("character_maximum_length", "Nullable(UInt64)", Some(ColumnRow::octets)),
    ("character_octet_length", "Nullable(UInt64)", Some(ColumnRow::octets)),
    ("numeric_precision", "Nullable(UInt64)", Some(ColumnRow::precision)),
    ("numeric_precision_radix", "Nullable(UInt64)", Some(ColumnRow::radix)),
    ("numeric_scale", "Nullable(UInt64)", Some(ColumnRow::scale)),
    ("datetime_precision", "Nullable(UInt64)", Some(ColumnRow::datetime_precision)),
    ("extra", "Nullable(String)", Some(|c| text(column_extra(c)))),
    ("column_comment", "String", Some(|c| text(&c.def.comment))),
    ("column_type", "String", Some(|c| text(&c.def.ty.to_string()))),
    ("column_key", "String", Some(|c| text(if c.is_in_primary_key() { "PRI" } else { "" }))),
    (
        "generation_expression",
        "String",
        Some(|c| match c.default_kind() {
            "MATERIALIZED" | "ALIAS" => text(c.default_expression()),
            _ => text(""),
        }),
    ),
];

const KEYS: &[ColumnOf<ColumnRow>] = &[
    ("constraint_catalog", "String", Some(|_| text("def"))),
    ("constraint_schema", "String", Some(|c| text(&c.table.database))),
    ("constraint_name", "Nullable(String)", Some(|_| text("PRIMARY"))),
    ("table_catalog", "String", Some(|_| text("def"))),
    ("table_schema", "String", Some(|c| text(&c.table.database))),
    ("table_name", "String", Some(|c| text(&c.table.name))),
    ("column_name", "Nullable(String)", Some(|c| text(&c.def.name))),
    ("ordinal_position", "UInt32", Some(|_| Value::UInt(1))),
];

/// Name of a table engine. `support` says whether it is the default of CREATE TABLE.
const ENGINE_COLUMNS: &[ColumnOf<&'static str>] = &[
    ("engine", "String", Some(|name| text(name))),
    ("support", "String", Some(|name| text(if *name == "MergeTree" { "DEFAULT" } else { "YES" }))),
];

/// A collation: its name, its character set, its number, and the length of its sort keys.
type Collation = (&'static str, &'static str, u64, u64);

const COLLATIONS: &[ColumnOf<Collation>] = &[
    ("collation_name", "String", Some(|c| text(c.0))),
    ("character_set_name", "Nullable(String)", Some(|c| text(c.1))),
    ("id", "Nullable(UInt64)", Some(|c| Value::UInt(c.2))),
    ("is_default", "Nullable(String)", Some(|_| text("Yes"))),
    ("is_compiled", "Nullable(String)", Some(|_| text("Yes"))),
    ("sortlen", "Nullable(UInt64)", Some(|c| Value::UInt(c.3))),
    ("pad_attribute", "Nullable(String)", Some(|_| text("NO PAD"))),
];

const CHARACTER_SETS: &[ColumnOf<&'static str>] =
    &[("character_set_name", "String", Some(|name| text(name)))];

fn engine_names() -> Vec<&'static str> {
    ENGINES.iter().map(|engine| engine.name).collect()
}

/// The tables of `information_schema`, each under both of its names.
pub(crate) fn tables(catalog: &Weak<EngineCatalog>) -> Vec<(String, Arc<dyn Table>)> {
    let views = |catalog: &EngineCatalog| {
        let mut tables = tables_of(catalog)?;
        tables.retain(|t| t.entry.table.engine().ends_with("View"));
        Ok(tables)
    };
    let keys = |catalog: &EngineCatalog| {
        let mut columns = columns_of(catalog)?;
        columns.retain(ColumnRow::is_in_primary_key);
        Ok(columns)
    };
    let sets = || Ok(vec!["utf8", "utf8mb4", "ascii", "binary"]);
    let collations = || Ok(vec![(COLLATION, "utf8mb4", 255, 0), ("binary", "binary", 63, 1)]);
    let name = |table: &str| format!("information_schema.{table}");
    let list = [
        ("character_sets", laid_out(&name("character_sets"), CHARACTER_SETS, sets)),
        ("collations", laid_out(&name("collations"), COLLATIONS, collations)),
        ("columns", laid_out(&name("columns"), COLUMNS, over(catalog, columns_of))),
        ("engines", laid_out(&name("engines"), ENGINE_COLUMNS, || Ok(engine_names()))),
        ("key_column_usage", laid_out(&name("key_column_usage"), KEYS, over(catalog, keys))),
        ("referential_constraints", empty(&name("referential_constraints"))),
        (
            "schemata",
            laid_out(&name("schemata"), SCHEMATA, over(catalog, |c| Ok(c.database_names()))),
        ),
        ("statistics", empty(&name("statistics"))),
        ("tables", laid_out(&name("tables"), TABLES, over(catalog, tables_of))),
        ("views", laid_out(&name("views"), VIEWS, over(catalog, views))),
    ];
    let mut out = Vec::with_capacity(2 * list.len());
    for (name, table) in list {
        out.push((name.to_uppercase(), Arc::clone(&table)));
        out.push((name.to_string(), table));
    }
    out
}
