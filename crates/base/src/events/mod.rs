//! Profile events: counters of what was done, incremented where it is done, at almost no cost.
//!
//! 1. A [`Block`](block::Block) has one slot per event and one writer, so an increment is a relaxed
//!    load and a relaxed store, not an atomic addition. It belongs to one thread's work for one
//!    statement.
//! 2. [`crate::Scope`] attaches a statement's block when a thread begins to work for it, and
//!    detaches it afterwards. Threads outside of statements have a block of their own.
//! 3. Readers add up: the blocks of a statement's threads ([`Counters`]), the statements of a user
//!    ([`of_user`]) and of the server ([`of_server`]). When a statement ends, its counts are added
//!    to ("folded into") these totals once, and its blocks are reused.
//! 4. The fast path of [`add`] finds no block if the statement is traced, and the slow path then
//!    uses another thread-local. Which events are traced is kept beside the slots, never in them,
//!    so readers need not mask anything.
//!
//! Invariants: only the thread that a block is attached to writes it; a block is zero when it is
//! attached to another statement; every count is either in the folded totals or in a block that is
//! in use, never in both. With the feature `no-events` nothing is counted, so that the cost can be
//! measured.

mod block;
mod counts;
pub mod gauge;
mod query;
mod registry;
mod table;
mod trace;
mod usage;

use std::cell::Cell;
use std::time::Instant;

use block::Block;
pub use counts::Counts;
pub(crate) use query::Attached;
pub use query::{Counters, Sampling, ThreadWork};
pub use registry::{at_work, of_server, of_user};
pub use table::{Definition, EVENTS, Event, Unit};
pub use trace::{Mask, install_hook};

/// The number of events.
pub const COUNT: usize = EVENTS.len();

thread_local! {
    /// The block that this thread counts in, unless it is traced. The fast path reads only this.
    static FAST: Cell<Option<&'static Block>> = const { Cell::new(None) };
    /// The block that this thread counts in while it is traced. At most one of the two is set.
    static TRACED: Cell<Option<&'static Block>> = const { Cell::new(None) };
    /// The block of a thread outside of statements, returned to the pool when the thread ends.
    static OWN: registry::OwnBlock = registry::OwnBlock::take();
}

/// Adds `amount` to the count of `event`, for the statement that this thread works for.
#[inline]
pub fn add(event: Event, amount: u64) {
    if cfg!(feature = "no-events") {
        return;
    }
    match FAST.get() {
        Some(block) => block.add(event, amount),
        None => aside(event, amount),
    }
}

/// Adds one to the count of `event`.
#[inline]
pub fn one(event: Event) {
    add(event, 1);
}

/// Adds the microseconds since `began`.
#[inline]
pub fn elapsed(event: Event, began: Instant) {
    add(event, began.elapsed().as_micros() as u64);
}

/// Counts the processor time and memory that this thread has used since the last call. Threads
/// outside of statements call it when they have done some work; within statements the scope does.
pub fn sample() {
    if !cfg!(feature = "no-events") {
        usage::sample(Instant::now());
    }
}

#[cold]
#[inline(never)]
fn aside(event: Event, amount: u64) {
    if let Some(block) = TRACED.get() {
        block.add(event, amount);
        if block.traces(event) {
            // What the hook itself does is counted but not traced.
            TRACED.set(None);
            FAST.set(Some(block));
            trace::call(event, amount);
            FAST.set(None);
            TRACED.set(Some(block));
        }
        return;
    }
    match OWN.try_with(registry::OwnBlock::block) {
        Ok(block) => {
            FAST.set(Some(block));
            block.add(event, amount);
        }
        // The thread is ending, and its block has been returned to the pool.
        Err(_) => registry::stray(event, amount),
    }
}

#[cfg(test)]
mod tests;
