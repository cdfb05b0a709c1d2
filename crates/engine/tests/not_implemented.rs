//! Features that the README lists as missing: they are known by name and fail with NOT_IMPLEMENTED,
//! and never answer something else.
#![allow(clippy::unwrap_used)]

use entasis_base::codes;
use entasis_engine::{Engine, EngineConfig};

const STATEMENTS: &[&str] = &[
    "SELECT toDecimal256(1, 2)",
    "SELECT bitRotateLeft(toInt128(1), 1)",
    "SELECT bitTest(toUInt256(1), 1)",
    "SELECT generateUUIDv7()",
    "CREATE TABLE t (a Dynamic) ENGINE = Memory",
    "CREATE TABLE t (a JSON) ENGINE = Memory",
    "CREATE TABLE t (a Point) ENGINE = Memory",
    "SELECT arrayJoin(groupArray(number) OVER ()) FROM numbers(3)",
    "SELECT number FROM numbers(9) GROUP BY number WITH TOTALS SETTINGS max_rows_to_group_by = 3, \
     group_by_overflow_mode = 'any', totals_mode = 'before_having'",
    "EXPLAIN QUERY TREE run_passes = 0 SELECT 1",
    "EXPLAIN QUERY TREE passes = 3 SELECT 1",
    "EXPLAIN QUERY TREE dump_passes = 1 SELECT 1",
    "EXPLAIN QUERY TREE dump_ast = 1 SELECT 1",
    "EXPLAIN SYNTAX run_query_tree_passes = 1 SELECT 1",
    "CREATE TABLE t (a Int8 CODEC(AES_128_GCM_SIV)) ENGINE = Log",
    "CREATE TEMPORARY VIEW v AS SELECT 1",
    "CREATE VIEW v SQL SECURITY NONE AS SELECT 1",
    "CREATE MATERIALIZED VIEW v ENGINE = Memory AS SELECT {p:UInt8} AS y",
    "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(NULL()) LAYOUT(NAIVE_BAYES()) LIFETIME(1)",
];

#[test]
fn statements() {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    session.execute("CREATE TABLE there (a Int8) ENGINE = MergeTree ORDER BY a").unwrap();
    for statement in STATEMENTS {
        let answered = session.execute(statement).and_then(|result| result.collect());
        let error = answered.map(|_| ()).expect_err(statement);
        assert_eq!(error.code(), codes::NOT_IMPLEMENTED, "{statement}: {error}");
    }
}

#[test]
fn formats() {
    for name in ["Template", "Regexp", "MsgPack", "Avro", "ORC", "Protobuf"] {
        let error = entasis_format::find(name).map(|_| ()).expect_err(name);
        assert_eq!(error.code(), codes::NOT_IMPLEMENTED, "{name}: {error}");
    }
}

#[test]
fn names_of_statements_in_errors() {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    let create = session.execute("CREATE WORKLOAD all");
    let error = create.map(|_| ()).unwrap_err();
    assert!(error.message().starts_with("Statement CREATE WORKLOAD is not"), "{error}");
    session.execute("SET readonly = 1").unwrap();
    let create = session.execute("CREATE TABLE t (a Int8) ENGINE = Memory");
    let error = create.map(|_| ()).unwrap_err();
    assert_eq!(error.message(), "Cannot execute CREATE TABLE in readonly mode");
}
