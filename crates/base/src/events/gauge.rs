//! Figures that go up and down: how many of something there are now.
//!
//! They change once per connection, merge or file, so an atomic addition each is cheap enough.

use std::sync::atomic::{AtomicI64, Ordering};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gauge {
    /// Running merges.
    Merge,
    /// Open connections over HTTP.
    HTTPConnection,
    /// Files open for reading.
    OpenFileForRead,
    /// Files open for writing.
    OpenFileForWrite,
    /// Threads of the worker pool.
    PoolThread,
    /// Threads of the worker pool that work on a query.
    PoolThreadActive,
    /// Temporary files of aggregations.
    TemporaryFilesForAggregation,
    /// Temporary files of sorts.
    TemporaryFilesForSort,
    /// Temporary files of DISTINCT.
    TemporaryFilesForDistinct,
    /// Temporary files of joins.
    TemporaryFilesForJoin,
}

/// The number of gauges, from the last one of [`Gauge`].
const COUNT: usize = Gauge::TemporaryFilesForJoin as usize + 1;

static NOW: [AtomicI64; COUNT] = [const { AtomicI64::new(0) }; COUNT];

/// The present value of a gauge.
pub fn get(gauge: Gauge) -> i64 {
    NOW[gauge as usize].load(Ordering::Relaxed)
}

/// Counts one in its gauge until it is dropped.
#[derive(Debug)]
pub struct Held(Gauge);

/// Adds one to a gauge until the returned value is dropped.
pub fn hold(gauge: Gauge) -> Held {
    NOW[gauge as usize].fetch_add(1, Ordering::Relaxed);
    Held(gauge)
}

impl Drop for Held {
    fn drop(&mut self) {
        NOW[self.0 as usize].fetch_sub(1, Ordering::Relaxed);
    }
}
