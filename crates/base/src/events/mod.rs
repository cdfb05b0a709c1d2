//! Profile events: what was done, counted where it is done, for next to nothing.
//!
//! 1. A [`Block`](block::Block) has one slot per event and one writer: a relaxed load and a relaxed
//!    store, no atomic addition. It belongs to one thread's work for one statement.
//! 2. [`crate::Scope`] attaches a statement's block when a thread begins to work for it, and
//!    detaches it afterwards; threads outside of statements have a block of their own.
//! 3. Readers add up: threads to a statement ([`Counters`]), statements to their user's and the
//!    server's ([`of_server`], [`of_user`]). A statement that ends is folded into those totals
//!    once, and its blocks are used again by others.
//! 4. A traced statement has no block on the fast path ([`add`] finds nothing there and looks
//!    again); which events are traced stands beside the slots, never in them, so that no reader
//!    has anything to mask.
//!
//! Invariants: a block is written by the thread that it is attached to and by nobody else; it is
//! zero when it is attached to another statement; what was counted is in exactly one of the folded
//! totals and the blocks of the live. With the feature `no-events` nothing is counted, so that the
//! cost can be measured.

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

/// How many events there are.
pub const COUNT: usize = EVENTS.len();

thread_local! {
    /// Where this thread counts, unless it is traced: all that the fast path looks at.
    static FAST: Cell<Option<&'static Block>> = const { Cell::new(None) };
    /// Where it counts while it is traced; never set together with the other.
    static TRACED: Cell<Option<&'static Block>> = const { Cell::new(None) };
    /// The block of a thread outside of statements, given back when the thread ends.
    static OWN: registry::OwnBlock = registry::OwnBlock::take();
}

/// Counts `amount` more of `event`, for the statement that this thread works for.
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

/// Counts one more of `event`.
#[inline]
pub fn one(event: Event) {
    add(event, 1);
}

/// Counts the microseconds since `began`.
#[inline]
pub fn elapsed(event: Event, began: Instant) {
    add(event, began.elapsed().as_micros() as u64);
}

/// Counts what this thread has used of processor and memory since the last time: for threads
/// outside of statements, when they have done something. Within statements the scope does it.
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
            // What the hook does itself is counted, and not traced.
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
        // The thread is at its end, and its block was given back.
        Err(_) => registry::stray(event, amount),
    }
}

#[cfg(test)]
mod tests;
