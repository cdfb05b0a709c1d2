//! Cancellation: one flag per query, which the query checks at every chunk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Error, Result, codes};

const RUNNING: u32 = 0;
const CANCELLED: u32 = 1;
const TIMED_OUT: u32 = 2;
/// From this value on, the state counts the checks that are left before the query is cancelled.
const FUSE: u32 = 16;

/// A shared flag that ends a query. Cloning shares the flag; reading it is one relaxed load.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicU32>);

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that lets `checks` checks pass and is cancelled by the next one. For tests of where
    /// work checks its token.
    pub fn with_fuse(checks: u32) -> Self {
        Self(Arc::new(AtomicU32::new(checks.saturating_add(FUSE))))
    }

    /// The number of checks that a token with a fuse still lets pass; `None` once it is cancelled.
    pub fn fuse_left(&self) -> Option<u32> {
        self.0.load(Ordering::Relaxed).checked_sub(FUSE)
    }

    /// Asks the query to stop. The first reason given wins over later ones.
    pub fn cancel(&self) {
        let _ = self.0.compare_exchange(RUNNING, CANCELLED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Asks the query to stop because its time limit has passed.
    pub fn time_out(&self) {
        let _ = self.0.compare_exchange(RUNNING, TIMED_OUT, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the query was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0.load(Ordering::Relaxed), CANCELLED | TIMED_OUT)
    }

    /// `Err(QUERY_WAS_CANCELLED)` or `Err(TIMEOUT_EXCEEDED)` once the query was asked to stop.
    #[inline]
    pub fn check(&self) -> Result<()> {
        match self.0.load(Ordering::Relaxed) {
            RUNNING => Ok(()),
            state => self.answer(state),
        }
    }

    #[cold]
    fn answer(&self, state: u32) -> Result<()> {
        match state {
            TIMED_OUT => Err(Error::new(
                codes::TIMEOUT_EXCEEDED,
                "Timeout exceeded: the query ran longer than max_execution_time",
            )),
            state if state > FUSE => {
                self.0.fetch_sub(1, Ordering::Relaxed);
                Ok(())
            }
            _ => {
                self.0.store(CANCELLED, Ordering::Relaxed);
                Err(Error::new(codes::QUERY_WAS_CANCELLED, "Query was cancelled"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fuse_lets_so_many_checks_pass() {
        let token = CancelToken::with_fuse(2);
        assert!(token.check().is_ok() && token.check().is_ok() && !token.is_cancelled());
        assert_eq!(token.fuse_left(), Some(0));
        assert_eq!(token.check().unwrap_err().code(), codes::QUERY_WAS_CANCELLED);
        assert!(token.is_cancelled() && token.fuse_left().is_none());
    }
}
