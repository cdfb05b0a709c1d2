//! The list of table functions.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_disk::UserFiles;
use entasis_format::FormatOptions;
use entasis_table_api::Table;
use entasis_types::{TimeZone, Value};

use crate::null::Null;
use crate::numbers::Numbers;
use crate::values;

/// What table functions may know of the session and the statement.
pub struct TableFunctionContext<'a> {
    /// The files that queries may access.
    pub files: Arc<UserFiles>,
    /// The session's time zone.
    pub time_zone: TimeZone,
    /// Whether an INSERT into `file` replaces it (`engine_file_truncate_on_insert`).
    pub truncate_files: bool,
    /// Whether an INSERT that cannot append to a file writes one of another name
    /// (`engine_file_allow_create_multiple_files`).
    pub new_files: bool,
    /// Whether a file that does not exist is read as an empty one
    /// (`engine_file_empty_if_not_exists`).
    pub empty_if_missing: bool,
    /// Whether directories `key=value` of a path are columns (`use_hive_partitioning`).
    pub hive_partitioning: bool,
    /// The statement's format options. A closure, because few functions need them.
    pub format: &'a dyn Fn() -> FormatOptions,
}

/// A table function.
pub struct TableFunctionDef {
    /// Name as the reference spells it.
    pub name: &'static str,
    /// One or two sentences for the manual.
    pub description: &'static str,
    /// Example queries for the manual.
    pub examples: &'static [&'static str],
    /// Builds the table for constant arguments.
    pub build: fn(&[Value], &TableFunctionContext) -> Result<Arc<dyn Table>>,
}

/// Every table function.
pub const TABLE_FUNCTIONS: &[TableFunctionDef] = &[
    TableFunctionDef {
        name: "file",
        description: "Reads files, or writes one with INSERT: file(path[, format[, structure[, \
                      compression]]]). The path may be a pattern. Arguments that are missing are \
                      inferred from the files.",
        examples: &["SELECT count() FROM file('hits_*.parquet')"],
        build: crate::file::file,
    },
    TableFunctionDef {
        name: "format",
        description: "Reads rows from a text in the query: format(name, data) or format(name, \
                      structure, data).",
        examples: &["SELECT * FROM format(JSONEachRow, '{\"a\":1}')"],
        build: crate::format::format,
    },
    TableFunctionDef {
        name: "numbers",
        description: "Whole numbers from 0 in a column `number`: numbers(count), \
                      numbers(offset, count) or numbers(offset, count, step).",
        examples: &["SELECT sum(number) FROM numbers(10)"],
        build: |args, _| Ok(Numbers::from_args("numbers", args)?),
    },
    TableFunctionDef {
        name: "numbers_mt",
        description: "The same as numbers; both use several threads.",
        examples: &["SELECT sum(number) FROM numbers_mt(10)"],
        build: |args, _| Ok(Numbers::from_args("numbers_mt", args)?),
    },
    TableFunctionDef {
        name: "zeros",
        description: "So many rows with a column `zero` that is always 0, the cheapest source of rows.",
        examples: &["SELECT count() FROM zeros(10)"],
        build: |args, _| Ok(Numbers::zeros_from_args("zeros", args)?),
    },
    TableFunctionDef {
        name: "zeros_mt",
        description: "The same as zeros; both use several threads.",
        examples: &["SELECT count() FROM zeros_mt(10)"],
        build: |args, _| Ok(Numbers::zeros_from_args("zeros_mt", args)?),
    },
    TableFunctionDef {
        name: "generate_series",
        description: "Whole numbers from start to stop, both included: \
                      generate_series(start, stop[, step]).",
        examples: &["SELECT * FROM generate_series(1, 3)"],
        build: |args, _| Ok(Numbers::series_from_args("generate_series", args)?),
    },
    TableFunctionDef {
        name: "generateSeries",
        description: "The same as generate_series.",
        examples: &["SELECT * FROM generateSeries(1, 3)"],
        build: |args, _| Ok(Numbers::series_from_args("generateSeries", args)?),
    },
    TableFunctionDef {
        name: "hits",
        description: "Generated events of a web site, for tests and benchmarks: hits(rows), \
                      hits(rows, seed) or hits(rows, seed, from, until).",
        examples: &["SELECT uniq(UserID) FROM hits(1000000, 1)"],
        build: |args, _| crate::hits::hits(args),
    },
    TableFunctionDef {
        name: "null",
        description: "An empty table with the given structure; INSERT into it discards the rows.",
        examples: &["SELECT count() FROM null('x UInt8')"],
        build: |args, _| match args {
            [Value::String(structure)] => {
                Ok(Null::new(values::parse_structure(&String::from_utf8_lossy(structure))?))
            }
            _ => Err(Error::new(
                codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                "Table function null takes one argument: the structure as a string",
            )),
        },
    },
    TableFunctionDef {
        name: "values",
        description: "Rows that are written in the query: values([structure,] row, ...).",
        examples: &["SELECT * FROM values('a UInt8, b String', (1, 'x'), (2, 'y'))"],
        build: |args, _| values::values(args),
    },
];

/// The definition of a table function. Fails if there is none with this name.
pub fn table_function(name: &str) -> Result<&'static TableFunctionDef> {
    TABLE_FUNCTIONS.iter().find(|f| f.name == name).ok_or_else(|| {
        if PLANNED.contains(&name) {
            return Error::not_implemented(format!("Table function {name}"));
        }
        Error::new(codes::UNKNOWN_FUNCTION, format!("Unknown table function {name}"))
    })
}

/// Table functions of the reference that are not implemented yet.
const PLANNED: &[&str] = &[
    "azureBlobStorage",
    "cluster",
    "clusterAllReplicas",
    "deltaLake",
    "dictionary",
    "executable",
    "fileCluster",
    "fuzzJSON",
    "fuzzQuery",
    "gcs",
    "generateRandom",
    "hdfs",
    "hudi",
    "iceberg",
    "input",
    "jdbc",
    "loop",
    "mergeTreeIndex",
    "mergeTreeProjection",
    "mongodb",
    "mysql",
    "odbc",
    "postgresql",
    "primes",
    "redis",
    "remote",
    "remoteSecure",
    "s3",
    "s3Cluster",
    "sqlite",
    "timeSeriesData",
    "url",
    "urlCluster",
];
