//! Addresses of the web: one request to any HTTP server, for tables that are read from a URL.
//!
//! A transfer looks at least every [`POLL`] whether its statement was cancelled, so a server that
//! is silent does not keep a statement alive.
//!
//! Absent on purpose: TLS, redirects (the caller checks every address), connections that are kept.

use std::collections::HashMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entasis_base::{Error, Result, codes, scope};

use crate::body::{self, Framing};
use crate::connection::{Head, bracketed, lost, read_head};

/// How often a transfer that waits looks whether it was cancelled.
const POLL: Duration = Duration::from_millis(100);

/// Where a URL leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Name or address of the server.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Path and parameters, from the first `/` on.
    pub target: String,
    /// `user:password`, if the URL has them; their escapes are resolved.
    pub user_info: Option<String>,
}

impl Address {
    /// Takes a URL apart. Only `http` is spoken.
    pub fn parse(url: &str) -> Result<Self> {
        let Some((scheme, rest)) = url.split_once("://") else {
            let message = format!("Empty protocol in the URL: write http:// before `{url}`");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        };
        match scheme.to_ascii_lowercase().as_str() {
            "http" => {}
            "https" => {
                let what = "https (this build has no TLS: download the file, or use an address \
                            with http, such as that of a local proxy)";
                return Err(Error::not_implemented(what));
            }
            other => {
                let message = format!("Unknown protocol in the URL: {other} (use http)");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let target = target.split('#').next().unwrap_or_default();
        if url.contains(|c: char| c.is_ascii_control() || c == ' ') {
            return Err(wrong("a space or a control character must be written as %XX", url));
        }
        let (user_info, host_port) = match authority.rsplit_once('@') {
            Some((user_info, host)) => (Some(unescaped(user_info)), host),
            None => (None, authority),
        };
        let (host, port) = match host_port.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(|| wrong("a bracket is open", url))?,
            None => host_port.split_at(host_port.find(':').unwrap_or(host_port.len())),
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => 80,
            Some("") => 80,
            Some(port) => port.parse().map_err(|_| wrong("the port is no number", url))?,
            None => return Err(wrong("a port follows a colon", url)),
        };
        if host.is_empty() {
            return Err(wrong("it names no host", url));
        }
        let target = if target.starts_with('/') { target.into() } else { format!("/{target}") };
        Ok(Self { host: host.to_string(), port, target, user_info })
    }
}

#[cold]
fn wrong(why: &str, url: &str) -> Error {
    Error::new(codes::BAD_ARGUMENTS, format!("Wrong URL `{url}`: {why}"))
}

/// Resolves `%XX`.
fn unescaped(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let digits = escaped.and_then(|hex| std::str::from_utf8(hex).ok());
        match digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a request says besides its address.
pub struct WebRequest<'a> {
    /// Headers besides those that every request has.
    pub headers: &'a [(String, String)],
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long to wait for the next bytes.
    pub timeout: Duration,
}

/// An answer whose body has not been read yet.
pub struct Download {
    head: Head,
    framing: Framing,
    reader: BufReader<Patient>,
}

impl Download {
    /// The status.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// A header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.get(name)
    }

    /// All headers, with names in lower case.
    pub fn headers(&self) -> &HashMap<String, String> {
        self.head.all()
    }
}

impl Read for Download {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        body::read(&mut self.reader, &mut self.framing, into)
    }
}

/// Asks for what is at an address.
pub fn get(address: &Address, request: &WebRequest<'_>) -> Result<Download> {
    let mut reader = open(address, request)?;
    let head = head(address, "GET", request)? + "Connection: close\r\n\r\n";
    let sent = reader.get_mut().0.write_all(head.as_bytes());
    sent.map_err(|e| lost("Cannot send the request", e))?;
    answer(reader)
}

/// Sends `data` to an address, and waits for the head of the answer.
pub fn send(
    address: &Address,
    method: &str,
    request: &WebRequest<'_>,
    data: &[u8],
) -> Result<Download> {
    let reader = open(address, request)?;
    let length = data.len();
    let head = head(address, method, request)?
        + &format!("Content-Length: {length}\r\nConnection: close\r\n\r\n");
    let sent = {
        let mut to = BufWriter::new(&reader.get_ref().0);
        let pieces = std::iter::once(head.as_bytes()).chain(data.chunks(1 << 20));
        let mut sent = Ok(());
        for piece in pieces {
            scope::check()?;
            sent = sent.and_then(|()| to.write_all(piece));
        }
        sent.and_then(|()| to.flush())
    };
    // A server that refuses a request may answer before it has read all of it.
    match (answer(reader), sent) {
        (Ok(answer), _) => Ok(answer),
        (Err(_), Err(error)) => Err(lost("Cannot send the rows", error)),
        (Err(error), Ok(())) => Err(error),
    }
}

fn answer(mut reader: BufReader<Patient>) -> Result<Download> {
    // A transfer that was cancelled says so, and not that it broke off.
    let head = read_head(&mut reader).map_err(|e| scope::check().err().unwrap_or(e))?;
    let framing = match head.status {
        204 | 304 => Framing::Length(0),
        _ => head.framing()?,
    };
    Ok(Download { head, framing, reader })
}

fn open(address: &Address, request: &WebRequest<'_>) -> Result<BufReader<Patient>> {
    let Address { host, port, .. } = address;
    let failed = |e: io::Error| {
        let message = format!("Cannot connect to {}:{port}: {e}", bracketed(host));
        Error::new(codes::NETWORK_ERROR, message)
    };
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for to in (host.as_str(), *port).to_socket_addrs().map_err(failed)? {
        scope::check()?;
        match TcpStream::connect_timeout(&to, request.connect_timeout) {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(failed)?;
                stream.set_read_timeout(Some(POLL)).map_err(failed)?;
                stream.set_write_timeout(Some(request.timeout)).map_err(failed)?;
                let patient = Patient(stream, request.timeout);
                return Ok(BufReader::with_capacity(64 << 10, patient));
            }
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

fn head(address: &Address, method: &str, request: &WebRequest<'_>) -> Result<String> {
    let Address { host, port, target, .. } = address;
    let port = if *port == 80 { String::new() } else { format!(":{port}") };
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {}{port}\r\n", bracketed(host));
    let given = |name: &str| request.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    let agent = format!("entasis/{}", env!("CARGO_PKG_VERSION"));
    let login = address.user_info.as_ref().map(|user| format!("Basic {}", STANDARD.encode(user)));
    let login = login.as_deref().map(|login| ("Authorization", login));
    let own = [("User-Agent", agent.as_str()), ("Accept", "*/*")].into_iter().chain(login);
    let own = own.filter(|(name, _)| !given(name));
    let asked = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in own.chain(asked) {
        let is_token = |c: char| c.is_ascii_graphic() && c != ':';
        if name.is_empty() || !name.chars().all(is_token) || value.contains(['\r', '\n', '\0']) {
            let message = format!("The header `{name}` cannot be sent: it holds a line end");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    Ok(head)
}

/// A stream that waits for as long as it may, and looks meanwhile whether it was cancelled.
struct Patient(TcpStream, Duration);

impl Read for Patient {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let began = Instant::now();
        loop {
            scope::check().map_err(io::Error::other)?;
            match self.0.read(into) {
                Err(e)
                    if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
                {
                    if began.elapsed() >= self.1 {
                        let waited = format!("no bytes came for {} s", self.1.as_secs());
                        return Err(io::Error::new(io::ErrorKind::TimedOut, waited));
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (url, host, port, target) in [
            ("http://example.org", "example.org", 80, "/"),
            ("HTTP://example.org:8123/?a=b", "example.org", 8123, "/?a=b"),
            ("http://example.org?a=b#c", "example.org", 80, "/?a=b"),
            ("http://[::1]:81/x/y.csv", "::1", 81, "/x/y.csv"),
            ("http://u:p%40@127.0.0.1/", "127.0.0.1", 80, "/"),
        ] {
            let address = Address::parse(url).unwrap();
            let found = (address.host.as_str(), address.port, address.target.as_str());
            assert_eq!(found, (host, port, target), "{url}");
        }
        let with_user = Address::parse("http://u:p%40@127.0.0.1/").unwrap();
        assert_eq!(with_user.user_info.as_deref(), Some("u:p@"));
        for url in
            ["x", "ftp://a/", "https://a/", "http://", "http://a:b/", "http://a/ b", "http://[::1"]
        {
            assert!(Address::parse(url).is_err(), "{url}");
        }
    }
}
