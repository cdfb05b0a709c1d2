//! Asynchronous INSERTs: what is collected together, whose error is whose, and when rows are there.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // not all of its functions are needed here
mod common;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use common::{ask, engine_with};
use entasis_base::codes;
use entasis_disk::{Disk, FaultDisk};
use entasis_engine::{Engine, EngineConfig, LogsConfig, QueryOptions, Session};

/// Settings with which nothing is stored before it is asked for.
const WAITS: &str = "async_insert = 1, wait_for_async_insert = 0, \
                     async_insert_busy_timeout_min_ms = 600000, \
                     async_insert_busy_timeout_max_ms = 600000";

fn session(engine: &Arc<Engine>, settings: &str) -> Session {
    let mut session = engine.session();
    session.execute(&format!("SET {settings}")).unwrap();
    session
}

fn create(engine: &Arc<Engine>) {
    let text = "CREATE TABLE t (k UInt32, CONSTRAINT few CHECK k < 1000) ENGINE = MergeTree \
                ORDER BY k";
    engine.session().execute(text).unwrap();
}

#[test]
fn statements_with_the_same_text_are_stored_as_one_part() {
    let engine = engine_with(LogsConfig::default());
    create(&engine);
    let s = &mut session(&engine, WAITS);
    for k in 0..10 {
        s.execute(&format!("INSERT INTO t VALUES ({k})")).unwrap();
    }
    s.execute("INSERT INTO t (k) FORMAT CSV\n77").unwrap();
    assert_eq!(ask(s, "SELECT count() FROM t"), "0");
    let waiting = "SELECT database, table, format, total_bytes, length(entries.query_id) FROM \
                   system.asynchronous_inserts ORDER BY format";
    assert_eq!(ask(s, waiting), "default,t,CSV,2,1;default,t,Values,40,10");
    s.execute("SYSTEM FLUSH ASYNC INSERT QUEUE").unwrap();
    assert_eq!(ask(s, "SELECT count(), sum(k) FROM t"), "11,122");
    assert_eq!(ask(s, waiting), "");
    let parts = "SELECT sum(rows) FROM system.parts WHERE table = 't' AND active AND rows = 10";
    assert_eq!(ask(s, parts), "10");
    s.execute("SYSTEM FLUSH LOGS").unwrap();
    let log = "SELECT format, status, count(), sum(rows), sum(bytes), uniqExact(flush_query_id), \
               uniqExact(query_id) FROM system.asynchronous_insert_log GROUP BY format, status \
               ORDER BY format";
    assert_eq!(ask(s, log), "CSV,0,1,1,2,1,1;Values,0,10,10,40,1,10");
}

#[test]
fn an_error_meets_only_the_statement_that_it_belongs_to() {
    let engine = engine_with(LogsConfig::default());
    create(&engine);
    let outcomes: Vec<Option<u16>> = thread::scope(|scope| {
        let values = ["1", "'x'", "2", "1000", "3"];
        let run = |value: &'static str| {
            let mut session = session(
                &engine,
                "async_insert = 1, async_insert_busy_timeout_min_ms = 300, \
                 async_insert_busy_timeout_max_ms = 300",
            );
            move || {
                let done = session.execute(&format!("INSERT INTO t VALUES ({value})"));
                done.err().map(|error| error.code().0)
            }
        };
        let all: Vec<_> = values.into_iter().map(|value| scope.spawn(run(value))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let (bad, violated) = (outcomes[1].unwrap(), codes::VIOLATED_CONSTRAINT.0);
    assert_ne!(bad, violated);
    assert_eq!(outcomes, [None, Some(bad), None, Some(violated), None]);
    let s = &mut engine.session();
    assert_eq!(ask(s, "SELECT count(), sum(k) FROM t"), "3,6");
    s.execute("SYSTEM FLUSH LOGS").unwrap();
    let log = "SELECT status, count(), sum(rows), countIf(exception != '') FROM \
               system.asynchronous_insert_log GROUP BY status ORDER BY status";
    assert_eq!(ask(s, log), "0,3,3,0;1,1,0,1;2,1,1,1");
}

#[test]
fn data_is_stored_at_once_when_there_is_enough_of_it() {
    let engine = engine_with(LogsConfig::default());
    create(&engine);
    let s = &mut session(&engine, &format!("{WAITS}, async_insert_max_query_number = 3"));
    (0..2).for_each(|k| drop(s.execute(&format!("INSERT INTO t VALUES ({k})")).unwrap()));
    assert_eq!(ask(s, "SELECT count() FROM t"), "0");
    s.execute("INSERT INTO t VALUES (2)").unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while ask(s, "SELECT count() FROM t") != "3" {
        assert!(Instant::now() < until, "three INSERTs are enough, and were not stored");
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(ask(s, "SELECT arraySort(groupArray(k)) FROM t"), "[0, 1, 2]");
    // More data than may wait is not collected.
    let s = &mut session(&engine, &format!("{WAITS}, async_insert_max_data_size = 10"));
    s.execute("INSERT INTO t VALUES (4), (5), (6), (7)").unwrap();
    assert_eq!(ask(s, "SELECT count() FROM t"), "7");
}

#[test]
fn an_answered_insert_survives_a_crash_and_the_rest_is_stored_when_the_process_ends() {
    let disk = Arc::new(FaultDisk::new());
    let open = |disk: &Arc<FaultDisk>| {
        let disk = Some(Arc::clone(disk) as Arc<dyn Disk>);
        entasis_functions::register();
        Engine::open(EngineConfig { disk, threads: 2, ..EngineConfig::local(None).unwrap() })
    };
    let engine = open(&disk).unwrap();
    create(&engine);
    session(&engine, "async_insert = 1").execute("INSERT INTO t VALUES (1)").unwrap();
    session(&engine, WAITS).execute("INSERT INTO t VALUES (2)").unwrap();
    let survivor = Arc::new(disk.restart(1));
    let engine = open(&survivor).unwrap();
    assert_eq!(ask(&mut engine.session(), "SELECT k FROM t"), "1");
    session(&engine, WAITS).execute("INSERT INTO t VALUES (3)").unwrap();
    engine.hand_rows_on();
    let survivor = Arc::new(survivor.restart(2));
    let engine = open(&survivor).unwrap();
    assert_eq!(ask(&mut engine.session(), "SELECT k FROM t ORDER BY k"), "1;3");
}

#[test]
fn a_statement_waits_no_longer_than_its_setting_says_and_can_be_cancelled() {
    let engine = engine_with(LogsConfig::default());
    create(&engine);
    let settings = format!("{WAITS}, wait_for_async_insert = 1, wait_for_async_insert_timeout = 1");
    let error = session(&engine, &settings).execute("INSERT INTO t VALUES (1)").err().unwrap();
    assert_eq!(error.code(), codes::TIMEOUT_EXCEEDED);
    let settings = format!("{WAITS}, wait_for_async_insert = 1");
    let options = QueryOptions::default();
    options.cancel.cancel();
    let answer = session(&engine, &settings).execute_with("INSERT INTO t VALUES (2)", options);
    assert_eq!(answer.err().unwrap().code(), codes::QUERY_WAS_CANCELLED);
}
