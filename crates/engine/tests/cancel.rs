//! Statements can be cancelled at many points. Checks of the cancel token are counted, not time.
//!
//! Every case is work that could be a single long step. It must check the token at least this
//! often, and must end with QUERY_WAS_CANCELLED at whatever check it is cancelled.
#![allow(clippy::unwrap_used, clippy::panic)]

use entasis_base::{CancelToken, Result, codes};
use entasis_engine::{Engine, EngineConfig, QueryOptions, Session};

/// A statement, and the fewest checks of its token: about one per 65,536 rows, elements or 16 bytes
/// of text in a long step. Chunks of the pipeline count too, so fast steps have many checks.
const CASES: &[(&str, u32)] = &[
    ("SELECT length(range(3000000 + toUInt64(rand() % 2)))", 40),
    ("SELECT length(arraySort(x -> cityHash64(x), range(1000000 + toUInt64(rand() % 2))))", 60),
    ("SELECT arraySort(arrayMap(x -> cityHash64(x), range(1000000 + rand() % 2)))[1]", 60),
    ("SELECT length(arrayMap(x -> x * 3 + 1, range(3000000 + toUInt64(rand() % 2))))", 60),
    ("SELECT arrayFold((a, x) -> a + x, range(200000 + toUInt64(rand() % 2)), toUInt64(0))", 3),
    ("SELECT sum(x) FROM (SELECT arrayJoin(range(3000000 + toUInt64(rand() % 2))) AS x)", 300),
    ("SELECT sum(x) FROM (SELECT arrayJoin(range(10000)) AS x FROM numbers(300))", 300),
    ("SELECT max(length(repeat(toString(number), 1000))) FROM numbers(8000)", 20),
    (
        "SELECT max(length(concat(materialize(repeat('x', 10000)), toString(number)))) FROM numbers(8000)",
        60,
    ),
    ("SELECT cityHash64(number) AS h FROM numbers(1100000) ORDER BY h", 250),
    ("SELECT toString(cityHash64(number)) AS h FROM numbers(300000) ORDER BY h", 60),
    (
        "SELECT cityHash64(number) AS h FROM numbers(500000) ORDER BY h SETTINGS max_bytes_before_external_sort = 2000000",
        150,
    ),
    (
        "SELECT cityHash64(number) AS h, count() FROM numbers(500000) GROUP BY h SETTINGS max_bytes_before_external_group_by = 2000000",
        600,
    ),
    ("SELECT [number % 1000] AS a FROM numbers(300000) ORDER BY a", 100),
    ("SELECT max(h) FROM (SELECT DISTINCT cityHash64(number) AS h FROM numbers(500000))", 100),
    (
        "SELECT max(h) FROM (SELECT cityHash64(number) AS h, count() FROM numbers(500000) GROUP BY h)",
        100,
    ),
    (
        "SELECT count() FROM numbers(1) AS l LEFT JOIN (SELECT number * 7 AS number FROM numbers(500000)) AS r USING number",
        80,
    ),
    ("SELECT count() FROM numbers(1) WHERE number IN (SELECT number * 7 FROM numbers(500000))", 80),
    ("SELECT uniqExact(cityHash64(number)) FROM numbers(500000)", 80),
    ("SELECT length(groupArray(number)) FROM numbers(1100000)", 150),
    ("SELECT quantileExact(number) FROM numbers(1100000)", 150),
    (
        "SELECT count(), max(v + w) FROM (SELECT number % 10 AS k, number AS v FROM numbers(3000)) AS a \
         JOIN (SELECT number % 10 AS k, number AS w FROM numbers(3000)) AS b USING k",
        100,
    ),
    ("SELECT (SELECT max(cityHash64(number)) FROM numbers(1000000)) + 1", 100),
];

fn session() -> Session {
    let config = EngineConfig { threads: 2, ..EngineConfig::local(None).unwrap() };
    entasis_functions::register();
    let mut session = Engine::open(config).unwrap().session();
    session.set_text("max_threads", "2").unwrap();
    session
}

fn run(session: &mut Session, query: &str, cancel: &CancelToken) -> Result<()> {
    let options = QueryOptions { cancel: cancel.clone(), ..QueryOptions::default() };
    let mut result = session.execute_with(query, options)?;
    while result.next_chunk()?.is_some() {}
    Ok(())
}

const MANY: u32 = 1 << 30;

fn looks(session: &mut Session, query: &str) -> u32 {
    let cancel = CancelToken::with_fuse(MANY);
    run(session, query, &cancel).unwrap_or_else(|e| panic!("{query}: {e}"));
    MANY - cancel.fuse_left().unwrap()
}

#[test]
fn long_steps_look_at_the_token() {
    let mut session = session();
    let mut few = Vec::new();
    for (query, least) in CASES {
        let looks = looks(&mut session, query);
        if looks < *least {
            few.push(format!("{looks} of {least}: {query}"));
        }
    }
    assert!(few.is_empty(), "too few looks:\n{}", few.join("\n"));
}

#[test]
fn statements_end_wherever_they_are_cancelled() {
    let mut session = session();
    for (query, _) in CASES {
        let all = looks(&mut session, query);
        for part in 0..5 {
            // Not at the very end, as the number of checks may differ between runs with threads.
            let cancel = CancelToken::with_fuse(all * part / 6);
            let error = run(&mut session, query, &cancel).expect_err(query);
            assert_eq!(error.code(), codes::QUERY_WAS_CANCELLED, "{query}: {error}");
        }
    }
    assert!(session.execute("SELECT 1").is_ok());
    assert!(session.execute("SELECT count() FROM system.processes").is_ok());
}
