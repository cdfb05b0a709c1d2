//! Tables about users, disks and the like on a single machine: `system.users`, `system.grants`,
//! `system.disks`, `system.storage_policies`, and empty tables about things that do not exist here.

use std::sync::{Arc, Weak};

use entasis_table_api::Table;
use entasis_types::{Value, collation};

use super::catalog::over;
use super::layout::{empty, laid_out};
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;

fn text(value: &str) -> Value {
    Value::from(value)
}

/// Tables about things that this engine does not have: other machines, roles, quotas, caches.
const EMPTY: &[&str] = &[
    "asynchronous_loader",
    "azure_queue_metadata",
    "azure_queue_metadata_cache",
    "azure_queue_settings",
    "background_schedule_pool",
    "certificates",
    "clusters",
    "contributors",
    "current_roles",
    "dashboards",
    "data_skipping_index_types",
    "database_replicas",
    "dimensional_metrics",
    "distributed_ddl_queue",
    "distribution_queue",
    "dns_cache",
    "dropped_tables_parts",
    "enabled_roles",
    "fail_points",
    "filesystem_cache",
    "filesystem_cache_settings",
    "handlers",
    "histogram_metrics",
    "hypothetical_indexes",
    "hypothetical_projections",
    "iceberg_files",
    "iceberg_history",
    "jemalloc_arena_bins",
    "jemalloc_bins",
    "jemalloc_profile_text",
    "jemalloc_sampled_allocations",
    "jemalloc_stats",
    "kafka_consumers",
    "licenses",
    "macros",
    "masking_policies",
    "moves",
    "named_collections",
    "part_moves_between_shards",
    "privileges",
    "query_cache",
    "query_condition_cache",
    "quota_limits",
    "quota_usage",
    "quotas",
    "quotas_usage",
    "remote_data_paths",
    "replicas",
    "replicated_fetches",
    "replication_queue",
    "resources",
    "rocksdb",
    "role_grants",
    "roles",
    "row_policies",
    "s3_queue_metadata",
    "s3_queue_settings",
    "s3queue_metadata_cache",
    "scheduler",
    "schema_inference_cache",
    "server_settings",
    "session_query_ids",
    "settings_profile_elements",
    "settings_profiles",
    "statements",
    "symbols",
    "unicode",
    "user_defined_functions",
    "workloads",
];

/// The tables of [`EMPTY`].
pub(super) fn empty_tables() -> Vec<(&'static str, Arc<dyn Table>)> {
    EMPTY.iter().map(|name| (*name, empty(name))).collect()
}

const USERS: &[ColumnOf<String>] = &[
    ("name", "String", Some(|name| text(name))),
    ("storage", "String", Some(|_| text("config"))),
    ("default_roles_all", "UInt8", Some(|_| Value::UInt(1))),
    ("grantees_any", "UInt8", Some(|_| Value::UInt(1))),
];

/// `system.users`: only the session's own user.
pub(crate) fn users(user: &str) -> Arc<dyn Table> {
    let user = user.to_string();
    laid_out("users", USERS, move || Ok(vec![user.clone()]))
}

/// The name of a user, and a right of that user.
type Grant = (String, &'static str);

const GRANTS: &[ColumnOf<Grant>] = &[
    ("user_name", "Nullable(String)", Some(|grant| text(&grant.0))),
    ("access_type", "String", Some(|grant| text(grant.1))),
];

/// `system.grants`: the rights of the session's user, which are all or, with `readonly`, to read.
pub(crate) fn grants(user: &str, readonly: bool) -> Arc<dyn Table> {
    let user = user.to_string();
    let access: &'static [&'static str] = if readonly { &["SHOW", "SELECT"] } else { &["ALL"] };
    laid_out("grants", GRANTS, move || {
        Ok(access.iter().map(|access| (user.clone(), *access)).collect())
    })
}

const DIRECTORIES: &[ColumnOf<()>] = &[
    ("name", "String", Some(|()| text("config"))),
    ("type", "String", Some(|()| text("config"))),
    ("params", "String", Some(|()| text("{}"))),
    ("precedence", "UInt64", Some(|()| Value::UInt(1))),
];

const COLLATIONS: &[ColumnOf<(&'static str, &'static str)>] = &[
    ("name", "String", Some(|collation| text(collation.0))),
    ("language", "Nullable(String)", Some(|collation| text(collation.1))),
];

/// `system.collations`: the languages in whose order COLLATE sorts.
pub(super) fn collations() -> Arc<dyn Table> {
    laid_out("collations", COLLATIONS, || Ok(collation::all().collect()))
}

/// `system.user_directories`: users come only from the server's configuration.
pub(super) fn user_directories() -> Arc<dyn Table> {
    laid_out("user_directories", DIRECTORIES, || Ok(vec![()]))
}

/// Free bytes of the disk under the tables.
struct DiskRow {
    free: u64,
}

const DISKS: &[ColumnOf<DiskRow>] = &[
    ("name", "String", Some(|_| text("default"))),
    ("free_space", "UInt64", Some(|d| Value::UInt(d.free))),
    ("unreserved_space", "UInt64", Some(|d| Value::UInt(d.free))),
    ("type", "String", Some(|_| text("Local"))),
    ("object_storage_type", "String", Some(|_| text("None"))),
    ("metadata_type", "String", Some(|_| text("None"))),
];

/// `system.disks`: the single disk.
pub(super) fn disks(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let row = |catalog: &EngineCatalog| {
        Ok(vec![DiskRow { free: catalog.store().free_space().unwrap_or_default() }])
    };
    laid_out("disks", DISKS, over(catalog, row))
}

const POLICIES: &[ColumnOf<()>] = &[
    ("policy_name", "String", Some(|()| text("default"))),
    ("volume_name", "String", Some(|()| text("default"))),
    ("volume_priority", "UInt64", Some(|()| Value::UInt(1))),
    ("disks", "Array(String)", Some(|()| Value::Array(vec![text("default")].into()))),
    ("perform_ttl_move_on_insert", "UInt8", Some(|()| Value::UInt(1))),
];

/// `system.storage_policies`: the single policy for placing parts on disks.
pub(super) fn storage_policies() -> Arc<dyn Table> {
    laid_out("storage_policies", POLICIES, || Ok(vec![()]))
}

const NAMES: &[ColumnOf<&'static str>] = &[("name", "String", Some(|name| text(name)))];

/// `system.disk_types`: where tables can be stored.
pub(super) fn disk_types() -> Arc<dyn Table> {
    laid_out("disk_types", NAMES, || Ok(vec!["local"]))
}

/// `system.database_engines`: the engine that databases have.
pub(super) fn database_engines() -> Arc<dyn Table> {
    laid_out("database_engines", NAMES, || Ok(vec!["Atomic"]))
}

const OPTIONS: &[ColumnOf<(&'static str, &'static str)>] = &[
    ("name", "String", Some(|option| text(option.0))),
    ("value", "String", Some(|option| text(option.1))),
];

/// `system.build_options`: how this program was built.
pub(super) fn build_options() -> Arc<dyn Table> {
    laid_out("build_options", OPTIONS, || {
        let build = if cfg!(debug_assertions) { "Debug" } else { "Release" };
        Ok(vec![
            ("VERSION_FULL", concat!("Entasis ", env!("CARGO_PKG_VERSION"))),
            ("SYSTEM", std::env::consts::OS),
            ("SYSTEM_PROCESSOR", std::env::consts::ARCH),
            ("BUILD_TYPE", build),
        ])
    })
}

const KEYWORDS: &[ColumnOf<&'static str>] = &[("keyword", "String", Some(|word| text(word)))];

/// `system.keywords`: the keywords of the parser.
pub(super) fn keywords() -> Arc<dyn Table> {
    laid_out("keywords", KEYWORDS, || Ok(entasis_sql::keywords().collect()))
}

const TIME_ZONES: &[ColumnOf<String>] = &[("time_zone", "String", Some(|zone| text(zone)))];

/// `system.time_zones`: the names of all time zones.
pub(super) fn time_zones() -> Arc<dyn Table> {
    laid_out("time_zones", TIME_ZONES, || Ok(entasis_types::TimeZone::names()))
}
