//! Answers on their way to the connection: whole, or in pieces from a statement that still runs.

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

    /// Adds a header; a value that no header can hold is left out.
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

/// Ends a statement when the client goes away: dropped with the request's future, later with the
/// answer's body.
pub(crate) struct CloseGuard {
    pub cancel: CancelToken,
    /// Only statements that just read are ended.
    pub ends: Arc<AtomicBool>,
}

impl Drop for CloseGuard {
    fn drop(&mut self) {
        if self.ends.load(Ordering::Relaxed) {
            self.cancel.cancel();
        }
    }
}

/// Between the last bytes of an answer that fails and the end of its connection: browsers throw
/// away what they have not read when a connection breaks, and the error stands in it.
const PAUSE: Duration = Duration::from_millis(200);

/// The body of an answer.
pub(crate) enum AnswerBody {
    /// All of it.
    Whole(Option<Bytes>),
    /// From a statement that still runs.
    Pieces(Pieces),
}

/// What a statement sends, as it comes.
pub(crate) struct Pieces {
    pub pieces: mpsc::Receiver<Sent>,
    pub flushes: Arc<Flushes>,
    /// Set once the statement has failed: the count of flushes then, and how long to wait on.
    pub broken: Option<(u64, Pin<Box<Sleep>>)>,
    pub _guard: CloseGuard,
}

/// What comes through the channel. One that closes without `End` breaks the connection: the
/// statement failed, and what there is to say about it was sent.
pub(crate) enum Sent {
    /// Bytes.
    Data(Bytes),
    /// That was all.
    End,
}

/// Why an answer ends before its end.
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
