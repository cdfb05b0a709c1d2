//! Statements that spill, run by the engine: where their files are, what is counted, and what
//! happens if the disk is full.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_base::{Result, codes};
use entasis_column::Chunk;
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, QueryOptions, Session};
use entasis_types::Value;

const GROUP_BY: &str = "SELECT count(), sum(k), sum(s) FROM (SELECT number AS k, sum(number) AS s \
                        FROM numbers_mt(600000) GROUP BY k)";
const ORDER_BY: &str = "SELECT cityHash64(number) AS k, number FROM numbers_mt(300000) \
                        ORDER BY k DESC LIMIT 2000000";
const SETTINGS: &str = " SETTINGS max_bytes_before_external_group_by = 2000000, \
                        max_bytes_before_external_sort = 2000000";

fn engine(disk: Arc<dyn Disk>) -> Arc<Engine> {
    let local = EngineConfig::local(None).unwrap();
    entasis_functions::register();
    Engine::open(EngineConfig { disk: Some(disk), threads: 2, ..local }).unwrap()
}

fn rows(session: &mut Session, query: &str) -> Result<String> {
    let mut result = session.execute_with(query, QueryOptions::default())?;
    let mut chunks = Vec::new();
    while let Some(chunk) = result.next_chunk()? {
        chunks.push(chunk);
    }
    let all = Chunk::concat(&chunks);
    let text = |value: Value| match value {
        Value::String(text) => String::from_utf8_lossy(&text).into_owned(),
        other => format!("{other:?}"),
    };
    let row = |i| all.columns.iter().map(|c| text(c.value(i))).collect::<Vec<_>>().join(" ");
    Ok((0..all.rows).map(row).collect::<Vec<_>>().join("\n"))
}

#[test]
fn files_are_on_the_engines_disk_and_gone_afterwards() {
    let disk = Arc::new(MemoryDisk::new());
    disk.create_dir_all("tmp").unwrap();
    drop(disk.create("tmp/77-1.tmp").unwrap());
    let engine = engine(disk.clone());
    assert_eq!(disk.list("tmp").unwrap(), [], "what a killed process has left");
    disk.remove_dir_all("tmp").unwrap();
    let mut session = engine.session();
    for query in [GROUP_BY, ORDER_BY] {
        let in_memory = rows(&mut session, query).unwrap();
        assert!(!disk.exists("tmp").unwrap());
        assert_eq!(rows(&mut session, &format!("{query}{SETTINGS}")).unwrap(), in_memory);
        assert_eq!(disk.list("tmp").unwrap(), []);
        disk.remove_dir_all("tmp").unwrap();
    }
}

#[test]
fn explain_analyze_says_what_was_spilled() {
    let mut session = engine(Arc::new(MemoryDisk::new())).session();
    for query in [GROUP_BY, ORDER_BY] {
        let analyzed = rows(&mut session, &format!("EXPLAIN ANALYZE {query}{SETTINGS}")).unwrap();
        assert!(analyzed.contains("spilled parts"), "{analyzed}");
        assert!(
            !rows(&mut session, &format!("EXPLAIN ANALYZE {query}")).unwrap().contains("spill")
        );
    }
}

#[test]
fn a_full_disk_ends_the_statement_and_nothing_else() {
    for (query, fault) in [
        (GROUP_BY, Fault::NoSpace),
        (GROUP_BY, Fault::ShortWrite),
        (ORDER_BY, Fault::NoSpace),
        (ORDER_BY, Fault::ShortWrite),
    ] {
        let disk = Arc::new(FaultDisk::new());
        let mut session = engine(disk.clone()).session();
        let query = format!("{query}{SETTINGS}");
        disk.fail_at(disk.calls() + 6, fault);
        let error = rows(&mut session, &query).unwrap_err();
        let code = match fault {
            Fault::NoSpace => codes::NOT_ENOUGH_SPACE,
            _ => codes::CANNOT_WRITE_TO_FILE_DESCRIPTOR,
        };
        assert_eq!(error.code(), code, "{error}");
        // The sixth call may be of a file or of the folder, depending on the workers.
        assert!(error.message().contains("`tmp"), "{error}");
        assert_eq!(disk.list("tmp").unwrap(), []);
        assert!(rows(&mut session, &query).is_ok());
    }
}

#[test]
fn bounds_of_the_files() {
    let mut session = engine(Arc::new(MemoryDisk::new())).session();
    for query in [GROUP_BY, ORDER_BY] {
        let with = |more: &str| format!("{query}{SETTINGS}, {more}");
        let query = with("max_temporary_data_on_disk_size_for_query = 100000");
        let error = rows(&mut session, &query).unwrap_err();
        assert_eq!(error.code(), codes::TOO_MANY_ROWS_OR_BYTES, "{error}");
        let error = rows(&mut session, &with("temporary_files_codec = 'FSST'")).unwrap_err();
        assert_eq!(error.code(), codes::UNKNOWN_CODEC, "{error}");
        for codec in ["NONE", "zstd"] {
            rows(&mut session, &with(&format!("temporary_files_codec = '{codec}'"))).unwrap();
        }
    }
}

#[test]
fn a_memory_limit_is_reason_enough() {
    let mut session = engine(Arc::new(MemoryDisk::new())).session();
    // 600,000 rows of two numbers; half of them fit into memory.
    for ratio in ["", ", max_bytes_ratio_before_external_group_by = 0"] {
        let query = format!("{GROUP_BY} SETTINGS max_memory_usage = 6000000{ratio}");
        let result = rows(&mut session, &query);
        assert_eq!(result.is_ok(), ratio.is_empty(), "{result:?}");
    }
}

/// Operators that together need several times the memory that they get.
const SEVERAL: &str = "SELECT count(), sum(r), sum(c), sum(length(s)) FROM (\
    SELECT k, s, c, row_number() OVER (PARTITION BY k % 5000 ORDER BY s) AS r FROM (\
    SELECT k, s, count() AS c FROM (\
    SELECT DISTINCT number % 300000 AS k, toString(number % 300000) AS s, number % 3 AS x \
    FROM numbers_mt(600000)) GROUP BY k, s) ORDER BY cityHash64(k) LIMIT 299999 OFFSET 1)";

#[test]
fn several_operators_share_the_memory_of_a_statement() {
    let mut session = engine(Arc::new(MemoryDisk::new())).session();
    let in_memory = rows(&mut session, SEVERAL).unwrap();
    let limited = format!("{SEVERAL} SETTINGS max_memory_usage = 16000000");
    assert_eq!(rows(&mut session, &limited).unwrap(), in_memory);
    let analyzed = rows(&mut session, &format!("EXPLAIN ANALYZE {limited}")).unwrap();
    assert!(analyzed.matches("spilled parts").count() >= 4, "{analyzed}");
    let ratios = ["group_by", "sort", "distinct"]
        .map(|of| format!(", max_bytes_ratio_before_external_{of} = 0"))
        .concat();
    let error = rows(&mut session, &format!("{limited}{ratios}")).unwrap_err();
    assert_eq!(error.code(), codes::MEMORY_LIMIT_EXCEEDED, "{error}");
}

#[test]
fn a_limit_of_the_user_is_reason_enough() {
    let mut session = engine(Arc::new(MemoryDisk::new())).session();
    for query in [GROUP_BY, &ORDER_BY.replace("LIMIT 2000000", "LIMIT 290000 OFFSET 1000")] {
        let in_memory = rows(&mut session, query).unwrap();
        let limited = format!("{query} SETTINGS max_memory_usage_for_user = 6000000");
        assert_eq!(rows(&mut session, &limited).unwrap(), in_memory);
    }
}
