//! Mutations beside other statements: KILL MUTATION, restarts, and what the logs keep.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::codes;

use crate::{Engine, EngineConfig, Session};

fn text(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).unwrap().collect().unwrap();
    let row = |i: usize| {
        let values: Vec<String> = rows
            .columns
            .iter()
            .map(|column| match column.value(i).as_bytes() {
                Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                None => column.value(i).as_u64().map(|n| n.to_string()).unwrap_or_default(),
            })
            .collect();
        values.join(",")
    };
    (0..rows.rows).map(row).collect::<Vec<_>>().join(";")
}

fn engine() -> Arc<Engine> {
    entasis_functions::register();
    Engine::open(EngineConfig::local(None).unwrap()).unwrap()
}

#[test]
fn mutation_that_is_killed_changes_nothing() {
    let engine = engine();
    let mut session = engine.session();
    session.execute("CREATE TABLE t (a UInt64, b UInt64) ENGINE = MergeTree ORDER BY a").unwrap();
    session.execute("INSERT INTO t SELECT number, 0 FROM numbers(250)").unwrap();
    let slow = {
        let mut session = engine.session();
        std::thread::spawn(move || {
            let update = "ALTER TABLE t UPDATE b = 1 WHERE sleepEachRow(0.01) = 0";
            session.execute(update).map(drop)
        })
    };
    let running = "SELECT command, parts_to_do, is_done FROM system.mutations WHERE NOT is_done";
    while text(&mut session, running).is_empty() {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(text(&mut session, running), "(UPDATE b = 1 WHERE sleepEachRow(0.01) = 0),1,0");
    // INSERTs go on meanwhile.
    session.execute("INSERT INTO t VALUES (5000, 0)").unwrap();
    let killed = text(&mut session, "KILL MUTATION WHERE table = 't' AND NOT is_done");
    assert!(killed.starts_with("waiting,default,t,mutation_"), "{killed}");
    let error = slow.join().unwrap().unwrap_err();
    assert_eq!(error.code(), codes::QUERY_WAS_CANCELLED, "{error}");
    assert_eq!(text(&mut session, "SELECT count(), sum(b) FROM t"), "251,0");
    assert_eq!(text(&mut session, "SELECT count() FROM system.mutations"), "0");
    session.execute("ALTER TABLE t UPDATE b = 2 WHERE a = 5").unwrap();
    assert_eq!(text(&mut session, "SELECT sum(b) FROM t"), "2");
}

#[test]
fn mutation_list_is_bounded() {
    let engine = engine();
    let mut session = engine.session();
    session.execute("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a").unwrap();
    session.execute("INSERT INTO t SELECT number FROM numbers(200)").unwrap();
    for i in 0..110 {
        session.execute(&format!("DELETE FROM t WHERE a = {i}")).unwrap();
    }
    assert_eq!(text(&mut session, "SELECT count() FROM system.mutations"), "100");
    assert_eq!(text(&mut session, "SELECT count(), min(a) FROM t"), "90,110");
    assert_eq!(
        text(&mut session, "SELECT files, rows FROM system.parts WHERE table = 't' AND active"),
        "2,200"
    );
    let long = (0..10_000).map(|i| (i + 1_000_000).to_string()).collect::<Vec<_>>().join(",");
    session.execute(&format!("DELETE FROM t WHERE a IN ({long})")).unwrap();
    let length = text(&mut session, "SELECT max(length(command)) < 20000 FROM system.mutations");
    assert_eq!(length, "1");
}
