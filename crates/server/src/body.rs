//! The body of a request on its way to a statement. A small body is read completely. A larger one
//! goes through a channel that holds a few pieces, and the threads that work on the statement read
//! it.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::{CancelToken, Error, codes};
use hyper::body::{Body, Bytes, Incoming};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// Bodies up to this size are read before the statement starts.
const SMALL: usize = 64 << 10;
/// Most pieces in the channel.
const PIECES: usize = 8;
/// How often a thread that waits for the client checks whether the statement was cancelled.
pub(crate) const POLL: Duration = Duration::from_millis(50);
/// How long the rest of a body is taken and thrown away once its request has been answered.
pub(crate) const LINGER: Duration = Duration::from_secs(10);
/// A client that sends or accepts nothing for this long is considered gone.
pub(crate) const SILENCE: Duration = Duration::from_mins(5);

/// The body as the statement gets it.
pub(crate) enum RequestBody {
    /// The complete body.
    Whole(Bytes),
    /// Pieces that arrive from the connection.
    Pieces(mpsc::Receiver<Arrived>),
}

/// The messages of the channel. If it closes without `End`, the client has gone away.
pub(crate) enum Arrived {
    /// Bytes.
    Data(Bytes),
    /// The end of the body.
    End,
}

/// Moves the rest of a body into the channel.
pub(crate) struct Pump {
    incoming: Incoming,
    first: Vec<Bytes>,
    sender: mpsc::Sender<Arrived>,
}

async fn next_frame(incoming: &mut Incoming) -> Option<Result<Bytes, hyper::Error>> {
    loop {
        let frame =
            std::future::poll_fn(|context| std::pin::Pin::new(&mut *incoming).poll_frame(context));
        match frame.await? {
            Ok(frame) => {
                // Trailers are ignored.
                if let Ok(data) = frame.into_data() {
                    events::add(Event::NetworkReceiveBytes, data.len() as u64);
                    return Some(Ok(data));
                }
            }
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Reads a small body completely, and the beginning of a larger one. The caller must run the pump
/// to get the rest.
pub(crate) async fn receive(
    mut incoming: Incoming,
) -> Result<(RequestBody, Option<Pump>), hyper::Error> {
    let (mut first, mut size): (Vec<Bytes>, usize) = (Vec::new(), 0);
    while size <= SMALL {
        match next_frame(&mut incoming).await {
            None => return Ok((RequestBody::Whole(joined(first, size)), None)),
            Some(piece) => {
                let piece = piece?;
                size += piece.len();
                first.push(piece);
            }
        }
    }
    let (sender, receiver) = mpsc::channel(PIECES);
    Ok((RequestBody::Pieces(receiver), Some(Pump { incoming, first, sender })))
}

fn joined(mut pieces: Vec<Bytes>, size: usize) -> Bytes {
    if pieces.len() <= 1 {
        return pieces.pop().unwrap_or_default();
    }
    let mut all = Vec::with_capacity(size);
    pieces.iter().for_each(|p| all.extend_from_slice(p));
    all.into()
}

impl Pump {
    /// Sends everything; ends early if the client goes away. What nobody reads any more is thrown
    /// away, because many clients look for an answer only when they have sent their whole body.
    pub async fn run(mut self) {
        for piece in std::mem::take(&mut self.first) {
            let _ = self.sender.send(Arrived::Data(piece)).await;
        }
        while let Some(piece) = next_frame(&mut self.incoming).await {
            let Ok(piece) = piece else { return };
            let _ = self.sender.send(Arrived::Data(piece)).await;
        }
        let _ = self.sender.send(Arrived::End).await;
    }
}

/// The error for a client that sends or accepts nothing any more.
pub(crate) fn silent(did: &str) -> Error {
    let message = format!("The client {did} nothing for {} seconds", SILENCE.as_secs());
    Error::new(codes::SOCKET_TIMEOUT, message)
}

/// The body as a reader, for threads outside of the async runtime.
pub(crate) struct BodyReader {
    pub current: Bytes,
    pub pieces: Option<mpsc::Receiver<Arrived>>,
    pub runtime: Handle,
    pub cancel: CancelToken,
}

impl BodyReader {
    pub fn new(body: RequestBody, runtime: Handle, cancel: CancelToken) -> Self {
        let (current, pieces) = match body {
            RequestBody::Whole(bytes) => (bytes, None),
            RequestBody::Pieces(pieces) => (Bytes::new(), Some(pieces)),
        };
        Self { current, pieces, runtime, cancel }
    }

    /// Waits for the next piece; returns false at the end.
    fn refill(&mut self) -> io::Result<bool> {
        let begun = Instant::now();
        let Some(pieces) = &mut self.pieces else { return Ok(false) };
        let arrived = match pieces.try_recv() {
            Ok(arrived) => Some(arrived),
            Err(_) => loop {
                self.cancel.check().map_err(io::Error::other)?;
                if begun.elapsed() > SILENCE {
                    return Err(io::Error::other(silent("sent")));
                }
                let next = async { tokio::time::timeout(POLL, pieces.recv()).await };
                if let Ok(arrived) = self.runtime.block_on(next) {
                    break arrived;
                }
            },
        };
        events::elapsed(Event::NetworkReceiveElapsedMicroseconds, begun);
        match arrived {
            Some(Arrived::Data(bytes)) => {
                self.current = bytes;
                Ok(true)
            }
            Some(Arrived::End) => {
                self.pieces = None;
                Ok(false)
            }
            None => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the client went away before the end of the request's body",
            )),
        }
    }
}

impl Read for BodyReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            if !self.refill()? {
                return Ok(0);
            }
        }
        let n = self.current.len().min(into.len());
        into[..n].copy_from_slice(&self.current.split_to(n));
        Ok(n)
    }
}
