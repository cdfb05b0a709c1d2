//! BACKUP and RESTORE: while others write, with a crash at every step, and over changes of the
//! table.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_base::sync::SetOnDrop;
use entasis_base::{CancelToken, Result, codes};
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};
use entasis_engine::{BackupAccess, Engine, EngineConfig, QueryOptions, Session};

fn engine_on(disk: Arc<dyn Disk>, merges: bool) -> Result<Arc<Engine>> {
    entasis_functions::register();
    let backups = BackupAccess { own: true, allowed: Some(Vec::new()) };
    let config = EngineConfig::local(None).unwrap();
    Engine::open(EngineConfig { disk: Some(disk), threads: 1, merges, backups, ..config })
}

fn session_on(disk: &Arc<FaultDisk>) -> Result<Session> {
    engine_on(Arc::clone(disk) as _, false).map(|engine| engine.session())
}

fn execute(session: &mut Session, statement: &str) -> Result<()> {
    session.execute(statement).and_then(|result| result.collect()).map(drop)
}

fn run(session: &mut Session, statements: &[&str]) {
    for statement in statements {
        execute(session, statement).unwrap_or_else(|e| panic!("{statement}: {e}"));
    }
}

/// The only value of a query's result, as text.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).and_then(|result| result.collect());
    let rows = rows.unwrap_or_else(|e| panic!("{query}: {e}"));
    let value = rows.columns[0].value(0);
    match value.as_bytes() {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => value.as_i64().map_or(String::new(), |number| number.to_string()),
    }
}

/// Tables of many kinds in the database `d`, in which parts were altered, mutated and merged.
const TABLES: &[&str] = &[
    "CREATE DATABASE d COMMENT 'of d'",
    "CREATE FUNCTION plus_one AS (x) -> x + 1",
    "CREATE TABLE d.t (k UInt64, s String) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k",
    "INSERT INTO d.t SELECT number, toString(number) FROM numbers(10)",
    "ALTER TABLE d.t ADD COLUMN extra UInt64 DEFAULT k * 10",
    "INSERT INTO d.t (k, s, extra) VALUES (100, 'x', 1), (101, 'y', 2)",
    "ALTER TABLE d.t UPDATE s = concat(s, '!') WHERE k < 4",
    "ALTER TABLE d.t RENAME COLUMN s TO name",
    "ALTER TABLE d.t MODIFY COLUMN extra Int64",
    "DELETE FROM d.t WHERE k = 5",
    "CREATE MATERIALIZED VIEW d.mv (k UInt64, n UInt64) ENGINE = SummingMergeTree ORDER BY k \
     AS SELECT k % 3 AS k, 1 AS n FROM d.t",
    "INSERT INTO d.t (k, name, extra) SELECT number, 'z', 7 FROM numbers(200, 6)",
    "CREATE VIEW d.v AS SELECT k, name FROM d.t WHERE k > 3",
    "CREATE TABLE d.log (a UInt64, b LowCardinality(String)) ENGINE = Log",
    "INSERT INTO d.log SELECT number, 'b' FROM numbers(1000)",
    "CREATE TABLE d.mem (a Array(Nullable(UInt8))) ENGINE = Memory",
    "INSERT INTO d.mem VALUES ([1, NULL]), ([])",
    "CREATE TABLE d.kv (k UInt64, v String) ENGINE = EmbeddedRocksDB PRIMARY KEY k",
    "INSERT INTO d.kv VALUES (1, 'a'), (2, 'b')",
    "INSERT INTO d.kv VALUES (1, 'c')",
    "CREATE TABLE d.j (k UInt64, v String) ENGINE = Join(ANY, LEFT, k)",
    "INSERT INTO d.j VALUES (7, 'seven')",
    "CREATE TABLE d.set (k UInt64) ENGINE = Set",
    "INSERT INTO d.set VALUES (3), (4)",
    "CREATE TABLE d.file (k UInt64) ENGINE = File(TSV)",
    "INSERT INTO d.file VALUES (8)",
    "CREATE DICTIONARY d.dict (k UInt64, v String) PRIMARY KEY k \
     SOURCE(CLICKHOUSE(DB 'd' TABLE 'kv')) LAYOUT(FLAT()) LIFETIME(0)",
    "CREATE TABLE d.over (k UInt64, name String) ENGINE = Merge(d, '^t$')",
];

/// All that a database has, as one text.
fn contents(session: &mut Session, d: &str) -> String {
    let queries = [
        "SELECT toString(arraySort(groupArray((k, name, extra)))) FROM {}.t",
        "SELECT toString(arraySort(groupArray((k, n)))) FROM (SELECT k, sum(n) AS n FROM {}.mv GROUP BY k)",
        "SELECT toString(arraySort(groupArray((k, name)))) FROM {}.v",
        "SELECT toString((count(), sum(a), any(b))) FROM {}.log",
        "SELECT toString(arraySort(groupArray(a))) FROM {}.mem",
        "SELECT toString(arraySort(groupArray((k, v)))) FROM {}.kv",
        "SELECT joinGet('{}.j', 'v', toUInt64(7))",
        "SELECT toString(groupArray(number IN {}.set)) FROM numbers(6)",
        "SELECT toString(groupArray(k)) FROM {}.file",
        "SELECT toString((dictGet('{}.dict', 'v', toUInt64(1)), dictGet('{}.dict', 'v', toUInt64(2))))",
        "SELECT toString(count()) FROM {}.over",
    ];
    let answers: Vec<String> =
        queries.iter().map(|query| ask(session, &query.replace("{}", d))).collect();
    answers.join("\n")
}

#[test]
fn everything_comes_back_under_another_name_and_after_a_restart() {
    let disk = Arc::new(FaultDisk::new());
    let mut session = session_on(&disk).unwrap();
    run(&mut session, TABLES);
    let before = contents(&mut session, "d");
    for place in ["File('b')", "File('x/b.zip')", "File('b.tar.zst')", "Memory('m')"] {
        run(&mut session, &[&format!("BACKUP DATABASE d TO {place}")]);
        run(&mut session, &[&format!("RESTORE DATABASE d AS e FROM {place}")]);
        assert_eq!(contents(&mut session, "e"), before, "{place}");
        let text = ask(
            &mut session,
            "SELECT as_select FROM system.tables WHERE database = 'e' AND name = 'v'",
        );
        assert!(text.contains("e.t"), "{text}");
        // The copy lives by itself: its view follows its table.
        run(&mut session, &["INSERT INTO e.t (k, name, extra) VALUES (3000, 'new', 1)"]);
        assert_eq!(contents(&mut session, "d"), before);
        let rows = ask(&mut session, "SELECT sum(n) FROM e.mv");
        assert_eq!(rows, (6 + 1).to_string());
        run(&mut session, &["OPTIMIZE TABLE e.t FINAL", "DROP DATABASE e"]);
    }
    drop(session);
    let mut session = session_on(&Arc::new(disk.restart_clean())).unwrap();
    run(&mut session, &["DROP DATABASE d", "DROP FUNCTION plus_one"]);
    run(&mut session, &["RESTORE DATABASE d FROM Disk('backups', 'x/b.zip')"]);
    assert_eq!(contents(&mut session, "d"), before);
    let comment = "SELECT comment FROM system.databases WHERE name = 'd'";
    assert_eq!(ask(&mut session, comment), "of d");
}

#[test]
fn an_increment_needs_its_base() {
    let mut session = session_on(&Arc::new(FaultDisk::new())).unwrap();
    run(&mut session, TABLES);
    run(&mut session, &["BACKUP DATABASE d TO File('one')"]);
    run(&mut session, &["INSERT INTO d.t (k, name, extra) VALUES (77, 'n', 0)"]);
    run(
        &mut session,
        &["BACKUP DATABASE d TO File('two.zip') SETTINGS base_backup = File('one'), id = 'two'"],
    );
    let saved = "SELECT num_entries * 2 < num_files FROM system.backups WHERE id = 'two'";
    assert_eq!(ask(&mut session, saved), "1");
    let before = contents(&mut session, "d");
    run(&mut session, &["DROP DATABASE d", "RESTORE DATABASE d FROM File('two.zip')"]);
    assert_eq!(contents(&mut session, "d"), before);
}

#[test]
fn parts_get_into_an_existing_table_only_if_it_can_read_them() {
    let mut session = session_on(&Arc::new(FaultDisk::new())).unwrap();
    run(
        &mut session,
        &[
            "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a",
            "INSERT INTO t VALUES (1), (2)",
            "ALTER TABLE t ADD COLUMN b UInt64 DEFAULT a + 1",
            "BACKUP TABLE t TO File('b')",
            "INSERT INTO t VALUES (3, 3)",
        ],
    );
    let full = execute(&mut session, "RESTORE TABLE t FROM File('b')").unwrap_err();
    assert_eq!(full.code(), codes::CANNOT_RESTORE_TABLE);
    run(&mut session, &["RESTORE TABLE t FROM File('b') SETTINGS allow_non_empty_tables = 1"]);
    let rows = "SELECT toString(arraySort(groupArray((a, b)))) FROM t";
    assert_eq!(ask(&mut session, rows), "[(1,2),(1,2),(2,3),(2,3),(3,3)]");
    run(
        &mut session,
        &[
            "OPTIMIZE TABLE t FINAL",
            "DROP TABLE t SYNC",
            "CREATE TABLE t (a UInt64, b UInt64 DEFAULT a + 1) ENGINE = MergeTree ORDER BY a",
        ],
    );
    // Its own rows would always have a value of `b`, and those of the backup have none.
    let other = execute(&mut session, "RESTORE TABLE t FROM File('b')").unwrap_err();
    assert_eq!(other.code(), codes::CANNOT_RESTORE_TABLE, "{other}");
    let another = "RESTORE TABLE t FROM File('b') SETTINGS allow_different_table_def = 1";
    for definition in [
        "(a UInt64, b UInt64) ENGINE = MergeTree ORDER BY b",
        "(a UInt64, b UInt64) ENGINE = MergeTree ORDER BY a PARTITION BY a",
        "(a UInt64, b UInt64) ENGINE = ReplacingMergeTree ORDER BY a",
        "(a UInt32, b UInt64) ENGINE = MergeTree ORDER BY a",
        "(a UInt64) ENGINE = MergeTree ORDER BY a",
        "(a UInt64, b UInt64) ENGINE = Log",
    ] {
        run(&mut session, &["DROP TABLE t SYNC", &format!("CREATE TABLE t {definition}")]);
        let error = execute(&mut session, another).unwrap_err();
        assert_eq!(error.code(), codes::CANNOT_RESTORE_TABLE, "{definition}: {error}");
    }
    run(&mut session, &["RESTORE TABLE t AS u FROM File('b')"]);
    assert_eq!(ask(&mut session, &rows.replace("FROM t", "FROM u")), "[(1,2),(2,3)]");
}

#[test]
fn a_damaged_backup_changes_nothing() {
    let disk = Arc::new(FaultDisk::new());
    let mut session = session_on(&disk).unwrap();
    run(&mut session, TABLES);
    // So that the table has a part with a file.
    run(&mut session, &["OPTIMIZE TABLE d.t FINAL", "BACKUP DATABASE d TO File('b')"]);
    let files = disk.list("backups/b/data/d/t").unwrap();
    let segment = files.iter().find(|file| file.name.starts_with("seg-")).unwrap();
    let path = format!("backups/b/data/d/t/{}", segment.name);
    let mut bytes = disk.read_to_end(&path, 1 << 20).unwrap();
    bytes[100] ^= 1;
    disk.remove(&path).unwrap();
    disk.create(&path).unwrap().write_all(&bytes).unwrap();
    let error = execute(&mut session, "RESTORE DATABASE d AS e FROM File('b')").unwrap_err();
    assert_eq!(error.code(), codes::BACKUP_DAMAGED, "{error}");
    let there = "SELECT count() FROM system.databases WHERE name = 'e'";
    assert_eq!(ask(&mut session, there), "0");
    // The store's own file is another one, and the table is intact.
    assert_eq!(ask(&mut session, "SELECT count() FROM d.t"), "17");
}

#[test]
fn the_state_of_a_backup_in_the_background_is_listed() {
    let mut session = session_on(&Arc::new(FaultDisk::new())).unwrap();
    run(&mut session, FEW);
    run(&mut session, &["BACKUP DATABASE d TO File('b') SETTINGS id = 'bg' ASYNC"]);
    let status = "SELECT toString(status) FROM system.backups WHERE id = 'bg'";
    while ask(&mut session, status) == "CREATING_BACKUP" {
        std::thread::yield_now();
    }
    assert_eq!(ask(&mut session, status), "BACKUP_CREATED");
    run(&mut session, &["RESTORE DATABASE d AS e FROM File('b') SETTINGS id = 'back'"]);
    let numbers = "SELECT toString((status, files_read > 5, bytes_read > 0, error)) FROM \
                   system.backups WHERE id = 'back'";
    assert_eq!(ask(&mut session, numbers), "('RESTORED',1,1,'')");
    for (statement, code) in [
        ("BACKUP TABLE d.t TO File('/tmp/elsewhere')", codes::BAD_ARGUMENTS),
        ("BACKUP TABLE d.t TO File('../elsewhere')", codes::BAD_ARGUMENTS),
        ("BACKUP TABLE d.t TO Disk('s3', 'x')", codes::INVALID_CONFIG_PARAMETER),
        ("BACKUP TABLE d.t TO File('x') SETTINGS password = 'x'", codes::NOT_IMPLEMENTED),
        ("BACKUP TABLE d.t TO File('x.tar.xz')", codes::NOT_IMPLEMENTED),
    ] {
        assert_eq!(execute(&mut session, statement).unwrap_err().code(), code, "{statement}");
    }
}

#[test]
fn a_backup_that_is_cancelled_leaves_nothing() {
    let disk = Arc::new(FaultDisk::new());
    let mut session = session_on(&disk).unwrap();
    run(&mut session, FEW);
    for place in ["b", "b.zip"] {
        let cancel = CancelToken::new();
        cancel.cancel();
        let statement = format!("BACKUP DATABASE d TO File('{place}') SETTINGS id = '{place}'");
        let options = QueryOptions { cancel, ..QueryOptions::default() };
        let error = session.execute_with(&statement, options).map(drop).unwrap_err();
        assert_eq!(error.code(), codes::QUERY_WAS_CANCELLED, "{error}");
        let status = format!("SELECT toString(status) FROM system.backups WHERE id = '{place}'");
        assert_eq!(ask(&mut session, &status), "BACKUP_CANCELLED");
        assert!(disk.list("backups").unwrap().is_empty());
        run(&mut session, &[&format!("BACKUP DATABASE d TO File('{place}')")]);
        disk.remove_dir_all("backups").unwrap();
    }
}

/// Everything that a session can see.
const STATE: &str = "SELECT toString(arraySort(groupArray(x))) FROM (\
    SELECT concat(database, '.', if(name LIKE '.inner%', 'inner', name), ':', \
    toString(ifNull(total_rows, 0))) AS x FROM system.tables WHERE database IN ('d', 'e') \
    UNION ALL SELECT concat('database ', name) FROM system.databases \
    UNION ALL SELECT name FROM system.functions WHERE origin = 'SQLUserDefined')";

const FEW: &[&str] = &[
    "CREATE DATABASE d",
    "CREATE TABLE d.t (k UInt64) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k",
    "CREATE MATERIALIZED VIEW d.mv (k UInt64) ENGINE = MergeTree ORDER BY k AS SELECT k FROM d.t",
    "INSERT INTO d.t VALUES (1), (2), (3)",
    "DELETE FROM d.t WHERE k = 2",
    "CREATE TABLE d.log (a UInt64) ENGINE = Log",
    "INSERT INTO d.log VALUES (5)",
];

#[test]
fn a_backup_that_is_cut_at_any_step_is_whole_or_not_there() {
    let disk = Arc::new(FaultDisk::new());
    run(&mut session_on(&disk).unwrap(), FEW);
    let (mut step, mut whole) = (0, 0);
    loop {
        let broken = Arc::new(disk.restart_clean());
        let mut session = session_on(&broken).unwrap();
        let before = ask(&mut session, STATE);
        broken.crash_at(broken.changes() + step);
        let done = execute(&mut session, "BACKUP DATABASE d TO File('b')");
        let is_cut = broken.is_crashed();
        drop(session);
        if !is_cut {
            done.unwrap();
            break;
        }
        let mut session = session_on(&Arc::new(broken.restart(step))).unwrap();
        assert_eq!(ask(&mut session, STATE), before, "step {step}");
        match execute(&mut session, "RESTORE DATABASE d AS e FROM File('b')") {
            Ok(()) => whole += 1,
            Err(e) => {
                assert_eq!(e.code(), codes::BACKUP_NOT_FOUND, "step {step}: {e}");
                assert!(done.is_err(), "step {step}: an acknowledged backup is gone");
                run(&mut session, &["BACKUP DATABASE d TO File('b')"]);
                run(&mut session, &["RESTORE DATABASE d AS e FROM File('b')"]);
            }
        }
        assert_eq!(
            ask(&mut session, "SELECT toString(arraySort(groupArray(k))) FROM e.t"),
            "[1,3]"
        );
        assert_eq!(ask(&mut session, "SELECT count() FROM e.mv"), "3");
        step += 1;
    }
    assert!(step > 15 && whole < step, "{step} steps, {whole} whole");
}

#[test]
fn a_restore_that_is_cut_at_any_step_leaves_all_or_nothing() {
    for crash in [true, false] {
        let disk = Arc::new(FaultDisk::new());
        run(&mut session_on(&disk).unwrap(), FEW);
        run(&mut session_on(&disk).unwrap(), &["BACKUP DATABASE d TO File('b')"]);
        let mut step = 0;
        loop {
            let broken = Arc::new(disk.restart_clean());
            let mut session = session_on(&broken).unwrap();
            let before = ask(&mut session, STATE);
            match crash {
                true => broken.crash_at(broken.changes() + step),
                false => broken.fail_at(broken.calls() + step, Fault::Error),
            }
            let done = execute(&mut session, "RESTORE DATABASE d AS e FROM File('b')");
            let is_cut = if crash { broken.is_crashed() } else { broken.faults_struck() };
            drop(session);
            if !is_cut {
                done.unwrap();
                break;
            }
            let again = Arc::new(if crash { broken.restart(step) } else { broken.restart_clean() });
            let mut session = session_on(&again).unwrap();
            let after = ask(&mut session, STATE);
            if after == before {
                assert!(done.is_err(), "step {step}: an acknowledged RESTORE is gone");
                run(&mut session, &["RESTORE DATABASE d AS e FROM File('b')"]);
            }
            let rows = "SELECT toString((SELECT count() FROM e.t)) || toString((SELECT count() FROM \
                        e.mv)) || toString((SELECT count() FROM e.log))";
            assert_eq!(ask(&mut session, rows), "231", "step {step}: {after}");
            step += 1;
        }
        assert!(step > 15, "{step} steps");
    }
}

/// Writers insert through a view, merge, mutate and alter while backups run: each backup has the
/// table and its view in one state.
#[test]
fn backups_are_consistent_while_writers_write() {
    let engine = engine_on(Arc::new(MemoryDisk::new()), true).unwrap();
    let mut session = engine.session();
    run(
        &mut session,
        &[
            "CREATE DATABASE d",
            "CREATE TABLE d.t (k UInt64, v UInt64) ENGINE = MergeTree PARTITION BY k % 3 ORDER BY k",
            "CREATE TABLE d.copy (k UInt64, v UInt64) ENGINE = MergeTree ORDER BY k",
            "CREATE MATERIALIZED VIEW d.mv TO d.copy AS SELECT k, v FROM d.t",
            "INSERT INTO d.t SELECT number, 1 FROM numbers(100)",
        ],
    );
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _running = SetOnDrop(&done);
        for writer in 0..2 {
            let (engine, done) = (&engine, &done);
            scope.spawn(move || {
                let mut session = engine.session();
                let mut round = 0;
                while !done.load(Ordering::Acquire) {
                    round += 1;
                    let from = 1000 * (writer + 2 * round);
                    let insert =
                        format!("INSERT INTO d.t (k, v) SELECT number + {from}, 1 FROM numbers(9)");
                    run(&mut session, &[&insert]);
                    if writer == 0 {
                        run(&mut session, &["OPTIMIZE TABLE d.t FINAL"]);
                    } else if round % 5 == 0 {
                        // Both fail if a merge comes between, which is no matter here.
                        let _ =
                            execute(&mut session, "ALTER TABLE d.t UPDATE v = v + 1 WHERE k < 50");
                        let add = format!("ALTER TABLE d.t ADD COLUMN c{round} UInt8 DEFAULT 1");
                        run(&mut session, &[&add]);
                    }
                }
            });
        }
        for i in 0..12 {
            let place =
                if i % 2 == 0 { format!("File('b{i}')") } else { format!("File('b{i}.tar')") };
            run(
                &mut session,
                &[
                    &format!("BACKUP DATABASE d TO {place}"),
                    &format!("RESTORE DATABASE d AS e{i} FROM {place}"),
                ],
            );
            let of = |what: &str| format!("SELECT toString(({what})) FROM e{i}.");
            let keys = "count(), sum(k), count() % 9";
            let (t, copy) = (of(keys) + "t", of(keys) + "copy");
            let (t, copy) = (ask(&mut session, &t), ask(&mut session, &copy));
            assert_eq!(t, copy, "backup {i}");
            // One UPDATE changes all of the 50 rows or none.
            let whole = ask(&mut session, &format!("SELECT uniqExact(v) FROM e{i}.t WHERE k < 50"));
            assert_eq!(whole, "1", "backup {i}");
            run(&mut session, &[&format!("DROP DATABASE e{i} SYNC")]);
        }
    });
}

/// Parts of another table may lack columns that their own table never lacked.
#[test]
fn a_table_with_parts_of_an_altered_one_is_restored() {
    let engine = engine_on(Arc::new(MemoryDisk::new()), false).unwrap();
    let mut session = engine.session();
    run(
        &mut session,
        &[
            "CREATE TABLE a (id UInt64, x String) ENGINE = MergeTree ORDER BY id",
            "INSERT INTO a VALUES (1, 'x')",
            "ALTER TABLE a ADD COLUMN s String DEFAULT 'default'",
            "CREATE TABLE b AS a",
            "ALTER TABLE b ATTACH PARTITION tuple() FROM a",
            "BACKUP TABLE b TO File('m')",
            "RESTORE TABLE b AS c FROM File('m')",
            "DROP TABLE b SYNC",
            "RESTORE TABLE b FROM File('m')",
        ],
    );
    for table in ["b", "c"] {
        let rows = format!("SELECT concat(toString(id), x, s) FROM {table}");
        assert_eq!(ask(&mut session, &rows), "1xdefault");
    }
}
