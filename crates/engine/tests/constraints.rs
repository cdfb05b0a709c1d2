//! Constraints: messages of violations, what a failed statement leaves, and restarts.
#![allow(clippy::unwrap_used)]

use std::io::Cursor;
use std::sync::Arc;

use entasis_base::codes;
use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, QueryOptions, Session};

fn engine_on(disk: &Arc<dyn Disk>) -> Arc<Engine> {
    let config = EngineConfig {
        disk: Some(Arc::clone(disk)),
        threads: 2,
        ..EngineConfig::local(None).unwrap()
    };
    entasis_functions::register();
    Engine::open(config).unwrap()
}

fn engine() -> Arc<Engine> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    engine_on(&disk)
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

/// Message and code of the error of a statement that fails.
fn failure(session: &mut Session, statement: &str) -> (String, u16) {
    let answered = session.execute(statement).and_then(|result| result.collect());
    let error = answered.map(|_| ()).expect_err(statement);
    (error.message().to_string(), error.code().0)
}

fn count(session: &mut Session, table: &str) -> u64 {
    let query = format!("SELECT count() FROM {table}");
    let rows = session.execute(&query).and_then(|result| result.collect()).unwrap();
    rows.columns[0].value(0).as_u64().unwrap()
}

#[test]
fn a_violation_names_constraint_table_row_expression_and_values() {
    let mut session = engine().session();
    let s = &mut session;
    run(
        s,
        "CREATE TABLE t (a UInt8, `b c` String, d Date, e Array(String), unread UInt8, \
         CONSTRAINT low CHECK a > 3 AND `b c` != '' AND d > '2000-01-01' AND notEmpty(e)) \
         ENGINE = MergeTree ORDER BY a",
    );
    let row = |a: u8| format!("({a}, 'it\\'s', '2020-01-02', ['x', 'y'], 9)");
    let insert = format!("INSERT INTO t VALUES {}, {}, {}", row(5), row(2), row(1));
    let message = "Constraint `low` for table default.t is violated at row 2. Expression: \
                   ((a > 3) AND (`b c` != '') AND (d > '2000-01-01') AND notEmpty(e)). \
                   Column values: a = 2, `b c` = 'it\\'s', d = '2020-01-02', e = ['x','y']";
    assert_eq!(failure(s, &insert), (message.to_string(), 469));
    let long = "x".repeat(10_000);
    run(s, "CREATE TABLE l (s String, CONSTRAINT c CHECK s = '') ENGINE = Memory");
    let (message, _) = failure(s, &format!("INSERT INTO l VALUES ('{long}')"));
    assert!(message.ends_with("xxx'...") && message.len() < 500, "{message}");
    run(s, "CREATE TABLE n (a Nullable(Int8), CONSTRAINT c CHECK a > 3) ENGINE = Memory");
    let message = "Constraint `c` for table default.n is violated. Expression: (a > 3). \
                   Constraint expression returns nullable column that contains null value";
    assert_eq!(failure(s, "INSERT INTO n VALUES (1), (NULL)"), (message.to_string(), 469));
}

#[test]
fn the_first_constraint_in_order_is_told() {
    let mut session = engine().session();
    let s = &mut session;
    let table = "CREATE TABLE t (a UInt8, CONSTRAINT x CHECK a > 3, CONSTRAINT y CHECK a > 5) \
                 ENGINE = Memory";
    run(s, table);
    let (message, _) = failure(s, "INSERT INTO t VALUES (5), (1)");
    assert!(message.contains("`x`") && message.contains("at row 2"), "{message}");
    let (message, _) = failure(s, "INSERT INTO t VALUES (9), (4)");
    assert!(message.contains("`y`") && message.contains("at row 2"), "{message}");
}

#[test]
fn rows_are_counted_over_chunks() {
    let mut session = engine().session();
    let s = &mut session;
    run(s, "CREATE TABLE t (a UInt64, CONSTRAINT c CHECK a != 1234) ENGINE = MergeTree ORDER BY a");
    run(s, "SET max_block_size = 100");
    run(s, "SET max_threads = 1");
    let (message, _) = failure(s, "INSERT INTO t SELECT number FROM numbers(5000)");
    assert!(message.contains("at row 1235. Expression: (a != 1234)"), "{message}");
    assert!(message.ends_with("Column values: a = 1234"), "{message}");
}

#[test]
fn nothing_of_a_statement_that_fails_stays() {
    let mut session = engine().session();
    let s = &mut session;
    for engine in ["MergeTree ORDER BY a", "Memory"] {
        run(s, "DROP TABLE IF EXISTS t");
        run(
            s,
            &format!("CREATE TABLE t (a UInt64, CONSTRAINT c CHECK a < 400000) ENGINE = {engine}"),
        );
        run(s, "INSERT INTO t SELECT number FROM numbers(10)");
        for threads in [1, 2] {
            run(s, &format!("SET max_threads = {threads}"));
            let (_, code) = failure(s, "INSERT INTO t SELECT number FROM numbers(400001)");
            assert_eq!(code, codes::VIOLATED_CONSTRAINT.0);
            assert_eq!(count(s, "t"), 10);
        }
        // The body of a request, which is read in several pieces.
        let mut body: Vec<u8> = (0..100_000).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        body.extend_from_slice(b"400000\n");
        let options =
            QueryOptions { input: Some(Box::new(Cursor::new(body))), ..QueryOptions::default() };
        let answered = s.execute_with("INSERT INTO t FORMAT TSV", options);
        let error = answered.map(|_| ()).unwrap_err();
        assert_eq!(error.code(), codes::VIOLATED_CONSTRAINT, "{error}");
        assert_eq!(count(s, "t"), 10);
    }
}

#[test]
fn a_constraint_that_cannot_be_checked_is_refused_when_it_is_made() {
    let mut session = engine().session();
    let s = &mut session;
    run(s, "CREATE TABLE t (a UInt8, z UInt8) ENGINE = MergeTree ORDER BY a");
    for (constraint, code) in [
        ("CHECK a + 1", codes::UNSUPPORTED_METHOD),
        ("CHECK toString(a)", codes::UNSUPPORTED_METHOD),
        ("CHECK NULL", codes::UNSUPPORTED_METHOD),
        ("CHECK nosuch(a)", codes::UNKNOWN_FUNCTION),
        ("CHECK b > 1", codes::UNKNOWN_IDENTIFIER),
        ("ASSUME b > 1", codes::UNKNOWN_IDENTIFIER),
        ("CHECK sum(a) > 1", codes::ILLEGAL_AGGREGATION),
        ("CHECK arrayJoin([a])", codes::INCORRECT_QUERY),
        ("CHECK a IN (SELECT 1)", codes::NOT_IMPLEMENTED),
        ("CHECK a IN (SELECT a FROM t)", codes::NOT_IMPLEMENTED),
    ] {
        let create = format!("CREATE TABLE x (a UInt8, CONSTRAINT c {constraint}) ENGINE = Memory");
        let alter = format!("ALTER TABLE t ADD CONSTRAINT c {constraint}");
        for statement in [create, alter] {
            let (message, found) = failure(s, &statement);
            assert_eq!(found, code.0, "{statement}: {message}");
            assert!(message.contains("Constraint `c`"), "{statement}: {message}");
        }
    }
    run(s, "INSERT INTO t VALUES (1, 1)");
    run(s, "ALTER TABLE t ADD CONSTRAINT c ASSUME z + 1");
    let (message, code) = failure(s, "ALTER TABLE t DROP COLUMN z");
    assert_eq!(code, codes::UNKNOWN_IDENTIFIER.0, "{message}");
    assert!(message.contains("Constraint `c`"), "{message}");
}

#[test]
fn constraints_outlive_the_engine() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let shown = |session: &mut Session| {
        let shown = session.execute("SHOW CREATE TABLE t").unwrap().collect().unwrap();
        shown.columns[0].value(0)
    };
    let before = {
        let mut session = engine_on(&disk).session();
        let s = &mut session;
        run(
            s,
            "CREATE TABLE t (a UInt8, b UInt8 DEFAULT a + 1, CONSTRAINT c CHECK a > 3, \
             CONSTRAINT p ASSUME a > 9) ENGINE = MergeTree ORDER BY a",
        );
        run(s, "CREATE TABLE m (a UInt8, CONSTRAINT c CHECK a > 3) ENGINE = Memory");
        run(s, "ALTER TABLE t ADD CONSTRAINT d CHECK b < 100, ADD CONSTRAINT gone CHECK a = 0");
        run(s, "ALTER TABLE t DROP CONSTRAINT gone");
        run(s, "INSERT INTO t (a) VALUES (5)");
        shown(s)
    };
    let mut session = engine_on(&disk).session();
    let s = &mut session;
    assert_eq!(shown(s), before);
    for insert in [
        "INSERT INTO t (a) VALUES (3)",
        "INSERT INTO t (a) VALUES (99)",
        "INSERT INTO m VALUES (3)",
    ] {
        assert_eq!(failure(s, insert).1, codes::VIOLATED_CONSTRAINT.0, "{insert}");
    }
    run(s, "INSERT INTO t (a) VALUES (6)");
    run(s, "INSERT INTO m VALUES (4)");
    assert_eq!((count(s, "t"), count(s, "m")), (2, 1));
}
