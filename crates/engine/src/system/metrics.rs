//! `system.metrics`: how many statements, connections and so on there are now.
//! `system.asynchronous_metrics`: figures of the machine, the allocator and the catalog.
//!
//! Both are computed when they are read. This takes less than a millisecond, so there is no
//! background thread for them.

use std::sync::{Arc, Weak};
use std::time::Instant;

use entasis_base::Result;
use entasis_base::events::gauge::{self, Gauge};
use entasis_table_api::{Table, kept_now};
use entasis_types::Value;

use super::machine;
use super::system_table::{ColumnOf, SystemTable};
use crate::catalog::EngineCatalog;
use crate::process::Processes;

/// A metric: its name, its value and what it means.
#[derive(Clone, Debug)]
pub struct Metric {
    /// The name. If it is the name of one of ClickHouse's metrics, both mean the same.
    pub name: String,
    /// The value.
    pub value: f64,
    /// A sentence about its meaning.
    pub description: &'static str,
}

impl Metric {
    pub(super) fn new(name: &str, value: f64, description: &'static str) -> Self {
        Self { name: name.to_string(), value, description }
    }
}

/// The numbers from which `system.metrics` is computed.
pub(crate) struct Now {
    statements: usize,
    memory: u64,
    databases: usize,
    tables: usize,
    parts: usize,
}

impl Now {
    fn look(catalog: &EngineCatalog, processes: &Processes) -> Self {
        let (databases, tables, parts) = catalog.sizes();
        let (statements, memory) = (processes.count(), processes.memory().used_now());
        Self { statements, memory, databases, tables, parts }
    }
}

/// The definition of a row of `system.metrics`.
pub(crate) struct Current {
    pub name: &'static str,
    value: fn(&Now) -> i64,
    description: &'static str,
}

const fn current(name: &'static str, value: fn(&Now) -> i64, description: &'static str) -> Current {
    Current { name, value, description }
}

/// All rows of `system.metrics`.
pub(crate) const CURRENT: &[Current] = &[
    current("Query", |now| now.statements as i64, "Statements that are running."),
    current(
        "MemoryTracking",
        |now| now.memory as i64,
        "Bytes of memory that statements and tables hold.",
    ),
    current("Merge", |_| gauge::get(Gauge::Merge), "Merges of parts that are running."),
    current("HTTPConnection", |_| gauge::get(Gauge::HTTPConnection), "Open HTTP connections."),
    current("OpenFileForRead", |_| gauge::get(Gauge::OpenFileForRead), "Files open for reading."),
    current("OpenFileForWrite", |_| gauge::get(Gauge::OpenFileForWrite), "Files open for writing."),
    current(
        "QueryPipelineExecutorThreads",
        |_| gauge::get(Gauge::PoolThread),
        "Threads of the thread pool that executes queries.",
    ),
    current(
        "QueryPipelineExecutorThreadsActive",
        |_| gauge::get(Gauge::PoolThreadActive),
        "Threads of the thread pool that are executing a query.",
    ),
    current(
        "TemporaryFilesForAggregation",
        |_| gauge::get(Gauge::TemporaryFilesForAggregation),
        "Temporary files of running aggregations that do not fit into memory.",
    ),
    current(
        "TemporaryFilesForSort",
        |_| gauge::get(Gauge::TemporaryFilesForSort),
        "Temporary files of running sorts that do not fit into memory.",
    ),
    current(
        "TemporaryFilesForDistinct",
        |_| gauge::get(Gauge::TemporaryFilesForDistinct),
        "Temporary files of running DISTINCTs that do not fit into memory.",
    ),
    current(
        "TemporaryFilesForJoin",
        |_| gauge::get(Gauge::TemporaryFilesForJoin),
        "Temporary files of running joins that do not fit into memory.",
    ),
    current("AttachedDatabase", |now| now.databases as i64, "Number of databases."),
    current("AttachedTable", |now| now.tables as i64, "Tables in all databases."),
    current("PartsActive", |now| now.parts as i64, "Active parts of all tables."),
];

/// The values of `system.metrics`, in the order of [`CURRENT`].
pub(crate) fn values(catalog: &EngineCatalog, processes: &Processes) -> Vec<i64> {
    let now = Now::look(catalog, processes);
    CURRENT.iter().map(|metric| (metric.value)(&now)).collect()
}

/// The rows of `system.metrics`.
pub(crate) fn current_metrics(
    catalog: &EngineCatalog,
    processes: &Processes,
) -> Result<Vec<Metric>> {
    let values = values(catalog, processes);
    let row = |(metric, value): (&Current, i64)| {
        Metric::new(metric.name, value as f64, metric.description)
    };
    Ok(CURRENT.iter().zip(values).map(row).collect())
}

/// The rows of `system.asynchronous_metrics`.
pub(crate) fn asynchronous(catalog: &EngineCatalog, processes: &Processes) -> Result<Vec<Metric>> {
    let began = Instant::now();
    let uptime = processes.since().elapsed().as_secs_f64();
    let mut rows = vec![Metric::new("Uptime", uptime, "Seconds since the engine was opened.")];
    rows.extend(machine::metrics());
    rows.extend(machine::allocator());
    // A disk in memory has no limit.
    if let Some(free) = catalog.store().free_space().filter(|free| *free < u64::MAX) {
        let text = "Free bytes on the disk that holds the tables.";
        rows.push(Metric::new("DiskAvailable_default", free as f64, text));
    }
    let (count, bytes) = kept_now();
    let text = "Hash tables and sets that are kept with tables that are looked up by keys.";
    rows.push(Metric::new("KeptLookupTables", count as f64, text));
    let text = "Bytes of hash tables and sets that are kept with tables.";
    rows.push(Metric::new("KeptLookupTableBytes", bytes as f64, text));
    rows.extend(catalog_metrics(catalog)?);
    let seconds = began.elapsed().as_secs_f64();
    let text = "Seconds that it took to collect these metrics.";
    rows.push(Metric::new("AsynchronousMetricsCalculationTimeSpent", seconds, text));
    Ok(rows)
}

/// Figures of databases, tables and parts.
fn catalog_metrics(catalog: &EngineCatalog) -> Result<Vec<Metric>> {
    let (mut tables, mut rows, mut bytes, mut parts, mut most) = (0, 0, 0, 0, 0);
    let mut out = Vec::new();
    let names = catalog.database_names();
    for database in &names {
        // If the database has been dropped meanwhile, it is left out.
        let Ok(list) = catalog.tables(database) else { continue };
        tables += list.len();
        let mut of_database = 0;
        for (_, entry) in list {
            let Some(id) = entry.id else { continue };
            let list = catalog.store().parts(id);
            of_database += list.len();
            rows += list.iter().map(|p| p.rows).sum::<u64>();
            bytes += list.iter().map(|p| p.bytes).sum::<u64>();
            let partitions = list.chunk_by(|a, b| a.partition == b.partition);
            most = partitions.map(<[_]>::len).max().unwrap_or(0).max(most);
        }
        parts += of_database;
        if &**database != "system" {
            let name = format!("PartsOfDatabase_{database}");
            out.push(Metric::new(
                &name,
                of_database as f64,
                "Active parts of all tables of one database.",
            ));
        }
    }
    let mut add = |name, value, text| out.push(Metric::new(name, value, text));
    add("NumberOfDatabases", names.len() as f64, "Number of databases.");
    add("NumberOfTables", tables as f64, "Tables in all databases.");
    add("TotalPartsOfMergeTreeTables", parts as f64, "Active parts of all MergeTree tables.");
    add("TotalRowsOfMergeTreeTables", rows as f64, "Rows in all MergeTree tables.");
    add("TotalBytesOfMergeTreeTables", bytes as f64, "Bytes of all MergeTree tables on disk.");
    add(
        "MaxPartCountForPartition",
        most as f64,
        "Number of parts in the partition that has the most.",
    );
    Ok(out)
}

const METRIC_COLUMNS: &[ColumnOf<Metric>] = &[
    ("metric", "String", Some(|m| m.name.as_str().into())),
    ("value", "Int64", Some(|m| Value::Int(m.value as i64))),
    ("description", "String", Some(|m| m.description.into())),
    ("name", "String", Some(|m| m.name.as_str().into())),
];

const ASYNCHRONOUS_COLUMNS: &[ColumnOf<Metric>] = &[
    ("metric", "String", Some(|m| m.name.as_str().into())),
    ("value", "Float64", Some(|m| Value::Float(m.value))),
    ("description", "String", Some(|m| m.description.into())),
    ("name", "String", Some(|m| m.name.as_str().into())),
];

/// Makes rows of metrics.
type Make = fn(&EngineCatalog, &Processes) -> Result<Vec<Metric>>;

fn rows(
    catalog: &Weak<EngineCatalog>,
    processes: &Arc<Processes>,
    make: Make,
) -> impl Fn() -> Result<Vec<Metric>> + Send + Sync + 'static {
    let (catalog, processes) = (Weak::clone(catalog), Arc::clone(processes));
    move || catalog.upgrade().map_or(Ok(Vec::new()), |catalog| make(&catalog, &processes))
}

/// The table `system.metrics`.
pub(crate) fn metrics(catalog: &Weak<EngineCatalog>, processes: &Arc<Processes>) -> Arc<dyn Table> {
    SystemTable::create("SystemMetrics", METRIC_COLUMNS, rows(catalog, processes, current_metrics))
}

/// The table `system.asynchronous_metrics`.
pub(crate) fn asynchronous_metrics(
    catalog: &Weak<EngineCatalog>,
    processes: &Arc<Processes>,
) -> Arc<dyn Table> {
    let rows = rows(catalog, processes, asynchronous);
    SystemTable::create("SystemAsynchronousMetrics", ASYNCHRONOUS_COLUMNS, rows)
}
