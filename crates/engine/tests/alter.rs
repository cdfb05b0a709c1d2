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
    for (table, columns) in [("t", 60), ("deep", 300)] {
        run(s, &format!("CREATE TABLE {table} (x0 UInt64) ENGINE = MergeTree ORDER BY x0"));
        run(s, &format!("INSERT INTO {table} SELECT number % 2 FROM numbers(1000)"));
        let add = |i: u64| format!("ADD COLUMN x{i} UInt64 DEFAULT x{0} + x{0}", i - 1);
        let commands: Vec<String> = (1..=columns).map(add).collect();
        run(s, &format!("ALTER TABLE {table} {}", commands.join(", ")));
    }
    let expected = (500 * (1u64 << 40)).to_string();
    assert_eq!(ask(s, "SELECT sum(x40) FROM t"), expected);
    run(s, "OPTIMIZE TABLE t FINAL");
    assert_eq!(ask(s, "SELECT sum(x40) FROM t"), expected);
    assert_eq!(ask(s, "SELECT sum(x40) FROM deep"), expected);
    let error = s.execute("SELECT sum(x300) FROM deep").and_then(|result| result.collect());
    assert_eq!(error.map(|_| ()).unwrap_err().code(), entasis_base::codes::TOO_DEEP_RECURSION);
}
