//! `system.parts` and `system.parts_columns`: the parts of tables, and their columns.

use std::sync::{Arc, OnceLock, Weak};

use entasis_base::Result;
use entasis_mergetree::{
    ColumnSize, Companion, CompanionKind, Expiry, PartFigures, PartSummary, Span, Spans, Store,
};
use entasis_table_api::Table;
use entasis_types::{DataType, Value};

use super::catalog::{ColumnRow, TableRow, columns_of, over, tables_of};
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;

fn text(value: &str) -> Value {
    Value::from(value)
}

fn number(value: u64) -> Value {
    Value::UInt(value)
}

fn flag(value: bool) -> Value {
    Value::UInt(u64::from(value))
}

/// A part of a table.
pub(super) struct PartRow {
    table: Arc<TableRow>,
    pub(super) part: PartSummary,
    store: Arc<Store>,
    /// Its sizes and bounds, which are found out when a column shows them.
    figures: OnceLock<PartFigures>,
    /// The rules of the table's TTL, and when they concern the part. They are found out when a
    /// column shows them, because the part may have to be read.
    ttl: OnceLock<Option<(Arc<Expiry>, Arc<Spans>)>>,
}

impl PartRow {
    pub(super) fn new(catalog: &EngineCatalog, table: &Arc<TableRow>, part: PartSummary) -> Self {
        let (store, figures) = (Arc::clone(catalog.store()), OnceLock::new());
        Self { table: Arc::clone(table), part, store, figures, ttl: OnceLock::new() }
    }

    /// Its sizes and bounds; all are 0 for a part that cannot be read.
    pub(super) fn figures(&self) -> &PartFigures {
        let find = || self.store.figures_of(self.table.entry.id?, &self.part.file);
        self.figures.get_or_init(|| find().unwrap_or_default())
    }

    fn data_version(&self) -> u64 {
        self.part.min_block.max(self.part.mutation)
    }

    /// The place of its first file, relative to the folder of the tables.
    fn path(&self) -> Value {
        let id = self.table.entry.id.map(|id| id.0).unwrap_or_default();
        text(&format!("tables/{id}/{}", self.part.file))
    }

    /// A hash of what its files hold.
    pub(super) fn hash(&self) -> Value {
        text(&self.figures().hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// What the only column of a kind spans that the partition key reads; `None` if there are none
    /// or several.
    fn spans(&self, is_wanted: fn(&DataType) -> bool) -> Option<(u64, u64)> {
        let schema = self.table.entry.table.schema();
        let positions = self.table.of_definition(|d| d.keys.partition_columns());
        let mut wanted = positions.iter().filter(|at| is_wanted(&schema.columns[**at].ty));
        let (Some(only), None) = (wanted.next(), wanted.next()) else { return None };
        let unit = match schema.columns[*only].ty {
            DataType::DateTime64(scale, _) => 10i64.pow(u32::from(scale)),
            _ => 1,
        };
        let bounds = self.figures().bounds.iter().find(|(position, ..)| position == only);
        let (_, min, max) = bounds?;
        let whole = |value: &Value| {
            u64::try_from(value.as_i64().unwrap_or_default().div_euclid(unit)).unwrap_or_default()
        };
        Some((whole(min), whole(max)))
    }

    /// The first and the last day of its rows, if the partition key reads a single Date.
    pub(super) fn dates(&self) -> (u64, u64) {
        self.spans(|ty| *ty == DataType::Date).unwrap_or_default()
    }

    /// The first and the last second of its rows, if the partition key reads a single time and no
    /// Date.
    pub(super) fn times(&self) -> (u64, u64) {
        let schema = self.table.entry.table.schema();
        let positions = self.table.of_definition(|d| d.keys.partition_columns());
        if positions.iter().any(|at| schema.columns[*at].ty == DataType::Date) {
            return (0, 0);
        }
        let is_time =
            |ty: &DataType| matches!(ty, DataType::DateTime(_) | DataType::DateTime64(..));
        let (first, last) = self.spans(is_time).unwrap_or_default();
        (first.min(u64::from(u32::MAX)), last.min(u64::from(u32::MAX)))
    }

    /// The codecs of columns without a CODEC.
    fn codec(&self) -> Value {
        let id = self.table.entry.id;
        let codec = id.and_then(|id| self.store.codec_of(id, &self.part.file));
        text(codec.as_deref().unwrap_or("LZ4"))
    }

    fn ttl(&self) -> Option<&(Arc<Expiry>, Arc<Spans>)> {
        let find = || self.store.ttl_of(self.table.entry.id?, &self.part.file);
        self.ttl.get_or_init(find).as_ref()
    }

    /// When the rows of the part are dropped, by the rule without WHERE.
    fn dropped(&self) -> Span {
        let Some((expiry, spans)) = self.ttl() else { return Span::default() };
        let place = expiry.rows.iter().position(|rule| rule.condition.is_none());
        place.map(|place| spans.rows[place]).unwrap_or_default()
    }

    /// Texts and spans of the rules of one kind, by text.
    fn rules(&self, kind: RuleKind) -> Vec<(&str, Span)> {
        let Some((expiry, spans)) = self.ttl() else { return Vec::new() };
        let mut rules: Vec<(&str, Span)> = match kind {
            RuleKind::DropWhere => {
                let rules = expiry.rows.iter().zip(&spans.rows);
                let rules = rules.filter(|(rule, _)| rule.condition.is_some());
                rules.map(|(rule, span)| (&*rule.text, *span)).collect()
            }
            RuleKind::Group => {
                let rules = expiry.groups.iter().zip(&spans.groups);
                rules.map(|(rule, span)| (&*rule.text, *span)).collect()
            }
            RuleKind::Recompress => {
                let rules = expiry.recompressions.iter().zip(&spans.recompressions);
                rules.map(|(rule, span)| (&*rule.text, *span)).collect()
            }
            RuleKind::Move => {
                let rules = expiry.moves.iter().zip(&spans.moves);
                rules.map(|(rule, span)| (&*rule.text, *span)).collect()
            }
        };
        rules.sort_by_key(|(text, _)| *text);
        rules
    }

    fn texts(&self, kind: RuleKind) -> Value {
        Value::Array(self.rules(kind).into_iter().map(|(rule, _)| text(rule)).collect())
    }

    fn firsts(&self, kind: RuleKind) -> Value {
        let first = |(_, span): (&str, Span)| moment(span.first);
        Value::Array(self.rules(kind).into_iter().map(first).collect())
    }

    fn lasts(&self, kind: RuleKind) -> Value {
        let last = |(_, span): (&str, Span)| moment(span.last);
        Value::Array(self.rules(kind).into_iter().map(last).collect())
    }
}

/// A kind of rules of the TTL.
#[derive(Clone, Copy)]
enum RuleKind {
    DropWhere,
    Group,
    Recompress,
    Move,
}

/// A time as a DateTime, which ends in 2106.
fn moment(seconds: u64) -> Value {
    number(seconds.min(u64::from(u32::MAX)))
}

impl PartRow {
    /// Whether its bytes are in a file or in the commit log.
    fn kind(&self) -> Value {
        text(if self.part.is_in_memory() { "InMemory" } else { "Segment" })
    }
}

fn parts_of(catalog: &EngineCatalog) -> Result<Vec<PartRow>> {
    let mut out = Vec::new();
    for mut table in tables_of(catalog)? {
        let parts = std::mem::take(&mut table.parts);
        let table = Arc::new(table);
        out.extend(parts.into_iter().map(|part| PartRow::new(catalog, &table, part)));
    }
    Ok(out)
}

const PARTS: &[ColumnOf<PartRow>] = &[
    ("partition", "String", Some(|p| p.partition())),
    ("name", "String", Some(|p| text(&p.part.name()))),
    ("part_type", "String", Some(|p| p.kind())),
    ("part_storage_type", "String", Some(|_| text("Full"))),
    ("active", "UInt8", Some(|_| flag(true))),
    // As in the reference, the mark at the end of the last granule counts, too.
    ("marks", "UInt64", Some(|p| number(p.part.granules + 1))),
    ("rows", "UInt64", Some(|p| number(p.part.shown_rows()))),
    ("files", "UInt64", Some(|p| number(p.part.files().count() as u64))),
    ("bytes_on_disk", "UInt64", Some(|p| number(p.part.total_bytes()))),
    ("data_compressed_bytes", "UInt64", Some(|p| number(p.figures().stored()))),
    ("data_uncompressed_bytes", "UInt64", Some(|p| number(p.figures().raw()))),
    ("primary_key_size", "UInt64", Some(|p| number(p.figures().primary_key))),
    ("marks_bytes", "UInt64", Some(|p| number(p.figures().footers))),
    ("secondary_indices_compressed_bytes", "UInt64", Some(|p| number(p.figures().indices.stored))),
    ("secondary_indices_uncompressed_bytes", "UInt64", Some(|p| number(p.figures().indices.raw))),
    ("secondary_indices_marks_bytes", "UInt64", Some(|p| number(p.figures().indices.footers))),
    ("modification_time", "DateTime", Some(|p| number(p.part.created))),
    ("remove_time", "DateTime", None),
    ("min_date", "Date", Some(|p| number(p.dates().0))),
    ("max_date", "Date", Some(|p| number(p.dates().1))),
    ("min_time", "DateTime", Some(|p| number(p.times().0))),
    ("max_time", "DateTime", Some(|p| number(p.times().1))),
    ("partition_id", "String", Some(|p| text(&p.part.partition))),
    ("min_block_number", "Int64", Some(|p| Value::Int(p.part.min_block as i64))),
    ("max_block_number", "Int64", Some(|p| Value::Int(p.part.max_block as i64))),
    ("level", "UInt32", Some(|p| number(u64::from(p.part.level)))),
    ("data_version", "UInt64", Some(|p| number(p.data_version()))),
    ("primary_key_bytes_in_memory", "UInt64", Some(|p| number(p.figures().primary_key))),
    ("primary_key_bytes_in_memory_allocated", "UInt64", Some(|p| number(p.figures().primary_key))),
    ("index_granularity_bytes_in_memory", "UInt64", Some(|p| number(4 * p.part.granules))),
    (
        "index_granularity_bytes_in_memory_allocated",
        "UInt64",
        Some(|p| number(4 * p.part.granules)),
    ),
    ("is_frozen", "UInt8", None),
    ("database", "String", Some(|p| text(&p.table.database))),
    ("table", "String", Some(|p| text(&p.table.name))),
    ("engine", "String", Some(|p| text(p.table.entry.table.engine()))),
    ("disk_name", "String", Some(|_| text("default"))),
    ("path", "String", Some(PartRow::path)),
    ("hash_of_all_files", "String", Some(PartRow::hash)),
    ("hash_of_uncompressed_files", "String", Some(PartRow::hash)),
    ("uncompressed_hash_of_compressed_files", "String", Some(PartRow::hash)),
    ("creation_tid", "", Some(|_| transaction(1))),
    ("removal_tid", "", Some(|_| transaction(0))),
    ("creation_csn", "UInt64", Some(|_| number(1))),
    ("removal_state", "String", Some(|_| text("Cleanup thread hasn't seen this part yet"))),
    ("visible", "UInt8", Some(|_| flag(true))),
    ("delete_ttl_info_min", "DateTime", Some(|p| moment(p.dropped().first))),
    ("delete_ttl_info_max", "DateTime", Some(|p| moment(p.dropped().last))),
    ("move_ttl_info.expression", "Array(String)", Some(|p| p.texts(RuleKind::Move))),
    ("move_ttl_info.min", "Array(DateTime)", Some(|p| p.firsts(RuleKind::Move))),
    ("move_ttl_info.max", "Array(DateTime)", Some(|p| p.lasts(RuleKind::Move))),
    ("default_compression_codec", "String", Some(PartRow::codec)),
    ("recompression_ttl_info.expression", "Array(String)", Some(|p| p.texts(RuleKind::Recompress))),
    ("recompression_ttl_info.min", "Array(DateTime)", Some(|p| p.firsts(RuleKind::Recompress))),
    ("recompression_ttl_info.max", "Array(DateTime)", Some(|p| p.lasts(RuleKind::Recompress))),
    ("group_by_ttl_info.expression", "Array(String)", Some(|p| p.texts(RuleKind::Group))),
    ("group_by_ttl_info.min", "Array(DateTime)", Some(|p| p.firsts(RuleKind::Group))),
    ("group_by_ttl_info.max", "Array(DateTime)", Some(|p| p.lasts(RuleKind::Group))),
    ("rows_where_ttl_info.expression", "Array(String)", Some(|p| p.texts(RuleKind::DropWhere))),
    ("rows_where_ttl_info.min", "Array(DateTime)", Some(|p| p.firsts(RuleKind::DropWhere))),
    ("rows_where_ttl_info.max", "Array(DateTime)", Some(|p| p.lasts(RuleKind::DropWhere))),
    ("refcount", "UInt32", Some(|_| number(1))),
    ("has_lightweight_delete", "UInt8", Some(|p| flag(p.part.has_lightweight_delete()))),
    ("bytes", "UInt64", Some(|p| number(p.part.total_bytes()))),
    ("part_name", "String", Some(|p| text(&p.part.name()))),
    ("projections", "Array(String)", Some(PartRow::projections)),
];

/// The id of a transaction: 1 for a statement outside of any, and 0 for none.
fn transaction(number: u64) -> Value {
    let nil = Value::string(&[0; 16]);
    Value::Tuple(vec![Value::UInt(number), Value::UInt(number), nil].into())
}

impl PartRow {
    fn projections(&self) -> Value {
        let is_projection = |c: &&Companion| c.kind == CompanionKind::Projection;
        let names = self.part.companions.iter().filter(is_projection).map(|c| &*c.name);
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        Value::Array(names.into_iter().map(text).collect())
    }

    pub(super) fn partition(&self) -> Value {
        match &*self.part.partition_value {
            "" => text("tuple()"),
            value => text(value),
        }
    }
}

/// The table `system.parts`.
pub(super) fn parts(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("parts", PARTS, over(catalog, parts_of))
}

const DETACHED_PARTS: &[ColumnOf<PartRow>] = &[
    ("database", "String", Some(|p| text(&p.table.database))),
    ("table", "String", Some(|p| text(&p.table.name))),
    ("partition_id", "Nullable(String)", Some(|p| text(&p.part.partition))),
    ("name", "String", Some(|p| text(&p.part.name()))),
    ("bytes_on_disk", "UInt64", Some(|p| number(p.part.total_bytes()))),
    ("modification_time", "DateTime", Some(|p| number(p.part.created))),
    ("disk", "String", Some(|_| text("default"))),
    ("path", "String", Some(PartRow::path)),
    ("reason", "Nullable(String)", Some(|_| text(""))),
    ("min_block_number", "Nullable(Int64)", Some(|p| Value::Int(p.part.min_block as i64))),
    ("max_block_number", "Nullable(Int64)", Some(|p| Value::Int(p.part.max_block as i64))),
    ("level", "Nullable(UInt32)", Some(|p| number(u64::from(p.part.level)))),
];

/// The table `system.detached_parts`.
pub(super) fn detached_parts(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let mut out = Vec::new();
        for table in tables_of(catalog)? {
            let Some(id) = table.entry.id else { continue };
            let (table, parts) = (Arc::new(table), catalog.store().detached_parts(id));
            out.extend(parts.into_iter().map(|part| PartRow::new(catalog, &table, part)));
        }
        Ok(out)
    };
    laid_out("detached_parts", DETACHED_PARTS, over(catalog, rows))
}

/// A column of a part.
struct PartColumn {
    part: Arc<PartRow>,
    /// The position of the column in the table's schema.
    position: usize,
    column: Arc<ColumnRow>,
}

impl PartColumn {
    fn size(&self) -> ColumnSize {
        self.part.figures().columns.get(self.position).copied().unwrap_or_default()
    }

    /// A bound of the values, as the reference shows it; NULL if it is not known.
    fn bound(&self, of: fn(&(Value, Value)) -> &Value) -> Value {
        let range = self.part.figures().ranges.get(self.position);
        let range = range.and_then(Option::as_ref);
        range.map_or(Value::Null, |range| self.column.bound(of(range)))
    }

    /// When values of the column expire.
    fn expires(&self, of: fn(Span) -> u64) -> Value {
        let spans = self.part.ttl().map(|(_, spans)| spans);
        let span = spans.and_then(|spans| *spans.columns.get(self.position)?);
        span.map_or(Value::Null, |span| moment(of(span)))
    }
}

const PARTS_COLUMNS: &[ColumnOf<PartColumn>] = &[
    ("partition", "String", Some(|c| c.part.partition())),
    ("name", "String", Some(|c| text(&c.part.part.name()))),
    ("part_type", "String", Some(|c| c.part.kind())),
    ("active", "UInt8", Some(|_| flag(true))),
    ("marks", "UInt64", Some(|c| number(c.part.part.granules + 1))),
    ("rows", "UInt64", Some(|c| number(c.part.part.shown_rows()))),
    ("bytes_on_disk", "UInt64", Some(|c| number(c.part.part.total_bytes()))),
    ("data_compressed_bytes", "UInt64", Some(|c| number(c.part.figures().stored()))),
    ("data_uncompressed_bytes", "UInt64", Some(|c| number(c.part.figures().raw()))),
    ("marks_bytes", "UInt64", Some(|c| number(c.part.figures().footers))),
    ("modification_time", "DateTime", Some(|c| number(c.part.part.created))),
    // As in the reference, the end of time and not its beginning as in `system.parts`.
    ("remove_time", "DateTime", Some(|_| moment(u64::MAX))),
    ("min_date", "Date", Some(|c| number(c.part.dates().0))),
    ("max_date", "Date", Some(|c| number(c.part.dates().1))),
    ("min_time", "DateTime", Some(|c| number(c.part.times().0))),
    ("max_time", "DateTime", Some(|c| number(c.part.times().1))),
    ("primary_key_bytes_in_memory", "UInt64", Some(|c| number(c.part.figures().primary_key))),
    (
        "primary_key_bytes_in_memory_allocated",
        "UInt64",
        Some(|c| number(c.part.figures().primary_key)),
    ),
    ("column_bytes_on_disk", "UInt64", Some(|c| number(c.size().stored))),
    ("column_data_compressed_bytes", "UInt64", Some(|c| number(c.size().stored))),
    ("column_data_uncompressed_bytes", "UInt64", Some(|c| number(c.size().raw))),
    ("refcount", "UInt32", Some(|_| number(1))),
    ("partition_id", "String", Some(|c| text(&c.part.part.partition))),
    ("min_block_number", "Int64", Some(|c| Value::Int(c.part.part.min_block as i64))),
    ("max_block_number", "Int64", Some(|c| Value::Int(c.part.part.max_block as i64))),
    ("level", "UInt32", Some(|c| number(u64::from(c.part.part.level)))),
    ("data_version", "UInt64", Some(|c| number(c.part.data_version()))),
    ("database", "String", Some(|c| text(&c.part.table.database))),
    ("table", "String", Some(|c| text(&c.part.table.name))),
    ("engine", "String", Some(|c| text(c.part.table.entry.table.engine()))),
    ("disk_name", "String", Some(|_| text("default"))),
    ("path", "String", Some(|c| c.part.path())),
    ("column", "String", Some(|c| text(&c.column.def.name))),
    ("type", "String", Some(|c| text(&c.column.def.ty.to_string()))),
    ("column_position", "UInt64", Some(|c| number(c.column.position as u64 + 1))),
    ("default_kind", "String", Some(|c| text(c.column.default_kind()))),
    ("default_expression", "String", Some(|c| text(c.column.default_expression()))),
    ("column_modification_time", "Nullable(DateTime)", Some(|c| number(c.part.part.created))),
    ("column_ttl_min", "Nullable(DateTime)", Some(|c| c.expires(|span| span.first))),
    ("column_ttl_max", "Nullable(DateTime)", Some(|c| c.expires(|span| span.last))),
    ("statistics", "Array(String)", Some(|c| c.column.statistics_of_part())),
    ("estimates.min", "Nullable(String)", Some(|c| c.bound(|(min, _)| min))),
    ("estimates.max", "Nullable(String)", Some(|c| c.bound(|(_, max)| max))),
    (
        "estimates.cardinality",
        "Nullable(UInt64)",
        Some(|c| c.column.cardinality(c.size().distinct)),
    ),
    (
        "estimates.null_count",
        "Nullable(UInt64)",
        Some(|c| match c.column.def.ty.without_low_cardinality().is_nullable() {
            true => number(c.size().nulls),
            false => Value::Null,
        }),
    ),
    ("estimates.default_count", "Nullable(UInt64)", Some(|c| number(c.size().defaults))),
    ("serialization_kind", "String", Some(|_| text("Default"))),
    ("substreams", "Array(String)", Some(|c| Value::Array(vec![text(&c.column.def.name)].into()))),
    ("filenames", "Array(String)", Some(|c| Value::Array(vec![text(&c.part.part.file)].into()))),
    ("bytes", "UInt64", Some(|c| number(c.part.part.total_bytes()))),
    ("part_name", "String", Some(|c| text(&c.part.part.name()))),
];

fn parts_columns_of(catalog: &EngineCatalog) -> Result<Vec<PartColumn>> {
    let columns: Vec<Arc<ColumnRow>> = columns_of(catalog)?.into_iter().map(Arc::new).collect();
    let mut out = Vec::new();
    for part in parts_of(catalog)?.into_iter().map(Arc::new) {
        let (entry, file) = (&part.table.entry, &part.part.file);
        let schema = entry.table.schema();
        let store = catalog.store();
        let lacking = entry.id.map(|id| store.lacking(id, file)).unwrap_or_default();
        for column in columns.iter().filter(|c| c.table.entry.id == entry.id) {
            let position = schema.position(&column.def.name);
            let is_stored = |p: &usize| *p < schema.stored().len() && !lacking.contains(p);
            let Some(position) = position.filter(is_stored) else { continue };
            let (part, column) = (Arc::clone(&part), Arc::clone(column));
            out.push(PartColumn { part, position, column });
        }
    }
    Ok(out)
}

/// The table `system.parts_columns`.
pub(super) fn parts_columns(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("parts_columns", PARTS_COLUMNS, over(catalog, parts_columns_of))
}
