//! `system.graphite_retentions`: the rules of GraphiteMergeTree tables.

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_mergetree::{GraphiteRule, KeptRow, MergeTreeTable};
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::over;
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::engines::graphite::rules_name;

/// The priority of the default rule.
const LAST: u64 = u16::MAX as u64;

/// An age of a rule.
struct Row {
    config: String,
    rule: GraphiteRule,
    retention: (u64, u64),
    priority: u64,
    /// The tables that use the rule, with their databases.
    tables: Vec<(Arc<str>, Arc<str>)>,
}

fn text(value: &str) -> Value {
    Value::from(value)
}

fn number(value: u64) -> Value {
    Value::UInt(value)
}

const COLUMNS: &[ColumnOf<Row>] = &[
    ("config_name", "String", Some(|r| text(&r.config))),
    ("rule_type", "String", Some(|r| text(r.rule.kind))),
    ("regexp", "String", Some(|r| text(&r.rule.regexp))),
    ("function", "String", Some(|r| text(r.rule.function.as_ref().map_or("", |f| &f.name)))),
    ("age", "UInt64", Some(|r| number(r.retention.0))),
    ("precision", "UInt64", Some(|r| number(r.retention.1))),
    ("priority", "UInt16", Some(|r| number(r.priority))),
    ("is_default", "UInt8", Some(|r| number(u64::from(r.priority == LAST)))),
    ("Tables.database", "Array(String)", Some(|r| names(r, |(database, _)| database))),
    ("Tables.table", "Array(String)", Some(|r| names(r, |(_, table)| table))),
];

fn names(row: &Row, of: fn(&(Arc<str>, Arc<str>)) -> &Arc<str>) -> Value {
    Value::Array(row.tables.iter().map(|table| text(of(table))).collect())
}

fn rows(catalog: &EngineCatalog) -> Result<Vec<Row>> {
    let mut out: Vec<Row> = Vec::new();
    for database in catalog.database_names() {
        for (name, entry) in catalog.tables(&database)? {
            let table: &dyn std::any::Any = &*entry.table;
            let Some(table) = table.downcast_ref::<MergeTreeTable>() else { continue };
            let merging = table.config().merging.as_ref();
            let Some(KeptRow::Graphite(graphite)) = merging.map(|merging| &merging.pick) else {
                continue;
            };
            let definition = entry.definition.as_ref();
            let Some(config) = definition.and_then(|d| rules_name(&d.engine).ok()) else {
                continue;
            };
            let table = (Arc::clone(&database), name);
            let mut known = out.iter_mut().filter(|row| row.config == config).peekable();
            if known.peek().is_some() {
                known.for_each(|row| row.tables.push(table.clone()));
                continue;
            }
            for (place, rule) in graphite.rules.iter().enumerate() {
                let none = [(0, 0)];
                let retentions =
                    if rule.retentions.is_empty() { &none } else { &rule.retentions[..] };
                out.extend(retentions.iter().map(|retention| Row {
                    config: config.to_owned(),
                    rule: rule.clone(),
                    retention: *retention,
                    priority: if rule.matches.is_none() { LAST } else { place as u64 + 1 },
                    tables: vec![table.clone()],
                }));
            }
        }
    }
    Ok(out)
}

/// The table `system.graphite_retentions`.
pub(super) fn graphite_retentions(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("graphite_retentions", COLUMNS, over(catalog, rows))
}
