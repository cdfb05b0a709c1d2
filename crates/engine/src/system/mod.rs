//! Tables of the database `system`: numbers, and what the engine itself knows.

mod catalog;
pub(crate) mod errors;
pub(crate) mod events;
mod functions;
mod listed;
mod machine;
mod merges;
pub(crate) mod metrics;
pub(crate) mod processes;
pub(crate) mod settings;
mod stack_trace;
mod warnings;

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_table::Table;
use entasis_tables::numbers::{Kind, Numbers};
use entasis_tables::one;
use entasis_types::Value;

pub(crate) use listed::{ColumnOf, column_of};

use crate::catalog::EngineCatalog;
use crate::processes::Processes;
use crate::settings::Settings;

/// Bytes in the type that the reference gives them.
fn signed(bytes: u64) -> Value {
    Value::Int(bytes as i64)
}

/// Every table by name.
pub(crate) fn tables(
    catalog: &Weak<EngineCatalog>,
    running: &Arc<Processes>,
) -> Result<Vec<(&'static str, Arc<dyn Table>)>> {
    let sequence = Kind::Sequence { start: 0, step: 1 };
    Ok(vec![
        ("asynchronous_metrics", metrics::asynchronous_metrics(catalog, running)?),
        ("columns", catalog::columns(catalog)?),
        ("data_type_families", functions::data_type_families()?),
        ("databases", catalog::databases(catalog)?),
        ("errors", errors::table(running.errors())?),
        ("events", events::events(false)?),
        ("formats", functions::formats()?),
        ("functions", functions::functions()?),
        ("merges", merges::merges(catalog)?),
        ("merge_tree_settings", settings::of_merge_tree()?),
        ("metrics", metrics::metrics(catalog, running)?),
        ("mutations", merges::mutations()?),
        ("numbers", Numbers::new("SystemNumbers", "number", sequence, u64::MAX)),
        ("numbers_mt", Numbers::new("SystemNumbers", "number", sequence, u64::MAX)),
        ("one", one::one()),
        ("parts", catalog::parts(catalog)?),
        ("processes", processes::table(running)?),
        ("settings", settings::table(&Settings::default())?),
        ("settings_changes", settings::changes()?),
        ("stack_trace", stack_trace::table()?),
        ("table_engines", functions::table_engines()?),
        ("table_functions", functions::table_functions()?),
        ("tables", catalog::tables(catalog)?),
        ("user_processes", events::users(running)?),
        ("warnings", warnings::table(catalog)?),
        ("zeros", Numbers::new("SystemZeros", "zero", Kind::Zeros, u64::MAX)),
        ("zeros_mt", Numbers::new("SystemZeros", "zero", Kind::Zeros, u64::MAX)),
    ])
}
