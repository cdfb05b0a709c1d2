//! A TCP connection: sends requests and reads the heads of answers.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};

use crate::body::{self, Framing};
use crate::{Config, Request, url};

/// A connection that carries one request after the other.
pub(crate) struct Connection {
    pub reader: BufReader<TcpStream>,
}

/// Status and headers of an answer.
pub(crate) struct Head {
    pub status: u16,
    headers: HashMap<String, String>,
}

impl Head {
    /// A header's value, by its name in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// All headers, with names in lower case.
    pub fn all(&self) -> &HashMap<String, String> {
        &self.headers
    }

    /// How the end of the body is found.
    pub fn framing(&self) -> Result<Framing> {
        if self.get("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked")) {
            return Ok(Framing::Chunked(0));
        }
        match self.get("content-length") {
            None => Ok(Framing::Close),
            Some(text) => text.trim().parse().map(Framing::Length).map_err(|_| not_http(text)),
        }
    }

    /// Whether the connection can carry another request afterwards.
    pub fn keeps_alive(&self) -> bool {
        !self.get("connection").is_some_and(|v| v.eq_ignore_ascii_case("close"))
    }
}

impl Connection {
    /// Connects to the first address of the host that answers.
    pub fn open(config: &Config) -> Result<Self> {
        let failed = |e: io::Error| unreachable(config, &e);
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in (config.host.as_str(), config.port).to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&address, config.connect_timeout) {
                Ok(stream) => {
                    stream.set_nodelay(true).map_err(failed)?;
                    stream.set_read_timeout(config.answer_timeout).map_err(failed)?;
                    return Ok(Self { reader: BufReader::with_capacity(64 << 10, stream) });
                }
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }

    /// Sets how long to wait for the next bytes of an answer.
    pub fn set_answer_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.reader.get_ref().set_read_timeout(timeout)
    }

    /// Whether the server keeps the connection open and has sent nothing unexpected.
    pub fn is_alive(&self) -> bool {
        let stream = self.reader.get_ref();
        if stream.set_nonblocking(true).is_err() {
            return false;
        }
        let quiet = stream.peek(&mut [0]).is_err_and(|e| e.kind() == io::ErrorKind::WouldBlock);
        stream.set_nonblocking(false).is_ok() && quiet
    }

    /// Sends a request, with its data in chunks if there is any.
    pub fn send(&mut self, config: &Config, request: Request<'_>) -> Result<()> {
        let query_string = url::query_string(request.parameters);
        let mut head = head(config, &format!("POST /?{query_string}"))?;
        let mut to = BufWriter::new(self.reader.get_ref());
        let outcome = match request.data {
            None => {
                head.push_str(&format!("Content-Length: {}\r\n\r\n", request.query.len()));
                to.write_all(head.as_bytes())
                    .and_then(|()| to.write_all(request.query.as_bytes()))
                    .and_then(|()| to.flush())
            }
            Some(data) => {
                head.push_str("Transfer-Encoding: chunked\r\n\r\n");
                let first = format!("{}\n", request.query);
                to.write_all(head.as_bytes())
                    .and_then(|()| body::send_chunks(&mut to, first.as_bytes(), data))
            }
        };
        outcome.map_err(|e| lost("Cannot send the statement", e))
    }

    /// Asks for a page.
    pub fn send_get(
        &mut self,
        config: &Config,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<()> {
        let query_string = url::query_string(parameters);
        let head = head(config, &format!("GET {path}?{query_string}"))? + "\r\n";
        let mut to = self.reader.get_ref();
        to.write_all(head.as_bytes()).map_err(|e| lost("Cannot ask for the page", e))
    }

    /// Reads status and headers.
    pub fn read_head(&mut self) -> Result<Head> {
        read_head(&mut self.reader)
    }
}

/// Reads status and headers of the final answer.
pub(crate) fn read_head(reader: &mut impl BufRead) -> Result<Head> {
    loop {
        let head = read_one_head(reader)?;
        // A status of 1xx only announces the final one.
        if head.status >= 200 {
            return Ok(head);
        }
    }
}

fn read_one_head(reader: &mut impl BufRead) -> Result<Head> {
    let mut line = || body::line(reader).map_err(|e| lost("Cannot read the server's answer", e));
    let first = line()?;
    let version = first.strip_prefix("HTTP/1.").ok_or_else(|| not_http(&first))?;
    let status = version.split(' ').nth(1).and_then(|s| s.parse().ok());
    let status = status.ok_or_else(|| not_http(&first))?;
    let mut headers = HashMap::new();
    loop {
        let line = line()?;
        if line.is_empty() {
            return Ok(Head { status, headers });
        }
        let (name, value) = line.split_once(':').ok_or_else(|| not_http(&line))?;
        headers.insert(name.to_ascii_lowercase(), value.trim().to_string());
    }
}

/// The head of a request, up to the headers that say how long its body is.
fn head(config: &Config, method_and_target: &str) -> Result<String> {
    let mut head = format!("{method_and_target} HTTP/1.1\r\n");
    let fields = [
        ("Host", format!("{}:{}", bracketed(&config.host), config.port)),
        ("User-Agent", format!("entasis/{}", env!("CARGO_PKG_VERSION"))),
        ("Content-Type", "text/plain; charset=UTF-8".into()),
        ("X-ClickHouse-User", config.user.clone()),
        ("X-ClickHouse-Key", config.password.clone()),
    ];
    for (name, value) in fields {
        if value.contains(['\r', '\n']) {
            let message = format!("{name} holds a line end: leave it out");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        if !value.is_empty() {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    Ok(head)
}

/// Closes the connection of the running statement, from any thread. All clones do this for the same
/// connection.
#[derive(Clone, Default)]
pub struct Stopper(Arc<Mutex<Option<TcpStream>>>);

impl Stopper {
    pub(crate) fn watch(&self, connection: &Connection) -> Result<()> {
        let stream = connection.reader.get_ref().try_clone()?;
        *lock(&self.0) = Some(stream);
        Ok(())
    }

    pub(crate) fn forget(&self) {
        lock(&self.0).take();
    }

    /// Whether a statement is running.
    pub fn is_busy(&self) -> bool {
        lock(&self.0).is_some()
    }

    /// Closes the connection.
    pub fn stop(&self) {
        if let Some(stream) = &*lock(&self.0) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

pub(crate) fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_string() }
}

fn unreachable(config: &Config, cause: &io::Error) -> Error {
    let Config { host, port, .. } = config;
    let remedy = match cause.kind() {
        io::ErrorKind::ConnectionRefused => format!(
            "nothing listens there. Start one with: entasis server --http-port {port} --path DIR"
        ),
        io::ErrorKind::TimedOut => "no answer; look at --host, --port and the firewall".into(),
        _ => format!("{cause}; look at --host and --port"),
    };
    let message = format!("Cannot connect to a server at {}:{port}: {remedy}", bracketed(host));
    Error::new(codes::NETWORK_ERROR, message)
}

pub(crate) fn lost(what: &str, cause: io::Error) -> Error {
    Error::new(codes::NETWORK_ERROR, what).with_cause(cause)
}

fn not_http(text: &str) -> Error {
    let shown: String = text.chars().take(60).collect();
    let message = format!(
        "The server's answer is no HTTP: `{shown}`. Is --port the port of HTTP (8123 by default)?"
    );
    Error::new(codes::UNKNOWN_PACKET_FROM_SERVER, message)
}
