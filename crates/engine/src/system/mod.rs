//! Tables of the database `system`: sequences of numbers, and the engine's own state.

pub(crate) mod access;
mod catalog;
mod errors;
pub(crate) mod events;
mod functions;
mod information;
mod layout;
mod machine;
mod merges;
pub(crate) mod metrics;
mod parts;
pub(crate) mod processes;
pub(crate) mod settings;
mod stack_trace;
mod system_table;
mod warnings;

use std::sync::{Arc, Weak};

use entasis_table_api::Table;
use entasis_tables::numbers::{Numbers, NumbersKind};
use entasis_tables::one;
use entasis_types::Value;

pub(crate) use catalog::database_engine;
pub(crate) use system_table::{ColumnOf, column_of};

use crate::catalog::{EngineCatalog, OwnTables};
use crate::process::Processes;
use crate::settings::Settings;

/// A number of bytes in the signed type that the reference uses.
fn signed(bytes: u64) -> Value {
    Value::Int(bytes as i64)
}

/// The engine's own tables, for `system` and `information_schema`.
pub(crate) fn own_tables(catalog: &Weak<EngineCatalog>, running: &Arc<Processes>) -> OwnTables {
    OwnTables { system: tables(catalog, running), information: information::tables(catalog) }
}

/// All tables of the database `system`, by name.
fn tables(
    catalog: &Weak<EngineCatalog>,
    running: &Arc<Processes>,
) -> Vec<(&'static str, Arc<dyn Table>)> {
    let sequence = NumbersKind::Sequence { start: 0, step: 1 };
    let mut tables = access::empty_tables();
    let own: Vec<(&'static str, Arc<dyn Table>)> = vec![
        ("asynchronous_metrics", metrics::asynchronous_metrics(catalog, running)),
        ("build_options", access::build_options()),
        ("columns", catalog::columns(catalog)),
        ("constraints", catalog::constraints(catalog)),
        ("data_skipping_indices", catalog::indices(catalog)),
        ("database_engines", access::database_engines()),
        ("data_type_families", functions::data_type_families()),
        ("databases", catalog::databases(catalog)),
        ("disk_types", access::disk_types()),
        ("disks", access::disks(catalog)),
        ("errors", errors::table(running.errors())),
        ("events", events::events(false)),
        ("formats", functions::formats()),
        ("functions", functions::functions()),
        ("grants", access::grants("default", false)),
        ("keywords", access::keywords()),
        ("merges", merges::merges(catalog)),
        ("merge_tree_settings", settings::of_merge_tree()),
        ("metrics", metrics::metrics(catalog, running)),
        ("mutations", merges::mutations()),
        ("numbers", Numbers::new("SystemNumbers", "number", sequence, u64::MAX)),
        ("numbers_mt", Numbers::new("SystemNumbers", "number", sequence, u64::MAX)),
        ("one", one::one()),
        ("parts", parts::parts(catalog)),
        ("parts_columns", parts::parts_columns(catalog)),
        ("processes", processes::table(running)),
        ("settings", settings::table(&Settings::default(), 0)),
        ("settings_changes", settings::changes()),
        ("stack_trace", stack_trace::table()),
        ("storage_policies", access::storage_policies()),
        ("table_engines", functions::table_engines()),
        ("table_functions", functions::table_functions()),
        ("tables", catalog::tables(catalog)),
        ("time_zones", access::time_zones()),
        ("user_directories", access::user_directories()),
        ("user_processes", events::users(running)),
        ("users", access::users("default")),
        ("warnings", warnings::table(catalog)),
        ("zeros", Numbers::new("SystemZeros", "zero", NumbersKind::Zeros, u64::MAX)),
        ("zeros_mt", Numbers::new("SystemZeros", "zero", NumbersKind::Zeros, u64::MAX)),
    ];
    tables.extend(own);
    tables
}
