//! `system.events`: counts of the process since it began. `system.user_processes`: the counts of
//! each user with running statements.

use std::sync::Arc;

use entasis_base::events::{self, Counts, EVENTS};
use entasis_table_api::Table;
use entasis_types::Value;

use super::layout::laid_out;
use super::signed;
use super::system_table::{ColumnOf, SystemTable};
use crate::process::Processes;

/// A profile event with its count.
struct Row {
    name: &'static str,
    value: u64,
    description: &'static str,
}

const EVENT_COLUMNS: &[ColumnOf<Row>] = &[
    ("event", "String", Some(|r| r.name.into())),
    ("value", "UInt64", Some(|r| Value::UInt(r.value))),
    ("description", "String", Some(|r| r.description.into())),
    ("name", "String", Some(|r| r.name.into())),
];

/// The table `system.events`. With `zeros`, it also has events that have not happened.
pub(crate) fn events(zeros: bool) -> Arc<dyn Table> {
    SystemTable::create("SystemEvents", EVENT_COLUMNS, move || {
        let counts = events::of_server();
        let rows = EVENTS.iter().map(|e| {
            let value = counts.get(e.event);
            Row { name: e.name, value, description: e.description }
        });
        Ok(rows.filter(|row| zeros || row.value > 0).collect())
    })
}

/// Counts as the value of a `Map(LowCardinality(String), UInt64)`.
pub(super) fn map(counts: &Counts) -> Value {
    let pair = |(name, count): (&'static str, u64)| {
        Value::Tuple([Value::from(name), Value::UInt(count)].into())
    };
    Value::Array(counts.nonzero().map(pair).collect())
}

struct User {
    name: String,
    used: u64,
    peak: u64,
    counts: Counts,
}

const USER_COLUMNS: &[ColumnOf<User>] = &[
    ("user", "String", Some(|u| u.name.as_str().into())),
    ("memory_usage", "Int64", Some(|u| signed(u.used))),
    ("peak_memory_usage", "Int64", Some(|u| signed(u.peak))),
    ("ProfileEvents", "Map(LowCardinality(String), UInt64)", Some(|u| map(&u.counts))),
    (
        "ProfileEvents.Names",
        "Array(String)",
        Some(|u| Value::Array(u.counts.nonzero().map(|(name, _)| name.into()).collect())),
    ),
    (
        "ProfileEvents.Values",
        "Array(UInt64)",
        Some(|u| Value::Array(u.counts.nonzero().map(|(_, n)| Value::UInt(n)).collect())),
    ),
];

/// The table `system.user_processes`.
pub(crate) fn users(processes: &Arc<Processes>) -> Arc<dyn Table> {
    let processes = Arc::clone(processes);
    laid_out("user_processes", USER_COLUMNS, move || {
        let row = |(name, account): (String, Arc<entasis_base::MemoryAccount>)| {
            let counts = events::of_user(&name);
            User { used: account.used(), peak: account.peak(), counts, name }
        };
        Ok(processes.users().into_iter().map(row).collect())
    })
}
