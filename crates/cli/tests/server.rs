//! `entasis server` as a process: its configuration, what it refuses, and how it ends.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("entasis-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn server(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_entasis"));
    command.arg("server").args(args).stderr(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn refused(args: &[&str]) -> String {
    let Output { status, stderr, .. } = server(args).output().unwrap();
    assert!(!status.success(), "{args:?}");
    String::from_utf8_lossy(&stderr).into_owned()
}

#[test]
fn wrong_configurations_are_refused_with_a_remedy() {
    let path = folder("config");
    let file = path.join("server.toml");
    let with = |text: &str| {
        std::fs::write(&file, text).unwrap();
        refused(&["--config", file.to_str().unwrap(), "--path", path.to_str().unwrap()])
    };
    let open = with("listen = ['0.0.0.0']");
    assert!(open.contains("REQUIRED_PASSWORD") && open.contains("[users.default]"), "{open}");
    let key = with("http_prot = 1");
    assert!(key.contains("server.toml") && key.contains("unknown field `http_prot`"), "{key}");
    let setting = with("http_port = 0\n[settings]\nmax_threds = 1");
    assert!(setting.contains("'max_threads'"), "{setting}");
    let zone = with("time_zone = 'Mars/Crater'");
    assert!(zone.contains("time_zone"), "{zone}");
    assert!(refused(&["--listen", "nonsense"]).contains("no IP address"));
    assert!(refused(&["--http-port", "70000"]).contains("65535"));
    std::fs::remove_dir_all(&path).unwrap();
}

#[test]
fn a_signal_ends_it_and_the_tables_stay() {
    let path = folder("signal");
    let file = path.join("server.toml");
    std::fs::write(&file, "http_port = 0\n[settings]\nmax_threads = 1\n").unwrap();
    let mut left = String::new();
    for (query, answer) in [
        ("CREATE TABLE t ENGINE = MergeTree ORDER BY x AS SELECT 7 AS x", ""),
        ("SELECT x, getSetting('max_threads') FROM t", "7\t1\n"),
    ] {
        let args = ["--config", file.to_str().unwrap(), "--path", path.to_str().unwrap()];
        let mut child = server(&args).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let address = first.trim().strip_prefix("Listening on http://").unwrap();
        let mut socket = TcpStream::connect(address).unwrap();
        let length = query.len();
        let head = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        write!(socket, "{head}Content-Length: {length}\r\n\r\n{query}").unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK") && text.ends_with(answer), "{text}");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(child.wait().unwrap().success());
        left.clear();
        lines.read_to_string(&mut left).unwrap();
        assert!(left.contains("The server has ended\n"), "{left}");
    }
    std::fs::remove_dir_all(&path).unwrap();
}
