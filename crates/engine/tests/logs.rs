//! The logs in `system`: their contents, and what happens to their tables.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{ask, engine_with, run};
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};
use entasis_engine::{Engine, EngineConfig, LogsConfig, Session};

fn engine() -> Arc<Engine> {
    engine_with(LogsConfig::default())
}

fn log_of(session: &mut Session, id: &str, what: &str) -> String {
    ask(session, "SYSTEM FLUSH LOGS");
    let rows = format!("SELECT * FROM system.query_log WHERE query_id = '{id}' ORDER BY type");
    ask(session, &format!("SELECT {what} FROM ({rows})"))
}

#[test]
fn a_statement_leaves_a_row_when_it_starts_and_one_when_it_ends() {
    let engine = engine();
    let mut session = engine.session();
    run(&mut session, "c", "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    run(&mut session, "i", "INSERT INTO t SELECT number FROM numbers(1000)");
    run(&mut session, "s", "SELECT sumIf(a, 1), upper('x') FROM t SETTINGS max_threads = 1");
    run(&mut session, "e", "SELECT nothing FROM t");
    run(&mut session, "w", "SELECT throwIf(a = 999) FROM t");
    run(&mut session, "n", "SELECT 1 SETTINGS log_queries = 0");
    run(&mut session, "f", "SELECT 1 SETTINGS log_queries_min_type = 'QUERY_FINISH'");
    let s = &mut session;
    assert_eq!(
        log_of(s, "c", "toString(type), query_kind"),
        "QueryStart,Create;QueryFinish,Create"
    );
    let what = "toString(type), read_rows, written_rows, result_rows, \
                ProfileEvents['InsertedRows'], toString(tables)";
    let start = "QueryStart,0,0,0,0,['default.t'];QueryFinish,1000,1000,1000,1000,['default.t']";
    assert_eq!(log_of(s, "i", what), start);
    let what = "toString(type), read_rows, result_rows, ProfileEvents['SelectedRows'], \
                Settings['max_threads'], toString(used_functions), \
                toString(used_aggregate_functions), \
                toString(interface), event_time >= query_start_time, toString(columns)";
    let used = "['upper'],['sum']";
    let columns = "Local,1,['default.t.a']";
    assert_eq!(
        log_of(s, "s", what),
        format!("QueryStart,0,0,0,1,{used},{columns};QueryFinish,1000,1,1000,1,{used},{columns}")
    );
    let what = "toString(type), exception_code, position(exception, 'nothing') > 0";
    assert_eq!(log_of(s, "e", what), "ExceptionBeforeStart,47,1");
    let what = "toString(type), exception_code";
    assert_eq!(log_of(s, "w", what), "QueryStart,0;ExceptionWhileProcessing,395");
    assert_eq!(log_of(s, "n", "1"), "");
    assert_eq!(log_of(s, "f", "toString(type)"), "QueryFinish");
    let hashes = "SELECT uniqExact(normalized_query_hash) FROM system.query_log \
                  WHERE query_id IN ('n', 'f', 's', 'i')";
    assert_eq!(ask(s, hashes), "3");
    for statement in ["CREATE DATABASE d", "CREATE TABLE d.t AS t", "CREATE TABLE u AS t"] {
        ask(s, statement);
    }
    run(s, "d", "SELECT count() FROM t AS x, d.t AS y, u AS z");
    let what = "toString(any(databases)), length(any(tables))";
    assert_eq!(log_of(s, "d", what), "['d','default'],3");
}

#[test]
fn a_log_that_is_dropped_or_of_another_structure_is_made_again() {
    let engine = engine();
    let mut session = engine.session();
    let s = &mut session;
    run(s, "a", "SELECT 1");
    assert_eq!(log_of(s, "a", "count()"), "2");
    ask(s, "DROP TABLE system.query_log");
    run(s, "b", "SELECT 1");
    assert_eq!(log_of(s, "b", "count()"), "2");
    assert_eq!(log_of(s, "a", "count()"), "0");
    let traced = "SELECT count() FROM numbers(10) SETTINGS trace_profile_events = 1";
    run(s, "t", traced);
    ask(s, "SYSTEM FLUSH LOGS");
    // A table of another structure has the log's name, so it is renamed.
    ask(s, "RENAME TABLE system.query_log TO system.mine");
    ask(s, "RENAME TABLE system.trace_log TO system.query_log");
    run(s, "c", "SELECT 1");
    assert_eq!(log_of(s, "c", "count()"), "2");
    let names = "SELECT name FROM system.tables WHERE database = 'system' AND \
                 (name LIKE 'query_log%' OR name = 'mine') ORDER BY name";
    assert_eq!(ask(s, names), "mine;query_log;query_log_0");
    assert!(session.execute("CREATE TABLE system.x (a UInt8) ENGINE = Memory").is_err());
    assert!(session.execute("DROP TABLE system.one").is_err());
    assert!(session.execute("SYSTEM FLUSH LOGS no_such_log").is_err());
    ask(&mut session, "SYSTEM FLUSH LOGS query_log");
}

#[test]
fn parts_that_come_and_go_are_logged() {
    let engine = engine();
    let mut session = engine.session();
    for (id, statement) in [
        ("c", "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"),
        ("i", "INSERT INTO t SELECT number FROM numbers(1000)"),
        ("j", "INSERT INTO t SELECT number FROM numbers(500)"),
        ("o", "OPTIMIZE TABLE t FINAL"),
        ("t", "TRUNCATE TABLE t"),
        ("f", "SYSTEM FLUSH LOGS part_log"),
    ] {
        run(&mut session, id, statement);
    }
    let log = "SELECT toString(event_type), query_id, rows, toString(merged_from), read_rows, \
               part_name, duration_ms < 10000 FROM system.part_log WHERE table = 't'";
    assert_eq!(
        ask(&mut session, log),
        "NewPart,i,1000,[],0,all_1_1_0,1;NewPart,j,500,[],0,all_2_2_0,1;\
         MergeParts,o,1500,['all_1_1_0','all_2_2_0'],1500,all_1_2_1,1;\
         RemovePart,t,1500,[],0,all_1_2_1,1"
    );
}

#[test]
fn a_merge_has_its_reason() {
    let engine = engine();
    let mut session = engine.session();
    for (id, statement) in [
        ("c", "CREATE TABLE t (a UInt64, d DateTime) ENGINE = MergeTree ORDER BY a TTL d"),
        ("i", "INSERT INTO t VALUES (1, '2100-01-01 00:00:00'), (2, '2000-01-01 00:00:00')"),
        ("m", "ALTER TABLE t MATERIALIZE TTL"),
        ("j", "INSERT INTO t VALUES (3, '2100-01-01 00:00:00')"),
        ("q", "OPTIMIZE TABLE t FINAL"),
        ("f", "SYSTEM FLUSH LOGS part_log"),
    ] {
        run(&mut session, id, statement);
    }
    let log = "SELECT DISTINCT toString(event_type), toString(merge_reason) FROM system.part_log \
               WHERE table = 't' ORDER BY ALL";
    assert_eq!(
        ask(&mut session, log),
        "MergeParts,RegularMerge;MergeParts,TTLDeleteMerge;MutatePart,NotAMerge;NewPart,NotAMerge"
    );
}

#[test]
fn rows_are_kept_for_some_days() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for round in ["SELECT 1", "SELECT 2"] {
        let config = EngineConfig {
            disk: Some(Arc::clone(&disk)),
            logs: Some(LogsConfig::default()),
            ..EngineConfig::local(None).unwrap()
        };
        entasis_functions::register();
        let engine = Engine::open(config).unwrap();
        let mut session = engine.session();
        ask(&mut session, round);
        ask(&mut session, "SYSTEM FLUSH LOGS");
        let old = "SELECT countIf(event_date < today() - 30), countIf(query = 'SELECT 1') > 0 \
                   FROM system.query_log";
        assert_eq!(ask(&mut session, old), "0,1", "{round}");
        let insert = "INSERT INTO system.query_log (event_date, query) \
                      VALUES (today() - 31, 'old'), (today() - 29, 'young')";
        ask(&mut session, insert);
        assert_eq!(ask(&mut session, old), "1,1");
    }
}

#[test]
fn a_disk_that_fails_costs_rows_and_nothing_else() {
    let disk = Arc::new(FaultDisk::new());
    let config = EngineConfig {
        disk: Some(Arc::clone(&disk) as Arc<dyn Disk>),
        logs: Some(LogsConfig::default()),
        ..EngineConfig::local(None).unwrap()
    };
    entasis_functions::register();
    let engine = Engine::open(config).unwrap();
    let mut session = engine.session();
    let s = &mut session;
    run(s, "a", "SELECT 1");
    assert_eq!(log_of(s, "a", "count()"), "2");
    run(s, "b", "SELECT 1");
    // The next call of the disk is made by the log.
    disk.fail_at(disk.calls(), Fault::NoSpace);
    assert!(s.execute("SYSTEM FLUSH LOGS query_log").is_err());
    run(s, "c", "SELECT 1");
    assert_eq!((log_of(s, "b", "count()"), log_of(s, "c", "count()")), ("0".into(), "2".into()));
    let lost = "SELECT value >= 2 FROM system.events WHERE event = 'SystemLogRowsLost'";
    assert_eq!(ask(s, lost), "1");
}

#[test]
fn without_logs_nothing_is_written() {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    ask(&mut session, "SYSTEM FLUSH LOGS");
    assert!(session.execute("SELECT * FROM system.query_log").is_err());
}

#[test]
fn stacks_are_sampled_and_the_flame_graph_query_names_them() {
    let engine = engine();
    let mut session = engine.session();
    let busy = "SELECT sum(cityHash64(number, toString(number))) FROM numbers(40000000) SETTINGS \
                query_profiler_real_time_period_ns = 1000000, \
                query_profiler_cpu_time_period_ns = 1000000, max_threads = 2";
    run(&mut session, "busy", busy);
    let s = &mut session;
    ask(s, "SYSTEM FLUSH LOGS");
    let kinds = "SELECT trace_type, count() > 10, uniqExact(thread_id) > 0, max(length(trace)) > 5 \
                 FROM system.trace_log WHERE query_id = 'busy' AND trace_type IN ('CPU', 'Real') \
                 GROUP BY trace_type ORDER BY trace_type";
    assert_eq!(ask(s, kinds), "0,1,1,1;1,1,1,1");
    // As printed in the seed, except for the line breaks and the id.
    let folded = "SELECT arrayStringConcat( arrayMap( x -> concat(splitByChar('/', \
                  addressToLine(x))[-1], '#', demangle(addressToSymbol(x))), trace), ';' ) AS \
                  stack, count(*) AS samples FROM system.trace_log WHERE trace_type = 'Real' AND \
                  query_id = 'busy' GROUP BY trace";
    let text = ask(s, folded);
    assert!(text.contains("#entasis_"), "{}", &text[..text.len().min(2000)]);
    let page = session.profile("busy", entasis_engine::ProfileKind::Cpu).unwrap();
    assert!(page.total() > 10);
    let none = session.profile("no such", entasis_engine::ProfileKind::Cpu).unwrap_err();
    assert!(none.message().contains("no stacks"), "{none}");
}

#[test]
fn traced_events_are_in_the_trace_log() {
    let engine = engine();
    let mut session = engine.session();
    let traced = "SELECT count() FROM numbers(100000) WHERE number % 3 = 0 SETTINGS \
                  trace_profile_events = 1, trace_profile_events_list = 'SelectedRows', \
                  query_profiler_real_time_period_ns = 0, query_profiler_cpu_time_period_ns = 0";
    run(&mut session, "traced", traced);
    ask(&mut session, "SYSTEM FLUSH LOGS");
    let sums = "SELECT event, toString(trace_type), sum(increment) FROM system.trace_log WHERE \
                query_id = 'traced' AND trace_type = 'ProfileEvent' GROUP BY event, trace_type";
    assert_eq!(ask(&mut session, sums), "SelectedRows,ProfileEvent,100000");
}

/// The rings belong to the process: an engine that empties them must not lose stacks of another
/// one.
#[test]
fn engines_of_one_process_keep_to_their_own_stacks() {
    let done = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&done);
    let other = std::thread::spawn(move || {
        let engine = engine();
        let mut session = engine.session();
        while !seen.load(Ordering::Relaxed) {
            run(&mut session, "other", "SELECT 1");
            ask(&mut session, "SYSTEM FLUSH LOGS trace_log");
        }
    });
    let engine = engine();
    let mut session = engine.session();
    for round in 0..20 {
        let traced = "SELECT count() FROM numbers(100000) WHERE number % 3 = 0 SETTINGS max_block_size = 1000, \
                      trace_profile_events = 1, trace_profile_events_list = 'SelectedRows'";
        run(&mut session, &format!("traced{round}"), traced);
        ask(&mut session, "SYSTEM FLUSH LOGS trace_log");
    }
    let sums = "SELECT uniqExact(query_id), sum(increment) FROM system.trace_log WHERE \
                query_id LIKE 'traced%' AND trace_type = 'ProfileEvent'";
    let sums = ask(&mut session, sums);
    done.store(true, Ordering::Relaxed);
    other.join().unwrap();
    assert_eq!(sums, "20,2000000");
}
