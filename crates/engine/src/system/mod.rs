//! Tables of the database `system`: sequences of numbers, and the engine's own state.

pub(crate) mod access;
mod backups;
mod catalog;
mod dictionaries;
mod errors;
pub(crate) mod events;
mod functions;
mod graphite;
mod hidden;
mod indices;
mod information;
mod layout;
mod machine;
mod manual;
mod merges;
pub(crate) mod metrics;
pub(crate) mod mutations;
mod parts;
pub(crate) mod processes;
mod projections;
pub(crate) mod settings;
mod stack_trace;
mod statistics;
mod system_table;
mod view_refreshes;
mod warnings;

use std::sync::{Arc, Weak};

use entasis_table_api::Table;
use entasis_tables::numbers::{Numbers, NumbersKind};
use entasis_tables::{one, primes};
use entasis_types::Value;

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
    let mut tables = access::empty_tables();
    let own: Vec<(&'static str, Arc<dyn Table>)> = vec![
        ("aggregate_function_combinators", manual::aggregate_function_combinators()),
        ("asynchronous_inserts", processes::async_inserts(running)),
        ("asynchronous_metrics", metrics::asynchronous_metrics(catalog, running)),
        ("backups", backups::backups(catalog)),
        ("build_options", access::build_options()),
        ("codecs", manual::codecs()),
        ("collations", access::collations()),
        ("columns", catalog::columns(catalog)),
        ("completions", manual::completions(catalog)),
        ("constraints", catalog::constraints(catalog)),
        ("data_skipping_index_types", indices::index_types()),
        ("data_skipping_indices", indices::indices(catalog)),
        ("database_engines", access::database_engines()),
        ("data_type_families", functions::data_type_families()),
        ("databases", catalog::databases(catalog)),
        ("detached_parts", parts::detached_parts(catalog)),
        ("detached_tables", hidden::detached(catalog)),
        ("dictionaries", dictionaries::dictionaries(catalog)),
        ("dictionary_layouts", manual::dictionary_layouts()),
        ("dictionary_sources", manual::dictionary_sources()),
        ("disk_types", access::disk_types()),
        ("disks", access::disks(catalog)),
        ("dropped_tables", hidden::dropped(catalog)),
        ("documentation", manual::documentation()),
        ("errors", errors::table(running.errors())),
        ("events", events::events(false)),
        ("formats", functions::formats()),
        ("functions", functions::functions(catalog)),
        ("grants", access::grants("default", false)),
        ("graphite_retentions", graphite::graphite_retentions(catalog)),
        ("keywords", access::keywords()),
        ("merges", merges::merges(catalog)),
        ("merge_tree_settings", settings::of_merge_tree()),
        ("metrics", metrics::metrics(catalog, running)),
        ("mutations", mutations::mutations(catalog)),
        ("parts", parts::parts(catalog)),
        ("parts_columns", parts::parts_columns(catalog)),
        ("processes", processes::table(running)),
        ("projection_parts", projections::parts(catalog)),
        ("projection_parts_columns", projections::columns(catalog)),
        ("projections", projections::projections(catalog)),
        ("replicated_merge_tree_settings", settings::of_replicated_merge_tree()),
        ("settings", settings::table(&Settings::default(), 0)),
        ("settings_changes", settings::changes()),
        ("stack_trace", stack_trace::table()),
        ("statistics", statistics::statistics(catalog)),
        ("storage_policies", access::storage_policies()),
        ("table_engines", functions::table_engines()),
        ("table_functions", functions::table_functions()),
        ("tables", catalog::tables(catalog)),
        ("time_zones", access::time_zones()),
        ("tokenizers", functions::tokenizers()),
        ("user_directories", access::user_directories()),
        ("user_processes", events::users(running)),
        ("users", access::users("default")),
        ("view_refreshes", view_refreshes::view_refreshes(catalog)),
        ("warnings", warnings::table(catalog)),
    ];
    tables.extend(own);
    tables.extend(sequences());
    tables
}

/// The tables that count.
fn sequences() -> [(&'static str, Arc<dyn Table>); 6] {
    let numbers = || {
        let sequence = NumbersKind::Sequence { start: 0, step: 1 };
        Numbers::new("SystemNumbers", "number", sequence, u64::MAX)
    };
    let zeros = || Numbers::new("SystemZeros", "zero", NumbersKind::Zeros, u64::MAX);
    [
        ("numbers", numbers()),
        ("numbers_mt", numbers()),
        ("one", one::one()),
        ("primes", primes::Primes::table(0, u64::MAX, 1)),
        ("zeros", zeros()),
        ("zeros_mt", zeros()),
    ]
}
