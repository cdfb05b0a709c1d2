//! Columns that are read late: the answers are those of the same query without it, and only what
//! is needed is read.
#![allow(clippy::unwrap_used, clippy::panic)]

use entasis_base::clock::Rng;
use entasis_base::codes;
use entasis_column::Column;
use entasis_engine::{Engine, EngineConfig, Session};

const OFF: &str = "query_plan_optimize_lazy_materialization = 0";

fn session() -> Session {
    entasis_functions::register();
    let mut session = Engine::open(EngineConfig::local(None).unwrap()).unwrap().session();
    run(
        &mut session,
        "CREATE TABLE t (id UInt32, k UInt8, v Nullable(Int32), s String, c LowCardinality(String), \
         a Array(UInt16)) ENGINE = MergeTree ORDER BY (k, id) SETTINGS index_granularity = 8",
    );
    session
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).unwrap().collect().unwrap();
}

fn insert(session: &mut Session, first: u64, rows: u64) {
    run(
        session,
        &format!(
            "INSERT INTO t SELECT number, number % 7, if(number % 5 = 0, NULL, number * 37 % 101), \
             concat('text ', toString(number)), concat('c', toString(number % 3)), \
             range(number % 4) FROM numbers({first}, {rows})"
        ),
    );
}

fn rows(session: &mut Session, query: &str) -> Vec<String> {
    let rows = session.execute(query).unwrap_or_else(|e| panic!("{query}: {e}")).collect();
    let rows = rows.unwrap_or_else(|e| panic!("{query}: {e}"));
    let row = |at| rows.columns.iter().map(|column| format!("{:?} ", column.value(at))).collect();
    (0..rows.rows).map(row).collect()
}

fn explained(session: &mut Session, query: &str) -> String {
    let chunk = session.execute(query).unwrap().collect().unwrap();
    let Column::String(lines) = chunk.columns[0].full() else { panic!("no text") };
    lines.iter().map(|line| String::from_utf8(line.to_vec()).unwrap() + "\n").collect()
}

/// One of these.
fn one<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    of[rng.below(of.len() as u64) as usize]
}

fn random_query(rng: &mut Rng) -> String {
    let columns = ["id", "s", "upper(s) AS u", "c", "a", "a.size0", "v", "length(a) + id AS l"];
    let columns: Vec<&str> = columns.into_iter().filter(|_| rng.below(2) == 0).collect();
    let columns = if columns.is_empty() { "s, c".to_owned() } else { columns.join(", ") };
    let condition = one(rng, &["1", "k = 3", "s LIKE '%7%'", "id > 90", "v IS NULL", "id < 0"]);
    let order = one(rng, &["id", "k DESC, id", "v NULLS FIRST, id DESC", "c, s", "a, id DESC"]);
    let (limit, offset) = (1 + rng.below(9), rng.below(5));
    let inner = format!(
        "SELECT {columns} FROM t WHERE {condition} ORDER BY {order} LIMIT {limit} OFFSET {offset}"
    );
    match rng.below(4) {
        0 => {
            let kind = one(rng, &["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
            let nulls = rng.below(2);
            format!(
                "SELECT x.s, y.s, x.v, y.a, y.c FROM (SELECT * FROM t WHERE {condition}) AS x {kind} t \
                 AS y ON x.id = y.id + 40 ORDER BY y.id, x.id LIMIT {limit} SETTINGS join_use_nulls = {nulls}"
            )
        }
        1 => format!(
            "SELECT *, count() OVER () AS n FROM ({inner}) ORDER BY ALL LIMIT 3 SETTINGS max_threads = 3"
        ),
        _ => format!("{inner} SETTINGS max_block_size = {}", 1 + rng.below(40)),
    }
}

#[test]
fn answers_are_those_of_early_reading() {
    let mut session = session();
    let mut rng = Rng::new(7);
    for round in 0..8u64 {
        insert(&mut session, round * 30, 45);
        match round {
            2 => run(&mut session, "DELETE FROM t WHERE id % 11 = 3"),
            3 => run(&mut session, "ALTER TABLE t UPDATE s = concat(s, '!') WHERE id % 4 = 1"),
            5 => run(&mut session, "OPTIMIZE TABLE t FINAL"),
            _ => {}
        }
        for _ in 0..25 {
            let query = random_query(&mut rng);
            let early = rows(&mut session, &format!("{query}, {OFF}"));
            assert_eq!(rows(&mut session, &query), early, "{query}");
        }
    }
}

#[test]
fn only_the_granules_of_the_rows_are_read() {
    let mut session = session();
    insert(&mut session, 0, 8000);
    let query = "SELECT s, a FROM t ORDER BY id % 1000, id LIMIT 2";
    let late = explained(&mut session, &format!("EXPLAIN {query}"));
    assert!(late.contains("Fetch default.t [s, a]"), "{late}");
    let early = explained(&mut session, &format!("EXPLAIN {query} SETTINGS {OFF}"));
    assert!(!early.contains("Fetch"), "{early}");
    let analyzed = explained(&mut session, &format!("EXPLAIN ANALYZE {query}"));
    assert!(analyzed.contains("fetched rows 2, fetched "), "{analyzed}");
}

#[test]
fn what_is_fetched_counts_as_read() {
    let mut session = session();
    insert(&mut session, 0, 4000);
    // Numbers and addresses of 4000 rows are read, and a few granules of 8 rows.
    let query = "SELECT s, a FROM t ORDER BY id % 4000, id LIMIT 20 SETTINGS max_bytes_to_read =";
    rows(&mut session, &format!("{query} 52000"));
    let error = session.execute(&format!("{query} 48100")).and_then(|result| result.collect());
    assert_eq!(error.unwrap_err().code(), codes::TOO_MANY_BYTES);
}

/// A table with wide texts, and one with a few ranges of its ids.
fn wide_session() -> Session {
    let mut session = session();
    for statement in [
        "CREATE TABLE w (id UInt32, j UInt32, k Nullable(UInt32), s String, c LowCardinality(String), \
         a Array(String), n Nullable(String)) ENGINE = MergeTree ORDER BY id \
         SETTINGS index_granularity = 16",
        "INSERT INTO w SELECT number, number * 7 % 3000, if(number % 10 = 0, NULL, number % 500), \
         concat(repeat('wide ', 20), toString(number)), concat('c', toString(number % 3)), \
         [concat(repeat('x', 40), toString(number % 13))], \
         if(number % 4 = 0, NULL, concat(repeat('n', 50), toString(number))) FROM numbers(3000)",
        "CREATE TABLE m (id UInt32, k UInt32, s String) ENGINE = Memory",
        "INSERT INTO m SELECT number * 3, number % 400, concat(repeat('memory ', 12), toString(number)) \
         FROM numbers(2500)",
        "CREATE TABLE few (lo UInt32, hi UInt32, k UInt32, t String) ENGINE = Memory",
        "INSERT INTO few SELECT number * 200, number * 200 + number % 5, number, toString(number) \
         FROM numbers(12)",
        "DELETE FROM w WHERE id % 11 = 3",
    ] {
        run(&mut session, statement);
    }
    session
}

fn random_join(rng: &mut Rng) -> String {
    let columns = ["x.s", "upper(x.s) AS u", "x.c", "x.a", "x.n", "length(x.n)", "x.id", "x.k"];
    let mut columns: Vec<&str> = columns.into_iter().filter(|_| rng.below(2) == 0).collect();
    columns.push("x.s AS s1");
    let mut columns = columns.join(", ");
    let kind = one(rng, &["", "", "LEFT", "RIGHT", "FULL"]);
    let from = match rng.below(4) {
        0 => {
            columns.push_str(", y.t, y.k");
            "w AS x JOIN few AS y ON x.id BETWEEN y.lo AND y.hi".to_string()
        }
        1 => {
            columns.push_str(", y.t");
            let kind = one(rng, &["JOIN", "SEMI LEFT JOIN", "LEFT JOIN", "RIGHT JOIN"]);
            format!("w AS x {kind} few AS y ON x.id = y.lo AND x.j < y.hi")
        }
        2 => {
            columns.push_str(", y.s, y.n AS yn");
            format!("w AS x {kind} JOIN w AS y ON x.id = y.j AND x.k = y.id")
        }
        _ => {
            columns.push_str(", y.s, upper(y.s)");
            let columns = columns.replace("x.s AS s1", "x.s AS s1, z.t");
            let order = "ORDER BY ALL";
            return format!(
                "SELECT {columns} FROM w AS x JOIN m AS y ON x.id = y.id AND x.k = y.k \
                 LEFT JOIN few AS z ON z.k = x.k {order}"
            );
        }
    };
    match rng.below(3) {
        0 => format!(
            "SELECT x.c, arraySort(groupArray(x.s)) AS g, count() FROM {from} GROUP BY x.c ORDER BY ALL"
        ),
        1 => format!(
            "SELECT s1, count() AS n FROM (SELECT {columns} FROM {from}) GROUP BY s1 ORDER BY ALL"
        ),
        _ => format!("SELECT {columns} FROM {from} ORDER BY ALL"),
    }
}

#[test]
fn joins_that_keep_few_rows_read_late_without_a_limit() {
    let mut session = wide_session();
    let mut rng = Rng::new(11);
    let mut late_ones = 0;
    for _ in 0..60 {
        let query = random_join(&mut rng);
        let (nulls, threads, block) = (rng.below(2), 1 + rng.below(3), 1 + rng.below(900));
        let query = format!(
            "{query} SETTINGS join_use_nulls = {nulls}, max_threads = {threads}, max_block_size = {block}"
        );
        let early = rows(&mut session, &format!("{query}, {OFF}"));
        assert_eq!(rows(&mut session, &query), early, "{query}");
        let plan = explained(&mut session, &format!("EXPLAIN {query}"));
        late_ones += usize::from(plan.contains("Fetch"));
    }
    assert!(late_ones >= 20, "{late_ones}");
}

#[test]
fn a_limit_of_unsorted_rows_and_small_tables_read_early() {
    let mut session = wide_session();
    let join = "SELECT x.s, y.t FROM w AS x JOIN few AS y ON x.id BETWEEN y.lo AND y.hi";
    let late = explained(&mut session, &format!("EXPLAIN {join}"));
    assert!(late.contains("Fetch default.w [s]"), "{late}");
    let analyzed = explained(&mut session, &format!("EXPLAIN ANALYZE {join}"));
    assert!(analyzed.contains("fetched rows "), "{analyzed}");
    // Such a limit ends the reading, which a step that collects all rows would prevent.
    let limited = explained(&mut session, &format!("EXPLAIN {join} LIMIT 3"));
    assert!(!limited.contains("Fetch default.w"), "{limited}");
    let small = join.replace("x.s", "x.id");
    let small = explained(&mut session, &format!("EXPLAIN {small}"));
    assert!(!small.contains("Fetch"), "{small}");
}
