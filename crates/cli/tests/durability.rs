//! The server is killed (SIGKILL) at random moments while clients insert; after each restart every
//! acknowledged batch must be there, none twice, none in part.
//!
//! `KILLS=50 cargo test --release -p entasis-cli --test durability -- --nocapture` is what
//! `make durability` runs; without KILLS there are three rounds. SEED repeats a run's delays.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use entasis_base::clock::Rng;

const WRITERS: u64 = 4;
/// Rows of a batch; they go into three partitions, by one INSERT.
const ROWS: u64 = 60;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS log (writer UInt8, batch UInt64, row UInt32, \
                     text String) ENGINE = MergeTree ORDER BY (writer, batch, row) \
                     PARTITION BY row % 3";

const CHECK: &str = "SELECT writer, batch, count(), uniqExact(row), countIf(text = \
                     concat(toString(writer), '-', toString(batch), '-', toString(row))) \
                     FROM log GROUP BY writer, batch ORDER BY writer, batch";

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(path: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_entasis"))
            .args(["server", "--http-port", "0", "--listen", "127.0.0.1", "--path"])
            .arg(path)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.strip_prefix("Listening on http://");
        let address = address.unwrap_or_else(|| panic!("{first}")).to_string();
        // What else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn ask(&self, query: &str) -> String {
        let mut connection = TcpStream::connect(&self.address).unwrap();
        let (ok, text) = post(&mut connection, query).unwrap();
        assert!(ok, "{query}: {text}");
        text
    }
}

/// One request over a connection that is kept; `None` if it broke.
fn post(connection: &mut TcpStream, body: &str) -> Option<(bool, String)> {
    let length = body.len();
    let head = format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n");
    connection.write_all((head + body).as_bytes()).ok()?;
    let mut reader = BufReader::new(connection);
    let (mut status, mut length, mut chunked) = (String::new(), 0, false);
    reader.read_line(&mut status).ok().filter(|n| *n > 0)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().ok()?;
        }
        chunked |= line == "transfer-encoding: chunked";
    }
    let mut text = Vec::new();
    if chunked {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).ok().filter(|n| *n > 0)?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let start = text.len();
            text.resize(start + size + 2, 0);
            reader.read_exact(&mut text[start..]).ok()?;
            text.truncate(start + size);
            if size == 0 {
                break;
            }
        }
    } else {
        text.resize(length, 0);
        reader.read_exact(&mut text).ok()?;
    }
    Some((status.contains(" 200 "), String::from_utf8_lossy(&text).into_owned()))
}

/// What a batch has come to.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Batch {
    /// The server said that it is stored.
    Acknowledged,
    /// The connection broke before an answer: it may be stored or not, whole.
    Open,
}

type Batches = Arc<Mutex<HashMap<(u64, u64), Batch>>>;

fn insert(writer: u64, batch: u64) -> String {
    let rows = (0..ROWS).map(|row| format!("({writer}, {batch}, {row}, '{writer}-{batch}-{row}')"));
    format!("INSERT INTO log VALUES {}", rows.collect::<Vec<_>>().join(", "))
}

fn write(address: &str, writer: u64, from: u64, batches: &Batches, stop: &AtomicBool) -> u64 {
    let Ok(mut connection) = TcpStream::connect(address) else { return from };
    let mut batch = from;
    while !stop.load(Ordering::Relaxed) {
        batches.lock().unwrap().insert((writer, batch), Batch::Open);
        let answer = post(&mut connection, &insert(writer, batch));
        batch += 1;
        match answer {
            Some((true, _)) => {
                batches.lock().unwrap().insert((writer, batch - 1), Batch::Acknowledged);
            }
            Some((false, text)) => panic!("the server refused a batch: {text}"),
            None => break,
        }
    }
    batch
}

/// Holds what is stored against what was acknowledged; answers the numbers of both.
fn verify(server: &Server, batches: &Batches, round: u64) -> (usize, usize) {
    let mut stored = HashSet::new();
    for line in server.ask(CHECK).lines() {
        let n: Vec<u64> = line.split('\t').map(|field| field.parse().unwrap()).collect();
        assert_eq!(n[2..], [ROWS, ROWS, ROWS], "round {round}: batch {n:?} is damaged");
        stored.insert((n[0], n[1]));
    }
    let mut batches = batches.lock().unwrap();
    for (key, state) in batches.iter() {
        assert!(
            stored.contains(key) || *state == Batch::Open,
            "round {round}: batch {key:?} was acknowledged and is gone"
        );
    }
    for key in &stored {
        assert!(batches.contains_key(key), "round {round}: batch {key:?} was never sent");
    }
    // From now on what is stored must stay, and what is not must not appear.
    batches.retain(|key, _| stored.contains(key));
    batches.values_mut().for_each(|state| *state = Batch::Acknowledged);
    (stored.len(), batches.len())
}

#[test]
fn kills_lose_nothing() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let kills = number("KILLS").unwrap_or(3);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let seed = number("SEED").unwrap_or(now.as_nanos() as u64);
    let mut rng = Rng::new(seed);
    let path: PathBuf = std::env::temp_dir().join(format!("entasis-kill-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    let batches = Batches::default();
    let mut next = vec![0; WRITERS as usize];
    let mut open = 0;
    for round in 0..kills {
        let server = Server::start(&path);
        server.ask(TABLE);
        verify(&server, &batches, round);
        let stop = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (address, from) = (server.address.clone(), next[writer as usize]);
                let (batches, stop) = (Arc::clone(&batches), Arc::clone(&stop));
                std::thread::spawn(move || write(&address, writer, from, &batches, &stop))
            })
            .collect();
        // Now and then while parts are merged into one.
        let merges = rng.below(3) == 0;
        let begun = Instant::now();
        std::thread::sleep(Duration::from_millis(10 + rng.below(300)));
        if merges && let Ok(mut connection) = TcpStream::connect(&server.address) {
            let text = "OPTIMIZE TABLE log FINAL";
            let head = format!(
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{text}",
                text.len()
            );
            let _ = connection.write_all(head.as_bytes());
            std::thread::sleep(Duration::from_millis(rng.below(50)));
        }
        server.kill();
        stop.store(true, Ordering::Relaxed);
        for (writer, thread) in writers.into_iter().enumerate() {
            next[writer] = thread.join().unwrap();
        }
        let states = batches.lock().unwrap();
        let undecided = states.values().filter(|s| **s == Batch::Open).count();
        open += undecided;
        eprintln!(
            "round {round}: killed after {} ms, {} batches acknowledged so far, {undecided} open",
            begun.elapsed().as_millis(),
            states.len() - undecided,
        );
    }
    let server = Server::start(&path);
    let (stored, expected) = verify(&server, &batches, kills);
    assert_eq!(stored, expected);
    assert!(stored > 0, "nothing was ever stored: the test shows nothing");
    eprintln!("{kills} kills (SEED={seed}): {stored} batches stored, {open} were open when killed");
    server.kill();
    std::fs::remove_dir_all(&path).unwrap();
}
