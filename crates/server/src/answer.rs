//! Answers on their way to the connection: whole, or in pieces from a statement that is still
//! running.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use entasis_base::CancelToken;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};
use tokio::sync::mpsc;
use tokio::time::Sleep;

use crate::io::Flushes;

/// Status and headers of an answer.
pub(crate) struct Head {
    pub status: StatusCode,
    pub headers: HeaderMap,
}

impl Head {
    pub fn new(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::with_capacity(16) }
    }

    /// Adds a header. A value that is not allowed in a header is left out.
    pub fn set(&mut self, name: &'static str, value: impl AsRef<[u8]>) {
        if let Ok(value) = HeaderValue::from_bytes(value.as_ref()) {
            self.headers.insert(HeaderName::from_static(name), value);
        }
    }

    pub fn response(self, body: AnswerBody) -> Response<AnswerBody> {
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

/// A short answer of plain text.
pub(crate) fn plain(status: StatusCode, text: impl Into<Bytes>) -> Response<AnswerBody> {
    let mut head = Head::new(status);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=UTF-8"));
    head.response(AnswerBody::Whole(Some(text.into())))
}

/// Ends a statement when its client goes away. It is dropped with the future of the request, and
/// later with the body of the answer.
pub(crate) struct CloseGuard {
    pub cancel: CancelToken,
    /// Whether the statement may be ended: it only reads.
    pub ends: Arc<AtomicBool>,
}

impl Drop for CloseGuard {
    fn drop(&mut self) {
        if self.ends.load(Ordering::Relaxed) {
            self.cancel.cancel();
        }
    }
}

/// The pause between the last bytes of an answer that failed and the end of its connection.
/// Browsers discard what they have not read when a connection breaks, and these bytes contain the
/// error.
const PAUSE: Duration = Duration::from_millis(200);

/// The body of an answer.
pub(crate) enum AnswerBody {
    /// The complete answer.
    Whole(Option<Bytes>),
    /// Pieces from a statement that is still running.
    Pieces(Pieces),
}

/// The pieces that a statement sends.
pub(crate) struct Pieces {
    pub pieces: mpsc::Receiver<Sent>,
    pub flushes: Arc<Flushes>,
    /// Set once the statement has failed: the number of flushes at that time, and the pause that
    /// follows.
    pub broken: Option<(u64, Pin<Box<Sleep>>)>,
    pub _guard: CloseGuard,
}

/// The messages of the channel. If it closes without `End`, the connection is broken: the statement
/// failed, and the error has been sent.
pub(crate) enum Sent {
    /// Bytes.
    Data(Bytes),
    /// The end of the answer.
    End,
}

/// The error for an answer that ends too early.
#[derive(Debug)]
pub(crate) struct Aborted;

impl std::fmt::Display for Aborted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the statement failed while its answer was being sent")
    }
}

impl std::error::Error for Aborted {}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Aborted;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Aborted>>> {
        let pieces = match self.get_mut() {
            Self::Whole(bytes) => return Poll::Ready(bytes.take().map(|b| Ok(Frame::data(b)))),
            Self::Pieces(pieces) => pieces,
        };
        if pieces.broken.is_none() {
            match ready!(pieces.pieces.poll_recv(context)) {
                Some(Sent::Data(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Some(Sent::End) => return Poll::Ready(None),
                None => {
                    let pause = Box::pin(tokio::time::sleep(PAUSE));
                    pieces.broken = Some((pieces.flushes.count(), pause));
                }
            }
        }
        if let Some((flushes, pause)) = &mut pieces.broken {
            ready!(pieces.flushes.poll_past(*flushes, context));
            ready!(pause.as_mut().poll(context));
        }
        Poll::Ready(Some(Err(Aborted)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64))
            }
            Self::Pieces(_) => SizeHint::default(),
        }
    }
}
