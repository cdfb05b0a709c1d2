//! Joins in any order: random trees of joins over small tables, with NULLs and duplicates, have the
//! same rows as written, in the order that the planner chooses, and in random orders.
//! `JOIN_ORDERS=5000` runs more of them.
#![allow(clippy::unwrap_used, dead_code)]

mod common;

use std::fmt::Write;

use common::{ask, engine_with};
use entasis_engine::{LogsConfig, Session};

/// A sequence of numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 1) as usize % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn holds(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const TABLES: usize = 6;

fn create_tables(session: &mut Session, random: &mut Random) {
    for at in 0..TABLES {
        let engine = random.one(&["Memory", "MergeTree ORDER BY k", "MergeTree ORDER BY tuple()"]);
        let columns = "k UInt8, n Nullable(UInt8), w Int32, s String";
        ask(session, &format!("CREATE TABLE t{at} ({columns}) ENGINE = {engine}"));
        let rows = [0, 3, 6, 9, 12, 14][random.below(6)];
        for _ in 0..rows {
            let n = if random.holds(25) { "NULL".into() } else { random.below(4).to_string() };
            let (k, w) = (random.below(5), random.below(4));
            let s = random.one(&["", "a", "b", "1"]);
            ask(session, &format!("INSERT INTO t{at} VALUES ({k}, {n}, {w}, '{s}')"));
        }
    }
}

/// A query in the making.
struct Made {
    from: String,
    /// The columns that can be read.
    columns: Vec<String>,
    tables: usize,
    comparisons: Vec<String>,
}

fn source(random: &mut Random, alias: &str) -> String {
    let table = format!("t{}", random.below(TABLES));
    match random.below(8) {
        0 => format!("(SELECT DISTINCT k, n, w, s FROM {table}) AS {alias}"),
        1 => format!(
            "(SELECT k, max(n) AS n, min(w) AS w, any('a') AS s FROM {table} GROUP BY k) AS {alias}"
        ),
        2 => {
            let (other, kind) = (random.below(TABLES), random.one(&["JOIN", "LEFT JOIN"]));
            format!(
                "(SELECT x.k AS k, y.n AS n, x.w + y.w AS w, y.s AS s FROM {table} AS x \
                 {kind} t{other} AS y ON x.k = y.k) AS {alias}"
            )
        }
        _ => format!("{table} AS {alias}"),
    }
}

fn of(alias: &str) -> Vec<String> {
    ["k", "n", "w", "s"].map(|column| format!("{alias}.{column}")).to_vec()
}

/// An equality between a known column and one of the new table.
fn equality(random: &mut Random, known: &[String], new: &str) -> String {
    if random.holds(10) {
        let (a, b) = (&known[random.below(known.len())], &known[random.below(known.len())]);
        if !a.ends_with('s') && !b.ends_with('s') {
            return format!("{a} + {b} = {new}.w");
        }
    }
    let left = &known[random.below(known.len())];
    let right = if left.ends_with('s') { "s" } else { random.one(&["k", "k", "n", "w"]) };
    format!("{left} = {new}.{right}")
}

fn condition(random: &mut Random, columns: &[String]) -> String {
    let column = columns[random.below(columns.len())].clone();
    let other = columns[random.below(columns.len())].clone();
    let text = column.ends_with('s');
    match random.below(9) {
        0 if !text => format!("{column} = {}", random.below(4)),
        1 if !text => format!("{column} > {}", random.below(3)),
        2 if !text => format!("{column} IN (0, {})", random.below(4)),
        3 => format!("{column} IS NOT NULL"),
        4 if text == other.ends_with('s') => format!("{column} = {other}"),
        5 if text == other.ends_with('s') => format!("{column} <= {other}"),
        6 if text == other.ends_with('s') => {
            let more = columns[random.below(columns.len())].clone();
            format!("({column} = {other} OR {more} IS NULL OR {more} != {column}::String)")
        }
        7 => {
            let (a, b) = (condition(random, columns), condition(random, columns));
            let (c, d) = (condition(random, columns), condition(random, columns));
            format!("(({a} AND {b}) OR ({c} AND {d}))")
        }
        _ if text => format!("{column} != 'b'"),
        _ => format!("{column} < {}", random.below(4) + 1),
    }
}

fn tree(random: &mut Random, most: usize) -> Made {
    let from = source(random, "a0");
    let mut made = Made { from, columns: of("a0"), tables: 1, comparisons: Vec::new() };
    let tables = 2 + random.below(most - 1);
    while made.tables < tables {
        let alias = format!("a{}", made.tables);
        let table = source(random, &alias);
        made.tables += 1;
        let mut on = equality(random, &made.columns, &alias);
        while random.holds(25) {
            write!(on, " AND {}", equality(random, &made.columns, &alias)).unwrap();
        }
        if random.holds(20) {
            let mut both = made.columns.clone();
            both.extend(of(&alias));
            write!(on, " AND {}", condition(random, &both)).unwrap();
        }
        let kind = random.one(&[
            "JOIN",
            "JOIN",
            "JOIN",
            "JOIN",
            ",",
            ",",
            "LEFT JOIN",
            "LEFT JOIN",
            "LEFT JOIN",
            "SEMI LEFT JOIN",
            "ANTI LEFT JOIN",
            "RIGHT JOIN",
            "FULL JOIN",
            "SEMI RIGHT JOIN",
        ]);
        match kind {
            "," => {
                // A comma binds as the other joins do here, so that it must not follow them.
                if made.from.contains("JOIN t") || made.from.contains("JOIN (") {
                    write!(made.from, " CROSS JOIN {table}").unwrap();
                } else {
                    write!(made.from, ", {table}").unwrap();
                }
                made.comparisons.push(on);
                made.columns.extend(of(&alias));
            }
            "SEMI LEFT JOIN" | "ANTI LEFT JOIN" => {
                write!(made.from, " {kind} {table} ON {on}").unwrap();
            }
            "SEMI RIGHT JOIN" => {
                write!(made.from, " {kind} {table} ON {on}").unwrap();
                made.columns = of(&alias);
                // Which row of the left side was found is not defined.
                made.comparisons.clear();
            }
            kind => {
                write!(made.from, " {kind} {table} ON {on}").unwrap();
                made.columns.extend(of(&alias));
            }
        }
    }
    made
}

fn query(random: &mut Random) -> String {
    let mut made = tree(random, 5);
    while random.holds(45) {
        made.comparisons.push(condition(random, &made.columns));
    }
    let mut text = format!(
        "SELECT count(), sum(cityHash64(toString(tuple({})))) FROM {}",
        made.columns.join(", "),
        made.from
    );
    if !made.comparisons.is_empty() {
        write!(text, " WHERE {}", made.comparisons.join(" AND ")).unwrap();
    }
    text
}

fn answer(session: &mut Session, query: &str, settings: &str) -> Result<String, String> {
    let rows = session.execute(&format!("{query} SETTINGS {settings}"));
    let rows = rows.and_then(|rows| rows.collect()).map_err(|e| e.to_string())?;
    Ok(rows.columns.iter().map(|c| format!("{:?} ", c.value(0))).collect())
}

#[test]
fn every_order_has_the_same_rows() {
    let rounds = std::env::var("JOIN_ORDERS").ok().and_then(|n| n.parse().ok()).unwrap_or(50);
    let first = std::env::var("JOIN_ORDERS_FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (mut done, mut wrong, mut not_empty) = (0, Vec::new(), 0);
    for round in first..first + rounds {
        let mut random = Random(round / 25 + 1);
        let engine = engine_with(LogsConfig { only: Some(Vec::new()), ..LogsConfig::default() });
        let session = &mut engine.session();
        create_tables(session, &mut random);
        random.0 = round * 7919 + 13;
        for _ in 0..8 {
            let query = query(&mut random);
            let nulls = format!("join_use_nulls = {}", random.below(2));
            let as_written = format!("{nulls}, query_plan_enable_optimizations = 0");
            let Ok(expected) = answer(session, &query, &as_written) else { continue };
            done += 1;
            not_empty += u32::from(!expected.contains("UInt(0)"));
            let seed = random.below(1000) + 2;
            for more in [
                String::new(),
                ", query_plan_join_swap_table = 1".into(),
                ", query_plan_optimize_join_order_limit = 0".into(),
                ", query_plan_optimize_join_order_limit = 2".into(),
                format!(", query_plan_optimize_join_order_randomize = {seed}"),
                format!(", query_plan_optimize_join_order_randomize = {}", seed + 1),
            ] {
                let got = answer(session, &query, &format!("{nulls}{more}"));
                if got.as_ref() != Ok(&expected) {
                    wrong.push(format!(
                        "round {round}: {query} SETTINGS {nulls}{more}\n  {got:?}\n  {expected}"
                    ));
                }
            }
        }
    }
    eprintln!("{done} queries, {not_empty} with rows");
    assert!(
        wrong.is_empty(),
        "{} of {done}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(8)].join("\n")
    );
    assert!(done > rounds * 4, "{done}");
}
