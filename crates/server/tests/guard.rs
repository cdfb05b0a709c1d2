//! Who may ask, and what a query may reach.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::os::unix::fs::symlink;

use common::{server, url};

const USERS: &str = "\
[users.default]
password = 'secret'

[users.reader]
# sha256 of `open`
password_sha256_hex = '2348f998744212575d85959674f9607ab26f67708a917157472832386337c904'

[users.reader.settings]
readonly = 1
";

#[test]
fn passwords_by_every_way() {
    let server = server(USERS);
    let query = "SELECT currentUser()";
    let missing = server.post("", query);
    assert!(missing.header("www-authenticate").starts_with("Basic"), "{missing:?}");
    missing.expect_error(401, 194);
    let send = |headers: &[(&str, &str)], parameters: &str| {
        server.send("POST", parameters, headers, query)
    };
    let key = ("X-ClickHouse-Key", "secret");
    assert_eq!(send(&[key], "").text(), "default\n");
    assert_eq!(send(&[("X-ClickHouse-User", "default"), key], "").text(), "default\n");
    assert_eq!(send(&[], "user=default&password=secret").text(), "default\n");
    assert_eq!(send(&[], "password=secret").text(), "default\n");
    // default:secret, reader:open
    let basic = [("Authorization", "Basic ZGVmYXVsdDpzZWNyZXQ=")];
    assert_eq!(send(&basic, "").text(), "default\n");
    assert_eq!(send(&[("Authorization", "Basic cmVhZGVyOm9wZW4=")], "").text(), "reader\n");
    for (headers, parameters) in [
        (vec![("X-ClickHouse-Key", "wrong")], ""),
        (vec![("X-ClickHouse-User", "nobody"), key], ""),
        (vec![("X-ClickHouse-User", "default")], ""),
        (vec![("Authorization", "Bearer x")], ""),
        (vec![("Authorization", "Basic !!")], ""),
        (vec![key], "user=default"),
    ] {
        send(&headers, parameters).expect_error(403, 516);
    }
    // The ping tells nothing, so it asks for nothing.
    assert_eq!(server.connect().request("GET", "/ping", &[], b"").status, 200);
    let metrics =
        |headers: &[(&str, &str)]| server.connect().request("GET", "/metrics", headers, b"");
    let page = metrics(&[key]);
    assert!(page.header("content-type").starts_with("text/plain; version=0.0.4"), "{page:?}");
    assert!(page.text().contains("\nClickHouseProfileEvents_SelectQuery "));
    metrics(&[]).expect_error(401, 194);
    metrics(&[("X-ClickHouse-Key", "wrong")]).expect_error(403, 516);
    server.post("user=reader&password=open", "CREATE DATABASE x").expect_error(500, 164);
    server.post("user=reader&password=open&max_threads=3", "SELECT 1").expect_error(500, 164);
}

#[test]
fn headers_that_say_who_asks_whom_come_once() {
    let server = server("");
    let address = server.address.to_string();
    let status = |headers: &[(&str, &str)]| {
        server.connect().request("POST", "/", headers, b"SELECT 1").status
    };
    let host = ("Host", address.as_str());
    assert_eq!(status(&[host]), 200);
    assert_eq!(status(&[host, ("Host", "evil.example")]), 400);
    assert_eq!(status(&[host, ("Origin", "http://localhost"), ("Origin", "null")]), 400);
}

#[test]
fn a_slow_hash_lets_the_right_password_in() {
    let hash = entasis_server::hash_password("secret").unwrap();
    let server = server(&format!("[users.ann]\npassword_hash = '{hash}'"));
    for _ in 0..2 {
        assert_eq!(server.post("user=ann&password=secret", "SELECT currentUser()").text(), "ann\n");
        server.post("user=ann&password=secre", "SELECT 1").expect_error(403, 516);
    }
}

#[test]
fn a_reader_sees_only_statements_of_its_own() {
    let config = USERS.replace("readonly = 1", "readonly = 2");
    let server = server(&config);
    let ask = |user: &str, query: &str| server.post(user, query);
    let (all, reader) = ("password=secret", "user=reader&password=open");
    ask(all, "SELECT 'of the owner'");
    ask(reader, "SELECT 'of the reader'");
    ask(all, "SYSTEM FLUSH LOGS");
    for log in ["query_log", "processes"] {
        let users = format!("SELECT DISTINCT user FROM system.{log} ORDER BY user");
        assert_eq!(ask(reader, &users).text(), "reader\n", "{log}");
        let others = format!("SELECT count() FROM system.{log} WHERE user != 'reader'");
        assert_eq!(ask(reader, &others).text(), "0\n", "{log}");
    }
    let both = "SELECT uniqExact(user) FROM system.query_log";
    assert_eq!(ask(all, both).text(), "2\n");
    let counted = "SELECT count() = countIf(user = 'reader') FROM system.query_log";
    assert_eq!(ask(reader, counted).text(), "1\n");
    for log in ["text_log", "errors"] {
        ask(reader, &format!("SELECT count() FROM system.{log}")).expect_error(403, 497);
    }
    let merged = "SELECT DISTINCT user FROM merge('system', '^query_log$')";
    assert_eq!(ask(reader, merged).text(), "reader\n");
}

#[test]
fn readers_stay_within_their_constraints() {
    let config = "[users.reader.settings]\nreadonly = 2\nmax_memory_usage = '1G'\n\
                  [users.reader.constraints]\nmax_memory_usage = { max = '2G' }\n\
                  max_execution_time = { readonly = true }";
    let server = server(config);
    let ask = |parameters: &str| {
        server.post(&format!("user=reader&{parameters}"), "SELECT getSetting('max_memory_usage')")
    };
    assert_eq!(ask("max_memory_usage=2G").text(), "2000000000\n");
    for refused in ["max_memory_usage=3G", "max_memory_usage=0", "max_execution_time=10"] {
        ask(refused).expect_error(500, 452);
    }
    let bounds = "SELECT max, readonly FROM system.settings WHERE name = 'max_memory_usage'";
    assert_eq!(server.post("user=reader", bounds).text(), "2000000000\t0\n");
}

#[test]
fn secrets_are_not_in_the_logs() {
    let server = server("log_level = 'trace'");
    let query = "SELECT encrypt('aes-128-ecb', 'hidden text', 'hidden key 1234'), 'seen'";
    server.post("", query);
    server.post("", "SELECT * FROM mysql('h', 'd', 't', 'u', 'hidden password')");
    server.post("", "CREATE USER u IDENTIFIED BY 'hidden password' SELECT");
    server.query("SYSTEM FLUSH LOGS");
    let found = |table: &str, column: &str| {
        let text = format!(
            "SELECT countIf({column} LIKE '%hidden%'), countIf({column} LIKE '%[HIDDEN]%') > 0 \
             FROM system.{table} WHERE {column} NOT LIKE '%countIf%'"
        );
        server.query(&text)
    };
    assert_eq!(found("query_log", "query"), "0\t1\n");
    assert_eq!(found("query_log", "exception").split('\t').next(), Some("0"));
    assert_eq!(found("text_log", "message"), "0\t1\n");
    assert_eq!(found("errors", "last_error_message").split('\t').next(), Some("0"));
}

#[test]
fn the_connection_that_waits_longest_makes_room() {
    let server = server("max_connections = 4\nkeep_alive_seconds = 600");
    let slow: Vec<_> = (0..4).map(|_| server.connect()).collect();
    assert_eq!(server.connect().request("GET", "/ping", &[], b"").status, 200);
    assert_eq!(server.query("SELECT 1"), "1\n");
    drop(slow);
}

#[test]
fn names_and_origins() {
    let server = server("allowed_hosts = ['db.example']\nallowed_origins = ['https://g.example']");
    let status = |headers: &[(&str, &str)]| {
        server.connect().request("POST", "/", headers, b"SELECT 1").status
    };
    let address = server.address.to_string();
    assert_eq!(status(&[("Host", &address)]), 200);
    assert_eq!(status(&[("Host", "db.example:8123")]), 200);
    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Host", "localhost.evil.example")]), 403);
    let play = |host| server.connect().request("GET", "/play", &[("Host", host)], b"").status;
    assert_eq!((play("localhost:1"), play("evil.example")), (200, 403));
    assert_eq!(status(&[("Origin", "http://localhost")]), 200);
    assert_eq!(status(&[("Origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("Origin", "null")]), 403);
    assert_eq!(status(&[("Sec-Fetch-Site", "cross-site")]), 403);
    let headers = [("Origin", "https://g.example")];
    let allowed = server.connect().request("POST", "/", &headers, b"SELECT 1");
    assert_eq!(allowed.header("access-control-allow-origin"), "https://g.example");
    assert!(allowed.header("access-control-expose-headers").contains("X-ClickHouse-Summary"));
    let asked = server.connect().request("OPTIONS", "/", &headers, b"");
    assert_eq!(asked.status, 204);
    assert!(asked.header("access-control-allow-headers").contains("x-clickhouse-key"));
}

#[test]
fn files_stay_beneath_user_files() {
    let server = server("");
    let (root, files) = (&server.path, server.path.join("user_files"));
    std::fs::write(root.join("outside.tsv"), "secret\n").unwrap();
    std::fs::write(files.join("inside.tsv"), "open\n").unwrap();
    symlink(root.join("outside.tsv"), files.join("link.tsv")).unwrap();
    symlink("/", files.join("root")).unwrap();
    symlink("inside.tsv", files.join("near.tsv")).unwrap();
    let read =
        |path: &str| server.post("", format!("SELECT * FROM file('{path}', 'TSV', 'x String')"));
    assert_eq!(read("inside.tsv").text(), "open\n");
    assert_eq!(read("near.tsv").text(), "open\n");
    assert_eq!(read(files.join("inside.tsv").to_str().unwrap()).text(), "open\n");
    for path in [
        "../outside.tsv",
        "x/../../outside.tsv",
        "link.tsv",
        "root/etc/passwd",
        "/etc/passwd",
        "/proc/self/environ",
        "../commit.log",
        "../*.tsv",
        "root/etc/pass*",
        "~/x",
    ] {
        let answer = read(path);
        assert!(answer.status >= 400, "{path}: {}", answer.text());
        assert!(!answer.text().contains("secret") && !answer.text().contains("root:"), "{path}");
    }
    let write = |path: &str| {
        server.post("", format!("INSERT INTO FUNCTION file('{path}', 'TSV', 'x UInt8') SELECT 1"))
    };
    assert_eq!(write("new.tsv").status, 200);
    assert_eq!(read("new.tsv").text(), "1\n");
    for path in ["../new.tsv", "/tmp/entasis-escaped.tsv", "root/tmp/entasis-escaped.tsv"] {
        assert!(write(path).status >= 400, "{path}");
    }
    assert!(!root.join("new.tsv").exists());
    assert!(!std::path::Path::new("/tmp/entasis-escaped.tsv").exists());
    let get = format!("query={}", url("SELECT * FROM file('inside.tsv', 'TSV', 'x String')"));
    assert_eq!(server.get(&get).text(), "open\n");
}
