//! Materialised views: what crashes leave, INSERTs at the same time, restarts, memory, and
//! refreshes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_analyze::QueryCatalog;
use entasis_base::sync::SetOnDrop;
use entasis_base::{Result, codes};
use entasis_disk::{Disk, FaultDisk, MemoryDisk};
use entasis_mergetree::Store;
use entasis_table_api::Catalog;

use crate::{Engine, EngineConfig, Session};

/// The answer as text, with commas between columns and semicolons between rows.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).unwrap().collect().unwrap();
    let text = |row: usize| {
        let cell = |c: &entasis_column::Column| match c.value(row) {
            entasis_types::Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => entasis_types::name::literal(&other).trim_end_matches('.').to_string(),
        };
        rows.columns.iter().map(cell).collect::<Vec<_>>().join(",")
    };
    (0..rows.rows).map(text).collect::<Vec<_>>().join(";")
}

fn open(disk: &Arc<dyn Disk>) -> Result<Arc<Engine>> {
    entasis_functions::register();
    let disk = Some(Arc::clone(disk));
    Engine::open(EngineConfig { disk, threads: 2, ..EngineConfig::local(None).unwrap() })
}

fn in_memory() -> Arc<Engine> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    open(&disk).unwrap()
}

fn execute(session: &mut Session, statements: &[&str]) -> Result<()> {
    statements.iter().try_for_each(|statement| {
        session.execute(statement).and_then(|result| result.collect()).map(drop)
    })
}

const SCHEMA: &[&str] = &[
    "CREATE TABLE src (k UInt8, v UInt64) ENGINE = MergeTree ORDER BY k",
    "CREATE TABLE t (k UInt8, s UInt64) ENGINE = MergeTree ORDER BY k",
    "CREATE MATERIALIZED VIEW m1 TO t AS SELECT k, sum(v) AS s FROM src GROUP BY k",
    "CREATE MATERIALIZED VIEW m2 ENGINE = MergeTree ORDER BY k AS SELECT k, s FROM t",
    "CREATE MATERIALIZED VIEW m3 ENGINE = SummingMergeTree ORDER BY k AS \
     SELECT k, count() AS c, sum(v) AS s FROM src GROUP BY k",
];

/// Sums that are equal if every INSERT is in all tables or in none.
const SUMS: &str = "SELECT (SELECT sum(v) FROM src), (SELECT sum(s) FROM t), \
                    (SELECT sum(s) FROM m2), (SELECT sum(s) FROM m3)";

/// Runs [`SUMS`], and answers the one number that all sums must be.
fn one_sum(session: &mut Session, what: &str) -> u64 {
    let sums = ask(session, SUMS);
    let all: Vec<u64> = sums.split(',').map(|sum| sum.parse().unwrap()).collect();
    assert!(all.iter().all(|sum| *sum == all[0]), "{what}: {sums}");
    all[0]
}

#[test]
fn a_crash_leaves_an_insert_in_all_tables_or_in_none() {
    let insert = |disk: &Arc<FaultDisk>| -> u64 {
        let Ok(engine) = open(&(Arc::clone(disk) as Arc<dyn Disk>)) else { return 0 };
        let mut session = engine.session();
        let mut acknowledged = 0;
        if execute(&mut session, SCHEMA).is_err() {
            return 0;
        }
        for n in 1..4 {
            let statement = format!("INSERT INTO src SELECT number % 3, {n} FROM numbers(10)");
            if execute(&mut session, &[&statement]).is_ok() {
                acknowledged += 10 * n;
            }
        }
        acknowledged
    };
    let whole = Arc::new(FaultDisk::new());
    assert_eq!(insert(&whole), 60);
    let changes = whole.changes();
    let mut seen = [0usize; 2];
    for at in 0..changes {
        let disk = Arc::new(FaultDisk::new());
        disk.crash_at(at);
        let acknowledged = insert(&disk);
        let again: Arc<dyn Disk> = Arc::new(disk.restart(at));
        let engine = open(&again).unwrap();
        let mut session = engine.session();
        let tables = "SELECT count() FROM system.tables WHERE database = 'default'";
        // The three tables, and each view with its inner table or without both.
        if ask(&mut session, tables) != "7" {
            assert_eq!(acknowledged, 0, "crash at {at}");
            let torn = "SELECT countIf(engine = 'MaterializedView' AND name != 'm1') = \
                        countIf(name LIKE '.inner%') FROM system.tables WHERE database = 'default'";
            assert_eq!(ask(&mut session, torn), "1", "crash at {at}");
            seen[0] += 1;
            continue;
        }
        let sum = one_sum(&mut session, &format!("crash at {at}"));
        assert!(sum >= acknowledged, "crash at {at}: {acknowledged} were acknowledged, not {sum}");
        seen[1] += 1;
    }
    assert!(seen.iter().all(|count| *count > 5), "{seen:?}");
}

#[test]
fn readers_see_an_insert_in_all_tables_or_in_none() {
    let engine = in_memory();
    execute(&mut engine.session(), SCHEMA).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let running = SetOnDrop(&done);
        let writers: Vec<_> = (0..3)
            .map(|_| {
                let mut session = engine.session();
                scope.spawn(move || {
                    for n in 1..8 {
                        let insert =
                            format!("INSERT INTO src SELECT number % 5, {n} FROM numbers(50)");
                        execute(&mut session, &[&insert]).unwrap();
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let mut session = engine.session();
            while !done.load(Ordering::Relaxed) {
                one_sum(&mut session, "while others insert");
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        drop(running);
        reader.join().unwrap();
    });
    assert_eq!(one_sum(&mut engine.session(), "at the end"), 3 * 28 * 50);
}

#[test]
fn an_insert_that_fails_in_a_view_leaves_nothing() {
    let engine = in_memory();
    let mut session = engine.session();
    execute(&mut session, SCHEMA).unwrap();
    let bad = "CREATE MATERIALIZED VIEW bad ENGINE = MergeTree ORDER BY x AS \
               SELECT throwIf(s = 13) AS x FROM t";
    execute(&mut session, &[bad, "INSERT INTO src VALUES (1, 1)"]).unwrap();
    let failed = execute(&mut session, &["INSERT INTO src VALUES (2, 5), (1, 13)"]).unwrap_err();
    assert_eq!(failed.code(), codes::FUNCTION_THROW_IF_VALUE_IS_NON_ZERO);
    assert!(failed.to_string().contains("default.bad"), "{failed}");
    assert_eq!(one_sum(&mut session, "after the error"), 1);
    let ignoring = "INSERT INTO src SETTINGS materialized_views_ignore_errors = 1 VALUES (1, 13)";
    execute(&mut session, &[ignoring]).unwrap();
    assert_eq!(one_sum(&mut session, "with errors that are ignored"), 14);
    assert_eq!(ask(&mut session, "SELECT count() FROM bad"), "1");
}

#[test]
fn an_insert_with_a_token_is_stored_once_in_all_tables() {
    let engine = in_memory();
    let mut session = engine.session();
    execute(&mut session, SCHEMA).unwrap();
    for _ in 0..3 {
        let insert = "INSERT INTO src SETTINGS insert_deduplication_token = 'once', \
                      insert_deduplicate = 1 VALUES (1, 7)";
        execute(&mut session, &[insert]).unwrap();
    }
    let sum = one_sum(&mut session, "after three equal INSERTs");
    assert!(sum == 7 || sum == 21, "{sum}");
    // Without a token, equal rows of a view are all stored.
    execute(&mut session, &["INSERT INTO src VALUES (1, 9)", "INSERT INTO src VALUES (1, 9)"])
        .unwrap();
    assert_eq!(one_sum(&mut session, "after equal rows"), sum + 18);
}

#[test]
fn views_are_there_again_when_the_engine_is_opened_again() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let shown = "SELECT name, engine, create_table_query, as_select, dependencies_table, comment \
                 FROM system.tables WHERE database = 'default' ORDER BY name";
    let before = {
        let engine = open(&disk).unwrap();
        let mut session = engine.session();
        execute(&mut session, SCHEMA).unwrap();
        let more = [
            "CREATE VIEW p AS SELECT k, {n:UInt8} AS n FROM src WHERE v > {least:UInt64}",
            "CREATE MATERIALIZED VIEW r REFRESH EVERY 100 YEAR DEPENDS ON m1 APPEND TO t EMPTY \
             COMMENT 'it''s' AS SELECT toUInt8(1) AS k",
            "RENAME TABLE m3 TO m4",
            "RENAME TABLE m4 TO m3",
            "ALTER TABLE m1 MODIFY COMMENT 'sums'",
            "INSERT INTO src VALUES (1, 1)",
        ];
        execute(&mut session, &more).unwrap();
        ask(&mut session, shown)
    };
    let engine = open(&disk).unwrap();
    let mut session = engine.session();
    assert_eq!(ask(&mut session, shown), before);
    execute(&mut session, &["INSERT INTO src VALUES (1, 2)"]).unwrap();
    assert_eq!(one_sum(&mut session, "after a restart"), 3);
    assert_eq!(ask(&mut session, "SELECT * FROM p(n = 3, least = 1)"), "1,3");
}

#[test]
fn a_view_that_never_got_its_name_goes_with_its_inner_table() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    execute(&mut open(&disk).unwrap().session(), SCHEMA).unwrap();
    {
        let store = Store::open(Arc::clone(&disk), false).unwrap();
        let inner = "CREATE TABLE inner (k UInt8) ENGINE = MergeTree ORDER BY k";
        store.create_table("default", "\u{0}aside0", inner).unwrap();
        let view = "CREATE MATERIALIZED VIEW v UUID '00000000-0000-4000-8000-000000000000' \
                    (k UInt8) ENGINE = MergeTree ORDER BY k AS SELECT k FROM default.src";
        store.create_table("default", "\u{0}aside1", view).unwrap();
    }
    let engine = open(&disk).unwrap();
    let mut session = engine.session();
    let tables = "SELECT count() FROM system.tables WHERE database = 'default'";
    assert_eq!(ask(&mut session, tables), "7");
    execute(&mut session, &["INSERT INTO src VALUES (1, 1)"]).unwrap();
    execute(&mut session, &["DROP TABLE m2", "DROP VIEW m3", "DROP TABLE m1"]).unwrap();
    assert_eq!(ask(&mut session, tables), "2");
}

#[test]
fn a_large_insert_through_views_needs_the_memory_of_a_few_blocks() {
    let engine = in_memory();
    let mut session = engine.session();
    let statements = [
        "CREATE TABLE src (k UInt64, s String) ENGINE = Null",
        "CREATE MATERIALIZED VIEW g ENGINE = SummingMergeTree ORDER BY k AS \
         SELECT k % 100 AS k, count() AS c, sum(length(s)) AS n FROM src GROUP BY k",
        "SET min_insert_block_size_rows_for_materialized_views = 100000, \
         max_memory_usage = 150000000",
        // All rows together have more than 200 MB.
        "INSERT INTO src SELECT number, repeat('x', 200) FROM numbers(1000000)",
    ];
    execute(&mut session, &statements).unwrap();
    assert_eq!(ask(&mut session, "SELECT sum(c), sum(n) FROM g"), "1000000,200000000");
    assert_eq!(ask(&mut session, "SELECT count() FROM g FINAL"), "100");
}

#[test]
fn an_insert_into_a_circle_of_views_is_refused() {
    let engine = in_memory();
    let mut session = engine.session();
    let mut statements = Vec::new();
    for i in 0..20 {
        statements.push(format!("CREATE TABLE t{i} (x UInt8) ENGINE = MergeTree ORDER BY x"));
    }
    for i in 0..19 {
        let next = i + 1;
        statements.push(format!("CREATE MATERIALIZED VIEW m{i} TO t{next} AS SELECT x FROM t{i}"));
    }
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    execute(&mut session, &statements).unwrap();
    execute(&mut session, &["INSERT INTO t0 VALUES (1), (2)"]).unwrap();
    assert_eq!(ask(&mut session, "SELECT sum(x) FROM t19"), "3");
    execute(&mut session, &["CREATE MATERIALIZED VIEW back TO t5 AS SELECT x FROM t19"]).unwrap();
    let failed = execute(&mut session, &["INSERT INTO t0 VALUES (3)"]).unwrap_err();
    assert_eq!(failed.code(), codes::TOO_DEEP_RECURSION);
    execute(&mut session, &["DROP TABLE back", "INSERT INTO t7 VALUES (3)"]).unwrap();
    assert_eq!(ask(&mut session, "SELECT sum(x) FROM t19"), "6");
    assert_eq!(ask(&mut session, "SELECT sum(x) FROM t0"), "3");
}

#[test]
fn a_table_that_stands_for_itself_is_an_error() {
    let engine = in_memory();
    let mut session = engine.session();
    let statements = [
        "CREATE TABLE t (x UInt8) ENGINE = Memory",
        "CREATE TABLE r AS remote('127.0.0.1', currentDatabase(), 't')",
        "EXCHANGE TABLES t AND r",
    ];
    execute(&mut session, &statements).unwrap();
    let buffer = "CREATE TABLE b (x UInt8) ENGINE = Buffer('', 'b', 1, 1, 1, 1, 1, 1, 1)";
    for statement in ["INSERT INTO t VALUES (1)", "INSERT INTO t SELECT 1", buffer] {
        let error = execute(&mut session, &[statement]).unwrap_err();
        assert_eq!(error.code(), codes::INFINITE_LOOP, "{statement}");
    }
}

/// A statement that has looked at the catalog reads a table that is replaced before it is read.
#[test]
fn a_statement_reads_a_table_that_was_replaced_meanwhile() {
    let engine = in_memory();
    let (session, mut other) = (engine.session(), engine.session());
    let statements = [
        "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n",
        "INSERT INTO t SELECT number FROM numbers(100)",
    ];
    execute(&mut other, &statements).unwrap();
    let catalog = session.catalog_view();
    let table = catalog.table(None, "t").unwrap();
    let replace = "CREATE OR REPLACE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n";
    execute(&mut other, &[replace]).unwrap();
    assert_eq!(ask(&mut other, "SELECT count() FROM t"), "0");
    let snapshot = table.snapshot_in(catalog.stores().unwrap()).unwrap();
    assert_eq!(snapshot.row_count(), Some(100));
}

#[test]
fn a_refresh_replaces_all_rows_or_none() {
    let engine = in_memory();
    let mut session = engine.session();
    let statements = [
        "CREATE TABLE src (n UInt64) ENGINE = MergeTree ORDER BY n",
        "INSERT INTO src SELECT number FROM numbers(100)",
        "CREATE MATERIALIZED VIEW r REFRESH EVERY 100 YEAR SETTINGS refresh_retries = 0 \
         ENGINE = MergeTree ORDER BY n EMPTY AS SELECT n, throwIf(n = 1000) AS z FROM src",
        "SYSTEM REFRESH VIEW r",
        "SYSTEM WAIT VIEW r",
    ];
    execute(&mut session, &statements).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let running = SetOnDrop(&done);
        let reader = scope.spawn(|| {
            let mut session = engine.session();
            while !done.load(Ordering::Relaxed) {
                assert_eq!(ask(&mut session, "SELECT count() FROM r"), "100");
            }
        });
        for _ in 0..10 {
            execute(&mut session, &["SYSTEM REFRESH VIEW r", "SYSTEM WAIT VIEW r"]).unwrap();
        }
        drop(running);
        reader.join().unwrap();
    });
    execute(&mut session, &["INSERT INTO src VALUES (1000)", "SYSTEM REFRESH VIEW r"]).unwrap();
    let failed = execute(&mut session, &["SYSTEM WAIT VIEW r"]).unwrap_err();
    assert_eq!(failed.code(), codes::REFRESH_FAILED);
    assert_eq!(ask(&mut session, "SELECT count() FROM r"), "100");
    let state = "SELECT status, retry, exception LIKE '%throwIf%' FROM system.view_refreshes";
    assert_eq!(ask(&mut session, state), "Scheduled,1,1");
    let tables = "SELECT count() FROM system.tables WHERE database = 'default'";
    assert_eq!(ask(&mut session, tables), "3");
    execute(&mut session, &["DROP TABLE r"]).unwrap();
    assert_eq!(ask(&mut session, tables), "1");
}

#[test]
fn a_refresh_can_be_stopped_and_cancelled() {
    let engine = in_memory();
    let mut session = engine.session();
    let create = "CREATE MATERIALIZED VIEW r REFRESH EVERY 100 YEAR ENGINE = Null EMPTY AS \
                  SELECT number FROM system.numbers";
    let state = "SELECT status, exception LIKE '%cancelled%' FROM system.view_refreshes";
    execute(&mut session, &[create]).unwrap();
    for (stop, status) in [("CANCEL", "Scheduled,1"), ("STOP", "Disabled,1")] {
        execute(&mut session, &["SYSTEM REFRESH VIEW r"]).unwrap();
        while !ask(&mut session, state).starts_with("Running") {
            std::thread::yield_now();
        }
        execute(&mut session, &[&format!("SYSTEM {stop} VIEW r")]).unwrap();
        let failed = execute(&mut session, &["SYSTEM WAIT VIEW r"]).unwrap_err();
        assert_eq!(failed.code(), codes::REFRESH_FAILED, "{stop}");
        assert_eq!(ask(&mut session, state), status);
    }
    // A view that is stopped does not run until it is started again.
    execute(&mut session, &["SYSTEM REFRESH VIEW r"]).unwrap();
    assert!(ask(&mut session, state).starts_with("Disabled"));
    execute(&mut session, &["SYSTEM START VIEW r"]).unwrap();
    while !ask(&mut session, state).starts_with("Running") {
        std::thread::yield_now();
    }
    // DROP ends what runs for the view.
    execute(&mut session, &["DROP TABLE r"]).unwrap();
    assert_eq!(ask(&mut session, state), "");
}
