//! Orders of joins, and the estimates on which they rest.

use super::*;
use crate::join_order::JoinOrder;

fn made(text: &str, join_order: JoinOrder) -> QueryPlan {
    entasis_functions::register();
    let tables = Tables::new();
    let ast = entasis_sql::parse_query(text).unwrap();
    let query = analyze(&ast, &tables, &NoContext, &AnalyzeSettings::default()).unwrap();
    let settings = PlanSettings { join_order, ..PlanSettings::default() };
    plan(&query, &settings, &NoContext).unwrap()
}

/// The estimated rows of `SELECT * FROM ...`.
fn rows(from: &str) -> f64 {
    estimate(&made(&format!("SELECT * FROM {from}"), JoinOrder::default()).root)
}

fn kinds(text: &str, join_order: JoinOrder) -> Vec<JoinKind> {
    let mut kinds = Vec::new();
    joins(&made(text, join_order).root, &mut kinds);
    kinds
}

#[test]
fn estimates_follow_from_distinct_values_and_ranges() {
    let near = |from: &str, expected: f64| {
        let got = rows(from);
        assert!((got / expected - 1.0).abs() < 0.05, "{from}: {got}, expected {expected}");
    };
    near("sales", 1e6);
    near("sales WHERE day = 17", 1e3);
    near("sales WHERE day = 5000", 1.0);
    near("sales WHERE day < 250", 250e3);
    near("sales WHERE 250 > day", 250e3);
    near("sales WHERE day >= 250 AND part = 3", 375.0);
    near("sales WHERE day IN (1, 2, 3)", 3e3);
    near("sales WHERE NOT (day = 1 OR day = 2)", 998e3);
    near("(SELECT day, count() FROM sales GROUP BY day)", 1e3);
    near("(SELECT DISTINCT day FROM sales)", 1e3);
    near("(SELECT day FROM sales UNION ALL SELECT day FROM days)", 1_001_000.0);
    // Each sale has one day, and each day of a year has the same share of the sales.
    near("sales JOIN days ON sales.day = days.day", 1e6);
    near("sales JOIN days ON sales.day = days.day WHERE year = 1", 333e3);
    near("sales LEFT JOIN days ON sales.day = days.day", 1e6);
    near("sales SEMI LEFT JOIN days ON sales.day = days.day", 1e6);
    near(
        "sales SEMI LEFT JOIN (SELECT * FROM days WHERE year = 1) AS d ON sales.day = d.day",
        333e3,
    );
    near(
        "sales ANTI LEFT JOIN (SELECT * FROM days WHERE year = 1) AS d ON sales.day = d.day",
        667e3,
    );
    near("sales FULL JOIN days ON sales.day = days.day", 1e6);
    near("days CROSS JOIN nations", 25e3);
    // What is known of one key is mostly known of the other.
    near(
        "sales AS a JOIN sales AS b ON a.part = b.part AND a.day = b.day",
        1e12 / 2e3 / 1e3f64.sqrt(),
    );
}

#[test]
fn connected_tables_are_never_crossed() {
    let chain = "sales AS a, parts AS b, customers AS c, days AS d, nations AS e WHERE a.part = b.part \
                 AND c.customer = a.customer AND d.day = a.day AND e.nation = c.nation";
    for random in 0..40 {
        let order = JoinOrder { random, ..JoinOrder::default() };
        assert_eq!(kinds(&format!("SELECT * FROM {chain}"), order), vec![JoinKind::Inner; 4]);
    }
    for most_tables in [2, 10] {
        let order = JoinOrder { most_tables, most_pairs: 5, ..JoinOrder::default() };
        assert_eq!(kinds(&format!("SELECT * FROM {chain}"), order), vec![JoinKind::Inner; 4]);
    }
}

#[test]
fn many_tables_are_joined_greedily() {
    // A chain, a star, and tables that are all joined by one key.
    let names: Vec<String> = (0..30).map(|i| format!("t{i}")).collect();
    let from: Vec<String> = names.iter().map(|name| format!("customers AS {name}")).collect();
    let from = from.join(", ");
    for condition in [
        |i: usize| format!("t{}.customer = t{i}.customer", i - 1),
        |i: usize| format!("t0.customer = t{i}.customer + {i}"),
        |i: usize| format!("t{}.nation = t{i}.age", i / 2),
    ] {
        let all: Vec<String> = (1..names.len()).map(condition).collect();
        let text = format!("SELECT count() FROM {from} WHERE {}", all.join(" AND "));
        let started = std::time::Instant::now();
        assert_eq!(kinds(&text, JoinOrder::default()), vec![JoinKind::Inner; 29]);
        let ordered = started.elapsed();
        let started = std::time::Instant::now();
        made(&text, JoinOrder { most_tables: 0, ..JoinOrder::default() });
        eprintln!("30 tables: {ordered:?}, as written: {:?}", started.elapsed());
    }
}

#[test]
fn the_search_is_bounded() {
    for tables in [8, 10] {
        let names: Vec<String> = (0..tables).map(|i| format!("t{i}")).collect();
        let from: Vec<String> = names.iter().map(|name| format!("customers AS {name}")).collect();
        for star in [true, false] {
            let join = |i: usize| match star {
                true => format!("t0.customer = t{i}.age + {i}"),
                false => format!("t{}.customer = t{i}.customer", i - 1),
            };
            let all: Vec<String> = (1..tables).map(join).collect();
            let (from, all) = (from.join(", "), all.join(" AND "));
            let text = format!("SELECT count() FROM {from} WHERE {all}");
            let started = std::time::Instant::now();
            let found = kinds(&text, JoinOrder::default());
            eprintln!("{tables} tables, star: {star}: {:?}", started.elapsed());
            assert_eq!(found, vec![JoinKind::Inner; tables - 1]);
        }
    }
}

#[test]
fn sides_are_chosen_as_the_setting_says() {
    let first = |build| {
        let order = JoinOrder { build, ..JoinOrder::default() };
        let plan = made("SELECT count() FROM days JOIN sales ON days.day = sales.day", order);
        let text = format!("{:?}", scans_of(&plan.root));
        text
    };
    assert_eq!(first(BuildSide::Smaller), r#"["sales", "days"]"#);
    assert_eq!(first(BuildSide::Right), r#"["days", "sales"]"#);
    assert_eq!(first(BuildSide::Left), r#"["sales", "days"]"#);
}

/// The names of the tables of a plan, from the left.
fn scans_of(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    scans(plan, &mut found);
    let name = |plan: &&Plan| match plan {
        Plan::Scan(scan) => scan.name.trim_start_matches('.').to_string(),
        _ => String::new(),
    };
    found.iter().map(name).collect()
}
