//! EXPLAIN ANALYZE shows the numbers of the run in every form.
#![allow(clippy::unwrap_used, clippy::panic)]

use entasis_base::codes;
use entasis_column::Column;
use entasis_engine::{Engine, EngineConfig, Session};
use serde_json::Value;

fn session() -> Session {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    let fill = "INSERT INTO t SELECT number, number % 10 FROM numbers(100000)";
    for statement in [
        "CREATE TABLE t (k UInt64, g UInt8) ENGINE = MergeTree ORDER BY k \
         SETTINGS index_granularity = 1000",
        fill,
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

fn json(session: &mut Session, query: &str) -> Value {
    let text = explained(session, &format!("EXPLAIN ANALYZE format = JSON {query}"));
    serde_json::from_str(&text).unwrap()
}

/// All steps of all pipelines of all graphs.
fn steps(plan: &Value) -> Vec<&Value> {
    let graphs = plan["graphs"].as_array().unwrap().iter();
    let pipelines = graphs.flat_map(|g| g["pipelines"].as_array().unwrap());
    pipelines.flat_map(|p| p["steps"].as_array().unwrap()).collect()
}

fn step<'a>(plan: &'a Value, name: &str) -> &'a Value {
    let all = steps(plan);
    all.into_iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("no {name} in {plan:#}"))
}

#[test]
fn rows_and_pruning() {
    let mut session = session();
    let plan = json(&mut session, "SELECT g, count() FROM t WHERE k < 5500 GROUP BY g");
    let scan = step(&plan, "MergeTree");
    assert_eq!(scan["rows_out"], 5500);
    assert_eq!((&scan["granules"], &scan["granules_total"]), (&6.into(), &100.into()));
    assert_eq!(scan["skipped_by_primary_key"], 94);
    assert_eq!(step(&plan, "Aggregating")["rows_in"], 5500);
    assert_eq!(step(&plan, "Aggregated")["rows_out"], 10);
    assert_eq!(step(&plan, "Result")["rows_in"], 10);
    let (expected, actual) = (step(&plan, "Aggregated")["rows_expected"].as_f64().unwrap(), 10.0);
    let off = (expected / actual).max(actual / expected);
    assert_eq!(step(&plan, "Aggregated")["rows_off_by"].as_f64().unwrap(), off);
    assert_eq!(plan["read_rows"], 6000);
}

#[test]
fn times_are_those_of_the_threads() {
    let mut session = session();
    let query = "SELECT max(cityHash64(number)) FROM numbers_mt(20000000) SETTINGS max_threads = 2";
    let plan = json(&mut session, query);
    let busy: u64 = steps(&plan).iter().map(|s| s["busy_ns"].as_u64().unwrap()).sum();
    let elapsed = plan["elapsed_ns"].as_u64().unwrap();
    assert!(busy > 0 && busy <= 2 * elapsed, "busy {busy}, elapsed {elapsed}");
    for pipeline in plan["graphs"][0]["pipelines"].as_array().unwrap() {
        assert!(pipeline["began_ns"].as_u64() <= pipeline["ended_ns"].as_u64());
        assert!(pipeline["ended_ns"].as_u64().unwrap() <= elapsed);
        assert!((1..=2).contains(&pipeline["threads"].as_u64().unwrap()));
    }
}

#[test]
fn subqueries_and_joins_are_shown() {
    let mut session = session();
    let query = "SELECT count() FROM t AS a JOIN (SELECT number AS k FROM numbers(7)) AS b USING k \
                 WHERE g IN (SELECT number FROM numbers(3)) AND k < (SELECT 5)";
    let plan = json(&mut session, query);
    let titles: Vec<&str> =
        plan["graphs"].as_array().unwrap().iter().map(|g| g["title"].as_str().unwrap()).collect();
    assert!(titles.contains(&"Set") && titles.contains(&""), "{titles:?}");
    assert_eq!(step(&plan, "CreatingSet")["rows_in"], 3);
    assert_eq!(step(&plan, "JoinProbe")["rows_out"], 3);
    let text = explained(&mut session, &format!("EXPLAIN ANALYZE {query}"));
    assert!(text.contains("memory peak") && text.contains("JoinBuild: rows in"), "{text}");
}

#[test]
fn pictures() {
    let mut session = session();
    let dot =
        explained(&mut session, "EXPLAIN ANALYZE graph = 1 SELECT count() FROM t WHERE g = 1");
    assert!(dot.starts_with("digraph {") && dot.contains("[label=\"MergeTree\\n"), "{dot}");
    assert!(dot.contains("-> g0p0s1 [label=\"10,000\"];"), "{dot}");
    let mermaid = explained(&mut session, "EXPLAIN ANALYZE graph = mermaid SELECT sum(g) FROM t");
    assert!(mermaid.starts_with("flowchart BT\n") && mermaid.contains("-->|100,000|"), "{mermaid}");
}

#[test]
fn errors() {
    let mut session = session();
    let mut code = |text: &str| {
        let answer = session.execute(text).and_then(|result| result.collect());
        answer.map(|_| ()).expect_err(text).code()
    };
    assert_eq!(code("EXPLAIN ANALYZE colour = 1 SELECT 1"), codes::BAD_ARGUMENTS);
    assert_eq!(code("EXPLAIN ANALYZE SELECT nothing"), codes::UNKNOWN_IDENTIFIER);
    assert_eq!(code("EXPLAIN ANALYZE INSERT INTO t SELECT 1, 1"), codes::INCORRECT_QUERY);
    let thrown = "EXPLAIN ANALYZE SELECT throwIf(k = 70000) FROM t";
    assert_eq!(code(thrown), codes::FUNCTION_THROW_IF_VALUE_IS_NON_ZERO);
}
