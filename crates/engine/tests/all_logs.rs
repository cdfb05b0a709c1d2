//! The logs that are not about statements, parts or stacks, each with the rows that fill it.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, mpsc};
use std::time::Duration;

use common::{ask, engine_with, run};
use entasis_base::log::Level;
use entasis_base::message;
use entasis_disk::{Disk, Fault, FaultDisk};
use entasis_engine::{
    AuthKind, Client, Engine, EngineConfig, Login, LogsConfig, Method, QueryOptions, Session,
    SessionKind, TraceContext,
};

/// Keeps only these logs, with periods of a few milliseconds.
fn only(names: &[&str]) -> LogsConfig {
    LogsConfig {
        only: Some(names.iter().map(ToString::to_string).collect()),
        metrics_every: Duration::from_millis(5),
        ..LogsConfig::default()
    }
}

fn keeping(names: &[&str]) -> (Arc<Engine>, Session) {
    let engine = engine_with(only(names));
    let session = engine.session();
    (engine, session)
}

fn flushed(session: &mut Session, query: &str) -> String {
    ask(session, "SYSTEM FLUSH LOGS");
    ask(session, query)
}

/// Repeats a query until the table exists and the answer is another than `not`.
fn until_not(session: &mut Session, query: &str, not: &str) -> String {
    loop {
        ask(session, "SYSTEM FLUSH LOGS");
        if session.execute(query).is_ok() {
            let answer = ask(session, query);
            if answer != not {
                return answer;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn messages_are_kept_with_their_statement() {
    let config = LogsConfig { text_level: Some(Level::Debug), ..only(&["text_log"]) };
    let engine = engine_with(config);
    let mut session = engine.session();
    run(&mut session, "text-ok", "SELECT 1 + 1");
    run(&mut session, "text-wrong", "SELECT throwIf(number = 3) FROM numbers(10)");
    message!(Notice, "AllLogs", "{} and {}", 1, "x");
    let s = &mut session;
    let of = "SELECT toString(level), logger_name, message FROM system.text_log";
    let started = flushed(
        s,
        &format!("{of} WHERE query_id = 'text-ok' AND value3 = 'SELECT 1 + 1' ORDER BY event_time"),
    );
    let text = "(from this process, user: default) SELECT 1 + 1";
    assert_eq!(started, format!("Debug,executeQuery,{text}"));
    let failed = ask(
        s,
        "SELECT logger_name, value3, message LIKE '%throwIf%', thread_id > 0 FROM system.text_log \
         WHERE query_id = 'text-wrong' AND level = 'Error'",
    );
    assert_eq!(failed, "executeQuery,SELECT throwIf(number = 3) FROM numbers(10),1,1");
    let own = "SELECT message, message_format_string, value1, value2, value3, \
               source_file LIKE '%all_logs.rs', source_line > 0 \
               FROM system.text_log WHERE logger_name = 'AllLogs'";
    assert_eq!(ask(s, own), "1 and x,{} and {},1,x,,1,1");
}

#[test]
fn errors_are_counted_by_period() {
    let (_engine, mut session) = keeping(&["error_log"]);
    for id in ["a", "b"] {
        run(&mut session, id, "SELECT no_such_column");
    }
    let log = "SELECT code, error, sum(value), max(last_error_query_id) FROM system.error_log \
               WHERE code = 47 GROUP BY code, error";
    assert_eq!(flushed(&mut session, log), "47,UNKNOWN_IDENTIFIER,2,b");
    run(&mut session, "c", "SELECT no_such_column");
    assert_eq!(flushed(&mut session, log), "47,UNKNOWN_IDENTIFIER,3,c");
    let errors = "SELECT value, query_id FROM system.errors WHERE code = 47";
    assert_eq!(ask(&mut session, errors), "3,c");
}

#[test]
fn threads_of_a_statement_have_rows() {
    let (_engine, mut session) = keeping(&["query_thread_log", "query_log"]);
    let busy =
        "SELECT sum(cityHash64(number)) FROM numbers(5000000) SETTINGS log_query_threads = 1";
    run(&mut session, "threads", busy);
    run(&mut session, "none", "SELECT 1");
    let s = &mut session;
    let log = "SELECT sum(read_rows), count() BETWEEN 1 AND 3, countIf(thread_id = 0), \
               uniqExact(thread_id) = count(), sum(ProfileEvents['SelectedRows']), \
               uniqExact(master_thread_id), countIf(thread_name = '') \
               FROM system.query_thread_log WHERE query_id = 'threads'";
    assert_eq!(flushed(s, log), "5000000,1,0,1,5000000,1,0");
    assert_eq!(ask(s, "SELECT count() FROM system.query_thread_log WHERE query_id = 'none'"), "0");
    let ids = "SELECT arraySort(thread_ids) = (SELECT arraySort(groupArray(thread_id)) FROM \
               system.query_thread_log WHERE query_id = 'threads'), peak_threads_usage > 0, \
               peak_threads_usage <= length(thread_ids) FROM system.query_log \
               WHERE query_id = 'threads' AND type = 'QueryFinish'";
    assert_eq!(ask(s, ids), "1,1,1");
    let names = "SELECT length(ProfileEvents.Names) = length(ProfileEvents.Values) \
                 FROM system.query_thread_log WHERE query_id = 'threads' LIMIT 1";
    assert_eq!(ask(s, names), "1");
}

#[test]
fn metrics_have_rows_by_the_clock() {
    let (_engine, mut session) = keeping(&["metric_log", "asynchronous_metric_log"]);
    let s = &mut session;
    run(s, "q", "SELECT sum(number) FROM numbers(1000)");
    let log = "SELECT count() > 3 AND sum(ProfileEvent_Query) > 0 AND \
               max(CurrentMetric_AttachedTable) > 20 FROM system.metric_log";
    assert_eq!(until_not(s, log, "0"), "1");
    // The rows are differences, so their sum is at most the total count.
    let sums = "SELECT sum(ProfileEvent_SelectedRows) <= (SELECT value FROM system.events WHERE \
                event = 'SelectedRows') FROM system.metric_log";
    assert_eq!(ask(s, sums), "1");
    let figures = "SELECT count() > 0, countIf(value > 0) > 0 FROM system.asynchronous_metric_log \
                   WHERE metric = 'MemoryResident'";
    assert_eq!(until_not(s, figures, "0,0"), "1,1");
}

#[test]
fn a_statement_that_runs_for_a_while_has_rows() {
    let (_engine, mut session) = keeping(&["query_metric_log"]);
    let slow = "SELECT sum(cityHash64(number)) FROM numbers(3000000) \
                WHERE sleepEachRow(0.00000003) = 0 SETTINGS max_threads = 1";
    run(&mut session, "slow", &format!("{slow}, query_metric_log_interval = 2"));
    run(&mut session, "off", &format!("{slow}, query_metric_log_interval = 0"));
    let log = "SELECT count() > 1, sum(ProfileEvent_SelectedRows), max(peak_memory_usage) > 0 \
               FROM system.query_metric_log WHERE query_id = 'slow'";
    assert_eq!(flushed(&mut session, log), "1,3000000,1");
    let none = "SELECT count() FROM system.query_metric_log WHERE query_id = 'off'";
    assert_eq!(ask(&mut session, none), "0");
}

#[test]
fn logins_have_rows() {
    let (engine, mut session) = keeping(&["session_log"]);
    assert!(engine.logs_sessions());
    let login = Login {
        user: Some("ann".into()),
        auth: Some(AuthKind::Sha256Password),
        settings: vec![("max_threads", "1".into())],
        session_id: "s".into(),
        id: 1,
        ..Login::new("[::1]:80")
    };
    engine.log_session(SessionKind::LoginSuccess, login.clone(), "");
    engine.log_session(SessionKind::Logout, login, "");
    engine.log_session(SessionKind::LoginFailure, Login::new("1.2.3.4:5"), "wrong");
    let log = "SELECT toString(type), user, toString(auth_type), toString(settings), \
               client_address, client_port, session_id, failure_reason, toString(interface), \
               auth_id = '00000000-0000-0000-0000-000000000001' FROM system.session_log ORDER BY type";
    let ann = "ann,SHA256_PASSWORD,[('max_threads','1')],::1,80,s,,HTTP,1";
    assert_eq!(
        flushed(&mut session, log),
        format!(
            "LoginFailure,NULL,NULL,[],1.2.3.4,5,,wrong,HTTP,0;LoginSuccess,{ann};Logout,{ann}"
        )
    );
    let (engine, _session) = keeping(&["query_log"]);
    assert!(!engine.logs_sessions());
}

#[test]
fn traced_statements_have_spans() {
    let (_engine, mut session) = keeping(&["opentelemetry_span_log"]);
    let parent = "00-0af7651916cd43dd8448eb211c80319c-00000000000000ff-0";
    let options = |id: &str, sampled: &str| {
        let trace = TraceContext::parse(&format!("{parent}{sampled}"), "vendor=1");
        let client = Client { trace, method: Method::Post, ..Client::default() };
        QueryOptions {
            query_id: id.into(),
            client: Some(Arc::new(client)),
            ..QueryOptions::default()
        }
    };
    let query = "SELECT count() FROM numbers(1000) WHERE number > 5";
    session.execute_with(query, options("span", "1")).unwrap().collect().unwrap();
    session.execute_with(query, options("unsampled", "0")).unwrap().collect().unwrap();
    let s = &mut session;
    let spans = "SELECT operation_name, parent_span_id = 255, toString(kind), \
                 finish_time_us >= start_time_us \
                 FROM system.opentelemetry_span_log ORDER BY operation_name LIMIT 1 BY operation_name";
    assert_eq!(
        flushed(s, spans),
        "analyze,0,INTERNAL,1;execute,0,INTERNAL,1;parse,0,INTERNAL,1;plan,0,INTERNAL,1;\
         query,1,SERVER,1;thread,0,INTERNAL,1"
    );
    let attributes = "SELECT toString(trace_id), attribute['db.statement'], \
                      attribute['clickhouse.query_id'], attribute['clickhouse.tracestate'], \
                      attribute['clickhouse.read_rows'], toString(status_code) \
                      FROM system.opentelemetry_span_log WHERE operation_name = 'query'";
    let id = "0af76519-16cd-43dd-8448-eb211c80319c";
    assert_eq!(ask(s, attributes), format!("{id},{query},span,vendor=1,994,OK"));
    let inner = "SELECT uniqExact(parent_span_id), uniqExact(trace_id) \
                 FROM system.opentelemetry_span_log WHERE operation_name != 'query'";
    assert_eq!(ask(s, inner), "1,1");
    run(s, "chance", "SELECT nothing SETTINGS opentelemetry_start_trace_probability = 1");
    let chance = "SELECT operation_name, toString(status_code), parent_span_id, \
                  attribute['clickhouse.exception_code'] FROM system.opentelemetry_span_log \
                  WHERE attribute['clickhouse.query_id'] = 'chance'";
    assert_eq!(flushed(s, chance), "query,ERROR,0,47");
}

#[test]
fn tables_of_what_is_at_work_can_be_asked() {
    let (_engine, mut session) = keeping(&["query_log"]);
    let s = &mut session;
    let own = "SELECT count() > 1, countIf(query_id = 'stacks') > 0, max(length(trace)) > 5 \
               FROM system.stack_trace";
    let options = QueryOptions { query_id: "stacks".into(), ..QueryOptions::default() };
    let rows = s.execute_with(own, options).unwrap().collect().unwrap();
    let found: Vec<_> = rows.columns.iter().map(|c| c.value(0).as_u64()).collect();
    assert_eq!(found, [Some(1), Some(1), Some(1)]);
    assert_eq!(ask(s, "SELECT count() FROM system.mutations"), "0");
    assert_eq!(ask(s, "SELECT countIf(progress > 1) FROM system.merges"), "0");
    let warnings = "SELECT count() = countIf(message != '') FROM system.warnings";
    assert_eq!(ask(s, warnings), "1");
}

#[test]
fn merges_are_listed_while_they_work() {
    let (engine, mut session) = keeping(&["query_log"]);
    ask(&mut session, "CREATE TABLE m (a UInt64, b String) ENGINE = MergeTree ORDER BY a");
    for _ in 0..2 {
        ask(&mut session, "INSERT INTO m SELECT number, toString(number) FROM numbers(300000)");
    }
    let (done, ended) = mpsc::channel();
    let watcher = std::thread::spawn(move || {
        let mut session = engine.session();
        let mut seen = String::new();
        while seen.is_empty() && ended.try_recv().is_err() {
            let list = "SELECT num_parts, toString(source_part_names), result_part_name, \
                        progress BETWEEN 0 AND 1, total_size_marks > 0 FROM system.merges \
                        WHERE table = 'm' AND database = 'default'";
            seen = ask(&mut session, list);
        }
        seen
    });
    while !watcher.is_finished() {
        ask(&mut session, "OPTIMIZE TABLE m FINAL");
        if ask(&mut session, "SELECT max(level) > 40 FROM system.parts WHERE table = 'm'") == "1" {
            break;
        }
        ask(&mut session, "INSERT INTO m SELECT number, toString(number) FROM numbers(3)");
    }
    let _ = done.send(());
    let seen = watcher.join().unwrap();
    assert!(seen.contains(",['all_") && seen.ends_with(",1,1"), "{seen}");
}

#[test]
fn columns_of_the_client_are_filled() {
    let (_engine, mut session) = keeping(&["query_log"]);
    let client = Client {
        method: Method::Get,
        user_agent: "agent".into(),
        referer: "from".into(),
        forwarded_for: "1.1.1.1".into(),
        url: "/?x".into(),
        ..Client::default()
    };
    let options = QueryOptions {
        query_id: "client".into(),
        address: "127.0.0.1:5".into(),
        client: Some(Arc::new(client)),
        ..QueryOptions::default()
    };
    let query = "select   1 SETTINGS log_formatted_queries = 1";
    session.execute_with(query, options).unwrap().collect().unwrap();
    let log = "SELECT toString(http_method), http_user_agent, http_referer, forwarded_for, \
               http_request_url, toString(interface), address, initial_port, formatted_query, \
               query_start_time = initial_query_start_time FROM system.query_log \
               WHERE query_id = 'client' AND type = 'QueryFinish'";
    let printed = "SELECT 1\nSETTINGS log_formatted_queries = 1";
    assert_eq!(
        flushed(&mut session, log),
        format!("GET,agent,from,1.1.1.1,/?x,HTTP,127.0.0.1,5,{printed},1")
    );
}

#[test]
fn every_log_can_be_dropped_renamed_and_replaced_while_it_is_written() {
    let names = ["text_log", "metric_log", "error_log", "opentelemetry_span_log"];
    let (_engine, mut session) = keeping(&names);
    let s = &mut session;
    let traced = "SELECT throwIf(1) SETTINGS opentelemetry_start_trace_probability = 1";
    for change in ["DROP TABLE system.{}", "RENAME TABLE system.{} TO system.kept_{}", ""] {
        run(s, "r", traced);
        for name in names {
            until_not(s, &format!("SELECT count() > 0 FROM system.{name}"), "0");
            if !change.is_empty() {
                ask(s, &change.replace("{}", name));
            }
            run(s, "r", traced);
        }
    }
    // A table of another structure has the log's name.
    ask(s, "DROP TABLE system.metric_log");
    ask(s, "RENAME TABLE system.kept_text_log TO system.metric_log");
    let columns = "SELECT count() FROM system.columns WHERE database = 'system' AND \
                   table = 'metric_log' AND name = 'ProfileEvent_Query'";
    assert_eq!(until_not(s, columns, "0"), "1");
    assert_eq!(ask(s, "SELECT count() > 0 FROM system.metric_log_0"), "1");
    assert_eq!(ask(s, "SELECT count() > 0 FROM system.kept_error_log"), "1");
}

#[test]
fn a_queue_is_bounded_and_a_full_disk_costs_rows_only() {
    let disk = Arc::new(FaultDisk::new());
    let logs = LogsConfig {
        capacity: 64,
        interval: Duration::from_hours(1),
        ..only(&["metric_log", "query_log"])
    };
    let config = EngineConfig {
        disk: Some(Arc::clone(&disk) as Arc<dyn Disk>),
        logs: Some(logs),
        ..EngineConfig::local(None).unwrap()
    };
    entasis_functions::register();
    let engine = Engine::open(config).unwrap();
    let mut session = engine.session();
    let s = &mut session;
    let lost = "SELECT value FROM system.events WHERE event = 'SystemLogRowsLost'";
    let before: u64 = ask(s, lost).parse().unwrap_or(0);
    ask(s, "SYSTEM FLUSH LOGS");
    // The queue holds only one of these large rows: it is written at once, or the next row is lost.
    until_not(s, "SELECT count() > 3 FROM system.metric_log", "0");
    run(s, "b", "SELECT 1");
    disk.fail_at(disk.calls(), Fault::NoSpace);
    let flushed = s.execute("SYSTEM FLUSH LOGS");
    run(s, "c", "SELECT 1");
    ask(s, "SYSTEM FLUSH LOGS");
    let after: u64 = ask(s, lost).parse().unwrap_or(0);
    assert!(after > before || flushed.is_ok(), "{before} {after}");
    let c = "SELECT count() FROM system.query_log WHERE query_id = 'c'";
    assert_eq!(ask(s, c), "2");
}

#[test]
fn a_log_that_there_is_not_is_refused() {
    let config = EngineConfig {
        logs: Some(only(&["query_log", "no_such_log"])),
        ..EngineConfig::local(None).unwrap()
    };
    entasis_functions::register();
    let error = Engine::open(config).err().unwrap();
    assert!(error.message().contains("no_such_log") && error.message().contains("text_log"));
    let (_engine, mut session) = keeping(&["error_log"]);
    run(&mut session, "q", "SELECT 1");
    ask(&mut session, "SYSTEM FLUSH LOGS query_log");
    assert!(session.execute("SELECT * FROM system.query_log").is_err());
}

#[test]
fn views_that_an_insert_fills() {
    let (_engine, mut session) = keeping(&["query_log", "query_views_log"]);
    let s = &mut session;
    run(s, "a", "CREATE TABLE src (a UInt32) ENGINE = Memory");
    run(s, "b", "CREATE TABLE dst (a UInt32) ENGINE = Memory");
    run(s, "c", "CREATE MATERIALIZED VIEW v TO dst AS SELECT a FROM src WHERE a < 10");
    run(s, "d", "INSERT INTO src SELECT number FROM numbers(100)");
    let log = "SELECT initial_query_id, view_name, toString(view_type), view_target, read_rows, \
               written_rows, toString(status), exception_code FROM system.query_views_log \
               ORDER BY event_time_microseconds";
    let expected = "d,default.v,Materialized,default.dst,100,10,QueryFinish,0";
    assert_eq!(flushed(s, log), expected);
    run(s, "e", "INSERT INTO src SETTINGS log_query_views = 0 VALUES (1)");
    assert_eq!(flushed(s, log), expected);
    run(s, "f", "CREATE MATERIALIZED VIEW bad TO dst AS SELECT throwIf(a = 77) AS a FROM src");
    run(s, "g", "INSERT INTO src VALUES (77)");
    let failed = "SELECT toString(status), exception_code, exception != '' \
                  FROM system.query_views_log WHERE view_name = 'default.bad'";
    assert_eq!(flushed(s, failed), "ExceptionWhileProcessing,395,1");
}
