//! Table engines whose behaviour SQL cases cannot show: restarts, other machines, time.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::{Error, codes};
use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, Session};

fn session_on(disk: &Arc<dyn Disk>) -> Session {
    entasis_functions::register();
    let config = EngineConfig::local(None).unwrap();
    let disk = Some(Arc::clone(disk));
    Engine::open(EngineConfig { disk, threads: 2, ..config }).unwrap().session()
}

fn memory() -> Arc<dyn Disk> {
    Arc::new(MemoryDisk::new())
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

/// The answer as text, with commas between columns and semicolons between rows.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).unwrap().collect().unwrap();
    let text = |row: usize| {
        let cell = |column: &entasis_column::Column| match column.value(row) {
            entasis_types::Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => entasis_types::name::literal(&other),
        };
        rows.columns.iter().map(cell).collect::<Vec<_>>().join(",")
    };
    (0..rows.rows).map(text).collect::<Vec<_>>().join(";")
}

fn fails(session: &mut Session, statement: &str) -> Error {
    session.execute(statement).and_then(|result| result.collect()).map(drop).unwrap_err()
}

#[test]
fn a_buffer_writes_its_rows_when_the_program_ends() {
    let disk = memory();
    {
        let mut session = session_on(&disk);
        run(&mut session, "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n");
        let limits = "1, 1000, 1000, 100, 100, 100000000, 100000000";
        let create = format!("CREATE TABLE b (n UInt64) ENGINE = Buffer('default', 't', {limits})");
        run(&mut session, &create);
        run(&mut session, "INSERT INTO b VALUES (1), (2)");
        assert_eq!(ask(&mut session, "SELECT count() FROM t"), "0");
        assert_eq!(ask(&mut session, "SELECT count() FROM b"), "2");
    }
    let mut session = session_on(&disk);
    assert_eq!(ask(&mut session, "SELECT count() FROM t"), "2");
    assert_eq!(ask(&mut session, "SELECT count() FROM b"), "2");
    run(&mut session, "INSERT INTO b VALUES (3)");
    run(&mut session, "CREATE DATABASE d");
    run(&mut session, "RENAME TABLE b TO d.b");
    run(&mut session, "DROP DATABASE d");
    assert_eq!(ask(&mut session, "SELECT count() FROM t"), "3");
}

#[test]
fn a_buffer_writes_its_rows_when_they_are_old() {
    let mut session = session_on(&memory());
    run(&mut session, "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n");
    let limits = "1, 1, 1, 100000, 100000, 100000000, 100000000";
    let create = format!("CREATE TABLE b (n UInt64) ENGINE = Buffer('default', 't', {limits})");
    run(&mut session, &create);
    run(&mut session, "INSERT INTO b VALUES (1)");
    let begin = Instant::now();
    while ask(&mut session, "SELECT count() FROM t") != "1" {
        assert!(begin.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(20));
    }
    // The row leaves the buffer right after it has come into the table.
    while ask(&mut session, "SELECT count() FROM b") != "1" {
        assert!(begin.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_cluster_is_this_machine() {
    let disk = memory();
    {
        let mut session = session_on(&disk);
        run(&mut session, "CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n");
        let engine = "Distributed(test_shard_localhost, currentDatabase(), t, rand())";
        run(&mut session, &format!("CREATE TABLE d AS t ENGINE = {engine}"));
        run(&mut session, &format!("CREATE TABLE inferred ENGINE = {engine}"));
        run(
            &mut session,
            "CREATE TABLE e (s String, n UInt8) ENGINE = Distributed('default', '', t)",
        );
        run(&mut session, "INSERT INTO d VALUES (1, 'a')");
        run(&mut session, "INSERT INTO e (n) VALUES (2)");
    }
    let mut session = session_on(&disk);
    assert_eq!(ask(&mut session, "SELECT n, s, _shard_num FROM d ORDER BY n"), "1,a,1;2,,1");
    assert_eq!(ask(&mut session, "SELECT * FROM inferred ORDER BY n"), "1,a;2,");
    assert_eq!(ask(&mut session, "SELECT * FROM e WHERE n = 1"), "a,1");
    assert_eq!(ask(&mut session, "SELECT count() FROM d AS x JOIN t AS y ON x.n = y.n"), "2");
    assert_eq!(fails(&mut session, "TRUNCATE TABLE d").code(), codes::NOT_IMPLEMENTED);
    run(&mut session, "DROP TABLE t");
    assert_eq!(fails(&mut session, "SELECT * FROM d").code(), codes::UNKNOWN_TABLE);
    run(&mut session, "CREATE TABLE t AS d ENGINE = Distributed('default', 'default', 'd')");
    assert_eq!(fails(&mut session, "SELECT * FROM d").code(), codes::INFINITE_LOOP);
    let create = "CREATE TABLE no (n UInt8) ENGINE = Distributed(elsewhere, default, t)";
    assert_eq!(fails(&mut session, create).code(), codes::CLUSTER_DOESNT_EXIST);
}

#[test]
fn tables_with_an_index_survive_a_restart() {
    let disk = memory();
    {
        let mut session = session_on(&disk);
        run(
            &mut session,
            "CREATE TABLE kv (k String, v UInt8) ENGINE = KeeperMap('/x', 3) PRIMARY KEY k",
        );
        run(&mut session, "INSERT INTO kv VALUES ('a', 1), ('b', 2), ('a', 3)");
        run(&mut session, "CREATE TABLE s (k UInt8) ENGINE = Set");
        run(&mut session, "INSERT INTO s VALUES (1), (2)");
        run(&mut session, "CREATE TABLE j (k UInt8, v String) ENGINE = Join(ANY, LEFT, k)");
        run(&mut session, "INSERT INTO j VALUES (1, 'one')");
        run(&mut session, "CREATE TABLE lost (k UInt8) ENGINE = Set SETTINGS persistent = 0");
        run(&mut session, "INSERT INTO lost VALUES (1)");
        assert_eq!(ask(&mut session, "SELECT 1 IN lost"), "1");
    }
    let mut session = session_on(&disk);
    assert_eq!(ask(&mut session, "SELECT * FROM kv ORDER BY k"), "a,3;b,2");
    assert_eq!(ask(&mut session, "SELECT v FROM kv WHERE k = 'a'"), "3");
    assert_eq!(ask(&mut session, "SELECT 2 IN s, 3 IN s, 1 IN lost"), "1,0,0");
    assert_eq!(ask(&mut session, "SELECT joinGet('j', 'v', 1::UInt8)"), "one");
    let limit = fails(&mut session, "INSERT INTO kv VALUES ('c', 1), ('d', 1)");
    assert_eq!(limit.code(), codes::SET_SIZE_LIMIT_EXCEEDED);
    assert_eq!(ask(&mut session, "SELECT count() FROM kv"), "2");
}

#[test]
fn reading_by_key_does_not_scan() {
    let mut session = session_on(&memory());
    run(
        &mut session,
        "CREATE TABLE kv (k UInt64, v UInt64) ENGINE = EmbeddedRocksDB PRIMARY KEY k",
    );
    run(&mut session, "INSERT INTO kv SELECT number, number * 2 FROM numbers(200000)");
    for (condition, rows, sum) in [
        ("k = 77", 1, "154"),
        ("k IN (5, 6, 1000000)", 2, "22"),
        ("k IN (SELECT number FROM numbers(3))", 3, "6"),
        ("k = 77 AND v = 1", 1, "0"),
    ] {
        let query =
            format!("SELECT sum(v) FROM kv WHERE {condition} SETTINGS max_rows_to_read = 10");
        assert_eq!(ask(&mut session, &query), sum, "{condition}, {rows} rows");
    }
    let scan = "SELECT sum(v) FROM kv WHERE v = 10 SETTINGS max_rows_to_read = 10";
    assert_eq!(fails(&mut session, scan).code(), codes::TOO_MANY_ROWS);
}

#[test]
fn engines_that_reach_elsewhere_say_what_to_do_instead() {
    let mut session = session_on(&memory());
    for engine in ["Kafka", "S3", "MySQL", "Iceberg", "SQLite", "FileLog", "TimeSeries", "Hive"] {
        let create = format!("CREATE TABLE t (n UInt8) ENGINE = {engine}('x')");
        let error = fails(&mut session, &create);
        assert_eq!(error.code(), codes::NOT_IMPLEMENTED, "{engine}");
        assert!(error.message().contains(": "), "{engine}: {error}");
    }
    let unknown = fails(&mut session, "CREATE TABLE t (n UInt8) ENGINE = Nonsense");
    assert_eq!(unknown.code(), codes::UNKNOWN_STORAGE);
}
