//! `system.statistics`, and what other tables show of the statistics of columns.

use std::sync::{Arc, OnceLock, Weak};

use entasis_base::Result;
use entasis_sql::ast;
use entasis_table_api::{ColumnStatistics, CommonValue, Histogram, Snapshot, Table};
use entasis_types::text::write_value;
use entasis_types::{DataType, TimeZone, Value};

use super::catalog::{ColumnRow, TableRow, over, tables_of};
use super::system_table::{ColumnOf, SystemTable};
use crate::catalog::EngineCatalog;

/// The types of statistics that a column may have, in the order in which they are shown: the name
/// in a definition, the name in `system.columns` and that in `system.parts_columns`.
const KINDS: [(&str, &str, &str); 5] = [
    ("tdigest", "TDigest", "TDigest"),
    ("uniq", "Uniq", "Uniq"),
    ("minmax", "minmax", "MinMax"),
    ("basic", "basic", "Basic"),
    ("uniq_v2", "uniq_v2", "UniqV2"),
];
/// The types that a column has without being declared.
const AUTOMATIC: [&str; 2] = ["basic", "uniq_v2"];

fn text(value: &str) -> Value {
    Value::from(value)
}

fn optional(value: Option<u64>) -> Value {
    value.map_or(Value::Null, Value::UInt)
}

fn written(value: &Value, ty: &DataType) -> Value {
    let mut out = Vec::new();
    write_value(&mut out, ty, value, TimeZone::utc());
    Value::string(&out)
}

/// Whether the number of distinct values of a type is estimated without being declared.
fn has_distinct(ty: &DataType) -> bool {
    let plain = ty.without_low_cardinality();
    let plain = plain.without_nullable();
    let is_number = plain.is_any_number() || plain.is_decimal() || plain.is_date_or_time();
    is_number
        || plain.is_string()
        || matches!(plain, DataType::Bool | DataType::Enum(_) | DataType::Ipv4)
}

impl ColumnRow {
    /// The declared types of statistics.
    fn declared(&self) -> Vec<ast::Function> {
        let named = |column: &&ast::ColumnDef| column.name.as_str() == &*self.def.name;
        self.table.of_definition(|definition| {
            let found = definition.elements.columns.iter().find(named);
            found.and_then(|column| column.statistics.clone()).unwrap_or_default()
        })
    }

    /// For each type of statistics that the column has, its place in the list and whether it is
    /// declared.
    fn kinds(&self) -> Vec<(usize, bool)> {
        let declared = self.declared();
        let is_declared =
            |name: &str| declared.iter().any(|kind| kind.name.eq_ignore_ascii_case(name));
        let is_automatic = |name: &str| {
            let fits = name != "uniq_v2" || has_distinct(&self.def.ty);
            let is_stored = !matches!(self.default_kind(), "ALIAS" | "EPHEMERAL");
            AUTOMATIC.contains(&name) && fits && is_stored && self.table.entry.features().parts
        };
        let kind = |(place, (name, ..)): (usize, &(&str, &str, &str))| {
            let known = is_declared(name);
            (known || is_automatic(name)).then_some((place, known))
        };
        KINDS.iter().enumerate().filter_map(kind).collect()
    }

    /// The types of statistics, for `system.columns`.
    pub(super) fn statistics(&self) -> Value {
        let shown = |(place, is_declared): (usize, bool)| {
            format!("{}{}", KINDS[place].1, if is_declared { "" } else { "(auto)" })
        };
        text(&self.kinds().into_iter().map(shown).collect::<Vec<_>>().join(","))
    }

    /// The types of statistics, for `system.parts_columns`.
    pub(super) fn statistics_of_part(&self) -> Value {
        let shown = |(place, _): (usize, bool)| text(KINDS[place].2);
        Value::Array(self.kinds().into_iter().map(shown).collect())
    }

    /// The estimated number of distinct values, for `system.parts_columns`; NULL for types of which
    /// the reference has none.
    pub(super) fn cardinality(&self, distinct: u64) -> Value {
        optional(has_distinct(&self.def.ty).then_some(distinct))
    }

    /// A bound as the reference shows it: the number behind a date or an enum, in quotes if it does
    /// not fit into 64 bits or has digits behind the point. NULL for types without bounds there.
    pub(super) fn bound(&self, value: &Value) -> Value {
        let plain = self.def.ty.without_low_cardinality();
        let ty = plain.without_nullable();
        let quoted = |ty: &DataType| {
            let mut out = vec![b'\''];
            write_value(&mut out, ty, value, TimeZone::utc());
            out.push(b'\'');
            Value::string(&out)
        };
        match (ty, value) {
            (DataType::Uuid | DataType::Ipv6, _) => Value::Null,
            (DataType::Decimal(..) | DataType::Ipv4, _) => quoted(ty),
            (DataType::DateTime64(scale, _), _) => quoted(&DataType::Decimal(18, *scale)),
            (ty, _) if ty.is_wide_integer() => quoted(ty),
            (_, Value::UInt(number)) => text(&number.to_string()),
            (_, Value::Int(number)) => text(&number.to_string()),
            (_, Value::Float(number)) => {
                let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
                text(&format!("{number}{}", if is_whole { "." } else { "" }))
            }
            _ => Value::Null,
        }
    }
}

/// A stored column of a table, with its statistics as soon as they are asked for.
struct Row {
    table: Arc<TableRow>,
    snapshot: Arc<dyn Snapshot>,
    /// The position in the schema.
    position: usize,
    name: Arc<str>,
    ty: DataType,
    known: OnceLock<Option<Arc<ColumnStatistics>>>,
}

impl Row {
    fn known(&self) -> Option<&ColumnStatistics> {
        self.known.get_or_init(|| self.snapshot.column_statistics(self.position)).as_deref()
    }

    fn number(&self, of: impl Fn(&ColumnStatistics) -> Option<u64>) -> Value {
        optional(self.known().and_then(of))
    }

    fn value(&self, of: impl Fn(&ColumnStatistics) -> Option<&Value>) -> Value {
        let found = self.known().and_then(of);
        found.map_or(Value::Null, |value| written(value, self.ty.without_nullable()))
    }

    fn common<T>(&self, of: impl Fn(&Self, &CommonValue) -> T) -> Vec<T> {
        let known = self.known().map_or(&[][..], |known| &known.common[..]);
        known.iter().map(|one| of(self, one)).collect()
    }

    fn histogram<T>(&self, of: impl Fn(&Self, &Histogram) -> Vec<T>) -> Vec<T> {
        let histogram = self.known().and_then(|known| known.histogram.as_ref());
        histogram.map(|histogram| of(self, histogram)).unwrap_or_default()
    }
}

const STATISTICS: &[ColumnOf<Row>] = &[
    ("database", "String", Some(|row| text(&row.table.database))),
    ("table", "String", Some(|row| text(&row.table.name))),
    ("column", "String", Some(|row| text(&row.name))),
    ("type", "String", Some(|row| text(&row.ty.to_string()))),
    ("rows", "Nullable(UInt64)", Some(|row| row.number(|known| Some(known.rows)))),
    ("nulls", "Nullable(UInt64)", Some(|row| row.number(|known| Some(known.nulls)))),
    ("distinct", "Nullable(UInt64)", Some(|row| row.number(|known| known.distinct))),
    ("min", "Nullable(String)", Some(|row| row.value(|known| known.min.as_ref()))),
    ("max", "Nullable(String)", Some(|row| row.value(|known| known.max.as_ref()))),
    (
        "average_width",
        "Nullable(Float64)",
        Some(|row| {
            let width = row.known().and_then(|known| known.average_width);
            width.map_or(Value::Null, Value::Float)
        }),
    ),
    ("sampled", "Nullable(UInt64)", Some(|row| row.number(|known| Some(known.sampled)))),
    (
        "common_values",
        "Array(String)",
        Some(|row| {
            let value =
                |row: &Row, one: &CommonValue| written(&one.value, row.ty.without_nullable());
            Value::Array(row.common(value).into())
        }),
    ),
    (
        "common_shares",
        "Array(Float64)",
        Some(|row| Value::Array(row.common(|_, one| Value::Float(one.share)).into())),
    ),
    (
        "histogram_bounds",
        "Array(String)",
        Some(|row| {
            let bounds = |row: &Row, histogram: &Histogram| {
                let ty = row.ty.without_nullable();
                histogram.bounds.iter().map(|bound| written(bound, ty)).collect()
            };
            Value::Array(row.histogram(bounds).into())
        }),
    ),
    (
        "histogram_below",
        "Array(Float64)",
        Some(|row| {
            let below = |_: &Row, histogram: &Histogram| {
                histogram.below.iter().map(|share| Value::Float(*share)).collect()
            };
            Value::Array(row.histogram(below).into())
        }),
    ),
];

/// The table `system.statistics`, which the reference does not have.
pub(super) fn statistics(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    SystemTable::create("SystemStatistics", STATISTICS, over(catalog, rows_of))
}

fn rows_of(catalog: &EngineCatalog) -> Result<Vec<Row>> {
    let mut out = Vec::new();
    for table in tables_of(catalog)? {
        let of_engine = table.entry.table.engine();
        // Other tables would have to be read.
        if !table.entry.features().parts && of_engine != "Memory" {
            continue;
        }
        let Ok(snapshot) = table.entry.table.snapshot() else { continue };
        let (schema, table) = (table.entry.table.schema(), Arc::new(table));
        for (position, def) in schema.stored().iter().enumerate() {
            out.push(Row {
                table: Arc::clone(&table),
                snapshot: Arc::clone(&snapshot),
                position,
                name: Arc::clone(&def.name),
                ty: def.ty.clone(),
                known: OnceLock::new(),
            });
        }
    }
    Ok(out)
}
