//! Dictionaries that read each other.
#![allow(clippy::unwrap_used)]

use entasis_base::codes;
use entasis_engine::{Engine, EngineConfig};

#[test]
fn dictionaries_that_read_each_other_in_a_circle_are_an_error() {
    entasis_functions::register();
    let config = EngineConfig { threads: 2, ..EngineConfig::local(None).unwrap() };
    let mut session = Engine::open(config).unwrap().session();
    let mut run = |statement: &str| session.execute(statement).and_then(|found| found.collect());
    for (name, other) in [("a", "b"), ("b", "a"), ("c", "c")] {
        let create = format!(
            "CREATE DICTIONARY {name} (k UInt64, v UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY \
             'SELECT k, v FROM dictionary(\\'{other}\\')')) LAYOUT(FLAT()) LIFETIME(0)"
        );
        run(&create).unwrap();
    }
    for name in ["a", "c"] {
        let error = run(&format!("SELECT dictGet('{name}', 'v', toUInt64(1))")).unwrap_err();
        assert_eq!(error.code(), codes::INFINITE_LOOP, "{error}");
    }
    // Others can be loaded afterwards.
    run("CREATE DICTIONARY d (k UInt64, v UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY \
         'SELECT 1 AS k, 2 AS v')) LAYOUT(FLAT()) LIFETIME(0)")
    .unwrap();
    let rows = run("SELECT dictGet('d', 'v', toUInt64(1))").unwrap();
    assert_eq!(rows.columns[0].value(0).as_u64(), Some(2));
}

#[test]
fn contents_stay_while_the_invalidate_query_answers_the_same() {
    entasis_functions::register();
    let config = EngineConfig { threads: 2, ..EngineConfig::local(None).unwrap() };
    let mut session = Engine::open(config).unwrap().session();
    let mut run = |statement: &str| session.execute(statement).and_then(|found| found.collect());
    run("CREATE TABLE s (k UInt64, v UInt64) ENGINE = MergeTree ORDER BY k").unwrap();
    run("CREATE TABLE changes (n UInt64) ENGINE = Memory").unwrap();
    run("INSERT INTO s VALUES (1, 10)").unwrap();
    run("CREATE DICTIONARY d (k UInt64, v UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 's' \
         INVALIDATE_QUERY 'SELECT max(n) FROM default.changes')) LAYOUT(HASHED()) LIFETIME(1)")
    .unwrap();
    let ask = "SELECT dictGet('d', 'v', toUInt64(2))";
    assert_eq!(run(ask).unwrap().columns[0].value(0).as_u64(), Some(0));
    run("INSERT INTO s VALUES (2, 20)").unwrap();
    // The lifetime is over, but nothing says that the source has changed.
    std::thread::sleep(std::time::Duration::from_millis(1200));
    assert_eq!(run(ask).unwrap().columns[0].value(0).as_u64(), Some(0));
    run("INSERT INTO changes VALUES (7)").unwrap();
    while run(ask).unwrap().columns[0].value(0).as_u64() != Some(20) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // RELOAD asks for no reason.
    run("INSERT INTO s VALUES (3, 30)").unwrap();
    run("SYSTEM RELOAD DICTIONARY d").unwrap();
    let rows = run("SELECT dictGet('d', 'v', toUInt64(3))").unwrap();
    assert_eq!(rows.columns[0].value(0).as_u64(), Some(30));
}
