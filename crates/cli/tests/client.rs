//! `entasis client` against `entasis server`, both as built; and what the command line says.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use support::{BINARY, Server};

/// What a client with these options and this standard input does.
fn client(server: &Server, options: &[&str], input: &str) -> Done {
    let mut line = vec!["client", "--host", "127.0.0.1", "--port", &server.port];
    line.extend_from_slice(options);
    entasis(&line, input)
}

struct Done {
    code: i32,
    out: String,
    messages: String,
}

fn entasis(line: &[&str], input: &str) -> Done {
    let mut child = Command::new(BINARY)
        .args(line)
        .env_remove("CLICKHOUSE_HOST")
        .env_remove("CLICKHOUSE_USER")
        .env_remove("CLICKHOUSE_PASSWORD")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that does not read its input closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        messages: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn statements_formats_settings_and_parameters() {
    let server = Server::start();
    let done = client(&server, &["-q", "SELECT 1; SELECT 'two' FORMAT JSONEachRow"], "");
    assert_eq!((done.code, &*done.out, &*done.messages), (0, "1\n{\"'two'\":\"two\"}\n", ""));
    let done = client(&server, &["-f", "CSV", "-q", "SELECT 'a', 1"], "");
    assert_eq!(done.out, "\"a\",1\n");
    let done = client(&server, &["--param_x=7", "-q", "SELECT {x:UInt8} + 1"], "");
    assert_eq!(done.out, "8\n", "{}", done.messages);
    let done =
        client(&server, &["--max_block_size", "2", "-q", "SELECT sum(number) FROM numbers(9)"], "");
    assert_eq!(done.out, "36\n", "{}", done.messages);
    // From standard input; a session holds what was set, over what the command line says.
    let script = "SET session_timezone = 'Asia/Tokyo';\nSELECT toDateTime(0); USE system; SELECT currentDatabase()";
    let done = client(&server, &["--session_timezone=UTC"], script);
    assert_eq!(done.out, "1970-01-01 09:00:00\nsystem\n", "{}", done.messages);
}

#[test]
fn rows_from_standard_input() {
    let server = Server::start();
    let create = "CREATE TABLE t (a UInt32, s String) ENGINE = MergeTree ORDER BY a";
    let done = client(&server, &["-q", create], "");
    assert_eq!((done.code, &*done.messages), (0, ""));
    let rows: String = (0..200_000).map(|i| format!("{i}\trow {i}\n")).collect();
    let done = client(&server, &["-q", "INSERT INTO t FORMAT TSV"], &rows);
    assert_eq!((done.code, &*done.messages), (0, ""));
    let done = client(
        &server,
        &["-q", "INSERT INTO t VALUES (1, 'x'); SELECT count(), sum(a) FROM t"],
        "",
    );
    assert_eq!(done.out, "200001\t19999900001\n", "{}", done.messages);
    // One -q after the other; the `;` behind a format's name is no data.
    let line =
        ["-q", "TRUNCATE TABLE t", "-q", "INSERT INTO t FORMAT CSV;", "-q", "SELECT * FROM t"];
    assert_eq!(client(&server, &line, "7,seven\n").out, "7\tseven\n");
    // Rows that do not parse: an error, and nothing stays.
    let done = client(&server, &["-q", "INSERT INTO t FORMAT TSV"], "1\tgood\nbad\trow\n");
    assert_ne!(done.code, 0);
    assert!(done.messages.starts_with("Code: "), "{}", done.messages);
    assert_eq!(client(&server, &["-q", "SELECT count() FROM t"], "").out, "1\n");
}

#[test]
fn errors_end_the_script_with_their_code() {
    let server = Server::start();
    let done = client(&server, &["-q", "SELECT 1; SELECT nothing;\nSELECT 2"], "");
    assert_eq!((done.code, &*done.out), (47, "1\n"));
    assert!(done.messages.starts_with("Code: 47. "), "{}", done.messages);
    assert!(done.messages.contains("(UNKNOWN_IDENTIFIER)\n"), "{}", done.messages);
    let marked = "  line 1: SELECT 1; SELECT nothing;\n                           ^^^^^^^";
    assert!(done.messages.contains(marked), "{}", done.messages);
    let done = client(&server, &["--ignore-error", "-q", "SELECT nothing; SELECT 2"], "");
    assert_eq!((done.code, &*done.out), (47, "2\n"));
    let done = client(&server, &["-q", "SELECT 1 +"], "");
    assert_eq!(done.code, 62);
    let done = client(&server, &["--user", "nobody", "--password", "x", "-q", "SELECT 1"], "");
    assert!(done.code != 0 && done.messages.lines().count() == 1, "{}", done.messages);
}

#[test]
fn an_answer_that_fails_half_way_is_an_error() {
    let server = Server::start();
    // One thread: of two the second one's rows may come first.
    let query = "SELECT number, throwIf(number = 3000000) FROM numbers(4000000) \
                 SETTINGS max_threads = 1";
    let done = client(&server, &["-q", query], "");
    assert_eq!(done.code, 395 - 256, "{}", done.messages);
    assert!(done.out.starts_with("0\t0\n1\t0\n"));
    assert!(!done.out.contains("exception") && done.messages.starts_with("Code: 395. "));
}

#[test]
fn a_server_that_is_not_there() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let done = entasis(
        &["client", "--host", "127.0.0.1", "--port", &port.to_string(), "-q", "SELECT 1"],
        "",
    );
    assert_eq!(done.code, 210);
    assert_eq!(done.messages.lines().count(), 1, "{}", done.messages);
    assert!(done.messages.contains("entasis server"), "{}", done.messages);
}

#[test]
fn command_lines() {
    for (line, code, said) in [
        (&["--help"][..], 0, "entasis client"),
        (&[], 0, "entasis local"),
        (&["help", "client"], 0, "--queries-file"),
        (&["client", "--help"], 0, "--password"),
        (&["local", "--help"], 0, "--structure"),
        (&["version"], 0, "entasis "),
        (&["local", "--version"], 0, "entasis "),
        (&["lokal"], 36, "Maybe you meant: local"),
        (&["-q", "SELECT 1"], 0, "1"),
        (&["client", "--qery", "SELECT 1"], 36, "Maybe you meant: --query"),
        (&["client", "--port", "x"], 36, "whole number"),
        (&["client", "--port", "99999"], 36, "65535"),
        (&["client", "-z"], 36, "Unknown option `-z`"),
        (&["client", "--secure"], 48, "TLS"),
        (&["local", "--max_threds", "1", "-q", "SELECT 1"], 115, "max_threads"),
        (&["local", "-q"], 36, "needs a value"),
        (&["local", "--queries-file", "/no/such/file"], 76, "/no/such/file"),
    ] {
        let done = entasis(line, "");
        let shown = format!("{}{}", done.out, done.messages);
        assert_eq!(done.code, code, "{line:?}: {shown}");
        assert!(shown.contains(said), "{line:?}: {shown}");
    }
}

#[test]
fn an_interrupt_ends_the_statement_at_the_server() {
    let server = Server::start();
    let long = "SELECT count() FROM numbers_mt(1000000000000) WHERE NOT ignore(number)";
    let script = Command::new(BINARY)
        .args(["client", "--host", "127.0.0.1", "--port", &server.port, "-q", long])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let running = "SELECT count() FROM system.processes WHERE query LIKE '%numbers_mt%'";
    let count =
        || client(&server, &["-q", &format!("{running} AND query NOT LIKE '%processes%'")], "");
    while count().out != "1\n" {
        std::thread::yield_now();
    }
    let pid = script.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = script.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(394 - 256));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cancelled"));
    assert_eq!(count().out, "0\n");
}
