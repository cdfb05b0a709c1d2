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
