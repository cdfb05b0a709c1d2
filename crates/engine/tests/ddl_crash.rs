//! Statements that change several names: a crash at any point leaves all of their changes or none,
//! and what was acknowledged stays.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_base::Result;
use entasis_disk::{Disk, FaultDisk};
use entasis_engine::{Engine, EngineConfig, Session};

fn session_on(disk: &Arc<FaultDisk>) -> Result<Session> {
    entasis_functions::register();
    let disk = Some(Arc::clone(disk) as Arc<dyn Disk>);
    let config =
        EngineConfig { disk, threads: 1, merges: false, ..EngineConfig::local(None).unwrap() };
    Ok(Engine::open(config)?.session())
}

fn execute(session: &mut Session, statement: &str) -> Result<()> {
    session.execute(statement).and_then(|result| result.collect()).map(drop)
}

/// The only value of a query's result, as text.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    let value = rows.columns[0].value(0);
    match value.as_bytes() {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => value.as_u64().map_or(String::new(), |number| number.to_string()),
    }
}

/// Everything that a session can see of its tables, functions and databases.
const STATE: &str = "SELECT arrayStringConcat(arraySort(groupArray(x)), ' ') FROM (\
    SELECT concat(database, '.', name, ':', toString(assumeNotNull(total_rows))) AS x \
    FROM system.tables WHERE database IN ('default', 'd', 'e') \
    UNION ALL SELECT concat('detached ', database, '.', table) FROM system.detached_tables \
    UNION ALL SELECT concat('dropped ', database, '.', table) FROM system.dropped_tables \
    UNION ALL SELECT create_query FROM system.functions WHERE origin = 'SQLUserDefined' \
    UNION ALL SELECT concat('database ', name, engine, comment) FROM system.databases)";

const BEFORE: &[&str] = &[
    "CREATE DATABASE d COMMENT 'of d'",
    "CREATE TABLE d.a (x UInt8) ENGINE = MergeTree ORDER BY x",
    "INSERT INTO d.a VALUES (1)",
    "CREATE TABLE d.b (x UInt8) ENGINE = MergeTree ORDER BY x",
    "INSERT INTO d.b VALUES (1), (2)",
    "CREATE TABLE d.gone (x UInt8) ENGINE = MergeTree ORDER BY x",
    "INSERT INTO d.gone VALUES (1), (2), (3)",
    "CREATE TABLE d.away (x UInt8) ENGINE = MergeTree ORDER BY x",
    "CREATE FUNCTION f AS (x) -> x + 1",
    "DROP TABLE d.gone",
    "DETACH TABLE d.away PERMANENTLY",
];

const STATEMENTS: &[&str] = &[
    "DROP TABLE d.a, d.b",
    "DROP TABLE d.a, d.b SYNC",
    "RENAME TABLE d.a TO d.c, d.b TO d.a",
    "EXCHANGE TABLES d.a AND d.b",
    "RENAME DATABASE d TO e",
    "DROP DATABASE d",
    "TRUNCATE DATABASE d",
    "DETACH TABLE d.a PERMANENTLY",
    "ATTACH TABLE d.away",
    "UNDROP TABLE d.gone",
    "CREATE OR REPLACE FUNCTION f AS (x) -> x + 2",
    "CREATE FUNCTION g AS (x) -> f(x)",
    "DROP FUNCTION f",
    "CREATE DATABASE e ENGINE = Memory COMMENT 'of e'",
    "ALTER DATABASE d MODIFY COMMENT 'new'",
    "CREATE OR REPLACE TABLE d.a CLONE AS d.b",
];

#[test]
fn a_crash_leaves_all_or_nothing() {
    for statement in STATEMENTS {
        let disk = Arc::new(FaultDisk::new());
        let mut session = session_on(&disk).unwrap();
        BEFORE.iter().for_each(|statement| execute(&mut session, statement).expect(statement));
        let before = ask(&mut session, STATE);
        drop(session);
        let first = Arc::new(disk.restart_clean());
        let mut session = session_on(&first).unwrap();
        assert_eq!(ask(&mut session, STATE), before, "{statement}");
        let start = first.changes();
        execute(&mut session, statement).expect(statement);
        let steps = first.changes() - start;
        let after = ask(&mut session, STATE);
        assert_ne!(after, before, "{statement}");
        drop(session);
        assert!(steps > 0, "{statement}");
        let again = Arc::new(first.restart(1));
        assert_eq!(ask(&mut session_on(&again).unwrap(), STATE), after, "{statement}");
        for step in 0..steps {
            let broken = Arc::new(disk.restart_clean());
            let mut session = session_on(&broken).unwrap();
            broken.crash_at(broken.changes() + step);
            let done = execute(&mut session, statement);
            drop(session);
            let found = ask(&mut session_on(&Arc::new(broken.restart(step))).unwrap(), STATE);
            let expected = found == after || done.is_err() && found == before;
            assert!(expected, "{statement}, step {step} of {steps}: {found}\n not {after}");
        }
    }
}

#[test]
fn tables_that_are_not_detached_permanently_are_back_after_a_restart() {
    let disk = Arc::new(FaultDisk::new());
    let mut session = session_on(&disk).unwrap();
    BEFORE.iter().for_each(|statement| execute(&mut session, statement).expect(statement));
    execute(&mut session, "DETACH TABLE d.a").unwrap();
    execute(&mut session, "DETACH DATABASE d").unwrap();
    drop(session);
    let mut session = session_on(&Arc::new(disk.restart_clean())).unwrap();
    assert_eq!(ask(&mut session, "SELECT sum(x) FROM d.a"), "1");
    assert_eq!(ask(&mut session, "SELECT f(1)"), "2");
    execute(&mut session, "UNDROP TABLE d.gone").unwrap();
    assert_eq!(ask(&mut session, "SELECT sum(x) FROM d.gone"), "6");
}

#[test]
fn a_table_that_is_attached_while_it_is_read_has_one_handle() {
    let mut session = session_on(&Arc::new(FaultDisk::new())).unwrap();
    execute(&mut session, "CREATE TABLE t (x UInt64) ENGINE = MergeTree ORDER BY x").unwrap();
    execute(&mut session, "INSERT INTO t SELECT number FROM numbers(50000)").unwrap();
    let reading = session.execute("SELECT x FROM t").unwrap();
    execute(&mut session, "DETACH TABLE t").unwrap();
    execute(&mut session, "ATTACH TABLE t").unwrap();
    execute(&mut session, "INSERT INTO t VALUES (1)").unwrap();
    assert_eq!(reading.collect().unwrap().rows, 50_000);
    execute(&mut session, "OPTIMIZE TABLE t FINAL").unwrap();
    assert_eq!(ask(&mut session, "SELECT count() FROM t"), "50001");
}
