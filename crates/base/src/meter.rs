//! The allocator's own count of bytes, where it keeps one.
//!
//! The binary installs it once; without it (tests, other allocators) every figure is 0, and
//! accounts know only what operators reserve.

use std::sync::OnceLock;

/// How to ask the allocator.
#[derive(Debug)]
pub struct Meter {
    /// Bytes that the calling thread has allocated, and has freed, since it began. It may have
    /// freed more: what others have allocated.
    pub thread: fn() -> (u64, u64),
    /// Bytes that the process holds.
    pub process: fn() -> u64,
    /// Gives freed pages back to the system if the process is resident in more than so many bytes.
    pub trim: fn(u64),
    /// Figures of the allocator's own, by name.
    pub details: fn() -> Vec<(&'static str, u64)>,
}

static METER: OnceLock<Meter> = OnceLock::new();

/// Installs the allocator's meter; the first one stays.
pub fn install(meter: Meter) {
    let _ = METER.set(meter);
}

/// Bytes that the calling thread has allocated and not freed; may be negative.
#[inline]
pub(crate) fn thread() -> i64 {
    let (allocated, freed) = totals();
    allocated.wrapping_sub(freed) as i64
}

/// Bytes of the calling thread, see [`Meter::thread`].
#[inline]
pub(crate) fn totals() -> (u64, u64) {
    METER.get().map_or((0, 0), |meter| (meter.thread)())
}

/// Bytes that the calling thread has allocated since it began.
pub fn allocated() -> u64 {
    totals().0
}

/// The allocator's figures, see [`Meter::details`].
pub fn details() -> Vec<(&'static str, u64)> {
    METER.get().map_or_else(Vec::new, |meter| (meter.details)())
}

/// Bytes of the process, if they are known.
pub(crate) fn process() -> Option<u64> {
    METER.get().map(|meter| (meter.process)())
}

/// Gives all freed pages back to the system, so that what a statement meets does not depend on the
/// ones before it. Takes milliseconds.
pub fn purge() {
    trim(0);
}

/// See [`Meter::trim`].
pub(crate) fn trim(limit: u64) {
    if let Some(meter) = METER.get() {
        (meter.trim)(limit);
    }
}
