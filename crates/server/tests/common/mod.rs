//! A server in this process on a free port, and a client that speaks raw HTTP.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use entasis_engine::Engine;
use entasis_server::{Config, Server, Stopper, open_engine};

/// A server that ends with the value.
pub struct Running {
    pub address: SocketAddr,
    pub engine: Arc<Engine>,
    pub path: PathBuf,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// A server over a fresh folder, with a configuration's text.
pub fn server(config: &str) -> Running {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("entasis-server-test-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    let mut config = Config::parse(config).unwrap();
    config.path.clone_from(&path);
    entasis_functions::register();
    let engine = open_engine(&config, None).unwrap();
    with_engine(&config, engine, path)
}

/// A server over an engine.
pub fn with_engine(config: &Config, engine: Arc<Engine>, path: PathBuf) -> Running {
    let config = Config { http_port: 0, ..config.clone() };
    let server = Server::bind(&config, Arc::clone(&engine)).unwrap();
    let (address, stopper) = (server.addresses()[0], server.stopper());
    let thread = std::thread::spawn(move || server.run().unwrap());
    Running { address, engine, path, stopper, thread: Some(thread) }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().unwrap().join();
        let _ = std::fs::remove_dir_all(&self.path);
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the body came to its proper end.
    pub complete: bool,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map_or("", |(_, v)| v.as_str())
    }

    /// The number that the summary gives for a name.
    pub fn summary(&self, name: &str) -> u64 {
        let text = self.header("x-clickhouse-summary");
        let from = text.find(&format!("\"{name}\":\"")).unwrap_or_else(|| panic!("{text}"));
        let digits = text[from + name.len() + 4..].split('"').next().unwrap();
        digits.parse().unwrap()
    }

    /// Fails unless status and exception code are these.
    #[track_caller]
    pub fn expect_error(&self, status: u16, code: u16) -> String {
        let text = self.text();
        assert_eq!(self.status, status, "{text}");
        assert_eq!(self.header("x-clickhouse-exception-code"), code.to_string(), "{text}");
        assert!(text.starts_with(&format!("Code: {code}. DB::Exception: ")), "{text}");
        text
    }
}

/// A connection to the server.
pub struct Client {
    pub socket: TcpStream,
    pending: Vec<u8>,
}

impl Running {
    pub fn connect(&self) -> Client {
        let socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        socket.set_nodelay(true).unwrap();
        Client { socket, pending: Vec::new() }
    }

    /// POST of a body to `/?parameters`, on a connection of its own.
    pub fn post(&self, parameters: &str, body: impl AsRef<[u8]>) -> Answer {
        self.send("POST", parameters, &[], body)
    }

    /// GET of `/?parameters`.
    pub fn get(&self, parameters: &str) -> Answer {
        self.send("GET", parameters, &[], "")
    }

    pub fn send(
        &self,
        method: &str,
        parameters: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Answer {
        let target = format!("/?{parameters}");
        self.connect().request(method, &target, headers, body.as_ref())
    }

    /// The text of a query's answer, which must be a success.
    #[track_caller]
    pub fn query(&self, query: &str) -> String {
        let answer = self.post("", query);
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        assert!(answer.complete);
        answer.text()
    }
}

/// Percent-encodes a parameter.
pub fn url(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    text.bytes()
        .map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") })
        .collect()
}

impl Client {
    pub fn write(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).unwrap();
    }

    pub fn head(method: &str, target: &str, headers: &[(&str, &str)]) -> String {
        let mut head = format!("{method} {target} HTTP/1.1\r\n");
        if !headers.iter().any(|(n, _)| n.eq_ignore_ascii_case("host")) {
            head.push_str("Host: localhost\r\n");
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head
    }

    pub fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut head = Self::head(method, target, headers);
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        self.write(head.as_bytes());
        // A server that refuses early may close before it has read everything.
        let _ = self.socket.write_all(body);
        self.answer(method == "HEAD")
    }

    fn fill(&mut self) -> bool {
        let mut buffer = vec![0; 65_536];
        match self.socket.read(&mut buffer) {
            // A timer of the profiler: this thread has opened the engine, with statements.
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => true,
            Ok(0) | Err(_) => false,
            Ok(n) => {
                self.pending.extend_from_slice(&buffer[..n]);
                true
            }
        }
    }

    fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.pending.windows(2).position(|w| w == b"\r\n") {
                let line = String::from_utf8_lossy(&self.pending[..end]).into_owned();
                self.pending.drain(..end + 2);
                return Some(line);
            }
            if !self.fill() {
                return None;
            }
        }
    }

    fn take(&mut self, n: usize, into: &mut Vec<u8>) -> bool {
        while self.pending.len() < n {
            if !self.fill() {
                into.append(&mut self.pending);
                return false;
            }
        }
        into.extend(self.pending.drain(..n));
        true
    }

    /// Reads an answer; `headless` ones have no body whatever they say.
    pub fn answer(&mut self, headless: bool) -> Answer {
        let status = self.line().expect("an answer");
        let status = status.split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        while let Some(line) = self.line().filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(": ").unwrap();
            headers.push((name.to_string(), value.to_string()));
        }
        let mut answer = Answer { status, headers, body: Vec::new(), complete: true };
        if headless || status == 204 {
            return answer;
        }
        if answer.header("transfer-encoding") != "chunked" {
            let length = answer.header("content-length").parse().unwrap();
            answer.complete = self.take(length, &mut answer.body);
            return answer;
        }
        loop {
            let size = self.line().and_then(|line| usize::from_str_radix(&line, 16).ok());
            let Some(size) = size else {
                answer.complete = false;
                return answer;
            };
            if !self.take(size, &mut answer.body) || self.line().is_none() {
                answer.complete = false;
                return answer;
            }
            if size == 0 {
                return answer;
            }
        }
    }
}
