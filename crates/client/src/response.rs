//! The answer to a statement: its counters, and its body as a reader.

use std::io::Write;

use entasis_base::{Error, Result, codes};

use crate::body::{self, Framing};
use crate::connection::lost;
use crate::{Client, Connection, Counters, Head, exception};

/// Most bytes of an error text that are kept.
const LONGEST_ERROR: usize = 1 << 20;
/// Bytes read at a time.
const BUFFER: usize = 64 << 10;

/// An answer whose body has not been read yet. Dropping it early closes the connection, so that
/// the server ends the statement.
pub struct Response<'a> {
    client: &'a mut Client,
    connection: Option<Connection>,
    framing: Framing,
    keeps_alive: bool,
    /// The mark that precedes the error in an answer that fails half-way.
    mark: Option<Vec<u8>>,
    /// Bytes that may be the start of the mark, and all bytes after them.
    held: Vec<u8>,
    summary: Counters,
}

impl<'a> Response<'a> {
    pub(crate) fn start(
        client: &'a mut Client,
        connection: Connection,
        head: Head,
    ) -> Result<Self> {
        let framing = head.framing()?;
        let mut response = Self {
            framing,
            keeps_alive: head.keeps_alive() && framing != Framing::Close,
            mark: head.get("x-clickhouse-exception-tag").map(exception::mark),
            held: Vec::new(),
            summary: head.get("x-clickhouse-summary").map(Counters::parse).unwrap_or_default(),
            client,
            connection: Some(connection),
        };
        let code: Option<u16> =
            head.get("x-clickhouse-exception-code").and_then(|c| c.parse().ok());
        if code.is_none() && head.status == 200 {
            return Ok(response);
        }
        response.mark = None;
        let mut text = Vec::new();
        while text.len() < LONGEST_ERROR && response.read_piece(&mut text)? {}
        let text = String::from_utf8_lossy(&text);
        if code.is_none() && !text.starts_with("Code: ") {
            let shown: String = text.chars().take(200).collect();
            let message = format!("The server answered HTTP {}: {}", head.status, shown.trim());
            return Err(Error::new(codes::UNKNOWN_PACKET_FROM_SERVER, message));
        }
        Err(exception::from_text(code, &text))
    }

    /// The server's counters as they stood when the answer began.
    pub fn summary(&self) -> &Counters {
        &self.summary
    }

    /// Appends the next bytes of the body to `into`; returns false at its end. Fails with the error
    /// of the server if the statement failed after the answer had begun.
    pub fn read_piece(&mut self, into: &mut Vec<u8>) -> Result<bool> {
        let start = into.len();
        into.append(&mut self.held);
        let filled = into.len();
        let Some(connection) = &mut self.connection else { return Ok(into.len() > start) };
        into.resize(filled + BUFFER, 0);
        let read = body::read(&mut connection.reader, &mut self.framing, &mut into[filled..]);
        into.truncate(filled + read.as_ref().map_or(0, |n| *n));
        match read {
            Ok(0) => {}
            Ok(_) => {
                if let Some(mark) = &self.mark {
                    let keep = start + exception::may_start(&into[start..], mark);
                    self.held = into.split_off(keep);
                }
                return Ok(true);
            }
            Err(error) => {
                self.connection = None;
                let lost = || lost("The answer broke off", error);
                return Err(self.failed_late(into, start).unwrap_or_else(lost));
            }
        }
        self.finish();
        match self.failed_late(into, start) {
            Some(error) => Err(error),
            None => Ok(into.len() > start),
        }
    }

    /// Writes the whole body to `out`.
    pub fn read_all(mut self, out: &mut dyn Write) -> Result<()> {
        let mut buffer = Vec::new();
        while self.read_piece(&mut buffer)? {
            out.write_all(&buffer)?;
            buffer.clear();
        }
        Ok(())
    }

    /// The error of the server, if the last bytes contain one. They are then removed from `into`.
    fn failed_late(&self, into: &mut Vec<u8>, start: usize) -> Option<Error> {
        let (at, error) = exception::behind_mark(&into[start..], self.mark.as_ref()?)?;
        into.truncate(start + at);
        Some(error)
    }

    /// Returns the connection, so that the next statement can use it.
    fn finish(&mut self) {
        self.client.stopper.forget();
        if let Some(connection) = self.connection.take().filter(|_| self.keeps_alive) {
            self.client.idle = Some(connection);
        }
    }
}

impl Drop for Response<'_> {
    fn drop(&mut self) {
        if matches!(self.framing, Framing::Done | Framing::Length(0)) {
            self.finish();
        }
        self.client.stopper.forget();
    }
}
