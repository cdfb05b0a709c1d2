//! The log of statements and the pages of flame graphs, over HTTP.
#![allow(clippy::unwrap_used)]

mod common;

use common::{server, url};

#[test]
fn a_query_is_in_the_log_once_it_was_flushed() {
    let server = server("");
    server.query("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a");
    server.query("INSERT INTO t SELECT number FROM numbers(5000)");
    let answer = server.post("query_id=mine&log_comment=hello", "SELECT sum(a) FROM t");
    assert_eq!(answer.text(), "12497500\n");
    server.post("query_id=wrong", "SELECT b FROM t").expect_error(404, 47);
    server.query("SYSTEM FLUSH LOGS");
    let log = "SELECT type, read_rows, ProfileEvents['SelectedRows'], result_rows, interface, \
               address, port > 0, Settings['log_comment'], log_comment, tables, columns \
               FROM system.query_log WHERE query_id = 'mine' ORDER BY type";
    let rest = "HTTP\t127.0.0.1\t1\thello\thello\t['default.t']\t['default.t.a']\n";
    assert_eq!(
        server.query(log),
        format!("QueryStart\t0\t0\t0\t{rest}QueryFinish\t5000\t5000\t1\t{rest}")
    );
    let failed = "SELECT type, exception_code FROM system.query_log WHERE query_id = 'wrong'";
    assert_eq!(server.query(failed), "ExceptionBeforeStart\t47\n");
}

#[test]
fn logs_can_be_off() {
    let server = server("logs = false");
    server.query("SYSTEM FLUSH LOGS");
    server.post("", "SELECT count() FROM system.query_log").expect_error(404, 60);
}

#[test]
fn who_logs_in_is_logged_where_that_is_asked_for() {
    let config = "logs = ['session_log', 'query_log', 'opentelemetry_span_log']\n\
                  [users.default]\n[users.ann]\npassword = 'x'";
    let server = server(config);
    server.post("user=ann&password=x&session_id=s", "SELECT 1");
    server.post("user=ann&password=y", "SELECT 1").expect_error(403, 516);
    server.query("SYSTEM FLUSH LOGS");
    let log = "SELECT type, session_id, auth_type, client_address, failure_reason LIKE 'ann: %' \
               FROM system.session_log WHERE user = 'ann' ORDER BY type";
    assert_eq!(
        server.query(log),
        "LoginFailure\t\t\\N\t127.0.0.1\t1\nLoginSuccess\ts\tPLAINTEXT_PASSWORD\t127.0.0.1\t0\n\
         Logout\ts\tPLAINTEXT_PASSWORD\t127.0.0.1\t0\n"
    );
    let pairs = "SELECT uniqExact(auth_id), countIf(type = 'LoginSuccess') FROM system.session_log \
                 WHERE session_id = 's'";
    assert_eq!(server.query(pairs), "1\t1\n");
    let errors = "SELECT value FROM system.errors WHERE code = 516";
    assert_eq!(server.query(errors), "1\n");
    let refused = "SELECT count() FROM system.metric_log";
    server.post("", refused).expect_error(404, 60);
}

#[test]
fn requests_are_traced_as_their_headers_say() {
    let server = server("");
    let parent = "00-0af7651916cd43dd8448eb211c80319c-00000000000000ff-01";
    let headers = [("traceparent", parent), ("tracestate", "a=b"), ("User-Agent", "tester")];
    let parameters = "query_id=traced&password=&log_comment=x";
    assert_eq!(server.send("POST", parameters, &headers, "SELECT sum(1)").status, 200);
    let wrong = [("traceparent", "00-nonsense")];
    assert_eq!(server.send("POST", "query_id=wrong", &wrong, "SELECT 1").status, 200);
    server.query("SYSTEM FLUSH LOGS");
    let spans = "SELECT parent_span_id, attribute['clickhouse.query_id'], trace_id \
                 FROM system.opentelemetry_span_log WHERE operation_name = 'query'";
    let id = "0af76519-16cd-43dd-8448-eb211c80319c";
    assert_eq!(server.query(spans), format!("255\ttraced\t{id}\n"));
    let client = "SELECT http_method, http_user_agent, http_request_url FROM system.query_log \
                  WHERE query_id = 'traced' AND type = 'QueryFinish'";
    let url = "/?query_id=traced&password=[HIDDEN]&log_comment=x";
    assert_eq!(server.query(client), format!("POST\ttester\t{url}\n"));
}

#[test]
fn messages_of_the_server_are_in_the_log() {
    let server = server("log_level = 'debug'");
    server.post("query_id=failing", "SELECT no_such_column").expect_error(404, 47);
    server.post("user=nobody", "SELECT 1").expect_error(403, 516);
    server.query("SYSTEM FLUSH LOGS text_log");
    let log = "SELECT level, logger_name, value3 FROM system.text_log \
               WHERE query_id = 'failing' AND level = 'Error'";
    assert_eq!(server.query(log), "Error\texecuteQuery\tSELECT no_such_column\n");
    let refused = "SELECT count() > 0 FROM system.text_log \
                   WHERE logger_name = 'HTTPHandler' AND value2 LIKE '%nobody%'";
    assert_eq!(server.query(refused), "1\n");
}

#[test]
fn flame_graphs_are_pages() {
    let server = server("[users.default]\n[users.secret]\npassword = 'x'");
    let busy = "SELECT sum(cityHash64(number, toString(number))) FROM numbers(20000000)";
    for id in ["a", "b"] {
        let parameters = format!(
            "query_id={id}&query_profiler_cpu_time_period_ns=1000000&\
             query_profiler_real_time_period_ns=1000000"
        );
        assert_eq!(server.post(&parameters, busy).status, 200);
    }
    let get = |target: &str| server.connect().request("GET", target, &[], b"");
    for target in [
        "/flamegraph?query_id=a",
        "/flamegraph?query_id=a&type=real",
        "/flamegraph?query_id=a&against=b&type=CPU",
    ] {
        let page = get(target);
        assert_eq!(page.status, 200, "{target}: {}", page.text());
        assert_eq!(page.header("content-type"), "text/html; charset=UTF-8");
        assert!(page.text().contains("entasis"), "{target}");
    }
    for (target, status, text) in [
        ("/flamegraph".to_string(), 400, "Which statement?"),
        ("/flamegraph?query_id=a&type=no".to_string(), 400, "There is no profile of type `no`"),
        (format!("/flamegraph?query_id={}", url("x' OR 1")), 400, "There are no stacks"),
        ("/flamegraph?query_id=a&user=secret&password=y".to_string(), 403, "AUTHENTICATION_FAILED"),
    ] {
        let answer = get(&target);
        assert_eq!(answer.status, status, "{target}");
        assert!(answer.text().contains(text), "{}", answer.text());
    }
}
