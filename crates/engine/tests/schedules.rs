//! Random schedules of statements over views, dictionaries, mutations, ALTER, partitions and
//! backups, cut by a crash at random places: what was acknowledged is there, nothing is there in
//! part, and the rest of the schedule leads to the same end.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::clock::Rng;
use entasis_disk::{Disk, FaultDisk};
use entasis_engine::{BackupAccess, Engine, EngineConfig, Session};

fn session_on(disk: &Arc<FaultDisk>) -> Result<Session> {
    entasis_functions::register();
    let backups = BackupAccess { own: true, allowed: Some(Vec::new()) };
    let disk = Some(Arc::clone(disk) as Arc<dyn Disk>);
    let config = EngineConfig::local(None).unwrap();
    let config = EngineConfig { disk, threads: 1, merges: false, backups, ..config };
    Ok(Engine::open(config)?.session())
}

fn execute(session: &mut Session, statement: &str) -> Result<()> {
    session.execute(statement).and_then(|result| result.collect()).map(drop)
}

/// The first column of a query's result, as texts.
fn texts(session: &mut Session, query: &str) -> Vec<String> {
    let rows = session.execute(query).and_then(|result| result.collect());
    let rows = rows.unwrap_or_else(|e| panic!("{query}: {e}"));
    let text = |row| rows.columns[0].value(row).as_bytes().unwrap_or_default().to_vec();
    (0..rows.rows).map(|row| String::from_utf8(text(row)).unwrap()).collect()
}

/// Everything that can be seen: all tables with their definitions and rows.
fn fingerprint(session: &mut Session) -> Vec<String> {
    // Dictionaries show their sources as they were when they were loaded.
    execute(session, "SYSTEM RELOAD DICTIONARIES").unwrap();
    let mut all = texts(
        session,
        "SELECT name FROM system.databases WHERE name NOT IN ('system') \
        AND lower(name) != 'information_schema' ORDER BY name",
    );
    all.extend(texts(
        session,
        "SELECT toString((partition_id, count())) FROM system.detached_parts \
        WHERE database = 'd' GROUP BY partition_id ORDER BY partition_id",
    ));
    let tables = "SELECT name FROM system.tables WHERE database = 'd' AND name NOT LIKE '.inner%' \
        ORDER BY name";
    for name in texts(session, tables) {
        let of = format!("FROM d.`{name}`");
        let rows = format!("SELECT toString((count(), sum(cityHash64(*)))) {of}");
        let rows = texts(session, &rows).concat();
        let query = format!(
            "SELECT create_table_query FROM system.tables WHERE database = 'd' AND name = '{name}'"
        );
        all.push(format!("{name} {rows} {}", texts(session, &query).concat()));
    }
    // No index and no projection of a part changes what is read of it.
    let found = "SELECT toString((count(), sum(k))) FROM d.t WHERE v BETWEEN 2 AND 150";
    let without = format!("{found} SETTINGS use_skip_indexes = 0, optimize_use_projections = 0");
    assert_eq!(texts(session, found), texts(session, &without));
    // An inner table has its view, and a view its inner table.
    let inner = "SELECT toString((countIf(name LIKE '.inner%'), countIf(engine = \
        'MaterializedView' AND create_table_query NOT LIKE '% TO d.%'))) FROM system.tables WHERE \
        database = 'd'";
    all.extend(texts(session, inner));
    all
}

const BEFORE: &[&str] = &[
    "CREATE DATABASE d",
    "CREATE TABLE d.t (k UInt64, v UInt64) ENGINE = MergeTree PARTITION BY k % 3 ORDER BY k",
    "CREATE TABLE d.sums (p UInt64, s UInt64) ENGINE = SummingMergeTree ORDER BY p",
    "CREATE MATERIALIZED VIEW d.to_sums TO d.sums AS SELECT k % 3 AS p, v AS s FROM d.t",
    "CREATE MATERIALIZED VIEW d.own ENGINE = MergeTree ORDER BY k AS SELECT k, v * 2 AS w FROM d.t",
    "CREATE MATERIALIZED VIEW d.fresh REFRESH EVERY 1 YEAR ENGINE = MergeTree ORDER BY k \
     EMPTY AS SELECT k, count() AS n FROM d.t GROUP BY k",
    "CREATE DICTIONARY d.dict (p UInt64, s UInt64) PRIMARY KEY p \
     SOURCE(CLICKHOUSE(DB 'd' TABLE 'sums')) LAYOUT(FLAT()) LIFETIME(0)",
    "INSERT INTO d.t SELECT number, number FROM numbers(6)",
];

/// One step; its statements are separated by `;`.
fn step(rng: &mut Rng, i: u64) -> String {
    let (from, key, part) = (100 * i, rng.below(6), rng.below(3));
    match rng.below(20) {
        0..=4 => {
            format!("INSERT INTO d.t (k, v) SELECT number + {from}, {i} FROM numbers({})", 1 + key)
        }
        5 => format!("ALTER TABLE d.t UPDATE v = v + {i} WHERE k % 5 = {}", key % 5),
        6 => format!("DELETE FROM d.t WHERE k % 7 = {key}"),
        7 => format!("ALTER TABLE d.t ADD COLUMN c{i} UInt64 DEFAULT k + {i}"),
        8 => "ALTER TABLE d.t MODIFY COLUMN v Int64".into(),
        9 => format!("ALTER TABLE d.t DETACH PARTITION {part}"),
        10 => format!("ALTER TABLE d.t ATTACH PARTITION {part}"),
        11 => format!("ALTER TABLE d.t DROP PARTITION {part}"),
        12 => "OPTIMIZE TABLE d.t FINAL".into(),
        13 => format!(
            "CREATE MATERIALIZED VIEW d.mv{} ENGINE = MergeTree ORDER BY k POPULATE AS SELECT k FROM d.t",
            key % 2
        ),
        14 => format!("DROP TABLE d.mv{} SYNC", key % 2),
        15 => "SYSTEM REFRESH VIEW d.fresh; SYSTEM WAIT VIEW d.fresh".into(),
        16 => format!(
            "CREATE OR REPLACE DICTIONARY d.dict{} (p UInt64, s UInt64 DEFAULT {i}) PRIMARY KEY p \
             SOURCE(CLICKHOUSE(DB 'd' TABLE 'sums')) LAYOUT(HASHED()) LIFETIME(0)",
            key % 2
        ),
        17 => format!("DROP DICTIONARY d.dict{}", key % 2),
        18 => format!(
            "BACKUP TABLE d.t TO File('b{i}'); RESTORE TABLE d.t AS d.copy{i} FROM File('b{i}')"
        ),
        _ => format!(
            "BACKUP DATABASE d TO File('b{i}.tar'); RESTORE TABLE d.own AS d.own{i} FROM \
            File('b{i}.tar')"
        ),
    }
}

/// What the schedules of parts begin with besides.
const BEFORE_PARTS: &[&str] = &[
    "ALTER TABLE d.t MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'",
    "ALTER TABLE d.t ADD INDEX iv v TYPE minmax",
    "ALTER TABLE d.t ADD PROJECTION pv (SELECT k, v ORDER BY v)",
    "CREATE TABLE d.u AS d.t",
    "CREATE MATERIALIZED VIEW d.to_u TO d.u AS SELECT k + 1000 AS k, v FROM d.t WHERE k % 2 = 0",
    "INSERT INTO d.t SELECT number + 20, number FROM numbers(6)",
];

/// One step over columns, indices, projections, rows and partitions of two tables.
fn step_of_parts(rng: &mut Rng, i: u64) -> String {
    let (from, key, part) = (100 * i, rng.below(6), rng.below(3));
    let (other, table) = (rng.below(i), ["d.t", "d.u"][rng.below(2) as usize]);
    match rng.below(26) {
        0..=4 => {
            format!("INSERT INTO d.t (k, v) SELECT number + {from}, {i} FROM numbers({})", 1 + key)
        }
        5 => format!("ALTER TABLE {table} UPDATE v = v + {i} WHERE k % 5 = {key}"),
        6 => format!("UPDATE {table} SET v = v * 2 WHERE k % 4 = {part}"),
        7 => format!("DELETE FROM {table} WHERE k % 7 = {key}"),
        8 => format!("ALTER TABLE {table} DELETE IN PARTITION {part} WHERE k % 2 = 0"),
        9 => format!("ALTER TABLE {table} ADD COLUMN c{i} UInt64 DEFAULT k + {i}"),
        10 => format!("ALTER TABLE {table} DROP COLUMN IF EXISTS c{other}"),
        11 => format!("ALTER TABLE {table} RENAME COLUMN IF EXISTS c{other} TO n{i}"),
        12 => format!("ALTER TABLE {table} MODIFY COLUMN IF EXISTS c{other} String"),
        13 => format!("ALTER TABLE {table} ADD INDEX i{i} v + {i} TYPE set(10)"),
        14 => format!("ALTER TABLE {table} MATERIALIZE INDEX iv, MATERIALIZE PROJECTION pv"),
        15 => format!("ALTER TABLE {table} CLEAR INDEX iv IN PARTITION {part}"),
        16 => format!("ALTER TABLE {table} CLEAR PROJECTION pv IN PARTITION {part}"),
        17 => format!("ALTER TABLE {table} DROP INDEX IF EXISTS i{other}"),
        18 => format!("ALTER TABLE {table} DETACH PARTITION {part}"),
        19 => format!("ALTER TABLE {table} ATTACH PARTITION {part}"),
        20 => format!("ALTER TABLE d.u REPLACE PARTITION {part} FROM d.t"),
        21 => format!("ALTER TABLE d.t MOVE PARTITION {part} TO TABLE d.u"),
        22 => format!("ALTER TABLE d.t ATTACH PARTITION {part} FROM d.u, DROP PARTITION {key}"),
        23 => format!("ALTER TABLE {table} FREEZE WITH NAME 'f{i}'"),
        24 => format!("ALTER TABLE {table} REWRITE PARTS IN PARTITION {part}"),
        _ => format!("OPTIMIZE TABLE {table} FINAL"),
    }
}

type MakeStep = fn(&mut Rng, u64) -> String;

fn run_step(session: &mut Session, step: &str) -> Result<()> {
    step.split(';').try_for_each(|statement| execute(session, statement))
}

/// The steps of a schedule that work, and what can be seen before the first and after each.
fn planned(
    seed: u64,
    disk: &Arc<FaultDisk>,
    make: MakeStep,
) -> (Vec<String>, Vec<Vec<String>>, u64) {
    let mut rng = Rng::new(seed);
    let mut session = session_on(disk).unwrap();
    let mut steps = Vec::new();
    let mut seen = vec![fingerprint(&mut session)];
    let start = disk.changes();
    for i in 1..=14 {
        let step = make(&mut rng, i);
        if run_step(&mut session, &step).is_ok() {
            steps.push(step);
            seen.push(fingerprint(&mut session));
        } else {
            assert_eq!(fingerprint(&mut session), *seen.last().unwrap(), "failed: {step}");
        }
    }
    (steps, seen, disk.changes() - start)
}

#[test]
fn random_schedules_are_cut_anywhere() {
    cut_anywhere(&[], step);
}

#[test]
fn random_schedules_of_parts_are_cut_anywhere() {
    cut_anywhere(BEFORE_PARTS, step_of_parts);
}

fn cut_anywhere(before: &[&str], make: MakeStep) {
    let seeds = std::env::var("ENTASIS_CRASH_SCHEDULES").ok().and_then(|n| n.parse().ok());
    let first = Arc::new(FaultDisk::new());
    let mut session = session_on(&first).unwrap();
    let before = BEFORE.iter().chain(before);
    before.for_each(|s| execute(&mut session, s).unwrap_or_else(|e| panic!("{s}: {e}")));
    drop(session);
    for seed in 0..seeds.unwrap_or(4) {
        let (steps, seen, changes) = planned(seed, &Arc::new(first.restart_clean()), make);
        let mut rng = Rng::new(seed + 1_000_000);
        for _ in 0..10 {
            let at = rng.below(changes);
            let disk = Arc::new(first.restart_clean());
            let mut session = session_on(&disk).unwrap();
            disk.crash_at(disk.changes() + at);
            let done = steps.iter().take_while(|step| run_step(&mut session, step).is_ok()).count();
            drop(session);
            let again = Arc::new(disk.restart(at));
            let mut session = session_on(&again).unwrap();
            let found = fingerprint(&mut session);
            let next = seen.get(done + 1).is_some_and(|next| *next == found);
            let step = steps.get(done).map_or("the end", String::as_str);
            let what = format!("seed {seed}, crash at {at}, in {step}");
            assert!(next || found == seen[done], "{what}: {found:#?}\n not {:#?}", seen[done]);
            // A step of two statements may have done the first of them.
            for step in &steps[done + usize::from(next)..] {
                for statement in step.split(';') {
                    let result = execute(&mut session, statement);
                    let is_there = ["BACKUP", "FREEZE"].iter().any(|word| statement.contains(word));
                    assert!(is_there || result.is_ok(), "{what}, then {statement}: {result:?}");
                }
            }
            assert_eq!(fingerprint(&mut session), *seen.last().unwrap(), "{what}");
        }
    }
}
