//! The client against a server of a few lines: it reads a request and says what a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use entasis_base::codes;

use crate::{Client, Config, Request};

/// Answers each of `answers` to one request, all over one connection, and hands back the requests.
fn serve(answers: Vec<&'static str>) -> (Client, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        let mut requests = Vec::new();
        for answer in answers {
            requests.push(request(&mut reader));
            stream.write_all(answer.as_bytes()).unwrap();
        }
        requests
    });
    let config = Config { host: "127.0.0.1".into(), port, ..Config::default() };
    (Client::new(config), server)
}

/// A request with its body, chunks joined.
fn request(reader: &mut BufReader<TcpStream>) -> String {
    let mut text = String::new();
    let mut length = None;
    loop {
        let mut line = String::new();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the client left after {text:?}");
        text.push_str(&line);
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = Some(value.trim().parse().unwrap());
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut read = |size: usize| {
        let mut bytes = vec![0; size];
        reader.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    if text.starts_with("GET ") {
        return text;
    }
    if let Some(length) = length {
        return text + &read(length);
    }
    loop {
        let mut line = String::new();
        loop {
            line.push_str(&read(1));
            if line.ends_with("\r\n") {
                break;
            }
        }
        let size = usize::from_str_radix(line.trim(), 16).unwrap();
        text.push_str(&read(size));
        read(2);
        if size == 0 {
            return text;
        }
    }
}

#[test]
fn one_connection_carries_many_statements() {
    let (mut client, server) = serve(vec![
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n2\n\r\n0\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nX-ClickHouse-Exception-Code: 60\r\nContent-Length: 39\r\n\r\n\
         Code: 60. no such table (UNKNOWN_TABLE)",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ]);
    assert_eq!(client.ask("SELECT 1", &[("max_threads", "1")]).unwrap(), "1\n");
    assert_eq!(client.ask("SELECT 2", &[]).unwrap(), "2\n");
    let error = client.ask("SELECT * FROM t", &[]).unwrap_err();
    assert_eq!(error.code(), codes::UNKNOWN_TABLE);
    let mut rows = "1\n2\n".as_bytes();
    let insert =
        Request { query: "INSERT INTO t FORMAT TSV", parameters: &[], data: Some(&mut rows) };
    client.execute(insert).unwrap();
    let requests = server.join().unwrap();
    assert!(requests[0].starts_with("POST /?max_threads=1 HTTP/1.1\r\n"), "{}", requests[0]);
    assert!(requests[0].contains("X-ClickHouse-User: default\r\n"));
    assert!(requests[0].ends_with("\r\n\r\nSELECT 1"));
    assert!(requests[3].ends_with("\r\n\r\nINSERT INTO t FORMAT TSV\n1\n2\n"), "{}", requests[3]);
}

#[test]
fn pages_are_asked_for_by_their_path() {
    let (mut client, server) = serve(vec![
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        "HTTP/1.1 400 Bad Request\r\nX-ClickHouse-Exception-Code: 36\r\nContent-Length: 37\r\n\r\n\
         Code: 36. There are no (BAD_ARGUMENTS)",
    ]);
    assert_eq!(client.page("/flamegraph", &[("query_id", "a b")]).unwrap(), b"<html>");
    let error = client.page("/flamegraph", &[]).unwrap_err();
    assert_eq!(error.code(), codes::BAD_ARGUMENTS);
    let requests = server.join().unwrap();
    assert!(requests[0].starts_with("GET /flamegraph?query_id=a%20b HTTP/1.1\r\n"), "{requests:?}");
}

#[test]
fn the_head_says_what_was_done() {
    let (mut client, _server) = serve(vec![
        "HTTP/1.1 200 OK\r\nX-ClickHouse-Progress: {\"read_rows\":\"5\"}\r\n\
         X-ClickHouse-Summary: {\"read_rows\":\"9\",\"result_rows\":\"1\"}\r\n\
         X-ClickHouse-Format: TSV\r\nContent-Length: 2\r\n\r\n9\n",
    ]);
    let request = Request { query: "SELECT 9", parameters: &[], data: None };
    let response = client.execute(request).unwrap();
    let summary = response.summary();
    assert_eq!((summary.read_rows, summary.result_rows), (9, 1));
}

#[test]
fn a_late_error_is_an_error_and_what_came_before_is_kept() {
    let (mut client, _server) = serve(vec![
        "HTTP/1.1 200 OK\r\nX-ClickHouse-Exception-Tag: tag\r\nTransfer-Encoding: chunked\r\n\r\n\
         6\r\n1\n2\n\r\n\r\n11\r\n__exception__\r\nta\r\n\
         2c\r\ng\r\nCode: 241. big (MEMORY_LIMIT_EXCEEDED)\n40\r\nb\r\n tag\r\n__exc\r\n",
    ]);
    let request = Request { query: "SELECT 9", parameters: &[], data: None };
    let mut response = client.execute(request).unwrap();
    let mut text = Vec::new();
    let error = loop {
        match response.read_piece(&mut text) {
            Ok(more) => assert!(more, "the error was missed"),
            Err(error) => break error,
        }
    };
    assert_eq!(text, b"1\n2\n");
    assert_eq!(error.code(), codes::MEMORY_LIMIT_EXCEEDED, "{error}");
}

#[test]
fn what_breaks_off_is_an_error() {
    let (mut client, _server) =
        serve(vec!["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n1\n\r\n"]);
    let error = client.ask("SELECT 1", &[]).unwrap_err();
    assert_eq!(error.code(), codes::NETWORK_ERROR);
    let (mut client, _server) = serve(vec!["SSH-2.0-OpenSSH\r\n"]);
    let error = client.ask("SELECT 1", &[]).unwrap_err();
    assert!(error.message().contains("8123"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_one_line_with_a_remedy() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = Config { host: "127.0.0.1".into(), port, ..Config::default() };
    let error = Client::new(config).ask("SELECT 1", &[]).unwrap_err();
    assert_eq!(error.code(), codes::NETWORK_ERROR);
    assert!(error.message().contains("entasis server"), "{error}");
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn a_statement_is_stopped_from_another_thread() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (has_read, reads) = std::sync::mpsc::channel();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        request(&mut reader);
        has_read.send(()).unwrap();
        // Nothing is said; the client goes away.
        reader.read(&mut [0; 16]).unwrap()
    });
    let mut client = Client::new(Config { host: "127.0.0.1".into(), port, ..Config::default() });
    let stopper = client.stopper();
    let waits = std::thread::spawn(move || client.ask("SELECT sleep(3)", &[]));
    reads.recv().unwrap();
    assert!(stopper.is_busy());
    stopper.stop();
    assert_eq!(waits.join().unwrap().unwrap_err().code(), codes::NETWORK_ERROR);
    assert_eq!(server.join().unwrap(), 0);
}
