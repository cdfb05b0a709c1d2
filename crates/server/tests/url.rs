//! The table function `url` and the engine URL, against servers in this process.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::io::{Read, Write};
use std::net::TcpListener;

use common::{Running, server};

/// A server whose queries may reach this machine.
fn reaching() -> Running {
    server("url_hosts = ['127.0.0.1']")
}

/// Answers each connection with one of these texts in turn; gives the requests that came.
fn scripted(answers: Vec<Vec<u8>>) -> (u16, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let answer = |answer: Vec<u8>| {
            let (mut socket, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut piece = [0; 4096];
            while !request.windows(4).any(|w| w == b"\r\n\r\n") {
                let n = socket.read(&mut piece).unwrap();
                request.extend_from_slice(&piece[..n]);
            }
            socket.write_all(&answer).unwrap();
            String::from_utf8_lossy(&request).into_owned()
        };
        answers.into_iter().map(answer).collect()
    });
    (port, thread)
}

fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn rows_are_read_from_an_address() {
    let (source, reader) = (server(""), reaching());
    let host = source.address;
    let ask = |query: &str| reader.post("", query).text();
    let of = |query: &str| format!("http://{host}/?query={query}");
    let numbers = of("SELECT+number,+toString(number)+FROM+numbers(5)+FORMAT+CSV");
    let query = format!("SELECT sum(a), max(b) FROM url('{numbers}', 'CSV', 'a UInt8, b String')");
    assert_eq!(ask(&query), "10\t4\n");
    // Names and types are found out, and a format that is not named, too.
    let named = of("SELECT+1+AS+x,+%27y%27+AS+z+FORMAT+CSVWithNames");
    assert_eq!(ask(&format!("SELECT x, z FROM url('{named}', 'CSVWithNames')")), "1\ty\n");
    let json = of("SELECT+7+AS+seven+FORMAT+JSONEachRow");
    assert_eq!(ask(&format!("SELECT seven FROM url('{json}')")), "7\n");
    let parquet = of("SELECT+number+AS+n+FROM+numbers(100000)+FORMAT+Parquet");
    assert_eq!(ask(&format!("SELECT sum(n) FROM url('{parquet}', 'Parquet')")), "4999950000\n");
    // Patterns stand for several addresses, and `|` for the first that answers.
    let many = of("SELECT+{1..3}+FORMAT+TSV");
    assert_eq!(ask(&format!("SELECT sum(a) FROM url('{many}', 'TSV', 'a UInt8')")), "6\n");
    let dead = format!("http://127.0.0.{{1:1|1:{}}}/?query=SELECT+5", host.port());
    assert_eq!(ask(&format!("SELECT a FROM url('{dead}', 'TSV', 'a UInt8')")), "5\n");
    let path = format!("SELECT a, _path, _file FROM url('http://{host}/ping', 'TSV', 'a String')");
    assert_eq!(ask(&path), "Ok.\t/ping\tping\n");
    let headers = format!(
        "SELECT a FROM url('http://{host}/?query=SELECT+currentUser()', 'TSV', 'a String', \
         headers('X-ClickHouse-User'='default'))"
    );
    assert_eq!(ask(&headers), "default\n");
    // An error of the other server is one here.
    let broken = of("SELECT+throwIf(1)");
    let query = format!("SELECT * FROM url('{broken}', 'TSV', 'a UInt8')");
    let text = reader.post("", &query).expect_error(500, 86);
    assert!(text.contains("395"), "{text}");
}

#[test]
fn rows_are_sent_to_an_address() {
    let (target, writer) = (server(""), reaching());
    let host = target.address;
    target.post("", "CREATE TABLE t (a UInt32, b String) ENGINE = MergeTree ORDER BY a");
    let url = format!("http://{host}/?query=INSERT+INTO+t+FORMAT+TSV");
    let insert = format!(
        "INSERT INTO FUNCTION url('{url}', 'TSV', 'a UInt32, b String') \
         SELECT number, toString(number) FROM numbers(1000)"
    );
    assert_eq!(writer.post("", &insert).text(), "");
    let count = || target.post("", "SELECT count(), sum(a) FROM t").text();
    assert_eq!(count(), "1000\t499500\n");
    let create = format!("CREATE TABLE far (a UInt32, b String) ENGINE = URL('{url}', 'TSV')");
    assert_eq!(writer.post("", &create).text(), "");
    assert_eq!(writer.post("", "INSERT INTO far VALUES (1, 'x')").text(), "");
    assert_eq!(count(), "1001\t499501\n");
    let shown = writer.post("", "SHOW CREATE TABLE far FORMAT TSVRaw").text();
    assert!(shown.ends_with(&format!("ENGINE = URL('{url}', 'TSV')\n")), "{shown}");
    // A server that refuses the rows fails the INSERT.
    let wrong = format!(
        "INSERT INTO FUNCTION url('http://{host}/?query=INSERT+INTO+nothing+FORMAT+TSV', 'TSV', \
         'a UInt32') VALUES (1)"
    );
    writer.post("", &wrong).expect_error(500, 86);
}

#[test]
fn only_allowed_hosts_are_reached() {
    let (other, closed) = (server(""), server(""));
    let host = other.address;
    for query in [
        format!("SELECT * FROM url('http://{host}/', 'TSV', 'a UInt8')"),
        format!("CREATE TABLE t (a UInt8) ENGINE = URL('http://{host}/', 'TSV')"),
        format!("INSERT INTO FUNCTION url('http://{host}/', 'TSV', 'a UInt8') VALUES (1)"),
    ] {
        let text = closed.post("", query).expect_error(500, 491);
        assert!(text.contains("url_hosts"), "{text}");
    }
    let https = "SELECT * FROM url('https://127.0.0.1/', 'TSV', 'a UInt8')";
    let text = reaching().post("", https).expect_error(501, 48);
    assert!(text.contains("TLS"), "{text}");
}

#[test]
fn redirects_and_missing_addresses() {
    let reader = reaching();
    let ask = |query: &str| reader.post("", query);
    let moved = |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n\r\n").into_bytes();
    let missing = || b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
    let (port, thread) = scripted(vec![moved("/there"), moved("/there"), ok("5\n")]);
    let query = format!("SELECT a FROM url('http://127.0.0.1:{port}/x', 'TSV', 'a UInt8')");
    ask(&query).expect_error(500, 483);
    assert_eq!(ask(&(query + " SETTINGS max_http_get_redirects = 1")).text(), "5\n");
    assert!(thread.join().unwrap()[2].starts_with("GET /there HTTP/1.1\r\n"));
    // A redirect does not lead to a host that is not allowed.
    let (port, thread) = scripted(vec![moved("http://localhost:1/x")]);
    let query = format!(
        "SELECT a FROM url('http://127.0.0.1:{port}/x', 'TSV', 'a UInt8') \
         SETTINGS max_http_get_redirects = 1"
    );
    ask(&query).expect_error(500, 491);
    thread.join().unwrap();
    let (port, thread) = scripted(vec![missing(), ok("7\n"), missing()]);
    let query = format!("SELECT a FROM url('http://127.0.0.1:{port}/{{1,2}}', 'TSV', 'a UInt8')");
    assert_eq!(ask(&query).text(), "7\n");
    let query = format!("SELECT a FROM url('http://127.0.0.1:{port}/1', 'TSV', 'a UInt8')");
    ask(&query).expect_error(500, 86);
    thread.join().unwrap();
}

#[test]
fn a_silent_server_does_not_keep_a_statement() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let query = format!(
        "SELECT a FROM url('http://127.0.0.1:{port}/', 'TSV', 'a UInt8') \
         SETTINGS http_receive_timeout = 1"
    );
    reaching().post("", query).expect_error(500, 210);
    let query = format!(
        "SELECT a FROM url('http://127.0.0.1:{port}/', 'TSV', 'a UInt8') \
         SETTINGS max_execution_time = 0.3"
    );
    let began = std::time::Instant::now();
    reaching().post("", query).expect_error(408, 159);
    assert!(began.elapsed().as_secs() < 20);
}

#[test]
fn a_dictionary_reads_an_address() {
    let (source, reader) = (server(""), reaching());
    let url = format!("http://{}/", source.address);
    let create = format!(
        "CREATE DICTIONARY d (id UInt64, name String DEFAULT 'none') PRIMARY KEY id \
         SOURCE(HTTP(URL '{url}?query=SELECT+number,+toString(number)+FROM+numbers(3)+FORMAT+TSV' \
         FORMAT 'TSV' HEADERS(HEADER(NAME 'X-ClickHouse-User' VALUE 'default')))) \
         LAYOUT(HASHED()) LIFETIME(0)"
    );
    assert_eq!(reader.post("", create).text(), "");
    let found = reader.post("", "SELECT dictGet('d', 'name', 2), dictGet('d', 'name', 9)");
    assert_eq!(found.text(), "2\tnone\n");
}
