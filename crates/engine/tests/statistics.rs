//! What `system.statistics` shows of tables that are filled, merged and changed.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;

use entasis_codec::encryption::{Cipher, CipherKeys, install};
use entasis_column::Column;
use entasis_engine::{Engine, EngineConfig, Session};

fn session() -> Session {
    entasis_functions::register();
    Engine::open(EngineConfig::local(None).unwrap()).unwrap().session()
}

fn run(session: &mut Session, statement: &str) {
    session.execute(statement).unwrap_or_else(|e| panic!("{statement}: {e}")).collect().unwrap();
}

/// The first column of a result with one row, as text.
fn one(session: &mut Session, expr: &str, of: &str) -> String {
    let (table, column) = of.split_once('.').unwrap();
    let query = format!(
        "SELECT toString(({expr})) FROM system.statistics WHERE database = currentDatabase() \
         AND table = '{table}' AND column = '{column}'"
    );
    let chunk = session.execute(&query).unwrap().collect().unwrap();
    assert_eq!(chunk.rows, 1, "{query}");
    let Column::String(strings) = chunk.columns[0].full() else { panic!("no strings") };
    String::from_utf8(strings.get(0).to_vec()).unwrap()
}

#[test]
fn inserts_merges_and_partitions() {
    let mut session = session();
    let session = &mut session;
    run(
        session,
        "CREATE TABLE t (p UInt8, k UInt32, s String, n Nullable(Int64)) \
                  ENGINE = MergeTree PARTITION BY p ORDER BY k",
    );
    assert_eq!(one(session, "rows, nulls, distinct, min, sampled", "t.k"), "(0,0,0,NULL,0)");
    for part in 0..4 {
        run(
            session,
            &format!(
                "INSERT INTO t SELECT {part} % 2, number + {part} * 5000, \
             if(number % 3 = 0, 'often', toString(number)), if(number % 5 = 0, NULL, number % 4) \
             FROM numbers(5000)"
            ),
        );
    }
    let check = |session: &mut Session| {
        let counts = "rows, nulls, min, max, average_width";
        assert_eq!(one(session, counts, "t.k"), "(20000,0,'0','19999',4)");
        let near = "distinct BETWEEN 16000 AND 24000, length(histogram_bounds) BETWEEN 20 AND 65, \
                    arraySort(histogram_below) = histogram_below";
        assert_eq!(one(session, near, "t.k"), "(1,1,1)");
        let near = "common_values[1], common_shares[1] BETWEEN 0.25 AND 0.42, min, max";
        assert_eq!(one(session, near, "t.s"), "('often',1,'1','often')");
        let few = "nulls, distinct, arraySort(common_values), length(histogram_bounds), \
                   abs(arraySum(common_shares) - 0.8) < 0.01";
        assert_eq!(one(session, few, "t.n"), "(4000,4,['0','1','2','3'],0,1)");
        assert_eq!(one(session, "common_values, distinct", "t.p"), "(['0','1'],2)");
    };
    check(session);
    run(session, "OPTIMIZE TABLE t FINAL");
    check(session);
    run(session, "ALTER TABLE t DROP PARTITION 1");
    assert_eq!(one(session, "rows, min, max", "t.k"), "(10000,'0','14999')");
    assert_eq!(one(session, "common_values, common_shares", "t.p"), "(['0'],[1])");
    run(session, "TRUNCATE TABLE t");
    assert_eq!(one(session, "rows, common_values", "t.p"), "(0,[])");
}

#[test]
fn mutations_and_altered_columns() {
    let mut session = session();
    let session = &mut session;
    run(session, "CREATE TABLE t (k UInt32, v Int64, w Int32) ENGINE = MergeTree ORDER BY k");
    run(session, "INSERT INTO t SELECT number, number % 2, number FROM numbers(10000)");
    assert_eq!(one(session, "arraySort(common_values), max", "t.v"), "(['0','1'],'1')");
    run(session, "ALTER TABLE t UPDATE v = 7 WHERE k < 5000");
    assert_eq!(
        one(session, "rows, common_values[1], common_shares[1] > 0.4", "t.v"),
        "(10000,'7',1)"
    );
    assert_eq!(one(session, "max, distinct", "t.v"), "('7',3)");
    run(session, "DELETE FROM t WHERE k < 2500");
    assert_eq!(one(session, "rows, nulls", "t.v"), "(7500,0)");
    run(session, "ALTER TABLE t MODIFY COLUMN w Nullable(Int64)");
    assert_eq!(one(session, "rows, type", "t.w"), "(7500,'Nullable(Int64)')");
    run(session, "ALTER TABLE t ADD COLUMN x String DEFAULT 'same', ADD COLUMN y UInt32 DEFAULT k");
    assert_eq!(one(session, "rows, common_values, common_shares", "t.x"), "(7500,['same'],[1])");
    assert_eq!(one(session, "rows, distinct", "t.y"), "(7500,NULL)");
    run(session, "OPTIMIZE TABLE t FINAL");
    assert_eq!(one(session, "rows, min, max", "t.k"), "(7500,'2500','9999')");
    assert_eq!(one(session, "rows, min, max", "t.y"), "(7500,'2500','9999')");
    run(session, "ALTER TABLE t RENAME COLUMN y TO z");
    assert_eq!(one(session, "rows, min, max", "t.z"), "(7500,'2500','9999')");
}

#[test]
fn short_parts_and_tables_in_memory() {
    let mut session = session();
    let session = &mut session;
    for (name, engine) in [("short", "MergeTree ORDER BY k"), ("held", "Memory")] {
        run(
            session,
            &format!("CREATE TABLE {name} (k UInt32, s Nullable(String)) ENGINE = {engine}"),
        );
        for part in 0..3 {
            run(
                session,
                &format!(
                    "INSERT INTO {name} SELECT {part}, if(number < 4, 'x', NULL) FROM numbers(8)"
                ),
            );
        }
        let all = "rows, nulls, distinct, min, max, common_values, \
                   abs(common_shares[1] - 0.5) < 0.001, sampled";
        assert_eq!(one(session, all, &format!("{name}.s")), "(24,12,1,'x','x',['x'],1,24)");
        let all = "rows, distinct, min, max, arraySort(common_values)";
        assert_eq!(one(session, all, &format!("{name}.k")), "(24,3,'0','2',['0','1','2'])");
    }
    run(session, "INSERT INTO held SELECT number, toString(number % 1000) FROM numbers(200000)");
    let near = "rows, distinct BETWEEN 900 AND 1100, min, sampled BETWEEN 8000 AND 17000, \
                length(histogram_bounds) > 30";
    assert_eq!(one(session, near, "held.s"), "(200024,1,NULL,1,1)");
    run(session, "TRUNCATE TABLE held");
    assert_eq!(one(session, "rows, sampled", "held.k"), "(0,0)");
    run(session, "CREATE TABLE list (k UInt32) ENGINE = Log");
    let chunk = session.execute("SELECT * FROM system.statistics WHERE table = 'list'").unwrap();
    assert_eq!(chunk.collect().unwrap().rows, 0);
}

#[test]
fn only_some_of_very_many_parts_are_looked_at() {
    let mut session = session();
    let session = &mut session;
    run(session, "CREATE TABLE t (k UInt32) ENGINE = MergeTree PARTITION BY k % 600 ORDER BY k");
    run(session, "SET max_partitions_per_insert_block = 0");
    run(session, "INSERT INTO t SELECT number FROM numbers(6000)");
    let all = "rows, nulls, min, distinct BETWEEN 4000 AND 6000, sampled BETWEEN 10 AND 160";
    assert_eq!(one(session, all, "t.k"), "(6000,0,NULL,1,1)");
}

#[test]
fn texts_count_once_however_they_are_stored() {
    let mut session = session();
    let session = &mut session;
    run(
        session,
        "CREATE TABLE t (one String, few String, more String, some Nullable(String), \
         low LowCardinality(String), late String) ENGINE = MergeTree ORDER BY tuple()",
    );
    // The dictionary of `more` is given up in the third granule; `late` has one value at first.
    run(
        session,
        "INSERT INTO t SELECT 'x', toString(number % 10), \
         toString(if(number < 16384, number % 50, number)), \
         if(number % 3 = 0, NULL, toString(number % 30)), toString(number % 7), \
         if(number < 9000, '', toString(number % 5)) FROM numbers(40000)",
    );
    for (column, expected) in [("one", 1), ("few", 10), ("some", 20), ("low", 7), ("late", 6)] {
        let of = format!("t.{column}");
        assert_eq!(one(session, "ifNull(distinct, 0)", &of), expected.to_string());
    }
    assert_eq!(one(session, "ifNull(distinct, 0) BETWEEN 18000 AND 30000", "t.more"), "1");
}

#[test]
fn inserts_may_leave_statistics_to_merges() {
    let mut session = session();
    let session = &mut session;
    run(session, "CREATE TABLE t (k UInt32, s String) ENGINE = MergeTree ORDER BY k");
    for first in [0, 5000] {
        run(
            session,
            &format!(
                "INSERT INTO t SELECT number, toString(number % 10) FROM numbers({first}, 5000) \
                 SETTINGS materialize_statistics_on_insert = 0"
            ),
        );
    }
    let all = "rows, nulls, min, max, distinct, sampled";
    assert_eq!(one(session, all, "t.s"), "(10000,0,'0','9',NULL,0)");
    run(session, "OPTIMIZE TABLE t FINAL");
    assert_eq!(one(session, "rows, distinct, sampled > 0", "t.s"), "(10000,10,1)");
}

#[test]
fn encrypted_columns_show_nothing() {
    let mut session = session();
    let session = &mut session;
    let cipher = Cipher::Aes128GcmSiv;
    let keys = BTreeMap::from([(1, vec![7; cipher.key_len()])]);
    install(cipher, CipherKeys::new(cipher, keys, Some(1), Some(&[4; 12])).unwrap());
    run(
        session,
        "CREATE TABLE t (k UInt32, s String CODEC(AES_128_GCM_SIV)) \
                  ENGINE = MergeTree ORDER BY k",
    );
    for rows in [10, 990] {
        run(session, &format!("INSERT INTO t SELECT number, 'secret' FROM numbers({rows})"));
    }
    let all = "rows, distinct, min, common_values, sampled";
    assert_eq!(one(session, all, "t.s"), "(1000,NULL,NULL,[],0)");
}
