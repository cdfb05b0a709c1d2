//! Engines of the MergeTree family that the reference replicates: statements that were written for
//! a cluster make plain tables, and keep their text.
#![allow(clippy::unwrap_used)]

use entasis_base::codes;
use entasis_engine::{Engine, EngineConfig, Session};

/// The rows of an answer as text, with commas between columns and semicolons between rows.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    let text = |row: usize| {
        let cell = |c: &entasis_column::Column| match c.value(row) {
            entasis_types::Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => entasis_types::name::literal(&other).trim_end_matches('.').to_string(),
        };
        rows.columns.iter().map(cell).collect::<Vec<_>>().join(",")
    };
    (0..rows.rows).map(text).collect::<Vec<_>>().join(";")
}

fn session() -> Session {
    entasis_functions::register();
    Engine::open(EngineConfig::local(None).unwrap()).unwrap().session()
}

#[test]
fn they_fold_rows_as_the_plain_engines() {
    let mut session = session();
    for (engine, wanted) in [
        ("ReplicatedMergeTree", "1,1,1;1,2,1"),
        ("ReplicatedMergeTree('/clickhouse/tables/{shard}/t', '{replica}')", "1,1,1;1,2,1"),
        ("SharedMergeTree", "1,1,1;1,2,1"),
        ("ReplicatedReplacingMergeTree(v)", "1,2,1"),
        ("ReplicatedReplacingMergeTree('/a/{uuid}', 'r', v)", "1,2,1"),
        ("SharedReplacingMergeTree(v)", "1,2,1"),
        ("ReplicatedSummingMergeTree('/a', 'r', (v))", "1,3,1"),
        ("SharedSummingMergeTree", "1,3,2"),
        ("ReplicatedCoalescingMergeTree('/a', 'r')", "1,2,1"),
        ("ReplicatedCollapsingMergeTree(s)", "1,2,1"),
        ("SharedVersionedCollapsingMergeTree('/a', 'r', s, v)", "1,1,1;1,2,1"),
    ] {
        let create =
            format!("CREATE TABLE t (k UInt8, v UInt8, s Int8) ENGINE = {engine} ORDER BY k");
        session.execute(&create).unwrap();
        session.execute("INSERT INTO t VALUES (1, 1, 1)").unwrap();
        session.execute("INSERT INTO t VALUES (1, 2, 1)").unwrap();
        session.execute("OPTIMIZE TABLE t FINAL").unwrap();
        assert_eq!(ask(&mut session, "SELECT * FROM t ORDER BY ALL"), wanted, "{engine}");
        let name = engine.split('(').next().unwrap();
        assert_eq!(ask(&mut session, "SELECT engine FROM system.tables WHERE name = 't'"), name);
        session.execute("DROP TABLE t").unwrap();
    }
}

#[test]
fn the_definition_shows_path_and_replica() {
    let mut session = session();
    let shown = "SELECT engine_full FROM system.tables WHERE name = 't'";
    session.execute("CREATE TABLE t (k UInt8) ENGINE = ReplicatedMergeTree ORDER BY k").unwrap();
    assert_eq!(
        ask(&mut session, shown),
        "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY k \
         SETTINGS index_granularity = 8192"
    );
    let warned = "SELECT count() FROM system.warnings WHERE message LIKE '%Replicated%'";
    assert_eq!(ask(&mut session, warned), "1");
    session.execute("DROP TABLE t").unwrap();
    assert_eq!(ask(&mut session, warned), "0");
    let engine = "ReplicatedReplacingMergeTree('/a/{uuid}', 'r1', v)";
    let create = format!("CREATE TABLE t (k UInt8, v UInt8) ENGINE = {engine} ORDER BY k");
    session.execute(&create).unwrap();
    assert!(ask(&mut session, shown).starts_with(engine));
    let one = "CREATE TABLE u (k UInt8) ENGINE = ReplicatedMergeTree('/a') ORDER BY k";
    let error = session.execute(one).err().map(|error| error.code());
    assert_eq!(error, Some(codes::BAD_ARGUMENTS));
}
