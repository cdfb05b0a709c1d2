//! CREATE TABLE: what is left by a process that ended in the middle of one.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, Session};
use entasis_mergetree::Store;
use entasis_types::Value;

fn engine_on(disk: &Arc<dyn Disk>) -> Arc<Engine> {
    let disk = Some(Arc::clone(disk));
    entasis_functions::register();
    Engine::open(EngineConfig { disk, threads: 2, ..EngineConfig::local(None).unwrap() }).unwrap()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

#[test]
fn a_table_that_never_got_its_name_goes() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    {
        let engine = engine_on(&disk);
        run(&mut engine.session(), "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a");
    }
    let definition = "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a";
    let names = |store: &Store| store.tables().into_iter().map(|t| t.name).collect::<Vec<_>>();
    {
        let store = Store::open(Arc::clone(&disk), false).unwrap();
        store.create_table("default", "\u{0}aside0", definition).unwrap();
        assert_eq!(names(&store).len(), 2);
    }
    {
        let mut session = engine_on(&disk).session();
        run(
            &mut session,
            "CREATE OR REPLACE TABLE t ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a",
        );
        run(&mut session, "INSERT INTO t VALUES (2)");
    }
    assert_eq!(names(&Store::open(Arc::clone(&disk), false).unwrap()), ["t"]);
    let mut session = engine_on(&disk).session();
    let rows = session.execute("SELECT sum(a) FROM t").unwrap().collect().unwrap();
    assert_eq!(rows.columns[0].value(0).as_u64(), Some(3));
}

fn text(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    let shown = |value: Value| match value.as_bytes() {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => format!("{value:?}"),
    };
    let value = |i| rows.columns.iter().map(|c| shown(c.value(i))).collect::<Vec<_>>().join(" | ");
    (0..rows.rows).map(value).collect::<Vec<_>>().join("\n")
}

const DEFINITIONS: &[&str] = &[
    "CREATE TABLE a (x UInt8, y Date CODEC(Delta, ZSTD(3)), s LowCardinality(String) DEFAULT \
     toString(x) COMMENT 'it''s', z UInt8 ALIAS x + 1, CONSTRAINT c CHECK x > 1) \
     ENGINE = MergeTree PARTITION BY (toYYYYMM(y), x % 2) PRIMARY KEY x ORDER BY (x, toYear(y)) \
     SETTINGS index_granularity = 100 COMMENT 'a table'",
    "CREATE TABLE b (x UInt8 PRIMARY KEY, `odd name` Array(Tuple(a Int8, b String))) \
     ENGINE = MergeTree",
    "CREATE TABLE c (x UInt8, v UInt64, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY x",
    "CREATE TABLE d (x UInt8, a Int64, b Int64) ENGINE = SummingMergeTree((a)) ORDER BY x",
    "CREATE TABLE e (x UInt8, s AggregateFunction(uniq, String)) ENGINE = AggregatingMergeTree() \
     ORDER BY x",
    "CREATE TABLE f (x UInt8) ENGINE = Memory SETTINGS compress = 1",
    "CREATE TABLE g (x UInt8) ENGINE = Null COMMENT 'nothing'",
    "CREATE TABLE h (x UInt8, CONSTRAINT c ASSUME x > 1) ENGINE = Log SETTINGS any = 1",
];

#[test]
fn definitions_are_the_same_after_a_restart() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let of_tables = "SELECT name, engine, engine_full, create_table_query, partition_key, \
                     sorting_key, primary_key, comment FROM system.tables \
                     WHERE database = 'default' ORDER BY name";
    let of_columns = "SELECT table, name, type, default_kind, default_expression, comment, \
                      compression_codec, is_in_partition_key, is_in_sorting_key, \
                      is_in_primary_key FROM system.columns \
                      WHERE database = 'default' ORDER BY table, position";
    let both = |session: &mut Session| [of_tables, of_columns].map(|query| text(session, query));
    let before = {
        let mut session = engine_on(&disk).session();
        DEFINITIONS.iter().for_each(|definition| run(&mut session, definition));
        run(&mut session, "RENAME TABLE g TO renamed");
        both(&mut session)
    };
    assert_eq!(before[0].lines().count(), DEFINITIONS.len());
    assert_eq!(both(&mut engine_on(&disk).session()), before);
}

#[test]
fn a_table_that_cannot_be_opened_says_why_and_can_be_dropped() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    {
        let store = Store::open(Arc::clone(&disk), false).unwrap();
        store.create_database("default", "").unwrap();
        let create = |name, text| store.create_table("default", name, text).unwrap();
        create("later", "CREATE TABLE later (a UInt8) ENGINE = Later(1) ORDER BY a");
        create("odd", "what is this");
        create("t", "CREATE TABLE t (a UInt8) ENGINE = Log");
    }
    let mut session = engine_on(&disk).session();
    let engines = "SELECT name, engine FROM system.tables WHERE database = 'default' ORDER BY name";
    let engines = text(&mut session, engines);
    assert_eq!(engines, "later | Later\nodd | \nt | Log");
    for name in ["later", "odd"] {
        let error = session.execute(&format!("SELECT * FROM {name}")).map(drop).unwrap_err();
        let expected = format!("Cannot open table default.{name}");
        assert!(error.message().contains(&expected), "{error}");
        let statements = [
            "TRUNCATE TABLE",
            "OPTIMIZE TABLE",
            "SHOW CREATE TABLE",
            "CREATE TABLE new ENGINE = Log AS",
        ];
        for statement in statements {
            let error = session.execute(&format!("{statement} {name}")).map(drop).unwrap_err();
            assert!(error.message().contains(&expected), "{statement}: {error}");
        }
        run(&mut session, &format!("DROP TABLE {name}"));
    }
    run(&mut session, "INSERT INTO t VALUES (1)");
    assert_eq!(text(&mut session, "SHOW TABLES"), "t");
}
