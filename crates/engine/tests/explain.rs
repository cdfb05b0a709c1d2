//! EXPLAIN of plans and pipelines: what each option adds to the answer or removes from it.
#![allow(clippy::unwrap_used, clippy::panic)]

use entasis_column::Column;
use entasis_engine::{Engine, EngineConfig, Session};
use serde_json::Value;

fn session() -> Session {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    for statement in [
        "CREATE TABLE t (p UInt8, k UInt64) ENGINE = MergeTree PARTITION BY p ORDER BY k \
         SETTINGS index_granularity = 1000",
        "INSERT INTO t SELECT number % 2, number FROM numbers(20000)",
    ] {
        session.execute(statement).unwrap().collect().unwrap();
    }
    session
}

fn explained(session: &mut Session, text: &str) -> String {
    let chunk = session.execute(text).unwrap().collect().unwrap();
    let Column::String(strings) = chunk.columns[0].full() else { panic!("no strings") };
    let lines: Vec<String> =
        strings.iter().map(|s| String::from_utf8(s.to_vec()).unwrap()).collect();
    lines.join("\n")
}

#[test]
fn options_of_plans() {
    let mut session = session();
    let query = "SELECT k + 1 AS x FROM t WHERE p = 1 AND k < 2500 ORDER BY x LIMIT 3";
    let plain = explained(&mut session, &format!("EXPLAIN {query}"));
    assert!(plain.contains("Sorting [x]") && !plain.contains("Header"), "{plain}");
    let bare = explained(&mut session, &format!("EXPLAIN description = 0 {query}"));
    assert!(bare.contains("Sorting") && !bare.contains("[x]"), "{bare}");
    let header = explained(&mut session, &format!("EXPLAIN header = 1 {query}"));
    assert!(header.contains("Header: x UInt64"), "{header}");
    let actions = explained(&mut session, &format!("EXPLAIN actions = 1 {query}"));
    assert!(actions.contains("Actions:") && actions.contains("plus(k, 1)"), "{actions}");
    let sorting = explained(&mut session, &format!("EXPLAIN sorting = 1 {query}"));
    assert!(sorting.contains("Sorting: x"), "{sorting}");
    let compact = explained(&mut session, &format!("EXPLAIN compact = 1 {query}"));
    assert!(plain.contains("Expression") && !compact.contains("Expression"), "{compact}");
    let indexes = explained(&mut session, &format!("EXPLAIN indexes = 1 {query}"));
    assert!(indexes.contains("Parts: 1/2") && indexes.contains("Parts: 1 | "), "{indexes}");
    assert!(indexes.contains("PrimaryKey\n") && indexes.contains("Keys:\n"), "{indexes}");
    assert!(indexes.contains("Condition: (k in (-Inf, 2499])"), "{indexes}");
    let estimates = explained(&mut session, "EXPLAIN estimates = 1 SELECT * FROM numbers(10)");
    assert!(estimates.contains("Estimated rows: 10"), "{estimates}");
}

#[test]
fn plans_as_json() {
    let mut session = session();
    let query =
        "EXPLAIN json = 1, header = 1, indexes = 1 SELECT k FROM t WHERE p = 1 AND k < 2500";
    let text = explained(&mut session, query);
    let plans: Value = serde_json::from_str(&text).unwrap();
    let mut node = &plans[0]["Plan"];
    while node["Plans"].is_array() {
        node = &node["Plans"][0];
    }
    assert_eq!(node["Node Type"], "ReadFrom", "{text}");
    let indexes = node["Indexes"].as_array().unwrap();
    let of = |kind: &str| indexes.iter().find(|index| index["Type"] == kind).unwrap();
    let bounds = of("Min-Max");
    assert_eq!((&bounds["Initial Parts"], &bounds["Selected Parts"]), (&2.into(), &1.into()));
    let key = of("PrimaryKey");
    assert!(key["Selected Granules"].as_u64() < key["Initial Granules"].as_u64(), "{text}");
}

#[test]
fn trees_and_pipelines() {
    let mut session = session();
    let tree = explained(
        &mut session,
        "EXPLAIN QUERY TREE SELECT k + 1 AS x FROM t WHERE k > 2 GROUP BY x ORDER BY x LIMIT 1",
    );
    for part in ["PROJECTION COLUMNS\n    x UInt64", "WHERE", "GROUP BY", "LIMIT 1", "default.t"] {
        assert!(tree.contains(part), "no {part} in {tree}");
    }
    let graph = explained(&mut session, "EXPLAIN PIPELINE graph = 1 SELECT count() FROM t");
    assert!(graph.starts_with("digraph") && graph.ends_with('}') && graph.contains("->"));
    let ast = explained(&mut session, "EXPLAIN AST graph = 1 SELECT 'a\"b'");
    assert!(ast.starts_with("digraph {") && ast.contains("Literal 'a\\\"b'"), "{ast}");
    let header = explained(&mut session, "EXPLAIN PIPELINE header = 1 SELECT k FROM t");
    assert!(header.contains("Header: k UInt64"), "{header}");
}
