//! Correlated subqueries that the reference does not take: each has the same rows as a query that
//! says the same without a correlation. Random ones run beside DuckDB with `make fuzz-joins`.
#![allow(clippy::unwrap_used, dead_code)]

mod common;

use common::{ask, engine_with};
use entasis_engine::{LogsConfig, Session};

/// Pairs of queries with the same rows.
const SAME: &[[&str; 2]] = &[
    // No row of `u`: a count is 0, what is computed from it as well.
    [
        "SELECT a, (SELECT count() FROM u WHERE u.a = t.a) FROM t",
        "SELECT a, arrayCount(x -> x = a, [1, 1, 2, 2, 4]) FROM t",
    ],
    [
        "SELECT a, (SELECT count() * 2 + t.b FROM u WHERE u.a = t.a) FROM t",
        "SELECT a, arrayCount(x -> x = a, [1, 1, 2, 2, 4]) * 2 + b FROM t",
    ],
    [
        "SELECT a, (SELECT count() FROM u WHERE u.a <= t.a HAVING count() > 2) FROM t",
        "SELECT a, if(a = 1, NULL, 4) FROM t",
    ],
    ["SELECT a FROM t WHERE EXISTS (SELECT max(c) FROM u WHERE u.a = t.a)", "SELECT a FROM t"],
    // IN.
    [
        "SELECT a FROM t WHERE b - 15 IN (SELECT c - 2 FROM u WHERE u.a <= t.a)",
        "SELECT a FROM t WHERE b = 20",
    ],
    [
        "SELECT a, b - 15 IN (SELECT c - 2 FROM u WHERE u.a <= t.a) FROM t",
        "SELECT a, b = 20 FROM t",
    ],
    [
        "SELECT a FROM t WHERE b NOT IN (SELECT c * 2 FROM u WHERE u.a = t.a)",
        "SELECT a FROM t WHERE b != 10 OR a != 1",
    ],
    [
        "SELECT a FROM t WHERE (a, b) IN (SELECT u.a, c * 2 FROM u WHERE c < t.b)",
        "SELECT a FROM t WHERE a = 1",
    ],
    [
        "SELECT a FROM t WHERE NOT (nullIf(a, 3) IN (SELECT u.a FROM u WHERE c < t.b))",
        "SELECT 0 WHERE 0",
    ],
    [
        "SELECT nullIf(a, 3) IN (SELECT u.a FROM u WHERE c < t.b) FROM t",
        "SELECT if(a = 3, NULL, 1) FROM t",
    ],
    [
        "SELECT a FROM t WHERE (nullIf(a, 3), 1) NOT IN (SELECT u.a, 1 FROM u WHERE c < t.b)",
        "SELECT a FROM t WHERE a = 3",
    ],
    [
        "SELECT a FROM t WHERE a IN (SELECT toString(u.a) FROM u WHERE c < t.b)",
        "SELECT a FROM t WHERE a < 3",
    ],
    [
        "SELECT a FROM t WHERE nullIf(b, 10) IN (SELECT c FROM u WHERE u.a >= t.a) SETTINGS transform_null_in = 1",
        "SELECT 1",
    ],
    // LIMIT, DISTINCT, UNION, windows, joins and groupings in the subquery.
    [
        "SELECT a, (SELECT c FROM u WHERE u.a = t.a ORDER BY c DESC LIMIT 1) FROM t",
        "SELECT a, transform(a, [1, 2], [6, 7], NULL) FROM t",
    ],
    [
        "SELECT a, (SELECT c FROM u WHERE u.a <= t.a ORDER BY c LIMIT 1 OFFSET 1) FROM t",
        "SELECT a, 6 FROM t",
    ],
    [
        "SELECT a, (SELECT sum(x) FROM (SELECT DISTINCT u.a AS x FROM u WHERE u.a <= t.a)) FROM t",
        "SELECT a, transform(a, [1, 2], [1, 3], 3) FROM t",
    ],
    [
        "SELECT a, (SELECT max(x) FROM (SELECT c + t.b AS x FROM u WHERE u.a = t.a \
         UNION ALL SELECT t.b)) FROM t",
        "SELECT a, b + transform(a, [1, 2], [6, 7], 0) FROM t",
    ],
    [
        "SELECT a, (SELECT sum(n) FROM (SELECT row_number() OVER (ORDER BY c) AS n FROM u \
         WHERE u.a <= t.a)) FROM t",
        "SELECT a, transform(a, [1], [3], 10) FROM t",
    ],
    [
        "SELECT a, (SELECT count() FROM u LEFT JOIN t AS x ON x.a = u.a AND x.b = y.b \
         WHERE u.a <= y.a) FROM t AS y",
        "SELECT a, transform(a, [1], [2], 4) FROM t",
    ],
    [
        "SELECT a, (SELECT max(n) FROM (SELECT u.a, count() AS n FROM u WHERE u.a != t.a \
         GROUP BY u.a)) FROM t",
        "SELECT a, 2 FROM t",
    ],
    // Subqueries in subqueries, and in every clause.
    [
        "SELECT a, (SELECT count() FROM u WHERE EXISTS (SELECT 1 FROM t AS x WHERE x.a = u.a \
         AND x.b < y.b)) FROM t AS y",
        "SELECT a, transform(a, [1, 2], [0, 2], 4) FROM t",
    ],
    [
        "SELECT (SELECT max(c) FROM u WHERE u.a = t.a) AS m, count() FROM t GROUP BY m",
        "SELECT transform(a, [1, 2], [6, 7], NULL) AS m, count() FROM t GROUP BY m",
    ],
    ["SELECT sum((SELECT max(c) FROM u WHERE u.a = t.a)) FROM t", "SELECT 13"],
    [
        "SELECT a FROM t ORDER BY (SELECT max(c) FROM u WHERE u.a = t.a) DESC NULLS LAST LIMIT 1",
        "SELECT 2",
    ],
    // LATERAL.
    [
        "SELECT t.a, x.c FROM t, LATERAL (SELECT c FROM u WHERE u.a = t.a) AS x",
        "SELECT t.a, u.c FROM t JOIN u ON u.a = t.a",
    ],
    [
        "SELECT t.a, x.n FROM t CROSS JOIN LATERAL (SELECT count() AS n FROM u WHERE u.a = t.a) x",
        "SELECT a, transform(a, [1, 2], [2, 2], 0) FROM t",
    ],
    [
        "SELECT t.a, x.c FROM t LEFT JOIN LATERAL (SELECT c FROM u WHERE u.a = t.a \
         ORDER BY c DESC LIMIT 1) AS x ON true",
        "SELECT a, transform(a, [1, 2], [6, 7], NULL) FROM t",
    ],
];

fn tables(session: &mut Session) {
    ask(session, "CREATE TABLE t (a Int32, b Int32) ENGINE = Memory");
    ask(session, "CREATE TABLE u (a Int32, c Nullable(Int32)) ENGINE = Memory");
    ask(session, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (3, 31)");
    ask(session, "INSERT INTO u VALUES (1, 5), (1, 6), (2, 7), (2, NULL), (4, 1)");
}

fn sorted(session: &mut Session, query: &str) -> Vec<String> {
    let mut rows: Vec<String> = ask(session, query).split(';').map(str::to_owned).collect();
    rows.sort();
    rows
}

#[test]
fn correlated_subqueries_mean_what_they_say() {
    let engine = engine_with(LogsConfig::default());
    let mut session = engine.session();
    tables(&mut session);
    for [correlated, plain] in SAME {
        assert_eq!(sorted(&mut session, correlated), sorted(&mut session, plain), "{correlated}");
    }
}
