//! `system.stack_trace`: the current stack of every thread, and the statement that it works for.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_base::events;
use entasis_profile::stacks::{self, ThreadStack};
use entasis_table_api::Table;
use entasis_types::Value;

use super::system_table::{ColumnOf, SystemTable};

struct Row {
    stack: ThreadStack,
    query_id: Option<Arc<str>>,
}

fn frames(row: &Row) -> Value {
    Value::Array(row.stack.frames.iter().map(|&frame| Value::UInt(frame)).collect())
}

const COLUMNS: &[ColumnOf<Row>] = &[
    ("thread_name", "String", Some(|r| Value::from(&*r.stack.name))),
    ("thread_id", "UInt64", Some(|r| Value::UInt(r.stack.id.into()))),
    ("query_id", "String", Some(|r| Value::from(r.query_id.as_deref().unwrap_or("")))),
    ("trace", "Array(UInt64)", Some(frames)),
    ("untracked_memory", "Int64", None),
];

/// The table `system.stack_trace`. The stacks are taken when it is read.
pub(super) fn table() -> Arc<dyn Table> {
    SystemTable::create("SystemStackTrace", COLUMNS, || {
        let mut at_work: HashMap<u32, Arc<str>> = events::at_work().into_iter().collect();
        let row = |stack: ThreadStack| Row { query_id: at_work.remove(&stack.id), stack };
        Ok(stacks::all().into_iter().map(row).collect())
    })
}
