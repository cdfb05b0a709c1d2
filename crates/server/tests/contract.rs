//! What HTTP clients rely on: parameters, headers, statuses, formats, sessions.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Client, server, url};

#[test]
fn pages_and_paths() {
    let server = server("");
    let mut client = server.connect();
    for (path, status, part) in [
        ("/ping", 200, "Ok.\n"),
        ("/", 200, "Ok.\n"),
        ("/replicas_status", 200, "Ok.\n"),
        ("/play", 200, "<!doctype html>"),
        ("/nothing", 404, "/play"),
        ("/playing", 404, "/ping"),
    ] {
        let answer = client.request("GET", path, &[], b"");
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.text().contains(part), "{path}: {}", answer.text());
    }
    let play = client.request("GET", "/play", &[], b"");
    assert_eq!(play.header("content-type"), "text/html; charset=UTF-8");
    assert!(play.header("content-security-policy").contains("default-src 'none'"));
    assert!(!play.text().contains("https://"), "no resources from elsewhere");
    let deleted = client.request("DELETE", "/", &[], b"");
    assert_eq!((deleted.status, deleted.header("allow").is_empty()), (405, false));
    let head = client.request("HEAD", "/?query=SELECT%201", &[], b"");
    assert_eq!((head.status, head.header("content-length")), (200, "2"));
    assert_eq!(client.request("GET", "/ping", &[], b"").text(), "Ok.\n");
}

#[test]
fn the_query_in_url_and_body() {
    let server = server("");
    assert_eq!(server.get("query=SELECT+1").text(), "1\n");
    assert_eq!(server.post("", "SELECT 2").text(), "2\n");
    assert_eq!(server.post("query=", "SELECT 3").text(), "3\n");
    assert_eq!(server.post("query=SELECT", "4").text(), "4\n");
    // A line break stands between the two.
    server.post("query=SEL", "ECT 1").expect_error(400, 62);
    server.post("", "").expect_error(400, 62);
    server.post("", "-- nothing").expect_error(400, 62);
    assert_eq!(server.post("", "SELECT 1;\n-- and a remark\n").text(), "1\n");
    let several = server.post("", "SELECT 1; SELECT 2").expect_error(400, 62);
    assert!(several.contains("Multi-statements"), "{several}");
    server.post("", b"SELECT '\xff'").expect_error(400, 62);
    let long = format!("SELECT '{}'", "x".repeat(300_000));
    assert!(server.post("", &long).expect_error(400, 62).contains("max_query_size"));
    // Chunked.
    let mut client = server.connect();
    let head = Client::head("POST", "/", &[("Transfer-Encoding", "chunked")]);
    client.write(head.as_bytes());
    client.write(b"\r\n3\r\nSEL\r\n6\r\nECT 42\r\n0\r\n\r\n");
    assert_eq!(client.answer(false).text(), "42\n");
}

#[test]
fn headers_of_an_answer() {
    let server = server("display_name = 'here'\ntime_zone = 'Europe/Berlin'");
    let answer = server.get("query=SELECT+number+FROM+numbers(10)&query_id=mine");
    assert_eq!(answer.header("x-clickhouse-query-id"), "mine");
    assert_eq!(answer.header("x-clickhouse-format"), "TabSeparated");
    assert_eq!(answer.header("x-clickhouse-timezone"), "Europe/Berlin");
    assert_eq!(answer.header("x-clickhouse-server-display-name"), "here");
    assert_eq!(answer.header("content-type"), "text/tab-separated-values; charset=UTF-8");
    assert_eq!(answer.header("x-clickhouse-exception-code"), "");
    assert_eq!(answer.header("content-length"), "20");
    let tag = answer.header("x-clickhouse-exception-tag");
    assert!(tag.len() == 16 && tag.bytes().all(|b| b.is_ascii_lowercase()), "{tag}");
    assert_eq!((answer.summary("read_rows"), answer.summary("read_bytes")), (10, 80));
    assert_eq!((answer.summary("result_rows"), answer.summary("result_bytes")), (10, 80));
    assert_eq!(answer.summary("total_rows_to_read"), 10);
    assert!(answer.summary("elapsed_ns") > 0);
    let other = server.get("query=SELECT+1&session_timezone=Asia/Tokyo");
    assert_eq!(other.header("x-clickhouse-timezone"), "Asia/Tokyo");
    assert_eq!(other.header("x-clickhouse-query-id").len(), 36);
}

#[test]
fn formats_by_every_way() {
    let server = server("");
    let types = [
        ("TSV", "text/tab-separated-values; charset=UTF-8"),
        ("TSVWithNames", "text/tab-separated-values; charset=UTF-8"),
        ("CSV", "text/csv; charset=UTF-8; header=absent"),
        ("CSVWithNames", "text/csv; charset=UTF-8; header=present"),
        ("JSON", "application/json; charset=UTF-8"),
        ("JSONCompact", "application/json; charset=UTF-8"),
        ("JSONEachRow", "application/x-ndjson; charset=UTF-8"),
        ("Values", "text/plain; charset=UTF-8"),
        ("PrettyCompact", "text/plain; charset=UTF-8"),
        ("Vertical", "text/plain; charset=UTF-8"),
        ("Parquet", "application/octet-stream"),
    ];
    for (format, content_type) in types {
        let answer = server.post("", format!("SELECT 1 AS x FORMAT {format}"));
        assert_eq!((answer.status, answer.header("content-type")), (200, content_type), "{format}");
    }
    // The query's own, then the URL's, then the header's.
    let by = |parameters: &str, headers: &[(&str, &str)], query: &str| {
        let answer = server.send("POST", parameters, headers, query);
        (answer.header("x-clickhouse-format").to_string(), answer.text())
    };
    let header = [("X-ClickHouse-Format", "Vertical")];
    assert_eq!(by("default_format=CSV", &header, "SELECT 'a' FORMAT Values").0, "Values");
    assert_eq!(by("default_format=CSV", &header, "SELECT 'a'"), ("CSV".into(), "\"a\"\n".into()));
    assert_eq!(by("", &header, "SELECT 'a'").0, "Vertical");
    server.post("default_format=Nonsense", "SELECT 1").expect_error(404, 73);
    server.post("", "SELECT 1 FORMAT ODBCDriver2").expect_error(501, 48);
}

#[test]
fn settings_parameters_and_databases() {
    let server = server("[settings]\nmax_block_size = 4096\nlog_comment = 'set'");
    let setting = "SELECT getSetting('max_block_size'), getSetting('log_comment')";
    assert_eq!(server.query(setting), "4096\tset\n");
    assert_eq!(server.post("max_block_size=7", setting).text(), "7\tset\n");
    let error = server.post("max_block_sise=7", "SELECT 1").expect_error(404, 115);
    assert!(error.contains("max_block_size"), "{error}");
    let parameters = "param_a=5&param_b=%D0%B6";
    let query = "SELECT {a:UInt8} + 1, {b:String}";
    assert_eq!(server.post(parameters, query).text(), "6\tж\n");
    server.post("param_a=5", query).expect_error(500, 456);
    server.query("CREATE DATABASE other");
    assert_eq!(server.post("database=other", "SELECT currentDatabase()").text(), "other\n");
    let header = [("X-ClickHouse-Database", "other")];
    let answer = server.send("POST", "", &header, "SELECT currentDatabase()");
    assert_eq!(answer.text(), "other\n");
    server.post("database=nowhere", "SELECT 1").expect_error(404, 81);
}

#[test]
fn errors_with_status_code_and_place() {
    let server = server("");
    let error = server.post("", "SELECT 1,\n  FROM\n  )").expect_error(400, 62);
    assert_eq!(error.matches("(line 3, col 3)").count(), 1, "{error}");
    assert!(error.contains(" (SYNTAX_ERROR) (version 26."), "{error}");
    server.post("", "SELECT * FROM nowhere").expect_error(404, 60);
    server.post("", "SELECT nothing").expect_error(404, 47);
    server.post("", "SELECT nowhere()").expect_error(404, 46);
    server.post("", "SELECT throwIf(1)").expect_error(500, 395);
    server.post("", "CREATE USER x").expect_error(501, 48);
    let answer = server.post("query_id=failed", "SELECT nothing");
    assert_eq!(answer.header("x-clickhouse-query-id"), "failed");
    assert_eq!(answer.header("content-type"), "text/plain; charset=UTF-8");
    // The connection goes on.
    let mut client = server.connect();
    assert_eq!(client.request("POST", "/", &[], b"SELECT nothing").status, 404);
    assert_eq!(client.request("POST", "/", &[], b"SELECT 1").text(), "1\n");
}

#[test]
fn get_only_reads() {
    let server = server("");
    server.query("CREATE TABLE t (a UInt8) ENGINE = Memory");
    for query in [
        "INSERT INTO t VALUES (1)",
        "CREATE TABLE u (a UInt8) ENGINE = Memory",
        "DROP TABLE t",
        "TRUNCATE TABLE t",
        "KILL QUERY WHERE 1",
        "INSERT INTO FUNCTION file('x.tsv') SELECT 1",
    ] {
        let error = server.get(&format!("query={}", url(query))).expect_error(500, 164);
        assert!(error.contains("use method POST"), "{error}");
    }
    let get = |query: &str| server.get(&format!("query={}", url(query)));
    assert_eq!(get("SELECT count() FROM t").text(), "0\n");
    assert_eq!(get("SHOW TABLES").text(), "t\n");
    assert_eq!(get("EXISTS TABLE t").text(), "1\n");
    assert_eq!(get("SELECT 1 SETTINGS max_threads = 1").text(), "1\n");
    get("SELECT 1 SETTINGS readonly = 0").expect_error(500, 164);
    get("SET readonly = 0").expect_error(500, 164);
    server.get("readonly=0&query=DROP+TABLE+t").expect_error(500, 164);
    assert_eq!(server.get("max_threads=1&query=SELECT+1").text(), "1\n");
    // And so does POST when told to.
    server.post("readonly=1", "DROP TABLE t").expect_error(500, 164);
    server.post("readonly=1&max_threads=2", "SELECT 1").expect_error(500, 164);
}

#[test]
fn inserts_by_every_way() {
    let server = server("");
    server.query("CREATE TABLE t (a UInt32, b String) ENGINE = MergeTree ORDER BY a");
    let insert = url("INSERT INTO t FORMAT TSV");
    let answer = server.post(&format!("query={insert}"), "1\tone\n2\ttwo\n");
    assert_eq!((answer.status, answer.text().as_str()), (200, ""));
    assert_eq!((answer.summary("written_rows"), answer.summary("result_rows")), (2, 0));
    assert!(answer.summary("written_bytes") > 0);
    server.query("INSERT INTO t VALUES (3, 'three'), (4, 'fo;ur')");
    server.query("INSERT INTO t FORMAT JSONEachRow\n{\"a\": 5, \"b\": \"x\"}\n{\"a\": 6}\n");
    server.query("INSERT INTO t SELECT 7, 'seven'");
    let values = url("INSERT INTO t VALUES");
    server.post(&format!("query={values}"), "(8, 'eight')");
    // Bytes that are no text, in a body and behind the statement.
    server.post(&format!("query={insert}"), b"9\t\xff\xfe\n");
    server.post("", b"INSERT INTO t FORMAT TSV\n10\t\xff\n11\t\xff\n");
    assert_eq!(server.query("SELECT count(), sum(a) FROM t"), "11\t66\n");
    assert_eq!(server.post("", "SELECT b FROM t WHERE a = 9").body, b"\xff\xfe\n");
    // Bad rows insert nothing.
    let bad = server.post(&format!("query={insert}"), "12\tok\nx\ty\n");
    assert!(bad.status >= 400 && bad.text().contains("row 2"), "{}", bad.text());
    assert_eq!(server.query("SELECT count() FROM t"), "11\n");
}

#[test]
fn large_bodies_stream_in() {
    let server = server("");
    server.query("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a");
    let rows: String = (0..300_000).map(|i| format!("{i}\trow {i}\n")).collect();
    let insert = url("INSERT INTO t FORMAT TSV");
    let answer = server.post(&format!("query={insert}"), &rows);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.summary("written_rows"), 300_000);
    // The same behind the statement, as VALUES, cut anywhere.
    let values: Vec<String> = (0..200_000).map(|i| format!("({i}, 'r;\\'{i}')")).collect();
    let answer = server.post("", format!("INSERT INTO t VALUES {}", values.join(", ")));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let binary: Vec<u8> =
        (0..200_000).flat_map(|i| [format!("{i}\t").as_bytes(), b"\xff\n"].concat()).collect();
    let answer = server.post("", [b"INSERT INTO t FORMAT TSV\n", &binary[..]].concat());
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(server.query("SELECT count() FROM t"), "700000\n");
}

#[test]
fn sessions_keep_temporary_tables_until_they_are_closed() {
    let server = server("");
    let ask = |parameters: &str, query: &str| server.post(parameters, query);
    assert_eq!(ask("session_id=s", "CREATE TEMPORARY TABLE t (a UInt8)").status, 200);
    assert_eq!(ask("session_id=s", "INSERT INTO t FORMAT CSV\n1\n2\n").status, 200);
    assert_eq!(ask("session_id=s", "SELECT sum(a) FROM t").text(), "3\n");
    ask("session_id=other", "SELECT sum(a) FROM t").expect_error(404, 60);
    ask("", "SELECT sum(a) FROM t").expect_error(404, 60);
    assert_eq!(ask("session_id=s&close_session=1", "SELECT count() FROM t").text(), "2\n");
    ask("session_id=s&session_check=1", "SELECT 1").expect_error(500, 372);
    ask("session_id=s", "SELECT sum(a) FROM t").expect_error(404, 60);
}

#[test]
fn sessions_keep_settings_and_databases() {
    let server = server("max_session_seconds = 100");
    server.query("CREATE DATABASE other");
    let ask = |parameters: &str, query: &str| server.post(parameters, query);
    ask("session_id=s&session_check=1", "SELECT 1").expect_error(500, 372);
    assert_eq!(ask("session_id=s&session_timeout=30", "SET max_block_size = 99").status, 200);
    assert_eq!(ask("session_id=s", "USE other").status, 200);
    let state = "SELECT getSetting('max_block_size'), currentDatabase()";
    assert_eq!(ask("session_id=s&session_check=1", state).text(), "99\tother\n");
    // What the URL says holds for its request alone.
    let once = ask("session_id=s&max_block_size=5&database=default", state);
    assert_eq!(once.text(), "5\tdefault\n");
    assert_eq!(ask("session_id=s", state).text(), "99\tother\n");
    let get = server.get(&format!("session_id=s&query={}", url(state)));
    assert_eq!(get.text(), "99\tother\n");
    assert_eq!(ask("session_id=s", "CREATE TABLE t (a UInt8) ENGINE = Memory").status, 200);
    assert_eq!(server.query(state), "8192\tdefault\n");
    ask("session_id=s&session_timeout=101", "SELECT 1").expect_error(500, 374);
    ask("session_id=s&session_timeout=x", "SELECT 1").expect_error(500, 374);
    // One statement at a time.
    let mut slow = server.connect();
    let head = Client::head("POST", "/?session_id=s", &[("Content-Length", "100")]);
    slow.write(format!("{head}\r\n").as_bytes());
    drop(slow);
    let query = "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(number)";
    let mut busy = server.connect();
    let head = Client::head("POST", "/?session_id=s&query_id=busy", &[]);
    busy.write(format!("{head}Content-Length: {}\r\n\r\n{query}", query.len()).as_bytes());
    while server.engine.processes().find("busy").is_none() {
        std::thread::yield_now();
    }
    ask("session_id=s", "SELECT 1").expect_error(500, 373);
    server.engine.processes().cancel_all();
    busy.answer(false).expect_error(500, 394);
    assert_eq!(ask("session_id=s", "SELECT 1").text(), "1\n");
}

/// A form of two parts: a table and the statement.
fn form(table: &str, rows: &str, query: &str) -> String {
    format!(
        "--xx\r\nContent-Disposition: form-data; name=\"{table}\"; filename=\"a\"\r\n\r\n{rows}\r\n\
         --xx\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\n{query}\r\n--xx--\r\n"
    )
}

#[test]
fn tables_that_come_along() {
    let server = server("");
    let kind = [("content-type", "multipart/form-data; boundary=xx")];
    let send = |parameters: &str, body: String| server.send("POST", parameters, &kind, body);
    let query = "SELECT sum(id), max(name) FROM ids";
    let body = form("ids", "1\tone\n2\ttwo\n", query);
    let structure = "ids_structure=id+UInt8,+name+String";
    assert_eq!(send(structure, body.clone()).text(), "3\ttwo\n");
    let csv = form("ids", "1,one\n2,two\n", "SELECT sum(_1), max(_2) FROM ids");
    assert_eq!(send("ids_format=CSV&ids_types=UInt8,String", csv).text(), "3\ttwo\n");
    let filter = form("t", "3\n5\n", "SELECT number FROM numbers(9) WHERE number IN t");
    assert_eq!(send("t_structure=n+UInt64", filter).text(), "3\n5\n");
    assert!(send("", body.clone()).expect_error(400, 36).contains("ids_structure"));
    send(structure, body[..body.len() - 30].to_string()).expect_error(400, 36);
    // In a session the table is there for one statement only.
    assert_eq!(send(&format!("session_id=s&{structure}"), body).text(), "3\ttwo\n");
    server.post("session_id=s", query).expect_error(404, 60);
}

#[test]
fn identifiers_as_parameters() {
    let server = server("");
    let query = "SELECT {c:Identifier} FROM {d:Identifier}.{t:Identifier}";
    assert_eq!(server.post("param_c=dummy&param_d=system&param_t=one", query).text(), "0\n");
    assert!(server.post("param_c=dummy", query).expect_error(500, 456).contains("`d`"));
    server.post("session_id=p", "SET param_t = 'one'");
    let answer = server.post("session_id=p", "SELECT * FROM system.{t:Identifier}");
    assert_eq!(answer.text(), "0\n");
}
