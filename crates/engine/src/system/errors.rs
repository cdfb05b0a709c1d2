//! `system.errors`: how often statements have failed, by error code.

use std::sync::Arc;

use entasis_table_api::Table;
use entasis_types::Value;

use super::system_table::{ColumnOf, SystemTable};
use crate::process::errors::{Errors, Seen};

const COLUMNS: &[ColumnOf<Seen>] = &[
    ("name", "String", Some(|e| Value::from(e.name))),
    ("code", "Int32", Some(|e| Value::Int(i64::from(e.code)))),
    ("value", "UInt64", Some(|e| Value::UInt(e.count))),
    ("last_error_time", "DateTime", Some(|e| Value::UInt(e.last.as_secs()))),
    ("last_error_message", "String", Some(|e| Value::from(&*e.message))),
    ("last_error_format_string", "String", None),
    ("last_error_trace", "Array(UInt64)", None),
    ("remote", "UInt8", None),
    ("query_id", "String", Some(|e| Value::from(&*e.query_id))),
];

/// The table `system.errors`.
pub(super) fn table(errors: &Arc<Errors>) -> Arc<dyn Table> {
    let errors = Arc::clone(errors);
    SystemTable::create("SystemErrors", COLUMNS, move || Ok(errors.list()))
}
