//! ALTER TABLE while other statements run, and across restarts.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, Session};
use entasis_types::Value;

fn engine_on(disk: &Arc<dyn Disk>) -> Arc<Engine> {
    let config = EngineConfig {
        disk: Some(Arc::clone(disk)),
        threads: 2,
        ..EngineConfig::local(None).unwrap()
    };
    entasis_functions::register();
    Engine::open(config).unwrap()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

/// The numbers in the answer's only row.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    let number = |column: &entasis_column::Column| match column.value(0) {
        Value::UInt(number) => number.to_string(),
        Value::Int(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    rows.columns.iter().map(number).collect::<Vec<_>>().join(",")
}

#[test]
fn a_result_keeps_the_columns_that_it_began_with() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let engine = engine_on(&disk);
    let (mut one, mut two) = (engine.session(), engine.session());
    run(&mut one, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    run(&mut one, "INSERT INTO t SELECT number FROM numbers(100000)");
    let result = one.execute("SELECT * FROM t").unwrap();
    run(&mut two, "ALTER TABLE t ADD COLUMN b UInt64 DEFAULT a + 1");
    run(&mut two, "INSERT INTO t VALUES (7, 7)");
    run(&mut two, "OPTIMIZE TABLE t FINAL");
    let rows = result.collect().unwrap();
    assert_eq!((rows.columns.len(), rows.rows), (1, 100_000));
    assert_eq!(ask(&mut two, "SELECT count(), sum(b - a) FROM t"), "100001,100000");
    assert_eq!(ask(&mut one, "SELECT sum(b) FROM t WHERE a = 7"), "15");
}

#[test]
fn a_chain_of_defaults_has_a_limit_that_all_readers_keep_to() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let s = &mut engine_on(&disk).session();
    let add = |range: std::ops::Range<u32>| {
        let column = |i: u32| match i {
            0 => "ADD COLUMN c0 UInt64 DEFAULT a".to_string(),
            i => format!("ADD COLUMN c{i} UInt64 DEFAULT c{} + 1", i - 1),
        };
        let columns: Vec<String> = range.map(column).collect();
        format!("ALTER TABLE t {}", columns.join(", "))
    };
    run(s, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    run(s, "INSERT INTO t VALUES (1)");
    run(s, &add(0..200));
    let error = s.execute(&add(200..257)).map(drop).unwrap_err();
    assert_eq!(error.code(), entasis_base::codes::TOO_DEEP_RECURSION, "{error}");
    run(s, &add(200..256));
    // Rows that lack all columns of the longest chain can be read and merged, and INSERTs fill it.
    assert_eq!(ask(s, "SELECT c255 FROM t"), "256");
    run(s, "INSERT INTO t (a) VALUES (2)");
    assert_eq!(ask(s, "SELECT sum(c255), sum(c254) FROM t"), "513,511");
    run(s, "OPTIMIZE TABLE t FINAL");
    assert_eq!(ask(s, "SELECT sum(c255), sum(c254) FROM t"), "513,511");
}

#[test]
fn what_is_altered_is_there_after_a_restart() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for round in 0..4u64 {
        let engine = engine_on(&disk);
        let mut session = engine.session();
        let s = &mut session;
        if round == 0 {
            run(s, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
        }
        run(s, &format!("INSERT INTO t (a) VALUES ({round})"));
        run(s, &format!("ALTER TABLE t ADD COLUMN c{round} UInt64 DEFAULT a + {round} FIRST"));
        let sums: Vec<String> = (0..=round).map(|c| format!("sum(c{c})")).collect();
        let total = |c: u64| (0..=round).map(|a| a + c).sum::<u64>().to_string();
        let expected: Vec<String> = (0..=round).map(total).collect();
        let query = format!("SELECT {} FROM t", sums.join(", "));
        assert_eq!(ask(s, &query), expected.join(","), "round {round}");
    }
}

#[test]
fn inserts_selects_and_merges_go_on_while_columns_are_added() {
    const COLUMNS: u64 = 12;
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let engine = engine_on(&disk);
    run(&mut engine.session(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    let (done, engine) = (AtomicBool::new(false), &engine);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut session = engine.session();
            let mut rows = 0;
            while !done.load(Ordering::Relaxed) {
                run(&mut session, "INSERT INTO t (a) SELECT number FROM numbers(10)");
                rows += 10;
            }
            rows
        });
        let reader = scope.spawn(|| {
            let mut session = engine.session();
            while !done.load(Ordering::Relaxed) {
                // Both sides have the same columns, and every added column has its default.
                let query = "SELECT throwIf(tuple(x.*) != tuple(y.*)) FROM \
                             (SELECT * FROM t ORDER BY a LIMIT 1) AS x, \
                             (SELECT * FROM t ORDER BY a LIMIT 1) AS y";
                run(&mut session, query);
                run(&mut session, "OPTIMIZE TABLE t");
            }
        });
        let mut session = engine.session();
        for column in 1..=COLUMNS {
            let default = format!("UInt64 DEFAULT a * {column}");
            run(&mut session, &format!("ALTER TABLE t ADD COLUMN c{column} {default}"));
            let wrong = format!("SELECT count() FROM t WHERE c{column} != a * {column}");
            assert_eq!(ask(&mut session, &wrong), "0");
        }
        done.store(true, Ordering::Relaxed);
        let rows: u64 = writer.join().unwrap();
        reader.join().unwrap();
        for _ in 0..2 {
            let query = format!("SELECT count(), sum(c{COLUMNS} - a * {COLUMNS}) FROM t");
            assert_eq!(ask(&mut session, &query), format!("{rows},0"));
            run(&mut session, "OPTIMIZE TABLE t FINAL");
        }
    });
}

#[test]
fn long_chains_of_defaults_are_computed_once_or_refused() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let engine = engine_on(&disk);
    let mut session = engine.session();
    let s = &mut session;
    run(s, "CREATE TABLE t (x0 UInt64) ENGINE = MergeTree ORDER BY x0");
    run(s, "INSERT INTO t SELECT number % 2 FROM numbers(1000)");
    let alter = |range: std::ops::RangeInclusive<u64>| {
        let add = |i: u64| format!("ADD COLUMN x{i} UInt64 DEFAULT x{0} + x{0}", i - 1);
        format!("ALTER TABLE t {}", range.map(add).collect::<Vec<_>>().join(", "))
    };
    run(s, &alter(1..=10));
    // Written out, the last default would be an expression of 2^60 nodes.
    let error = s.execute(&alter(11..=60)).map(drop).unwrap_err();
    assert_eq!(error.code(), entasis_base::codes::BAD_ARGUMENTS, "{error}");
    // The reference takes as many.
    run(s, &alter(11..=15));
    let expected = (500 * (1u64 << 15)).to_string();
    assert_eq!(ask(s, "SELECT sum(x15) FROM t"), expected);
    run(s, "INSERT INTO t (x0) VALUES (1)");
    run(s, "OPTIMIZE TABLE t FINAL");
    let expected = (501 * (1u64 << 15)).to_string();
    assert_eq!(ask(s, "SELECT sum(x15) FROM t"), expected);
}
