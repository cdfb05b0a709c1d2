//! The table function `input`: the data behind an INSERT as a table of its SELECT. The reference's
//! library for Python does not give it the data, so these answers are written by hand.
#![allow(clippy::unwrap_used)]

use entasis_base::codes;
use entasis_engine::{Engine, EngineConfig, QueryOptions, Session};

fn session() -> Session {
    entasis_functions::register();
    let config = EngineConfig { threads: 2, ..EngineConfig::local(None).unwrap() };
    let mut session = Engine::open(config).unwrap().session();
    session.execute("CREATE TABLE t (a UInt32, b String) ENGINE = Memory").unwrap();
    session
}

fn rows(session: &mut Session) -> String {
    let query =
        "SELECT arrayStringConcat(arraySort(groupArray(concat(toString(a), b))), ' ') FROM t";
    let rows = session.execute(query).unwrap().collect().unwrap();
    String::from_utf8_lossy(rows.columns[0].value(0).as_bytes().unwrap()).into_owned()
}

fn insert(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
    session.execute("SELECT 1").unwrap();
}

#[test]
fn data_behind_the_statement() {
    let mut session = session();
    let s = &mut session;
    insert(
        s,
        "INSERT INTO t SELECT x * 10, upper(y) FROM input('x UInt8, y String') FORMAT CSV 1,\"one\"",
    );
    assert_eq!(rows(s), "10ONE");
    insert(
        s,
        "INSERT INTO t (b, a) SELECT y, x FROM input('x UInt8, y String') WHERE x > 1 \
         FORMAT JSONEachRow {\"x\":1,\"y\":\"q\"} {\"x\":2,\"y\":\"r\"}",
    );
    assert_eq!(rows(s), "10ONE 2r");
    insert(s, "INSERT INTO t SELECT sum(x), 'sum' FROM input('x UInt8') FORMAT TSV 5");
    assert_eq!(rows(s), "10ONE 2r 5sum");
}

#[test]
fn data_from_elsewhere() {
    let mut session = session();
    let input = Some(Box::new(std::io::Cursor::new("3\n4\n")) as _);
    let options = QueryOptions { input, ..QueryOptions::default() };
    let statement = "INSERT INTO t SELECT x, 'n' FROM (SELECT x FROM input('x UInt8')) FORMAT TSV";
    session.execute_with(statement, options).unwrap();
    assert_eq!(rows(&mut session), "3n 4n");
}

#[test]
fn wrong_uses_are_errors() {
    let mut session = session();
    for (statement, code) in [
        ("SELECT * FROM input('x UInt8')", codes::INVALID_USAGE_OF_INPUT),
        ("INSERT INTO t SELECT x, '' FROM input('x UInt8')", codes::INVALID_USAGE_OF_INPUT),
        (
            "INSERT INTO t SELECT 1, '' FROM input() FORMAT TSV 1",
            codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
        ),
        ("INSERT INTO t SELECT x, '' FROM input('x UInt8') FORMAT NoSuch 1", codes::UNKNOWN_FORMAT),
    ] {
        let failed = session.execute(statement).and_then(|result| result.collect());
        assert_eq!(failed.map(drop).unwrap_err().code(), code, "{statement}");
    }
    assert_eq!(rows(&mut session), "");
}
