//! ALTER TABLE while other statements run, and across restarts.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_base::sync::SetOnDrop;
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
        let running = SetOnDrop(&done);
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
        drop(running);
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

/// The error code of a statement that must fail.
fn fails(session: &mut Session, statement: &str) -> entasis_base::ErrorCode {
    let result = session.execute(statement).and_then(|result| result.collect());
    result.map(drop).expect_err(statement).code()
}

#[test]
fn all_kinds_of_changes_survive_a_restart() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let steps: &[(&str, &str, &str)] = &[
        ("ALTER TABLE t ADD COLUMN e UInt64 DEFAULT a * 2", "sum(e)", "12"),
        ("ALTER TABLE t RENAME COLUMN b TO bb", "sum(toUInt64(bb))", "60"),
        ("ALTER TABLE t DROP COLUMN c, ADD COLUMN c UInt64 DEFAULT a", "sum(c)", "6"),
        ("ALTER TABLE t MODIFY COLUMN bb UInt16", "sum(bb)", "60"),
        ("ALTER TABLE t CLEAR COLUMN bb", "sum(bb)", "0"),
        ("INSERT INTO t (a, bb, d) VALUES (4, 7, [1, 2])", "sum(bb), sum(c)", "7,10"),
        ("ALTER TABLE t MODIFY COLUMN c String", "sum(length(c))", "4"),
        ("ALTER TABLE t RENAME COLUMN d TO list", "sum(length(list)), sum(list.size0)", "5,5"),
        ("ALTER TABLE t MODIFY COLUMN list Array(String)", "sum(length(list[1]))", "4"),
        ("ALTER TABLE t ADD COLUMN z UInt8, MODIFY ORDER BY (a, z)", "sum(z)", "0"),
        ("ALTER TABLE t MODIFY COLUMN e ALIAS a * 5", "sum(e)", "50"),
        ("ALTER TABLE t MODIFY SETTING parts_to_throw_insert = 2", "count()", "4"),
        ("OPTIMIZE TABLE t FINAL", "count(), sum(e), sum(list.size0), sum(bb)", "4,50,5,7"),
    ];
    run(
        &mut engine_on(&disk).session(),
        "CREATE TABLE t (a UInt64, b String, c UInt64, d Array(UInt8)) ENGINE = MergeTree ORDER BY a",
    );
    run(
        &mut engine_on(&disk).session(),
        "INSERT INTO t VALUES (1, '10', 0, [1]), (2, '20', 0, [1]), (3, '30', 0, [1])",
    );
    for (statement, query, expected) in steps {
        {
            let mut s = engine_on(&disk).session();
            run(&mut s, statement);
            assert_eq!(ask(&mut s, &format!("SELECT {query} FROM t")), *expected, "{statement}");
        }
        let mut s = engine_on(&disk).session();
        let answer = ask(&mut s, &format!("SELECT {query} FROM t"));
        assert_eq!(answer, *expected, "{statement}, reopened");
    }
}

#[test]
fn a_result_keeps_dropped_renamed_and_converted_columns() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for engine_name in ["MergeTree ORDER BY a", "Memory"] {
        let engine = engine_on(&disk);
        let (mut one, mut two) = (engine.session(), engine.session());
        run(&mut one, "DROP TABLE IF EXISTS t");
        run(
            &mut one,
            &format!(
                "CREATE TABLE t (a UInt64, b UInt64, c UInt64, d UInt64) ENGINE = {engine_name}"
            ),
        );
        run(&mut one, "INSERT INTO t SELECT number, 1, 2, 3 FROM numbers(100000)");
        let result = one.execute("SELECT * FROM t").unwrap();
        run(&mut two, "ALTER TABLE t DROP COLUMN b, MODIFY COLUMN c String, RENAME COLUMN d TO dd");
        run(&mut two, "INSERT INTO t VALUES (7, 'text', 5)");
        if engine_name != "Memory" {
            run(&mut two, "OPTIMIZE TABLE t FINAL");
        }
        let rows = result.collect().unwrap();
        assert_eq!((rows.columns.len(), rows.rows), (4, 100_000), "{engine_name}");
        let row: Vec<Value> = rows.columns.iter().skip(1).map(|c| c.value(99_999)).collect();
        assert_eq!(row, [Value::UInt(1), Value::UInt(2), Value::UInt(3)], "{engine_name}");
        assert_eq!(
            ask(&mut two, "SELECT count(), sum(dd), max(length(c)) FROM t"),
            "100001,300005,4"
        );
    }
}

#[test]
fn an_alter_that_fails_changes_nothing() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for engine_name in ["MergeTree ORDER BY a", "Memory"] {
        let s = &mut engine_on(&disk).session();
        run(s, "DROP TABLE IF EXISTS t");
        run(s, &format!("CREATE TABLE t (a UInt64, s String) ENGINE = {engine_name}"));
        run(s, "INSERT INTO t VALUES (1, '5')");
        run(s, "INSERT INTO t VALUES (2, 'x')");
        fails(s, "ALTER TABLE t ADD COLUMN z UInt8, MODIFY COLUMN s UInt8");
        fails(s, "ALTER TABLE t ADD COLUMN z UInt8, DROP COLUMN nosuch");
        fails(s, "SELECT z FROM t");
        assert_eq!(ask(s, "SELECT count(), sum(length(s)) FROM t"), "2,2");
        run(s, "INSERT INTO t VALUES (3, 'y')");
        // Without the value, the column can be converted.
        run(s, "TRUNCATE TABLE t");
        run(s, "INSERT INTO t VALUES (1, '5')");
        run(s, "ALTER TABLE t MODIFY COLUMN s UInt8");
        assert_eq!(ask(s, "SELECT sum(s) FROM t"), "5");
    }
}

#[test]
fn settings_take_effect_at_once() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let engine = engine_on(&disk);
    let s = &mut engine.session();
    run(s, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    run(s, "SYSTEM STOP MERGES t");
    run(s, "INSERT INTO t VALUES (1)");
    run(s, "INSERT INTO t VALUES (2)");
    run(s, "ALTER TABLE t MODIFY SETTING parts_to_throw_insert = 2");
    assert_eq!(fails(s, "INSERT INTO t VALUES (3)"), entasis_base::codes::TOO_MANY_PARTS);
    run(s, "ALTER TABLE t RESET SETTING parts_to_throw_insert");
    run(s, "INSERT INTO t VALUES (3)");
    assert_eq!(ask(s, "SELECT count() FROM t"), "3");
}

#[test]
fn inserts_end_well_or_fail_cleanly_while_columns_change() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for engine_name in ["MergeTree ORDER BY a", "Memory"] {
        let engine = engine_on(&disk);
        run(&mut engine.session(), "DROP TABLE IF EXISTS t");
        let create =
            format!("CREATE TABLE t (a UInt64, v UInt64, w UInt64) ENGINE = {engine_name}");
        run(&mut engine.session(), &create);
        let (done, engine) = (AtomicBool::new(false), &engine);
        std::thread::scope(|scope| {
            let running = SetOnDrop(&done);
            let writer = scope.spawn(|| {
                let mut session = engine.session();
                let mut rows = 0;
                while !done.load(Ordering::Relaxed) {
                    let insert = "INSERT INTO t (a, v) SELECT number, number FROM numbers(10)";
                    match session.execute(insert).and_then(|result| result.collect()) {
                        Ok(_) => rows += 10,
                        Err(error) => {
                            assert_eq!(error.code(), entasis_base::codes::ABORTED, "{error}");
                        }
                    }
                }
                rows
            });
            let reader = scope.spawn(|| {
                let mut session = engine.session();
                while !done.load(Ordering::Relaxed) {
                    let query = "SELECT throwIf(toUInt64(v) != a) FROM t";
                    match session.execute(query).and_then(|result| result.collect()) {
                        Ok(_) => {}
                        Err(error) => {
                            assert_eq!(error.code(), entasis_base::codes::ABORTED, "{error}");
                        }
                    }
                }
            });
            let mut session = engine.session();
            for (round, ty) in
                ["UInt32", "String", "UInt16", "UInt64"].iter().cycle().take(12).enumerate()
            {
                run(&mut session, &format!("ALTER TABLE t MODIFY COLUMN v {ty}"));
                run(
                    &mut session,
                    &format!("ALTER TABLE t RENAME COLUMN w TO w{round}, ADD COLUMN w UInt8"),
                );
                run(&mut session, &format!("ALTER TABLE t DROP COLUMN w{round}"));
                if engine_name != "Memory" {
                    run(&mut session, "OPTIMIZE TABLE t");
                }
            }
            drop(running);
            let rows: u64 = writer.join().unwrap();
            reader.join().unwrap();
            let query = "SELECT count(), sum(v), sum(w) FROM t";
            let expected = format!("{rows},{},0", rows / 10 * 45);
            assert_eq!(ask(&mut session, query), expected, "{engine_name}");
            if engine_name != "Memory" {
                run(&mut session, "OPTIMIZE TABLE t FINAL");
                assert_eq!(ask(&mut session, query), expected, "{engine_name}");
            }
        });
    }
}

#[test]
fn a_column_in_memory_that_is_added_again_starts_anew() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let s = &mut engine_on(&disk).session();
    run(s, "CREATE TABLE t (a UInt64, b UInt64) ENGINE = Memory");
    run(s, "INSERT INTO t VALUES (1, 2)");
    run(s, "ALTER TABLE t DROP COLUMN b, ADD COLUMN b UInt64");
    assert_eq!(ask(s, "SELECT sum(b) FROM t"), "0");
    run(s, "INSERT INTO t VALUES (2, 5)");
    run(s, "ALTER TABLE t RENAME COLUMN b TO c, ADD COLUMN b String");
    assert_eq!(ask(s, "SELECT sum(c), sum(length(b)) FROM t"), "5,0");
    run(s, "ALTER TABLE t MODIFY COLUMN c UInt8, DROP COLUMN a, RENAME COLUMN b TO a");
    assert_eq!(ask(s, "SELECT sum(c), sum(length(a)), count() FROM t"), "5,0,2");
    run(s, "ALTER TABLE t CLEAR COLUMN c");
    assert_eq!(ask(s, "SELECT sum(c) FROM t"), "0");
}
