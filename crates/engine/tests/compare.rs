//! COMPARE: what it answers, and what it refuses.
#![allow(clippy::unwrap_used)]

use entasis_base::codes;
use entasis_engine::{Engine, EngineConfig, Session};
use entasis_types::Value;

fn session() -> Session {
    Engine::open(EngineConfig::local(None).unwrap()).unwrap().session()
}

/// Column names and the values of the row.
fn row(session: &mut Session, query: &str) -> Vec<(String, Value)> {
    let result = session.execute(query).unwrap();
    let names: Vec<String> = result.header.iter().map(|f| f.name.to_string()).collect();
    let rows = result.collect().unwrap();
    assert_eq!(rows.rows, 1);
    names.into_iter().zip(rows.columns.iter().map(|column| column.value(0))).collect()
}

fn value<'a>(row: &'a [(String, Value)], name: &str) -> &'a Value {
    &row.iter().find(|(column, _)| column == name).unwrap().1
}

const QUERY: &str = "SELECT number % 10 AS k, sum(number) FROM numbers(300000) GROUP BY k";

#[test]
fn a_side_that_works_ten_times_as_long_is_slower() {
    let mut session = session();
    let found = row(
        &mut session,
        &format!(
            "COMPARE ({QUERY}) USING SETTINGS plant_time_percent = 0 \
             VERSUS plant_time_percent = 900 SETTINGS runs = 10, seed = 3"
        ),
    );
    assert_eq!(value(&found, "verdict").as_bytes(), Some(&b"slower"[..]));
    assert!(value(&found, "low").as_f64().unwrap() > 2.0, "{found:?}");
    assert_eq!(value(&found, "p_value").as_f64(), Some(2.0 / 1024.0));
    assert_eq!(value(&found, "runs").as_u64(), Some(10));
    assert_eq!(value(&found, "equal_answers").as_u64(), Some(1));
    let differing = format!("{:?}", value(&found, "differing"));
    let planted: Vec<u8> = b"PlantedMicroseconds".to_vec();
    assert!(differing.contains(&format!("{:?}", Value::String(planted.into()))), "{differing}");
}

#[test]
fn answers_are_compared_whatever_their_order() {
    let mut session = session();
    let mut equal = |left: &str, right: &str| {
        let query = format!("COMPARE ({left}) WITH ({right}) SETTINGS runs = 2");
        let found = row(&mut session, &query);
        value(&found, "equal_answers").as_u64()
    };
    assert_eq!(
        equal("SELECT 1 UNION ALL SELECT 2", "SELECT 3 - number FROM numbers(1, 2)"),
        Some(0)
    );
    let down = "SELECT number FROM numbers(9) ORDER BY number DESC";
    assert_eq!(equal("SELECT number FROM numbers(9)", down), Some(1));
    assert_eq!(equal("SELECT 1 UNION ALL SELECT 1", "SELECT 1"), Some(0));
}

#[test]
fn runs_stop_when_enough_is_known_or_time_is_up() {
    let mut session = session();
    let query = "COMPARE (SELECT sleep(0.02)) WITH (SELECT sleep(0.02)) \
                 SETTINGS runs = 'auto', min_effect = 0.9";
    let runs = value(&row(&mut session, query), "runs").as_u64();
    assert_eq!(runs, Some(8));
    let query = "COMPARE (SELECT sleep(0.02)) WITH (SELECT sleep(0.02)) SETTINGS runs = 5000, \
                 max_seconds = 0.2";
    let runs = value(&row(&mut session, query), "runs").as_u64().unwrap();
    assert!((2..=6).contains(&runs), "{runs}");
}

#[test]
fn auto_takes_as_many_runs_as_can_show_a_difference() {
    let mut session = session();
    // A million times the work: no noise turns that around.
    let query = "COMPARE (SELECT sum(number) FROM numbers(10)) \
                 WITH (SELECT sum(number) FROM numbers(20000000)) \
                 SETTINGS runs = 'auto', min_effect = 0.9, max_seconds = 600";
    let found = row(&mut session, query);
    assert_eq!(value(&found, "verdict").as_bytes(), Some(&b"slower"[..]), "{found:?}");
    assert!(value(&found, "runs").as_u64() >= Some(8), "{found:?}");
}

#[test]
fn few_runs_show_no_difference() {
    let mut session = session();
    let query = format!(
        "COMPARE ({QUERY}) USING SETTINGS plant_time_percent = 0 \
         VERSUS plant_time_percent = 900 SETTINGS runs = 7"
    );
    let found = row(&mut session, &query);
    assert_eq!(value(&found, "verdict").as_bytes(), Some(&b"undecided"[..]), "{found:?}");
}

#[test]
fn what_is_wrong_is_said() {
    let mut session = session();
    let mut code = |query: &str| session.execute(query).err().unwrap().code();
    assert_eq!(code("COMPARE (SELECT 1) WITH (SELECT 2) SETTINGS rns = 2"), codes::UNKNOWN_SETTING);
    assert_eq!(code("COMPARE (SELECT 1) WITH (SELECT 2) SETTINGS runs = 1"), codes::BAD_ARGUMENTS);
    let wrong = "COMPARE (SELECT 1) WITH (SELECT 2) SETTINGS min_effect = 2";
    assert_eq!(code(wrong), codes::BAD_ARGUMENTS);
    assert_eq!(code("COMPARE (SELECT 1) WITH (SELECT x)"), codes::UNKNOWN_IDENTIFIER);
    assert_eq!(code("COMPARE SELECT 1"), codes::SYNTAX_ERROR);
    assert_eq!(code("COMPARE (SELECT 1) USING SETTINGS max_threads = 1"), codes::SYNTAX_ERROR);
    let unknown = "COMPARE (SELECT 1) USING SETTINGS no_such = 1 VERSUS no_such = 2";
    assert_eq!(code(unknown), codes::UNKNOWN_SETTING);
    session.execute("SET readonly = 1").unwrap();
    let mut code = |query: &str| session.execute(query).err().unwrap().code();
    let changes = "COMPARE (SELECT 1) USING SETTINGS max_threads = 1 VERSUS max_threads = 2";
    assert_eq!(code(changes), codes::READONLY);
}

#[test]
fn its_text_is_written_as_it_is_read() {
    for text in [
        "COMPARE (SELECT 1) WITH (SELECT 2)",
        "COMPARE (SELECT 1) WITH (SELECT 2) SETTINGS runs = 'auto', min_effect = 0.01",
        "COMPARE (SELECT 1) USING SETTINGS a = 1, b = 2 VERSUS a = 2 SETTINGS runs = 7",
    ] {
        let parsed = entasis_sql::parse_statement(text).unwrap();
        let options = entasis_sql::FormatOptions { one_line: true };
        assert_eq!(entasis_sql::format_statement(&parsed, options), text);
    }
}
