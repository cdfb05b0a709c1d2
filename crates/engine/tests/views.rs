//! Views: what is left of them when the engine is opened again, how plans use them, and what the
//! logs say.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, LogsConfig, Session};

use common::{ask, engine_with, run};

fn session_on(disk: &Arc<dyn Disk>) -> Session {
    let disk = Some(Arc::clone(disk));
    entasis_functions::register();
    let config = EngineConfig { disk, threads: 2, ..EngineConfig::local(None).unwrap() };
    Engine::open(config).unwrap().session()
}

fn execute(session: &mut Session, statements: &[&str]) {
    for statement in statements {
        session.execute(statement).and_then(|result| result.collect()).expect(statement);
    }
}

/// Code and message of the error of a statement that fails.
fn error(session: &mut Session, statement: &str) -> String {
    let failed = session.execute(statement).and_then(|result| result.collect()).unwrap_err();
    format!("{}: {}", failed.code().name(), failed.message())
}

#[test]
fn views_are_there_again_when_the_engine_is_opened_again() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let shown = {
        let mut session = session_on(&disk);
        execute(
            &mut session,
            &[
                "CREATE DATABASE d",
                "CREATE TABLE t (a UInt8, `b c` String) ENGINE = MergeTree ORDER BY a",
                "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
                "CREATE VIEW v (a UInt64, `b c` String) SQL SECURITY INVOKER COMMENT 'it''s' AS \
                 WITH q AS (SELECT * FROM t) SELECT * FROM q WHERE a IN (SELECT a FROM t)",
                "CREATE VIEW d.w AS SELECT a + 1 AS n FROM v",
                "CREATE VIEW replaced AS SELECT 1 AS x",
                "CREATE OR REPLACE VIEW replaced AS SELECT 2 AS x",
                "CREATE VIEW dropped AS SELECT 1 AS x",
                "DROP VIEW dropped",
                "CREATE VIEW before AS SELECT 3 AS x",
                "RENAME TABLE before TO d.after",
            ],
        );
        ask(
            &mut session,
            "SELECT create_table_query FROM system.tables WHERE engine = 'View' \
                           AND database IN ('default', 'd') ORDER BY database, name",
        )
    };
    assert!(
        shown.contains("`b c` String) SQL SECURITY INVOKER COMMENT 'it\\'s' AS WITH"),
        "{shown}"
    );
    let mut session = session_on(&disk);
    let again = ask(
        &mut session,
        "SELECT create_table_query FROM system.tables WHERE \
                                   engine = 'View' AND database IN ('default', 'd') \
                                   ORDER BY database, name",
    );
    assert_eq!(again, shown);
    assert_eq!(
        ask(&mut session, "SELECT n, toTypeName(n) FROM d.w ORDER BY n"),
        "2,UInt64;3,UInt64"
    );
    assert_eq!(ask(&mut session, "SELECT x FROM replaced"), "2");
    assert_eq!(ask(&mut session, "SELECT x FROM d.after"), "3");
    assert_eq!(ask(&mut session, "EXISTS VIEW dropped"), "0");
    execute(&mut session, &["DROP TABLE t"]);
    let gone = error(&mut session, "SELECT * FROM d.w");
    assert!(gone.starts_with("UNKNOWN_TABLE: Table default.t does not exist"), "{gone}");
    assert!(gone.ends_with("(in view default.v) (in view d.w)"), "{gone}");
}

#[test]
fn plans_see_no_difference_between_a_view_and_a_subquery() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut session = session_on(&disk);
    execute(
        &mut session,
        &[
            "CREATE TABLE t (p UInt8, k UInt64, s String) ENGINE = MergeTree ORDER BY k",
            "INSERT INTO t SELECT number % 2, number, toString(number) FROM numbers(20000)",
            "CREATE VIEW v AS SELECT p, k, s FROM t WHERE p = 1",
            "CREATE VIEW w (s String, k UInt64) AS SELECT v.k, v.s, u.p FROM v JOIN t AS u USING k",
        ],
    );
    let v = "(SELECT p, k, s FROM default.t WHERE p = 1)";
    let w = &format!("(SELECT v.k, v.s, u.p FROM {v} AS v JOIN default.t AS u USING k)");
    for (of, inlined, query) in [
        ("v", v, "SELECT k FROM {} WHERE k < 100"),
        ("v", v, "SELECT count() FROM {}"),
        ("v", v, "SELECT s, count() FROM {} AS q WHERE k BETWEEN 5 AND 10 GROUP BY s"),
        ("v", v, "SELECT max(s) FROM {} WHERE p = 0"),
        ("w", w, "SELECT s FROM {} WHERE k = 7 ORDER BY s LIMIT 3"),
        ("w", w, "SELECT k FROM {} UNION ALL SELECT k FROM {} WHERE s = 'x'"),
    ] {
        for kind in ["EXPLAIN", "EXPLAIN indexes = 1", "EXPLAIN PIPELINE"] {
            let of_view = ask(&mut session, &format!("{kind} {}", query.replace("{}", of)));
            let of_query = ask(&mut session, &format!("{kind} {}", query.replace("{}", inlined)));
            assert_eq!(of_view, of_query, "{kind} {query}");
        }
    }
}

#[test]
fn logs_name_views_and_what_they_read() {
    let engine = engine_with(LogsConfig::default());
    let mut session = engine.session();
    execute(
        &mut session,
        &[
            "CREATE TABLE t (a UInt8, b UInt8, c UInt8) ENGINE = Memory",
            "CREATE VIEW v AS SELECT a, b, c FROM t",
        ],
    );
    run(&mut session, "read", "SELECT a FROM v WHERE b = 1");
    execute(&mut session, &["SYSTEM FLUSH LOGS"]);
    let row = ask(
        &mut session,
        "SELECT toString(arraySort(tables)), toString(arraySort(columns)), views FROM system.query_log \
         WHERE query_id = 'read' AND type = 'QueryFinish'",
    );
    assert!(row.starts_with("['default.t','default.v'],"), "{row}");
    for column in ["default.v.a", "default.v.b", "default.t.a", "default.t.b"] {
        assert!(row.contains(column), "{row}");
    }
    assert!(!row.contains("default.v.c"), "{row}");
}

/// Each view doubles the rows of the one before, so that expanding them all would never end.
#[test]
fn chains_of_views_that_double_end_with_an_error() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut session = session_on(&disk);
    execute(&mut session, &["CREATE VIEW v0 (x UInt8) AS SELECT 1 AS x"]);
    for i in 1..30 {
        let text = format!(
            "CREATE VIEW v{i} (x UInt8) AS SELECT x FROM v{0} UNION ALL SELECT x FROM v{0}",
            i - 1
        );
        execute(&mut session, &[&text]);
    }
    execute(&mut session, &["SET max_expanded_ast_elements = 20000"]);
    let failed = error(&mut session, "SELECT count() FROM v29");
    assert!(failed.starts_with("BAD_ARGUMENTS: Query tree is too big"), "{failed}");
    assert_eq!(ask(&mut session, "SELECT count() FROM v5"), "32");
}
