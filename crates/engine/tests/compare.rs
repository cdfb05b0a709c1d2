//! COMPARE: its answers, and what it refuses.
#![allow(clippy::unwrap_used)]

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{ErrorCode, codes};
use entasis_engine::{Engine, EngineConfig, Session, Step, WorkHook};
use entasis_types::Value;

fn session() -> Session {
    entasis_functions::register();
    let config = EngineConfig { hook: Some(slower), ..EngineConfig::local(None).unwrap() };
    Engine::open(config).unwrap().session()
}

/// Statements with the `log_comment` `slower by N` take N times as long.
fn slower(remark: &str) -> Option<Arc<dyn WorkHook>> {
    let times = remark.strip_prefix("slower by ")?.parse().ok()?;
    Some(Arc::new(Slower(times)))
}

struct Slower(f64);

impl WorkHook for Slower {
    fn begin(&self, _: Step<'_>) -> Option<Box<dyn Any>> {
        Some(Box::new(Slice { began: Instant::now(), times: self.0 }))
    }
}

struct Slice {
    began: Instant,
    times: f64,
}

impl Drop for Slice {
    fn drop(&mut self) {
        let end = Instant::now() + self.began.elapsed().mul_f64(self.times);
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        events::add(Event::InjectedMicroseconds, 1);
    }
}

/// Column names and values of the answer's row.
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
fn a_side_that_works_a_hundred_times_as_long_is_slower() {
    let mut session = session();
    // Ten times a millisecond is less than the delay that threads of other tests may cause.
    let found = row(
        &mut session,
        &format!(
            "COMPARE ({QUERY}) USING SETTINGS log_comment = '' \
             VERSUS log_comment = 'slower by 99' SETTINGS runs = 10, seed = 3"
        ),
    );
    assert_eq!(value(&found, "verdict").as_bytes(), Some(&b"slower"[..]));
    assert!(value(&found, "low").as_f64().unwrap() > 2.0, "{found:?}");
    assert_eq!(value(&found, "p_value").as_f64(), Some(2.0 / 1024.0));
    assert_eq!(value(&found, "runs").as_u64(), Some(10));
    assert_eq!(value(&found, "equal_answers").as_u64(), Some(1));
    let differing = format!("{:?}", value(&found, "differing"));
    let planted: Vec<u8> = b"InjectedMicroseconds".to_vec();
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
fn what_a_side_does_not_say_twice_is_not_held_against_it() {
    let mut session = session();
    let mut equal_in = |runs: u32, left: &str, right: &str| {
        let query = format!("COMPARE ({left}) WITH ({right}) SETTINGS runs = {runs}");
        value(&row(&mut session, &query), "equal_answers").clone()
    };
    let mut equal = |left: &str, right: &str| equal_in(2, left, right);
    let other = "SELECT rand64(number) FROM numbers(3)";
    assert_eq!(equal(other, other), Value::Null);
    assert_eq!(equal(other, "SELECT 1"), Value::Null);
    assert_eq!(equal("SELECT 1", other), Value::Null);
    assert_eq!(equal("SELECT 1", "SELECT 2"), Value::UInt(0));
    // The last digits depend on the order of threads: the answers are equal, or it is unknown. Of
    // two runs a side may by chance have the same digits twice, and the other side others.
    let sum = "SELECT sum(sqrt(number) / 3) FROM numbers_mt(3000000)";
    assert!((0..5).any(|_| equal_in(8, sum, sum) != Value::UInt(0)));
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
    // A million times the work: noise cannot turn this around.
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
        "COMPARE ({QUERY}) USING SETTINGS log_comment = '' \
         VERSUS log_comment = 'slower by 9' SETTINGS runs = 7"
    );
    let found = row(&mut session, &query);
    assert_eq!(value(&found, "verdict").as_bytes(), Some(&b"undecided"[..]), "{found:?}");
    let detectable = |row: &[(String, Value)]| value(row, "detectable").as_f64().unwrap();
    assert!(detectable(&found).is_nan(), "no difference is large enough: {found:?}");
    // With seven pairs of runs, one in 1716 counters would differ by chance.
    assert_eq!(value(&found, "differing"), &Value::Array([].into()), "{found:?}");
    let query = "COMPARE (SELECT sleep(0.01)) WITH (SELECT sleep(0.01)) SETTINGS runs = 8";
    let found = row(&mut session, query);
    assert!(detectable(&found) > 0.0, "{found:?}");
}

/// Groups that take megabytes of memory and may not spill.
const LARGE: &str = "SELECT number AS k, count() FROM numbers(100000) GROUP BY k \
                     SETTINGS max_bytes_ratio_before_external_group_by = 0";

#[test]
fn each_run_is_held_to_its_sides_memory() {
    let mut session = session();
    let mut sides = |old: u32, new: u32, runs: u32| {
        session.execute(&format!(
            "COMPARE ({LARGE}) USING SETTINGS max_memory_usage = {old} \
             VERSUS max_memory_usage = {new} SETTINGS runs = {runs}"
        ))
    };
    for (old, new, side) in [(1000, 0, "first query: "), (0, 1000, "second query: ")] {
        let error = sides(old, new, 2).err().unwrap();
        assert_eq!(error.code(), codes::MEMORY_LIMIT_EXCEEDED, "{error}");
        assert!(error.message().starts_with(side), "{error}");
    }
    // A limit that one run keeps is kept by many runs.
    assert!(sides(50_000_000, 0, 20).is_ok());
}

#[test]
fn each_run_is_held_to_its_sides_time() {
    let mut session = session();
    let mut sides = |old: f64, new: f64, runs: u32| {
        session.execute(&format!(
            "COMPARE (SELECT sleep(0.05)) USING SETTINGS max_execution_time = {old} \
             VERSUS max_execution_time = {new} SETTINGS runs = {runs}"
        ))
    };
    for (old, new, side) in [(0.005, 0.0, "first query: "), (0.0, 0.005, "second query: ")] {
        let error = sides(old, new, 2).err().unwrap();
        assert_eq!(error.code(), codes::TIMEOUT_EXCEEDED, "{error}");
        assert!(error.message().starts_with(side), "{error}");
    }
    // Thirty runs of 50 ms take longer than the limit of each run.
    assert!(sides(1.0, 1.0, 15).is_ok());
}

#[test]
fn a_sides_other_limits_name_it_too() {
    let mut session = session();
    let mut fails = |query: &str, code: ErrorCode, start: &str| {
        let error = session.execute(query).err().unwrap();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().starts_with(start), "{error}");
    };
    let rows =
        "COMPARE (SELECT 1) WITH (SELECT number FROM numbers(5) SETTINGS max_result_rows = 2)";
    fails(rows, codes::TOO_MANY_ROWS_OR_BYTES, "second query: ");
    fails("COMPARE (SELECT x) WITH (SELECT 1)", codes::UNKNOWN_IDENTIFIER, "first query: ");
    // Without the profiler, the measurement would show that it costs nothing.
    let shared = "COMPARE (SELECT 1) USING SETTINGS max_threads = 1 \
                  VERSUS query_profiler_real_time_period_ns = 1000000";
    fails(shared, codes::BAD_ARGUMENTS, "second query: ");
}

#[test]
fn totals_and_extremes_are_part_of_the_answer() {
    let mut session = session();
    let mut equal = |left: &str, right: &str| {
        let query = format!("COMPARE ({left}) WITH ({right}) SETTINGS runs = 2");
        value(&row(&mut session, &query), "equal_answers").as_u64() == Some(1)
    };
    let with =
        |end: &str| format!("SELECT number % 3 AS g, count() FROM numbers(9) GROUP BY g {end}");
    assert!(!equal(&with("WITH TOTALS"), &with("")));
    assert!(equal(&with("WITH TOTALS"), &with("WITH TOTALS ORDER BY g DESC")));
    // The same rows, but the totals are of groups of which some are left out.
    let half =
        |mode: &str| with(&format!("WITH TOTALS HAVING g < 2 SETTINGS totals_mode = '{mode}'"));
    assert!(!equal(&half("before_having"), &half("after_having_exclusive")));
    assert!(!equal(&with("SETTINGS extremes = 1"), &with("")));
    assert!(equal(&with("SETTINGS extremes = 1"), &with("ORDER BY g SETTINGS extremes = 1")));
}

#[test]
fn values_of_another_kind_differ() {
    let mut session = session();
    let mut equal = |left: &str, right: &str| {
        let query = format!("COMPARE (SELECT {left}) WITH (SELECT {right}) SETTINGS runs = 2");
        value(&row(&mut session, &query), "equal_answers").as_u64() == Some(1)
    };
    assert!(!equal("toUInt8(1)", "toInt64(1)") && !equal("toUInt8(1)", "toFloat64(1)"));
    assert!(equal("toUInt8(1) AS a", "toUInt64(1) AS b"));
}

#[test]
fn settings_behind_the_format_are_the_statements() {
    let mut session = session();
    let compare = "COMPARE (SELECT sleep(0.02)) WITH (SELECT sleep(0.02))";
    let with = |settings: &str| format!("{compare} SETTINGS runs = 9 FORMAT JSON {settings}");
    let unknown = session.execute(&with("SETTINGS no_such_thing = 1")).err().unwrap();
    assert_eq!(unknown.code(), codes::UNKNOWN_SETTING);
    assert!(unknown.message().starts_with("Unknown setting"), "{unknown}");
    let quoted = with("SETTINGS output_format_json_quote_64bit_integers = 1");
    let result = session.execute(&quoted).unwrap();
    assert!(session.output_options(&result).json_quote_64bit_integers);
    let result = session.execute(&with("")).unwrap();
    assert!(!session.output_options(&result).json_quote_64bit_integers);
    // The statement's own time limit ends it, so the error names neither side.
    let error = session.execute(&with("SETTINGS max_execution_time = 0.2")).err().unwrap();
    assert_eq!(error.code(), codes::TIMEOUT_EXCEEDED);
    assert!(error.message().starts_with("Timeout exceeded"), "{error}");
    // A side's own setting wins over the others.
    let own = "COMPARE (SELECT number FROM numbers(5)) USING SETTINGS max_result_rows = 9 \
               VERSUS max_result_rows = 10 SETTINGS runs = 2 FORMAT Null \
               SETTINGS max_result_rows = 2";
    assert!(session.execute(own).is_ok());
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
        let options =
            entasis_sql::FormatOptions { one_line: true, ..entasis_sql::FormatOptions::default() };
        assert_eq!(entasis_sql::format_statement(&parsed, options), text);
    }
}
