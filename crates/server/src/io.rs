//! A socket that reports when the bytes written to it have reached the kernel.
//!
//! An answer that fails half-way must reach the client before the connection breaks. The connection
//! driver breaks it as soon as the body fails, whether or not earlier bytes were written. Therefore
//! the body first waits for a flush ([`Flushes`]).

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Counts how often everything written so far has reached the kernel.
#[derive(Default)]
pub(crate) struct Flushes {
    count: AtomicU64,
    waiting: Mutex<Option<Waker>>,
}

impl Flushes {
    /// The count now.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Ready once the count exceeds `seen`.
    pub fn poll_past(&self, seen: u64, context: &mut Context<'_>) -> Poll<()> {
        *lock(&self.waiting) = Some(context.waker().clone());
        if self.count() > seen { Poll::Ready(()) } else { Poll::Pending }
    }

    fn flushed(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
        let waiting = lock(&self.waiting).take();
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

/// Records the bytes that a write passed to the kernel.
fn sent(written: Poll<Result<usize>>) -> Poll<Result<usize>> {
    if let Poll::Ready(Ok(bytes)) = &written {
        events::one(Event::NetworkSends);
        events::add(Event::NetworkSendBytes, *bytes as u64);
    }
    written
}

/// A client's connection.
pub(crate) struct Connection {
    socket: TokioIo<TcpStream>,
    flushes: Arc<Flushes>,
}

impl Connection {
    /// Over a socket.
    pub fn new(socket: TcpStream, flushes: Arc<Flushes>) -> Self {
        Self { socket: TokioIo::new(socket), flushes }
    }
}

impl Read for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, into)
    }
}

impl Write for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        sent(Pin::new(&mut self.socket).poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.socket).poll_flush(context);
        if flushed.is_ready() {
            self.flushes.flushed();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        sent(Pin::new(&mut self.socket).poll_write_vectored(context, slices))
    }
}
