//! Projections never change an answer: random queries with and without them, over parts of which
//! some lack them, after merges, mutations and restarts; and a crash at any step of building them.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::clock::Rng;
use entasis_disk::{Disk, FaultDisk};
use entasis_engine::{Engine, EngineConfig, Session};

fn session_on(disk: &Arc<FaultDisk>) -> Result<Session> {
    entasis_functions::register();
    let disk = Some(Arc::clone(disk) as Arc<dyn Disk>);
    let config =
        EngineConfig { disk, threads: 2, merges: false, ..EngineConfig::local(None).unwrap() };
    Ok(Engine::open(config)?.session())
}

fn execute(session: &mut Session, statement: &str) -> Result<()> {
    session.execute(statement).and_then(|result| result.collect()).map(drop)
}

/// The answer as text, with commas between columns and semicolons between rows.
fn ask(session: &mut Session, query: &str) -> Result<String> {
    let rows = session.execute(query)?.collect()?;
    let text = |row: usize| {
        let cell = |c: &entasis_column::Column| entasis_types::name::literal(&c.value(row));
        rows.columns.iter().map(cell).collect::<Vec<_>>().join(",")
    };
    Ok((0..rows.rows).map(text).collect::<Vec<_>>().join(";"))
}

fn pick<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    of[rng.below(of.len() as u64) as usize]
}

const KEYS: &[&str] = &["a", "b", "toDate(ts)", "a % 3", "toStartOfHour(ts)", "s", "n"];
const CALLS: &[&str] = &[
    "count()",
    "sum(x)",
    "min(x)",
    "max(s)",
    "uniqExact(b)",
    "sumIf(x, a > 2)",
    "count(n)",
    "sum(n)",
    "argMin(x, (x, b))",
    "arraySort(groupArray(a))",
];
const CONDITIONS: &[&str] = &[
    "a < 4",
    "b = 17",
    "toDate(ts) >= '2020-09-14'",
    "x > 50",
    "a IN (1, 2, 5)",
    "s = 's3'",
    "n IS NULL",
    "a = 1 OR b > 40",
    "a IN (SELECT number FROM numbers(3))",
];

/// A list of some of these, at least `least` of them.
fn some<'a>(rng: &mut Rng, of: &[&'a str], least: u64, most: u64) -> Vec<&'a str> {
    let mut out: Vec<&str> = Vec::new();
    for _ in 0..least + rng.below(most - least + 1) {
        let one = pick(rng, of);
        if !out.contains(&one) {
            out.push(one);
        }
    }
    out
}

fn projection(rng: &mut Rng) -> String {
    if rng.below(3) == 0 {
        let columns = some(rng, &["a", "b", "x", "ts", "s", "n"], 2, 6).join(", ");
        return format!("SELECT {columns} ORDER BY {}", pick(rng, &["b", "s", "x", "(b, a)"]));
    }
    let (keys, calls) = (some(rng, KEYS, 0, 3), some(rng, CALLS, 1, 5));
    let calls = calls.join(", ");
    match keys.is_empty() {
        true => format!("SELECT {calls}"),
        false => format!("SELECT {0}, {calls} GROUP BY {0}", keys.join(", ")),
    }
}

fn query(rng: &mut Rng) -> String {
    let filter = match some(rng, CONDITIONS, 0, 2) {
        none if none.is_empty() => String::new(),
        some => format!("WHERE {}", some.join(" AND ")),
    };
    if rng.below(4) == 0 {
        let columns = some(rng, &["a", "b", "x", "s"], 1, 3).join(", ");
        return format!("SELECT {columns} FROM t {filter} ORDER BY ALL");
    }
    let (keys, calls) = (some(rng, KEYS, 0, 2), some(rng, CALLS, 1, 3));
    let calls = calls.join(", ");
    match keys.is_empty() {
        true => format!("SELECT {calls} FROM t {filter}"),
        false => {
            let keys = keys.join(", ");
            format!("SELECT {keys}, {calls} FROM t {filter} GROUP BY {keys} ORDER BY ALL")
        }
    }
}

fn insert(rng: &mut Rng) -> String {
    let (rows, from) = (1 + rng.below(400), rng.below(1000));
    format!(
        "INSERT INTO t SELECT n % 7, n % 53, n % 101, toDateTime('2020-09-13 12:00:00') + n * 60, \
         concat('s', toString(n % 5)), if(n % 4 = 0, NULL, n % 9) \
         FROM (SELECT number + {from} AS n FROM numbers({rows}))"
    )
}

/// A statement that changes rows, parts or projections.
fn change(rng: &mut Rng, at: u64) -> String {
    match rng.below(12) {
        0 => "OPTIMIZE TABLE t FINAL".to_owned(),
        1 => "OPTIMIZE TABLE t".to_owned(),
        2 => format!("ALTER TABLE t DELETE WHERE b = {}", rng.below(53)),
        3 => format!("ALTER TABLE t UPDATE x = x + 1 WHERE a = {}", rng.below(7)),
        4 => format!("DELETE FROM t WHERE b = {}", rng.below(53)),
        5 => format!("ALTER TABLE t ADD PROJECTION p{at} ({})", projection(rng)),
        6 => format!("ALTER TABLE t CLEAR PROJECTION p{}", rng.below(at + 1)),
        7 => format!("ALTER TABLE t DROP PROJECTION IF EXISTS p{}", rng.below(at + 1)),
        8 | 9 => format!("ALTER TABLE t MATERIALIZE PROJECTION p{}", rng.below(at + 1)),
        _ => insert(rng),
    }
}

#[test]
fn projections_never_change_an_answer() {
    let mut used = 0;
    for seed in 0..8 {
        let mut rng = Rng::new(seed);
        let mut disk = Arc::new(FaultDisk::new());
        let mut session = session_on(&disk).unwrap();
        let mode = pick(&mut rng, &["drop", "rebuild"]);
        let partition = pick(&mut rng, &["", "PARTITION BY a % 2"]);
        let create = format!(
            "CREATE TABLE t (a UInt8, b UInt32, x UInt64, ts DateTime, s String, n Nullable(UInt16), \
             PROJECTION p0 ({})) ENGINE = MergeTree {partition} ORDER BY a \
             SETTINGS index_granularity = 16, lightweight_mutation_projection_mode = '{mode}'",
            projection(&mut rng)
        );
        execute(&mut session, &create).expect(&create);
        let mut done = vec![create];
        for at in 1..30 {
            let statement = change(&mut rng, at);
            execute(&mut session, &statement).expect(&statement);
            done.push(statement);
            if rng.below(8) == 0 {
                drop(session);
                disk = Arc::new(disk.restart_clean());
                session = session_on(&disk).unwrap();
                done.push("restart".to_owned());
            }
            for _ in 0..3 {
                let query = query(&mut rng);
                let off = format!("{query} SETTINGS optimize_use_projections = 0");
                let (with, without) = (ask(&mut session, &query), ask(&mut session, &off));
                assert_eq!(with.unwrap(), without.unwrap(), "{query}\n{}", done.join(";\n"));
                let force = format!("{query} SETTINGS force_optimize_projection = 1");
                used += u32::from(ask(&mut session, &force).is_ok());
            }
        }
    }
    assert!(used > 50, "{used} queries used a projection");
}

#[test]
fn a_crash_while_a_projection_is_built_leaves_the_table_as_it_was_or_done() {
    let disk = Arc::new(FaultDisk::new());
    let mut session = session_on(&disk).unwrap();
    for statement in [
        "CREATE TABLE t (a UInt8, x UInt64) ENGINE = MergeTree ORDER BY a \
         SETTINGS index_granularity = 16",
        "INSERT INTO t SELECT number % 5, number FROM numbers(200)",
        "ALTER TABLE t ADD PROJECTION p (SELECT a, sum(x) GROUP BY a)",
        "INSERT INTO t SELECT number % 5, number FROM numbers(100)",
    ] {
        execute(&mut session, statement).expect(statement);
    }
    drop(session);
    let state = |session: &mut Session| {
        let sums = "SELECT a, sum(x) FROM t GROUP BY a ORDER BY a";
        let parts = "SELECT count() FROM system.projection_parts WHERE table = 't'";
        let with = ask(session, sums).unwrap();
        let off = format!("{sums} SETTINGS optimize_use_projections = 0");
        assert_eq!(with, ask(session, &off).unwrap());
        (with, ask(session, parts).unwrap())
    };
    for statement in [
        "ALTER TABLE t MATERIALIZE PROJECTION p",
        "ALTER TABLE t CLEAR PROJECTION p",
        "ALTER TABLE t DELETE WHERE a = 1",
        "OPTIMIZE TABLE t FINAL",
        "INSERT INTO t VALUES (1, 1)",
    ] {
        let first = Arc::new(disk.restart_clean());
        let mut session = session_on(&first).unwrap();
        let before = state(&mut session);
        let start = first.changes();
        execute(&mut session, statement).expect(statement);
        let steps = first.changes() - start;
        let after = state(&mut session);
        drop(session);
        for step in 0..steps {
            let broken = Arc::new(disk.restart_clean());
            let mut session = session_on(&broken).unwrap();
            broken.crash_at(broken.changes() + step);
            let done = execute(&mut session, statement);
            drop(session);
            let mut session = session_on(&Arc::new(broken.restart(step))).unwrap();
            let found = state(&mut session);
            let expected = found == after || done.is_err() && found == before;
            assert!(expected, "{statement}, step {step} of {steps}: {found:?}\n not {after:?}");
        }
    }
}
