//! Figures that go up and down: how many of something there are now.
//!
//! They change once per connection, merge or file, so an atomic addition each is cheap enough.

use std::sync::atomic::{AtomicI64, Ordering};

/// What there are some of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gauge {
    /// Merges at work.
    Merge,
    /// Open connections over HTTP.
    HTTPConnection,
    /// Files open for reading.
    OpenFileForRead,
    /// Files open for writing.
    OpenFileForWrite,
    /// Threads of the pool.
    PoolThread,
    /// Threads of the pool at work.
    PoolThreadActive,
    /// Temporary files of aggregations.
    TemporaryFilesForAggregation,
    /// Temporary files of sorts.
    TemporaryFilesForSort,
}

static NOW: [AtomicI64; 8] = [const { AtomicI64::new(0) }; 8];

/// How many there are now.
pub fn get(gauge: Gauge) -> i64 {
    NOW[gauge as usize].load(Ordering::Relaxed)
}

/// One more, until this is dropped.
#[derive(Debug)]
pub struct Held(Gauge);

/// Counts one more.
pub fn hold(gauge: Gauge) -> Held {
    NOW[gauge as usize].fetch_add(1, Ordering::Relaxed);
    Held(gauge)
}

impl Drop for Held {
    fn drop(&mut self) {
        NOW[self.0 as usize].fetch_sub(1, Ordering::Relaxed);
    }
}
