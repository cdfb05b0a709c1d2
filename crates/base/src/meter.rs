//! The allocator's own count of bytes, if it keeps one.
//!
//! The binary installs the meter once. Without it (in tests, with other allocators) every figure is
//! 0, and accounts know only what operators reserve.

use std::sync::OnceLock;

/// How to ask the allocator for its figures.
#[derive(Debug)]
pub struct Meter {
    /// Bytes that the calling thread has allocated and freed since it began. A thread may free more
    /// than it allocated, namely memory of other threads.
    pub thread: fn() -> (u64, u64),
    /// Bytes that the process holds.
    pub process: fn() -> u64,
    /// Gives freed pages back to the system if the process has more resident bytes than the
    /// argument.
    pub trim: fn(u64),
    /// The allocator's other figures, with their names.
    pub details: fn() -> Vec<(&'static str, u64)>,
}

static METER: OnceLock<Meter> = OnceLock::new();

/// Installs the allocator's meter. Later calls have no effect.
pub fn install(meter: Meter) {
    let _ = METER.set(meter);
}

/// Bytes that the calling thread has allocated minus those that it has freed; may be negative.
#[inline]
pub(crate) fn thread() -> i64 {
    let (allocated, freed) = totals();
    allocated.wrapping_sub(freed) as i64
}

/// Bytes that the calling thread has allocated and freed, see [`Meter::thread`].
#[inline]
pub(crate) fn totals() -> (u64, u64) {
    METER.get().map_or((0, 0), |meter| (meter.thread)())
}

/// Bytes that the calling thread has allocated since it began.
pub fn allocated() -> u64 {
    totals().0
}

/// The allocator's other figures, see [`Meter::details`].
pub fn details() -> Vec<(&'static str, u64)> {
    METER.get().map_or_else(Vec::new, |meter| (meter.details)())
}

/// Bytes that the process holds; `None` if no meter is installed.
pub(crate) fn process() -> Option<u64> {
    METER.get().map(|meter| (meter.process)())
}

/// Gives all freed pages back to the system, so that the time of a statement does not depend on the
/// statements before it. Takes milliseconds.
pub fn purge() {
    trim(0);
}

/// Gives freed pages back above a limit, see [`Meter::trim`].
pub(crate) fn trim(limit: u64) {
    if let Some(meter) = METER.get() {
        (meter.trim)(limit);
    }
}
