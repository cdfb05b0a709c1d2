//! A client for servers with ClickHouse's HTTP interface.
//!
//! [`Client`] keeps one connection open and sends one statement at a time. Parameters are in the
//! URL, and the statement is in the body, followed by the rows of an INSERT as they are read. The
//! crate has its own HTTP code, because a statement must be cancelled from another thread
//! ([`Stopper`]), and answers that fail half-way have a marked end.
//!
//! Absent on purpose: SQL, formats (the server writes them), terminals, TLS.
#![forbid(unsafe_code)]

mod body;
mod connection;
mod counters;
mod exception;
mod response;
mod url;
pub mod web;

use std::io::Read;
use std::time::Duration;

use entasis_base::Result;

pub use connection::Stopper;
use connection::{Connection, Head};
pub use counters::Counters;
pub use response::Response;

/// The address of the server, and the credentials of the user.
#[derive(Clone, Debug)]
pub struct Config {
    /// Name or address.
    pub host: String,
    /// HTTP port.
    pub port: u16,
    /// User.
    pub user: String,
    /// Password; may be empty.
    pub password: String,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long to wait for the next bytes of an answer; `None` waits without limit.
    pub answer_timeout: Option<Duration>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            host: "localhost".into(),
            port: 8123,
            user: "default".into(),
            password: String::new(),
            connect_timeout: Duration::from_secs(10),
            answer_timeout: None,
        }
    }
}

/// A statement for the server.
pub struct Request<'a> {
    /// The statement.
    pub query: &'a str,
    /// Parameters of the URL: settings, `param_*`, `database`, `session_id`, `query_id`.
    pub parameters: &'a [(&'a str, &'a str)],
    /// Rows after the statement of an INSERT, which are sent as they are read.
    pub data: Option<&'a mut dyn Read>,
}

/// A client with one connection, which is opened when it is first needed.
pub struct Client {
    config: Config,
    idle: Option<Connection>,
    stopper: Stopper,
}

impl Client {
    /// A client that has not connected yet.
    pub fn new(config: Config) -> Self {
        Self { config, idle: None, stopper: Stopper::default() }
    }

    /// The configuration of the client.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sets how long to wait for the next bytes of later answers; `None` waits without limit.
    pub fn set_answer_timeout(&mut self, timeout: Option<Duration>) {
        if self.config.answer_timeout != timeout {
            self.config.answer_timeout = timeout;
            // If a connection does not accept the timeout, it is closed. The next one is opened
            // with the timeout.
            self.idle = self.idle.take().filter(|idle| idle.set_answer_timeout(timeout).is_ok());
        }
    }

    /// A handle that ends the running statement from another thread, by closing its connection.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Sends a statement and waits for the head of its answer. An error of the server is an `Err`
    /// with its code.
    pub fn execute(&mut self, request: Request<'_>) -> Result<Response<'_>> {
        let mut connection = self.connect()?;
        self.stopper.watch(&connection)?;
        let sent = connection.send(&self.config, request);
        // A server that refuses a request may answer before it has read all of it.
        let head = match (connection.read_head(), sent) {
            (Ok(head), _) => head,
            (Err(_), Err(error)) | (Err(error), Ok(())) => return Err(error),
        };
        Response::start(self, connection, head)
    }

    /// [`Client::execute`] for a short answer, as text.
    pub fn ask(&mut self, query: &str, parameters: &[(&str, &str)]) -> Result<String> {
        let request = Request { query, parameters, data: None };
        let mut text = Vec::new();
        self.execute(request)?.read_all(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// A page of the server: the body of what it answers to GET.
    pub fn page(&mut self, path: &str, parameters: &[(&str, &str)]) -> Result<Vec<u8>> {
        let mut connection = self.connect()?;
        connection.send_get(&self.config, path, parameters)?;
        let head = connection.read_head()?;
        let mut page = Vec::new();
        Response::start(self, connection, head)?.read_all(&mut page)?;
        Ok(page)
    }

    /// The idle connection, unless the server has closed it in the meantime, or a new one.
    fn connect(&mut self) -> Result<Connection> {
        match self.idle.take().filter(Connection::is_alive) {
            Some(connection) => Ok(connection),
            None => Connection::open(&self.config),
        }
    }
}

#[cfg(test)]
mod tests;
