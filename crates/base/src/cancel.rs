//! Cancellation: one flag per query, read at every chunk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Error, Result, codes};

const RUNNING: u8 = 0;
const CANCELLED: u8 = 1;
const TIMED_OUT: u8 = 2;

/// A shared flag that ends a query. Cloning shares the flag; reading it is one relaxed load.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicU8>);

impl CancelToken {
    /// A token nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the query to stop; the first reason given wins.
    pub fn cancel(&self) {
        let _ = self.0.compare_exchange(RUNNING, CANCELLED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Asks the query to stop because its time limit has passed.
    pub fn time_out(&self) {
        let _ = self.0.compare_exchange(RUNNING, TIMED_OUT, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the query was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) != RUNNING
    }

    /// `Err(QUERY_WAS_CANCELLED)` or `Err(TIMEOUT_EXCEEDED)` once the query was asked to stop.
    pub fn check(&self) -> Result<()> {
        match self.0.load(Ordering::Relaxed) {
            RUNNING => Ok(()),
            TIMED_OUT => Err(Error::new(
                codes::TIMEOUT_EXCEEDED,
                "Timeout exceeded: the query ran longer than max_execution_time",
            )),
            _ => Err(Error::new(codes::QUERY_WAS_CANCELLED, "Query was cancelled")),
        }
    }
}
