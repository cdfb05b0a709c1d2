//! TTL, GraphiteMergeTree and codecs across merges and restarts.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use entasis_base::clock::Clock;
use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, RollupRule, Rollups, Session};

/// 2020-01-10 00:00:00.
const NOW: u64 = 1_578_614_400;

/// A clock that stands still.
#[derive(Debug)]
struct Still(u64);

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0)
    }
}

fn rules() -> Vec<Rollups> {
    let rule = |regexp: Option<&str>, kind: &str, function: Option<&str>, ages: &[(u64, u64)]| {
        RollupRule {
            rule_type: kind.to_string(),
            regexp: regexp.map(str::to_owned),
            function: function.map(str::to_owned),
            retentions: ages.to_vec(),
        }
    };
    let plain = vec![
        rule(Some("\\.count$"), "", Some("sum"), &[(0, 60), (86400, 3600)]),
        rule(Some("^half_"), "", None, &[(0, 1), (3600, 600)]),
        rule(None, "", Some("avg"), &[(0, 60), (86400, 7200)]),
    ];
    let tagged = vec![
        rule(Some("retention=10min;env=prod"), "tag_list", Some("max"), &[(0, 600)]),
        rule(Some("env"), "plain", Some("sum"), &[(0, 60)]),
        rule(None, "", Some("any"), &[(0, 60)]),
    ];
    vec![Rollups::new("plain", plain), Rollups::new("tagged", tagged)]
}

fn open(disk: &Arc<dyn Disk>, now: u64) -> Session {
    entasis_functions::register();
    let config = EngineConfig {
        disk: Some(Arc::clone(disk)),
        threads: 2,
        merges: false,
        clock: Arc::new(Still(now)),
        rollups: rules(),
        ..EngineConfig::local(None).unwrap()
    };
    Engine::open(config).unwrap().session()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

/// The rows of a query that answers one text for each.
fn ask(session: &mut Session, query: &str) -> Vec<String> {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    let text =
        |i: usize| String::from_utf8_lossy(rows.columns[0].value(i).as_bytes().unwrap()).into();
    (0..rows.rows).map(text).collect()
}

const GROUPED: &str = "SELECT toString((k, l, v, s)) FROM t ORDER BY k, l";

#[test]
fn rows_are_grouped_when_their_time_has_come() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut s = open(&disk, NOW);
    run(
        &mut s,
        "CREATE TABLE t (k UInt32, l UInt32, d DateTime, v UInt64, s String) ENGINE = MergeTree \
         ORDER BY (k, l) TTL d + INTERVAL 1 DAY GROUP BY k SET v = sum(v), s = max(s), \
         d + INTERVAL 10 DAY",
    );
    run(
        &mut s,
        "INSERT INTO t SELECT number % 2, number, toDateTime(1578614400 + number), 1, 'a' FROM numbers(6)",
    );
    run(
        &mut s,
        "INSERT INTO t SELECT number % 2, 100 + number, toDateTime(1578614400 - 600), 10, 'b' FROM numbers(4)",
    );
    run(&mut s, "OPTIMIZE TABLE t FINAL");
    assert_eq!(ask(&mut s, "SELECT toString(count()) FROM t"), ["10"]);
    // After a day less five minutes, the rows of the second INSERT are old enough.
    drop(s);
    let mut s = open(&disk, NOW + 86400 - 300);
    run(&mut s, "OPTIMIZE TABLE t FINAL");
    assert_eq!(ask(&mut s, "SELECT toString((count(), sum(v))) FROM t"), ["(8,46)"]);
    drop(s);
    let mut s = open(&disk, NOW + 2 * 86400);
    run(&mut s, "OPTIMIZE TABLE t FINAL");
    assert_eq!(ask(&mut s, GROUPED), ["(0,0,23,'b')", "(1,1,23,'b')"]);
    drop(s);
    let mut s = open(&disk, NOW + 30 * 86400);
    assert_eq!(ask(&mut s, GROUPED), ["(0,0,23,'b')", "(1,1,23,'b')"]);
    // All rows are expired, so that the part is dropped unread.
    run(&mut s, "ALTER TABLE t MATERIALIZE TTL");
    assert_eq!(ask(&mut s, GROUPED), [""; 0]);
    assert_eq!(ask(&mut s, "SELECT toString(count()) FROM system.parts WHERE table = 't'"), ["0"]);
}

#[test]
fn parts_are_compressed_in_another_way_when_they_are_old() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut s = open(&disk, NOW);
    run(
        &mut s,
        "CREATE TABLE t (k UInt64, d DateTime, v String, n Array(Nullable(Float64))) ENGINE = \
         MergeTree ORDER BY k TTL d + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(5)), d + INTERVAL 2 DAY \
         RECOMPRESS CODEC(T64, LZ4HC(9))",
    );
    run(
        &mut s,
        "INSERT INTO t SELECT number, toDateTime(1578614400), toString(number), [number / 4, NULL] FROM numbers(5000)",
    );
    let codec = "SELECT default_compression_codec FROM system.parts WHERE table = 't'";
    let sum = "SELECT toString((count(), sum(k), sum(length(v)), sum(n[1]))) FROM t";
    let before = ask(&mut s, sum);
    drop(s);
    for (now, expected) in
        [(NOW, "LZ4"), (NOW + 86400, "ZSTD(5)"), (NOW + 2 * 86400, "T64, LZ4HC(9)")]
    {
        let mut s = open(&disk, now);
        run(&mut s, "ALTER TABLE t MATERIALIZE TTL");
        assert_eq!(ask(&mut s, codec), [expected]);
        drop(s);
        let mut s = open(&disk, now);
        assert_eq!(
            (ask(&mut s, codec), ask(&mut s, sum)),
            (vec![expected.to_string()], before.clone())
        );
    }
}

#[test]
fn metrics_are_rolled_up_as_they_grow_old() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut s = open(&disk, NOW + 200);
    run(&mut s, "SET optimize_on_insert = 0");
    run(
        &mut s,
        "CREATE TABLE g (Path String, Time DateTime, Value Float64, Timestamp UInt32, x UInt8) \
         ENGINE = GraphiteMergeTree('plain') ORDER BY (Path, Time)",
    );
    let insert = "INSERT INTO g SELECT arrayJoin(['a.count', 'half_b', 'c']), \
                  toDateTime(1578614400 + number * 30), number, 1, number FROM numbers(240)";
    run(&mut s, insert);
    let rows = "SELECT concat(Path, ' ', toString(toUInt32(Time) - 1578614400), ' ', toString(Value)) \
                FROM g FINAL WHERE Time < '2020-01-10 00:02:00' ORDER BY Path, Time";
    let young = ["a.count 0 1", "a.count 60 5", "c 0 0.5", "c 60 2.5"];
    let of_half = ["half_b 0 0", "half_b 30 1", "half_b 60 2", "half_b 90 3"];
    assert_eq!(ask(&mut s, rows), [&young[..], &of_half].concat());
    drop(s);
    // After a day all are older than the last age of their rules.
    let mut s = open(&disk, NOW + 2 * 86400);
    let old = ["a.count 0 7140", "c 0 119.5", "half_b 0 9.5"];
    assert_eq!(ask(&mut s, rows), old);
    run(&mut s, "OPTIMIZE TABLE g FINAL");
    let rows = rows.replace(" FINAL", "");
    assert_eq!(ask(&mut s, &rows), old);
    drop(s);
    let mut s = open(&disk, NOW + 2 * 86400);
    assert_eq!(ask(&mut s, &rows), old);
    assert_eq!(ask(&mut s, "SELECT toString(count()) FROM g"), ["15"]);
}

#[test]
fn rules_for_tagged_metrics_are_kept_apart() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let mut s = open(&disk, NOW);
    run(
        &mut s,
        "CREATE TABLE g (Path String, Time DateTime, Value Float64, Timestamp UInt32) \
         ENGINE = GraphiteMergeTree('tagged') ORDER BY (Path, Time)",
    );
    run(
        &mut s,
        "INSERT INTO g VALUES ('cpu?env=prod&retention=10min', 601, 1, 1), \
         ('cpu?env=prod&retention=10min', 700, 2, 1), ('cpu?env=dev', 61, 5, 1), \
         ('cpu?env=dev', 62, 4, 1), ('env.x', 61, 5, 1), ('env.x', 62, 4, 1)",
    );
    let rows = "SELECT concat(Path, ' ', toString(toUInt32(Time)), ' ', toString(Value)) FROM g ORDER BY Path";
    let expected = ["cpu?env=dev 60 5", "cpu?env=prod&retention=10min 600 2", "env.x 60 9"];
    assert_eq!(ask(&mut s, rows), expected);
}
