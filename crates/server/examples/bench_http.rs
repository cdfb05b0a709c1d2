//! Queries a second over keep-alive HTTP connections, each with a text of its own.
//!
//! `cargo run --release -p entasis-server --example bench_http -- 127.0.0.1:8123 [QUERY] [SECONDS]
//! [CONNECTIONS]`: in QUERY, `{n}` becomes the query's number.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const QUERY: &str = "SELECT count() AS c{n} FROM demo.hits";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |i: usize, default: &str| args.get(i).map_or(default, String::as_str).to_string();
    let (address, query) = (arg(0, "127.0.0.1:8123"), arg(1, QUERY));
    let seconds = Duration::from_secs_f64(arg(2, "5").parse().unwrap());
    let connections: u64 = arg(3, "1").parse().unwrap();
    let threads: Vec<_> = (0..connections)
        .map(|i| {
            let (address, query) = (address.clone(), query.clone());
            std::thread::spawn(move || run(&address, &query, i << 32, seconds))
        })
        .collect();
    let mut times: Vec<u64> = threads.into_iter().flat_map(|t| t.join().unwrap()).collect();
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize] as f64 / 1000.0;
    println!(
        "{:.0} queries a second over {connections} connection(s); microseconds: median {:.0}, \
         90 % {:.0}, 99 % {:.0}, most {:.0}",
        times.len() as f64 / seconds.as_secs_f64(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
}

/// Asks for a while; answers each query's nanoseconds.
fn run(address: &str, query: &str, first: u64, seconds: Duration) -> Vec<u64> {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    let (mut times, mut line, mut body) = (Vec::new(), String::new(), Vec::new());
    let begun = Instant::now();
    while begun.elapsed() < seconds {
        let text = query.replace("{n}", &(first + times.len() as u64).to_string());
        let started = Instant::now();
        let request = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        line.clear();
        reader.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body).unwrap();
        times.push(started.elapsed().as_nanos() as u64);
    }
    times
}
