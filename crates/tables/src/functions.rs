//! The list of table functions.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_disk::UserFiles;
use entasis_format::FormatOptions;
use entasis_table_api::{Schema, Table};
use entasis_types::{TimeZone, Value};

use crate::null::Null;
use crate::numbers::Numbers;
use crate::values;
use crate::web::{Web, WebOptions};

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
    /// Whether files without any bytes are left out (`engine_file_skip_empty_files`).
    pub skip_empty: bool,
    /// Whether directories `key=value` of a path are columns (`use_hive_partitioning`).
    pub hive_partitioning: bool,
    /// The way to addresses of the web.
    pub web: Arc<dyn Web>,
    /// What the statement says about its requests. A closure, because few functions need it.
    pub web_options: &'a dyn Fn() -> WebOptions,
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
        name: "SQLStandardValues",
        description: "The rows of VALUES in FROM: SELECT * FROM (VALUES (1, 'x'), (2, 'y')).",
        examples: &["SELECT * FROM (VALUES (1, 'x'), (2, 'y'))"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "cluster",
        description: "A table of a cluster: cluster('default', database.table). This server is all \
                      of the cluster 'default'.",
        examples: &["SELECT * FROM cluster('default', system.one)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "clusterAllReplicas",
        description: "The same as cluster: there is one replica.",
        examples: &["SELECT * FROM clusterAllReplicas('default', system.one)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "dictionary",
        description: "The rows of a dictionary: dictionary('name').",
        examples: &["SELECT * FROM dictionary('countries')"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "file",
        description: "Reads files, or writes one with INSERT: file(path[, format[, structure[, \
                      compression]]]). The path may be a pattern. Arguments that are missing are \
                      inferred from the files.",
        examples: &["SELECT count() FROM file('hits_*.parquet')"],
        build: crate::file::file,
    },
    TableFunctionDef {
        name: "fileCluster",
        description: "The same as file, for a cluster, whose name comes first: this server is all \
                      of it, and the name is not looked at.",
        examples: &["SELECT count() FROM fileCluster('default', 'hits_*.parquet')"],
        build: |args, context| crate::file::file(args.get(1..).unwrap_or_default(), context),
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
        name: "generateRandom",
        description: "Made-up rows of any types, without an end: generateRandom('structure'[, \
                      random_seed[, max_string_length[, max_array_length]]]). Equal seeds give \
                      equal rows.",
        examples: &["SELECT * FROM generateRandom('a UInt8, b Array(String)', 1) LIMIT 3"],
        build: |args, _| crate::random::generate_random(args),
    },
    TableFunctionDef {
        name: "input",
        description: "The rows that an INSERT sends, as the source of its SELECT: \
                      input('structure').",
        examples: &["INSERT INTO t SELECT lower(a) FROM input('a String') FORMAT CSV"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "loop",
        description: "The rows of a table or a table function, again and again: loop([database,] \
                      table) or loop(function(...)).",
        examples: &["SELECT * FROM loop(numbers(2)) LIMIT 3"],
        build: of_analyzer,
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
        name: "merge",
        description: "The rows of all tables whose names match a regular expression: \
                      merge([database | REGEXP('databases'), ]'tables').",
        examples: &["SELECT count() FROM merge('logs', '^hits_')"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "mergeTreeIndex",
        description: "The granules of a MergeTree table with their first keys: \
                      mergeTreeIndex(database, table[, with_marks = true]).",
        examples: &["SELECT * FROM mergeTreeIndex(default, hits)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "mergeTreeProjection",
        description: "The rows of a projection: mergeTreeProjection(database, table, projection).",
        examples: &["SELECT * FROM mergeTreeProjection(default, hits, by_user)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "null",
        description: "An empty table with the given structure; INSERT into it discards the rows.",
        examples: &["SELECT count() FROM null('x UInt8')"],
        build: |args, _| match args {
            [] => Ok(Null::new(Schema::new(Vec::new()))),
            [Value::String(structure)] if &**structure == b"auto" => {
                Ok(Null::new(Schema::new(Vec::new())))
            }
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
        name: "primes",
        description: "Prime numbers in a column `prime`: primes(count), primes(offset, count) or \
                      primes(offset, count, step), which takes every step-th of them.",
        examples: &["SELECT * FROM primes(5)"],
        build: |args, _| crate::primes::primes(args),
    },
    TableFunctionDef {
        name: "remote",
        description: "A table of this server under an address of it: remote('127.0.0.{1,2}', \
                      database.table[, user[, password]][, sharding_key]). Each address is a \
                      shard with all rows.",
        examples: &["SELECT * FROM remote('127.0.0.1', system.one)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "remoteSecure",
        description: "The same as remote.",
        examples: &["SELECT * FROM remoteSecure('127.0.0.1', system.one)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "url",
        description: "Reads addresses of the web, or sends rows there with INSERT: url(address[, \
                      format[, structure[, compression]]][, headers('name'='value')]). Only http \
                      to hosts that the configuration allows.",
        examples: &["SELECT * FROM url('http://127.0.0.1:8123/?query=SELECT+1', 'TSV', 'a UInt8')"],
        build: crate::file::url,
    },
    TableFunctionDef {
        name: "urlCluster",
        description: "The same as url, for a cluster, whose name comes first: this server is all \
                      of it, and the name is not looked at.",
        examples: &["SELECT count() FROM urlCluster('default', 'http://127.0.0.1/rows.csv')"],
        build: |args, context| crate::file::url(args.get(1..).unwrap_or_default(), context),
    },
    TableFunctionDef {
        name: "values",
        description: "Rows that are written in the query: values([structure,] row, ...).",
        examples: &["SELECT * FROM values('a UInt8, b String', (1, 'x'), (2, 'y'))"],
        build: |args, _| values::values(args),
    },
    TableFunctionDef {
        name: "view",
        description: "The rows of a query: view(SELECT ...).",
        examples: &["SELECT * FROM view(SELECT 1 AS a)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "viewExplain",
        description: "The rows of EXPLAIN, as a subquery (EXPLAIN ...) in FROM.",
        examples: &["SELECT * FROM (EXPLAIN SELECT 1)"],
        build: of_analyzer,
    },
    TableFunctionDef {
        name: "viewIfPermitted",
        description: "The rows of a query, or of a table function if the user may not run it: \
                      viewIfPermitted(SELECT ... ELSE null('a UInt8')).",
        examples: &["SELECT * FROM viewIfPermitted(SELECT 1 AS a ELSE null('a UInt8'))"],
        build: of_analyzer,
    },
];

/// The definition of a table function. Fails if there is none with this name.
pub fn table_function(name: &str) -> Result<&'static TableFunctionDef> {
    let found = TABLE_FUNCTIONS.iter().find(|f| f.name == name);
    found.ok_or_else(|| crate::elsewhere::missing(name))
}

/// The engine that is shown for a table that stands for a call of a table function.
pub fn engine_of(function: &str) -> &'static str {
    match function {
        "numbers" | "numbers_mt" | "generate_series" | "generateSeries" => "SystemNumbers",
        "zeros" | "zeros_mt" => "SystemZeros",
        "primes" => "SystemPrimes",
        "generateRandom" => "GenerateRandom",
        "values" => "Values",
        _ => "Proxy",
    }
}

/// A table function that the analyser resolves, since it means tables or queries: it comes here
/// only with arguments that mean none.
fn of_analyzer(args: &[Value], _: &TableFunctionContext) -> Result<Arc<dyn Table>> {
    let message = format!(
        "Wrong arguments of the table function ({} given): system.table_functions says which it \
         takes",
        args.len()
    );
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}
