//! Queries that fail late, end early, or take too much; and what stays up afterwards.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{Client, Running, server, url};
use entasis_base::clock::{Clock, SystemClock};
use entasis_engine::{Engine, EngineConfig};
use entasis_server::Config;

/// A query that runs for minutes unless it is ended.
const SLOW: &str = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)";

/// Sends a query without waiting for its answer.
fn begin(server: &Running, parameters: &str, query: &str) -> Client {
    let mut client = server.connect();
    let head = Client::head("POST", &format!("/?{parameters}"), &[]);
    client.write(format!("{head}Content-Length: {}\r\n\r\n{query}", query.len()).as_bytes());
    client
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(30), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn begin_slow(server: &Running, id: &str) -> Client {
    begin_until_it_reads(server, id, SLOW)
}

fn begin_until_it_reads(server: &Running, id: &str, query: &str) -> Client {
    let client = begin(server, &format!("query_id={id}"), query);
    let processes = server.engine.processes();
    wait_until("the query reads", || processes.find(id).is_some_and(|p| p.progress.get().0 > 0));
    client
}

#[test]
fn a_client_that_goes_away_ends_its_query() {
    let server = server("");
    let client = begin_slow(&server, "a");
    drop(client);
    wait_until("the query is gone", || server.engine.processes().find("a").is_none());
    // Also in the middle of an answer.
    let client = begin(&server, "query_id=b", "SELECT number FROM system.numbers");
    assert!(client.socket.peek(&mut [0; 1]).is_ok());
    drop(client);
    wait_until("the query is gone", || server.engine.processes().find("b").is_none());
    // And in the middle of a request: nothing is inserted.
    server.query("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    let mut client = server.connect();
    let target = format!("/?query_id=c&query={}", url("INSERT INTO t FORMAT TSV"));
    let head = Client::head("POST", &target, &[("Content-Length", "10000000")]);
    client.write(format!("{head}\r\n{}", "1\n".repeat(100_000)).as_bytes());
    wait_until("the insert runs", || server.engine.processes().find("c").is_some());
    drop(client);
    wait_until("the insert is gone", || server.engine.processes().find("c").is_none());
    assert_eq!(server.query("SELECT count() FROM t"), "0\n");
}

#[test]
fn kill_query_and_the_list_of_processes() {
    let server = server("");
    let mut client = begin_slow(&server, "victim");
    let list = "SELECT query_id, user, query_kind, query, read_rows > 0, is_cancelled \
                FROM system.processes WHERE query_id = 'victim'";
    assert_eq!(server.query(list), format!("victim\tdefault\tSelect\t{SLOW}\t1\t0\n"));
    server.post("query_id=victim", "SELECT 1").expect_error(500, 216);
    let test = server.query("KILL QUERY WHERE query_id = 'victim' TEST");
    assert!(test.starts_with("unknown_status\tvictim\tdefault\t"), "{test}");
    let killed = server.query("KILL QUERY WHERE query_id = 'victim' SYNC");
    assert_eq!(killed, format!("finished\tvictim\tdefault\t{SLOW}\n"));
    client.answer(false).expect_error(500, 394);
    assert_eq!(server.query("KILL QUERY WHERE 1"), "");
    assert_eq!(server.query("SELECT count() FROM system.processes"), "1\n");
}

#[test]
fn one_chunk_that_becomes_very_many_is_left_early() {
    let server = server("");
    let cross = "SELECT count() FROM numbers(9000000) AS a CROSS JOIN numbers(9000000) AS b";
    let mut client = begin_until_it_reads(&server, "cross", cross);
    let killed = server.query("KILL QUERY WHERE query_id = 'cross' SYNC");
    assert!(killed.starts_with("finished\tcross\t"), "{killed}");
    client.answer(false).expect_error(500, 394);
}

#[test]
fn limits_of_time_and_memory() {
    let server = server("");
    let started = Instant::now();
    let error = server.post("max_execution_time=0.05", SLOW).expect_error(408, 159);
    assert!(error.contains("max_execution_time"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
    let in_query = format!("{SLOW} SETTINGS max_execution_time = 0.05");
    server.post("", in_query).expect_error(408, 159);
    for (operator, query) in [
        (
            "Aggregating",
            "SELECT count() FROM (SELECT number FROM numbers(3000000) GROUP BY number)",
        ),
        ("Distinct", "SELECT DISTINCT number FROM numbers(3000000) FORMAT Null"),
        (
            "Sorting",
            "SELECT number % 7 AS n, number FROM numbers(3000000) ORDER BY n, number FORMAT Null",
        ),
        (
            "Joining",
            "SELECT count() FROM numbers(3000000) AS a JOIN (SELECT number FROM numbers(3000000)) AS b \
             ON a.number = b.number",
        ),
        (
            "CreatingSet",
            "SELECT count() FROM numbers(10) WHERE number IN (SELECT number FROM numbers(3000000))",
        ),
    ] {
        let held = "max_memory_usage=10000000&max_bytes_ratio_before_external_group_by=0&\
                    max_bytes_ratio_before_external_sort=0&\
                    max_bytes_ratio_before_external_distinct=0&\
                    max_bytes_ratio_before_external_join=0";
        let error = server.post(held, query).expect_error(500, 241);
        assert!(error.contains(operator), "{operator}: {error}");
        assert_eq!(server.post("max_memory_usage=0", query).status, 200, "{operator}");
    }
    let held = "max_memory_usage=10000000&wait_end_of_query=1";
    // A constant takes no room as a column, so that only its text can be too much.
    let long = "SELECT repeat('x', 1000) FROM numbers(3000000)";
    let error = server.post(held, long).expect_error(500, 241);
    assert!(error.contains("Holding back the answer"), "{error}");
}

#[test]
fn by_default_a_statement_may_use_half_of_the_server() {
    let server = server("max_server_memory_usage = '64 MiB'");
    let value =
        "SELECT value, changed, default FROM system.settings WHERE name = 'max_memory_usage'";
    assert_eq!(server.query(value), "33554432\t0\t0\n");
    let all = "SELECT length(groupArray(number)) FROM numbers(10000000)";
    let error = server.post("", all).expect_error(500, 241);
    assert!(error.contains("(query)") && error.contains("32.00 MiB"), "{error}");
    let error = server.post("max_memory_usage=0", all).expect_error(500, 241);
    assert!(error.contains("(server)") && error.contains("64.00 MiB"), "{error}");
    let error = server.post("max_memory_usage=1000000", all).expect_error(500, 241);
    assert!(error.contains("(query)") && error.contains("976.56 KiB"), "{error}");
}

#[test]
fn many_at_once_are_refused() {
    let server = server("max_concurrent_queries = 1");
    let client = begin_slow(&server, "one");
    let error = server.post("", "SELECT 1").expect_error(500, 202);
    assert!(error.contains("TOO_MANY_SIMULTANEOUS_QUERIES"), "{error}");
    drop(client);
    wait_until("there is a place", || server.post("", "SELECT 1").status == 200);
}

/// The query fails after some thousand rows.
const LATE: &str = "SELECT number, throwIf(number = 2000000) FROM numbers(4000000)";

#[test]
fn an_error_after_the_first_bytes_breaks_the_answer() {
    let server = server("");
    let answer = server.post("max_threads=1", LATE);
    assert_eq!((answer.status, answer.complete), (200, false));
    let (text, tag) = (answer.text(), answer.header("x-clickhouse-exception-tag"));
    let from = text.rfind(&format!("\r\n__exception__\r\n{tag}\r\n")).unwrap();
    let framed = &text[from..];
    let message = framed.split("\r\n").nth(3).unwrap();
    let (message, length) = message.split_once('\n').unwrap();
    assert!(message.starts_with("Code: 395. DB::Exception: "), "{message}");
    assert_eq!(length, format!("{} {tag}", message.len() + 1));
    assert!(framed.ends_with(&format!("{length}\r\n__exception__\r\n")));
    assert!(text[..from].ends_with("\t0\n"), "whole rows before it");
    // Compressed, it is within the compression.
    let gzip = [("Accept-Encoding", "gzip")];
    let answer = server.send("POST", "max_threads=1&enable_http_compression=1", &gzip, LATE);
    assert!(!answer.complete);
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&answer.body[..]);
    std::io::Read::read_to_string(&mut decoder, &mut text).unwrap();
    assert!(text.contains("Code: 395.") && text.ends_with("__exception__\r\n"));
    // Held back to the end, it sets the status.
    server.post("wait_end_of_query=1", LATE).expect_error(500, 395);
    server.post("http_response_buffer_size=500000000", LATE).expect_error(500, 395);
    let whole = server.post("wait_end_of_query=1", "SELECT number FROM numbers(1000000)");
    assert_eq!(whole.summary("result_rows"), 1_000_000);
    assert_eq!(whole.header("content-length"), whole.body.len().to_string());
}

#[test]
fn answers_stream_in_little_memory() {
    let server = server("");
    let query = "SELECT number FROM numbers(20000000)";
    let mut client = begin(&server, "query_id=s", query);
    // The client does not read: the query waits instead of gathering its answer.
    let processes = server.engine.processes();
    let read = || processes.find("s").map_or(0, |p| p.progress.get().0);
    wait_until("it has begun", || read() > 0);
    let mut before = read();
    wait_until("it waits", || {
        std::thread::sleep(Duration::from_millis(100));
        let now = read();
        std::mem::replace(&mut before, now) == now
    });
    assert!(before < 15_000_000, "{before} rows were read ahead");
    let answer = client.answer(false);
    assert!(answer.complete);
    assert_eq!(answer.header("transfer-encoding"), "chunked");
    assert!(answer.body.ends_with(b"\n19999999\n"));
}

#[test]
fn progress_in_headers() {
    let server = server("");
    let parameters = "send_progress_in_http_headers=1&http_headers_progress_interval_ms=10&\
                      max_execution_time=0.5";
    let answer = server.post(parameters, SLOW);
    let lines = answer.headers.iter().filter(|(n, _)| n == "x-clickhouse-progress");
    assert!(lines.clone().count() > 1, "{:?}", answer.headers);
    assert!(lines.clone().all(|(_, v)| v.contains("\"read_rows\":")));
}

/// A clock that breaks on demand: a bug in the middle of a query.
struct Bomb(AtomicBool);

impl Clock for Bomb {
    fn now(&self) -> Duration {
        assert!(!self.0.load(Ordering::Relaxed), "the clock is broken");
        SystemClock.now()
    }
}

#[test]
fn a_panic_ends_one_query_only() {
    let bomb = Arc::new(Bomb(AtomicBool::new(false)));
    let clock = Arc::clone(&bomb) as Arc<dyn Clock>;
    entasis_functions::register();
    let engine =
        Engine::open(EngineConfig { clock, ..EngineConfig::local(None).unwrap() }).unwrap();
    let path = std::env::temp_dir().join(format!("entasis-panic-{}", std::process::id()));
    let server = common::with_engine(&Config::default(), engine, path);
    let mut other = begin_slow(&server, "other");
    bomb.0.store(true, Ordering::Relaxed);
    let error = server.post("query_id=x", "SELECT 1").expect_error(500, 49);
    assert!(error.contains("the clock is broken") && error.contains("report it"), "{error}");
    bomb.0.store(false, Ordering::Relaxed);
    assert_eq!(server.query("SELECT 1"), "1\n");
    assert!(server.engine.processes().find("x").is_none());
    assert!(server.engine.processes().find("other").is_some());
    server.engine.processes().cancel_all();
    other.answer(false).expect_error(500, 394);
}

#[test]
fn stopping_lets_statements_end() {
    let server = server("shutdown_seconds = 1");
    let mut slow = begin_slow(&server, "slow");
    let waiting = std::thread::spawn(move || slow.answer(false));
    drop(server);
    waiting.join().unwrap().expect_error(500, 394);
}

#[test]
fn errors_reach_clients_that_send_everything_first() {
    let server = server("");
    server.query("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    let mut body = b"x\n".to_vec();
    body.extend("12345678\n".repeat(8 << 20).into_bytes());
    let insert = format!("query={}", url("INSERT INTO t FORMAT TSV"));
    server.post(&insert, &body[..]).expect_error(400, 27);
    let missing = format!("query={}", url("INSERT INTO missing FORMAT TSV"));
    server.post(&missing, &body[..]).expect_error(404, 60);
    assert_eq!(server.query("SELECT count() FROM t"), "0\n");
}

#[test]
fn a_long_field_is_refused_while_it_arrives() {
    let server = server("");
    server.query("CREATE TABLE t (a String) ENGINE = MergeTree ORDER BY tuple()");
    for (format, before) in [("TSV", ""), ("CSV", "\""), ("JSONEachRow", "{\"a\":\"")] {
        let body = [before.as_bytes(), &vec![b'x'; 100 << 20]].concat();
        let insert = format!("query={}", url(&format!("INSERT INTO t FORMAT {format}")));
        let answer = server.post(&format!("{insert}&max_memory_usage=64M"), &body[..]);
        answer.expect_error(500, 241);
    }
    assert_eq!(server.query("SELECT count() FROM t"), "0\n");
}
