//! The time zone of a table: keys, partitions and the defaults of old rows are computed in the zone
//! of the session that created the table, whatever zone later sessions and servers have.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_disk::{Disk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, Session};
use entasis_mergetree::{Op, Store};
use entasis_types::{TimeZone, Value};

/// A session of an engine whose server is in this zone.
fn session_on(disk: &Arc<dyn Disk>, zone: &str) -> Session {
    let config = EngineConfig {
        disk: Some(Arc::clone(disk)),
        threads: 2,
        merges: false,
        time_zone: TimeZone::get(zone).unwrap(),
        ..EngineConfig::local(None).unwrap()
    };
    entasis_functions::register();
    Engine::open(config).unwrap().session()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).and_then(|result| result.collect()).expect(statement);
}

/// The answer, with commas between columns and semicolons between rows.
fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).and_then(|result| result.collect()).expect(query);
    let shown = |value: Value| match value {
        Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Value::UInt(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let row = |i| rows.columns.iter().map(|c| shown(c.value(i))).collect::<Vec<_>>().join(",");
    (0..rows.rows).map(row).collect::<Vec<_>>().join(";")
}

fn new_disk() -> Arc<dyn Disk> {
    Arc::new(MemoryDisk::new())
}

/// All minutes of three days and a half.
const MINUTES: &str = "SELECT toDateTime(1577836800) + number * 60, number FROM numbers(5000)";

#[test]
fn keys_are_computed_in_the_zone_of_the_table() {
    let disk = new_disk();
    let shown = "SELECT create_table_query, engine_full FROM system.tables WHERE name = 'r'";
    let parts = "SELECT partition, rows FROM system.parts WHERE table = 'p' AND active \
                 ORDER BY ALL";
    let before = {
        let s = &mut session_on(&disk, "UTC");
        run(s, "SET session_timezone = 'Asia/Tokyo'");
        run(
            s,
            "CREATE TABLE r (d DateTime, v UInt32) ENGINE = ReplacingMergeTree ORDER BY toHour(d)",
        );
        run(
            s,
            "CREATE TABLE p (d DateTime, v UInt32) ENGINE = MergeTree PARTITION BY toDate(d) \
             ORDER BY toStartOfHour(d)",
        );
        run(s, &format!("INSERT INTO r {MINUTES}"));
        run(s, &format!("INSERT INTO p {MINUTES}"));
        [shown, parts].map(|query| ask(s, query))
    };
    assert!(!before[0].contains("Tokyo") && !before[0].contains("SETTINGS session"), "{before:?}");
    for zone in ["UTC", "America/New_York", "Asia/Kolkata"] {
        let s = &mut session_on(&disk, zone);
        assert_eq!([shown, parts].map(|query| ask(s, query)), before, "{zone}");
        run(s, "SET session_timezone = 'Australia/Adelaide'");
        run(s, &format!("INSERT INTO r {MINUTES}"));
        // A query counts hours in its own zone, and the table in its own.
        let tokyo = "toHour(d, 'Asia/Tokyo')";
        let of_final = format!("SELECT count(), uniqExact({tokyo}) FROM r FINAL");
        assert_eq!(ask(s, &of_final), "24,24", "{zone}");
        run(s, "OPTIMIZE TABLE r FINAL");
        let all = format!("SELECT count(), uniqExact({tokyo}), max(v) FROM r");
        assert_eq!(ask(s, &all), "24,24,4999", "{zone}");
        run(s, "OPTIMIZE TABLE p FINAL");
        assert_eq!(ask(s, "SELECT count(), sum(v) FROM p"), "5000,12497500", "{zone}");
        assert_eq!(ask(s, "SELECT count() FROM p WHERE toDate(d, 'UTC') = '2020-01-02'"), "1440");
    }
}

#[test]
fn old_rows_have_the_same_defaults_for_all_readers() {
    let disk = new_disk();
    let rows = "SELECT toUnixTimestamp(d), s FROM t";
    let expected = "1577804400,2020-01-01 09:00:00";
    {
        let s = &mut session_on(&disk, "UTC");
        run(s, "SET session_timezone = 'Asia/Tokyo'");
        run(s, "CREATE TABLE t (t DateTime) ENGINE = MergeTree ORDER BY t");
        run(s, "INSERT INTO t SELECT toDateTime(1577836800)");
        run(s, "ALTER TABLE t ADD COLUMN d DateTime DEFAULT '2020-01-01 00:00:00'");
        run(s, "SET session_timezone = 'America/New_York'");
        run(s, "ALTER TABLE t ADD COLUMN s String DEFAULT toString(t)");
        assert_eq!(ask(s, rows), expected);
        // As in the reference, an INSERT computes defaults in its own zone.
        run(s, "INSERT INTO t (t) SELECT toDateTime(1577836801)");
        let new = ask(s, &format!("{rows} WHERE t > toDateTime(1577836800)"));
        assert_eq!(new, "1577854800,2019-12-31 19:00:01");
        run(s, "ALTER TABLE t DROP CONSTRAINT IF EXISTS none");
    }
    let s = &mut session_on(&disk, "Asia/Kolkata");
    let old = format!("{rows} WHERE t = toDateTime(1577836800)");
    assert_eq!(ask(s, &old), expected);
    run(s, "OPTIMIZE TABLE t FINAL");
    assert_eq!(ask(s, &old), expected);
}

#[test]
fn a_table_without_a_stored_zone_has_that_of_the_server() {
    let disk = new_disk();
    let text = "CREATE TABLE t (d DateTime) ENGINE = MergeTree PARTITION BY toDate(d) ORDER BY d";
    let id = {
        let store = Store::open(Arc::clone(&disk), false).unwrap();
        store.create_database("default", "").unwrap();
        let id = store.create_table("default", "t", text).unwrap();
        store.create_table("default", "plain", "CREATE TABLE plain (d Date) ENGINE = Log").unwrap();
        id
    };
    let partitions = "SELECT DISTINCT partition FROM system.parts WHERE table = 't' ORDER BY 1";
    {
        let s = &mut session_on(&disk, "Asia/Tokyo");
        run(s, "INSERT INTO t SELECT toDateTime(1577836799)");
        assert_eq!(ask(s, partitions), "2020-01-01");
        run(s, "CREATE TABLE keys (a UInt8, d DateTime) ENGINE = MergeTree ORDER BY (a, d)");
        // The zone is stored as soon as something can depend on it.
        run(s, "ALTER TABLE t ADD COLUMN s String DEFAULT toString(d)");
        run(s, "ALTER TABLE keys ADD COLUMN s String DEFAULT toString(d)");
    }
    let version = |name: &str| {
        let store = Store::open(Arc::clone(&disk), true).unwrap();
        let record = store.tables().into_iter().find(|t| t.name == name).unwrap();
        (record.version, record.definition.contains("session_timezone = 'Asia/Tokyo'"))
    };
    assert_eq!(["t", "plain", "keys"].map(version), [(2, true), (1, false), (2, true)]);
    {
        let s = &mut session_on(&disk, "UTC");
        run(s, "INSERT INTO t (d) SELECT toDateTime(1577836799)");
        assert_eq!(ask(s, partitions), "2020-01-01");
    }
    let store = Store::open(Arc::clone(&disk), false).unwrap();
    let definition = format!("{text} SETTINGS session_timezone = 'Nowhere/City'");
    store.execute_all(vec![Op::AlterTable { id, version: 2, definition }]).unwrap();
    drop(store);
    let error = session_on(&disk, "UTC").execute("SELECT * FROM t").map(drop).unwrap_err();
    assert!(error.message().contains("Nowhere/City"), "{error}");
}
