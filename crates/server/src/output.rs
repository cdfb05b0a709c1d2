//! The answer of a statement on its way out of the thread that makes it.
//!
//! The first bytes are held back, so an error among them sets status and body as if nothing had
//! been written. Once there are too many of them (`http_response_buffer_size`), the head is sent,
//! and the rest follows in pieces through a channel that holds a few. A later error is appended
//! between two lines `__exception__` with the tag that the head announced. The connection then
//! breaks without the end mark of its last chunk, so that no client takes the answer for complete.

use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{CancelToken, Error, Reservation, Result, codes};
use entasis_engine::{Process, Progress};
use hyper::StatusCode;
use hyper::body::Bytes;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::answer::{Head, Sent};
use crate::body::{POLL, SILENCE, silent};
use crate::encoding::{Encoder, Wrapping, header_name};
use crate::status;

/// Number of bytes that are held back, unless a setting says otherwise.
const HELD_BACK: usize = 1 << 20;
/// Bytes of a piece.
const PIECE: usize = 256 << 10;
/// Most pieces in the channel.
const PIECES: usize = 4;
/// Most bytes that `wait_end_of_query` holds back.
const MOST_HELD_BACK: usize = 1 << 30;

/// The answer that the connection receives.
pub(crate) struct Reply {
    pub head: Head,
    pub body: ReplyBody,
}

/// The bytes of the answer.
pub(crate) enum ReplyBody {
    Whole(Bytes),
    Pieces(mpsc::Receiver<Sent>),
}

/// The facts in the head of every answer.
pub(crate) struct Facts {
    pub query_id: String,
    pub time_zone: String,
    pub display_name: Arc<str>,
    pub version: Arc<str>,
}

/// An answer while it is made.
pub(crate) struct Output {
    facts: Facts,
    reply: Option<oneshot::Sender<Reply>>,
    pieces: Option<mpsc::Sender<Sent>>,
    runtime: Handle,
    cancel: CancelToken,
    started: Instant,
    tag: String,
    wrapping: Wrapping,
    level: u64,
    encoder: Encoder,
    held_back: usize,
    /// Bytes of the format that are not yet compressed.
    pub raw: Vec<u8>,
    /// Compressed bytes that are not yet sent.
    wrapped: Vec<u8>,
    reserved: Option<Reservation>,
    /// The format's name, once it is known.
    format: &'static str,
    /// Whether there is a result with columns.
    has_rows: bool,
    /// The text of the statement, to find places for errors.
    pub text: String,
    /// Rows and bytes of the result so far.
    pub result: (u64, u64),
    pub progress: Arc<Progress>,
    pub process: Option<Arc<Process>>,
}

impl Output {
    pub fn new(
        facts: Facts,
        reply: oneshot::Sender<Reply>,
        runtime: Handle,
        cancel: CancelToken,
        progress: Arc<Progress>,
    ) -> Self {
        Self {
            facts,
            reply: Some(reply),
            pieces: None,
            runtime,
            cancel,
            started: Instant::now(),
            tag: random_tag(),
            wrapping: Wrapping::Plain,
            level: 3,
            encoder: Encoder::Plain,
            held_back: HELD_BACK,
            raw: Vec::new(),
            wrapped: Vec::new(),
            reserved: None,
            format: "TabSeparated",
            has_rows: false,
            text: String::new(),
            result: (0, 0),
            progress,
            process: None,
        }
    }

    /// Sets the compression of the answer, which also applies to errors.
    pub fn wrap(&mut self, wrapping: Wrapping, level: u64) -> Result<()> {
        self.encoder = Encoder::new(wrapping, level)?;
        (self.wrapping, self.level) = (wrapping, level);
        Ok(())
    }

    /// Sets how many bytes are held back; `None` holds all of them back.
    pub fn hold_back(&mut self, bytes: Option<usize>) {
        self.held_back = match bytes {
            None => usize::MAX,
            Some(0) => HELD_BACK,
            Some(n) => n,
        };
    }

    /// Sets the session's time zone, which the head names.
    pub fn set_time_zone(&mut self, name: &str) {
        self.facts.time_zone = name.to_string();
    }

    /// Notes that the result has columns and is written in this format.
    pub fn begin(&mut self, format: &'static str) {
        (self.format, self.has_rows) = (format, true);
    }

    /// Must be called after each addition to `raw`. Passes the bytes on if there are enough.
    pub fn pass(&mut self) -> Result<()> {
        if self.reply.is_some() {
            let held = self.raw.len() + self.wrapped.len();
            if held < self.held_back {
                self.reserve(held)?;
                if held > MOST_HELD_BACK {
                    let message = "The answer is larger than 1 GiB, too large to be held back: \
                                   leave wait_end_of_query out";
                    return Err(Error::new(codes::TOO_MANY_ROWS_OR_BYTES, message));
                }
                return Ok(());
            }
            self.send_head();
            self.reserved = None;
        }
        if self.raw.len() < PIECE {
            return Ok(());
        }
        self.encode()?;
        self.send_pieces()
    }

    /// Ends a complete answer.
    pub fn finish(mut self) {
        if let Err(error) = self.encode().and_then(|()| self.encoder.finish(&mut self.wrapped)) {
            return self.fail(&error);
        }
        match self.reply.take() {
            Some(reply) => {
                let mut head = self.head(StatusCode::OK);
                self.set_encoding(&mut head);
                let body = ReplyBody::Whole(std::mem::take(&mut self.wrapped).into());
                let _ = reply.send(Reply { head, body });
            }
            // A channel that closes without `End` breaks the connection.
            None => {
                let _ = self.send_pieces().and_then(|()| self.send(Sent::End));
            }
        }
    }

    /// Ends the answer of a statement that failed. If nothing was sent yet, the error is the whole
    /// answer.
    pub fn fail(mut self, error: &Error) {
        let text = status::exception_text(error, &self.text, &self.facts.version);
        let Some(reply) = self.reply.take() else {
            return self.append_exception(&text);
        };
        let mut head = self.head(status::of(error.code()));
        head.set("x-clickhouse-exception-code", error.code().0.to_string());
        head.set("content-type", "text/plain; charset=UTF-8");
        if error.code() == codes::REQUIRED_PASSWORD {
            head.set("www-authenticate", "Basic realm=\"Entasis\"");
        }
        let mut body = Vec::new();
        let wrapped = Encoder::new(self.wrapping, self.level).and_then(|mut encoder| {
            encoder.push(text.as_bytes(), &mut body)?;
            encoder.finish(&mut body)
        });
        match wrapped {
            Ok(()) => self.set_encoding(&mut head),
            Err(_) => body = text.into_bytes(),
        }
        let _ = reply.send(Reply { head, body: ReplyBody::Whole(body.into()) });
    }

    /// Charges the bytes that are held back to the statement's account.
    fn reserve(&mut self, bytes: usize) -> Result<()> {
        if bytes < Reservation::STEP {
            return Ok(());
        }
        if self.reserved.is_none()
            && let Some(process) = &self.process
        {
            let account = process.account().child("Holding back the answer", 0);
            self.reserved = Some(Reservation::new(&account));
        }
        self.reserved.as_mut().map_or(Ok(()), |reserved| reserved.cover(bytes))
    }

    fn append_exception(&mut self, text: &str) {
        let tag = &self.tag;
        let framed = format!(
            "\r\n__exception__\r\n{tag}\r\n{text}{} {tag}\r\n__exception__\r\n",
            text.len()
        );
        // The bytes that were held back may end with an incomplete row; the error is marked, so
        // that the reader knows where the rows end.
        self.raw.extend_from_slice(framed.as_bytes());
        let sent = self.encode().and_then(|()| self.encoder.finish(&mut self.wrapped));
        let _ = sent.and_then(|()| self.send_pieces());
    }

    fn encode(&mut self) -> Result<()> {
        if matches!(self.encoder, Encoder::Plain) && self.wrapped.is_empty() {
            self.wrapped = std::mem::take(&mut self.raw);
            return Ok(());
        }
        self.encoder.push(&self.raw, &mut self.wrapped)?;
        self.raw.clear();
        Ok(())
    }

    fn send_head(&mut self) {
        let Some(reply) = self.reply.take() else { return };
        let (sender, receiver) = mpsc::channel(PIECES);
        let mut head = self.head(StatusCode::OK);
        self.set_encoding(&mut head);
        let _ = reply.send(Reply { head, body: ReplyBody::Pieces(receiver) });
        self.pieces = Some(sender);
    }

    fn send_pieces(&mut self) -> Result<()> {
        if self.wrapped.is_empty() {
            return Ok(());
        }
        let bytes = Bytes::from(std::mem::take(&mut self.wrapped));
        if let Some(process) = &self.process {
            process.account().hand_over(bytes.len());
        }
        self.send(Sent::Data(bytes))
    }

    /// Waits for a free place in the channel, unless the statement is to end.
    fn send(&self, sent: Sent) -> Result<()> {
        let Some(pieces) = &self.pieces else { return Ok(()) };
        let begun = Instant::now();
        let permit = loop {
            if let Ok(permit) = pieces.try_reserve() {
                break permit;
            }
            let reserve = async { tokio::time::timeout(POLL, pieces.reserve()).await };
            match self.runtime.block_on(reserve) {
                Ok(Ok(permit)) => break permit,
                Ok(Err(_)) => {
                    let message = "The client went away";
                    return Err(Error::new(codes::ABORTED, message));
                }
                Err(_) if begun.elapsed() > SILENCE => return Err(silent("took")),
                Err(_) => self.cancel.check()?,
            }
        };
        events::elapsed(Event::NetworkSendElapsedMicroseconds, begun);
        permit.send(sent);
        Ok(())
    }

    fn set_encoding(&self, head: &mut Head) {
        if let Wrapping::Content(method) = self.wrapping
            && let Some(name) = header_name(method)
        {
            head.set("content-encoding", name);
            head.set("vary", "accept-encoding");
        }
    }

    fn head(&self, status: StatusCode) -> Head {
        let mut head = Head::new(status);
        let content_type = if self.has_rows {
            status::content_type(self.format)
        } else {
            "text/plain; charset=UTF-8"
        };
        head.set("content-type", content_type);
        head.set("x-clickhouse-query-id", &self.facts.query_id);
        head.set("x-clickhouse-format", self.format);
        head.set("x-clickhouse-timezone", &self.facts.time_zone);
        head.set("x-clickhouse-server-display-name", self.facts.display_name.as_bytes());
        head.set("x-clickhouse-exception-tag", &self.tag);
        head.set("x-clickhouse-summary", self.summary());
        head
    }

    fn summary(&self) -> String {
        let (read_rows, read_bytes, total) = self.progress.get();
        let (written_rows, written_bytes) =
            self.process.as_ref().map_or((0, 0), |p| p.written.get());
        let memory = self.process.as_ref().map_or(0, |p| p.memory().1);
        format!(
            "{{\"read_rows\":\"{read_rows}\",\"read_bytes\":\"{read_bytes}\",\
             \"written_rows\":\"{written_rows}\",\"written_bytes\":\"{written_bytes}\",\
             \"total_rows_to_read\":\"{total}\",\"result_rows\":\"{}\",\"result_bytes\":\"{}\",\
             \"elapsed_ns\":\"{}\",\"memory_usage\":\"{memory}\"}}",
            self.result.0,
            self.result.1,
            self.started.elapsed().as_nanos()
        )
    }
}

/// Sixteen random lower-case letters, which data practically never contains.
fn random_tag() -> String {
    let id = entasis_engine::new_query_id();
    let letters = id.bytes().filter(u8::is_ascii_hexdigit).take(16);
    letters.map(|b| (b'a' + (b as char).to_digit(16).unwrap_or(0) as u8) as char).collect()
}
