//! `system.view_refreshes`: the state of each refreshable view.

use std::sync::{Arc, Weak};
use std::time::Duration;

use entasis_base::Result;
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::over;
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;

struct Row {
    database: Arc<str>,
    view: Arc<str>,
    status: &'static str,
    last_success: Option<(Duration, Duration)>,
    last_refresh: Option<Duration>,
    next: Option<Duration>,
    exception: String,
    retry: u64,
    read: (u64, u64, u64),
    written: (u64, u64),
}

fn time(at: Option<Duration>) -> Value {
    at.map_or(Value::Null, |at| Value::UInt(at.as_secs()))
}

fn rows(catalog: &EngineCatalog) -> Result<Vec<Row>> {
    let mut out = Vec::new();
    for database in catalog.database_names() {
        let Ok(tables) = catalog.tables(&database) else { continue };
        for (view, entry) in tables {
            let own = entry.view.as_ref().and_then(|view| view.materialized.as_ref());
            let Some(id) = entry.id.filter(|_| own.is_some_and(|own| own.refresh.is_some())) else {
                continue;
            };
            let database = Arc::clone(&database);
            out.push(catalog.refreshes().with(id, |state| Row {
                database,
                view,
                status: state.status(),
                last_success: state.last_success,
                last_refresh: state.last_refresh,
                next: state.next.filter(|_| !state.misses_dependency && !state.waits),
                exception: state.exception.clone(),
                retry: state.retry,
                read: state.read,
                written: state.written,
            }));
        }
    }
    Ok(out)
}

const COLUMNS: &[ColumnOf<Row>] = &[
    ("database", "String", Some(|r| Value::from(&*r.database))),
    ("view", "String", Some(|r| Value::from(&*r.view))),
    ("status", "String", Some(|r| Value::from(r.status))),
    ("last_success_time", "Nullable(DateTime)", Some(|r| time(r.last_success.map(|s| s.0)))),
    (
        "last_success_duration_ms",
        "Nullable(UInt64)",
        Some(|r| r.last_success.map_or(Value::Null, |s| Value::UInt(s.1.as_millis() as u64))),
    ),
    ("last_refresh_time", "Nullable(DateTime)", Some(|r| time(r.last_refresh))),
    ("next_refresh_time", "Nullable(DateTime)", Some(|r| time(r.next))),
    ("exception", "String", Some(|r| Value::from(r.exception.as_str()))),
    ("retry", "UInt64", Some(|r| Value::UInt(r.retry))),
    ("progress", "Nullable(Float64)", Some(|_| Value::Null)),
    ("read_rows", "Nullable(UInt64)", Some(|r| Value::UInt(r.read.0))),
    ("read_bytes", "Nullable(UInt64)", Some(|r| Value::UInt(r.read.1))),
    ("total_rows", "Nullable(UInt64)", Some(|r| Value::UInt(r.read.2))),
    ("written_rows", "Nullable(UInt64)", Some(|r| Value::UInt(r.written.0))),
    ("written_bytes", "Nullable(UInt64)", Some(|r| Value::UInt(r.written.1))),
];

/// The table `system.view_refreshes`.
pub(super) fn view_refreshes(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("view_refreshes", COLUMNS, over(catalog, rows))
}
