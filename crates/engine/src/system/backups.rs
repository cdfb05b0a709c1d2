//! `system.backups`: the statements that write and read backups, since the process began.

use std::sync::{Arc, Weak};
use std::time::Duration;

use entasis_base::Result;
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::over;
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::catalog::backups::Operation;

fn rows(catalog: &EngineCatalog) -> Result<Vec<Operation>> {
    Ok(catalog.backups().list())
}

fn text(value: &str) -> Value {
    Value::from(value)
}

fn time(at: Option<Duration>) -> Value {
    Value::Int(at.unwrap_or_default().as_micros() as i64)
}

const COLUMNS: &[ColumnOf<Operation>] = &[
    ("id", "String", Some(|o| text(&o.id))),
    ("name", "String", Some(|o| text(&o.name))),
    ("base_backup_name", "String", Some(|o| text(&o.base))),
    ("query_id", "String", Some(|o| text(&o.query_id))),
    ("status", "Enum8", Some(|o| Value::Int(o.status as i64))),
    ("error", "String", Some(|o| text(&o.error))),
    ("start_time", "DateTime64(6)", Some(|o| time(Some(o.began)))),
    ("end_time", "DateTime64(6)", Some(|o| time(o.ended))),
    ("num_files", "UInt64", Some(|o| Value::UInt(o.totals.files))),
    ("total_size", "UInt64", Some(|o| Value::UInt(o.totals.bytes))),
    ("num_entries", "UInt64", Some(|o| Value::UInt(o.totals.own_files))),
    ("uncompressed_size", "UInt64", Some(|o| Value::UInt(o.totals.own_bytes))),
    ("compressed_size", "UInt64", Some(|o| Value::UInt(o.totals.stored_bytes))),
    ("files_read", "UInt64", Some(|o| Value::UInt(o.read.0))),
    ("bytes_read", "UInt64", Some(|o| Value::UInt(o.read.1))),
    ("settings", "Map(LowCardinality(String), String)", Some(settings)),
];

fn settings(operation: &Operation) -> Value {
    let pair = |(name, value): &(String, String)| Value::Tuple([text(name), text(value)].into());
    Value::Array(operation.settings.iter().map(pair).collect())
}

/// The table `system.backups`.
pub(super) fn backups(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("backups", COLUMNS, over(catalog, rows))
}
