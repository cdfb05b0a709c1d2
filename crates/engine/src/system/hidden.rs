//! `system.detached_tables` and `system.dropped_tables`: what ATTACH and UNDROP can bring back.

use std::sync::{Arc, Weak};

use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::over;
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;
use crate::catalog::hidden::{DetachedTable, DroppedTable};

const DETACHED: &[ColumnOf<DetachedTable>] = &[
    ("database", "String", Some(|t| t.database.as_str().into())),
    ("table", "String", Some(|t| t.table.as_str().into())),
    ("is_permanently", "UInt8", Some(|t| Value::UInt(u64::from(t.permanently)))),
];

/// The table `system.detached_tables`.
pub(super) fn detached(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("detached_tables", DETACHED, over(catalog, |c| Ok(c.detached_tables())))
}

const DROPPED: &[ColumnOf<DroppedTable>] = &[
    ("database", "String", Some(|t| t.database.as_str().into())),
    ("table", "String", Some(|t| t.table.as_str().into())),
    ("engine", "String", Some(|t| t.engine.as_str().into())),
    ("table_dropped_time", "DateTime", Some(|t| Value::UInt(t.at))),
];

/// The table `system.dropped_tables`.
pub(super) fn dropped(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("dropped_tables", DROPPED, over(catalog, |c| Ok(c.dropped_tables())))
}
